/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that reads 1 in the process that got it and 0 in its children after fork. Reading it costs no system call, as
 * getpid() would: a small call asks several times. */
#ifndef TRNSCI_CLIENT_SESSION_FORK_FLAG_H
#define TRNSCI_CLIENT_SESSION_FORK_FLAG_H

/* Returns the process's flag, which is never freed; NULL if there is no memory, or if the kernel cannot wipe a page on fork
 * (before Linux 4.14). */
const int *fork_flag_get(void);

#endif
