/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of lib/fft that the plans of a process share, by kind, length and precision. Those that no plan uses are kept up to a bound,
 * so that the next plan of the same length has its tables at once. Any thread. */
#ifndef TRNSCI_FFTW_PLAN_CACHE_H
#define TRNSCI_FFTW_PLAN_CACHE_H

#include "fftw/problem.h"

/* The kinds of lib/fft's plans: FFTW's kinds of reals by their numbers, then these. */
enum { KIND_COMPLEX = KINDS_OF_REALS, KIND_REAL };

/* Returns a ready plan, to be given back; NULL: the length is out of range, or there is no memory. */
const struct fft_plan *plan_cache_take(int kind, size_t n, enum fft_precision precision);
void plan_cache_give(const struct fft_plan *plan); /* accepts NULL */

/* Frees what no plan uses. */
void plan_cache_clear(void);

/* Around fork: no other thread is inside. */
void plan_cache_lock(void);
void plan_cache_unlock(void);

#endif
