/* SPDX-License-Identifier: Apache-2.0 */
/* Complex discrete Fourier transforms of any length: plans, and calls that are cut into small independent chunks.
 *
 *   X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n)        - forward, + inverse
 *
 * A plan's arithmetic follows from (n, precision) alone, and from whether multiply-adds are fused, which they are in all
 * kernels but the scalar ones of x86-64. Chunks, threads, the place in a batch and strides never change a byte of the
 * result.
 *
 * A call runs in *phases*. The chunks of one phase are independent and may run at once on any threads; the next phase
 * starts when all of them are done. A short transform has one phase, whose chunks are groups of transforms. A long one
 * is cut by passes and blocks of rows, so that no chunk runs longer than CHUNK_MOST_NS. Transforms of real
 * numbers are in plan/real.h and plan/series.h. */
#ifndef TRNSCI_FFT_FFT_H
#define TRNSCI_FFT_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fft_precision { FFT_F32, FFT_F64 };

struct fft_plan;

/* Starts a plan for n elements and the kernels that need nothing beyond `features`. It is ready when fft_plan_step has
 * returned 0. Returns 0 with a plan that is the caller's, -ERROR_NO_MEMORY, or -ERROR_OUT_OF_RANGE if n is 0 or exceeds
 * FFT_MAX_LENGTH. */
int fft_plan_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

/* Builds the next piece of the plan's tables, at most CHUNK_MOST_NS. Returns 1 while pieces are left, then 0, or an
 * error. One thread at a time. A ready plan is immutable and may be used by any number of threads. */
int fft_plan_step(struct fft_plan *plan);

void fft_plan_free(struct fft_plan *plan); /* accepts NULL */

/* Returns the bytes that the plan holds, for the bound of a cache. */
size_t fft_plan_bytes(const struct fft_plan *plan);

#define FFT_MAX_LENGTH (UINT64_C(1) << 30)

/* One call of `batch` transforms. Several calls of parts of a batch give the same bytes and need less `work` at once.
 *
 * Element j of transform b of the input lies at in[b in_distance + j in_stride], counted in complex elements (pairs of
 * floats or doubles); likewise the output. With in == out and equal strides and distances the call is in place. Any
 * other overlap is undefined. `work` is fft_work_bytes of memory, aligned to 64, which all chunks share. Do not touch
 * it between the phases. It may be NULL when no bytes are needed.
 *
 * `reuse` names memory of the caller that may hold intermediate numbers, so that less work is needed: out, or out and
 * in, whose content is then lost. It requires strides of 1, distances of at least n (even ones for reals), and in !=
 * out.
 *
 * Who may overwrite whom. A short transform writes nothing before it has read its whole input. In a long one:
 *
 *     decided by                          buffers of one transform, between its phases
 *     the caller (call.reuse)             NONE: work only; OUT: out is one of them; BOTH: out and in are two
 *     plan/smooth.c, own_buffers          stages write two buffers in turn, and the last one writes out: out can be the buffer
 *                                         that the last stage does not read, in the one that the first stage does not write
 *     plan/wrapper.c, own_rows            reals are packed into x, transformed to y, unpacked to out: x can be out, y can be in
 *                     writes_caller       out is y, and is unpacked in place
 *                     skips_packing       nothing is packed: the inner transform reads in, and keeps it
 *     plan/bluestein.c                    two rows x and y in work: each transform between them may overwrite its input */
enum fft_reuse { FFT_REUSE_NONE, FFT_REUSE_OUT, FFT_REUSE_BOTH };

/* Which cache can hold the output until it is read: none is known; one that cores share, if all transforms fit; one near the
 * core, however many they are. */
enum fft_kept { FFT_KEPT_UNKNOWN, FFT_KEPT_SHARED, FFT_KEPT_NEAR };

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
	size_t all; /* transforms of which these are a part, in the same arrays; 0: these are all */
	enum fft_kept kept;
	bool as_lanes; /* both distances are 1, and scratch is fft_lanes_scratch_bytes: vectors may hold an element of each */
};

/* Return the bytes of `work` of a call that reuses nothing, and of one with `reuse`. */
size_t fft_work_bytes(const struct fft_plan *plan, size_t batch);
size_t fft_work_bytes_reusing(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse);

/* Returns how many transforms share a block of the work, 1 or more: that of one transform is enough for all of them. */
size_t fft_work_group(const struct fft_plan *plan);

/* Returns the number of phases of every call. */
size_t fft_phases(const struct fft_plan *plan);
/* Returns the number of chunks of a phase for this batch. */
size_t fft_chunks(const struct fft_plan *plan, size_t phase, size_t batch);

/* Runs one chunk. `scratch` is fft_scratch_bytes of the thread's own memory, aligned to 64. Call it inside
 * fpenv_enter. */
void fft_run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk, void *scratch);
size_t fft_scratch_bytes(const struct fft_plan *plan);
/* Returns the scratch of calls of at most so many transforms. */
size_t fft_scratch_bytes_of(const struct fft_plan *plan, size_t batch);
/* Returns the scratch of calls with as_lanes. */
size_t fft_lanes_scratch_bytes(const struct fft_plan *plan);

/* Runs all phases and chunks in the caller's thread. It cuts a long batch into slices whose `work` stays in the
 * cache. */
void fft_run(const struct fft_plan *plan, const struct fft_call *call, void *scratch);

/* Return the bytes of an input element of transforms in that direction, and the elements of each. Those of the output are the other
 * direction's. */
size_t fft_in_bytes(const struct fft_plan *plan, bool inverse);
size_t fft_in_length(const struct fft_plan *plan, bool inverse);

/* Returns whether a vector or more of transforms that lie side by side (distance 1) are as fast in place as after they
 * are copied to rows of their own. */
bool fft_takes_columns(const struct fft_plan *plan);

/* Returns whether a plan multiplies by the transform's matrix. Its chunks are as large as its kernel wants them. */
bool fft_is_product(const struct fft_plan *plan);

/* Returns the bound of the relative L2 error of a plan's transforms: 1e-6 (float32) or 1e-14 (float64), where no
 * element, sum or result overflows or is denormal. The bound is not proved. It held over the tests' table of hard
 * inputs: random, constant, alternating and badly scaled signals (1e-30 to 1e30), sinusoids on and between bins, and
 * spikes. The error grows with the root of log n. */
double fft_error_bound(uint64_t n, enum fft_precision precision);

#endif
