/* SPDX-License-Identifier: Apache-2.0 */
/* An exact sum of float64: a fixed-point number that has a place for every bit of every finite value.
 *
 * Limb i counts units of 2^(32 i - 1074). A value adds to three neighbouring limbs; each limb holds 2^30 such additions
 * before carries must move up. Sums of integers do not depend on their order, so neither does the result.
 * Source: U. Kulisch, Computer Arithmetic and Validity, chapter 8. */
#ifndef TRNSCI_MPI_EXACT_H
#define TRNSCI_MPI_EXACT_H

#include "group.h"

/* 2098 bits of float64, 64 more for the carries of 2^64 values, and a limb that the highest value may touch. */
enum { EXACT_LIMBS = 69, EXACT_SPECIALS = 3 };

struct exact {
	int64_t limbs[EXACT_LIMBS];
	int64_t specials[EXACT_SPECIALS]; /* how many NaN, +infinity, -infinity */
	uint32_t additions;		  /* since carries moved */
};

void exact_add(struct exact *sum, double value);
/* Moves carries up: every limb but the last is then below 2^32, so that 2^31 such sums may be added limb by limb. */
void exact_carry(struct exact *sum);
/* The sum rounded to nearest, ties to even. */
double exact_round(struct exact *sum);
/* Collective. Adds the sums of all ranks. */
int exact_join(struct trnsci_mpi *mpi, struct exact *sum, struct trnsci_error *err);

#endif
