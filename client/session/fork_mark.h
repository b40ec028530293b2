/* SPDX-License-Identifier: Apache-2.0 */
/* A mark that reads 1 in the process that got it and 0 in its children after fork. Reading it costs no system call, as
 * getpid() would: a small call asks several times. */
#ifndef TRNSCI_CLIENT_SESSION_FORK_MARK_H
#define TRNSCI_CLIENT_SESSION_FORK_MARK_H

/* Returns the process's mark, which is never freed; NULL if there is no memory, or if the kernel cannot wipe a page on fork
 * (before Linux 4.14). */
const int *fork_mark_get(void);

#endif
