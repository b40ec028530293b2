/* SPDX-License-Identifier: Apache-2.0 */
/* Selecting by rank, in a time that no input makes long: eight passes at most, one for each byte of a key. */
#ifndef TRNSCI_FFT_SELECT_H
#define TRNSCI_FFT_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* An integer whose order is that of the numbers; NaN comes last, after infinity, whatever its sign. */
uint64_t select_key(double x);

/* The number of that rank (0: the least) among n keys, which stay as they are; spare has room for n. */
double select_value(const uint64_t *keys, uint64_t *spare, size_t n, size_t rank);

#endif
