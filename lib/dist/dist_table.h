/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that discrete distributions draw from, in memory of their own and checked while they are built.
 *
 * Probabilities are held as shares of 2^64, so a 64-bit word is compared with them exactly. */
#ifndef TRNSCI_DIST_DIST_TABLE_H
#define TRNSCI_DIST_DIST_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Up to a standard deviation of about 200; building costs a few nanoseconds a value. */
enum { DISCRETE_VALUES = 4096, DISCRETE_GUIDE_BITS = 12 };

/* Value first + j for the words in (last[j - 1], last[j]]; guide[b] is the value of the least word of bucket b. */
struct discrete_table {
	int64_t first;
	unsigned n;
	uint16_t guide[1 << DISCRETE_GUIDE_BITS];
	uint64_t last[DISCRETE_VALUES];
};

/* A distribution on low .. high: what discrete_table_build takes of it. */
struct discrete {
	double (*ratio)(double k, const double *parameters);
	double parameters[2], mode, at_mode, low, high;
};

/* The distribution on low .. high (at most DISCRETE_VALUES) whose value at mode has that probability and ratio(k) times
 * it the next: P(k + 1) / P(k). Values of less than 2^-64 vanish; what rounding leaves goes to the mode. */
void discrete_table_build(double (*ratio)(double k, const double *parameters), const double *parameters, int64_t low,
			  int64_t high, int64_t mode, double at_mode, struct discrete_table *ret_table);

struct alias_column {
	uint64_t below, other; /* the column itself for the fractions below, else other */
};

struct alias_table {
	uint64_t n;
	struct alias_column columns[];
};

enum { ALIAS_MOST = 1 << 24 };

/* Its memory, without columns; free() it. */
struct alias_table *alias_table_alloc(size_t n);

/* The columns of a table while they are made: its fields are its own. */
struct alias_maker {
	struct alias_table *table;
	const void *weights;
	double most, sum;
	double *shares; /* with list: room of its own */
	uint32_t *list;
	size_t at, n_small, n_large;
	int phase;
};

enum {
	ALIAS_PIECE = 8192,                                   /* weights of a piece: some 100 us */
	ALIAS_WORK_BYTES = sizeof(double) + sizeof(uint32_t), /* of room for each weight */
};

/* weights: float64 of any alignment, as alias_table_new's, the greatest being most; they outlive the maker. */
void alias_maker_init(struct alias_maker *maker, const void *weights, double most, struct alias_table *table);
/* 1: there is more; 0: it is made. -ERROR_NO_MEMORY */
int alias_maker_piece(struct alias_maker *maker);
void alias_maker_end(struct alias_maker *maker); /* again, too */

/* The table of n weights, each finite and >= 0, not all 0 (n from 1 to ALIAS_MOST); free() it. NULL without memory.
 * Each share is right to 2^-52 of 1/n. Source: M. D. Vose, IEEE Trans. Software Eng. 17 (1991) 972. */
struct alias_table *alias_table_new(const double *weights, size_t n);

#endif
