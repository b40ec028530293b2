/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of every precision mode and kind of transform, measured against long double: on random, impulse, sinusoid
 * and badly scaled input, both directions. */
#ifndef TRNSCI_FFT_ERROR_TABLE_H
#define TRNSCI_FFT_ERROR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "fft/precision/reference.h"
#include "fft/precision/precision.h"

/* What a row's signals are; badly scaled: magnitudes of 1e-30 to 1e30 in one. */
enum error_signal { ERROR_RANDOM, ERROR_IMPULSE, ERROR_SINUSOID, ERROR_SCALED, ERROR_SIGNALS };

struct error_row {
	enum precision precision;
	enum reference_kind kind;
	uint64_t n;
	double error[ERROR_SIGNALS]; /* relative L2, the worse direction */
	double bound;                /* guaranteed */
};

/* What is measured in a row of the table: index from 0; false past the last. */
bool error_row_at(size_t index, struct error_row *ret_row);

/* Fills in the errors and the bound of a kind of length n in a mode that serves it. Inside fpenv_enter.
 * -ERROR_NO_MEMORY, -ERROR_OUT_OF_RANGE. */
int error_row_measure(struct error_row *row, uint32_t features);

#endif
