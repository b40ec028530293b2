/* SPDX-License-Identifier: Apache-2.0 */
/* The generating vector of the lattice; lattice_table.py writes its numbers. */
#ifndef TRNSCI_DISTRIBUTIONS_LATTICE_DATA_H
#define TRNSCI_DISTRIBUTIONS_LATTICE_DATA_H

#include <stdint.h>

enum { LATTICE_DIMS = 1024 };

/* Odd numbers below 2^20. */
extern const uint32_t lattice_vector[LATTICE_DIMS];

#endif
