/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait in one session: one of them receives for all, each gets its own answer, and no answer is waited for in
 * vain. A wait that nobody ends fails by the session's time limit. */
#include "both.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 4, RUNS = 4000, LIMIT_MS = 20000 };

static atomic_bool ended;

static struct trnsci_session *open_spinning(const char *address, int spin_us)
{
	const struct trnsci_options options = {.timeout_ms = LIMIT_MS, .spin_us = spin_us, .queue = -1};
	struct trnsci_session *session = NULL;
	struct trnsci_error err;

	if (trnsci_open(address, &options, &session, &err) < 0)
		fail_msg("trnsci_open %s: %s", address, err.text);
	return session;
}

/* Runs check in each way to wait: with a daemon, asleep at once and after spinning, and without one. */
static void in_each_way(void (*check)(struct trnsci_session *session))
{
	const int spin_us[] = {-1, 0, 0};

	for (size_t i = 0; i < 3; i++) {
		struct trnsci_session *session = open_spinning(i < 2 ? trnscid.socket : "embedded:", spin_us[i]);

		atomic_store(&ended, false);
		check(session);
		trnsci_close(session);
	}
}

/* Returns NULL if each draw gave the position that it asked for. */
static void *run(void *arg)
{
	struct trnsci_session *session = arg;
	struct trnsci_call *call;

	if (trnsci_call_new(session, "uniform", &call) < 0)
		return arg;
	trnsci_set_u64(trnsci_args(call), "n", 16);
	for (uint64_t i = 0; i < RUNS; i++) {
		const struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET, .offset = i};
		struct trnsci_span span;

		if (trnsci_run(call, &changes) < 0 || trnsci_reply_span(call, &span) < 0 || span.offset != i)
			return arg;
	}
	trnsci_call_free(call);
	return NULL;
}

static void assert_all_run(struct trnsci_session *session)
{
	pthread_t threads[THREADS];
	void *failed;

	for (int k = 0; k < THREADS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, run, session), 0);
	for (int k = 0; k < THREADS; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
	}
}

/* ---- beside a thread that only looks ---- */

static void *look(void *arg)
{
	struct trnsci_call *answered;
	int r = -TRNSCI_TIMEOUT;

	while (r == -TRNSCI_TIMEOUT && !atomic_load(&ended))
		r = trnsci_next(arg, 0, &answered, NULL);
	return r == -TRNSCI_TIMEOUT ? NULL : arg;
}

/* Its looks receive answers of the others. */
static void beside_looks(struct trnsci_session *session)
{
	pthread_t looking, running;
	void *failed;

	assert_int_equal(pthread_create(&looking, NULL, look, session), 0);
	assert_int_equal(pthread_create(&running, NULL, run, session), 0);
	pthread_join(running, &failed);
	assert_null(failed);
	atomic_store(&ended, true);
	pthread_join(looking, &failed);
	assert_null(failed);
}

static void test_beside_looks(void **state)
{
	(void)state;
	in_each_way(beside_looks);
}

/* ---- beside threads whose time limits pass ---- */

static void *wait_in_vain(void *arg)
{
	struct trnsci_call *answered;
	int r = -TRNSCI_TIMEOUT;

	while (r == -TRNSCI_TIMEOUT && !atomic_load(&ended))
		r = trnsci_next(arg, 1, &answered, NULL);
	return r == -TRNSCI_TIMEOUT ? NULL : arg;
}

/* Whoever leaves while it receives for all leaves that to another thread. */
static void beside_time_limits(struct trnsci_session *session)
{
	pthread_t waiting;
	void *failed;

	assert_int_equal(pthread_create(&waiting, NULL, wait_in_vain, session), 0);
	assert_all_run(session);
	atomic_store(&ended, true);
	pthread_join(waiting, &failed);
	assert_null(failed);
}

static void test_beside_time_limits(void **state)
{
	(void)state;
	in_each_way(beside_time_limits);
}

/* ---- threads that take one another's answers ---- */

static atomic_uint taken;

static void *submit_and_take(void *arg)
{
	struct trnsci_session *session = arg;

	for (int i = 0; i < RUNS / 4; i++) {
		struct trnsci_call *call;

		if (trnsci_call_new(session, "uniform", &call) < 0)
			return arg;
		trnsci_set_u64(trnsci_args(call), "n", 16);
		if (trnsci_submit(call, NULL, NULL, NULL) < 0 || trnsci_next(session, -1, &call, NULL) < 0 ||
		    trnsci_call_error(call)->code)
			return arg;
		trnsci_call_free(call);
		atomic_fetch_add(&taken, 1);
	}
	return NULL;
}

/* As many as were submitted, so that every wait ends. */
static void takers(struct trnsci_session *session)
{
	pthread_t threads[THREADS];
	void *failed;

	atomic_store(&taken, 0);
	for (int k = 0; k < THREADS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, submit_and_take, session), 0);
	for (int k = 0; k < THREADS; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
	}
	assert_int_equal(taken, THREADS * (RUNS / 4));
}

static void test_takers(void **state)
{
	(void)state;
	in_each_way(takers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beside_looks),
		cmocka_unit_test(test_beside_time_limits),
		cmocka_unit_test(test_takers),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
