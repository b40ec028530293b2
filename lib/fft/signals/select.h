/* SPDX-License-Identifier: Apache-2.0 */
/* Selection by rank in at most eight passes, one for each byte of a key, whatever the input. */
#ifndef TRNSCI_FFT_SELECT_H
#define TRNSCI_FFT_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* Returns an integer key with the order of the numbers. NaN of either sign comes last, after infinity. */
uint64_t select_key(double x);

/* Returns the number of that rank (0: the least) among n keys. `scratch` has room for n keys. */
double select_value(const uint64_t *keys, uint64_t *scratch, size_t n, size_t rank);

#endif
