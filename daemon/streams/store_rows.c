/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the rows of the state as if an enemy had written them: their columns, and the hash of each. */
#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "store_core.h"

/* ---- hashes ---- */

/* FNV-1a, then the last step of MurmurHash3, so that sums of similar lines do not cancel. */
static uint64_t hash_bytes(const char *text, const char *more, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)more[i]) * 0x100000001b3;
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 33;
}

static uint64_t hash_text(const char *text)
{
	return hash_bytes(text, NULL, 0);
}

uint64_t store_hash_repairs(uint64_t repairs)
{
	char text[40];

	snprintf(text, sizeof text, "repairs|%" PRIu64, repairs);
	return hash_text(text);
}

uint64_t store_hash_head(const struct store_head *head)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "state|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%d", head->repairs, head->identity,
		 head->seed, head->commits, head->marked);
	return hash_text(text);
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
	return hash_bytes(text, row->noise, row->noise_size);
}

uint64_t store_hash_seed(const struct store_seed *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "seed|%d|%" PRIu64 "|%" PRIu64 "|%d|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->ended, row->uid);
	return hash_text(text);
}

uint64_t store_hash_taken(const struct store_taken *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "taken|%d|%" PRIu64 "|%" PRIu64 "|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->uid);
	return hash_text(text);
}

/* ---- columns ---- */

bool store_name_is_good(const char *name, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/-";

	if (size == 0 || size > STORE_NAME_MOST || strchr(".:/-", name[0]))
		return false;
	for (size_t i = 0; i < size; i++)
		if (!name[i] || !strchr(letters, name[i]))
			return false;
	return true;
}

const char *store_text_at(sqlite3_stmt *row, int at)
{
	const char *text = (const char *)sqlite3_column_text(row, at);

	return text ? text : "";
}

bool store_u64_at(sqlite3_stmt *row, int at, uint64_t *ret)
{
	struct value text = value_string(store_text_at(row, at));

	return value_to_u64(&text, ret);
}

bool store_natural_at(sqlite3_stmt *row, int at, uint64_t most, uint64_t *ret)
{
	const sqlite3_int64 number = sqlite3_column_int64(row, at);

	if (sqlite3_column_type(row, at) != SQLITE_INTEGER || number < 0 || (uint64_t)number > most)
		return false;
	*ret = (uint64_t)number;
	return true;
}

static bool u32_at(sqlite3_stmt *row, int at, uint32_t *ret)
{
	uint64_t wide;

	if (!store_natural_at(row, at, UINT32_MAX, &wide))
		return false;
	*ret = (uint32_t)wide;
	return true;
}

/* A generator that this release does not know makes the row malformed: the state is of a newer one. */
static bool generator_at(sqlite3_stmt *row, int at, enum generator *ret)
{
	const char *name = store_text_at(row, at);

	return generator_parse(name, strlen(name), ret) == 0;
}

static bool hash_at(sqlite3_stmt *row, int at, uint64_t hash)
{
	char text[24];

	snprintf(text, sizeof text, "%016" PRIx64, hash);
	return strcmp(text, store_text_at(row, at)) == 0;
}

/* Reads a signal's description, which lives as long as the row. */
static bool noise_at(sqlite3_stmt *at, int column, struct store_stream *row)
{
	const int size = sqlite3_column_bytes(at, column);

	if (sqlite3_column_type(at, column) == SQLITE_NULL)
		return true;
	row->noise = sqlite3_column_blob(at, column);
	row->noise_size = (size_t)size;
	return row->noise && size <= STORE_NOISE_MOST;
}

/* ---- rows: false if a row is malformed ---- */

static bool read_stream(sqlite3_stmt *at, struct store_stream *row)
{
	const char *name = store_text_at(at, 0);
	uint64_t created;

	if (!store_name_is_good(name, strlen(name)))
		return false;
	memset(row, 0, sizeof *row);
	strcpy(row->name, name);
	bool good = generator_at(at, 1, &row->stream.generator) && store_u64_at(at, 2, &row->stream.seed) &&
		    store_u64_at(at, 3, &row->stream.stream) && stream_id_fits(&row->stream) && u32_at(at, 4, &row->uid) &&
		    u32_at(at, 5, &row->gid) && u32_at(at, 6, &row->mode) && store_natural_at(at, 7, INT64_MAX, &created) &&
		    store_natural_at(at, 8, STORE_GROUPS, &row->issued) && store_natural_at(at, 9, STORE_GROUPS, &row->reserved) &&
		    store_natural_at(at, 10, INT64_MAX, &row->skips) && store_natural_at(at, 11, STORE_GROUPS, &row->skipped) &&
		    store_natural_at(at, 12, STORE_GROUPS, &row->skipped_from) &&
		    store_natural_at(at, 13, STORE_GROUPS, &row->skipped_until) && noise_at(at, 15, row);

	row->created_s = good ? (int64_t)created : 0;
	return good && row->issued <= row->reserved;
}

/* A counter that has come to its end is an empty text: the next id would be 2^64. */
static bool read_seed(sqlite3_stmt *at, struct store_seed *row)
{
	memset(row, 0, sizeof *row);
	if (!generator_at(at, 0, &row->stream.generator) || !store_u64_at(at, 1, &row->stream.seed) || !u32_at(at, 3, &row->uid))
		return false;
	row->ended = sqlite3_column_type(at, 2) == SQLITE_TEXT && *store_text_at(at, 2) == '\0';
	return row->ended || (store_u64_at(at, 2, &row->stream.stream) && stream_id_fits(&row->stream));
}

static bool read_taken(sqlite3_stmt *at, struct store_taken *row)
{
	memset(row, 0, sizeof *row);
	return generator_at(at, 0, &row->stream.generator) && store_u64_at(at, 1, &row->stream.seed) &&
	       store_u64_at(at, 2, &row->stream.stream) && u32_at(at, 3, &row->uid) && stream_id_fits(&row->stream);
}

/* ---- walking ---- */

/* The hash of each row is compared, and their sum with the one in the state's head, so that a missing row is noticed
 * as well as a changed one. */
static int take_stream(sqlite3_stmt *at, struct store_walk *walk)
{
	struct store_stream row;

	if (!read_stream(at, &row) || !hash_at(at, 14, store_hash_stream(&row))) {
		walk->wrong++;
		return 0;
	}
	walk->sum += store_hash_stream(&row);
	return walk->on_stream ? walk->on_stream(walk->arg, &row) : 0;
}

static int take_seed(sqlite3_stmt *at, struct store_walk *walk)
{
	struct store_seed row;

	if (!read_seed(at, &row) || !hash_at(at, 4, store_hash_seed(&row))) {
		walk->wrong++;
		return 0;
	}
	walk->sum += store_hash_seed(&row);
	return walk->on_seed ? walk->on_seed(walk->arg, &row) : 0;
}

static int take_taken(sqlite3_stmt *at, struct store_walk *walk)
{
	struct store_taken row;

	if (!read_taken(at, &row) || !hash_at(at, 4, store_hash_taken(&row))) {
		walk->wrong++;
		return 0;
	}
	walk->sum += store_hash_taken(&row);
	return walk->on_taken ? walk->on_taken(walk->arg, &row) : 0;
}

/* *ret: what `take` returned last; the result is SQLite's code. */
static int walk_table(struct store *store, const char *sql, int (*take)(sqlite3_stmt *at, struct store_walk *walk),
		      struct store_walk *walk, int *ret)
{
	sqlite3_stmt *at = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &at, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(at);
	while (rc == SQLITE_ROW) {
		*ret = take(at, walk);
		rc = *ret < 0 ? SQLITE_DONE : sqlite3_step(at);
	}
	sqlite3_finalize(at);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Goes on after a table that cannot be read, so that a repair gets all other rows. Whether streams have `noise` is seen from the
 * table: a repair does not know the version. */
int store_walk(struct store *store, struct store_walk *walk, int *ret)
{
	static const struct {
		const char *sql;
		int (*take)(sqlite3_stmt *at, struct store_walk *walk);
	} tables[] = {
		{"SELECT name, generator, seed, stream, uid, gid, mode, created_s, issued, reserved, skips, skipped, "
		 "skipped_from, skipped_until, hash, noise FROM stream",
		 take_stream},
		{"SELECT generator, seed, next, uid, hash FROM seed", take_seed},
		{"SELECT generator, seed, stream, uid, hash FROM taken", take_taken},
	};
	static const char stream_2[] = "SELECT *, NULL FROM stream";
	int first = SQLITE_OK;

	*ret = 0;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && *ret == 0; i++) {
		const bool is_old =
			tables[i].take == take_stream && sqlite3_table_column_metadata(store->db, NULL, "stream", "noise", NULL,
										       NULL, NULL, NULL, NULL) == SQLITE_ERROR;
		int rc = walk_table(store, is_old ? stream_2 : tables[i].sql, tables[i].take, walk, ret);

		first = first == SQLITE_OK ? rc : first;
	}
	return first;
}

int store_load(struct store *store, int (*each)(void *arg, const struct store_stream *row), void *arg,
	       struct error *err)
{
	struct store_walk walk = {.on_stream = each, .arg = arg};
	int r, rc = store_walk(store, &walk, &r);

	return rc == SQLITE_OK ? r : store_fail(store, rc, err);
}
