/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which samples a fill has, and where they lie. */
#include <string.h>

#include "call/run.h"
#include "call/span.h"
#include "distributions/rows/dist_row.h"
#include "fill_core.h"
#include "source.h"

int fill_make_draw(const struct fill *fill, const struct drawing *drawing, uint64_t n, struct trnsci_call **ret_call,
		     struct trnsci_args **ret_args, struct error *err)
{
	int r = draw_call(fill->session, drawing, ret_call, ret_args, err);

	if (r < 0)
		return r;
	args_set_u64(*ret_args, "n", n);
	args_set_text(*ret_args, "dtype", trnsci_dtype_name(fill->dtype));
	return 0;
}

/* ---- samples and elements ---- */

bool fill_may_be_vectors(const char *name)
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
	if (fill->may_be_vectors)
		r = ask_components(fill, err);
	if (r == 0 && fill->elements % fill->components)
		r = error_set(err, ERROR_BAD_SHAPE, "%s: n: %llu elements, allowed multiples of %llu",
			      fill->drawing.distribution, (unsigned long long)fill->elements,
			      (unsigned long long)fill->components);
	return r;
}

int fill_find_part(struct fill *fill, struct error *err)
{
	const uint64_t size = fill->source.size ? fill->source.size : 1;
	int r = find_components(fill, err);
	const uint64_t samples = fill->elements / fill->components;

	if (r < 0)
		return r;
	if (!trnsci_rank_part(samples, fill->source.rank, size, &fill->begin, &fill->end))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: rank: %llu, allowed is 0 to size - 1",
				 fill->drawing.distribution, (unsigned long long)fill->source.rank);
	return 0;
}

/* ---- where it lies ---- */

int fill_find_place(struct fill *fill, struct trnsci_call **ret_call, struct error *err)
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
	if (r == 0)
		*ret_call = call;
	else
		trnsci_call_free(call);
	return r;
}
