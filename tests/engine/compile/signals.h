/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of signal processing share: noise, arrays as parameters, results as doubles, and the error of them.
 */
#ifndef TESTS_ENGINE_SIGNALS_H
#define TESTS_ENGINE_SIGNALS_H

#include "engine/harness.h"

#include <complex.h>
#include <math.h>

#include "engine/numbers.h"
#include "roots.h"

#define PI_L 3.141592653589793238462643383279502884L

typedef long double complex wide_t;

/* n elements of that dtype, and the same as wide numbers (imaginary parts of 0 for real dtypes). */
struct sample {
	enum dtype dtype;
	size_t n, bytes;
	void *data;
	wide_t *wide;
};

static inline struct sample sample_new(const char *dtype, size_t n)
{
	struct sample s = {.dtype = dtype_parse(dtype, strlen(dtype)), .n = n};
	const size_t parts = dtype_is_complex(s.dtype) ? 2 : 1;
	const bool narrow = s.dtype == DTYPE_F32 || s.dtype == DTYPE_C64;

	s.bytes = n * dtype_size(s.dtype);
	s.data = malloc(s.bytes + 1);
	s.wide = calloc(n + 1, sizeof *s.wide);
	assert_non_null(s.data);
	assert_non_null(s.wide);
	for (size_t i = 0; i < n * parts; i++) {
		const double x = narrow ? (double)(float)random_number() : random_number();

		if (narrow)
			((float *)s.data)[i] = (float)x;
		else
			((double *)s.data)[i] = x;
		s.wide[i / parts] += i % parts ? I * (long double)x : (long double)x;
	}
	return s;
}

static inline void sample_free(struct sample *s)
{
	free(s->data);
	free(s->wide);
}

static inline void put_sample(struct call *call, const char *name, const struct sample *s, size_t ndim,
			      const int64_t *shape)
{
	struct value map = array_of(call->bump, dtype_name(s->dtype), s->n, s->data, s->bytes);

	if (ndim)
		assert_int_equal(value_put(call->bump, &map, "shape", list_of(call->bump, ndim, shape)), 0);
	put(call, name, map);
}

static inline size_t reply_dim(const struct value *reply, size_t i)
{
	const struct value *shape = value_get(reply, "shape");

	return i < shape->array.count ? (size_t)shape->array.at[i].u : 0;
}

/* The reply's elements; yours to free. */
static inline wide_t *reply_wide(const struct value *reply, size_t *ret_n)
{
	const struct value *name = value_get(reply, "dtype"), *data = value_get(reply, "data");
	const enum dtype dtype = dtype_parse(name->bytes.at, name->bytes.size);
	const size_t parts = dtype_is_complex(dtype) ? 2 : 1, n = data->bytes.size / dtype_size(dtype);
	const bool narrow = dtype == DTYPE_F32 || dtype == DTYPE_C64;
	wide_t *to = calloc(n + 1, sizeof *to);

	assert_non_null(to);
	for (size_t i = 0; i < n * parts; i++) {
		const long double x = narrow ? ((const float *)(const void *)data->bytes.at)[i]
					     : ((const double *)(const void *)data->bytes.at)[i];

		to[i / parts] += i % parts ? I * x : x;
	}
	*ret_n = n;
	return to;
}

/* The relative L2 error of a reply; fails the test above the bound, or at another size. */
static inline void hold(const struct value *reply, const wide_t *expected, size_t n, double bound, const char *what)
{
	size_t have;
	wide_t *got = reply_wide(reply, &have);
	long double sum = 0, whole = 1e-300L;

	if (have != n)
		fail_msg("%s: %zu elements, expected %zu", what, have, n);
	for (size_t i = 0; i < n; i++) {
		const wide_t d = got[i] - expected[i];

		sum += creall(d) * creall(d) + cimagl(d) * cimagl(d);
		whole += creall(expected[i]) * creall(expected[i]) + cimagl(expected[i]) * cimagl(expected[i]);
	}
	if (!(sqrtl(sum / whole) <= bound))
		fail_msg("%s: relative error %.3Lg, allowed is %.3g", what, sqrtl(sum / whole), bound);
	free(got);
}

#endif
