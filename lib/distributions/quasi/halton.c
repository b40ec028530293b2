/* SPDX-License-Identifier: Apache-2.0 */
/* Radical inverses as integers over a power of the base, divided once. */
#include "distributions/quasi/halton_simd.c"

#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/kernel_table.h"
#include "distributions/quasi/points_keys.h"
#include "math/splitmix.h"

enum {
	/* Digits of a coordinate in base 2, the most of all bases. */
	MOST_PLACES = 63,
	/* Fewer points than these are faster one by one than as a vector. */
	FEW_POINTS = 4,
};

/* One dimension, whose base is a prime. */
struct base {
	struct halton_nest nest;
	/* PERMUTATION: each place's map, and the sum that zeros from there on contribute. */
	uint32_t a[MOST_PLACES], c[MOST_PLACES];
	uint64_t tail[MOST_PLACES + 1];
};

/* A sequence: dimension j has the j-th prime as its base. */
struct halton {
	enum points_scramble scramble;
	uint32_t dims;
	const struct halton_kernel *kernel;
	struct base bases[];
};

/* Derives the map of a digit from a hash: a factor 1 .. base - 1 and a term 0 .. base - 1. */
static void derive_map(uint64_t hash, uint32_t base, uint32_t *ret_a, uint32_t *ret_c)
{
	*ret_a = 1 + points_below((uint32_t)hash, base - 1);
	*ret_c = points_below((uint32_t)(hash >> 32), base);
}

/* Returns the image of a digit: a linear map, which is a permutation of the digits since the base is prime. */
static uint32_t map_digit(uint32_t a, uint32_t c, uint64_t digit, uint32_t base)
{
	return (uint32_t)(((uint64_t)a * digit + c) % base);
}

/* Fills the maps of all places, and the sums of trailing zeros. */
static void fill_maps(struct base *b)
{
	uint64_t power = 1;

	for (uint32_t k = 0; k < b->nest.places; k++)
		derive_map(splitmix_hash(b->nest.key + (k + 1) * SPLITMIX_STEP), b->nest.base, &b->a[k], &b->c[k]);
	for (uint32_t k = b->nest.places; k-- > 0; power *= b->nest.base)
		b->tail[k] = b->tail[k + 1] + b->c[k] * power;
}

/* Fills the table of one dimension; *ret is zero before. */
static void fill_base(const struct halton *halton, const struct points_settings *settings, uint32_t dim, uint32_t prime,
		      struct base *ret)
{
	struct halton_nest *nest = &ret->nest;
	uint64_t key[2];

	points_key(&settings->stream, dim, key);
	nest->key = key[0];
	nest->base = prime;
	for (nest->whole = 1; nest->places < MOST_PLACES && nest->whole <= UINT64_MAX / prime; nest->places++)
		nest->whole *= prime;
	nest->head = nest->places - nest->places / 2;
	nest->tail_power = 1;
	for (uint32_t k = nest->head; k < nest->places; k++)
		nest->tail_power *= prime;
	if (halton->scramble == SCRAMBLE_PERMUTATION)
		fill_maps(ret);
}

/* By trial division: the bases are below 8000. */
static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

int halton_create(const struct points_settings *settings, uint32_t features, struct halton **ret_halton)
{
	struct halton *halton = calloc(1, sizeof *halton + settings->dims * sizeof halton->bases[0]);
	uint32_t prime = 1;

	if (!halton)
		return -ERROR_NO_MEMORY;
	halton->scramble = settings->scramble;
	halton->dims = settings->dims;
	halton->kernel = halton_select(features);
	for (uint32_t j = 0; j < settings->dims; j++) {
		do
			prime++;
		while (!is_prime(prime));
		fill_base(halton, settings, j, prime, &halton->bases[j]);
	}
	*ret_halton = halton;
	return 0;
}

void halton_free(struct halton *halton)
{
	free(halton);
}

size_t halton_bytes(uint32_t dims)
{
	return sizeof(struct halton) + dims * sizeof(struct base);
}

/* Returns the radical inverse of i < 2^50, so that power <= i base < 2^63. It is exact in double for i up to about
 * 2^40, and rounded three times beyond. */
static double inverse_plain(const struct base *b, uint64_t i)
{
	uint64_t sum = 0, power = 1;

	for (; i > 0; i /= b->nest.base, power *= b->nest.base)
		sum = sum * b->nest.base + i % b->nest.base;
	return (double)sum / (double)power;
}

/* Returns the radical inverse with each digit mapped. The zeros above i's digits are mapped, too, all of them at once:
 * tail. */
static double inverse_permuted(const struct base *b, uint64_t i)
{
	uint64_t sum = 0, power = b->nest.whole;
	uint32_t k = 0;

	for (; i > 0; i /= b->nest.base, k++) {
		power /= b->nest.base;
		sum += map_digit(b->a[k], b->c[k], i % b->nest.base, b->nest.base) * power;
	}
	return (double)(sum + b->tail[k]) / (double)b->nest.whole;
}

/* Writes coordinates [dim, dim + n) of `points` points from `first` on, at most HALTON_BLOCK. Points are `stride`
 * elements apart. */
static void fill_owen(const struct halton *halton, uint64_t first, size_t points, uint32_t dim, uint32_t n,
		      size_t stride, double *ret_x)
{
	const struct halton_kernel *kernel = points < FEW_POINTS ? &halton_scalar : halton->kernel;
	double x[HALTON_BLOCK];

	for (uint32_t j = 0; j < n; j++) {
		kernel->owen(&halton->bases[dim + j].nest, first, points, x);
		for (size_t i = 0; i < points; i++)
			ret_x[i * stride + j] = x[i];
	}
}

/* Writes coordinates [dim, dim + n) of point i, plain or with permuted digits. */
static void fill_point(const struct halton *halton, uint64_t i, uint32_t dim, uint32_t n, double *ret_x)
{
	for (uint32_t j = 0; j < n; j++) {
		const struct base *b = &halton->bases[dim + j];
		const double x = halton->scramble == SCRAMBLE_PLAIN ? inverse_plain(b, i) : inverse_permuted(b, i);

		ret_x[j] = x < LAST_BELOW_1 ? x : LAST_BELOW_1;
	}
}

void halton_fill(const struct halton *halton, uint64_t begin, size_t n, double *ret_x)
{
	const uint32_t dims = halton->dims;

	for (size_t i = 0, count; i < n; i += count) {
		const uint64_t point = (begin + i) / dims;
		const uint32_t dim = (uint32_t)((begin + i) % dims);
		size_t points = 1;

		count = size_min(n - i, dims - dim);
		if (halton->scramble != SCRAMBLE_OWEN) {
			fill_point(halton, point, dim, (uint32_t)count, ret_x + i);
			continue;
		}
		if (count == dims)
			points = size_min((n - i) / dims, HALTON_BLOCK);
		fill_owen(halton, point, points, dim, (uint32_t)count, dims, ret_x + i);
		count *= points;
	}
}

KERNEL_TABLE(struct halton_kernel, halton, KERNEL_ROWS(halton))
