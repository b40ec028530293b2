/* SPDX-License-Identifier: Apache-2.0 */
/* The spherical covariance, 1 - 3/2 r + r^3 / 2 below 1 and 0 beyond, on a grid of up to three axes, summed over all images.
 *
 * It is no mixture of Gaussians. Its transform in float64 is the spectrum, which has no negative value but for rounding. */
#ifndef TRNSCI_DISTRIBUTIONS_SPHERICAL_H
#define TRNSCI_DISTRIBUTIONS_SPHERICAL_H

#include "distributions/fields/field.h"

enum {
	SPHERICAL_DIMS = 3,   /* with more axes the covariance is none */
	SPHERICAL_IMAGES = 4, /* the longest length, in extents of the grid */
};

/* Returns the covariance with point 0 of a point, whose distances along the axes are at most half of the grid's extents. */
double spherical_at(const struct field *field, const double *distance);

/* Returns a bound of what images add, as field_image_bound. */
double spherical_image_bound(const struct field *field, const uint64_t *n);

#endif
