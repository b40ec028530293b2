/* SPDX-License-Identifier: Apache-2.0 */
/* Philox: the known answers of its authors, and random cases for every kernel. */
#include "rng/philox.h"

#include "rng/kernel_checks.h"
#include "rng/known_answers.h"

KNOWN_BLOCK(philox4x32, uint32_t, 4, in + 4)
KNOWN_BLOCK(philox2x32, uint32_t, 2, in[2])
KNOWN_BLOCK(philox4x64, uint64_t, 4, in + 4)

static void test_known_answers(void **state)
{
	(void)state;
	check_known_answers((struct known_generator){"philox4x32", 4, 6, known_philox4x32}, 6);
	check_known_answers((struct known_generator){"philox2x32", 2, 3, known_philox2x32}, 6);
	check_known_answers((struct known_generator){"philox4x64", 4, 6, known_philox4x64}, 6);
}

/* The counter: partition + 128 d in word 0, the batch in words 1 and 2, the stream in word 3. */
static void test_layout(void **state)
{
	const struct stream stream = {GENERATOR_PHILOX4X32, UINT64_C(0x0123456789ABCDEF), 0xFEDCBA98};
	const uint32_t counter[4] = {17 + 128 * 33554431u, 0x55555555, 0x2AAAAA, 0xFEDCBA98};
	const uint32_t key[2] = {0x89ABCDEF, 0x01234567};
	const uint64_t position = UINT64_C(0x2AAAAA55555555) * 512 + 17 * 4;
	uint32_t words[4];

	(void)state;
	philox4x32(counter, key, 10, words);
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(stream_word(&stream, position + w, 33554431), words[w]);
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
	check_variants(GENERATOR_PHILOX4X32, UINT64_C(1) << 25);
	check_variants(GENERATOR_PHILOX2X32, UINT64_C(1) << 25);
	check_variants(GENERATOR_PHILOX4X64, UINT64_C(1) << 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_every_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
