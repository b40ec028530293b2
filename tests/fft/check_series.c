/* SPDX-License-Identifier: Apache-2.0 */
/* Cosine and sine transforms against FFTW's in long double, every type, length and variant; there and back; strides,
 * batches, in place: the same bytes. */
#include "fft/plan/series.h"

#include <math.h>

#include "base/error.h"
#include "reference.h"

static const fftw_r2r_kind kinds[FFT_SERIES] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
						FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
static const char *const names[FFT_SERIES] = {"DCT I", "DCT II", "DCT III", "DCT IV",
					      "DST I", "DST II", "DST III", "DST IV"};

/* One signal and its transform. */
struct reference {
	enum fft_series series;
	size_t n;
	long double *x, *y;
};

static struct reference current;
static double worst[2][FFT_SERIES];

static struct reference reference_new(enum fft_series series, size_t n)
{
	struct reference r = {series, n, fftwl_malloc(n * sizeof *r.x), fftwl_malloc(n * sizeof *r.y)};
	fftwl_plan plan = fftwl_plan_r2r_1d((int)n, r.x, r.y, kinds[series], FFTW_ESTIMATE);

	reference_run(plan, r.x, n);
	return r;
}

static void reference_free(struct reference *r)
{
	fftwl_free(r->x);
	fftwl_free(r->y);
}

static struct fft_plan *series_new(enum fft_series series, bool orthogonal, size_t n, enum fft_precision precision,
				   uint32_t features)
{
	struct fft_plan *plan = NULL;

	assert_int_equal(fft_plan_create_series(series, orthogonal, n, precision, features, &plan), 0);
	plan_finish(plan);
	return plan;
}

static double distance(enum fft_precision precision, const void *got, const long double *want, size_t n, double scale)
{
	long double error = 0, norm = 0;

	for (size_t k = 0; k < n; k++) {
		const long double d = real_get(precision, got, k) - scale * want[k];

		error += d * d;
		norm += scale * scale * want[k] * want[k];
	}
	return (double)sqrtl(error / norm);
}

static void check_current(const char *name, uint32_t features, enum fft_precision precision)
{
	const struct reference *r = &current;
	const size_t size = r->n * real_bytes(precision);
	struct fft_plan *there = series_new(r->series, false, r->n, precision, features);
	struct fft_plan *back = series_new(fft_series_inverse(r->series), false, r->n, precision, features);
	void *x = guarded_new(size), *y = guarded_new(size);
	struct fft_call call = {x, y, 1, r->n, 1, r->n, 1, false, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
	struct fft_call again = {y, y, 1, r->n, 1, r->n, 1, false, 2.0 / (double)fft_series_period(r->series, r->n),
				 NULL, FFT_REUSE_NONE, 0, 0, false};
	double d;

	for (size_t i = 0; i < r->n; i++)
		real_put(precision, x, i, (double)r->x[i]);
	run_guarded(there, &call);
	d = distance(precision, y, r->y, r->n, 0.5);
	worst[precision][r->series] = fmax(worst[precision][r->series], d);
	if (!(d <= fft_error_bound(1, precision)))
		fail_msg("%s f%zu %s n=%zu: relative error: expected at most %g, got %g (seed %#llx + n)", name,
			 8 * real_bytes(precision), names[r->series], r->n, fft_error_bound(1, precision), d,
			 (unsigned long long)fixture_seed);
	run_guarded(back, &again);
	d = distance(precision, y, r->x, r->n, 1);
	if (!(d <= 2 * fft_error_bound(1, precision)))
		fail_msg("%s f%zu %s n=%zu, there and back: relative error: expected at most %g, got %g", name,
			 8 * real_bytes(precision), names[r->series], r->n, 2 * fft_error_bound(1, precision), d);
	guarded_free(x, size, "input");
	guarded_free(y, size, "output");
	fft_plan_free(there);
	fft_plan_free(back);
}

static void check_length(size_t n)
{
	for (enum fft_series series = 0; series < FFT_SERIES; series++) {
		if (n < fft_series_least(series))
			continue;
		current = reference_new(series, n);
		each_variant(check_current);
		reference_free(&current);
	}
}

static void check_lengths(void **state)
{
	static const size_t lengths[] = {509, 512, 513, 1000, 1009, 2048, 4095, 8192, 10007, 65536, 65537, 1 << 18};

	(void)state;
	for (size_t n = 1; n <= (is_full() ? 1024 : 130); n += SANITIZED && n > 32 ? 5 : 1)
		check_length(n);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (is_full() ? 0 : 2); i++)
		check_length(lengths[i]);
	for (enum fft_series series = 0; series < FFT_SERIES; series++)
		printf("# %-7s worst relative error: f32 %.2e, f64 %.2e\n", names[series], worst[0][series],
		       worst[1][series]);
}

/* With factors at the ends and scale 1 / sqrt(period), it keeps the norm and its transpose undoes it. */
static void check_orthogonal_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 15, 64, 100, 127};

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths * FFT_SERIES; i++) {
		const enum fft_series series = i % FFT_SERIES;
		const size_t n = lengths[i / FFT_SERIES], size = n * real_bytes(precision);
		long double x[128], before = 0, after = 0;
		uint64_t state = fixture_seed + i;
		void *at;

		if (n < fft_series_least(series))
			continue;
		at = guarded_new(size);
		for (size_t j = 0; j < n; j++) {
			x[j] = fixture_sample(&state);
			real_put(precision, at, j, (double)x[j]);
			before += x[j] * x[j];
		}
		for (unsigned back = 0; back < 2; back++) {
			struct fft_plan *plan = series_new(back ? fft_series_inverse(series) : series, true, n,
							   precision, features);
			const double scale = 1 / sqrt((double)fft_series_period(series, n));
			struct fft_call call = {at, at, 1, n, 1, n, 1, false, scale, NULL, FFT_REUSE_NONE, 0, 0, false};

			run_guarded(plan, &call);
			for (size_t j = 0; j < n && !back; j++)
				after += (long double)real_get(precision, at, j) * real_get(precision, at, j);
			fft_plan_free(plan);
		}
		if (fabsl(after / before - 1) > 4 * fft_error_bound(1, precision))
			fail_msg("%s %s n=%zu: the norm grew by %Lg", name, names[series], n, sqrtl(after / before));
		assert_true(distance(precision, at, x, n, 1) <= 2 * fft_error_bound(1, precision));
		guarded_free(at, size, "row");
	}
}

static void check_orthogonal(void **state)
{
	(void)state;
	each_variant(check_orthogonal_of);
}

/* A row's bytes alone, and in a batch among others, at strides, in place, in any order of units. */
static void check_layout_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const struct {
		size_t batch, stride, distance;
		bool backwards;
	} layouts[] = {{5, 1, 0, false}, {37, 1, 3, true}, {7, 8, 0, false}, {3, 3, 0, true}};
	static const size_t lengths[] = {2, 3, 8, 15, 31, 64, 100, 1000, 1001, 20000, 40001};

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths * FFT_SERIES * 4; i++) {
		const size_t n = lengths[i / 4 / FFT_SERIES], l = i % 4, stride = layouts[l].stride, batch = layouts[l].batch;
		const enum fft_series series = i / 4 % FFT_SERIES;
		const size_t step = stride == 8 ? 1 : n * stride + layouts[l].distance;
		const size_t span = (n - 1) * stride + (batch - 1) * step + 1, size = span * real_bytes(precision);
		const size_t bytes = real_bytes(precision), probe = batch / 2;
		struct fft_plan *plan;
		char *all, *alone;
		uint64_t state = fixture_seed + i;

		if (n > 10000 && !is_full() && series % 4 == 0)
			continue;
		if (n > 10000 && SANITIZED && series % 4 != l)
			continue; /* slow */
		plan = series_new(series, i % 3 == 0, n, precision, features);
		all = guarded_new(size);
		alone = guarded_new(n * bytes);
		real_fill(precision, all, span, &state);
		for (size_t j = 0; j < n; j++)
			memcpy(alone + j * bytes, all + (probe * step + j * stride) * bytes, bytes);
		struct fft_call one = {alone, alone, 1, n, 1, n, 1, false, 0.3, NULL, FFT_REUSE_NONE, 0, 0, false};
		struct fft_call many = {all, all, stride, step, stride, step, batch, true, 0.3, NULL, FFT_REUSE_NONE, 0, 0, false};

		run_guarded(plan, &one);
		run_guarded_ordered(plan, &many, layouts[l].backwards);
		for (size_t j = 0; j < n; j++)
			if (memcmp(alone + j * bytes, all + (probe * step + j * stride) * bytes, bytes) != 0)
				fail_msg("%s %s n=%zu layout %zu: element %zu: expected %.17g, got %.17g", name,
					 names[series], n, l, j, real_get(precision, alone, j),
					 real_get(precision, all, probe * step + j * stride));
		guarded_free(all, size, "batch");
		guarded_free(alone, n * bytes, "row");
		fft_plan_free(plan);
	}
}

static void check_layouts(void **state)
{
	(void)state;
	each_variant(check_layout_of);
}

/* One bad number in a batch of zeros: the others stay exactly zero. */
static void check_bad_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	static const size_t lengths[] = {2, 9, 64, 101, 1001, 8192};
	enum { BATCH = 7 };

	for (size_t i = 0; i < FFT_SERIES * sizeof lengths / sizeof *lengths; i++) {
		const size_t n = lengths[i / FFT_SERIES], size = real_bytes(precision), at = i % BATCH;
		struct fft_plan *plan = series_new(i % FFT_SERIES, false, n, precision, features);
		void *x = guarded_new(BATCH * n * size);
		struct fft_call call = {x, x, 1, n, 1, n, BATCH, false, 1, NULL, FFT_REUSE_NONE, 0, 0, false};
		bool is_not_finite = false;

		memset(x, 0, BATCH * n * size);
		real_put(precision, x, at * n + n / 2, bad[i % 3]);
		run_guarded(plan, &call);
		for (size_t k = 0; k < BATCH * n; k++)
			if (k / n != at && real_get(precision, x, k) != 0)
				fail_msg("%s %s n=%zu: %g in transform %zu reached transform %zu", name,
					 names[i % FFT_SERIES], n, bad[i % 3], at, k / n);
			else
				is_not_finite |= !isfinite(real_get(precision, x, k));
		assert_true(is_not_finite);
		fft_plan_free(plan);
		guarded_free(x, BATCH * n * size, "rows");
	}
}

static void check_bad(void **state)
{
	(void)state;
	each_variant(check_bad_of);
}

static void check_refusals(void **state)
{
	struct fft_plan *plan = (struct fft_plan *)state;

	assert_int_equal(fft_plan_create_series(FFT_DCT2, false, 0, FFT_F32, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_int_equal(fft_plan_create_series(FFT_DCT1, false, 1, FFT_F32, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_int_equal(fft_plan_create_series(FFT_DST4, false, FFT_SERIES_MAX_LENGTH + 1, FFT_F32, 0, &plan),
			 -ERROR_OUT_OF_RANGE);
	assert_ptr_equal(plan, state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_refusals),
		cmocka_unit_test(check_lengths),
		cmocka_unit_test(check_orthogonal),
		cmocka_unit_test(check_layouts),
		cmocka_unit_test(check_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
