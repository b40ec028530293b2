/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack-RPC, written in the shortest forms.
 *
 * Text that we send is made valid UTF-8 first, since it may repeat a client's bytes and many peers decode str strictly. */
#include "codec.h"

#include <stdlib.h>
#include <string.h>

enum { NIL = 0xc0 };

void codec_buffer_free(struct codec_buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct codec_buffer){0};
}

/* What a message is written to. */
struct writer {
	struct codec_buffer *buffer;
	struct codec_gap *gaps; /* NULL: everything is copied */
	size_t n_gaps;
};

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

/* The most that stands before a value's own bytes: a type byte and a number. */
enum { HEAD_BYTES = 9 };

/* Where size bytes and a head may be written; NULL when there is no memory. */
static inline char *begin_write(struct writer *writer, size_t size)
{
	struct codec_buffer *buffer = writer->buffer;

	if (size > SIZE_MAX - HEAD_BYTES ||
	    (buffer->room - buffer->size < size + HEAD_BYTES && grow_buffer(buffer, size + HEAD_BYTES)))
		return NULL;
	return buffer->at + buffer->size;
}

/* They end at end. */
static inline int end_write(struct writer *writer, const char *end)
{
	writer->buffer->size = (size_t)(end - writer->buffer->at);
	return 0;
}

/* A type byte and n big-endian bytes behind it. */
static inline char *write_head(char *at, unsigned type, uint64_t value, unsigned n)
{
	*at++ = (char)type;
	for (unsigned shift = 8 * n; shift > 0; shift -= 8)
		*at++ = (char)(value >> (shift - 8));
	return at;
}

/* The shortest form of a number or a length, as every packer writes it: `small` alone below `below`, or a type byte of its
 * own for each width, from `first` on (1, 2, 4 and 8 bytes). */
static inline char *write_shortest(char *at, uint64_t value, unsigned below, unsigned small, unsigned first)
{
	if (value < below)
		return write_head(at, small | (unsigned)value, 0, 0);
	if (value <= UINT8_MAX)
		return write_head(at, first, value, 1);
	if (value <= UINT16_MAX)
		return write_head(at, first + 1, value, 2);
	return value <= UINT32_MAX ? write_head(at, first + 2, value, 4) : write_head(at, first + 3, value, 8);
}

static inline int put_head(struct writer *writer, unsigned type, uint64_t value, unsigned n)
{
	char *at = begin_write(writer, 0);

	return at ? end_write(writer, write_head(at, type, value, n)) : -1;
}

static inline int put_uint(struct writer *writer, uint64_t value)
{
	char *at = begin_write(writer, 0);

	return at ? end_write(writer, write_shortest(at, value, 0x80, 0, 0xcc)) : -1;
}

static int put_negative(struct writer *writer, int64_t value)
{
	const uint64_t bits = (uint64_t)value;

	if (value >= -32)
		return put_head(writer, (unsigned)(bits & 0xff), 0, 0);
	if (value >= INT8_MIN)
		return put_head(writer, 0xd0, bits, 1);
	if (value >= INT16_MIN)
		return put_head(writer, 0xd1, bits, 2);
	return value >= INT32_MIN ? put_head(writer, 0xd2, bits, 4) : put_head(writer, 0xd3, bits, 8);
}

static int put_real(struct writer *writer, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return put_head(writer, 0xcb, bits, 8);
}

/* Names and short texts, most of what a reply has, by two moves that may overlap. */
static inline void copy_short(char *to, const char *from, size_t size)
{
	if (size > 16) {
		memcpy(to, from, size);
	} else if (size >= 8) {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	} else if (size >= 4) {
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	} else {
		for (size_t i = 0; i < size; i++)
			to[i] = from[i];
	}
}

/* A length as write_shortest writes it, and the bytes. */
static inline int put_sized(struct writer *writer, const void *bytes, size_t size, unsigned below, unsigned small,
			    unsigned first)
{
	char *at = size > UINT32_MAX ? NULL : begin_write(writer, size);

	if (!at)
		return -1;
	at = write_shortest(at, size, below, small, first);
	copy_short(at, bytes, size);
	return end_write(writer, at + size);
}

static int put_string(struct writer *writer, const char *text, size_t size)
{
	return put_sized(writer, text, size, 32, 0xa0, 0xd9);
}

/* Arrays and maps have no form of one byte; there are at most 2^32 elements. */
static int put_count(struct writer *writer, size_t count, unsigned small, unsigned first)
{
	if (count < 16)
		return put_head(writer, small | (unsigned)count, 0, 0);
	if (count > UINT32_MAX)
		return -1;
	return count <= UINT16_MAX ? put_head(writer, first, count, 2) : put_head(writer, first + 1, count, 4);
}

static int put_array(struct writer *writer, size_t count)
{
	return put_count(writer, count, 0x90, 0xdc);
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
	return put_array(writer, 2) || put_uint(writer, (uint64_t)error_kind(error->code)) ||
	       put_string(writer, text, size);
}

static int pack_bytes(struct writer *writer, const struct value *value)
{
	char *at;

	if (!writer->gaps || writer->n_gaps == CODEC_GAPS_MAX || value->bytes.size < CODEC_GAP_BYTES)
		return put_sized(writer, value->bytes.at, value->bytes.size, 0, 0, 0xc4);
	at = value->bytes.size > UINT32_MAX ? NULL : begin_write(writer, 0);
	if (!at)
		return -1;
	end_write(writer, write_shortest(at, value->bytes.size, 0, 0, 0xc4));
	writer->gaps[writer->n_gaps++] = (struct codec_gap){writer->buffer->size, value->bytes.at, value->bytes.size};
	return 0;
}

static int pack_value(struct writer *writer, const struct value *value);

static int pack_array(struct writer *writer, const struct value *value)
{
	int failed = put_array(writer, value->array.count);

	for (size_t i = 0; i < value->array.count && !failed; i++)
		failed = pack_value(writer, &value->array.at[i]);
	return failed;
}

static int pack_map(struct writer *writer, const struct value *value)
{
	int failed = put_count(writer, value->map.count, 0x80, 0xde);

	for (size_t i = 0; i < value->map.count && !failed; i++) {
		const struct value_member *member = &value->map.at[i];

		failed = put_string(writer, member->name, member->name_size) ||
			 pack_value(writer, &member->value);
	}
	return failed;
}

static int pack_value(struct writer *writer, const struct value *value)
{
	switch (value->kind) {
	case VALUE_BOOL:
		return put_head(writer, value->boolean ? 0xc3 : 0xc2, 0, 0);
	case VALUE_UINT:
	case VALUE_TILE:
		return put_uint(writer, value->u);
	case VALUE_INT:
		return put_negative(writer, value->i);
	case VALUE_REAL:
		return put_real(writer, value->real);
	case VALUE_STRING:
		return put_string(writer, value->bytes.at, value->bytes.size);
	case VALUE_BYTES:
		return pack_bytes(writer, value);
	case VALUE_ARRAY:
		return pack_array(writer, value);
	case VALUE_MAP:
		return pack_map(writer, value);
	default:
		return put_head(writer, NIL, 0, 0);
	}
}

/* params as an array of one map; an empty array for none. */
static int pack_call(struct writer *writer, const char *method, const struct value *params)
{
	bool some = params && params->kind == VALUE_MAP && params->map.count;

	return put_string(writer, method, strlen(method)) || put_array(writer, some) ||
	       (some && pack_value(writer, params));
}

static int finish_message(struct codec_buffer *buffer, size_t before, int failed)
{
	if (!failed)
		return 0;
	buffer->size = before;
	return -ERROR_NO_MEMORY;
}

int codec_request(struct codec_buffer *buffer, uint32_t msgid, const char *method, const struct value *params)
{
	struct writer writer = {.buffer = buffer};
	size_t before = buffer->size;

	return finish_message(buffer, before,
			      put_array(&writer, 4) || put_uint(&writer, MESSAGE_REQUEST) || put_uint(&writer, msgid) ||
				      pack_call(&writer, method, params));
}

static int pack_number(struct writer *writer, const char *name, size_t size, uint64_t number)
{
	return put_string(writer, name, size) || put_uint(writer, number);
}

int codec_run_prepared(struct codec_buffer *buffer, const struct run_prepared *run)
{
	static const char method[] = "run_prepared";
	const unsigned given = run->given;
	struct writer writer = {.buffer = buffer};
	size_t before = buffer->size;
	int failed = put_array(&writer, 4) || put_uint(&writer, MESSAGE_REQUEST) || put_uint(&writer, run->user) ||
		     put_string(&writer, method, sizeof method - 1) || put_array(&writer, 1) ||
		     put_count(&writer, 1 + (size_t)__builtin_popcount(given), 0x80, 0xde) ||
		     pack_number(&writer, "prepared", 8, run->prepared) ||
		     (given & RUN_PREPARED_SEED && pack_number(&writer, "seed", 4, run->seed)) ||
		     (given & RUN_PREPARED_STREAM && pack_number(&writer, "stream", 6, run->stream)) ||
		     (given & RUN_PREPARED_OFFSET && pack_number(&writer, "offset", 6, run->offset));

	return finish_message(buffer, before, failed);
}

/* What stands in the place of a failed request's result: nil, or what the client needs to go on. */
static int pack_failed_result(struct writer *writer, const struct error *error)
{
	if (error->needed_bytes == 0)
		return put_head(writer, NIL, 0, 0);
	return put_count(writer, 1, 0x80, 0xde) || pack_number(writer, "bytes", 5, error->needed_bytes);
}

static int pack_response(struct writer *writer, uint32_t msgid, const struct error *error, const struct value *result)
{
	static const struct value nil = {.kind = VALUE_NIL};
	size_t before = writer->buffer->size;
	bool wrong = error && error->code;
	int failed = put_array(writer, 4) || put_uint(writer, MESSAGE_RESPONSE) ||
		     put_uint(writer, msgid);

	failed = failed || (wrong ? pack_error(writer, error) : put_head(writer, NIL, 0, 0)) ||
		 (wrong ? pack_failed_result(writer, error) : pack_value(writer, result ? result : &nil));
	return finish_message(writer->buffer, before, failed);
}

int codec_response(struct codec_buffer *buffer, uint32_t msgid, const struct error *error, const struct value *result)
{
	struct writer writer = {.buffer = buffer};

	return pack_response(&writer, msgid, error, result);
}

int codec_response_gaps(struct codec_buffer *buffer, uint32_t msgid, const struct error *error,
			const struct value *result, struct codec_gap ret_gaps[CODEC_GAPS_MAX], size_t *ret_count)
{
	struct writer writer = {buffer, ret_gaps, 0};
	int r = pack_response(&writer, msgid, error, result);

	if (r == 0)
		*ret_count = writer.n_gaps;
	return r;
}

int codec_notification(struct codec_buffer *buffer, const char *method, const struct value *params)
{
	struct writer writer = {.buffer = buffer};
	size_t before = buffer->size;

	return finish_message(buffer, before,
			      put_array(&writer, 3) || put_uint(&writer, MESSAGE_NOTIFICATION) ||
				      pack_call(&writer, method, params));
}
