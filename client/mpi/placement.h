/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of an array lie at one moment of a transform: over which ranks, and in which order in their memory.
 *
 * Axes here are those of the transform. An array of n1 x n2 elements that stands for one of n1 n2 is `linear`: ranks hold
 * intervals of the index axis0 n2 + axis1, or, turned, axis1 n1 + axis0. */
#ifndef TRNSCI_MPI_PLACEMENT_H
#define TRNSCI_MPI_PLACEMENT_H

#include "box.h"
#include "layout.h"

enum { MAX_BOXES = 3 }; /* of an interval: the end of a row, whole rows, the begin of one */

struct placement {
	struct trnsci_mpi_layout layout; /* of the memory's axes; of a linear one, the one of its index */
	size_t order[TRNSCI_MAX_DIMS];	 /* the axis that each axis of the memory is */
	size_t ndim;
	bool linear, turned;
	uint64_t shape[2]; /* of a linear one: n1, n2 */
};

struct placement placement_of(const struct trnsci_mpi_layout *layout, bool transposed);
struct placement placement_linear(const struct trnsci_mpi_layout *layout, uint64_t n1, uint64_t n2, bool turned);
/* Ranks along an axis; 0 for an axis that is dealt in blocks to several, or belongs to a linear one. */
uint64_t placement_grid(const struct placement *placement, size_t axis);
/* Whether each axis is cut into one part for each coordinate. */
bool placement_is_contiguous(const struct placement *placement);
/* Whether every rank holds the same elements in both. */
bool placement_same(const struct placement *a, const struct placement *b);
/* The boxes of a rank, at most MAX_BOXES, of one that is linear or contiguous; returns how many are not empty. */
size_t placement_boxes(const struct placement *placement, int rank, struct box ret_boxes[MAX_BOXES]);
/* Elements of a rank. */
uint64_t placement_count(const struct placement *placement, int rank);
/* Sets the address and the strides of a box that the rank holds in one piece. */
void placement_place(const struct placement *placement, int rank, char *memory, size_t size, struct part *part);
/* Calls each for every box that rank `a` of one and rank `b` of the other placement have in common, within `limit`. Both
 * sides of a message see the same boxes in the same order. Stops when each returns other than 0. */
int placement_common(const struct placement *from, int a, const struct placement *to, int b, const struct box *limit,
		     int (*each)(void *arg, const struct box *box), void *arg);

#endif
