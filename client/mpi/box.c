/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies of boxes.
 *
 * Axes that follow one another in both memories are joined first. What is left is copied in runs where both memories have the
 * same fastest axis, and otherwise transposed in tiles that fit the first-level cache. */
#include "box.h"

#include <string.h>

enum { TILE = 16 };

struct box box_whole(size_t ndim, const uint64_t *shape)
{
	struct box box;

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++) {
		box.low[i] = 0;
		box.high[i] = i < ndim ? shape[i] : 1;
	}
	return box;
}

bool box_intersect(const struct box *a, const struct box *b, struct box *ret_box)
{
	struct box box;

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++) {
		box.low[i] = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
		box.high[i] = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
		if (box.low[i] >= box.high[i])
			return false;
	}
	*ret_box = box;
	return true;
}

uint64_t box_count(const struct box *box)
{
	uint64_t count = 1;

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++)
		count *= box->high[i] - box->low[i];
	return count;
}

void part_pack(struct part *part, size_t size)
{
	for (size_t i = TRNSCI_MAX_DIMS; i-- > 0;) {
		part->stride[i] = size;
		size *= part->box.high[i] - part->box.low[i];
	}
}

/* The axes of one copy. */
struct copy {
	size_t n, size;
	struct {
		uint64_t extent;
		size_t to, from;
	} axes[TRNSCI_MAX_DIMS];
};

static void add_axis(struct copy *copy, uint64_t extent, size_t to, size_t from)
{
	size_t i = copy->n++;

	/* The fastest of the target comes last. */
	for (; i > 0 && copy->axes[i - 1].to < to; i--)
		copy->axes[i] = copy->axes[i - 1];
	copy->axes[i].extent = extent;
	copy->axes[i].to = to;
	copy->axes[i].from = from;
}

static void join_axes(struct copy *copy)
{
	size_t kept = 0;

	for (size_t i = 1; i < copy->n; i++) {
		const uint64_t extent = copy->axes[i].extent;

		if (copy->axes[kept].to == extent * copy->axes[i].to && copy->axes[kept].from == extent * copy->axes[i].from) {
			copy->axes[kept].extent *= extent;
			copy->axes[kept].to = copy->axes[i].to;
			copy->axes[kept].from = copy->axes[i].from;
		} else {
			copy->axes[++kept] = copy->axes[i];
		}
	}
	copy->n = copy->n ? kept + 1 : 0;
}

struct wide {
	uint64_t halves[2];
};

/* Columns of the source are rows of the target. */
#define DEFINE_TRANSPOSE(name, type)                                                                                   \
	static void name(char *to, size_t to_row, const char *from, size_t from_column, uint64_t rows, uint64_t columns)    \
	{                                                                                                              \
		for (uint64_t r0 = 0; r0 < rows; r0 += TILE)                                                           \
			for (uint64_t c0 = 0; c0 < columns; c0 += TILE)                                                \
				for (uint64_t r = r0; r < rows && r < r0 + TILE; r++) {                                \
					const uint64_t end = columns < c0 + TILE ? columns : c0 + TILE;                \
					for (uint64_t c = c0; c < end; c++)                                            \
						memcpy(to + r * to_row + c * sizeof(type),                             \
						       from + r * sizeof(type) + c * from_column, sizeof(type));       \
				}                                                                                      \
	}
DEFINE_TRANSPOSE(transpose4, uint32_t)
DEFINE_TRANSPOSE(transpose8, uint64_t)
DEFINE_TRANSPOSE(transpose16, struct wide)

/* Elements apart in both memories. */
static void copy_elements(const struct copy *copy, char *to, const char *from)
{
	const size_t last = copy->n - 1;

	for (uint64_t i = 0; i < copy->axes[last].extent; i++)
		memcpy(to + i * copy->axes[last].to, from + i * copy->axes[last].from, copy->size);
}

static void copy_plane(const struct copy *copy, char *to, const char *from)
{
	const size_t row = copy->n - 2, column = copy->n - 1;
	const uint64_t rows = copy->axes[row].extent, columns = copy->axes[column].extent;
	void (*const transpose)(char *, size_t, const char *, size_t, uint64_t, uint64_t) =
		copy->size == 4 ? transpose4 : copy->size == 8 ? transpose8 : transpose16;

	transpose(to, copy->axes[row].to, from, copy->axes[column].from, rows, columns);
}

static void copy_axes(const struct copy *copy, size_t axis, char *to, const char *from)
{
	const size_t left = copy->n - axis, last = copy->n - 1;
	const bool joined = copy->axes[last].to == copy->size && copy->axes[last].from == copy->size;
	const bool turned = copy->n > 1 && copy->axes[last].to == copy->size && copy->axes[last - 1].from == copy->size &&
			    (copy->size == 4 || copy->size == 8 || copy->size == 16);

	if (left == 1 && joined)
		memcpy(to, from, copy->axes[last].extent * copy->size);
	else if (left == 2 && turned)
		copy_plane(copy, to, from);
	else if (left == 1)
		copy_elements(copy, to, from);
	else
		for (uint64_t i = 0; i < copy->axes[axis].extent; i++)
			copy_axes(copy, axis + 1, to + i * copy->axes[axis].to, from + i * copy->axes[axis].from);
}

/* The source's fastest axis becomes the last but one, so that planes of both are transposed. */
static void pair_axes(struct copy *copy)
{
	size_t fastest = 0;

	for (size_t i = 1; i < copy->n; i++)
		if (copy->axes[i].from < copy->axes[fastest].from)
			fastest = i;
	if (copy->n < 3 || fastest >= copy->n - 2)
		return;
	for (size_t i = fastest; i < copy->n - 2; i++) {
		const uint64_t extent = copy->axes[i].extent;
		const size_t to = copy->axes[i].to, from = copy->axes[i].from;

		copy->axes[i] = copy->axes[i + 1];
		copy->axes[i + 1].extent = extent;
		copy->axes[i + 1].to = to;
		copy->axes[i + 1].from = from;
	}
}

void part_copy(const struct part *to, const struct part *from, size_t size)
{
	struct copy copy = {.size = size};
	struct box common;
	char *target = to->at;
	const char *source = from->at;

	if (!box_intersect(&to->box, &from->box, &common))
		return;
	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++) {
		target += (common.low[i] - to->box.low[i]) * to->stride[i];
		source += (common.low[i] - from->box.low[i]) * from->stride[i];
		if (common.high[i] - common.low[i] > 1)
			add_axis(&copy, common.high[i] - common.low[i], to->stride[i], from->stride[i]);
	}
	join_axes(&copy);
	pair_axes(&copy);
	if (copy.n == 0)
		memcpy(target, source, size);
	else
		copy_axes(&copy, 0, target, source);
}
