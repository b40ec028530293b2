/* SPDX-License-Identifier: Apache-2.0 */
/* Programs written down step by step, and replies compared as a whole. */
#ifndef TESTS_ENGINE_STEPS_H
#define TESTS_ENGINE_STEPS_H

#include "harness.h"

/* {name: value ...}, NULL at the end. */
static inline struct value map_of(struct bump *bump, ...)
{
	struct value map = value_map();
	const char *name;
	va_list args;

	va_start(args, bump);
	while ((name = va_arg(args, const char *)))
		assert_int_equal(value_put(bump, &map, name, va_arg(args, struct value)), 0);
	va_end(args);
	return map;
}

#define STEP(bump, name, ...) map_of(bump, "op", value_string(name), __VA_ARGS__, NULL)

static inline struct value array_with(struct bump *bump, size_t count, const struct value *at)
{
	struct value array = value_array();

	for (size_t i = 0; i < count; i++)
		assert_int_equal(value_push(bump, &array, at[i]), 0);
	return array;
}

#define STEPS(bump, ...)                                                                                               \
	array_with(bump, sizeof((struct value[]){__VA_ARGS__}) / sizeof(struct value), (struct value[]){__VA_ARGS__})

/* Fails unless two trees are the same, members in the same order; where names the place. */
static inline void expect_equal(const char *where, const struct value *a, const struct value *b)
{
	if (a->kind != b->kind)
		fail_msg("%s: of kind %d, expected %d", where, (int)a->kind, (int)b->kind);
	switch (a->kind) {
	case VALUE_MAP:
		if (a->map.count != b->map.count)
			fail_msg("%s: %zu members, expected %zu", where, a->map.count, b->map.count);
		for (size_t i = 0; i < a->map.count; i++) {
			char inside[256];

			snprintf(inside, sizeof inside, "%.120s.%.60s", where, b->map.at[i].name);
			assert_string_equal(a->map.at[i].name, b->map.at[i].name);
			expect_equal(inside, &a->map.at[i].value, &b->map.at[i].value);
		}
		break;
	case VALUE_ARRAY:
		if (a->array.count != b->array.count)
			fail_msg("%s: %zu elements, expected %zu", where, a->array.count, b->array.count);
		for (size_t i = 0; i < a->array.count; i++)
			expect_equal(where, &a->array.at[i], &b->array.at[i]);
		break;
	case VALUE_STRING:
	case VALUE_BYTES:
		if (a->bytes.size != b->bytes.size || memcmp(a->bytes.at, b->bytes.at, a->bytes.size) != 0)
			fail_msg("%s: other bytes", where);
		break;
	case VALUE_REAL:
		if (memcmp(&a->real, &b->real, sizeof a->real) != 0)
			fail_msg("%s: %.17g, expected %.17g", where, a->real, b->real);
		break;
	case VALUE_NIL:
		break;
	case VALUE_BOOL:
		if (a->boolean != b->boolean)
			fail_msg("%s: %d, expected %d", where, a->boolean, b->boolean);
		break;
	default:
		if (a->u != b->u)
			fail_msg("%s: %llu, expected %llu", where, (unsigned long long)a->u, (unsigned long long)b->u);
	}
}

/* The parameters of a call become those of a `prepare` of it. */
static inline void prepare_call(struct call *call, const char *method)
{
	const struct value params = call->params;

	call->params = map_of(call->bump, "method", value_string(method), "params", params, NULL);
}

/* Prepares the method with these parameters, which go with the call. */
static inline uint64_t prepare_method(struct fixture *fixture, const char *method, struct call *call)
{
	uint64_t handle;

	prepare_call(call, method);
	handle = value_get(call_run(call, fixture->memory, "prepare"), "prepared")->u;
	call_free(call);
	return handle;
}

static inline uint64_t prepare_program(struct fixture *fixture, struct call *call)
{
	return prepare_method(fixture, "run", call);
}

/* A call with the handle alone: of a run, or of a release. */
static inline struct call *prepared_call(uint64_t handle)
{
	struct call *call = call_new();

	put(call, "prepared", value_uint(handle));
	return call;
}

#endif
