/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon takes from itself once it has started. */
#ifndef TRNSCI_DAEMON_SANDBOX_H
#define TRNSCI_DAEMON_SANDBOX_H

#include "base/error.h"

/* From now on execve and execveat fail with EPERM in every thread of this process, those that run already included, and
 * for good. -ERROR_NOT_SUPPORTED: the kernel has no such filters; -ERROR_NO_MEMORY, -ERROR_SYSTEM. On failure nothing
 * has changed, but that no_new_privs may be set. */
int sandbox_deny_exec(struct error *err);

#endif
