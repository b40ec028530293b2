/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms of odd length n = r m by complex ones of m, decimated in time.
 *
 * The reals x[r q + j] of one j are a row. Two real rows make one complex row, so there are (r + 1) / 2 transforms of m
 * instead of r. An r-point butterfly over half of the columns then combines the rows' spectra. The work is (r + 1) / 2
 * r of a complex transform's. r is the largest of 13, 11, 7, 5, 3 that divides n. A short length, or one without such a
 * divisor, takes one complex transform of n (r = 1). */
#include "fft/plan/real_odd.h"

#include "fft/plan/bins.h"

/* Describes columns or elements [begin, end) of one transform; x is the caller's side, at its stride. */
static struct fft_odd describe_odd(const struct fft_plan *plan, const struct fft_call *call, const void *x, void *rows,
				   size_t begin, size_t end)
{
	return (struct fft_odd){
		.x = (void *)x,
		.rows = rows,
		.table = fft_wrapped_of(plan)->table,
		.r = (unsigned)(plan->n / plan->inner->n),
		.m = (size_t)plan->inner->n,
		.distance = fft_wrapped_of(plan)->row_bytes / fft_pair_bytes(plan),
		.begin = begin,
		.end = end,
		.stride = fft_gives_reals(plan, call->inverse) ? call->out_stride : call->in_stride,
		.conjugate = fft_wrapped_of(plan)->conjugated,
		.scale = call->scale,
	};
}

/* Stores w^(j k), w = exp(-2 pi i / n), at row j - 1, column k. */
static void put_root(struct fft_wrapped *wrapped, size_t entry)
{
	const size_t columns = (wrapped->plan.inner->n + 1) / 2, j = 1 + entry / columns, k = entry % columns;

	tables_put_root(&wrapped->roots, (uint64_t)j * k, wrapped->plan.precision, wrapped->table, entry);
}

/* With r = 1 the butterfly has no twiddles. */
static int build_piece(struct fft_plan *plan)
{
	const size_t r = (size_t)(plan->n / plan->inner->n);

	return r == 1 ? 0 : fft_wrapper_table(plan, plan->n, (r - 1) * ((plan->inner->n + 1) / 2), put_root);
}

/* Counts columns of the butterfly (a half of m, rounded up), or elements of a row. */
static size_t in_length(const struct fft_plan *plan, bool inverse)
{
	return fft_gives_reals(plan, inverse) ? (plan->inner->n + 1) / 2 : plan->inner->n;
}

static size_t out_length(const struct fft_plan *plan, bool inverse)
{
	return fft_gives_reals(plan, inverse) ? plan->inner->n : (plan->inner->n + 1) / 2;
}

/* Copies bins of columns [begin, end), and their mirror images, between the caller's side and a row. */
static void load_columns(const struct fft_plan *plan, const struct fft_odd *odd, const char *in, char *row)
{
	const size_t stride = odd->stride;

	fft_bins_load(plan, in, stride, odd->begin, odd->end, row);
	for (size_t l = 1, at = odd->m; l <= odd->r / 2; l++, at += odd->m) {
		fft_bins_load(plan, in, stride, at + odd->begin, at + odd->end, row);
		fft_bins_load(plan, in, stride, at - odd->end + 1, at - odd->begin + 1, row);
	}
}

static void store_columns(const struct fft_plan *plan, const struct fft_odd *odd, const char *row, char *out)
{
	const size_t stride = odd->stride;

	fft_bins_store(plan, row, odd->begin, odd->end, out, stride);
	for (size_t l = 1, at = odd->m; l <= odd->r / 2; l++, at += odd->m) {
		fft_bins_store(plan, row, at + odd->begin, at + odd->end, out, stride);
		fft_bins_store(plan, row, at - odd->end + 1, at - odd->begin + 1, out, stride);
	}
}

/* Deals reals out to the rows, or splits half a spectrum; one that is strided or packed is first made contiguous in the free row y. */
static void pack_row(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows)
{
	struct fft_odd odd = describe_odd(plan, call, in, rows.x, begin, end);

	if (!fft_gives_reals(plan, call->inverse)) {
		plan->ops->odd_deal(&odd);
		return;
	}
	if (!fft_bins_are_pairs(plan, call->in_stride)) {
		odd.stride = call->in_stride;
		load_columns(plan, &odd, in, rows.y);
		odd.x = rows.y;
	}
	plan->ops->odd_split(&odd);
}

/* Gathers reals from the rows, or joins their spectra, by way of the free row x if the output is strided or packed. */
static void unpack_row(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows)
{
	struct fft_odd odd = describe_odd(plan, call, out, rows.y, begin, end);

	if (fft_gives_reals(plan, call->inverse)) {
		plan->ops->odd_gather(&odd);
		return;
	}
	if (fft_bins_are_pairs(plan, call->out_stride)) {
		plan->ops->odd_join(&odd);
		return;
	}
	odd.x = rows.x;
	plan->ops->odd_join(&odd);
	odd.stride = call->out_stride;
	store_columns(plan, &odd, rows.x, out);
}

static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse,
			   double *ret_scale)
{
	*ret_inverse = fft_gives_reals(plan, call->inverse);
	*ret_scale = call->scale;
}

const struct fft_wrapper fft_wrapper_odd = {build_piece, in_length,      out_length, pack_row,
					unpack_row,  set_inner_call, NULL,       NULL,       fft_real_in_bytes};

/* Below this one complex transform of n is faster (with AVX-512 the ways cross between n = 125 and 243). */
enum { LEAST_CUT = 192 };

unsigned fft_odd_radix(uint64_t n)
{
	static const unsigned radices[] = {13, 11, 7, 5, 3};

	if (n < LEAST_CUT)
		return 1;
	for (unsigned i = 0; i < sizeof radices / sizeof *radices; i++)
		if (n % radices[i] == 0)
			return radices[i];
	return 1;
}
