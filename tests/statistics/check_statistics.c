/* SPDX-License-Identifier: Apache-2.0 */
/* Every distribution against itself, at three parameter points or more: moments within four standard errors, and
 * Kolmogorov and Smirnov's test of F(sample), F being somebody else's. A discrete sample is spread evenly over its step
 * of F, which makes the transformed sample exactly uniform. Seeds are fixed: a right generator passes every time.
 * Prints a table; `make statistics` shows the long one. */
#include "statistics/cases_counts.h"
#include "statistics/cases_gamma.h"
#include "statistics/cases_integers.h"
#include "statistics/cases_inversion.h"
#include "statistics/cases_shapes.h"
#include "statistics/cases_vectors.h"
#include "distributions/draw/draw_fill.h"

enum { POINTS = 3, MOST_ELEMENTS = 1 << 23 };

#define FAMILY(cases)                                                                                                  \
	{                                                                                                              \
		cases, sizeof cases / sizeof *cases                                                                    \
	}

static const struct {
	const struct dist_case *cases;
	size_t n;
} families[] = {
	FAMILY(inversion_cases), FAMILY(gamma_cases), FAMILY(counts_cases), FAMILY(integer_cases), FAMILY(vector_cases),
	FAMILY(shape_cases),
};

enum { FAMILIES = sizeof families / sizeof *families };

struct result {
	double mean, variance; /* off by so many standard errors; NAN: not looked at */
	double distance, p_value;
};

static bool is_discrete(const struct dist_case *c)
{
	return (c->dtype != DTYPE_F32 && c->dtype != DTYPE_F64) || c->distribution == DIST_RADEMACHER;
}

/* Elements from one sample that is looked at to the next, and which element of them it is. */
static size_t stride_of(const struct dist_case *c, const struct draw *draw, size_t *ret_which)
{
	*ret_which = 0;
	if (c->distribution == DIST_PERMUTATION && c->parameters[0].natural <= 1000) {
		*ret_which = (size_t)c->parameters[1].natural;
		return (size_t)c->parameters[0].natural;
	}
	if (dist_row(c->distribution)->is_vector)
		*ret_which = (size_t)c->parameters[1].natural;
	return draw_components(draw);
}

static struct draw draw_of(const struct dist_case *c, uint64_t stream, void **ret_table)
{
	if (c->distribution == DIST_CATEGORICAL)
		return case_draw_list(c, stream, weights[c->parameters[0].natural], WEIGHTS, ret_table);
	if (c->distribution == DIST_DIRICHLET)
		return case_draw_list(c, stream, alphas[c->parameters[0].natural], ALPHAS, ret_table);
	if (c->distribution == DIST_MULTINOMIAL)
		return case_draw_list(c, stream, shares, SHARES, ret_table);
	return case_draw(c, stream, ret_table);
}

/* At most `most` samples of the case, packed; *ret_n is how many. */
static void *samples_of(const struct dist_case *c, uint64_t stream, size_t most, size_t *ret_n)
{
	struct draw_kernels kernels;
	void *table;
	const struct draw draw = draw_of(c, stream, &table);
	size_t which;
	const size_t stride = stride_of(c, &draw, &which), size = dtype_size(c->dtype);
	const size_t n = most * stride <= MOST_ELEMENTS ? most : MOST_ELEMENTS / stride;
	char *samples = malloc(n * stride * size);

	assert_non_null(samples);
	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw, 1000003 * stride, n * stride, samples);
	for (size_t i = 0; i < n; i++)
		memmove(samples + i * size, samples + (i * stride + which) * size, size);
	free(table);
	*ret_n = n;
	return samples;
}

/* F of each sample; false, and which, when one is no probability. */
static bool transform(const struct dist_case *c, const void *samples, size_t n, uint64_t seed, double *ret_u,
		      size_t *ret_wrong)
{
	for (size_t i = 0; i < n; i++) {
		const double x = as_real(c->dtype, samples, i), top = c->below(x, c->parameters);
		const double bottom = is_discrete(c) ? c->below(x - 1, c->parameters) : top;

		ret_u[i] = bottom + (top - bottom) * ((double)(next_case(&seed) >> 11) * 0x1p-53);
		if (!(ret_u[i] >= 0 && ret_u[i] <= 1)) {
			*ret_wrong = i;
			return false;
		}
	}
	return true;
}

/* What a distribution's parameters are: real, integer, natural; which is the place of a component or the number of a
 * list. */
static const char *kinds_of(enum distribution distribution)
{
	switch (distribution) {
	case DIST_BITS:
	case DIST_RADEMACHER:
		return "";
	case DIST_RANDINT:
		return "ii";
	case DIST_PERMUTATION:
	case DIST_DIRICHLET:
	case DIST_SPHERE:
	case DIST_MULTINOMIAL:
		return "nn";
	case DIST_HYPERGEOMETRIC:
		return "nnn";
	case DIST_TRIANGULAR:
	case DIST_NONCENTRAL_F:
		return "rrr";
	case DIST_CATEGORICAL:
		return "n";
	case DIST_BINOMIAL:
		return "nr";
	case DIST_NORMAL:
		return "rrn";
	case DIST_TRUNCATED_NORMAL:
		return "rrrr";
	case DIST_EXPONENTIAL:
	case DIST_STUDENT_T:
	case DIST_CHI_SQUARED:
	case DIST_POISSON:
	case DIST_GEOMETRIC:
	case DIST_BERNOULLI:
	case DIST_RAYLEIGH:
	case DIST_PARETO:
	case DIST_POWER:
	case DIST_ZIPF:
	case DIST_LOGSERIES:
		return "r";
	default:
		return "rr";
	}
}

static void describe(const struct dist_case *c, char ret_text[64])
{
	int at = snprintf(ret_text, 64, "%s %s", dist_name(c->distribution), dtype_name(c->dtype));

	for (const char *kind = kinds_of(c->distribution); *kind; kind++) {
		const union dist_value p = c->parameters[kind - kinds_of(c->distribution)];
		char *end = ret_text + at;
		const size_t left = 64 - (size_t)at;

		at += *kind == 'r'   ? snprintf(end, left, " %g", p.real)
		      : *kind == 'i' ? snprintf(end, left, " %lld", (long long)p.integer)
				     : snprintf(end, left, " %llu", (unsigned long long)p.natural);
	}
}

static void print_row(const char *text, const struct result *r, size_t n)
{
	printf("# %-46s %8zu", text, n);
	if (isnan(r->mean))
		printf("       -       -");
	else
		printf("   %+5.2f   %+5.2f", r->mean, r->variance);
	printf("   %.3f   %.4f\n", r->distance, r->p_value);
}

static void check_case(const struct dist_case *c, uint64_t stream)
{
	size_t n, wrong;
	/* Those are sums, and take long. */
	void *samples = samples_of(c, stream, full_check() ? 1000000 : !dist_row(c->distribution)->numbers.reads ? 15000 : 60000, &n);
	double *u = malloc(n * sizeof *u);
	struct result r = {NAN, NAN, 0, 0};
	char text[64];

	assert_non_null(u);
	describe(c, text);
	if (!transform(c, samples, n, 1 + stream, u, &wrong))
		fail_msg("%s: sample %zu is %.17g, where the distribution is %.17g", text, wrong,
			 as_real(c->dtype, samples, wrong), u[wrong]);
	r.distance = ks_uniform(u, n);
	r.p_value = ks_tail(r.distance);
	if (!isnan(c->mean))
		moments(c, samples, n, &r.mean, &r.variance);
	print_row(text, &r, n);
	if (r.p_value < 1e-4 || fabs(r.mean) > 4 || fabs(r.variance) > 4)
		fail_msg("%s: mean off by %.2f and variance by %.2f standard errors, KS p = %.3g; allowed 4, 4, 1e-4 "
			 "(stream %llu)",
			 text, r.mean, r.variance, r.p_value, (unsigned long long)stream);
	free(samples);
	free(u);
}

static void against_the_distributions(void **state)
{
	uint64_t stream = 0;

	(void)state;
	printf("# distribution, dtype, parameters                          samples    mean, var. (se)  KS sqrt(n)   "
	       "p\n");
	for (size_t f = 0; f < FAMILIES; f++)
		for (size_t i = 0; i < families[f].n; i++)
			check_case(&families[f].cases[i], stream++);
}

/* How many different parameters a distribution is looked at with. */
static size_t points_of(enum distribution distribution)
{
	const struct dist_case *seen[64];
	size_t n = 0;

	for (size_t f = 0; f < FAMILIES; f++)
		for (size_t i = 0; i < families[f].n; i++) {
			const struct dist_case *c = &families[f].cases[i];
			bool fresh = c->distribution == distribution;

			for (size_t s = 0; fresh && s < n; s++)
				fresh = memcmp(seen[s]->parameters, c->parameters, sizeof c->parameters) != 0;
			if (fresh && n < 64)
				seen[n++] = c;
		}
	return n;
}

static void no_distribution_is_left_out(void **state)
{
	(void)state;
	for (unsigned distribution = 0; distribution < DIST_COUNT; distribution++) {
		const size_t wanted = *kinds_of((enum distribution)distribution) ? POINTS : 1,
			     points = points_of((enum distribution)distribution);

		if (points < wanted)
			fail_msg("%s: looked at with %zu parameter points, expected %zu",
				 dist_name((enum distribution)distribution), points, wanted);
	}
}

/* The same samples are refused where the distribution is said to be a little different. */
static void a_wrong_distribution_is_found(void **state)
{
	const struct dist_case c = {DIST_NORMAL, DTYPE_F64, {{0}, {1}}, below_normal, 0.04, 1.06};
	union dist_value other[DIST_PARAMETERS] = {{0.04}, {1}};
	double u[60000], mean, variance;
	size_t n, wrong;
	double *x = samples_of(&c, 1, 60000, &n);

	(void)state;
	moments(&c, x, n, &mean, &variance);
	assert_true(fabs(mean) > 4 && fabs(variance) > 4);
	for (size_t i = 0; i < n; i++)
		u[i] = below_normal(x[i], other);
	assert_true(ks_tail(ks_uniform(u, n)) < 1e-4);
	assert_true(transform(&c, x, n, 1, u, &wrong) && ks_tail(ks_uniform(u, n)) > 1e-4);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_distribution_is_left_out),
		cmocka_unit_test(against_the_distributions),
		cmocka_unit_test(a_wrong_distribution_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
