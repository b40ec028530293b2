/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed bijections of 0 .. items - 1: Feistel networks on a square of halves, walked until they land inside.
 *
 * A number x is its halves (x / side, x mod side), side^2 >= items; a round makes them (right, left + F(right)), where
 * + is a group's on 0 .. side - 1. What leads to items or beyond is led on, and a walk ends at the latest where it
 * began. Source: J. Black, P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002 (generalised Feistel,
 * walking). All variants give the same numbers. */
#ifndef TRNSCI_DIST_FEISTEL_H
#define TRNSCI_DIST_FEISTEL_H

#include <stddef.h>
#include <stdint.h>

enum {
	FEISTEL_BLOCK = 512, /* the most numbers at once */
	FEISTEL_MODULAR_ROUNDS = 10,
	FEISTEL_MODULAR_KEYS = 2 * FEISTEL_MODULAR_ROUNDS,
	FEISTEL_BINARY_ROUNDS = 8,
};

/* + is addition modulo side, F a hash under the round's two keys. items <= side^2 <= 2^62. */
struct feistel_modular {
	uint64_t items, side, keys[FEISTEL_MODULAR_KEYS];
};

/* + is exclusive or, side 2^half_bits <= 2^16, items <= side^2; F a hash under the keys by turns. */
struct feistel_binary {
	uint64_t items;
	uint32_t half_bits;
};

struct feistel_kernel {
	const char *name;
	uint32_t needs;
	/* The images of index, index + 1 .. index + n - 1, all below items; n <= FEISTEL_BLOCK. */
	void (*modular)(const struct feistel_modular *network, uint64_t index, size_t n, uint64_t *ret_images);
	/* As modular, each number under keys of its own: x[i] = 2^32 (number / side) + number mod side to its image
	 * under keys[0][i], keys[1][i] and so on; n <= FEISTEL_BLOCK, side < 2^32. x has room up to a multiple of
	 * eight, where it is overwritten; the keys have room up to FEISTEL_BLOCK. */
	void (*keyed)(uint64_t items, uint64_t side, const uint64_t *const keys[FEISTEL_MODULAR_KEYS], size_t n,
		      uint64_t *x);
	/* x[i] < items to its image under keys[0][i] and keys[1][i], n <= FEISTEL_BLOCK of them; the arrays have room
	 * up to a multiple of eight, where x is overwritten. */
	void (*binary)(const struct feistel_binary *network, const uint64_t *const keys[2], size_t n, uint64_t *x);
	/* (cells[i] + parts[i] step) / items, cells below 2^32 and parts below 2^50; all have room for a multiple of
	 * eight. */
	void (*place)(const uint64_t *cells, const uint64_t *parts, double step, uint64_t items, size_t n,
		      double *ret_x);
};

extern const struct feistel_kernel feistel_scalar, feistel_avx2, feistel_avx512, feistel_neon;

/* All kernels of this build, best first, scalar last; and the best that the features allow. */
const struct feistel_kernel *const *feistel_kernels(size_t *ret_count);
const struct feistel_kernel *feistel_select(uint32_t features);

#endif
