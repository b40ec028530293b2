/* SPDX-License-Identifier: Apache-2.0 */
/* Draws: a daemon and the embedded engine give the same bytes, by tile, by copy, in pieces and in programs. */
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "drawing.h"

enum { N = 100003 };

static void draw_everywhere(const char *distribution, enum trnsci_dtype dtype, uint64_t offset)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};
	const struct drawing draw = {.distribution = distribution,
				     .source = {.seed = 99, .stream = 5, .offset = offset}};
	size_t bytes = N * trnsci_dtype_size(dtype);
	char *tile_bytes[2], *copied = malloc(bytes);

	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, dtype, N);
		struct trnsci_span span = {0};
		struct trnsci_error err = {0};

		if (draw_tile(session, &draw, 0, tile, &span, &err) < 0)
			fail_msg("%s: %s", distribution, err.text);
		assert_true(span.next > span.position && span.next % 4 == 0);
		tile_bytes[i] = malloc(bytes);
		memcpy(tile_bytes[i], trnsci_tile_data(tile), bytes);
		if (draw_array(session, &draw, dtype, N, copied, NULL, &err) < 0)
			fail_msg("%s: %s", distribution, err.text);
		assert_memory_equal(copied, tile_bytes[i], bytes);
		trnsci_tile_free(tile);
		trnsci_close(session);
	}
	assert_memory_equal(tile_bytes[0], tile_bytes[1], bytes);
	free(tile_bytes[0]);
	free(tile_bytes[1]);
	free(copied);
}

static void same_bytes(void **state)
{
	(void)state;
	draw_everywhere("bits", TRNSCI_U32, 0);
	draw_everywhere("bits", TRNSCI_U64, 3);
	draw_everywhere("uniform", TRNSCI_F32, 1);
	draw_everywhere("uniform", TRNSCI_F64, 77);
	draw_everywhere("normal", TRNSCI_F32, 5);
	draw_everywhere("normal", TRNSCI_F64, 6);
}

/* A copy in several pieces and inline equals one tile. */
static void copies(struct trnsci_session *session)
{
	enum { MANY = 700001 };
	const struct drawing draw = {.distribution = "uniform", .source = {.seed = 3, .offset = 11}, .params = {I64("low", -2), I64("high", 7)}};
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, MANY);
	float *copied = malloc(MANY * sizeof *copied), few[5];
	struct trnsci_span whole = {0}, span = {0};
	struct trnsci_error err = {0};

	assert_int_equal(draw_tile(session, &draw, 0, tile, &whole, &err), 0);
	assert_int_equal(draw_array(session, &draw, TRNSCI_F32, MANY, copied, &span, &err), 0);
	assert_memory_equal(copied, trnsci_tile_data(tile), MANY * sizeof *copied);
	assert_true(span.position == whole.position && span.next == whole.next);
	assert_int_equal(draw_array(session, &draw, TRNSCI_F32, 5, few, NULL, &err), 0);
	assert_memory_equal(few, copied, sizeof few);
	assert_int_equal(draw_array(session, &draw, TRNSCI_DTYPE_NONE, 5, few, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	free(copied);
	trnsci_tile_free(tile);
}

/* ---- pieces ---- */

static uint64_t tiles_of(struct trnsci_session *session)
{
	struct trnsci_call *call;
	uint64_t number = UINT64_MAX;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_runs(call);
	assert_int_equal(
		trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "session"), "tiles"), &number), 0);
	trnsci_call_free(call);
	return number;
}

/* Fills `elements` and looks that they are those of `expected`, and that nothing behind them is written. */
static void fill_pieces(struct trnsci_session *session, const struct drawing *draw, uint64_t elements,
			const float *expected, float *out)
{
	struct trnsci_error err = {0};

	memset(out, 0xa5, (elements + 1) * sizeof *out);
	if (draw_array(session, draw, TRNSCI_F32, elements, out, NULL, &err) < 0)
		fail_msg("%s, %llu elements: %s", draw->distribution, (unsigned long long)elements, err.text);
	assert_memory_equal(out, expected, elements * sizeof *out);
	assert_memory_equal(out + elements, "\xa5\xa5\xa5\xa5", sizeof *out);
}

/* An array of any length comes through two tiles at most: the last piece begins before the one in front of it ends. */
static void pieces(void **state)
{
	enum { PIECE = 1 << 19, LONGEST = 4 * PIECE + 3 };
	static const uint64_t lengths[] = {PIECE,	  PIECE + 1,	 PIECE + 1023,	PIECE + 1025,  3 * PIECE / 2,
					   2 * PIECE - 1, 2 * PIECE + 1, 2 * PIECE + 3, 3 * PIECE + 7, LONGEST};
	const struct drawing draws[] = {
		{.distribution = "uniform", .source = {.seed = 3, .offset = 11}},
		{.distribution = "normal", .source = {.seed = 4, .position = 8}},
		{.distribution = "gamma", .source = {.seed = 5}, .params = {F64("shape", 0.7)}},
		{.distribution = "sphere", .source = {.seed = 1, .offset = 5}, .params = {I64("dimensions", 3)}},
	};
	struct trnsci_session *embedded = open_at("embedded:");
	float *expected = malloc(LONGEST * sizeof *expected), *out = malloc((LONGEST + 1) * sizeof *out);

	(void)state;
	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		assert_int_equal(draw_array(embedded, &draws[i], TRNSCI_F32, LONGEST / 3 * 3, expected, NULL, NULL), 0);
		for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
			struct trnsci_session *session = open_at(trnscid.socket);

			for (int again = 0; again < 2; again++)
				fill_pieces(session, &draws[i], lengths[k] / 3 * 3, expected, out);
			assert_in_range(tiles_of(session), 0, 2);
			trnsci_close(session);
		}
	}
	free(expected);
	free(out);
	trnsci_close(embedded);
}

/* A permutation copied in pieces is one: every item comes once. */
static void permute(struct trnsci_session *session, struct trnsci_param stated)
{
	enum { ITEMS = 400000 };
	const struct drawing draw = {.distribution = "permutation", .source = {.seed = 6}, .params = {stated}};
	int64_t *items = malloc(ITEMS * sizeof *items);
	char *seen = calloc(ITEMS, 1);

	assert_int_equal(draw_array(session, &draw, TRNSCI_I64, ITEMS, items, NULL, NULL), 0);
	for (size_t i = 0; i < ITEMS; i++) {
		assert_true(items[i] >= 0 && items[i] < ITEMS && !seen[items[i]]);
		seen[items[i]] = 1;
	}
	free(items);
	free(seen);
}

/* 0 items are the default, as a number of any type. */
static void permutation(struct trnsci_session *session)
{
	permute(session, trnsci_param_end());
	permute(session, trnsci_param_u64("items", 0));
	permute(session, trnsci_param_i64("items", 0));
	permute(session, trnsci_param_text("items", "0x0"));
}

/* An array that is larger than a message to a daemon may be, for few samples and for many. */
static void large_arrays(struct trnsci_session *session)
{
	enum { LARGE = 5 << 20, MOST = 100000 };
	static const uint64_t counts[] = {1, 1000, 8193, MOST};
	static double means[LARGE], got[MOST], normals[MOST];
	const struct trnsci_array array = trnsci_array_vector(TRNSCI_F64, LARGE, means);
	const struct trnsci_param params[] = {trnsci_param_array("mean", &array), trnsci_param_end()};
	const struct trnsci_source source = {.seed = 6, .offset = LARGE - 500};
	struct trnsci_span span;
	struct trnsci_error err;

	for (size_t i = 0; i < LARGE; i++)
		means[i] = (double)i * 1024; /* the samples are exact sums, rounded once */
	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F64, MOST, normals, NULL, NULL), 0);
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
		if (trnsci_draw_array(session, "normal", params, &source, TRNSCI_F64, counts[k], got, NULL, &err) < 0)
			fail_msg("%llu samples: %s", (unsigned long long)counts[k], err.text);
		for (size_t i = 0; i < counts[k]; i++)
			assert_true(got[i] == means[(LARGE - 500 + i) % LARGE] + normals[i]);
	}
	assert_int_equal(trnsci_draw_array(session, "normal", params, &source, TRNSCI_F64, 10, NULL, &span, &err), 0);
	assert_int_equal(span.offset, LARGE - 500);
}

/* Five uniforms and five normals take words 0..7 and 8..15. */
static void sequences(struct trnsci_session *session)
{
	struct drawing uniform = {.distribution = "uniform", .source = {.seed = 4}};
	struct drawing normal = {.distribution = "normal", .source = {.seed = 4}};
	const struct drawing again = {.distribution = "normal", .source = {.seed = 4, .offset = 8}, .params = {I64("mean", 0), TEXT("method", "boxmuller")}};
	const struct drawing odd = {.distribution = "normal", .params = {TEXT("method", "guess")}};
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, 5), *wide = new_tile(session, TRNSCI_F64, 5);
	struct trnsci_error err = {0};
	struct trnsci_span span;
	float expected[5], got[5];

	assert_int_equal(draw_tile(session, &uniform, 0, tile, &span, &err), 0);
	assert_true(span.next == 8);
	normal.source.position = span.next;
	assert_int_equal(draw_tile(session, &normal, 0, tile, &span, &err), 0);
	assert_true(span.position == 8 && span.next == 16 && span.offset == 8);
	assert_int_equal(draw_array(session, &again, TRNSCI_F32, 5, expected, NULL, &err), 0);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	assert_int_equal(draw_array(session, &normal, TRNSCI_F32, 5, got, NULL, &err), 0);
	assert_memory_equal(got, expected, sizeof expected);
	assert_int_equal(draw_tile(session, &normal, 0, wide, &span, &err), 0);
	assert_true(span.next == 20 && span.offset == 4); /* ten words from 8, rounded up */
	normal.source.offset = 1;
	assert_int_equal(draw_array(session, &normal, TRNSCI_F32, 4, got, NULL, &err), 0);
	assert_memory_equal(got, expected + 1, 4 * sizeof *got);
	assert_int_equal(draw_tile(session, &odd, 0, wide, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	normal.source.position = 3;
	assert_int_equal(draw_tile(session, &normal, 0, wide, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	assert_non_null(strstr(err.text, "position: got 3, allowed are multiples of 4"));
	trnsci_tile_free(tile);
	trnsci_tile_free(wide);
}

/* uniform, then box_muller, is normal; results come inline and by tile. */
static void programs(struct trnsci_session *session)
{
	const struct drawing normal = {.distribution = "normal", .source = {.seed = 21}};
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, 1000);
	struct trnsci_call *program;
	struct trnsci_args *step;
	struct trnsci_array array;
	struct trnsci_error err = {0};
	float expected[1000];

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set(trnsci_call_args(program), trnsci_param_u64("seed", 21));
	step = trnsci_program_step(program, "uniform");
	trnsci_set(step, trnsci_param_u64("n", 1000));
	trnsci_set(step, trnsci_param_text("as", "u"));
	step = trnsci_program_step(program, "box_muller");
	trnsci_set(step, trnsci_param_text("in", "u"));
	trnsci_set(step, trnsci_param_text("as", "z"));
	step = trnsci_program_step(program, "scale");
	trnsci_set(step, trnsci_param_text("in", "z"));
	trnsci_set(step, trnsci_param_tile("out", tile));
	trnsci_program_result(program, "z");
	assert_runs(program);
	assert_int_equal(draw_array(session, &normal, TRNSCI_F32, 1000, expected, NULL, &err), 0);
	assert_int_equal(
		trnsci_value_to_array(trnsci_value_get(trnsci_value_get(trnsci_call_reply(program), "results"), "z"), &array), 0);
	assert_int_equal(array.dtype, TRNSCI_F32);
	assert_int_equal(array.count, 1000);
	assert_memory_equal(array.data, expected, sizeof expected);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	trnsci_call_free(program);
	trnsci_tile_free(tile);
}

/* ---- how an embedded draw is cut ---- */

static uint64_t chunks_so_far(struct trnsci_session *session)
{
	const struct trnsci_value *lanes;
	struct trnsci_call *call;
	uint64_t sum = 0;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), 0);
	lanes = trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "engine"), "lanes");
	for (size_t i = 0; i < trnsci_value_count(lanes); i++) {
		uint64_t chunks = 0;

		assert_int_equal(trnsci_value_to_u64(trnsci_value_get(trnsci_value_at(lanes, i), "chunks"), &chunks), 0);
		sum += chunks;
	}
	assert_true(trnsci_value_count(lanes) > 0);
	trnsci_call_free(call);
	return sum;
}

/* Several threads, which end a stage together, have some chunks each, also of samples of 16 bits. */
static void chunks_for_all_threads(void **state)
{
	static const struct {
		const char *method;
		int dtype;
		size_t bytes;
		uint64_t alone; /* chunks of one thread, at least: quick ones are up to 256 KiB */
	} draws[] = {{"hypergeometric", TRNSCI_I64, 8, 16}, {"uniform", TRNSCI_BF16, 2, 4}};
	const struct trnsci_param few[] = {trnsci_param_u64("ngood", 100), trnsci_param_u64("nbad", 200),
					   trnsci_param_u64("nsample", 120), trnsci_param_end()};
	void *out = calloc(1 << 20, 1);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof draws / sizeof *draws; i++) {
		const size_t draw = i / 2, n = (1 << 20) / draws[draw].bytes;
		const struct trnsci_options options = {.threads = i % 2 ? 4 : 1};
		struct trnsci_session *session;
		uint64_t before;

		assert_int_equal(trnsci_open("embedded:", &options, &session, NULL), 0);
		before = chunks_so_far(session);
		assert_int_equal(trnsci_draw_array(session, draws[draw].method, draw == 0 ? few : NULL, NULL, draws[draw].dtype, n,
						   out, NULL, NULL),
				 0);
		assert_in_range(chunks_so_far(session) - before, options.threads == 1 ? draws[draw].alone : 32, 512);
		trnsci_close(session);
	}
	free(out);
}

BOTH(copies)
BOTH(permutation)
BOTH(large_arrays)
BOTH(sequences)
BOTH(programs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes),
		cmocka_unit_test(copies_by_both),
		cmocka_unit_test(pieces),
		cmocka_unit_test(permutation_by_both),
		cmocka_unit_test(large_arrays_by_both),
		cmocka_unit_test(sequences_by_both),
		cmocka_unit_test(programs_by_both),
		cmocka_unit_test(chunks_for_all_threads),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
