/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds a coordinate of quasi-random points in 16 dimensions, one thread, beside scipy.stats.qmc in the same run:
 * medians over rounds, 4096 points of float64 into second-level cache (512 KiB), and 2^21 points into 256 MiB. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fpenv.h"
#include "bench/timing.h"
#include "dist/quasi/points.h"

enum { ROUNDS = 9, DIMS = 16, FEW_POINTS = 4096, MANY_POINTS = 1 << 21 };

static const struct contender {
	const char *name;
	enum points_kind kind;
	enum points_scramble scramble;
	uint32_t bits;
	const char *peer; /* scipy's, by its name in peer_scipy.py */
} contenders[] = {
	{"sobol, 53 bits", POINTS_SOBOL, SCRAMBLE_PLAIN, 53, "sobol"},
	{"sobol, 32 bits", POINTS_SOBOL, SCRAMBLE_PLAIN, 32, "sobol"},
	{"sobol, shift", POINTS_SOBOL, SCRAMBLE_SHIFT, 53, "sobol_scrambled"},
	{"sobol, owen", POINTS_SOBOL, SCRAMBLE_OWEN, 53, "sobol_scrambled"},
	{"halton", POINTS_HALTON, SCRAMBLE_PLAIN, 53, "halton"},
	{"halton, permutation", POINTS_HALTON, SCRAMBLE_PERMUTATION, 53, "halton_scrambled"},
	{"halton, owen", POINTS_HALTON, SCRAMBLE_OWEN, 53, "halton_scrambled"},
	{"lattice", POINTS_LATTICE, SCRAMBLE_PLAIN, 53, ""},
	{"lhs, jitter", POINTS_LHS, SCRAMBLE_JITTER, 53, "lhs"},
};

enum { COUNT = sizeof contenders / sizeof *contenders };

/* What is timed: FEW points and the tables for them, FEW points from tables that are there, MANY points. */
enum way { FRESH, MORE, MANY, WAYS };

static void measure(const struct contender *c, double *out, double ret_ns[WAYS])
{
	static const size_t sizes[WAYS] = {FEW_POINTS, FEW_POINTS, MANY_POINTS};
	static const size_t rounds[WAYS] = {ROUNDS, ROUNDS, 3};

	for (int way = 0; way < WAYS; way++) {
		const size_t n = sizes[way];
		const struct points_settings settings = {
			c->kind, DTYPE_F64, DIMS, c->bits, c->kind == POINTS_LHS ? n : 0, c->scramble, {.seed = 1}, LHS_PERMUTATION};
		double seconds[ROUNDS];
		struct points *points;

		for (size_t round = 0; round < rounds[way]; round++) {
			double begin = now();

			if (points_create(&settings, cpu_detect(), &points))
				abort();
			if (way != FRESH) {
				points_fill(points, 0, FEW_POINTS * DIMS, out);
				begin = now();
			}
			points_fill(points, 0, n * DIMS, out);
			seconds[round] = now() - begin;
			points_free(points);
		}
		ret_ns[way] = 1e9 * median_of(seconds, rounds[way]) / (double)(n * DIMS);
	}
}

/* scipy's figures by its own process. */
static void ask_scipy(double ret_ns[COUNT][WAYS])
{
	FILE *pipe = popen("/usr/bin/python3 tests/bench/peer_scipy.py 2>/dev/null", "r");
	char name[64];
	double ns[WAYS];

	for (size_t i = 0; i < COUNT; i++)
		ret_ns[i][FRESH] = ret_ns[i][MORE] = ret_ns[i][MANY] = NAN;
	while (pipe && fscanf(pipe, "%63s %lf %lf %lf", name, &ns[FRESH], &ns[MORE], &ns[MANY]) == 4)
		for (size_t i = 0; i < COUNT; i++)
			if (strcmp(contenders[i].peer, name) == 0)
				memcpy(ret_ns[i], ns, sizeof ns);
	if (pipe)
		pclose(pipe);
}

static void print_row(const struct contender *c, const double own[WAYS], const double peer[WAYS])
{
	printf("%-20s", c->name);
	for (int way = 0; way < WAYS; way++)
		if (isnan(peer[way]))
			printf("  %8.3f       -       -", own[way]);
		else
			printf("  %8.3f %7.2f %6.1fx", own[way], peer[way], peer[way] / own[way]);
	printf("\n");
}

int main(void)
{
	double scipy[COUNT][WAYS], *out = aligned_alloc(4096, (size_t)MANY_POINTS * DIMS * sizeof *out);

	if (!out)
		return 1;
	memset(out, 1, (size_t)MANY_POINTS * DIMS * sizeof *out);
	fpenv_enter();
	ask_scipy(scipy);
	printf("ns a coordinate, one thread, %d dimensions, float64, beside scipy's and their ratio (goal for sobol: "
	       "10)\n",
	       DIMS);
	printf("%-20s  %-24s  %-24s  %-24s\n", "", "4096 points with tables", "4096 points more", "256 MiB");
	for (size_t i = 0; i < COUNT; i++) {
		double own[WAYS];

		measure(&contenders[i], out, own);
		print_row(&contenders[i], own, scipy[i]);
	}
	free(out);
	return 0;
}
