/* SPDX-License-Identifier: Apache-2.0 */
/* Placements of arrays over ranks. */
#include "placement.h"

struct placement placement_of(const struct trnsci_mpi_layout *layout, bool transposed)
{
	struct placement placement = {.layout = *layout, .ndim = layout->ndim};

	for (size_t i = 0; i < layout->ndim; i++)
		placement.order[i] = i;
	if (transposed) {
		placement.order[0] = 1;
		placement.order[1] = 0;
	}
	return placement;
}

struct placement placement_linear(const struct trnsci_mpi_layout *layout, uint64_t n1, uint64_t n2, bool turned)
{
	return (struct placement){.layout = *layout, .ndim = 2, .linear = true, .turned = turned, .shape = {n1, n2}};
}

static size_t memory_axis(const struct placement *placement, size_t axis)
{
	size_t i = 0;

	while (placement->order[i] != axis)
		i++;
	return i;
}

/* An axis of one that is not linear, as a rank sees it. */
static struct layout_axis axis_of(const struct placement *placement, int rank, size_t axis)
{
	return layout_axis(&placement->layout, rank, memory_axis(placement, axis));
}

uint64_t placement_grid(const struct placement *placement, size_t axis)
{
	if (placement->linear)
		return 0;
	const size_t i = memory_axis(placement, axis);

	return placement->layout.block[i] && placement->layout.grid[i] > 1 ? 0 : placement->layout.grid[i];
}

bool placement_is_contiguous(const struct placement *placement)
{
	for (size_t i = 0; i < placement->ndim; i++)
		if (placement_grid(placement, i) == 0)
			return false;
	return true;
}

bool placement_same(const struct placement *a, const struct placement *b)
{
	size_t i = 0, k = 0;

	if (!placement_is_contiguous(a) || !placement_is_contiguous(b))
		return false;
	for (;; i++, k++) {
		while (i < a->ndim && a->layout.grid[i] == 1)
			i++;
		while (k < b->ndim && b->layout.grid[k] == 1)
			k++;
		if (i == a->ndim || k == b->ndim)
			return i == a->ndim && k == b->ndim;
		if (a->order[i] != b->order[k] || a->layout.grid[i] != b->layout.grid[k])
			return false;
	}
}

static void interval_of(const struct placement *placement, int rank, uint64_t *ret_begin, uint64_t *ret_end)
{
	const struct layout_axis axis = layout_axis(&placement->layout, rank, 0);

	trnsci_rank_part(axis.n, axis.coordinate, axis.grid, ret_begin, ret_end);
}

/* A box of rows a to b - 1 and of columns c to d - 1 of a linear one. */
static size_t add_box(const struct placement *placement, uint64_t a, uint64_t b, uint64_t c, uint64_t d, struct box *box)
{
	const size_t slow = placement->turned ? 1 : 0;

	if (a >= b || c >= d)
		return 0;
	*box = box_whole(0, NULL);
	box->low[slow] = a;
	box->high[slow] = b;
	box->low[1 - slow] = c;
	box->high[1 - slow] = d;
	return 1;
}

/* An interval of the linear index, as boxes: the end of its first row, whole rows, the begin of its last. */
static size_t interval_boxes(const struct placement *placement, int rank, struct box *ret_boxes)
{
	const uint64_t row = placement->shape[placement->turned ? 0 : 1];
	uint64_t begin, end;
	size_t n;

	interval_of(placement, rank, &begin, &end);
	const uint64_t first = begin / row, last = end / row;

	if (begin >= end)
		return 0;
	if (first == last)
		return add_box(placement, first, first + 1, begin % row, end % row, ret_boxes);
	n = begin % row ? add_box(placement, first, first + 1, begin % row, row, ret_boxes) : 0;
	n += add_box(placement, first + (begin % row != 0), last, 0, row, ret_boxes + n);
	return n + add_box(placement, last, last + 1, 0, end % row, ret_boxes + n);
}

size_t placement_boxes(const struct placement *placement, int rank, struct box ret_boxes[MAX_BOXES])
{
	if (placement->linear)
		return interval_boxes(placement, rank, ret_boxes);
	ret_boxes[0] = box_whole(0, NULL);
	for (size_t i = 0; i < placement->ndim; i++) {
		const struct layout_axis axis = axis_of(placement, rank, i);

		if (axis.n == 0 || axis_count(&axis) == 0)
			return 0;
		ret_boxes[0].low[i] = axis_global(&axis, 0);
		ret_boxes[0].high[i] = ret_boxes[0].low[i] + axis_count(&axis);
	}
	return 1;
}

uint64_t placement_count(const struct placement *placement, int rank)
{
	uint64_t count = 1;

	for (size_t i = 0; i < placement->layout.ndim; i++) {
		const struct layout_axis axis = layout_axis(&placement->layout, rank, i);

		count *= axis_count(&axis);
	}
	return count;
}

/* The rank's memory holds its interval from `begin` on, so an element's place is its linear index less begin. */
static void place_linear(const struct placement *placement, int rank, char *memory, size_t size, struct part *part)
{
	const size_t slow = placement->turned ? 1 : 0;
	uint64_t begin, end;

	interval_of(placement, rank, &begin, &end);
	part->stride[1 - slow] = size;
	part->stride[slow] = size * placement->shape[1 - slow];
	part->at = memory + part->box.low[slow] * part->stride[slow] + part->box.low[1 - slow] * size - begin * size;
}

void placement_place(const struct placement *placement, int rank, char *memory, size_t size, struct part *part)
{
	size_t stride = size;

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++)
		part->stride[i] = size;
	if (placement->linear) {
		place_linear(placement, rank, memory, size, part);
		return;
	}
	part->at = memory;
	for (size_t i = placement->ndim; i-- > 0;) {
		const size_t axis = placement->order[i];
		const struct layout_axis of = layout_axis(&placement->layout, rank, i);

		part->stride[axis] = stride;
		part->at += axis_local(&of, part->box.low[axis]) * stride;
		stride *= axis_count(&of);
	}
}

/* ---- what two ranks have in common ---- */

/* A walk over the boxes that two ranks share: along each axis the runs of indices that both hold, and their product. */
struct common {
	struct layout_axis from[TRNSCI_MAX_DIMS], to[TRNSCI_MAX_DIMS];
	size_t ndim;
	const struct box *limit;
	int (*each)(void *arg, const struct box *box);
	void *arg;
};

/* The next run of indices, at or after `at`, that both axes hold. */
static bool next_common(const struct layout_axis *a, const struct layout_axis *b, uint64_t at, uint64_t *ret_first,
			uint64_t *ret_count)
{
	uint64_t first, second, count, other;

	for (;; at = second) {
		if (!axis_next(a, at, &first, &count) || !axis_next(b, first, &second, &other))
			return false;
		if (second - first < count)
			break;
	}
	count -= second - first;
	*ret_first = second;
	*ret_count = count < other ? count : other;
	return true;
}

static int walk_common(const struct common *common, size_t axis, struct box *box)
{
	uint64_t first, count;
	int r = 0;

	if (axis == common->ndim)
		return common->each(common->arg, box);
	for (uint64_t at = common->limit->low[axis];
	     r == 0 && next_common(&common->from[axis], &common->to[axis], at, &first, &count) && first < common->limit->high[axis];
	     at = first + count) {
		box->low[axis] = first;
		box->high[axis] = first + count < common->limit->high[axis] ? first + count : common->limit->high[axis];
		r = walk_common(common, axis + 1, box);
	}
	return r;
}

static int walk_boxes(const struct placement *from, int a, const struct placement *to, int b, const struct box *limit,
		      int (*each)(void *arg, const struct box *box), void *arg)
{
	struct box first[MAX_BOXES], second[MAX_BOXES], common;
	const size_t n_first = placement_boxes(from, a, first), n_second = placement_boxes(to, b, second);
	int r = 0;

	for (size_t i = 0; i < n_first; i++)
		for (size_t k = 0; r == 0 && k < n_second; k++)
			if (box_intersect(&first[i], &second[k], &common) && box_intersect(&common, limit, &common))
				r = each(arg, &common);
	return r;
}

int placement_common(const struct placement *from, int a, const struct placement *to, int b, const struct box *limit,
		     int (*each)(void *arg, const struct box *box), void *arg)
{
	struct common common = {.ndim = from->ndim, .limit = limit, .each = each, .arg = arg};
	struct box box = box_whole(0, NULL);

	if (from->linear || to->linear)
		return walk_boxes(from, a, to, b, limit, each, arg);
	for (size_t i = 0; i < from->ndim; i++) {
		common.from[i] = axis_of(from, a, i);
		common.to[i] = axis_of(to, b, i);
	}
	return walk_common(&common, 0, &box);
}
