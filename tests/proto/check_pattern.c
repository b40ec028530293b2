/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: bytes that match are a request which the codec reads as the first one, but for the msgid and the fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codec.h"
#include "frame.h"
#include "pattern.h"

static const char *const names[PATTERN_FIELDS] = {"offset", "seed", "stream"};

static const uint64_t numbers[] = {0,      1,       127,        128,           255,           256,
				   65535,  65536,   UINT32_MAX, 1ull << 32,    UINT64_MAX - 1, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

/* offset, n and a text, a shape, and seed. */
static void encode(struct codec_buffer *buffer, uint32_t msgid, uint64_t offset, uint64_t seed)
{
	struct zone *zone = zone_new();
	struct value params = value_map(), shape = value_array();

	buffer->size = 0;
	assert_int_equal(value_push(zone, &shape, value_uint(300)) | value_push(zone, &shape, value_uint(2)), 0);
	assert_int_equal(value_put(zone, &params, "offset", value_uint(offset)) |
				 value_put(zone, &params, "n", value_uint(600)) |
				 value_put(zone, &params, "low", value_real(-1.5)) |
				 value_put(zone, &params, "dtype", value_string("f32")) |
				 value_put(zone, &params, "shape", shape) |
				 value_put(zone, &params, "seed", value_uint(seed)) |
				 value_put(zone, &params, "x", value_bool(true)),
			 0);
	assert_int_equal(codec_request(buffer, msgid, "uniform", &params), 0);
	zone_free(zone);
}

/* Equal widths match and tell the numbers, other widths do not. */
static void widths(void **state)
{
	struct codec_buffer a = {0}, b = {0};
	struct pattern pattern;

	(void)state;
	for (int i = 0; i < NUMBERS * NUMBERS; i++) {
		const uint64_t from = numbers[i / NUMBERS], to = numbers[i % NUMBERS];
		uint64_t values[PATTERN_FIELDS] = {0, 0, 42};
		uint32_t msgid = 0;

		encode(&a, 1, from, to);
		encode(&b, 100, to, from);
		assert_true(pattern_make(a.at, a.size, names, &pattern));
		assert_int_equal(pattern.fields[2].size, 0);
		if (!pattern_match(&pattern, b.at, b.size, &msgid, values)) {
			assert_int_not_equal(pattern.fields[0].size, pattern.fields[1].size);
			continue;
		}
		assert_int_equal(pattern.fields[0].size, pattern.fields[1].size);
		assert_int_equal(msgid, 100);
		assert_true(values[0] == to && values[1] == from && values[2] == 42);
		assert_false(pattern_match(&pattern, b.at, b.size - 1, &msgid, values));
	}
	codec_buffer_free(&a);
	codec_buffer_free(&b);
}

static bool is_field(const char *name, size_t size)
{
	for (int i = 0; i < PATTERN_FIELDS; i++)
		if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
			return true;
	return false;
}

/* But for fields, every value of b is that of a. */
static bool same_params(const struct message *a, const struct message *b, const uint64_t values[PATTERN_FIELDS])
{
	bool same = a->params.map.count == b->params.map.count && a->method_size == b->method_size &&
		    memcmp(a->method, b->method, a->method_size) == 0;

	for (size_t i = 0; i < a->params.map.count && same; i++) {
		const struct value_member *x = &a->params.map.at[i], *y = &b->params.map.at[i];

		same = x->name_size == y->name_size && memcmp(x->name, y->name, x->name_size) == 0 &&
		       x->value.kind == y->value.kind;
		if (same && x->value.kind == VALUE_UINT)
			same = is_field(x->name, x->name_size) ? y->value.u == values[x->name[0] == 's']
							       : x->value.u == y->value.u;
	}
	return same;
}

static void mutated(void **state)
{
	enum { CASES = 200000 };
	unsigned matched = 0;
	struct codec_buffer a = {0};

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = seed, values[PATTERN_FIELDS] = {0};
		struct zone *zone = zone_new();
		struct message first, other;
		uint8_t bytes[PATTERN_BYTES];
		struct pattern pattern;
		size_t size = 0;
		struct frame_scan scan;
		uint32_t msgid;

		encode(&a, (uint32_t)numbers[next(&random) % 9], numbers[next(&random) % NUMBERS],
		       numbers[next(&random) % NUMBERS]);
		assert_true(pattern_make(a.at, a.size, names, &pattern));
		memcpy(bytes, a.at, a.size);
		for (uint64_t n = 1 + next(&random) % 3; n; n--)
			bytes[next(&random) % (next(&random) % 2 ? 24 : a.size)] = (uint8_t)next(&random);
		frame_scan_init(&scan, NULL);
		if (pattern_match(&pattern, bytes, a.size, &msgid, values)) {
			matched++;
			if (frame_scan_more(&scan, bytes, a.size, &size) != 1 || size != a.size ||
			    codec_decode(a.at, a.size, zone, &first, NULL) || codec_decode(bytes, size, zone, &other, NULL) ||
			    other.msgid != msgid || !same_params(&first, &other, values))
				fail_msg("seed %llu: matched, and is another request", (unsigned long long)seed);
		}
		zone_free(zone);
	}
	printf("# %u of %d matched\n", matched, CASES);
	assert_true(matched > CASES / 100);
	codec_buffer_free(&a);
}

/* Whatever bytes are given to it. */
static void other_bytes(void **state)
{
	struct codec_buffer a = {0};
	struct pattern pattern;

	(void)state;
	encode(&a, 1, 2, 3);
	for (size_t size = 0; size < a.size; size++) {
		uint8_t *exact = malloc(size + 1);

		memcpy(exact, a.at, size);
		assert_false(pattern_make(exact, size, names, &pattern));
		free(exact);
	}
	for (uint64_t seed = 0; seed < 100000; seed++) {
		uint64_t random = seed, values[PATTERN_FIELDS];
		uint32_t msgid;
		uint8_t bytes[PATTERN_BYTES];

		memcpy(bytes, a.at, a.size);
		for (int n = 0; n < 3; n++)
			bytes[next(&random) % a.size] = (uint8_t)next(&random);
		if (pattern_make(bytes, a.size, names, &pattern) && bytes[2] < 0x80)
			assert_true(pattern_match(&pattern, bytes, a.size, &msgid, values));
	}
	codec_buffer_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),
		cmocka_unit_test(mutated),
		cmocka_unit_test(other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
