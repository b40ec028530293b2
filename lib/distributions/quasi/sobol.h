/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence with the direction numbers of Joe and Kuo (criterion D(6)), in Gray code order, point 0 first.
 *
 * Point i is the sum (xor) of direction numbers over the digits of gray(i) = i ^ i >> 1. gray is linear, so points
 * come in blocks of 2^k: block b is block 0 xor one row that depends on b alone. A block is as long as it takes to fill
 * whole vectors. In the same way, blocks come in spans of 2^m: block j of a span is the span's first block xor row j of
 * a table, and from span to span the first block changes by two rows of another. So no block waits for the one before.
 * Sources: I. A. Antonov, V. M. Saleev, USSR Comput. Math. Math. Phys. 19 (1979) 252-256; S. Joe, F. Y. Kuo (2008).
 *
 * Owen's scrambling flips each bit by a hash of the bits above it, the hash being that of S. Laine, T. Karras in the
 * form of B. Burley, "Practical hash-based Owen scrambling", JCGT 10 (2020), widened to 64 bits: additions and
 * multiplications carry upwards only, so on reversed bits each one depends on those above it. */
#ifndef TRNSCI_DISTRIBUTIONS_SOBOL_H
#define TRNSCI_DISTRIBUTIONS_SOBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/quasi/points_settings.h"
#include "distributions/quasi/sobol_data.h"

enum {
	/* A block has a multiple of this many elements, or is one point. */
	SOBOL_LANES = 8,
	/* A span's table has at most this many elements, or two rows: it stays in a first-level cache beside its output. */
	SOBOL_SPAN_ELEMENTS = 2048,
	SOBOL_MOST_STRIDE = (SOBOL_DIMS + SOBOL_LANES - 1) / SOBOL_LANES * SOBOL_LANES,
};

/* Tables of all dimensions, as fractions of 2^64; with owen, the bits of each number are reversed. */
struct sobol {
	uint32_t dims, log2_block; /* points of a block */
	uint32_t width, stride;    /* elements of a block, and rounded up to vectors */
	uint32_t bits;
	bool owen;
	uint64_t mask;    /* the bits that count */
	uint64_t *block0; /* [stride] */
	uint32_t n_steps;  /* binary digits of block numbers */
	uint32_t log2_span; /* blocks of a span, at most 2^n_steps */
	uint64_t *steps;   /* [n_steps][stride]: from block b to b + 1 by row ctz(b + 1) */
	uint64_t *span;    /* [2^log2_span][stride]: from the first block of a span to each of its blocks; without
			    * owen, the bits that count as fractions of 2^53 */
	uint64_t *keys[2]; /* owen: [stride] added, and multiplied by */
};

struct sobol_kernel {
	const char *name;
	uint32_t needs;
	/* Write n_blocks whole blocks. state[stride] holds the first block of the span of `first`, and is overwritten. */
	void (*f32)(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, float *out);
	void (*f64)(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, double *out);
};

extern const struct sobol_kernel sobol_scalar, sobol_avx2, sobol_avx512, sobol_gfni, sobol_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct sobol_kernel *const *sobol_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct sobol_kernel *sobol_select(uint32_t features);

/* Like points_create, points_free and points_bytes. */
int sobol_create(const struct points_settings *settings, struct sobol **ret_sobol);
void sobol_free(struct sobol *sobol);
size_t sobol_bytes(const struct points_settings *settings);

/* Writes points [first, first + n) to out, n dims elements of the dtype. */
void sobol_fill(const struct sobol *sobol, const struct sobol_kernel *kernel, enum dtype dtype, uint64_t first,
		size_t n, void *out);

#endif
