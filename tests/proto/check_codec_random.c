/* SPDX-License-Identifier: Apache-2.0 */
/* The codec over random trees there and back and over messages with bytes changed; the scan beside msgpack-c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <msgpack.h>

#include "scanned.h"

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static struct value random_bytes(struct bump *bump, uint64_t *random, enum value_kind kind)
{
	/* Around the borders between the encodings of lengths. */
	static const size_t sizes[] = {0, 1, 31, 32, 255, 256, 65535, 65536};
	size_t size = next(random) % 16 ? next(random) % 40 : sizes[next(random) % 8];
	char *at = bump_alloc(bump, size + 1);

	for (size_t i = 0; i < size; i++)
		at[i] = (char)next(random);
	return (struct value){.kind = kind, .bytes = {at, size}};
}

static struct value random_tree(struct bump *bump, uint64_t *random, unsigned depth)
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
		return random_bytes(bump, random, VALUE_STRING);
	case VALUE_BYTES:
		return random_bytes(bump, random, VALUE_BYTES);
	case VALUE_ARRAY:
		value = value_array();
		for (uint64_t n = next(random) % 20; n; n--)
			assert_int_equal(value_push(bump, &value, random_tree(bump, random, depth + 1)), 0);
		return value;
	case VALUE_MAP:
		value = value_map();
		for (uint64_t n = next(random) % 20; n; n--) {
			snprintf(name, sizeof name, "%llx", (unsigned long long)(next(random) % 0xfffff));
			assert_int_equal(value_put(bump, &value, name, random_tree(bump, random, depth + 1)), 0);
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
		struct bump *bump = bump_new();
		struct codec_buffer buffer = {0};
		struct message message;
		struct error err = {0};
		uint64_t random = seed;
		struct value tree = random_tree(bump, &random, 0);
		uint32_t msgid = (uint32_t)next(&random);
		int r;

		assert_int_equal(codec_response(&buffer, msgid, NULL, &tree), 0);
		r = decode(buffer.at, buffer.size, bump, &message, &err);
		if (r < 0 || message.msgid != msgid || message.error.code || !equal(&tree, &message.result))
			fail_msg("response: %d %s; seed %llu", r, err.text, (unsigned long long)seed);
		buffer.size = 0;
		struct value params = value_map();
		value_put(bump, &params, "tree", tree);
		assert_int_equal(codec_request(&buffer, msgid, "method", &params), 0);
		r = decode(buffer.at, buffer.size, bump, &message, &err);
		if (r < 0 || message.msgid != msgid || message.method_size != 6 || !equal(&params, &message.params))
			fail_msg("request: %d %s; seed %llu", r, err.text, (unsigned long long)seed);
		codec_buffer_free(&buffer);
		bump_free(bump);
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
		struct bump *bump = bump_new();
		uint64_t random = seed;
		char bytes[80] = {0};
		struct message message;
		size_t size = sizes[seed % 3];

		memcpy(bytes, seeds[seed % 3], size);
		for (uint64_t n = next(&random) % 4; n; n--)
			bytes[next(&random) % size] = (char)(next(&random) >> (next(&random) & 7));
		int r = decode(bytes, sizeof bytes, bump, &message, NULL);
		messages += r == 0;
		wrong += r == -ERROR_WRONG_TYPE;
		bad += r == -ERROR_BAD_FRAME;
		bump_free(bump);
	}
	printf("# %d mutated messages: %u read, %u answerable, %u bad, %u cut off\n", CASES, messages, wrong, bad,
	       CASES - messages - wrong - bad);
	assert_true(messages && wrong && bad);
}

/* ------- as msgpack-c reads it ------- */

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

/* Frames of random values in a response: msgpack-c reads whatever the scan passes. */
static void agrees_with_msgpack_c(void **state)
{
	enum { CASES = 100000 };
	unsigned read = 0, refused = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		unsigned char bytes[48] = "\x94\x01\x07\xc0";
		struct bump *bump = bump_new();
		struct frame_scan scan;
		struct message message;
		uint64_t random = seed;
		size_t size, used = 0;

		scatter(&random, bytes + 4, sizeof bytes - 4);
		frame_scan_init(&scan, NULL);
		if (frame_scan_more(&scan, bytes, sizeof bytes, &size) == 1) {
			const int r = codec_decode(bytes, size, bump, &message, NULL);
			msgpack_zone objects;
			msgpack_object object;

			msgpack_zone_init(&objects, 4096);
			if (msgpack_unpack((const char *)bytes, size, &used, &objects, &object) != MSGPACK_UNPACK_SUCCESS)
				fail_msg("msgpack-c does not read what the scan passes; seed %llu", (unsigned long long)seed);
			read += r == 0;
			refused += r < 0;
			msgpack_zone_destroy(&objects);
		}
		bump_free(bump);
	}
	printf("# %u frames read, %u refused\n", read, refused);
	assert_true(read > CASES / 20 && refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(mutations),
		cmocka_unit_test(agrees_with_msgpack_c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
