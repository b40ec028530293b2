/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: a walk over a request that is known to be well-formed, which still trusts no length of it. */
#include "pattern.h"

#include <string.h>

/* The type byte of the narrowest integer that has one of its own, and of the widest. */
enum { UINT8 = 0xcc, UINT64 = 0xcf };

struct walk {
	const uint8_t *bytes;
	size_t at, size;
};

static bool skip(struct walk *walk, size_t count)
{
	if (count > walk->size - walk->at)
		return false;
	walk->at += count;
	return true;
}

static bool take_byte(struct walk *walk, uint8_t wanted)
{
	return walk->at < walk->size && walk->bytes[walk->at] == wanted && skip(walk, 1);
}

/* Bytes of an unsigned integer with its type byte; 0: of something else. */
static uint8_t uint_bytes(uint8_t type)
{
	if (type < 0x80)
		return 1;
	return type >= UINT8 && type <= UINT64 ? (uint8_t)(1 + (1u << (type - UINT8))) : 0;
}

static bool take_uint(struct walk *walk, struct pattern_field *ret_field)
{
	const uint8_t size = walk->at < walk->size ? uint_bytes(walk->bytes[walk->at]) : 0;
	const struct pattern_field field = {(uint8_t)walk->at, size};

	if (size == 0 || !skip(walk, size))
		return false;
	*ret_field = field;
	return true;
}

/* A text of fewer than 32 bytes. */
static bool take_text(struct walk *walk, const char **ret_text, size_t *ret_size)
{
	size_t size;

	if (walk->at == walk->size || (walk->bytes[walk->at] & 0xe0) != 0xa0)
		return false;
	size = walk->bytes[walk->at++] & 31;
	*ret_text = (const char *)walk->bytes + walk->at;
	*ret_size = size;
	return skip(walk, size);
}

/* A number, a short text, or a list of fewer than 16 of all these: each value is awaited once. */
static bool skip_value(struct walk *walk)
{
	for (size_t awaited = 1; awaited > 0; awaited--) {
		const uint8_t type = walk->at < walk->size ? walk->bytes[walk->at] : 0xc1;
		size_t count = 0;

		if (type < 0x80 || type >= 0xe0 || type == 0xc2 || type == 0xc3)
			count = 1;
		else if ((type & 0xe0) == 0xa0)
			count = 1 + (size_t)(type & 31);
		else if (type == 0xca || type == 0xcb)
			count = type == 0xca ? 5 : 9;
		else if (type >= UINT8 && type <= 0xd3)
			count = 1 + ((size_t)1 << (type & 3));
		else if ((type & 0xf0) == 0x90) {
			count = 1;
			awaited += type & 15;
		}
		if (count == 0 || !skip(walk, count))
			return false;
	}
	return true;
}

static struct pattern_field *field_of(struct pattern *pattern, const char *const names[PATTERN_FIELDS], const char *name,
				      size_t size)
{
	for (size_t i = 0; i < PATTERN_FIELDS; i++)
		if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
			return &pattern->fields[i];
	return NULL;
}

static bool take_members(struct walk *walk, struct pattern *pattern, const char *const names[PATTERN_FIELDS])
{
	size_t count;

	if (walk->at == walk->size || (walk->bytes[walk->at] & 0xf0) != 0x80)
		return false;
	for (count = walk->bytes[walk->at++] & 15; count > 0; count--) {
		struct pattern_field *field;
		const char *name;
		size_t size;

		if (!take_text(walk, &name, &size))
			return false;
		field = field_of(pattern, names, name, size);
		/* A seed may be a text, which is then as fixed as the rest. */
		if (!(field && take_uint(walk, field)) && !skip_value(walk))
			return false;
	}
	return walk->at == walk->size;
}

/* An integer that is its own type byte keeps its highest bit, which says so. */
static void open_field(struct pattern *pattern, const struct pattern_field *field)
{
	if (field->size == 1)
		pattern->mask[field->at] = 0x80;
	else if (field->size > 1)
		memset(pattern->mask + field->at + 1, 0, field->size - 1u);
}

bool pattern_make(const void *frame, size_t size, const char *const names[PATTERN_FIELDS], struct pattern *ret_pattern)
{
	struct walk walk = {frame, 0, size};
	struct pattern pattern = {.size = size};
	const char *method;
	size_t method_size;

	if (size > PATTERN_BYTES || !take_byte(&walk, 0x94) || !take_byte(&walk, 0x00) ||
	    !take_uint(&walk, &pattern.msgid) || !take_text(&walk, &method, &method_size) || !take_byte(&walk, 0x91) ||
	    !take_members(&walk, &pattern, names))
		return false;
	memcpy(pattern.bytes, frame, size);
	memset(pattern.mask, 0xff, size);
	open_field(&pattern, &pattern.msgid);
	for (size_t i = 0; i < PATTERN_FIELDS; i++)
		open_field(&pattern, &pattern.fields[i]);
	*ret_pattern = pattern;
	return true;
}

static uint64_t read_uint(const uint8_t *bytes, const struct pattern_field *field)
{
	uint64_t value = 0;

	if (field->size == 1)
		return bytes[field->at];
	for (size_t i = 1; i < field->size; i++)
		value = value << 8 | bytes[field->at + i];
	return value;
}

static uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

/* Eight bytes at a time; the last eight overlap those before them. A request has more. */
static bool is_alike(const struct pattern *pattern, const uint8_t *bytes)
{
	const size_t last = pattern->size - sizeof(uint64_t);
	uint64_t other = 0;

	for (size_t at = 0; at < last; at += sizeof(uint64_t))
		other |= (word_at(bytes + at) ^ word_at(pattern->bytes + at)) & word_at(pattern->mask + at);
	other |= (word_at(bytes + last) ^ word_at(pattern->bytes + last)) & word_at(pattern->mask + last);
	return other == 0;
}

bool pattern_match(const struct pattern *pattern, const void *bytes, size_t size, uint32_t *ret_msgid,
		   uint64_t ret_values[PATTERN_FIELDS])
{
	uint64_t msgid;

	if (size < pattern->size || pattern->size < sizeof(uint64_t) || !is_alike(pattern, bytes))
		return false;
	msgid = read_uint(bytes, &pattern->msgid);
	if (msgid > UINT32_MAX)
		return false;
	*ret_msgid = (uint32_t)msgid;
	for (size_t i = 0; i < PATTERN_FIELDS; i++)
		if (pattern->fields[i].size)
			ret_values[i] = read_uint(bytes, &pattern->fields[i]);
	return true;
}
