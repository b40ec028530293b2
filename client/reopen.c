/* SPDX-License-Identifier: Apache-2.0 */
/* A session's tiles, on a new connection.
 *
 * All happens in a mapping of its own, which then takes the old one's place in one step: pointers into tiles stay good,
 * and who reads a tile that is made again sees the same bytes before and after. What is known to be doubtful
 * (history.h) has to come out as it was in the old mapping. That holds the old bytes when the daemon crashed; one that
 * ends in order, or drops a client, empties it first, so the bytes alone never serve as a tile's content. */
#include "reopen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "call.h"
#include "history.h"
#include "replay.h"

struct reopening {
	struct trnsci_session *session;
	struct line *line;
	char *base;                /* of the new arena */
	struct trnsci_tile **tiles; /* of the session, by offset; behind them those that are needed on the way */
	size_t n_tiles, n_temporary, room;
};

static bool is_doubtful(const struct trnsci_tile *tile)
{
	return atomic_load_explicit(&tile->open, memory_order_relaxed) || (tile->content && tile->content->doubtful);
}

/* What was forgotten since was made for an earlier connection. */
static bool is_made(const struct making *making)
{
	return making->listed && making->made;
}

/* ---- the arena ---- */

static int get_arena(struct reopening *reopening, struct error *err)
{
	const size_t size = reopening->session->arena.size;
	struct zone *zone = zone_new();
	struct value params = value_map(), result;
	struct fdpass fds = {.count = 0};
	void *base = NULL;
	int r = zone ? value_put(zone, &params, "bytes", value_uint(size)) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = line_call(reopening->line, "arena", &params, zone, &fds, &result, err);
	if (r == 0)
		r = arena_map(&fds, size, size, &base, err);
	if (r == 0)
		reopening->base = base;
	fdpass_close(&fds);
	zone_free(zone);
	return r;
}

/* ---- what has to be made ---- */

static void want(const struct making *making, bool outputs)
{
	for (size_t i = 0; i < making->n_tiles; i++)
		if (making->tiles[i].from && (outputs || !making->tiles[i].output))
			making->tiles[i].from->wanted = true;
}

/* What tiles hold, or held when a call that is in flight was sent. Inputs are older than what is made of them: one pass
 * from the newest on finds all. */
static void mark_wanted(struct trnsci_session *session)
{
	for (struct making *making = session->history.oldest; making; making = making->newer)
		making->wanted = making->made = false;
	for (struct trnsci_tile *tile = session->tiles; tile; tile = tile->next)
		if (tile->content)
			tile->content->wanted = true;
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		for (struct trnsci_call *call = session->calls[i]; call; call = call->chain)
			if (call->making)
				want(call->making, true);
	for (struct making *making = session->history.newest; making; making = making->older)
		if (making->wanted)
			want(making, false);
}

static int add_tile(struct reopening *reopening, struct trnsci_tile *tile)
{
	const size_t count = reopening->n_tiles + reopening->n_temporary;

	if (count == reopening->room) {
		const size_t room = reopening->room ? reopening->room * 2 : 64;
		struct trnsci_tile **bigger = realloc(reopening->tiles, room * sizeof(struct trnsci_tile *));

		if (!bigger)
			return -ERROR_NO_MEMORY;
		reopening->tiles = bigger;
		reopening->room = room;
	}
	reopening->tiles[count] = tile;
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const size_t left = (*(struct trnsci_tile *const *)a)->offset, right = (*(struct trnsci_tile *const *)b)->offset;

	return (left > right) - (left < right);
}

/* Those that the session has: they come first. */
static int list_tiles(struct reopening *reopening)
{
	for (struct trnsci_tile *tile = reopening->session->tiles; tile; tile = tile->next) {
		tile->new_handle = 0;
		if (add_tile(reopening, tile) < 0)
			return -ERROR_NO_MEMORY;
		reopening->n_tiles++;
	}
	if (reopening->n_tiles)
		qsort(reopening->tiles, reopening->n_tiles, sizeof(struct trnsci_tile *), by_offset);
	return 0;
}

/* ---- tiles ---- */

static int put_parameters(struct zone *zone, const struct trnsci_tile *tile, bool placed, struct value *map)
{
	struct value shape = value_array();
	int failed = value_put(zone, map, "dtype", value_string(trnsci_dtype_name(tile->dtype)));

	for (size_t i = 0; i < tile->ndim; i++)
		failed |= value_push(zone, &shape, value_uint(tile->shape[i]));
	failed |= value_put(zone, map, "shape", shape);
	if (placed)
		failed |= value_put(zone, map, "offset", value_uint(tile->offset));
	if (placed && tile->scope)
		failed |= value_put(zone, map, "scope", value_uint(tile->scope));
	return failed ? -ERROR_NO_MEMORY : 0;
}

static bool is_number(const struct value *map, const char *name, uint64_t expected)
{
	const struct value *value = value_get(map, name);
	uint64_t number;

	return value && value_to_u64(value, &number) && number == expected;
}

/* placed: where it lay. */
static int make_tile(struct reopening *reopening, struct trnsci_tile *tile, bool placed, struct error *err)
{
	struct zone *zone = zone_new();
	struct value params = value_map(), result;
	uint64_t handle = 0;
	int r = zone ? put_parameters(zone, tile, placed, &params) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = line_call(reopening->line, "tile", &params, zone, NULL, &result, err);
	if (r == 0) {
		const struct value *number = value_get(&result, "tile");

		if (!number || !value_to_u64(number, &handle) || handle == 0 ||
		    (placed && !is_number(&result, "offset", tile->offset)) || !is_number(&result, "bytes", tile->bytes))
			r = error_set(err, ERROR_BAD_REPLY, "tile: it does not lie where it did");
	}
	zone_free(zone);
	if (r == 0)
		tile->new_handle = handle;
	return r;
}

static int make_tiles(struct reopening *reopening, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < reopening->n_tiles && r == 0; i++)
		r = make_tile(reopening, reopening->tiles[i], true, err);
	return r;
}

/* One that the program has freed, but that something was made of. */
static int make_temporary(struct reopening *reopening, struct trnsci_tile *tile, struct error *err)
{
	int r = add_tile(reopening, tile);

	if (r == 0)
		r = make_tile(reopening, tile, false, err);
	if (r == 0)
		reopening->n_temporary++;
	return r;
}

static void free_temporaries(struct reopening *reopening)
{
	for (size_t i = 0; i < reopening->n_temporary; i++) {
		struct trnsci_tile *tile = reopening->tiles[reopening->n_tiles + i];
		struct zone *zone = zone_new();
		struct value params = value_map(), result;

		if (zone && value_put(zone, &params, "tile", value_uint(tile->new_handle)) == 0)
			line_call(reopening->line, "free", &params, zone, NULL, &result, NULL);
		tile->new_handle = 0;
		zone_free(zone);
	}
	reopening->n_temporary = 0;
}

/* ---- contents ---- */

static int make_one(struct reopening *reopening, struct making *making, struct error *err)
{
	for (size_t i = 0; i < making->n_tiles; i++) {
		struct making_tile *at = &making->tiles[i];

		if (!at->output && at->from && !is_made(at->from))
			return 0;
		if (tile_handle(at->tile) || at->tile->new_handle)
			continue;
		const int error = make_temporary(reopening, at->tile, err);

		if (error < 0)
			return error == -ERROR_CLOSED || error == -ERROR_BAD_REPLY ? error : 0;
	}
	int r = replay_run(making, reopening->line, err);

	making->made = r == 0;
	return r == -ERROR_CLOSED || r == -ERROR_BAD_REPLY ? r : 0;
}

/* By the order in which they were sent, each into its own tiles: what one reads is there when its turn comes. One that
 * fails is not made, nor what is made of it; without a daemon nothing is. */
static int make_contents(struct reopening *reopening, struct error *err)
{
	int r = 0;

	for (struct making *making = reopening->session->history.oldest; making && r == 0; making = making->newer)
		if (making->wanted)
			r = make_one(reopening, making, err);
	free_temporaries(reopening);
	return r;
}

/* ---- the end ---- */

/* Of a tile that a call in flight writes: what it held before, which that call may read, or leave when it is refused.
 * Of the old bytes some may be new: there is nothing to compare with. */
static bool is_restored(const struct trnsci_tile *tile)
{
	const struct making *making = tile->last;

	for (size_t i = 0; making && i < making->n_tiles; i++) {
		const struct making_tile *at = &making->tiles[i];

		if (at->tile == tile && at->from)
			return is_made(at->from) && !at->from->doubtful &&
			       !atomic_load_explicit(&tile->open, memory_order_relaxed);
	}
	return false;
}

/* A page of zeros may be what the daemon has left of the program's own bytes. */
static bool has_empty_page(const struct trnsci_tile *tile, const char *bytes)
{
	enum { LEAST_PAGE = 4096 };

	for (size_t at = 0, size; at < tile->bytes; at += size) {
		size = LEAST_PAGE - (tile->offset + at) % LEAST_PAGE;
		if (size > tile->bytes - at)
			size = tile->bytes - at;
		if (bytes[at] == 0 && memcmp(bytes + at, bytes + at + 1, size - 1) == 0)
			return true;
	}
	return false;
}

/* Whether its content is there, or there was none. */
static bool is_whole(const struct trnsci_tile *tile, const char *then, const char *now)
{
	if (tile->lost)
		return false;
	if (tile->writers)
		return is_restored(tile);
	if (!tile->content)
		return !tile->used && !atomic_load_explicit(&tile->open, memory_order_relaxed);
	if (!is_made(tile->content) || !is_doubtful(tile))
		return is_made(tile->content);
	return memcmp(then, now, tile->bytes) == 0 && !has_empty_page(tile, now);
}

/* Of a tile that is lost the program still sees what the old mapping has. */
static void judge(struct reopening *reopening)
{
	for (size_t i = 0; i < reopening->n_tiles; i++) {
		struct trnsci_tile *tile = reopening->tiles[i];
		const char *then = reopening->session->arena.base + tile->offset;
		char *now = reopening->base + tile->offset;

		tile->made = is_whole(tile, then, now);
		if (!tile->made)
			memcpy(now, then, tile->bytes);
	}
}

/* The old arena's address leads to the new one; ret_old to what it led to, to be unmapped. */
static int switch_arenas(struct reopening *reopening, char **ret_old, struct error *err)
{
	struct arena *arena = &reopening->session->arena;
	/* Of a shared mapping: of length 0 it is doubled, and nothing is moved. */
	char *old = mremap(arena->base, 0, arena->size, MREMAP_MAYMOVE);

	if (old == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "arena: mremap: %s", strerror(errno));
	if (mremap(reopening->base, arena->size, arena->size, MREMAP_MAYMOVE | MREMAP_FIXED, arena->base) == MAP_FAILED) {
		const int saved = errno;

		/* What lay there may be gone by now. */
		if (mremap(old, arena->size, arena->size, MREMAP_MAYMOVE | MREMAP_FIXED, arena->base) == MAP_FAILED)
			munmap(old, arena->size);
		return error_set(err, ERROR_SYSTEM, "arena: mremap: %s", strerror(saved));
	}
	reopening->base = NULL;
	*ret_old = old;
	return 0;
}

/* What the program wrote into an open tile while all this went on is in the old arena only: then it is lost. */
static void adopt(struct reopening *reopening, const char *old)
{
	for (size_t i = 0; i < reopening->n_tiles; i++) {
		struct trnsci_tile *tile = reopening->tiles[i];

		if (tile->made && is_doubtful(tile))
			tile->made = tile->content && memcmp(old + tile->offset, reopening->session->arena.base + tile->offset,
							     tile->bytes) == 0;
		if (!tile->made && !tile->writers)
			history_release(tile);
		tile->lost = !tile->made;
		atomic_store_explicit(&tile->handle, tile->new_handle, memory_order_relaxed);
	}
}

static int run(struct reopening *reopening, struct error *err)
{
	char *old = NULL;
	int r = get_arena(reopening, err);

	if (r == 0 && (r = list_tiles(reopening)) < 0)
		return error_set(err, ERROR_NO_MEMORY, "tiles: no memory to list them");
	if (r == 0)
		r = make_tiles(reopening, err);
	if (r < 0)
		return r;
	mark_wanted(reopening->session);
	r = make_contents(reopening, err);
	if (r < 0)
		return r;
	judge(reopening);
	r = switch_arenas(reopening, &old, err);
	if (r < 0)
		return r;
	adopt(reopening, old);
	munmap(old, reopening->session->arena.size);
	return 0;
}

int reopen(struct trnsci_session *session, struct line *line, struct error *err)
{
	struct reopening reopening = {.session = session, .line = line};
	int r = session->arena.base ? run(&reopening, err) : 0;

	if (reopening.base)
		munmap(reopening.base, session->arena.size);
	for (size_t i = 0; i < reopening.n_tiles; i++)
		reopening.tiles[i]->new_handle = 0;
	free(reopening.tiles);
	return r;
}
