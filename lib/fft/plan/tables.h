/* SPDX-License-Identifier: Apache-2.0 */
/* The twiddles of a smooth transform, built piece by piece. */
#ifndef TRNSCI_FFT_TABLES_H
#define TRNSCI_FFT_TABLES_H

#include "fft/kernels/kernel.h"
#include "fft/plan/roots.h"

/* How far the tables of a plan are built. All zero at first. */
struct tables {
	struct roots roots;
	unsigned kind, stage;
	size_t row;
};

/* The longest transform whose first stage keeps all its twiddles. Of a longer one they would stream through memory. */
enum { TABLES_WHOLE_MAX = 1 << 16 };

/* Builds a piece of smooth's tables, at most CHUNK_MOST_NS, and adds the memory that it allocates to *bytes. Returns 1
 * while pieces are left, then 0 (the roots are freed then), or -ERROR_NO_MEMORY. */
int tables_step(struct tables *tables, enum fft_precision precision, size_t lanes, struct fft_smooth *smooth,
		size_t *bytes);
void tables_free(struct tables *tables);
void tables_free_smooth(struct fft_smooth *smooth);

/* Stores a pair as complex number i of a table, and w^k. */
void tables_put(enum fft_precision precision, void *table, size_t i, const double pair[2]);
void tables_put_root(const struct roots *roots, uint64_t k, enum fft_precision precision, void *table, size_t i);
size_t tables_real_bytes(enum fft_precision precision);

#endif
