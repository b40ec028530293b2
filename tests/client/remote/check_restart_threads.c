/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes beside a session that connects again: threads go on, a child's copies of descriptors do not matter. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>

#include "harness/wait.h"
#include "restart.h"

enum { THREADS = 4 };

static atomic_bool over;
static atomic_uint rounds[THREADS]; /* that each thread has done */

/* Waits until what each thread had in flight is answered: a call is sent again once only. */
static void await_each_thread(void)
{
	unsigned before[THREADS];

	for (int i = 0; i < THREADS; i++)
		before[i] = atomic_load(&rounds[i]);
	for (int i = 0; i < THREADS; i++)
		AWAIT(atomic_load(&rounds[i]) - before[i] >= 2);
}

static void start_threads(pthread_t threads[THREADS], void *(*run)(void *arg))
{
	atomic_store(&over, false);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
}

static void end_threads(pthread_t threads[THREADS])
{
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Tiles come, are filled, read and go; nothing but success is allowed, and each has its own samples. */
static void *work(void *arg)
{
	const uint64_t seed = 1 + (uint64_t)(uintptr_t)arg;
	const struct drawing draw = {.distribution = "uniform", .source = {.seed = seed}};
	static _Thread_local float expected[N];
	struct trnsci_error err;

	assert_int_equal(draw_array(own, &draw, TRNSCI_F32, N, expected, NULL, NULL), 0);
	while (!atomic_load(&over)) {
		struct trnsci_tile *x = tile_of(remote, TRNSCI_F32, N), *y = tile_of(remote, TRNSCI_F32, N);

		if (draw_tile(remote, &draw, 0, x, NULL, &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		struct trnsci_call *call = scaling(remote, x, y, 1);

		if (trnsci_run(call, NULL) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, trnsci_call_error(call)->text);
		trnsci_call_free(call);
		trnsci_tile_free(x);
		x = tile_of(remote, TRNSCI_F32, N);
		call = scaling(remote, y, x, 1);
		assert_int_equal(trnsci_run(call, NULL), 0);
		trnsci_call_free(call);
		assert_int_equal(trnsci_call_new(remote, "scale", &call), 0);
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", x));
		assert_int_equal(trnsci_run(call, NULL), 0); /* with the reply: it was computed from what x holds */

		struct trnsci_array array;

		assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &array), 0);
		if (array.bytes != sizeof expected || memcmp(array.data, expected, sizeof expected) != 0)
			fail_msg("seed %llu: expected its own samples, got others", (unsigned long long)seed);
		trnsci_call_free(call);
		trnsci_tile_free(x);
		trnsci_tile_free(y);
		atomic_fetch_add(&rounds[(uintptr_t)arg], 1);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	open_both();
	start_threads(threads, work);
	for (int i = 0; i < 7; i++) {
		await_each_thread();
		if (i < 6)
			restart(signals[i % 2]);
	}
	end_threads(threads);
	close_both();
}

static void *draw_on(void *arg)
{
	const struct drawing draw = {.distribution = "normal"};
	struct trnsci_tile *x = tile_of(remote, TRNSCI_F32, 1 << 15);
	struct trnsci_error err;

	while (!atomic_load(&over)) {
		if (draw_tile(remote, &draw, 0, x, NULL, &err) < 0)
			fail_msg("expected an answer, got %s", err.text);
		atomic_fetch_add(&rounds[(uintptr_t)arg], 1);
	}
	trnsci_tile_free(x);
	return NULL;
}

/* What another thread is just about to send when the connection is found gone is sent once. */
static void test_cut_while_sending(void **state)
{
	enum { CUTS = 300 };
	pthread_t threads[THREADS];

	(void)state;
	open_both();
	start_threads(threads, draw_on);
	for (int i = 0; i < CUTS; i++) {
		await_each_thread();
		cut();
	}
	end_threads(threads);
	close_both();
}

/* The lost connection's descriptor lives on in a child: it is none of the session's. */
static void test_poll_after_fork(void **state)
{
	struct trnsci_call *call;
	int ends[2];

	(void)state;
	open_both();
	struct pollfd poll_fd = {trnsci_session_fd(remote), POLLIN, 0};

	assert_true(poll_fd.fd >= 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t child = fork();

	if (child == 0) {
		char end;

		close(ends[1]);
		_exit(read(ends[0], &end, 1) != 0);
	}
	restart(SIGKILL);
	ping();
	assert_int_equal(trnsci_next(remote, 0, &call, NULL), -TRNSCI_TIMEOUT);
	if (poll(&poll_fd, 1, 0) != 0)
		fail_msg("expected nothing to read, got events 0x%x", (unsigned)poll_fd.revents);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ends[0]);
	close_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_cut_while_sending),
		cmocka_unit_test(test_poll_after_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
