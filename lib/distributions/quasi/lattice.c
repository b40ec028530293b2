/* SPDX-License-Identifier: Apache-2.0 */
/* Lattice points in integers modulo 2^64. */
#include "distributions/quasi/lattice.h"

#include <stdlib.h>

#include "base/error.h"
#include "distributions/quasi/points_keys.h"

struct lattice {
	uint32_t dims;
	uint64_t shift[]; /* [dims], fractions of 2^64; zeros without scrambling */
};

int lattice_create(const struct points_settings *settings, struct lattice **ret_lattice)
{
	struct lattice *lattice = calloc(1, sizeof *lattice + settings->dims * sizeof lattice->shift[0]);

	if (!lattice)
		return -ERROR_NO_MEMORY;
	lattice->dims = settings->dims;
	for (uint32_t j = 0; settings->scramble == SCRAMBLE_SHIFT && j < settings->dims; j++) {
		uint64_t key[2];

		points_key(&settings->stream, j, key);
		lattice->shift[j] = key[0];
	}
	*ret_lattice = lattice;
	return 0;
}

void lattice_free(struct lattice *lattice)
{
	free(lattice);
}

/* Returns x with its 64 bits reversed: the radical inverse of x in base 2, as a fraction of 2^64. */
static uint64_t reverse_bits(uint64_t x)
{
	x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
	x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
	x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
	return __builtin_bswap64(x);
}

void lattice_point(const struct lattice *lattice, uint64_t i, uint32_t dim, uint32_t n, double *ret_x)
{
	const uint64_t phi = reverse_bits(i);

	for (uint32_t j = dim; j < dim + n; j++)
		ret_x[j - dim] = (double)((phi * lattice_vector[j] + lattice->shift[j]) >> 11) * 0x1p-53;
}
