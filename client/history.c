/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of how tiles came to be. */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "call.h"
#include "codec.h"
#include "replay.h"

/* ---- the list, and its end: without recursion, since one making may hold the last reference to thousands ---- */

static size_t weight(const struct making *making)
{
	return sizeof *making + making->n_tiles * sizeof *making->tiles + making->size;
}

static void enlist(struct history *history, struct making *making)
{
	making->listed = true;
	making->older = history->newest;
	*(history->newest ? &history->newest->newer : &history->oldest) = making;
	history->newest = making;
	history->bytes += weight(making);
}

static void delist(struct history *history, struct making *making)
{
	if (!making->listed)
		return;
	making->listed = false;
	*(making->older ? &making->older->newer : &history->oldest) = making->newer;
	*(making->newer ? &making->newer->older : &history->newest) = making->older;
	making->older = making->newer = NULL;
	history->bytes -= weight(making);
}

/* One reference less; the last one puts it among the dead. */
static void drop(struct history *history, struct making *making, struct making **dead)
{
	if (!making || --making->refs > 0)
		return;
	delist(history, making);
	making->newer = *dead;
	*dead = making;
}

/* It can be made no more, and holds no others. */
static void strip(struct history *history, struct making *making, struct making **dead)
{
	delist(history, making);
	free(making->request);
	making->request = NULL;
	for (size_t i = 0; i < making->n_tiles; i++) {
		drop(history, making->tiles[i].from, dead);
		tile_unref(making->tiles[i].tile);
	}
	making->n_tiles = 0;
}

static void bury(struct history *history, struct making *dead)
{
	while (dead) {
		struct making *making = dead;

		dead = making->newer;
		strip(history, making, &dead);
		free(making);
	}
}

static void unref(struct history *history, struct making *making)
{
	struct making *dead = NULL;

	drop(history, making, &dead);
	bury(history, dead);
}

static void forget(struct history *history, struct making *making)
{
	struct making *dead = NULL;

	strip(history, making, &dead);
	bury(history, dead);
}

/* One in flight still writes its tiles. */
static void forget_oldest(struct history *history)
{
	struct making *making = history->oldest;

	if (!making->flying) {
		forget(history, making);
		return;
	}
	delist(history, making);
	free(making->request);
	making->request = NULL;
}

static struct making *ref(struct making *making)
{
	if (making)
		making->refs++;
	return making;
}

void history_release(struct trnsci_tile *tile)
{
	unref(&tile->session->history, tile->content);
	tile->content = NULL;
	tile->last = NULL;
}

/* ---- sending ---- */

static void tell_shape(const struct trnsci_tile *tile, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "%s [", trnsci_dtype_name(tile->dtype));

	for (size_t i = 0; i < tile->ndim && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, i ? ", %" PRIu64 : "%" PRIu64, tile->shape[i]);
	if (used < room)
		snprintf(text + used, room - used, "]");
}

/* The tiles of a call. */
struct found {
	struct args_tile few[8], *many, *at;
	size_t count, outputs;
};

/* -ERROR_NO_MEMORY: there are more than were found. */
static int find(const struct trnsci_call *call, struct found *found)
{
	const size_t room = sizeof found->few / sizeof *found->few, all = args_tiles(call->params, found->few, room);

	found->many = all > room ? malloc(all * sizeof *found->many) : NULL;
	if (found->many)
		args_tiles(call->params, found->many, all);
	found->at = found->many ? found->many : found->few;
	found->count = all > room && !found->many ? room : all;
	found->outputs = 0;
	for (size_t i = 0; i < found->count; i++)
		found->outputs += found->at[i].output;
	return found->count < all ? -ERROR_NO_MEMORY : 0;
}

static int check_input(const struct trnsci_call *call, const struct args_tile *input, struct error *err)
{
	char shape[100];

	if (input->output || !input->tile->lost)
		return 0;
	tell_shape(input->tile, shape, sizeof shape);
	return error_set(err, ERROR_LOST,
			 "%s: %s: the content of tile %s is gone with the daemon that was restarted, and cannot be computed "
			 "again; allowed once it is filled",
			 call->method, input->name, shape);
}

int history_check(const struct trnsci_call *call, struct error *err)
{
	struct found found;
	int r = find(call, &found);

	if (r < 0)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for its tiles", call->method);
	for (size_t i = 0; i < found.count && r == 0; i++)
		r = check_input(call, &found.at[i], err);
	free(found.many);
	return r;
}

/* A tile that an earlier step of the same program writes is no input of the whole. */
static bool is_written_before(const struct making *making, size_t index)
{
	const struct making_tile *tiles = making->tiles;

	for (size_t i = 0; i < index; i++)
		if (tiles[i].output && tiles[i].tile == tiles[index].tile && tiles[i].group != tiles[index].group)
			return true;
	return false;
}

/* What the inputs hold; false when that is not known. */
static bool take_inputs(struct making *making)
{
	bool known = true;

	for (size_t i = 0; i < making->n_tiles; i++) {
		struct making_tile *at = &making->tiles[i];

		if (at->output || is_written_before(making, i))
			continue;
		at->from = ref(at->tile->content);
		known = known && at->from && at->from->listed;
		making->doubtful |= at->tile->open || (at->from && at->from->doubtful);
	}
	return known;
}

/* From here on nobody knows what they hold. A tile that is written twice at once stays unknown. */
static void take_outputs(struct making *making)
{
	for (size_t i = 0; i < making->n_tiles; i++) {
		struct making_tile *at = &making->tiles[i];
		struct trnsci_tile *tile = at->tile;

		if (!at->output)
			continue;
		at->from = tile->content;
		tile->content = NULL;
		tile->last = tile->writers == 0 || tile->last == making ? making : NULL;
		tile->writers++;
		tile->used = true;
	}
}

/* It spends a range of a named stream, which its reply tells. */
static bool takes_range(const struct trnsci_call *call)
{
	return call_effect(call) == EFFECT_LASTING &&
	       (strcmp(call->method, "stream_draw") == 0 || strcmp(call->method, "run") == 0);
}

static bool can_be_made_again(const struct trnsci_call *call)
{
	return call_effect(call) == EFFECT_NONE || takes_range(call);
}

static struct making *new_making(const struct args_tile *tiles, size_t count)
{
	struct making *making = calloc(1, sizeof *making + count * sizeof *making->tiles);

	if (!making)
		return NULL;
	making->refs = 1;
	making->flying = true;
	making->n_tiles = count;
	for (size_t i = 0; i < count; i++)
		making->tiles[i] = (struct making_tile){
			.tile = tile_ref(tiles[i].tile), .ordinal = tiles[i].ordinal, .group = tiles[i].group, .output = tiles[i].output};
	return making;
}

/* Without memory for it nothing is remembered. */
static void forget_outputs(const struct found *found)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->at[i].output && tile_handle(found->at[i].tile)) {
			history_release(found->at[i].tile);
			found->at[i].tile->used = true;
		}
}

/* Nor for what the call writes: it may be any tile. */
static void forget_all(struct trnsci_session *session)
{
	for (struct trnsci_tile *tile = session->tiles; tile; tile = tile->next) {
		history_release(tile);
		tile->used = true;
	}
}

/* Whether the request itself can be remembered. */
static bool keep_request(struct making *making, const char *frame, size_t size)
{
	making->request = size <= HISTORY_BYTES / 4 ? malloc(size) : NULL;
	if (!making->request)
		return false;
	memcpy(making->request, frame, size);
	making->size = size;
	return true;
}

void history_begin(struct trnsci_call *call, const char *frame, size_t size)
{
	struct history *history = &call->session->history;
	struct found found;

	if (find(call, &found) < 0) {
		forget_all(call->session);
		return;
	}
	struct making *making = found.outputs ? new_making(found.at, found.count) : NULL;

	if (found.outputs && !making)
		forget_outputs(&found);
	free(found.many);
	if (!making)
		return;
	const bool known = take_inputs(making);

	take_outputs(making);
	call->making = making;
	if (!known || !can_be_made_again(call) || !keep_request(making, frame, size))
		return;
	enlist(history, making);
	while (history->bytes > HISTORY_BYTES)
		forget_oldest(history);
}

/* ---- answers ---- */

/* A tile that it read, and that others wrote meanwhile: nobody knows what it saw. */
static bool inputs_have_changed(const struct making *making)
{
	for (size_t i = 0; i < making->n_tiles; i++) {
		const struct making_tile *at = &making->tiles[i];

		if (!at->output && at->from && at->tile->content != at->from && at->tile->last != making)
			return true;
	}
	return false;
}

/* A request that was refused as wrong has written nothing; of one that was not answered, the next daemon knows nothing. */
static bool has_not_begun(const struct error *error)
{
	return error_kind(error->code) == ERROR_KIND_REQUEST || error->code == ERROR_CLOSED || error->code == ERROR_LOST;
}

/* error: NULL when it was done. */
static void end_output(struct history *history, struct making *making, struct making_tile *at,
		       const struct error *error)
{
	struct trnsci_tile *tile = at->tile;
	struct making *before = at->from;
	const bool only = tile->last == making;

	at->from = NULL;
	if (tile->writers > 0 && --tile->writers == 0 && only)
		tile->last = NULL;
	if (!error)
		tile->lost = false;
	if (only && tile->writers == 0 && tile_handle(tile) && !tile->content) {
		if (!error && making->listed)
			tile->content = ref(making);
		else if (error && has_not_begun(error) && !tile->lost)
			tile->content = ref(before);
	}
	unref(history, before);
}

/* What drew from a named stream is remembered as the plain request that gives the same: the stream is not asked again. */
static bool place(struct history *history, const struct trnsci_call *call, struct making *making,
		  const struct value *reply)
{
	if (!takes_range(call))
		return true;
	history->bytes -= weight(making);
	const int r = replay_place(making, reply);

	history->bytes += weight(making);
	return r == 0;
}

void history_end(struct trnsci_call *call, const struct error *error, const struct value *reply)
{
	struct history *history = &call->session->history;
	struct making *making = call->making;

	call->making = NULL;
	if (!making)
		return;
	making->flying = false;
	if (making->listed && (error || inputs_have_changed(making) || !place(history, call, making, reply)))
		delist(history, making);
	for (size_t i = 0; i < making->n_tiles; i++)
		if (making->tiles[i].output)
			end_output(history, making, &making->tiles[i], error);
	if (!making->listed)
		forget(history, making);
	unref(history, making);
}
