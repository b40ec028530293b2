/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the errors of every precision mode and kind of transform against long double, on random, impulse, sinusoid
 * and badly scaled input, in both directions. */
#ifndef TRNSCI_PROOFS_ERROR_TABLE_H
#define TRNSCI_PROOFS_ERROR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "selftest/proofs/reference.h"
#include "fft/precision/precision.h"

/* The kinds of signals. A badly scaled one has magnitudes from 1e-30 to 1e30. */
enum error_signal { ERROR_RANDOM, ERROR_IMPULSE, ERROR_SINUSOID, ERROR_SCALED, ERROR_SIGNALS };

struct error_row {
	enum precision precision;
	enum reference_kind kind;
	uint64_t n;
	double error[ERROR_SIGNALS]; /* relative L2, the worse direction */
	double bound;                /* guaranteed */
};

/* Sets what row `index` of the table measures. Returns false past the last row. */
bool error_row_at(size_t index, struct error_row *ret_row);

/* Measures a row: fills in its errors and its bound. Call it inside fpenv_enter. Returns 0, -ERROR_NO_MEMORY, or
 * -ERROR_OUT_OF_RANGE if the mode does not serve this kind and length. */
int error_row_measure(struct error_row *row, uint32_t features);

#endif
