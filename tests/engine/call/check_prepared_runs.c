/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared programs: whatever a program holds, each of its runs replies what `run` does, to the last byte, also once
 * windows, tables and spectra are there from the runs before, and from several threads at once; and what it holds. */
#include "engine/steps.h"

#include "rng/derive.h"

enum { SAMPLES = 3000 };

struct program {
	const char *name;
	void (*put)(struct call *call, struct fixture *fixture);
};

static struct value names_of(struct bump *bump, const char *first, const char *second)
{
	struct value names = value_array();

	assert_int_equal(value_push(bump, &names, value_string(first)), 0);
	if (second)
		assert_int_equal(value_push(bump, &names, value_string(second)), 0);
	return names;
}

static struct value ramp_of(struct bump *bump, const char *dtype, size_t n)
{
	double *wide = bump_alloc(bump, n * sizeof *wide);
	float *narrow = bump_alloc(bump, n * sizeof *narrow);

	for (size_t i = 0; i < n; i++)
		narrow[i] = (float)(wide[i] = 1 + (double)(i % 7) / 8);
	return strcmp(dtype, "f32") == 0 ? array_of(bump, dtype, n, narrow, n * sizeof *narrow)
					 : array_of(bump, dtype, n, wide, n * sizeof *wide);
}

static void put_chain(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;

	(void)fixture;
	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "n", value_uint(SAMPLES), "as", value_string("a")),
		  STEP(z, "scale", "in", value_string("a"), "by", value_real(0.5), "as", value_string("b")),
		  STEP(z, "normal", "n", value_uint(SAMPLES), "seed", value_uint(3), "as", value_string("c")),
		  STEP(z, "add", "a", value_string("b"), "b", value_string("c"), "as", value_string("sum")),
		  STEP(z, "uniform", "n", value_uint(5), "u64", value_string("str"), "as", value_string("few")),
		  STEP(z, "normal", "n", value_uint(300), "dtype", value_string("f64"), "as", value_string("wide")),
		  STEP(z, "fft", "in", value_string("wide"), "precision", value_string("fast"), "as", value_string("v"))));
	put(call, "results", STEPS(z, value_string("sum"), value_string("few"), value_string("v")));
}

static void put_distributions(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;
	struct value weights = value_array(), alpha = value_array();

	(void)fixture;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(value_push(z, &weights, value_uint(1 + (unsigned)i % 9)), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(value_push(z, &alpha, value_real(0.5 + i)), 0);
	put(call, "steps",
	    STEPS(z, STEP(z, "categorical", "n", value_uint(501), "weights", weights, "as", value_string("c")),
		  STEP(z, "poisson", "n", value_uint(77), "lam", value_real(12), "as", value_string("p")),
		  STEP(z, "binomial", "n", value_uint(78), "trials", value_uint(40), "p", value_real(0.25), "as",
		       value_string("b")),
		  STEP(z, "dirichlet", "n", value_uint(50), "alpha", alpha, "as", value_string("d")),
		  STEP(z, "permutation", "n", value_uint(100), "as", value_string("o"))));
	put(call, "results", STEPS(z, value_string("c"), value_string("p"), value_string("b"), value_string("d"),
				   value_string("o")));
}

static void put_points(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;

	(void)fixture;
	put(call, "steps",
	    STEPS(z, STEP(z, "sobol", "n", value_uint(64), "d", value_uint(5), "scramble", value_string("owen"), "as",
			  value_string("s")),
		  STEP(z, "lhs", "n", value_uint(64), "d", value_uint(3), "as", value_string("l"))));
	put(call, "results", names_of(z, "s", "l"));
}

static void put_stft(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;

	(void)fixture;
	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(SAMPLES), "as", value_string("x")),
		  STEP(z, "stft", "in", value_string("x"), "n_fft", value_uint(256), "window", value_string("hann"), "as",
		       value_string("y")),
		  STEP(z, "istft", "in", value_string("y"), "n_fft", value_uint(256), "window_values",
		       ramp_of(z, "f32", 256), "as", value_string("back")),
		  STEP(z, "welch", "in", value_string("x"), "as", value_string("w"))));
	put(call, "results", STEPS(z, value_string("y"), value_string("back"), value_string("w")));
}

/* The kernel came with the program, so that its spectra are the same in every run; that of a tile may change. */
static void put_convolve(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;

	(void)fixture;
	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(SAMPLES), "as", value_string("x")),
		  STEP(z, "convolve", "a", value_string("x"), "b", ramp_of(z, "f64", 100), "as", value_string("y")),
		  STEP(z, "window", "n", value_uint(SAMPLES), "dtype", value_string("f32"), "as", value_string("w")),
		  STEP(z, "scale", "in", value_string("w"), "by", value_real(2), "as", value_string("w2")),
		  STEP(z, "add", "a", value_string("x"), "b", value_string("w2"), "as", value_string("v"))));
	put(call, "results", names_of(z, "y", "v"));
}

static void put_matrices(struct call *call, struct fixture *fixture)
{
	struct bump *z = call->bump;
	struct value c = ramp_of(z, "f32", 64), square;

	(void)fixture;
	assert_int_equal(value_put(z, &c, "shape", list_of(z, 2, (const int64_t[]){8, 8})), 0);
	assert_int_equal(value_copy(z, &c, &square), 0);
	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "shape", list_of(z, 2, (const int64_t[]){8, 8}), "as", value_string("a")),
		  STEP(z, "gemm", "a", value_string("a"), "b", square, "c", c, "beta", value_real(2), "as",
		       value_string("y")),
		  STEP(z, "trace", "in", value_string("a"), "probes", value_uint(9), "as", value_string("t")),
		  STEP(z, "noise_add", "in", square, "noise", map_of(z, "op", value_string("laplace"), NULL), "as",
		       value_string("n")),
		  STEP(z, "fft", "in", value_string("n"), "precision", value_string("bf16"), "as", value_string("f"))));
	put(call, "results", STEPS(z, value_string("y"), value_string("t"), value_string("n"), value_string("f")));
}

static void put_tiles(struct call *call, struct fixture *fixture)
{
	static uint64_t x, y;
	struct bump *z = call->bump;

	if (fixture) {
		x = tile_of(fixture, "f32", SAMPLES, NULL);
		y = tile_of(fixture, "f32", SAMPLES, NULL);
	}
	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "out", value_uint(x)),
		  STEP(z, "scale", "in", value_uint(x), "by", value_real(3), "out", value_uint(y), "as",
		       value_string("y")),
		  STEP(z, "add", "a", value_string("y"), "b", value_uint(x), "as", value_string("z"))));
	put(call, "results", names_of(z, "y", "z"));
}

static const struct program programs[] = {
	{"chain", put_chain},       {"distributions", put_distributions}, {"points", put_points}, {"stft", put_stft},
	{"convolve", put_convolve}, {"matrices", put_matrices},           {"tiles", put_tiles},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static struct call *run_of(uint64_t handle, uint64_t seed, uint64_t offset)
{
	struct call *call = prepared_call(handle);

	put(call, "seed", value_uint(seed));
	put(call, "offset", value_uint(offset));
	return call;
}

/* A label derives the stream of its run. */
static struct call *labelled_run(uint64_t handle, struct stream *stream, uint64_t offset)
{
	struct call *call = run_of(handle, stream->seed, offset);

	put(call, "stream", value_uint(stream->stream));
	put(call, "label", value_string("of a run"));
	derive_label(stream, "of a run", 8, stream);
	return call;
}

static void test_as_run_does(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct call *made = call_new();
		uint64_t handle;

		programs[i].put(made, &fixture);
		handle = prepare_program(&fixture, made);
		for (uint64_t k = 0; k < 5; k++) {
			struct stream stream = {GENERATOR_THREEFRY4X32, 1 + k / 2, k == 3 ? 9 : 0};
			struct call *kept = k == 3 ? labelled_run(handle, &stream, 1000 * k) : run_of(handle, stream.seed, 1000 * k);
			struct call *run = call_new();

			programs[i].put(run, NULL);
			put(run, "seed", value_uint(stream.seed));
			put(run, "stream", value_uint(stream.stream));
			put(run, "offset", value_uint(1000 * k));
			call_run(kept, fixture.memory, "run_prepared");
			call_run(run, fixture.memory, "run");
			expect_equal(programs[i].name, request_result(kept->request), request_result(run->request));
			call_free(kept);
			call_free(run);
		}
	}
	fixture_close(&fixture);
}

/* ---- at once ---- */

enum { THREADS = 4, RUNS = 24 };

struct runner {
	struct fixture *fixture;
	uint64_t handle;
	struct call *expected[2];
	pthread_t thread;
};

static void *run_many(void *arg)
{
	struct runner *runner = arg;
	struct call *calls[4];

	for (int i = 0; i < RUNS / 4; i++) {
		for (int k = 0; k < 4; k++) {
			calls[k] = run_of(runner->handle, (uint64_t)(k % 2), 0);
			call_start(calls[k], runner->fixture->memory, "run_prepared");
		}
		for (int k = 0; k < 4; k++) {
			call_wait(calls[k]);
			expect_equal("at once", request_result(calls[k]->request),
				     request_result(runner->expected[k % 2]->request));
			call_free(calls[k]);
		}
	}
	return NULL;
}

static void test_at_once(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct runner runners[THREADS], runner = {.fixture = &fixture};
		struct call *made;

		if (programs[i].put == put_tiles) /* all would write the same */
			continue;
		made = call_new();
		programs[i].put(made, &fixture);
		runner.handle = prepare_program(&fixture, made);
		for (int k = 0; k < 2; k++) {
			runner.expected[k] = call_new();
			programs[i].put(runner.expected[k], NULL);
			put(runner.expected[k], "seed", value_uint((unsigned)k));
			call_run(runner.expected[k], fixture.memory, "run");
		}
		for (int t = 0; t < THREADS; t++) {
			runners[t] = runner;
			assert_int_equal(pthread_create(&runners[t].thread, NULL, run_many, &runners[t]), 0);
		}
		for (int t = 0; t < THREADS; t++)
			pthread_join(runners[t].thread, NULL);
		for (int k = 0; k < 2; k++)
			call_free(runner.expected[k]);
	}
	fixture_close(&fixture);
}

static uint64_t prepare_chain(struct fixture *fixture)
{
	struct call *call = call_new();

	put_chain(call, NULL);
	return prepare_program(fixture, call);
}

static void release(struct fixture *fixture, uint64_t handle)
{
	struct call *call = prepared_call(handle);

	call_run(call, fixture->memory, "release");
	call_free(call);
}

/* Released while a run is under way: that one still ends well. */
static void test_released_in_use(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t handle = prepare_chain(&fixture), other = prepare_chain(&fixture);
	struct call *runs[8];

	(void)state;
	assert_int_not_equal(handle, other);
	for (int i = 0; i < 8; i++) {
		runs[i] = prepared_call(handle);
		call_start(runs[i], fixture.memory, "run_prepared");
	}
	release(&fixture, handle);
	for (int i = 0; i < 8; i++) {
		call_wait(runs[i]);
		assert_null(request_error(runs[i]->request));
		expect_equal("released in use", request_result(runs[i]->request), request_result(runs[0]->request));
	}
	for (int i = 0; i < 8; i++)
		call_free(runs[i]);
	call_fails(prepared_call(handle), fixture.memory, "run_prepared", ERROR_BAD_TILE,
		   "bad_tile: run_prepared: prepared: ");
	call_fails(prepared_call(handle), fixture.memory, "release", ERROR_BAD_TILE, "bad_tile: release: prepared: ");
	fixture_close(&fixture);
}

/* ---- what may change, and what may fail ---- */

static void test_tiles_are_read_anew(void **state)
{
	struct fixture fixture = fixture_open(1);
	void *at;
	const uint64_t kernel = tile_of(&fixture, "f32", 4, &at);
	struct call *made = call_new();
	struct bump *z = made->bump;
	uint64_t handle;

	(void)state;
	put(made, "steps",
	    STEPS(z, STEP(z, "convolve", "a", ramp_of(z, "f32", 100), "b", value_uint(kernel), "as", value_string("y"))));
	put(made, "results", names_of(z, "y", NULL));
	handle = prepare_program(&fixture, made);
	for (int i = 1; i < 4; i++) {
		struct call *run = run_of(handle, 0, 0);
		const float taps[4] = {(float)i};
		const struct value *y;
		float first;

		memcpy(at, taps, sizeof taps);
		y = value_get(value_get(value_get(call_run(run, fixture.memory, "run_prepared"), "results"), "y"),
			      "data");
		memcpy(&first, y->bytes.at, sizeof first);
		if (first < (float)i * 0.999f || first > (float)i * 1.001f)
			fail_msg("run %d: the kernel was %d times as large, and the first sample is %g", i, i, (double)first);
		call_free(run);
	}
	fixture_close(&fixture);
}

static struct value pair_of(struct bump *bump, uint64_t from, uint64_t to)
{
	return STEPS(bump, value_uint(from), value_uint(to));
}

static void swap_fails(struct fixture *fixture, uint64_t handle, uint64_t from, uint64_t to, int code, const char *text)
{
	struct call *call = run_of(handle, 0, 0);

	put(call, "tiles", STEPS(call->bump, pair_of(call->bump, from, to)));
	call_fails(call, fixture->memory, "run_prepared", code, text);
}

/* Other tiles of the same shapes, also exchanged for one another; the reply names them. */
static void test_other_tiles(void **state)
{
	struct fixture fixture = fixture_open(1);
	float *at[4];
	uint64_t tiles[4], handle;
	const uint64_t small = tile_of(&fixture, "f32", 8, NULL);
	struct call *made = call_new();
	struct bump *z = made->bump;

	(void)state;
	for (int i = 0; i < 4; i++) {
		tiles[i] = tile_of(&fixture, "f32", 16, (void **)&at[i]);
		for (int k = 0; k < 16; k++)
			at[i][k] = (float)(1 + i);
	}
	put(made, "steps",
	    STEPS(z, STEP(z, "scale", "in", value_uint(tiles[0]), "by", value_real(10), "out", value_uint(tiles[1]))));
	handle = prepare_program(&fixture, made);
	for (int i = 0; i < 3; i++) {
		const int from = i == 2 ? 1 : 2 * i, to = i == 2 ? 0 : 2 * i + 1; /* (0, 1), (2, 3), (1, 0) */
		struct call *call = run_of(handle, 0, 0);
		const struct value *steps;

		put(call, "tiles", STEPS(call->bump, pair_of(call->bump, tiles[0], tiles[from]),
					 pair_of(call->bump, tiles[1], tiles[to])));
		steps = value_get(call_run(call, fixture.memory, "run_prepared"), "steps");
		assert_int_equal(value_get(&steps->array.at[0], "tile")->u, tiles[to]);
		if (at[to][15] != 10 * at[from][15])
			fail_msg("run %d: expected %g, got %g", i, (double)(10 * at[from][15]), (double)at[to][15]);
		call_free(call);
	}
	swap_fails(&fixture, handle, tiles[0], small, ERROR_BAD_SHAPE,
		   "bad_shape: run: steps[0] scale: in: the tile is");
	swap_fails(&fixture, handle, tiles[0], 999, ERROR_BAD_TILE, "bad_tile: run: steps[0] scale: in: tile 999");
	swap_fails(&fixture, handle, tiles[2], tiles[3], ERROR_BAD_TILE,
		   "bad_tile: run_prepared: tiles: element 0: the prepared run names no");
	swap_fails(&fixture, handle, tiles[0], tiles[1], ERROR_BAD_TILE, "bad_tile: run_prepared: tiles: tile");
	made = run_of(handle, 0, 0);
	put(made, "tiles", value_uint(1));
	call_fails(made, fixture.memory, "run_prepared", ERROR_WRONG_TYPE, "wrong_type: run_prepared: tiles: ");
	tile_drop(&fixture, tiles[0]); /* which another now stands for */
	made = run_of(handle, 0, 0);
	put(made, "tiles", STEPS(made->bump, pair_of(made->bump, tiles[0], tiles[2])));
	call_run(made, fixture.memory, "run_prepared");
	call_free(made);
	fixture_close(&fixture);
}

/* A window of zeros cannot be divided by: each run says so, the later ones too. */
static void test_failures_are_not_learnt(void **state)
{
	static const float zeros[64];
	struct fixture fixture = fixture_open(1);
	struct call *made = call_new();
	struct bump *z = made->bump;
	uint64_t handle;

	(void)state;
	put(made, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(1000), "as", value_string("x")),
		  STEP(z, "stft", "in", value_string("x"), "n_fft", value_uint(64), "as", value_string("y")),
		  STEP(z, "istft", "in", value_string("y"), "n_fft", value_uint(64), "window_values",
		       array_of(z, "f32", 64, zeros, sizeof zeros), "as", value_string("back"))));
	put(made, "results", names_of(z, "back", NULL));
	handle = prepare_program(&fixture, made);
	for (int i = 0; i < 3; i++)
		call_fails(run_of(handle, 0, 0), fixture.memory, "run_prepared", ERROR_OUT_OF_RANGE,
			   "out_of_range: run: steps[2] istft: window_values: ");
	fixture_close(&fixture);
}

/* ---- what it holds ---- */

static uint64_t held;

static int reserve(void *arg, uint64_t bytes, struct error *err)
{
	if (held + bytes > *(uint64_t *)arg)
		return error_set(err, ERROR_LIMIT, "work_bytes: %llu are held", (unsigned long long)held);
	held += bytes;
	return 0;
}

static void unreserve(void *arg, uint64_t bytes)
{
	(void)arg;
	held -= bytes;
}

static struct call *weights_of(size_t n)
{
	struct call *call = call_new();
	double *weights = bump_alloc(call->bump, n * sizeof *weights);

	for (size_t i = 0; i < n; i++)
		weights[i] = 1;
	put(call, "steps", STEPS(call->bump, STEP(call->bump, "categorical", "n", value_uint(4), "weights",
						 value_bytes(weights, n * sizeof *weights))));
	return call;
}

static struct call *window_of(uint64_t n)
{
	struct call *call = call_new();
	struct bump *z = call->bump;

	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(n), "as", value_string("x")),
		  STEP(z, "window", "n", value_uint(n), "dtype", value_string("f32"), "as", value_string("w")),
		  STEP(z, "fft", "in", value_string("w"), "as", value_string("f")),
		  STEP(z, "fft", "in", value_string("x"), "as", value_string("g")),
		  STEP(z, "add", "a", value_string("f"), "b", value_string("g"), "as", value_string("y"))));
	put(call, "results", names_of(z, "y", NULL));
	return call;
}

static uint64_t charge_of(struct fixture *fixture, struct call *call, uint64_t *ret_handle)
{
	*ret_handle = prepare_program(fixture, call);
	return held;
}

/* Tables and constants count from the beginning, and what a run leaves is no more than that; all comes back. */
static void test_charge(void **state)
{
	uint64_t limit = 1 << 20, small, large, handle;
	struct session_owner limits = {.reserve = reserve, .unreserve = unreserve, .reserve_arg = &limit};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	struct call *call;

	(void)state;
	held = 0;
	small = charge_of(&fixture, weights_of(10), &handle);
	release(&fixture, handle);
	assert_int_equal(held, 0);
	large = charge_of(&fixture, weights_of(10000), &handle);
	release(&fixture, handle);
	if (large - small < 159840 || large - small > 200000)
		fail_msg("10,000 weights hold %llu bytes more than 10", (unsigned long long)(large - small));
	call = weights_of(100000);
	prepare_call(call, "run");
	call_fails(call, fixture.memory, "prepare", ERROR_LIMIT, "limit: work_bytes: ");
	assert_int_equal(held, 0);
	small = charge_of(&fixture, window_of(16), &handle);
	release(&fixture, handle);
	large = charge_of(&fixture, window_of(16384), &handle);
	if (large - small < 16368 * 8 || large - small > 16384 * 9)
		fail_msg("a spectrum of 16,384 points holds %llu bytes more than one of 16",
			 (unsigned long long)(large - small));
	for (int i = 0; i < 3; i++) {
		struct call *run = run_of(handle, 0, 0);

		call_run(run, fixture.memory, "run_prepared");
		call_free(run);
		assert_int_equal(held, large);
	}
	fixture_close(&fixture); /* with the program */
	assert_int_equal(held, 0);
}

/* What a prepared call holds is given back when the last run that needs it is: releasing it first gains nothing. */
static void test_charge_while_in_use(void **state)
{
	uint64_t limit = 1 << 20, before;
	struct session_owner limits = {.reserve = reserve, .unreserve = unreserve, .reserve_arg = &limit};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	const uint64_t handle = prepare_chain(&fixture);
	struct call *run = prepared_call(handle);

	(void)state;
	assert_int_not_equal(held, 0);
	call_run(run, fixture.memory, "run_prepared");
	before = held;
	release(&fixture, handle);
	if (held != before)
		fail_msg("%llu bytes are held after the release, %llu before, although a run holds the call",
			 (unsigned long long)held, (unsigned long long)before);
	call_free(run);
	assert_int_equal(held, 0);
	fixture_close(&fixture);
}

/* What was learnt goes with the last reply, here after the session; address sanitizers watch. */
static void test_reply_outlives_memory(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *made = call_new(), *runs[2];
	uint64_t handle;

	(void)state;
	put_stft(made, &fixture);
	handle = prepare_program(&fixture, made);
	for (int i = 0; i < 2; i++) {
		runs[i] = run_of(handle, 1, 0);
		call_run(runs[i], fixture.memory, "run_prepared");
	}
	engine_session_close(fixture.memory);
	expect_equal("after the space", request_result(runs[0]->request), request_result(runs[1]->request));
	for (int i = 0; i < 2; i++)
		call_free(runs[i]);
	engine_destroy(fixture.engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_run_does),           cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_tiles_are_read_anew),   cmocka_unit_test(test_failures_are_not_learnt),
		cmocka_unit_test(test_other_tiles),           cmocka_unit_test(test_charge),
		cmocka_unit_test(test_reply_outlives_memory), cmocka_unit_test(test_released_in_use),
		cmocka_unit_test(test_charge_while_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
