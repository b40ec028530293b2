/* SPDX-License-Identifier: Apache-2.0 */
/* Fills from a daemon: few samples come with the reply to one request, many piece by piece through tiles (pipeline.h). */
#include <string.h>

#include "call/run.h"
#include "call/span.h"
#include "distributions/layouts/layout.h"
#include "fill_core.h"
#include "parameter_tiles.h"
#include "pipeline.h"
#include "session/public_error.h"
#include "session/wait.h"
#include "source.h"
#include "tile_pool.h"

enum {
	INLINE_BYTES = 64 << 10, /* up to so many come with the reply: a tile costs more round trips */
	PIECE_UNIT = 1024,       /* samples: pieces begin where kernels need no start in the middle of a block */
};

/* ---- few ---- */

bool fill_is_inline(const struct fill *fill, uint64_t elements)
{
	return elements <= INLINE_BYTES / fill->element_bytes;
}

bool fill_is_piece(const struct fill *fill, uint64_t elements)
{
	return elements <= PIECE_BYTES / fill->element_bytes;
}

/* Copies the samples of a reply. Returns false if it has no array of that dtype and count. */
static bool take_elements(const struct fill *fill, const struct trnsci_value *reply, uint64_t count)
{
	struct trnsci_array array;

	if (trnsci_value_to_array(reply, &array) < 0 || array.dtype != fill->dtype || array.count != count)
		return false;
	if (array.bytes > 0)
		memcpy(fill->out, array.data, array.bytes);
	return true;
}

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
	if (r == 0 && !take_elements(fill, trnsci_call_reply(call), fill_part_elements(fill)))
		r = error_set(err, ERROR_BAD_REPLY, "%s: not the samples that were asked for", call->method);
	trnsci_call_free(call);
	return r;
}

/* Returns whether the samples come with the reply although they are many: a session that has no memory for tiles yet would wait for
 * it longer than for the bytes, and may never need it again. */
static bool is_first_large(const struct fill *fill)
{
	struct trnsci_session *session = fill->session;

	if (draw_stream_name(&fill->drawing) || !fill_is_piece(fill, fill_part_elements(fill)))
		return false;
	pthread_mutex_lock(&session->lock);
	const bool first = !session->arenas && !session->large_fills;

	session->large_fills = true;
	pthread_mutex_unlock(&session->lock);
	return first;
}

/* ---- many ---- */

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

/* Returns whether the draw is a call of another framework, whose numbers depend on how many it has. */
static bool is_call(const struct fill *fill)
{
	const struct trnsci_param *layout = params_find(fill->drawing.params, "layout");

	return layout && layout->kind == TRNSCI_PARAM_TEXT && layout_is_replay(layout_parse(layout->value.text));
}

/* A piece of such a call has to state all of it. */
static void state_call(const struct fill *fill, struct trnsci_args *args)
{
	if (is_call(fill) && !params_find(fill->drawing.params, "call_n"))
		args_set_u64(args, "call_n", fill->source.offset + fill->elements / fill->components);
}

/* Sets the noise that a named stream is one signal of. NULL: it is none. */
static void set_signal(struct trnsci_args *args, const struct trnsci_value *noise)
{
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; noise && trnsci_operation_parameter("colored", i, &parameter) == 0; i++)
		trnsci_set_value(args, parameter.name, trnsci_value_get(noise, parameter.name));
}

/* The fill whose pieces are made, and the noise of a signal. */
struct drawn {
	const struct fill *fill;
	const struct trnsci_value *noise;
};

static int make_piece(const void *arg, uint64_t samples, struct trnsci_call **ret_call, struct error *err)
{
	const struct drawn *drawn = arg;
	const struct fill *fill = drawn->fill;
	const struct trnsci_array array = trnsci_array_vector(fill->dtype, samples * fill->components, NULL);
	struct trnsci_args *args;
	int r = draw_call(fill->session, &fill->drawing, ret_call, &args, err);

	if (r < 0)
		return r;
	set_signal(args, drawn->noise);
	state_items(fill, args);
	state_call(fill, args);
	return tile_pool_lend(*ret_call, "out", &array, err);
}

static int fill_pieces(const struct fill *fill, const struct trnsci_value *noise, int64_t deadline, struct error *err)
{
	const struct drawn drawn = {fill, noise};
	const struct pipeline pipeline = {
		.session = fill->session,
		.what = fill->drawing.distribution,
		.begin = fill->begin,
		.end = fill->end,
		.each = pipeline_even(fill->end - fill->begin, fill->components * fill->element_bytes, PIECE_UNIT),
		.out = fill->out,
		.out_bytes = fill->components * fill->element_bytes,
		.states_offset = true,
		.offset = fill->source.offset,
		.make = make_piece,
		.arg = &drawn};

	return pipeline_run(&pipeline, deadline, err);
}

/* Learns first where the whole draw lies, then draws its pieces from there. Unlike a draw from a named stream, a piece
 * can be repeated. A part of a signal may begin at any sample, and the filter is the stream's. */
static int fill_by_tile(struct fill *fill, struct error *err)
{
	const bool named = draw_stream_name(&fill->drawing);
	const int64_t deadline = deadline_after(fill->session->timeout_ms);
	const struct trnsci_value *noise;
	struct trnsci_call *place;
	int r = fill_find_place(fill, &place, err);

	if (r < 0)
		return r;
	noise = named ? trnsci_value_get(trnsci_call_reply(place), "noise") : NULL;
	/* A piece counts from the start of the whole draw, as the elements of parameters do. */
	fill->source = (struct trnsci_source){.generator = is_call(fill) ? NULL : fill->span.generator,
					      .seed = fill->span.seed,
					      .stream = fill->span.stream,
					      .position = noise ? 0 : named ? fill->span.position : fill->source.position,
					      .offset = noise ? fill->span.offset : named ? 0 : fill->source.offset};
	fill->drawing.source = &fill->source;
	if (noise) /* what is stated is the stream's, perhaps in other words */
		fill->drawing.params = NULL;
	r = fill_pieces(fill, noise, deadline, err);
	trnsci_call_free(place);
	return r;
}

/* ---- both ---- */

int fill_with_tiles(struct fill *fill, int (*run)(struct fill *fill, struct error *err), struct error *err)
{
	const struct fill whole = *fill;
	struct parameter_tiles tiles;
	bool stayed;
	int r;

	do {
		*fill = whole;
		r = parameter_tiles_make(fill->session, fill->drawing.params, &tiles, err);
		if (r < 0)
			return r;
		if (tiles.params)
			fill->drawing.params = tiles.params;
		r = run(fill, err);
		stayed = tiles.n == 0 || atomic_load(&fill->session->connection) == tiles.connection;
		parameter_tiles_free(&tiles);
	} while (!stayed && (r == 0 || r == -ERROR_LOST));
	return r;
}

int fill_by_daemon(struct fill *fill, struct error *err)
{
	int r;

	if (fill_is_inline(fill, fill_part_elements(fill)))
		return fill_inline(fill, err);
	if (is_first_large(fill)) {
		r = fill_inline(fill, err);
		if (r != -ERROR_LIMIT)
			return r;
	}
	return fill_with_tiles(fill, fill_by_tile, err);
}
