/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_draw_array by a cached call, for both engines. */
#include "call/args.h"
#include "call/array.h"
#include "fill_core.h"
#include "source.h"

/* ---- making ---- */

/* By an embedded engine, to an address that each run states. */
static int make_embedded(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct fill *fill = arg;
	const uint64_t count = fill_is_part(fill) ? fill_part_elements(fill) : fill->elements;
	const struct trnsci_array out = trnsci_array_vector(fill->dtype, count, NULL);
	struct trnsci_args *args;
	int r = draw_call(fill->session, &fill->drawing, ret_call, &args, err);

	if (r == 0 && fill_is_part(fill))
		args_set_u64(args, "n", fill->elements / fill->components);
	if (r == 0)
		args_set_stated_memory(args, "out", &out, 0);
	return r;
}

/* From a daemon, of samples that come with the reply. */
static int make_few(void *arg, struct trnsci_call **ret_call, struct error *err)
{
	const struct fill *fill = arg;
	struct trnsci_args *args;

	return fill_make_draw(fill, &fill->drawing, fill->elements, ret_call, &args, err);
}

/* ---- running ---- */

static void make_key(const struct fill *fill, struct call_key *key)
{
	draw_begin_key(key, &fill->drawing);
	call_key_add(key, fill->dtype);
	call_key_add(key, fill->elements);
}

/* Returns false if the samples have to be drawn again: the reply has others, or they may have been emptied. */
static bool take_elements(const struct fill *fill, const struct cached_call *cached, const struct value *reply)
{
	return fill_take_elements(fill, (const struct trnsci_value *)(const void *)reply, fill->elements) && cached_call_had_reply(cached);
}

int fill_cached(struct fill *fill, struct error *err)
{
	const bool embedded = fill->session->engine->shares_memory;
	struct prepared_changes changes = draw_changes(fill->drawing.source);
	const struct value *reply;
	struct cached_call *cached;
	struct call_key key;
	int r;

	if (draw_stream_name(&fill->drawing) || fill->elements == 0)
		return 1;
	make_key(fill, &key);
	cached = cached_call_take(fill->session, &key, embedded ? make_embedded : make_few, fill);
	if (!cached)
		return 1;
	changes.memory = &fill->out;
	r = cached_call_run(cached, &key, &changes, &reply, err);
	if (r == 0 && !embedded && !take_elements(fill, cached, reply))
		r = 1;
	if (r == 0 && fill->wants_span)
		r = span_read((const struct trnsci_value *)(const void *)reply, fill->drawing.distribution, &fill->span, err);
	cached_call_give(fill->session, cached);
	return r;
}
