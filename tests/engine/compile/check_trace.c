/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a trace: against the definition with probes drawn apart, and against exact traces. */
#include "squares.h"

/* A sum of `rank` outer products, and noise. */
static struct square low_rank(const char *dtype, size_t n, size_t rank, double rest)
{
	struct square s = square_new(dtype, n);
	double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);

	for (size_t k = 0; k < rank; k++) {
		for (size_t i = 0; i < n; i++) {
			u[i] = random_number();
			v[i] = u[i] + 0.5 * random_number();
		}
		for (size_t i = 0; i < n * n; i++)
			s.at[i] += u[i / n] * v[i % n];
	}
	for (size_t i = 0; i < n * n; i++)
		s.at[i] += rest * random_number();
	settle(&s);
	free(u);
	free(v);
	return s;
}

static double exact_trace(const struct square *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->at[i * s->n + i];
	return sum;
}

/* The forms x' A x of probes that a draw of its own gives. */
static double *forms_of(struct fixture *fixture, const struct square *s, const char *distribution, uint64_t probes,
			uint64_t offset)
{
	double *forms = calloc(probes, sizeof *forms);
	struct call *call = call_new();
	const struct value *reply;
	const void *x;

	put(call, "n", value_uint(probes * s->n));
	put(call, "dtype", value_string(s->dtype));
	put(call, "seed", value_uint(7));
	put(call, "offset", value_uint(offset));
	reply = call_run(call, fixture->memory, distribution);
	x = value_get(reply, "data")->bytes.at;
	for (uint64_t p = 0; p < probes; p++)
		for (size_t i = 0; i < s->n; i++)
			for (size_t k = 0; k < s->n; k++) {
				const size_t left = p * s->n + i, right = p * s->n + k;
				const bool narrow = strcmp(s->dtype, "f32") == 0;
				const double xi = narrow ? ((const float *)x)[left] : ((const double *)x)[left];
				const double xk = narrow ? ((const float *)x)[right] : ((const double *)x)[right];

				forms[p] += xi * s->at[i * s->n + k] * xk;
			}
	call_free(call);
	return forms;
}

/* Sides about the tiles', probes about the panels'. */
static void test_definition(void **state)
{
	static const struct {
		const char *dtype, *distribution;
		size_t n;
		uint64_t probes, offset;
	} cases[] = {
		{"f32", "rademacher", 1, 2, 0},    {"f64", "normal", 5, 3, 11},       {"f32", "normal", 255, 15, 0},
		{"f64", "rademacher", 256, 16, 3}, {"f32", "rademacher", 257, 17, 1}, {"f64", "normal", 530, 33, 6},
	};
	struct fixture fixture = fixture_for(2, cpu_detect());

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct square s = random_square(cases[i].dtype, cases[i].n);
		const uint64_t m = cases[i].probes;
		double *forms = forms_of(&fixture, &s, cases[i].distribution, m, cases[i].offset), mean = 0,
		       squares = 0;
		struct estimated estimated =
			ask(&fixture, &s, (struct asked){NULL, cases[i].distribution, m, 7, cases[i].offset, 0, 0});

		for (uint64_t p = 0; p < m; p++)
			mean += forms[p] / (double)m;
		for (uint64_t p = 0; p < m; p++)
			squares += (forms[p] - mean) * (forms[p] - mean);
		near(estimated.estimate, mean, 1 + fabs(mean) + (double)s.n, "estimate");
		near(estimated.error, sqrt(squares / (double)(m * (m - 1))), 1 + (double)s.n, "standard error");
		assert_int_equal(estimated.products, m);
		free(forms);
		square_free(&s);
	}
	fixture_close(&fixture);
}

/* The square of a Rademacher number is 1. */
static void test_diagonal(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct square s = square_new("f64", 300);
	struct estimated estimated;

	(void)state;
	for (size_t i = 0; i < s.n; i++)
		s.at[i * s.n + i] = (double)(i % 17) - 5;
	settle(&s);
	estimated = ask(&fixture, &s, (struct asked){.probes = 5, .seed = 3});
	assert_true(estimated.estimate == exact_trace(&s) && estimated.error == 0);
	estimated = ask(&fixture, &s, (struct asked){.probes = 1, .seed = 3});
	assert_true(estimated.estimate == exact_trace(&s) && isnan(estimated.error));
	square_free(&s);
	fixture_close(&fixture);
}

/* Of many seeds, none is off by 5 standard errors of 40 probes, and about 5 % by 2.02 (Student's t, 39 degrees). */
static void coverage(struct fixture *fixture, const struct square *s, const char *method, const char *distribution,
		     uint64_t probes)
{
	const double exact = exact_trace(s);
	const int seeds = 200;
	int outside = 0;

	for (int seed = 1; seed <= seeds; seed++) {
		struct estimated estimated =
			ask(fixture, s, (struct asked){method, distribution, probes, (uint64_t)seed, 0, 0, 0});
		const double off = fabs(estimated.estimate - exact) / estimated.error;

		if (!(off < 5))
			fail_msg("%s %s, seed %d: %.9g +- %.3g, the trace is %.9g", method, distribution, seed,
				 estimated.estimate, estimated.error, exact);
		outside += off > 2.02;
	}
	if (outside > 25)
		fail_msg("%s %s: %d of %d estimates are off by 2.02 standard errors, expected 10", method, distribution,
			 outside, seeds);
}

static void test_coverage(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct square any = random_square("f32", 90), decaying = low_rank("f64", 90, 12, 0.05);

	(void)state;
	coverage(&fixture, &any, "hutchinson", "rademacher", 40);
	coverage(&fixture, &any, "hutchinson", "normal", 40);
	coverage(&fixture, &decaying, "hutchpp", "rademacher", 120);
	coverage(&fixture, &decaying, "hutchpp", "normal", 120);
	square_free(&any);
	square_free(&decaying);
	fixture_close(&fixture);
}

/* A sketch as wide as the rank holds all of the matrix; and it makes the error smaller where it holds most. */
static void test_low_rank(void **state)
{
	static const struct {
		size_t n, rank;
		uint64_t probes;
	} cases[] = {{40, 1, 3}, {300, 16, 48}, {300, 17, 53}, {520, 40, 200}, {20, 20, 60}, {20, 20, 400}};
	struct fixture fixture = fixture_for(2, cpu_detect());

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct square s = low_rank("f64", cases[i].n, cases[i].rank, 0);
		struct estimated estimated =
			ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = cases[i].probes});
		const double exact = exact_trace(&s);

		if (!(fabs(estimated.estimate - exact) <= 1e-9 * fabs(exact)))
			fail_msg("rank %zu of %zu, %llu probes: got %.17g +- %.3g, the trace is %.17g", cases[i].rank,
				 cases[i].n, (unsigned long long)cases[i].probes, estimated.estimate, estimated.error,
				 exact);
		assert_int_equal(estimated.products, cases[i].probes);
		square_free(&s);
	}

	struct square s = low_rank("f32", 400, 10, 0.01);
	struct estimated plain = ask(&fixture, &s, (struct asked){.probes = 60}),
			 better = ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 60});

	if (!(better.error < plain.error / 5))
		fail_msg("hutchpp's standard error %.3g, hutchinson's %.3g", better.error, plain.error);
	square_free(&s);
	fixture_close(&fixture);
}

/* Columns that lie in the span of others, or are no numbers, end in an answer. */
static void test_degenerate(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct square s = square_new("f64", 64);
	struct estimated estimated;

	(void)state;
	settle(&s);
	estimated = ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(estimated.estimate == 0 && estimated.error == 0);
	for (size_t i = 0; i < s.n; i++)
		s.at[i * s.n + i] = 1e300;
	settle(&s);
	estimated = ask(&fixture, &s, (struct asked){.probes = 4});
	assert_true(fabs(estimated.estimate / 64e300 - 1) < 1e-12);
	estimated = ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(fabs(estimated.estimate / 64e300 - 1) < 1e-9);
	s.at[70] = (double)INFINITY;
	settle(&s);
	ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 30});
	s.at[71] = (double)NAN;
	settle(&s);
	estimated = ask(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(isnan(estimated.estimate));
	estimated = ask(&fixture, &s, (struct asked){.probes = 30});
	assert_true(isnan(estimated.estimate));
	square_free(&s);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_diagonal),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_low_rank),
		cmocka_unit_test(test_degenerate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
