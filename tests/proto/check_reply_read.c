/* SPDX-License-Identifier: Apache-2.0 */
/* Reading short replies from their bytes: what is read is what the codec reads, and all else is left to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reply_read.h"
#include "scanned.h"

static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33 ^ random_state << 20;
}

static void expect_same_value(const struct value *a, const struct value *b)
{
	assert_int_equal(a->kind, b->kind);
	switch (a->kind) {
	case VALUE_UINT:
		assert_true(a->u == b->u);
		break;
	case VALUE_BOOL:
		assert_int_equal(a->boolean, b->boolean);
		break;
	case VALUE_STRING:
	case VALUE_BYTES:
		assert_int_equal(a->bytes.size, b->bytes.size);
		assert_memory_equal(a->bytes.at, b->bytes.at, b->bytes.size);
		break;
	case VALUE_ARRAY:
		assert_int_equal(a->array.count, b->array.count);
		for (size_t i = 0; i < a->array.count; i++)
			expect_same_value(&a->array.at[i], &b->array.at[i]);
		break;
	case VALUE_MAP:
		assert_int_equal(a->map.count, b->map.count);
		for (size_t i = 0; i < a->map.count; i++) {
			assert_int_equal(a->map.at[i].name_size, b->map.at[i].name_size);
			assert_memory_equal(a->map.at[i].name, b->map.at[i].name, a->map.at[i].name_size);
			expect_same_value(&a->map.at[i].value, &b->map.at[i].value);
		}
		break;
	default:
		break;
	}
}

/* What is read from these bytes, in memory of just that size, is what the codec reads. Returns the size. */
static size_t read_both(const void *bytes, size_t size)
{
	struct bump *bump = bump_new();
	struct message got, want;
	char *exact = malloc(size ? size : 1);
	size_t used;

	memcpy(exact, bytes, size);
	used = reply_read(exact, size, bump, &got);
	if (used > 0) {
		assert_true(used <= size);
		assert_int_equal(decode(exact, used, bump, &want, NULL), 0);
		assert_int_equal(want.type, MESSAGE_RESPONSE);
		assert_int_equal(want.error.code, 0);
		assert_int_equal(got.msgid, want.msgid);
		expect_same_value(&got.result, &want.result);
	}
	free(exact);
	bump_free(bump);
	return used;
}

/* A number of any width. */
static struct value any_number(void)
{
	return value_uint(random_u64() >> random_u64() % 64);
}

static struct value any_value(struct bump *bump)
{
	static const char text[70000];
	struct value list = value_array();

	switch (random_u64() % 6) {
	case 0:
		return value_nil();
	case 1:
		return value_bool(random_u64() % 2);
	case 2:
		return value_bytes(text, random_u64() % (random_u64() % 16 ? 300 : sizeof text));
	case 3:
		return value_string("threefry4x32");
	case 4:
		for (uint64_t i = random_u64() % 18; i; i--)
			assert_int_equal(value_push(bump, &list, any_number()), 0);
		return list;
	default:
		return any_number();
	}
}

static void any_reply(struct codec_buffer *buffer)
{
	static const char *const names[] = {"dtype", "shape", "data", "generator", "seed", "stream", "offset", "position", "next",
					    "stream_format", "n", "tile", "precision", "bound", "q", "r", "s"};
	struct bump *bump = bump_new();
	struct value map = value_map();

	for (uint64_t i = random_u64() % 17; i; i--)
		assert_int_equal(value_put(bump, &map, names[i], any_value(bump)), 0);
	buffer->size = 0;
	assert_int_equal(codec_response(buffer, (uint32_t)random_u64(), NULL, &map), 0);
	bump_free(bump);
}

static void random_replies(void **state)
{
	struct codec_buffer buffer = {0};
	unsigned read = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t used;

		any_reply(&buffer);
		used = read_both(buffer.at, buffer.size);
		assert_true(used == 0 || used == buffer.size);
		read += used > 0;
	}
	assert_true(read > 1000);
	codec_buffer_free(&buffer);
}

static void cut_short(void **state)
{
	struct codec_buffer buffer = {0};

	(void)state;
	for (int i = 0; i < 60; i++) {
		any_reply(&buffer);
		for (size_t size = 0; size < buffer.size && size < 2000; size++)
			assert_int_equal(read_both(buffer.at, size), 0);
	}
	codec_buffer_free(&buffer);
}

/* Whatever is changed in it: it is left to the codec, or read as the codec reads it. */
static void mutated(void **state)
{
	struct codec_buffer buffer = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		any_reply(&buffer);
		for (uint64_t k = random_u64() % 4; k; k--)
			buffer.at[random_u64() % (buffer.size < 64 ? buffer.size : 64)] = (char)random_u64();
		read_both(buffer.at, buffer.size);
	}
	codec_buffer_free(&buffer);
}

static void other_messages(void **state)
{
	const struct error error = {.code = ERROR_LIMIT, .text = "limit: x"};
	struct codec_buffer buffer = {0};
	const struct value map = value_map();

	(void)state;
	assert_int_equal(codec_response(&buffer, 1, &error, NULL), 0);
	assert_int_equal(read_both(buffer.at, buffer.size), 0);
	buffer.size = 0;
	assert_int_equal(codec_request(&buffer, 1, "ping", NULL), 0);
	assert_int_equal(read_both(buffer.at, buffer.size), 0);
	buffer.size = 0;
	assert_int_equal(codec_notification(&buffer, "error", &map), 0);
	assert_int_equal(read_both(buffer.at, buffer.size), 0);
	codec_buffer_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_replies),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(mutated),
		cmocka_unit_test(other_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
