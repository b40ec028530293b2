/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_fill by an embedded engine, which writes to the caller's memory. */
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
		trnsci_set_u64(args, "n", fill->elements / fill->components);
	args_set_memory(args, "out", out);
	r = call_run_to_end(call, err);
	if (r < 0)
		return r;
	r = fill->wants_span ? span_read(trnsci_reply(call), call->method, &fill->span, err) : 0;
	trnsci_call_free(call);
	return r;
}

/* Makes the call that is kept for fills like this one. */
static int make_kept(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct fill *fill = arg;
	const uint64_t count = fill_is_part(fill) ? fill_part_elements(fill) : fill->elements;
	const struct trnsci_array out = trnsci_vector(fill->dtype, count, NULL);
	struct trnsci_args *args;
	int r = draw_call(fill->session, &fill->drawing, ret_call, &args, err);

	if (r == 0 && fill_is_part(fill))
		trnsci_set_u64(args, "n", fill->elements / fill->components);
	if (r == 0)
		args_set_stated_memory(args, "out", &out, 0);
	return r;
}

void fill_make_key(const struct fill *fill, struct call_key *key)
{
	draw_begin_key(key, &fill->drawing);
	call_key_add(key, fill->dtype);
	call_key_add(key, fill->elements);
}

int fill_kept(struct fill *fill, struct error *err)
{
	struct prepared_changes changes = draw_changes(fill->drawing.source);
	const struct value *reply;
	struct kept_call *kept;
	struct call_key key;
	int r;

	if (draw_stream_name(&fill->drawing) || fill->elements == 0)
		return 1;
	fill_make_key(fill, &key);
	kept = kept_call_take(fill->session, &key, make_kept, fill);
	if (!kept)
		return 1;
	changes.memory = &fill->out;
	r = kept_call_run(kept, &key, &changes, &reply, err);
	if (r == 0 && fill->wants_span)
		r = span_read((const struct trnsci_value *)(const void *)reply, fill->drawing.distribution, &fill->span, err);
	kept_call_give(fill->session, kept);
	return r;
}

/* A whole draw has tried a kept call before (fill_at_once). */
static int fill_aligned(struct fill *fill, const struct trnsci_array *out, struct error *err)
{
	int r = 1;

	if (fill_is_part(fill) && session_enter(fill->session)) {
		r = fill_kept(fill, err);
		session_leave(fill->session);
	}
	return r > 0 ? fill_memory(fill, out, err) : r;
}

int fill_embedded(struct fill *fill, struct error *err)
{
	const uint64_t count = fill_is_part(fill) ? fill_part_elements(fill) : fill->elements;
	const struct trnsci_array out = trnsci_vector(fill->dtype, count, fill->out);
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
