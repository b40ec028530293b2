/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_draw_array by an embedded engine, which writes to the caller's memory. */
#include <stdlib.h>
#include <string.h>

#include "call/array.h"
#include "call/run.h"
#include "fill_core.h"
#include "source.h"

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

/* A whole draw has tried a cached call before (fill_at_once). */
static int fill_aligned(struct fill *fill, const struct trnsci_array *out, struct error *err)
{
	int r = 1;

	if (fill_is_part(fill) && session_enter(fill->session)) {
		r = fill_cached(fill, err);
		session_leave(fill->session);
	}
	return r > 0 ? fill_memory(fill, out, err) : r;
}

int fill_embedded(struct fill *fill, struct error *err)
{
	const uint64_t count = fill_is_part(fill) ? fill_part_elements(fill) : fill->elements;
	const struct trnsci_array out = trnsci_array_vector(fill->dtype, count, fill->out);
	struct trnsci_array aligned;
	int r;

	if (array_is_aligned(&out))
		return fill_aligned(fill, &out, err);
	r = array_clone(&out, false, &aligned, err);
	if (r < 0)
		return r;
	r = fill_memory(fill, &aligned, err);
	if (r == 0)
		memcpy(fill->out, aligned.data, array_bytes(&out));
	free(aligned.data);
	return r;
}
