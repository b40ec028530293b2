/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses stages and radices by a model of their cost.
 *
 * The unit of cost is one vector operation (an addition, a multiplication, a load, a store or a shuffle). Only the
 * ratios of the weights matter: they decide between ways to cut one length. Another choice has other roundings, so a
 * changed weight changes results in their last bits. */
#include "fft/plan/factor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"

enum {
	/* The longest transform that flat_body.h runs: its buffer of 128 KiB (float32) stays in the second-level cache. */
	FLAT_MAX = 16384,
	/* The longest column of a transform that would need a third stage otherwise. Its two buffers of 256 KiB leave the
	 * second-level cache little room, which costs less than to read and write the whole transform once more. */
	LONG_COLUMN = 2 * FFT_MAX_COLUMN,
	/* From so many points on, flat_body.h is faster than a batch as lanes although it leaves some idle (measured). */
	LEAST_NARROW = 240,
};

static const uint8_t odd_primes[] = {13, 11, 7, 5, 3};

/* Radices of the odd part of a column. Those of two factors save passes, and some of their twiddles. */
static const uint8_t odd_radices[] = {13, 11, 7, 15, 9, 5, 3};

/* Radices of a column of 2^a elements, in the order of its passes. Fewer passes are better; the larger radix comes
 * last, because no twiddles follow the last pass. */
static const uint8_t powers_of_two[12][4] = {{0},    {2},     {4},      {8},       {16},      {4, 8},
					     {8, 8}, {8, 16}, {16, 16}, {8, 8, 8}, {8, 8, 16}, {8, 16, 16}};

bool factor_is_smooth(uint64_t n)
{
	for (unsigned i = 0; i < sizeof odd_primes; i++)
		while (n % odd_primes[i] == 0)
			n /= odd_primes[i];
	return (n & (n - 1)) == 0;
}

/* Returns the first radix of a length that short_body.h runs, several transforms side by side in a vector, else 0. */
static size_t group_rows(uint64_t n, size_t width)
{
	const size_t w = width == 16 && n >= 64 ? 8 : 4;

	if (n < 16 || n > 8 * width || (n & (n - 1)))
		return 0;
	return n / w;
}

/* Adds a radix. They are in ascending order, because pass i has n (1 - 1 / r_i) twiddles and the last has none. */
static void add_radix(struct fft_columns *columns, uint8_t radix)
{
	unsigned i = columns->n_passes++;

	for (; i > 0 && columns->radix[i - 1] > radix; i--)
		columns->radix[i] = columns->radix[i - 1];
	columns->radix[i] = radix;
}

/* Returns the power of two that goes into one radix with 3 or 5, so that 2^exponent needs a pass less: where 5 divides the rest
 * twice, two of them take a factor each. */
static unsigned joined_power(unsigned radix, unsigned exponent, size_t rest)
{
	if (exponent % 4 == 2 && radix == 5 && rest % 25 == 0)
		return 2;
	if (exponent % 4 == 1 && (radix == 3 || radix == 5))
		return 2;
	return exponent % 4 == 2 && radix == 3 ? 4 : 1;
}

/* Takes the radices of the odd part, then those of the power of two that remains. */
static void choose_radices(size_t length, struct fft_columns *columns)
{
	size_t rest = length;

	*columns = (struct fft_columns){.length = length};
	/* Unrolled, divisors are constants, and no division is left. */
#pragma GCC unroll 7
	for (unsigned i = 0; i < sizeof odd_radices; i++)
		while (rest % odd_radices[i] == 0) {
			const unsigned radix = odd_radices[i] * joined_power(odd_radices[i], __builtin_ctzll(rest), rest);

			add_radix(columns, (uint8_t)radix);
			rest /= radix;
		}
	for (const uint8_t *radix = powers_of_two[__builtin_ctzll(rest)]; rest > 1; rest /= *radix++)
		add_radix(columns, *radix);
}

/* Makes `rows` the first radix, before those of the rest. */
static void put_first(size_t rows, struct fft_columns *columns)
{
	struct fft_columns rest;

	choose_radices(columns->length / rows, &rest);
	columns->radix[0] = (uint8_t)rows;
	memcpy(columns->radix + 1, rest.radix, rest.n_passes);
	columns->n_passes = 1 + rest.n_passes;
}

/* Puts the largest of three and more radices first: one transform alone has as many lanes after that pass. */
static void put_largest_first(struct fft_columns *columns)
{
	const unsigned n = columns->n_passes;
	uint8_t largest;

	if (n < 3)
		return;
	largest = columns->radix[n - 1];
	memmove(columns->radix + 1, columns->radix, n - 1);
	columns->radix[0] = largest;
}

/* Returns the operations of one row of a butterfly. */
static double butterfly_cost(unsigned radix)
{
	const double half = radix / 2;

	switch (radix) {
	case 2:
		return 2;
	case 4:
		return 4;
	case 6:
		return butterfly_cost(2) + butterfly_cost(3);
	case 8:
		return 6.5;
	case 9:
		return 2 * butterfly_cost(3) + 2;
	case 10:
		return butterfly_cost(2) + butterfly_cost(5);
	case 12:
		return butterfly_cost(3) + butterfly_cost(4);
	case 15:
		return butterfly_cost(3) + butterfly_cost(5);
	case 16:
		return 1 + 9.3;
	default:
		return half * (10 + 4 * half) / radix;
	}
}

/* Returns the operations of one row of a pass: load, store and butterfly. The twiddle is counted by column_cost. */
static double radix_cost(unsigned radix)
{
	return 5 + butterfly_cost(radix);
}

/* Returns the operations of one row over all inner passes. A twiddle takes 4 operations; the last pass has none. */
static double column_cost(const struct fft_columns *columns)
{
	double cost = 0;

	for (unsigned i = 0; i < columns->n_passes; i++)
		cost += radix_cost(columns->radix[i]) + (i + 1 < columns->n_passes ? 4 : 0);
	return cost;
}

/* Returns the operations of a row outside its column: splitting pairs into parts and joining them, transposes, and the
 * twiddles between stages. */
static double ends_cost(const struct fft_smooth *smooth, unsigned stage, size_t lanes)
{
	const double transpose = 2 * (double)__builtin_ctzll(lanes) + 4;

	if (smooth->n_stages == 1)
		return 2 * transpose + 4;
	return stage == 0 ? transpose + 8 : stage + 1 < smooth->n_stages ? 9 : 2;
}

/* An item costs 120 operations whatever its rows, then those of its rows. */
double factor_item_cost(const struct fft_smooth *smooth, unsigned stage, size_t lanes)
{
	const struct fft_columns *columns = &smooth->stage[stage].columns;
	/* Two column buffers of more than 4096 vectors leave the first-level cache: about two operations a pass. */
	const double spill = columns->length * lanes > 4096 ? 2.0 * columns->n_passes : 0;

	return 120 + (double)columns->length * (column_cost(columns) + ends_cost(smooth, stage, lanes) + spill);
}

/* Transforms of one stage run `lanes` at a time, so one takes that share of an item. */
double factor_cost(const struct fft_smooth *smooth, size_t lanes)
{
	double cost = 0;

	if (smooth->n_stages == 1)
		return factor_item_cost(smooth, 0, lanes) / (double)lanes;
	for (unsigned i = 0; i < smooth->n_stages; i++)
		cost += (double)smooth->stage[i].items * factor_item_cost(smooth, i, lanes);
	return cost;
}

/* Returns whether flat_body.h is faster than lanes for any number of transforms of a plan of one stage. */
static bool is_narrow(const struct fft_smooth *smooth, size_t lanes)
{
	return smooth->single_flat && smooth->n >= LEAST_NARROW && 2 * smooth->stage[0].columns.radix[0] > lanes;
}

/* Compares rows of butterflies: a pass over the lanes of many transforms has n of them. Of a transform alone, the first pass has
 * as many as the vectors of each of its r rows, a later one as the vectors of r elements. These take 1.6 times as long (measured),
 * because they are split, transposed and joined. */
size_t factor_singles(const struct fft_smooth *smooth, size_t lanes, bool has_flat)
{
	const struct fft_columns *columns = &smooth->stage[0].columns;
	size_t r, rows;

	if (has_flat && is_narrow(smooth, lanes))
		return SIZE_MAX;
	if (smooth->n_stages > 1 || smooth->group_rows || columns->n_passes < 1)
		return 0;
	if (columns->n_passes == 1) /* measured: from so many on, the squares that gather lanes pay */
		return size_min(size_max(2 * lanes / columns->length, 1), lanes * 3 / 4);
	r = columns->radix[0];
	rows = r * ((columns->length / r + lanes - 1) / lanes) +
	       columns->length / r * ((r + lanes - 1) / lanes) * (columns->n_passes - 1);
	return size_min(columns->length * columns->n_passes * 5 / (8 * rows), lanes);
}

/* The first stage is a single pass, so its twiddles are those that a pass has. */
struct fft_columns factor_join_stages(const struct fft_smooth *smooth)
{
	struct fft_columns joined = smooth->stage[0].columns;
	const struct fft_columns *second = &smooth->stage[1].columns;

	assert(joined.n_passes == 1);
	memcpy(joined.radix + 1, second->radix, second->n_passes);
	joined.n_passes += second->n_passes;
	joined.length = smooth->n;
	joined.twiddles = NULL;
	return joined;
}

/* Makes the two stages of a transform that flat_body.h would run one: without vectors that is faster. */
static void join_flat_stages(struct fft_smooth *smooth)
{
	smooth->stage[0].columns = factor_join_stages(smooth);
	smooth->stage[0].m = 1;
	smooth->n_stages = 1;
	smooth->flat_rows = 0;
}

/* Returns the length of the first stage; of the only one, that of its first pass. */
static size_t first_pass_rows(const struct fft_smooth *smooth)
{
	const struct fft_columns *columns = &smooth->stage[0].columns;

	return smooth->n_stages == 1 && columns->n_passes > 1 ? columns->radix[0] : columns->length;
}

void factor_lay_out(struct fft_smooth *smooth, size_t lanes)
{
	if (lanes == 1 && smooth->flat_rows)
		join_flat_stages(smooth);
	smooth->row = (first_pass_rows(smooth) + lanes - 1) / lanes * lanes;
	smooth->single_flat = smooth->n_stages == 1 && smooth->stage[0].columns.n_passes > 2;
	smooth->flat = smooth->flat_rows && 2 * smooth->flat_rows == lanes ? 2 : 1;
	for (unsigned i = 0; i < smooth->n_stages; i++) {
		struct fft_stage *stage = &smooth->stage[i];

		stage->items = i == 0 ? (stage->m + lanes - 1) / lanes
				      : stage->m * stage->reps * (smooth->row / lanes);
	}
}

/* Fills in a transform of given stages, laid out for vectors of `width`. */
static void set_stages(uint64_t n, size_t width, const uint16_t *lengths, unsigned n_stages, struct fft_smooth *smooth)
{
	size_t rest = n, reps = 1;

	*smooth = (struct fft_smooth){.n = n, .n_stages = n_stages};
	for (unsigned i = 0; i < n_stages; i++) {
		struct fft_stage *stage = &smooth->stage[i];

		choose_radices(lengths[i], &stage->columns);
		if (n_stages == 1)
			put_largest_first(&stage->columns);
		rest /= lengths[i];
		stage->m = rest;
		stage->reps = reps;
		if (i > 0)
			reps *= lengths[i];
	}
	factor_lay_out(smooth, width);
}

/* Returns whether short_body.h can run the length; then its two passes are fixed. */
static bool choose_group_radices(struct fft_smooth *smooth, size_t width)
{
	struct fft_columns *columns = &smooth->stage[0].columns;

	smooth->group_rows = group_rows(smooth->n, width);
	if (smooth->group_rows == 0)
		return false;
	columns->n_passes = 2;
	columns->radix[0] = (uint8_t)smooth->group_rows;
	columns->radix[1] = (uint8_t)(smooth->n / smooth->group_rows);
	return true;
}

/* Returns whether n is a product of exactly `count` lengths, each at most FFT_MAX_COLUMN. */
static bool can_cut(uint64_t n, unsigned count)
{
	if (count <= 1)
		return n <= FFT_MAX_COLUMN;
	for (uint64_t d = FFT_MAX_COLUMN; d > 1; d--)
		if (n % d == 0 && can_cut(n / d, count - 1))
			return true;
	return false;
}

/* Returns the divisor of n whose ratio to the count-th root of n is nearest to 1. One that fills vectors may be off by
 * twice as much. */
static uint16_t balanced_divisor(uint64_t n, unsigned count, size_t width)
{
	const double ideal = pow((double)n, 1.0 / count);
	double best_ratio = INFINITY;
	uint16_t best = 0;

	for (uint16_t d = 2; d <= FFT_MAX_COLUMN; d++) {
		double ratio = d > ideal ? d / ideal : ideal / d;

		if (n % d || !can_cut(n / d, count - 1))
			continue;
		ratio *= d % width ? 2 : 1;
		if (ratio < best_ratio) {
			best_ratio = ratio;
			best = d;
		}
	}
	return best;
}

/* Replaces *smooth, of that cost, by the cheapest way into two stages of columns of at most `most`. Returns its cost, or the old one
 * where that is less. */
static double cut_into_two_stages(uint64_t n, size_t width, uint64_t most, double cost, struct fft_smooth *smooth)
{
	/* One stage leaves lanes idle when a call has few transforms, so it must win by 15 %. */
	const double two_stage_bonus = 0.85;

	for (uint64_t d = 2; d <= most && d < n; d++) {
		struct fft_smooth trial;

		if (n % d || n / d > most)
			continue;
		set_stages(n, width, (const uint16_t[]){(uint16_t)d, (uint16_t)(n / d)}, 2, &trial);
		if (factor_cost(&trial, width) * two_stage_bonus < cost) {
			cost = factor_cost(&trial, width) * two_stage_bonus;
			*smooth = trial;
		}
	}
	return cost;
}

/* Cuts a length that two columns cannot have into as few stages as it takes, of similar lengths. */
static void cut_into_many_stages(uint64_t n, size_t width, struct fft_smooth *ret_smooth)
{
	uint16_t lengths[FFT_MAX_STAGES] = {0};
	unsigned count = 3;
	uint64_t rest = n;

	while (!can_cut(n, count))
		count++;
	assert(count <= FFT_MAX_STAGES);
	for (unsigned i = 0; i + 1 < count; i++) {
		lengths[i] = balanced_divisor(rest, count - i, width);
		rest /= lengths[i];
	}
	lengths[count - 1] = (uint16_t)rest;
	set_stages(n, width, lengths, count, ret_smooth);
}

/* Returns whether flat_body.h runs a transform whose first stage has that length. */
static bool is_flat(uint64_t n, size_t rows, size_t width)
{
	const uint64_t rest = n / rows;

	return n % rows == 0 && n <= FLAT_MAX && rest >= width && rest <= FFT_MAX_COLUMN;
}

/* Returns the first of the choices by which flat_body.h can run a transform, else 0. */
static size_t first_flat(uint64_t n, size_t width, const size_t *choices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_flat(n, choices[i], width))
			return choices[i];
	return 0;
}

/* Returns the first stage's length of a transform that flat_body.h runs with hardly an idle lane, else 0. It is `width`, or one
 * less in one vector or two; or half of `width`, where two transforms together fill the vectors of the second stage. */
static size_t full_rows(uint64_t n, size_t width)
{
	return first_flat(n, width, (const size_t[]){width, 15, width / 2}, 3);
}

/* Returns that of other transforms: what leaves the fewest lanes idle, 7 of them with float64 alone. */
static size_t narrow_rows(uint64_t n, size_t width)
{
	const size_t choices[] = {7, 13, 12, 11, 10, 9}, skipped = width > 8 ? 1 : 0;

	return n < LEAST_NARROW ? 0 : first_flat(n, width, choices + skipped, 6 - skipped);
}

/* Tries, in this order: one stage whose transforms share vectors; one stage or two in the buffer of flat_body.h; the cheapest of one stage
 * and all ways into two; more stages. */
void factor_stages(uint64_t n, size_t width, struct fft_smooth *ret_smooth)
{
	const size_t full = full_rows(n, width), narrow = full ? 0 : narrow_rows(n, width), rows = full ? full : narrow;
	double best_cost = INFINITY;

	if (rows && (full || n > FFT_MAX_COLUMN) && !group_rows(n, width)) {
		set_stages(n, width, (const uint16_t[]){(uint16_t)rows, (uint16_t)(n / rows)}, 2, ret_smooth);
		ret_smooth->flat_rows = rows;
		return;
	}
	if (n <= FFT_MAX_COLUMN) {
		set_stages(n, width, (const uint16_t[]){(uint16_t)n}, 1, ret_smooth);
		if (choose_group_radices(ret_smooth, width))
			return;
		if (narrow) {
			put_first(narrow, &ret_smooth->stage[0].columns);
			return;
		}
		best_cost = factor_cost(ret_smooth, width);
	}
	best_cost = cut_into_two_stages(n, width, FFT_MAX_COLUMN, best_cost, ret_smooth);
	if (best_cost == INFINITY)
		best_cost = cut_into_two_stages(n, width, LONG_COLUMN, best_cost, ret_smooth);
	if (best_cost == INFINITY)
		cut_into_many_stages(n, width, ret_smooth);
}

/* The candidates have small odd parts: others are rarely cheaper, and each costs a search of its own. */
uint64_t factor_convolution(uint64_t least, size_t width)
{
	const uint64_t odd_parts[] = {1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 63, 75, 81};
	struct fft_smooth smooth;
	double best_cost = INFINITY;
	uint64_t best = 0;

	for (unsigned i = 0; i < sizeof odd_parts / sizeof *odd_parts; i++) {
		uint64_t n = odd_parts[i];
		double cost;

		while (n < least)
			n *= 2;
		factor_stages(n, width, &smooth);
		cost = factor_cost(&smooth, width);
		if (cost < best_cost) {
			best_cost = cost;
			best = n;
		}
	}
	return best;
}
