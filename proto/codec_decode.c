/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack-RPC, read by msgpack-c.
 *
 * The unpacker allocates what a header promises and nests on a stack of 32, so it is given only frames that
 * frame_scan has passed. */
#include "codec.h"

#include <msgpack.h>
#include <string.h>

/* Bytes of the first piece of msgpack's zone: enough for most requests, and what malloc has at hand. */
enum { OBJECTS_BYTES = 960 };

static bool is_text(const msgpack_object *object)
{
	return object->type == MSGPACK_OBJECT_STR || object->type == MSGPACK_OBJECT_BIN;
}

/* str and bin lie at the same place of msgpack's union, but only by its accident. msgpack-c leaves the pointer of an
 * empty one NULL. */
static const char *text_of(const msgpack_object *object, size_t *ret_size)
{
	bool str = object->type == MSGPACK_OBJECT_STR;

	*ret_size = str ? object->via.str.size : object->via.bin.size;
	if (*ret_size == 0)
		return "";
	return str ? object->via.str.ptr : object->via.bin.ptr;
}

static int to_value(const msgpack_object *object, struct bump *bump, struct value *ret, struct error *err);

static int to_array(const msgpack_object_array *array, struct bump *bump, struct value *ret, struct error *err)
{
	struct value *at = array->size ? bump_alloc(bump, array->size * sizeof *at) : NULL;

	if (array->size && !at)
		return error_set(err, ERROR_NO_MEMORY, "request: %u elements", array->size);
	for (uint32_t i = 0; i < array->size; i++) {
		int r = to_value(&array->ptr[i], bump, &at[i], err);

		if (r < 0)
			return r;
	}
	*ret = (struct value){.kind = VALUE_ARRAY, .array = {at, array->size, array->size}};
	return 0;
}

static int to_map(const msgpack_object_map *map, struct bump *bump, struct value *ret, struct error *err)
{
	struct value_member *at = map->size ? bump_alloc(bump, map->size * sizeof *at) : NULL;

	if (map->size && !at)
		return error_set(err, ERROR_NO_MEMORY, "request: %u members", map->size);
	for (uint32_t i = 0; i < map->size; i++) {
		if (!is_text(&map->ptr[i].key))
			return error_set(err, ERROR_WRONG_TYPE,
					 "params: a key of a map is not a string, allowed: str, bin");
		at[i].name = text_of(&map->ptr[i].key, &at[i].name_size);
		int r = to_value(&map->ptr[i].val, bump, &at[i].value, err);

		if (r < 0)
			return r;
	}
	*ret = (struct value){.kind = VALUE_MAP, .map = {at, map->size, map->size}};
	return 0;
}

/* Recursion is bounded by FRAME_MAX_DEPTH. */
static int to_value(const msgpack_object *object, struct bump *bump, struct value *ret, struct error *err)
{
	*ret = value_nil();
	switch (object->type) {
	case MSGPACK_OBJECT_NIL:
		return 0;
	case MSGPACK_OBJECT_BOOLEAN:
		*ret = value_bool(object->via.boolean);
		return 0;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		*ret = value_uint(object->via.u64);
		return 0;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		*ret = value_int(object->via.i64);
		return 0;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		*ret = value_real(object->via.f64);
		return 0;
	case MSGPACK_OBJECT_STR:
	case MSGPACK_OBJECT_BIN:
		ret->kind = object->type == MSGPACK_OBJECT_STR ? VALUE_STRING : VALUE_BYTES;
		ret->bytes.at = text_of(object, &ret->bytes.size);
		return 0;
	case MSGPACK_OBJECT_ARRAY:
		return to_array(&object->via.array, bump, ret, err);
	case MSGPACK_OBJECT_MAP:
		return to_map(&object->via.map, bump, ret, err);
	default:
		return error_set(err, ERROR_WRONG_TYPE, "params: an ext value, allowed: MessagePack's own types");
	}
}

/* [], [{...}], and [[]], which is how Neovim and others write [{}]. */
static int to_params(const msgpack_object *object, struct bump *bump, struct value *ret, struct error *err)
{
	const msgpack_object_array *array = &object->via.array;

	*ret = value_map();
	if (object->type != MSGPACK_OBJECT_ARRAY)
		return error_set(err, ERROR_WRONG_TYPE, "params: not an array, allowed: an array of at most one map");
	if (array->size == 0)
		return 0;
	if (array->size > 1)
		return error_set(err, ERROR_WRONG_TYPE, "params: %u elements, allowed: an array of at most one map",
				 array->size);
	if (array->ptr[0].type == MSGPACK_OBJECT_ARRAY && array->ptr[0].via.array.size == 0)
		return 0;
	if (array->ptr[0].type != MSGPACK_OBJECT_MAP)
		return error_set(err, ERROR_WRONG_TYPE,
				 "params: the element is not a map, allowed: an array of at most one map");
	return to_map(&array->ptr[0].via.map, bump, ret, err);
}

static void copy_text(struct error *ret, const char *at, size_t size)
{
	size = size < sizeof ret->text ? size : sizeof ret->text - 1;
	memcpy(ret->text, at, size);
	ret->text[size] = '\0';
}

/* [kind, text]; or a bare text, which other servers send. A name from a later release keeps its kind. */
static int to_error(const msgpack_object *object, struct error *ret)
{
	const msgpack_object *text = object;
	bool request = false;
	size_t size;

	ret->code = 0;
	ret->needed_bytes = 0;
	ret->text[0] = '\0';
	if (object->type == MSGPACK_OBJECT_NIL)
		return 0;
	if (object->type == MSGPACK_OBJECT_ARRAY) {
		if (object->via.array.size != 2 || object->via.array.ptr[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER)
			return -ERROR_BAD_FRAME;
		request = object->via.array.ptr[0].via.u64 == ERROR_KIND_REQUEST;
		text = &object->via.array.ptr[1];
	}
	if (!is_text(text))
		return -ERROR_BAD_FRAME;
	const char *at = text_of(text, &size);

	copy_text(ret, at, size);
	ret->code = error_from_text(ret->text);
	if (ret->code == 0)
		ret->code = request ? ERROR_NOT_SUPPORTED : ERROR_SYSTEM;
	return 0;
}

static int bad_frame(struct error *err, const char *wrong)
{
	return error_set(err, ERROR_BAD_FRAME, "message: %s", wrong);
}

/* A refusal for want of room may say how many bytes are needed: {bytes}. */
static void read_needed_bytes(const struct value *result, struct error *ret)
{
	const struct value *bytes = result->kind == VALUE_MAP ? value_get(result, "bytes") : NULL;

	if (bytes)
		value_to_u64(bytes, &ret->needed_bytes);
}

static int read_response(const msgpack_object *field, struct bump *bump, struct message *message, struct error *err)
{
	if (to_error(&field[2], &message->error) < 0)
		return bad_frame(err, "the error is not [kind, text]");
	int r = to_value(&field[3], bump, &message->result, err);

	if (r == 0 && message->error.code == ERROR_NO_ROOM)
		read_needed_bytes(&message->result, &message->error);
	return r == -ERROR_WRONG_TYPE ? bad_frame(err, "the result has a value that is not allowed") : r;
}

/* A request or notification: its method and params are the last two of n fields. */
static int read_call(const msgpack_object *field, struct bump *bump, struct message *message, struct error *err)
{
	if (!is_text(&field[0]))
		return bad_frame(err, "the method is not a string");
	message->method = text_of(&field[0], &message->method_size);
	return to_params(&field[1], bump, &message->params, err);
}

static int read_message(const msgpack_object *object, struct bump *bump, struct message *message, struct error *err)
{
	const msgpack_object *field = object->via.array.ptr;
	uint32_t n = object->type == MSGPACK_OBJECT_ARRAY ? object->via.array.size : 0;

	if (n < 3 || n > 4 || field[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER)
		return bad_frame(err, "not an array [type, ...] of three or four");
	if (field[0].via.u64 > MESSAGE_NOTIFICATION || (n == 3) != (field[0].via.u64 == MESSAGE_NOTIFICATION))
		return bad_frame(err, "no such type, allowed: 0 request, 1 response, 2 notification");
	message->type = (enum message_type)field[0].via.u64;
	if (message->type == MESSAGE_NOTIFICATION)
		return read_call(field + 1, bump, message, err);
	if (field[1].type != MSGPACK_OBJECT_POSITIVE_INTEGER || field[1].via.u64 > UINT32_MAX)
		return bad_frame(err, "the msgid is not an integer of 32 bits");
	message->msgid = (uint32_t)field[1].via.u64;
	return message->type == MESSAGE_REQUEST ? read_call(field + 2, bump, message, err)
						: read_response(field, bump, message, err);
}

int codec_decode(const void *frame, size_t size, struct bump *bump, struct message *ret_message, struct error *err)
{
	msgpack_zone objects;
	msgpack_object object;
	struct message message = {.params = value_map(), .result = value_nil()};
	size_t used = 0;
	int r;

	if (!msgpack_zone_init(&objects, OBJECTS_BYTES))
		return error_set(err, ERROR_NO_MEMORY, "request: a frame of %zu bytes", size);
	switch (msgpack_unpack(frame, size, &used, &objects, &object)) {
	case MSGPACK_UNPACK_SUCCESS:
		r = read_message(&object, bump, &message, err);
		break;
	case MSGPACK_UNPACK_EXTRA_BYTES:
		r = bad_frame(err, "bytes behind its end");
		break;
	case MSGPACK_UNPACK_NOMEM_ERROR:
		r = error_set(err, ERROR_NO_MEMORY, "request: a frame of %zu bytes", size);
		break;
	default:
		r = bad_frame(err, "not MessagePack");
	}
	/* Strings lie in frame, not in msgpack's zone. */
	msgpack_zone_destroy(&objects);
	if (r == 0 || r == -ERROR_WRONG_TYPE)
		*ret_message = message;
	return r;
}
