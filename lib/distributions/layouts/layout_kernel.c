/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts' numbers in plain C, the reference, the table of their variants, and what a layout defines. */
#include "distributions/layouts/layout_kernel_simd.c"

#include <stdio.h>

#include "base/kernel_table.h"
#include "distributions/rows/dist_row.h"

KERNEL_TABLE(struct layout_kernel, layout_kernel, KERNEL_ROWS(layout_kernel))

const struct layout_way *layout_find_way(const struct layout_kernel *kernel, enum layout layout, enum distribution distribution,
					 enum dtype dtype)
{
	const struct layout_way *way = kernel->ways[layout];

	while (way->fill && (way->distribution != distribution || way->dtype != dtype))
		way++;
	return way->fill ? way : NULL;
}

const char *layout_describe(enum layout layout, char text[LAYOUT_TEXT_BYTES])
{
	const struct layout_way *way = layout_kernel_scalar.ways[layout];
	size_t size = 0;

	for (text[0] = '\0'; way->fill && size < LAYOUT_TEXT_BYTES; way++) {
		const bool is_new = size == 0 || way[-1].distribution != way->distribution;
		const bool is_last = way[1].distribution != way->distribution;

		size += (size_t)snprintf(text + size, LAYOUT_TEXT_BYTES - size, "%s%s%s%s%s", is_new && size ? ", " : "",
					 is_new ? dist_name(way->distribution) : "", is_new ? " (" : "|", dtype_name(way->dtype),
					 is_last ? ")" : "");
	}
	return text;
}

void layout_fill(const struct layout_kernel *kernel, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	layout_find_way(kernel, draw->layout->layout, draw->distribution, draw->dtype)->fill(draw, begin, n, out);
}
