/* SPDX-License-Identifier: Apache-2.0 */
/* Draws from named streams: where each lies is the daemon's to say. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "call.h"
#include "draw.h"
#include "session.h"

static bool read_u64(const struct trnsci_value *map, const char *name, uint64_t *ret)
{
	return trnsci_to_u64(trnsci_get(map, name), ret) == 0;
}

static bool read_range(const struct trnsci_value *map, struct trnsci_stream_range *range)
{
	size_t size = 0;
	const char *generator = trnsci_to_bytes(trnsci_get(map, "generator"), &size);

	*range = (struct trnsci_stream_range){0};
	if (!generator || size >= sizeof range->generator || memchr(generator, '\0', size))
		return false;
	memcpy(range->generator, generator, size);
	return read_u64(map, "seed", &range->seed) && read_u64(map, "stream", &range->stream) &&
	       read_u64(map, "offset", &range->offset) && read_u64(map, "position", &range->position) &&
	       read_u64(map, "n", &range->n);
}

int trnsci_stream_call_new(struct trnsci_session *session, const char *name, const char *law,
			   struct trnsci_call **ret_call, struct trnsci_args **ret_args)
{
	struct trnsci_call *call;
	int r = name && law ? trnsci_call_new(session, "stream_draw", &call) : -ERROR_MISSING_PARAMETER;

	if (r < 0)
		return r;
	trnsci_set_text(trnsci_args(call), "name", name);
	*ret_args = trnsci_set_map(trnsci_args(call), "draw");
	trnsci_set_text(*ret_args, "op", law);
	*ret_call = call;
	return 0;
}

int trnsci_stream_call_range(const struct trnsci_call *call, struct trnsci_stream_range *ret_range)
{
	struct trnsci_stream_range range;

	if (!read_range(trnsci_reply(call), &range))
		return -ERROR_BAD_REPLY;
	*ret_range = range;
	return 0;
}

static int new_draw(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
		    struct trnsci_call **ret_call, struct trnsci_args **ret_args, struct error *err)
{
	int r = draw_check_placeless(draw, "stream_draw", err);

	if (r == 0) {
		r = trnsci_stream_call_new(session, name, draw->law, ret_call, ret_args);
		if (r < 0)
			return error_set(err, (enum error_code) - r, "stream_draw: %s", error_meaning(r));
		draw_set_parameters(*ret_args, draw);
	}
	return r;
}

/* The reply's range into *ret_range, which may be NULL. */
static int take_range(const struct trnsci_call *call, struct trnsci_stream_range *ret_range, struct error *err)
{
	struct trnsci_stream_range range;

	if (trnsci_stream_call_range(call, &range) < 0)
		return error_set(err, ERROR_BAD_REPLY, "stream_draw: the reply does not say where the draw lies");
	if (ret_range)
		*ret_range = range;
	return 0;
}

int trnsci_stream_draw(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
		       struct trnsci_tile *out, struct trnsci_stream_range *ret_range, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call = NULL;
	struct trnsci_args *args;
	int r = out ? 0 : error_set(&error, ERROR_BAD_TILE, "stream_draw: out: there is none");

	if (r == 0)
		r = new_draw(session, name, draw, &call, &args, &error);
	if (r < 0)
		return error_give(err, &error);
	trnsci_set_tile(args, "out", out);
	r = call_run(call, &error);
	if (r == 0) {
		r = take_range(call, ret_range, &error);
		trnsci_call_free(call);
	}
	return r < 0 ? error_give(err, &error) : 0;
}

static int reserve(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
		   enum trnsci_dtype dtype, uint64_t n, struct trnsci_stream_range *ret_range, struct error *err)
{
	struct trnsci_call *call;
	struct trnsci_args *args;
	int r = new_draw(session, name, draw, &call, &args, err);

	if (r < 0)
		return r;
	trnsci_set_bool(trnsci_args(call), "reserve", true);
	trnsci_set_u64(args, "n", n);
	trnsci_set_dtype(args, "dtype", dtype);
	r = call_run(call, err);
	if (r == 0) {
		r = take_range(call, ret_range, err);
		trnsci_call_free(call);
	}
	return r;
}

int trnsci_stream_reserve(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
			  enum trnsci_dtype dtype, uint64_t n, struct trnsci_stream_range *ret_range,
			  struct trnsci_error *err)
{
	struct error error = {0};
	int r = reserve(session, name, draw, dtype, n, ret_range, &error);

	return r < 0 ? error_give(err, &error) : 0;
}

/* ---- into memory of the caller's ---- */

/* The samples with the reply: one request. */
static int copy_few(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
		    enum trnsci_dtype dtype, uint64_t n, uint64_t samples, void *out,
		    struct trnsci_stream_range *ret_range, struct error *err)
{
	struct trnsci_call *call;
	struct trnsci_args *args;
	int r = new_draw(session, name, draw, &call, &args, err);

	if (r < 0)
		return r;
	trnsci_set_u64(args, "n", samples);
	trnsci_set_dtype(args, "dtype", dtype);
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = take_range(call, ret_range, err);
	if (r == 0)
		r = draw_take_elements(call, dtype, n, out, err);
	trnsci_call_free(call);
	return r;
}

/* The range first, then what lies in it, as any plain draw: of that a part may be asked for again. */
static int copy_many(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
		     enum trnsci_dtype dtype, uint64_t n, uint64_t samples, void *out,
		     struct trnsci_stream_range *ret_range, struct error *err)
{
	struct trnsci_draw placed = *draw;
	struct trnsci_span span;
	int r = reserve(session, name, draw, dtype, samples, ret_range, err);

	if (r < 0)
		return r;
	placed.generator = ret_range->generator;
	placed.seed = ret_range->seed;
	placed.stream = ret_range->stream;
	placed.offset = ret_range->offset;
	return draw_copy(session, &placed, dtype, n, samples, out, &span, err);
}

int trnsci_stream_draw_copy(struct trnsci_session *session, const char *name, const struct trnsci_draw *draw,
			    enum trnsci_dtype dtype, uint64_t n, void *out, struct trnsci_stream_range *ret_range,
			    struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_stream_range range;
	uint64_t samples = 0;
	int r = draw_check_placeless(draw, "stream_draw", &error);

	if (r == 0)
		r = draw_count_samples(session, draw, dtype, n, &samples, &error);
	if (r == 0)
		r = n * trnsci_dtype_size(dtype) <= DRAW_INLINE_BYTES
			    ? copy_few(session, name, draw, dtype, n, samples, out, &range, &error)
			    : copy_many(session, name, draw, dtype, n, samples, out, &range, &error);
	if (r < 0)
		return error_give(err, &error);
	if (ret_range)
		*ret_range = range;
	return 0;
}
