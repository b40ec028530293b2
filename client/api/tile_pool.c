/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that a session keeps for later arrays of its caller. */
#include "tile_pool.h"

#include <string.h>

#include "session/public_error.h"

/* A larger tile is freed at once: it would keep others out of the arena. */
enum { KEPT_BYTES_MOST = 4 << 20, LENT_BYTES_MOST = 64 << 20 };

static bool is_like(const struct trnsci_tile *tile, const struct trnsci_array *array)
{
	return tile->dtype == array->dtype && tile->ndim == array->ndim &&
	       memcmp(tile->shape, array->shape, tile->ndim * sizeof *tile->shape) == 0;
}

/* The most recently used tile, the last one, is the first to be looked at: it is most likely to be in cache. */
static struct trnsci_tile *take_kept(struct trnsci_session *session, const struct trnsci_array *like)
{
	struct trnsci_tile *tile = NULL;

	pthread_mutex_lock(&session->lock);
	for (size_t i = session->n_pooled; i-- > 0 && !tile;)
		if (is_like(session->pooled[i], like)) {
			tile = session->pooled[i];
			memmove(&session->pooled[i], &session->pooled[i + 1],
				(--session->n_pooled - i) * sizeof *session->pooled);
		}
	pthread_mutex_unlock(&session->lock);
	return tile;
}

static void take_back(const struct trnsci_call *call, struct trnsci_tile *tile)
{
	struct trnsci_session *session = call->session;
	struct trnsci_tile *gone = tile;

	pthread_mutex_lock(&session->lock);
	if (!session->closed && call->state != CALL_IN_FLIGHT && tile->bytes <= KEPT_BYTES_MOST) {
		gone = session->n_pooled == POOLED_TILES ? session->pooled[0] : NULL;
		if (gone)
			memmove(&session->pooled[0], &session->pooled[1],
				--session->n_pooled * sizeof *session->pooled);
		session->pooled[session->n_pooled++] = tile;
	}
	pthread_mutex_unlock(&session->lock);
	trnsci_tile_free(gone);
}

/* The call's owner frees it. If it is still in flight (its time limit is over), the tiles are freed: nobody else may use them while the
 * daemon can write them. */
static void take_all_back(struct trnsci_call *call)
{
	for (size_t i = 0; i < CALL_LENT && call->lent[i]; i++) {
		atomic_fetch_sub_explicit(&call->session->lent_bytes, call->lent[i]->bytes, memory_order_relaxed);
		take_back(call, call->lent[i]);
		call->lent[i] = NULL;
	}
}

static int take(struct trnsci_session *session, const struct trnsci_array *like, struct trnsci_tile **ret_tile, struct error *err)
{
	struct trnsci_error error;
	int r = session_check(session, err);

	if (r < 0)
		return r;
	*ret_tile = take_kept(session, like);
	if (*ret_tile)
		return 0;
	r = trnsci_tile_new(session, like->dtype, like->ndim, like->shape, ret_tile, &error);
	if (r < 0)
		return error_import(err, &error);
	pthread_mutex_lock(&session->lock); /* a session that is restored looks at it */
	(*ret_tile)->rewritten = true;
	pthread_mutex_unlock(&session->lock);
	return 0;
}

int tile_pool_lend(struct trnsci_call *call, const char *name, const struct trnsci_array *like, struct error *err)
{
	struct trnsci_tile **lent = &call->lent[call->lent[0] != NULL];
	int r = take(call->session, like, lent, err);

	if (r < 0)
		return r;
	atomic_fetch_add_explicit(&call->session->lent_bytes, (*lent)->bytes, memory_order_relaxed);
	call->give_back = take_all_back;
	args_set_tile(call->params, name, *lent);
	return 0;
}

int tile_pool_lend_for_long(struct trnsci_call *call, const char *name, const struct trnsci_array *like, struct error *err)
{
	if (atomic_load_explicit(&call->session->lent_bytes, memory_order_relaxed) >= LENT_BYTES_MOST)
		return error_set(err, ERROR_LIMIT, "%s: %s: calls that stay have %d MiB of tiles", call->method, name, LENT_BYTES_MOST >> 20);
	return tile_pool_lend(call, name, like, err);
}
