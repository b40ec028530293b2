/* SPDX-License-Identifier: Apache-2.0 */
/* Threads' slices, where this system knows them; their signals are checked with the daemon and the embedded library. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/thread.h"

enum { SLICE_NS = 300 * 1000 };

struct seen {
	bool kept, kept_as_batch;
	uint64_t slice_ns;
	int nice;
};

/* struct sched_attr: the slice stands at byte 24. */
static uint64_t own_slice_ns(void)
{
	uint64_t words[6] = {0};

	syscall(SYS_sched_getattr, 0, words, (unsigned)sizeof words, 0u);
	return words[3];
}

static void *other(void *arg)
{
	const struct sched_param none = {0};
	struct seen *seen = arg;

	setpriority(PRIO_PROCESS, (id_t)gettid(), 3);
	seen->kept = thread_set_slice(SLICE_NS);
	seen->slice_ns = own_slice_ns();
	seen->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
	if (sched_setscheduler(0, SCHED_BATCH, &none) == 0)
		seen->kept_as_batch = thread_set_slice(2 * SLICE_NS);
	return NULL;
}

static void test_slice(void **state)
{
	const uint64_t before = own_slice_ns();
	struct seen seen = {0};
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start("slice", other, &seen, &thread), 0);
	pthread_join(thread, NULL);
	if (!seen.kept)
		print_message("# skipped: this system has no slices\n");
	else
		assert_int_equal(seen.slice_ns, SLICE_NS);
	assert_int_equal(seen.nice, 3);
	assert_false(seen.kept_as_batch);
	assert_int_equal(own_slice_ns(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_slice)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
