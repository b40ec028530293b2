/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry and Trainium's: known answers, the stream vectors on every kernel, and random cases. */
#include "rng/threefry.h"

#include "rng/kernel_checks.h"
#include "rng/known_answers.h"

KNOWN_BLOCK(threefry4x32, uint32_t, 4, in + 4)
KNOWN_BLOCK(threefry4x32_trn, uint32_t, 4, in + 4)
KNOWN_BLOCK(threefry2x32, uint32_t, 2, in + 2)
KNOWN_BLOCK(threefry4x64, uint64_t, 4, in + 4)

static void test_known_answers(void **state)
{
	(void)state;
	check_known_answers((struct known_generator){"threefry4x32", 4, 8, known_threefry4x32}, 6);
	/* Of an independent implementation, threefry_trn.py. */
	check_known_answers((struct known_generator){"threefry4x32_trn", 4, 8, known_threefry4x32_trn}, 6);
	check_known_answers((struct known_generator){"threefry2x32", 2, 4, known_threefry2x32}, 9);
	check_known_answers((struct known_generator){"threefry4x64", 4, 8, known_threefry4x64}, 9);
}

static int lines;

static void check_stream_vector(char *line)
{
	unsigned long long seed, stream, draw, position;
	uint32_t want[4];
	size_t n_kernels;
	const struct rng_kernel *const *kernels = threefry_kernels(&n_kernels);

	if (sscanf(line, "%llx %llx %llu %llu : %x %x %x %x", &seed, &stream, &draw, &position, &want[0], &want[1],
		   &want[2], &want[3]) != 8)
		return;
	for (size_t v = 0; v < n_kernels; v++) {
		const struct stream id = {GENERATOR_THREEFRY4X32, seed, stream};
		struct rng_span span = {.group = position / 4, .draw = (uint32_t)draw};
		uint32_t words[4];

		if ((kernels[v]->needs & ~cpu_detect()) != 0)
			continue;
		stream_key(&id, span.key);
		kernels[v]->bits(&span, 1, words);
		for (int i = 0; i < 4; i++)
			if (words[i] != want[i] || stream_word(&id, position + i, (uint32_t)draw) != want[i])
				fail_msg("%s, position %llu + %d: expected %08x, got %08x", kernels[v]->name, position,
					 i, want[i], words[i]);
	}
	lines++;
}

static void test_stream_vectors(void **state)
{
	(void)state;
	lines = 0;
	for_each_line("tests/vectors/stream_vectors.txt", check_stream_vector);
	assert_int_equal(lines, 8);
}

static void check_variants(enum generator generator, uint64_t draws)
{
	size_t n_kernels;
	const struct rng_kernel *const *kernels = generator_row(generator)->kernels(&n_kernels);

	for (size_t v = 0; v < n_kernels; v++)
		if (can_run(generator_row(generator)->name, kernels[v]->name, kernels[v]->needs))
			check_kernel(kernels[v], generator, draws, full_check() ? 20000 : 1500);
}

static void test_every_variant(void **state)
{
	(void)state;
	check_variants(GENERATOR_THREEFRY4X32, UINT64_C(1) << 32);
	check_variants(GENERATOR_THREEFRY4X32_TRN, UINT64_C(1) << 32);
	check_variants(GENERATOR_THREEFRY2X32, UINT64_C(1) << 25);
	check_variants(GENERATOR_THREEFRY4X64, UINT64_C(1) << 32);
}

static void test_selection(void **state)
{
	(void)state;
	assert_string_equal(generator_select(GENERATOR_THREEFRY4X32, 0)->name, "scalar");
#if defined(__x86_64__)
	assert_string_equal(generator_select(GENERATOR_THREEFRY4X32, CPU_AVX2)->name, "avx2");
	assert_string_equal(generator_select(GENERATOR_THREEFRY4X32, CPU_AVX2 | CPU_AVX512 | CPU_AVX512_BF16)->name,
			    "avx512");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_stream_vectors),
		cmocka_unit_test(test_every_variant),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
