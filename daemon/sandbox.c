/* SPDX-License-Identifier: Apache-2.0 */
/* The filter cannot be the unit's: the service manager executes the daemon under the unit's filter. The unit's NoExecPaths=
 * does not suffice: a memfd has no path.
 *
 * It is nine instructions of classic BPF, written here: libseccomp crashes where it gets no memory for them. */
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define NUMBERS_END  0x40000000 /* from here on they are those of the x32 interface */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define NUMBERS_END  UINT32_MAX
#endif

#ifdef ARCHITECTURE
#define LOAD(member)                   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define SKIP_IF(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (yes), (no))
#define ANSWER(action)                BPF_STMT(BPF_RET | BPF_K, (action))

/* System calls by another interface (of 32 bits, x32) have other numbers: the process that tries one ends, not
 * only the thread, which would leave the others waiting for it. */
static long install_filter(void)
{
	struct sock_filter filter[] = {
		LOAD(arch),
		SKIP_IF(BPF_JEQ, ARCHITECTURE, 0, 5),
		LOAD(nr),
		SKIP_IF(BPF_JGE, NUMBERS_END, 3, 0),
		SKIP_IF(BPF_JEQ, SYS_execve, 3, 0),
		SKIP_IF(BPF_JEQ, SYS_execveat, 2, 0),
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
		ANSWER(SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	/* Keep the host's default against speculative loads: older kernels would slow every thread that has a filter. */
	const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

	if (r < 0 && errno == EINVAL) /* a kernel before 4.17 */
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return r;
}
#else
static long install_filter(void)
{
	errno = ENOSYS;
	return -1;
}
#endif

int sandbox_deny_exec(struct error *err)
{
	const long r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -1 : install_filter();

	if (r < 0 && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
		return error_set(err, ERROR_NOT_SUPPORTED, "sandbox: the kernel has no seccomp filters");
	if (r < 0)
		return error_set(err, errno == ENOMEM ? ERROR_NO_MEMORY : ERROR_SYSTEM, "sandbox: %s", strerror(errno));
	if (r > 0)
		return error_set(err, ERROR_SYSTEM, "sandbox: thread %ld has a filter of its own", r);
	return 0;
}
