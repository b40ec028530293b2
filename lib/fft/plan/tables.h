/* SPDX-License-Identifier: Apache-2.0 */
/* The twiddles of a smooth transform, made piece by piece. */
#ifndef TRNSCI_FFT_TABLES_H
#define TRNSCI_FFT_TABLES_H

#include "fft/kernels/kernel.h"
#include "fft/plan/roots.h"

/* Zero at first. */
struct tables {
	struct roots roots;
	unsigned kind, stage;
	size_t row;
};

/* Whether the first stage keeps all its twiddles: beyond this length they would stream through memory. */
enum { TABLES_WHOLE_MAX = 1 << 16 };

/* Makes up to about 250 us worth of smooth's tables; adds what it takes to *bytes. 1 when more is to do, 0 when ready
 * (the roots are freed then), -ERROR_NO_MEMORY. */
int tables_step(struct tables *tables, enum fft_precision precision, size_t lanes, struct fft_smooth *smooth,
		size_t *bytes);
void tables_free(struct tables *tables);
void tables_free_smooth(struct fft_smooth *smooth);

/* Stores a pair at index i of a table of parts. */
void tables_put(enum fft_precision precision, void *table, size_t i, const long double pair[2], long double scale);
size_t tables_real_bytes(enum fft_precision precision);

#endif
