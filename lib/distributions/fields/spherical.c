/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions/fields/spherical.h"

#include <math.h>

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
	const int images = a < field->ndim && !field->truncated ? count_images(axis) : 0;
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

double spherical_at(const struct field *field, const double *distance)
{
	return sum_images(field, 0, distance, 0);
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
