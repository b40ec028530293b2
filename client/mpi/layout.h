/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: which indices of an axis a rank holds, and the runs of consecutive elements that follow from them. */
#ifndef TRNSCI_MPI_LAYOUT_H
#define TRNSCI_MPI_LAYOUT_H

#include "group.h"

/* One axis of a layout as one coordinate of the grid sees it. With a block of b, index i lies in block i / b, and blocks are dealt
 * to the coordinates in turn (block-cyclic, as ScaLAPACK does). With block 0 each coordinate has one interval, that of
 * trnsci_rank_part. */
struct layout_axis {
	uint64_t n;          /* indices of the whole axis */
	uint64_t grid;       /* coordinates along it, at least 1 */
	uint64_t block;      /* indices of a block; 0: one interval for each coordinate */
	uint64_t coordinate; /* this one, below grid */
};

/* 0, or an error that names the field. Layouts that came through have a grid that is filled in, in *ret_layout. */
int layout_check(const struct trnsci_mpi_layout *layout, int size, struct trnsci_mpi_layout *ret_layout,
		 struct trnsci_error *err);
/* The axis of a checked layout, of a rank. */
struct layout_axis layout_axis(const struct trnsci_mpi_layout *layout, int rank, size_t axis);
/* Indices that the axis's coordinate holds. */
uint64_t axis_count(const struct layout_axis *axis);
/* The global index of a local one below axis_count. */
uint64_t axis_global(const struct layout_axis *axis, uint64_t local);
/* The local index of a global one that the coordinate holds. */
uint64_t axis_local(const struct layout_axis *axis, uint64_t global);
/* The first index at or after `global` that the coordinate holds, and the consecutive ones from there; false: none. */
bool axis_next(const struct layout_axis *axis, uint64_t global, uint64_t *ret_first, uint64_t *ret_count);
/* Elements of the global array. */
uint64_t layout_count(const struct trnsci_mpi_layout *layout);
/* Calls each for every run of consecutive elements that the rank holds, in their order; merges whole trailing axes. Stops
 * when each returns other than 0, which it returns. */
int layout_runs(const struct trnsci_mpi_layout *layout, int rank, int (*each)(void *arg, uint64_t first, uint64_t count),
		void *arg);

#endif
