/* SPDX-License-Identifier: Apache-2.0 */
/* Draws into tiles, and any operation on tiles, without a call object.
 *
 * Each tries a cached call first (call/cache.h): the second call with the same parameters, dtypes and shapes skips validation
 * and compilation. Otherwise it makes a call, runs it and frees it. */
#include "draw.h"

#include <trnsci/trnsci.h>

#include "rng/stream.h"
#include "call/args.h"
#include "session/public_error.h"
#include "call/cache.h"
#include "call/run.h"
#include "call/span.h"
#include "source.h"
#include "tile.h"

int draw_check(const struct drawing *drawing, struct error *err)
{
	if (!drawing->distribution)
		return error_set(err, ERROR_MISSING_PARAMETER, "draw: distribution: missing");
	return drawing->source ? source_check(drawing->source, drawing->distribution, err) : 0;
}

const char *draw_stream_name(const struct drawing *drawing)
{
	return drawing->source ? drawing->source->name : NULL;
}

/* The source is set after the parameters, so that it replaces a place among them. */
static int make_plain_call(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_call **ret_call,
			   struct trnsci_args **ret_args, struct error *err)
{
	int r = call_make(session, drawing->distribution, ret_call, err);

	if (r < 0)
		return r;
	*ret_args = trnsci_call_args(*ret_call);
	trnsci_set_params(*ret_args, drawing->params);
	if (drawing->source) {
		source_set_place(*ret_args, drawing->source);
		source_set_part(*ret_args, drawing->source);
	}
	return 0;
}

/* A draw from a named stream is a parameter of `stream_draw`: the daemon reserves samples and then runs the draw. */
int draw_call(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_call **ret_call,
	      struct trnsci_args **ret_args, struct error *err)
{
	const char *name = draw_stream_name(drawing);
	int r;

	if (!name)
		return make_plain_call(session, drawing, ret_call, ret_args, err);
	r = call_make(session, "stream_draw", ret_call, err);
	if (r < 0)
		return r;
	args_set_text(trnsci_call_args(*ret_call), "name", name);
	*ret_args = trnsci_set_map(trnsci_call_args(*ret_call), "draw");
	trnsci_set_params(*ret_args, drawing->params);
	args_set_text(*ret_args, "op", drawing->distribution);
	return 0;
}

int draw_set_noise(struct trnsci_args *args, const struct drawing *drawing, const char *what, struct error *err)
{
	struct trnsci_args *noise;
	int r = draw_check(drawing, err);

	if (r == 0 && drawing->source)
		r = source_check_whole(drawing->source, what, err);
	if (r < 0)
		return r;
	noise = trnsci_set_map(args, "noise");
	trnsci_set_params(noise, drawing->params);
	args_set_text(noise, "op", drawing->distribution);
	if (drawing->source && !drawing->source->name)
		source_set_place(noise, drawing->source);
	return 0;
}

void draw_set_noise_offset(struct trnsci_args *args, uint64_t offset)
{
	struct trnsci_args *noise = args_map(args, "noise");

	args_set_u64(noise, "position", 0);
	args_set_u64(noise, "offset", offset);
}

/* ---- into tiles ---- */

static void set_output(struct trnsci_args *args, struct trnsci_tile *const *tile)
{
	if (*tile)
		args_set_tile(args, "out", *tile);
	else
		trnsci_set(args, trnsci_param_new_tile("out"));
}

/* Runs the call and frees it; the new tile, if there is one, is the caller's. */
static int run_into(struct trnsci_call *call, struct trnsci_tile **tile, struct trnsci_span *ret_span,
		    struct error *err)
{
	int r = call_run(call, err);

	if (r < 0)
		return r;
	if (ret_span)
		r = span_read(trnsci_call_reply(call), call->method, ret_span, err);
	if (r == 0 && !*tile)
		r = tile_from_reply(call, trnsci_call_reply(call), tile, err);
	trnsci_call_free(call);
	return r;
}

/* A draw, or any operation as one without a source, into a tile that is there. */
struct into_tile {
	struct trnsci_session *session;
	struct drawing drawing;
	struct trnsci_tile *tile;
};

static int make_cached(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct into_tile *into = arg;
	struct trnsci_args *args;
	int r = draw_call(into->session, &into->drawing, ret_call, &args, err);

	if (r == 0)
		args_set_tile(args, "out", into->tile);
	return r;
}

/* Returns 1 if there is no cached call that can. */
static int run_cached(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_tile *tile,
		      struct trnsci_span *ret_span, struct error *err)
{
	struct into_tile into = {session, *drawing, tile};
	const struct cached_request request = {.method = drawing->distribution,
					       .params = drawing->params,
					       .source = drawing->source,
					       .tile = tile,
					       .make = make_cached,
					       .arg = &into,
					       .ret_span = ret_span};

	return tile && !draw_stream_name(drawing) ? cache_run(session, &request, err) : 1;
}

/* Runs by a cached call or by one made now. Where a limit keeps a result from a tile of its own, those that the library keeps for later
 * make room. */
static int run_draw(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_tile **tile,
		    struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = run_cached(session, drawing, *tile, ret_span, err);

	if (r <= 0)
		return r;
	r = session_check_and_ref(session, err);
	if (r < 0)
		return r;
	do {
		r = draw_call(session, drawing, &call, &args, err);
		if (r < 0)
			break;
		set_output(args, tile);
		r = run_into(call, tile, ret_span, err);
	} while (!*tile && (r == -ERROR_LIMIT || r == -ERROR_NO_ROOM) && tile_make_room(session));
	session_unref(session);
	return r;
}

int trnsci_draw_tile(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
		     const struct trnsci_source *source, struct trnsci_tile **tile, struct trnsci_span *ret_span,
		     struct trnsci_error *err)
{
	const struct drawing drawing = {distribution, params, source};
	struct error error = {0};
	int r = draw_check(&drawing, &error);

	if (r == 0 && !tile)
		r = error_set(&error, ERROR_BAD_TILE, "%s: tile: missing", distribution);
	if (r == 0)
		r = run_draw(session, &drawing, tile, ret_span, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_apply_tile(struct trnsci_session *session, const char *operation, const struct trnsci_param *params,
		      struct trnsci_tile **tile, struct trnsci_error *err)
{
	const struct drawing drawing = {operation, params, NULL};
	struct error error = {0};
	int r = 0;

	if (!operation)
		r = error_set(&error, ERROR_MISSING_PARAMETER, "apply: operation: missing");
	else if (!tile)
		r = error_set(&error, ERROR_BAD_TILE, "%s: tile: missing", operation);
	else
		r = run_draw(session, &drawing, tile, NULL, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

bool trnsci_rank_part(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end)
{
	if (rank >= size)
		return false;
	stream_rank_part(n, rank, size, ret_begin, ret_end);
	return true;
}
