/* SPDX-License-Identifier: Apache-2.0 */
/* Work on spectra of noise. Fractional Gaussian noise and Brownian motion are exact by circulant embedding (R. B. Davies and D. S. Harte, Biometrika 74 (1987) 95).
 *
 *     gamma(k) = (|k + 1|^2H - 2 |k|^2H + |k - 1|^2H) / 2        the covariance of points k apart, H in (0, 1)
 *
 * On a ring of 2 m points gamma has a spectrum that is nowhere negative, whatever H and m are, so any m + 1 neighbours are exact. The
 * work is staged (base/staged_work.h), one task at a time. */
#ifndef TRNSCI_DISTRIBUTIONS_FRACTIONAL_H
#define TRNSCI_DISTRIBUTIONS_FRACTIONAL_H

#include <stdbool.h>

#include "base/staged_work.h"
#include "math/algebra.h"

enum fractional_task {
	FRACTIONAL_COVARIANCE, /* out: n float64, gamma on the ring of n points */
	FRACTIONAL_CHECK,      /* in[0]: n elements of a covariance's transform, in rows of `columns`; out: fractional_checked */
	FRACTIONAL_WEIGH,      /* in[0] and out: n elements of half a spectrum; times std and the root of in[1], a covariance's transform */
	FRACTIONAL_PHASES,     /* in[0] and out: n elements of half spectra, in rows of `columns`; turned by in[1], n turns in float64 */
	FRACTIONAL_SUM,        /* in[0] and out: n numbers, each replaced by the sum up to it */
};

struct fractional {
	enum fractional_task task;
	uint64_t n;
	double hurst, std;
	uint64_t columns; /* of half spectra: the first of a row has no mirror, and is not turned */
	bool has_last;    /* nor has its last */
	double least;     /* of FRACTIONAL_CHECK: -ERROR_OUT_OF_RANGE where an element is below it, relative to the largest */
	bool wide; /* numbers and half spectra are float64, but for the covariance and its transform, which always are */
};

/* What FRACTIONAL_CHECK finds of an even covariance's transform. */
struct fractional_checked {
	double least, most, negative, sum; /* the sums are those of the whole spectrum */
};

struct fractional_work {
	struct staged_work work; /* first */
	const struct fractional *fractional;
	const struct algebra_kernel *kernel;
	double series[16]; /* gamma(k) k^(2 - 2H), a series in 1 / k^2 */
	double first[4];   /* gamma(0) .. gamma(3) */
	size_t chunks;
};

/* Cuts a task, which the caller keeps. */
void fractional_cut(const struct fractional *fractional, uint32_t features, struct fractional_work *ret);

#endif
