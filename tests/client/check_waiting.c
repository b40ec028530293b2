/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait in one session: one of them receives for all, each gets its own answer, and no answer is waited for in
 * vain. A wait that nobody ends fails by the session's time limit. */
#include "both.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { THREADS = 4, RUNS = 4000, LIMIT_MS = 20000 };

static atomic_bool ended;

static struct trnsci_session *open_spinning(const char *address, int spin_us)
{
	const struct trnsci_options options = {.timeout_ms = LIMIT_MS, .spin_us = spin_us, .queue = -1};

	return open_with(address, &options);
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
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 16));
	if (!runs_at_offsets(call, RUNS))
		return arg;
	trnsci_call_free(call);
	return NULL;
}

/* Runs so many threads to their end, each of which returns NULL if all went well. */
static void run_in_threads(struct trnsci_session *session, void *(*thread)(void *session), int n)
{
	pthread_t threads[THREADS];
	void *failed;

	for (int k = 0; k < n; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, thread, session), 0);
	for (int k = 0; k < n; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
	}
}

/* ---- calls of their own ---- */

/* The samples of a thread's draws are those that its own number and offsets give, whatever others draw meanwhile. */
static void *draw_own(void *arg)
{
	static atomic_uint drawers;
	enum { N = 16, MANY = 4096 };
	struct trnsci_session *session = arg;
	const uint64_t seed = 1 + atomic_fetch_add(&drawers, 1);
	const struct trnsci_source source = trnsci_source_seed(seed);
	float expected[MANY], drawn[MANY];
	struct trnsci_array array;
	struct trnsci_call *call;

	if (trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F32, MANY, expected, NULL, NULL) < 0 ||
	    trnsci_call_new(session, "uniform", &call) < 0)
		return arg;
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", seed));
	for (uint64_t i = 0; i < RUNS; i++) {
		const uint64_t at = i % (MANY - N);
		const struct trnsci_param offset[] = {trnsci_param_u64("offset", at), trnsci_param_end()};

		if (trnsci_run(call, offset) < 0 || trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 ||
		    array.count != N || memcmp(array.data, expected + at, sizeof *expected * N) != 0)
			return arg;
		if (i % 256 == 0 &&
		    (trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F32, MANY, drawn, NULL, NULL) < 0 ||
		     memcmp(drawn, expected, sizeof drawn) != 0))
			return arg;
	}
	trnsci_call_free(call);
	return NULL;
}

static void own_calls(struct trnsci_session *session)
{
	run_in_threads(session, draw_own, THREADS);
}

static void test_own_calls(void **state)
{
	const struct trnsci_options queued = {.timeout_ms = LIMIT_MS, .queue = 1};
	struct trnsci_session *session;

	(void)state;
	in_each_way(own_calls);
	session = open_with(trnscid.socket, &queued);
	own_calls(session);
	trnsci_close(session);
}

/* ---- beside a thread that takes answers which never come ---- */

struct taker {
	struct trnsci_session *session;
	int timeout_ms;
};

static void *take_in_vain(void *arg)
{
	const struct taker *taker = arg;
	struct trnsci_call *answered;
	int r = -TRNSCI_TIMEOUT;

	while (r == -TRNSCI_TIMEOUT && !atomic_load(&ended))
		r = trnsci_next(taker->session, taker->timeout_ms, &answered, NULL);
	return r == -TRNSCI_TIMEOUT ? NULL : arg;
}

static void run_beside_taker(struct trnsci_session *session, int threads, int timeout_ms)
{
	struct taker taker = {session, timeout_ms};
	pthread_t taking;
	void *failed;

	assert_int_equal(pthread_create(&taking, NULL, take_in_vain, &taker), 0);
	run_in_threads(session, run, threads);
	atomic_store(&ended, true);
	pthread_join(taking, &failed);
	assert_null(failed);
}

/* Its looks receive the answer of the other. */
static void beside_looks(struct trnsci_session *session)
{
	run_beside_taker(session, 1, 0);
}

static void test_beside_looks(void **state)
{
	(void)state;
	in_each_way(beside_looks);
}

/* Whoever leaves while it receives for all leaves that to another thread. */
static void beside_time_limits(struct trnsci_session *session)
{
	run_beside_taker(session, THREADS, 1);
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
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 16));
		if (trnsci_submit(call, NULL, NULL) < 0 || trnsci_next(session, -1, &call, NULL) < 0 ||
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
	atomic_store(&taken, 0);
	run_in_threads(session, submit_and_take, THREADS);
	assert_int_equal(taken, THREADS * (RUNS / 4));
}

static void test_takers(void **state)
{
	(void)state;
	in_each_way(takers);
}

/* ---- interruptions ---- */

enum { LONG = 1 << 30, PART = 1 << 22 };

struct program {
	struct trnsci_session *session;
	int asked, answers_yes_at;
};

/* The program's answer. It may draw meanwhile. */
static bool is_interrupted(void *arg)
{
	struct program *program = arg;
	const struct trnsci_source source = trnsci_source_seed(9);
	float samples[3000];

	if (trnsci_draw_array(program->session, "normal", NULL, &source, TRNSCI_F32, 3000, samples, NULL, NULL) < 0)
		return false;
	return ++program->asked >= program->answers_yes_at;
}

static void expect_cancelled(int r, const struct trnsci_error *err)
{
	if (r != -TRNSCI_CANCELLED || err->code != TRNSCI_CANCELLED)
		fail_msg("returned %d: %s", r, err->text);
}

/* A draw in pieces of a tile, or in this thread. The memory is touched as far as the draw came. */
static void interrupt_array(struct program *program)
{
	float *out = mmap(NULL, LONG * sizeof *out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct trnsci_error err;

	assert_ptr_not_equal(out, MAP_FAILED);
	expect_cancelled(trnsci_draw_array(program->session, "normal", NULL, NULL, TRNSCI_F32, LONG, out, NULL, &err), &err);
	munmap(out, LONG * sizeof *out);
}

/* A program of many steps, which one request runs. */
static struct trnsci_call *call_of_steps(struct trnsci_session *session, int steps, struct trnsci_tile **ret_tile)
{
	const uint64_t shape[] = {PART};
	struct trnsci_call *call;

	assert_int_equal(trnsci_tile_new(session, TRNSCI_F64, 1, shape, ret_tile, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	for (int i = 0; i < steps; i++) {
		struct trnsci_args *step = trnsci_program_step(call, "gamma");

		trnsci_set(step, trnsci_param_f64("shape", 0.3));
		trnsci_set(step, trnsci_param_u64("seed", (uint64_t)i));
		trnsci_set(step, trnsci_param_tile("out", *ret_tile));
	}
	return call;
}

/* A call that is run ends; one that is submitted goes on, until it is cancelled. */
static void interrupt_calls(struct program *program)
{
	struct trnsci_tile *tile;
	struct trnsci_call *call = call_of_steps(program->session, 250, &tile);

	expect_cancelled(trnsci_run(call, NULL), trnsci_call_error(call));
	trnsci_call_free(call);
	trnsci_tile_free(tile);

	program->answers_yes_at = INT_MAX;
	call = call_of_steps(program->session, 250, &tile);
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	program->answers_yes_at = program->asked + 1;
	assert_int_equal(trnsci_wait(call, -1), -TRNSCI_CANCELLED);
	assert_false(trnsci_call_done(call));
	program->answers_yes_at = INT_MAX;
	assert_int_equal(trnsci_wait(call, 0), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_cancel(call), 0);
	expect_cancelled(trnsci_wait(call, -1), trnsci_call_error(call));
	trnsci_call_free(call);
	trnsci_tile_free(tile);
}

static void interrupt_in(const char *address, void (*check)(struct program *program))
{
	struct program program = {.answers_yes_at = 2};
	const struct trnsci_options options = {.interrupted = is_interrupted, .interrupted_arg = &program};

	program.session = open_with(address, &options);
	check(&program);
	assert_true(program.asked >= 2);
	trnsci_close(program.session);
}

static void test_interruptions(void **state)
{
	(void)state;
	interrupt_in("embedded:", interrupt_array);
	interrupt_in("embedded:", interrupt_calls);
	interrupt_in(trnscid.socket, interrupt_array);
	interrupt_in(trnscid.socket, interrupt_calls);
}

struct deciding {
	struct trnsci_session *session;
	struct trnsci_call *call;
	bool decides;
	int asked;
};

/* The call's answer comes while the program decides, since it draws meanwhile. */
static bool give_up_when_done(void *arg)
{
	struct deciding *deciding = arg;
	float samples[16];

	if (deciding->decides) /* about one of these draws */
		return false;
	deciding->asked++;
	deciding->decides = true;
	while (!trnsci_call_done(deciding->call))
		assert_int_equal(trnsci_draw_array(deciding->session, "normal", NULL, NULL, TRNSCI_F32, 16, samples, NULL, NULL), 0);
	deciding->decides = false;
	return true;
}

/* Then the call is interrupted all the same. */
static void test_answered_while_interrupted(void **state)
{
	struct deciding deciding = {.asked = 0};
	const struct trnsci_options options = {.interrupted = give_up_when_done, .interrupted_arg = &deciding};
	struct trnsci_tile *tile;

	(void)state;
	deciding.session = open_with(trnscid.socket, &options);
	for (int steps = 16; !deciding.asked; steps *= 2) { /* it takes longer than the program is left alone */
		struct trnsci_call *call = deciding.call = call_of_steps(deciding.session, steps, &tile);
		const int r = trnsci_run(call, NULL);

		if (deciding.asked)
			expect_cancelled(r, trnsci_call_error(call));
		trnsci_call_free(call);
		trnsci_tile_free(tile);
	}
	trnsci_close(deciding.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_calls),
		cmocka_unit_test(test_beside_looks),
		cmocka_unit_test(test_beside_time_limits),
		cmocka_unit_test(test_takers),
		cmocka_unit_test(test_interruptions),
		cmocka_unit_test(test_answered_while_interrupted),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
