/* SPDX-License-Identifier: Apache-2.0 */
/* The map is kept as a notification of the protocol, [2, "noise", [map]]: one encoding, whose reader trusts nothing. */
#include "stream_signal.h"

#include <string.h>

#include "codec.h"
#include "engine/producers/sampler.h"
#include "frame.h"
#include "net/session.h"
#include "store.h"

/* Copies op, dtype (with its default) and the parameters of the filter. */
static int copy_filter(const struct value *given, struct bump *bump, struct value *ret_map)
{
	const struct operation *colored = operation_find("colored", strlen("colored"));
	const struct value *dtype = value_get(given, "dtype");
	int failed = value_add(bump, ret_map, "op", value_string(colored->name)) |
		     value_add(bump, ret_map, "dtype", dtype ? *dtype : value_string(colored->params[DRAW_DTYPE].fallback));

	for (unsigned i = DRAW_COMMON; i < colored->n_params && !failed; i++) {
		const struct value *value = value_get(given, colored->params[i].name);

		if (value)
			failed = value_add(bump, ret_map, colored->params[i].name, *value);
	}
	return failed;
}

int stream_signal_encode(struct session *session, const struct args *args, unsigned param, struct bump *bump, const char **ret_at,
			 size_t *ret_size, struct error *err)
{
	const struct value *given = args->at[param].value;
	const struct stream any = {GENERATOR_THREEFRY4X32, 0, 0};
	struct codec_buffer buffer = {0};
	struct value map = value_map();
	struct sampler *sampler;
	int r = sampler_create(session->memory, args, param, STREAM_U64, &any, given, &sampler, err);

	if (r < 0)
		return r;
	sampler_free(sampler);
	if (copy_filter(given, bump, &map) || codec_notification(&buffer, "noise", &map))
		r = error_set(err, ERROR_NO_MEMORY, "%s: no memory for its noise", args->context);
	else if (buffer.size > STORE_NOISE_MOST)
		r = bind_error(args, param, err, ERROR_LIMIT,
			       "%zu bytes as MessagePack, allowed is %d: some 450 numbers of psd or taps", buffer.size,
			       STORE_NOISE_MOST);
	*ret_size = buffer.size;
	*ret_at = r == 0 ? bump_copy(bump, buffer.at, buffer.size) : NULL;
	codec_buffer_free(&buffer);
	return r < 0 || *ret_at ? r : error_set(err, ERROR_NO_MEMORY, "%s: no memory for its noise", args->context);
}

int stream_signal_decode(struct bump *bump, const char *at, size_t size, struct value *ret_map)
{
	const char *copy = bump_copy(bump, at, size);
	struct frame_scan scan;
	struct message message;
	size_t frame;
	int r;

	frame_scan_init(&scan, &(struct frame_limits){0});
	if (!copy)
		return -ERROR_NO_MEMORY;
	if (frame_scan_more(&scan, copy, size, &frame) != 1 || frame != size)
		return -ERROR_BAD_FRAME;
	r = codec_decode(copy, size, bump, &message, NULL);
	if (r == 0)
		*ret_map = message.params;
	return r;
}
