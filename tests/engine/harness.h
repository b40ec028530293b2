/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine's tests share: an engine with a session with memory, and requests that are waited for. */
#ifndef TESTS_ENGINE_HARNESS_H
#define TESTS_ENGINE_HARNESS_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/dtype.h"
#include "engine/engine.h"
#include "engine/memory/engine_session.h"
#include "engine/operations/operations.h"
#include "engine/request.h"

/* One request in flight: filled by a done callback. */
struct call {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	int done;
	struct request *request;
	struct bump *bump;
	struct value params;
};

struct fixture {
	struct engine *engine;
	struct engine_session *memory;
	void *mapping;
	size_t size;
};

static inline struct fixture fixture_open_with(unsigned threads, uint32_t features, size_t size,
					       struct session_owner *limits)
{
	struct engine_settings settings = {.threads = threads, .features = features};
	struct fixture fixture = {.size = size};
	struct error err = {0};

	if (engine_create(&settings, &fixture.engine, &err))
		fail_msg("engine_create: %s", err.text);
	assert_int_equal(engine_session_create(fixture.engine, limits, &fixture.memory), 0);
	if (size) {
		fixture.mapping = aligned_alloc(4096, size);
		assert_non_null(fixture.mapping);
		memset(fixture.mapping, 0xA5, size);
		assert_int_equal(engine_session_attach(fixture.memory, fixture.mapping, size, free, fixture.mapping, NULL),
				 0);
	}
	return fixture;
}

static inline struct fixture fixture_open(unsigned threads)
{
	return fixture_open_with(threads, cpu_detect(), 64 << 20, NULL);
}

static inline void fixture_close(struct fixture *fixture)
{
	engine_session_close(fixture->memory);
	engine_destroy(fixture->engine);
}

static inline void call_done(struct request *request, void *arg)
{
	struct call *call = arg;

	(void)request;
	pthread_mutex_lock(&call->lock);
	call->done++;
	pthread_cond_broadcast(&call->answered);
	pthread_mutex_unlock(&call->lock);
}

/* A call with a bump allocator of its own, in which the parameters are to be made. */
static inline struct call *call_new(void)
{
	struct call *call = calloc(1, sizeof *call);

	assert_non_null(call);
	pthread_mutex_init(&call->lock, NULL);
	pthread_cond_init(&call->answered, NULL);
	call->bump = bump_new();
	assert_non_null(call->bump);
	call->params = value_map();
	return call;
}

static inline void call_start(struct call *call, struct engine_session *memory, const char *method)
{
	int error = request_start(memory, &(struct request_call){.method = method, .method_size = strlen(method), .params = &call->params},
				  call->bump, call_done, call,
				  &call->request);

	assert_int_equal(error, 0);
}

static inline void call_wait(struct call *call)
{
	pthread_mutex_lock(&call->lock);
	while (!call->done)
		pthread_cond_wait(&call->answered, &call->lock);
	pthread_mutex_unlock(&call->lock);
}

static inline void call_free(struct call *call)
{
	request_free(call->request);
	pthread_mutex_destroy(&call->lock);
	pthread_cond_destroy(&call->answered);
	free(call);
}

static inline void put(struct call *call, const char *name, struct value value)
{
	assert_int_equal(value_put(call->bump, &call->params, name, value), 0);
}

/* A shape or list of axes. */
static inline struct value list_of(struct bump *bump, size_t count, const int64_t *at)
{
	struct value list = value_array();

	for (size_t i = 0; i < count; i++)
		assert_int_equal(value_push(bump, &list, value_int(at[i])), 0);
	return list;
}

#define LIST(call, ...)                                                                                                \
	list_of((call)->bump, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

/* {dtype, shape, data} */
static inline struct value array_of(struct bump *bump, const char *dtype, size_t n, const void *data, size_t bytes)
{
	struct value map = value_map();

	assert_int_equal(value_put(bump, &map, "dtype", value_string(dtype)), 0);
	assert_int_equal(value_put(bump, &map, "shape", value_uint(n)), 0);
	assert_int_equal(value_put(bump, &map, "data", value_bytes(data, bytes)), 0);
	return map;
}

/* Runs to the end; fails the test when the answer is an error. */
static inline const struct value *call_run(struct call *call, struct engine_session *memory, const char *method)
{
	call_start(call, memory, method);
	call_wait(call);
	if (request_error(call->request))
		fail_msg("%s: %s", method, request_error(call->request)->text);
	return request_result(call->request);
}

/* Runs to the end; fails the test unless the answer is that error, whose text begins with prefix. */
static inline void call_fails(struct call *call, struct engine_session *memory, const char *method, int code,
			      const char *prefix)
{
	const struct error *error;

	call_start(call, memory, method);
	call_wait(call);
	error = request_error(call->request);
	if (!error)
		fail_msg("%s: expected %s, got an answer", method, error_name(code));
	if (error->code != code || strncmp(error->text, prefix, strlen(prefix)) != 0)
		fail_msg("%s: expected \"%s...\", got \"%s\"", method, prefix, error->text);
	call_free(call);
}

/* A tile of the session; returns its handle and, unless NULL, where it lies. */
static inline uint64_t tile_of(struct fixture *fixture, const char *dtype, uint64_t n, void **ret_at)
{
	struct call *call = call_new();
	const struct value *reply;
	uint64_t handle;

	put(call, "dtype", value_string(dtype));
	put(call, "shape", value_uint(n));
	reply = call_run(call, fixture->memory, "tile");
	handle = value_get(reply, "tile")->u;
	if (ret_at)
		*ret_at = (char *)fixture->mapping + value_get(reply, "offset")->u;
	call_free(call);
	return handle;
}

static inline void tile_drop(struct fixture *fixture, uint64_t handle)
{
	struct call *call = call_new();

	put(call, "tile", value_uint(handle));
	call_run(call, fixture->memory, "free");
	call_free(call);
}

#endif
