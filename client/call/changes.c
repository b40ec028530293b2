/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of one run. */
#include "changes.h"

#include <assert.h>

#include "session/tile.h"

static_assert((int)TRNSCI_CHANGE_SEED == (int)PREPARED_SEED && (int)TRNSCI_CHANGE_STREAM == (int)PREPARED_STREAM &&
		      (int)TRNSCI_CHANGE_OFFSET == (int)PREPARED_OFFSET,
	      "the library and the engine number the changes alike");

/* The handle of a tile that was freed: no tile has it, so the engine refuses it. */
#define NO_TILE UINT32_MAX

/* The first `wanted` tiles that a call names, each once. */
struct collection {
	struct trnsci_tile *at[ARGS_SWAPS];
	size_t count, wanted;
};

static bool collect_tile(void *arg, const struct args_tile *at)
{
	struct collection *tiles = arg;

	for (size_t i = 0; i < tiles->count; i++)
		if (tiles->at[i] == at->tile)
			return false;
	tiles->at[tiles->count++] = at->tile;
	return tiles->count == tiles->wanted;
}

/* A tile must not stand for two: the engine has planned which operations work in place, and which do not. */
static bool is_used_twice(void *arg, const struct args_tile *at)
{
	const struct args_swaps *swaps = arg;

	for (size_t i = 0; i < swaps->count; i++)
		if (swaps->to[i] && swaps->from[i] != at->tile && args_swapped(swaps, at->tile) == swaps->to[i])
			return true;
	return false;
}

/* The tiles are listed in the order in which the parameters name them first. References are taken last, once nothing
 * can fail. */
static int read_tiles(const struct trnsci_changes *given, const struct trnsci_session *session, const char *method,
		      const struct args_state *args, struct args_swaps *ret_swaps, struct error *err)
{
	struct collection named = {.wanted = given->n_tiles};
	struct args_swaps swaps = {.count = given->n_tiles};

	if (given->n_tiles > ARGS_SWAPS)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: changes: %zu tiles, allowed are %d", method,
				 given->n_tiles, ARGS_SWAPS);
	args_visit_tiles(args, NULL, collect_tile, &named);
	if (named.count < named.wanted)
		return error_set(err, ERROR_BAD_TILE, "%s: changes: %zu tiles, allowed are the %zu that the call names",
				 method, given->n_tiles, named.count);
	for (size_t i = 0; i < swaps.count; i++) {
		swaps.from[i] = named.at[i];
		swaps.to[i] = given->tiles[i];
		if (swaps.to[i] && swaps.to[i]->session != session)
			return error_set(err, ERROR_BAD_TILE, "%s: changes: tile %zu is of another session", method, i);
	}
	if (args_visit_tiles(args, NULL, is_used_twice, &swaps))
		return error_set(err, ERROR_BAD_TILE, "%s: changes: a tile would stand for two, allowed is for one",
				 method);
	for (size_t i = 0; i < swaps.count; i++)
		tile_ref(swaps.to[i]);
	*ret_swaps = swaps;
	return 0;
}

void changes_drop(struct call_changes *changes)
{
	for (size_t i = 0; i < changes->tiles.count; i++)
		tile_unref(changes->tiles.to[i]);
	changes->given = 0;
	changes->tiles.count = 0;
}

int changes_set(struct call_changes *changes, const struct trnsci_changes *given, const struct trnsci_session *session,
		const char *method, const struct args_state *args, struct error *err)
{
	const unsigned all = TRNSCI_CHANGE_SEED | TRNSCI_CHANGE_STREAM | TRNSCI_CHANGE_OFFSET;

	changes_drop(changes);
	if (!given)
		return 0;
	if (given->given & ~all || given->reserved)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: changes: given or reserved has a bit that means nothing",
				 method);
	if (given->n_tiles) {
		int r = read_tiles(given, session, method, args, &changes->tiles, err);

		if (r < 0)
			return r;
	}
	changes->given = given->given;
	changes->seed = given->seed;
	changes->stream = given->stream;
	changes->offset = given->offset;
	return 0;
}

struct prepared_changes changes_for_engine(const struct call_changes *changes, uint32_t handles[ARGS_SWAPS])
{
	for (size_t i = 0; i < changes->tiles.count; i++) {
		const struct trnsci_tile *tile = changes->tiles.to[i];
		const uint64_t handle = tile ? tile_handle(tile) : 0;

		handles[i] = tile && !handle ? NO_TILE : (uint32_t)handle;
	}
	return (struct prepared_changes){.given = changes->given,
					 .seed = changes->seed,
					 .stream = changes->stream,
					 .offset = changes->offset,
					 .tiles = handles,
					 .n_tiles = changes->tiles.count};
}

int changes_put_numbers(const struct call_changes *changes, struct bump *bump, struct value *params)
{
	const struct {
		unsigned bit;
		const char *name;
		uint64_t value;
	} numbers[] = {
		{TRNSCI_CHANGE_SEED, "seed", changes->seed},
		{TRNSCI_CHANGE_STREAM, "stream", changes->stream},
		{TRNSCI_CHANGE_OFFSET, "offset", changes->offset},
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (changes->given & numbers[i].bit &&
		    value_put(bump, params, numbers[i].name, value_uint(numbers[i].value)))
			return -ERROR_NO_MEMORY;
	return 0;
}

int changes_put_tiles(const struct call_changes *changes, struct bump *bump, struct value *params)
{
	const struct args_swaps *swaps = &changes->tiles;
	struct value tiles = value_array();

	for (size_t i = 0; i < swaps->count; i++)
		if (value_push(bump, &tiles, swaps->to[i] ? value_uint(tile_handle(swaps->to[i])) : value_nil()))
			return -ERROR_NO_MEMORY;
	return swaps->count ? value_add(bump, params, "tiles", tiles) : 0;
}
