/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles: arrays in the session's arena. Where the daemon says one lies is checked against the mapping. */
#include "tile.h"

#include <stdlib.h>
#include <string.h>

#include "remote/arena.h"
#include "call.h"
#include "session.h"
#include "api/tile_pool.h"

#include "base/checked.h"
#include "base/dtype.h"

enum { TILE_ALIGNMENT = 64, LATE = 1 };

/* Whatever comes of it, those who wait for it go on: the next may try again. LATE: the daemon went while it came. */
static int get_arena(struct trnsci_session *session, size_t bytes, struct error *err)
{
	struct arena arena;
	bool late = false;
	int r = session->engine->arena(session, bytes, &arena, err);

	pthread_mutex_lock(&session->lock);
	late = r == 0 && arena.connection != session->connection;
	if (r == 0 && !late)
		session->arena = arena;
	session->arena_pending = false;
	pthread_cond_broadcast(&session->changed);
	pthread_mutex_unlock(&session->lock);
	if (late)
		arena_end(&arena);
	return late ? LATE : r;
}

/* One thread gets it, others wait for that. They need not poll: the one that gets it does, and tells them. */
static int ensure_arena(struct trnsci_session *session, size_t bytes, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	do {
		pthread_mutex_lock(&session->lock);
		while (session->arena_pending && !session->closed)
			pthread_cond_wait(&session->changed, &session->lock);
		bool have = session->arena.base || session->closed;
		if (!have)
			session->arena_pending = true;
		pthread_mutex_unlock(&session->lock);
		r = have ? 0 : get_arena(session, bytes, err);
	} while (r == LATE);
	return r;
}

int tile_ensure_arena(struct trnsci_session *session, struct error *err)
{
	return ensure_arena(session, session->arena_bytes, err);
}

uint64_t trnsci_scope_new(struct trnsci_session *session)
{
	if (session_check(session, NULL) < 0)
		return 1;
	pthread_mutex_lock(&session->lock);
	uint64_t scope = ++session->last_scope;
	pthread_mutex_unlock(&session->lock);
	return scope;
}

/* ---- the session's list, under its lock ---- */

static void enlist(struct trnsci_session *session, struct trnsci_tile *tile)
{
	session->refs++;
	tile->session = session;
	tile->next = session->tiles;
	if (tile->next)
		tile->next->previous = tile;
	session->tiles = tile;
}

void tile_set_lost(struct trnsci_tile *tile, bool lost)
{
	if (!tile_handle(tile) || atomic_load_explicit(&tile->lost, memory_order_relaxed) == lost)
		return;
	atomic_store_explicit(&tile->lost, lost, memory_order_relaxed);
	tile->session->n_lost = lost ? tile->session->n_lost + 1 : tile->session->n_lost - 1;
}

/* From here on parameters that still name it name none; the object lasts as long as they do. */
static void delist(struct trnsci_tile *tile)
{
	if (tile->next)
		tile->next->previous = tile->previous;
	*(tile->previous ? &tile->previous->next : &tile->session->tiles) = tile->next;
	tile->next = tile->previous = NULL;
	tile_set_lost(tile, false);
	tile->data = NULL;
	atomic_store_explicit(&tile->handle, 0, memory_order_relaxed);
}

struct trnsci_tile *tile_ref(const struct trnsci_tile *tile)
{
	struct trnsci_tile *own = (struct trnsci_tile *)tile;

	if (own)
		atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
	return own;
}

void tile_unref(struct trnsci_tile *tile)
{
	if (tile && atomic_fetch_sub_explicit(&tile->refs, 1, memory_order_acq_rel) == 1)
		free(tile);
}

/* ---- making ---- */

static int count_elements(enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape, struct trnsci_tile *tile,
			  struct error *err)
{
	uint64_t bytes;

	if (trnsci_dtype_size(dtype) == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: dtype: %d is none", (int)dtype);
	if (ndim < 1 || ndim > TRNSCI_MAX_DIMS || !shape)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: %zu dimensions, allowed 1 to %d", ndim,
				 TRNSCI_MAX_DIMS);
	tile->count = 1;
	for (size_t i = 0; i < ndim; i++)
		if (mul_overflows(tile->count, shape[i], &tile->count))
			return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: more elements than 2^64");
	if (mul_overflows(tile->count, trnsci_dtype_size(dtype), &bytes) || bytes > SIZE_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "tile: shape: more bytes than memory can have");
	tile->dtype = dtype;
	tile->ndim = ndim;
	tile->bytes = (size_t)bytes;
	memcpy(tile->shape, shape, ndim * sizeof *shape);
	return 0;
}

static int read_u64(const struct trnsci_value *map, const char *name, uint64_t *ret, struct error *err)
{
	if (trnsci_to_u64(trnsci_get(map, name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has no number %s", name);
	return 0;
}

/* The reply says where, in `where`: inside the arena, aligned, as large as was asked for. With the lock: LATE when the
 * daemon that said so is gone, or else the tile is the session's. */
static int place(const struct trnsci_call *call, const struct trnsci_value *map, const struct trnsci_value *where,
		 struct trnsci_tile *tile, struct error *err)
{
	struct trnsci_session *session = call->session;
	uint64_t handle, offset, bytes;
	int r;

	if (call->connection != session->connection)
		return LATE;
	if ((r = read_u64(map, "tile", &handle, err)) < 0 || (r = read_u64(where, "offset", &offset, err)) < 0 ||
	    (r = read_u64(where, "bytes", &bytes, err)) < 0)
		return r;
	if (handle == 0 || offset % TILE_ALIGNMENT || bytes != tile->bytes || offset > session->arena.size ||
	    bytes > session->arena.size - offset)
		return error_set(err, ERROR_BAD_REPLY, "tile: %llu bytes at %llu do not lie in the arena of %zu",
				 (unsigned long long)bytes, (unsigned long long)offset, session->arena.size);
	tile->offset = (size_t)offset;
	tile->data = session->closed ? NULL : session->arena.base + offset;
	atomic_store_explicit(&tile->handle, handle, memory_order_relaxed);
	enlist(session, tile);
	return 0;
}

static int make_once(struct trnsci_session *session, struct trnsci_tile *tile, struct error *err)
{
	struct trnsci_call *call;
	int r = call_make(session, "tile", &call, err);

	if (r < 0)
		return r;
	call->own = true;
	const struct trnsci_param params[] = {trnsci_text("dtype", trnsci_dtype_name(tile->dtype)),
					      trnsci_u64s("shape", tile->shape, tile->ndim), trnsci_end()};

	trnsci_set_params(trnsci_args(call), params);
	if (tile->scope)
		trnsci_set_u64(trnsci_args(call), "scope", tile->scope);
	r = call_run(call, err);
	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	r = place(call, trnsci_reply(call), trnsci_reply(call), tile, err);
	pthread_mutex_unlock(&session->lock);
	trnsci_call_free(call);
	return r;
}

static int make(struct trnsci_session *session, struct trnsci_tile *tile, struct error *err)
{
	int r = ensure_arena(session, session->arena_bytes, err);

	if (r == 0)
		do
			r = make_once(session, tile, err);
		while (r == LATE);
	return r;
}

/* Tiles that the library keeps for itself make way. */
static int make_with_room(struct trnsci_session *session, struct trnsci_tile *tile, struct error *err)
{
	int r = make(session, tile, err);

	return r == -ERROR_LIMIT && tile_pool_drain(session) ? make(session, tile, err) : r;
}

int trnsci_tile_new(struct trnsci_session *session, uint64_t scope, enum trnsci_dtype dtype, size_t ndim,
		    const uint64_t *shape, struct trnsci_tile **ret_tile, struct trnsci_error *err)
{
	struct trnsci_tile *tile = calloc(1, sizeof *tile);
	struct error error = {0};
	int r = tile ? session_check(session, &error) : error_set(&error, ERROR_NO_MEMORY, "tile: no memory for it");

	if (r == 0)
		r = count_elements(dtype, ndim, shape, tile, &error);
	if (r == 0) {
		atomic_init(&tile->refs, 1);
		tile->scope = scope;
		r = make_with_room(session, tile, &error);
	}
	if (r < 0) {
		free(tile);
		return error_give(err, &error);
	}
	*ret_tile = tile;
	return 0;
}

/* ---- tiles that operations make ---- */

static int read_shape(const struct trnsci_value *map, struct trnsci_tile *tile, struct error *err)
{
	const struct trnsci_value *list = trnsci_get(map, "shape");
	size_t size = 0, ndim = trnsci_count(list);
	const char *name = trnsci_to_bytes(trnsci_get(map, "dtype"), &size);
	uint64_t shape[TRNSCI_MAX_DIMS];

	if (!name || trnsci_kind(list) != TRNSCI_LIST || ndim < 1 || ndim > TRNSCI_MAX_DIMS)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has no dtype and shape");
	for (size_t i = 0; i < ndim; i++)
		if (trnsci_to_u64(trnsci_at(list, i), &shape[i]) < 0)
			return error_set(err, ERROR_BAD_REPLY, "tile: the reply has a shape without numbers");
	if (count_elements((enum trnsci_dtype)dtype_parse(name, size), ndim, shape, tile, err) < 0)
		return error_set(err, ERROR_BAD_REPLY, "tile: the reply has a dtype or shape that cannot be");
	return 0;
}

int tile_from_reply(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile,
		    struct error *err)
{
	struct trnsci_tile *tile = calloc(1, sizeof *tile);
	int r = tile ? read_shape(map, tile, err) : error_set(err, ERROR_NO_MEMORY, "tile: no memory for it");

	if (r == 0) {
		atomic_init(&tile->refs, 1);
		pthread_mutex_lock(&call->session->lock);
		r = place(call, map, trnsci_get(map, "place"), tile, err);
		pthread_mutex_unlock(&call->session->lock);
	}
	if (r == LATE)
		r = error_set(err, ERROR_CLOSED, "tile: it went with the connection on which it was made");
	if (r < 0) {
		free(tile);
		return r;
	}
	*ret_tile = tile;
	return 0;
}

int trnsci_reply_tile(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile)
{
	if (!call || session_check(call->session, NULL) < 0)
		return -ERROR_CLOSED;
	return tile_from_reply(call, map ? map : trnsci_reply(call), ret_tile, NULL);
}

/* ---- freeing ---- */

/* The tile leaves the list before its place can be given to another: a session that is restored in between finds one tile
 * in each place. The request asks for no answer: a connection that is gone has freed its tiles anyway. */
void trnsci_tile_free(struct trnsci_tile *tile)
{
	struct trnsci_call *call;

	if (!tile)
		return;
	struct trnsci_session *session = tile->session;

	if (session_check(session, NULL) < 0)
		return; /* a child after fork: the tile is the parent's */
	pthread_mutex_lock(&session->lock);
	const uint64_t handle = tile_handle(tile), connection = session->connection;

	delist(tile);
	pthread_mutex_unlock(&session->lock);
	if (call_make(session, "free", &call, NULL) == 0) {
		call->own = true;
		call->tied = true;
		call->tied_to = connection;
		trnsci_set_u64(trnsci_args(call), "tile", handle);
		call_start(call, NULL, false);
		call_unref(call);
	}
	tile_unref(tile);
	session_unref(session);
}

static void forget_scope(struct trnsci_session *session, uint64_t scope)
{
	pthread_mutex_lock(&session->lock);
	for (struct trnsci_tile *tile = session->tiles, *next; tile; tile = next) {
		next = tile->next;
		if (tile->scope != scope)
			continue;
		delist(tile);
		tile_unref(tile);
		session_unref_locked(session);
	}
	pthread_mutex_unlock(&session->lock);
}

int trnsci_scope_free(struct trnsci_session *session, uint64_t scope, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call;
	int r = scope ? call_make(session, "free", &call, &error)
		      : error_set(&error, ERROR_OUT_OF_RANGE, "scope: 0 is none, allowed what trnsci_scope_new gave");

	if (r == 0) {
		call->own = true;
		trnsci_set_u64(trnsci_args(call), "scope", scope);
		forget_scope(session, scope); /* first, as a tile that is freed alone */
		r = call_run(call, &error);
		if (r == 0)
			trnsci_call_free(call);
	}
	return r < 0 ? error_give(err, &error) : 0;
}

/* ---- looking ---- */

/* A program that asks for the address of a tile whose content is lost is about to fill it. */
void *trnsci_tile_data(const struct trnsci_tile *tile)
{
	struct trnsci_tile *own = (struct trnsci_tile *)tile; /* what is known of the content is no part of the tile */

	if (!tile)
		return NULL;
	if (atomic_load_explicit(&tile->lost, memory_order_relaxed) && session_check(tile->session, NULL) == 0) {
		pthread_mutex_lock(&tile->session->lock);
		tile_set_lost(own, false);
		pthread_mutex_unlock(&tile->session->lock);
	}
	return tile->data;
}

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
