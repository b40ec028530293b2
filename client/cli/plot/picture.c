/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of numbers. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "cli.h"

void picture_make(struct picture *picture, size_t n, bool has_top, bool has_curve)
{
	picture->n = n;
	picture->x = allocate(n, sizeof *picture->x);
	picture->y = allocate(n, sizeof *picture->y);
	picture->top = has_top ? allocate(n, sizeof *picture->top) : NULL;
	picture->curve = has_curve ? allocate(n, sizeof *picture->curve) : NULL;
}

void picture_free(struct picture *picture)
{
	free(picture->x);
	free(picture->y);
	free(picture->top);
	free(picture->curve);
	free(picture->z);
	*picture = (struct picture){0};
}

static void widen(double *low, double *high, const double *values, size_t n)
{
	for (size_t i = 0; values && i < n; i++)
		if (isfinite(values[i])) {
			*low = fmin(*low, values[i]);
			*high = fmax(*high, values[i]);
		}
}

/* An axis of one value gets room around it. */
static void settle(double *low, double *high)
{
	if (*low > *high)
		*low = *high = 0;
	if (*low == *high) {
		*low -= 0.5;
		*high += 0.5;
	}
}

void picture_set_axes(struct picture *picture)
{
	double low = INFINITY, high = -INFINITY;

	if (picture->x_min == picture->x_max) {
		widen(&low, &high, picture->x, picture->n);
		if (picture->kind == PICTURE_BARS)
			high += picture->width;
		settle(&low, &high);
		picture->x_min = low;
		picture->x_max = high;
	}
	if (picture->y_min == picture->y_max) {
		low = picture->kind == PICTURE_BARS ? 0 : INFINITY;
		high = -INFINITY;
		widen(&low, &high, picture->y, picture->n);
		widen(&low, &high, picture->top, picture->n);
		widen(&low, &high, picture->curve, picture->n);
		settle(&low, &high);
		picture->y_min = low;
		picture->y_max = high + (picture->kind == PICTURE_BARS ? 0.05 * (high - low) : 0);
	}
}
