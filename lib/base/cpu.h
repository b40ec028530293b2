/* SPDX-License-Identifier: Apache-2.0 */
/* CPU features, and the mask that limits which kernels run.
 *
 * Every family of kernels has a table, best first and scalar last (base/kernel_table.h). The first row whose needs are
 * within the allowed features runs. */
#ifndef TRNSCI_BASE_CPU_H
#define TRNSCI_BASE_CPU_H

#include <stddef.h>
#include <stdint.h>

/* Bits of a set of features. Their numbers are internal; clients know levels by name. */
enum cpu_feature {
	CPU_AVX2 = 1 << 0,        /* AVX2, FMA */
	CPU_AVX512 = 1 << 1,      /* AVX-512 F, DQ, BW, VL */
	CPU_AVX512_BF16 = 1 << 2, /* VDPBF16PS */
	CPU_AMX = 1 << 4,         /* TDPBF16PS, if the system permits its use */
	CPU_NEON = 1 << 3,        /* AArch64 Advanced SIMD */
	CPU_AESNI = 1 << 5,       /* AESENC on 128 bits */
	CPU_VAES256 = 1 << 6,     /* the same on 256 bits, with AVX2 */
	CPU_VAES512 = 1 << 7,     /* and on 512 bits, with AVX-512 */
	CPU_ARM_AES = 1 << 8,     /* AESE and AESMC of AArch64 */
	CPU_GFNI = 1 << 9,        /* GF2P8AFFINEQB, with AVX-512 */
};

/* A level is a name for a set of features: "scalar", "avx2", "avx512", "avx512bf16", "amx", "neon". A CPU has a level
 * if it has all of its features. Units for AES and GFNI came to each level at another time, so they are optional: the level as a
 * mask allows them where the CPU has them. */
struct cpu_level {
	const char *name;
	uint32_t features, optional;
};

/* Returns the levels of this architecture, lowest first; *ret_count is their number. */
const struct cpu_level *cpu_levels(size_t *ret_count);

/* Returns the features that this CPU has and the operating system supports. Any thread. */
uint32_t cpu_detect(void);

/* Returns the features of a level that this CPU has, the optional ones included. */
uint32_t cpu_level_usable(const struct cpu_level *level);

/* Looks up a level by its name: its features without the optional ones. Returns 0, or -ERROR_OUT_OF_RANGE for an
 * unknown name. */
int cpu_level_parse(const char *name, uint32_t *ret_features);

/* Returns the name of the highest level whose features are all in `features`. */
const char *cpu_level_name(uint32_t features);

/* Computes the features that this process may use: those of the CPU that the level `mask` (the value of TRNSCI_CPU)
 * has, too, the optional ones included. A mask of NULL or "" allows all. Returns 0, or -ERROR_OUT_OF_RANGE for an
 * unknown level. */
int cpu_allowed(const char *mask, uint32_t *ret_features);

#endif
