/* SPDX-License-Identifier: Apache-2.0 */
/* Short replies without error, [1, msgid, nil, {name: value}], read straight from their bytes. */
#ifndef TRNSCI_PROTO_REPLY_READ_H
#define TRNSCI_PROTO_REPLY_READ_H

#include <stdbool.h>

#include "codec.h"

enum { REPLY_READ_BYTES = 16 << 10 };

/* Reads the reply at the beginning of these bytes, which are not trusted, into a tree in bump; its strings and bytes lie in a
 * copy there. Values are nil, unsigned integers, booleans, strings, bytes, and arrays of unsigned integers. Returns the size of
 * the message; 0: it is not whole, has more than REPLY_READ_BYTES, is something else, or there is no memory: then it is to be
 * read as any other, and *ret_message is undefined. */
size_t reply_read(const void *bytes, size_t size, struct bump *bump, struct message *ret_message);

/* Where the array of a reply lies, the BYTES of its member "data". */
struct reply_array {
	uint32_t msgid;
	size_t size_at; /* in the message: the number of bytes, up to the first of them */
	size_t at;      /* the first */
	size_t size;    /* bytes, which need not have come yet */
};

/* Finds the array of the reply at the beginning of these bytes, which are not trusted and need not be all of it. Returns false if
 * there is none, or if it is not known yet. */
bool reply_find_array(const void *bytes, size_t size, struct reply_array *ret_array);

/* Changes the header of the array that was found in this message: it is empty then. Without its bytes the message is whole. */
void reply_empty_array(void *bytes, const struct reply_array *array);

#endif
