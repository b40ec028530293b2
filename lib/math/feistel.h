/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed bijections of 0 .. items - 1: Feistel networks on a square of halves, walked until they land inside.
 *
 * A number x is split into halves (x / side, x mod side), side^2 >= items. A round replaces them by (right, left +
 * F(right)), + being a group's operation on 0 .. side - 1. A result of items or more goes through the network again;
 * such a walk ends, at the latest where it began. Source: J. Black, P. Rogaway, "Ciphers with arbitrary finite
 * domains", CT-RSA 2002 (generalised Feistel, walking). All variants give the same numbers. */
#ifndef TRNSCI_MATH_FEISTEL_H
#define TRNSCI_MATH_FEISTEL_H

#include <stddef.h>
#include <stdint.h>

enum {
	FEISTEL_BLOCK = 512, /* the most numbers of a call */
	FEISTEL_MODULAR_ROUNDS = 10,
	FEISTEL_MODULAR_KEYS = 2 * FEISTEL_MODULAR_ROUNDS,
	FEISTEL_BINARY_ROUNDS = 8,
};

/* A network where + is addition modulo side and F a hash under the round's two keys. items <= side^2 <= 2^62. */
struct feistel_modular {
	uint64_t items, side, keys[FEISTEL_MODULAR_KEYS];
};

/* A network where + is exclusive or, side = 2^half_bits <= 2^16 and items <= side^2. F is a hash under two keys in
 * alternation. */
struct feistel_binary {
	uint64_t items;
	uint32_t half_bits;
};

struct feistel_kernel {
	const char *name;
	uint32_t needs;
	/* Writes the images of index .. index + n - 1, all below items; n <= FEISTEL_BLOCK. */
	void (*modular)(const struct feistel_modular *network, uint64_t index, size_t n, uint64_t *ret_images);
	/* Replaces each number by its image under its own keys, keys[0][i], keys[1][i] ...: a modular network. A number
	 * is given as its halves, 2^32 (number / side) + number mod side; n <= FEISTEL_BLOCK, side < 2^32. Overwrites x
	 * up to a multiple of eight. The arrays of keys have room for FEISTEL_BLOCK. */
	void (*keyed)(uint64_t items, uint64_t side, const uint64_t *const keys[FEISTEL_MODULAR_KEYS], size_t n,
		      uint64_t *x);
	/* Replaces x[i] < items by its image under keys[0][i] and keys[1][i]; n <= FEISTEL_BLOCK. Overwrites x up to a
	 * multiple of eight; reads the keys up to there. */
	void (*binary)(const struct feistel_binary *network, const uint64_t *const keys[2], size_t n, uint64_t *x);
	/* Writes (cells[i] + parts[i] step) / items, for cells below 2^32 and parts below 2^50. All arrays have room
	 * for a multiple of eight. */
	void (*place)(const uint64_t *cells, const uint64_t *parts, double step, uint64_t items, size_t n,
		      double *ret_x);
};

extern const struct feistel_kernel feistel_scalar, feistel_avx2, feistel_avx512, feistel_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct feistel_kernel *const *feistel_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct feistel_kernel *feistel_select(uint32_t features);

#endif
