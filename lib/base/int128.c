/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits: read from values, written as text. */
#include "base/int128.h"

#include <math.h>
#include <stdint.h>

/* Reads one or more decimal digits, at most VALUE_INT_MAX. */
static bool parse_digits(const char *at, size_t size, int128 *ret)
{
	int128 x = 0;

	if (size == 0)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		x = x * 10 + (at[i] - '0');
		if (x > VALUE_INT_MAX)
			return false;
	}
	*ret = x;
	return true;
}

/* Reads decimal text with or without a minus, or what value_to_u64 reads as hexadecimal. */
static bool parse_text(const struct value *value, int128 *ret)
{
	const bool negative = value->bytes.size > 0 && value->bytes.at[0] == '-';
	uint64_t u;
	int128 x;

	if (parse_digits(value->bytes.at + negative, value->bytes.size - negative, &x)) {
		if (negative && -x < VALUE_INT_MIN)
			return false;
		*ret = negative ? -x : x;
		return true;
	}
	if (!value_to_u64(value, &u))
		return false;
	*ret = u;
	return true;
}

bool value_to_int128(const struct value *value, int128 *ret)
{
	int64_t i;

	switch (value->kind) {
	case VALUE_UINT:
	case VALUE_TILE:
		*ret = value->u;
		return true;
	case VALUE_INT:
		*ret = value->i;
		return true;
	case VALUE_REAL:
		if (!value_real_to_i64(value->real, &i))
			return false;
		*ret = i;
		return true;
	case VALUE_STRING:
	case VALUE_BYTES:
		return parse_text(value, ret);
	default:
		return false;
	}
}

/* Digits are made from the right; x % 10 is negative for a negative x, which avoids negating the least integer. */
const char *int128_text(int128 x, char text[INT128_TEXT_BYTES])
{
	const bool negative = x < 0;
	char *at = text + INT128_TEXT_BYTES - 1;
	size_t size;

	*at = '\0';
	do {
		const int digit = (int)(x % 10);

		*--at = (char)('0' + (digit < 0 ? -digit : digit));
		x /= 10;
	} while (x != 0);
	if (negative)
		*--at = '-';
	size = (size_t)(text + INT128_TEXT_BYTES - at);
	for (size_t i = 0; i < size; i++)
		text[i] = at[i];
	return text;
}
