/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits, for parameters whose ranges go up to 2^64. */
#ifndef TRNSCI_BASE_INT128_H
#define TRNSCI_BASE_INT128_H

#include <stdbool.h>

#include "base/value.h"

__extension__ typedef __int128 int128;

/* The range of an integer parameter. 2^64 itself is allowed: it is the end of a range that excludes its end. */
#define VALUE_INT_MIN (-((int128)1 << 63))
#define VALUE_INT_MAX ((int128)1 << 64)

/* Reads an integer from VALUE_INT_MIN to VALUE_INT_MAX: from an integer, from a real without a fraction, or from text,
 * decimal or (0 to 2^64 - 1) 0x and hexadecimal. Returns false for anything else. */
bool value_to_int128(const struct value *value, int128 *ret);

enum { INT128_TEXT_BYTES = 48 };

/* Writes x in decimal and returns text. */
const char *int128_text(int128 x, char text[INT128_TEXT_BYTES]);

#endif
