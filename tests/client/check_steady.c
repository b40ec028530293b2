/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in steady state ask the system for no memory: windows of calls are counted until one makes no page fault and no
 * memory system call, which must come soon. A filter lets a handler count these system calls, in every thread; one of a lane's
 * thread, where signals are blocked, ends the process. Small calls also allocate nothing: malloc and the like are
 * counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "harness/sanitized.h"

enum { WINDOW = 10, WINDOWS_MOST = 40, LONG = 1 << 18, BATCH = 64, LENGTH = 1024, SAMPLES = 1 << 20 };

static atomic_uint memory_calls;

#if defined(__x86_64__)
/* The only place from which the filter lets memory system calls through. */
__attribute__((noinline)) static long pass_call(long number, const unsigned long *at)
{
	register unsigned long fourth __asm__("r10") = at[3], fifth __asm__("r8") = at[4], sixth __asm__("r9") = at[5];
	long result;

	__asm__ volatile("syscall\nmemory_call_passed:"
			 : "=a"(result)
			 : "a"(number), "D"(at[0]), "S"(at[1]), "d"(at[2]), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

static void repeat_call(ucontext_t *context, long number)
{
	greg_t *regs = context->uc_mcontext.gregs;
	const unsigned long at[] = {(unsigned long)regs[REG_RDI], (unsigned long)regs[REG_RSI], (unsigned long)regs[REG_RDX],
				    (unsigned long)regs[REG_R10], (unsigned long)regs[REG_R8],	(unsigned long)regs[REG_R9]};

	regs[REG_RAX] = pass_call(number, at);
}
#elif defined(__aarch64__)
__attribute__((noinline)) static long pass_call(long number, const unsigned long *at)
{
	register unsigned long x8 __asm__("x8") = (unsigned long)number, x0 __asm__("x0") = at[0], x1 __asm__("x1") = at[1],
			       x2 __asm__("x2") = at[2], x3 __asm__("x3") = at[3], x4 __asm__("x4") = at[4], x5 __asm__("x5") = at[5];

	__asm__ volatile("svc 0\nmemory_call_passed:" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return (long)x0;
}

static void repeat_call(ucontext_t *context, long number)
{
	unsigned long at[6];

	for (int i = 0; i < 6; i++)
		at[i] = context->uc_mcontext.regs[i];
	context->uc_mcontext.regs[0] = (unsigned long)pass_call(number, at);
}
#endif

/* Counts the call and makes it. */
static void on_memory_call(int number, siginfo_t *info, void *arg)
{
	(void)number;
	atomic_fetch_add(&memory_calls, 1);
	repeat_call(arg, info->si_syscall);
}

extern const char memory_call_passed[];

static int trap_memory_calls(void)
{
	static const int numbers[] = {SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk};
	enum { N = sizeof numbers / sizeof *numbers, FROM = 5, SIZE = FROM + 2 * N + 1 };
	const uint64_t passed = (uint64_t)(uintptr_t)memory_call_passed;
	const unsigned ip = offsetof(struct seccomp_data, instruction_pointer);
	struct sock_filter filter[SIZE] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)passed, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(passed >> 32), SIZE - 5, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	const struct sock_fprog program = {.len = SIZE, .filter = filter};

	for (unsigned char i = 0; i < N; i++) {
		filter[FROM + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
		filter[FROM + 1 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	}
	filter[SIZE - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* ---- allocations, of this program and of the library in it ---- */

static atomic_uint allocations;

#if !SANITIZED && defined(__GLIBC__)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_realloc(at, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_memalign(alignment, size);
}
#endif

static long page_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* ---- the calls ---- */

struct calls {
	struct trnsci_session *session;
	float *samples;
	float *in, *out; /* of transforms: complex */
	struct trnsci_call *reply, *program;
};

static bool fills(struct calls *calls)
{
	return trnsci_draw_array(calls->session, "normal", NULL, NULL, TRNSCI_F32, SAMPLES, calls->samples, NULL, NULL) == 0 &&
	       trnsci_draw_array(calls->session, "gamma",
				 (const struct trnsci_param[]){trnsci_param_f64("shape", 2), trnsci_param_end()}, NULL, TRNSCI_F32,
				 1000, calls->samples, NULL, NULL) == 0;
}

static struct trnsci_array rows(size_t n, size_t length, void *data)
{
	struct trnsci_array array = trnsci_array_vector(TRNSCI_C64, n * length, data);

	array.ndim = 2;
	array.shape[0] = n;
	array.shape[1] = length;
	return array;
}

static bool transforms(struct calls *calls)
{
	return trnsci_apply_array(calls->session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, LONG, calls->in),
				  trnsci_array_vector(TRNSCI_C64, LONG, calls->out), NULL) == 0 &&
	       trnsci_apply_array(calls->session, "fft", NULL, rows(BATCH, LENGTH, calls->in), rows(BATCH, LENGTH, calls->out),
				  NULL) == 0 &&
	       trnsci_apply_array(calls->session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, 100003, calls->in),
				  trnsci_array_vector(TRNSCI_C64, 100003, calls->out), NULL) == 0;
}

/* Results that come with the reply, and temporaries between steps. */
static bool replies(struct calls *calls)
{
	return trnsci_run(calls->reply, NULL) == 0 && trnsci_run(calls->program, NULL) == 0;
}

static bool (*const kinds[])(struct calls *calls) = {fills, transforms, replies};
static const char *const names[] = {"fills", "transforms", "replies"};

static struct trnsci_call *new_program(struct trnsci_session *session)
{
	struct trnsci_call *call = NULL;
	struct trnsci_args *step;

	if (trnsci_call_new(session, "run", &call) < 0)
		return NULL;
	step = trnsci_program_step(call, "normal");
	trnsci_set(step, trnsci_param_text("as", "x"));
	trnsci_set(step, trnsci_param_u64("n", SAMPLES));
	step = trnsci_program_step(call, "fft");
	trnsci_set(step, trnsci_param_text("as", "y"));
	trnsci_set(step, trnsci_param_text("in", "x"));
	step = trnsci_program_step(call, "welch");
	trnsci_set(step, trnsci_param_text("as", "z"));
	trnsci_set(step, trnsci_param_text("in", "x"));
	trnsci_program_result(call, "y");
	trnsci_program_result(call, "z");
	return call;
}

static bool open_calls(struct calls *calls, unsigned threads)
{
	const struct trnsci_options options = {.threads = threads};

	if (trnsci_open("embedded:", &options, &calls->session, NULL) < 0)
		return false;
	calls->samples = calloc(SAMPLES, sizeof *calls->samples);
	calls->in = aligned_alloc(64, 2 * LONG * sizeof *calls->in);
	calls->out = aligned_alloc(64, 2 * LONG * sizeof *calls->out);
	calls->program = new_program(calls->session);
	if (!calls->samples || !calls->in || !calls->out || !calls->program ||
	    trnsci_call_new(calls->session, "uniform", &calls->reply) < 0)
		return false;
	memset(calls->in, 0, 2 * LONG * sizeof *calls->in);
	trnsci_set(trnsci_call_args(calls->reply), trnsci_param_u64("n", SAMPLES));
	return true;
}

/* ---- windows ---- */

/* Whether a window of calls comes that asks for nothing. The filter cannot be taken off: before it, windows find what
 * needs memory only now and then; afterwards one must pass without it. */
static bool find_quiet_window(struct calls *calls, bool (*kind)(struct calls *calls), const char *name)
{
	long faults = 0;
	unsigned asked = 0;

	for (int i = 0; i < WINDOWS_MOST; i++) {
		faults = page_faults();
		asked = atomic_load(&memory_calls);
		for (int k = 0; k < WINDOW; k++)
			if (!kind(calls))
				return false;
		faults = page_faults() - faults;
		asked = atomic_load(&memory_calls) - asked;
		if (faults == 0 && asked == 0)
			return true;
	}
	printf("# %s: %ld page faults and %u memory system calls in %d calls, expected none\n", name, faults, asked, WINDOW);
	return false;
}

/* In a process of its own, which the filter stays on. Returns which kind of calls was not quiet; the number of kinds: all
 * were; more: they could not be made. */
static int run_windows(unsigned threads)
{
	enum { KINDS = sizeof kinds / sizeof *kinds };
	const struct sigaction action = {.sa_sigaction = on_memory_call, .sa_flags = SA_SIGINFO};
	struct calls calls = {0};

	if (!open_calls(&calls, threads))
		return KINDS + 1;
	for (int i = 0; i < KINDS; i++)
		if (!find_quiet_window(&calls, kinds[i], names[i]))
			return i;
	sigaction(SIGSYS, &action, NULL);
	if (trap_memory_calls() != 0)
		return KINDS + 2;
	for (int i = 0; i < KINDS; i++)
		if (!find_quiet_window(&calls, kinds[i], names[i]))
			return i;
	return KINDS;
}

static void quiet_with(unsigned threads)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		status = run_windows(threads);
		fflush(stdout);
		_exit(status);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) != sizeof kinds / sizeof *kinds)
		fail_msg("%u threads: kind %d, expected %zu quiet ones", threads, WEXITSTATUS(status),
			 sizeof kinds / sizeof *kinds);
}

static void one_thread(void **state)
{
	(void)state;
	quiet_with(1);
}

static void several_threads(void **state)
{
	(void)state;
	quiet_with(3);
}

/* ---- small calls ---- */

struct small_calls {
	struct trnsci_session *session;
	struct trnsci_tile *tile;
	struct trnsci_call *prepared;
	uint64_t done;
};

static void make_small_calls(struct small_calls *calls)
{
	const struct trnsci_source source = {.seed = 3, .offset = 16 * calls->done++};
	const struct trnsci_param shape[] = {trnsci_param_f64("shape", 2), trnsci_param_end()};
	const struct trnsci_param scale[] = {trnsci_param_tile("in", calls->tile), trnsci_param_f64("by", 2), trnsci_param_end()};
	const struct trnsci_param offset[] = {trnsci_param_u64("offset", source.offset), trnsci_param_end()};
	struct trnsci_span span;
	float samples[64], spectrum[64];

	assert_int_equal(trnsci_draw_array(calls->session, "uniform", NULL, &source, TRNSCI_F32, 64, samples, &span, NULL), 0);
	assert_int_equal(trnsci_draw_array(calls->session, "gamma", shape, NULL, TRNSCI_F32, 64, samples, NULL, NULL), 0);
	assert_int_equal(trnsci_apply_array(calls->session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, 32, samples),
					    trnsci_array_vector(TRNSCI_C64, 32, spectrum), NULL),
			 0);
	assert_int_equal(trnsci_draw_tile(calls->session, "normal", NULL, &source, &calls->tile, &span, NULL), 0);
	assert_int_equal(trnsci_apply_tile(calls->session, "scale", scale, &calls->tile, NULL), 0);
	assert_int_equal(trnsci_run(calls->prepared, offset), 0);
}

/* From the fifth time on. */
static void small_calls_allocate_nothing(void **state)
{
	const struct trnsci_options options = {.threads = 2};
	struct small_calls calls = {.done = 0};
	const uint64_t n = 64;
	unsigned before;

	(void)state;
	assert_int_equal(trnsci_open("embedded:", &options, &calls.session, NULL), 0);
	assert_int_equal(trnsci_tile_new(calls.session, TRNSCI_F32, 1, &n, &calls.tile, NULL), 0);
	assert_int_equal(trnsci_call_new(calls.session, "normal", &calls.prepared), 0);
	trnsci_set(trnsci_call_args(calls.prepared), trnsci_param_tile("out", calls.tile));
	before = atomic_load(&allocations);
	make_small_calls(&calls);
	assert_true(atomic_load(&allocations) > before); /* they are counted */
	for (int i = 0; i < 3; i++)
		make_small_calls(&calls);
	before = atomic_load(&allocations);
	for (int i = 0; i < WINDOW; i++)
		make_small_calls(&calls);
	assert_int_equal(atomic_load(&allocations) - before, 0);
	trnsci_call_free(calls.prepared);
	trnsci_tile_free(calls.tile);
	trnsci_close(calls.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread), cmocka_unit_test(several_threads),
					   cmocka_unit_test(small_calls_allocate_nothing)};

	if (SANITIZED) {
		printf("1..0 # SKIP sanitizers map memory of their own\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
