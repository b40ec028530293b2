/* SPDX-License-Identifier: Apache-2.0 */
/* The filter cannot be the unit's: the service manager executes the daemon under the unit's filter. The unit's NoExecPaths=
 * does not suffice: a memfd has no path. */
#include "sandbox.h"

#include <errno.h>
#include <seccomp.h>
#include <string.h>

static int add_rules(scmp_filter_ctx filter)
{
	static const int denied[] = {SCMP_SYS(execve), SCMP_SYS(execveat)};
	int r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); /* every thread */

	/* Keep the host's default against speculative loads: older kernels would slow every thread that has a filter. */
	if (r == 0)
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	for (size_t i = 0; i < sizeof denied / sizeof *denied && r == 0; i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[i], 0);
	return r;
}

int sandbox_deny_exec(struct error *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (!filter)
		return error_set(err, ERROR_NO_MEMORY, "sandbox: its filter");
	r = add_rules(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	if (r == -EINVAL || r == -ENOSYS || r == -EOPNOTSUPP)
		return error_set(err, ERROR_NOT_SUPPORTED, "sandbox: the kernel has no seccomp filters");
	if (r < 0)
		return error_set(err, r == -ENOMEM ? ERROR_NO_MEMORY : ERROR_SYSTEM, "sandbox: %s", strerror(-r));
	return 0;
}
