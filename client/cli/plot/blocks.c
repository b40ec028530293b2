/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in a terminal. Each cell of the grid is a level from 0 to 8: eighths of a block from below, shades of a map, or
 * a point. */
#include "picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { LABEL_COLUMNS = 11, MOST_COLUMNS = 89, LEAST_COLUMNS = 20, ROWS = 18, LEVELS = 8, MARK = LEVELS + 1 };

struct grid {
	size_t columns;
	unsigned char cells[ROWS][MOST_COLUMNS]; /* row 0 on top */
};

static size_t grid_columns(void)
{
	size_t columns = terminal_columns();

	if (columns == 0)
		columns = 80;
	columns = columns > LABEL_COLUMNS + LEAST_COLUMNS ? columns - LABEL_COLUMNS : LEAST_COLUMNS;
	return columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

/* The column of x, or columns when it lies outside. */
static size_t column_of(const struct picture *picture, const struct grid *grid, double x)
{
	const double part = picture->is_log ? log(x / picture->x_min) / log(picture->x_max / picture->x_min)
					    : (x - picture->x_min) / (picture->x_max - picture->x_min);

	if (!(part >= 0) || part > 1)
		return grid->columns;
	const size_t column = (size_t)(part * (double)grid->columns);

	return column < grid->columns ? column : grid->columns - 1;
}

/* Height of y in eighths of a row, from the bottom; clipped. */
static double height_of(const struct picture *picture, double y)
{
	const double part = (y - picture->y_min) / (picture->y_max - picture->y_min);

	return isnan(part) ? 0 : fmin(fmax(part, 0), 1) * ROWS * LEVELS;
}

/* Fills a column from one height to another; a partial block fills its cell from below. */
static void fill_column(struct grid *grid, size_t column, double from, double to)
{
	for (size_t row = 0; row < ROWS; row++) {
		const double bottom = (double)(ROWS - 1 - row) * LEVELS, share = fmin(to - bottom, LEVELS);

		if (from < bottom + LEVELS && share > 0)
			grid->cells[row][column] = (unsigned char)fmax(1, rint(share));
	}
}

/* Finds the height of each column. Several values in a column are averaged; a column between two values takes the one before. */
static void find_heights(const struct picture *picture, const double *y, const struct grid *grid, double heights[MOST_COLUMNS])
{
	double sums[MOST_COLUMNS] = {0}, last = picture->y_min;
	size_t counts[MOST_COLUMNS] = {0};

	for (size_t i = 0; i < picture->n; i++) {
		const double middle = picture->kind == PICTURE_BARS ? picture->x[i] + picture->width / 2 : picture->x[i];
		const size_t column = column_of(picture, grid, middle);

		if (column == grid->columns || !isfinite(y[i]))
			continue;
		sums[column] += y[i];
		counts[column]++;
	}
	for (size_t column = 0; column < grid->columns; column++) {
		last = counts[column] ? sums[column] / (double)counts[column] : last;
		heights[column] = height_of(picture, last);
	}
}

/* A line's curve is a mark in each column, over the blocks. */
static void draw_heights(const struct picture *picture, struct grid *grid)
{
	double heights[MOST_COLUMNS];

	find_heights(picture, picture->y, grid, heights);
	for (size_t column = 0; column < grid->columns; column++)
		fill_column(grid, column, 0, heights[column]);
	if (picture->kind != PICTURE_LINE || !picture->curve)
		return;
	find_heights(picture, picture->curve, grid, heights);
	for (size_t column = 0; column < grid->columns; column++)
		grid->cells[ROWS - 1 - (size_t)fmin(heights[column] / LEVELS, ROWS - 1)][column] = MARK;
}

static void draw_band(const struct picture *picture, struct grid *grid)
{
	for (size_t i = 0; i < picture->n; i++) {
		const size_t column = column_of(picture, grid, picture->x[i]);

		if (column < grid->columns)
			fill_column(grid, column, height_of(picture, picture->y[i]),
				    fmax(height_of(picture, picture->top[i]), height_of(picture, picture->y[i]) + 1));
	}
}

/* The more points a cell has, the darker. */
static void draw_points(const struct picture *picture, struct grid *grid)
{
	static const double step = 2; /* levels for each doubling */
	static unsigned counts[ROWS][MOST_COLUMNS];

	memset(counts, 0, sizeof counts);
	for (size_t i = 0; i < picture->n; i++) {
		const size_t column = column_of(picture, grid, picture->x[i]);
		const double height = height_of(picture, picture->y[i]) / LEVELS;
		const size_t row = height >= ROWS ? 0 : ROWS - 1 - (size_t)height;

		if (column < grid->columns)
			counts[row][column]++;
	}
	for (size_t row = 0; row < ROWS; row++)
		for (size_t column = 0; column < grid->columns; column++)
			if (counts[row][column])
				grid->cells[row][column] = (unsigned char)fmin(2 + step * log2(counts[row][column]), LEVELS);
}

/* The strongest value that falls into a cell counts, so that no peak is lost. */
static void draw_map(const struct picture *picture, struct grid *grid)
{
	for (size_t i = 0; i < picture->n; i++)
		for (size_t j = 0; j < picture->rows; j++) {
			const double part = (picture->z[i * picture->rows + j] - picture->z_min) / (picture->z_max - picture->z_min);
			const size_t column = i * grid->columns / picture->n, row = ROWS - 1 - j * ROWS / picture->rows;
			const double level = isnan(part) ? 0 : fmin(fmax(part, 0), 1) * LEVELS;

			if (level > grid->cells[row][column])
				grid->cells[row][column] = (unsigned char)level;
		}
}

/* Writes a value of an axis. All of an axis have as many decimals: three digits of the largest. */
static const char *tick_text(double value, double low, double high, char text[static 24])
{
	enum { DIGITS = 3, MOST_DIGITS = 7, LEAST_POWER = -3 };
	const double most = fmax(fabs(low), fabs(high)), shown = fabs(value) < 1e-12 * (high - low) ? 0 : value;
	const int digits = most > 0 ? (int)floor(log10(most)) + 1 : 1;

	if (digits > MOST_DIGITS || digits <= LEAST_POWER)
		snprintf(text, 24, "%.*e", DIGITS - 1, shown);
	else
		snprintf(text, 24, "%.*f", digits < DIGITS ? DIGITS - digits : 0, shown);
	return text;
}

/* What the shades of a map mean. */
static void print_legend(const struct picture *picture, const char *darkest)
{
	char low[24], high[24];

	printf("%11scolours: ' ' %s to '%s' %s%s%s\n", "", tick_text(picture->z_min, picture->z_min, picture->z_max, low), darkest,
	       tick_text(picture->z_max, picture->z_min, picture->z_max, high), strcmp(picture->z_label, "value") ? " " : "",
	       strcmp(picture->z_label, "value") ? picture->z_label : "");
}

static void print_grid(const struct picture *picture, const struct grid *grid)
{
	static const char *const eighths[LEVELS + 2] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█", "○"};
	static const char *const shades[LEVELS + 1] = {" ", " ", "░", "░", "▒", "▒", "▓", "▓", "█"};
	const bool shaded = picture->kind == PICTURE_MAP || picture->kind == PICTURE_POINTS;

	char tick[24];

	printf("%s\n", picture->title);
	for (size_t row = 0; row < ROWS; row++) {
		const double y = picture->y_max - (picture->y_max - picture->y_min) * (double)row / (ROWS - 1);

		if (row % 4 == 0 || row == ROWS - 1)
			printf("%9s ", tick_text(y, picture->y_min, picture->y_max, tick));
		else
			printf("%10s", "");
		putchar(row % 4 == 0 ? '+' : '|');
		for (size_t column = 0; column < grid->columns; column++)
			fputs((shaded ? shades : eighths)[grid->cells[row][column]], stdout);
		putchar('\n');
	}
	printf("%11s%-*s", "", (int)grid->columns / 2, tick_text(picture->x_min, picture->x_min, picture->x_max, tick));
	printf("%*s\n", (int)(grid->columns - grid->columns / 2), tick_text(picture->x_max, picture->x_min, picture->x_max, tick));
	if (picture->x_label && *picture->x_label)
		printf("%11sacross: %s; up: %s\n", "", picture->x_label, picture->y_label);
	if (picture->kind == PICTURE_MAP)
		print_legend(picture, shades[LEVELS]);
	if (*picture->legend)
		printf("%11sblocks: measured; ○: %s\n", "", picture->legend);
	if (*picture->note)
		printf("%11s%s\n", "", picture->note);
}

void blocks_print(const struct picture *picture)
{
	struct grid grid = {.columns = grid_columns()};

	switch (picture->kind) {
	case PICTURE_BARS:
	case PICTURE_LINE:
		draw_heights(picture, &grid);
		break;
	case PICTURE_BAND:
		draw_band(picture, &grid);
		break;
	case PICTURE_POINTS:
		draw_points(picture, &grid);
		break;
	case PICTURE_MAP:
		draw_map(picture, &grid);
		break;
	}
	print_grid(picture, &grid);
}
