/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms against FFTW in long double: every length to 1024, long ones, primes, both directions, every variant. */
#include "fixture.h"

#include <fftw3.h>
#include <math.h>
#include <pthread.h>

#include "base/error.h"
#include "harness/sanitized.h"

/* One signal and its spectrum, made once for all variants. */
struct reference {
	size_t n;
	fftwl_complex *x, *y;
};

/* The kinds of input that a bound must hold for. */
enum signal { RANDOM, CONSTANT, ALTERNATING, SINUSOID, BETWEEN, BAD_SCALE, SPIKE, N_SIGNALS };

static double sample(enum signal signal, size_t j, size_t n, uint64_t *state)
{
	const double turn = 6.283185307179586476925287;

	switch (signal) {
	case RANDOM:
		return fixture_sample(state);
	case CONSTANT:
		return 1.0 / 3;
	case ALTERNATING:
		return j % 2 ? -0.7 : 0.7;
	case SINUSOID:
		return cos(turn * (double)(j * (n / 3) % n) / (double)n);
	case BETWEEN: /* two bins */
		return cos(turn * ((double)(n / 5) + 0.5) * (double)j / (double)n);
	case BAD_SCALE:
		return fixture_sample(state) * pow(10, 30 * fixture_sample(state));
	default:
		return (j == n / 2 ? 1 : 0) + 1e-3 * fixture_sample(state);
	}
}

static struct reference reference_new(size_t n, enum signal signal)
{
	struct reference r = {n, fftwl_malloc(n * sizeof(fftwl_complex)), fftwl_malloc(n * sizeof(fftwl_complex))};
	fftwl_plan plan = fftwl_plan_dft_1d((int)n, r.x, r.y, FFTW_FORWARD, FFTW_ESTIMATE);
	uint64_t state = fixture_seed + n;

	for (size_t i = 0; i < n; i++) {
		r.x[i][0] = (float)sample(signal, i, n, &state);
		r.x[i][1] = (float)sample(signal, i, n, &state);
	}
	fftwl_execute(plan);
	fftwl_destroy_plan(plan);
	return r;
}

static void reference_free(struct reference *r)
{
	fftwl_free(r->x);
	fftwl_free(r->y);
}

/* Relative L2 distance of got from the spectrum; the inverse's is the spectrum mirrored. */
static double distance(const struct reference *r, enum fft_precision precision, const void *got, bool inverse,
		       double scale)
{
	long double error = 0, norm = 0;

	for (size_t k = 0; k < r->n; k++)
		for (unsigned part = 0; part < 2; part++) {
			const long double want = scale * r->y[inverse ? (r->n - k) % r->n : k][part];
			const long double d = real_get(precision, got, 2 * k + part) - want;

			error += d * d;
			norm += want * want;
		}
	return (double)sqrtl(error / norm);
}

static double allowed(size_t n, enum fft_precision precision)
{
	const bool power = (n & (n - 1)) == 0;

	if (precision == FFT_F32)
		return power ? 3e-7 : 1e-6;
	return power ? 1e-15 : 5e-15;
}

static double worst[2][2];

static void check_direction(const struct reference *r, const char *name, uint32_t features,
			    enum fft_precision precision, bool inverse)
{
	const size_t size = r->n * 2 * real_bytes(precision);
	const double scale = inverse ? 1.0 / (double)r->n : 1;
	struct fft_plan *plan = plan_new(r->n, precision, features);
	void *x = guarded_new(size), *y = guarded_new(size);
	struct fft_call call = {x, y, 1, r->n, 1, r->n, 1, inverse, scale, NULL, FFT_REUSE_NONE, 0, 0, false};
	double d;

	for (size_t i = 0; i < 2 * r->n; i++)
		real_put(precision, x, i, (double)r->x[i / 2][i % 2]);
	run_guarded(plan, &call);
	d = distance(r, precision, y, inverse, scale);
	if (!(d <= allowed(r->n, precision)))
		fail_msg("%s f%u n=%zu %s: relative error: expected at most %g, got %g (seed %#llx + n)", name,
			 precision == FFT_F32 ? 32 : 64, r->n, inverse ? "inverse" : "forward",
			 allowed(r->n, precision), d, (unsigned long long)fixture_seed);
	assert_true(d <= fft_error_bound(r->n, precision));
	worst[precision][(r->n & (r->n - 1)) != 0] = fmax(worst[precision][(r->n & (r->n - 1)) != 0], d);
	guarded_free(x, size, "input");
	guarded_free(y, size, "output");
	fft_plan_free(plan);
}

static struct reference current;

static void check_current(const char *name, uint32_t features, enum fft_precision precision)
{
	check_direction(&current, name, features, precision, false);
	if (current.n <= 1024 || is_full())
		check_direction(&current, name, features, precision, true);
}

static void check_length(size_t n, enum signal signal)
{
	current = reference_new(n, signal);
	each_variant(check_current);
	reference_free(&current);
}

static void print_worst(const char *what)
{
	printf("# %s: worst relative error f32 2^a %.2e others %.2e, f64 2^a %.2e others %.2e\n", what, worst[0][0],
	       worst[0][1], worst[1][0], worst[1][1]);
	memset(worst, 0, sizeof worst);
}

/* Each length; where a sanitizer slows all down twentyfold, of the longer ones some. */
static void check_short(void **state)
{
	(void)state;
	for (size_t n = 1; n <= (is_full() ? 2048 : 1024); n += SANITIZED && n >= 256 ? 7 : 1)
		check_length(n, RANDOM);
	print_worst("short");
}

/* Every number of stages, both kinds of first-stage tables, and Bluestein on each. */
static void check_long(void **state)
{
	static const size_t lengths[] = {4096,
					 8191,
					 10007,
					 14641,
					 16384,
					 19321,
					 28561,
					 30030,
					 65536,
					 65537,
					 78125,
					 117649,
					 1 << 17,
					 3 * 5 * 7 * 11 * 13 * 64,
					 524309,
					 1 << 20,
					 (1 << 21) + (1 << 20)};

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (is_full() ? 0 : 1); i++)
		if (is_full() || lengths[i] < 100000 || lengths[i] == 1 << 20)
			check_length(lengths[i], RANDOM);
	print_worst("long");
}

/* Beside powers of two, and squares of primes: the long ones of these when all is asked for. */
static void check_beyond(void **state)
{
	static const size_t squares[] = {289, 961, 2209, 2809, 3481, 10201, 16129, 27889, 36481, 63001, 128881};
	const unsigned most = is_full() ? 18 : 12;

	(void)state;
	for (unsigned a = 11; a <= most; a++) {
		check_length(((size_t)1 << a) - 1, RANDOM);
		check_length(((size_t)1 << a) + 1, RANDOM);
	}
	for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
		if (is_full() || squares[i] < 4000)
			check_length(squares[i], RANDOM);
	print_worst("beyond");
}

static void check_signals(void **state)
{
	static const size_t lengths[] = {16, 60, 100, 127, 256, 997, 1000, 1024, 4096, 8191, 16384, 65537};

	(void)state;
	for (enum signal signal = CONSTANT; signal < N_SIGNALS; signal++)
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
			if (!SANITIZED || lengths[i] <= 4096)
				check_length(lengths[i], signal);
	print_worst("signals");
}

static void check_impulse_of(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t lengths[] = {1, 2, 3, 8, 60, 256, 1000, 17, 251};

	(void)name;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const size_t n = lengths[i], size = n * 2 * real_bytes(precision);
		struct fft_plan *plan = plan_new(n, precision, features);
		void *x = guarded_new(size), *y = guarded_new(size);
		struct fft_call call = {x, y, 1, n, 1, n, 1, false, 2.5, NULL, FFT_REUSE_NONE, 0, 0, false};

		memset(x, 0, size);
		real_put(precision, x, 0, 1);
		run_guarded(plan, &call);
		for (size_t k = 0; k < n; k++) {
			assert_true(fabs(real_get(precision, y, 2 * k) - 2.5) <= 2.5 * fft_error_bound(n, precision));
			assert_true(fabs(real_get(precision, y, 2 * k + 1)) <= 2.5 * fft_error_bound(n, precision));
		}
		guarded_free(x, size, "input");
		guarded_free(y, size, "output");
		fft_plan_free(plan);
	}
}

static void check_impulse(void **state)
{
	(void)state;
	each_variant(check_impulse_of);
}

static void check_refusals(void **state)
{
	struct fft_plan *plan = (struct fft_plan *)state;

	assert_int_equal(fft_plan_create(0, FFT_F32, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_int_equal(fft_plan_create(FFT_MAX_LENGTH + 1, FFT_F64, 0, &plan), -ERROR_OUT_OF_RANGE);
	assert_ptr_equal(plan, state);
	fft_plan_free(NULL);
	/* The longest can be begun, and dropped at any time. */
	assert_int_equal(fft_plan_create(FFT_MAX_LENGTH, FFT_F32, 0, &plan), 0);
	assert_int_equal(fft_plan_step(plan), 1);
	fft_plan_free(plan);
	assert_int_equal(fft_plan_create(1009, FFT_F32, 0, &plan), 0);
	for (int i = 0; i < 12; i++)
		fft_plan_step(plan);
	fft_plan_free(plan);
}

/* Lengths whose convolutions have one length, so plans of them share its plan. */
enum { SHARING = 3, SHARED_LONGEST = 1019, SHARED_THREADS = 4, SHARED_ROUNDS = 50 };
static const size_t sharing[SHARING] = {1009, 1013, SHARED_LONGEST};

struct shared_run {
	float x[2 * SHARED_LONGEST], y[SHARING][2 * SHARED_LONGEST];
};

/* Builds the plans one by one, and each frees the one before. Returns NULL if memory is missing. */
static void *run_sharing(void *argument)
{
	struct shared_run *run = argument;
	struct fft_plan *plan = NULL, *before;

	for (unsigned i = 0; i < SHARING; i++) {
		const size_t n = sharing[i];
		struct fft_call call = {run->x, run->y[i], 1, n, 1, n, 1, false, 1, NULL, FFT_REUSE_NONE, 0, false, false};
		void *scratch;

		before = plan;
		plan = NULL;
		if (fft_plan_create(n, FFT_F32, cpu_detect(), &plan) == 0)
			while (fft_plan_step(plan) > 0)
				;
		fft_plan_free(before);
		scratch = plan ? aligned_alloc(64, fft_scratch_bytes(plan)) : NULL;
		if (!scratch) {
			fft_plan_free(plan);
			return NULL;
		}
		fft_run(plan, &call, scratch);
		free(scratch);
	}
	fft_plan_free(plan);
	return run;
}

/* Threads build and free plans that share one, all at once: each result is that of one thread alone. */
static void check_shared(void **state)
{
	static struct shared_run alone, runs[SHARED_THREADS];
	uint64_t random = fixture_seed;

	(void)state;
	real_fill(FFT_F32, alone.x, 2 * SHARED_LONGEST, &random);
	assert_non_null(run_sharing(&alone));
	for (unsigned round = 0; round < SHARED_ROUNDS; round++) {
		pthread_t threads[SHARED_THREADS];

		for (unsigned i = 0; i < SHARED_THREADS; i++) {
			memset(runs[i].y, 0, sizeof runs[i].y);
			memcpy(runs[i].x, alone.x, sizeof alone.x);
			assert_int_equal(pthread_create(&threads[i], NULL, run_sharing, &runs[i]), 0);
		}
		for (unsigned i = 0; i < SHARED_THREADS; i++) {
			void *done;

			pthread_join(threads[i], &done);
			assert_non_null(done);
			assert_memory_equal(&runs[i], &alone, sizeof alone);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_refusals), cmocka_unit_test(check_impulse), cmocka_unit_test(check_signals),
		cmocka_unit_test(check_short),    cmocka_unit_test(check_long),
		cmocka_unit_test(check_beyond),   cmocka_unit_test(check_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
