/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from bytes, straight into the tree that they become: no other tree lies between, since a small request is
 * read faster than it is looked at twice.
 *
 * Every count is held against the bytes that are left before anything is allocated for it, and nesting against
 * FRAME_MAX_DEPTH, so it is safe also where frame_scan has not been. */
#include "codec.h"

#include <stdbool.h>
#include <string.h>

#include "frame.h"

struct reader {
	const unsigned char *at, *end;
	struct zone *zone;
	struct error *err;
	unsigned depth;
};

static int bad_frame(struct error *err, const char *wrong)
{
	return error_set(err, ERROR_BAD_FRAME, "message: %s", wrong);
}

static int no_message_pack(const struct reader *reader)
{
	return bad_frame(reader->err, "not MessagePack");
}

/* ------- values ------- */

static size_t left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* A big-endian number of that many bytes. */
static inline int read_number(struct reader *reader, unsigned bytes, uint64_t *ret)
{
	uint64_t number = 0;

	if (left(reader) < bytes)
		return no_message_pack(reader);
	for (unsigned i = 0; i < bytes; i++)
		number = number << 8 | *reader->at++;
	*ret = number;
	return 0;
}

static int read_signed(struct reader *reader, unsigned bytes, struct value *ret)
{
	const unsigned unused = 64 - 8 * bytes;
	uint64_t bits = 0;
	int r = read_number(reader, bytes, &bits);

	if (r == 0)
		*ret = value_int((int64_t)(bits << unused) >> unused);
	return r;
}

static int read_unsigned(struct reader *reader, unsigned bytes, struct value *ret)
{
	uint64_t number = 0;
	int r = read_number(reader, bytes, &number);

	if (r == 0)
		*ret = value_uint(number);
	return r;
}

static int read_real(struct reader *reader, unsigned bytes, struct value *ret)
{
	uint64_t bits = 0;
	uint32_t low;
	double real;
	float single;
	int r = read_number(reader, bytes, &bits);

	if (r < 0)
		return r;
	low = (uint32_t)bits;
	memcpy(&single, &low, sizeof single);
	memcpy(&real, &bits, sizeof real);
	*ret = value_real(bytes == sizeof single ? (double)single : real);
	return 0;
}

static int read_bytes(struct reader *reader, enum value_kind kind, uint64_t size, struct value *ret)
{
	if (size > left(reader))
		return no_message_pack(reader);
	*ret = (struct value){.kind = kind, .bytes = {(const char *)reader->at, (size_t)size}};
	reader->at += size;
	return 0;
}

static int read_value(struct reader *reader, struct value *ret);

/* A container of so many values begins: each has a byte at least. */
static int enter(struct reader *reader, uint64_t values)
{
	if (values > left(reader))
		return no_message_pack(reader);
	if (reader->depth == FRAME_MAX_DEPTH)
		return bad_frame(reader->err, "nested deeper than a frame may be");
	reader->depth++;
	return 0;
}

static int read_array(struct reader *reader, uint64_t count, struct value *ret)
{
	struct value *at = NULL;
	int r = enter(reader, count);

	if (r == 0 && count && !(at = zone_alloc(reader->zone, count * sizeof *at)))
		r = error_set(reader->err, ERROR_NO_MEMORY, "request: %zu elements", (size_t)count);
	for (uint64_t i = 0; i < count && r == 0; i++)
		r = read_value(reader, &at[i]);
	if (r < 0)
		return r;
	reader->depth--;
	*ret = (struct value){.kind = VALUE_ARRAY, .array = {at, (size_t)count, (size_t)count}};
	return 0;
}

static int read_member(struct reader *reader, struct value_member *member)
{
	struct value key;
	int r = read_value(reader, &key);

	if (r < 0)
		return r;
	if (key.kind != VALUE_STRING && key.kind != VALUE_BYTES)
		return error_set(reader->err, ERROR_WRONG_TYPE,
				 "params: a key of a map is not a string, allowed: str, bin");
	member->name = key.bytes.at;
	member->name_size = key.bytes.size;
	return read_value(reader, &member->value);
}

static int read_map(struct reader *reader, uint64_t count, struct value *ret)
{
	struct value_member *at = NULL;
	int r = enter(reader, 2 * count);

	if (r == 0 && count && !(at = zone_alloc(reader->zone, count * sizeof *at)))
		r = error_set(reader->err, ERROR_NO_MEMORY, "request: %zu members", (size_t)count);
	for (uint64_t i = 0; i < count && r == 0; i++)
		r = read_member(reader, &at[i]);
	if (r < 0)
		return r;
	reader->depth--;
	*ret = (struct value){.kind = VALUE_MAP, .map = {at, (size_t)count, (size_t)count}};
	return 0;
}

/* What has its length, of so many bytes, behind its type. */
static int read_long(struct reader *reader, unsigned bytes, enum value_kind kind, struct value *ret)
{
	uint64_t length = 0;
	int r = read_number(reader, bytes, &length);

	if (r < 0)
		return r;
	if (kind == VALUE_ARRAY)
		return read_array(reader, length, ret);
	return kind == VALUE_MAP ? read_map(reader, length, ret) : read_bytes(reader, kind, length, ret);
}

/* Types 0xc0 to 0xdf. */
static int read_typed(struct reader *reader, unsigned type, struct value *ret)
{
	switch (type) {
	case 0xc0:
		*ret = value_nil();
		return 0;
	case 0xc2:
	case 0xc3:
		*ret = value_bool(type == 0xc3);
		return 0;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		return read_long(reader, 1u << (type - 0xc4), VALUE_BYTES, ret);
	case 0xca:
	case 0xcb:
		return read_real(reader, 4u << (type - 0xca), ret);
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		return read_unsigned(reader, 1u << (type - 0xcc), ret);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return read_signed(reader, 1u << (type - 0xd0), ret);
	case 0xd9:
	case 0xda:
	case 0xdb:
		return read_long(reader, 1u << (type - 0xd9), VALUE_STRING, ret);
	case 0xdc:
	case 0xdd:
		return read_long(reader, 2u << (type - 0xdc), VALUE_ARRAY, ret);
	case 0xde:
	case 0xdf:
		return read_long(reader, 2u << (type - 0xde), VALUE_MAP, ret);
	case 0xc1:
		return no_message_pack(reader);
	default:
		return error_set(reader->err, ERROR_WRONG_TYPE,
				 "params: an ext value, allowed: MessagePack's own types");
	}
}

/* Recursion is bounded by FRAME_MAX_DEPTH. -ERROR_BAD_FRAME; -ERROR_WRONG_TYPE, what it is has no place in a tree;
 * -ERROR_NO_MEMORY. */
static int read_value(struct reader *reader, struct value *ret)
{
	unsigned type;

	if (reader->at == reader->end)
		return no_message_pack(reader);
	type = *reader->at++;
	if (type < 0x80) {
		*ret = value_uint(type);
		return 0;
	}
	if (type >= 0xe0) {
		*ret = value_int((int64_t)type - 0x100);
		return 0;
	}
	if (type >= 0xc0)
		return read_typed(reader, type, ret);
	if (type >= 0xa0)
		return read_bytes(reader, VALUE_STRING, type & 31, ret);
	return type >= 0x90 ? read_array(reader, type & 15, ret) : read_map(reader, type & 15, ret);
}

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_STRING || value->kind == VALUE_BYTES;
}

/* ------- messages ------- */

/* [], [{...}], and [[]], which is how Neovim and others write [{}]. */
static int to_params(const struct value *list, struct value *ret, struct error *err)
{
	*ret = value_map();
	if (list->kind != VALUE_ARRAY)
		return error_set(err, ERROR_WRONG_TYPE, "params: not an array, allowed: an array of at most one map");
	if (list->array.count == 0)
		return 0;
	if (list->array.count > 1)
		return error_set(err, ERROR_WRONG_TYPE, "params: %zu elements, allowed: an array of at most one map",
				 list->array.count);
	if (list->array.at[0].kind == VALUE_ARRAY && list->array.at[0].array.count == 0)
		return 0;
	if (list->array.at[0].kind != VALUE_MAP)
		return error_set(err, ERROR_WRONG_TYPE,
				 "params: the element is not a map, allowed: an array of at most one map");
	*ret = list->array.at[0];
	return 0;
}

static void copy_text(struct error *ret, const char *at, size_t size)
{
	size = size < sizeof ret->text ? size : sizeof ret->text - 1;
	memcpy(ret->text, at, size);
	ret->text[size] = '\0';
}

/* [kind, text]; or a bare text, which other servers send. A name from a later release keeps its kind. */
static int to_error(const struct value *value, struct error *ret)
{
	const struct value *text = value;
	bool request = false;

	ret->code = 0;
	ret->text[0] = '\0';
	if (value->kind == VALUE_NIL)
		return 0;
	if (value->kind == VALUE_ARRAY) {
		if (value->array.count != 2 || value->array.at[0].kind != VALUE_UINT)
			return -ERROR_BAD_FRAME;
		request = value->array.at[0].u == ERROR_KIND_REQUEST;
		text = &value->array.at[1];
	}
	if (!is_text(text))
		return -ERROR_BAD_FRAME;
	copy_text(ret, text->bytes.at, text->bytes.size);
	ret->code = error_from_text(ret->text);
	if (ret->code == 0)
		ret->code = request ? ERROR_NOT_SUPPORTED : ERROR_SYSTEM;
	return 0;
}

/* A field in which nothing but one kind of value will do: what has no place in a tree is then as wrong as any other. */
static int read_field(struct reader *reader, struct value *ret)
{
	int r = read_value(reader, ret);

	if (r == -ERROR_WRONG_TYPE)
		*ret = value_bool(false);
	return r == -ERROR_WRONG_TYPE ? 0 : r;
}

static int read_response(struct reader *reader, struct message *message)
{
	struct value error;
	int r = read_field(reader, &error);

	if (r == 0 && to_error(&error, &message->error) < 0)
		return bad_frame(reader->err, "the error is not [kind, text]");
	if (r == 0)
		r = read_value(reader, &message->result);
	return r == -ERROR_WRONG_TYPE ? bad_frame(reader->err, "the result has a value that is not allowed") : r;
}

/* A request or notification, from its method on. */
static int read_call(struct reader *reader, struct message *message)
{
	struct value method, params;
	int r = read_field(reader, &method);

	if (r < 0)
		return r;
	if (!is_text(&method))
		return bad_frame(reader->err, "the method is not a string");
	message->method = method.bytes.at;
	message->method_size = method.bytes.size;
	r = read_value(reader, &params);
	return r < 0 ? r : to_params(&params, &message->params, reader->err);
}

/* The fields of the array that a message is; 0 when it is none. */
static unsigned count_fields(struct reader *reader)
{
	uint64_t count = 0;
	const unsigned type = reader->at < reader->end ? *reader->at++ : 0;

	if ((type & 0xf0) == 0x90)
		count = type & 15;
	else if ((type & 0xfe) == 0xdc && read_number(reader, 2u << (type - 0xdc), &count) < 0)
		return 0;
	return count <= 4 ? (unsigned)count : 0;
}

static int read_message(struct reader *reader, struct message *message)
{
	const unsigned n = count_fields(reader);
	struct value type, msgid;
	int r = n >= 3 ? read_field(reader, &type) : 0;

	if (r < 0)
		return r;
	if (n < 3 || type.kind != VALUE_UINT)
		return bad_frame(reader->err, "not an array [type, ...] of three or four");
	if (type.u > MESSAGE_NOTIFICATION || (n == 3) != (type.u == MESSAGE_NOTIFICATION))
		return bad_frame(reader->err, "no such type, allowed: 0 request, 1 response, 2 notification");
	message->type = (enum message_type)type.u;
	if (message->type == MESSAGE_NOTIFICATION)
		return read_call(reader, message);
	r = read_field(reader, &msgid);
	if (r < 0)
		return r;
	if (msgid.kind != VALUE_UINT || msgid.u > UINT32_MAX)
		return bad_frame(reader->err, "the msgid is not an integer of 32 bits");
	message->msgid = (uint32_t)msgid.u;
	return message->type == MESSAGE_REQUEST ? read_call(reader, message) : read_response(reader, message);
}

/* Of a message whose params are wrong, what lies behind them has not been read: it must be a whole frame all the same. */
static bool is_whole(const void *frame, size_t size)
{
	const struct frame_limits limits = {.bytes = size, .elements = size};
	struct frame_scan scan;
	size_t whole;

	frame_scan_init(&scan, &limits);
	return frame_scan_more(&scan, frame, size, &whole) == 1 && whole == size;
}

int codec_decode(const void *frame, size_t size, struct zone *zone, struct message *ret_message, struct error *err)
{
	struct message message = {.params = value_map(), .result = value_nil()};
	struct reader reader = {.at = frame, .zone = zone, .err = err, .depth = 1};
	int r;

	reader.end = reader.at + size;
	r = read_message(&reader, &message);
	if (r == 0 && reader.at < reader.end)
		r = bad_frame(err, "bytes behind its end");
	else if (r == -ERROR_WRONG_TYPE && !is_whole(frame, size))
		r = no_message_pack(&reader);
	if (r == 0 || r == -ERROR_WRONG_TYPE)
		*ret_message = message;
	return r;
}
