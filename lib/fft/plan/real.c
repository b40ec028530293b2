/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms of even length n by a complex one of h = n / 2.
 *
 * Neighbouring reals are read as the complex input. A fold (struct fft_fold) after the transform turns its result into
 * the half spectrum, or before it does the reverse. real_odd.c does odd lengths. */
#include "fft/plan/real.h"

#include "base/error.h"
#include "fft/plan/bins.h"
#include "fft/plan/create.h"
#include "fft/plan/real_odd.h"

/* Returns h, the length of the complex transform. */
static size_t half_length(const struct fft_plan *plan)
{
	return plan->n / 2;
}

/* Stores -i w^k, w = exp(-2 pi i / n), at entry k. */
static void put_root(struct fft_wrapped *wrapped, size_t entry)
{
	double root[2];

	roots_rounded(&wrapped->roots, entry, root);
	tables_put(wrapped->plan.precision, wrapped->table, entry, (const double[]){root[1], -root[0]});
}

static int build_piece(struct fft_plan *plan)
{
	return fft_wrapper_table(plan, plan->n, half_length(plan) / 2 + 1, put_root);
}

/* Folds bins [begin, end) and their mirror images. */
static void run_fold(const struct fft_plan *plan, const void *x, void *y, size_t begin, size_t end, bool back,
		     double scale)
{
	const struct fft_fold request = {x,    fft_wrapped_of(plan)->table,     y,    half_length(plan), begin, end,
					 back, fft_wrapped_of(plan)->conjugated, scale};

	plan->ops->fold(&request);
}

/* Reals are copied as pairs. Half a spectrum is folded; one that is strided or packed is first made contiguous in the free row y. */
static void pack_row(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows)
{
	const size_t size = fft_pair_bytes(plan) / 2, stride = call->in_stride, h = half_length(plan);

	if (!fft_gives_reals(plan, call->inverse)) {
		fft_copy(rows.x + 2 * begin * size, 1, in + 2 * begin * stride * size, stride, 2 * (end - begin), size);
		return;
	}
	if (!fft_bins_are_pairs(plan, stride)) {
		fft_bins_load(plan, in, stride, begin, end, rows.y);
		fft_bins_load(plan, in, stride, h - end + 1, h - begin + 1, rows.y);
		in = rows.y;
	}
	run_fold(plan, in, rows.x, begin, end, true, 1);
}

/* The reverse. The fold halves its result: e and d in struct fft_fold are sums of two spectra. */
static void unpack_row(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows)
{
	const size_t pair = fft_pair_bytes(plan), size = pair / 2, stride = call->out_stride, h = half_length(plan);

	if (fft_gives_reals(plan, call->inverse)) {
		fft_copy(out + 2 * begin * stride * size, stride, rows.y + begin * pair, 1, 2 * (end - begin), size);
		return;
	}
	run_fold(plan, rows.y, fft_bins_are_pairs(plan, stride) ? out : rows.x, begin, end, false, call->scale / 2);
	if (fft_bins_are_pairs(plan, stride))
		return;
	fft_bins_store(plan, rows.x, begin, end, out, stride);
	fft_bins_store(plan, rows.x, h - end + 1, h - begin + 1, out, stride);
}

/* Counts pairs of a fold (bins 0 to h / 2), or pairs of reals. */
static size_t in_length(const struct fft_plan *plan, bool inverse)
{
	return fft_gives_reals(plan, inverse) ? half_length(plan) / 2 + 1 : half_length(plan);
}

static size_t out_length(const struct fft_plan *plan, bool inverse)
{
	return in_length(plan, !inverse);
}

/* Lets the inner transform scale, unless the fold comes last: then the fold does. */
static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse,
			   double *ret_scale)
{
	*ret_inverse = fft_gives_reals(plan, call->inverse);
	*ret_scale = *ret_inverse ? call->scale : 1;
}

/* Contiguous reals are the complex input already, if every row begins at a pair. */
static bool reads_caller(const struct fft_plan *plan, const struct fft_call *call)
{
	return !fft_gives_reals(plan, call->inverse) && call->in_stride == 1 && call->in_distance % 2 == 0;
}

/* A fold reads and writes the same two bins. */
static bool unpacks_in_place(const struct fft_plan *plan, const struct fft_call *call)
{
	return !fft_gives_reals(plan, call->inverse) && fft_bins_are_pairs(plan, call->out_stride);
}

static const struct fft_wrapper even = {build_piece,    in_length,    out_length,       pack_row, unpack_row,
				      set_inner_call, reads_caller, unpacks_in_place, fft_real_in_bytes};

static int create_real(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	const unsigned r = fft_odd_radix(n);

	if (n % 2 == 0) {
		const int rc = fft_wrapper_create(&even, sizeof(struct fft_wrapped), n, precision, features, fft_plan_create_inner, n / 2, 1,
						n / 2 + 1, ret_plan);

		if (rc == 0)
			fft_wrapped_of(*ret_plan)->rows_fit_caller = true;
		return rc;
	}
	return fft_wrapper_create(&fft_wrapper_odd, sizeof(struct fft_wrapped), n, precision, features, fft_plan_create_inner, n / r, (r + 1) / 2,
				n / r + 1, ret_plan);
}

int fft_plan_create_real(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	if (n == 0 || n > FFT_MAX_LENGTH)
		return -ERROR_OUT_OF_RANGE;
	return create_real(n, precision, features, ret_plan);
}

int fft_plan_create_hermitian(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	const int rc = fft_plan_create_real(n, precision, features, ret_plan);

	if (rc == 0)
		fft_wrapped_of(*ret_plan)->exchanged = fft_wrapped_of(*ret_plan)->conjugated = true;
	return rc;
}

/* A caller's row of n reals is too short for a row of the inner transform. */
int fft_plan_create_packed(enum fft_packed packed, uint64_t n, enum fft_precision precision, uint32_t features,
			   struct fft_plan **ret_plan)
{
	const int rc = fft_plan_create_real(n, precision, features, ret_plan);

	if (rc < 0)
		return rc;
	fft_wrapped_of(*ret_plan)->bins = packed == FFT_DHT ? FFT_BINS_HARTLEY : FFT_BINS_HALF_COMPLEX;
	fft_wrapped_of(*ret_plan)->exchanged = packed == FFT_HC2R;
	fft_wrapped_of(*ret_plan)->rows_fit_caller = false;
	return 0;
}
