/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a trace: against the definition with probes drawn apart, against exact traces, the same bytes from any
 * threads and instruction set, and what is refused. */
#include "engine/trace.h"

#include "engine/harness.h"

#include <math.h>

static uint64_t noise_state = 20261121;

static double noise(void)
{
	noise_state = noise_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)noise_state / 0x1p63;
}

/* A square matrix in float64, and the same in the dtype of the request. */
struct square {
	const char *dtype;
	size_t n;
	double *at;
	void *bytes;
	size_t size;
};

static struct square square_new(const char *dtype, size_t n)
{
	struct square s = {.dtype = dtype, .n = n};

	s.size = n * n * (strcmp(dtype, "f32") == 0 ? sizeof(float) : sizeof(double));
	s.at = calloc(n * n + 1, sizeof *s.at);
	s.bytes = malloc(s.size + 1);
	assert_non_null(s.at);
	assert_non_null(s.bytes);
	return s;
}

static void square_free(struct square *s)
{
	free(s->at);
	free(s->bytes);
}

/* Rounds at to the dtype, and takes what came of it. */
static void settle(struct square *s)
{
	for (size_t i = 0; i < s->n * s->n; i++)
		if (strcmp(s->dtype, "f32") == 0)
			s->at[i] = ((float *)s->bytes)[i] = (float)s->at[i];
		else
			((double *)s->bytes)[i] = s->at[i];
}

static struct square random_square(const char *dtype, size_t n)
{
	struct square s = square_new(dtype, n);

	for (size_t i = 0; i < n * n; i++)
		s.at[i] = noise();
	settle(&s);
	return s;
}

/* A sum of `rank` outer products, and noise. */
static struct square low_rank(const char *dtype, size_t n, size_t rank, double rest)
{
	struct square s = square_new(dtype, n);
	double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);

	for (size_t k = 0; k < rank; k++) {
		for (size_t i = 0; i < n; i++) {
			u[i] = noise();
			v[i] = u[i] + 0.5 * noise();
		}
		for (size_t i = 0; i < n * n; i++)
			s.at[i] += u[i / n] * v[i % n];
	}
	for (size_t i = 0; i < n * n; i++)
		s.at[i] += rest * noise();
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

struct asked {
	const char *method, *law;
	uint64_t probes, seed, offset, rank, size;
};

struct told {
	double estimate, error; /* NaN: none */
	uint64_t products, next;
};

static void put_matrix(struct call *call, const struct square *s)
{
	struct value map = array_of(call->zone, s->dtype, s->n * s->n, s->bytes, s->size);

	assert_int_equal(value_put(call->zone, &map, "shape", LIST(call, (int64_t)s->n, (int64_t)s->n)), 0);
	put(call, "in", map);
}

static struct call *call_of(const struct square *s, const struct asked *a)
{
	struct call *call = call_new();

	put_matrix(call, s);
	if (a->method)
		put(call, "method", value_string(a->method));
	if (a->law)
		put(call, "law", value_string(a->law));
	if (a->probes)
		put(call, "probes", value_uint(a->probes));
	put(call, "seed", value_uint(a->seed));
	put(call, "offset", value_uint(a->offset));
	if (a->size) {
		put(call, "rank", value_uint(a->rank));
		put(call, "size", value_uint(a->size));
	}
	return call;
}

static double real_of(const struct value *value)
{
	return value && value->kind == VALUE_REAL ? value->real : (double)NAN;
}

static struct told ask(struct bed *bed, const struct square *s, struct asked a)
{
	struct call *call = call_of(s, &a);
	const struct value *reply = call_run(call, bed->space, "trace");
	struct told told = {real_of(value_get(reply, "estimate")), real_of(value_get(reply, "standard_error")),
			    value_get(reply, "products")->u, value_get(reply, "next")->u};
	double pair[2];

	assert_int_equal(value_get(reply, "data")->bytes.size, sizeof pair);
	memcpy(pair, value_get(reply, "data")->bytes.at, sizeof pair);
	assert_memory_equal(&pair[0], &told.estimate, sizeof(double));
	assert_true(isnan(told.error) ? isnan(pair[1]) : pair[1] == told.error);
	call_free(call);
	return told;
}

static struct bed bed_for(unsigned threads, uint32_t features)
{
	return bed_open_with(threads, features, 0, NULL);
}

/* The forms x' A x of probes that a draw of its own gives. */
static double *forms_of(struct bed *bed, const struct square *s, const char *law, uint64_t probes, uint64_t offset)
{
	double *forms = calloc(probes, sizeof *forms);
	struct call *call = call_new();
	const struct value *reply;
	const void *x;

	put(call, "n", value_uint(probes * s->n));
	put(call, "dtype", value_string(s->dtype));
	put(call, "seed", value_uint(7));
	put(call, "offset", value_uint(offset));
	reply = call_run(call, bed->space, law);
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

static void near(double got, double expected, double scale, const char *what)
{
	if (!(fabs(got - expected) <= 1e-10 * scale))
		fail_msg("%s: got %.17g, expected %.17g", what, got, expected);
}

/* Sides about the tiles', probes about the panels'. */
static void test_definition(void **state)
{
	static const struct {
		const char *dtype, *law;
		size_t n;
		uint64_t probes, offset;
	} cases[] = {
		{"f32", "rademacher", 1, 2, 0},    {"f64", "normal", 5, 3, 11},       {"f32", "normal", 255, 15, 0},
		{"f64", "rademacher", 256, 16, 3}, {"f32", "rademacher", 257, 17, 1}, {"f64", "normal", 530, 33, 6},
	};
	struct bed bed = bed_for(2, cpu_detect());

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct square s = random_square(cases[i].dtype, cases[i].n);
		const uint64_t m = cases[i].probes;
		double *forms = forms_of(&bed, &s, cases[i].law, m, cases[i].offset), mean = 0, squares = 0;
		struct told told = ask(&bed, &s, (struct asked){NULL, cases[i].law, m, 7, cases[i].offset, 0, 0});

		for (uint64_t p = 0; p < m; p++)
			mean += forms[p] / (double)m;
		for (uint64_t p = 0; p < m; p++)
			squares += (forms[p] - mean) * (forms[p] - mean);
		near(told.estimate, mean, 1 + fabs(mean) + (double)s.n, "estimate");
		near(told.error, sqrt(squares / (double)(m * (m - 1))), 1 + (double)s.n, "standard error");
		assert_int_equal(told.products, m);
		free(forms);
		square_free(&s);
	}
	bed_close(&bed);
}

/* The square of a Rademacher number is 1. */
static void test_diagonal(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct square s = square_new("f64", 300);
	struct told told;

	(void)state;
	for (size_t i = 0; i < s.n; i++)
		s.at[i * s.n + i] = (double)(i % 17) - 5;
	settle(&s);
	told = ask(&bed, &s, (struct asked){.probes = 5, .seed = 3});
	assert_true(told.estimate == exact_trace(&s) && told.error == 0);
	told = ask(&bed, &s, (struct asked){.probes = 1, .seed = 3});
	assert_true(told.estimate == exact_trace(&s) && isnan(told.error));
	square_free(&s);
	bed_close(&bed);
}

/* Of many seeds, none is off by 5 standard errors of 40 probes, and about 5 % by 2.02 (Student's t, 39 degrees). */
static void coverage(struct bed *bed, const struct square *s, const char *method, const char *law, uint64_t probes)
{
	const double exact = exact_trace(s);
	const int seeds = 200;
	int outside = 0;

	for (int seed = 1; seed <= seeds; seed++) {
		struct told told = ask(bed, s, (struct asked){method, law, probes, (uint64_t)seed, 0, 0, 0});
		const double off = fabs(told.estimate - exact) / told.error;

		if (!(off < 5))
			fail_msg("%s %s, seed %d: %.9g +- %.3g, the trace is %.9g", method, law, seed, told.estimate,
				 told.error, exact);
		outside += off > 2.02;
	}
	if (outside > 25)
		fail_msg("%s %s: %d of %d estimates are off by 2.02 standard errors, expected 10", method, law, outside,
			 seeds);
}

static void test_coverage(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct square any = random_square("f32", 90), decaying = low_rank("f64", 90, 12, 0.05);

	(void)state;
	coverage(&bed, &any, "hutchinson", "rademacher", 40);
	coverage(&bed, &any, "hutchinson", "normal", 40);
	coverage(&bed, &decaying, "hutchpp", "rademacher", 120);
	coverage(&bed, &decaying, "hutchpp", "normal", 120);
	square_free(&any);
	square_free(&decaying);
	bed_close(&bed);
}

/* A sketch as wide as the rank holds all of the matrix; and it makes the error smaller where it holds most. */
static void test_low_rank(void **state)
{
	static const struct {
		size_t n, rank;
		uint64_t probes;
	} cases[] = {{40, 1, 3}, {300, 16, 48}, {300, 17, 53}, {520, 40, 200}, {20, 20, 60}, {20, 20, 400}};
	struct bed bed = bed_for(2, cpu_detect());

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct square s = low_rank("f64", cases[i].n, cases[i].rank, 0);
		struct told told = ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = cases[i].probes});
		const double exact = exact_trace(&s);

		if (!(fabs(told.estimate - exact) <= 1e-9 * fabs(exact)))
			fail_msg("rank %zu of %zu, %llu probes: got %.17g +- %.3g, the trace is %.17g", cases[i].rank,
				 cases[i].n, (unsigned long long)cases[i].probes, told.estimate, told.error, exact);
		assert_int_equal(told.products, cases[i].probes);
		square_free(&s);
	}

	struct square s = low_rank("f32", 400, 10, 0.01);
	struct told plain = ask(&bed, &s, (struct asked){.probes = 60}),
		    better = ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = 60});

	if (!(better.error < plain.error / 5))
		fail_msg("hutchpp's standard error %.3g, hutchinson's %.3g", better.error, plain.error);
	square_free(&s);
	bed_close(&bed);
}

/* Columns that lie in the span of others, or are no numbers, end in an answer. */
static void test_degenerate(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct square s = square_new("f64", 64);
	struct told told;

	(void)state;
	settle(&s);
	told = ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(told.estimate == 0 && told.error == 0);
	for (size_t i = 0; i < s.n; i++)
		s.at[i * s.n + i] = 1e300;
	settle(&s);
	told = ask(&bed, &s, (struct asked){.probes = 4});
	assert_true(fabs(told.estimate / 64e300 - 1) < 1e-12);
	told = ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(fabs(told.estimate / 64e300 - 1) < 1e-9);
	s.at[70] = (double)INFINITY;
	settle(&s);
	ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = 30});
	s.at[71] = (double)NAN;
	settle(&s);
	told = ask(&bed, &s, (struct asked){.method = "hutchpp", .probes = 30});
	assert_true(isnan(told.estimate));
	told = ask(&bed, &s, (struct asked){.probes = 30});
	assert_true(isnan(told.estimate));
	square_free(&s);
	bed_close(&bed);
}

static const struct asked many[] = {
	{"hutchinson", "rademacher", 21, 5, 3, 0, 0},
	{"hutchinson", "normal", 16, 5, 0, 0, 0},
	{"hutchpp", "rademacher", 65, 6, 1, 0, 0},
	{"hutchpp", "normal", 100, 7, 0, 0, 0},
};

enum { MANY = sizeof many / sizeof *many };

static void answer_all(unsigned threads, uint32_t features, const struct square squares[2], struct told ret[2 * MANY])
{
	struct bed bed = bed_for(threads, features);

	for (size_t i = 0; i < 2 * MANY; i++)
		ret[i] = ask(&bed, &squares[i % 2], many[i / 2]);
	bed_close(&bed);
}

static void test_same_bytes(void **state)
{
	static const unsigned threads[] = {1, 2, 7, 128};
	struct square squares[] = {random_square("f32", 521), random_square("f64", 300)};
	struct told expected[2 * MANY], got[2 * MANY];
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	answer_all(1, 0, squares, expected);
	for (size_t i = 0; i < sizeof threads / sizeof *threads + n_levels; i++) {
		const bool level = i < n_levels;

		if (level && (levels[i].features & ~cpu_detect()))
			printf("# trace at level %s: not run, this CPU lacks it\n", levels[i].name);
		answer_all(level ? 1 : threads[i - n_levels], level ? levels[i].features & cpu_detect() : cpu_detect(),
			   squares, got);
		for (size_t k = 0; k < 2 * MANY; k++)
			if (memcmp(&got[k], &expected[k], sizeof *got) != 0)
				fail_msg("%s %s by %s %u: %.17g +- %.17g, scalar alone %.17g +- %.17g",
					 many[k / 2].method, many[k / 2].law, level ? levels[i].name : "threads",
					 level ? 0 : threads[i - n_levels], got[k].estimate, got[k].error,
					 expected[k].estimate, expected[k].error);
	}
	square_free(&squares[0]);
	square_free(&squares[1]);
}

static void test_ranks(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct square s = random_square("f32", 50);
	const struct asked whole = {.law = "normal", .probes = 23, .seed = 9};
	const struct told told = ask(&bed, &s, whole);
	double sum = 0;
	uint64_t probes = 0;

	(void)state;
	for (uint64_t rank = 0; rank < 7; rank++) {
		struct asked part = whole;

		part.rank = rank;
		part.size = 7;
		const struct told one = ask(&bed, &s, part);

		sum += one.estimate * (double)one.products;
		probes += one.products;
		assert_int_equal(one.next, told.next);
	}
	assert_int_equal(probes, 23);
	near(sum / 23, told.estimate, 50, "the mean of the parts");
	square_free(&s);
	bed_close(&bed);
}

/* In a program: the probes follow the draw before and the draw after follows them; the result is a step's like any. */
static void test_program(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct call *call = call_new();
	struct value steps = value_array(), results = value_array();
	static const char *const ops[] = {"uniform", "trace", "scale", "uniform"};
	const struct value *reply, *list, *data;
	double pair[2];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct value step = value_map();

		value_put(call->zone, &step, "op", value_string(ops[i]));
		value_put(call->zone, &step, "as", value_string((const char *[]){"a", "t", "s", "u"}[i]));
		if (i == 0)
			value_put(call->zone, &step, "shape", LIST(call, 10, 10));
		if (i == 1 || i == 2)
			value_put(call->zone, &step, "in", value_string(i == 1 ? "a" : "t"));
		if (i == 1)
			value_put(call->zone, &step, "probes", value_uint(3));
		if (i == 2)
			value_put(call->zone, &step, "by", value_real(2));
		if (i == 3)
			value_put(call->zone, &step, "n", value_uint(1));
		value_push(call->zone, &steps, step);
	}
	value_push(call->zone, &results, value_string("s"));
	put(call, "steps", steps);
	put(call, "results", results);
	reply = call_run(call, bed.space, "run");
	list = value_get(reply, "steps");
	data = value_get(value_get(value_get(reply, "results"), "s"), "data");
	memcpy(pair, data->bytes.at, sizeof pair);
	assert_true(pair[0] == 2 * value_get(&list->array.at[1], "estimate")->real);
	assert_true(pair[1] == 2 * value_get(&list->array.at[1], "standard_error")->real);
	assert_int_equal(value_get(&list->array.at[1], "position")->u, 100);
	assert_int_equal(value_get(&list->array.at[3], "position")->u, 132);
	call_free(call);
	bed_close(&bed);
}

static void refuse(struct bed *bed, const struct square *s, struct asked a, int code, const char *prefix)
{
	call_fails(call_of(s, &a), bed->space, "trace", code, prefix);
}

static void test_refusals(void **state)
{
	struct bed bed = bed_for(1, cpu_detect());
	struct square s = random_square("f32", 8);
	struct call *call = call_new();

	(void)state;
	refuse(&bed, &s, (struct asked){.method = "hutchpp", .probes = 2}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: probes: got 2, allowed for hutchpp is 3");
	refuse(&bed, &s, (struct asked){.method = "hutchpp", .probes = 9, .size = 2}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: size: ");
	refuse(&bed, &s, (struct asked){.probes = 9, .size = 10}, ERROR_OUT_OF_RANGE, "out_of_range: trace: size: ");
	refuse(&bed, &s, (struct asked){.probes = 9, .rank = 3, .size = 3}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: rank: ");
	refuse(&bed, &s, (struct asked){.probes = 65537}, ERROR_OUT_OF_RANGE, "out_of_range: trace: probes: ");
	refuse(&bed, &s, (struct asked){.offset = UINT64_MAX - 100}, ERROR_END_OF_STREAM,
	       "end_of_stream: trace: offset: ");
	put(call, "in", array_of(call->zone, "f32", 64, s.bytes, s.size));
	call_fails(call, bed.space, "trace", ERROR_BAD_SHAPE, "bad_shape: trace: in: ");
	call = call_of(&s, &(struct asked){0});
	put(call, "in", array_of(call->zone, "c64", 32, s.bytes, s.size));
	call_fails(call, bed.space, "trace", ERROR_BAD_SHAPE, "bad_shape: trace: in: its dtype is c64");
	square_free(&s);
	bed_close(&bed);
}

/* A long estimate stops between two units. */
static void test_cancelled(void **state)
{
	struct bed bed = bed_for(2, cpu_detect());
	struct square s = random_square("f32", 600);
	struct call *call = call_of(&s, &(struct asked){.method = "hutchpp", .law = "normal", .probes = 6000});

	(void)state;
	call_start(call, bed.space, "trace");
	request_cancel(call->request);
	call_wait(call);
	assert_non_null(request_error(call->request));
	assert_int_equal(request_error(call->request)->code, ERROR_CANCELLED);
	call_free(call);
	square_free(&s);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition), cmocka_unit_test(test_diagonal),   cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_low_rank),   cmocka_unit_test(test_degenerate), cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_ranks),      cmocka_unit_test(test_program),    cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
