/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of values: built, copied, searched, and read as numbers. */
#include "base/value.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/* Returns a copy with more room. The old one cannot be freed; doubling keeps this waste below the final size. */
static void *grow_room(struct bump *bump, const void *at, size_t count, size_t *room, size_t element_bytes)
{
	size_t wanted = *room ? *room * 2 : 8;
	void *bigger = bump_alloc(bump, wanted * element_bytes);

	if (!bigger)
		return NULL;
	if (count)
		memcpy(bigger, at, count * element_bytes);
	*room = wanted;
	return bigger;
}

int value_push(struct bump *bump, struct value *array, struct value element)
{
	if (array->array.count == array->array.room) {
		struct value *bigger =
			grow_room(bump, array->array.at, array->array.count, &array->array.room, sizeof *bigger);

		if (!bigger)
			return -ERROR_NO_MEMORY;
		array->array.at = bigger;
	}
	array->array.at[array->array.count++] = element;
	return 0;
}

/* Maps of requests have a few members, so they are searched in order; a client that sends many is bounded by the
 * frame's limit of elements. */
static struct value_member *find_member(const struct value *map, const char *name)
{
	size_t size = strlen(name);

	if (!map || map->kind != VALUE_MAP)
		return NULL;
	for (size_t i = 0; i < map->map.count; i++)
		if (map->map.at[i].name_size == size && memcmp(map->map.at[i].name, name, size) == 0)
			return &map->map.at[i];
	return NULL;
}

/* Unlike value_put, neither copies the name nor looks for an older member of it. */
int value_add_sized(struct bump *bump, struct value *map, const char *name, size_t name_size, struct value value)
{
	if (map->map.count == map->map.room) {
		struct value_member *bigger =
			grow_room(bump, map->map.at, map->map.count, &map->map.room, sizeof *bigger);

		if (!bigger)
			return -ERROR_NO_MEMORY;
		map->map.at = bigger;
	}
	map->map.at[map->map.count++] = (struct value_member){name, name_size, value};
	return 0;
}

int value_put(struct bump *bump, struct value *map, const char *name, struct value value)
{
	struct value_member *old = find_member(map, name);
	char *copy;

	if (old) {
		old->value = value;
		return 0;
	}
	copy = bump_copy(bump, name, strlen(name));
	return copy ? value_add(bump, map, copy, value) : -ERROR_NO_MEMORY;
}

/* Clients of languages without a type for bytes send text as either. */
static bool is_text(const struct value *value)
{
	return value->kind == VALUE_STRING || value->kind == VALUE_BYTES;
}

/* The copy is aligned for any type, so bytes in it can be read as elements. */
static int copy_bytes(struct bump *bump, struct value *copy)
{
	copy->bytes.at = bump_copy(bump, copy->bytes.at, copy->bytes.size);
	return copy->bytes.at ? 0 : -ERROR_NO_MEMORY;
}

/* Recursion is as deep as the tree; the scanner of frames limits the depth of what clients send. */
static int copy_array(struct bump *bump, const struct value *value, struct value *copy)
{
	*copy = value_array();
	for (size_t i = 0; i < value->array.count; i++) {
		struct value one;
		int r = value_copy(bump, &value->array.at[i], &one);

		if (r == 0)
			r = value_push(bump, copy, one);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Room for exactly the members that there are: copies of requests are only read. */
static int copy_map(struct bump *bump, const struct value *value, struct value *copy)
{
	copy->map.room = copy->map.count;
	copy->map.at = bump_alloc(bump, copy->map.count * sizeof *copy->map.at);
	if (!copy->map.at)
		return -ERROR_NO_MEMORY;
	for (size_t i = 0; i < value->map.count; i++) {
		const struct value_member *from = &value->map.at[i];
		struct value_member *to = &copy->map.at[i];

		to->name = bump_copy(bump, from->name, from->name_size);
		to->name_size = from->name_size;
		if (!to->name || value_copy(bump, &from->value, &to->value) < 0)
			return -ERROR_NO_MEMORY;
	}
	return 0;
}

int value_copy(struct bump *bump, const struct value *value, struct value *ret_copy)
{
	struct value copy = *value;
	int r = 0;

	if (is_text(value))
		r = copy_bytes(bump, &copy);
	else if (value->kind == VALUE_ARRAY)
		r = copy_array(bump, value, &copy);
	else if (value->kind == VALUE_MAP)
		r = copy_map(bump, value, &copy);
	if (r == 0)
		*ret_copy = copy;
	return r;
}

/* Whether a copy that shares bytes must have elements of its own. */
static bool holds_values(const struct value *value)
{
	return value->kind == VALUE_ARRAY || value->kind == VALUE_MAP;
}

/* An array of numbers or texts alone is shared whole: it can be long, and is only read. */
static int share_array(struct bump *bump, struct value *copy)
{
	struct value *at = copy->array.at;
	bool own = false;

	for (size_t i = 0; i < copy->array.count && !own; i++)
		own = holds_values(&at[i]);
	if (!own)
		return 0;
	copy->array.room = copy->array.count;
	copy->array.at = bump_alloc(bump, copy->array.count * sizeof *at);
	if (!copy->array.at)
		return -ERROR_NO_MEMORY;
	for (size_t i = 0; i < copy->array.count; i++)
		if (value_share(bump, &at[i], &copy->array.at[i]) < 0)
			return -ERROR_NO_MEMORY;
	return 0;
}

/* Copies the members of a map; the maps and arrays among them are shared the same way. */
static int share_map(struct bump *bump, struct value *copy)
{
	const struct value_member *at = copy->map.at;

	copy->map.room = copy->map.count;
	copy->map.at = bump_alloc(bump, copy->map.count * sizeof *at);
	if (!copy->map.at)
		return -ERROR_NO_MEMORY;
	if (copy->map.count)
		memcpy(copy->map.at, at, copy->map.count * sizeof *at);
	for (size_t i = 0; i < copy->map.count; i++)
		if (holds_values(&at[i].value) && value_share(bump, &at[i].value, &copy->map.at[i].value) < 0)
			return -ERROR_NO_MEMORY;
	return 0;
}

int value_share(struct bump *bump, const struct value *value, struct value *ret_copy)
{
	struct value copy = *value;
	int r = 0;

	if (value->kind == VALUE_ARRAY)
		r = share_array(bump, &copy);
	else if (value->kind == VALUE_MAP)
		r = share_map(bump, &copy);
	if (r == 0)
		*ret_copy = copy;
	return r;
}

const struct value *value_get(const struct value *map, const char *name)
{
	const struct value_member *found = find_member(map, name);

	return found ? &found->value : NULL;
}

bool value_is_text(const struct value *value, const char *text)
{
	return is_text(value) && value->bytes.size == strlen(text) &&
	       memcmp(value->bytes.at, text, value->bytes.size) == 0;
}

/* Returns the value of a hexadecimal digit; 16 for any other character. */
static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Decimal, or hexadecimal with 0x; no sign, no blanks. JavaScript and Neovim have no integers of 64 bits and send
 * text. */
static bool parse_u64(const char *at, size_t size, uint64_t *ret)
{
	uint64_t base = 10, u = 0;

	if (size > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		base = 16;
		at += 2;
		size -= 2;
	}
	if (size == 0)
		return false;
	for (size_t i = 0; i < size; i++) {
		uint64_t d = (uint64_t)digit_value(at[i]);

		if (d >= base || mul_overflows(u, base, &u) || add_overflows(u, d, &u))
			return false;
	}
	*ret = u;
	return true;
}

/* Written so that NaN is refused, and converted only where the integer exists. */
bool value_real_to_i64(double real, int64_t *ret)
{
	if (!(real > -0x1p53 && real < 0x1p53) || (double)(int64_t)real != real)
		return false;
	*ret = (int64_t)real;
	return true;
}

bool value_to_natural(const struct value *value, uint64_t *ret)
{
	int64_t i;

	if (value->kind == VALUE_REAL && value_real_to_i64(value->real, &i) && i >= 0) {
		*ret = (uint64_t)i;
		return true;
	}
	if (value->kind != VALUE_UINT && value->kind != VALUE_TILE)
		return false;
	*ret = value->u;
	return true;
}

bool value_to_u64(const struct value *value, uint64_t *ret)
{
	return is_text(value) ? parse_u64(value->bytes.at, value->bytes.size, ret) : value_to_natural(value, ret);
}

/* -2^63 has no positive counterpart, so text is read without its sign and compared with 2^63 - 1, or 2^63 for a
 * negative. */
bool value_to_i64(const struct value *value, int64_t *ret)
{
	bool negative = is_text(value) && value->bytes.size && value->bytes.at[0] == '-';
	uint64_t u;

	if (value->kind == VALUE_INT) {
		*ret = value->i;
		return true;
	}
	if (value->kind == VALUE_REAL)
		return value_real_to_i64(value->real, ret);
	if (negative ? !parse_u64(value->bytes.at + 1, value->bytes.size - 1, &u) : !value_to_u64(value, &u))
		return false;
	if (u > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

/* Integers beyond 2^53 are rounded, as their text would be. */
bool value_to_f64(const struct value *value, double *ret)
{
	switch (value->kind) {
	case VALUE_UINT:
	case VALUE_TILE:
		*ret = (double)value->u;
		return true;
	case VALUE_INT:
		*ret = (double)value->i;
		return true;
	case VALUE_REAL:
		*ret = value->real;
		return true;
	default:
		return false;
	}
}
