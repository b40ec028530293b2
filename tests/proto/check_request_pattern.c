/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of requests: they match what differs in its msgid, seed, stream and offset alone, and nothing that is not whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codec.h"
#include "request_pattern.h"

static const uint64_t numbers[] = {0, 1, 127, 128, 255, 256, 65535, 65536, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers, GIVEN = 8 };

/* A draw with some of the numbers, before, between and behind its other parameters. */
static void encode(struct codec_buffer *buffer, uint32_t msgid, unsigned given, const uint64_t values[3], uint64_t n)
{
	static const char *const names[] = {"seed", "stream", "offset"};
	struct bump *bump = bump_new();
	struct value params = value_map();
	int failed = 0;

	for (int i = 0; i < 3; i++) {
		if (given >> i & 1)
			failed |= value_put(bump, &params, names[i], value_uint(values[i]));
		if (i == 0)
			failed |= value_put(bump, &params, "out", value_uint(n));
		if (i == 1)
			failed |= value_put(bump, &params, "generator", value_string("philox"));
	}
	assert_int_equal(failed, 0);
	buffer->size = 0;
	assert_int_equal(codec_request(buffer, msgid, "normal", &params), 0);
	bump_free(bump);
}

static bool make(const struct codec_buffer *buffer, struct request_pattern *ret_pattern)
{
	struct bump *bump = bump_new();
	struct message message;
	bool made;

	assert_int_equal(codec_decode(buffer->at, buffer->size, bump, &message, NULL), 0);
	made = request_pattern_make(buffer->at, buffer->size, &message, ret_pattern);
	bump_free(bump);
	return made;
}

/* Each width of each number; cut anywhere it is not whole, and bytes behind it are another request's. */
static void matching(void **state)
{
	static const uint64_t first[3] = {5, 600, 70000};
	struct codec_buffer buffer = {0};
	struct request_pattern pattern;
	struct run_prepared got;

	(void)state;
	for (unsigned i = 0; i < GIVEN * NUMBERS * NUMBERS; i++) {
		const unsigned given = i % GIVEN;
		const uint64_t a = numbers[i / GIVEN % NUMBERS], b = numbers[i / GIVEN / NUMBERS], values[3] = {a, b, a ^ b};
		const struct run_prepared expected = {.given = given,
						      .seed = given & RUN_PREPARED_SEED ? values[0] : 0,
						      .stream = given & RUN_PREPARED_STREAM ? values[1] : 0,
						      .offset = given & RUN_PREPARED_OFFSET ? values[2] : 0,
						      .user = (uint32_t)b};

		encode(&buffer, 1, given, first, 9);
		assert_true(make(&buffer, &pattern));
		encode(&buffer, (uint32_t)b, given, values, 9);
		assert_int_equal(request_pattern_match(&pattern, buffer.at, buffer.size, &got), buffer.size);
		assert_memory_equal(&got, &expected, sizeof got);
		for (size_t size = 0; size < buffer.size; size++)
			assert_int_equal(request_pattern_match(&pattern, buffer.at, size, &got), 0);
		encode(&buffer, 1, given, first, 10);
		assert_int_equal(request_pattern_match(&pattern, buffer.at, buffer.size, &got), 0);
		encode(&buffer, 1, (given + 1) % GIVEN, first, 9);
		assert_int_equal(request_pattern_match(&pattern, buffer.at, buffer.size, &got), 0);
	}
	codec_buffer_free(&buffer);
}

/* With any byte changed, a request that still matches is read as the codec reads it. */
static void changed(void **state)
{
	static const uint64_t values[3] = {5, 600, 70000};
	struct codec_buffer buffer = {0};
	struct request_pattern pattern;
	struct run_prepared got;

	(void)state;
	encode(&buffer, 77, GIVEN - 1, values, 9);
	assert_true(make(&buffer, &pattern));
	for (size_t at = 0; at < buffer.size; at++)
		for (unsigned byte = 0; byte < 256; byte++) {
			const char was = buffer.at[at];
			struct bump *bump = bump_new();
			struct message message;

			buffer.at[at] = (char)byte;
			if (request_pattern_match(&pattern, buffer.at, buffer.size, &got) == buffer.size) {
				assert_int_equal(codec_decode(buffer.at, buffer.size, bump, &message, NULL), 0);
				assert_int_equal(message.msgid, got.user);
				assert_true(value_get(&message.params, "seed")->u == got.seed);
				assert_true(value_get(&message.params, "stream")->u == got.stream);
				assert_true(value_get(&message.params, "offset")->u == got.offset);
			}
			buffer.at[at] = was;
			bump_free(bump);
		}
	codec_buffer_free(&buffer);
}

/* Such a request has no pattern: too long, twice the same number, a number that is negative. */
static void none(void **state)
{
	char text[REQUEST_PATTERN_BYTES + 1];
	struct codec_buffer buffer = {0};
	struct request_pattern pattern;
	struct run_prepared ignored;
	struct bump *bump = bump_new();
	struct value params = value_map(), negative = value_map();

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_int_equal(value_put(bump, &params, "payload", value_string(text)), 0);
	assert_int_equal(codec_request(&buffer, 1, "ping", &params), 0);
	assert_false(make(&buffer, &pattern));
	assert_int_equal(request_pattern_match(&pattern, buffer.at, buffer.size, &ignored), 0);
	buffer.size = 0;
	assert_int_equal(value_put(bump, &negative, "seed", value_int(-5)), 0);
	assert_int_equal(codec_request(&buffer, 1, "normal", &negative), 0);
	assert_true(make(&buffer, &pattern)); /* as it stands */
	assert_int_equal(request_pattern_match(&pattern, buffer.at, buffer.size, &ignored), buffer.size);
	assert_int_equal(ignored.given, 0);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(changed),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
