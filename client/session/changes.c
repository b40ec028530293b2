/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of one run. */
#include "changes.h"

#include <assert.h>
#include <string.h>

#include "args.h"
#include "tile.h"

static_assert((int)TRNSCI_CHANGE_SEED == (int)PREPARED_SEED && (int)TRNSCI_CHANGE_STREAM == (int)PREPARED_STREAM &&
		      (int)TRNSCI_CHANGE_OFFSET == (int)PREPARED_OFFSET,
	      "the library and the engine say alike what a run states");

/* No handle: of a tile that was freed. */
#define NO_TILE UINT32_MAX

/* ---- tiles ---- */

/* The first tiles that the call names, each once. */
struct collection {
	struct trnsci_tile *at[ARGS_SWAPS];
	size_t count, wanted;
};

static bool collect(void *arg, const struct args_tile *at)
{
	struct collection *tiles = arg;

	for (size_t i = 0; i < tiles->count; i++)
		if (tiles->at[i] == at->tile)
			return false;
	tiles->at[tiles->count++] = at->tile;
	return tiles->count == tiles->wanted;
}

/* Each tile stands for one: what is written in place is laid out apart. */
static bool is_taken(void *arg, const struct args_tile *at)
{
	const struct args_swaps *swaps = arg;

	for (size_t i = 0; i < swaps->count; i++)
		if (swaps->to[i] && swaps->from[i] != at->tile && args_swapped(swaps, at->tile) == swaps->to[i])
			return true;
	return false;
}

static int set_tiles(struct trnsci_call *call, const struct trnsci_changes *changes, struct args_swaps *ret,
		     struct error *err)
{
	struct collection named = {.wanted = changes->n_tiles};
	struct args_swaps swaps = {.count = changes->n_tiles};

	if (changes->n_tiles > ARGS_SWAPS)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: changes: %zu tiles, allowed are %d", call->method,
				 changes->n_tiles, ARGS_SWAPS);
	args_visit_tiles(call->params, NULL, collect, &named);
	if (named.count < named.wanted)
		return error_set(err, ERROR_BAD_TILE, "%s: changes: %zu tiles, allowed are the %zu that the call names",
				 call->method, changes->n_tiles, named.count);
	for (size_t i = 0; i < swaps.count; i++) {
		swaps.from[i] = named.at[i];
		swaps.to[i] = changes->tiles[i];
		if (swaps.to[i] && swaps.to[i]->session != call->session)
			return error_set(err, ERROR_BAD_TILE, "%s: changes: tile %zu is of another session", call->method, i);
	}
	if (args_visit_tiles(call->params, NULL, is_taken, &swaps))
		return error_set(err, ERROR_BAD_TILE, "%s: changes: a tile would stand for two, allowed is for one",
				 call->method);
	for (size_t i = 0; i < swaps.count; i++)
		tile_ref(swaps.to[i]);
	*ret = swaps;
	return 0;
}

/* ---- all of it ---- */

void changes_drop(struct trnsci_call *call)
{
	for (size_t i = 0; i < call->changes.tiles.count; i++)
		tile_unref(call->changes.tiles.to[i]);
	call->changes.given = 0;
	call->changes.tiles.count = 0;
}

int changes_set(struct trnsci_call *call, const struct trnsci_changes *changes, struct error *err)
{
	const unsigned all = TRNSCI_CHANGE_SEED | TRNSCI_CHANGE_STREAM | TRNSCI_CHANGE_OFFSET;
	int r = 0;

	changes_drop(call);
	if (!changes)
		return 0;
	if (changes->given & ~all || changes->reserved)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: changes: given or reserved has a bit that means nothing",
				 call->method);
	if (changes->n_tiles)
		r = set_tiles(call, changes, &call->changes.tiles, err);
	if (r < 0)
		return r;
	call->changes.given = changes->given;
	call->changes.seed = changes->seed;
	call->changes.stream = changes->stream;
	call->changes.offset = changes->offset;
	return 0;
}

struct prepared_changes changes_plain(const struct trnsci_call *call, uint32_t handles[ARGS_SWAPS])
{
	const struct call_changes *changes = &call->changes;

	for (size_t i = 0; i < changes->tiles.count; i++) {
		const struct trnsci_tile *tile = changes->tiles.to[i];
		const uint64_t handle = tile ? tile_handle(tile) : 0;

		handles[i] = tile && !handle ? NO_TILE : (uint32_t)handle;
	}
	return (struct prepared_changes){changes->given,  changes->seed, changes->stream,
					 changes->offset, handles,	 changes->tiles.count};
}

/* A named stream's range gives way to a place that the run states. */
static void drop_name(struct value *params)
{
	static const char name[] = "stream_name";
	size_t kept = 0;

	for (size_t i = 0; i < params->map.count; i++) {
		const struct value_member *member = &params->map.at[i];

		if (member->name_size != sizeof name - 1 || memcmp(member->name, name, sizeof name - 1) != 0)
			params->map.at[kept++] = *member;
	}
	params->map.count = kept;
}

int changes_put(const struct trnsci_call *call, struct bump *bump, struct value *params)
{
	const struct call_changes *changes = &call->changes;

	if (changes->given && strcmp(call->method, "run") == 0)
		drop_name(params);
	return (changes->given & TRNSCI_CHANGE_SEED && value_put(bump, params, "seed", value_uint(changes->seed))) ||
			       (changes->given & TRNSCI_CHANGE_STREAM &&
				value_put(bump, params, "stream", value_uint(changes->stream))) ||
			       (changes->given & TRNSCI_CHANGE_OFFSET &&
				value_put(bump, params, "offset", value_uint(changes->offset)))
		       ? -ERROR_NO_MEMORY
		       : 0;
}

int changes_put_tiles(const struct trnsci_call *call, struct bump *bump, struct value *params)
{
	const struct args_swaps *swaps = &call->changes.tiles;
	struct value tiles = value_array();

	for (size_t i = 0; i < swaps->count; i++)
		if (value_push(bump, &tiles, swaps->to[i] ? value_uint(tile_handle(swaps->to[i])) : value_nil()))
			return -ERROR_NO_MEMORY;
	return swaps->count ? value_add(bump, params, "tiles", tiles) : 0;
}
