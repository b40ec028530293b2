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

#endif
