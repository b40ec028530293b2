/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a prepared call states, checked and set in the run: its streams, its position, its tiles and its memory.
 *
 * It comes as a structure, from the queue and from an embedded client, or as the parameters of run_prepared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/prepared_core.h"
#include "engine/operations/params.h"
#include "rng/derive.h"

/* Reports a parameter that the prepared call's method does not have. */
static int refuse_param(const struct prepared *prepared, const char *param, const char *context, struct error *err)
{
	return error_set(err, ERROR_UNKNOWN_PARAMETER, "%s: %s: the prepared %s has no such parameter", context, param,
			 prepared->operation->name);
}

/* Reports the first of the stated members that the call does not have; bits beyond those only a client in C can set. */
static int refuse_given(const struct prepared *prepared, unsigned foreign, const char *context, struct error *err)
{
	const char *param = foreign & PREPARED_SEED	  ? "seed"
			    : foreign & PREPARED_STREAM	  ? "stream"
			    : foreign & PREPARED_OFFSET	  ? "offset"
			    : foreign & PREPARED_POSITION ? "position"
							  : NULL;

	if (param)
		return refuse_param(prepared, param, context, err);
	return error_set(err, ERROR_OUT_OF_RANGE, "%s: given: bits 0x%x mean nothing, allowed are 0x%x", context, foreign,
			 prepared->takes);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Checks that no tile stands for two: steps were fused and ordered for tiles that differ. Sorting finds one in O(n log n):
 * a client may name thousands. */
static int check_tiles(const struct prepared *prepared, const uint64_t *to, uint64_t *sorted, const char *context,
		       struct error *err)
{
	const size_t n = prepared->n_tiles;

	memcpy(sorted, to, n * sizeof *to);
	qsort(sorted, n, sizeof *sorted, by_number);
	for (size_t i = 1; i < n; i++)
		if (sorted[i] == sorted[i - 1])
			return error_set(err, ERROR_BAD_TILE,
					 "%s: tiles: tile %" PRIu64 " would stand for two, allowed is for one", context,
					 sorted[i]);
	return 0;
}

/* Writes the handles of the tiles that the call names to the run: `to`, or with NULL the call's own. Returns whether any is
 * another than before. */
static bool put_tiles(const struct prepared *prepared, const uint64_t *to, struct run *run)
{
	bool differ = false;

	for (size_t i = 0; i < prepared->n_tiles; i++) {
		const int buffer = prepared->tiles[i].buffer;
		const uint32_t handle = (uint32_t)(to ? to[i] : prepared->tiles[i].handle);

		if (buffer < 0)
			continue;
		differ |= run->handles[buffer] != handle;
		run->handles[buffer] = handle;
	}
	return differ;
}

/* Finds the handles of all tiles that the call names: the run's, or else the call's own. */
static int change_tiles(const struct prepared *prepared, const struct prepared_changes *changes, const char *context,
			struct run *run, struct error *err)
{
	const size_t n = prepared->n_tiles;
	uint64_t few[2 * PREPARED_TILES_FEW], *to = few;

	if (changes->n_tiles > n)
		return error_set(err, ERROR_BAD_TILE, "%s: tiles: got %zu, allowed are the %zu that the prepared %s names",
				 context, changes->n_tiles, n, prepared->operation->name);
	if (n > PREPARED_TILES_FEW)
		to = bump_alloc(run->bound.bump, 2 * n * sizeof *to);
	if (!to)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for the request", context);
	for (size_t i = 0; i < n; i++)
		to[i] = i < changes->n_tiles && changes->tiles[i] ? changes->tiles[i] : prepared->tiles[i].handle;
	const int error = n > 1 ? check_tiles(prepared, to, to + n, context, err) : 0;

	return error ? error : put_tiles(prepared, to, run);
}

/* Sets the addresses of the caller's memory. */
static void change_memory(const struct plan *plan, void *const *memory, struct run *run)
{
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i]->kind == BUFFER_CALLER)
			run->bound.base[i] = memory[plan->buffers[i]->handle];
}

/* Sets what draws that state nothing themselves begin with. */
static void choose_place(const struct prepared *prepared, const struct prepared_changes *changes, struct run *run)
{
	run->choice = prepared->first.choice;
	if (changes->given & PREPARED_SEED)
		run->choice.seed = changes->seed;
	if (changes->given & PREPARED_STREAM)
		run->choice.stream = changes->stream;
	if (changes->given & PREPARED_OFFSET)
		run->choice.offset = changes->offset;
	if (changes->given & PREPARED_POSITION)
		run->choice.position = changes->position;
	if (prepared->plan.placements.is_run)
		run_name_stream(run, changes->given ? NULL : prepared->plan.placements.name);
}

/* Sets all but the tiles: what the call states, and the run's changes over it. A run that changes anything of its place
 * does not draw from the call's named stream. */
static int change_place(const struct prepared *prepared, const struct prepared_changes *changes, const char *context,
			struct run *run, struct error *err)
{
	const unsigned foreign = changes->given & ~prepared->takes;

	if (foreign)
		return refuse_given(prepared, foreign, context, err);
	if (changes->only_tiles && prepared->replies)
		return error_set(err, ERROR_NOT_SUPPORTED,
				 "%s: prepared: the %s has results in its reply, allowed in a queue are results in tiles",
				 context, prepared->operation->name);
	if (prepared->names_memory && !changes->memory)
		return error_set(err, ERROR_MISSING_PARAMETER, "%s: memory: missing: give the address of each array",
				 context);
	if (prepared->plan.placements.count > 0)
		choose_place(prepared, changes, run);
	if (prepared->names_memory)
		change_memory(&prepared->plan, changes->memory, run);
	return 0;
}

int prepared_change(const struct prepared *prepared, const struct prepared_changes *changes, struct run *run, struct error *err)
{
	const int error = change_place(prepared, changes, "run_prepared", run, err);

	if (error)
		return error;
	return changes->n_tiles ? change_tiles(prepared, changes, "run_prepared", run, err) : put_tiles(prepared, NULL, run);
}

/* ---- as parameters of run_prepared ---- */

/* Returns whether the run states where its draws lie, so that it takes no reservation of a named stream. */
static bool states_place(const struct arg *at)
{
	return at[PREPARED_RUN_GENERATOR].given || at[PREPARED_RUN_SEED].given || at[PREPARED_RUN_STREAM].given ||
	       at[PREPARED_RUN_LABEL].given || at[PREPARED_RUN_OFFSET].given;
}

/* Refuses parameters that the call's own method does not have, and a named stream beside a place. */
static int check_stated(const struct prepared *prepared, const struct args *args, struct error *err)
{
	static const struct {
		unsigned param;
		const char *needs;
	} rows[] = {{PREPARED_RUN_GENERATOR, "generator"}, {PREPARED_RUN_LABEL, "seed"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (args->at[rows[i].param].given &&
		    !operation_param(prepared->operation, rows[i].needs, strlen(rows[i].needs)))
			return refuse_param(prepared, rows[i].needs, args->context, err);
	if (!args->at[PREPARED_RUN_NAME].given)
		return 0;
	if (!prepared->plan.placements.is_run)
		return bind_error(args, PREPARED_RUN_NAME, err, ERROR_OUT_OF_RANGE,
				  "the prepared %s has no such parameter, allowed for a prepared run",
				  prepared->operation->name);
	if (states_place(args->at))
		return bind_error(args, PREPARED_RUN_NAME, err, ERROR_OUT_OF_RANGE,
				  "given beside generator, seed, stream, label or offset, allowed is one of them");
	return 0;
}

/* Derives the run's seed and stream from its label, as the method derive does. */
static int fold_label(const struct args *args, struct stream_choice *choice, struct error *err)
{
	const struct value *label = args->at[PREPARED_RUN_LABEL].value;
	struct stream stream = {choice->generator, choice->seed, choice->stream};

	if (!stream_id_fits(&stream))
		return bind_error(args, PREPARED_RUN_STREAM, err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", which the call's generator does not have", stream.stream);
	derive_label(&stream, label->bytes.at, label->bytes.size, &stream);
	choice->seed = stream.seed;
	choice->stream = stream.stream;
	return 0;
}

/* Reads element i of `tiles`: a handle, for the i-th tile that the call names; nil: as prepared; or a pair: the second
 * tile instead of the first. A handle beyond 32 bits becomes 0, which no tile has: the run then reports it. */
static int read_tile(const struct prepared *prepared, const struct args *args, const struct value *value, size_t i,
		     uint64_t *to, struct error *err)
{
	uint64_t from, handle;
	size_t place = i;

	if (value->kind == VALUE_NIL)
		return 0;
	if (value->kind == VALUE_ARRAY && value->array.count == 2 && value_to_u64(&value->array.at[0], &from) &&
	    value_to_u64(&value->array.at[1], &handle))
		for (place = 0; place < prepared->n_tiles && prepared->tiles[place].handle != from;)
			place++;
	else if (!value_to_u64(value, &handle))
		return bind_error(args, PREPARED_RUN_TILES, err, ERROR_WRONG_TYPE,
				  "element %zu: got %s, allowed is a tile's handle, nil, or a pair of handles", i,
				  bind_kind_text(value->kind));
	if (place >= prepared->n_tiles)
		return bind_error(args, PREPARED_RUN_TILES, err, ERROR_BAD_TILE,
				  "element %zu: the prepared %s names no such tile, allowed are the %zu that it does", i,
				  prepared->operation->name, prepared->n_tiles);
	to[place] = handle <= UINT32_MAX ? handle : 0;
	return 0;
}

/* Reads `tiles`. There may be one pair for each tile beside one handle for each. */
static int read_tiles(const struct prepared *prepared, const struct args *args, struct run *run, struct error *err)
{
	const struct arg *arg = &args->at[PREPARED_RUN_TILES];
	const size_t n = prepared->n_tiles;
	uint64_t *to;
	int error = 0;

	if (!arg->given)
		return 0;
	if (arg->value->kind != VALUE_ARRAY || arg->value->array.count > 2 * n + 1)
		return bind_error(args, PREPARED_RUN_TILES, err, ERROR_WRONG_TYPE,
				  "got %s, allowed is an array with a tile for each of the %zu that the prepared %s names",
				  bind_kind_text(arg->value->kind), n, prepared->operation->name);
	to = bump_alloc(run->bound.bump, (2 * n + 1) * sizeof *to);
	if (!to)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for the request", args->context);
	for (size_t i = 0; i < n; i++)
		to[i] = prepared->tiles[i].handle;
	for (size_t i = 0; i < arg->value->array.count && !error; i++)
		error = read_tile(prepared, args, &arg->value->array.at[i], i, to, err);
	if (!error)
		error = check_tiles(prepared, to, to + n, args->context, err);
	if (!error)
		put_tiles(prepared, to, run);
	return error;
}

int prepared_read_changes(const struct prepared *prepared, const struct args *args, struct run *run, struct error *err)
{
	const struct arg *at = args->at;
	const struct prepared_changes changes = {
		.given = (at[PREPARED_RUN_SEED].given ? PREPARED_SEED : 0u) |
			 (at[PREPARED_RUN_STREAM].given ? PREPARED_STREAM : 0u) |
			 (at[PREPARED_RUN_OFFSET].given ? PREPARED_OFFSET : 0u),
		.seed = at[PREPARED_RUN_SEED].u64,
		.stream = at[PREPARED_RUN_STREAM].u64,
		.offset = at[PREPARED_RUN_OFFSET].u64,
	};
	int error = change_place(prepared, &changes, args->context, run, err);

	if (!error)
		error = check_stated(prepared, args, err);
	if (error)
		return error;
	if (at[PREPARED_RUN_GENERATOR].given)
		run->choice.generator = at[PREPARED_RUN_GENERATOR].choice;
	if (at[PREPARED_RUN_U64].given) {
		run->choice.text = at[PREPARED_RUN_U64].choice != 0;
		run->choice.has_text = true;
	}
	if (prepared->plan.placements.is_run && (states_place(at) || at[PREPARED_RUN_NAME].given))
		run_name_stream(run, at[PREPARED_RUN_NAME].value);
	if (at[PREPARED_RUN_LABEL].given)
		error = fold_label(args, &run->choice, err);
	return error ? error : read_tiles(prepared, args, run, err);
}
