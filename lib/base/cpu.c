/* SPDX-License-Identifier: Apache-2.0 */
/* Detection by the compiler's builtins, which also check that the operating system saves the registers.
 *
 * Features build on each other (AVX-512 implies AVX2 here, and so on), so a set of them is always one that some level
 * names, AES and GFNI aside. */
#include "base/cpu.h"

#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "base/error.h"

enum { AES_OF_AVX2 = CPU_AESNI | CPU_VAES256, MORE_OF_AVX512 = AES_OF_AVX2 | CPU_VAES512 | CPU_GFNI };

/* Lowest first; each has all features of those before it. */
static const struct cpu_level levels[] = {
	{"scalar", 0, 0},
#if defined(__x86_64__)
	{"avx2", CPU_AVX2, AES_OF_AVX2},
	{"avx512", CPU_AVX2 | CPU_AVX512, MORE_OF_AVX512},
	{"avx512bf16", CPU_AVX2 | CPU_AVX512 | CPU_AVX512_BF16, MORE_OF_AVX512},
	{"amx", CPU_AVX2 | CPU_AVX512 | CPU_AVX512_BF16 | CPU_AMX, MORE_OF_AVX512},
#elif defined(__aarch64__)
	{"neon", CPU_NEON, CPU_ARM_AES},
#endif
};

enum { N_LEVELS = sizeof levels / sizeof *levels };

const struct cpu_level *cpu_levels(size_t *ret_count)
{
	*ret_count = N_LEVELS;
	return levels;
}

#if defined(__x86_64__)
/* Detects AMX-TILE and AMX-BF16, and asks Linux for permission to use the tiles: it saves them only for processes that
 * have asked (Documentation/arch/x86/xstate.rst). Asking again is harmless. */
static bool has_amx(void)
{
	enum { BF16_AND_TILE = 1 << 22 | 1 << 24, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & BF16_AND_TILE) == BF16_AND_TILE &&
	       syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

/* Returns the AES instructions that the vectors found so far can use. AESENC is bit 25 of leaf 1's ECX, its forms for
 * wide vectors are bit 9 of leaf 7's (Intel SDM, CPUID). */
static uint32_t detect_aes(uint32_t found)
{
	unsigned a, b, c, d;
	uint32_t aes = 0;

	if (__get_cpuid(1, &a, &b, &c, &d) && c >> 25 & 1)
		aes |= CPU_AESNI;
	if (aes && __get_cpuid_count(7, 0, &a, &b, &c, &d) && c >> 9 & 1)
		aes |= (found & CPU_AVX2 ? CPU_VAES256 : 0) | (found & CPU_AVX512 ? CPU_VAES512 : 0);
	return aes;
}
#endif

uint32_t cpu_detect(void)
{
#if defined(__x86_64__)
	uint32_t found = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		found |= CPU_AVX2;
	if ((found & CPU_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		found |= CPU_AVX512 | (__builtin_cpu_supports("gfni") ? CPU_GFNI : 0);
	if ((found & CPU_AVX512) && __builtin_cpu_supports("avx512bf16"))
		found |= CPU_AVX512_BF16;
	if ((found & CPU_AVX512_BF16) && has_amx())
		found |= CPU_AMX;
	return found | detect_aes(found);
#elif defined(__aarch64__)
	return CPU_NEON | (getauxval(AT_HWCAP) & HWCAP_AES ? CPU_ARM_AES : 0);
#else
	return 0;
#endif
}

uint32_t cpu_level_usable(const struct cpu_level *level)
{
	return (level->features | level->optional) & cpu_detect();
}

/* Returns the level of that name, or NULL. */
static const struct cpu_level *find_level(const char *name)
{
	for (size_t i = 0; i < N_LEVELS; i++)
		if (strcmp(levels[i].name, name) == 0)
			return &levels[i];
	return NULL;
}

int cpu_level_parse(const char *name, uint32_t *ret_features)
{
	const struct cpu_level *level = find_level(name);

	if (!level)
		return -ERROR_OUT_OF_RANGE;
	*ret_features = level->features;
	return 0;
}

const char *cpu_level_name(uint32_t features)
{
	size_t best = 0;

	for (size_t i = 0; i < N_LEVELS; i++)
		if ((levels[i].features & ~features) == 0)
			best = i;
	return levels[best].name;
}

int cpu_allowed(const char *mask, uint32_t *ret_features)
{
	const struct cpu_level *level;

	if (!mask || !*mask) {
		*ret_features = cpu_detect();
		return 0;
	}
	level = find_level(mask);
	if (!level)
		return -ERROR_OUT_OF_RANGE;
	*ret_features = cpu_level_usable(level);
	return 0;
}
