/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrices, and estimates of their trace as requests. */
#ifndef TESTS_ENGINE_SQUARES_H
#define TESTS_ENGINE_SQUARES_H

#include "engine/harness.h"

#include <math.h>

#include "engine/numbers.h"

/* A square matrix in float64, and the same in the dtype of the request. */
struct square {
	const char *dtype;
	size_t n;
	double *at;
	void *bytes;
	size_t size;
};

static inline struct square square_new(const char *dtype, size_t n)
{
	struct square s = {.dtype = dtype, .n = n};

	s.size = n * n * (strcmp(dtype, "f32") == 0 ? sizeof(float) : sizeof(double));
	s.at = calloc(n * n + 1, sizeof *s.at);
	s.bytes = malloc(s.size + 1);
	assert_non_null(s.at);
	assert_non_null(s.bytes);
	return s;
}

static inline void square_free(struct square *s)
{
	free(s->at);
	free(s->bytes);
}

/* Rounds at to the dtype, and takes what came of it. */
static inline void settle(struct square *s)
{
	for (size_t i = 0; i < s->n * s->n; i++)
		if (strcmp(s->dtype, "f32") == 0)
			s->at[i] = ((float *)s->bytes)[i] = (float)s->at[i];
		else
			((double *)s->bytes)[i] = s->at[i];
}

static inline struct square random_square(const char *dtype, size_t n)
{
	struct square s = square_new(dtype, n);

	for (size_t i = 0; i < n * n; i++)
		s.at[i] = random_number();
	settle(&s);
	return s;
}

struct asked {
	const char *method, *distribution;
	uint64_t probes, seed, offset, rank, size;
};

struct estimated {
	double estimate, error; /* NaN: none */
	uint64_t products, next;
};

static inline void put_matrix(struct call *call, const struct square *s)
{
	struct value map = array_of(call->bump, s->dtype, s->n * s->n, s->bytes, s->size);

	assert_int_equal(value_put(call->bump, &map, "shape", LIST(call, (int64_t)s->n, (int64_t)s->n)), 0);
	put(call, "in", map);
}

static inline struct call *call_of(const struct square *s, const struct asked *a)
{
	struct call *call = call_new();

	put_matrix(call, s);
	if (a->method)
		put(call, "method", value_string(a->method));
	if (a->distribution)
		put(call, "distribution", value_string(a->distribution));
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

static inline double real_of(const struct value *value)
{
	return value && value->kind == VALUE_REAL ? value->real : (double)NAN;
}

static inline struct estimated ask(struct fixture *fixture, const struct square *s, struct asked a)
{
	struct call *call = call_of(s, &a);
	const struct value *reply = call_run(call, fixture->memory, "trace");
	struct estimated estimated = {real_of(value_get(reply, "estimate")),
				      real_of(value_get(reply, "standard_error")), value_get(reply, "products")->u,
				      value_get(reply, "next")->u};
	double pair[2];

	assert_int_equal(value_get(reply, "data")->bytes.size, sizeof pair);
	memcpy(pair, value_get(reply, "data")->bytes.at, sizeof pair);
	assert_memory_equal(&pair[0], &estimated.estimate, sizeof(double));
	assert_true(isnan(estimated.error) ? isnan(pair[1]) : pair[1] == estimated.error);
	call_free(call);
	return estimated;
}

static inline struct fixture fixture_for(unsigned threads, uint32_t features)
{
	return fixture_open_with(threads, features, 0, NULL);
}

static inline void near(double got, double expected, double scale, const char *what)
{
	if (!(fabs(got - expected) <= 1e-10 * scale))
		fail_msg("%s: got %.17g, expected %.17g", what, got, expected);
}

#endif
