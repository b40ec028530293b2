/* SPDX-License-Identifier: Apache-2.0 */
/* Radical inverses as integers over a power of the base, divided once. */
#include "dist/halton.h"

#include <stdlib.h>

#include "base/error.h"
#include "dist/points_keys.h"

/* Digits of base 2 in 64 bits. */
enum { MOST_PLACES = 63 };

/* Below 1 after any rounding. */
#define LAST_BELOW_1 (1 - 0x1p-53)

struct base {
	uint64_t key, whole; /* whole = base^places < 2^64 */
	uint32_t base, places;
	/* PERMUTATION: each place's map, and what the zeros from there on give together. */
	uint32_t a[MOST_PLACES], c[MOST_PLACES];
	uint64_t tail[MOST_PLACES + 1];
};

struct halton {
	enum points_scramble scramble;
	uint32_t dims;
	struct base bases[];
};

/* The factor 1 .. base - 1 and the term 0 .. base - 1 of a digit's map. */
static void map_of(uint64_t hash, uint32_t base, uint32_t *ret_a, uint32_t *ret_c)
{
	*ret_a = 1 + points_below((uint32_t)hash, base - 1);
	*ret_c = points_below((uint32_t)(hash >> 32), base);
}

static uint32_t mapped(uint32_t a, uint32_t c, uint64_t digit, uint32_t base)
{
	return (uint32_t)(((uint64_t)a * digit + c) % base);
}

static void put_maps(struct base *b)
{
	uint64_t power = 1;

	for (uint32_t k = 0; k < b->places; k++)
		map_of(points_mix(b->key + (k + 1) * 0x9E3779B97F4A7C15), b->base, &b->a[k], &b->c[k]);
	for (uint32_t k = b->places; k-- > 0; power *= b->base)
		b->tail[k] = b->tail[k + 1] + b->c[k] * power;
}

static void put_base(const struct halton *halton, const struct points_settings *settings, uint32_t dim, uint32_t prime,
		     struct base *ret)
{
	uint64_t key[2];

	points_key(&settings->stream, dim, key);
	ret->key = key[0];
	ret->base = prime;
	for (ret->whole = 1; ret->places < MOST_PLACES && ret->whole <= UINT64_MAX / prime; ret->places++)
		ret->whole *= prime;
	if (halton->scramble == SCRAMBLE_PERMUTATION)
		put_maps(ret);
}

static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

int halton_create(const struct points_settings *settings, struct halton **ret_halton)
{
	struct halton *halton = calloc(1, sizeof *halton + settings->dims * sizeof halton->bases[0]);
	uint32_t prime = 1;

	if (!halton)
		return -ERROR_NO_MEMORY;
	halton->scramble = settings->scramble;
	halton->dims = settings->dims;
	for (uint32_t j = 0; j < settings->dims; j++) {
		do
			prime++;
		while (!is_prime(prime));
		put_base(halton, settings, j, prime, &halton->bases[j]);
	}
	*ret_halton = halton;
	return 0;
}

void halton_free(struct halton *halton)
{
	free(halton);
}

/* i < 2^50 keeps power <= i base < 2^63; both are exact in double for i < 2^40 or so, and near enough beyond. */
static double inverse_plain(const struct base *b, uint64_t i)
{
	uint64_t sum = 0, power = 1;

	for (; i > 0; i /= b->base, power *= b->base)
		sum = sum * b->base + i % b->base;
	return (double)sum / (double)power;
}

static double inverse_permuted(const struct base *b, uint64_t i)
{
	uint64_t sum = 0, power = b->whole;
	uint32_t k = 0;

	for (; i > 0; i /= b->base, k++) {
		power /= b->base;
		sum += mapped(b->a[k], b->c[k], i % b->base, b->base) * power;
	}
	return (double)(sum + b->tail[k]) / (double)b->whole;
}

static double inverse_owen(const struct base *b, uint64_t i)
{
	uint64_t sum = 0, node = b->key;

	for (uint32_t k = 0; k < b->places; k++, i /= b->base) {
		const uint64_t digit = i % b->base, hash = points_mix(node += 0x9E3779B97F4A7C15);
		uint32_t a, c;

		map_of(hash, b->base, &a, &c);
		sum = sum * b->base + mapped(a, c, digit, b->base);
		/* The nodes below: one for each digit, far apart. */
		node = hash ^ points_mix(b->key ^ digit);
	}
	return (double)sum / (double)b->whole;
}

void halton_point(const struct halton *halton, uint64_t i, uint32_t dim, uint32_t n, double *ret_x)
{
	for (uint32_t j = 0; j < n; j++) {
		const struct base *b = &halton->bases[dim + j];
		double x;

		if (halton->scramble == SCRAMBLE_PLAIN)
			x = inverse_plain(b, i);
		else
			x = halton->scramble == SCRAMBLE_OWEN ? inverse_owen(b, i) : inverse_permuted(b, i);
		ret_x[j] = x < LAST_BELOW_1 ? x : LAST_BELOW_1;
	}
}
