/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing: any samples [begin, begin + n) of a law on a stream, whatever their alignment to groups.
 *
 * A law is a pure function of (stream, sample index, parameters); this is the one door to all of them for the engine.
 * The generator fills blocks of whole groups in first-level cache and the law's kernel turns them into samples there,
 * so `normal` is `uniform` then `box_muller` by construction. */
#ifndef TRNSCI_DIST_DRAW_H
#define TRNSCI_DIST_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "rng/stream.h"

enum law { LAW_BITS, LAW_UNIFORM, LAW_NORMAL };

/* a, b: low and high of a uniform, mean and standard deviation of a normal; bits has none. */
struct draw {
	enum law law;
	enum dtype dtype; /* bits: U32, U64; uniform and normal: F32, F64 */
	struct stream stream;
	double a, b;
};

/* The kernels that a set of CPU features allows; make one an engine and share it. Plain data, no ownership. */
struct draw_kernels {
	const struct rng_kernel *generators[GENERATOR_COUNT];
	const struct uniform_kernel *uniform;
	const struct box_muller_kernel *box_muller;
};

void draw_select(uint32_t features, struct draw_kernels *ret_kernels);

/* Words of the stream that one sample takes: 1 for dtypes of 32 bits or fewer, 2 for 64. */
unsigned draw_words_per_sample(enum dtype dtype);

/* Samples [begin, begin + n) into out (n elements of dtype, any alignment). The caller has checked with stream_span
 * that they lie within the stream and with stream_id_fits that there is one, and is inside fpenv_enter. Uses at most 16
 * KiB of stack. Any thread. */
void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
