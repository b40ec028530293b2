/* SPDX-License-Identifier: Apache-2.0 */
/* The codec: known bytes both ways, what is no message, and the text of errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scanned.h"

#define BYTES(text) text, sizeof text - 1

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
		struct bump *bump = bump_new();
		char bytes[64] = "\x94\x00\x01\xa4ping\x91\x81\xa1v";
		struct message message = {0};
		struct error err = {0};
		const struct value *want = &known[i].value, *got;

		memcpy(bytes + 12, known[i].bytes, known[i].size);
		if (decode(bytes, 12 + known[i].size, bump, &message, &err) < 0)
			fail_msg("example %zu: %s", i, err.text);
		got = value_get(&message.params, "v");
		assert_non_null(got);
		must_equal(i, want, got);
		bump_free(bump);
	}
}

static void encodes_known_bytes(void **state)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value params = value_map();
	struct error err;

	(void)state;
	assert_int_equal(value_put(bump, &params, "n", value_uint(512)), 0);
	assert_int_equal(value_put(bump, &params, "low", value_real(-1.5)), 0);
	assert_int_equal(codec_request(&buffer, 7, "uniform", &params), 0);
	assert_int_equal(codec_request(&buffer, UINT32_MAX, "ping", NULL), 0);
	error_set(&err, ERROR_LIMIT, "n: 3, allowed: 2");
	assert_int_equal(codec_response(&buffer, 7, &err, &params), 0);
	assert_int_equal(codec_response(&buffer, 8, NULL, NULL), 0);
	error_set(&err, ERROR_NO_ROOM, "tile: x");
	err.needed_bytes = 70000;
	assert_int_equal(codec_response(&buffer, 9, &err, &params), 0);
	assert_int_equal(codec_notification(&buffer, "x", NULL), 0);
	static const char want[] = "\x94\x00\x07\xa7uniform\x91\x82\xa1n\xcd\x02\x00\xa3low\xcb\xbf\xf8\x00\x00\x00\x00"
				   "\x00\x00"
				   "\x94\x00\xce\xff\xff\xff\xff\xa4ping\x90"
				   "\x94\x01\x07\x92\x00\xb7limit: n: 3, allowed: 2\xc0"
				   "\x94\x01\x08\xc0\xc0"
				   "\x94\x01\x09\x92\x00\xb0no_room: tile: x\x81\xa5" "bytes\xce\x00\x01\x11\x70"
				   "\x93\x02\xa1x\x90";
	assert_int_equal(buffer.size, sizeof want - 1);
	assert_memory_equal(buffer.at, want, buffer.size);
	codec_buffer_free(&buffer);
	assert_null(buffer.at);
	bump_free(bump);
}

/* Buffer and gaps, put together, are what codec_response writes. */
static void leaves_large_bytes(void **state)
{
	static char large[CODEC_GAP_BYTES + 1];
	struct codec_buffer whole = {0}, parts = {0}, joined = {0};
	struct codec_gap gaps[CODEC_GAPS_MAX];
	struct bump *bump = bump_new();
	struct value result = value_map(), list = value_array();
	size_t count = 0, at = 0;

	(void)state;
	memset(large, 'x', sizeof large);
	for (int i = 0; i < CODEC_GAPS_MAX + 3; i++) /* the last ones are copied */
		value_push(bump, &list, value_bytes(large, sizeof large - i % 2));
	value_push(bump, &list, value_bytes(large, CODEC_GAP_BYTES - 1));
	value_put(bump, &result, "list", list);
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
	bump_free(bump);
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
		struct bump *bump = bump_new();
		struct message message = {.msgid = 99};
		struct error err = {0};
		int got = decode(judged[i].bytes, judged[i].size, bump, &message, &err);

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
		bump_free(bump);
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
		struct bump *bump = bump_new();
		struct message message;

		assert_int_equal(decode(examples[i].bytes, examples[i].size, bump, &message, NULL), 0);
		assert_int_equal(message.type, MESSAGE_RESPONSE);
		assert_int_equal(message.error.code, examples[i].code);
		assert_string_equal(message.error.text, examples[i].text);
		bump_free(bump);
	}
}

/* An error may repeat a client's bytes; what goes out is UTF-8 without controls. */
/* What a refusal for want of room says of the bytes that are needed is read where it is a number, and else passed over. */
static void reads_needed_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint64_t needed;
	} examples[] = {
#define NO_ROOM(result) BYTES("\x94\x01\x05\x92\x00\xaano_room: x" result)
		{NO_ROOM("\x81\xa5" "bytes\xce\x00\x01\x11\x70"), 70000},
		{NO_ROOM("\x82\xa1" "a\x01\xa5" "bytes\x07"), 7},
		{NO_ROOM("\x80"), 0},
		{NO_ROOM("\x81\xa1" "a\x07"), 0},
		{NO_ROOM("\x81\xa5" "bytes\xa1x"), 0},
		{NO_ROOM("\x81\xa5" "bytes\xc0"), 0},
		{NO_ROOM("\xc0"), 0},
		{NO_ROOM("\x91\x07"), 0},
#undef NO_ROOM
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct bump *bump = bump_new();
		struct message message;

		assert_int_equal(decode(examples[i].bytes, examples[i].size, bump, &message, NULL), 0);
		assert_int_equal(message.error.code, ERROR_NO_ROOM);
		assert_int_equal(message.error.needed_bytes, examples[i].needed);
		bump_free(bump);
	}
}

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
		struct bump *bump = bump_new();
		struct error err = {.code = ERROR_SYSTEM};
		struct message message;

		strcpy(err.text, examples[i].text);
		assert_int_equal(codec_response(&buffer, 1, &err, NULL), 0);
		assert_int_equal(codec_decode(buffer.at, buffer.size, bump, &message, NULL), 0);
		assert_string_equal(message.error.text, examples[i].want);
		codec_buffer_free(&buffer);
		bump_free(bump);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_every_type),
		cmocka_unit_test(encodes_known_bytes),
		cmocka_unit_test(leaves_large_bytes),
		cmocka_unit_test(judges_messages),
		cmocka_unit_test(reads_errors), cmocka_unit_test(reads_needed_bytes),
		cmocka_unit_test(cleans_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
