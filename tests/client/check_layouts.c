/* SPDX-License-Identifier: Apache-2.0 */
/* Draws in the layouts of other frameworks, by the daemon and embedded: their published numbers, parts, calls one after the other,
 * and what is refused. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "rng/support.h"

enum { MOST = 64, PARAMS = 8 };

/* A call, as a line of the vectors states it. */
struct stated {
	char layout[24], distribution[24], dtype[8], params[64];
	uint64_t seed, stream, position, n;
	double within;
};

static struct trnsci_session *checked;
static unsigned n_lines;

static enum trnsci_dtype dtype_of(const char *name)
{
	static const struct {
		const char *name;
		enum trnsci_dtype dtype;
	} rows[] = {{"i8", TRNSCI_I8},   {"i32", TRNSCI_I32}, {"i64", TRNSCI_I64}, {"u32", TRNSCI_U32},  {"u64", TRNSCI_U64},
		    {"f32", TRNSCI_F32}, {"f64", TRNSCI_F64}, {"f16", TRNSCI_F16}, {"bf16", TRNSCI_BF16}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].dtype;
	fail_msg("no dtype %s", name);
	return TRNSCI_F32;
}

/* Reads "low=0,high=10" into params behind the layout; text is changed. */
static void set_params(char *text, const char *layout, struct trnsci_param params[PARAMS])
{
	size_t n = 0;

	params[n++] = trnsci_param_text("layout", layout);
	for (char *name = strcmp(text, "-") == 0 ? NULL : strtok(text, ","); name; name = strtok(NULL, ",")) {
		char *equals = strchr(name, '=');

		*equals = '\0';
		params[n++] = strchr(equals + 1, '.') ? trnsci_param_f64(name, strtod(equals + 1, NULL))
						      : trnsci_param_i64(name, strtoll(equals + 1, NULL, 0));
	}
	params[n] = trnsci_param_end();
}

static int draw(const struct stated *s, uint64_t rank, uint64_t size, void *out, struct trnsci_span *ret_span,
		struct trnsci_error *err)
{
	const struct trnsci_source source = {
		.seed = s->seed, .stream = s->stream, .position = s->position, .rank = rank, .size = size};
	struct trnsci_param params[PARAMS];
	char text[64];

	snprintf(text, sizeof text, "%s", s->params);
	set_params(text, s->layout, params);
	return trnsci_draw_array(checked, s->distribution, params, &source, dtype_of(s->dtype), s->n, out, ret_span, err);
}

static bool number_is_near(const struct stated *s, const void *out, size_t i, const char *expected, char *ret_got)
{
	switch (dtype_of(s->dtype)) {
	case TRNSCI_F32:
		sprintf(ret_got, "%.9g", (double)((const float *)out)[i]);
		return s->within > 0 ? fabs(((const float *)out)[i] - strtod(expected, NULL)) <= s->within
				     : ((const float *)out)[i] == strtof(expected, NULL);
	case TRNSCI_F64:
		sprintf(ret_got, "%.17g", ((const double *)out)[i]);
		return fabs(((const double *)out)[i] - strtod(expected, NULL)) <= s->within;
	case TRNSCI_I8:
		sprintf(ret_got, "%d", ((const int8_t *)out)[i]);
		return ((const int8_t *)out)[i] == strtol(expected, NULL, 0);
	case TRNSCI_I32:
	case TRNSCI_U32:
		sprintf(ret_got, "%" PRIu32, ((const uint32_t *)out)[i]);
		return ((const uint32_t *)out)[i] == (uint32_t)strtoll(expected, NULL, 0);
	default:
		sprintf(ret_got, "%" PRIu64, ((const uint64_t *)out)[i]);
		return ((const uint64_t *)out)[i] ==
		       (*expected == '-' ? (uint64_t)strtoll(expected, NULL, 0) : strtoull(expected, NULL, 0));
	}
}

static void check_line(char *line)
{
	uint64_t out[MOST];
	struct trnsci_error err;
	struct stated s;
	char got[40];
	int at = 0;

	if (sscanf(line, "%23s %23s %7s %" SCNi64 " %" SCNi64 " %" SCNi64 " %" SCNi64 " %63s %lf%n", s.layout, s.distribution,
		   s.dtype, (int64_t *)&s.seed, (int64_t *)&s.stream, (int64_t *)&s.position, (int64_t *)&s.n, s.params, &s.within,
		   &at) != 9)
		fail_msg("vectors: cannot read: %s", line);
	assert_true(s.n <= MOST);
	if (draw(&s, 0, 0, out, NULL, &err) < 0)
		fail_msg("%s", err.text);
	n_lines++;
	line = strtok(line + at, " \n");
	for (size_t i = 0; line; i++, line = strtok(NULL, " \n"))
		if (!number_is_near(&s, out, i, line, got))
			fail_msg("%s %s %s of seed %" PRIu64 ", number %zu: expected %s, got %s", s.layout, s.distribution,
				 s.dtype, s.seed, i, line, got);
}

static void publishes(struct trnsci_session *session)
{
	checked = session;
	n_lines = 0;
	for_each_line("tests/vectors/layouts.txt", check_line);
	assert_true(n_lines >= 20);
}
BOTH(publishes)

/* ---- parts, and calls one after the other ---- */

/* What the layouts define, with n that is not a multiple of anything. */
static const struct stated all[] = {
	{"torch_cuda", "uniform", "f32", "low=-1.5,high=2.5,blocks=160", 7, 0, 8, 100003, 0},
	{"torch_cuda", "uniform", "f64", "-", 7, 0, 8, 10003, 0},
	{"torch_cuda", "uniform", "f16", "-", 7, 0, 8, 10003, 0},
	{"torch_cuda", "normal", "f32", "mean=1.5,std=2.5", 7, 0, 8, 10003, 0},
	{"torch_cuda", "normal", "f64", "-", 7, 0, 8, 10003, 0},
	{"torch_cuda", "normal", "bf16", "-", 7, 0, 8, 10003, 0},
	{"torch_cuda", "randint", "i32", "low=-5,high=100", 7, 0, 8, 10003, 0},
	{"torch_cuda", "randint", "i64", "low=-5,high=1000000000000", 7, 0, 8, 10003, 0},
	{"tensorflow", "uniform", "f32", "-", 7, 9, 0, 10003, 0},
	{"tensorflow", "uniform", "f16", "-", 7, 9, 0, 10003, 0},
	{"tensorflow", "normal", "f64", "mean=1.5,std=2.5", 7, 9, 0, 10003, 0},
	{"tensorflow", "normal", "f16", "-", 7, 9, 0, 10003, 0},
	{"tensorflow", "randint", "i64", "low=-5,high=1000000000000", 7, 9, 0, 10003, 0},
	{"tensorflow_xla", "uniform", "f64", "-", 7, 9, 0, 10003, 0},
	{"tensorflow_xla", "normal", "f32", "-", 7, 9, 0, 100003, 0},
	{"jax", "bits", "u32", "-", 7, 0, 0, 100003, 0},
	{"jax", "normal", "f32", "-", 7, 0, 0, 10003, 0},
	{"jax", "uniform", "bf16", "-", 7, 0, 0, 10003, 0},
	{"jax_original", "bits", "u32", "-", 7, 0, 0, 10003, 0},
	{"jax_original", "bits", "u64", "-", 7, 0, 0, 10003, 0},
	{"jax_original", "uniform", "f16", "-", 7, 0, 0, 10003, 0},
	{"jax_original", "uniform", "bf16", "-", 7, 0, 0, 10003, 0},
	{"jax_original", "normal", "f64", "-", 7, 0, 0, 100003, 0},
	{"jax_original", "randint", "i32", "low=-5,high=100", 7, 0, 0, 10003, 0},
	{"numpy", "bits", "u32", "-", 7, 0, 3, 10003, 0},
	{"numpy", "uniform", "f64", "-", 7, 0, 5, 10003, 0},
	{"numpy", "randint", "i32", "low=-5,high=2000000000", 7, 0, 3, 10003, 0},
	{"numpy", "normal", "f64", "mean=1.5,std=2.5", 7, 0, 2, 10003, 0},
	{"numpy", "normal", "f32", "-", 7, 0, 3, 10003, 0},
	{"numpy_key", "uniform", "f32", "low=-1.5,high=2.5", 7, 9, 3, 10003, 0},
	{"numpy_key", "randint", "i64", "low=-5,high=1000000000000", 7, 9, 3, 100003, 0},
	{"curand", "bits", "u32", "-", 7, 9, 3, 10003, 0},
	{"curand", "normal", "f32", "-", 7, 9, 3, 100003, 0},
	{"curand", "normal", "f64", "-", 7, 9, 3, 10003, 0},
};
enum { N_ALL = sizeof all / sizeof *all, MOST_BYTES = 8 * 100003 };

/* FNV-1a of the bytes. */
static uint64_t hash_of(const unsigned char *bytes, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash;
}

/* Ranks' parts join to the whole draw, which is the same from the daemon, in pieces, and embedded. */
static void joins(struct trnsci_session *session)
{
	static uint64_t hashes[N_ALL];
	unsigned char *whole = malloc(MOST_BYTES), *parts = malloc(MOST_BYTES);

	checked = session;
	for (size_t k = 0; k < N_ALL; k++) {
		const size_t bytes = trnsci_dtype_size(dtype_of(all[k].dtype));
		struct trnsci_error err;
		uint64_t begin, end;

		if (draw(&all[k], 0, 0, whole, NULL, &err) < 0)
			fail_msg("%s", err.text);
		for (uint64_t rank = 0; rank < 3; rank++) {
			assert_true(trnsci_rank_part(all[k].n, rank, 3, &begin, &end));
			if (draw(&all[k], rank, 3, parts + begin * bytes, NULL, &err) < 0)
				fail_msg("%s", err.text);
		}
		if (memcmp(whole, parts, all[k].n * bytes) != 0)
			fail_msg("%s %s %s: the parts do not join to the whole", all[k].layout, all[k].distribution, all[k].dtype);
		if (hashes[k] && hashes[k] != hash_of(whole, all[k].n * bytes))
			fail_msg("%s %s %s: not the bytes of the embedded engine", all[k].layout, all[k].distribution,
				 all[k].dtype);
		hashes[k] = hash_of(whole, all[k].n * bytes);
	}
	free(whole);
	free(parts);
}
BOTH(joins)

/* A call of torch begins where the one before it ended: 4 words further for each evaluation of its threads. */
static void moves_on(struct trnsci_session *session)
{
	static const struct {
		struct stated call;
		uint64_t next;
	} rows[] = {
		{{"torch_cuda", "normal", "f32", "-", 0, 0, 0, 12, 0}, 4},
		{{"torch_cuda", "normal", "f32", "-", 0, 0, 4, 1 << 14, 0}, 8},
		{{"torch_cuda", "normal", "f64", "blocks=1", 0, 0, 8, 512, 0}, 12},
		{{"torch_cuda", "normal", "f64", "blocks=1", 0, 0, 8, 513, 0}, 16},
		{{"torch_cuda", "normal", "f32", "blocks=1", 0, 0, 8, 1024, 0}, 12},
		{{"torch_cuda", "normal", "f32", "blocks=1", 0, 0, 8, 1025, 0}, 16},
		{{"torch_cuda", "randint", "i64", "low=0,high=10,blocks=1", 0, 0, 8, 1024, 0}, 12},
		{{"torch_cuda", "randint", "i64", "low=0,high=268435455,blocks=1", 0, 0, 8, 1024, 0}, 12},
		{{"torch_cuda", "randint", "i64", "low=0,high=268435456,blocks=1", 0, 0, 8, 1024, 0}, 16},
		{{"curand", "normal", "f32", "-", 0, 0, 1, 3, 0}, 5},
		{{"curand", "uniform", "f64", "-", 0, 0, 1, 3, 0}, 4},
		{{"numpy", "uniform", "f64", "-", 0, 0, 2, 3, 0}, 8},
		{{"numpy", "uniform", "f32", "-", 0, 0, 2, 3, 0}, 5},
	};
	double out[1 << 13];

	checked = session;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct trnsci_error err;
		struct trnsci_span span;

		if (draw(&rows[k].call, 0, 0, out, &span, &err) < 0)
			fail_msg("%s", err.text);
		if (span.next != rows[k].next)
			fail_msg("row %zu: next: expected %" PRIu64 ", got %" PRIu64, k, rows[k].next, span.next);
	}
}
BOTH(moves_on)

/* One block of 256 threads: element t + 256 (4 k + j) is word j of evaluation k of thread t, which curand has as subsequence t. */
static void is_threads(struct trnsci_session *session)
{
	const struct stated call = {"torch_cuda", "uniform", "f32", "blocks=1", 5, 0, 12, 3000, 0};
	struct trnsci_error err;
	float out[3000];

	checked = session;
	assert_int_equal(draw(&call, 0, 0, out, NULL, &err), 0);
	for (uint64_t thread = 0; thread < 256; thread += 51) {
		const struct stated sequence = {"curand", "uniform", "f32", "-", 5, thread, 12, 12, 0};
		float words[12];

		assert_int_equal(draw(&sequence, 0, 0, words, NULL, &err), 0);
		for (size_t i = 0; i < 12 && thread + 256 * i < 3000; i++)
			assert_true(out[thread + 256 * i] == (words[i] == 1 ? 0 : words[i]));
	}
}
BOTH(is_threads)

/* ---- XLA's pairs ---- */

/* Draws floats of that shape in XLA's layout. */
static void draw_shape(const char *distribution, const uint64_t dims[2], float *ret_out)
{
	const struct trnsci_param params[] = {trnsci_param_text("layout", "tensorflow_xla"), trnsci_param_u64("seed", 1),
					      trnsci_param_u64("stream", 2), trnsci_param_u64s("shape", dims, 2),
					      trnsci_param_end()};
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err;

	if (trnsci_draw_tile(checked, distribution, params, NULL, &tile, NULL, &err) < 0)
		fail_msg("%s", err.text);
	memcpy(ret_out, trnsci_tile_data(tile), dims[0] * dims[1] * sizeof *ret_out);
	trnsci_tile_free(tile);
}

/* Normals are pairs along the first axis of even length, or the longest, which is then one longer. */
static void pairs_in_shapes(struct trnsci_session *session)
{
	static const struct {
		uint64_t dims[2], of[2]; /* the shape of the uniforms that it is made of */
		unsigned axis;
	} rows[] = {{{3, 4}, {3, 4}, 1}, {{4, 3}, {4, 3}, 0}, {{3, 5}, {3, 6}, 1}, {{5, 3}, {6, 3}, 0}, {{2, 2}, {2, 2}, 0}};

	checked = session;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		float normals[32], uniforms[32];

		draw_shape("normal", rows[k].dims, normals);
		draw_shape("uniform", rows[k].of, uniforms);
		for (uint64_t i = 0; i < rows[k].dims[0] * rows[k].dims[1]; i++) {
			uint64_t at[2] = {i / rows[k].dims[1], i % rows[k].dims[1]};
			const bool odd = at[rows[k].axis] % 2;
			float pair[2];

			for (unsigned half = 0; half < 2; half++) {
				at[rows[k].axis] = at[rows[k].axis] / 2 * 2 + half;
				pair[half] = uniforms[at[0] * rows[k].of[1] + at[1]];
			}
			const double angle = 6.2831854820251465f * pair[1], radius = sqrt(-2 * log(pair[0]));

			assert_true(fabs(normals[i] - radius * (odd ? cos(angle) : sin(angle))) < 1e-6);
		}
	}
}
BOTH(pairs_in_shapes)

/* ---- what is refused ---- */

static void refuses(struct trnsci_session *session)
{
	static const struct {
		struct stated call;
		const char *text;
	} rows[] = {
		{{"torch_cuda", "gamma", "f32", "shape=2.5", 0, 0, 0, 4, 0},
		 "gamma: layout: torch_cuda has no gamma of f32, allowed are uniform (f32|f64|bf16|f16), "
		 "normal (f32|f64|bf16|f16), randint (i32|i64|u32|u64)"},
		{{"curand", "normal", "f32", "std=2.0", 0, 0, 0, 4, 0},
		 "normal: std: given with layout curand, allowed without it"},
		{{"tensorflow_xla", "normal", "f16", "-", 0, 0, 0, 4, 0}, "normal: layout: tensorflow_xla has no normal of f16"},
		{{"torch_cuda", "normal", "f32", "-", 0, 1, 0, 4, 0},
		 "normal: stream: got 1, allowed with layout torch_cuda is 0"},
		{{"torch_cuda", "normal", "f32", "-", 0, 0, 2, 4, 0},
		 "normal: position: got 2, allowed with layout torch_cuda are multiples of 4"},
		{{"jax", "normal", "f32", "-", 0, 0, 4, 4, 0}, "normal: position: got 4, allowed with layout jax is 0"},
		{{"jax", "normal", "f32", "blocks=5", 0, 0, 0, 4, 0},
		 "normal: blocks: given with layout jax, allowed with torch_cuda"},
		{{"torch_cuda", "normal", "f32", "-", 0, 0, 0, 40961, 0},
		 "normal: device: missing: give device or blocks for more than 40960 samples"},
		{{"numpy", "normal", "f16", "-", 0, 0, 0, 4, 0},
		 "normal: layout: numpy has no normal of f16, allowed are bits (u32|u64)"},
		{{"torch_cuda", "normal", "f32", "call_n=600000000", 0, 0, 0, 4, 0},
		 "normal: call_n: got 600000000, allowed with layout torch_cuda is up to 536870912"},
		{{"jax_original", "bits", "u64", "call_n=2147483648", 0, 0, 0, 4, 0},
		 "bits: call_n: got 2147483648, allowed with layout jax_original is up to 2147483647"},
		{{"neptune", "normal", "f32", "-", 0, 0, 0, 4, 0},
		 "normal: layout: got \"neptune\", allowed is plain|trn24|torch_cuda"},
	};
	static float out[40961];

	checked = session;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct trnsci_error err = {0};

		if (draw(&rows[k].call, 0, 0, out, NULL, &err) >= 0 || !strstr(err.text, rows[k].text))
			fail_msg("row %zu: expected \"%s\", got \"%s\"", k, rows[k].text, err.text);
	}
}
BOTH(refuses)

/* An offset skips elements where they do not depend on the call's n, and is refused where they do. */
static void skips(struct trnsci_session *session)
{
	const struct trnsci_param jax[] = {trnsci_param_text("layout", "jax"), trnsci_param_end()};
	const struct trnsci_param torch[] = {trnsci_param_text("layout", "torch_cuda"), trnsci_param_end()};
	const struct trnsci_source skip = {.seed = 42, .offset = 1};
	struct trnsci_error err = {0};
	float out[2];

	assert_int_equal(trnsci_draw_array(session, "normal", jax, &skip, TRNSCI_F32, 2, out, NULL, &err), 0);
	assert_true(fabsf(out[0] - 0.46713185f) < 1e-7f && fabsf(out[1] - 0.29570296f) < 1e-7f);
	assert_true(trnsci_draw_array(session, "normal", torch, &skip, TRNSCI_F32, 2, out, NULL, &err) < 0);
	assert_non_null(strstr(err.text, "normal: offset: got 1, allowed with layout torch_cuda is 0"));
}
BOTH(skips)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(publishes_by_both),  cmocka_unit_test(joins_by_both),   cmocka_unit_test(moves_on_by_both),
		cmocka_unit_test(is_threads_by_both), cmocka_unit_test(refuses_by_both), cmocka_unit_test(pairs_in_shapes_by_both),
		cmocka_unit_test(skips_by_both),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
