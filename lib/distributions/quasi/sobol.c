/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's tables, the cutting of requests into blocks, and the table of its kernels. */
#include "distributions/quasi/sobol_simd.c"

#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/kernel_table.h"
#include "distributions/quasi/points_keys.h"

/* The tables lie behind the structure. Their rows are whole vectors, aligned so that none crosses a line of memory. */
enum {
	TABLE_ALIGNMENT = SOBOL_LANES * sizeof(uint64_t),
	TABLES_AT = (sizeof(struct sobol) + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT,
};

/* Computes the first n direction numbers v_1, v_2 ... of a dimension as fractions of 2^64, by the recurrence of its
 * polynomial of degree s: v_i = a_1 v_(i-1) ^ ... ^ a_(s-1) v_(i-s+1) ^ v_(i-s) ^ v_(i-s) >> s. Advances *initials by
 * s. */
static void compute_directions(unsigned dim, unsigned n, const uint16_t **initials, uint64_t ret_v[64])
{
	const unsigned polynomial = dim == 0 ? 1 : sobol_polynomials[dim - 1];
	const unsigned degree = 31 - (unsigned)__builtin_clz(polynomial);

	for (unsigned i = 0; i < n; i++) {
		if (dim == 0) {
			ret_v[i] = UINT64_C(1) << (63 - i);
		} else if (i < degree) {
			ret_v[i] = (uint64_t)(*initials)[i] << (63 - i);
		} else {
			ret_v[i] = ret_v[i - degree] ^ ret_v[i - degree] >> degree;
			for (unsigned k = 1; k < degree; k++)
				if (polynomial >> (degree - k) & 1)
					ret_v[i] ^= ret_v[i - k];
		}
	}
	*initials += degree;
}

/* Fills one dimension's part of the tables: the elements dim, dim + dims, ... of a block. */
static void fill_dimension(const struct sobol *sobol, unsigned dim, const uint64_t v[64])
{
	const unsigned k = sobol->log2_block;

	for (uint32_t p = 0; p < 1u << k; p++) {
		const uint32_t e = p * sobol->dims + dim, gray = p ^ p >> 1;
		uint64_t x = 0;

		for (unsigned i = 0; i < k; i++)
			x ^= gray >> i & 1 ? v[i] : 0;
		sobol->block0[e] = x;
		/* From block to block, bit ctz(b + 1) above k of the Gray code changes, and bit k - 1 always does. */
		for (unsigned i = 0; i < sobol->n_steps; i++)
			sobol->steps[(size_t)i * sobol->stride + e] = v[k + i] ^ (k > 0 ? v[k - 1] : 0);
	}
}

static void reverse_all(uint64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		REVERSE(at[i]);
}

/* Adds the shift to block 0, or sets the keys of Owen's scrambling. */
static void set_scrambling(struct sobol *sobol, const struct points_settings *settings)
{
	for (uint32_t e = 0; e < sobol->width; e++) {
		uint64_t key[2];

		points_key(&settings->stream, e % sobol->dims, key);
		if (settings->scramble == SCRAMBLE_SHIFT)
			sobol->block0[e] ^= key[0];
		sobol->keys[0][e] = key[0];
		sobol->keys[1][e] = key[1] | 1;
	}
	if (sobol->owen) {
		reverse_all(sobol->block0, sobol->stride);
		reverse_all(sobol->steps, (size_t)sobol->n_steps * sobol->stride);
	}
}

/* Returns log2 of the points of a block: as many as fill whole vectors, or one if a point fills several. */
static unsigned log2_block(uint32_t dims)
{
	unsigned k = 0;

	while (dims < 4 * SOBOL_LANES && (dims << k) % SOBOL_LANES != 0)
		k++;
	return k;
}

/* Returns the binary digits that block numbers have. */
static unsigned count_steps(const struct points_settings *settings, unsigned k)
{
	const uint64_t last = settings->n == 0 ? 0 : (settings->n - 1) >> k;

	if (settings->n == 0)
		return settings->bits - k;
	return last == 0 ? 0 : 64 - (unsigned)__builtin_clzll(last);
}

/* Returns the elements of a block, rounded up to whole vectors. */
static uint32_t count_words(const struct points_settings *settings, unsigned k)
{
	return ((settings->dims << k) + SOBOL_LANES - 1) / SOBOL_LANES * SOBOL_LANES;
}

/* Returns log2 of the blocks of a span. */
static unsigned log2_span(uint32_t stride, unsigned n_steps)
{
	unsigned m = 0;

	while (m < n_steps && (m == 0 || stride << (m + 1) <= SOBOL_SPAN_ELEMENTS))
		m++;
	return m;
}

size_t sobol_bytes(const struct points_settings *settings)
{
	const unsigned k = log2_block(settings->dims), n_steps = count_steps(settings, k);
	const uint32_t stride = count_words(settings, k);

	return TABLES_AT +
	       (size_t)stride * (n_steps + 3 + ((size_t)1 << log2_span(stride, n_steps))) * sizeof(uint64_t);
}

/* Fills the table of spans: row j is the xor of the steps of the one bits of gray(j). Cutting bits and shifting are
 * linear, so points that are not scrambled by bits need neither later. */
static void fill_span(const struct sobol *sobol)
{
	const size_t stride = sobol->stride;

	for (size_t j = 1; j < (size_t)1 << sobol->log2_span; j++) {
		const uint64_t *const before = sobol->span + (j - 1) * stride;
		const uint64_t *const step = sobol->steps + (size_t)__builtin_ctzll(j) * stride;

		for (size_t e = 0; e < stride; e++)
			sobol->span[j * stride + e] =
				before[e] ^ (sobol->owen ? step[e] : (step[e] & sobol->mask) >> 11);
	}
}

int sobol_create(const struct points_settings *settings, struct sobol **ret_sobol)
{
	const unsigned k = log2_block(settings->dims), n_steps = count_steps(settings, k);
	const uint32_t width = settings->dims << k, stride = count_words(settings, k);
	const size_t bytes = sobol_bytes(settings);
	struct sobol *sobol = aligned_alloc(TABLE_ALIGNMENT, bytes);
	const uint16_t *initials = sobol_initials;
	uint64_t v[64];

	if (!sobol)
		return -ERROR_NO_MEMORY;
	memset(sobol, 0, bytes);
	*sobol = (struct sobol){.dims = settings->dims,
				.log2_block = k,
				.width = width,
				.stride = stride,
				.bits = settings->bits,
				.n_steps = n_steps,
				.log2_span = log2_span(stride, n_steps)};
	sobol->owen = settings->scramble == SCRAMBLE_OWEN;
	sobol->mask = ~UINT64_C(0) << (64 - settings->bits);
	sobol->block0 = (uint64_t *)((char *)sobol + TABLES_AT);
	sobol->keys[0] = sobol->block0 + stride;
	sobol->keys[1] = sobol->keys[0] + stride;
	sobol->steps = sobol->keys[1] + stride;
	sobol->span = sobol->steps + (size_t)n_steps * stride;
	for (unsigned dim = 0; dim < settings->dims; dim++) {
		compute_directions(dim, k + n_steps, &initials, v);
		fill_dimension(sobol, dim, v);
	}
	if (settings->scramble != SCRAMBLE_PLAIN)
		set_scrambling(sobol, settings);
	fill_span(sobol);
	*ret_sobol = sobol;
	return 0;
}

void sobol_free(struct sobol *sobol)
{
	free(sobol);
}

/* Computes a block: block 0 xor the steps of the one bits of gray(b). The bit k - 1, which changes with every block, is
 * in each step, and the number of steps is odd exactly if b is. */
static void compute_block(const struct sobol *sobol, uint64_t block, uint64_t *ret_state)
{
	memcpy(ret_state, sobol->block0, sobol->stride * sizeof *ret_state);
	for (uint64_t gray = block ^ block >> 1; gray != 0; gray &= gray - 1) {
		const uint64_t *step = sobol->steps + (size_t)__builtin_ctzll(gray) * sobol->stride;

		for (uint32_t e = 0; e < sobol->stride; e++)
			ret_state[e] ^= step[e];
	}
}

/* Writes n_blocks whole blocks. */
static void fill_blocks(const struct sobol *sobol, const struct sobol_kernel *kernel, enum dtype dtype, uint64_t block,
			size_t n_blocks, void *out)
{
	uint64_t state[SOBOL_MOST_STRIDE];

	compute_block(sobol, block >> sobol->log2_span << sobol->log2_span, state);
	if (dtype == DTYPE_F32)
		kernel->f32(sobol, block, n_blocks, state, out);
	else
		kernel->f64(sobol, block, n_blocks, state, out);
}

void sobol_fill(const struct sobol *sobol, const struct sobol_kernel *kernel, enum dtype dtype, uint64_t first,
		size_t n, void *out)
{
	const size_t point = sobol->dims * dtype_size(dtype), per_block = (size_t)1 << sobol->log2_block;
	double cut[SOBOL_MOST_STRIDE];
	char *at = out;

	while (n > 0) {
		const size_t skip = (size_t)(first % per_block);
		const bool whole = skip == 0 && n >= per_block;
		const size_t count = whole ? n - n % per_block : size_min(n, per_block - skip);

		fill_blocks(sobol, kernel, dtype, first / per_block, whole ? n / per_block : 1,
			    whole ? (void *)at : cut);
		if (!whole)
			memcpy(at, (char *)cut + skip * point, count * point);
		at += count * point;
		first += count;
		n -= count;
	}
}

#if defined(__x86_64__)
#define BEST &sobol_gfni,
#else
#define BEST
#endif

KERNEL_TABLE(struct sobol_kernel, sobol, BEST KERNEL_ROWS(sobol))
