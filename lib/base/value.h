/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of values: the parameters of a request and the result of a reply.
 *
 * The remote client encodes it as MessagePack, the daemon decodes MessagePack into it, and the embedded client passes
 * it on as it is, so one validator serves all three. A tree and everything it points at are allocated from one bump
 * allocator and freed with it. */
#ifndef TRNSCI_BASE_VALUE_H
#define TRNSCI_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bump.h"

enum value_kind {
	VALUE_NIL,
	VALUE_BOOL,
	VALUE_UINT, /* every integer >= 0 */
	VALUE_INT,  /* integers < 0 only */
	VALUE_REAL,
	VALUE_STRING, /* UTF-8 by convention, not checked; at[size] need not be NUL */
	VALUE_BYTES,
	VALUE_ARRAY,
	VALUE_MAP,
};

struct value;
struct value_member;

struct value {
	enum value_kind kind;
	union {
		bool boolean;
		uint64_t u;
		int64_t i;
		double real;
		struct {
			const char *at;
			size_t size;
		} bytes; /* STRING and BYTES */
		struct {
			struct value *at;
			size_t count, room;
		} array;
		struct {
			struct value_member *at;
			size_t count, room;
		} map;
	};
};

struct value_member {
	const char *name; /* name[name_size] need not be NUL */
	size_t name_size;
	struct value value;
};

static inline struct value value_nil(void)
{
	return (struct value){.kind = VALUE_NIL};
}

static inline struct value value_bool(bool boolean)
{
	return (struct value){.kind = VALUE_BOOL, .boolean = boolean};
}

static inline struct value value_uint(uint64_t u)
{
	return (struct value){.kind = VALUE_UINT, .u = u};
}

static inline struct value value_int(int64_t i)
{
	return i < 0 ? (struct value){.kind = VALUE_INT, .i = i} : value_uint((uint64_t)i);
}

static inline struct value value_real(double real)
{
	return (struct value){.kind = VALUE_REAL, .real = real};
}

/* Borrows a NUL-terminated text. */
static inline struct value value_string(const char *text)
{
	return (struct value){.kind = VALUE_STRING, .bytes = {text, strlen(text)}};
}

static inline struct value value_bytes(const void *at, size_t size)
{
	return (struct value){.kind = VALUE_BYTES, .bytes = {at, size}};
}

static inline struct value value_array(void)
{
	return (struct value){.kind = VALUE_ARRAY};
}

static inline struct value value_map(void)
{
	return (struct value){.kind = VALUE_MAP};
}

/* Appends; -ERROR_NO_MEMORY. value_put copies the name, and replaces an earlier value of that name. */
int value_push(struct bump *bump, struct value *array, struct value element);
int value_put(struct bump *bump, struct value *map, const char *name, struct value value);
/* The same for a name that lives as long as the tree, such as a literal, and that the map does not have yet: what every
 * reply is made of. */
int value_add_sized(struct bump *bump, struct value *map, const char *name, size_t name_size, struct value value);
static inline int value_add(struct bump *bump, struct value *map, const char *name, struct value value)
{
	return value_add_sized(bump, map, name, strlen(name), value);
}

/* A copy of a whole tree, with its texts, bytes (aligned for any type) and names. -ERROR_NO_MEMORY */
int value_copy(struct bump *bump, const struct value *value, struct value *ret_copy);

/* A copy whose maps, and arrays that hold maps or arrays, are its own; all else is shared with the original, which
 * outlives it. -ERROR_NO_MEMORY */
int value_share(struct bump *bump, const struct value *value, struct value *ret_copy);

/* The member called name; NULL when there is none or map is no map. */
const struct value *value_get(const struct value *map, const char *name);

/* A STRING or BYTES whose content is text. */
bool value_is_text(const struct value *value, const char *text);

/* An integer >= 0, or a string (or bytes) of decimal digits or 0x and hex digits that fits 64 bits. */
bool value_to_u64(const struct value *value, uint64_t *ret);
/* An integer of either sign within int64, or a decimal string of one. */
bool value_to_i64(const struct value *value, int64_t *ret);
/* A number of any kind. */
bool value_to_f64(const struct value *value, double *ret);

#endif
