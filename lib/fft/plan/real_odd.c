/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms of odd length n = r m by complex ones of m, decimated in time.
 *
 * The reals x[r q + j] of one j are a row. Two real rows make one complex row, so there are (r + 1) / 2 transforms of m
 * instead of r. An r-point butterfly over half of the columns then combines the rows' spectra. The work is (r + 1) / 2
 * r of a complex transform's. r is the largest of 13, 11, 7, 5, 3 that divides n. A short length, or one without such a
 * divisor, takes one complex transform of n (r = 1). */
#include "fft/plan/real_odd.h"

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
		.stride = call->inverse != fft_wrapped_of(plan)->hermitian ? call->out_stride : call->in_stride,
		.conjugate = fft_wrapped_of(plan)->hermitian,
		.scale = call->scale,
	};
}

/* Stores w^(j k), w = exp(-2 pi i / n), at row j - 1, column k. */
static void put_root(struct fft_wrapped *wrapped, size_t entry)
{
	const size_t columns = (wrapped->plan.inner->n + 1) / 2, j = 1 + entry / columns, k = entry % columns;
	long double root[2];

	roots_at(&wrapped->roots, (uint64_t)j * k, root);
	tables_put(wrapped->plan.precision, wrapped->table, entry, root, 1);
}

/* With r = 1 the butterfly has no twiddles. */
static int build_piece(struct fft_plan *plan)
{
	const size_t r = (size_t)(plan->n / plan->inner->n);

	return r == 1 ? 0 : fft_wrapper_table(plan, plan->n, (r - 1) * ((plan->inner->n + 1) / 2), put_root);
}

/* Returns whether the transform goes from half a spectrum to reals. A Hermitian plan exchanges the directions. */
static bool gives_reals(const struct fft_plan *plan, bool inverse)
{
	return inverse != fft_wrapped_of(plan)->hermitian;
}

/* Counts columns of the butterfly (a half of m, rounded up), or elements of a row. */
static size_t in_length(const struct fft_plan *plan, bool inverse)
{
	return gives_reals(plan, inverse) ? (plan->inner->n + 1) / 2 : plan->inner->n;
}

static size_t out_length(const struct fft_plan *plan, bool inverse)
{
	return gives_reals(plan, inverse) ? plan->inner->n : (plan->inner->n + 1) / 2;
}

/* Copies columns [begin, end) of a half spectrum, and their mirror images, between strides. */
static void copy_columns(const struct fft_odd *odd, size_t pair, char *to, size_t to_stride, const char *from,
			 size_t from_stride)
{
	const size_t count = odd->end - odd->begin;

	for (size_t l = 0; l <= odd->r / 2; l++) {
		const size_t up = odd->m * l + odd->begin, down = odd->m * l - odd->end + 1;

		fft_copy(to + up * to_stride * pair, to_stride, from + up * from_stride * pair, from_stride, count,
			 pair);
		if (l > 0)
			fft_copy(to + down * to_stride * pair, to_stride, from + down * from_stride * pair, from_stride,
				 count, pair);
	}
}

/* Deals reals out to the rows, or splits half a spectrum; a strided one is first made contiguous in the free row y. */
static void pack_row(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows)
{
	struct fft_odd odd = describe_odd(plan, call, in, rows.x, begin, end);

	if (!gives_reals(plan, call->inverse)) {
		plan->ops->odd_deal(&odd);
		return;
	}
	if (call->in_stride != 1) {
		copy_columns(&odd, fft_pair_bytes(plan), rows.y, 1, in, call->in_stride);
		odd.x = rows.y;
	}
	plan->ops->odd_split(&odd);
}

/* Gathers reals from the rows, or joins their spectra, by way of the free row x if the output is strided. */
static void unpack_row(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows)
{
	struct fft_odd odd = describe_odd(plan, call, out, rows.y, begin, end);

	if (gives_reals(plan, call->inverse)) {
		plan->ops->odd_gather(&odd);
		return;
	}
	if (call->out_stride != 1)
		odd.x = rows.x;
	plan->ops->odd_join(&odd);
	if (call->out_stride != 1)
		copy_columns(&odd, fft_pair_bytes(plan), out, call->out_stride, rows.x, 1);
}

static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse,
			   double *ret_scale)
{
	*ret_inverse = gives_reals(plan, call->inverse);
	*ret_scale = call->scale;
}

static size_t in_bytes(const struct fft_plan *plan, bool inverse)
{
	return gives_reals(plan, inverse) ? fft_pair_bytes(plan) : fft_pair_bytes(plan) / 2;
}

const struct fft_wrapper fft_wrapper_odd = {build_piece, in_length,      out_length, pack_row,
					unpack_row,  set_inner_call, NULL,       NULL,       in_bytes};

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
