/* SPDX-License-Identifier: Apache-2.0 */
/* Cosine and sine transforms as requests, held against their definition, there and back. */
#include "transforms.h"

/* y[k] of a cosine or sine transform, by its definition. */
static double series_element(bool sine, unsigned type, const double complex *x, size_t n, size_t inner, size_t k)
{
	const long double pi = 3.14159265358979323846264338327950288L, h = 0.5L;
	long double sum = 0;

	for (size_t j = 0; j < n; j++) {
		const long double a = (long double)j + (type % 2 == 0 ? h : sine ? 1 : 0);
		const long double b = (long double)k + (type > 2 ? h : sine ? 1 : 0);
		const long double whole = type == 1 ? (long double)n + (sine ? 1 : -1) : (long double)n;
		const bool end = sine ? type == 3 && j + 1 == n : (type == 1 && (j == 0 || j + 1 == n)) || (type == 3 && j == 0);

		sum += (end ? 1 : 2) * creal(x[j * inner]) * (sine ? sinl(pi * a * b / whole) : cosl(pi * a * b / whole));
	}
	return (double)sum;
}

/* Every type, along the middle axis of three; and there and back over two axes, complex, in one tile's worth. */
static void test_series(void **state)
{
	enum { OUTER = 3, N = 10, INNER = 5, ALL = OUTER * N * INNER };
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned which = 0; which < 8; which++) {
		const bool sine = which / 4;
		const char *name = sine ? "dst" : "dct";
		const char type[2] = {(char)('1' + which % 4), 0};
		struct sample *sample = sample_new(true);
		void *bytes, *again;
		struct call *call = fft_call_of(sample, "f64", ALL, value_nil(), &bytes);
		struct call *there = fft_call_of(sample, "c64", ALL, value_nil(), &again), *back = call_new();

		value_put(call->bump, (struct value *)value_get(&call->params, "in"), "shape",
			  LIST(call, OUTER, N, INNER));
		put(call, "axes", value_int(1));
		put(call, "type", value_string(type));
		widen(call_run(call, fixture.memory, name), sample->got);
		for (size_t i = 0; i < ALL; i++)
			sample->expected[i] =
				series_element(sine, which % 4 + 1, sample->in + i / (N * INNER) * N * INNER + i % INNER, N,
					       INNER, i / INNER % N);
		close_to(sample, ALL, 1e-14, name, which % 4 + 1);

		value_put(there->bump, (struct value *)value_get(&there->params, "in"), "shape",
			  LIST(there, OUTER, N, INNER));
		for (unsigned i = 0; i < 2; i++) {
			put(i ? back : there, "axes", i ? LIST(back, 0, 2) : LIST(there, 0, 2));
			put(i ? back : there, "type", value_string(type));
			put(i ? back : there, "norm", value_string("ortho"));
			put(i ? back : there, "inverse", value_bool(i));
			if (i == 0) {
				const struct value *reply = call_run(there, fixture.memory, name);
				struct value in = array_of(back->bump, "c64", ALL, value_get(reply, "data")->bytes.at, ALL * 8);

				value_put(back->bump, &in, "shape", LIST(back, OUTER, N, INNER));
				put(back, "in", in);
			}
		}
		widen(call_run(back, fixture.memory, name), sample->got);
		memcpy(sample->expected, sample->in, ALL * sizeof *sample->in);
		close_to(sample, ALL, 4e-6, name, which % 4 + 1);
		call_free(call);
		call_free(there);
		call_free(back);
		free(bytes);
		free(again);
		free(sample);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
