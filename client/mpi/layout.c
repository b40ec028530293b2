/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of global arrays over ranks. */
#include "layout.h"

static int check_shape(const struct trnsci_mpi_layout *layout, struct trnsci_error *err)
{
	uint64_t count = 1;

	if (layout->ndim < 1 || layout->ndim > TRNSCI_MAX_DIMS)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "layout: ndim: %zu, allowed are 1 to %d", layout->ndim,
				  TRNSCI_MAX_DIMS);
	for (size_t i = 0; i < layout->ndim; i++)
		if (__builtin_mul_overflow(count, layout->shape[i] ? layout->shape[i] : 1, &count) || count > UINT64_MAX / 32)
			return group_fail(err, TRNSCI_OUT_OF_RANGE, "layout: shape: more than 2^59 elements");
	return 0;
}

int layout_check(const struct trnsci_mpi_layout *layout, int size, struct trnsci_mpi_layout *ret_layout,
		 struct trnsci_error *err)
{
	struct trnsci_mpi_layout checked = *layout;
	uint64_t ranks = 1, given = 0;
	const int r = check_shape(layout, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < layout->ndim; i++)
		given |= layout->grid[i];
	for (size_t i = 0; i < layout->ndim; i++) {
		if (!given)
			checked.grid[i] = i == 0 ? (uint64_t)size : 1;
		if (checked.grid[i] < 1 || checked.grid[i] > (uint64_t)size || (ranks *= checked.grid[i]) > (uint64_t)size)
			break;
	}
	if (ranks != (uint64_t)size)
		return group_fail(err, TRNSCI_OUT_OF_RANGE,
				  "layout: grid: its product is not the number of ranks, allowed is %d", size);
	*ret_layout = checked;
	return 0;
}

/* Ranks are numbered over the grid in row order: the last axis's coordinate changes fastest. */
struct layout_axis layout_axis(const struct trnsci_mpi_layout *layout, int rank, size_t axis)
{
	uint64_t place = (uint64_t)rank;

	for (size_t i = layout->ndim; --i > axis;)
		place /= layout->grid[i];
	return (struct layout_axis){layout->shape[axis], layout->grid[axis], layout->block[axis], place % layout->grid[axis]};
}

static void contiguous(const struct layout_axis *axis, uint64_t *ret_begin, uint64_t *ret_end)
{
	trnsci_rank_part(axis->n, axis->coordinate, axis->grid, ret_begin, ret_end);
}

/* Whole blocks in turn, and the rest of the axis to the coordinate whose turn is next. */
uint64_t axis_count(const struct layout_axis *axis)
{
	uint64_t begin, end;

	if (axis->block == 0) {
		contiguous(axis, &begin, &end);
		return end - begin;
	}
	const uint64_t blocks = axis->n / axis->block, mine = axis->coordinate;
	const uint64_t count = (blocks / axis->grid + (mine < blocks % axis->grid)) * axis->block;

	return count + (blocks % axis->grid == mine ? axis->n % axis->block : 0);
}

uint64_t axis_global(const struct layout_axis *axis, uint64_t local)
{
	uint64_t begin, end;

	if (axis->block == 0) {
		contiguous(axis, &begin, &end);
		return begin + local;
	}
	return (local / axis->block * axis->grid + axis->coordinate) * axis->block + local % axis->block;
}

uint64_t axis_local(const struct layout_axis *axis, uint64_t global)
{
	uint64_t begin, end;

	if (axis->block == 0) {
		contiguous(axis, &begin, &end);
		return global - begin;
	}
	return global / axis->block / axis->grid * axis->block + global % axis->block;
}

/* first: the index itself if it is ours, else the begin of our next block: in this lap, or in the next one. */
bool axis_next(const struct layout_axis *axis, uint64_t global, uint64_t *ret_first, uint64_t *ret_count)
{
	uint64_t begin, end, first = global;

	if (axis->block == 0) {
		contiguous(axis, &begin, &end);
		first = global < begin ? begin : global;
	} else {
		const uint64_t number = global / axis->block, lap = number / axis->grid, place = number % axis->grid;

		if (place != axis->coordinate)
			first = ((lap + (place > axis->coordinate)) * axis->grid + axis->coordinate) * axis->block;
		/* One coordinate alone holds everything. */
		end = axis->grid == 1 ? axis->n : (first / axis->block + 1) * axis->block;
		end = end < axis->n ? end : axis->n;
	}
	if (first >= end)
		return false;
	*ret_first = first;
	*ret_count = end - first;
	return true;
}

uint64_t layout_count(const struct trnsci_mpi_layout *layout)
{
	uint64_t count = 1;

	for (size_t i = 0; i < layout->ndim; i++)
		count *= layout->shape[i];
	return count;
}

/* A walk over the consecutive elements that a rank holds, in the order of the global array. */
struct runs {
	struct layout_axis axes[TRNSCI_MAX_DIMS];
	uint64_t stride[TRNSCI_MAX_DIMS]; /* of the global array */
	size_t last;			  /* the axis behind which all is whole */
	int (*each)(void *arg, uint64_t first, uint64_t count);
	void *arg;
};

static int walk_runs(const struct runs *runs, size_t axis, uint64_t base)
{
	uint64_t first, count;
	int r = 0;

	for (uint64_t at = 0; r == 0 && axis_next(&runs->axes[axis], at, &first, &count); at = first + count) {
		if (axis == runs->last)
			r = runs->each(runs->arg, base + first * runs->stride[axis], count * runs->stride[axis]);
		for (uint64_t i = 0; axis < runs->last && r == 0 && i < count; i++)
			r = walk_runs(runs, axis + 1, base + (first + i) * runs->stride[axis]);
	}
	return r;
}

int layout_runs(const struct trnsci_mpi_layout *layout, int rank, int (*each)(void *arg, uint64_t first, uint64_t count),
		void *arg)
{
	struct runs runs = {.each = each, .arg = arg};
	uint64_t stride = 1;

	for (size_t i = layout->ndim; i-- > 0;) {
		runs.axes[i] = layout_axis(layout, rank, i);
		runs.stride[i] = stride;
		stride *= layout->shape[i];
		if (axis_count(&runs.axes[i]) == 0)
			return 0;
	}
	runs.last = layout->ndim - 1;
	while (runs.last > 0 && axis_count(&runs.axes[runs.last]) == runs.axes[runs.last].n)
		runs.last--;
	return walk_runs(&runs, 0, 0);
}

int trnsci_mpi_part_of(const struct trnsci_mpi_layout *layout, int rank, int size, struct trnsci_mpi_part *ret_part,
		       struct trnsci_error *err)
{
	struct trnsci_mpi_part part = {.count = 1};
	struct trnsci_mpi_layout checked;
	const int r = layout_check(layout, size, &checked, err);

	if (r < 0)
		return r;
	if (rank < 0 || rank >= size)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "rank: %d, allowed are 0 to %d", rank, size - 1);
	for (size_t i = 0; i < layout->ndim; i++) {
		const struct layout_axis axis = layout_axis(&checked, rank, i);

		part.shape[i] = axis_count(&axis);
		part.first[i] = part.shape[i] ? axis_global(&axis, 0) : 0;
		part.count *= part.shape[i];
	}
	*ret_part = part;
	return 0;
}

uint64_t trnsci_mpi_global_index(const struct trnsci_mpi_layout *layout, int rank, int size, size_t axis, uint64_t local)
{
	struct trnsci_mpi_layout checked;

	if (layout_check(layout, size, &checked, NULL) < 0 || axis >= checked.ndim)
		return 0;
	const struct layout_axis of = layout_axis(&checked, rank, axis);

	return axis_global(&of, local);
}
