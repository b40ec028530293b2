/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions/fields/spherical.h"

#include <math.h>

#include "base/chunk.h"

static double extent_of(const struct field_axis *axis)
{
	return (double)axis->n * axis->spacing;
}

/* Returns how many images of a point count on either side: the point itself lies within half an extent. */
static int count_images(const struct field_axis *axis)
{
	return (int)(axis->length / extent_of(axis) + 0.5);
}

/* Sums the covariances of a point, whose distance on each axis is stated, and its images from axis a on. square: of the axes before. */
static double sum_images(const struct field *field, unsigned a, const double *distance, double square)
{
	const struct field_axis *axis = &field->axes[a];
	const int images = a < field->ndim ? count_images(axis) : 0;
	double sum = 0;

	if (square >= 1)
		return 0;
	if (a == field->ndim) {
		const double r = sqrt(square);

		return 1 - r * (1.5 - 0.5 * square);
	}
	for (int m = -images; m <= images; m++) {
		const double x = (distance[a] + m * extent_of(axis)) / axis->length;

		sum += sum_images(field, a + 1, distance, square + x * x);
	}
	return sum;
}

/* An index and its mirror have the same distance. */
static double distance_of(const struct field_axis *axis, uint64_t j)
{
	return (double)(j < axis->n - j ? j : axis->n - j) * axis->spacing;
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	(void)io, (void)stage;
	*ret_stage = (struct staged_stage){.chunks = ((const struct spherical_work *)work)->chunks};
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct spherical_work *s = (const struct spherical_work *)work;
	const struct field *field = s->field;
	const uint64_t first = (uint64_t)chunk * s->group, left = s->points - first;
	const uint64_t end = first + (left < s->group ? left : s->group);

	(void)stage, (void)scratch;
	for (uint64_t i = first; i < end; i++) {
		double distance[FIELD_DIMS];
		uint64_t rest = i;

		for (unsigned a = field->ndim; a-- > 0; rest /= field->axes[a].n)
			distance[a] = distance_of(&field->axes[a], rest % field->axes[a].n);
		((double *)io->out)[i] = sum_images(field, 0, distance, 0);
	}
	return 0;
}

void spherical_cut(const struct field *field, struct spherical_work *ret)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	double point_ns = 20;

	*ret = (struct spherical_work){.field = field, .points = 1};
	for (unsigned a = 0; a < field->ndim; a++) {
		ret->points *= field->axes[a].n;
		point_ns *= 2 * count_images(&field->axes[a]) + 1;
	}
	ret->group = point_ns < CHUNK_AIM_NS ? (size_t)(CHUNK_AIM_NS / point_ns) : 1;
	ret->chunks = (size_t)((ret->points + ret->group - 1) / ret->group);
	ret->work = (struct staged_work){.ops = &ops, .stages = 1, .cost_ns = (double)ret->points * point_ns};
}

/* Counts, for every image, the nearest two of the points. */
double spherical_image_bound(const struct field *field, const uint64_t *n)
{
	double nearest[FIELD_DIMS], all = 1;
	bool reaches = false;

	for (unsigned a = 0; a < field->ndim; a++) {
		const struct field_axis *axis = &field->axes[a];

		nearest[a] = (double)(axis->n - (n[a] - 1)) * axis->spacing / axis->length;
		reaches |= nearest[a] < 1;
		all *= 2 * count_images(axis) + 3;
	}
	if (!reaches)
		return 0;
	for (unsigned a = 1; a < field->ndim; a++)
		nearest[0] = nearest[a] < nearest[0] ? nearest[a] : nearest[0];
	return (all - 1) * (1 - nearest[0] * (1.5 - 0.5 * nearest[0] * nearest[0]));
}
