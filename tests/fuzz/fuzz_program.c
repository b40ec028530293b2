/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: a request of any method of the engine, and its run. What is wrong is answered with an error of a name; what
 * is not ends within its limits of memory, or when it is cancelled. A program that can be run is kept, too, run three
 * times, of which two at once, and freed: its runs say what its own does. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec.h"
#include "engine/deferred_reply.h"
#include "engine/engine.h"
#include "engine/memory/engine_session.h"
#include "engine/request.h"
#include "frame.h"
#include "harness/wait.h"

enum { ARENA = 1 << 16, LOOKS = 13, WORK_MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct engine *engine;
static bool tiles; /* that a program may read and write */
static _Alignas(4096) char arena[ARENA];

static void on_done(struct request *request, void *arg)
{
	(void)request;
	__atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
}

static void keep(void *owner)
{
	(void)owner;
}

/* Whoever keeps named streams: every name stands for one, whose ranges are at the same place each time. */
static int serve(void *arg, const struct args *args, struct deferred_reply *deferred)
{
	(void)arg;
	return error_set(deferred->error, ERROR_NOT_SUPPORTED, "%s: nobody keeps streams", args->context);
}

static int reserve(void *arg, const char *name, size_t size, const char *context, struct deferred_reply *deferred)
{
	(void)arg;
	(void)context;
	deferred->stream = (struct stream){GENERATOR_THREEFRY4X32, 7, size ? (unsigned char)*name : 0};
	deferred->offset = deferred->words * STREAM_GROUP_WORDS;
	return size % 8 == 7 ? error_set(deferred->error, ERROR_NOT_FOUND, "a name of an unlucky length") : 0;
}

static const struct deferred_reply_ops deferred = {serve, reserve, NULL, NULL};

/* In flight: its answer sets done. */
struct flight {
	struct request *request;
	int done;
};

static bool start(struct engine_session *memory, const char *method, size_t size, const struct value *params,
		  struct bump *bump, struct flight *ret_flight)
{
	ret_flight->done = 0;
	return request_start(memory, &(struct request_call){.method = method, .method_size = size, .params = params},
			     bump, on_done, &ret_flight->done, &ret_flight->request) == 0;
}

/* Answered, or cancelled when it takes long: true when it was not. */
static bool await(struct flight *flight)
{
	const struct error *error;
	int looks = 0;

	AWAIT(__atomic_load_n(&flight->done, __ATOMIC_ACQUIRE))
		if (looks++ == LOOKS)
			request_cancel(flight->request);
	error = request_error(flight->request);
	if (error && (!error->code || strlen(error->text) < 8))
		abort();
	return !error;
}

/* A run or a release, in a bump allocator of its own. */
static bool start_prepared(struct engine_session *memory, const char *method, uint64_t handle,
			   struct flight *ret_flight)
{
	struct bump *bump = bump_new();
	struct value params = value_map();

	if (!bump || value_put(bump, &params, "prepared", value_uint(handle)))
		abort();
	return start(memory, method, strlen(method), &params, bump, ret_flight);
}

static void expect_same(const struct request *a, const struct request *b)
{
	const struct value *x = value_get(request_result(a), "results"), *y = value_get(request_result(b), "results");

	if (x->map.count != y->map.count)
		abort();
	for (size_t i = 0; i < x->map.count; i++) {
		const struct value *p = value_get(&x->map.at[i].value, "data"), *q = value_get(&y->map.at[i].value, "data");

		if (p->bytes.size != q->bytes.size || memcmp(p->bytes.at, q->bytes.at, p->bytes.size) != 0)
			abort();
	}
}

/* Two at once, and one that finds what they left. */
static void run_prepared(struct engine_session *memory, uint64_t handle, const struct request *once)
{
	struct flight flights[3], freed;
	bool good[3];

	for (int i = 0; i < 2; i++)
		if (!start_prepared(memory, "run_prepared", handle, &flights[i]))
			abort();
	for (int i = 0; i < 2; i++)
		good[i] = await(&flights[i]);
	if (!start_prepared(memory, "run_prepared", handle, &flights[2]))
		abort();
	good[2] = await(&flights[2]);
	/* Tiles carry something over from run to run. */
	for (int i = 0; i < 3; i++) {
		if (good[i] && !tiles)
			expect_same(once, flights[i].request);
		request_free(flights[i].request);
	}
	if (!start_prepared(memory, "release", handle, &freed) || !await(&freed))
		abort();
	request_free(freed.request);
}

/* The program of one run, prepared. */
static void prepare_program(struct engine_session *memory, const struct value *params, const struct request *once)
{
	struct bump *bump = bump_new();
	struct value prepare = value_map(), copy;
	struct flight flight;

	if (!bump || value_copy(bump, params, &copy) || value_put(bump, &prepare, "method", value_string("run")) ||
	    value_put(bump, &prepare, "params", copy))
		abort();
	if (!start(memory, "prepare", 7, &prepare, bump, &flight))
		abort();
	if (await(&flight))
		run_prepared(memory, value_get(request_result(flight.request), "prepared")->u, once);
	request_free(flight.request);
}

static bool is_called(const struct message *message, const char *name)
{
	return message->method_size == strlen(name) && memcmp(message->method, name, message->method_size) == 0;
}

static void run(struct engine_session *memory, const struct message *message, struct bump *bump)
{
	const bool is_run = is_called(message, "run");
	struct bump *own = is_run ? bump_new() : NULL;
	struct value params;
	struct flight flight;
	bool good;

	if (is_run && (!own || value_copy(own, &message->params, &params)))
		abort();
	if (!start(memory, message->method, message->method_size, &message->params, bump, &flight))
		abort();
	good = await(&flight);
	tiles |= good && is_called(message, "tile");
	if (good && is_run)
		prepare_program(memory, &params, flight.request);
	request_free(flight.request);
	bump_free(own);
}

static int reserve_work(void *arg, uint64_t bytes, struct error *err)
{
	(void)arg;
	return bytes > WORK_MOST ? error_set(err, ERROR_LIMIT, "work memory") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct session_owner limits = {.inline_bytes = 1 << 16,
					      .reserve = reserve_work,
					      .tiles = 8,
					      .prepared = 4,
					      .jobs = 4,
					      .weight = 1,
					      .deferred = &deferred};
	struct frame_limits frames = {.bytes = 1 << 16, .elements = 1 << 12};
	struct frame_scan scan;
	struct engine_session *memory;
	size_t length;

	if (!engine && engine_create(&(struct engine_settings){.threads = 1}, &engine, NULL) < 0)
		abort();
	if (engine_session_create(engine, &limits, &memory) < 0 ||
	    engine_session_attach(memory, arena, ARENA, keep, arena, NULL) < 0)
		abort();
	tiles = false;
	for (;;) {
		frame_scan_init(&scan, &frames);
		if (frame_scan_more(&scan, data, size, &length) <= 0)
			break;
		struct bump *bump = bump_new();
		void *copy = bump_copy(bump, data, length);
		struct message message;

		if (codec_decode(copy, length, bump, &message, NULL) == 0 && message.type == MESSAGE_REQUEST)
			run(memory, &message, bump);
		else
			bump_free(bump);
		data += length;
		size -= length;
	}
	engine_session_close(memory);
	return 0;
}
