/* SPDX-License-Identifier: Apache-2.0 */
/* Plain transforms of every kind in long double, by their definitions: what errors are measured against. */
#ifndef TRNSCI_FFT_REFERENCE_H
#define TRNSCI_FFT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "fft/plan/series.h"

/* Complex, real (forward to half a spectrum, inverse from it), and from REFERENCE_SERIES on the cosine and sine transforms
 * in the order of enum fft_series, which have one direction. */
enum reference_kind { REFERENCE_COMPLEX, REFERENCE_REAL, REFERENCE_SERIES, REFERENCE_KINDS = REFERENCE_SERIES + FFT_SERIES };

/* "complex", "real", "dct1" ... "dst4". */
const char *reference_kind_name(enum reference_kind kind);

/* The numbers, each part counted, that a transform of n reads or writes. */
size_t reference_in_length(enum reference_kind kind, size_t n, bool inverse);

struct reference;

/* -ERROR_NO_MEMORY. */
int reference_create(enum reference_kind kind, size_t n, struct reference **ret_reference);
void reference_free(struct reference *reference); /* accepts NULL */

/* out[i], i < reference_in_length of the other direction, from in; one thread at a time. */
void reference_run(struct reference *reference, bool inverse, const double *in, long double *out);

#endif
