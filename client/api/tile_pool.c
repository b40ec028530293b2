/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that a session keeps for arrays of its caller. */
#include "tile_pool.h"

#include <string.h>

#include "session/tile.h"

/* A tile that is larger goes at once: it would keep others from the arena. */
enum { KEPT_BYTES = 4 << 20 };

static bool is_like(const struct trnsci_tile *tile, const struct trnsci_array *array)
{
	return tile->dtype == array->dtype && tile->ndim == array->ndim &&
	       memcmp(tile->shape, array->shape, tile->ndim * sizeof *tile->shape) == 0;
}

/* The pool holds the most recently used last. */
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

int tile_pool_take(struct trnsci_session *session, const struct trnsci_array *like, struct trnsci_tile **ret_tile,
		   struct error *err)
{
	struct trnsci_error error;
	int r = session_check(session, err);

	if (r < 0)
		return r;
	*ret_tile = take_kept(session, like);
	if (*ret_tile)
		return 0;
	r = trnsci_tile_new(session, 0, like->dtype, like->ndim, like->shape, ret_tile, &error);
	return r < 0 ? error_take(err, &error) : 0;
}

void tile_pool_give(struct trnsci_session *session, struct trnsci_tile *tile)
{
	struct trnsci_tile *gone = tile;

	if (!tile)
		return;
	pthread_mutex_lock(&session->lock);
	if (!session->closed && tile->bytes <= KEPT_BYTES) {
		gone = session->n_pooled == POOLED_TILES ? session->pooled[0] : NULL;
		if (gone)
			memmove(&session->pooled[0], &session->pooled[1],
				--session->n_pooled * sizeof *session->pooled);
		session->pooled[session->n_pooled++] = tile;
	}
	pthread_mutex_unlock(&session->lock);
	trnsci_tile_free(gone);
}

bool tile_pool_drain(struct trnsci_session *session)
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
