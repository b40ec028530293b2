/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack-RPC, written by msgpack-c in the shortest forms.
 *
 * Text that we send is made valid UTF-8 first, since it may repeat a client's bytes and many peers decode str strictly. */
#include "codec.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void codec_buffer_free(struct codec_buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct codec_buffer){0};
}

static int grow_buffer(struct codec_buffer *buffer, size_t size)
{
	size_t room = buffer->room ? buffer->room : 256;

	while (room - buffer->size < size) {
		if (room > SIZE_MAX / 2)
			return -1;
		room *= 2;
	}
	char *bigger = realloc(buffer->at, room);
	if (!bigger)
		return -1;
	buffer->at = bigger;
	buffer->room = room;
	return 0;
}

/* Writes what msgpack-c has packed: a head of a few bytes, or the bytes of a text. */
static inline int append(struct codec_buffer *buffer, const void *bytes, size_t size)
{
	if (buffer->room - buffer->size < size && grow_buffer(buffer, size))
		return -1;
	memcpy(buffer->at + buffer->size, bytes, size);
	buffer->size += size;
	return 0;
}

/* msgpack-c's packers as inline functions, put_uint64 ...: by its msgpack_packer, which calls `append` by a pointer, a small reply
 * takes the daemon 8 to 12 % longer. */
#define msgpack_pack_inline_func(name)             static inline int put##name
#define msgpack_pack_inline_func_cint(name)        static inline int put##name
#define msgpack_pack_inline_func_fixint(name)      static inline int put_fix##name
#define msgpack_pack_user                          struct codec_buffer *
#define msgpack_pack_append_buffer(buffer, at, size) return append(buffer, at, size)
#define msgpack_pack_ext                           put_ext /* msgpack-c 6 calls it by this name */
#include <msgpack/pack_template.h>
#undef msgpack_pack_ext

/* What a message is written to. The functions below return 0, or not 0 if there is no memory. */
struct writer {
	struct codec_buffer *buffer;
	size_t before;          /* its size before the message */
	struct codec_gap *gaps; /* NULL: everything is copied */
	size_t n_gaps;
};

static struct writer begin_message(struct codec_buffer *buffer, struct codec_gap *gaps)
{
	return (struct writer){buffer, buffer->size, gaps, 0};
}

static int finish_message(const struct writer *writer, int failed)
{
	if (!failed)
		return 0;
	writer->buffer->size = writer->before;
	return -ERROR_NO_MEMORY;
}

/* ---- values ---- */

static int pack_text(struct writer *writer, const char *text, size_t size)
{
	return size > UINT32_MAX || put_str(writer->buffer, size) || put_str_body(writer->buffer, text, size);
}

/* The length of the UTF-8 sequence at the start of at; 0 when it is none (overlong, surrogate, cut off, control). */
static size_t utf8_length(const unsigned char *at, size_t size)
{
	static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = at[0] < 0x80   ? 1
			: at[0] < 0xc0 ? 0
			: at[0] < 0xe0 ? 2
			: at[0] < 0xf0 ? 3
			: at[0] < 0xf8 ? 4
				       : 0;
	unsigned point;

	if (length == 1)
		return at[0] >= 0x20 && at[0] != 0x7f;
	if (length == 0 || length > size)
		return 0;
	point = at[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3f);
	}
	return point < smallest[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

static int pack_error(struct writer *writer, const struct error *error)
{
	char text[sizeof error->text];
	size_t size = strnlen(error->text, sizeof text);

	memcpy(text, error->text, size);
	for (size_t i = 0; i < size;) {
		size_t length = utf8_length((const unsigned char *)text + i, size - i);

		if (length == 0)
			text[i] = '?';
		i += length ? length : 1;
	}
	return put_array(writer->buffer, 2) || put_uint64(writer->buffer, (uint64_t)error_kind(error->code)) ||
	       pack_text(writer, text, size);
}

static int pack_bytes(struct writer *writer, const struct value *value)
{
	const size_t size = value->bytes.size;

	if (size > UINT32_MAX || put_bin(writer->buffer, size))
		return -1;
	if (!writer->gaps || writer->n_gaps == CODEC_GAPS_MAX || size < CODEC_GAP_BYTES)
		return put_bin_body(writer->buffer, value->bytes.at, size);
	writer->gaps[writer->n_gaps++] = (struct codec_gap){writer->buffer->size, value->bytes.at, size};
	return 0;
}

static int pack_value(struct writer *writer, const struct value *value);

static int pack_array(struct writer *writer, const struct value *value)
{
	int failed = value->array.count > UINT32_MAX || put_array(writer->buffer, value->array.count);

	for (size_t i = 0; i < value->array.count && !failed; i++)
		failed = pack_value(writer, &value->array.at[i]);
	return failed;
}

static int pack_map(struct writer *writer, const struct value *value)
{
	int failed = value->map.count > UINT32_MAX || put_map(writer->buffer, value->map.count);

	for (size_t i = 0; i < value->map.count && !failed; i++)
		failed = pack_text(writer, value->map.at[i].name, value->map.at[i].name_size) ||
			 pack_value(writer, &value->map.at[i].value);
	return failed;
}

static int pack_value(struct writer *writer, const struct value *value)
{
	switch (value->kind) {
	case VALUE_BOOL:
		return value->boolean ? put_true(writer->buffer) : put_false(writer->buffer);
	case VALUE_UINT:
	case VALUE_TILE:
		return put_uint64(writer->buffer, value->u);
	case VALUE_INT:
		return put_int64(writer->buffer, value->i);
	case VALUE_REAL:
		return put_double(writer->buffer, value->real);
	case VALUE_STRING:
		return pack_text(writer, value->bytes.at, value->bytes.size);
	case VALUE_BYTES:
		return pack_bytes(writer, value);
	case VALUE_ARRAY:
		return pack_array(writer, value);
	case VALUE_MAP:
		return pack_map(writer, value);
	default:
		return put_nil(writer->buffer);
	}
}

/* ---- messages ---- */

/* [type, msgid: the beginning of a message of n elements; a notification has no msgid. */
static int pack_head(struct writer *writer, size_t n, enum message_type type, uint32_t msgid)
{
	return put_array(writer->buffer, n) || put_uint64(writer->buffer, type) ||
	       (type != MESSAGE_NOTIFICATION && put_uint64(writer->buffer, msgid));
}

/* The method, and params as an array of one map; an empty array for none. */
static int pack_call(struct writer *writer, const char *method, const struct value *params)
{
	const bool some = params && params->kind == VALUE_MAP && params->map.count;

	return pack_text(writer, method, strlen(method)) || put_array(writer->buffer, some) ||
	       (some && pack_value(writer, params));
}

int codec_request(struct codec_buffer *buffer, uint32_t msgid, const char *method, const struct value *params)
{
	struct writer writer = begin_message(buffer, NULL);

	return finish_message(&writer, pack_head(&writer, 4, MESSAGE_REQUEST, msgid) || pack_call(&writer, method, params));
}

int codec_notification(struct codec_buffer *buffer, const char *method, const struct value *params)
{
	struct writer writer = begin_message(buffer, NULL);

	return finish_message(&writer, pack_head(&writer, 3, MESSAGE_NOTIFICATION, 0) || pack_call(&writer, method, params));
}

/* What stands in the place of a failed request's result: nil, or what the client needs to go on. */
static int pack_failed_result(struct writer *writer, const struct error *error)
{
	if (error->needed_bytes == 0)
		return put_nil(writer->buffer);
	return put_map(writer->buffer, 1) || pack_text(writer, "bytes", 5) || put_uint64(writer->buffer, error->needed_bytes);
}

int codec_response_gaps(struct codec_buffer *buffer, uint32_t msgid, const struct error *error,
			const struct value *result, struct codec_gap ret_gaps[CODEC_GAPS_MAX], size_t *ret_count)
{
	static const struct value nil = {.kind = VALUE_NIL};
	struct writer writer = begin_message(buffer, ret_gaps);
	const bool wrong = error && error->code;
	const int failed = pack_head(&writer, 4, MESSAGE_RESPONSE, msgid) ||
			   (wrong ? pack_error(&writer, error) || pack_failed_result(&writer, error)
				  : put_nil(writer.buffer) || pack_value(&writer, result ? result : &nil));

	if (!failed && ret_count)
		*ret_count = writer.n_gaps;
	return finish_message(&writer, failed);
}

int codec_response(struct codec_buffer *buffer, uint32_t msgid, const struct error *error, const struct value *result)
{
	return codec_response_gaps(buffer, msgid, error, result, NULL, NULL);
}
