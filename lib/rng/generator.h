/* SPDX-License-Identifier: Apache-2.0 */
/* The generators: one row each, with its kernels and the limits of its counter. */
#ifndef TRNSCI_RNG_GENERATOR_H
#define TRNSCI_RNG_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "rng/kernel.h"

/* X(identifier, number, name, stem of its kernels, largest stream id, largest draw number) */
#define GENERATOR_TABLE(X)                                                                                             \
	X(THREEFRY4X32, 0, "threefry4x32", threefry, UINT64_MAX, UINT32_MAX)                                           \
	X(PHILOX4X32, 1, "philox4x32", philox, UINT32_MAX, (1u << 25) - 1)                                             \
	X(THREEFRY4X32_13, 2, "threefry4x32_13", threefry13, UINT64_MAX, UINT32_MAX)                                   \
	X(PHILOX4X32_7, 3, "philox4x32_7", philox7, UINT32_MAX, (1u << 25) - 1)                                        \
	X(ARS4X32_7, 4, "ars4x32_7", ars, UINT64_MAX, UINT32_MAX)                                                      \
	X(THREEFRY4X32_TRN, 5, "threefry4x32_trn", threefry_trn, UINT64_MAX, UINT32_MAX)                               \
	X(THREEFRY2X32, 6, "threefry2x32", threefry2x32, UINT32_MAX, (1u << 25) - 1)                                   \
	X(THREEFRY4X64, 7, "threefry4x64", threefry4x64, UINT64_MAX, UINT32_MAX)                                       \
	X(PHILOX2X32, 8, "philox2x32", philox2x32, UINT32_MAX, (1u << 25) - 1)                                         \
	X(PHILOX4X64, 9, "philox4x64", philox4x64, UINT64_MAX, UINT32_MAX)

/* The names, as the choices of a parameter. */
#define GENERATOR_CHOICES                                                                                              \
	"threefry4x32|philox4x32|threefry4x32_13|philox4x32_7|ars4x32_7|threefry4x32_trn|threefry2x32|threefry4x64|"  \
	"philox2x32|philox4x64"

enum generator {
#define X(id, number, name, stem, most_stream, most_draw) GENERATOR_##id = number,
	GENERATOR_TABLE(X)
#undef X
		GENERATOR_COUNT,
};

struct generator_row {
	const char *name;
	/* All variants built in, best first, scalar last. */
	const struct rng_kernel *const *(*kernels)(size_t *ret_count);
	const struct rng_kernel *(*select)(uint32_t features);
	uint64_t most_stream;
	uint32_t most_draw;
};

/* Returns the row of a generator, which must be one of the enum. */
const struct generator_row *generator_row(enum generator generator);

/* Finds a generator by its name of size bytes. Returns 0, or -ERROR_OUT_OF_RANGE for an unknown name. */
int generator_parse(const char *name, size_t size, enum generator *ret);

/* Returns the best variant that needs nothing beyond `features`. Without features it is the scalar one, the reference.
 */
const struct rng_kernel *generator_select(enum generator generator, uint32_t features);

#endif
