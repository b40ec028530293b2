/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the bytes, whose pointers are then moved to the copy.
 *
 * Without it, by frame_scan and msgpack-c, a run of 16 samples takes the client 0.90 us instead of 0.65 us where 16 are in flight,
 * and 5.1 us instead of 4.8 us by itself. */
#include "reply_read.h"

#include <string.h>

#include "byte_walk.h"

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

static bool take_uint(struct walk *walk, struct value *ret)
{
	uint64_t number;

	if (!walk_take_uint(walk, &number))
		return false;
	*ret = value_uint(number);
	return true;
}

static bool take_array(struct walk *walk, struct bump *bump, struct value *ret)
{
	struct value *at;
	unsigned count;

	if (!walk_take_count(walk, FIXARRAY, &count))
		return false;
	at = bump_alloc(bump, (count + 1) * sizeof *at);
	for (unsigned i = 0; i < count; i++)
		if (!at || !take_uint(walk, &at[i]))
			return false;
	*ret = (struct value){.kind = VALUE_ARRAY, .array = {at, count, count}};
	return at;
}

static bool take_text(struct walk *walk, struct value *ret)
{
	const uint8_t type = walk->at < walk->end ? *walk->at++ : NIL;
	uint64_t size = type & 31u;

	if ((type & 0xe0) != FIXSTR && (type < STR8 || type > STR32 || !walk_take_number(walk, type - STR8, &size)))
		return false;
	return take_bytes(walk, size, ret, VALUE_STRING);
}

static bool take_value(struct walk *walk, struct bump *bump, struct value *ret)
{
	const uint8_t type = walk->at < walk->end ? *walk->at : STR8;
	uint64_t size;

	if (type < FIXMAP || (type >= UINT8 && type <= UINT64))
		return take_uint(walk, ret);
	if ((type & 0xf0) == FIXARRAY)
		return take_array(walk, bump, ret);
	if ((type & 0xe0) == FIXSTR || type >= STR8)
		return take_text(walk, ret);
	walk->at++;
	if (type >= BIN8 && type <= BIN32)
		return walk_take_number(walk, type - BIN8, &size) && take_bytes(walk, size, ret, VALUE_BYTES);
	*ret = type == NIL ? value_nil() : value_bool(type == TRUE);
	return type == NIL || type == FALSE || type == TRUE;
}

static bool take_map(struct walk *walk, struct bump *bump, struct value *ret)
{
	struct value_member *members;
	struct value name;
	unsigned count;

	if (!walk_take_count(walk, FIXMAP, &count))
		return false;
	members = bump_alloc(bump, (count + 1) * sizeof *members);
	if (!members)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!take_text(walk, &name) || !take_value(walk, bump, &members[i].value))
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
	return walk_take_byte(walk, FIXARRAY | 4) && walk_take_byte(walk, MESSAGE_RESPONSE) && walk_take_u32(walk, ret_msgid) &&
	       walk_take_byte(walk, NIL);
}

size_t reply_read(const void *bytes, size_t size, struct bump *bump, struct message *ret_message)
{
	const size_t most = size < REPLY_READ_BYTES ? size : REPLY_READ_BYTES;
	const uint8_t *const begin = bytes;
	struct walk walk = {begin, begin + most};
	const char *copy;

	if (!take_head(&walk, &ret_message->msgid) || !take_map(&walk, bump, &ret_message->result))
		return 0;
	copy = bump_copy(bump, bytes, (size_t)(walk.at - begin));
	if (!copy)
		return 0;
	move_pointers(&ret_message->result, bytes, copy);
	ret_message->type = MESSAGE_RESPONSE;
	ret_message->error.code = 0;
	return (size_t)(walk.at - begin);
}
