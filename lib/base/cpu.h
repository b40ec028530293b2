/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU can do, and the mask that holds kernels below it.
 *
 * Every family of kernels keeps a table, best first and scalar last, each row with the features it needs; the first
 * row whose needs are all in the allowed set is the one that runs. */
#ifndef TRNSCI_BASE_CPU_H
#define TRNSCI_BASE_CPU_H

#include <stddef.h>
#include <stdint.h>

enum cpu_feature {
	CPU_AVX2 = 1 << 0,        /* AVX2, FMA */
	CPU_AVX512 = 1 << 1,      /* AVX-512 F, DQ, BW, VL */
	CPU_AVX512_BF16 = 1 << 2, /* VDPBF16PS */
	CPU_AMX = 1 << 4,         /* TDPBF16PS, which the system lets this process use */
	CPU_NEON = 1 << 3,        /* AArch64 Advanced SIMD */
};

/* A named level stands for a set of features: "scalar", "avx2", "avx512", "avx512bf16", "amx", "neon". */
struct cpu_level {
	const char *name;
	uint32_t features;
};

/* All levels, lowest first; *ret_count is their number. */
const struct cpu_level *cpu_levels(size_t *ret_count);

/* The features of this CPU (and operating system). Any thread. */
uint32_t cpu_detect(void);

/* The features of the level called name; -ERROR_OUT_OF_RANGE when no level has that name. */
int cpu_level_parse(const char *name, uint32_t *ret_features);

/* The name of the highest level whose features are all present. */
const char *cpu_level_name(uint32_t features);

/* What this process may use: cpu_detect() lowered to the level that mask names (the value of TRNSCI_CPU). NULL or an
 * empty mask allows all; a level that the CPU lacks is lowered to what it has. -ERROR_OUT_OF_RANGE for an unknown
 * name. */
int cpu_allowed(const char *mask, uint32_t *ret_features);

#endif
