/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a named stream. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "streams_core.h"

static int put_text(struct bump *bump, struct value *map, const char *name, const char *text)
{
	char *copy = bump_copy(bump, text, strlen(text));

	return copy ? value_put(bump, map, name, value_string(copy)) : -ERROR_NO_MEMORY;
}

static int put_u64(struct bump *bump, struct value *map, const char *name, uint64_t u, bool text)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, u);
	return text ? put_text(bump, map, name, digits) : value_put(bump, map, name, value_uint(u));
}

/* nil: 2^64, the end of the stream. */
static int put_position(struct bump *bump, struct value *map, const char *name, uint64_t group, bool text)
{
	return group == STORE_GROUPS ? value_put(bump, map, name, value_nil())
				     : put_u64(bump, map, name, group * STREAM_GROUP_WORDS, text);
}

static int put_skips(struct bump *bump, struct value *map, const struct store_stream *row, bool text)
{
	if (put_u64(bump, map, "skips", row->skips, false) ||
	    put_position(bump, map, "skipped", row->skipped, text))
		return -ERROR_NO_MEMORY;
	if (row->skips == 0)
		return 0;
	return put_position(bump, map, "skipped_from", row->skipped_from, text) |
	       put_position(bump, map, "skipped_until", row->skipped_until, text);
}

int named_stream_describe(struct bump *bump, struct value *map, const struct named_stream *named, bool text)
{
	const struct store_stream *row = &named->row;
	char mode[8];
	int failed;

	snprintf(mode, sizeof mode, "%04o", row->mode & 0777);
	failed = put_text(bump, map, "name", row->name) |
		 value_put(bump, map, "generator", value_string(generator_row(row->stream.generator)->name)) |
		 put_u64(bump, map, "seed", row->stream.seed, text) |
		 put_u64(bump, map, "stream", row->stream.stream, text) |
		 put_position(bump, map, "position", named->next, text) |
		 put_position(bump, map, "reserved", row->reserved - named->next, text) |
		 put_skips(bump, map, row, text) | value_put(bump, map, "uid", value_uint(row->uid)) |
		 value_put(bump, map, "gid", value_uint(row->gid)) | put_text(bump, map, "mode", mode) |
		 value_put(bump, map, "created", value_uint((uint64_t)row->created_s)) |
		 value_put(bump, map, "stream_format", value_uint(STREAM_FORMAT));
	return failed ? -ERROR_NO_MEMORY : 0;
}
