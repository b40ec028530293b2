/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_draw_array: samples in the caller's memory. What comes again has a cached call. An embedded engine writes to the memory
 * itself. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "call/array.h"
#include "call/cache.h"
#include "call/run.h"
#include "call/span.h"
#include "fill_core.h"
#include "session/public_error.h"
#include "source.h"
#include "tile_pool.h"

enum { PARAMETER_BYTES_MOST = 1 << 20 }; /* of arrays in a message */

static int check_fill(struct fill *fill, struct error *err)
{
	uint64_t bytes;
	int r = draw_check(&fill->drawing, err);

	if (r < 0)
		return r;
	fill->element_bytes = trnsci_dtype_size(fill->dtype);
	if (fill->element_bytes == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: dtype: %d is none", fill->drawing.distribution,
				 (int)fill->dtype);
	if (fill->out && (mul_overflows(fill->elements, fill->element_bytes, &bytes) || bytes > SIZE_MAX / 2))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be",
				 fill->drawing.distribution);
	return 0;
}

static void look_at_drawing(struct fill *fill)
{
	const struct drawing *drawing = &fill->drawing;
	const bool embedded = fill->session->engine->shares_memory;

	if (!embedded || fill_is_part(fill) || !fill->out)
		fill->may_be_vectors = fill_may_be_vectors(drawing->distribution);
	if (!embedded && drawing->params)
		fill->has_large_arrays = params_array_bytes(drawing->params) > PARAMETER_BYTES_MOST;
}

/* ---- by a cached call ---- */

static struct trnsci_array array_of(const struct fill *fill)
{
	return trnsci_array_vector(fill->dtype, fill_is_part(fill) ? fill_part_elements(fill) : fill->elements, fill->out);
}

static int make_cached_by_daemon(const struct fill *fill, const struct trnsci_array *out, struct trnsci_call **ret_call,
				 struct error *err)
{
	struct trnsci_args *args;
	int r = fill_make_draw(fill, &fill->drawing, fill->elements, ret_call, &args, err);

	if (r < 0 || fill_is_inline(fill, fill->elements))
		return r;
	r = tile_pool_lend_for_long(*ret_call, "out", out, err);
	if (r < 0)
		trnsci_call_free(*ret_call);
	return r;
}

/* An embedded engine gets an address in each run. From a daemon few samples come with the reply, until the call has a tile. */
static int make_cached(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct fill *fill = arg;
	const struct trnsci_array out = array_of(fill);
	struct trnsci_args *args;
	int r;

	if (!fill->session->engine->shares_memory)
		return make_cached_by_daemon(fill, &out, ret_call, err);
	r = draw_call(fill->session, &fill->drawing, ret_call, &args, err);
	if (r == 0 && fill_is_part(fill))
		args_set_u64(args, "n", fill->elements / fill->components);
	if (r == 0)
		args_set_stated_memory(args, "out", &out, 0);
	return r;
}

/* Returns whether a cached call may fill the memory; a daemon's are for whole draws that are one piece and state no
 * position. */
static bool can_cache(const struct fill *fill, const struct trnsci_array *out)
{
	if (draw_stream_name(&fill->drawing) || fill->elements == 0 || !fill->out)
		return false;
	if (fill->session->engine->shares_memory)
		return array_is_aligned(out);
	return !fill_is_part(fill) && !fill->source.position && fill_is_piece(fill, fill->elements) && !fill->may_be_vectors;
}

/* Returns 1 if there is none that can. */
static int run_cached(struct fill *fill, struct error *err)
{
	const struct trnsci_array out = array_of(fill);
	const struct cached_request request = {.method = fill->drawing.distribution,
					       .params = fill->drawing.params,
					       .source = fill->drawing.source,
					       .n = fill->elements,
					       .out = &out,
					       .make = make_cached,
					       .arg = fill,
					       .lend = tile_pool_lend,
					       .ret_span = fill->wants_span ? &fill->span : NULL};

	return can_cache(fill, &out) ? cache_run(fill->session, &request, err) : 1;
}

/* ---- embedded ---- */

/* The engine checks count and dtype: it knows the components of a sample. */
static int fill_memory(struct fill *fill, const struct trnsci_array *out, struct error *err)
{
	struct trnsci_args *args;
	struct trnsci_call *call;
	int r = draw_call(fill->session, &fill->drawing, &call, &args, err);

	if (r < 0)
		return r;
	if (fill_is_part(fill))
		args_set_u64(args, "n", fill->elements / fill->components);
	args_set_memory(args, "out", out);
	r = call_run_to_end(call, err);
	if (r < 0)
		return r;
	r = fill->wants_span ? span_read(trnsci_call_reply(call), call->method, &fill->span, err) : 0;
	trnsci_call_free(call);
	return r;
}

/* A whole draw has tried a cached call before. */
static int fill_embedded(struct fill *fill, struct error *err)
{
	const struct trnsci_array out = array_of(fill);
	struct trnsci_array aligned;
	int r = fill_is_part(fill) ? run_cached(fill, err) : 1;

	if (r <= 0)
		return r;
	if (array_is_aligned(&out))
		return fill_memory(fill, &out, err);
	r = array_clone(&out, false, &aligned, err);
	if (r < 0)
		return r;
	r = fill_memory(fill, &aligned, err);
	if (r == 0)
		memcpy(fill->out, aligned.data, array_bytes(&out));
	free(aligned.data);
	return r;
}

/* ---- the public interface ---- */

static int find_span(struct fill *fill, struct error *err)
{
	struct trnsci_call *call;
	int r = fill_find_place(fill, &call, err);

	if (r == 0)
		trnsci_call_free(call);
	return r;
}

static int run_part(struct fill *fill, struct error *err)
{
	int r = fill_find_part(fill, err);

	if (r < 0)
		return r;
	if (!fill->out)
		return find_span(fill, err);
	return fill->session->engine->shares_memory ? fill_embedded(fill, err) : fill_by_daemon(fill, err);
}

static int run_fill(struct fill *fill, struct error *err)
{
	if (fill->out && fill->session->engine->shares_memory && !fill_is_part(fill))
		return fill_embedded(fill, err);
	return fill->has_large_arrays ? fill_with_tiles(fill, run_part, err) : run_part(fill, err);
}

/* Checks a draw, and tries a cached call for a whole one. Returns 1 if the draw is still to be run. */
static int begin_fill(struct fill *fill, struct error *err)
{
	int r = check_fill(fill, err);

	if (r < 0)
		return r;
	look_at_drawing(fill);
	return fill_is_part(fill) || fill->has_large_arrays ? 1 : run_cached(fill, err);
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
	int r = session_check(session, &error);

	if (r == 0)
		r = begin_fill(&fill, &error);
	if (r > 0) {
		r = session_check_and_ref(session, &error);
		if (r == 0) {
			r = run_fill(&fill, &error);
			session_unref(session);
		}
	}
	if (r == 0 && ret_span)
		*ret_span = fill.span;
	return r < 0 ? error_export(err, &error) : 0;
}
