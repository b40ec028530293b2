/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line functions of an embedded session, whose calls are kept prepared from the second on: every one gives what
 * it gives on memory that is not aligned, where the call is always made anew. */
#include <complex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/both.h"

enum { MOST_BYTES = 1 << 18, ROUNDS = 400, MANY = 1000, PAIRS = 1000, THREADS = 4 };

static struct trnsci_session *open_embedded(unsigned threads)
{
	const struct trnsci_options options = {.threads = threads};
	struct trnsci_session *session;

	assert_int_equal(trnsci_open("embedded:", &options, &session, NULL), 0);
	return session;
}

static uint64_t prepared_calls(struct trnsci_session *session)
{
	return stat_of(session, "session", "prepared");
}

/* ---- fills ---- */

static const double weights[] = {0.5, 0.25, 0.25}, means[] = {0, 5};

struct fill_case {
	const char *distribution;
	struct trnsci_param params[3];
	enum trnsci_dtype dtype;
	uint64_t n;
};

/* Some differ from one another in one value only. */
static size_t make_cases(struct fill_case *ret_cases)
{
	const struct fill_case cases[] = {
		{"uniform", {trnsci_param_end()}, TRNSCI_F32, 16},
		{"uniform", {trnsci_param_end()}, TRNSCI_F32, 17},
		{"uniform", {trnsci_param_end()}, TRNSCI_F64, 16},
		{"normal", {trnsci_param_end()}, TRNSCI_F32, 16},
		{"normal", {trnsci_param_f64("mean", means[1]), trnsci_param_end()}, TRNSCI_F32, 16},
		{"normal", {trnsci_param_f64("std", means[1]), trnsci_param_end()}, TRNSCI_F32, 16},
		{"normal", {trnsci_param_text("method", "boxmuller64"), trnsci_param_end()}, TRNSCI_F32, 16},
		{"normal", {trnsci_param_i64("mean", 5), trnsci_param_end()}, TRNSCI_F16, 16},
		{"randint", {trnsci_param_i64("low", -5), trnsci_param_i64("high", 1000), trnsci_param_end()}, TRNSCI_I32, 999},
		{"poisson", {trnsci_param_f64("lam", 3), trnsci_param_end()}, TRNSCI_I64, 3000},
		{"categorical", {trnsci_param_f64s("weights", weights, 3), trnsci_param_end()}, TRNSCI_I64, 100},
		{"categorical", {trnsci_param_f64s("weights", weights, 2), trnsci_param_end()}, TRNSCI_I64, 100},
		{"sphere", {trnsci_param_u64("dimensions", 4), trnsci_param_end()}, TRNSCI_F32, 400},
		{"permutation", {trnsci_param_u64("items", 50), trnsci_param_end()}, TRNSCI_I64, 100},
		{"uniform", {trnsci_param_end()}, TRNSCI_F32, 20000},
	};

	memcpy(ret_cases, cases, sizeof cases);
	return sizeof cases / sizeof *cases;
}

static int fill(struct trnsci_session *session, const struct fill_case *at, const struct trnsci_source *source, void *out,
		struct trnsci_span *span, struct trnsci_error *err)
{
	memset(span, 0, sizeof *span);
	err->code = 0;
	return trnsci_draw_array(session, at->distribution, at->params, source, at->dtype, at->n, out, span, err);
}

/* Parts of a draw, too, and places beyond the end of the stream. */
static struct trnsci_source source_of(unsigned i)
{
	struct trnsci_source source = {.seed = i % 5, .stream = i % 3, .offset = i % 7 ? 13 * i : 0};

	if (i % 4 == 0)
		source.position = 4 * i;
	if (i % 6 == 0) {
		source.rank = i % 3;
		source.size = 3;
	}
	if (i % 11 == 0)
		source.generator = i % 2 ? "philox4x32" : "ars4x32_7";
	if (i % 37 == 5)
		source.offset = UINT64_MAX - 3;
	return source;
}

static void compare_fills(struct trnsci_session *session, char *kept, char *anew, unsigned rounds)
{
	struct fill_case cases[32];
	const size_t n_cases = make_cases(cases);

	for (unsigned i = 0; i < rounds; i++) {
		const struct fill_case *at = &cases[i * 7 % n_cases];
		const size_t moved = 8 * (i % 3);
		const struct trnsci_source source = source_of(i / 2), *where = i % 13 ? &source : NULL;
		struct trnsci_span span, expected_span;
		struct trnsci_error err, expected_err;
		int r, expected;

		memset(kept, 1, MOST_BYTES);
		memset(anew, 1, MOST_BYTES);
		r = fill(session, at, where, kept + moved, &span, &err);
		expected = fill(session, at, where, anew + 1, &expected_span, &expected_err);
		if (r != expected || memcmp(kept + moved, anew + 1, MOST_BYTES - 32) != 0 ||
		    memcmp(&span, &expected_span, sizeof span) != 0 ||
		    (r < 0 && strcmp(err.text, expected_err.text) != 0))
			fail_msg("%s, round %u: %d (%s), expected %d (%s), or other bytes, or another span",
				 at->distribution, i, r, err.text, expected, expected_err.text);
	}
}

static void fills(void **state)
{
	char *kept = aligned_alloc(64, MOST_BYTES), *anew = aligned_alloc(64, MOST_BYTES);

	(void)state;
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct trnsci_session *session = open_embedded(threads);

		compare_fills(session, kept, anew, ROUNDS);
		assert_true(prepared_calls(session) > 10);
		trnsci_close(session);
	}
	free(kept);
	free(anew);
}

/* Whatever places their keys have. */
static void two_in_turn(void **state)
{
	float out[2][64];

	(void)state;
	for (uint64_t pair = 0; pair < PAIRS; pair++) {
		struct trnsci_session *session = open_embedded(1);

		for (int i = 0; i < 6; i++) {
			const struct trnsci_param params[] = {trnsci_param_i64("low", 0),
							      trnsci_param_i64("high", (int64_t)(1 + 2 * pair) + i % 2),
							      trnsci_param_end()};

			assert_int_equal(
				trnsci_draw_array(session, "randint", params, NULL, TRNSCI_I32, 64, out[i % 2], NULL, NULL), 0);
		}
		assert_int_equal(prepared_calls(session), 2);
		trnsci_close(session);
	}
}

static void *fill_beside(void *session)
{
	char *kept = aligned_alloc(64, MOST_BYTES), *anew = aligned_alloc(64, MOST_BYTES);

	compare_fills(session, kept, anew, ROUNDS / 2);
	free(kept);
	free(anew);
	return NULL;
}

static void fills_of_threads(void **state)
{
	struct trnsci_session *session = open_embedded(2);
	pthread_t ids[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&ids[i], NULL, fill_beside, session), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	trnsci_close(session);
}

/* ---- how many ---- */

/* What comes once is not kept; of what comes again, a bounded number is. */
static void bounded(void **state)
{
	struct trnsci_session *session = open_embedded(1);
	float out[8];

	(void)state;
	for (int again = 0; again < 3; again++) {
		for (int i = 0; i < MANY; i++) {
			const struct trnsci_param params[] = {trnsci_param_f64("mean", i), trnsci_param_f64("std", 0),
							      trnsci_param_end()};

			assert_int_equal(trnsci_draw_array(session, "normal", params, NULL, TRNSCI_F32, 8, out, NULL, NULL), 0);
			for (int k = 0; k < 8; k++)
				assert_true(out[k] == (float)i);
		}
		if (again == 0)
			assert_int_equal(prepared_calls(session), 0);
		assert_true(prepared_calls(session) <= 128);
	}
	trnsci_close(session);
}

/* ---- transforms ---- */

static const int64_t first_axis[] = {0}, both_axes[] = {0, 1};

struct transform_case {
	const char *operation;
	struct trnsci_param params[2];
	enum trnsci_dtype in, out;
	uint64_t in_shape[2], out_shape[2];
};

static struct trnsci_array array_of(enum trnsci_dtype dtype, const uint64_t shape[2], void *data)
{
	return trnsci_array_of(dtype, 2, shape, data);
}

static size_t make_transforms(struct transform_case *ret_cases)
{
	const struct transform_case cases[] = {
		{"fft", {trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {4, 64}, {4, 64}},
		{"fft", {trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {64, 4}, {64, 4}},
		{"fft", {trnsci_param_bool("inverse", true), trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {4, 64}, {4, 64}},
		{"fft", {trnsci_param_i64s("axes", first_axis, 1), trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {4, 64}, {4, 64}},
		{"fft", {trnsci_param_i64s("axes", both_axes, 2), trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {4, 64}, {4, 64}},
		{"fft", {trnsci_param_end()}, TRNSCI_C128, TRNSCI_C128, {4, 64}, {4, 64}},
		{"fft", {trnsci_param_bool("real", true), trnsci_param_end()}, TRNSCI_F32, TRNSCI_C64, {4, 64}, {4, 33}},
		{"fft", {trnsci_param_end()}, TRNSCI_C64, TRNSCI_C64, {1, 97}, {1, 97}},
		{"dct", {trnsci_param_end()}, TRNSCI_F32, TRNSCI_F32, {4, 64}, {4, 64}},
		{"scale", {trnsci_param_f64("by", 3), trnsci_param_end()}, TRNSCI_F32, TRNSCI_F32, {4, 64}, {4, 64}},
	};

	memcpy(ret_cases, cases, sizeof cases);
	return sizeof cases / sizeof *cases;
}

static void fill_input(char *to, unsigned seed)
{
	for (size_t i = 0; i < MOST_BYTES / sizeof(float); i++)
		((float *)(void *)to)[i] = (float)(i * 7919 % 1009 + seed) / 1009;
}

static void transforms(void **state)
{
	char *in = aligned_alloc(64, MOST_BYTES), *kept = aligned_alloc(64, MOST_BYTES), *anew = aligned_alloc(64, MOST_BYTES);
	struct trnsci_session *session = open_embedded(1);
	struct transform_case cases[16];
	const size_t n_cases = make_transforms(cases);

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct transform_case *at = &cases[i * 7 % n_cases];
		const bool in_place = i % 3 == 1 && at->in == at->out;
		const size_t moved = 16 * (i % 5);
		int r, expected;

		fill_input(in, i);
		memset(kept, 1, MOST_BYTES);
		memset(anew, 1, MOST_BYTES);
		expected = trnsci_apply_array(session, at->operation, at->params, array_of(at->in, at->in_shape, in + moved),
					      array_of(at->out, at->out_shape, anew + 1), NULL);
		if (in_place)
			memcpy(kept, in, MOST_BYTES);
		r = trnsci_apply_array(session, at->operation, at->params,
				       array_of(at->in, at->in_shape, (in_place ? kept : in) + moved),
				       array_of(at->out, at->out_shape, kept + moved), NULL);
		if (r != expected || r != 0 ||
		    memcmp(kept + moved, anew + 1,
			   at->out_shape[0] * at->out_shape[1] * trnsci_dtype_size(at->out)) != 0)
			fail_msg("%s, round %u: %d, expected %d, or other bytes", at->operation, i, r, expected);
	}
	assert_true(prepared_calls(session) > 5);
	trnsci_close(session);
	free(in);
	free(kept);
	free(anew);
}

/* ---- tiles ---- */

enum { TILES = 3, ELEMENTS = 256 };

static void expect_bytes(const char *what, unsigned round, const struct trnsci_tile *tile, const float *expected)
{
	if (memcmp(trnsci_tile_data(tile), expected, ELEMENTS * sizeof *expected) != 0)
		fail_msg("%s, round %u: other bytes", what, round);
}

/* Other tiles in each round; in some, one tile is both. */
static void tiles(void **state)
{
	struct trnsci_session *session = open_embedded(1), *other = open_embedded(1);
	struct trnsci_tile *at[TILES];
	float expected[ELEMENTS];

	(void)state;
	for (int i = 0; i < TILES; i++)
		at[i] = new_tile(session, TRNSCI_F32, ELEMENTS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct trnsci_tile *in = at[i % TILES], *out = at[i * 5 / 7 % TILES];
		const struct trnsci_source source = {.seed = i, .offset = 4 * i, .position = i % 3 ? 0 : 8};
		const struct trnsci_param params[] = {trnsci_param_tile("in", in), trnsci_param_f64("by", 3), trnsci_param_end()};
		struct trnsci_span span, expected_span;

		assert_int_equal(trnsci_draw_tile(session, "normal", NULL, &source, &in, &span, NULL), 0);
		assert_int_equal(
			trnsci_draw_array(other, "normal", NULL, &source, TRNSCI_F32, ELEMENTS, expected, &expected_span, NULL),
			0);
		expect_bytes("normal", i, in, expected);
		assert_memory_equal(&span, &expected_span, sizeof span);
		for (int k = 0; k < ELEMENTS; k++)
			expected[k] *= 3;
		assert_int_equal(trnsci_apply_tile(session, "scale", params, &out, NULL), 0);
		expect_bytes("scale", i, out, expected);
		if (i % 50 == 0) { /* another tile in the place of one that was freed */
			trnsci_tile_free(at[0]);
			at[0] = new_tile(session, TRNSCI_F32, ELEMENTS);
		}
	}
	assert_in_range(prepared_calls(session), 2, 6);
	trnsci_close(session);
	trnsci_close(other);
	for (int i = 0; i < TILES; i++)
		trnsci_tile_free(at[i]);
}

/* Between a first and a third call with the same parameters: what is wrong stays wrong. */
static void wrong(void **state)
{
	struct trnsci_session *session = open_embedded(1);
	float complex data[64] = {0};
	const uint64_t shape[] = {1, 64}, other[] = {2, 32};
	struct trnsci_error err;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(trnsci_apply_array(session, "fft", NULL, array_of(TRNSCI_C64, shape, data),
						    array_of(TRNSCI_C64, other, data), &err),
				 -TRNSCI_BAD_SHAPE);
		assert_int_equal(trnsci_apply_array(session, "fft", NULL, array_of(TRNSCI_C64, shape, data),
						    array_of(TRNSCI_C64, shape, NULL), &err),
				 -TRNSCI_MISSING_PARAMETER);
		assert_int_equal(trnsci_apply_array(session, "fft", NULL, array_of(TRNSCI_C64, shape, data),
						    array_of(TRNSCI_C64, shape, data), &err),
				 0);
		assert_int_equal(trnsci_draw_array(session, "gamma", NULL, NULL, TRNSCI_F32, 8, data, NULL, &err),
				 -TRNSCI_MISSING_PARAMETER);
		assert_int_equal(trnsci_draw_array(session, "uniform", NULL, NULL, TRNSCI_C64, 8, data, NULL, &err),
				 -TRNSCI_OUT_OF_RANGE);
	}
	trnsci_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fills), cmocka_unit_test(two_in_turn), cmocka_unit_test(fills_of_threads),
					   cmocka_unit_test(bounded), cmocka_unit_test(transforms),
					   cmocka_unit_test(tiles), cmocka_unit_test(wrong)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
