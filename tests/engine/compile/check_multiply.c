/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices as requests: shapes, options, batches, tiles as addend and result, precision; errors. */
#include "engine/harness.h"

#include <complex.h>
#include <math.h>

#include "engine/numbers.h"
#include "gemm/mode.h"

enum { MOST = 6000 };

struct sample {
	float complex a[MOST], b[MOST], c[MOST];
	double complex expected[MOST];
};

static struct sample *sample_new(void)
{
	struct sample *s = calloc(1, sizeof *s);

	assert_non_null(s);
	for (size_t i = 0; i < MOST; i++) {
		s->a[i] = (float)random_number() + I * (float)random_number();
		s->b[i] = (float)random_number() + I * (float)random_number();
		s->c[i] = (float)random_number() + I * (float)random_number();
	}
	return s;
}

static void array(struct call *call, const char *name, const void *data, const int64_t *shape, size_t ndim)
{
	size_t n = 1;
	struct value map;

	for (size_t i = 0; i < ndim; i++)
		n *= (size_t)shape[i];
	map = array_of(call->bump, "c64", n, data, n * sizeof(float complex));
	assert_int_equal(value_put(call->bump, &map, "shape", list_of(call->bump, ndim, shape)), 0);
	put(call, name, map);
}

/* expected = alpha op(a) b + beta c, for `batch` products; op: conjugate transpose, or none. b serves for all. */
static void reference(struct sample *s, size_t batch, size_t m, size_t n, size_t k, bool turned, double complex alpha,
		      double complex beta)
{
	for (size_t p = 0; p < batch; p++)
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < n; j++) {
				const size_t at = (p * m + i) * n + j;
				double complex sum = 0;

				for (size_t l = 0; l < k; l++)
					sum += (turned ? conj(s->a[(p * k + l) * m + i]) : s->a[(p * m + i) * k + l]) *
					       s->b[l * n + j];
				s->expected[at] = alpha * sum + beta * s->c[at];
			}
}

static void hold(const struct sample *s, const void *got, bool wide, size_t n, double bound, const char *what)
{
	double sum = 0, whole = 0;

	for (size_t i = 0; i < n; i++) {
		const double complex x = wide ? ((const double complex *)got)[i] : ((const float complex *)got)[i];

		sum += pow(cabs(x - s->expected[i]), 2);
		whole += pow(cabs(s->expected[i]), 2);
	}
	if (!(sqrt(sum / whole) <= bound))
		fail_msg("%s: relative error %.3g, allowed is %.3g", what, sqrt(sum / whole), bound);
}

static void test_precisions(void **state)
{
	static const struct {
		const char *precision;
		bool wide;
		double bound;
	} cases[] = {
		{"fast", false, 1e-6},   {"double", true, 1e-14},   {"bf16", false, 8e-3},       {"ozaki", false, 3e-5},
		{"ozaki6", false, 1e-6}, {"ozaki_hq", true, 1e-10}, {"ozaki_fp64", true, 1e-14},
	};
	struct fixture fixture = fixture_open(2);
	struct sample *s = sample_new();

	(void)state;
	reference(s, 2, 13, 40, 50, true, 0.5 - 2 * I, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct call *call = call_new();
		const struct value *reply;

		array(call, "a", s->a, (int64_t[]){2, 50, 13}, 3);
		array(call, "b", s->b, (int64_t[]){50, 40}, 2);
		put(call, "op_a", value_string("conjugate_transpose"));
		put(call, "alpha", value_real(0.5));
		put(call, "alpha_im", value_real(-2));
		put(call, "precision", value_string(cases[i].precision));
		reply = call_run(call, fixture.memory, "gemm");
		assert_true(value_is_text(value_get(reply, "precision"), cases[i].precision));
		assert_true(value_is_text(value_get(reply, "dtype"), cases[i].wide ? "c128" : "c64"));
		assert_int_equal(value_get(reply, "shape")->array.count, 3);
		assert_true(value_get(reply, "bound")->real == gemm_error_bound((enum gemm_precision)i, 50));
		hold(s, value_get(reply, "data")->bytes.at, cases[i].wide, 2 * 13 * 40, cases[i].bound,
		     cases[i].precision);
		call_free(call);
	}
	free(s);
	fixture_close(&fixture);
}

/* c and out may be one tile, and the result may take the memory of a. */
static void test_tiles(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct sample *s = sample_new();

	(void)state;
	reference(s, 1, 30, 30, 30, false, 1, -1.5);
	for (unsigned pass = 0; pass < 2; pass++) {
		struct call *call = call_new();
		uint64_t square;
		void *at;
		struct call *make = call_new();

		put(make, "dtype", value_string("c64"));
		put(make, "shape", LIST(make, 30, 30));
		const struct value *made = call_run(make, fixture.memory, "tile");
		square = value_get(made, "tile")->u;
		at = (char *)fixture.mapping + value_get(made, "offset")->u;
		if (pass == 0) {
			memcpy(at, s->c, 900 * sizeof *s->c);
			array(call, "a", s->a, (int64_t[]){30, 30}, 2);
			put(call, "c", value_uint(square));
			put(call, "beta", value_real(-1.5));
		} else {
			memcpy(at, s->a, 900 * sizeof *s->a);
			put(call, "a", value_uint(square));
			reference(s, 1, 30, 30, 30, false, 1, 0);
		}
		array(call, "b", s->b, (int64_t[]){30, 30}, 2);
		put(call, "out", value_uint(square));
		call_run(call, fixture.memory, "gemm");
		hold(s, at, false, 900, 1e-6, pass ? "over a" : "over c");
		call_free(call);
		call_free(make);
		tile_drop(&fixture, square);
	}
	free(s);
	fixture_close(&fixture);
}

/* Long sums go by phases; the bytes are those of any number of threads. */
static void test_long(void **state)
{
	enum { K = 30000 };
	float complex *data = malloc(2 * K * sizeof *data);
	char first[4 * sizeof(float complex)];

	(void)state;
	for (size_t i = 0; i < 2 * K; i++)
		data[i] = (float)random_number() + I * (float)random_number();
	for (unsigned threads = 1; threads < 4; threads += 2) {
		struct fixture fixture = fixture_open(threads);
		struct call *call = call_new();
		const void *got;

		array(call, "a", data, (int64_t[]){2, K}, 2);
		array(call, "b", data, (int64_t[]){2, K}, 2);
		put(call, "op_b", value_string("transpose"));
		put(call, "precision", value_string("ozaki"));
		got = value_get(call_run(call, fixture.memory, "gemm"), "data")->bytes.at;
		if (threads == 1)
			memcpy(first, got, sizeof first);
		assert_memory_equal(first, got, sizeof first);
		call_free(call);
		fixture_close(&fixture);
	}
	free(data);
}

static struct call *pair_of(const struct sample *s, int64_t rows_a, int64_t columns_a, int64_t rows_b)
{
	struct call *call = call_new();

	array(call, "a", s->a, (int64_t[]){rows_a, columns_a}, 2);
	array(call, "b", s->b, (int64_t[]){rows_b, 5}, 2);
	return call;
}

static void test_errors(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct sample *s = sample_new();
	struct call *call;

	(void)state;
	call_fails(pair_of(s, 3, 4, 5), fixture.memory, "gemm", ERROR_BAD_SHAPE,
		   "bad_shape: gemm: b: op(b) has 5 rows");
	call = pair_of(s, 3, 4, 4);
	put(call, "beta", value_real(1));
	call_fails(call, fixture.memory, "gemm", ERROR_MISSING_PARAMETER, "missing_parameter: gemm: beta");
	call = pair_of(s, 3, 4, 4);
	array(call, "c", s->c, (int64_t[]){3, 4}, 2);
	call_fails(call, fixture.memory, "gemm", ERROR_BAD_SHAPE, "bad_shape: gemm: c");
	call = pair_of(s, 3, 4, 4);
	array(call, "a", s->a, (int64_t[]){12}, 1);
	call_fails(call, fixture.memory, "gemm", ERROR_BAD_SHAPE, "bad_shape: gemm: b: op(b) has 4 rows");
	call = pair_of(s, 3, 4, 4);
	array(call, "a", s->a, (int64_t[]){2, 3, 4}, 3);
	array(call, "b", s->b, (int64_t[]){3, 4, 5}, 3);
	call_fails(call, fixture.memory, "gemm", ERROR_BAD_SHAPE, "bad_shape: gemm: b");
	free(s);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precisions),
		cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
