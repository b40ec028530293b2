/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of each kind of row, by which a changed bit is found. */
#include <inttypes.h>

#include "store_core.h"

/* FNV-1a, and the last step of MurmurHash3, so that sums of similar lines do not cancel. */
static uint64_t mix(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 33;
}

uint64_t store_hash_repairs(uint64_t repairs)
{
	char text[40];

	snprintf(text, sizeof text, "repairs|%" PRIu64, repairs);
	return mix(text);
}

uint64_t store_hash_head(const struct store_head *head)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "state|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%d", head->repairs, head->identity,
		 head->seed, head->commits, head->marked);
	return mix(text);
}

uint64_t store_hash_stream(const struct store_stream *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text,
		 "stream|%s|%d|%" PRIu64 "|%" PRIu64 "|%" PRIu32 "|%" PRIu32 "|%" PRIu32 "|%" PRId64 "|%" PRIu64 "|%" PRIu64
		 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64,
		 row->name, (int)row->stream.generator, row->stream.seed, row->stream.stream, row->uid, row->gid, row->mode,
		 row->created_s, row->issued, row->reserved, row->skips, row->skipped, row->skipped_from,
		 row->skipped_until);
	return mix(text);
}

uint64_t store_hash_seed(const struct store_seed *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "seed|%d|%" PRIu64 "|%" PRIu64 "|%d|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->ended, row->uid);
	return mix(text);
}

uint64_t store_hash_taken(const struct store_taken *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "taken|%d|%" PRIu64 "|%" PRIu64 "|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->uid);
	return mix(text);
}
