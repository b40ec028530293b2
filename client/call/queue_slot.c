/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which calls a queue can run, and makes their replies. */
#include "queue_slot.h"

#include <stdlib.h>
#include <string.h>

#include "session/tile.h"

enum { TILE_MOST = 1 << 20 }; /* bytes: by the socket a call takes 5 to 8 us more, and can be cancelled */

/* ---- the reply ---- */

static struct value *find_member(struct queue_slot *slot, const char *name)
{
	return (struct value *)value_get(&slot->reply, name);
}

/* Numbers may be text (u64: "str"); then the reply is none that a completion can fill in. */
static bool is_number_or_missing(const struct value *value)
{
	return !value || value->kind == VALUE_UINT || value->kind == VALUE_NIL;
}

/* Returns false if the end of a run would not state all that changes in the reply. */
static bool find_members(struct queue_slot *slot)
{
	slot->seed = find_member(slot, "seed");
	slot->stream = find_member(slot, "stream");
	slot->offset = find_member(slot, "offset");
	slot->position = find_member(slot, "position");
	slot->next = find_member(slot, "next");
	slot->tile = find_member(slot, "tile");
	return is_number_or_missing(slot->seed) && is_number_or_missing(slot->stream) && is_number_or_missing(slot->offset) &&
	       is_number_or_missing(slot->position) && is_number_or_missing(slot->next) && is_number_or_missing(slot->tile) &&
	       !find_member(slot, "place") && !find_member(slot, "estimate");
}

/* Writes the value in place: a copy of one that was just made has to wait for its stores. */
static void put_number(struct value *member, bool given, uint64_t number)
{
	if (!member)
		return;
	member->kind = given ? VALUE_UINT : VALUE_NIL;
	member->u = given ? number : 0;
}

void queue_slot_complete(struct trnsci_call *call, const struct queue_completion *completion)
{
	const struct queue_slot *slot = call->queue_slot;

	put_number(slot->seed, completion->given & QUEUE_SEED, completion->seed);
	put_number(slot->stream, completion->given & QUEUE_STREAM, completion->stream);
	put_number(slot->offset, completion->given & QUEUE_OFFSET, completion->offset);
	put_number(slot->position, completion->given & QUEUE_POSITION, completion->position);
	put_number(slot->next, completion->given & QUEUE_NEXT, completion->next);
	put_number(slot->tile, true, tile_handle(args_swapped(&call->changes, slot->out)));
}

/* ---- giving and taking ---- */

/* A queue runs single operations. */
static bool is_one_step(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation && operation->start == START_COMPILED && strcmp(call->method, "run") != 0;
}

static bool is_output(void *arg, const struct args_tile *at)
{
	struct trnsci_tile **out = arg;

	if (!at->output)
		return false;
	*out = at->tile;
	return true;
}

static void free_slot(struct queue_slot *slot)
{
	tile_unref(slot->out);
	bump_free(slot->bump);
	free(slot);
}

static int fill_slot(const struct trnsci_call *call, struct queue_slot *slot)
{
	struct trnsci_tile *out = NULL;

	slot->bump = bump_new_small();
	if (!slot->bump || value_copy(slot->bump, call->answer.reply, &slot->reply) != 0)
		return -ERROR_NO_MEMORY;
	if (!find_members(slot))
		return -ERROR_NOT_SUPPORTED;
	if (!slot->tile)
		return find_member(slot, "data") ? -ERROR_BAD_TILE : -ERROR_NOT_SUPPORTED;
	if (!args_visit_tiles(&call->args, NULL, is_output, &out) || out->bytes > TILE_MOST)
		return -ERROR_NOT_SUPPORTED;
	slot->out = tile_ref(out);
	return 0;
}

int queue_slot_give(struct trnsci_call *call)
{
	struct queue_slot *slot;
	int r;

	if (!is_one_step(call))
		return -ERROR_NOT_SUPPORTED;
	slot = calloc(1, sizeof *slot);
	r = slot ? fill_slot(call, slot) : -ERROR_NO_MEMORY;
	if (r == 0)
		call->queue_slot = slot;
	else if (slot)
		free_slot(slot);
	return r;
}

/* With the lock: the call may be in flight. */
static struct queue_slot *detach_slot(struct trnsci_call *call)
{
	struct queue_slot *slot;

	pthread_mutex_lock(&call->session->lock);
	slot = call->queue_slot;
	call->queue_slot = NULL;
	if (call->answer.reply == &slot->reply)
		call->answer.reply = NULL;
	pthread_mutex_unlock(&call->session->lock);
	return slot;
}

void queue_slot_take(struct trnsci_call *call)
{
	if (call->queue_slot)
		free_slot(detach_slot(call));
}
