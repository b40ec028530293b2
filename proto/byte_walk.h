/* SPDX-License-Identifier: Apache-2.0 */
/* Reading MessagePack's small parts straight from bytes, which are not trusted: for the few requests that are read without a
 * tree of values. */
#ifndef TRNSCI_PROTO_BYTE_WALK_H
#define TRNSCI_PROTO_BYTE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NIL = 0xc0, UINT8 = 0xcc, UINT64 = 0xcf, FIXARRAY = 0x90, FIXMAP = 0x80, FIXSTR = 0xa0 };

struct walk {
	const uint8_t *at, *end;
};

static inline bool walk_take_byte(struct walk *walk, uint8_t wanted)
{
	return walk->at < walk->end && *walk->at++ == wanted;
}

static inline bool walk_take_uint(struct walk *walk, uint64_t *ret)
{
	const uint8_t type = walk->at < walk->end ? *walk->at++ : NIL;
	uint64_t value = 0;
	size_t width;

	if (type < 0x80) {
		*ret = type;
		return true;
	}
	if (type < UINT8 || type > UINT64)
		return false;
	width = (size_t)1 << (type - UINT8);
	if ((size_t)(walk->end - walk->at) < width)
		return false;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | *walk->at++;
	*ret = value;
	return true;
}

static inline bool walk_take_u32(struct walk *walk, uint32_t *ret)
{
	uint64_t value;

	if (!walk_take_uint(walk, &value) || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* Takes what a request begins with, up to its method: an array of 4, the type 0, the msgid. */
static inline bool walk_take_request(struct walk *walk, uint32_t *ret_msgid)
{
	return walk_take_byte(walk, FIXARRAY | 4) && walk_take_byte(walk, 0) && walk_take_u32(walk, ret_msgid);
}

#endif
