/* SPDX-License-Identifier: Apache-2.0 */
/* The reply of a call that runs through a queue. */
#include "queued_call.h"

#include <stdlib.h>

#include "call.h"
#include "session/tile.h"

static struct value *find_member(struct queued_call *queued, const char *name)
{
	return (struct value *)value_get(&queued->reply, name);
}

/* Numbers may be text (u64: "str"); then the reply is none that a completion can fill in. */
static bool is_number_or_missing(const struct value *value)
{
	return !value || value->kind == VALUE_UINT || value->kind == VALUE_NIL;
}

static bool find_members(struct queued_call *queued)
{
	queued->seed = find_member(queued, "seed");
	queued->stream = find_member(queued, "stream");
	queued->offset = find_member(queued, "offset");
	queued->position = find_member(queued, "position");
	queued->next = find_member(queued, "next");
	queued->tile = find_member(queued, "tile");
	queued->data = find_member(queued, "data");
	return is_number_or_missing(queued->seed) && is_number_or_missing(queued->stream) &&
	       is_number_or_missing(queued->offset) && is_number_or_missing(queued->position) &&
	       is_number_or_missing(queued->next) && is_number_or_missing(queued->tile) &&
	       (queued->tile != NULL) != (queued->data != NULL) && !find_member(queued, "place") &&
	       !find_member(queued, "estimate");
}

int queued_call_new(const struct trnsci_call *call, struct queued_call **ret_queued)
{
	struct queued_call *queued = calloc(1, sizeof *queued);
	int r = -ERROR_NO_MEMORY;

	if (!queued)
		return r;
	queued->bump = bump_new();
	if (queued->bump && value_copy(queued->bump, call->answer.reply, &queued->reply) == 0)
		r = find_members(queued) ? 0 : -ERROR_NOT_SUPPORTED;
	if (r < 0) {
		queued_call_free(queued);
		return r;
	}
	*ret_queued = queued;
	return 0;
}

void queued_call_free(struct queued_call *queued)
{
	if (!queued)
		return;
	if (queued->release)
		queued->release(queued);
	tile_unref(queued->out);
	bump_free(queued->bump);
	free(queued);
}

/* Writes the value in place: a copy of one that was just made has to wait for its stores. */
static void put_number(struct value *member, bool given, uint64_t number)
{
	if (!member)
		return;
	member->kind = given ? VALUE_UINT : VALUE_NIL;
	member->u = given ? number : 0;
}

static void set_number(struct value *member, const struct queue_completion *completion, uint32_t bit, uint64_t number)
{
	put_number(member, completion->given & bit, number);
}

void queued_call_complete(struct trnsci_call *call, const struct queue_completion *completion)
{
	struct queued_call *queued = call->queue.slot;

	set_number(queued->seed, completion, QUEUE_SEED, completion->seed);
	set_number(queued->stream, completion, QUEUE_STREAM, completion->stream);
	set_number(queued->offset, completion, QUEUE_OFFSET, completion->offset);
	set_number(queued->position, completion, QUEUE_POSITION, completion->position);
	set_number(queued->next, completion, QUEUE_NEXT, completion->next);
	if (queued->tile) {
		put_number(queued->tile, true, tile_handle(args_swapped(&call->changes.tiles, queued->out)));
	} else {
		queued->data->kind = VALUE_BYTES;
		queued->data->bytes.at = queued->own->data;
		queued->data->bytes.size = queued->own->bytes;
	}
}

void call_set_queued(struct trnsci_call *call, struct queued_call *queued)
{
	struct trnsci_session *session = call->session;

	pthread_mutex_lock(&session->lock);
	queued->call = call;
	queued->older = session->queue_calls;
	if (queued->older)
		queued->older->younger = queued;
	session->queue_calls = queued;
	call->queue.slot = queued;
	pthread_mutex_unlock(&session->lock);
}

static void unlink_queued(struct trnsci_session *session, struct queued_call *queued)
{
	*(queued->younger ? &queued->younger->older : &session->queue_calls) = queued->older;
	if (queued->older)
		queued->older->younger = queued->younger;
}

void call_end_queued(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct queued_call *queued;

	if (!call->queue.slot)
		return;
	pthread_mutex_lock(&session->lock);
	queued = call->queue.slot;
	call->queue.slot = NULL;
	unlink_queued(session, queued);
	if (call->answer.reply == &queued->reply)
		call->answer.reply = NULL;
	pthread_mutex_unlock(&session->lock);
	queued_call_free(queued);
}

void queued_calls_keep_data(struct trnsci_session *session)
{
	for (struct queued_call *queued = session->queue_calls; queued; queued = queued->older) {
		const void *copy;

		if (!queued->data || queued->call->answer.reply != &queued->reply)
			continue;
		copy = bump_copy(queued->bump, queued->data->bytes.at, queued->data->bytes.size);
		*queued->data = copy ? value_bytes(copy, queued->data->bytes.size) : value_nil();
	}
}
