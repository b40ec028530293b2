/* SPDX-License-Identifier: Apache-2.0 */
/* What Sobol's sequence is made from: one polynomial for each dimension but the first, and as many initial numbers as
 * its degree, one dimension after the other. sobol_table.py writes the numbers. */
#ifndef TRNSCI_DISTRIBUTIONS_SOBOL_DATA_H
#define TRNSCI_DISTRIBUTIONS_SOBOL_DATA_H

#include <stdint.h>

enum { SOBOL_DIMS = 1111, SOBOL_INITIALS = 13223 };

extern const uint16_t sobol_polynomials[SOBOL_DIMS - 1];
extern const uint16_t sobol_initials[SOBOL_INITIALS];

#endif
