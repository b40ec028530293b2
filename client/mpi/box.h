/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a global array's indices, and copies between memories in which they lie with any strides. */
#ifndef TRNSCI_MPI_BOX_H
#define TRNSCI_MPI_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

/* Indices low[i] to high[i] - 1 along each axis; axes behind the last are 0 to 1. */
struct box {
	uint64_t low[TRNSCI_MAX_DIMS], high[TRNSCI_MAX_DIMS];
};

/* A box in memory. */
struct part {
	struct box box;
	char *at;			  /* the element at box.low */
	size_t stride[TRNSCI_MAX_DIMS]; /* bytes from an index to the next */
};

struct box box_whole(size_t ndim, const uint64_t *shape);
/* False where the intersection is empty. */
bool box_intersect(const struct box *a, const struct box *b, struct box *ret_box);
uint64_t box_count(const struct box *box);
/* Sets the strides of a box that lies row-major by itself, elements of `size` bytes. */
void part_pack(struct part *part, size_t size);
/* Copies what two parts have in common. */
void part_copy(const struct part *to, const struct part *from, size_t size);

#endif
