/* SPDX-License-Identifier: Apache-2.0 */
/* Derived streams: vectors of an independent implementation, no collisions among many, no trace of the parent. */
#include "rng/derive.h"

#include "rng/support.h"

enum { N_CHILDREN = 1 << 17 };

static int lines;

static void check_vector(char *line)
{
	char generator[32], kind[16], text[64];
	unsigned long long seed, id, expected_seed, expected_id;
	struct stream stream, child;

	assert_int_equal(sscanf(line, "%31s %llu %llu %15s %63s %llu %llu", generator, &seed, &id, kind, text,
				&expected_seed, &expected_id),
			 7);
	stream = (struct stream){strcmp(generator, "philox4x32") == 0 ? GENERATOR_PHILOX4X32 : GENERATOR_THREEFRY4X32,
				 seed, id};
	if (strcmp(kind, "label") == 0)
		derive_label(&stream, text, strlen(text), &child);
	else if (strcmp(kind, "split") == 0)
		derive_split(&stream, strtoull(text, NULL, 10), &child);
	else
		derive_fold_in(&stream, strtoull(text, NULL, 10), &child);
	if (child.seed != expected_seed || child.stream != expected_id || child.generator != stream.generator)
		fail_msg("%s %llu %llu %s %s: expected %llu %llu, got %llu %llu", generator, seed, id, kind, text,
			 expected_seed, expected_id, (unsigned long long)child.seed, (unsigned long long)child.stream);
	lines++;
}

static void test_vectors(void **state)
{
	(void)state;
	lines = 0;
	for_each_line("tests/vectors/derive.txt", check_vector);
	assert_int_equal(lines, 60);
}

/* A child does not depend on the generator, where it has room for 128 bits. */
static void test_children_of_all_generators(void **state)
{
	struct stream expected[3], got[3];

	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct stream threefry = {GENERATOR_THREEFRY4X32, 3, UINT64_C(1) << 40};
		const struct stream stream = {(enum generator)g, threefry.seed, threefry.stream};

		if (!stream_id_fits(&stream))
			continue;
		derive_label(&threefry, "noise", 5, &expected[0]);
		derive_fold_in(&threefry, 7, &expected[1]);
		derive_split(&threefry, 7, &expected[2]);
		derive_label(&stream, "noise", 5, &got[0]);
		derive_fold_in(&stream, 7, &got[1]);
		derive_split(&stream, 7, &got[2]);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(got[i].generator, g);
			assert_int_equal(got[i].seed, expected[i].seed);
			assert_int_equal(got[i].stream, expected[i].stream);
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;

	if (x->seed != y->seed)
		return x->seed < y->seed ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static void assert_distinct(struct stream *streams, size_t n)
{
	qsort(streams, n, sizeof *streams, compare);
	for (size_t i = 1; i < n; i++)
		if (compare(&streams[i - 1], &streams[i]) == 0)
			fail_msg("seed %llu stream %llu was derived twice", (unsigned long long)streams[i].seed,
				 (unsigned long long)streams[i].stream);
}

/* Children, grandchildren and children of other parents, of every kind, are distinct streams. */
static void test_no_collisions(void **state)
{
	struct stream *all = malloc(4 * N_CHILDREN * sizeof *all);

	(void)state;
	assert_non_null(all);
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct stream parent = {(enum generator)g, 1, 0};

		for (uint64_t i = 0; i < N_CHILDREN; i++) {
			const struct stream other = {(enum generator)g, i + 2, i >> 8};

			derive_split(&parent, i, &all[4 * i]);
			derive_fold_in(&parent, i, &all[4 * i + 1]);
			derive_label(&parent, &i, sizeof i, &all[4 * i + 2]);
			derive_split(&other, 1, &all[4 * i + 3]);
			assert_true(stream_id_fits(&all[4 * i]));
		}
		assert_distinct(all, 4 * N_CHILDREN);
	}
	free(all);
}

static void test_lengths_and_kinds_differ(void **state)
{
	const struct stream parent = {GENERATOR_THREEFRY4X32, 3, 4};
	const char zeros[40] = "";
	struct stream all[43];

	(void)state;
	for (size_t size = 0; size <= 40; size++)
		derive_label(&parent, zeros, size, &all[size]);
	derive_fold_in(&parent, 0, &all[41]);
	derive_split(&parent, 0, &all[42]);
	assert_distinct(all, 43);
}

static void test_in_place(void **state)
{
	struct stream a = {GENERATOR_PHILOX4X32, 5, 6}, b;

	(void)state;
	derive_fold_in(&a, 7, &b);
	derive_fold_in(&a, 7, &a);
	assert_int_equal(compare(&a, &b), 0);
}

/* Flips one bit of the parent or of the number: each bit of the child flips in half of the cases. */
static void test_avalanche(void **state)
{
	enum { TRIALS = 400 };
	uint64_t seed = case_seed();
	unsigned flipped[128] = {0};

	(void)state;
	for (unsigned t = 0; t < TRIALS; t++) {
		struct stream parent = {GENERATOR_THREEFRY4X32, next_case(&seed), next_case(&seed)}, a, b;
		uint64_t number = next_case(&seed);

		derive_fold_in(&parent, number, &a);
		if (t % 3 == 0)
			parent.seed ^= UINT64_C(1) << t % 64;
		else if (t % 3 == 1)
			parent.stream ^= UINT64_C(1) << t % 64;
		else
			number ^= UINT64_C(1) << t % 64;
		derive_fold_in(&parent, number, &b);
		for (unsigned bit = 0; bit < 64; bit++) {
			flipped[bit] += (unsigned)((a.seed ^ b.seed) >> bit & 1);
			flipped[64 + bit] += (unsigned)((a.stream ^ b.stream) >> bit & 1);
		}
	}
	/* Mean 200, standard deviation 10: allows five deviations. */
	for (unsigned bit = 0; bit < 128; bit++)
		if (flipped[bit] < 150 || flipped[bit] > 250)
			fail_msg("bit %u flipped in %u of %d; TRNSCI_TEST_SEED=%llu", bit, flipped[bit], TRIALS,
				 (unsigned long long)case_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_children_of_all_generators),
		cmocka_unit_test(test_no_collisions),
		cmocka_unit_test(test_lengths_and_kinds_differ),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_avalanche),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
