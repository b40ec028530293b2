/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: equal to their steps run apart, whatever is fused, overwritten, counted or dispatched. */
#include "engine/harness.h"

/* --- writing programs --- */

static struct value *add_step(struct call *call, struct value *steps, const char *op, const char *as)
{
	struct value step = value_map();

	assert_int_equal(value_put(call->bump, &step, "op", value_string(op)), 0);
	if (as)
		assert_int_equal(value_put(call->bump, &step, "as", value_string(as)), 0);
	assert_int_equal(value_push(call->bump, steps, step), 0);
	return &steps->array.at[steps->array.count - 1];
}

static void set(struct call *call, struct value *step, const char *name, struct value value)
{
	assert_int_equal(value_put(call->bump, step, name, value), 0);
}

static void finish(struct call *call, struct value steps, const char *wanted)
{
	struct value results = value_array();

	put(call, "steps", steps);
	if (wanted) {
		assert_int_equal(value_push(call->bump, &results, value_string(wanted)), 0);
		put(call, "results", results);
	}
}

static const struct value *result_data(const struct value *reply, const char *name)
{
	return value_get(value_get(value_get(reply, "results"), name), "data");
}

/* --- checks --- */

/* uniform then box_muller as a program is normal, byte for byte. */
static void check_normal(struct fixture *fixture, const char *dtype, uint64_t offset, uint64_t n)
{
	struct call *program = call_new(), *normal = call_new();
	struct value steps = value_array(), *step;

	step = add_step(program, &steps, "uniform", "u");
	set(program, step, "n", value_uint(n));
	set(program, step, "dtype", value_string(dtype));
	set(program, step, "offset", value_uint(offset));
	set(program, step, "seed", value_uint(11));
	step = add_step(program, &steps, "box_muller", "z");
	set(program, step, "in", value_string("u"));
	finish(program, steps, "z");
	put(normal, "n", value_uint(n));
	put(normal, "dtype", value_string(dtype));
	put(normal, "offset", value_uint(offset));
	put(normal, "seed", value_uint(11));

	const struct value *a = result_data(call_run(program, fixture->memory, "run"), "z");
	const struct value *b = value_get(call_run(normal, fixture->memory, "normal"), "data");
	assert_int_equal(a->bytes.size, b->bytes.size);
	assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	call_free(program);
	call_free(normal);
}

static void test_uniform_then_box_muller_is_normal(void **state)
{
	static const uint64_t lengths[] = {0, 2, 6, 2048, 2050, 16384, 100002};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (uint64_t offset = 0; offset <= 6; offset += 2) {
			check_normal(&fixture, "f32", offset, lengths[i]);
			check_normal(&fixture, "f64", offset, lengths[i]);
		}
	fixture_close(&fixture);
}

/* y = (normal * 3 + 1) + uniform, in one program or step by step through tiles. */
static void chain_fused(struct fixture *fixture, uint64_t n, uint64_t out)
{
	struct call *call = call_new();
	struct value steps = value_array(), *step;

	step = add_step(call, &steps, "normal", "n");
	set(call, step, "n", value_uint(n));
	step = add_step(call, &steps, "scale", "s");
	set(call, step, "in", value_string("n"));
	set(call, step, "by", value_real(3));
	set(call, step, "plus", value_real(1));
	step = add_step(call, &steps, "uniform", "u");
	set(call, step, "n", value_uint(n));
	step = add_step(call, &steps, "add", NULL);
	set(call, step, "a", value_string("s"));
	set(call, step, "b", value_string("u"));
	set(call, step, "out", value_uint(out));
	put(call, "seed", value_uint(77));
	finish(call, steps, NULL);
	call_run(call, fixture->memory, "run");
	call_free(call);
}

static void draw_to(struct fixture *fixture, const char *distribution, uint64_t out, uint64_t offset)
{
	struct call *call = call_new();

	put(call, "out", value_uint(out));
	put(call, "seed", value_uint(77));
	put(call, "offset", value_uint(offset));
	call_run(call, fixture->memory, distribution);
	call_free(call);
}

static void test_fused_is_apart(void **state)
{
	static const uint64_t lengths[] = {1, 3, 2047, 2048, 2049, 40000, 150001};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const uint64_t n = lengths[i];
		void *fused_at, *apart_at;
		const uint64_t fused = tile_of(&fixture, "f32", n, &fused_at),
			       apart = tile_of(&fixture, "f32", n, &apart_at);
		const uint64_t other = tile_of(&fixture, "f32", n, NULL);
		struct call *scale = call_new(), *add = call_new();

		chain_fused(&fixture, n, fused);
		draw_to(&fixture, "normal", apart, 0);
		draw_to(&fixture, "uniform", other, (n + 3) / 4 * 4);
		put(scale, "in", value_uint(apart));
		put(scale, "out", value_uint(apart));
		put(scale, "by", value_real(3));
		put(scale, "plus", value_real(1));
		call_run(scale, fixture.memory, "scale");
		put(add, "a", value_uint(apart));
		put(add, "b", value_uint(other));
		put(add, "out", value_uint(apart));
		call_run(add, fixture.memory, "add");
		assert_memory_equal(fused_at, apart_at, n * sizeof(float));
		call_free(scale);
		call_free(add);
		tile_drop(&fixture, fused);
		tile_drop(&fixture, apart);
		tile_drop(&fixture, other);
	}
	fixture_close(&fixture);
}

/* Steps that read what others overwrite, with a transform between: x is drawn, X = fft(x) in place, then x again. */
static void test_hazards(void **state)
{
	enum { N = 20000 };
	struct fixture fixture = fixture_open(2);
	float *x_at, *y_at, *w_at, *x = malloc(N * sizeof *x), *u = malloc(N * sizeof *u);
	const uint64_t x_tile = tile_of(&fixture, "f32", N, (void **)&x_at),
		       y_tile = tile_of(&fixture, "f32", N, (void **)&y_at);
	const uint64_t w_tile = tile_of(&fixture, "c64", N, (void **)&w_at);
	struct call *call = call_new(), *fft = call_new(), *draw;
	struct value steps = value_array(), *step;

	(void)state;
	/* w = fft(x); x = uniform; y = x + x; x = x * 2 (so y == x); the draw in between is x before. */
	draw_to(&fixture, "normal", x_tile, 0);
	memcpy(x, x_at, N * sizeof *x);
	put(fft, "in", value_uint(x_tile));
	const struct value *spectrum = value_get(call_run(fft, fixture.memory, "fft"), "data");

	step = add_step(call, &steps, "fft", NULL);
	set(call, step, "in", value_uint(x_tile));
	set(call, step, "out", value_uint(w_tile));
	step = add_step(call, &steps, "scale", "old");
	set(call, step, "in", value_uint(x_tile));
	step = add_step(call, &steps, "uniform", NULL);
	set(call, step, "out", value_uint(x_tile));
	step = add_step(call, &steps, "add", NULL);
	set(call, step, "a", value_uint(x_tile));
	set(call, step, "b", value_uint(x_tile));
	set(call, step, "out", value_uint(y_tile));
	step = add_step(call, &steps, "scale", NULL);
	set(call, step, "in", value_uint(x_tile));
	set(call, step, "out", value_uint(x_tile));
	set(call, step, "by", value_real(2));
	step = add_step(call, &steps, "fft", "w");
	set(call, step, "in", value_uint(w_tile));
	set(call, step, "out", value_uint(w_tile));
	set(call, step, "inverse", value_bool(true));
	finish(call, steps, "old");
	const struct value *reply = call_run(call, fixture.memory, "run");

	draw = call_new();
	put(draw, "n", value_uint(N));
	memcpy(u, value_get(call_run(draw, fixture.memory, "uniform"), "data")->bytes.at, N * sizeof *u);
	assert_memory_equal(result_data(reply, "old")->bytes.at, x, N * sizeof *x);
	assert_memory_equal(x_at, y_at, N * sizeof *x);
	for (size_t i = 0; i < N; i++) {
		assert_true(x_at[i] == 2 * u[i]);
		if (!(w_at[2 * i] - x[i] < 1e-5 && x[i] - w_at[2 * i] < 1e-5))
			fail_msg("there and back: at %zu expected %g, got %g", i, (double)x[i], (double)w_at[2 * i]);
	}
	assert_int_equal(spectrum->bytes.size, N * 8);
	call_free(call);
	call_free(fft);
	call_free(draw);
	free(x);
	free(u);
	fixture_close(&fixture);
}

/* A result beside out is a copy of what the step wrote, not of what overwrote it later. */
static void test_result_beside_out(void **state)
{
	struct fixture fixture = fixture_open(2);
	float *at;
	const uint64_t tile = tile_of(&fixture, "f32", 1000, (void **)&at);
	struct call *call = call_new(), *draw = call_new();
	struct value steps = value_array(), *step;

	(void)state;
	step = add_step(call, &steps, "uniform", "first");
	set(call, step, "out", value_uint(tile));
	step = add_step(call, &steps, "scale", NULL);
	set(call, step, "in", value_string("first"));
	set(call, step, "out", value_uint(tile));
	set(call, step, "by", value_real(0));
	finish(call, steps, "first");
	const struct value *first = result_data(call_run(call, fixture.memory, "run"), "first");
	put(draw, "n", value_uint(1000));
	assert_memory_equal(first->bytes.at, value_get(call_run(draw, fixture.memory, "uniform"), "data")->bytes.at,
			    4000);
	assert_true(at[0] == 0 && at[999] == 0);
	call_free(call);
	call_free(draw);
	fixture_close(&fixture);
}

/* Adds a step with numbers of its own, whose result is y. */
static struct value *add_numbered(struct call *call, struct value *steps, const char *op)
{
	struct value *step = add_step(call, steps, op, "y");

	set(call, step, strcmp(op, "where") == 0 ? "condition" : "in", value_string("u"));
	if (strcmp(op, "scale") == 0) {
		set(call, step, "by", value_real(3));
		set(call, step, "plus", value_real(1));
	} else if (strcmp(op, "clip") == 0) {
		set(call, step, "low", value_real(0.25));
		set(call, step, "high", value_real(0.5));
	} else {
		set(call, step, "a", value_string("u"));
		set(call, step, "b", value_string("v"));
		set(call, step, "above", value_real(0.75));
	}
	return step;
}

static float numbered(const char *op, float u, float v)
{
	if (strcmp(op, "scale") == 0)
		return 3 * u + 1;
	if (strcmp(op, "clip") == 0)
		return u < 0.25f ? 0.25f : u > 0.5f ? 0.5f : u;
	return u > 0.75f ? u : v;
}

/* A step keeps its numbers wherever it stands, also where its result is copied besides. */
static void test_numbers_of_steps(void **state)
{
	static const char *const operations[] = {"scale", "clip", "where"};
	enum { N = 64, MOST = 20 };
	struct fixture fixture = fixture_open(1);
	float *at, u[N], v[N];
	const uint64_t tile = tile_of(&fixture, "f32", N, (void **)&at);

	(void)state;
	draw_to(&fixture, "uniform", tile, 0);
	memcpy(u, at, sizeof u);
	draw_to(&fixture, "uniform", tile, N);
	memcpy(v, at, sizeof v);
	for (size_t i = 0; i < 3 * MOST; i++) {
		const char *op = operations[i % 3];
		struct call *call = call_new();
		struct value steps = value_array(), *step;

		for (size_t k = 0; k < 2 + i / 3; k++) {
			step = add_step(call, &steps, "uniform", k == 0 ? "u" : k == 1 ? "v" : NULL);
			set(call, step, "n", value_uint(N));
		}
		set(call, add_numbered(call, &steps, op), "out", value_uint(tile));
		put(call, "seed", value_uint(77));
		finish(call, steps, "y");
		const struct value *y = result_data(call_run(call, fixture.memory, "run"), "y");

		assert_memory_equal(y->bytes.at, at, sizeof u);
		for (size_t k = 0; k < N; k++)
			if (at[k] != numbered(op, u[k], v[k]))
				fail_msg("%s as step %zu: %g, expected %g", op, 2 + i / 3, at[k], numbered(op, u[k], v[k]));
		call_free(call);
	}
	fixture_close(&fixture);
}

/* More values alive at once than scratch has places for, and steps that nobody uses. */
static void test_many_values(void **state)
{
	enum { DRAWS = 80, N = 5000 };
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();
	struct value steps = value_array(), *step;
	char names[2 * DRAWS][16];
	float *sum = calloc(N, sizeof *sum);

	(void)state;
	assert_non_null(sum);
	for (int i = 0; i < DRAWS; i++) {
		snprintf(names[i], sizeof names[i], "d%d", i);
		step = add_step(call, &steps, "uniform", names[i]);
		set(call, step, "n", value_uint(N));
		set(call, step, "stream", value_uint(i));
	}
	step = add_step(call, &steps, "normal", "unused");
	set(call, step, "n", value_uint(1));
	for (int i = 1; i < DRAWS; i++) {
		snprintf(names[DRAWS + i], sizeof names[i], "s%d", i);
		step = add_step(call, &steps, "add", names[DRAWS + i]);
		set(call, step, "a", value_string(i == 1 ? names[0] : names[DRAWS + i - 1]));
		set(call, step, "b", value_string(names[i]));
	}
	finish(call, steps, names[2 * DRAWS - 1]);
	const float *got =
		(const float *)(const void *)result_data(call_run(call, fixture.memory, "run"), names[2 * DRAWS - 1])
			->bytes.at;
	for (int i = 0; i < DRAWS; i++) {
		struct call *draw = call_new();
		const float *u;

		put(draw, "n", value_uint(N));
		put(draw, "stream", value_uint(i));
		u = (const float *)(const void *)value_get(call_run(draw, fixture.memory, "uniform"), "data")->bytes.at;
		for (size_t k = 0; k < N; k++)
			sum[k] += u[k];
		call_free(draw);
	}
	assert_memory_equal(got, sum, N * sizeof *sum);
	free(sum);
	call_free(call);
	fixture_close(&fixture);
}

/* uniform(5) then normal(5), and the reverse, share no word; and a step's offset moves those behind it. */
static void test_draws_share_no_word(void **state)
{
	static const char *const dtypes[] = {"f32", "f64"};
	struct fixture fixture = fixture_open(1);

	(void)state;
	for (int order = 0; order < 2; order++)
		for (int a = 0; a < 2; a++)
			for (int b = 0; b < 2; b++) {
				struct call *call = call_new();
				struct value steps = value_array(), *step;
				const struct value *replies;

				step = add_step(call, &steps, order ? "normal" : "uniform", NULL);
				set(call, step, "n", value_uint(5));
				set(call, step, "dtype", value_string(dtypes[a]));
				step = add_step(call, &steps, order ? "uniform" : "normal", NULL);
				set(call, step, "n", value_uint(5));
				set(call, step, "dtype", value_string(dtypes[b]));
				step = add_step(call, &steps, "bits", NULL);
				set(call, step, "n", value_uint(1));
				set(call, step, "offset", value_uint(101));
				step = add_step(call, &steps, "bits", NULL);
				set(call, step, "n", value_uint(1));
				set(call, step, "dtype", value_string("u64"));
				finish(call, steps, NULL);
				put(call, "offset", value_uint(6));
				replies = value_get(call_run(call, fixture.memory, "run"), "steps");
				const uint64_t words = a ? 10 : 5;
				const uint64_t second = 8 + (words + 3) / 4 * 4;

				assert_int_equal(value_get(&replies->array.at[0], "position")->u, 8);
				assert_int_equal(value_get(&replies->array.at[0], "next")->u, second);
				assert_int_equal(value_get(&replies->array.at[1], "position")->u, second);
				assert_int_equal(value_get(&replies->array.at[2], "position")->u, 101);
				assert_int_equal(value_get(&replies->array.at[3], "position")->u, 104);
				assert_int_equal(value_get(&replies->array.at[3], "offset")->u, 52);
				assert_int_equal(value_get(request_result(call->request), "next")->u, 108);
				call_free(call);
			}
	fixture_close(&fixture);
}

/* --- the same bytes for every number of threads and every instruction set --- */

static void *work_of(unsigned threads, uint32_t features, size_t *ret_bytes)
{
	enum { N = 300001 };
	struct fixture fixture = fixture_open_with(threads, features, 32 << 20, NULL);
	void *at, *copy = malloc(N * sizeof(double));
	const uint64_t tile = tile_of(&fixture, "f64", N, &at);
	struct call *call = call_new();
	struct value steps = value_array(), *step;

	step = add_step(call, &steps, "normal", "n");
	set(call, step, "n", value_uint(N));
	set(call, step, "dtype", value_string("f64"));
	step = add_step(call, &steps, "uniform", "u");
	set(call, step, "n", value_uint(N));
	set(call, step, "dtype", value_string("f64"));
	set(call, step, "low", value_real(-3));
	set(call, step, "high", value_real(1e6));
	step = add_step(call, &steps, "add", "s");
	set(call, step, "a", value_string("n"));
	set(call, step, "b", value_string("u"));
	step = add_step(call, &steps, "scale", NULL);
	set(call, step, "in", value_string("s"));
	set(call, step, "by", value_real(0.1));
	set(call, step, "plus", value_real(7));
	set(call, step, "out", value_uint(tile));
	finish(call, steps, NULL);
	call_run(call, fixture.memory, "run");
	assert_non_null(copy);
	memcpy(copy, at, N * sizeof(double));
	*ret_bytes = N * sizeof(double);
	call_free(call);
	fixture_close(&fixture);
	return copy;
}

static void test_same_bytes_everywhere(void **state)
{
	static const unsigned threads[] = {1, 2, 7, 128};
	size_t bytes, n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	void *expected = work_of(1, 0, &bytes);

	(void)state;
	for (size_t l = 0; l < n_levels; l++) {
		if ((levels[l].features & cpu_detect()) != levels[l].features) {
			printf("# this CPU cannot run %s\n", levels[l].name);
			continue;
		}
		for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
			void *got = work_of(threads[t], cpu_level_usable(&levels[l]), &bytes);

			if (memcmp(got, expected, bytes) != 0)
				fail_msg("%u threads, %s: other bytes than one scalar thread gives", threads[t],
					 levels[l].name);
			free(got);
		}
	}
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uniform_then_box_muller_is_normal),
		cmocka_unit_test(test_fused_is_apart),
		cmocka_unit_test(test_hazards),
		cmocka_unit_test(test_result_beside_out),
		cmocka_unit_test(test_numbers_of_steps),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_draws_share_no_word),
		cmocka_unit_test(test_same_bytes_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
