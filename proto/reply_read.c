/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the bytes, whose pointers are then moved to the copy. */
#include "reply_read.h"

#include <string.h>

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
	struct bump *bump; /* NULL: values are stepped over */
};

/* A big-endian number of 1 << exponent bytes. */
static bool take_number(struct walk *walk, unsigned exponent, uint64_t *ret)
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

static bool take_bytes(struct walk *walk, uint64_t size, struct value *ret, enum value_kind kind)
{
	if ((uint64_t)(walk->end - walk->at) < size)
		return false;
	ret->kind = kind;
	ret->bytes.at = (const char *)walk->at;
	ret->bytes.size = (size_t)size;
	walk->at += size;
	return true;
}

static bool take_uint(struct walk *walk, uint8_t type, struct value *ret)
{
	uint64_t number = type;

	if (type >= FIXMAP && (type < UINT8 || type > UINT64 || !take_number(walk, type - UINT8, &number)))
		return false;
	*ret = value_uint(number);
	return true;
}

static bool take_array(struct walk *walk, unsigned count, struct value *ret)
{
	struct value *at = walk->bump ? bump_alloc(walk->bump, (count + 1) * sizeof *at) : NULL;
	struct value skipped;

	if (walk->bump && !at)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (walk->at == walk->end || !take_uint(walk, *walk->at++, at ? &at[i] : &skipped))
			return false;
	*ret = (struct value){.kind = VALUE_ARRAY, .array = {at, count, count}};
	return true;
}

static bool take_text(struct walk *walk, uint8_t type, struct value *ret)
{
	uint64_t size = type & 31u;

	if ((type & 0xe0) != FIXSTR && (type < STR8 || type > STR32 || !take_number(walk, type - STR8, &size)))
		return false;
	return take_bytes(walk, size, ret, VALUE_STRING);
}

static bool take_value(struct walk *walk, struct value *ret)
{
	uint64_t size;
	uint8_t type;

	if (walk->at == walk->end)
		return false;
	type = *walk->at++;
	if (type < FIXMAP || (type >= UINT8 && type <= UINT64))
		return take_uint(walk, type, ret);
	if (type >= BIN8 && type <= BIN32)
		return take_number(walk, type - BIN8, &size) && take_bytes(walk, size, ret, VALUE_BYTES);
	if ((type & 0xf0) == FIXARRAY)
		return take_array(walk, type & 15u, ret);
	if (type == FALSE || type == TRUE) {
		*ret = value_bool(type == TRUE);
		return true;
	}
	if (type == NIL) {
		*ret = value_nil();
		return true;
	}
	return take_text(walk, type, ret);
}

/* The header of a short map. */
static bool take_map_header(struct walk *walk, unsigned *ret_count)
{
	if (walk->at == walk->end || (*walk->at & 0xf0) != FIXMAP)
		return false;
	*ret_count = *walk->at++ & 15u;
	return true;
}

static bool take_name(struct walk *walk, struct value *ret)
{
	return walk->at < walk->end && take_text(walk, *walk->at++, ret);
}

static bool take_map(struct walk *walk, struct value *ret)
{
	struct value_member *members;
	struct value name;
	unsigned count;

	if (!take_map_header(walk, &count))
		return false;
	members = bump_alloc(walk->bump, (count + 1) * sizeof *members);
	if (!members)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!take_name(walk, &name) || !take_value(walk, &members[i].value))
			return false;
		members[i].name = name.bytes.at;
		members[i].name_size = name.bytes.size;
	}
	*ret = (struct value){.kind = VALUE_MAP, .map = {members, count, count}};
	return true;
}

static void move_pointers(struct value *map, const char *from, const char *to)
{
	for (size_t i = 0; i < map->map.count; i++) {
		struct value_member *member = &map->map.at[i];

		member->name = to + (member->name - from);
		if (member->value.kind == VALUE_STRING || member->value.kind == VALUE_BYTES)
			member->value.bytes.at = to + (member->value.bytes.at - from);
	}
}

/* [1, msgid, nil, of a reply without error. */
static bool take_head(struct walk *walk, uint32_t *ret_msgid)
{
	struct value msgid;

	if (walk->end - walk->at < 5 || *walk->at++ != (FIXARRAY | 4) || *walk->at++ != MESSAGE_RESPONSE ||
	    !take_uint(walk, *walk->at++, &msgid) || msgid.u > UINT32_MAX || walk->at == walk->end || *walk->at++ != NIL)
		return false;
	*ret_msgid = (uint32_t)msgid.u;
	return true;
}

size_t reply_read(const void *bytes, size_t size, struct bump *bump, struct message *ret_message)
{
	const size_t most = size < REPLY_READ_BYTES ? size : REPLY_READ_BYTES;
	const uint8_t *const begin = bytes;
	struct walk walk = {begin, begin + most, bump};
	const char *copy;

	if (!take_head(&walk, &ret_message->msgid) || !take_map(&walk, &ret_message->result))
		return 0;
	copy = bump_copy(bump, bytes, (size_t)(walk.at - begin));
	if (!copy)
		return 0;
	move_pointers(&ret_message->result, bytes, copy);
	ret_message->type = MESSAGE_RESPONSE;
	ret_message->error.code = 0;
	return (size_t)(walk.at - begin);
}
