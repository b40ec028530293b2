/* SPDX-License-Identifier: Apache-2.0 */
/* Positions: spans, the start of the next draw, the parts of ranks, and the end of a stream. */
#include "rng/stream.h"

#include "rng/support.h"

static void test_spans(void **state)
{
	uint64_t first = 77, count = 77;

	(void)state;
	assert_true(stream_span(5, 7, 1, &first, &count));
	assert_int_equal(first, 5);
	assert_int_equal(count, 7);
	assert_true(stream_span(5, 7, 2, &first, &count));
	assert_int_equal(first, 10);
	assert_int_equal(count, 14);
}

static void test_spans_at_the_end(void **state)
{
	uint64_t first = 77, count = 77;

	(void)state;
	assert_true(stream_span(UINT64_MAX, 1, 1, &first, &count)); /* the last word */
	assert_int_equal(first, UINT64_MAX);
	assert_true(stream_span(UINT64_MAX, 0, 1, &first, &count));
	assert_true(stream_span(0, UINT64_MAX, 1, &first, &count));
	assert_true(stream_span(1, UINT64_MAX, 1, &first, &count)); /* up to the last word */
	assert_true(stream_span(UINT64_MAX / 2, 1, 2, &first, &count));
	assert_int_equal(first, UINT64_MAX - 1);
	first = count = 77;
	assert_false(stream_span(UINT64_MAX, 2, 1, &first, &count));
	assert_false(stream_span(2, UINT64_MAX, 1, &first, &count));
	assert_false(stream_span(UINT64_MAX / 2 + 1, 1, 2, &first, &count));
	assert_false(stream_span(UINT64_MAX / 2, 2, 2, &first, &count));
	assert_false(stream_span(0, UINT64_MAX / 2 + 2, 2, &first, &count));
	assert_int_equal(first, 77); /* untouched on failure */
	assert_int_equal(count, 77);
}

static void test_next_positions(void **state)
{
	uint64_t next = 77;

	(void)state;
	for (uint64_t first = 0; first < 12; first++)
		for (uint64_t count = 0; count < 12; count++) {
			assert_true(stream_next_position(first, count, &next));
			assert_int_equal(next, (first + count + 3) / 4 * 4);
		}
	assert_true(stream_next_position(UINT64_MAX - 7, 4, &next));
	assert_int_equal(next, UINT64_MAX - 3);
	next = 77;
	assert_false(stream_next_position(UINT64_MAX - 7, 5, &next)); /* the next group would be 2^62 */
	assert_false(stream_next_position(UINT64_MAX, 1, &next));
	assert_false(stream_next_position(UINT64_MAX, UINT64_MAX, &next));
	assert_int_equal(next, 77);
}

static void test_ranks(void **state)
{
	uint64_t seed = case_seed();

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const uint64_t n = next_case(&seed) >> below(&seed, 64),
			       size = (next_case(&seed) >> below(&seed, 64)) | 1;
		const uint64_t rank = below(&seed, size);
		uint64_t begin, end, other;

		stream_rank_part(n, rank, size, &begin, &end);
		/* floor(r n / P): begin P <= r n < (begin + 1) P. */
		const unsigned __int128 product = (unsigned __int128)n * rank;

		if ((unsigned __int128)begin * size > product || (unsigned __int128)begin * size + size <= product)
			fail_msg("rank %llu of %llu, n %llu: begin is %llu", (unsigned long long)rank,
				 (unsigned long long)size, (unsigned long long)n, (unsigned long long)begin);
		if (rank + 1 < size)
			stream_rank_part(n, rank + 1, size, &other, &begin);
		else
			other = n;
		assert_true(end == other);
	}
}

static void test_keys(void **state)
{
	const struct stream stream = {GENERATOR_THREEFRY4X32, UINT64_C(0x0123456789ABCDEF),
				      UINT64_C(0xFEDCBA9876543210)};
	struct stream philox = {GENERATOR_PHILOX4X32, 1, UINT32_MAX};
	uint32_t key[4];

	(void)state;
	stream_key(&stream, key);
	assert_int_equal(key[0], 0x89ABCDEF);
	assert_int_equal(key[1], 0x01234567);
	assert_int_equal(key[2], 0x76543210);
	assert_int_equal(key[3], 0xFEDCBA98);
	assert_true(stream_id_fits(&stream));
	assert_true(stream_id_fits(&philox));
	philox.stream++;
	assert_false(stream_id_fits(&philox));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),          cmocka_unit_test(test_spans_at_the_end),
		cmocka_unit_test(test_next_positions), cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
