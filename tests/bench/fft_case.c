/* SPDX-License-Identifier: Apache-2.0 */
/* FFTW's ways: one plan for the batch, a loop over a plan for one, and that loop on copies staged through the cache. */
#include "fft_case.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

static void run_many(void *arg)
{
	const struct fftw_way *way = arg;

	if (way->wide)
		fftw_execute(way->plan);
	else
		fftwf_execute(way->plan);
}

static void run_one(const struct fftw_way *way, void *x, void *y)
{
	if (way->wide && way->real)
		fftw_execute_dft_r2c(way->plan, x, y);
	else if (way->wide)
		fftw_execute_dft(way->plan, x, y);
	else if (way->real)
		fftwf_execute_dft_r2c(way->plan, x, y);
	else
		fftwf_execute_dft(way->plan, x, y);
}

static void run_loop(void *arg)
{
	const struct fftw_way *way = arg;

	for (size_t b = 0; b < way->batch; b++)
		run_one(way, (char *)way->x + b * way->x_bytes, (char *)way->y + b * way->y_bytes);
}

static void run_staged(void *arg)
{
	const struct fftw_way *way = arg;
	char *out = (char *)way->staged + way->x_bytes;

	for (size_t b = 0; b < way->batch; b++) {
		memcpy(way->staged, (char *)way->x + b * way->x_bytes, way->x_bytes);
		run_one(way, way->staged, out);
		memcpy((char *)way->y + b * way->y_bytes, out, way->y_bytes);
	}
}

/* Plans of float and of double; batch transforms from x to y. */
#define PLANS(prefix, name)                                                                                            \
	static void *name##_many(const struct fft_case *c, size_t batch, void *x, void *y, unsigned effort)            \
	{                                                                                                              \
		const int n[3] = {(int)c->n, (int)c->n, (int)c->n};                                                    \
		const int rank = c->kind == FFT_2D ? 2 : c->kind == FFT_3D ? 3 : 1;                                    \
		int points = 1;                                                                                        \
                                                                                                                       \
		for (int i = 0; i < rank; i++)                                                                         \
			points *= n[i];                                                                                \
		if (c->kind == FFT_R2C)                                                                                \
			return prefix##_plan_many_dft_r2c(rank, n, (int)batch, x, NULL, 1, points, y, NULL, 1,         \
							  points / 2 + 1, effort);                                     \
		return prefix##_plan_many_dft(rank, n, (int)batch, x, NULL, 1, points, y, NULL, 1, points,             \
					      FFTW_FORWARD, effort);                                                   \
	}
PLANS(fftwf, narrow)
PLANS(fftw, wide)

static void *plan(const struct fft_case *c, size_t batch, void *x, void *y, unsigned effort)
{
	return c->wide ? wide_many(c, batch, x, y, effort) : narrow_many(c, batch, x, y, effort);
}

size_t fftw_ways_new(const struct fft_case *c, unsigned effort, unsigned effort_single, struct fftw_way *ret_ways)
{
	const size_t pair = c->wide ? 16 : 8, points = c->kind == FFT_2D   ? c->n * c->n
						       : c->kind == FFT_3D ? c->n * c->n * c->n
									   : c->n;
	struct fftw_way way = {.name = "many",
			       .run = run_many,
			       .x = c->x,
			       .y = c->y,
			       .x_bytes = points * (c->kind == FFT_R2C ? pair / 2 : pair),
			       .y_bytes = (c->kind == FFT_R2C ? points / 2 + 1 : points) * pair,
			       .batch = c->batch,
			       .wide = c->wide,
			       .real = c->kind == FFT_R2C};

	way.plan = plan(c, c->batch, c->x, c->y, effort);
	ret_ways[0] = way;
	if (c->batch == 1)
		return 1;
	/* Rows of any alignment, where a row is not a multiple of the vectors'. */
	way.name = "loop";
	way.run = run_loop;
	way.plan = plan(c, 1, c->x, c->y, effort_single | (way.y_bytes % 64 || way.x_bytes % 64 ? FFTW_UNALIGNED : 0));
	ret_ways[1] = way;
	way.name = "staged";
	way.run = run_staged;
	way.staged = aligned_alloc(64, (way.x_bytes + way.y_bytes + 127) & ~(size_t)63);
	memset(way.staged, 0, way.x_bytes + way.y_bytes);
	way.plan = plan(c, 1, way.staged, (char *)way.staged + way.x_bytes,
			effort_single | (way.x_bytes % 64 ? FFTW_UNALIGNED : 0));
	ret_ways[2] = way;
	return FFTW_WAYS;
}

void fftw_ways_free(struct fftw_way *ways, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ways[i].wide)
			fftw_destroy_plan(ways[i].plan);
		else
			fftwf_destroy_plan(ways[i].plan);
		free(ways[i].staged);
	}
}
