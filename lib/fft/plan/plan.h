/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a plan. Each kind of plan (smooth, Bluestein, wrapped, matrix product) is a row of functions. */
#ifndef TRNSCI_FFT_PLAN_H
#define TRNSCI_FFT_PLAN_H

#include "base/chunk.h"
#include "fft/fft.h"
#include "fft/kernels/kernel.h"
#include "fft/plan/tables.h"

/* The functions of a kind, with the meaning that fft.h gives to the public ones of the same names. */
struct fft_kind {
	int (*step)(struct fft_plan *plan);
	/* Frees the tables, but not the plan. */
	void (*release)(struct fft_plan *plan);
	size_t (*phases)(const struct fft_plan *plan);
	size_t (*chunks)(const struct fft_plan *plan, size_t phase, size_t batch);
	size_t (*work_bytes)(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse);
	size_t (*scratch_bytes)(const struct fft_plan *plan);
	/* Returns the bytes of an input element in that direction. They are those of an output element in the other
	 * one. */
	size_t (*in_bytes)(const struct fft_plan *plan, bool inverse);
	void (*run_chunk)(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
			  void *scratch);
};

struct fft_plan {
	const struct fft_kind *kind;
	uint64_t n;
	enum fft_precision precision;
	uint32_t features;
	const struct fft_ops *ops;
	bool is_long; /* cut into phases; else each chunk runs whole transforms in scratch */
	bool ready;
	double cost_ns; /* of one transform on one core, estimated */
	size_t bytes;
	struct tables tables;

	struct fft_smooth smooth; /* of a smooth plan; else it has no stages */
	struct dft_gemm *gemm;    /* of a product with the transform's matrix (precision/dft_gemm.h) */
	size_t work_group;        /* of a product: transforms that share a block of work; else 0 */

	struct fft_plan *inner; /* of Bluestein: the convolution's; of a wrapped plan: the wrapped one. Owned */

	const struct fft_wrapper *wrapper; /* of a wrapped plan: what wraps the inner one (wrapper.h) */
	unsigned rows;                 /* inner transforms of one */
	size_t row_bytes;              /* of an inner transform's row */
	bool rows_fit_caller;          /* the caller's rows can hold an inner row, where strides are 1 */
	bool hermitian;                /* real: forward goes from half a spectrum, conjugated, to reals */
	unsigned series;               /* cosine and sine transforms: enum fft_series */
	bool orthogonal;

	struct fft_call build; /* of Bluestein, while its spectrum is built */
	unsigned part;
	size_t row, phase, chunk; /* how far building is */
	void *chirp, *spectrum, *scratch;
};

/* fft_kind.in_bytes of complex transforms: a pair in both directions. */
size_t fft_complex_in_bytes(const struct fft_plan *plan, bool inverse);

/* Returns a plan without a kind, which its creator sets before anything else; NULL: no memory. */
struct fft_plan *fft_plan_allocate(uint64_t n, enum fft_precision precision, uint32_t features);

/* The aim for a chunk of transforms. Threads share a batch more evenly than by CHUNK_AIM_NS: 4096 transforms of 64 took 1.2
 * times as long with that, on two threads. */
enum { FFT_CHUNK_NS = CHUNK_AIM_NS * 3 / 5 };

/* Returns how many pieces of work of cost_ns each make a chunk, at least 1. */
size_t fft_count_per_chunk(double cost_ns);

/* Returns the bytes of a complex number. */
static inline size_t fft_pair_bytes(const struct fft_plan *plan)
{
	return plan->precision == FFT_F32 ? 8 : 16;
}

/* Returns the address `pairs` complex numbers behind `from`. */
static inline void *fft_at(const struct fft_plan *plan, const void *from, size_t pairs)
{
	return (char *)from + pairs * fft_pair_bytes(plan);
}

/* Rounds up to whole cache lines of 64 bytes. */
static inline size_t fft_round_line(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

#endif
