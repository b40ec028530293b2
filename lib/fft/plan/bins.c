/* SPDX-License-Identifier: Apache-2.0 */
/* Bins as complex numbers, half-complex and Hartley. Bin 0 and, of even n, bin n/2 have no imaginary part: they are done alone.
 * The others are done by loops that the compiler turns into vectors where the stride is 1. */
#include "fft/plan/bins.h"

#include "base/checked.h"

#define INLINE static inline __attribute__((always_inline))

#define DEFINE_BINS(real)                                                                                              \
	INLINE void load_middle_##real(const real *restrict x, size_t stride, size_t n, size_t k, size_t end,         \
				       real *restrict bins)                                                            \
	{                                                                                                              \
		for (; k < end; k++) {                                                                                 \
			bins[2 * k] = x[k * stride];                                                                   \
			bins[2 * k + 1] = x[(n - k) * stride];                                                         \
		}                                                                                                      \
	}                                                                                                              \
	INLINE void store_middle_##real(const real *restrict bins, size_t k, size_t end, bool is_hartley,               \
					real *restrict x, size_t stride, size_t n)                                     \
	{                                                                                                              \
		for (; k < end; k++) {                                                                                 \
			const real re = bins[2 * k], im = bins[2 * k + 1];                                             \
                                                                                                                       \
			x[k * stride] = is_hartley ? re - im : re;                                                     \
			x[(n - k) * stride] = is_hartley ? re + im : im;                                               \
		}                                                                                                      \
	}                                                                                                              \
	static void load_##real(const real *x, size_t stride, size_t n, size_t begin, size_t end, real *bins)          \
	{                                                                                                              \
		const size_t first = begin ? begin : 1, last = size_min(end, (n + 1) / 2);                             \
                                                                                                                       \
		if (begin == 0)                                                                                        \
			bins[0] = x[0], bins[1] = 0;                                                                   \
		if (2 * (end - 1) == n)                                                                                \
			bins[n] = x[n / 2 * stride], bins[n + 1] = 0;                                                  \
		if (stride == 1)                                                                                       \
			load_middle_##real(x, 1, n, first, last, bins);                                                \
		else                                                                                                   \
			load_middle_##real(x, stride, n, first, last, bins);                                           \
	}                                                                                                              \
	static void store_##real(const real *bins, size_t begin, size_t end, bool is_hartley, real *x, size_t stride,   \
				 size_t n)                                                                             \
	{                                                                                                              \
		const size_t first = begin ? begin : 1, last = size_min(end, (n + 1) / 2);                             \
                                                                                                                       \
		if (begin == 0)                                                                                        \
			x[0] = bins[0];                                                                                \
		if (2 * (end - 1) == n)                                                                                \
			x[n / 2 * stride] = bins[n];                                                                   \
		if (stride != 1)                                                                                       \
			store_middle_##real(bins, first, last, is_hartley, x, stride, n);                              \
		else if (is_hartley)                                                                                   \
			store_middle_##real(bins, first, last, true, x, 1, n);                                         \
		else                                                                                                   \
			store_middle_##real(bins, first, last, false, x, 1, n);                                        \
	}

DEFINE_BINS(float)
DEFINE_BINS(double)

void fft_bins_load(const struct fft_plan *plan, const char *in, size_t stride, size_t begin, size_t end, char *row)
{
	const size_t pair = fft_pair_bytes(plan);

	if (fft_wrapped_of(plan)->bins == FFT_BINS_COMPLEX)
		fft_copy(row + begin * pair, 1, in + begin * stride * pair, stride, end - begin, pair);
	else if (plan->precision == FFT_F32)
		load_float((const float *)in, stride, plan->n, begin, end, (float *)row);
	else
		load_double((const double *)in, stride, plan->n, begin, end, (double *)row);
}

void fft_bins_store(const struct fft_plan *plan, const char *row, size_t begin, size_t end, char *out, size_t stride)
{
	const enum fft_bins form = fft_wrapped_of(plan)->bins;
	const size_t pair = fft_pair_bytes(plan), n = plan->n;

	if (form == FFT_BINS_COMPLEX)
		fft_copy(out + begin * stride * pair, stride, row + begin * pair, 1, end - begin, pair);
	else if (plan->precision == FFT_F32)
		store_float((const float *)row, begin, end, form == FFT_BINS_HARTLEY, (float *)out, stride, n);
	else
		store_double((const double *)row, begin, end, form == FFT_BINS_HARTLEY, (double *)out, stride, n);
}

size_t fft_real_in_bytes(const struct fft_plan *plan, bool inverse)
{
	const size_t pair = fft_pair_bytes(plan);

	return fft_gives_reals(plan, inverse) && fft_wrapped_of(plan)->bins == FFT_BINS_COMPLEX ? pair : pair / 2;
}
