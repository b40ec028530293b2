/* SPDX-License-Identifier: Apache-2.0 */
/* Reading run_prepared from its bytes: what is read is what the codec reads, and all else is left to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codec.h"
#include "frame.h"
#include "run_prepared.h"

static const uint64_t numbers[] = {0,      1,       127,        128,           255,           256,
				   65535,  65536,   UINT32_MAX, 1ull << 32,    UINT64_MAX - 1, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const char *const names[] = {"seed", "stream", "offset"}; /* as the bits of `given` */

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

/* The members of run that it states, in the buffer. */
static void encode(struct codec_buffer *buffer, const struct run_prepared *run, unsigned n_tiles)
{
	struct bump *bump = bump_new();
	struct value params = value_map(), tiles = value_array();
	const uint64_t values[] = {run->seed, run->stream, run->offset};
	int failed = value_put(bump, &params, "prepared", value_uint(run->prepared));

	for (int i = 0; i < 3; i++)
		if (run->given >> i & 1)
			failed |= value_put(bump, &params, names[i], value_uint(values[i]));
	for (unsigned i = 0; i < n_tiles; i++)
		failed |= value_push(bump, &tiles, run->tiles[i] ? value_uint(run->tiles[i]) : value_nil());
	if (n_tiles)
		failed |= value_put(bump, &params, "tiles", tiles);
	assert_int_equal(failed, 0);
	buffer->size = 0;
	assert_int_equal(codec_request(buffer, (uint32_t)run->user, "run_prepared", &params), 0);
	bump_free(bump);
}

/* Every member, each width, nil and no tiles; cut anywhere it is not whole. */
static void members(void **state)
{
	struct codec_buffer buffer = {0};

	(void)state;
	for (unsigned i = 0; i < NUMBERS * NUMBERS * 8; i++) {
		const uint64_t a = numbers[i % NUMBERS], b = numbers[i / NUMBERS % NUMBERS];
		const unsigned given = i / NUMBERS / NUMBERS, n_tiles = i % (RUN_PREPARED_TILES + 1);
		struct run_prepared run = {.prepared = (uint32_t)a,
					   .given = given,
					   .seed = given & RUN_PREPARED_SEED ? a : 0,
					   .stream = given & RUN_PREPARED_STREAM ? b : 0,
					   .offset = given & RUN_PREPARED_OFFSET ? a ^ b : 0,
					   .user = (uint32_t)b};
		struct run_prepared got;

		for (unsigned k = 0; k < n_tiles; k++)
			run.tiles[k] = k % 3 == 1 ? 0 : (uint32_t)(a + k);
		encode(&buffer, &run, n_tiles);
		assert_int_equal(run_prepared_read(buffer.at, buffer.size, &got), buffer.size);
		assert_memory_equal(&got, &run, sizeof got);
		for (size_t size = 0; size < buffer.size; size++)
			assert_int_equal(run_prepared_read(buffer.at, size, &got), 0);
	}
	codec_buffer_free(&buffer);
}

static const struct value *member_of(const struct message *message, const char *name)
{
	return value_get(&message->params, name);
}

static void expect_number(const struct message *message, const char *name, bool given, uint64_t number)
{
	const struct value *value = member_of(message, name);

	if ((value != NULL) != given || (given && (value->kind != VALUE_UINT || value->u != number)))
		fail_msg("%s: read as %llu, given %d", name, (unsigned long long)number, given);
}

/* What the codec reads in the same bytes. */
static void expect_same(const void *bytes, size_t size, const struct run_prepared *run)
{
	struct bump *bump = bump_new();
	struct message message;
	struct error err;
	const struct value *tiles;

	assert_int_equal(codec_decode(bytes, size, bump, &message, &err), 0);
	assert_int_equal(message.type, MESSAGE_REQUEST);
	assert_int_equal(message.msgid, run->user);
	assert_int_equal(message.method_size, strlen("run_prepared"));
	assert_memory_equal(message.method, "run_prepared", message.method_size);
	expect_number(&message, "prepared", true, run->prepared);
	expect_number(&message, "seed", run->given & RUN_PREPARED_SEED, run->seed);
	expect_number(&message, "stream", run->given & RUN_PREPARED_STREAM, run->stream);
	expect_number(&message, "offset", run->given & RUN_PREPARED_OFFSET, run->offset);
	tiles = member_of(&message, "tiles");
	for (size_t i = 0; i < RUN_PREPARED_TILES; i++) {
		const bool is_there = tiles && i < tiles->array.count && tiles->array.at[i].kind != VALUE_NIL;

		assert_int_equal(run->tiles[i], is_there ? tiles->array.at[i].u : 0);
	}
	assert_int_equal(message.params.map.count,
			 1 + (size_t)__builtin_popcount(run->given) + (tiles != NULL));
	bump_free(bump);
}

/* Bytes changed at random: what is still read is a whole frame, and read as the codec does. */
static void mutated(void **state)
{
	enum { CASES = 200000 };
	struct codec_buffer buffer = {0};
	unsigned read = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = ~seed;
		struct run_prepared run = {.prepared = 3, .given = seed % 8, .user = 9, .tiles = {70, 0, 70000}};
		struct frame_scan scan;
		size_t size, whole;
		char *copy;

		encode(&buffer, &run, seed % 4);
		for (uint64_t n = next(&random) % 3; n; n--)
			buffer.at[next(&random) % buffer.size] = (char)next(&random);
		copy = malloc(buffer.size); /* so that a sanitizer sees a byte too far */
		memcpy(copy, buffer.at, buffer.size);
		size = run_prepared_read(copy, buffer.size, &run);
		if (size) {
			read++;
			frame_scan_init(&scan, &(struct frame_limits){.bytes = 4096, .elements = 64});
			assert_int_equal(frame_scan_more(&scan, copy, buffer.size, &whole), 1);
			assert_int_equal(whole, size);
			expect_same(copy, size, &run);
		}
		free(copy);
	}
	printf("# %u of %d were read\n", read, CASES);
	assert_in_range(read, CASES / 4, CASES - CASES / 4);
	codec_buffer_free(&buffer);
}

static void put_map(struct codec_buffer *buffer, const char *method, const char *name, struct value value)
{
	struct bump *bump = bump_new();
	struct value params = value_map();

	assert_int_equal(value_put(bump, &params, "prepared", value_uint(1)) | value_put(bump, &params, name, value), 0);
	buffer->size = 0;
	assert_int_equal(codec_request(buffer, 1, method, &params), 0);
	bump_free(bump);
}

/* Another method, text for numbers, tiles that are pairs or 0, members of longer runs. */
static void left_to_others(void **state)
{
	struct value zero[] = {value_uint(0)}, pair[] = {value_uint(1), value_uint(2)}, pairs[1], many[7];
	const struct {
		const char *method, *name;
		struct value value;
	} cases[] = {{"run", "offset", value_uint(4)},
		     {"run_prepared", "offset", value_string("4")},
		     {"run_prepared", "seed", value_int(-1)},
		     {"run_prepared", "u64", value_string("str")},
		     {"run_prepared", "timeout_ms", value_uint(4)},
		     {"run_prepared", "stream_name", value_string("a")},
		     {"run_prepared", "tiles", {.kind = VALUE_ARRAY, .array = {zero, 1, 1}}},
		     {"run_prepared", "tiles", {.kind = VALUE_ARRAY, .array = {pairs, 1, 1}}},
		     {"run_prepared", "tiles", {.kind = VALUE_ARRAY, .array = {many, 7, 7}}}};
	struct codec_buffer buffer = {0};
	struct run_prepared run;

	(void)state;
	pairs[0] = (struct value){.kind = VALUE_ARRAY, .array = {pair, 2, 2}};
	for (int i = 0; i < 7; i++)
		many[i] = value_uint(1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put_map(&buffer, cases[i].method, cases[i].name, cases[i].value);
		if (run_prepared_read(buffer.at, buffer.size, &run) != 0)
			fail_msg("%s with %s: was read", cases[i].method, cases[i].name);
	}
	codec_buffer_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(mutated),
		cmocka_unit_test(left_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
