/* SPDX-License-Identifier: Apache-2.0 */
/* Half-complex and Hartley transforms by the real one of the same length, whose bins are packed or unpacked. */
#include "fft/plan/packed.h"

#include "fft/plan/real.h"
#include "fft/plan/wrapper.h"

struct packed {
	struct fft_wrapped wrapped; /* first */
	enum fft_packed packed;
};

static bool takes_bins(const struct fft_plan *plan)
{
	return ((const struct packed *)plan)->packed == FFT_HC2R;
}

static int build_piece(struct fft_plan *plan)
{
	(void)plan;
	return 0;
}

/* Counts bins on the side of the spectrum, else reals. */
static size_t in_length(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	return takes_bins(plan) ? plan->n / 2 + 1 : plan->n;
}

static size_t out_length(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	return takes_bins(plan) ? plan->n : plan->n / 2 + 1;
}

/* Bins [begin, end) of n reals x, at a stride, and as complex numbers. A bin without imaginary part is its own mirror image: it is
 * written to its place last, and read from there. */
#define DEFINE_BINS(real)                                                                                              \
	static void pack_##real(const real *x, size_t stride, size_t n, size_t begin, size_t end, real *bins)          \
	{                                                                                                              \
		for (size_t k = begin; k < end; k++) {                                                                 \
			bins[2 * k] = x[k * stride];                                                                   \
			bins[2 * k + 1] = k == 0 || 2 * k == n ? 0 : x[(n - k) * stride];                              \
		}                                                                                                      \
	}                                                                                                              \
	static void unpack_##real(const real *bins, size_t begin, size_t end, real *x, size_t stride, size_t n)        \
	{                                                                                                              \
		for (size_t k = begin; k < end; k++) {                                                                 \
			x[(k ? n - k : 0) * stride] = bins[2 * k + 1];                                                 \
			x[k * stride] = bins[2 * k];                                                                   \
		}                                                                                                      \
	}                                                                                                              \
	static void unpack_hartley_##real(const real *bins, size_t begin, size_t end, real *x, size_t stride, size_t n) \
	{                                                                                                              \
		for (size_t k = begin; k < end; k++) {                                                                 \
			x[(k ? n - k : 0) * stride] = bins[2 * k] + bins[2 * k + 1];                                   \
			x[k * stride] = bins[2 * k] - bins[2 * k + 1];                                                 \
		}                                                                                                      \
	}

DEFINE_BINS(float)
DEFINE_BINS(double)

static void pack_row(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows)
{
	const size_t size = fft_pair_bytes(plan) / 2, stride = call->in_stride;

	if (!takes_bins(plan))
		fft_copy(rows.x + begin * size, 1, in + begin * stride * size, stride, end - begin, size);
	else if (plan->precision == FFT_F32)
		pack_float((const float *)in, stride, plan->n, begin, end, (float *)rows.x);
	else
		pack_double((const double *)in, stride, plan->n, begin, end, (double *)rows.x);
}

static void unpack_row(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows)
{
	const size_t size = fft_pair_bytes(plan) / 2, stride = call->out_stride, n = plan->n;
	const bool is_hartley = ((const struct packed *)plan)->packed == FFT_DHT;

	if (takes_bins(plan))
		fft_copy(out + begin * stride * size, stride, rows.y + begin * size, 1, end - begin, size);
	else if (plan->precision == FFT_F32)
		(is_hartley ? unpack_hartley_float : unpack_float)((const float *)rows.y, begin, end, (float *)out, stride, n);
	else
		(is_hartley ? unpack_hartley_double : unpack_double)((const double *)rows.y, begin, end, (double *)out, stride, n);
}

static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse, double *ret_scale)
{
	*ret_inverse = takes_bins(plan);
	*ret_scale = call->scale;
}

static bool reads_caller(const struct fft_plan *plan, const struct fft_call *call)
{
	return !takes_bins(plan) && call->in_stride == 1;
}

static size_t in_bytes(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	return fft_pair_bytes(plan) / 2;
}

static const struct fft_wrapper wrapper = {build_piece,    in_length,    out_length, pack_row, unpack_row,
					   set_inner_call, reads_caller, NULL,       in_bytes};

int fft_plan_create_packed(enum fft_packed packed, uint64_t n, enum fft_precision precision, uint32_t features,
			   struct fft_plan **ret_plan)
{
	const int rc = fft_wrapper_create(&wrapper, sizeof(struct packed), n, precision, features, fft_plan_create_real, n, 1, n / 2 + 1,
					  ret_plan);

	if (rc == 0)
		((struct packed *)*ret_plan)->packed = packed;
	return rc;
}
