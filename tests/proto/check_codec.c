/* SPDX-License-Identifier: Apache-2.0 */
/* The codec: known bytes both ways, round trips of random trees, and what is no message. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <msgpack.h>

#include "codec.h"
#include "frame.h"

#define BYTES(text) text, sizeof text - 1

/* What the daemon does with bytes: the scan first, then the decoder. Reads the bytes from their own allocation, so
 * that a sanitizer sees one read too many. */
static int decode(const void *bytes, size_t size, struct zone *zone, struct message *ret, struct error *err)
{
	struct frame_scan scan;
	size_t length;
	char *frame = zone_copy(zone, bytes, size);

	frame_scan_init(&scan, NULL);
	int r = frame_scan_more(&scan, frame, size, &length);
	if (r <= 0)
		return r < 0 ? r : -ERROR_TIMEOUT;
	return codec_decode(frame, length, zone, ret, err);
}

/* ------- known bytes ------- */

static const struct {
	const char *bytes;
	size_t size;
	struct value value;
} known[] = {
	{BYTES("\xc0"), {.kind = VALUE_NIL}},
	{BYTES("\xc2"), {.kind = VALUE_BOOL, .boolean = false}},
	{BYTES("\xc3"), {.kind = VALUE_BOOL, .boolean = true}},
	{BYTES("\x00"), {.kind = VALUE_UINT, .u = 0}},
	{BYTES("\x7f"), {.kind = VALUE_UINT, .u = 127}},
	{BYTES("\xcc\xff"), {.kind = VALUE_UINT, .u = 255}},
	{BYTES("\xcd\x01\x00"), {.kind = VALUE_UINT, .u = 256}},
	{BYTES("\xce\xff\xff\xff\xff"), {.kind = VALUE_UINT, .u = UINT32_MAX}},
	{BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), {.kind = VALUE_UINT, .u = UINT64_MAX}},
	{BYTES("\xe0"), {.kind = VALUE_INT, .i = -32}},
	{BYTES("\xff"), {.kind = VALUE_INT, .i = -1}},
	{BYTES("\xd0\x80"), {.kind = VALUE_INT, .i = -128}},
	{BYTES("\xd1\x80\x00"), {.kind = VALUE_INT, .i = -32768}},
	{BYTES("\xd2\x80\x00\x00\x00"), {.kind = VALUE_INT, .i = INT32_MIN}},
	{BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), {.kind = VALUE_INT, .i = INT64_MIN}},
	{BYTES("\xd0\x05"), {.kind = VALUE_UINT, .u = 5}}, /* a positive number in a signed type */
	{BYTES("\xca\x3f\xc0\x00\x00"), {.kind = VALUE_REAL, .real = 1.5}},
	{BYTES("\xcb\xbf\xf8\x00\x00\x00\x00\x00\x00"), {.kind = VALUE_REAL, .real = -1.5}},
	{BYTES("\xca\x7f\xc0\x00\x00"), {.kind = VALUE_REAL, .real = NAN}},
	{BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), {.kind = VALUE_REAL, .real = INFINITY}},
	{BYTES("\xa0"), {.kind = VALUE_STRING, .bytes = {"", 0}}},
	{BYTES("\xa2xy"), {.kind = VALUE_STRING, .bytes = {"xy", 2}}},
	{BYTES("\xd9\x02x\x00"), {.kind = VALUE_STRING, .bytes = {"x\0", 2}}},
	{BYTES("\xda\x00\x02\xff\xfe"), {.kind = VALUE_STRING, .bytes = {"\xff\xfe", 2}}},
	{BYTES("\xdb\x00\x00\x00\x02xy"), {.kind = VALUE_STRING, .bytes = {"xy", 2}}},
	{BYTES("\xc4\x02xy"), {.kind = VALUE_BYTES, .bytes = {"xy", 2}}},
	{BYTES("\xc5\x00\x02xy"), {.kind = VALUE_BYTES, .bytes = {"xy", 2}}},
	{BYTES("\xc6\x00\x00\x00\x02xy"), {.kind = VALUE_BYTES, .bytes = {"xy", 2}}},
	{BYTES("\x90"), {.kind = VALUE_ARRAY}},
	{BYTES("\x80"), {.kind = VALUE_MAP}},
};

static void must_equal(size_t example, const struct value *want, const struct value *got)
{
	if (got->kind != want->kind)
		fail_msg("example %zu: expected kind %d, got %d", example, want->kind, got->kind);
	if (want->kind == VALUE_STRING || want->kind == VALUE_BYTES) {
		assert_int_equal(got->bytes.size, want->bytes.size);
		assert_memory_equal(got->bytes.at, want->bytes.at, want->bytes.size);
	} else if (want->kind == VALUE_BOOL) {
		assert_int_equal(got->boolean, want->boolean);
	} else if (want->kind == VALUE_REAL) {
		assert_true(isnan(want->real) ? isnan(got->real) : got->real == want->real);
	} else if (want->kind == VALUE_UINT || want->kind == VALUE_INT) {
		assert_int_equal(got->u, want->u);
	}
}

static void decodes_every_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct zone *zone = zone_new();
		char bytes[64] = "\x94\x00\x01\xa4ping\x91\x81\xa1v";
		struct message message = {0};
		struct error err = {0};
		const struct value *want = &known[i].value, *got;

		memcpy(bytes + 12, known[i].bytes, known[i].size);
		if (decode(bytes, 12 + known[i].size, zone, &message, &err) < 0)
			fail_msg("example %zu: %s", i, err.text);
		got = value_get(&message.params, "v");
		assert_non_null(got);
		must_equal(i, want, got);
		zone_free(zone);
	}
}

static void encodes_known_bytes(void **state)
{
	struct codec_buffer buffer = {0};
	struct zone *zone = zone_new();
	struct value params = value_map();
	struct error err;

	(void)state;
	assert_int_equal(value_put(zone, &params, "n", value_uint(512)), 0);
	assert_int_equal(value_put(zone, &params, "low", value_real(-1.5)), 0);
	assert_int_equal(codec_request(&buffer, 7, "uniform", &params), 0);
	assert_int_equal(codec_request(&buffer, UINT32_MAX, "ping", NULL), 0);
	error_set(&err, ERROR_LIMIT, "n: 3, allowed: 2");
	assert_int_equal(codec_response(&buffer, 7, &err, &params), 0);
	assert_int_equal(codec_response(&buffer, 8, NULL, NULL), 0);
	assert_int_equal(codec_notification(&buffer, "x", NULL), 0);
	static const char want[] = "\x94\x00\x07\xa7uniform\x91\x82\xa1n\xcd\x02\x00\xa3low\xcb\xbf\xf8\x00\x00\x00\x00"
				   "\x00\x00"
				   "\x94\x00\xce\xff\xff\xff\xff\xa4ping\x90"
				   "\x94\x01\x07\x92\x00\xb7limit: n: 3, allowed: 2\xc0"
				   "\x94\x01\x08\xc0\xc0"
				   "\x93\x02\xa1x\x90";
	assert_int_equal(buffer.size, sizeof want - 1);
	assert_memory_equal(buffer.at, want, buffer.size);
	codec_buffer_free(&buffer);
	assert_null(buffer.at);
	zone_free(zone);
}

/* Buffer and gaps, put together, are what codec_response writes. */
static void leaves_large_bytes(void **state)
{
	static char large[CODEC_GAP_BYTES + 1];
	struct codec_buffer whole = {0}, parts = {0}, joined = {0};
	struct codec_gap gaps[CODEC_GAPS_MAX];
	struct zone *zone = zone_new();
	struct value result = value_map(), list = value_array();
	size_t count = 0, at = 0;

	(void)state;
	memset(large, 'x', sizeof large);
	for (int i = 0; i < CODEC_GAPS_MAX + 3; i++) /* the last ones are copied */
		value_push(zone, &list, value_bytes(large, sizeof large - i % 2));
	value_push(zone, &list, value_bytes(large, CODEC_GAP_BYTES - 1));
	value_put(zone, &result, "list", list);
	assert_int_equal(codec_notification(&parts, "before", NULL), 0);
	assert_int_equal(codec_notification(&whole, "before", NULL), 0);
	assert_int_equal(codec_response(&whole, 1, NULL, &result), 0);
	assert_int_equal(codec_response_gaps(&parts, 1, NULL, &result, gaps, &count), 0);
	assert_int_equal(count, CODEC_GAPS_MAX);
	joined.at = malloc(whole.size);
	for (size_t i = 0; i <= count; i++) {
		size_t upto = i < count ? gaps[i].at : parts.size;

		memcpy(joined.at + joined.size, parts.at + at, upto - at);
		joined.size += upto - at;
		at = upto;
		if (i < count) {
			memcpy(joined.at + joined.size, gaps[i].bytes, gaps[i].size);
			joined.size += gaps[i].size;
		}
	}
	assert_int_equal(joined.size, whole.size);
	assert_memory_equal(joined.at, whole.at, whole.size);
	codec_buffer_free(&whole);
	codec_buffer_free(&parts);
	codec_buffer_free(&joined);
	zone_free(zone);
}

/* ------- what is no message, and what is one but asks wrongly ------- */

static const struct {
	const char *name, *bytes;
	size_t size;
	int result;
	size_t members; /* of params, where the result is 0 */
} judged[] = {
	{"no params", BYTES("\x94\x00\x05\xa4ping\x90"), 0, 0},
	{"one map", BYTES("\x94\x00\x05\xa4ping\x91\x81\xa1n\x01"), 0, 1},
	{"an empty array for an empty map", BYTES("\x94\x00\x05\xa4ping\x91\x90"), 0, 0},
	{"method and key as bin", BYTES("\x94\x00\x05\xc4\x04ping\x91\x81\xc4\x01n\x01"), 0, 1},
	{"notification", BYTES("\x93\x02\xa4ping\x90"), 0, 0},
	{"an empty method", BYTES("\x94\x00\x05\xa0\x90"), 0, 0},
	{"params nil", BYTES("\x94\x00\x05\xa4ping\xc0"), -ERROR_WRONG_TYPE, 0},
	{"params a map", BYTES("\x94\x00\x05\xa4ping\x80"), -ERROR_WRONG_TYPE, 0},
	{"two params", BYTES("\x94\x00\x05\xa4ping\x92\x80\x80"), -ERROR_WRONG_TYPE, 0},
	{"a positional param", BYTES("\x94\x00\x05\xa4ping\x91\x01"), -ERROR_WRONG_TYPE, 0},
	{"a full array as param", BYTES("\x94\x00\x05\xa4ping\x91\x91\x01"), -ERROR_WRONG_TYPE, 0},
	{"a key that is a number", BYTES("\x94\x00\x05\xa4ping\x91\x81\x01\x01"), -ERROR_WRONG_TYPE, 0},
	{"an ext value", BYTES("\x94\x00\x05\xa4ping\x91\x81\xa1n\xd4\x01x"), -ERROR_WRONG_TYPE, 0},
	{"an ext key", BYTES("\x94\x00\x05\xa4ping\x91\x81\xd4\x01x\x01"), -ERROR_WRONG_TYPE, 0},
	{"an ext deep inside", BYTES("\x94\x00\x05\xa4ping\x91\x81\xa1n\x91\x81\xa1k\xc7\x00\x01"),
	 -ERROR_WRONG_TYPE, 0},
	{"an integer", BYTES("\x47"), -ERROR_BAD_FRAME, 0},
	{"nil", BYTES("\xc0"), -ERROR_BAD_FRAME, 0},
	{"a map", BYTES("\x80"), -ERROR_BAD_FRAME, 0},
	{"an empty array", BYTES("\x90"), -ERROR_BAD_FRAME, 0},
	{"type 3", BYTES("\x94\x03\x05\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"type -1", BYTES("\x94\xff\x05\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"type as text", BYTES("\x94\xa1\x30\x05\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"request of three", BYTES("\x93\x00\x05\xa4ping"), -ERROR_BAD_FRAME, 0},
	{"request of five", BYTES("\x95\x00\x05\xa4ping\x90\x90"), -ERROR_BAD_FRAME, 0},
	{"notification of four", BYTES("\x94\x02\x05\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"msgid of 33 bits", BYTES("\x94\x00\xcf\x00\x00\x00\x01\x00\x00\x00\x00\xa4ping\x90"),
	 -ERROR_BAD_FRAME, 0},
	{"msgid -1", BYTES("\x94\x00\xff\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"msgid as text", BYTES("\x94\x00\xa1x\xa4ping\x90"), -ERROR_BAD_FRAME, 0},
	{"method a number", BYTES("\x94\x00\x05\x07\x90"), -ERROR_BAD_FRAME, 0},
	{"response of an odd error", BYTES("\x94\x01\x05\x07\xc0"), -ERROR_BAD_FRAME, 0},
	{"response of a short error", BYTES("\x94\x01\x05\x91\x01\xc0"), -ERROR_BAD_FRAME, 0},
	{"response of an ext", BYTES("\x94\x01\x05\xc0\xd4\x01x"), -ERROR_BAD_FRAME, 0},
	{"a bomb", BYTES("\xdd\xff\x00\x00\x00"), -ERROR_BAD_FRAME, 0},
};

static void judges_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
		struct zone *zone = zone_new();
		struct message message = {.msgid = 99};
		struct error err = {0};
		int got = decode(judged[i].bytes, judged[i].size, zone, &message, &err);

		if (got != judged[i].result)
			fail_msg("%s: expected %d, got %d (%s)", judged[i].name, judged[i].result, got, err.text);
		if (got == 0 && message.params.map.count != judged[i].members)
			fail_msg("%s: expected %zu members, got %zu", judged[i].name, judged[i].members,
				 message.params.map.count);
		if (got == -ERROR_WRONG_TYPE) {
			assert_int_equal(message.type, MESSAGE_REQUEST);
			assert_int_equal(message.msgid, 5);
			assert_int_equal(err.code, ERROR_WRONG_TYPE);
		}
		if (got == -ERROR_BAD_FRAME)
			assert_int_equal(message.msgid, 99); /* untouched */
		zone_free(zone);
	}
}

static void reads_errors(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int code;
		const char *text;
	} examples[] = {
		{BYTES("\x94\x01\x05\xc0\xc3"), 0, ""},
		{BYTES("\x94\x01\x05\x92\x01\xac"
		       "bad_tile: no\xc0"),
		 ERROR_BAD_TILE, "bad_tile: no"},
		{BYTES("\x94\x01\x05\x92\x01\xa7newname\xc0"), ERROR_NOT_SUPPORTED, "newname"},
		{BYTES("\x94\x01\x05\x92\x00\xa7newname\xc0"), ERROR_SYSTEM, "newname"},
		{BYTES("\x94\x01\x05\xa7oh, no!\xc0"), ERROR_SYSTEM, "oh, no!"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct zone *zone = zone_new();
		struct message message;

		assert_int_equal(decode(examples[i].bytes, examples[i].size, zone, &message, NULL), 0);
		assert_int_equal(message.type, MESSAGE_RESPONSE);
		assert_int_equal(message.error.code, examples[i].code);
		assert_string_equal(message.error.text, examples[i].text);
		zone_free(zone);
	}
}

/* An error may repeat a client's bytes; what goes out is UTF-8 without controls. */
static void cleans_text(void **state)
{
	static const struct {
		const char *text, *want;
	} examples[] = {
		{"plain", "plain"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac \xf0\x9f\x8e\xb2", "\xe2\x82\xac \xf0\x9f\x8e\xb2"},
		{"a\xff\xfe\x62", "a??b"},
		{"cut \xe2\x82", "cut ??"},
		{"overlong \xc0\x80 \xe0\x80\x80", "overlong ?? ???"},
		{"surrogate \xed\xa0\x80", "surrogate ???"},
		{"beyond \xf4\x90\x80\x80", "beyond ????"},
		{"a\nb\x7f\x1b", "a?b??"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct codec_buffer buffer = {0};
		struct zone *zone = zone_new();
		struct error err = {.code = ERROR_SYSTEM};
		struct message message;

		strcpy(err.text, examples[i].text);
		assert_int_equal(codec_response(&buffer, 1, &err, NULL), 0);
		assert_int_equal(codec_decode(buffer.at, buffer.size, zone, &message, NULL), 0);
		assert_string_equal(message.error.text, examples[i].want);
		codec_buffer_free(&buffer);
		zone_free(zone);
	}
}

/* ------- round trips ------- */

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static struct value random_bytes(struct zone *zone, uint64_t *random, enum value_kind kind)
{
	/* Around the borders between the encodings of lengths. */
	static const size_t sizes[] = {0, 1, 31, 32, 255, 256, 65535, 65536};
	size_t size = next(random) % 16 ? next(random) % 40 : sizes[next(random) % 8];
	char *at = zone_alloc(zone, size + 1);

	for (size_t i = 0; i < size; i++)
		at[i] = (char)next(random);
	return (struct value){.kind = kind, .bytes = {at, size}};
}

static struct value random_tree(struct zone *zone, uint64_t *random, unsigned depth)
{
	unsigned kinds = depth < 5 ? 9 : 7;
	uint64_t bits = next(random) >> (next(random) % 64);
	char name[8];
	struct value value;
	double real;

	switch ((enum value_kind)(next(random) % kinds)) {
	case VALUE_BOOL:
		return value_bool(bits & 1);
	case VALUE_UINT:
		return value_uint(bits);
	case VALUE_INT:
		return value_int((int64_t)(bits | (uint64_t)1 << 63));
	case VALUE_REAL:
		bits = next(random);
		memcpy(&real, &bits, sizeof real);
		return value_real(real);
	case VALUE_STRING:
		return random_bytes(zone, random, VALUE_STRING);
	case VALUE_BYTES:
		return random_bytes(zone, random, VALUE_BYTES);
	case VALUE_ARRAY:
		value = value_array();
		for (uint64_t n = next(random) % 20; n; n--)
			assert_int_equal(value_push(zone, &value, random_tree(zone, random, depth + 1)), 0);
		return value;
	case VALUE_MAP:
		value = value_map();
		for (uint64_t n = next(random) % 20; n; n--) {
			snprintf(name, sizeof name, "%llx", (unsigned long long)(next(random) % 0xfffff));
			assert_int_equal(value_put(zone, &value, name, random_tree(zone, random, depth + 1)), 0);
		}
		return value;
	default:
		return value_nil();
	}
}

static bool equal(const struct value *a, const struct value *b)
{
	bool same = a->kind == b->kind;

	if (!same || a->kind == VALUE_NIL)
		return same;
	if (a->kind == VALUE_BOOL)
		return a->boolean == b->boolean;
	if (a->kind == VALUE_STRING || a->kind == VALUE_BYTES)
		return a->bytes.size == b->bytes.size && memcmp(a->bytes.at, b->bytes.at, a->bytes.size) == 0;
	if (a->kind == VALUE_ARRAY) {
		same = a->array.count == b->array.count;
		for (size_t i = 0; same && i < a->array.count; i++)
			same = equal(&a->array.at[i], &b->array.at[i]);
		return same;
	}
	if (a->kind == VALUE_MAP) {
		same = a->map.count == b->map.count;
		for (size_t i = 0; same && i < a->map.count; i++) {
			const struct value_member *x = &a->map.at[i], *y = &b->map.at[i];

			same = x->name_size == y->name_size && memcmp(x->name, y->name, x->name_size) == 0 &&
			       equal(&x->value, &y->value);
		}
		return same;
	}
	return memcmp(&a->u, &b->u, sizeof a->u) == 0; /* reals by their bits: NaN too */
}

static void round_trips(void **state)
{
	enum { CASES = 3000 };

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		struct zone *zone = zone_new();
		struct codec_buffer buffer = {0};
		struct message message;
		struct error err = {0};
		uint64_t random = seed;
		struct value tree = random_tree(zone, &random, 0);
		uint32_t msgid = (uint32_t)next(&random);
		int r;

		assert_int_equal(codec_response(&buffer, msgid, NULL, &tree), 0);
		r = decode(buffer.at, buffer.size, zone, &message, &err);
		if (r < 0 || message.msgid != msgid || message.error.code || !equal(&tree, &message.result))
			fail_msg("response: %d %s; seed %llu", r, err.text, (unsigned long long)seed);
		buffer.size = 0;
		struct value params = value_map();
		value_put(zone, &params, "tree", tree);
		assert_int_equal(codec_request(&buffer, msgid, "method", &params), 0);
		r = decode(buffer.at, buffer.size, zone, &message, &err);
		if (r < 0 || message.msgid != msgid || message.method_size != 6 || !equal(&params, &message.params))
			fail_msg("request: %d %s; seed %llu", r, err.text, (unsigned long long)seed);
		codec_buffer_free(&buffer);
		zone_free(zone);
	}
}

/* Whatever comes, the answer is a message or one of three errors; the sanitizers watch the rest. */
static void mutations(void **state)
{
	enum { CASES = 100000 };
	static const char request[] = "\x94\x00\x07\xa7uniform\x91\x83\xa1n\xcd\x02\x00\xa4seed\xcf\xff\x01\x02\x03"
				      "\x04\x05\x06\x07\xa2in\xc4\x01x";
	static const char response[] = "\x94\x01\x07\x92\x01\xb7limit: n: 3, allowed: 2\xc0";
	static const char notification[] = "\x93\x02\xa1x\x91\x82\xa1y\x93\x01\x02\x03\xa1z\xd5\x01\x02\x03";
	static const char *const seeds[3] = {request, response, notification};
	static const size_t sizes[3] = {sizeof request, sizeof response, sizeof notification};
	unsigned messages = 0, wrong = 0, bad = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		struct zone *zone = zone_new();
		uint64_t random = seed;
		char bytes[80] = {0};
		struct message message;
		size_t size = sizes[seed % 3];

		memcpy(bytes, seeds[seed % 3], size);
		for (uint64_t n = next(&random) % 4; n; n--)
			bytes[next(&random) % size] = (char)(next(&random) >> (next(&random) & 7));
		int r = decode(bytes, sizeof bytes, zone, &message, NULL);
		messages += r == 0;
		wrong += r == -ERROR_WRONG_TYPE;
		bad += r == -ERROR_BAD_FRAME;
		zone_free(zone);
	}
	printf("# %d mutated messages: %u read, %u answerable, %u bad, %u cut off\n", CASES, messages, wrong, bad,
	       CASES - messages - wrong - bad);
	assert_true(messages && wrong && bad);
}

/* ------- as msgpack-c reads it ------- */

static bool same_as_peer(const struct value *value, const msgpack_object *object);

static bool same_text(const struct value *value, const msgpack_object *object)
{
	const bool str = object->type == MSGPACK_OBJECT_STR;
	const size_t size = str ? object->via.str.size : object->via.bin.size;

	return value->kind == (str ? VALUE_STRING : VALUE_BYTES) && value->bytes.size == size &&
	       (size == 0 || memcmp(value->bytes.at, str ? object->via.str.ptr : object->via.bin.ptr, size) == 0);
}

static bool same_array(const struct value *value, const msgpack_object_array *array)
{
	bool same = value->kind == VALUE_ARRAY && value->array.count == array->size;

	for (uint32_t i = 0; same && i < array->size; i++)
		same = same_as_peer(&value->array.at[i], &array->ptr[i]);
	return same;
}

static bool same_map(const struct value *value, const msgpack_object_map *map)
{
	bool same = value->kind == VALUE_MAP && value->map.count == map->size;

	for (uint32_t i = 0; same && i < map->size; i++) {
		const struct value_member *member = &value->map.at[i];
		const struct value name = {.kind = map->ptr[i].key.type == MSGPACK_OBJECT_STR ? VALUE_STRING : VALUE_BYTES,
					   .bytes = {member->name, member->name_size}};

		same = same_as_peer(&name, &map->ptr[i].key) && same_as_peer(&member->value, &map->ptr[i].val);
	}
	return same;
}

static bool same_as_peer(const struct value *value, const msgpack_object *object)
{
	switch (object->type) {
	case MSGPACK_OBJECT_NIL:
		return value->kind == VALUE_NIL;
	case MSGPACK_OBJECT_BOOLEAN:
		return value->kind == VALUE_BOOL && value->boolean == object->via.boolean;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		return value->kind == VALUE_UINT && value->u == object->via.u64;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		return value->kind == VALUE_INT && value->i == object->via.i64;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		return value->kind == VALUE_REAL && memcmp(&value->real, &object->via.f64, sizeof value->real) == 0;
	case MSGPACK_OBJECT_STR:
	case MSGPACK_OBJECT_BIN:
		return same_text(value, object);
	case MSGPACK_OBJECT_ARRAY:
		return same_array(value, &object->via.array);
	case MSGPACK_OBJECT_MAP:
		return same_map(value, &object->via.map);
	default:
		return false;
	}
}

/* Random bytes, with a good chance to be values. */
static void scatter(uint64_t *random, unsigned char *bytes, size_t room)
{
	static const unsigned char types[] = {0xc0, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
					      0xd0, 0xd1, 0xd2, 0xd3, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xd4,
					      0x81, 0x92, 0xa1, 0xa3, 0x05, 0xf0};

	for (size_t i = 0; i < room; i++) {
		const uint64_t x = next(random);

		bytes[i] = x % 4 == 0 ? types[(x >> 8) % sizeof types] : x % 4 == 1 ? 0xa0 | (x >> 8 & 3) : x >> 8 & 3;
	}
}

/* Frames of random values in a response: what the peer reads is what we read, and what we refuse it refuses, or it holds
 * what has no place in a tree. */
static void agrees_with_msgpack_c(void **state)
{
	enum { CASES = 100000 };
	unsigned read = 0, refused = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		unsigned char bytes[48] = "\x94\x01\x07\xc0";
		struct zone *zone = zone_new();
		struct frame_scan scan;
		struct message message;
		uint64_t random = seed;
		size_t size, used = 0;
		msgpack_zone objects;
		msgpack_object object;

		scatter(&random, bytes + 4, sizeof bytes - 4);
		frame_scan_init(&scan, NULL);
		if (frame_scan_more(&scan, bytes, sizeof bytes, &size) == 1) {
			const int r = codec_decode(bytes, size, zone, &message, NULL);

			msgpack_zone_init(&objects, 4096);
			if (msgpack_unpack((const char *)bytes, size, &used, &objects, &object) != MSGPACK_UNPACK_SUCCESS)
				fail_msg("msgpack-c does not read what the scan passes; seed %llu", (unsigned long long)seed);
			if (r == 0 && !same_as_peer(&message.result, &object.via.array.ptr[3]))
				fail_msg("read otherwise than by msgpack-c; seed %llu", (unsigned long long)seed);
			read += r == 0;
			refused += r < 0;
			msgpack_zone_destroy(&objects);
		}
		zone_free(zone);
	}
	printf("# %u frames read as msgpack-c does, %u refused\n", read, refused);
	assert_true(read > CASES / 20 && refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_every_type), cmocka_unit_test(encodes_known_bytes),
		cmocka_unit_test(leaves_large_bytes), cmocka_unit_test(judges_messages),
		cmocka_unit_test(reads_errors),       cmocka_unit_test(cleans_text),
		cmocka_unit_test(round_trips),        cmocka_unit_test(mutations),
		cmocka_unit_test(agrees_with_msgpack_c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
