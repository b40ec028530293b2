/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds a sample of the distributions, one thread, beside Random123 with libmvec, numpy's Generator(SFC64) and
 * GSL in the same run: medians over rounds, 65536 samples into second-level cache. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "base/cpu.h"
#include "base/fpenv.h"
#include "bench/peer_distributions.h"
#include "bench/timing.h"
#include "dist/draw/draw_fill.h"
#include "dist/draw/draw_prepare.h"

enum { ROUNDS = 9, N = 65536 };

static uint64_t out[N];
static gsl_rng *gsl;

/* One sample by GSL. */
typedef double gsl_distribution(void);

static double gsl_uniform(void)
{
	return gsl_rng_uniform(gsl);
}

static double gsl_normal(void)
{
	return gsl_ran_gaussian_ziggurat(gsl, 1);
}

static double gsl_exponential(void)
{
	return gsl_ran_exponential(gsl, 1);
}

static double gsl_lognormal(void)
{
	return gsl_ran_lognormal(gsl, 0, 1);
}

static double gsl_laplace(void)
{
	return gsl_ran_laplace(gsl, 1);
}

static double gsl_randint(void)
{
	return (double)gsl_rng_uniform_int(gsl, 1005);
}

static double gsl_bernoulli(void)
{
	return gsl_ran_bernoulli(gsl, 0.3);
}

static double gsl_gamma(void)
{
	return gsl_ran_gamma(gsl, 2.5, 1);
}

static double gsl_gamma_small(void)
{
	return gsl_ran_gamma(gsl, 0.3, 1);
}

static double gsl_beta(void)
{
	return gsl_ran_beta(gsl, 2, 3);
}

static double gsl_beta_small(void)
{
	return gsl_ran_beta(gsl, 0.3, 0.6);
}

static double gsl_poisson_3(void)
{
	return gsl_ran_poisson(gsl, 3);
}

static double gsl_poisson_100(void)
{
	return gsl_ran_poisson(gsl, 100);
}

static double gsl_poisson_1e6(void)
{
	return gsl_ran_poisson(gsl, 1e6);
}

static double gsl_binomial_20(void)
{
	return gsl_ran_binomial(gsl, 0.4, 20);
}

static double gsl_binomial_1e6(void)
{
	return gsl_ran_binomial(gsl, 0.4, 1000000);
}

static double gsl_gumbel(void)
{
	return gsl_ran_gumbel1(gsl, 1, 1);
}

static double gsl_weibull(void)
{
	return gsl_ran_weibull(gsl, 1, 2);
}

static double gsl_cauchy(void)
{
	return gsl_ran_cauchy(gsl, 1);
}

static double gsl_student_t(void)
{
	return gsl_ran_tdist(gsl, 5);
}

static double gsl_geometric(void)
{
	return gsl_ran_geometric(gsl, 0.1);
}

static double gsl_truncated(void)
{
	double z;

	do
		z = gsl_ran_ugaussian(gsl);
	while (fabs(z) > 2);
	return z;
}

#define PEER(name) offsetof(struct peer_distributions, name)

static const struct contender {
	const char *name;
	enum distribution distribution;
	enum dtype dtype;
	union dist_value parameters[DIST_PARAMETERS];
	gsl_distribution *gsl;
	size_t peer; /* in struct peer_distributions; -1: none */
	double goal; /* times as fast as numpy (and 1.3 times the peer); 0: none */
} contenders[] = {
	{"uniform f32", DIST_UNIFORM, DTYPE_F32, {{0}, {1}}, gsl_uniform, (size_t)-1, 0},
	{"uniform f64", DIST_UNIFORM, DTYPE_F64, {{0}, {1}}, gsl_uniform, (size_t)-1, 0},
	{"normal f32", DIST_NORMAL, DTYPE_F32, {{0}, {1}}, gsl_normal, (size_t)-1, 10},
	{"normal f64", DIST_NORMAL, DTYPE_F64, {{0}, {1}}, gsl_normal, (size_t)-1, 0},
	{"exponential f32", DIST_EXPONENTIAL, DTYPE_F32, {{1}}, gsl_exponential, PEER(exponential), 5},
	{"exponential f64", DIST_EXPONENTIAL, DTYPE_F64, {{1}}, gsl_exponential, (size_t)-1, 0},
	{"lognormal f32", DIST_LOGNORMAL, DTYPE_F32, {{0}, {1}}, gsl_lognormal, PEER(lognormal), 5},
	{"laplace f32", DIST_LAPLACE, DTYPE_F32, {{0}, {1}}, gsl_laplace, PEER(laplace), 5},
	{"bernoulli i8", DIST_BERNOULLI, DTYPE_I8, {{0.3}}, gsl_bernoulli, PEER(bernoulli), 5},
	{"randint i32", DIST_RANDINT, DTYPE_I32, {{.integer = -5}, {.integer = 1000}}, gsl_randint, PEER(randint), 5},
	{"randint i64", DIST_RANDINT, DTYPE_I64, {{.integer = -5}, {.integer = 1000}}, gsl_randint, (size_t)-1, 0},
	{"gamma f32", DIST_GAMMA, DTYPE_F32, {{2.5}, {1}}, gsl_gamma, (size_t)-1, 4},
	{"gamma f64", DIST_GAMMA, DTYPE_F64, {{2.5}, {1}}, gsl_gamma, (size_t)-1, 4},
	{"gamma<1 f32", DIST_GAMMA, DTYPE_F32, {{0.3}, {1}}, gsl_gamma_small, (size_t)-1, 4},
	{"gamma<1 f64", DIST_GAMMA, DTYPE_F64, {{0.3}, {1}}, gsl_gamma_small, (size_t)-1, 4},
	{"beta f32", DIST_BETA, DTYPE_F32, {{2}, {3}}, gsl_beta, (size_t)-1, 4},
	{"beta f64", DIST_BETA, DTYPE_F64, {{2}, {3}}, gsl_beta, (size_t)-1, 4},
	{"beta<1 f64", DIST_BETA, DTYPE_F64, {{0.3}, {0.6}}, gsl_beta_small, (size_t)-1, 4},
	{"poisson 3 i64", DIST_POISSON, DTYPE_I64, {{3}}, gsl_poisson_3, (size_t)-1, 4},
	{"poisson 100 i64", DIST_POISSON, DTYPE_I64, {{100}}, gsl_poisson_100, (size_t)-1, 4},
	{"poisson 1e6 i64", DIST_POISSON, DTYPE_I64, {{1e6}}, gsl_poisson_1e6, (size_t)-1, 4},
	{"binomial 20 i64", DIST_BINOMIAL, DTYPE_I64, {{.natural = 20}, {0.4}}, gsl_binomial_20, (size_t)-1, 4},
	{"binomial 1e6 i64", DIST_BINOMIAL, DTYPE_I64, {{.natural = 1000000}, {0.4}}, gsl_binomial_1e6, (size_t)-1, 4},
	{"truncated f32", DIST_TRUNCATED_NORMAL, DTYPE_F32, {{0}, {1}, {-2}, {2}}, gsl_truncated, (size_t)-1, 4},
	{"truncated f64", DIST_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {-2}, {2}}, gsl_truncated, (size_t)-1, 4},
	{"gumbel f32", DIST_GUMBEL, DTYPE_F32, {{0}, {1}}, gsl_gumbel, (size_t)-1, 0},
	{"weibull f32", DIST_WEIBULL, DTYPE_F32, {{2}, {1}}, gsl_weibull, (size_t)-1, 0},
	{"cauchy f32", DIST_CAUCHY, DTYPE_F32, {{0}, {1}}, gsl_cauchy, (size_t)-1, 0},
	{"student_t f32", DIST_STUDENT_T, DTYPE_F32, {{5}}, gsl_student_t, (size_t)-1, 0},
	{"geometric i64", DIST_GEOMETRIC, DTYPE_I64, {{0.1}}, gsl_geometric, (size_t)-1, 0},
	{"permutation i64", DIST_PERMUTATION, DTYPE_I64, {{.natural = N}}, NULL, (size_t)-1, 0},
	{"categorical i64", DIST_CATEGORICAL, DTYPE_I64, {{0}}, NULL, (size_t)-1, 0},
	{"dirichlet f64", DIST_DIRICHLET, DTYPE_F64, {{0}}, NULL, (size_t)-1, 0},
	{"sphere f32", DIST_SPHERE, DTYPE_F32, {{.natural = 3}}, NULL, (size_t)-1, 0},
	{"rademacher i8", DIST_RADEMACHER, DTYPE_I8, {{0}}, NULL, (size_t)-1, 0},
	{"uniform bf16", DIST_UNIFORM, DTYPE_BF16, {{0}, {1}}, NULL, (size_t)-1, 0},
	{"normal f16", DIST_NORMAL, DTYPE_F16, {{0}, {1}}, NULL, (size_t)-1, 0},
	{"boxmuller64 f32", DIST_NORMAL, DTYPE_F32, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}, NULL, (size_t)-1, 0},
};

enum { COUNT = sizeof contenders / sizeof *contenders, WAYS = 6 };

/* The w-th way to make N samples: ours, four peers over Random123, GSL. False when there is none. */
static bool run(const struct contender *c, const struct draw_kernels *kernels, const struct draw *draw, int w)
{
	const struct peer_distributions *const peers[] = {
		NULL,
		&peer_distributions_gcc,
		&peer_distributions_clang,
		&peer_distributions_gcc512,
		&peer_distributions_clang512,
	};

	if (w == 0) {
		draw_fill(kernels, draw, 0, N, out);
	} else if (w < WAYS - 1) {
		if (!peers[w] || c->peer == (size_t)-1)
			return false;
		void (*distribution)(void *at, size_t n);

		memcpy(&distribution, (const char *)peers[w] + c->peer, sizeof distribution);
		distribution(out, N);
	} else {
		if (!c->gsl)
			return false;
		for (size_t i = 0; i < N; i++)
			((double *)out)[i] = c->gsl();
	}
	return true;
}

/* Nanoseconds a sample of each way, NAN where there is none. */
static void race(const struct contender *c, double ret_ns[WAYS])
{
	static const double weights[] = {0.3, 0, 0.1, 0.05, 0.25, 0.2, 0.05, 0.05}, alphas[] = {1, 2, 3, 4};
	const bool shares = c->distribution == DIST_DIRICHLET;
	double seconds[WAYS][ROUNDS];
	struct draw draw = {.distribution = c->distribution, .dtype = c->dtype};
	struct draw_kernels kernels;
	struct dist_fault fault;
	void *table;

	memcpy(draw.parameters, c->parameters, sizeof draw.parameters);
	if (draw_prepare(&draw, shares ? alphas : weights, shares ? 4 : 8, &table, &fault))
		abort();
	draw_select(cpu_detect(), &kernels);
	for (int round = 0; round < ROUNDS; round++)
		for (int w = 0; w < WAYS; w++) {
			run(c, &kernels, &draw, w);
			const double begin = now();

			seconds[w][round] = run(c, &kernels, &draw, w) ? now() - begin : NAN;
		}
	for (int w = 0; w < WAYS; w++) {
		ret_ns[w] = 1e9 * median_of(seconds[w], ROUNDS) / N;
	}
	free(table);
}

/* numpy's figures by its own process. */
static void ask_numpy(double ret_ns[COUNT])
{
	FILE *pipe = popen("/usr/bin/python3 tests/bench/peer_numpy.py 2>/dev/null", "r");
	char name[64];
	double ns;

	for (size_t i = 0; i < COUNT; i++)
		ret_ns[i] = NAN;
	while (pipe && fscanf(pipe, "%63s %lf", name, &ns) == 2) {
		for (char *at = name; *at; at++)
			*at = *at == '_' && strncmp(at, "_t_", 3) != 0 ? ' ' : *at;
		for (size_t i = 0; i < COUNT; i++)
			if (strcmp(contenders[i].name, name) == 0)
				ret_ns[i] = ns;
	}
	if (pipe)
		pclose(pipe);
}

static double lesser(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

static void print_peer(double ns, double own)
{
	if (isnan(ns))
		printf("                 -");
	else
		printf("  %7.2f %6.2fx ", ns, ns / own);
}

/* What is asked of the row and whether it is met: the peers at -march=native, and numpy. */
static void print_goal(const struct contender *c, const double ns[WAYS], double numpy)
{
	const double peer = lesser(ns[1], ns[2]) / ns[0];

	if (c->goal > 0 && !isnan(peer))
		printf("  1.3x %s,", peer >= 1.3 ? "met" : "MISSED");
	if (c->goal > 0)
		printf(" %2.0fx %s", c->goal, numpy / ns[0] >= c->goal ? "met" : "MISSED");
	printf("\n");
}

int main(void)
{
	double numpy[COUNT];

	gsl = gsl_rng_alloc(gsl_rng_taus2);
	memset(out, 1, sizeof out);
	fpenv_enter();
	ask_numpy(numpy);
	printf("ns a sample, one thread, %d samples; beside each peer how many times as long it takes\n", N);
	printf("%-18s %7s %17s %17s %17s %17s\n", "", "own", "Random123+libmvec", "at 512 bits", "numpy SFC64",
	       "GSL taus2");
	for (size_t i = 0; i < COUNT; i++) {
		double ns[WAYS];

		race(&contenders[i], ns);
		printf("%-18s %7.2f", contenders[i].name, ns[0]);
		print_peer(lesser(ns[1], ns[2]), ns[0]);
		print_peer(lesser(ns[3], ns[4]), ns[0]);
		print_peer(numpy[i], ns[0]);
		print_peer(ns[WAYS - 1], ns[0]);
		print_goal(&contenders[i], ns, numpy[i]);
	}
	gsl_rng_free(gsl);
	return 0;
}
