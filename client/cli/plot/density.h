/* SPDX-License-Identifier: Apache-2.0 */
/* Exact densities and probabilities of distributions, to hold samples against. */
#ifndef TRNSCI_CLI_PLOT_DENSITY_H
#define TRNSCI_CLI_PLOT_DENSITY_H

#include <stdbool.h>

#include "options/options.h"

enum { DENSITY_PARAMS = 4 };

struct density {
	bool discrete; /* at integers */
	double params[DENSITY_PARAMS];
	double (*at)(double x, const double *params);
};

/* Finds the density of a distribution, with its parameters from the options, or their defaults. False for a distribution of
 * vectors, or of anything but numbers. */
bool density_find(const struct options *options, const char *distribution, struct density *ret);

/* The probability of [low, high), or of the integers in it. */
double density_integrate(const struct density *density, double low, double high);

/* The probability that chi-square with this many degrees of freedom exceeds x. */
double chi_square_exceeds(double x, double freedom);

#endif
