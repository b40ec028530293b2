/* SPDX-License-Identifier: Apache-2.0 */
#include "printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns the bytes of the character at the start, and its code point; 0: the first byte begins none. */
static size_t decode(const unsigned char *at, size_t size, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
	uint32_t code = length > 1 ? *at & (0x7fu >> length) : *at;

	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	*ret_code = code;
	return length && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

/* Control characters, separators of lines, and marks of direction. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

static void replace(char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		uint32_t code = 0;
		size_t length = decode((const unsigned char *)text + at, size - at, &code);

		if (length == 0 || is_control(code)) {
			length = length ? length : 1;
			memset(text + at, '?', length);
		}
		at += length;
	}
}

const char *printable(const char *text, size_t size, char room[static PRINTABLE_ROOM])
{
	size = !text ? 0 : size < PRINTABLE_ROOM ? size : PRINTABLE_ROOM - 1;
	if (size > 0)
		memcpy(room, text, size);
	replace(room, size);
	room[size] = '\0';
	return room;
}

const char *printable_string(const char *text, char room[static PRINTABLE_ROOM])
{
	return printable(text, strlen(text), room);
}

void make_printable(char *text)
{
	replace(text, strlen(text));
}
