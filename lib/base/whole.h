/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of either sign that need not fit 64 bits: bounds of ranges up to 2^64. */
#ifndef TRNSCI_BASE_WHOLE_H
#define TRNSCI_BASE_WHOLE_H

#include <stdbool.h>

#include "base/value.h"

__extension__ typedef __int128 whole_int;

#define WHOLE_LEAST (-((whole_int)1 << 63))
#define WHOLE_MOST  ((whole_int)1 << 64)

/* An integer from -2^63 to 2^64: of any kind, a real without a fraction, or decimal text (0x text from 0 to 2^64-1). */
bool value_to_whole(const struct value *value, whole_int *ret);

/* In decimal; returns text. */
enum { WHOLE_TEXT = 48 };
const char *whole_text(whole_int x, char text[WHOLE_TEXT]);

#endif
