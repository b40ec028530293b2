/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of numbers: what is drawn, apart from how. */
#ifndef TRNSCI_CLI_PLOT_PICTURE_H
#define TRNSCI_CLI_PLOT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

enum picture_kind {
	PICTURE_BARS,	/* y over the intervals that begin at x and are `width` wide; curve, where there is one, over them */
	PICTURE_LINE,	/* y over x, which ascends; curve, where there is one, over it */
	PICTURE_BAND,	/* from y to top over x, which ascends */
	PICTURE_POINTS, /* x, y in any order */
	PICTURE_MAP,	/* n columns of `rows` values of z each, lowest row first */
};

/* Arrays belong to the picture: picture_free. */
struct picture {
	enum picture_kind kind;
	char title[160], note[200]; /* note: a line below; "" for none */
	char legend[48]; /* of the curve over a line; "" for none */
	const char *x_label, *y_label, *z_label; /* z: of the colours */
	bool is_log; /* the axis of x, which is above 0 */
	size_t n, rows;
	double *x, *y, *top, *curve, *z;
	double width;
	double x_min, x_max, y_min, y_max, z_min, z_max; /* of the axes, and of the colours */
};

/* Makes arrays of n elements, x and y and those that are asked for. */
void picture_make(struct picture *picture, size_t n, bool has_top, bool has_curve);

void picture_free(struct picture *picture);

/* blocks.c: prints the picture on stdout, as wide as the terminal, at most 100 columns, of the block characters of Unicode. */
void blocks_print(const struct picture *picture);

/* gnuplot.c: writes the picture to a file whose name ends in .png or .svg. An exit code. */
int gnuplot_write(const struct picture *picture, const char *name);

/* Sets the axes from x, y and curve where they are not set (minimum and maximum equal). */
void picture_set_axes(struct picture *picture);

#endif
