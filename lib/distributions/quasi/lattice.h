/* SPDX-License-Identifier: Apache-2.0 */
/* An embedded rank-1 lattice in base 2: point i is the fractional part of phi(i) z, phi the radical inverse.
 *
 * The first 2^m points are a lattice of 2^m points for every m, built to be good from 2^10 to 2^20 (lattice_table.py);
 * all arithmetic is on integers modulo 2^64. A random shift adds one random point to all points, modulo 1.
 * Source: R. Cools, F. Y. Kuo, D. Nuyens, SIAM J. Sci. Comput. 28 (2006) 2162-2188. */
#ifndef TRNSCI_DISTRIBUTIONS_LATTICE_H
#define TRNSCI_DISTRIBUTIONS_LATTICE_H

#include "distributions/quasi/lattice_data.h"
#include "distributions/quasi/points_settings.h"

enum { LATTICE_LOG2_POINTS = 53 };

struct lattice;

/* Like points_create and points_free. */
int lattice_create(const struct points_settings *settings, struct lattice **ret_lattice);
void lattice_free(struct lattice *lattice);

/* Writes coordinates [dim, dim + n) of point i. */
void lattice_point(const struct lattice *lattice, uint64_t i, uint32_t dim, uint32_t n, double *ret_x);

#endif
