/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: a request of any method of the engine, and its run. What is wrong is answered with an error of a name; what
 * is not ends within its limits of memory, or when it is cancelled. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "engine/space.h"
#include "frame.h"

enum { ARENA = 1 << 16, PATIENCE = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct engine *engine;
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

static void run(struct space *space, const struct message *message, struct zone *zone)
{
	struct request *request;
	int done = 0;

	if (request_start(space, message->method, message->method_size, &message->params, zone, on_done, &done,
			  &request) < 0)
		return;
	for (int waited = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); waited++) {
		if (waited == PATIENCE)
			request_cancel(request);
		usleep(20);
	}
	if (request_error(request) && (!request_error(request)->code || strlen(request_error(request)->text) < 8))
		abort();
	request_free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct space_limits limits = {
		.inline_bytes = 1 << 16, .temp_bytes = 1 << 20, .tiles = 8, .programs = 4, .jobs = 4, .weight = 1};
	struct frame_limits frames = {.bytes = 1 << 16, .elements = 1 << 12};
	struct frame_scan scan;
	struct space *space;
	size_t length;

	if (!engine && engine_create(&(struct engine_settings){.threads = 1}, &engine, NULL) < 0)
		abort();
	if (space_create(engine, &limits, &space) < 0 || space_attach(space, arena, ARENA, keep, arena) < 0)
		abort();
	for (;;) {
		frame_scan_init(&scan, &frames);
		if (frame_scan_more(&scan, data, size, &length) <= 0)
			break;
		struct zone *zone = zone_new();
		void *copy = zone_copy(zone, data, length);
		struct message message;

		if (codec_decode(copy, length, zone, &message, NULL) == 0 && message.type == MESSAGE_REQUEST)
			run(space, &message, zone);
		else
			zone_free(zone);
		data += length;
		size -= length;
	}
	space_close(space);
	return 0;
}
