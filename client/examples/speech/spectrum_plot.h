/* SPDX-License-Identifier: Apache-2.0 */
/* Two power spectra over one another in a terminal: solid up to the first, shaded up to the second. */
#ifndef EXAMPLES_SPECTRUM_PLOT_H
#define EXAMPLES_SPECTRUM_PLOT_H

#include <stddef.h>
#include <stdio.h>

/* Interleaved complex spectra of a real signal of `length` samples, of which bins 0..length/2 are drawn. */
void spectrum_plot(FILE *to, const float *solid, const float *shaded, size_t length, double rate_hz);

/* The mean power of the bins that a column of `columns` covers, in dB; columns divide [low_hz, rate/2] by ratios. */
double spectrum_level_db(const float *spectrum, size_t length, double rate_hz, unsigned column, unsigned columns);

/* The frequency at which a column begins. */
double spectrum_column_hz(double rate_hz, unsigned column, unsigned columns);

#endif
