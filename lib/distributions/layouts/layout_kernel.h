/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of all layouts: what each defines, and the functions that make them, for each instruction set. */
#ifndef TRNSCI_DISTRIBUTIONS_LAYOUT_KERNEL_H
#define TRNSCI_DISTRIBUTIONS_LAYOUT_KERNEL_H

#include "distributions/layouts/layout.h"

struct draw;

/* Writes elements [begin, begin + n) of a draw, whose `layout` is the call. */
typedef void layout_fill_function(const struct draw *draw, uint64_t begin, size_t n, void *out);

/* What a layout defines: a distribution in a dtype. */
struct layout_way {
	enum distribution distribution;
	enum dtype dtype;
	layout_fill_function *fill; /* NULL behind the last */
	bool is_ordered;            /* a number may take several words: those before it are made, too, up to LAYOUT_ORDERED_MOST */
};

struct layout_kernel {
	const char *name;
	uint32_t needs;
	const struct layout_way *ways[LAYOUT_COUNT]; /* NULL: those of the stream itself */
};

extern const struct layout_kernel layout_kernel_scalar, layout_kernel_avx2, layout_kernel_avx512, layout_kernel_neon;

const struct layout_kernel *const *layout_kernel_kernels(size_t *ret_count);
const struct layout_kernel *layout_kernel_select(uint32_t features);

/* Returns how a kernel makes what the layout defines, or NULL where it does not define that distribution and dtype. */
const struct layout_way *layout_find_way(const struct layout_kernel *kernel, enum layout layout, enum distribution distribution,
					 enum dtype dtype);

/* Writes what a layout defines, as "uniform (f32|f64), normal (f32)", to text. */
enum { LAYOUT_TEXT_BYTES = 240 };
const char *layout_describe(enum layout layout, char text[LAYOUT_TEXT_BYTES]);

/* Writes elements [begin, begin + n) of a draw that has a layout. */
void layout_fill(const struct layout_kernel *kernel, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
