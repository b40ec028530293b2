/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing tiles: arrays in the session's arenas. The place that the daemon gives a tile is checked against
 * the mapping. */
#include "tile.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/dtype.h"
#include "session/arena.h"
#include "session/public_error.h"
#include "call/cache.h"
#include "call/run.h"
#include "call/send.h"

enum {
	TILE_ALIGNMENT = 64, /* bytes: a cache line */
	CONNECTION_LOST = 1, /* the reply came on a connection that is gone: ask again */
};

/* ---- making ---- */

static struct trnsci_tile *new_tile(struct error *err)
{
	struct trnsci_tile *tile = calloc(1, sizeof *tile);

	if (tile)
		atomic_init(&tile->refs, 1);
	else
		error_set(err, ERROR_NO_MEMORY, "tile: no memory for it");
	return tile;
}

/* Sets dtype, shape and size; both numbers of elements and of bytes must fit. */
static int set_shape(struct trnsci_tile *tile, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape,
		     struct error *err)
{
	const size_t size = dtype_size((enum dtype)dtype);
	uint64_t bytes;

	if (size == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: dtype: %d is none", (int)dtype);
	if (ndim < 1 || ndim > TRNSCI_MAX_DIMS || !shape)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: %zu dimensions, allowed 1 to %d", ndim,
				 TRNSCI_MAX_DIMS);
	tile->count = 1;
	for (size_t i = 0; i < ndim; i++)
		if (mul_overflows(tile->count, shape[i], &tile->count))
			return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: more elements than 2^64");
	if (mul_overflows(tile->count, size, &bytes) || bytes > SIZE_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: more bytes than memory can have");
	tile->dtype = dtype;
	tile->ndim = ndim;
	tile->bytes = (size_t)bytes;
	memcpy(tile->shape, shape, ndim * sizeof *shape);
	return 0;
}

static int read_u64(const struct trnsci_value *map, const char *name, uint64_t *ret, struct error *err)
{
	if (trnsci_value_to_u64(trnsci_value_get(map, name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has no number %s", name);
	return 0;
}

/* Enters the tile into the session at the place that the map `where` of the reply states: inside an arena, aligned,
 * and as large as was asked for. Returns CONNECTION_LOST if the daemon that replied is gone. With the lock. */
static int enter_tile(const struct trnsci_call *call, const struct trnsci_value *map, const struct trnsci_value *where,
		      struct trnsci_tile *tile, struct error *err)
{
	struct trnsci_session *session = call->session;
	uint64_t handle, number, offset, bytes;
	int r;

	if (call->connection != session->connection)
		return CONNECTION_LOST;
	if ((r = read_u64(map, "tile", &handle, err)) < 0 || (r = read_u64(where, "arena", &number, err)) < 0 ||
	    (r = read_u64(where, "offset", &offset, err)) < 0 || (r = read_u64(where, "bytes", &bytes, err)) < 0)
		return r;
	struct arena *arena = arena_find(session, number);

	if (!arena && number == session->arena_request.failed && call->connection == session->arena_request.failed_on) {
		session->arena_request.unmapped = (uint32_t)number;
		session->arena_request.unmapped_on = call->connection;
		*err = session->arena_request.failure;
		return -err->code;
	}
	if (handle == 0 || offset % TILE_ALIGNMENT || bytes != tile->bytes || !arena || offset > arena->size ||
	    bytes > arena->size - offset)
		return error_set(err, ERROR_BAD_REPLY, "tile: %llu bytes at %llu do not lie in arena %llu",
				 (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)number);
	tile->arena = arena;
	arena->n_tiles++;
	tile->offset = (size_t)offset;
	tile->data = session->closed ? NULL : arena->base + offset;
	atomic_store_explicit(&tile->handle, handle, memory_order_relaxed);
	tile_list_add(session, tile);
	return 0;
}

static void tend_arenas(struct trnsci_session *session)
{
	if (session->engine->tend_arenas)
		session->engine->tend_arenas(session);
}

static void post_free(struct trnsci_session *session, uint64_t handle, uint64_t connection)
{
	struct trnsci_call *call;

	if (call_new(session, "free", &call) < 0)
		return;
	call->internal = call->tied = true;
	call->tied_to = connection;
	args_set_u64(trnsci_call_args(call), "tile", handle);
	call_send_unawaited(call);
}

/* Frees a tile that could not be entered, and gives back the arena that could not be mapped. */
static void drop_tile(const struct trnsci_call *call, const struct trnsci_value *map)
{
	uint64_t handle;

	if (trnsci_value_to_u64(trnsci_value_get(map, "tile"), &handle) == 0)
		post_free(call->session, handle, call->connection);
	tend_arenas(call->session);
}

static int ask_for_tile(struct trnsci_session *session, struct trnsci_tile *tile, struct error *err)
{
	const struct trnsci_param params[] = {trnsci_param_text("dtype", dtype_name((enum dtype)tile->dtype)),
					      trnsci_param_u64s("shape", tile->shape, tile->ndim), trnsci_param_end()};
	struct trnsci_call *call;
	int r = call_make(session, "tile", &call, err);

	if (r < 0)
		return r;
	call->internal = true;
	trnsci_set_params(trnsci_call_args(call), params);
	r = call_run(call, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	r = enter_tile(call, trnsci_call_reply(call), trnsci_call_reply(call), tile, err);
	pthread_mutex_unlock(&session->lock);
	if (r < 0)
		drop_tile(call, trnsci_call_reply(call));
	trnsci_call_free(call);
	return r;
}

bool tile_make_room(struct trnsci_session *session)
{
	cache_empty(session);
	return tile_free_pooled(session);
}

/* Where a limit keeps another arena from it, the tiles that the library keeps for later make room. */
static int make_tile(struct trnsci_session *session, struct trnsci_tile *tile, struct error *err)
{
	int r = session->engine->begin_arenas(session, tile->bytes, err);

	if (r < 0)
		return r;
	do
		r = ask_for_tile(session, tile, err);
	while (r == CONNECTION_LOST || ((r == -ERROR_LIMIT || r == -ERROR_NO_ROOM) && tile_make_room(session)));
	return r;
}

int trnsci_tile_new(struct trnsci_session *session, enum trnsci_dtype dtype, size_t ndim,
		    const uint64_t *shape, struct trnsci_tile **ret_tile, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_tile *tile = new_tile(&error);
	int r = tile ? session_check(session, &error) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = set_shape(tile, dtype, ndim, shape, &error);
	if (r == 0) {
		session_ref(session);
		r = make_tile(session, tile, &error);
		session_unref(session);
	}
	if (r < 0) {
		free(tile);
		return error_export(err, &error);
	}
	*ret_tile = tile;
	return 0;
}

/* ---- tiles that operations make ---- */

static int read_shape(const struct trnsci_value *map, struct trnsci_tile *tile, struct error *err)
{
	const struct trnsci_value *list = trnsci_value_get(map, "shape");
	size_t size = 0, ndim = trnsci_value_count(list);
	const char *name = trnsci_value_to_bytes(trnsci_value_get(map, "dtype"), &size);
	uint64_t shape[TRNSCI_MAX_DIMS];

	if (!name || trnsci_value_kind(list) != TRNSCI_LIST || ndim < 1 || ndim > TRNSCI_MAX_DIMS)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has no dtype and shape");
	for (size_t i = 0; i < ndim; i++)
		if (trnsci_value_to_u64(trnsci_value_at(list, i), &shape[i]) < 0)
			return error_set(err, ERROR_BAD_REPLY, "tile: the reply has a shape without numbers");
	if (set_shape(tile, (enum trnsci_dtype)dtype_parse(name, size), ndim, shape, err) < 0)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has a dtype or shape that cannot be");
	return 0;
}

int tile_from_reply(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile,
		    struct error *err)
{
	struct trnsci_tile *tile = new_tile(err);
	int r = tile ? read_shape(map, tile, err) : -ERROR_NO_MEMORY;

	if (r == 0) {
		pthread_mutex_lock(&call->session->lock);
		r = enter_tile(call, map, trnsci_value_get(map, "place"), tile, err);
		pthread_mutex_unlock(&call->session->lock);
		if (r < 0)
			drop_tile(call, map);
	}
	if (r == CONNECTION_LOST)
		r = error_set(err, ERROR_CLOSED, "tile: it went with the connection on which it was made");
	if (r < 0) {
		free(tile);
		return r;
	}
	*ret_tile = tile;
	return 0;
}

int trnsci_call_tile(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile)
{
	struct error ignored;

	if (!call || session_check(call->session, NULL) < 0)
		return -ERROR_CLOSED;
	return tile_from_reply(call, map ? map : trnsci_call_reply(call), ret_tile, &ignored);
}

/* ---- freeing ---- */

/* The tile leaves the list before its place can be given to another: a session that is restored in between finds one
 * tile in each place. Nobody waits for the answer: a connection that is gone has freed its tiles anyway. */
void trnsci_tile_free(struct trnsci_tile *tile)
{
	if (!tile)
		return;
	struct trnsci_session *session = tile->session;

	if (session_check(session, NULL) < 0)
		return; /* a child after fork: the tile is the parent's */
	pthread_mutex_lock(&session->lock);
	const uint64_t handle = tile_handle(tile), connection = session->connection;

	tile_list_remove(tile);
	pthread_mutex_unlock(&session->lock);
	post_free(session, handle, connection);
	tend_arenas(session);
	tile_unref(tile);
	session_unref(session);
}

bool tile_free_pooled(struct trnsci_session *session)
{
	struct trnsci_tile *tiles[POOLED_TILES];
	size_t count;

	pthread_mutex_lock(&session->lock);
	count = session->n_pooled;
	memcpy(tiles, session->pooled, count * sizeof *tiles);
	session->n_pooled = 0;
	pthread_mutex_unlock(&session->lock);
	for (size_t i = 0; i < count; i++)
		trnsci_tile_free(tiles[i]);
	return count > 0;
}

/* ---- describing ---- */

void trnsci_tile_describe(const struct trnsci_tile *tile, struct trnsci_tile_info *ret_info)
{
	struct trnsci_tile_info info = {.lost = false};

	if (tile) {
		info = (struct trnsci_tile_info){.dtype = tile->dtype,
						 .ndim = tile->ndim,
						 .count = tile->count,
						 .bytes = tile->bytes,
						 .lost = tile_is_lost(tile)};
		memcpy(info.shape, tile->shape, sizeof info.shape);
	}
	*ret_info = info;
}
