/* SPDX-License-Identifier: Apache-2.0 */
/* Several clients of one engine: turns, cancelling, closing in mid-job, many threads at once, shared plans. Order is
 * known by events, never by time. */
#include "engine/harness.h"

#include <stdatomic.h>
#include <unistd.h>

#include "distributions/draw/draw_fill.h"
#include "harness/wait.h"

/* A request over the whole tile `times` over, in one program of that many steps. */
static struct call *big_call(uint64_t tile, int times)
{
	struct call *call = call_new();
	struct value steps = value_array();

	for (int i = 0; i < times; i++) {
		struct value step = value_map();

		assert_int_equal(value_put(call->bump, &step, "op", value_string("normal")), 0);
		assert_int_equal(value_put(call->bump, &step, "out", value_uint(tile)), 0);
		assert_int_equal(value_put(call->bump, &step, "offset", value_uint((uint64_t)i * 4)), 0);
		assert_int_equal(value_push(call->bump, &steps, step), 0);
	}
	put(call, "steps", steps);
	return call;
}

static struct call *fft_of(uint64_t length)
{
	static const float one[2] = {1, 0};
	struct call *call = call_new();

	put(call, "in", array_of(call->bump, "c64", 1, one, sizeof one));
	put(call, "length", value_uint(length));
	return call;
}

static uint64_t lane_chunks(struct engine *engine)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	const struct value *lanes;
	uint64_t chunks = 0;

	assert_int_equal(engine_stats(engine, bump, &map), 0);
	lanes = value_get(&map, "lanes");
	assert_int_equal(lanes->array.count, ENGINE_LANES);
	for (size_t i = 0; i < ENGINE_LANES; i++)
		chunks += value_get(&lanes->array.at[i], "chunks")->u;
	bump_free(bump);
	return chunks;
}

/* Until the engine has begun to compute. */
static void wait_for_work(struct engine *engine)
{
	AWAIT(lane_chunks(engine) > 0);
}

static struct engine_session *another_memory(struct fixture *fixture)
{
	struct engine_session *memory;

	assert_int_equal(engine_session_create(fixture->engine, NULL, &memory), 0);
	return memory;
}

/* A draw too long to be computed where it arrives is answered while another client's large job still runs. */
static void test_small_is_not_behind_large(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct engine_session *other = another_memory(&fixture);
	const uint64_t tile = tile_of(&fixture, "f32", 8 << 20, NULL);
	struct call *large = big_call(tile, 250);

	(void)state;
	call_start(large, fixture.memory, "run");
	wait_for_work(fixture.engine);
	for (int i = 0; i < 20; i++) {
		struct call *small = call_new();

		put(small, "n", value_uint(1000000));
		call_run(small, i % 2 ? other : fixture.memory, "uniform");
		pthread_mutex_lock(&large->lock);
		if (large->done)
			fail_msg("the large job ended before small one %d was answered", i);
		pthread_mutex_unlock(&large->lock);
		call_free(small);
	}
	request_cancel(large->request);
	call_wait(large);
	assert_int_equal(request_error(large->request)->code, ERROR_CANCELLED);
	assert_int_equal(strncmp(request_error(large->request)->text, "cancelled: ", 11), 0);
	assert_int_equal(large->done, 1);
	call_free(large);
	engine_session_close(other);
	fixture_close(&fixture);
}

/* Closing a session in mid-job: every request is answered once, then the memory is given back. */
static atomic_int released;

static void release(void *arg)
{
	atomic_fetch_add(&released, 1);
	free(arg);
}

static void test_close_while_jobs_run(void **state)
{
	enum { JOBS = 30, BYTES = 16 << 20 };

	(void)state;
	for (int round = 0; round < 5; round++) {
		struct engine_settings settings = {.threads = 3, .features = cpu_detect()};
		struct fixture fixture = {.size = BYTES};
		struct call *calls[JOBS];

		atomic_store(&released, 0);
		assert_int_equal(engine_create(&settings, &fixture.engine, NULL), 0);
		fixture.memory = another_memory(&fixture);
		fixture.mapping = aligned_alloc(4096, BYTES);
		assert_int_equal(
			engine_session_attach(fixture.memory, fixture.mapping, BYTES, release, fixture.mapping, NULL), 0);
		const uint64_t tile = tile_of(&fixture, "f32", 1 << 20, NULL),
			       c64 = tile_of(&fixture, "c64", 1 << 20, NULL);
		for (int i = 0; i < JOBS; i++) {
			if (i % 2) {
				calls[i] = big_call(tile, 100);
				call_start(calls[i], fixture.memory, "run");
			} else {
				calls[i] = call_new();
				put(calls[i], "in", value_uint(c64));
				put(calls[i], "length", value_uint(1000003 + i));
				call_start(calls[i], fixture.memory, "fft");
			}
		}
		tile_drop(&fixture, tile);
		engine_session_close(fixture.memory);
		for (int i = 0; i < JOBS; i++)
			call_wait(calls[i]);
		engine_destroy(fixture.engine);
		assert_int_equal(atomic_load(&released), 1);
		for (int i = 0; i < JOBS; i++) {
			const struct error *error = request_error(calls[i]->request);

			assert_int_equal(calls[i]->done, 1);
			if (error && error->code != ERROR_CANCELLED && error->code != ERROR_LIMIT)
				fail_msg("expected an answer or cancelled, got %s", error->text);
			call_free(calls[i]);
		}
	}
}

/* A job that runs, one that waits for its plan, and one that is done in time. */
static void test_timeout(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t tile = tile_of(&fixture, "f32", 8 << 20, NULL);
	struct call *large = big_call(tile, 250), *plan = fft_of(1999993), *small = call_new(), *step = call_new();
	struct value steps = value_array(), one = value_map();

	(void)state;
	put(large, "timeout_ms", value_uint(20));
	put(plan, "timeout_ms", value_uint(1));
	call_start(large, fixture.memory, "run");
	call_start(plan, fixture.memory, "fft");
	call_wait(large);
	call_wait(plan);
	assert_non_null(request_error(large->request));
	assert_string_equal(request_error(large->request)->text,
			    "timeout: the request was not done within its timeout_ms");
	assert_non_null(request_error(plan->request));
	assert_int_equal(request_error(plan->request)->code, ERROR_TIMEOUT);
	put(small, "timeout_ms", value_uint(60000));
	put(small, "n", value_uint(100));
	call_run(small, fixture.memory, "normal");
	assert_int_equal(value_put(step->bump, &one, "op", value_string("normal")), 0);
	assert_int_equal(value_put(step->bump, &one, "n", value_uint(4)), 0);
	assert_int_equal(value_put(step->bump, &one, "timeout_ms", value_uint(4)), 0);
	assert_int_equal(value_push(step->bump, &steps, one), 0);
	put(step, "steps", steps);
	call_fails(step, fixture.memory, "run", ERROR_UNKNOWN_PARAMETER,
		   "unknown_parameter: run: steps[0] normal: timeout_ms");
	call_free(large);
	call_free(plan);
	call_free(small);
	fixture_close(&fixture);
}

static void test_jobs_limit(void **state)
{
	struct session_owner limits = {.jobs = 2};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 64 << 20, &limits);
	const uint64_t tile = tile_of(&fixture, "f32", 8 << 20, NULL);
	struct call *a = big_call(tile, 250), *b = big_call(tile, 250);

	(void)state;
	call_start(a, fixture.memory, "run");
	call_start(b, fixture.memory, "run");
	call_fails(call_new(), fixture.memory, "ping", ERROR_LIMIT,
		   "limit: ping: 2 requests are unanswered, allowed are 2 (jobs)");
	request_cancel(a->request);
	request_cancel(b->request);
	call_wait(a);
	call_wait(b);
	call_free(a);
	call_free(b);
	fixture_close(&fixture);
}

/* A tile freed while a job writes it keeps its place until the job is done. */
static void test_tile_freed_in_use(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tile = tile_of(&fixture, "f32", 8 << 20, NULL);
	struct call *large = big_call(tile, 250);
	struct bump *bump = bump_new();
	struct value map = value_map();

	(void)state;
	call_start(large, fixture.memory, "run");
	tile_drop(&fixture, tile);
	assert_int_equal(engine_session_stats(fixture.memory, bump, &map), 0);
	assert_int_equal(value_get(&map, "tiles")->u, 0);
	assert_int_equal(value_get(&map, "bytes_used")->u, 32 << 20);
	call_fails(big_call(tile, 1), fixture.memory, "run", ERROR_BAD_TILE,
		   "bad_tile: run: steps[0] normal: out: tile 1 was freed");
	request_cancel(large->request);
	call_wait(large);
	assert_int_equal(engine_session_stats(fixture.memory, bump, &map), 0);
	assert_int_equal(value_get(&map, "bytes_used")->u, 0);
	bump_free(bump);
	call_free(large);
	fixture_close(&fixture);
}

/* --- many threads --- */

struct worker {
	struct fixture *fixture;
	unsigned index;
	pthread_t thread;
	atomic_int *wrong;
};

static void check_one(struct worker *worker, unsigned i)
{
	struct draw draw = {DIST_UNIFORM, DTYPE_F32, {GENERATOR_THREEFRY4X32, worker->index, i}, {{0}, {1}}, NULL, NULL, NULL};
	const size_t n = i % 7 == 0 ? 60000 : 100 + i;
	float *expected = malloc(n * sizeof *expected);
	struct draw_kernels kernels;
	struct call *call = call_new();
	const struct value *data;

	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw, 0, n, expected);
	put(call, "n", value_uint(n));
	put(call, "seed", value_uint(worker->index));
	put(call, "stream", value_uint(i));
	data = value_get(call_run(call, worker->fixture->memory, "uniform"), "data");
	if (memcmp(data->bytes.at, expected, n * sizeof *expected) != 0)
		atomic_fetch_add(worker->wrong, 1);
	call_free(call);
	free(expected);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;

	for (unsigned i = 0; i < 60; i++) {
		const uint64_t tile = tile_of(worker->fixture, "f64", 1 + i * 97 % 5000, NULL);

		check_one(worker, i);
		tile_drop(worker->fixture, tile);
	}
	return NULL;
}

static void test_many_threads_at_once(void **state)
{
	enum { THREADS = 16 };
	struct fixture fixture = fixture_open(2);
	struct worker workers[THREADS];
	atomic_int wrong = 0;

	(void)state;
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.fixture = &fixture, .index = i, .wrong = &wrong};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	assert_int_equal(atomic_load(&wrong), 0);
	fixture_close(&fixture);
}

/* --- plans --- */

static uint64_t plan_figure(struct engine *engine, const char *name)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t figure;

	assert_int_equal(engine_stats(engine, bump, &map), 0);
	figure = value_get(value_get(&map, "plans"), name)->u;
	bump_free(bump);
	return figure;
}

/* Many ask for one long plan at once: it is made once, and all get the spectrum of an impulse. */
static void test_plan_is_made_once(void **state)
{
	enum { CALLS = 12, N = 100003 };
	struct fixture fixture = fixture_open(2);
	struct call *calls[CALLS];

	(void)state;
	for (int i = 0; i < CALLS; i++) {
		calls[i] = fft_of(N);
		call_start(calls[i], fixture.memory, "fft");
		if (i == 2)
			request_cancel(calls[i]->request);
	}
	for (int i = 0; i < CALLS; i++) {
		call_wait(calls[i]);
		if (i == 2)
			continue;
		assert_null(request_error(calls[i]->request));
		const float *y =
			(const float *)(const void *)value_get(request_result(calls[i]->request), "data")->bytes.at;
		for (size_t k = 0; k < N; k++)
			if (!(y[2 * k] > 0.99999F && y[2 * k] < 1.00001F))
				fail_msg("expected 1 at %zu, got %g", k, (double)y[2 * k]);
	}
	assert_int_equal(plan_figure(fixture.engine, "misses"), 1);
	assert_int_equal(plan_figure(fixture.engine, "hits"), CALLS - 1);
	assert_int_equal(plan_figure(fixture.engine, "count"), 1);
	for (int i = 0; i < CALLS; i++)
		call_free(calls[i]);
	fixture_close(&fixture);
}

/* All who want a plan are cancelled while it is made: it is given up, and made anew for the next. */
static void test_plan_is_given_up(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct call *call = fft_of(1000003 - (uint64_t)i);

		call_start(call, fixture.memory, "fft");
		request_cancel(call->request);
		call_wait(call);
		call_free(call);
	}
	struct call *call = fft_of(10007);
	call_run(call, fixture.memory, "fft");
	call_free(call);
	/* A plan that nobody wants is dropped at its next piece. */
	AWAIT(plan_figure(fixture.engine, "making") == 0);
	fixture_close(&fixture);
}

static void test_plan_cache_is_bounded(void **state)
{
	enum { BOUND = 1 << 20 };
	const bool full = getenv("TRNSCI_FULL") != NULL;
	const uint64_t lengths = full ? 100000 : 3000;
	struct engine_settings settings = {.threads = 2, .features = cpu_detect(), .plan_cache_bytes = BOUND};
	struct fixture fixture = {0};

	(void)state;
	assert_int_equal(engine_create(&settings, &fixture.engine, NULL), 0);
	fixture.memory = another_memory(&fixture);
	for (uint64_t n = 1; n <= lengths; n++) {
		struct call *call = fft_of(n % 5000 + 1);

		put(call, "inverse", value_bool(n > 5000));
		call_run(call, fixture.memory, "fft");
		call_free(call);
		if (plan_figure(fixture.engine, "bytes") > BOUND + (1 << 20))
			fail_msg("after %llu lengths the cache holds %llu bytes, its bound is %d",
				 (unsigned long long)n, (unsigned long long)plan_figure(fixture.engine, "bytes"),
				 BOUND);
	}
	printf("# %llu plans of %llu bytes in a cache of %d\n",
	       (unsigned long long)plan_figure(fixture.engine, "count"),
	       (unsigned long long)plan_figure(fixture.engine, "bytes"), BOUND);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_is_not_behind_large),
		cmocka_unit_test(test_close_while_jobs_run),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_jobs_limit),
		cmocka_unit_test(test_tile_freed_in_use),
		cmocka_unit_test(test_many_threads_at_once),
		cmocka_unit_test(test_plan_is_made_once),
		cmocka_unit_test(test_plan_is_given_up),
		cmocka_unit_test(test_plan_cache_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
