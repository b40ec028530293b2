/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of one recipe into memory: short draws from blocks that were drawn ahead, long ones straight from the engine. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_LEAST = 64,  /* samples of a recipe's first block; each block is twice as long as the one before */
	BLOCK_MOST = 4096, /* at most 32 KiB: an embedded engine's, which stay in the first cache */
	DAEMON_MOST = 32768, /* a daemon's: a call takes as long as 20,000 samples */
	DRAW_MOST = 1024,  /* a longer draw goes to the engine */
	HOLD_LOCK = 2048,   /* samples that an embedded engine draws before another Python thread could be woken */
};

static bool same_recipe(const struct recipe *a, const struct recipe *b)
{
	if (a->distribution != b->distribution || a->dtype != b->dtype || a->n_params != b->n_params)
		return false;
	for (unsigned i = 0; i < a->n_params; i++)
		if (a->params[i].value.u64 != b->params[i].value.u64 || a->params[i].count != b->params[i].count)
			return false;
	return true;
}

/* Calls the engine. Short draws keep Python's lock, which costs more to give away than they take. */
int generator_fill(struct generator_object *g, const struct recipe *recipe, uint64_t base, uint64_t skip, size_t n,
		   void *out)
{
	struct session_object *session = generator_session(g);
	struct trnsci_source source = g->source;
	struct recipe own = *recipe;
	struct trnsci_error err;
	struct use use;
	int r;

	if (!session || use_begin(session, &use) < 0)
		return -1;
	source.position = base;
	source.offset = skip;
	own.params[own.n_params] = trnsci_param_end();
	if (session->embedded && n <= HOLD_LOCK) {
		r = trnsci_draw_array(use.handle, own.distribution, own.params, &source, own.dtype, n, out, NULL, &err);
	} else {
		PyObject *name = Py_NewRef(g->name);

		call_begin();
		r = call_end(trnsci_draw_array(use.handle, own.distribution, own.params, &source, own.dtype, n, out, NULL, &err));
		Py_DECREF(name);
	}
	use_end(&use);
	return raise_if(r, g->state, &err);
}

/* Returns the block of a recipe, or the one that was not used for the longest time, emptied. */
static struct block *find_block(struct generator_object *g, const struct recipe *recipe)
{
	struct block *oldest = &g->blocks[0];

	for (int i = 0; i < BLOCKS; i++) {
		struct block *block = &g->blocks[i];

		if (same_recipe(&block->recipe, recipe)) {
			block->used = ++g->clock;
			return block;
		}
		if (block->used < oldest->used)
			oldest = block;
	}
	oldest->used = ++g->clock;
	oldest->recipe = *recipe;
	oldest->begin = oldest->end = 0;
	oldest->size = BLOCK_LEAST;
	return oldest;
}

/* Draws a block ahead that begins with the sample at word `first`. Another thread may draw meanwhile: so the samples go
 * to memory of their own before they become the block's. */
static int refill(struct generator_object *g, const struct recipe *recipe, uint64_t first, size_t n, void *out)
{
	const size_t bytes = trnsci_dtype_size(recipe->dtype);
	struct block *block = find_block(g, recipe);
	const size_t size = block->size > n ? block->size : n;
	struct session_object *session = generator_session(g);
	void *samples;

	if (!session)
		return -1;
	const size_t most = session->embedded ? BLOCK_MOST : DAEMON_MOST;

	if (size > (UINT64_MAX - first) / recipe->words)
		return generator_fill(g, recipe, first, 0, n, out);
	samples = malloc(size * bytes);
	if (!samples) {
		PyErr_NoMemory();
		return -1;
	}
	if (generator_fill(g, recipe, first, 0, size, samples) < 0) {
		free(samples);
		return -1;
	}
	memcpy(out, samples, n * bytes);
	block = find_block(g, recipe);
	free(block->samples);
	block->samples = samples;
	block->begin = first;
	block->end = first + size * recipe->words;
	block->size = 2 * size < most ? 2 * size : most;
	return 0;
}

int generator_draw(struct generator_object *g, const struct recipe *recipe, uint64_t base, uint64_t skip, size_t n,
		   void *out)
{
	const uint64_t first = base + skip * recipe->words, end = first + n * recipe->words;
	const size_t bytes = trnsci_dtype_size(recipe->dtype);

	if (n == 0)
		return 0;
	/* Half a group at a block's begin would be the second of two normals: blocks begin with whole groups. */
	if (n > DRAW_MOST || first % 4 || end < first)
		return generator_fill(g, recipe, base, skip, n, out);
	for (int i = 0; i < BLOCKS; i++) {
		struct block *block = &g->blocks[i];

		if (first < block->begin || end > block->end || !same_recipe(&block->recipe, recipe))
			continue;
		block->used = ++g->clock;
		memcpy(out, (char *)block->samples + (first - block->begin) / recipe->words * bytes, n * bytes);
		return 0;
	}
	return refill(g, recipe, first, n, out);
}

/* Draws into a new tile, which the array then shows. NULL without an exception: there is no memory for such a tile, and the samples
 * may still come in pieces. */
static PyObject *draw_tile(struct generator_object *g, struct session_object *session, const struct recipe *recipe,
			   uint64_t base, const struct part *part, int type)
{
	struct trnsci_param params[RECIPE_PARAMS + 3];
	struct trnsci_source source = g->source;
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err;
	unsigned n = recipe->n_params;
	PyObject *array = NULL;
	struct use use;
	int r;

	if (use_begin(session, &use) < 0)
		return NULL;
	PyObject *name = Py_NewRef(g->name);

	memcpy(params, recipe->params, n * sizeof *params);
	params[n++] = trnsci_param_u64("n", (uint64_t)part->n);
	params[n++] = trnsci_param_text("dtype", trnsci_dtype_name(recipe->dtype));
	params[n] = trnsci_param_end();
	source.position = base;
	source.offset = part->begin;
	call_begin();
	r = call_end(trnsci_draw_tile(use.handle, recipe->distribution, params, &source, &tile, NULL, &err));
	Py_DECREF(name);
	if (r == 0)
		array = tile_array(session, tile, type, part->ndim, part->shape);
	else
		trnsci_tile_free(tile);
	if (r < 0 && r != -TRNSCI_LIMIT && r != -TRNSCI_NO_MEMORY)
		raise_error(g->state, &err);
	use_end(&use);
	return array;
}

PyObject *generator_array(struct generator_object *g, const struct recipe *recipe, uint64_t base,
			  const struct part *part, int type)
{
	struct session_object *session = generator_session(g);
	PyObject *array;

	if (!session)
		return NULL;
	if (!session->embedded && (size_t)part->n * trnsci_dtype_size(recipe->dtype) > TILE_BYTES) {
		array = draw_tile(g, session, recipe, base, part, type);
		if (array || PyErr_Occurred())
			return array;
	}
	array = result_new(NULL, part->ndim, part->shape, type);
	if (array && generator_draw(g, recipe, base, part->begin, (size_t)part->n,
				    PyArray_DATA((PyArrayObject *)array)) < 0)
		Py_CLEAR(array);
	return array;
}
