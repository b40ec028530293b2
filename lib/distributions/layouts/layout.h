/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: the numbers of other frameworks, from the generators that stand in lib/rng.
 *
 * A layout says how a framework maps a seed, a call and an element to a counter, a key and a word, and how words become numbers. A
 * draw in such a layout is one call of the framework: n is the call's, and any part of it can be made. `plain` is the streams'
 * own (rng/stream.h), and trn24 another key of the same. The contract of each, with its sources, is in client/docs/streams.md. */
#ifndef TRNSCI_DISTRIBUTIONS_LAYOUT_H
#define TRNSCI_DISTRIBUTIONS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "distributions/rows/distribution.h"

/* X(identifier, name, generator as replies state it (NULL: one of the streams'), LAYOUT_ flags) */
#define LAYOUT_TABLE(X)                                                                                                           \
	X(PLAIN, "plain", NULL, 0)                                                                                                \
	X(TRN24, "trn24", NULL, 0)                                                                                                \
	X(TORCH_CUDA, "torch_cuda", "philox4x32", LAYOUT_WHOLE | LAYOUT_CALLS)                                                    \
	X(TENSORFLOW, "tensorflow", "philox4x32", LAYOUT_STREAM)                                                                  \
	X(TENSORFLOW_XLA, "tensorflow_xla", "philox4x32", LAYOUT_STREAM | LAYOUT_WHOLE)                                           \
	X(JAX, "jax", "threefry2x32", 0)                                                                                          \
	X(JAX_ORIGINAL, "jax_original", "threefry2x32", LAYOUT_WHOLE)                                                             \
	X(NUMPY, "numpy", "philox4x64", LAYOUT_CALLS | LAYOUT_WORDS)                                                              \
	X(NUMPY_KEY, "numpy_key", "philox4x64", LAYOUT_STREAM | LAYOUT_CALLS | LAYOUT_WORDS)                                      \
	X(CURAND, "curand", "philox4x32", LAYOUT_STREAM | LAYOUT_CALLS | LAYOUT_WORDS | LAYOUT_STANDARD)

/* The names, as the choices of a parameter. */
#define LAYOUT_CHOICES "plain|trn24|torch_cuda|tensorflow|tensorflow_xla|jax|jax_original|numpy|numpy_key|curand"

enum layout {
#define X(id, name, generator, flags) LAYOUT_##id,
	LAYOUT_TABLE(X)
#undef X
		LAYOUT_COUNT,
};

enum {
	LAYOUT_WHOLE = 1,     /* a number depends on the call's n: a draw has no offset, and parts by rank and size alone */
	LAYOUT_CALLS = 2,     /* calls follow one another at `position`; of others each call has a seed of its own */
	LAYOUT_STREAM = 4,    /* the stream is a part of the key; else it is 0 */
	LAYOUT_WORDS = 8,     /* position is any word; else a multiple of 4 */
	LAYOUT_STANDARD = 16, /* distributions have no parameters */
};

/* Blocks of 256 threads that a card holds: its processors times the threads of each by 256. From NVIDIA's data sheets and the
 * tables of compute capabilities in the CUDA programming guide: 2048 threads for 7.0, 8.0, 9.0 and 10.0, 1024 for 7.5, 1536 for
 * 8.6, 8.9 and 12.0. */
#define DEVICE_TABLE(X)                                                                                                           \
	X("v100", 80 * 8)                                                                                                         \
	X("t4", 40 * 4)                                                                                                           \
	X("rtx2080ti", 68 * 4)                                                                                                    \
	X("a100", 108 * 8)                                                                                                        \
	X("a10", 72 * 6)                                                                                                          \
	X("rtx3060", 28 * 6)                                                                                                      \
	X("rtx3080", 68 * 6)                                                                                                      \
	X("rtx3090", 82 * 6)                                                                                                      \
	X("l4", 58 * 6)                                                                                                           \
	X("l40s", 142 * 6)                                                                                                        \
	X("rtx4080", 76 * 6)                                                                                                      \
	X("rtx4090", 128 * 6)                                                                                                     \
	X("h100", 132 * 8)                                                                                                        \
	X("h100_pcie", 114 * 8)                                                                                                   \
	X("rtx5090", 170 * 6)

#define DEVICE_CHOICES "v100|t4|rtx2080ti|a100|a10|rtx3060|rtx3080|rtx3090|l4|l40s|rtx4080|rtx4090|h100|h100_pcie|rtx5090"

/* torch_cuda: integers of so large a range, and of larger ones, are made of two words. */
enum { LAYOUT_TORCH_WIDE_RANGE = 1 << 28 };

/* The most numbers of a call whose numbers are made in order. */
#define LAYOUT_ORDERED_MOST (UINT64_C(1) << 22)

/* What a layout has to know of a call beside the draw's distribution, dtype, parameters and stream. */
struct layout_call {
	enum layout layout;
	uint64_t position; /* where the call begins, in words */
	uint64_t n;        /* elements of the whole call */
	bool is_ordered;   /* its numbers are made in order */
	uint32_t blocks;   /* torch_cuda: that the card holds */
	/* tensorflow_xla: elements of an array's axis along which normals are pairs, and of all axes behind it. */
	uint64_t axis, inner;
};

struct layout_row {
	const char *name, *generator;
	unsigned flags;
};

extern const struct layout_row layout_rows[LAYOUT_COUNT];

/* Returns whether numbers of a layout are made here, not by the streams' own distributions. */
static inline bool layout_is_replay(enum layout layout)
{
	return layout > LAYOUT_TRN24;
}

/* Returns the layout of that name, or LAYOUT_PLAIN. */
enum layout layout_parse(const char *name);

/* Returns the blocks of a card by its number in DEVICE_CHOICES. */
uint32_t layout_device_blocks(unsigned device);

/* Returns the fewest blocks that any card of the table holds. */
uint32_t layout_least_blocks(void);

struct draw;

/* Finds how many words a call moves on: the next one begins at its position plus these. Returns false where no call follows, or
 * nobody knows before the numbers are made. */
bool layout_advance(const struct draw *draw, const struct layout_call *call, uint64_t *ret_words);

#endif
