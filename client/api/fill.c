/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_draw_array: samples in the caller's memory. An embedded engine writes them there (fill_embedded.c). From a daemon, few
 * come with the reply to one request, and many through a tile, piece by piece. What comes again has a cached call (fill_cached.c).
 */
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/checked.h"
#include "call/array.h"
#include "call/run.h"
#include "distributions/rows/dist_row.h"
#include "fill_core.h"
#include "parameter_tiles.h"
#include "session/public_error.h"
#include "session/wait.h"
#include "source.h"
#include "tile.h"
#include "tile_pool.h"

enum {
	INLINE_BYTES = 64 << 10, /* up to so many come with the reply: a tile costs more round trips */
	PIECE_BYTES = 1 << 20,   /* of a draw through a tile: small enough to stay in cache until it is copied */
	PIECE_UNIT = 1024,       /* samples: pieces begin where kernels need no start in the middle of a block */
};

/* ---- samples and elements ---- */

static bool is_vector(const char *name)
{
	const enum distribution distribution = dist_find(name, strlen(name));

	return distribution == DIST_COUNT ||
	       dist_row(distribution)->is_vector; /* a distribution that only the daemon knows: ask it */
}

/* Learns the elements of a sample from an empty draw. */
static int ask_components(struct fill *fill, struct error *err)
{
	const struct drawing nothing = {fill->drawing.distribution, fill->drawing.params, NULL};
	struct trnsci_array array;
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = fill_make_draw(fill, &nothing, 0, &call, &args, err);

	if (r < 0)
		return r;
	r = call_run(call, err);
	if (r < 0)
		return r;
	if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 || array.ndim == 0 ||
	    (array.ndim > 1 && array.shape[1] == 0))
		r = error_set(err, ERROR_BAD_REPLY, "%s: not an empty draw", call->method);
	else
		fill->components = array.ndim > 1 ? array.shape[1] : 1;
	trnsci_call_free(call);
	return r;
}

static int find_components(struct fill *fill, struct error *err)
{
	int r = 0;

	fill->components = 1;
	if (is_vector(fill->drawing.distribution))
		r = ask_components(fill, err);
	if (r == 0 && fill->elements % fill->components)
		r = error_set(err, ERROR_BAD_SHAPE, "%s: n: %llu elements, allowed multiples of %llu",
			      fill->drawing.distribution, (unsigned long long)fill->elements,
			      (unsigned long long)fill->components);
	return r;
}

/* Finds which samples of the whole draw to fill. */
static int find_part(struct fill *fill, struct error *err)
{
	const uint64_t samples = fill->elements / fill->components;
	const uint64_t size = fill->source.size ? fill->source.size : 1;

	if (!trnsci_partition(samples, fill->source.rank, size, &fill->begin, &fill->end))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: rank: %llu, allowed is 0 to size - 1",
				 fill->drawing.distribution, (unsigned long long)fill->source.rank);
	return 0;
}

/* ---- where it lies ---- */

/* Learns where the draw lies, and draws nothing: asks for an empty part of the draw, or reserves samples of the named
 * stream. */
static int find_place(struct fill *fill, struct error *err)
{
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = fill_make_draw(fill, &fill->drawing, fill->elements / fill->components, &call, &args, err);

	if (r < 0)
		return r;
	if (draw_stream_name(&fill->drawing)) {
		trnsci_set(trnsci_call_args(call), trnsci_param_bool("reserve", true));
	} else {
		args_set_u64(args, "rank", 0);
		args_set_u64(args, "size", UINT64_MAX);
	}
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = span_read(trnsci_call_reply(call), call->method, &fill->span, err);
	trnsci_call_free(call);
	return r;
}

/* ---- from a daemon: few ---- */

static int fill_inline(struct fill *fill, struct error *err)
{
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = fill_make_draw(fill, &fill->drawing, fill->elements / fill->components, &call, &args, err);

	if (r < 0)
		return r;
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = fill->wants_span ? span_read(trnsci_call_reply(call), call->method, &fill->span, err) : 0;
	if (r == 0 && !fill_take_elements(fill, trnsci_call_reply(call), fill_part_elements(fill)))
		r = error_set(err, ERROR_BAD_REPLY, "%s: not the samples that were asked for", call->method);
	trnsci_call_free(call);
	return r;
}

/* Returns whether a whole draw's samples are numbers that come with the reply. */
static bool is_few(const struct fill *fill)
{
	return !is_vector(fill->drawing.distribution) && fill->elements <= INLINE_BYTES / trnsci_dtype_size(fill->dtype);
}

/* Whether the samples come with the reply although they are many: a session that has no memory for tiles yet would wait for
 * it longer than for the bytes, and may never need it again. */
static bool is_first_large(const struct fill *fill)
{
	struct trnsci_session *session = fill->session;

	if (draw_stream_name(&fill->drawing) || fill_part_elements(fill) * trnsci_dtype_size(fill->dtype) > PIECE_BYTES)
		return false;
	pthread_mutex_lock(&session->lock);
	const bool first = !session->arenas && !session->large_fills;

	session->large_fills = true;
	pthread_mutex_unlock(&session->lock);
	return first;
}

/* ---- from a daemon: many ---- */

/* A permutation of 0 items, the default, has as many as the whole draw: a piece has to state them. */
static void state_items(const struct fill *fill, struct trnsci_args *args)
{
	struct trnsci_parameter_info parameter;
	const struct trnsci_param *items = params_find(fill->drawing.params, "items");

	if (items && !params_is_zero(items))
		return;
	for (size_t i = 0; trnsci_operation_parameter(fill->drawing.distribution, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, "items") == 0)
			args_set_u64(args, "items", fill->elements / fill->components);
}

static int copy_piece(struct trnsci_call *call, struct trnsci_tile *tile, void *out, int64_t deadline,
		      struct error *err)
{
	int r;

	do {
		r = call_run_until(call, NULL, deadline);
		if (r < 0)
			return error_import(err, &call->answer.error);
		r = tile_read_answer(tile, call->connection, out, err);
	} while (r > 0);
	return r;
}

/* Returns the samples of a piece. Pieces are equally long, so that one tile serves all of them: another tile would take a
 * request, and memory of its own. */
static uint64_t piece_samples(const struct fill *fill)
{
	const uint64_t samples = fill->end - fill->begin;
	const uint64_t fits = PIECE_BYTES / trnsci_dtype_size(fill->dtype) / fill->components, most = fits ? fits : 1;
	const uint64_t pieces = (samples + most - 1) / most;
	const uint64_t even = ((samples + pieces - 1) / pieces + PIECE_UNIT - 1) / PIECE_UNIT * PIECE_UNIT;
	const uint64_t n = even < most ? even : most;

	return n < samples ? n : samples;
}

/* The last piece ends with the draw, and draws samples of the one before again. The deadline is one for all pieces. */
static int draw_pieces(struct fill *fill, struct trnsci_call *call, int64_t deadline, struct error *err)
{
	const uint64_t n = piece_samples(fill), sample_bytes = fill->components * trnsci_dtype_size(fill->dtype);
	const struct trnsci_array piece = trnsci_array_vector(fill->dtype, n * fill->components, NULL);
	struct trnsci_tile *tile;
	int r = tile_pool_take(fill->session, &piece, &tile, err);

	if (r < 0)
		return r;
	args_set_tile(trnsci_call_args(call), "out", tile);
	for (uint64_t at = fill->begin; at < fill->end && r == 0; at += n) {
		const uint64_t from = fill->end - at < n ? fill->end - n : at;

		args_set_u64(trnsci_call_args(call), "offset", fill->source.offset + from);
		r = copy_piece(call, tile, (char *)fill->out + (from - fill->begin) * sample_bytes, deadline, err);
	}
	tile_pool_give(call, tile);
	return r;
}

/* Learns first where the whole draw lies, then draws its pieces from there. Unlike a draw from a named stream, a piece
 * can be repeated. */
static int fill_by_tile(struct fill *fill, struct error *err)
{
	const bool named = draw_stream_name(&fill->drawing);
	const int64_t deadline = deadline_after(fill->session->timeout_ms);
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = find_place(fill, err);

	if (r < 0)
		return r;
	/* A piece counts from the start of the whole draw, as the elements of parameters do. */
	fill->source = (struct trnsci_source){.generator = fill->span.generator,
					      .seed = fill->span.seed,
					      .stream = fill->span.stream,
					      .position = named ? fill->span.position : fill->source.position,
					      .offset = named ? 0 : fill->source.offset};
	fill->drawing.source = &fill->source;
	r = draw_call(fill->session, &fill->drawing, &call, &args, err);
	if (r < 0)
		return r;
	state_items(fill, args);
	r = draw_pieces(fill, call, deadline, err);
	trnsci_call_free(call);
	return r;
}

/* ---- the public interface ---- */

static int check_fill(const struct fill *fill, struct error *err)
{
	uint64_t bytes;
	int r = draw_check(&fill->drawing, err);

	if (r < 0)
		return r;
	if (trnsci_dtype_size(fill->dtype) == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: dtype: %d is none", fill->drawing.distribution,
				 (int)fill->dtype);
	if (fill->out &&
	    (mul_overflows(fill->elements, trnsci_dtype_size(fill->dtype), &bytes) || bytes > SIZE_MAX / 2))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be",
				 fill->drawing.distribution);
	return 0;
}

/* Runs a fill with tiles in the place of its parameters' arrays. */
static int run_with_tiles(struct fill *fill, int (*run)(struct fill *fill, struct error *err), struct error *err)
{
	struct parameter_tiles tiles;
	int r = parameter_tiles_make(fill->session, fill->drawing.params, &tiles, err);

	if (r < 0)
		return r;
	if (tiles.params)
		fill->drawing.params = tiles.params;
	r = run(fill, err);
	parameter_tiles_free(&tiles);
	return r;
}

static int run_fill_as_is(struct fill *fill, struct error *err)
{
	const bool embedded = fill->session->engine->shares_memory;
	int r;

	r = find_components(fill, err);
	if (r == 0)
		r = find_part(fill, err);
	if (r < 0)
		return r;
	if (!fill->out)
		return find_place(fill, err);
	if (embedded)
		return fill_embedded(fill, err);
	if (fill_part_elements(fill) * trnsci_dtype_size(fill->dtype) <= INLINE_BYTES)
		return fill_inline(fill, err);
	if (is_first_large(fill)) {
		r = fill_inline(fill, err);
		if (r != -ERROR_LIMIT)
			return r;
	}
	return run_with_tiles(fill, fill_by_tile, err);
}

/* A message to the daemon cannot hold arrays of any size, and should not hold large ones. */
static bool has_large_arrays(const struct fill *fill)
{
	return !fill->session->engine->shares_memory && params_array_bytes(fill->drawing.params) > PIECE_BYTES;
}

static int run_fill(struct fill *fill, struct error *err)
{
	if (fill->out && fill->session->engine->shares_memory && !fill_is_part(fill))
		return fill_embedded(fill, err);
	return has_large_arrays(fill) ? run_with_tiles(fill, run_fill_as_is, err) : run_fill_as_is(fill, err);
}

/* Checks a draw, and tries a cached call for a whole one. Returns 1 if the draw is still to be run. Inside the session. */
static int fill_at_once(struct fill *fill, struct error *err)
{
	const struct trnsci_array out = trnsci_array_vector(fill->dtype, fill->elements, fill->out);
	int r = check_fill(fill, err);

	if (r < 0)
		return r;
	if (!fill->out || fill_is_part(fill) || has_large_arrays(fill))
		return 1;
	return (fill->session->engine->shares_memory ? array_is_aligned(&out) : is_few(fill)) ? fill_cached(fill, err) : 1;
}

int trnsci_draw_array(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
		      const struct trnsci_source *source, enum trnsci_dtype dtype, uint64_t n, void *out,
		      struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct fill fill = {.session = session,
			    .drawing = {distribution, params, source},
			    .source = source ? *source : source_default,
			    .dtype = dtype,
			    .elements = n,
			    .out = out,
			    .wants_span = ret_span};
	struct error error = {0};
	int r = session_check_and_enter(session, &error);

	if (r == 0) {
		r = fill_at_once(&fill, &error);
		if (r <= 0)
			session_leave(session);
	}
	if (r > 0) {
		session_leave_with_ref(session);
		r = run_fill(&fill, &error);
		session_unref(session);
	}
	if (r == 0 && ret_span)
		*ret_span = fill.span;
	return r < 0 ? error_export(err, &error) : 0;
}
