/* SPDX-License-Identifier: Apache-2.0 */
/* Cosine and sine transforms by real and complex ones.
 *
 * Type I: the real transform of the even (or odd) extension, of 2 (n -+ 1) elements. Shorter ways exist, but their
 * errors grow faster with n (FFTW's manual, "1d Real-even DFTs").
 *
 * Types II and III: a real transform of n whose bins are multiplied by exp(-pi i k / 2n) (J. Makhoul, "A Fast Cosine
 * Transform in One and Two Dimensions", IEEE Trans. ASSP 28 (1980), section III).
 *
 * Type IV, n even: let z[j] = (x[2j] + i x[n-1-2j]) a[j] with a[j] = exp(-pi i (8j + 1) / 8n), and Z its complex
 * spectrum of n/2 bins. Then Z[k] a[k] = (y[2k] - i y[n-1-2k]) / 2 (H. Malvar, "Signal Processing with Lapped
 * Transforms", 1992, section 2.5).
 *
 * Type IV, n odd: the kernel is cos(2 pi a b / 8n) with a = 2j + 1, b = 2k + 1. Up to the cosine's sign, each residue
 * mod n has one odd a = 1 mod 8, and likewise b. Then a b / 8n = n' a b / 8 + 8' a b / n mod 1 (n', 8' the inverses mod
 * 8 and n) with a b = 1 mod 8: a real transform of n in another order, rotated by an eighth of a turn (S. C. Chan and
 * K. L. Ho, "Fast Algorithms for Computing the Discrete Cosine Transform", IEEE Trans. CAS II 39 (1992)).
 *
 * A sine transform is the cosine transform of x[j] (-1)^j with y reversed (II), or of x reversed with y[k] (-1)^k (III,
 * IV). */
#include "fft/plan/series.h"

#include <assert.h>

#include "base/error.h"
#include "fft/plan/create.h"
#include "fft/plan/wrapper.h"
#include "fft/plan/real.h"

struct series {
	struct fft_wrapped wrapped; /* first */
	enum fft_series series;
	bool orthogonal;
};

static struct series *series_of(const struct fft_plan *plan)
{
	return (struct series *)plan;
}

static bool is_sine(enum fft_series series)
{
	return series >= FFT_DST1;
}

/* Returns 1 to 4 for types I to IV; enum fft_series has the cosine transforms first. */
static unsigned type_of(const struct fft_plan *plan)
{
	return series_of(plan)->series % 4 + 1;
}

/* Returns how elements are packed: by type, and for type IV by the parity of n. */
static enum fft_packing packing_of(const struct fft_plan *plan)
{
	static const enum fft_packing packings[] = {FFT_ENDS, FFT_HALVES, FFT_THIRDS, FFT_QUARTERS};

	return type_of(plan) == 4 && plan->n % 2 ? FFT_QUARTERS_ODD : packings[type_of(plan) - 1];
}

/* Returns the order of the roots that the packings multiply by: quarters of 1 / n, of type IV sixteenths. */
static uint64_t roots_order(const struct fft_plan *plan)
{
	return type_of(plan) == 4 ? 16 * plan->n : 4 * plan->n;
}

/* Type IV multiplies by exp(-pi i (8 j + 1) / 8 n), types II and III by exp(-pi i k / 2 n). */
static void put_root(struct fft_wrapped *wrapped, size_t entry)
{
	const uint64_t k = type_of(&wrapped->plan) == 4 ? 8 * (uint64_t)entry + 1 : entry;

	tables_put_root(&wrapped->roots, k, wrapped->plan.precision, wrapped->table, entry);
}

static int build_piece(struct fft_plan *plan)
{
	switch (packing_of(plan)) {
	case FFT_HALVES:
	case FFT_THIRDS:
		return fft_wrapper_table(plan, roots_order(plan), plan->n / 2 + 1, put_root);
	case FFT_QUARTERS:
		return fft_wrapper_table(plan, roots_order(plan), plan->n / 2, put_root);
	default:
		return 0;
	}
}

/* Returns what one packing call counts: pairs, where it handles an element and its mirror image together. */
static size_t in_length(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	switch (packing_of(plan)) {
	case FFT_HALVES:
		return (plan->n + 1) / 2;
	case FFT_THIRDS:
		return plan->n / 2 + 1;
	case FFT_QUARTERS:
		return plan->n / 2;
	default:
		return plan->n;
	}
}

static size_t out_length(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	switch (packing_of(plan)) {
	case FFT_HALVES:
		return plan->n / 2 + 1;
	case FFT_THIRDS:
		return (plan->n + 1) / 2;
	case FFT_QUARTERS:
		return plan->n / 2;
	default:
		return plan->n;
	}
}

/* Describes elements [begin, end) of packing or unpacking; x is the caller's side. */
static struct fft_part describe_part(const struct fft_plan *plan, const void *x, size_t stride, char *row, size_t begin,
				     size_t end)
{
	return (struct fft_part){
		.x = (void *)x,
		.row = row,
		.table = fft_wrapped_of(plan)->table,
		.n = (size_t)plan->n,
		.begin = begin,
		.end = end,
		.stride = stride,
		.sine = is_sine(series_of(plan)->series),
		.orthogonal = series_of(plan)->orthogonal,
	};
}

static void pack_row(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows)
{
	const struct fft_part part = describe_part(plan, in, call->in_stride, rows.x, begin, end);

	plan->ops->pack[packing_of(plan)](&part);
}

static void unpack_row(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows)
{
	struct fft_part part = describe_part(plan, out, call->out_stride, rows.y, begin, end);

	part.scale = call->scale;
	plan->ops->unpack[packing_of(plan)](&part);
}

/* Lets unpacking scale, except for type III, whose unpacking only moves elements. */
static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse,
			   double *ret_scale)
{
	*ret_inverse = packing_of(plan) == FFT_THIRDS;
	*ret_scale = *ret_inverse ? call->scale : 1;
}

static size_t in_bytes(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	return fft_pair_bytes(plan) / 2;
}

static const struct fft_wrapper wrapper = {build_piece, in_length,      out_length, pack_row,
				       unpack_row,  set_inner_call, NULL,       NULL,       in_bytes};

uint64_t fft_series_least(enum fft_series series)
{
	return series == FFT_DCT1 ? 2 : 1;
}

uint64_t fft_series_period(enum fft_series series, uint64_t n)
{
	return series == FFT_DCT1 ? 2 * n - 2 : series == FFT_DST1 ? 2 * n + 2 : 2 * n;
}

enum fft_series fft_series_inverse(enum fft_series series)
{
	static const enum fft_series inverse[] = {FFT_DCT1, FFT_DCT3, FFT_DCT2, FFT_DCT4,
						  FFT_DST1, FFT_DST3, FFT_DST2, FFT_DST4};

	assert(series < FFT_SERIES);
	return inverse[series];
}

/* Type IV of even n takes a complex transform of n / 2, type I a real one of the extension, the others a real one of
 * n. */
int fft_plan_create_series(enum fft_series series, bool orthogonal, uint64_t n, enum fft_precision precision,
			   uint32_t features, struct fft_plan **ret_plan)
{
	const bool even_four = series % 4 == 3 && n % 2 == 0;
	const uint64_t length = even_four ? n / 2 : series % 4 == 0 ? fft_series_period(series, n) : n;
	int rc;

	if (n < fft_series_least(series) || n > FFT_SERIES_MAX_LENGTH)
		return -ERROR_OUT_OF_RANGE;
	rc = fft_wrapper_create(&wrapper, sizeof(struct series), n, precision, features, even_four ? fft_plan_create_inner : fft_plan_create_real,
			      length, 1, even_four ? length : length / 2 + 1, ret_plan);
	if (rc == 0) {
		series_of(*ret_plan)->series = series;
		series_of(*ret_plan)->orthogonal = orthogonal;
	}
	return rc;
}
