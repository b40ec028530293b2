/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan is inside: one of a few kinds, each a row of functions behind the interface of fft.h. */
#ifndef TRNSCI_FFT_PLAN_H
#define TRNSCI_FFT_PLAN_H

#include "fft/fft.h"
#include "fft/kernels/kernel.h"
#include "fft/plan/tables.h"

/* How a kind does what fft.h promises; phases, units and scratch as there. */
struct fft_kind {
	int (*step)(struct fft_plan *plan);
	void (*release)(struct fft_plan *plan);
	size_t (*phases)(const struct fft_plan *plan);
	size_t (*units)(const struct fft_plan *plan, size_t phase, size_t batch);
	size_t (*work_bytes)(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse);
	size_t (*scratch_bytes)(const struct fft_plan *plan);
	/* Bytes of an element of the input in that direction, which is the output's in the other. */
	size_t (*in_bytes)(const struct fft_plan *plan, bool inverse);
	void (*run_unit)(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit,
			 void *scratch);
};

struct fft_plan {
	const struct fft_kind *kind;
	uint64_t n;
	enum fft_precision precision;
	uint32_t features;
	const struct fft_ops *ops;
	bool is_long; /* cut into phases */
	bool ready;
	double cost_ns; /* of one transform, estimated */
	size_t bytes;
	struct tables tables;

	struct fft_smooth smooth; /* smooth */
	struct dft_gemm *gemm;    /* product with the matrix */

	struct fft_plan *inner; /* Bluestein: the convolution's; shelled: the one inside */

	const struct fft_shell *shell; /* shelled: what stands around the inner plan (shell.h) */
	unsigned rows;		       /* inner transforms of one */
	size_t row_bytes;	       /* of a row around them */
	bool rows_fit_caller;	       /* a row's numbers fit the caller's rows on both sides, where strides are 1 */
	bool hermitian;		       /* real: forward from half a spectrum, which is conjugated, to reals */
	unsigned series;	       /* cosine and sine transforms: enum fft_series */
	bool orthogonal;

	struct fft_call build;  /* while making the spectrum */
	unsigned part;
	size_t row, phase, unit;
	void *chirp, *spectrum, *scratch;
};

/* in_bytes of complex transforms. */
size_t fft_pair_either(const struct fft_plan *plan, bool inverse);

/* Returns a plan without a kind, which its creator sets before anything else; NULL: no memory. */
struct fft_plan *fft_plan_allocate(uint64_t n, enum fft_precision precision, uint32_t features);

/* Units of about this much work; a transform of more than the second is cut. */
enum { FFT_UNIT_NS = 60000, FFT_LONG_NS = 150000 };

/* How many things of cost_ns each make a unit. */
size_t fft_group(double cost_ns);

/* Bytes of a pair, and an offset in pairs from an untyped place. */
static inline size_t fft_pair_bytes(const struct fft_plan *plan)
{
	return plan->precision == FFT_F32 ? 8 : 16;
}

static inline void *fft_at(const struct fft_plan *plan, const void *from, size_t pairs)
{
	return (char *)from + pairs * fft_pair_bytes(plan);
}

static inline size_t fft_round_line(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

#endif
