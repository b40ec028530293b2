/* SPDX-License-Identifier: Apache-2.0 */
/* How long the longest chunk and the longest step of a plan take, in every variant. Printed always, and held to a
 * sanity bound of 1 ms with TRNSCI_FULL=1. Of CPU time: the machine may be busy. */
#include <time.h>

#include "fft/plan/real.h"
#include "fixture.h"

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

struct longest {
	double us;
	size_t n, phase;
};

static void note(struct longest *longest, double us, size_t n, size_t phase)
{
	if (us > longest->us)
		*longest = (struct longest){us, n, phase};
}

/* The best of three: an interrupted chunk is not a long one. */
static double unit_us(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
		      void *scratch)
{
	double best = 1e9;

	for (unsigned i = 0; i < 3; i++) {
		const double begin = now_us();

		fft_run_chunk(plan, call, phase, chunk, scratch);
		if (now_us() - begin < best)
			best = now_us() - begin;
	}
	return best;
}

static void measure_units(const struct fft_plan *plan, enum fft_precision precision, size_t n, struct longest *longest)
{
	const size_t batch = 1 + (size_t)100000 / n, size = batch * (n + 2) * 2 * real_bytes(precision);
	void *x = guarded_new(size), *y = guarded_new(size), *scratch = guarded_new(fft_scratch_bytes(plan));
	void *work = guarded_new(fft_work_bytes(plan, batch));
	struct fft_call call = {x, y, 1, n, 1, n, batch, false, 1, work, FFT_REUSE_NONE, 0, 0, false};

	memset(x, 0, size);
	for (size_t phase = 0; phase < fft_phases(plan); phase++) {
		const size_t chunks = fft_chunks(plan, phase, batch);

		for (size_t chunk = 0; chunk < chunks; chunk += 1 + chunks / 8)
			note(longest, unit_us(plan, &call, phase, chunk, scratch), n, phase);
	}
	guarded_free(x, size, "input");
	guarded_free(y, size, "output");
	guarded_free(scratch, fft_scratch_bytes(plan), "scratch");
	guarded_free(work, fft_work_bytes(plan, batch), "work");
}

typedef int plan_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

/* Each step's best of three makings. */
static struct fft_plan *measure_plan(plan_create *create, size_t n, enum fft_precision precision, uint32_t features,
				     struct longest *longest)
{
	enum { MAX_STEPS = 1 << 16 };
	double *best = malloc(MAX_STEPS * sizeof *best);
	struct fft_plan *plan = NULL;
	size_t steps = 0;

	assert_non_null(best);
	for (unsigned round = 0; round < 3; round++) {
		int rc = 1;

		fft_plan_free(plan);
		assert_int_equal(create(n, precision, features, &plan), 0);
		for (steps = 0; rc > 0; steps++) {
			const double begin = now_us();

			assert_true(steps < MAX_STEPS);
			rc = fft_plan_step(plan);
			if (round == 0 || now_us() - begin < best[steps])
				best[steps] = now_us() - begin;
		}
		assert_int_equal(rc, 0);
	}
	for (size_t i = 0; i < steps; i++)
		note(longest, best[i], n, i);
	free(best);
	return plan;
}

static void check_times(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t lengths[] = {16,   100,   256,   997,   1000,  1024,    2187,   4096,
					 8191, 16384, 32768, 65536, 65537, 1 << 18, 1 << 20};
	struct longest chunk = {0, 0, 0}, step = {0, 0, 0};

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (is_full() ? 0 : 2); i++)
		for (int real = 0; real < 2; real++) {
			struct fft_plan *plan = measure_plan(real ? fft_plan_create_real : fft_plan_create, lengths[i],
							     precision, features, &step);

			measure_units(plan, precision, lengths[i], &chunk);
			fft_plan_free(plan);
		}
	printf("# %s f%zu: longest chunk %.0f us (n=%zu, phase %zu), longest step of a plan %.0f us (n=%zu, step %zu)\n",
	       name, 8 * real_bytes(precision), chunk.us, chunk.n, chunk.phase, step.us, step.n, step.phase);
	if (is_full())
		assert_true(chunk.us < 1000 && step.us < 1000);
}

static void check_chunks(void **state)
{
	(void)state;
	each_variant(check_times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_chunks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
