/* SPDX-License-Identifier: Apache-2.0 */
/* Waveforms and scatter plots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kinds.h"

enum { BAND_COLUMNS = 2000, MOST_POINTS = 200000 };

/* The least and the largest sample of each column, so that no peak is lost. */
int plot_waveform(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	const size_t n = numbers->columns, columns = n < BAND_COLUMNS ? n : BAND_COLUMNS;

	(void)cli;
	(void)options;
	*ret = (struct picture){.kind = PICTURE_BAND, .x_label = numbers->rate == 1 ? "sample" : "seconds",
				.y_label = "value"};
	picture_make(ret, columns, true, false);
	for (size_t i = 0; i < columns; i++) {
		const size_t begin = (size_t)((double)i * (double)n / (double)columns);
		const size_t end = (size_t)((double)(i + 1) * (double)n / (double)columns);

		ret->x[i] = (double)begin / numbers->rate;
		ret->y[i] = INFINITY;
		ret->top[i] = -INFINITY;
		for (size_t j = begin; j < end && j < n; j++) {
			ret->y[i] = fmin(ret->y[i], numbers->values[j]);
			ret->top[i] = fmax(ret->top[i], numbers->values[j]);
		}
	}
	return EXIT_OK;
}

/* Points are the rows of an array of two or more columns, of which --columns names two. */
int plot_scatter(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	const char *text = options_get(options, "columns");
	int64_t columns[TRNSCI_MAX_DIMS] = {0, 1};
	size_t count = 2, n = numbers->rows < MOST_POINTS ? numbers->rows : MOST_POINTS;

	(void)cli;
	if (text && (!options_list(text, 0, (int64_t)numbers->columns - 1, columns, &count) || count != 2))
		return complain(EXIT_USAGE, "--columns: '%s', allowed two of 0 to %zu", text, numbers->columns - 1);
	if (numbers->rows < 2 || numbers->columns < 2)
		return complain(EXIT_DATA, "%s: %zu rows of %zu columns, allowed two or more of each", numbers->name,
				numbers->rows, numbers->columns);
	*ret = (struct picture){.kind = PICTURE_POINTS, .x_label = "first column", .y_label = "second column"};
	picture_make(ret, n, false, false);
	for (size_t i = 0; i < n; i++) {
		ret->x[i] = numbers->values[i * numbers->columns + (size_t)columns[0]];
		ret->y[i] = numbers->values[i * numbers->columns + (size_t)columns[1]];
	}
	if (n < numbers->rows)
		snprintf(ret->note, sizeof ret->note, "the first %zu of %zu points", n, numbers->rows);
	return EXIT_OK;
}
