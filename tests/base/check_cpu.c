/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of instruction sets and the mask that they are: what each allows, by what name it goes, and that no kernel of a
 * table outruns it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/error.h"
#include "rng/generator.h"

enum { OPTIONAL = CPU_AESNI | CPU_VAES256 | CPU_VAES512 | CPU_ARM_AES | CPU_GFNI };

static uint32_t allowed(const char *mask)
{
	uint32_t features = UINT32_MAX;

	assert_int_equal(cpu_allowed(mask, &features), 0);
	return features;
}

/* AES instructions and GFNI are no level of their own: a CPU with or without them has the same name. */
static void test_names(void **state)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);
	uint32_t features;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(cpu_level_name(levels[i].features), levels[i].name);
		assert_string_equal(cpu_level_name(levels[i].features | levels[i].optional), levels[i].name);
		assert_int_equal(levels[i].features & OPTIONAL, 0);
		assert_int_equal(cpu_level_parse(levels[i].name, &features), 0);
		assert_int_equal(features, levels[i].features);
	}
	assert_string_equal(cpu_level_name(0), "scalar");
	assert_int_equal(cpu_level_parse("avx3", &features), -ERROR_OUT_OF_RANGE);
}

static void test_mask(void **state)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);
	uint32_t features = 77;

	(void)state;
	assert_int_equal(allowed(NULL), cpu_detect());
	assert_int_equal(allowed(""), cpu_detect());
	assert_int_equal(allowed("scalar"), 0);
	assert_int_equal(cpu_allowed("avx3", &features), -ERROR_OUT_OF_RANGE);
	assert_int_equal(features, 77);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(allowed(levels[i].name), cpu_level_usable(&levels[i]));
		assert_int_equal(allowed(levels[i].name) & ~cpu_detect(), 0);
		printf("# %s: features %#x of %#x\n", levels[i].name, allowed(levels[i].name), cpu_detect());
	}
#if defined(__x86_64__)
	/* VAES works on vectors that the level must have, too. */
	assert_int_equal(allowed("avx2") & (CPU_AVX512 | CPU_VAES512 | CPU_GFNI), 0);
	assert_int_equal(allowed("avx2") & OPTIONAL, cpu_detect() & (CPU_AESNI | CPU_VAES256));
	assert_int_equal(allowed("avx512") & OPTIONAL, cpu_detect() & OPTIONAL);
#endif
}

/* Each subset of this CPU's features chooses a kernel that needs nothing else, the first such of its table. */
static void test_every_subset(void **state)
{
	const uint32_t all = cpu_detect();

	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		size_t count;
		const struct rng_kernel *const *kernels = generator_row((enum generator)g)->kernels(&count);

		for (uint32_t subset = all;; subset = (subset - 1) & all) {
			const struct rng_kernel *chosen = generator_select((enum generator)g, subset);

			for (size_t k = 0; k < count && kernels[k] != chosen; k++)
				assert_int_not_equal(kernels[k]->needs & ~subset, 0);
			assert_int_equal(chosen->needs & ~subset, 0);
			if (subset == 0)
				break;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_mask),
		cmocka_unit_test(test_every_subset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
