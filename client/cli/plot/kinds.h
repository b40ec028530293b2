/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of plots share. */
#ifndef TRNSCI_CLI_PLOT_KINDS_H
#define TRNSCI_CLI_PLOT_KINDS_H

#include "options/options.h"
#include "picture.h"

/* An array of float64 from a file: rows of the last axis. */
struct numbers {
	const char *name;
	double *values; /* numbers_free */
	size_t rows, columns;
	double rate; /* samples in a second; 1 where nothing says it */
	bool is_drawn; /* and not of a file */
};

/* Reads an input; complex numbers become their magnitudes. The rate is that of audio, or of --fs. An exit code. */
int numbers_read(const struct options *options, const char *file, struct numbers *ret);
void numbers_free(struct numbers *numbers);

/* Converts real elements of any dtype. */
void numbers_widen(enum trnsci_dtype dtype, const void *data, size_t n, double *ret);

/* The samples' histogram; a distribution of that name and parameters, NULL for none, is laid over it. An exit code. */
int plot_histogram(const struct options *options, const char *distribution, const double *samples, size_t n,
		   struct picture *ret);

/* Each makes the picture of the first row; spectrum, with the density that options ask for, or no input does; scatter, of two
 * columns; field, of all rows. Returns an exit code. */
int plot_waveform(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);
int plot_scatter(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);
int plot_spectrum(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);
int plot_field(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);
int plot_spectrogram(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);

#endif
