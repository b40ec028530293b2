/* SPDX-License-Identifier: Apache-2.0 */
/* Draws: a daemon and the embedded engine give the same bytes, by tile, by copy, in pieces, by rank and in programs. */
#include <stdlib.h>
#include <string.h>

#include "client/both.h"

enum { N = 100003 };

static void draw_everywhere(const char *law, enum trnsci_dtype dtype, uint64_t offset)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};
	const struct trnsci_draw draw = {.law = law, .seed = 99, .stream = 5, .offset = offset};
	size_t bytes = N * trnsci_dtype_size(dtype);
	char *tile_bytes[2], *copied = malloc(bytes);

	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, 0, dtype, N);
		struct trnsci_span span = {0};
		struct trnsci_error err = {0};

		if (trnsci_draw(session, &draw, 0, tile, &span, &err) < 0)
			fail_msg("%s: %s", law, err.text);
		assert_true(span.next > span.position && span.next % 4 == 0);
		tile_bytes[i] = malloc(bytes);
		memcpy(tile_bytes[i], trnsci_tile_data(tile), bytes);
		if (trnsci_draw_copy(session, &draw, dtype, N, copied, NULL, &err) < 0)
			fail_msg("%s: %s", law, err.text);
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
	const struct trnsci_draw draw = {
		.law = "uniform", .seed = 3, .offset = 11, .numbers = {{"low", -2}, {"high", 7}}};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, MANY);
	float *copied = malloc(MANY * sizeof *copied), few[5];
	struct trnsci_span whole = {0}, span = {0};
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_draw(session, &draw, 0, tile, &whole, &err), 0);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_F32, MANY, copied, &span, &err), 0);
	assert_memory_equal(copied, trnsci_tile_data(tile), MANY * sizeof *copied);
	assert_true(span.position == whole.position && span.next == whole.next);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_F32, 5, few, NULL, &err), 0);
	assert_memory_equal(few, copied, sizeof few);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_DTYPE_NONE, 5, few, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	free(copied);
	trnsci_tile_free(tile);
}

/* Laws of vectors, of counts and of a list, by the typed calls: few and many are pieces of one tile. */
static void laws(struct trnsci_session *session)
{
	static const double alpha[] = {1, 2.5, 3, 0.5};
	const struct trnsci_draw draws[] = {
		{.law = "sphere", .seed = 1, .offset = 5, .numbers = {{"dimensions", 3}}},
		{.law = "dirichlet", .seed = 2, .offset = 7, .list = {"alpha", alpha, 4}},
		{.law = "normal", .seed = 3, .offset = 1, .choices = {{"method", "boxmuller64"}}},
	};
	const uint64_t n = 12 * 30000;
	float *copied = malloc(n * sizeof *copied);

	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, n);
		struct trnsci_error err = {0};

		if (trnsci_draw(session, &draws[i], 0, tile, NULL, &err) < 0)
			fail_msg("%s: %s", draws[i].law, err.text);
		if (trnsci_draw_copy(session, &draws[i], TRNSCI_F32, n, copied, NULL, &err) < 0)
			fail_msg("%s: %s", draws[i].law, err.text);
		assert_memory_equal(copied, trnsci_tile_data(tile), n * sizeof *copied);
		assert_int_equal(trnsci_draw_copy(session, &draws[i], TRNSCI_F32, 24, copied, NULL, &err), 0);
		assert_memory_equal(copied, trnsci_tile_data(tile), 24 * sizeof *copied);
		trnsci_tile_free(tile);
	}
	free(copied);
}

/* A permutation copied in pieces is one: every item comes once. */
static void permutation(struct trnsci_session *session)
{
	enum { ITEMS = 400000 };
	const struct trnsci_draw draw = {.law = "permutation", .seed = 6};
	int64_t *items = malloc(ITEMS * sizeof *items);
	char *seen = calloc(ITEMS, 1);

	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_I64, ITEMS, items, NULL, NULL), 0);
	for (size_t i = 0; i < ITEMS; i++) {
		assert_true(items[i] >= 0 && items[i] < ITEMS && !seen[items[i]]);
		seen[items[i]] = 1;
	}
	free(items);
	free(seen);
}

/* Parts by rank join to the whole. */
static void ranks(struct trnsci_session *session)
{
	const struct trnsci_draw whole = {.law = "normal", .seed = 8, .offset = 3};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 1001);
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_draw(session, &whole, 0, tile, NULL, &err), 0);
	for (uint64_t rank = 0; rank < 7; rank++) {
		struct trnsci_draw part = whole;
		uint64_t begin, end;

		part.rank = rank;
		part.size = 7;
		assert_true(trnsci_partition(1001, rank, 7, &begin, &end));
		struct trnsci_tile *own = new_tile(session, 0, TRNSCI_F32, end - begin);

		if (trnsci_draw(session, &part, 1001, own, NULL, &err) < 0)
			fail_msg("rank %d: %s", (int)rank, err.text);
		assert_memory_equal(trnsci_tile_data(own), (float *)trnsci_tile_data(tile) + begin,
				    (end - begin) * sizeof(float));
		trnsci_tile_free(own);
	}
	assert_false(trnsci_partition(1, 1, 1, &(uint64_t){0}, &(uint64_t){0}));
	trnsci_tile_free(tile);
}

/* Five uniforms and five normals take words 0..7 and 8..15. */
static void generators(struct trnsci_session *session)
{
	struct trnsci_generator generator = {.seed = 4}, saved;
	const struct trnsci_draw uniform = {.law = "uniform"}, normal = {.law = "normal"};
	const struct trnsci_draw again = {.law = "normal",
					  .seed = 4,
					  .offset = 8,
					  .numbers = {{"mean", 0}},
					  .choices = {{"method", "boxmuller"}}};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 5), *wide = new_tile(session, 0, TRNSCI_F64, 5);
	struct trnsci_error err = {0};
	float expected[5];

	assert_int_equal(trnsci_generator_draw(session, &generator, &uniform, tile, &err), 0);
	assert_true(generator.position == 8);
	saved = generator;
	assert_int_equal(trnsci_generator_draw(session, &generator, &normal, tile, &err), 0);
	assert_true(generator.position == 16);
	assert_int_equal(trnsci_draw_copy(session, &again, TRNSCI_F32, 5, expected, NULL, &err), 0);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	assert_int_equal(trnsci_generator_draw(session, &saved, &normal, wide, &err), 0);
	assert_true(saved.position == 20); /* ten words from 8, rounded up */
	const struct trnsci_draw odd = {.law = "normal", .choices = {{"method", "guess"}}};

	assert_int_equal(trnsci_generator_draw(session, &saved, &odd, wide, &err), -TRNSCI_OUT_OF_RANGE);
	saved.position = 3;
	assert_int_equal(trnsci_generator_draw(session, &saved, &normal, wide, &err), -TRNSCI_OUT_OF_RANGE);
	assert_true(saved.position == 3);
	trnsci_tile_free(tile);
	trnsci_tile_free(wide);
}

/* uniform, then box_muller, is normal; results come inline and by tile. */
static void programs(struct trnsci_session *session)
{
	const struct trnsci_draw normal = {.law = "normal", .seed = 21};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 1000);
	struct trnsci_call *program;
	struct trnsci_args *step;
	struct trnsci_array array;
	struct trnsci_error err = {0};
	float expected[1000];

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set_u64(trnsci_args(program), "seed", 21);
	step = trnsci_step(program, "uniform");
	trnsci_set_u64(step, "n", 1000);
	trnsci_set_text(step, "as", "u");
	step = trnsci_step(program, "box_muller");
	trnsci_set_text(step, "in", "u");
	trnsci_set_text(step, "as", "z");
	step = trnsci_step(program, "scale");
	trnsci_set_text(step, "in", "z");
	trnsci_set_tile(step, "out", tile);
	trnsci_want(program, "z");
	assert_runs(program);
	assert_int_equal(trnsci_draw_copy(session, &normal, TRNSCI_F32, 1000, expected, NULL, &err), 0);
	assert_int_equal(trnsci_to_array(trnsci_get(trnsci_get(trnsci_reply(program), "results"), "z"), &array), 0);
	assert_int_equal(array.dtype, TRNSCI_F32);
	assert_int_equal(array.count, 1000);
	assert_memory_equal(array.data, expected, sizeof expected);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	trnsci_call_free(program);
	trnsci_tile_free(tile);
}

BOTH(copies)
BOTH(laws)
BOTH(permutation)
BOTH(ranks)
BOTH(generators)
BOTH(programs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes),
		cmocka_unit_test(copies_by_both),
		cmocka_unit_test(laws_by_both),
		cmocka_unit_test(permutation_by_both),
		cmocka_unit_test(ranks_by_both),
		cmocka_unit_test(generators_by_both),
		cmocka_unit_test(programs_by_both),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
