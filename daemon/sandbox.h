/* SPDX-License-Identifier: Apache-2.0 */
/* Rights that the daemon gives up once it has started. */
#ifndef TRNSCI_DAEMON_SANDBOX_H
#define TRNSCI_DAEMON_SANDBOX_H

#include "base/error.h"

/* Makes execve and execveat fail with EPERM in every thread of this process, also in those that run already. This cannot
 * be undone. Returns 0; -ERROR_NOT_SUPPORTED: the kernel has no such filters; -ERROR_NO_MEMORY; -ERROR_SYSTEM. On failure
 * nothing has changed, except that no_new_privs may be set. */
int sandbox_deny_exec(struct error *err);

#endif
