/* SPDX-License-Identifier: Apache-2.0 */
#include "request_pattern.h"

#include <string.h>

#include "byte_walk.h"

/* Returns which number of a run the member states; 0: none. */
static unsigned number_of(const struct value_member *member)
{
	static const struct {
		const char *name;
		unsigned member;
	} rows[] = {{"seed", RUN_PREPARED_SEED}, {"stream", RUN_PREPARED_STREAM}, {"offset", RUN_PREPARED_OFFSET}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows && member->value.kind == VALUE_UINT; i++)
		if (member->name_size == strlen(rows[i].name) && memcmp(member->name, rows[i].name, member->name_size) == 0)
			return rows[i].member;
	return 0;
}

static bool append_bytes(struct request_pattern *pattern, const uint8_t *from, const uint8_t *to)
{
	const size_t size = (size_t)(to - from);

	if (size > sizeof pattern->bytes - pattern->size)
		return false;
	memcpy(pattern->bytes + pattern->size, from, size);
	pattern->size = (uint16_t)(pattern->size + size);
	return true;
}

/* Appends the bytes up to the number behind a member's name, and skips the number. */
static bool append_number(struct request_pattern *pattern, struct walk *walk, const struct value_member *member, unsigned which)
{
	const uint8_t *from = walk->at;
	uint64_t ignored;

	walk->at = (const uint8_t *)member->name + member->name_size; /* names lie in the frame */
	if (pattern->n_numbers == REQUEST_PATTERN_NUMBERS || !append_bytes(pattern, from, walk->at))
		return false;
	pattern->numbers[pattern->n_numbers].at = pattern->size;
	pattern->numbers[pattern->n_numbers++].member = (uint16_t)which;
	return walk_take_uint(walk, &ignored);
}

static bool append_request(struct request_pattern *pattern, struct walk *walk, const struct value *params)
{
	uint32_t ignored;

	if (!walk_take_request(walk, &ignored))
		return false;
	for (size_t i = 0; i < params->map.count; i++) {
		const struct value_member *member = &params->map.at[i];
		const unsigned which = number_of(member);

		if (which && !append_number(pattern, walk, member, which))
			return false;
	}
	return append_bytes(pattern, walk->at, walk->end);
}

bool request_pattern_make(const void *frame, size_t size, const struct message *message, struct request_pattern *ret_pattern)
{
	const uint8_t *begin = frame;
	struct walk walk = {begin, begin + size};
	bool made;

	ret_pattern->size = ret_pattern->n_numbers = 0;
	made = message->params.kind == VALUE_MAP && append_request(ret_pattern, &walk, &message->params);
	if (!made)
		ret_pattern->size = 0;
	return made;
}

/* Takes the pattern's bytes [from, to). */
static bool match_bytes(const struct request_pattern *pattern, size_t from, size_t to, struct walk *walk)
{
	if ((size_t)(walk->end - walk->at) < to - from || memcmp(walk->at, pattern->bytes + from, to - from) != 0)
		return false;
	walk->at += to - from;
	return true;
}

static bool match_number(unsigned member, struct walk *walk, struct run_prepared *run)
{
	uint64_t *const to = member == RUN_PREPARED_SEED ? &run->seed : member == RUN_PREPARED_STREAM ? &run->stream : &run->offset;

	run->given |= member;
	return walk_take_uint(walk, to);
}

size_t request_pattern_match(const struct request_pattern *pattern, const void *bytes, size_t size, struct run_prepared *ret_run)
{
	const uint8_t *begin = bytes;
	struct walk walk = {begin, begin + size};
	size_t at = 0;
	uint32_t msgid;

	if (pattern->size == 0 || !walk_take_request(&walk, &msgid))
		return 0;
	*ret_run = (struct run_prepared){.user = msgid};
	for (size_t i = 0; i < pattern->n_numbers; at = pattern->numbers[i++].at)
		if (!match_bytes(pattern, at, pattern->numbers[i].at, &walk) ||
		    !match_number(pattern->numbers[i].member, &walk, ret_run))
			return 0;
	return match_bytes(pattern, at, pattern->size, &walk) ? (size_t)(walk.at - begin) : 0;
}
