/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of float64. */
#include "exact.h"

#include <math.h>
#include <string.h>

enum { LIMB = 32, MANTISSA = 52, MOST_ADDITIONS = 1 << 30 };

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static void add_special(struct exact *sum, uint64_t bits)
{
	const bool infinite = (bits << 12) == 0;

	sum->specials[infinite ? 1 + (int)(bits >> 63) : 0]++;
}

void exact_add(struct exact *sum, double value)
{
	const uint64_t bits = bits_of(value), exponent = bits >> MANTISSA & 0x7ff;
	uint64_t mantissa = bits & (((uint64_t)1 << MANTISSA) - 1);

	if (exponent == 0x7ff) {
		add_special(sum, bits);
		return;
	}
	/* A denormal has the place of exponent 1, without the leading one. */
	mantissa |= (uint64_t)(exponent != 0) << MANTISSA;
	const uint64_t place = exponent ? exponent - 1 : 0;
	const unsigned __int128 wide = (unsigned __int128)mantissa << (place % LIMB);
	int64_t *const limb = sum->limbs + place / LIMB;
	const int64_t sign = bits >> 63 ? -1 : 1;

	limb[0] += sign * (int64_t)(uint32_t)wide;
	limb[1] += sign * (int64_t)(uint32_t)(wide >> 32);
	limb[2] += sign * (int64_t)(uint32_t)(wide >> 64);
	if (++sum->additions == MOST_ADDITIONS)
		exact_carry(sum);
}

void exact_carry(struct exact *sum)
{
	for (int i = 0; i + 1 < EXACT_LIMBS; i++) {
		const int64_t low = sum->limbs[i] & 0xffffffff;

		sum->limbs[i + 1] += (sum->limbs[i] - low) / ((int64_t)1 << LIMB);
		sum->limbs[i] = low;
	}
	sum->additions = 0;
}

static double special_value(const struct exact *sum)
{
	if (sum->specials[0] || (sum->specials[1] && sum->specials[2]))
		return NAN;
	return sum->specials[1] ? INFINITY : -INFINITY;
}

/* The bits of a positive sum from `place` on, as many as a word has. */
static uint64_t bits_from(const struct exact *sum, int place)
{
	const int i = place / LIMB;
	unsigned __int128 wide = 0;

	for (int k = 2; k >= 0; k--)
		wide = wide << LIMB | (i + k < EXACT_LIMBS ? (uint64_t)sum->limbs[i + k] : 0);
	return (uint64_t)(wide >> (place % LIMB));
}

static bool any_below(const struct exact *sum, int place)
{
	for (int i = 0; i < place / LIMB; i++)
		if (sum->limbs[i])
			return true;
	return (sum->limbs[place / LIMB] & (((int64_t)1 << (place % LIMB)) - 1)) != 0;
}

static double round_positive(const struct exact *sum)
{
	int top = EXACT_LIMBS - 1;

	while (top > 0 && sum->limbs[top] == 0)
		top--;
	if (sum->limbs[top] == 0)
		return 0;
	const int highest = top * LIMB + 63 - __builtin_clzll((uint64_t)sum->limbs[top]);
	const int lowest = highest > MANTISSA ? highest - MANTISSA : 0; /* the last bit that is kept */
	uint64_t mantissa = bits_from(sum, lowest) & (((uint64_t)2 << MANTISSA) - 1);

	if (lowest > 0 && bits_from(sum, lowest - 1) & 1 && (any_below(sum, lowest - 1) || mantissa & 1))
		mantissa++;
	return ldexp((double)mantissa, lowest - 1074);
}

double exact_round(struct exact *sum)
{
	if (sum->specials[0] || sum->specials[1] || sum->specials[2])
		return special_value(sum);
	exact_carry(sum);
	if (sum->limbs[EXACT_LIMBS - 1] >= 0)
		return round_positive(sum);
	for (int i = 0; i < EXACT_LIMBS; i++)
		sum->limbs[i] = -sum->limbs[i];
	exact_carry(sum);
	return -round_positive(sum);
}

int exact_join(struct trnsci_mpi *mpi, struct exact *sum, struct trnsci_error *err)
{
	int64_t mine[EXACT_LIMBS + EXACT_SPECIALS], all[EXACT_LIMBS + EXACT_SPECIALS];

	exact_carry(sum);
	memcpy(mine, sum->limbs, sizeof sum->limbs);
	memcpy(mine + EXACT_LIMBS, sum->specials, sizeof sum->specials);
	const int r = group_mpi(err, MPI_Allreduce(mine, all, EXACT_LIMBS + EXACT_SPECIALS, MPI_INT64_T, MPI_SUM, mpi->comm),
				"MPI_Allreduce");

	memcpy(sum->limbs, all, sizeof sum->limbs);
	memcpy(sum->specials, all + EXACT_LIMBS, sizeof sum->specials);
	return r;
}
