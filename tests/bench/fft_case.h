/* SPDX-License-Identifier: Apache-2.0 */
/* One figure of the transforms' benchmark, and how FFTW does it. */
#ifndef TRNSCI_BENCH_FFT_CASE_H
#define TRNSCI_BENCH_FFT_CASE_H

#include <stdbool.h>
#include <stddef.h>

enum fft_kind_of_case { FFT_C2C, FFT_R2C, FFT_2D, FFT_3D };

/* `batch` transforms of n points along each of one, two or three axes, contiguous; x and y are the same in place. */
struct fft_case {
	enum fft_kind_of_case kind;
	bool wide; /* float64 */
	size_t n, batch;
	bool in_place;
	void *x, *y;
};

/* Ways to use FFTW for it, each of which may be run any number of times. */
struct fftw_way {
	const char *name;
	void (*run)(void *way);
	void *plan, *x, *y, *staged; /* staged: room for one transform */
	size_t x_bytes, y_bytes, batch; /* of one transform */
	bool wide, real;
};

enum { FFTW_WAYS = 3 };

/* How hard FFTW may look for its plans: of all transforms at once; of a single one. Planning overwrites x and y. */
size_t fftw_ways_new(const struct fft_case *c, unsigned effort, unsigned effort_single, struct fftw_way *ret_ways);
void fftw_ways_free(struct fftw_way *ways, size_t count);

#endif
