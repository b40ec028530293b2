/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms against FFTW in long double, both directions, at strides, in batches; long ones; the ends' zeros. */
#include "fft/plan/real.h"

#include <math.h>

#include "base/error.h"
#include "reference.h"

/* One signal and its half spectrum. */
struct reference {
	size_t n;
	long double *x;
	fftwl_complex *y;
};

static struct reference reference_new(size_t n)
{
	struct reference r = {n, fftwl_malloc(n * sizeof(long double)),
			      fftwl_malloc((n / 2 + 1) * sizeof(fftwl_complex))};
	fftwl_plan plan = fftwl_plan_dft_r2c_1d((int)n, r.x, r.y, FFTW_ESTIMATE);

	reference_run(plan, r.x, n);
	return r;
}

static void reference_free(struct reference *r)
{
	fftwl_free(r->x);
	fftwl_free(r->y);
}

struct setup {
	const char *name;
	struct fft_plan *plan;
	enum fft_precision precision;
	const struct reference *r;
	size_t batch, stride, gap;
};

static void expect_close(const struct setup *s, const char *what, long double error, long double norm)
{
	const double got = (double)sqrtl(error / norm), allowed = fft_error_bound(s->r->n, s->precision);

	if (!(got <= allowed))
		fail_msg("%s f%zu n=%zu %s: relative error: expected at most %g, got %g (seed %#llx + n)", s->name,
			 8 * real_bytes(s->precision), s->r->n, what, allowed, got, (unsigned long long)fixture_seed);
}

static size_t span(size_t n, const struct setup *s, size_t distance)
{
	return (n - 1) * s->stride + (s->batch - 1) * distance + 1;
}

static void check_forward(const struct setup *s)
{
	const size_t n = s->r->n, m = n / 2 + 1, in_distance = n * s->stride + s->gap,
		     out_distance = m * s->stride + s->gap;
	const size_t x_size = span(n, s, in_distance) * real_bytes(s->precision);
	const size_t y_size = span(m, s, out_distance) * 2 * real_bytes(s->precision);
	void *x = guarded_new(x_size), *y = guarded_new(y_size);
	struct fft_call call = {x, y, s->stride, in_distance, s->stride, out_distance, s->batch, false, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};

	for (size_t i = 0; i < s->batch * n; i++)
		real_put(s->precision, x, i / n * in_distance + i % n * s->stride, (double)s->r->x[i % n]);
	run_guarded(s->plan, &call);
	for (size_t b = 0; b < s->batch; b++) {
		long double error = 0, norm = 0;

		for (size_t k = 0; k < 2 * m; k++) {
			const long double want = s->r->y[k / 2][k % 2] / 2;
			const size_t at = 2 * (b * out_distance + k / 2 * s->stride) + k % 2;
			const long double d = real_get(s->precision, y, at) - want;

			error += d * d;
			norm += want * want;
		}
		expect_close(s, "forward", error, norm);
		assert_true(real_get(s->precision, y, 2 * b * out_distance + 1) == 0);
	}
	guarded_free(x, x_size, "input");
	guarded_free(y, y_size, "output");
}

static void check_inverse(const struct setup *s)
{
	const size_t n = s->r->n, m = n / 2 + 1, in_distance = m * s->stride + s->gap,
		     out_distance = n * s->stride + s->gap;
	const size_t x_size = span(m, s, in_distance) * 2 * real_bytes(s->precision);
	const size_t y_size = span(n, s, out_distance) * real_bytes(s->precision);
	void *x = guarded_new(x_size), *y = guarded_new(y_size);
	struct fft_call call = {x,        y,    s->stride,       in_distance, s->stride, out_distance,
				s->batch, true, 1.0 / (double)n, NULL, FFT_REUSE_NONE, 0, 0, false};

	for (size_t i = 0; i < s->batch * 2 * m; i++) {
		const size_t k = i / 2 % m;
		/* Imaginary parts that must not count. */
		const bool end = i % 2 && (k == 0 || 2 * k == n);

		real_put(s->precision, x, 2 * (i / 2 / m * in_distance + k * s->stride) + i % 2,
			 end ? 7 : (double)s->r->y[k][i % 2]);
	}
	run_guarded(s->plan, &call);
	for (size_t b = 0; b < s->batch; b++) {
		long double error = 0, norm = 0;

		for (size_t j = 0; j < n; j++) {
			const long double d = real_get(s->precision, y, b * out_distance + j * s->stride) - s->r->x[j];

			error += d * d;
			norm += s->r->x[j] * s->r->x[j];
		}
		expect_close(s, "inverse", error, norm);
	}
	guarded_free(x, x_size, "input");
	guarded_free(y, y_size, "output");
}

static struct reference current;

static void check_current(const char *name, uint32_t features, enum fft_precision precision)
{
	struct setup s = {.name = name, .precision = precision, .r = &current};

	assert_int_equal(fft_plan_create_real(current.n, precision, features, &s.plan), 0);
	plan_finish(s.plan);
	for (s.batch = 1; s.batch <= (current.n > 2000 ? 3 : 5); s.batch += 2)
		for (s.stride = 1; s.stride <= (current.n > 300 ? 1 : 2); s.stride++)
			for (s.gap = 0; s.gap < 2; s.gap++) {
				check_forward(&s);
				check_inverse(&s);
			}
	if (current.n > 300) {
		s.batch = 1;
		s.stride = 3;
		check_forward(&s);
		check_inverse(&s);
	}
	fft_plan_free(s.plan);
}

static void check_length(size_t n)
{
	current = reference_new(n);
	each_variant(check_current);
	reference_free(&current);
}

static void check_short(void **state)
{
	(void)state;
	for (size_t n = 1; n <= (is_full() ? 1024 : 160); n++)
		check_length(n);
}

static void check_long(void **state)
{
	static const size_t lengths[] = {256,   360,   997,   1000,   1024,   1331,  1365,  1994,   4095,   4096,
					 8190,  16381, 18225, 65536,  65537,  59049, 131072, 151263, 200001, 262144};

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += SANITIZED && lengths[i] > 5000 ? 3 : 1)
		check_length(lengths[i]);
}

/* The same bytes alone and in a batch of another distance. */
static void check_bytes_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t lengths[] = {2, 10, 99, 256, 1000, 2048, 1, 3, 35, 243, 1331, 1365, 17, 323, 20475};
	enum { BATCH = 19 };

	(void)name;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const size_t n = lengths[i], m = n / 2 + 1, size = real_bytes(precision);
		void *x = guarded_new(BATCH * (n + 1) * size), *y = guarded_new(BATCH * m * 2 * size);
		void *one = guarded_new(m * 2 * size);
		struct fft_call all = {x, y, 1, n + 1, 1, m, BATCH, false, 1, NULL, FFT_REUSE_NONE, 0, 0, false};
		struct fft_plan *plan;
		uint64_t state = fixture_seed;

		assert_int_equal(fft_plan_create_real(n, precision, features, &plan), 0);
		plan_finish(plan);
		real_fill(precision, x, BATCH * (n + 1), &state);
		run_guarded(plan, &all);
		for (size_t b = 0; b < BATCH; b++) {
			struct fft_call alone = {(char *)x + b * (n + 1) * size, one, 1, n, 1, m, 1, false, 1, NULL, FFT_REUSE_NONE, 0, 0, false};

			run_guarded(plan, &alone);
			assert_memory_equal(one, (char *)y + b * m * 2 * size, m * 2 * size);
		}
		fft_plan_free(plan);
		guarded_free(x, BATCH * (n + 1) * size, "input");
		guarded_free(y, BATCH * m * 2 * size, "output");
		guarded_free(one, m * 2 * size, "single output");
	}
}

static void check_bytes(void **state)
{
	(void)state;
	each_variant(check_bytes_of);
}

/* A Hermitian plan's forward is the real one's inverse of the conjugate, and its inverse the conjugate of the other's
 * forward; at a stride as without one. */
static void check_hermitian_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t lengths[] = {1, 2, 3, 8, 9, 30, 31, 45, 64, 101, 121, 1000, 1001, 65536, 59049};

	for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
		const size_t n = lengths[i / 2], m = n / 2 + 1, stride = i % 2 ? 3 : 1, size = real_bytes(precision);
		struct fft_plan *real = NULL, *hermitian = NULL;
		void *x = guarded_new(2 * m * size), *conjugate = guarded_new(2 * m * stride * size);
		void *y = guarded_new(n * stride * size), *want = guarded_new(n * size);
		struct fft_call plain = {x, want, 1, m, 1, n, 1, true, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
		struct fft_call there = {conjugate, y, stride, m, stride, n, 1, false, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
		struct fft_call half = {want, x, 1, n, 1, m, 1, false, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
		struct fft_call back = {y, conjugate, stride, n, stride, m, 1, true, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
		uint64_t state = fixture_seed + i;

		assert_int_equal(fft_plan_create_real(n, precision, features, &real), 0);
		assert_int_equal(fft_plan_create_hermitian(n, precision, features, &hermitian), 0);
		plan_finish(real);
		plan_finish(hermitian);
		real_fill(precision, x, 2 * m, &state);
		for (size_t k = 0; k < 2 * m; k++)
			real_put(precision, conjugate, 2 * (k / 2) * stride + k % 2,
				 (k % 2 ? -1 : 1) * real_get(precision, x, k));
		run_guarded(real, &plain);
		run_guarded(hermitian, &there);
		for (size_t j = 0; j < n; j++)
			if (real_get(precision, want, j) != real_get(precision, y, j * stride))
				fail_msg("%s n=%zu: element %zu: expected %.17g, got %.17g", name, n, j,
					 real_get(precision, want, j), real_get(precision, y, j * stride));
		run_guarded(real, &half);
		run_guarded(hermitian, &back);
		for (size_t k = 0; k < 2 * m; k++)
			if (real_get(precision, x, k) !=
			    (k % 2 ? -1 : 1) * real_get(precision, conjugate, 2 * (k / 2) * stride + k % 2))
				fail_msg("%s n=%zu stride %zu: part %zu of the spectrum: expected +-%.17g, got %.17g",
					 name, n, stride, k, real_get(precision, x, k),
					 real_get(precision, conjugate, 2 * (k / 2) * stride + k % 2));
		fft_plan_free(real);
		fft_plan_free(hermitian);
		guarded_free(x, 2 * m * size, "spectrum");
		guarded_free(conjugate, 2 * m * stride * size, "conjugate");
		guarded_free(y, n * stride * size, "reals");
		guarded_free(want, n * size, "expected reals");
	}
}

static void check_hermitian(void **state)
{
	(void)state;
	each_variant(check_hermitian_of);
}

/* One bad number in a batch of zeros: the others stay exactly zero, and its own spectrum shows it. */
static void check_bad_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	static const size_t lengths[] = {2, 9, 64, 101, 243, 1001, 8192};
	enum { BATCH = 11 };

	for (size_t i = 0; i < 6 * sizeof lengths / sizeof *lengths; i++) {
		const size_t n = lengths[i / 6], m = n / 2 + 1, size = real_bytes(precision), at = i % BATCH;
		const bool inverse = i % 2;
		const size_t reals_in = inverse ? 2 * m : n, reals_out = inverse ? n : 2 * m;
		struct fft_plan *plan = NULL;
		void *x = guarded_new(BATCH * reals_in * size), *y = guarded_new(BATCH * reals_out * size);
		struct fft_call call = {x, y, 1, inverse ? m : n, 1, inverse ? n : m, BATCH, inverse, 1, NULL, FFT_REUSE_NONE, 0, 0, false};

		assert_int_equal(fft_plan_create_real(n, precision, features, &plan), 0);
		plan_finish(plan);
		memset(x, 0, BATCH * reals_in * size);
		real_put(precision, x, at * reals_in, bad[i / 2 % 3]);
		run_guarded(plan, &call);
		for (size_t k = 0; k < BATCH * reals_out; k++)
			if (k / reals_out != at && real_get(precision, y, k) != 0)
				fail_msg("%s n=%zu: %g in transform %zu reached transform %zu", name, n, bad[i / 2 % 3], at,
					 k / reals_out);
		assert_false(isfinite(real_get(precision, y, at * reals_out)));
		fft_plan_free(plan);
		guarded_free(x, BATCH * reals_in * size, "input");
		guarded_free(y, BATCH * reals_out * size, "output");
	}
}

static void check_bad(void **state)
{
	(void)state;
	each_variant(check_bad_of);
}

static void check_refusals(void **state)
{
	struct fft_plan *plan = NULL;

	(void)state;
	assert_int_equal(fft_plan_create_real(0, FFT_F32, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_int_equal(fft_plan_create_real(FFT_MAX_LENGTH + 1, FFT_F32, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_null(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_refusals),
		cmocka_unit_test(check_short),
		cmocka_unit_test(check_bytes),
		cmocka_unit_test(check_hermitian),
		cmocka_unit_test(check_bad),
		cmocka_unit_test(check_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
