/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a plan. Each kind of plan is a row of functions, and a structure of its own that begins with struct fft_plan. */
#ifndef TRNSCI_FFT_PLAN_H
#define TRNSCI_FFT_PLAN_H

#include "base/chunk.h"
#include "fft/fft.h"
#include "fft/kernels/kernel.h"

/* The functions of a kind, with the meaning that fft.h gives to the public ones of the same names. */
struct fft_kind {
	int (*step)(struct fft_plan *plan);
	/* Frees the tables, but not the plan and its inner one. */
	void (*release)(struct fft_plan *plan);
	size_t (*phases)(const struct fft_plan *plan);
	size_t (*chunks)(const struct fft_plan *plan, size_t phase, size_t batch);
	size_t (*work_bytes)(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse);
	size_t (*scratch_bytes)(const struct fft_plan *plan, size_t batch);
	/* Returns the bytes of an input element in that direction. They are those of an output element in the other
	 * one. */
	size_t (*in_bytes)(const struct fft_plan *plan, bool inverse);
	void (*run_chunk)(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
			  void *scratch);
};

/* What all plans have. A kind's own structure begins with it, so its functions cast. */
struct fft_plan {
	const struct fft_kind *kind;
	uint64_t n;
	enum fft_precision precision;
	uint32_t features;
	const struct fft_ops *ops;
	bool is_long; /* cut into phases; else each chunk runs whole transforms in scratch */
	bool ready;
	bool takes_columns, is_product; /* as fft.h says */
	size_t lanes_bytes;             /* of scratch, of a plan that takes columns with more of it than rows; else 0 */
	size_t work_group;              /* transforms that share a block of work */
	double cost_ns;                 /* of one transform on one core, estimated */
	size_t group, chunk;            /* of short ones: transforms that go through scratch together, and that are a chunk */
	size_t bytes;                   /* without those of `inner` */
	struct fft_plan *inner;         /* of the transforms that this one's are made of, a use of it; NULL: of none */
};

/* fft_kind.in_bytes of complex transforms: a pair in both directions. */
size_t fft_complex_in_bytes(const struct fft_plan *plan, bool inverse);

/* Returns a plan of `size` bytes, zero behind struct fft_plan; NULL: no memory. */
struct fft_plan *fft_plan_allocate(const struct fft_kind *kind, size_t size, uint64_t n, enum fft_precision precision,
				   uint32_t features);

/* The aim for a chunk of transforms. Threads share a batch more evenly than by CHUNK_AIM_NS: 4096 transforms of 64 took 1.2
 * times as long with that, on two threads. */
enum { FFT_CHUNK_NS = CHUNK_AIM_NS * 3 / 5 };

/* Returns how many pieces of work of cost_ns each make a chunk, at least 1. */
size_t fft_count_per_chunk(double cost_ns);

/* Sets the group of a short plan, and the chunk by its cost. */
void fft_plan_set_group(struct fft_plan *plan, size_t group);

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
