/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses between the kinds of points, and cuts arrays of points at any element. */
#include "distributions/quasi/points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "distributions/quasi/halton.h"
#include "distributions/quasi/latin_hypercube.h"
#include "distributions/quasi/lattice.h"
#include "distributions/quasi/sobol.h"

/* A set of points. Constant once it is built, so any number of threads may fill from it. */
struct points {
	struct points_settings settings;
	const struct sobol_kernel *kernel; /* of Sobol; the other kinds keep their own */
	union {
		struct sobol *sobol;
		struct halton *halton;
		struct lattice *lattice;
		struct latin_hypercube *latin_hypercube;
	};
};

enum {
	/* Elements that are copied by way of the stack together, to an unaligned output. */
	PASS = 256,
	/* Doubles that are cut to float32 together: several points. */
	CUT_PASS = 2048,
};

/* What each kind allows: dimensions, and scramblings as bits. */
#define ONE(scramble) (1u << (scramble))

static const struct {
	uint32_t most_dims;
	unsigned scrambles;
} kinds[POINTS_KINDS] = {
	[POINTS_SOBOL] = {SOBOL_DIMS, ONE(SCRAMBLE_PLAIN) | ONE(SCRAMBLE_OWEN) | ONE(SCRAMBLE_SHIFT)},
	[POINTS_HALTON] = {HALTON_DIMS, ONE(SCRAMBLE_PLAIN) | ONE(SCRAMBLE_OWEN) | ONE(SCRAMBLE_PERMUTATION)},
	[POINTS_LATTICE] = {LATTICE_DIMS, ONE(SCRAMBLE_PLAIN) | ONE(SCRAMBLE_SHIFT)},
	[POINTS_LHS] = {LATIN_HYPERCUBE_DIMS, ONE(SCRAMBLE_PLAIN) | ONE(SCRAMBLE_JITTER)},
};

/* Owen scrambling and shifts of Sobol points keep them a (t, m, s)-net; Halton's bases allow permutations of digits;
 * a lattice is only shifted; strata of a Latin hypercube are jittered. */
bool points_can_scramble(enum points_kind kind, enum points_scramble scramble)
{
	return kinds[kind].scrambles >> scramble & 1;
}

uint64_t points_limit(const struct points_settings *settings)
{
	switch (settings->kind) {
	case POINTS_SOBOL:
		return UINT64_C(1) << settings->bits;
	case POINTS_HALTON:
		return UINT64_C(1) << HALTON_LOG2_POINTS;
	case POINTS_LATTICE:
		return UINT64_C(1) << LATTICE_LOG2_POINTS;
	default:
		return settings->n;
	}
}

int points_start(const struct points_settings *settings, uint32_t features, struct points **ret_points)
{
	struct points *points = calloc(1, sizeof *points);
	int error;

	assert(settings->dims >= 1 && settings->dims <= kinds[settings->kind].most_dims);
	assert(points_can_scramble(settings->kind, settings->scramble));
	if (!points)
		return -ERROR_NO_MEMORY;
	points->settings = *settings;
	points->kernel = sobol_select(features);
	switch (settings->kind) {
	case POINTS_SOBOL:
		error = sobol_create(settings, &points->sobol);
		break;
	case POINTS_HALTON:
		error = halton_create(settings, features, &points->halton);
		break;
	case POINTS_LATTICE:
		error = lattice_create(settings, &points->lattice);
		break;
	default:
		error = latin_hypercube_create(settings, features, &points->latin_hypercube);
	}
	if (error)
		free(points);
	else
		*ret_points = points;
	return error;
}

int points_build(struct points *points)
{
	return points->settings.kind == POINTS_LHS ? latin_hypercube_build(points->latin_hypercube) : 0;
}

int points_create(const struct points_settings *settings, uint32_t features, struct points **ret_points)
{
	int error = points_start(settings, features, ret_points);

	while (!error && points_build(*ret_points))
		;
	return error;
}

void points_free(struct points *points)
{
	if (!points)
		return;
	switch (points->settings.kind) {
	case POINTS_SOBOL:
		sobol_free(points->sobol);
		break;
	case POINTS_HALTON:
		halton_free(points->halton);
		break;
	case POINTS_LATTICE:
		lattice_free(points->lattice);
		break;
	default:
		latin_hypercube_free(points->latin_hypercube);
	}
	free(points);
}

size_t points_bytes(const struct points_settings *settings)
{
	switch (settings->kind) {
	case POINTS_SOBOL:
		return sizeof(struct points) + sobol_bytes(settings);
	case POINTS_HALTON:
		return sizeof(struct points) + halton_bytes(settings->dims);
	case POINTS_LATTICE:
		return sizeof(struct points) + (settings->dims + 1) * sizeof(uint64_t);
	default:
		return sizeof(struct points) + latin_hypercube_bytes(settings);
	}
}

/* Measured first values for what creating a set takes, by dimension: Halton's digit permutations dominate. */
uint64_t points_cost_ns(const struct points_settings *settings)
{
	static const uint64_t dimension_ns[POINTS_KINDS] = {
		[POINTS_SOBOL] = 80, [POINTS_HALTON] = 900, [POINTS_LATTICE] = 30};

	return settings->kind == POINTS_LHS ? latin_hypercube_cost_ns(settings)
					    : settings->dims * dimension_ns[settings->kind];
}

/* The mean number of digits of 2^k dimensions' bases, the least for 2^k to 2^(k+1) - 1 of them. */
static const uint8_t halton_digits[] = {63, 52, 38, 28, 20, 15, 12, 9, 8, 7};

/* Returns about the picoseconds that a digit of a Halton coordinate takes. */
static uint64_t halton_digit_ps(const struct points_settings *settings, uint32_t features)
{
	if (settings->scramble == SCRAMBLE_OWEN)
		return features & CPU_AVX512 ? 1000 : features & (CPU_AVX2 | CPU_NEON) ? 2000 : 6000;
	return settings->scramble == SCRAMBLE_PERMUTATION ? 4000 : 700;
}

uint64_t points_coordinate_ps(const struct points_settings *settings, uint32_t features)
{
	static const uint64_t others[POINTS_KINDS] = {
		[POINTS_SOBOL] = 4000, [POINTS_LATTICE] = 6000, [POINTS_LHS] = 60000};

	if (settings->kind != POINTS_HALTON)
		return others[settings->kind];
	return halton_digit_ps(settings, features) * halton_digits[31 - __builtin_clz(settings->dims)];
}

/* Elements may begin and end inside a point; the parts between are whole points. */
static void fill_lattice(const struct lattice *lattice, uint64_t begin, size_t n, uint32_t dims, double *ret_x)
{
	for (size_t i = 0, count; i < n; i += count) {
		const uint32_t dim = (uint32_t)((begin + i) % dims);

		count = size_min(n - i, dims - dim);
		lattice_point(lattice, (begin + i) / dims, dim, (uint32_t)count, ret_x + i);
	}
}

/* Writes float64 coordinates of all kinds but Sobol. */
static void fill_doubles(const struct points *points, uint64_t begin, size_t n, double *ret_x)
{
	if (points->settings.kind == POINTS_HALTON)
		halton_fill(points->halton, begin, n, ret_x);
	else if (points->settings.kind == POINTS_LATTICE)
		fill_lattice(points->lattice, begin, n, points->settings.dims, ret_x);
	else
		latin_hypercube_fill(points->latin_hypercube, begin, n, ret_x);
}

/* Cuts numbers to 24 bits. Rounding could give 1. */
static void cut_to_f32(const double *x, size_t n, float *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = (float)(int32_t)(x[i] * 0x1p24) * 0x1p-24f;
}

/* Writes float32 coordinates of all kinds but Sobol, whose kernels make them directly. */
static void fill_cut(const struct points *points, uint64_t begin, size_t n, float *out)
{
	double x[CUT_PASS];

	for (size_t i = 0, count; i < n; i += count) {
		count = size_min(n - i, CUT_PASS);
		fill_doubles(points, begin + i, count, x);
		cut_to_f32(x, count, out + i);
	}
}

/* Whole points go straight to the output; a part of one, at either end, by way of the stack. */
static void fill_sobol(const struct points *points, uint64_t begin, size_t n, void *out)
{
	const uint32_t dims = points->settings.dims;
	const enum dtype dtype = points->settings.dtype;
	const size_t size = dtype_size(dtype);
	double point[SOBOL_DIMS];

	for (char *at = out; n > 0;) {
		const size_t skip = (size_t)(begin % dims);
		const bool whole = skip == 0 && n >= dims;
		const size_t count = whole ? n - n % dims : size_min(n, dims - skip);

		sobol_fill(points->sobol, points->kernel, dtype, begin / dims, whole ? n / dims : 1,
			   whole ? (void *)at : point);
		if (!whole)
			memcpy(at, (char *)point + skip * size, count * size);
		at += count * size;
		begin += count;
		n -= count;
	}
}

/* Writes coordinates of any kind to an output that is aligned to its elements. */
static void fill_aligned(const struct points *points, uint64_t begin, size_t n, void *out)
{
	if (points->settings.kind == POINTS_SOBOL)
		fill_sobol(points, begin, n, out);
	else if (points->settings.dtype == DTYPE_F32)
		fill_cut(points, begin, n, out);
	else
		fill_doubles(points, begin, n, out);
}

/* Outputs of any alignment serve inline results, which lie anywhere in a message. */
void points_fill(const struct points *points, uint64_t begin, size_t n, void *out)
{
	const size_t size = dtype_size(points->settings.dtype);
	double pass[PASS];

	if ((uintptr_t)out % size == 0) {
		fill_aligned(points, begin, n, out);
		return;
	}
	for (char *at = out; n > 0;) {
		const size_t count = size_min(n, PASS);

		fill_aligned(points, begin, count, pass);
		memcpy(at, pass, count * size);
		at += count * size;
		begin += count;
		n -= count;
	}
}
