/* SPDX-License-Identifier: Apache-2.0 */
/* Reference transforms of every kind in long double, against which errors are measured. */
#ifndef TRNSCI_PROOFS_REFERENCE_H
#define TRNSCI_PROOFS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "fft/plan/series.h"

/* Complex; real (forward to half a spectrum, inverse from it); and from REFERENCE_SERIES on the cosine and sine
 * transforms in the order of enum fft_series, which have one direction. */
enum reference_kind {
	REFERENCE_COMPLEX,
	REFERENCE_REAL,
	REFERENCE_SERIES,
	REFERENCE_KINDS = REFERENCE_SERIES + FFT_SERIES
};

/* Returns "complex", "real", "dct1" ... "dst4". */
const char *reference_kind_name(enum reference_kind kind);

/* Returns how many numbers a transform of n reads in this direction, and so writes in the other. Each part counts. */
size_t reference_in_length(enum reference_kind kind, size_t n, bool inverse);

struct reference;

/* Returns 0 or -ERROR_NO_MEMORY. */
int reference_create(enum reference_kind kind, size_t n, struct reference **ret_reference);
void reference_free(struct reference *reference); /* accepts NULL */

/* Transforms in to out, which has reference_in_length numbers of the other direction. One thread at a time. */
void reference_run(struct reference *reference, bool inverse, const double *in, long double *out);

#endif
