/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a kernel's variants, and the choice among them.
 *
 * STEM_simd.c is compiled once for each vector instruction set and defines STEM_avx2, STEM_avx512 and STEM_neon; STEM.c
 * defines STEM_scalar, the reference, and the table. A variant is a struct with the members `name` and `needs`, the
 * CPU_ features without which it must not run. */
#ifndef TRNSCI_BASE_KERNEL_TABLE_H
#define TRNSCI_BASE_KERNEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Rows of a table: the variants that this build has, best first. */
#if defined(__x86_64__)
#define KERNEL_ROWS_X86(stem) &stem##_avx512, &stem##_avx2,
#else
#define KERNEL_ROWS_X86(stem)
#endif
#if defined(__aarch64__)
#define KERNEL_ROWS_ARM(stem) &stem##_neon,
#else
#define KERNEL_ROWS_ARM(stem)
#endif
#define KERNEL_ROWS(stem) KERNEL_ROWS_X86(stem) KERNEL_ROWS_ARM(stem)

/* Defines STEM_kernels(), which returns the table (the rows given, then STEM_scalar), and STEM_select(features), which
 * returns its first variant that needs nothing beyond these CPU_ features. */
#define KERNEL_TABLE(type, stem, ...)                                                                                  \
	static const type *const stem##_table[] = {__VA_ARGS__ &stem##_scalar};                                        \
                                                                                                                       \
	const type *const *stem##_kernels(size_t *ret_count)                                                           \
	{                                                                                                              \
		*ret_count = sizeof stem##_table / sizeof *stem##_table;                                               \
		return stem##_table;                                                                                   \
	}                                                                                                              \
                                                                                                                       \
	const type *stem##_select(uint32_t features)                                                                   \
	{                                                                                                              \
		const type *const *kernel = stem##_table;                                                              \
                                                                                                                       \
		while ((*kernel)->needs & ~features)                                                                   \
			kernel++;                                                                                      \
		return *kernel;                                                                                        \
	}

#endif
