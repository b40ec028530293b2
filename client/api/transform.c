/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_apply_array: one array in, one array out. An embedded engine works on the caller's memory; to a daemon and back,
 * the arrays go through pooled tiles. */
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "engine/operations/operations.h"
#include "call/array.h"
#include "call/cache.h"
#include "pipeline.h"
#include "session/public_error.h"
#include "session/wait.h"
#include "tile_pool.h"
#include "call/run.h"

/* Bytes of each array, of a cached call with a daemon. */
enum { CACHED_BYTES_MOST = 256 << 10 };

struct transform {
	struct trnsci_session *session;
	const char *operation;
	const struct trnsci_param *params;
	const char *input; /* the name of the input parameter; NULL: not found yet */
	struct trnsci_array in, out;
};

/* Returns the name of the operation's first input, "in" if it is not known here. */
static const char *input_name(const char *operation)
{
	const struct operation *row = operation_find(operation, strlen(operation));

	for (size_t i = 0; row && i < row->n_params; i++)
		if (row->params[i].type == PARAM_TILE && strcmp(row->params[i].name, "out") != 0)
			return row->params[i].name;
	return "in";
}

static int make_transform_call(const struct transform *t, struct trnsci_call **ret_call, struct error *err)
{
	int r = call_make(t->session, t->operation, ret_call, err);

	if (r == 0)
		trnsci_set_params(trnsci_call_args(*ret_call), t->params);
	return r;
}

/* ---- embedded ---- */

static int run_on_memory(const struct transform *t, struct error *err)
{
	struct trnsci_call *call;
	int r = make_transform_call(t, &call, err);

	if (r < 0)
		return r;
	args_set_memory(trnsci_call_args(call), t->input, &t->in);
	args_set_memory(trnsci_call_args(call), "out", &t->out);
	r = call_run_to_end(call, err);
	if (r == 0)
		trnsci_call_free(call);
	return r;
}

/* An array that is not aligned, or overlaps the other in part, is replaced by a copy. */
static int run_embedded(const struct transform *t, struct error *err)
{
	struct transform own = *t;
	const bool apart = array_is_same(&t->in, &t->out) || !array_overlaps(&t->in, &t->out);
	const bool copies_in = !apart, copies_out = !array_is_aligned(&t->out);
	int r = 0;

	if (copies_in)
		r = array_clone(&t->in, true, &own.in, err);
	if (r == 0 && copies_out)
		r = array_clone(&t->out, false, &own.out, err);
	if (r == 0)
		r = run_on_memory(&own, err);
	if (r == 0 && copies_out)
		memcpy(t->out.data, own.out.data, array_bytes(&t->out));
	if (own.in.data != t->in.data)
		free(own.in.data);
	if (own.out.data != t->out.data)
		free(own.out.data);
	return r;
}

/* ---- by a daemon ---- */

/* Returns whether the axes that are transformed, by default the last one, leave the first one out. */
static bool leaves_first_axis(const struct trnsci_param *axes, size_t ndim)
{
	const bool is_list = axes && axes->kind == TRNSCI_PARAM_I64S;

	if (axes && !is_list && axes->kind != TRNSCI_PARAM_I64)
		return false;
	for (size_t i = 0; axes && i < (is_list ? axes->count : 1); i++) {
		const int64_t axis = is_list ? ((const int64_t *)axes->value.data)[i] : axes->value.i64;

		if (axis == 0 || axis == -(int64_t)ndim)
			return false;
	}
	return ndim > 1;
}

/* Returns whether each part of the first axis is transformed by itself. */
static bool has_batch(const struct transform *t)
{
	const struct operation *row = operation_find(t->operation, strlen(t->operation));
	const struct param *axes = row ? operation_param(row, "axes", sizeof "axes" - 1) : NULL;

	return axes && axes->fallback && strcmp(axes->fallback, "-1") == 0 &&
	       leaves_first_axis(params_find(t->params, "axes"), t->in.ndim) && t->out.ndim == t->in.ndim &&
	       t->out.shape[0] == t->in.shape[0] && t->in.shape[0] > 0;
}

/* Transforms of a batch whose results are as large as their inputs take the places of these: half of the memory goes through the
 * caches. */
static int lend_tiles(const struct transform *t, struct trnsci_call *call, uint64_t each, struct error *err)
{
	const bool cuts = has_batch(t);
	struct trnsci_array in = t->in, out = t->out;

	if (cuts)
		in.shape[0] = out.shape[0] = each;
	int r = tile_pool_lend(call, "out", &out, err);

	if (r < 0)
		return r;
	if (!cuts || !array_is_like(&in, &out))
		return tile_pool_lend(call, input_name(t->operation), &in, err);
	args_set_tile(call->params, input_name(t->operation), call->lent[0]);
	return 0;
}

static int make_piece(const void *arg, uint64_t each, struct trnsci_call **ret_call, struct error *err)
{
	const struct transform *t = arg;
	int r = make_transform_call(t, ret_call, err);

	return r < 0 ? r : lend_tiles(t, *ret_call, each, err);
}

/* Cuts a large batch. What is wrong with a piece is reported of the whole. */
static int run_on_tiles(const struct transform *t, struct error *err)
{
	const int64_t deadline = deadline_after(t->session->timeout_ms);
	const uint64_t units = has_batch(t) ? t->in.shape[0] : 1;
	struct pipeline pipeline = {.session = t->session,
				    .what = t->operation,
				    .end = units,
				    .in = t->in.data,
				    .out = t->out.data,
				    .in_bytes = array_bytes(&t->in) / units,
				    .out_bytes = array_bytes(&t->out) / units,
				    .make = make_piece,
				    .arg = t};
	int r;

	pipeline.each = pipeline_even(units, pipeline.in_bytes > pipeline.out_bytes ? pipeline.in_bytes : pipeline.out_bytes, 1);
	r = pipeline_run(&pipeline, deadline, err);
	if (r == 0 || r == -ERROR_CLOSED || r == -ERROR_TIMEOUT || r == -ERROR_CANCELLED || pipeline.each == units)
		return r;
	pipeline.each = units;
	return pipeline_run(&pipeline, deadline, err);
}

/* The transform may be repeated, so the input must not be overwritten before it has ended: if the two overlap, it is
 * copied. */
static int run_through_tiles(const struct transform *t, struct error *err)
{
	struct transform own = *t;
	int r;

	if (!array_overlaps(&t->in, &t->out))
		return run_on_tiles(t, err);
	r = array_clone(&t->in, true, &own.in, err);
	if (r == 0) {
		r = run_on_tiles(&own, err);
		free(own.in.data);
	}
	return r;
}

/* ---- by a cached call ---- */

static int make_cached(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct transform *t = arg;
	int r = make_transform_call(t, ret_call, err);

	if (r < 0)
		return r;
	if (t->session->engine->shares_memory) {
		args_set_stated_memory(trnsci_call_args(*ret_call), input_name(t->operation), &t->in, 0);
		args_set_stated_memory(trnsci_call_args(*ret_call), "out", &t->out, t->in.data == t->out.data ? 0 : 1);
		return 0;
	}
	r = lend_tiles(t, *ret_call, t->in.shape[0], err);
	if (r < 0)
		trnsci_call_free(*ret_call);
	return r;
}

/* An embedded engine works on aligned arrays, which are apart or the same. A daemon's tiles stay with the call, so they are small, and
 * the input has to be there still if the transform is repeated. */
static bool can_cache(const struct transform *t)
{
	const bool embedded = t->session->engine->shares_memory;
	const size_t most = embedded ? SIZE_MAX : CACHED_BYTES_MOST;

	if (!t->in.data || !t->out.data || t->in.ndim > TRNSCI_MAX_DIMS || t->out.ndim > TRNSCI_MAX_DIMS ||
	    array_bytes(&t->in) - 1 >= most || array_bytes(&t->out) - 1 >= most)
		return false;
	if (embedded && !(array_is_aligned(&t->in) && array_is_aligned(&t->out)))
		return false;
	return (embedded && array_is_same(&t->in, &t->out)) || !array_overlaps(&t->in, &t->out);
}

/* Returns 1 if there is none that can. */
static int run_cached(struct transform *t, struct error *err)
{
	const struct cached_request request = {.method = t->operation,
					       .params = t->params,
					       .in = &t->in,
					       .out = &t->out,
					       .make = make_cached,
					       .arg = t};

	return can_cache(t) ? cache_run(t->session, &request, err) : 1;
}

/* ---- the public interface ---- */

static int run_transform(struct transform *t, struct error *err)
{
	int r = array_check(&t->in, t->operation, t->input = input_name(t->operation), err);

	if (r == 0)
		r = array_check(&t->out, t->operation, "out", err);
	if (r == 0)
		r = t->session->engine->shares_memory ? run_embedded(t, err) : run_through_tiles(t, err);
	return r;
}

int trnsci_apply_array(struct trnsci_session *session, const char *operation, const struct trnsci_param *params,
		       struct trnsci_array in, struct trnsci_array out, struct trnsci_error *err)
{
	struct transform t = {.session = session, .operation = operation, .params = params, .in = in, .out = out};
	struct error error = {0};
	int r = operation ? session_check(session, &error)
			  : error_set(&error, ERROR_MISSING_PARAMETER, "transform: operation: missing");

	if (r == 0)
		r = run_cached(&t, &error);
	if (r > 0) {
		r = session_check_and_ref(session, &error);
		if (r == 0) {
			r = run_transform(&t, &error);
			session_unref(session);
		}
	}
	return r < 0 ? error_export(err, &error) : 0;
}
