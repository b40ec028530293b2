/* SPDX-License-Identifier: Apache-2.0 */
/* ARS: the known answers of its authors, and random cases for every kernel. */
#include "rng/ars.h"

#include "rng/kernel_checks.h"
#include "rng/known_answers.h"

KNOWN_BLOCK(ars4x32, uint32_t, 4, in + 4)

static void test_known_answers(void **state)
{
	(void)state;
	check_known_answers((struct known_generator){"ars4x32", 4, 8, known_ars4x32}, 10);
}

/* The counter: partition, batch in words 1 and 2, draw in word 3; the key: seed, then stream. The words are those of
 * Random123's ars.h for the same counter and key. */
static void test_layout(void **state)
{
	const struct stream stream = {GENERATOR_ARS4X32_7, UINT64_C(0x0123456789ABCDEF), 5};
	const uint64_t position = UINT64_C(0x100000001) * STREAM_BATCH_WORDS + 127 * STREAM_GROUP_WORDS;
	const uint32_t expected[4] = {0xa185998d, 0x0f63fdee, 0xe61e6717, 0xb57e0eac};
	const uint32_t counter[4] = {127, 1, 1, 9}, key[4] = {0x89ABCDEF, 0x01234567, 5, 0};
	uint32_t words[4];

	(void)state;
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(stream_word(&stream, position + w, 0), expected[w]);
	ars4x32(counter, key, 7, words);
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(stream_word(&stream, position + w, 9), words[w]);
}

static void test_every_variant(void **state)
{
	size_t n_kernels;
	const struct rng_kernel *const *kernels = ars_kernels(&n_kernels);

	(void)state;
	for (size_t v = 0; v < n_kernels; v++)
		if (can_run("ars", kernels[v]->name, kernels[v]->needs))
			check_kernel(kernels[v], GENERATOR_ARS4X32_7, UINT64_C(1) << 32, full_check() ? 20000 : 1500);
}

/* Each AES feature chooses its own row, and none of them any. */
static void test_choice(void **state)
{
	(void)state;
	assert_string_equal(ars_select(0)->name, "scalar");
#if defined(__x86_64__)
	assert_string_equal(ars_select(CPU_AVX2 | CPU_AVX512)->name, "scalar");
	assert_string_equal(ars_select(CPU_AVX2 | CPU_AESNI)->name, "aesni");
	assert_string_equal(ars_select(CPU_AVX2 | CPU_AVX512 | CPU_AESNI)->name, "aesni");
	assert_string_equal(ars_select(CPU_AVX2 | CPU_AESNI | CPU_VAES256)->name, "vaes256");
	assert_string_equal(ars_select(CPU_AVX2 | CPU_AVX512 | CPU_AESNI | CPU_VAES256 | CPU_VAES512)->name, "vaes512");
#elif defined(__aarch64__)
	assert_string_equal(ars_select(CPU_NEON)->name, "scalar");
	assert_string_equal(ars_select(CPU_NEON | CPU_ARM_AES)->name, "armaes");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_every_variant),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
