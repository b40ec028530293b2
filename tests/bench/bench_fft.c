/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds a transform beside FFTW's best plan, in one run, one thread. Arguments: names of variants, lengths;
 * --big adds working sets of 64 MiB. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "fft/fft.h"
#include "fft/kernel.h"

static const size_t default_lengths[] = {16, 64, 100, 256, 360, 997, 1000, 1024, 4096, 16384, 65536, 1 << 20};

enum { ROUNDS = 9, SMALL_BYTES = 512 << 10, BIG_BYTES = 64 << 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One thing to time: run(arg) does `batch` transforms. */
struct contender {
	void (*run)(void *arg);
	void *arg;
	double best;
};

/* The contenders in turn, so that all see the same weather; each keeps its best. */
static void race(struct contender *contenders, size_t count)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++) {
			struct contender *c = &contenders[i];
			double took = 0, begin;
			size_t times = 0;

			c->run(c->arg);
			begin = now();
			do {
				c->run(c->arg);
				took = now() - begin;
				times++;
			} while (took < 4e-3);
			if (round == 0 || took / (double)times < c->best)
				c->best = took / (double)times;
		}
}

struct ours {
	struct fft_plan *plan;
	struct fft_call call;
	void *scratch;
};

static void run_ours(void *arg)
{
	struct ours *ours = arg;

	fft_run(ours->plan, &ours->call, ours->scratch);
}

static struct ours make_ours(size_t n, enum fft_precision precision, uint32_t features, void *x, void *y, size_t batch)
{
	struct ours ours = {.call = {x, y, 1, n, 1, n, batch, false, 1.0, NULL}};
	int rc;

	if (fft_plan_create(n, precision, features, &ours.plan) < 0)
		exit(1);
	while ((rc = fft_plan_step(ours.plan)) > 0)
		;
	if (rc < 0)
		exit(1);
	ours.call.work = aligned_alloc(64, fft_work_bytes(ours.plan, batch) + 64);
	ours.scratch = aligned_alloc(64, (fft_scratch_bytes(ours.plan) + 127) / 64 * 64);
	return ours;
}

static void free_ours(struct ours *ours)
{
	fft_plan_free(ours->plan);
	free(ours->call.work);
	free(ours->scratch);
}

static void run_fftwf(void *arg)
{
	fftwf_execute(arg);
}

static void run_fftw(void *arg)
{
	fftw_execute(arg);
}

struct loop {
	fftwf_plan plan;
	fftwf_complex *x, *y;
	size_t n, batch;
};

/* A loop over a single plan, which FFTW itself does not try. */
static void run_fftwf_loop(void *arg)
{
	struct loop *loop = arg;

	for (size_t b = 0; b < loop->batch; b++)
		fftwf_execute_dft(loop->plan, loop->x + b * loop->n, loop->y + b * loop->n);
}

static void fill(void *x, size_t bytes, enum fft_precision precision)
{
	for (size_t i = 0; i < bytes / (precision == FFT_F32 ? 4 : 8); i++)
		if (precision == FFT_F32)
			((float *)x)[i] = (float)(drand48() - 0.5);
		else
			((double *)x)[i] = drand48() - 0.5;
}

static void print(size_t n, enum fft_precision precision, const char *name, const char *where, double ours, double fftw)
{
	const double flops = 5.0 * (double)n * log2((double)n);

	printf("%-7s %s %8zu %-6s %12.1f ns %6.1f GFlop/s   FFTW %12.1f ns   %5.2fx\n", name,
	       precision == FFT_F32 ? "f32" : "f64", n, where, ours, flops / ours, fftw, fftw / ours);
	fflush(stdout);
}

static void bench(size_t n, enum fft_precision precision, const struct fft_kernel *kernel, size_t bytes)
{
	const size_t pair = precision == FFT_F32 ? 8 : 16, batch = bytes / 2 / (n * pair) ? bytes / 2 / (n * pair) : 1;
	const unsigned effort = bytes > SMALL_BYTES ? FFTW_ESTIMATE : FFTW_MEASURE;
	void *x = aligned_alloc(64, (n * batch * pair + 63) / 64 * 64),
	     *y = aligned_alloc(64, (n * batch * pair + 63) / 64 * 64);
	struct contender c[3] = {{.run = run_ours}};
	struct loop loop = {.x = x, .y = y, .n = n, .batch = batch};
	fftw_plan plan = NULL;
	fftwf_plan planf = NULL;
	const int length = (int)n;
	struct ours ours = make_ours(n, precision, kernel->needs, x, y, batch);

	c[0].arg = &ours;
	if (precision == FFT_F32) {
		planf = fftwf_plan_many_dft(1, &length, (int)batch, x, NULL, 1, length, y, NULL, 1, length,
					    FFTW_FORWARD, effort);
		loop.plan = fftwf_plan_dft_1d(length, x, y, FFTW_FORWARD, FFTW_MEASURE);
		c[1] = (struct contender){run_fftwf, planf, 0};
		c[2] = (struct contender){run_fftwf_loop, &loop, 0};
	} else {
		plan = fftw_plan_many_dft(1, &length, (int)batch, x, NULL, 1, length, y, NULL, 1, length, FFTW_FORWARD,
					  effort);
		c[1] = (struct contender){run_fftw, plan, 0};
	}
	fill(x, n * batch * pair, precision);
	race(c, precision == FFT_F32 ? 3 : 2);
	if (precision == FFT_F32 && c[2].best < c[1].best)
		c[1].best = c[2].best;
	print(n, precision, kernel->name, bytes > SMALL_BYTES ? "64MiB" : "cache", c[0].best * 1e9 / (double)batch,
	      c[1].best * 1e9 / (double)batch);
	free_ours(&ours);
	if (planf) {
		fftwf_destroy_plan(planf);
		fftwf_destroy_plan(loop.plan);
	} else {
		fftw_destroy_plan(plan);
	}
	free(x);
	free(y);
}

static bool is_among(const char *name, char **argv, bool otherwise)
{
	bool any = false;

	for (; *argv; argv++) {
		any |= **argv >= 'a' && **argv <= 'z';
		if (strcmp(*argv, name) == 0)
			return true;
	}
	return !any && otherwise;
}

int main(int argc, char **argv)
{
	size_t lengths[64], n_lengths = 0, n_kernels;
	const struct fft_kernel *kernels = fft_kernels(&n_kernels);
	const bool big = argc > 1 && is_among("--big", argv, false);

	for (int i = 1; i < argc && n_lengths < 64; i++)
		if (strtoul(argv[i], NULL, 10) > 0)
			lengths[n_lengths++] = strtoul(argv[i], NULL, 10);
	if (n_lengths == 0) {
		memcpy(lengths, default_lengths, sizeof default_lengths);
		n_lengths = sizeof default_lengths / sizeof *default_lengths;
	}
	for (size_t k = 0; k < n_kernels; k++) {
		if ((kernels[k].needs & ~cpu_detect()) || !is_among(kernels[k].name, argv + 1, k == 0))
			continue;
		for (int precision = FFT_F32; precision <= FFT_F64; precision++)
			for (size_t i = 0; i < n_lengths; i++) {
				bench(lengths[i], precision, &kernels[k], SMALL_BYTES);
				if (big && lengths[i] >= 16 && lengths[i] <= 65536)
					bench(lengths[i], precision, &kernels[k], BIG_BYTES);
			}
	}
	return 0;
}
