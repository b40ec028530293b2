/* SPDX-License-Identifier: Apache-2.0 */
/* Fields: an array as a map, its rows from below and the last axis to the right, with a colour bar. */
#include <math.h>
#include <stdlib.h>

#include "kinds.h"

enum { MOST_SIDE = 1000 };

/* The first point of cell i of `cells`, on an axis of n points. */
static size_t begin_of(size_t i, size_t cells, size_t n)
{
	return (size_t)((double)i * (double)n / (double)cells);
}

/* The mean of the points of a cell, which the picture shows as one. */
static double mean_of(const struct numbers *numbers, size_t top, size_t bottom, size_t left, size_t right)
{
	double sum = 0;

	for (size_t row = top; row < bottom; row++)
		for (size_t column = left; column < right; column++)
			sum += numbers->values[row * numbers->columns + column];
	return sum / ((double)(bottom - top) * (double)(right - left));
}

int plot_field(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	const size_t rows = numbers->rows < MOST_SIDE ? numbers->rows : MOST_SIDE;
	const size_t columns = numbers->columns < MOST_SIDE ? numbers->columns : MOST_SIDE;

	(void)cli;
	(void)options;
	if (rows < 2 || columns < 2)
		return complain(EXIT_DATA, "%s: %zu rows of %zu columns, allowed two or more of each", numbers->name, numbers->rows,
				numbers->columns);
	*ret = (struct picture){.kind = PICTURE_MAP, .n = columns, .rows = rows, .x_label = "column", .y_label = "row", .z_label = "value",
				.x_max = (double)numbers->columns, .y_max = (double)numbers->rows, .z_min = INFINITY, .z_max = -INFINITY};
	ret->z = malloc(rows * columns * sizeof *ret->z);
	if (!ret->z)
		return complain(EXIT_TRY_AGAIN, "no memory for a picture of %zu points", rows * columns);
	for (size_t i = 0; i < columns; i++)
		for (size_t j = 0; j < rows; j++) {
			const double z = mean_of(numbers, begin_of(j, rows, numbers->rows), begin_of(j + 1, rows, numbers->rows),
						 begin_of(i, columns, numbers->columns), begin_of(i + 1, columns, numbers->columns));

			ret->z[i * rows + j] = z;
			ret->z_min = fmin(ret->z_min, z);
			ret->z_max = fmax(ret->z_max, z);
		}
	return EXIT_OK;
}
