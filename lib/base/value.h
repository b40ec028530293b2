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
	VALUE_STRING, /* UTF-8 by convention, unchecked; at[size] need not be NUL */
	VALUE_BYTES,
	VALUE_ARRAY,
	VALUE_MAP,
	VALUE_TILE, /* only in a client's own tree; read, encoded and bound as the integer that its handle is */
};

struct value;
struct value_member;
struct trnsci_tile;

/* One value, copied by assignment: a copy shares what `at` points to. An integer has one kind only, by its sign, so
 * equal integers are equal values. */
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
		} bytes; /* of STRING and BYTES */
		struct {
			struct value *at;
			size_t count, room; /* room: elements that `at` has memory for; 0 in a tree that is only read */
		} array;
		struct {
			struct value_member *at;
			size_t count, room;
		} map;
		struct {
			uint64_t handle;        /* in the place of u; set when a request is made. 0: the tile was freed */
			struct trnsci_tile *of; /* the client's */
		} tile;
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

/* Borrows a NUL-terminated text, which must live as long as the value. */
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

/* Functions below that return int return 0 or -ERROR_NO_MEMORY. */

/* Appends an element to an array. */
int value_push(struct bump *bump, struct value *array, struct value element);

/* Sets a member of a map; replaces a value of this name. Copies the name. */
int value_put(struct bump *bump, struct value *map, const char *name, struct value value);

/* Appends a member whose name the map does not have yet. Borrows the name, such as a literal, which must live as long
 * as the tree. Every reply is made with it: it neither searches nor copies. */
int value_add_sized(struct bump *bump, struct value *map, const char *name, size_t name_size, struct value value);
static inline int value_add(struct bump *bump, struct value *map, const char *name, struct value value)
{
	return value_add_sized(bump, map, name, strlen(name), value);
}

/* Copies a tree with its texts, names and bytes; the bytes are aligned for any type. */
int value_copy(struct bump *bump, const struct value *value, struct value *ret_copy);

/* Copies the maps of a tree, and the arrays that hold maps or arrays, so that the copy's members can be replaced. All
 * else is shared with the original, which must outlive the copy. */
int value_share(struct bump *bump, const struct value *value, struct value *ret_copy);

/* Returns the member of this name; NULL if there is none, or if map is not a map. */
const struct value *value_get(const struct value *map, const char *name);

/* Returns whether value is a STRING or BYTES with the content `text`. */
bool value_is_text(const struct value *value, const char *text);

/* These read a number, and return false for anything else. Texts are STRING or BYTES. A float counts as an integer where it is
 * whole and below 2^53 in magnitude: from there on its sender may have rounded it.
 * natural: an integer >= 0, not a text.
 * u64: the same, or a text of decimal digits, or of 0x and hexadecimal digits.
 * i64: an integer, or a text as above, with or without a sign '-'.
 * f64: a number of any kind, not a text. */
bool value_to_natural(const struct value *value, uint64_t *ret);
bool value_to_u64(const struct value *value, uint64_t *ret);
bool value_to_i64(const struct value *value, int64_t *ret);
bool value_to_f64(const struct value *value, double *ret);
/* The integer that a float is, by the rule above. */
bool value_real_to_i64(double real, int64_t *ret);

#endif
