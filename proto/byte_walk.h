/* SPDX-License-Identifier: Apache-2.0 */
/* Reading MessagePack's small parts straight from bytes, which are not trusted: for runs of prepared calls and short replies. */
#ifndef TRNSCI_PROTO_BYTE_WALK_H
#define TRNSCI_PROTO_BYTE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NIL = 0xc0,
	FALSE = 0xc2,
	TRUE = 0xc3,
	BIN8 = 0xc4,
	BIN32 = 0xc6,
	UINT8 = 0xcc,
	UINT64 = 0xcf,
	STR8 = 0xd9,
	STR32 = 0xdb,
	FIXMAP = 0x80,
	FIXARRAY = 0x90,
	FIXSTR = 0xa0,
};

struct walk {
	const uint8_t *at, *end;
};

static inline bool walk_take_byte(struct walk *walk, uint8_t wanted)
{
	return walk->at < walk->end && *walk->at++ == wanted;
}

/* Takes a big-endian number of 1 << exponent bytes. */
static inline bool walk_take_number(struct walk *walk, unsigned exponent, uint64_t *ret)
{
	const size_t width = (size_t)1 << exponent;
	uint64_t value = 0;

	if ((size_t)(walk->end - walk->at) < width)
		return false;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | *walk->at++;
	*ret = value;
	return true;
}

static inline bool walk_take_uint(struct walk *walk, uint64_t *ret)
{
	const uint8_t type = walk->at < walk->end ? *walk->at++ : NIL;

	*ret = type;
	return type < FIXMAP || (type >= UINT8 && type <= UINT64 && walk_take_number(walk, type - UINT8, ret));
}

static inline bool walk_take_u32(struct walk *walk, uint32_t *ret)
{
	uint64_t value;

	if (!walk_take_uint(walk, &value) || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* Takes the count of a short array or map, FIXARRAY or FIXMAP: the low four bits of its first byte. */
static inline bool walk_take_count(struct walk *walk, uint8_t kind, unsigned *ret_count)
{
	if (walk->at == walk->end || (*walk->at & 0xf0) != kind)
		return false;
	*ret_count = *walk->at++ & 15u;
	return true;
}

#endif
