/* SPDX-License-Identifier: Apache-2.0 */
/* Designs filters: the amplitude on a grid, its transform, the window, and the transform of the taps for blocks.
 *
 * Both transforms are of `block` reals, by one complex transform of half as many (radix 2) and a pass that splits the result.
 * lib/fft is faster, but its bytes differ between CPUs with and without fused multiply-adds. */
#include "colored/colored_design.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary_exp.h"
#include "math/elementary_log.h"
#include "math/elementary_turn.h"

enum {
	GRID = 4,          /* points of the grid for each tap, at least */
	BLOCK_LEAST = 4096,
	PIECE = 4096,           /* items of a step; some 5 ns each, ten times as many where none is in a cache */
	PIECE_ELEMENTARY = 512, /* of a step that computes elementary functions; up to 400 ns each */
};

/* Phases, in order: those of transforms are PHASES_TRANSFORM from PHASE_DESIGN and from PHASE_SPECTRUM on. */
enum { PHASE_ROOTS, PHASE_AMPLITUDES, PHASE_TRANSFORM, PHASE_TAPS, PHASE_AGAIN, PHASE_STORE, PHASE_END };

uint64_t colored_block(uint64_t length)
{
	uint64_t block = BLOCK_LEAST;

	while (block < GRID * length)
		block *= 2;
	return block;
}

/* ---- what was asked for ---- */

static double log_of(double x)
{
	return log_f64(x);
}

static double exp_of(double x)
{
	return exp_f64(x);
}

/* Returns the natural logarithm of density i of a table. */
static double log_density(const struct colored_design *d, size_t i)
{
	return log_of(d->table[2 * i + 1]);
}

/* Returns the density at f relative to `greatest`, by the logarithms of its neighbours in the table; of frequency 0, which has
 * none, by the frequency itself. Beyond the table's ends it is that of the ends, beside a density of 0 it is 0. */
static double table_density(const struct colored_design *d, double f, double greatest)
{
	size_t low = 0, high = d->n_table - 1;
	double t;

	if (f <= d->table[0] || f >= d->table[2 * high])
		return d->table[f <= d->table[0] ? 1 : 2 * high + 1] / greatest;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		*(d->table[2 * middle] <= f ? &low : &high) = middle;
	}
	if (d->table[2 * low] == f)
		return d->table[2 * low + 1] / greatest;
	if (d->table[2 * low + 1] == 0 || d->table[2 * high + 1] == 0)
		return 0;
	if (d->table[2 * low] == 0)
		t = f / d->table[2 * high];
	else
		t = (log_of(f) - log_of(d->table[2 * low])) / (log_of(d->table[2 * high]) - log_of(d->table[2 * low]));
	return exp_of(log_density(d, low) + t * (log_density(d, high) - log_density(d, low)) - log_of(greatest));
}

/* Returns the frequency at which 1/f^exponent is greatest. */
static double greatest_at(const struct colored_design *d)
{
	const double low = d->low > d->flat_below ? d->low : d->flat_below;

	return d->exponent >= 0 ? low : low > d->high ? low : d->high;
}

/* Returns the density at f, relative to the greatest. */
static double density_at(const struct colored_design *d, double f, double greatest)
{
	if (f < d->low || f > d->high)
		return 0;
	if (d->kind == COLORED_BY_PSD)
		return table_density(d, f, greatest);
	return exp_of(-d->exponent * (log_of(f > d->flat_below ? f : d->flat_below) - log_of(greatest)));
}

double colored_span(const struct colored_design *d)
{
	double least = INFINITY, most = 0;

	if (d->kind == COLORED_BY_TAPS)
		return 1;
	if (d->kind == COLORED_BY_EXPONENT) {
		const double low = d->low > d->flat_below ? d->low : d->flat_below;

		return d->high > low ? exp_of(fabs(d->exponent) * (log_of(d->high) - log_of(low))) : 1;
	}
	for (size_t i = 0; i < d->n_table; i++) {
		const double p = d->table[2 * i + 1];

		least = p > 0 && p < least ? p : least;
		most = p > most ? p : most;
	}
	return most / least;
}

/* Returns what amplitudes, or taps, are divided by. */
static double find_greatest(const struct colored_design *d)
{
	const size_t stride = d->kind == COLORED_BY_PSD ? 2 : 1;
	double greatest = 0;

	if (d->kind == COLORED_BY_EXPONENT)
		return greatest_at(d);
	for (size_t i = stride - 1; i < stride * d->n_table; i += stride)
		greatest = fabs(d->table[i]) > greatest ? fabs(d->table[i]) : greatest;
	return greatest;
}

/* ---- transforms of reals ---- */

/* Returns i with its `bits` low bits in reverse order. */
static uint64_t reverse_bits(uint64_t i, unsigned bits)
{
	i = (i >> 1 & 0x5555555555555555) | (i & 0x5555555555555555) << 1;
	i = (i >> 2 & 0x3333333333333333) | (i & 0x3333333333333333) << 2;
	i = (i >> 4 & 0x0F0F0F0F0F0F0F0F) | (i & 0x0F0F0F0F0F0F0F0F) << 4;
	return bits ? __builtin_bswap64(i) >> (64 - bits) : 0;
}

/* Computes exp(-2 pi i k / block), k < block / 2. */
static void make_roots(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	for (uint64_t k = begin; k < end; k++) {
		double sine;

		turn_f64((double)k / (double)b->filter->block, 1, &b->roots[2 * k], &sine);
		b->roots[2 * k + 1] = -sine;
	}
}

/* Butterflies [begin, end) of a stage, which joins transforms of 2^stage pairs. */
static void run_stage(struct colored_builder *b, unsigned stage, uint64_t begin, uint64_t end)
{
	const uint64_t half = UINT64_C(1) << stage;
	double *z = b->x;

	for (uint64_t t = begin; t < end; t++) {
		const uint64_t k = t & (half - 1), i = 2 * (t - k) + k, j = i + half;
		const double *w = &b->roots[2 * (k << (b->log_pairs - stage))];
		const double re = z[2 * j] * w[0] - z[2 * j + 1] * w[1], im = z[2 * j] * w[1] + z[2 * j + 1] * w[0];

		z[2 * j] = z[2 * i] - re;
		z[2 * j + 1] = z[2 * i + 1] - im;
		z[2 * i] += re;
		z[2 * i + 1] += im;
	}
}

/* Makes X[k] and X[pairs - k], k of [begin, end), of the spectrum of pairs; X[0] and X[pairs], which are real, share a place. */
static void split_spectrum(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	const uint64_t pairs = b->filter->block / 2;

	for (uint64_t k = begin; k < end; k++) {
		double *low = &b->x[2 * k], *high = &b->x[2 * (pairs - k)];
		const double *w = &b->roots[2 * k];

		if (k == 0) {
			const double sum = low[0] + low[1];

			low[1] = low[0] - low[1];
			low[0] = sum;
			continue;
		}
		const double even_re = (low[0] + high[0]) / 2, even_im = (low[1] - high[1]) / 2;
		const double odd_re = (low[1] + high[1]) / 2, odd_im = (high[0] - low[0]) / 2;
		const double re = odd_re * w[0] - odd_im * w[1], im = odd_re * w[1] + odd_im * w[0];

		low[0] = even_re + re;
		low[1] = even_im + im;
		high[0] = even_re - re;
		high[1] = im - even_im;
	}
}

/* ---- the phases ---- */

static void make_amplitudes(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	for (uint64_t k = begin; k < end; k++)
		b->amplitude[k] =
			sqrt(density_at(&b->design, b->design.fs * ((double)k / (double)b->filter->block), b->greatest));
}

/* The even sequence of amplitudes, in the order that the transform begins with. */
static void load_amplitudes(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	const uint64_t block = b->filter->block;

	for (uint64_t i = begin; i < end; i++) {
		double *to = &b->x[2 * reverse_bits(i, b->log_pairs)];

		to[0] = b->amplitude[2 * i <= block / 2 ? 2 * i : block - 2 * i];
		to[1] = b->amplitude[2 * i + 1 <= block / 2 ? 2 * i + 1 : block - 2 * i - 1];
	}
}

/* Returns the weight of a Hann window at m taps from its middle. */
static double window_at(double m, double length)
{
	double cosine, sine;

	turn_f64(fabs(m) / length, 1, &cosine, &sine);
	return 0.5 + 0.5 * cosine;
}

/* Adds a square to the sum, with what its rounding loses: most taps are small beside the largest. */
static void add_square(struct colored_builder *b, double tap)
{
	const double term = tap * tap + b->lost, sum = b->sum + term;

	b->lost = term - (sum - b->sum);
	b->sum = sum;
}

/* Taps [begin, end): the sequence around 0, windowed; or what was given. */
static void make_taps(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	const uint64_t length = b->filter->length;

	for (uint64_t j = begin; j < end; j++) {
		const uint64_t middle = length / 2, m = j > middle ? j - middle : middle - j;

		b->taps[j] = b->design.kind == COLORED_BY_TAPS ? b->design.table[j] / b->greatest
							    : b->x[2 * m] / (double)b->filter->block *
								      window_at((double)m, (double)length);
		add_square(b, b->taps[j]);
	}
}

/* Returns tap j moved to where the transform of a block has it: L - 1 places back, round its end. */
static double moved_tap(const struct colored_builder *b, uint64_t at)
{
	const uint64_t j = (at + b->filter->length - 1) & (b->filter->block - 1);

	return j < b->filter->length ? b->taps[j] : 0;
}

static void load_taps(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	for (uint64_t i = begin; i < end; i++) {
		double *to = &b->x[2 * reverse_bits(i, b->log_pairs)];

		to[0] = moved_tap(b, 2 * i);
		to[1] = moved_tap(b, 2 * i + 1);
	}
}

/* Notes how far |H|^2 is from the density at a frequency where they are compared. */
static void compare(struct colored_builder *b, uint64_t k, double re, double im)
{
	const double f = (double)k / (double)b->filter->block, asked = b->amplitude[k] * b->amplitude[k];
	double off;

	if (b->design.kind == COLORED_BY_TAPS || asked < COLORED_LEAST || f < 10 / (double)b->filter->length || f > 0.45)
		return;
	off = (re * re + im * im) / asked;
	off = fabs(off > COLORED_LEAST ? log_of(off) : log_of(COLORED_LEAST)) * (10 / 2.30258509299404568402);
	if (!(b->filter->deviation >= off))
		b->filter->deviation = off;
}

/* Stores numbers [begin, end) of the spectrum, times the gain. */
static void store_spectrum(struct colored_builder *b, uint64_t begin, uint64_t end)
{
	const uint64_t pairs = b->filter->block / 2;

	for (uint64_t k = begin; k < end; k++) {
		const double re = k == pairs ? b->x[1] : b->x[2 * k], im = k == 0 || k == pairs ? 0 : b->x[2 * k + 1];

		compare(b, k, re, im);
		if (b->filter->is_wide) {
			((double *)b->filter->spectrum)[2 * k] = re * b->gain;
			((double *)b->filter->spectrum)[2 * k + 1] = im * b->gain;
		} else {
			((float *)b->filter->spectrum)[2 * k] = (float)(re * b->gain);
			((float *)b->filter->spectrum)[2 * k + 1] = (float)(im * b->gain);
		}
	}
}

/* Finds what the taps are multiplied by, for the std that was asked for or for the table's own density: w has the one-sided
 * density 2 / fs. */
static int find_gain(struct colored_builder *b)
{
	const struct colored_design *d = &b->design;

	if (!(b->sum > 0)) /* and the filter's std is 0 */
		return -ERROR_OUT_OF_RANGE;
	if (d->std > 0)
		b->gain = d->std / sqrt(b->sum);
	else
		b->gain = d->kind == COLORED_BY_TAPS ? b->greatest : sqrt(b->greatest) * sqrt(d->fs / 2);
	b->filter->std = d->std > 0 ? d->std : b->gain * sqrt(b->sum);
	return b->filter->std >= d->least_std && b->filter->std <= d->most_std ? 0 : -ERROR_OUT_OF_RANGE;
}

/* ---- the builder ---- */

/* Returns the items of a phase of the transform: the load, log_pairs stages of butterflies, the split. */
static uint64_t transform_items(const struct colored_builder *b, unsigned part)
{
	const uint64_t pairs = b->filter->block / 2;

	return part == 0 ? pairs : part <= b->log_pairs ? pairs / 2 : pairs / 2 + 1;
}

static void run_transform(struct colored_builder *b, bool of_taps, unsigned part, uint64_t begin, uint64_t end)
{
	if (part == 0)
		(of_taps ? load_taps : load_amplitudes)(b, begin, end);
	else if (part <= b->log_pairs)
		run_stage(b, part - 1, begin, end);
	else
		split_spectrum(b, begin, end);
}

/* Finds which phase a count of steps is in, and which part of it. */
static unsigned find_phase(const struct colored_builder *b, unsigned *ret_part)
{
	const unsigned parts = b->log_pairs + 2;
	unsigned at = b->phase;

	*ret_part = 0;
	if (at < PHASE_TRANSFORM)
		return at;
	at -= PHASE_TRANSFORM;
	*ret_part = at % (parts + 1);
	if (*ret_part < parts)
		return at > parts ? PHASE_AGAIN : PHASE_TRANSFORM;
	*ret_part = 0;
	return at > parts ? PHASE_STORE : PHASE_TAPS;
}

/* Returns the items of a phase. Taps that were given need no amplitudes and no design. */
static uint64_t count_items(const struct colored_builder *b, unsigned phase, unsigned part)
{
	const bool is_given = b->design.kind == COLORED_BY_TAPS;

	switch (phase) {
	case PHASE_ROOTS:
		return b->filter->block / 2;
	case PHASE_AMPLITUDES:
		return is_given ? 0 : b->filter->block / 2 + 1;
	case PHASE_TRANSFORM:
		return is_given ? 0 : transform_items(b, part);
	case PHASE_AGAIN:
		return transform_items(b, part);
	case PHASE_TAPS:
		return b->filter->length;
	default:
		return b->filter->block / 2 + 1;
	}
}

static void run_items(struct colored_builder *b, unsigned phase, unsigned part, uint64_t begin, uint64_t end)
{
	switch (phase) {
	case PHASE_ROOTS:
		make_roots(b, begin, end);
		break;
	case PHASE_AMPLITUDES:
		make_amplitudes(b, begin, end);
		break;
	case PHASE_TAPS:
		make_taps(b, begin, end);
		break;
	case PHASE_STORE:
		store_spectrum(b, begin, end);
		break;
	default:
		run_transform(b, phase == PHASE_AGAIN, part, begin, end);
	}
}

int colored_builder_step(struct colored_builder *b)
{
	unsigned part;
	const unsigned phase = find_phase(b, &part);
	const uint64_t items = count_items(b, phase, part);
	const bool is_elementary =
		phase == PHASE_ROOTS || phase == PHASE_AMPLITUDES || phase == PHASE_TAPS || phase == PHASE_STORE;
	const uint64_t piece = is_elementary ? PIECE_ELEMENTARY : PIECE;
	const uint64_t end = items - b->at < piece ? items : b->at + piece;

	run_items(b, phase, part, b->at, end);
	b->at = end;
	if (end < items)
		return 1;
	b->phase++;
	b->at = 0;
	if (phase == PHASE_TAPS && find_gain(b))
		return -ERROR_OUT_OF_RANGE;
	return phase != PHASE_STORE;
}

bool colored_design_equal(const struct colored_design *a, const struct colored_design *b)
{
	const size_t numbers = a->kind == COLORED_BY_PSD ? 2 * a->n_table : a->n_table;

	return a->kind == b->kind && a->length == b->length && a->exponent == b->exponent && a->flat_below == b->flat_below &&
	       a->fs == b->fs && a->low == b->low && a->high == b->high && a->std == b->std && a->least_std == b->least_std &&
	       a->most_std == b->most_std && a->n_table == b->n_table &&
	       (numbers == 0 || memcmp(a->table, b->table, numbers * sizeof *a->table) == 0);
}

int colored_builder_begin(const struct colored_design *design, bool is_wide, struct colored_builder *ret_builder,
			  struct colored_filter *ret_filter)
{
	const uint64_t block = colored_block(design->length), pairs = block / 2;
	const size_t numbers = (size_t)(pairs + 1 + block + block + design->length);
	double *memory = malloc(numbers * sizeof *memory);
	void *spectrum = aligned_alloc(64, (size_t)(block / 2 + 1 + 7) / 8 * 8 * 2 * (is_wide ? sizeof(double) : sizeof(float)));

	if (!memory || !spectrum) {
		free(memory);
		free(spectrum);
		return -ERROR_NO_MEMORY;
	}
	*ret_filter = (struct colored_filter){.length = design->length,
					      .block = block,
					      .step = (block - design->length + 1) & ~UINT64_C(3),
					      .is_wide = is_wide,
					      .deviation = (double)NAN,
					      .spectrum = spectrum};
	*ret_builder = (struct colored_builder){.design = *design,
						.filter = ret_filter,
						.cost_ns = block * 120,
						.work_bytes = numbers * sizeof *memory,
						.amplitude = memory,
						.roots = memory + pairs + 1,
						.x = memory + pairs + 1 + block,
						.taps = memory + pairs + 1 + 2 * block,
						.log_pairs = (unsigned)__builtin_ctzll(pairs),
						.greatest = find_greatest(design)};
	return 0;
}

void colored_builder_free(struct colored_builder *b)
{
	free(b->amplitude);
	b->amplitude = NULL;
}

void colored_filter_free(struct colored_filter *filter)
{
	free(filter->spectrum);
	filter->spectrum = NULL;
}
