/* SPDX-License-Identifier: Apache-2.0 */
/* The density that coloured noise is asked to have, from the options that name the parameters of `colored`. */
#ifndef TRNSCI_CLI_PLOT_ASKED_H
#define TRNSCI_CLI_PLOT_ASKED_H

#include "options/options.h"

/* One-sided, in units^2/Hz, over 0 to rate / 2. Numbers of psd and taps are in `numbers`. */
struct asked {
	const struct trnsci_param *psd, *taps; /* NULL: by the exponent */
	const double *table;                   /* of psd or taps */
	size_t n_table;
	double rate, low, high, exponent, flat_below;
	double gain; /* of the density that the table or the exponent gives */
	char text[40]; /* "pink", "exponent 1.5", "psd", "taps" */
	struct trnsci_param params[OPTIONS_MAX + 1];
	double numbers[OPTIONS_NUMBERS];
};

/* Whether an option says what the spectrum is. */
bool asked_is_given(const struct options *options);

/* Reads the options. own_std: the standard deviation where no option decides it; 0: that of `colored`. The engine has checked the
 * parameters, or will. An exit code. */
int asked_read(const struct options *options, double rate, double own_std, struct asked *ret);

double asked_density(const struct asked *asked, double frequency);

#endif
