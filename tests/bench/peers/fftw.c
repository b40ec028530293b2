/* SPDX-License-Identifier: Apache-2.0 */
/* FFTW, PATIENT within a time limit, one thread: way=one plan for the batch (many), a loop over a plan for one transform
 * (loop), and that loop on copies staged through the cache (staged). Linked with our libraries this is the program `fftw_ours`.
 *
 *   kind=c2c|r2c|2d|3d n= batch= wide=0|1 place=in|out way= limit=SECONDS effort=measure|patient
 *   kind=r2r r2r=KIND ...         real transforms of one of FFTW's kinds
 *   way=plan                      a run makes a plan, the first one at the second run
 *   kind=stft n= hop= samples=    frames windowed into a buffer, as many at once as stay in the cache */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/worker.h"

static struct {
	void *plan, *x, *y, *staged;
	size_t points, batch, x_bytes, y_bytes; /* points and bytes of one transform */
	int rank, n[3];
	fftw_r2r_kind kind; /* of r2r */
	bool wide, real, r2r, in_place, begun;
} w;

static void (*run)(void);

static void run_many(void)
{
	if (w.wide)
		fftw_execute(w.plan);
	else
		fftwf_execute(w.plan);
}

static void run_one(void *x, void *y)
{
	if (w.wide && w.real)
		fftw_execute_dft_r2c(w.plan, x, y);
	else if (w.wide)
		fftw_execute_dft(w.plan, x, y);
	else if (w.real)
		fftwf_execute_dft_r2c(w.plan, x, y);
	else
		fftwf_execute_dft(w.plan, x, y);
}

static void run_loop(void)
{
	for (size_t b = 0; b < w.batch; b++)
		run_one((char *)w.x + b * w.x_bytes, (char *)w.y + b * w.y_bytes);
}

static void run_staged(void)
{
	char *const out = (char *)w.staged + w.x_bytes;

	for (size_t b = 0; b < w.batch; b++) {
		memcpy(w.staged, (char *)w.x + b * w.x_bytes, w.x_bytes);
		run_one(w.staged, out);
		memcpy((char *)w.y + b * w.y_bytes, out, w.y_bytes);
	}
}

/* Plans of float and of double. */
#define PLAN(prefix)                                                                                                   \
	(prefix##_set_timelimit(limit),                                                                                \
	 w.r2r	  ? (void *)prefix##_plan_many_r2r(w.rank, w.n, batch, x, NULL, 1, points, y, NULL, 1, points,         \
						   &w.kind, flags)                                                     \
	 : w.real ? (void *)prefix##_plan_many_dft_r2c(w.rank, w.n, batch, x, NULL, 1, points, y, NULL, 1,             \
						       points / 2 + 1, flags)                                          \
		  : (void *)prefix##_plan_many_dft(w.rank, w.n, batch, x, NULL, 1, points, y, NULL, 1, points,         \
						   FFTW_FORWARD, flags))

static void *plan_of(int batch, void *x, void *y)
{
	const double limit = case_number("limit", 4);
	const int points = (int)w.points;
	/* Single plans meet rows of any alignment where a row is not a multiple of the vectors'. */
	const unsigned flags = (case_is("effort", "measure") ? FFTW_MEASURE : FFTW_PATIENT) |
			       (batch != (int)w.batch && (w.y_bytes % 64 || w.x_bytes % 64) ? FFTW_UNALIGNED : 0);

	return w.wide ? PLAN(fftw) : PLAN(fftwf);
}

static void read_case(void)
{
	const int n = (int)case_number("n", 1);

	w.wide = case_is("wide", "1");
	w.real = case_is("kind", "r2c");
	w.r2r = case_is("kind", "r2r");
	w.kind = (fftw_r2r_kind)case_number("r2r", 0);
	w.in_place = case_is("place", "in");
	w.rank = case_is("kind", "3d") ? 3 : case_is("kind", "2d") ? 2 : 1;
	w.batch = (size_t)case_number("batch", 1);
	w.points = 1;
	for (int i = 0; i < w.rank; i++) {
		w.n[i] = n;
		w.points *= (size_t)n;
	}
	w.x_bytes = w.points * (w.wide ? 16 : 8) / (w.real || w.r2r ? 2 : 1);
	w.y_bytes = w.r2r ? w.x_bytes : (w.real ? w.points / 2 + 1 : w.points) * (w.wide ? 16 : 8);
}

static void destroy_plan(void)
{
	if (w.wide)
		fftw_destroy_plan(w.plan);
	else
		fftwf_destroy_plan(w.plan);
	w.plan = NULL;
}

/* The first run only shows that the worker is ready. */
static void run_plan(void)
{
	if (w.begun && !(w.plan = plan_of((int)w.batch, w.x, w.y)))
		work_fail("a plan of FFTW");
	destroy_plan();
	w.begun = true;
}

/* ---- short-time transforms ---- */

enum { TOGETHER = 64 };

static struct {
	fftwf_plan plan;
	float *x, *window, *buffer;
	fftwf_complex *out;
	size_t n, hop, frames;
} f;

static void run_frames(void)
{
	for (size_t first = 0; first + TOGETHER <= f.frames; first += TOGETHER) {
		for (size_t i = 0; i < TOGETHER; i++)
			for (size_t j = 0; j < f.n; j++)
				f.buffer[i * f.n + j] = f.x[(first + i) * f.hop + j] * f.window[j];
		fftwf_execute_dft_r2c(f.plan, f.buffer, f.out + first * (f.n / 2 + 1));
	}
}

static void open_frames(void)
{
	const size_t samples = (size_t)case_number("samples", 0), n = (size_t)case_number("n", 0);
	const int length = (int)n;

	f.n = n;
	f.hop = (size_t)case_number("hop", 1);
	f.frames = (samples - n) / f.hop + 1;
	f.x = work_memory(samples * sizeof(float));
	f.window = work_memory(n * sizeof(float));
	f.buffer = work_memory(TOGETHER * n * sizeof(float));
	f.out = work_memory((f.frames + TOGETHER) * (n / 2 + 1) * sizeof *f.out);
	f.plan = fftwf_plan_many_dft_r2c(1, &length, TOGETHER, f.buffer, NULL, 1, length, f.out, NULL, 1, length / 2 + 1,
					 FFTW_PATIENT);
	work_noise(f.x, false, samples);
	for (size_t i = 0; i < n; i++)
		f.window[i] = (float)(0.5 - 0.5 * cos(6.283185307179586 * (double)i / (double)n));
	run = run_frames;
}

static void close_frames(void)
{
	fftwf_destroy_plan(f.plan);
	free(f.x);
	free(f.window);
	free(f.buffer);
	free(f.out);
}

/* ---- the worker ---- */

void work_open(void)
{
	if (case_is("kind", "stft")) {
		open_frames();
		return;
	}
	read_case();
	w.x = work_memory(w.batch * w.x_bytes);
	w.y = w.in_place ? w.x : work_memory(w.batch * w.y_bytes);
	run = case_is("way", "plan") ? run_plan : case_is("way", "loop") ? run_loop : case_is("way", "staged") ? run_staged : run_many;
	if (run == run_staged) {
		w.staged = work_memory(w.x_bytes + w.y_bytes);
		w.plan = plan_of(1, w.staged, (char *)w.staged + w.x_bytes);
	} else if (run != run_plan) {
		w.plan = plan_of(run == run_loop ? 1 : (int)w.batch, w.x, w.y);
	}
	if (!w.plan && run != run_plan)
		work_fail("a plan of FFTW");
	work_noise(w.x, w.wide, w.batch * w.x_bytes / (w.wide ? 8 : 4));
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	if (run == run_frames) {
		close_frames();
		return;
	}
	destroy_plan();
	free(w.x);
	free(w.in_place ? NULL : w.y);
	free(w.staged);
	w.staged = NULL;
}
