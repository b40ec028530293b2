/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a reply. struct trnsci_value is struct value as a program sees it. */
#include "reply.h"

#include <string.h>

#include "base/checked.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/value.h"

/* The two types are one: a program gets the value's address, and nothing else of it. */
static const struct value *inner(const struct trnsci_value *value)
{
	return (const struct value *)(const void *)value;
}

static const struct trnsci_value *outer(const struct value *value)
{
	return (const struct trnsci_value *)(const void *)value;
}

enum trnsci_value_kind trnsci_value_kind(const struct trnsci_value *value)
{
	static const enum trnsci_value_kind kinds[] = {
		[VALUE_NIL] = TRNSCI_NIL,     [VALUE_BOOL] = TRNSCI_BOOL,  [VALUE_UINT] = TRNSCI_UINT,
		[VALUE_INT] = TRNSCI_INT,     [VALUE_REAL] = TRNSCI_REAL,  [VALUE_STRING] = TRNSCI_TEXT,
		[VALUE_BYTES] = TRNSCI_BYTES, [VALUE_ARRAY] = TRNSCI_LIST, [VALUE_MAP] = TRNSCI_MAP,
	};

	return value ? kinds[inner(value)->kind] : TRNSCI_NIL;
}

const struct trnsci_value *trnsci_value_get(const struct trnsci_value *map, const char *name)
{
	return map ? outer(value_get(inner(map), name)) : NULL;
}

size_t trnsci_value_count(const struct trnsci_value *value)
{
	if (!value)
		return 0;
	if (inner(value)->kind == VALUE_ARRAY)
		return inner(value)->array.count;
	return inner(value)->kind == VALUE_MAP ? inner(value)->map.count : 0;
}

const struct trnsci_value *trnsci_value_at(const struct trnsci_value *value, size_t index)
{
	if (index >= trnsci_value_count(value))
		return NULL;
	if (inner(value)->kind == VALUE_ARRAY)
		return outer(&inner(value)->array.at[index]);
	return outer(&inner(value)->map.at[index].value);
}

const char *trnsci_value_name_at(const struct trnsci_value *map, size_t index, size_t *ret_size)
{
	if (!map || inner(map)->kind != VALUE_MAP || index >= inner(map)->map.count)
		return NULL;
	*ret_size = inner(map)->map.at[index].name_size;
	return inner(map)->map.at[index].name;
}

int trnsci_value_to_u64(const struct trnsci_value *value, uint64_t *ret)
{
	return value && value_to_u64(inner(value), ret) ? 0 : -ERROR_WRONG_TYPE;
}

int trnsci_value_to_i64(const struct trnsci_value *value, int64_t *ret)
{
	return value && value_to_i64(inner(value), ret) ? 0 : -ERROR_WRONG_TYPE;
}

int trnsci_value_to_f64(const struct trnsci_value *value, double *ret)
{
	return value && value_to_f64(inner(value), ret) ? 0 : -ERROR_WRONG_TYPE;
}

int trnsci_value_to_bool(const struct trnsci_value *value, bool *ret)
{
	if (!value || inner(value)->kind != VALUE_BOOL)
		return -ERROR_WRONG_TYPE;
	*ret = inner(value)->boolean;
	return 0;
}

const void *trnsci_value_to_bytes(const struct trnsci_value *value, size_t *ret_size)
{
	enum trnsci_value_kind kind = trnsci_value_kind(value);

	if (kind != TRNSCI_TEXT && kind != TRNSCI_BYTES)
		return NULL;
	*ret_size = inner(value)->bytes.size;
	return inner(value)->bytes.at;
}

bool reply_copy_text(const struct trnsci_value *map, const char *name, char *to, size_t room)
{
	size_t size = 0;
	const char *text = trnsci_value_to_bytes(trnsci_value_get(map, name), &size);

	if (!text || size >= room || memchr(text, '\0', size))
		return false;
	memcpy(to, text, size);
	to[size] = '\0';
	return true;
}

/* A shape whose product exceeds 2^64 is refused: it would wrap to a small count. */
static int read_shape(const struct trnsci_value *shape, struct trnsci_array *array)
{
	array->ndim = trnsci_value_count(shape);
	array->count = 1;
	if (trnsci_value_kind(shape) != TRNSCI_LIST || array->ndim > TRNSCI_MAX_DIMS)
		return -ERROR_BAD_REPLY;
	for (size_t i = 0; i < array->ndim; i++)
		if (trnsci_value_to_u64(trnsci_value_at(shape, i), &array->shape[i]) < 0 ||
		    mul_overflows(array->count, array->shape[i], &array->count))
			return -ERROR_BAD_REPLY;
	return 0;
}

int trnsci_value_to_array(const struct trnsci_value *value, struct trnsci_array *ret_array)
{
	struct trnsci_array array = {0};
	size_t name_size = 0;
	const char *name = trnsci_value_to_bytes(trnsci_value_get(value, "dtype"), &name_size);
	uint64_t bytes;

	array.data = (void *)trnsci_value_to_bytes(trnsci_value_get(value, "data"), &array.bytes);
	array.dtype = name ? (enum trnsci_dtype)dtype_parse(name, name_size) : TRNSCI_DTYPE_NONE;
	if (!array.data || !array.dtype || read_shape(trnsci_value_get(value, "shape"), &array) < 0 ||
	    mul_overflows(array.count, dtype_size((enum dtype)array.dtype), &bytes) || bytes != array.bytes)
		return -ERROR_BAD_REPLY;
	*ret_array = array;
	return 0;
}
