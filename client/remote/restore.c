/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring a session's tiles on a new connection.
 *
 * The contents are copied into new arenas at addresses of their own; then each mapping replaces an old one in one step. Addresses stay valid, and a thread that reads a tile meanwhile sees the same bytes before and after. Bytes that
 * the program writes meanwhile may be lost. The copy skips pages that were never touched. */
#include "restore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena_map.h"
#include "base/dtype.h"
#include "session/arena.h"
#include "session/tile.h"

/* One arena of the session, and what replaces it. */
struct move {
	struct arena *old, *new; /* the new one is NULL until the daemon gives it */
};

struct restoring {
	struct trnsci_session *session;
	struct handshake *handshake;
	struct move *moves; /* of the arenas that hold tiles */
	size_t n_moves;
	struct trnsci_tile **tiles; /* sorted by arena and offset */
	size_t n_tiles;
};

/* ---- arenas ---- */

static int get_arena(struct restoring *restoring, struct move *move, struct error *err)
{
	struct bump *bump = bump_new();
	struct value params = value_map(), result;
	struct fdpass fds = {.count = 0};
	int r = bump ? arena_map_put_params(bump, &params, move->old->size) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = handshake_call(restoring->handshake, "arena", &params, bump, &fds, &result, err);
	if (r == 0)
		r = arena_map(&fds, &result, move->old->size, &move->new, err);
	if (r == 0 && move->new->size != move->old->size)
		r = error_set(err, ERROR_BAD_REPLY, "arena: %zu bytes, %zu were asked for", move->new->size,
			      move->old->size);
	fdpass_close(&fds);
	bump_free(bump);
	return r;
}

static int get_arenas(struct restoring *restoring, struct error *err)
{
	size_t count = 0;
	int r = 0;

	for (const struct arena *arena = restoring->session->arenas; arena; arena = arena->next)
		count += arena->n_tiles > 0;
	restoring->moves = calloc(count ? count : 1, sizeof *restoring->moves);
	if (!restoring->moves)
		return error_set(err, ERROR_NO_MEMORY, "arena: no memory to list them");
	for (struct arena *arena = restoring->session->arenas; arena && r == 0; arena = arena->next)
		if (arena->n_tiles > 0) {
			struct move *move = &restoring->moves[restoring->n_moves++];

			move->old = arena;
			r = get_arena(restoring, move, err);
		}
	return r;
}

static const struct move *move_of(const struct restoring *restoring, const struct trnsci_tile *tile)
{
	const struct move *move = restoring->moves;

	while (move->old != tile->arena)
		move++;
	return move;
}

/* ---- tiles ---- */

static int compare_offsets(const void *a, const void *b)
{
	const struct trnsci_tile *left = *(struct trnsci_tile *const *)a, *right = *(struct trnsci_tile *const *)b;

	if (left->arena != right->arena)
		return (uintptr_t)left->arena < (uintptr_t)right->arena ? -1 : 1;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

static int list_tiles(struct restoring *restoring, struct error *err)
{
	size_t count = 0;

	for (const struct trnsci_tile *tile = restoring->session->tiles; tile; tile = tile->next)
		count++;
	restoring->tiles = malloc((count ? count : 1) * sizeof(struct trnsci_tile *));
	if (!restoring->tiles)
		return error_set(err, ERROR_NO_MEMORY, "tiles: no memory to list them");
	for (struct trnsci_tile *tile = restoring->session->tiles; tile; tile = tile->next)
		restoring->tiles[restoring->n_tiles++] = tile;
	qsort(restoring->tiles, count, sizeof(struct trnsci_tile *), compare_offsets);
	return 0;
}

static int put_parameters(struct bump *bump, const struct trnsci_tile *tile, uint32_t arena, struct value *map)
{
	struct value shape = value_array();
	int failed = value_put(bump, map, "dtype", value_string(dtype_name((enum dtype)tile->dtype)));

	for (size_t i = 0; i < tile->ndim; i++)
		failed |= value_push(bump, &shape, value_uint(tile->shape[i]));
	failed |= value_put(bump, map, "shape", shape);
	failed |= value_put(bump, map, "arena", value_uint(arena));
	failed |= value_put(bump, map, "offset", value_uint(tile->offset));
	return failed ? -ERROR_NO_MEMORY : 0;
}

static bool is_number(const struct value *map, const char *name, uint64_t expected)
{
	const struct value *value = value_get(map, name);
	uint64_t number;

	return value && value_to_u64(value, &number) && number == expected;
}

/* Makes the tile at its old offset. */
static int make_tile(struct restoring *restoring, struct trnsci_tile *tile, struct error *err)
{
	const uint32_t arena = move_of(restoring, tile)->new->handle;
	struct bump *bump = bump_new();
	struct value params = value_map(), result;
	uint64_t handle = 0;
	int r = bump ? put_parameters(bump, tile, arena, &params) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = handshake_call(restoring->handshake, "tile", &params, bump, NULL, &result, err);
	if (r == 0) {
		const struct value *number = value_get(&result, "tile");

		if (!number || !value_to_u64(number, &handle) || handle == 0 || !is_number(&result, "arena", arena) ||
		    !is_number(&result, "offset", tile->offset) || !is_number(&result, "bytes", tile->bytes))
			r = error_set(err, ERROR_BAD_REPLY, "tile: the daemon did not place it where it lay");
	}
	bump_free(bump);
	tile->new_handle = handle;
	return r;
}

/* ---- content ---- */

static bool copy_bytes(const struct arena *from, const struct arena *to, size_t at, size_t end)
{
	while (at < end) {
		const ssize_t got = pread(from->fd, to->base + at, end - at, (off_t)at);

		if (got <= 0 && errno != EINTR)
			return false;
		at += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Copies the pages that exist in the file between `at` and `end`. */
static bool copy_pages(const struct arena *from, const struct arena *to, size_t at, size_t end)
{
	while (at < end) {
		const off_t data = lseek(from->fd, (off_t)at, SEEK_DATA);

		if (data < 0 && errno == ENXIO)
			return true;
		const size_t begin = data > (off_t)at ? (size_t)data : at;

		if (begin >= end)
			return true;
		const off_t hole = lseek(from->fd, (off_t)begin, SEEK_HOLE);
		const size_t stop = hole > (off_t)begin && (size_t)hole < end ? (size_t)hole : end;

		if (!copy_bytes(from, to, begin, stop))
			return false;
		at = stop;
	}
	return true;
}

/* Copies an arena's tiles. Returns whether the copies are what the tiles held: an arena that still has its trailer after the
 * copy was complete during the copy. */
static bool copy_arena(const struct restoring *restoring, const struct move *move)
{
	bool copied = arena_has_trailer(move->old);

	for (size_t i = 0; i < restoring->n_tiles && copied; i++) {
		const struct trnsci_tile *tile = restoring->tiles[i];

		if (tile->arena == move->old)
			copied = copy_pages(move->old, move->new, tile->offset, tile->offset + tile->bytes);
	}
	return copied && arena_has_trailer(move->old);
}

/* ---- switching to the new arenas ---- */

/* Maps the new arena at the old one's address, which keeps its entry. */
static int switch_arena(struct move *move, struct error *err)
{
	struct arena *old = move->old, *new = move->new;

	if (mremap(new->base, new->size, new->size, MREMAP_MAYMOVE | MREMAP_FIXED, old->base) == MAP_FAILED) {
		const int saved = errno;

		/* The failed mremap may have unmapped the old arena. */
		mmap(old->base, old->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, old->fd, 0);
		return error_set(err, ERROR_SYSTEM, "arena: mremap: %s", strerror(saved));
	}
	close(old->fd);
	old->fd = new->fd;
	old->handle = new->handle;
	old->leaving = false;
	free(new);
	move->new = NULL;
	return 0;
}

static void name_tiles(const struct restoring *restoring, const struct arena *arena, bool lost)
{
	for (size_t i = 0; i < restoring->n_tiles; i++) {
		struct trnsci_tile *tile = restoring->tiles[i];

		if (tile->arena != arena)
			continue;
		atomic_store_explicit(&tile->handle, tile->new_handle, memory_order_relaxed);
		if (lost)
			tile_set_lost(tile, true);
	}
}

/* The new connection has no arena in their place. */
static void remove_empty_arenas(struct trnsci_session *session)
{
	for (struct arena *arena = session->arenas, *next; arena; arena = next) {
		next = arena->next;
		if (arena->n_tiles == 0)
			arena_remove(session, arena);
	}
}

static int restore_all(struct restoring *restoring, bool with_content, struct error *err)
{
	int r = get_arenas(restoring, err);

	if (r == 0)
		r = list_tiles(restoring, err);
	for (size_t i = 0; i < restoring->n_tiles && r == 0; i++)
		r = make_tile(restoring, restoring->tiles[i], err);
	for (size_t i = 0; i < restoring->n_moves && r == 0; i++) {
		struct move *move = &restoring->moves[i];
		const bool there = with_content && copy_arena(restoring, move);

		r = switch_arena(move, err);
		if (r == 0)
			name_tiles(restoring, move->old, !there);
	}
	if (r == 0)
		remove_empty_arenas(restoring->session);
	return r;
}

int restore_tiles(struct trnsci_session *session, struct handshake *handshake, bool with_content, struct error *err)
{
	struct restoring restoring = {.session = session, .handshake = handshake};
	int r = session->arenas ? restore_all(&restoring, with_content, err) : 0;

	for (size_t i = 0; i < restoring.n_moves; i++)
		arena_free(restoring.moves[i].new);
	free(restoring.moves);
	free(restoring.tiles);
	return r;
}
