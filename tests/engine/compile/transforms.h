/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of transforms as requests share: arrays of any dtype, and the defining sum. */
#ifndef TESTS_ENGINE_TRANSFORMS_H
#define TESTS_ENGINE_TRANSFORMS_H

#include "engine/harness.h"

#include <complex.h>
#include <math.h>

#include "engine/numbers.h"
#include "roots.h"

enum { MAX_N = 4096 };

/* The sum itself, along one axis of (outer, n, inner), from `length` given elements padded or trimmed to n. */
static inline void reference(const double complex *in, double complex *out, size_t outer, size_t length, size_t n,
			     size_t inner, bool inverse, double factor)
{
	const long double complex *roots = roots_of_unity(n);

	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < inner; i++)
			for (size_t k = 0; k < n; k++) {
				long double re = 0, im = 0;

				for (size_t j = 0; j < n && j < length; j++) {
					const double complex x = in[(o * length + j) * inner + i];
					const long double complex root = roots[j * k % n];
					const long double c = creall(root), s = inverse ? cimagl(root) : -cimagl(root);

					re += creal(x) * c - cimag(x) * s;
					im += creal(x) * s + cimag(x) * c;
				}
				out[(o * n + k) * inner + i] = (double)re * factor + I * ((double)im * factor);
			}
}

static inline double difference(const double complex *a, const double complex *b, size_t n)
{
	double sum = 0, whole = 1e-300;

	for (size_t i = 0; i < n; i++) {
		sum += pow(cabs(a[i] - b[i]), 2);
		whole += pow(cabs(b[i]), 2);
	}
	return sqrt(sum / whole);
}

/* An array of that dtype from doubles, and back. */
static inline void *narrow(const char *dtype, size_t n, const double complex *from, size_t *ret_bytes)
{
	const enum dtype number = dtype_parse(dtype, strlen(dtype));
	const size_t bytes = n * dtype_size(number);
	void *to = malloc(bytes + 1);

	assert_non_null(to);
	for (size_t i = 0; i < n; i++)
		switch (number) {
		case DTYPE_F32:
			((float *)to)[i] = (float)creal(from[i]);
			break;
		case DTYPE_F64:
			((double *)to)[i] = creal(from[i]);
			break;
		case DTYPE_C64:
			((float *)to)[2 * i] = (float)creal(from[i]);
			((float *)to)[2 * i + 1] = (float)cimag(from[i]);
			break;
		default:
			((double *)to)[2 * i] = creal(from[i]);
			((double *)to)[2 * i + 1] = cimag(from[i]);
		}
	*ret_bytes = bytes;
	return to;
}

static inline void widen(const struct value *reply, double complex *to)
{
	const struct value *data = value_get(reply, "data"), *dtype = value_get(reply, "dtype");
	const enum dtype number = dtype_parse(dtype->bytes.at, dtype->bytes.size);
	const size_t n = data->bytes.size / dtype_size(number);

	for (size_t i = 0; i < n; i++)
		switch (number) {
		case DTYPE_F32:
			to[i] = ((const float *)data->bytes.at)[i];
			break;
		case DTYPE_F64:
			to[i] = ((const double *)data->bytes.at)[i];
			break;
		case DTYPE_C64:
			to[i] = ((const float *)data->bytes.at)[2 * i] + I * ((const float *)data->bytes.at)[2 * i + 1];
			break;
		default:
			to[i] = ((const double *)data->bytes.at)[2 * i] +
				I * ((const double *)data->bytes.at)[2 * i + 1];
		}
}

struct sample {
	double complex in[MAX_N], expected[MAX_N], got[MAX_N], between[MAX_N];
};

static inline struct sample *sample_new(bool complex_input)
{
	struct sample *sample = calloc(1, sizeof *sample);

	assert_non_null(sample);
	for (size_t i = 0; i < MAX_N; i++)
		sample->in[i] = random_number() + (complex_input ? I * random_number() : 0);
	return sample;
}

static inline struct call *fft_call_of(const struct sample *sample, const char *dtype, size_t n,
				       struct value shape_or_size, void **ret_bytes)
{
	struct call *call = call_new();
	struct value map;
	size_t bytes;

	*ret_bytes = narrow(dtype, n, sample->in, &bytes);
	map = array_of(call->bump, dtype, n, *ret_bytes, bytes);
	assert_int_equal(value_put(call->bump, &map, "shape", shape_or_size), 0);
	put(call, "in", map);
	return call;
}

static inline void close_to(const struct sample *sample, size_t n, double bound, const char *what, size_t length)
{
	const double error = difference(sample->got, sample->expected, n);

	if (!(error <= bound))
		fail_msg("%s, n = %zu: relative error %.3g, allowed is %.3g", what, length, error, bound);
}

#endif
