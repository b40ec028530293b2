/* SPDX-License-Identifier: Apache-2.0 */
/* Precisions of transforms as requests: which one runs, and what the reply says of it. */
#include "transforms.h"

/* Products with the matrix serve real input, several axes, and lengths to 256; the reply states what else runs. */
static void test_products(void **state)
{
	static const struct {
		const char *precision, *ran;
		uint64_t length;
		bool real, inverse;
	} cases[] = {
		{"ozaki6", "ozaki6", 64, false, false},   {"ozaki6", "ozaki6", 64, true, false},
		{"bf16", "bf16", 37, true, false},        {"ozaki_fp64", "ozaki_fp64", 256, false, true},
		{"ozaki6", "kahan", 257, false, false},   {"bf16", "fast", 300, true, false},
		{"ozaki_hq", "double", 300, false, true}, {"ozaki", "fast", 64, true, true},
	};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint64_t n = cases[i].length, rows = 3;
		const bool real_in = cases[i].real && !cases[i].inverse;
		const uint64_t length = cases[i].real && cases[i].inverse ? n / 2 + 1 : n;
		struct sample *sample = sample_new(!real_in);
		void *bytes;
		struct call *call;
		const struct value *reply;
		double bound;

		call = fft_call_of(sample, real_in ? "f32" : "c128", rows * length, value_uint(rows * length), &bytes);
		value_put(call->bump, (struct value *)value_get(&call->params, "in"), "shape",
			  LIST(call, (int64_t)rows, (int64_t)length));
		put(call, "precision", value_string(cases[i].precision));
		put(call, "inverse", value_bool(cases[i].inverse));
		put(call, "real", value_bool(cases[i].real));
		put(call, "norm", value_string("forward"));
		if (!cases[i].inverse)
			put(call, "norm", value_string("backward"));
		reply = call_run(call, fixture.memory, "fft");
		assert_true(value_is_text(value_get(reply, "precision"), cases[i].ran));
		bound = value_get(reply, "bound")->real;
		if (!(cases[i].real && cases[i].inverse)) {
			widen(reply, sample->got);
			reference(sample->in, sample->expected, rows, n, n, 1, cases[i].inverse, 1);
			for (uint64_t r = 0; r < rows && cases[i].real; r++)
				memmove(sample->expected + r * (n / 2 + 1), sample->expected + r * n,
					(n / 2 + 1) * sizeof *sample->expected);
			close_to(sample, rows * (cases[i].real ? n / 2 + 1 : n), bound + (real_in ? 6e-8 : 0),
				 cases[i].precision, n);
		}
		call_free(call);
		free(bytes);
		free(sample);
	}
	fixture_close(&fixture);
}

/* precision, target_error and dtype, and what the reply says of them. */
static void test_precision(void **state)
{
	static const struct {
		const char *in, *precision;
		double target;
		const char *dtype, *out, *ran;
	} cases[] = {
		{"f32", NULL, 0, NULL, "c64", "fast"},
		{"c128", NULL, 0, NULL, "c128", "double"},
		{"f32", "double", 0, NULL, "c128", "double"},
		{"f64", "fast", 0, NULL, "c128", "fast"},
		{"c64", NULL, 1e-3, NULL, "c64", "fast"},
		{"c64", NULL, 1e-9, NULL, "c128", "double"},
		{"f64", NULL, 1e-3, "complex64", "c64", "fast"},
		{"f64", NULL, 0, "c64", "c64", "double"},
		{"c64", "kahan", 0, NULL, "c64", "kahan"},
		{"c128", "bf16", 0, NULL, "c128", "bf16"},
		{"f32", "ozaki", 0, NULL, "c64", "ozaki"},
		{"c64", "bf16_refined", 0, NULL, "c64", "bf16_refined"},
		{"c64", "ozaki6", 0, NULL, "c64", "ozaki6"},
		{"c64", "ozaki_hq", 0, NULL, "c128", "ozaki_hq"},
		{"f64", "ozaki_fp64", 0, NULL, "c128", "ozaki_fp64"},
		{"c64", NULL, 9e-15, NULL, "c128", "ozaki_fp64"},
		{"c64", NULL, 2e-7, NULL, "c64", "kahan"},
		{"c128", "ozaki_hq", 0, "complex64", "c64", "ozaki_hq"},
	};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample *sample = sample_new(cases[i].in[0] == 'c');
		void *bytes;
		struct call *call = fft_call_of(sample, cases[i].in, 60, value_uint(60), &bytes);

		if (cases[i].precision)
			put(call, "precision", value_string(cases[i].precision));
		if (cases[i].target > 0)
			put(call, "target_error", value_real(cases[i].target));
		if (cases[i].dtype)
			put(call, "dtype", value_string(cases[i].dtype));
		const struct value *reply = call_run(call, fixture.memory, "fft");
		widen(reply, sample->got);
		reference(sample->in, sample->expected, 1, 60, 60, 1, false, 1);
		assert_true(value_is_text(value_get(reply, "dtype"), cases[i].out));
		assert_true(value_is_text(value_get(reply, "precision"), cases[i].ran));
		/* The input, too, is rounded to float32 by this test where its dtype is. */
		close_to(sample, 60,
			 value_get(reply, "bound")->real + (cases[i].in[1] == '3' || cases[i].in[1] == '6' ? 6e-8 : 0),
			 "precision", i);
		call_free(call);
		free(bytes);
		free(sample);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_products),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
