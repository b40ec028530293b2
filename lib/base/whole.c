/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of either sign up to 2^64, from values and as text. */
#include "base/whole.h"

#include <math.h>
#include <stdint.h>

/* Decimal digits, at most 2^64. */
static bool parse_digits(const char *at, size_t size, whole_int *ret)
{
	whole_int x = 0;

	if (size == 0)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		x = x * 10 + (at[i] - '0');
		if (x > WHOLE_MOST)
			return false;
	}
	*ret = x;
	return true;
}

static bool parse(const struct value *value, whole_int *ret)
{
	const bool negative = value->bytes.size > 0 && value->bytes.at[0] == '-';
	uint64_t u;
	whole_int x;

	if (parse_digits(value->bytes.at + negative, value->bytes.size - negative, &x)) {
		if (negative && -x < WHOLE_LEAST)
			return false;
		*ret = negative ? -x : x;
		return true;
	}
	if (!value_to_u64(value, &u))
		return false;
	*ret = u;
	return true;
}

bool value_to_whole(const struct value *value, whole_int *ret)
{
	switch (value->kind) {
	case VALUE_UINT:
		*ret = value->u;
		return true;
	case VALUE_INT:
		*ret = value->i;
		return true;
	case VALUE_REAL:
		if (!(value->real >= -0x1p63 && value->real <= 0x1p64) || rint(value->real) != value->real)
			return false;
		*ret = (whole_int)value->real;
		return true;
	case VALUE_STRING:
	case VALUE_BYTES:
		return parse(value, ret);
	default:
		return false;
	}
}

const char *whole_text(whole_int x, char text[WHOLE_TEXT])
{
	const bool negative = x < 0;
	char *at = text + WHOLE_TEXT - 1;
	size_t size;

	*at = '\0';
	do {
		const int digit = (int)(x % 10);

		*--at = (char)('0' + (digit < 0 ? -digit : digit));
		x /= 10;
	} while (x != 0);
	if (negative)
		*--at = '-';
	size = (size_t)(text + WHOLE_TEXT - at);
	for (size_t i = 0; i < size; i++)
		text[i] = at[i];
	return text;
}
