/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters' arrays as tiles: an array is copied once into shared memory, not into the message of each piece of a draw. */
#include "parameter_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "session/public_error.h"
#include "tile.h"

/* Counts parameters, and those that are arrays. */
static size_t count_params(const struct trnsci_param *params, size_t *ret_arrays)
{
	size_t n = 0;

	*ret_arrays = 0;
	for (; params && params[n].kind != TRNSCI_PARAM_END; n++)
		*ret_arrays += params[n].kind == TRNSCI_PARAM_ARRAY;
	return n;
}

static int make_tile(struct trnsci_session *session, const struct trnsci_array *array, struct trnsci_tile **ret_tile,
		     struct error *err)
{
	struct trnsci_error error = {0};
	struct trnsci_tile *tile;
	uint64_t ignored;
	int r = trnsci_tile_new(session, array->dtype, array->ndim, array->shape, &tile, &error);

	if (r < 0)
		return error_import(err, &error);
	r = tile_write(tile, array->data, &ignored, err);
	if (r < 0)
		trnsci_tile_free(tile);
	else
		*ret_tile = tile;
	return r;
}

int parameter_tiles_make(struct trnsci_session *session, const struct trnsci_param *params, struct parameter_tiles *ret,
			 struct error *err)
{
	struct parameter_tiles made = {.connection = atomic_load(&session->connection)};
	size_t arrays;
	const size_t n = count_params(params, &arrays);
	int r = 0;

	*ret = (struct parameter_tiles){.n = 0};
	if (arrays == 0 || arrays > PARAMETER_TILES_MOST)
		return 0;
	made.params = calloc(n + 1, sizeof *made.params);
	if (!made.params)
		return error_set(err, ERROR_NO_MEMORY, "draw: no memory for its parameters");
	memcpy(made.params, params, (n + 1) * sizeof *params);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (params[i].kind != TRNSCI_PARAM_ARRAY || !params[i].value.array)
			continue;
		r = make_tile(session, params[i].value.array, &made.tiles[made.n], err);
		if (r == 0)
			made.params[i] = trnsci_param_tile_elements(params[i].name, made.tiles[made.n++]);
	}
	if (r < 0)
		parameter_tiles_free(&made);
	else
		*ret = made;
	return r;
}

void parameter_tiles_free(struct parameter_tiles *tiles)
{
	for (size_t i = 0; i < tiles->n; i++)
		trnsci_tile_free(tiles->tiles[i]);
	free(tiles->params);
	*tiles = (struct parameter_tiles){.n = 0};
}
