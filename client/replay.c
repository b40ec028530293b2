/* SPDX-License-Identifier: Apache-2.0 */
/* Requests written anew. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"

/* The values of a tree, numbered as args.h says. */
struct walk {
	uint32_t next;
	uint32_t wanted;            /* look for the one of that number */
	const struct value *sought; /* or, when not NULL, for the number of this one */
	struct value *found;
};

static bool walk(struct walk *at, struct value *value)
{
	const size_t count = value->kind == VALUE_ARRAY ? value->array.count
			     : value->kind == VALUE_MAP ? value->map.count
							: 0;

	at->found = value;
	if (at->sought ? value == at->sought : at->next == at->wanted)
		return true;
	at->next++;
	for (size_t i = 0; i < count; i++)
		if (walk(at, value->kind == VALUE_ARRAY ? &value->array.at[i] : &value->map.at[i].value))
			return true;
	return false;
}

static struct value *value_at(struct value *root, uint32_t ordinal)
{
	struct walk at = {.wanted = ordinal};

	return walk(&at, root) ? at.found : NULL;
}

static uint32_t ordinal_of(struct value *root, const struct value *value)
{
	struct walk at = {.sought = value};

	walk(&at, root);
	return at.next;
}

/* ---- a draw from a named stream as a plain one ---- */

/* The members that the reply tells, beside the draw's own but `op`. */
static int put_members(struct zone *zone, const struct value *draw, const struct value *reply, struct value *map)
{
	static const char *const told[] = {"generator", "seed", "stream", "offset"};
	int failed = 0;

	for (size_t i = 0; i < draw->map.count && !failed; i++) {
		const struct value_member *member = &draw->map.at[i];
		char *name = zone_copy(zone, member->name, member->name_size);

		if (name && strcmp(name, "op") == 0)
			continue;
		failed = name ? value_put(zone, map, name, member->value) : -ERROR_NO_MEMORY;
	}
	for (size_t i = 0; i < sizeof told / sizeof *told && !failed; i++) {
		const struct value *one = value_get(reply, told[i]);

		failed = one ? value_put(zone, map, told[i], *one) : -ERROR_BAD_REPLY;
	}
	return failed;
}

/* Into a frame of its own. */
static int write_draw(struct zone *zone, const struct message *message, const struct value *reply,
		      struct codec_buffer *ret_frame, uint32_t *ret_ordinal)
{
	const struct value *draw = value_get(&message->params, "draw"), *op = draw ? value_get(draw, "op") : NULL;
	struct value map = value_map();
	int r = op && op->kind == VALUE_STRING && draw->kind == VALUE_MAP ? 0 : -ERROR_BAD_REPLY;

	if (r == 0)
		r = put_members(zone, draw, reply, &map);
	const char *law = r == 0 ? zone_copy(zone, op->bytes.at, op->bytes.size) : NULL;
	const struct value *out = r == 0 ? value_get(&map, "out") : NULL;

	if (r == 0 && (!law || !out))
		r = law ? -ERROR_BAD_REPLY : -ERROR_NO_MEMORY;
	if (r == 0)
		r = codec_request(ret_frame, 0, law, &map);
	if (r == 0)
		*ret_ordinal = ordinal_of(&map, out);
	return r;
}

/* ---- a program that draws from a named stream, as one that tells its place ---- */

static bool mentions(const struct value *value, const char *name)
{
	for (size_t i = 0; value->kind == VALUE_ARRAY && i < value->array.count; i++)
		if (mentions(&value->array.at[i], name))
			return true;
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->map.count; i++) {
		const struct value_member *member = &value->map.at[i];

		if ((member->name_size == strlen(name) && memcmp(member->name, name, member->name_size) == 0) ||
		    mentions(&member->value, name))
			return true;
	}
	return false;
}

/* Its only range. */
static const struct value *range_of(const struct value *reply)
{
	const struct value *ranges = reply ? value_get(reply, "ranges") : NULL;

	return ranges && ranges->kind == VALUE_ARRAY && ranges->array.count == 1 ? &ranges->array.at[0] : NULL;
}

/* Numbers of values stay as they are: one is put in the place of another, three behind all. A step that names a stream
 * would be given another range. */
static int place_program(struct zone *zone, struct value *params, const struct value *reply)
{
	const struct value *range = range_of(reply), *generator = range ? value_get(range, "generator") : NULL;
	const struct value *seed = range ? value_get(range, "seed") : NULL, *stream = range ? value_get(range, "stream") : NULL;
	const struct value *position = range ? value_get(range, "position") : NULL;

	if (!generator || !seed || !stream || !position || value_get(params, "generator"))
		return -ERROR_BAD_REPLY;
	for (size_t i = 0; i < params->map.count; i++) {
		struct value_member *member = &params->map.at[i];

		if (member->name_size == strlen("stream_name") && memcmp(member->name, "stream_name", member->name_size) == 0)
			*member = (struct value_member){"generator", strlen("generator"), *generator};
	}
	if (mentions(params, "stream_name"))
		return -ERROR_NOT_SUPPORTED;
	return value_put(zone, params, "seed", *seed) || value_put(zone, params, "stream", *stream) ||
			       value_put(zone, params, "offset", *position)
		       ? -ERROR_NO_MEMORY
		       : 0;
}

static int write_placed(struct zone *zone, struct making *making, struct message *message, const struct value *reply,
			struct codec_buffer *ret_frame, uint32_t *ordinal)
{
	int r;

	if (message->method_size == strlen("stream_draw") &&
	    memcmp(message->method, "stream_draw", message->method_size) == 0)
		return making->n_tiles == 1 ? write_draw(zone, message, reply, ret_frame, ordinal) : -ERROR_BAD_REPLY;
	r = place_program(zone, &message->params, reply);
	return r < 0 ? r : codec_request(ret_frame, 0, "run", &message->params);
}

int replay_place(struct making *making, const struct value *reply)
{
	struct codec_buffer frame = {0};
	struct zone *zone = zone_new();
	struct message message;
	uint32_t ordinal = making->tiles[0].ordinal;
	int r = zone ? codec_decode(making->request, making->size, zone, &message, NULL) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = write_placed(zone, making, &message, reply, &frame, &ordinal);
	zone_free(zone);
	if (r < 0) {
		codec_buffer_free(&frame);
		return r;
	}
	free(making->request);
	making->request = frame.at;
	making->size = frame.size;
	making->tiles[0].ordinal = ordinal;
	return 0;
}

/* ---- once more ---- */

static void put_handles(const struct making *making, struct value *params)
{
	for (size_t i = 0; i < making->n_tiles; i++) {
		struct value *handle = value_at(params, making->tiles[i].ordinal);

		if (handle)
			*handle = value_uint(making->tiles[i].tile->new_handle);
	}
}

int replay_run(const struct making *making, struct line *line, struct error *err)
{
	struct zone *zone = zone_new();
	char *method = NULL;
	struct message message;
	struct value result;
	int r = zone ? codec_decode(making->request, making->size, zone, &message, err) : -ERROR_NO_MEMORY;

	if (r == 0 && !(method = zone_copy(zone, message.method, message.method_size)))
		r = -ERROR_NO_MEMORY;
	if (r == 0) {
		put_handles(making, &message.params);
		r = line_call(line, method, &message.params, zone, NULL, &result, err);
	}
	zone_free(zone);
	return r;
}
