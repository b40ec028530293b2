/* SPDX-License-Identifier: Apache-2.0 */
/* Complex discrete Fourier transforms of any length: plans, and their execution cut into small independent units.
 *
 *   X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n)        - forward, + inverse
 *
 * A plan fixes the arithmetic: (n, precision, features) and nothing else. Whatever splits the work (units, threads,
 * place in a batch, stride) never changes a byte. A call runs in *phases*: the units of one phase are independent and
 * may run at once on any threads, the next phase starts when all of them are done. Short transforms have one phase
 * whose units are groups of whole transforms; long ones are cut by passes and blocks of rows so that no unit runs
 * longer than about 250 us on one core. Transforms of real numbers: fft/real.h. */
#ifndef TRNSCI_FFT_FFT_H
#define TRNSCI_FFT_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fft_precision { FFT_F32, FFT_F64 };

struct fft_plan;

/* Starts a plan for length n >= 1; it is ready when fft_plan_step has returned 0. On success *ret_plan is yours.
 * -ERROR_NO_MEMORY; -ERROR_OUT_OF_RANGE for n = 0 or above FFT_MAX_LENGTH. */
int fft_plan_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

/* The next piece of the plan's making, at most about 250 us: 1 when more is to do, 0 when it is ready, or an error.
 * One thread at a time; a ready plan is immutable and may be used by any number of threads. */
int fft_plan_step(struct fft_plan *plan);
void fft_plan_free(struct fft_plan *plan); /* accepts NULL */

/* What the plan holds, for the bound of a cache. */
size_t fft_plan_bytes(const struct fft_plan *plan);

#define FFT_MAX_LENGTH (UINT64_C(1) << 30)

/* One call: `batch` transforms (a batch may be split into several calls: the bytes stay the same, and `work`, which
 * grows with the batch, becomes smaller). Element j of transform b of the input lies at in[b in_distance + j in_stride],
 * counted in complex elements (float or double pairs), likewise the output. With in == out and equal strides and
 * distances it is in place; any other overlap is undefined. `work` is fft_work_bytes of memory aligned to 64, shared
 * by all units, and must not be touched between the phases (may be NULL when that is 0).
 *
 * `reuse` says which memory of the caller's may hold numbers between phases, so that less work is needed: out, or out
 * and in, whose content is then lost. It asks for strides of 1, distances of n or more (of
 * reals, even ones), and different memory. */
enum fft_reuse { FFT_REUSE_NONE, FFT_REUSE_OUT, FFT_REUSE_BOTH };

struct fft_call {
	const void *in;
	void *out;
	size_t in_stride, in_distance;
	size_t out_stride, out_distance;
	size_t batch;
	bool inverse;
	double scale;
	void *work;
	enum fft_reuse reuse;
};

/* Of calls that reuse nothing, and of those that do. */
size_t fft_work_bytes(const struct fft_plan *plan, size_t batch);
size_t fft_work_bytes_reusing(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse);
size_t fft_phases(const struct fft_plan *plan);
/* The number of units of a phase for this batch. */
size_t fft_units(const struct fft_plan *plan, size_t phase, size_t batch);

/* Runs one unit. scratch: fft_scratch_bytes of the thread's own, aligned to 64. Inside fpenv_enter. */
void fft_run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch);
size_t fft_scratch_bytes(const struct fft_plan *plan);

/* All phases and units in the caller's thread, a long batch in slices that keep `work` in the cache. */
void fft_run(const struct fft_plan *plan, const struct fft_call *call, void *scratch);

/* Whether transforms that lie side by side (distance 1), a vector or more of them, are as fast where they lie as in rows
 * of their own. */
bool fft_takes_columns(const struct fft_plan *plan);

/* The bound of the relative L2 error of a plan's transforms: 1e-6 and 1e-14, where no element, sum or result overflows
 * or is denormal. It is not proved: it held over the tests' table of hard inputs (random, constant, alternating and
 * badly scaled signals, 1e-30 to 1e30, sinusoids on and between bins, spikes). The error grows with the root of log n. */
double fft_error_bound(uint64_t n, enum fft_precision precision);

#endif
