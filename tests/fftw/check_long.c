/* SPDX-License-Identifier: Apache-2.0 */
/* Long transforms, which are cut into phases, against FFTW in long double; with several threads and with the program's own loop they
 * have the bytes of one thread. Fortran's plans have the axes and kinds that FFTW's have. */
#include <pthread.h>

#include "both.h"
#include <math.h>

/* FFTW's own header has the same guard, so what is used of it stands here. */
typedef struct fftwl_plan_s *fftwl_plan;
fftwl_plan fftwl_plan_dft(int rank, const int *n, long double (*in)[2], long double (*out)[2], int sign, unsigned flags);
fftwl_plan fftwl_plan_dft_r2c(int rank, const int *n, long double *in, long double (*out)[2], unsigned flags);
fftwl_plan fftwl_plan_r2r(int rank, const int *n, long double *in, long double *out, const fftw_r2r_kind *kinds, unsigned flags);
void fftwl_execute(fftwl_plan plan);
void fftwl_destroy_plan(fftwl_plan plan);

#define GURU                                                                                                                   \
	const int *rank, const int *n, const int *is, const int *os, const int *batch_rank, const int *batch_n,                \
		const int *batch_is, const int *batch_os
void lfftw_plan_guru_r2r_(fftwl_plan *p, GURU, long double *in, long double *out, const int *kinds, const int *flags);
void dfftw_plan_guru_r2r_(fftw_plan *p, GURU, double *in, double *out, const int *kinds, const int *flags);
void lfftw_plan_guru_dft_r2c_(fftwl_plan *p, GURU, long double *in, long double *out, const int *flags);
void dfftw_plan_guru_dft_r2c_(fftw_plan *p, GURU, double *in, double *out, const int *flags);
void lfftw_plan_guru_dft_c2r_(fftwl_plan *p, GURU, long double *in, long double *out, const int *flags);
void dfftw_plan_guru_dft_c2r_(fftw_plan *p, GURU, double *in, double *out, const int *flags);
void lfftw_plan_r2r_(fftwl_plan *p, const int *rank, const int *n, long double *in, long double *out, const int *kinds, const int *flags);
void dfftw_plan_r2r_(fftw_plan *p, const int *rank, const int *n, double *in, double *out, const int *kinds, const int *flags);

enum { DFT = -1, R2C = -2 };

static size_t in_reals(int kind, size_t points)
{
	return kind == DFT ? 2 * points : points;
}

static size_t out_reals(int kind, int rank, const int *n, size_t points)
{
	return kind == DFT ? 2 * points : kind == R2C ? points / (size_t)n[rank - 1] * (size_t)(n[rank - 1] / 2 + 1) * 2 : points;
}

static fftwl_plan plan_reference(int kind, int rank, const int *n, long double *x, long double *y)
{
	const fftw_r2r_kind kinds[3] = {kind < 0 ? FFTW_DHT : kind, kind < 0 ? FFTW_DHT : kind, kind < 0 ? FFTW_DHT : kind};

	return kind == DFT   ? fftwl_plan_dft(rank, n, (void *)x, (void *)y, FFTW_FORWARD, FFTW_ESTIMATE)
	       : kind == R2C ? fftwl_plan_dft_r2c(rank, n, x, (void *)y, FFTW_ESTIMATE)
			     : fftwl_plan_r2r(rank, n, x, y, kinds, FFTW_ESTIMATE);
}

static void loop(void *(*work)(char *), char *jobs, size_t bytes, int count, void *data)
{
	pthread_t threads[8];

	++*(unsigned *)data;
	for (int i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, (void *(*)(void *))work, jobs + (size_t)i * bytes), 0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#define DEFINE_CHECK(P, REAL, BOUND)                                                                                           \
	static void P##run(int kind, int rank, const int *n, REAL *x, REAL *y, int threads)                                    \
	{                                                                                                                      \
		const fftw_r2r_kind all = kind < 0 ? FFTW_DHT : kind, kinds[3] = {all, all, all};                              \
		P##plan plan;                                                                                                  \
                                                                                                                               \
		P##plan_with_nthreads(threads);                                                                                \
		plan = kind == DFT   ? P##plan_dft(rank, n, (void *)x, (void *)y, FFTW_FORWARD, FFTW_MEASURE)                  \
		       : kind == R2C ? P##plan_dft_r2c(rank, n, x, (void *)y, FFTW_MEASURE)                                    \
				     : P##plan_r2r(rank, n, x, y, kinds, FFTW_MEASURE);                                        \
		assert_non_null(plan);                                                                                         \
		P##execute(plan);                                                                                              \
		P##destroy_plan(plan);                                                                                         \
	}                                                                                                                      \
	static void P##check(int kind, int rank, const int *n)                                                                 \
	{                                                                                                                      \
		const size_t points = (size_t)n[0] * (rank > 1 ? n[1] : 1) * (rank > 2 ? n[2] : 1);                            \
		const size_t in = in_reals(kind, points), out = out_reals(kind, rank, n, points);                              \
		REAL *x = P##malloc(in * sizeof *x), *y = P##malloc(out * sizeof *y), *z = P##malloc(out * sizeof *z);         \
		long double *a = malloc(in * sizeof *a), *b = malloc(out * sizeof *b), error = 0, norm = 0;                    \
		fftwl_plan reference = plan_reference(kind, rank, n, a, b);                                                    \
		uint64_t state = 0x10F6;                                                                                       \
		unsigned loops = 0;                                                                                            \
                                                                                                                               \
		for (size_t i = 0; i < in; i++)                                                                                \
			a[i] = x[i] = (REAL)reference_sample(&state);                                                          \
		fftwl_execute(reference);                                                                                      \
		fftwl_destroy_plan(reference);                                                                                 \
		P##run(kind, rank, n, x, y, 1);                                                                                \
		for (size_t i = 0; i < out; i++) {                                                                             \
			error += (y[i] - b[i]) * (y[i] - b[i]);                                                                \
			norm += b[i] * b[i];                                                                                   \
		}                                                                                                              \
		if (!(sqrtl(error) <= BOUND * sqrtl(norm)))                                                                    \
			fail_msg(#P " kind %d, rank %d, n %d: error %Lg", kind, rank, n[0], sqrtl(error / norm));              \
		P##run(kind, rank, n, x, z, 3);                                                                                \
		assert_memory_equal(y, z, out * sizeof *y);                                                                    \
		memset(z, 0, out * sizeof *z);                                                                                 \
		P##threads_set_callback(loop, &loops);                                                                         \
		P##run(kind, rank, n, x, z, 4);                                                                                \
		P##threads_set_callback(NULL, NULL);                                                                           \
		assert_true(loops > 0);                                                                                        \
		assert_memory_equal(y, z, out * sizeof *y);                                                                    \
		P##free(x);                                                                                                    \
		P##free(y);                                                                                                    \
		P##free(z);                                                                                                    \
		free(a);                                                                                                       \
		free(b);                                                                                                       \
	}

DEFINE_CHECK(fftw_, double, 1e-14L)
DEFINE_CHECK(fftwf_, float, 1e-6L)

static void check_lengths(void **state)
{
	static const int shapes[][3] = {{65536, 0, 0}, {100003, 0, 0}, {98304, 0, 0}, {250, 300, 0}, {40, 32, 50}};
	const int kinds = is_full() ? FFTW_RODFT11 + 1 : FFTW_DHT + 1;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int kind = R2C; kind < kinds; kind++) {
			const int rank = shapes[i][2] ? 3 : shapes[i][1] ? 2 : 1;

			fftw_check(kind, rank, shapes[i]);
			fftwf_check(kind, rank, shapes[i]);
		}
	fftw_cleanup_threads();
	fftwf_cleanup_threads();
}

/* Runs both plans over the same numbers, and ends them. */
static void compare(const char *what, fftw_plan plan, fftwl_plan reference, double *x, long double *a)
{
	enum { NUMBERS = 600 };
	uint64_t state = 0xF77;

	assert_non_null(plan);
	assert_non_null(reference);
	for (size_t i = 0; i < NUMBERS; i++) {
		a[i] = x[i] = (double)reference_sample(&state);
		a[NUMBERS + i] = x[NUMBERS + i] = 0;
	}
	fftw_execute(plan);
	fftwl_execute(reference);
	for (size_t i = NUMBERS; i < 2 * NUMBERS; i++)
		if (!(fabsl(x[i] - a[i]) <= 1e-11L))
			fail_msg("%s: number %zu is %g instead of %Lg", what, i - NUMBERS, x[i], a[i]);
	fftw_destroy_plan(plan);
	fftwl_destroy_plan(reference);
}

/* Axes of three lengths, the kinds of each different, strides in an order of their own. */
static void check_fortran(void **state)
{
	static double x[1200];
	static long double a[1200];
	const int rank = 3, n[3] = {3, 8, 5}, in[3] = {40, 1, 8}, out[3] = {1, 3, 24}, half[3] = {1, 3, 24}, flags = FFTW_ESTIMATE;
	const int kinds[3] = {FFTW_REDFT00, FFTW_DHT, FFTW_RODFT11}, batch_rank = 1, two = 2, far = 130;
	const int spread[3] = {2, 6, 48};
	fftw_plan plan;
	fftwl_plan reference;

	(void)state;
#define AXES(os) &rank, n, in, os, &batch_rank, &two, &far, &far
	dfftw_plan_guru_r2r_(&plan, AXES(out), x, x + 600, kinds, &flags);
	lfftw_plan_guru_r2r_(&reference, AXES(out), a, a + 600, kinds, &flags);
	compare("guru r2r", plan, reference, x, a);
	dfftw_plan_guru_dft_r2c_(&plan, AXES(half), x, x + 600, &flags);
	lfftw_plan_guru_dft_r2c_(&reference, AXES(half), a, a + 600, &flags);
	compare("guru r2c", plan, reference, x, a);
	dfftw_plan_guru_dft_c2r_(&plan, AXES(spread), x, x + 600, &flags);
	lfftw_plan_guru_dft_c2r_(&reference, AXES(spread), a, a + 600, &flags);
	compare("guru c2r", plan, reference, x, a);
	dfftw_plan_r2r_(&plan, &rank, n, x, x + 600, kinds, &flags);
	lfftw_plan_r2r_(&reference, &rank, n, a, a + 600, kinds, &flags);
	compare("r2r", plan, reference, x, a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_lengths), cmocka_unit_test(check_fortran)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
