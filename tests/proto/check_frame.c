/* SPDX-License-Identifier: Apache-2.0 */
/* The frame scan against a recursive reference, fed at once and byte by byte, over hostile and mutated frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "frame.h"

enum { MORE = 0, DONE = 1, BAD = -ERROR_BAD_FRAME };

struct outcome {
	int result;
	size_t size; /* of a complete frame; bytes needed before a bad one is known to be bad */
};

/* ------- the reference: recursive, one value at a time, from the MessagePack specification ------- */

struct reference {
	const uint8_t *at;
	size_t size, used, elements;
	struct frame_limits limits;
};

static int reference_value(struct reference *r, unsigned depth);

static int reference_many(struct reference *r, uint64_t count, unsigned depth)
{
	if (count > r->limits.elements - r->elements || count > r->limits.bytes - r->used)
		return BAD;
	if (count && depth == r->limits.depth)
		return BAD;
	r->elements += count;
	for (uint64_t i = 0; i < count; i++) {
		int result = reference_value(r, depth + 1);

		if (result != DONE)
			return result;
	}
	return DONE;
}

static int reference_skip(struct reference *r, uint64_t bytes)
{
	if (bytes > r->limits.bytes - r->used)
		return BAD;
	r->used += bytes;
	return DONE;
}

/* The length in `bytes` big-endian bytes behind the type. */
static int reference_length(struct reference *r, unsigned bytes, uint64_t *ret)
{
	if (1 + bytes > r->limits.bytes - r->used)
		return BAD;
	if (1 + bytes > r->size - r->used)
		return MORE;
	*ret = 0;
	for (unsigned i = 1; i <= bytes; i++)
		*ret = *ret * 256 + r->at[r->used + i];
	r->used += 1 + bytes;
	return DONE;
}

static int reference_value(struct reference *r, unsigned depth)
{
	uint64_t n;
	int result;

	if (r->used >= r->size)
		return MORE;
	uint8_t t = r->at[r->used];
	bool str = t >= 0xd9 && t <= 0xdb, bin = t >= 0xc4 && t <= 0xc6, ext = t >= 0xc7 && t <= 0xc9;
	if (str || bin || ext) {
		unsigned bytes = 1u << (str ? t - 0xd9 : bin ? t - 0xc4 : t - 0xc7);

		result = reference_length(r, bytes, &n);
		return result == DONE ? reference_skip(r, n + ext) : result;
	}
	if (t >= 0xdc && t <= 0xdf) {
		result = reference_length(r, t & 1 ? 4 : 2, &n);
		return result == DONE ? reference_many(r, t >= 0xde ? 2 * n : n, depth) : result;
	}
	if (t == 0xc1)
		return BAD;
	result = reference_length(r, 0, &n);
	if (result != DONE)
		return result;
	if (t >= 0x80 && t <= 0x8f)
		return reference_many(r, 2 * (t - 0x80u), depth);
	if (t >= 0x90 && t <= 0x9f)
		return reference_many(r, t - 0x90u, depth);
	if (t >= 0xa0 && t <= 0xbf)
		return reference_skip(r, t - 0xa0u);
	if (t == 0xca || t == 0xce || t == 0xd2)
		return reference_skip(r, 4);
	if (t == 0xcb || t == 0xcf || t == 0xd3)
		return reference_skip(r, 8);
	if (t == 0xcc || t == 0xd0)
		return reference_skip(r, 1);
	if (t == 0xcd || t == 0xd1)
		return reference_skip(r, 2);
	if (t >= 0xd4 && t <= 0xd8)
		return reference_skip(r, 1 + (1u << (t - 0xd4)));
	return DONE;
}

static struct outcome reference(const void *bytes, size_t size, const struct frame_limits *limits)
{
	struct frame_scan defaults;

	frame_scan_init(&defaults, limits);
	struct reference r = {bytes, size, 0, 0, defaults.limits};
	int result = reference_value(&r, 0);

	if (result == DONE && r.used > size)
		result = MORE;
	return (struct outcome){result, r.used};
}

/* ------- the scan, in two ways of feeding ------- */

static struct outcome at_once(const void *bytes, size_t size, const struct frame_limits *limits)
{
	struct frame_scan scan;
	size_t length = 0;

	frame_scan_init(&scan, limits);
	int result = frame_scan_more(&scan, bytes, size, &length);
	if (result == BAD)
		assert_non_null(scan.wrong);
	return (struct outcome){result, length};
}

static struct outcome by_bytes(const uint8_t *bytes, size_t size, const struct frame_limits *limits)
{
	struct frame_scan scan;
	size_t length = 0;

	frame_scan_init(&scan, limits);
	for (size_t have = 1; have <= size; have++) {
		int result = frame_scan_more(&scan, bytes, have, &length);

		if (result == BAD)
			return (struct outcome){BAD, have};
		if (result == DONE) {
			assert_int_equal(length, have);
			return (struct outcome){DONE, length};
		}
	}
	return (struct outcome){MORE, 0};
}

static void same(const uint8_t *bytes, size_t size, const struct frame_limits *limits, uint64_t seed)
{
	struct outcome expected = reference(bytes, size, limits);
	struct outcome once = at_once(bytes, size, limits), slowly = by_bytes(bytes, size, limits);

	if (expected.result == once.result && expected.result == slowly.result &&
	    (expected.result != DONE || (expected.size == once.size && expected.size == slowly.size)))
		return;
	fail_msg("expected %d (%zu bytes), got %d (%zu) at once and %d (%zu) byte by byte; seed %llu", expected.result,
		 expected.size, once.result, once.size, slowly.result, slowly.size, (unsigned long long)seed);
}

/* ------- checks ------- */

struct example {
	const char *name, *bytes;
	size_t size;
	int result;
	size_t at; /* length of a complete frame, or the byte at which a bad one is refused */
};

#define BYTES(text) text, sizeof text - 1

/* Scanned at once and byte by byte. */
static void check_example(const struct example *e)
{
	const struct outcome got = by_bytes((const uint8_t *)e->bytes, e->size, NULL);

	if (got.result != e->result || got.size != e->at)
		fail_msg("%s: expected %d at %zu, got %d at %zu", e->name, e->result, e->at, got.result, got.size);
	same((const uint8_t *)e->bytes, e->size, NULL, 0);
}

static void every_type(void **state)
{
	static const struct example examples[] = {
		{"fixint", BYTES("\x00"), DONE, 1},
		{"fixint 127", BYTES("\x7f"), DONE, 1},
		{"negative fixint", BYTES("\xe0"), DONE, 1},
		{"nil", BYTES("\xc0"), DONE, 1},
		{"never used", BYTES("\xc1"), BAD, 1},
		{"false", BYTES("\xc2"), DONE, 1},
		{"true", BYTES("\xc3"), DONE, 1},
		{"bin 8", BYTES("\xc4\x02xy"), DONE, 4},
		{"bin 16", BYTES("\xc5\x00\x02xy"), DONE, 5},
		{"bin 32", BYTES("\xc6\x00\x00\x00\x02xy"), DONE, 7},
		{"ext 8", BYTES("\xc7\x02\x01xy"), DONE, 5},
		{"ext 16", BYTES("\xc8\x00\x02\x01xy"), DONE, 6},
		{"ext 32", BYTES("\xc9\x00\x00\x00\x02\x01xy"), DONE, 8},
		{"float 32", BYTES("\xca\x00\x00\x00\x00"), DONE, 5},
		{"float 64", BYTES("\xcb\x00\x00\x00\x00\x00\x00\x00\x00"), DONE, 9},
		{"uint 8", BYTES("\xcc\xff"), DONE, 2},
		{"uint 16", BYTES("\xcd\xff\xff"), DONE, 3},
		{"uint 32", BYTES("\xce\xff\xff\xff\xff"), DONE, 5},
		{"uint 64", BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), DONE, 9},
		{"int 8", BYTES("\xd0\xff"), DONE, 2},
		{"int 16", BYTES("\xd1\xff\xff"), DONE, 3},
		{"int 32", BYTES("\xd2\xff\xff\xff\xff"), DONE, 5},
		{"int 64", BYTES("\xd3\xff\xff\xff\xff\xff\xff\xff\xff"), DONE, 9},
		{"fixext 1", BYTES("\xd4\x01x"), DONE, 3},
		{"fixext 2", BYTES("\xd5\x01xy"), DONE, 4},
		{"fixext 4", BYTES("\xd6\x01wxyz"), DONE, 6},
		{"fixext 8", BYTES("\xd7\x01stuvwxyz"), DONE, 10},
		{"fixext 16", BYTES("\xd8\x01klmnopqrstuvwxyz"), DONE, 18},
		{"fixstr", BYTES("\xa2xy"), DONE, 3},
		{"str 8", BYTES("\xd9\x02xy"), DONE, 4},
		{"str 16", BYTES("\xda\x00\x02xy"), DONE, 5},
		{"str 32", BYTES("\xdb\x00\x00\x00\x02xy"), DONE, 7},
		{"fixarray", BYTES("\x92\x01\x02"), DONE, 3},
		{"array 16", BYTES("\xdc\x00\x02\x01\x02"), DONE, 5},
		{"array 32", BYTES("\xdd\x00\x00\x00\x02\x01\x02"), DONE, 7},
		{"fixmap", BYTES("\x81\xa1k\x02"), DONE, 4},
		{"map 16", BYTES("\xde\x00\x01\xa1k\x02"), DONE, 6},
		{"map 32", BYTES("\xdf\x00\x00\x00\x01\xa1k\x02"), DONE, 8},
		{"empty containers", BYTES("\x93\x90\x80\xa0"), DONE, 4},
		{"request", BYTES("\x94\x00\x07\xa4ping\x90"), DONE, 9},
		{"two frames", BYTES("\x92\x90\x01\x92\x90\x01"), DONE, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		const struct example *e = &examples[i];

		check_example(e);
		for (size_t cut = 0; e->result == DONE && cut < e->at; cut++)
			assert_int_equal(at_once(e->bytes, cut, NULL).result, MORE);
	}
}

static void bombs(void **state)
{
	static const struct example examples[] = {
		{"array32 of 2^32-2^24", BYTES("\xdd\xff\x00\x00\x00"), BAD, 5},
		{"array32 of 2^26", BYTES("\xdd\x04\x00\x00\x00"), BAD, 5},
		{"array32 of 65537", BYTES("\xdd\x00\x01\x00\x01"), BAD, 5},
		{"map32 of 2^32-1", BYTES("\xdf\xff\xff\xff\xff"), BAD, 5},
		{"map32 of 2^31", BYTES("\xdf\x80\x00\x00\x00"), BAD, 5},
		{"map16 of 65535", BYTES("\xde\xff\xff"), BAD, 3},
		{"str32 of 4 GiB", BYTES("\xdb\xff\xff\xff\xff"), BAD, 5},
		{"bin32 of 4 GiB", BYTES("\xc6\xff\xff\xff\xff"), BAD, 5},
		{"ext32 of 4 GiB", BYTES("\xc9\xff\xff\xff\xff"), BAD, 5},
		{"bin32 of 32 MiB", BYTES("\xc6\x02\x00\x00\x00"), BAD, 5},
		{"in a request", BYTES("\x94\x00\x01\xa4ping\x91\xdd\xff\x00\x00\x00"), BAD, 14},
		{"in a map's key", BYTES("\x81\xdd\xff\x00\x00\x00"), BAD, 6},
		{"65536 in all", BYTES("\x92\xdc\xff\xfc\xdc\x00\x02"), MORE, 0},
		{"65537 in all", BYTES("\x92\xdc\xff\xfd\xdc\x00\x02"), BAD, 7},
		{"arrays in arrays", BYTES("\xdc\xff\xff\xdc\x00\x02"), BAD, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		check_example(&examples[i]);
}

/* The deepest frame allowed passes; one more is refused at the byte that opens it; so also by maps and by counts. */
static void depth(void **state)
{
	uint8_t bytes[64];

	(void)state;
	for (unsigned limit = 1; limit <= FRAME_MAX_DEPTH; limit++) {
		struct frame_limits limits = {.depth = limit};

		memset(bytes, 0x91, limit);
		bytes[limit] = 0xc0;
		assert_int_equal(at_once(bytes, limit + 1, &limits).result, DONE);
		memset(bytes, 0x91, limit + 1);
		struct outcome got = by_bytes(bytes, sizeof bytes, &limits);
		assert_int_equal(got.result, BAD);
		assert_int_equal(got.size, limit + 1);
	}
	struct frame_limits beyond = {.depth = 1000};
	memset(bytes, 0x91, sizeof bytes);
	assert_int_equal(by_bytes(bytes, sizeof bytes, &beyond).size, FRAME_MAX_DEPTH + 1);
}

/* A frame of exactly the limit passes, one byte more does not; and what is behind a frame is not looked at. */
static void limits_hold(void **state)
{
	struct frame_limits limits = {.bytes = 10, .elements = 4};
	static const uint8_t fits[] = "\xc4\x08"
				      "12345678",
			     longer[] = "\xc4\x09"
					"123456789",
			     four[] = "\x82\x01\x02\x03\x04", five[] = "\x92\x93\x01\x02\x03\x04";

	(void)state;
	assert_int_equal(at_once(fits, 10, &limits).result, DONE);
	assert_int_equal(at_once(longer, 2, &limits).result, BAD);
	assert_int_equal(at_once(four, 5, &limits).result, DONE);
	assert_int_equal(by_bytes(five, 6, &limits).size, 2);
}

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Random bytes, weighted towards containers and lengths so that frames become deep. */
static uint8_t random_byte(uint64_t *state)
{
	uint64_t r = next(state);

	switch (r & 7) {
	case 0:
		return (uint8_t)(0x80 | (r >> 8 & 0x1f)); /* small containers */
	case 1:
		return (uint8_t)(0xc0 | (r >> 8 & 0x1f));
	case 2:
	case 3:
		return (uint8_t)(r >> 8 & 7);
	default:
		return (uint8_t)(r >> 8);
	}
}

static void random_frames(void **state)
{
	enum { CASES = 200000 };
	static const struct frame_limits limits[] = {
		{0}, {.bytes = 20}, {.elements = 6}, {.depth = 2}, {.bytes = 300, .elements = 40, .depth = 5}};
	unsigned counts[3] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = seed;
		uint8_t bytes[48];
		size_t size = next(&random) % (sizeof bytes + 1);

		for (size_t i = 0; i < size; i++)
			bytes[i] = random_byte(&random);
		same(bytes, size, &limits[seed % 5], seed);
		counts[at_once(bytes, size, &limits[seed % 5]).result + 1]++;
	}
	printf("# %d random frames: %u want more, %u complete, %u bad\n", CASES, counts[1], counts[2], counts[0]);
	assert_true(counts[0] > CASES / 50 && counts[1] > CASES / 50 && counts[2] > CASES / 50);
}

static void mutated_requests(void **state)
{
	static const char request[] = "\x94\x00\xce\x00\x01\x00\x07\xa7uniform\x91\x86\xa1n\xcd\x02\x00\xa4seed\xcf\xff"
				      "\x01\x02\x03\x04\x05\x06\x07\xa3low\xca\xbf\x80\x00\x00\xa4high\xcb\x3f\xf0\x00"
				      "\x00\x00\x00\x00\x00\xa2in\xc4\x04\x01\x02\x03\x04\xa5shape\x93\x02\x03\x04";
	enum { CASES = 100000, SIZE = sizeof request - 1 };

	(void)state;
	assert_int_equal(at_once(request, SIZE, NULL).size, SIZE);
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = ~seed;
		uint8_t bytes[SIZE];

		memcpy(bytes, request, SIZE);
		for (uint64_t n = 1 + next(&random) % 4; n; n--)
			bytes[next(&random) % SIZE] = random_byte(&random);
		same(bytes, SIZE - next(&random) % 4, NULL, seed);
	}
}

/* However slowly a long frame comes, the work is in its bytes once: 4 MiB of small values, in pieces of 64 bytes. */
static void never_rescanned(void **state)
{
	enum { COUNT = 60000, SIZE = COUNT + 5 };
	static uint8_t bytes[SIZE] = "\xdd";
	struct frame_scan scan;
	size_t length = 0, before = 0;

	(void)state;
	bytes[3] = COUNT >> 8;
	bytes[4] = COUNT & 255;
	frame_scan_init(&scan, NULL);
	for (size_t have = 64; have < SIZE; have += 64) {
		assert_int_equal(frame_scan_more(&scan, bytes, have, &length), MORE);
		assert_true(scan.at >= before && scan.at == have);
		before = scan.at;
		memset(bytes, 0xc1, have); /* what is understood is not looked at again */
	}
	assert_int_equal(frame_scan_more(&scan, bytes, SIZE, &length), DONE);
	assert_int_equal(length, SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type),      cmocka_unit_test(bombs),         cmocka_unit_test(depth),
		cmocka_unit_test(limits_hold),     cmocka_unit_test(random_frames), cmocka_unit_test(mutated_requests),
		cmocka_unit_test(never_rescanned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
