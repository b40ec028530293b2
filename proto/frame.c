/* SPDX-License-Identifier: Apache-2.0 */
/* The frame scan: a walk over MessagePack's type bytes that keeps, for each open container, how many values it still
 * awaits. Strings are stepped over by their length, so `at` may run ahead of what has been received. */
#include "frame.h"

#include <stdbool.h>

#include "base/error.h"

enum { DEFAULT_BYTES = 32 << 20, DEFAULT_ELEMENTS = 65536 };

/* What a type byte announces: its own count or length, or how many bytes behind it hold one. */
enum shape { SCALAR, BLOB, ARRAY, MAP, INVALID };

struct head {
	enum shape shape;
	unsigned length_bytes; /* of the big-endian length behind the type byte */
	uint64_t length;       /* where it needs no such bytes: payload bytes of a scalar or blob, elements otherwise */
	unsigned extra;        /* payload bytes beyond the length: the type of an ext */
};

/* Types 0xc0 to 0xdf, in order. */
static const struct head heads[32] = {
	{SCALAR, 0, 0, 0}, {INVALID, 0, 0, 0}, {SCALAR, 0, 0, 0}, {SCALAR, 0, 0, 0}, /* nil, -, false, true */
	{BLOB, 1, 0, 0},   {BLOB, 2, 0, 0},    {BLOB, 4, 0, 0},                      /* bin 8, 16, 32 */
	{BLOB, 1, 0, 1},   {BLOB, 2, 0, 1},    {BLOB, 4, 0, 1},                      /* ext 8, 16, 32 */
	{SCALAR, 0, 4, 0}, {SCALAR, 0, 8, 0},                                        /* float 32, 64 */
	{SCALAR, 0, 1, 0}, {SCALAR, 0, 2, 0},  {SCALAR, 0, 4, 0}, {SCALAR, 0, 8, 0}, /* uint 8 to 64 */
	{SCALAR, 0, 1, 0}, {SCALAR, 0, 2, 0},  {SCALAR, 0, 4, 0}, {SCALAR, 0, 8, 0}, /* int 8 to 64 */
	{BLOB, 0, 2, 0},   {BLOB, 0, 3, 0},    {BLOB, 0, 5, 0},                      /* fixext 1, 2, 4 */
	{BLOB, 0, 9, 0},   {BLOB, 0, 17, 0},                                         /* fixext 8, 16 */
	{BLOB, 1, 0, 0},   {BLOB, 2, 0, 0},    {BLOB, 4, 0, 0},                      /* str 8, 16, 32 */
	{ARRAY, 2, 0, 0},  {ARRAY, 4, 0, 0},   {MAP, 2, 0, 0},    {MAP, 4, 0, 0},    /* array, map 16, 32 */
};

static struct head head_of(unsigned char type)
{
	if (type < 0x80 || type >= 0xe0) /* fixint of either sign */
		return (struct head){SCALAR, 0, 0, 0};
	if (type < 0x90)
		return (struct head){MAP, 0, type & 15, 0};
	if (type < 0xa0)
		return (struct head){ARRAY, 0, type & 15, 0};
	if (type < 0xc0)
		return (struct head){BLOB, 0, type & 31, 0};
	return heads[type - 0xc0];
}

static uint64_t big_endian(const unsigned char *bytes, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

static int refuse_frame(struct frame_scan *scan, const char *wrong)
{
	scan->wrong = wrong;
	return -ERROR_BAD_FRAME;
}

/* A container of count elements (a map's keys and values each count). */
static int enter(struct frame_scan *scan, uint64_t count)
{
	if (count > scan->limits.elements - scan->elements)
		return refuse_frame(scan, "more elements than a frame may have (frame_elements)");
	if (count > scan->limits.bytes - scan->at)
		return refuse_frame(scan, "more elements than a frame may have bytes (frame_bytes)");
	if (count == 0)
		return 0;
	if (scan->depth == scan->limits.depth)
		return refuse_frame(scan, "nested deeper than a frame may be");
	scan->elements += count;
	scan->open[++scan->depth] = count;
	return 0;
}

/* The head's own bytes are behind scan->at already. */
static int take_bytes(struct frame_scan *scan, enum shape shape, uint64_t length)
{
	/* The value at hand is one its container no longer awaits; open[0] stands for the frame itself. */
	scan->open[scan->depth]--;
	if (shape == ARRAY || shape == MAP)
		return enter(scan, shape == MAP ? 2 * length : length);
	if (length > scan->limits.bytes - scan->at)
		return refuse_frame(scan, "longer than a frame may be (frame_bytes)");
	scan->at += length;
	return 0;
}

void frame_scan_init(struct frame_scan *scan, const struct frame_limits *limits)
{
	struct frame_limits l = limits ? *limits : (struct frame_limits){0};

	l.bytes = l.bytes ? l.bytes : DEFAULT_BYTES;
	l.elements = l.elements ? l.elements : DEFAULT_ELEMENTS;
	l.depth = l.depth && l.depth < FRAME_MAX_DEPTH ? l.depth : FRAME_MAX_DEPTH;
	scan->limits = l;
	scan->at = scan->elements = 0;
	scan->depth = 0;
	scan->open[0] = 1; /* of the others each is set when its container begins */
	scan->wrong = NULL;
}

int frame_scan_more(struct frame_scan *scan, const void *bytes, size_t size, size_t *ret_size)
{
	const unsigned char *at = bytes;

	for (;;) {
		while (scan->depth && scan->open[scan->depth] == 0)
			scan->depth--;
		if (scan->depth == 0 && scan->open[0] == 0)
			break;
		if (scan->at >= size)
			return 0;

		struct head head = head_of(at[scan->at]);
		size_t head_bytes = 1 + head.length_bytes;

		if (head.shape == INVALID)
			return refuse_frame(scan, "0xc1 is no MessagePack type");
		if (head_bytes > scan->limits.bytes - scan->at)
			return refuse_frame(scan, "longer than a frame may be (frame_bytes)");
		if (head_bytes > size - scan->at)
			return 0;
		if (head.length_bytes)
			head.length = big_endian(at + scan->at + 1, head.length_bytes);
		scan->at += head_bytes;
		if (take_bytes(scan, head.shape, head.length + head.extra) < 0)
			return -ERROR_BAD_FRAME;
	}
	if (scan->at > size)
		return 0;
	*ret_size = scan->at;
	return 1;
}
