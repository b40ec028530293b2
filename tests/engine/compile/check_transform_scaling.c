/* SPDX-License-Identifier: Apache-2.0 */
/* float64 input of float32 modes: each transform is scaled by a power of two of its own, so the bound of the reply holds
 * at 1e-300 as at 1e300, and its bytes depend neither on the batch nor on threads. */
#include "transforms.h"

enum { MOST = 80000 };

struct scaled_case {
	const char *operation, *precision;
	int64_t shape[3], axes[2];
	unsigned n_axes;
	bool is_complex, real, hermitian, inverse;
	int64_t length; /* of the last of the axes; 0: as it is */
};

static const struct scaled_case cases[] = {
	{"fft", "fast", {7, 5, 12}, {2}, 1, true, false, false, false, 0},
	{"fft", "fast", {7, 5, 12}, {0}, 1, true, false, false, true, 0},
	{"fft", "fast", {7, 5, 12}, {1}, 1, false, false, false, false, 9},
	{"fft", "fast", {7, 12, 5}, {0, 2}, 2, true, false, false, false, 3},
	{"fft", "fast", {2, 40, 700}, {1}, 1, true, false, false, false, 0},
	{"fft", "fast", {2, 1, 20001}, {2}, 1, true, false, false, false, 0},
	{"fft", "fast", {2, 2, 17000}, {2}, 1, false, true, false, false, 16384},
	{"fft", "fast", {20000, 1, 2}, {0}, 1, false, false, false, false, 20003},
	{"fft", "fast", {4, 5, 12}, {1, 2}, 2, false, true, false, false, 0},
	{"fft", "fast", {4, 5, 12}, {1, 2}, 2, true, true, false, true, 22},
	{"fft", "fast", {4, 5, 12}, {2}, 1, true, false, true, false, 21},
	{"fft", "fast", {4, 5, 12}, {2}, 1, false, false, true, true, 0},
	{"fft", "bf16", {9, 2, 30}, {2}, 1, true, false, false, false, 0},
	{"fft", "bf16_refined", {9, 2, 30}, {2}, 1, false, false, false, false, 64},
	{"fft", "ozaki", {2, 30, 9}, {1}, 1, false, true, false, false, 0},
	{"fft", "ozaki6", {9, 8, 30}, {2, 1}, 2, true, false, false, false, 0},
	{"dct", "fast", {9, 2, 30}, {2}, 1, false, false, false, false, 0},
	{"dst", "fast", {9, 30, 2}, {1}, 1, true, false, false, true, 31},
};

static const int exponents[] = {0, -200, 133, -990, 990, 7};

struct result {
	size_t n, bytes;
	double *at; /* parts */
	double bound;
	uint64_t dims[3];
	unsigned parts;
};

static bool is_axis(const struct scaled_case *c, unsigned axis)
{
	for (unsigned i = 0; i < c->n_axes; i++)
		if (c->axes[i] == (int64_t)axis)
			return true;
	return false;
}

/* Which transform an element belongs to, by its place in an array of those dims. */
static size_t item_of(const struct scaled_case *c, const uint64_t *dims, size_t at)
{
	size_t index[3], item = 0;

	for (unsigned i = 3; i-- > 0; at /= (size_t)dims[i])
		index[i] = at % (size_t)dims[i];
	for (unsigned i = 0; i < 3; i++)
		if (!is_axis(c, i))
			item = item * (size_t)dims[i] + index[i];
	return item;
}

static int exponent_of(size_t item, unsigned pass)
{
	return pass ? exponents[(item * 7 + pass) % (sizeof exponents / sizeof *exponents)] : 0;
}

/* The input of a pass: its numbers times a power of two for each transform. */
static void fill(const struct scaled_case *c, unsigned pass, double *in)
{
	const uint64_t dims[3] = {(uint64_t)c->shape[0], (uint64_t)c->shape[1], (uint64_t)c->shape[2]};
	const size_t n = (size_t)(dims[0] * dims[1] * dims[2]), parts = c->is_complex ? 2 : 1;
	uint64_t state = 1;

	for (size_t i = 0; i < n * parts; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		in[i] = ldexp((double)(int64_t)state * 0x1p-63, exponent_of(item_of(c, dims, i / parts), pass));
	}
}

static struct result run(const struct scaled_case *c, struct engine_session *memory, const char *precision,
			 const double *in, const char *dtype)
{
	struct call *call = call_new();
	const size_t n = (size_t)(c->shape[0] * c->shape[1] * c->shape[2]);
	struct value map = array_of(call->bump, c->is_complex ? "c128" : "f64", n, in, n * (c->is_complex ? 16 : 8));
	const struct value *reply, *data;
	struct result result = {.parts = 2};

	value_put(call->bump, &map, "shape", LIST(call, c->shape[0], c->shape[1], c->shape[2]));
	put(call, "in", map);
	put(call, "axes", list_of(call->bump, c->n_axes, c->axes));
	put(call, "precision", value_string(precision));
	put(call, "inverse", value_bool(c->inverse));
	if (c->real)
		put(call, "real", value_bool(true));
	if (c->hermitian)
		put(call, "hermitian", value_bool(true));
	if (c->length)
		put(call, "length", value_uint((uint64_t)c->length));
	if (dtype)
		put(call, "dtype", value_string(dtype));
	reply = call_run(call, memory, c->operation);
	data = value_get(reply, "data");
	if (value_is_text(value_get(reply, "dtype"), "f64") || value_is_text(value_get(reply, "dtype"), "f32"))
		result.parts = 1;
	result.bytes = data->bytes.size;
	result.at = memcpy(malloc(result.bytes), data->bytes.at, result.bytes);
	result.n = result.bytes / sizeof(double) / result.parts;
	result.bound = value_get(reply, "bound")->real;
	for (unsigned i = 0; i < 3; i++)
		result.dims[i] = value_get(reply, "shape")->array.at[i].u;
	call_free(call);
	return result;
}

/* Each transform within the bound of the reply, beside float64's. */
static void expect_bound(const struct scaled_case *c, const struct result *got, const struct result *exact, size_t row)
{
	static double wrong[MOST], whole[MOST];

	memset(wrong, 0, sizeof wrong);
	memset(whole, 0, sizeof whole);
	for (size_t i = 0; i < got->n * got->parts; i++) {
		const size_t item = item_of(c, got->dims, i / got->parts);

		wrong[item] += pow(got->at[i] - exact->at[i], 2);
		whole[item] += pow(exact->at[i], 2);
	}
	for (size_t item = 0; item < MOST && whole[item] > 0; item++)
		if (!(sqrt(wrong[item] / whole[item]) <= got->bound))
			fail_msg("case %zu, transform %zu: relative error %.3g, allowed is %.3g", row, item,
				 sqrt(wrong[item] / whole[item]), got->bound);
}

/* The same numbers times powers of two: the same bytes but for these. */
static void expect_scaled(const struct scaled_case *c, const struct result *got, const struct result *plain, size_t row,
			  unsigned pass)
{
	assert_int_equal(got->n, plain->n);
	for (size_t i = 0; i < got->n * got->parts; i++) {
		const size_t item = item_of(c, got->dims, i / got->parts);
		const double expected = ldexp(plain->at[i], exponent_of(item, pass));

		if (!(got->at[i] == expected))
			fail_msg("case %zu (%s, %s), part %zu of transform %zu times 2^%d: got %.17g, expected %.17g", row,
				 c->operation, c->precision, i, item, exponent_of(item, pass), got->at[i], expected);
	}
}

static void test_range(void **state)
{
	static double in[2 * MOST];
	struct fixture fixture = fixture_open(1), threads = fixture_open(3);

	(void)state;
	for (size_t row = 0; row < sizeof cases / sizeof *cases; row++) {
		const struct scaled_case *c = &cases[row];
		struct result plain, exact;

		fill(c, 0, in);
		plain = run(c, fixture.memory, c->precision, in, NULL);
		exact = run(c, fixture.memory, "double", in, NULL);
		expect_bound(c, &plain, &exact, row);
		for (unsigned pass = 1; pass <= sizeof exponents / sizeof *exponents; pass++) {
			struct result got;

			fill(c, pass, in);
			got = run(c, pass % 2 ? fixture.memory : threads.memory, c->precision, in, NULL);
			expect_scaled(c, &got, &plain, row, pass);
			free(got.at);
		}
		free(plain.at);
		free(exact.at);
	}
	fixture_close(&threads);
	fixture_close(&fixture);
}

/* A result that its dtype cannot represent is infinite, or zero; NaN and infinity stay in their own transform. */
static void test_outside(void **state)
{
	static const struct scaled_case c = {.operation = "fft", .precision = "fast", .shape = {3, 1, 8}, .axes = {2},
					     .n_axes = 1, .is_complex = true};
	struct fixture fixture = fixture_open(1);
	double in[48];
	struct result got, clean;

	(void)state;
	for (unsigned i = 0; i < 48; i++)
		in[i] = ldexp(1 + i % 16 * 0.01, i < 16 ? 133 : i < 32 ? -200 : 0);
	got = run(&c, fixture.memory, "fast", in, "complex64");
	assert_true(isinf(((const float *)got.at)[0]));
	assert_true(((const float *)got.at)[16] == 0);
	assert_true(((const float *)got.at)[32] > 8);
	free(got.at);
	clean = run(&c, fixture.memory, "fast", in, NULL);
	in[3] = NAN;
	in[20] = INFINITY;
	got = run(&c, fixture.memory, "fast", in, NULL);
	assert_true(isnan(got.at[1]));
	assert_true(isinf(got.at[16]));
	assert_memory_equal(got.at + 32, clean.at + 32, 16 * sizeof *got.at);
	free(got.at);
	free(clean.at);
	fixture_close(&fixture);
}

/* The cheapest mode for a target runs in float32, and its bound holds there too. */
static void test_target(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct sample *sample = sample_new(true);
	void *bytes;
	struct call *call;
	const struct value *reply;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		sample->in[i] *= 1e-60;
	call = fft_call_of(sample, "c128", 60, value_uint(60), &bytes);
	put(call, "target_error", value_real(1.1e-6));
	reply = call_run(call, fixture.memory, "fft");
	assert_true(value_is_text(value_get(reply, "precision"), "fast"));
	widen(reply, sample->got);
	reference(sample->in, sample->expected, 1, 60, 60, 1, false, 1);
	for (size_t i = 0; i < 60; i++) {
		sample->got[i] *= 1e60;
		sample->expected[i] *= 1e60;
	}
	close_to(sample, 60, value_get(reply, "bound")->real, "target 1.1e-6 at 1e-60", 60);
	call_free(call);
	free(bytes);
	free(sample);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
