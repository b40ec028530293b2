/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions and rows. Every change of a row moves the sum of all hashes, which is written with it. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "store_core.h"

static const char *const texts[STATEMENTS] = {
	[STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
	[STATEMENT_COMMIT] = "COMMIT",
	[STATEMENT_ROLLBACK] = "ROLLBACK",
	[STATEMENT_SUM_GET] = "SELECT sum, repairs FROM meta WHERE id = 1",
	[STATEMENT_SUM_SET] = "UPDATE meta SET sum = ?1 WHERE id = 1",
	[STATEMENT_STREAM_HASH] = "SELECT hash FROM stream WHERE name = ?1",
	[STATEMENT_STREAM_PUT] =
		"INSERT OR REPLACE INTO stream VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
	[STATEMENT_STREAM_REMOVE] = "DELETE FROM stream WHERE name = ?1",
	[STATEMENT_SEED_GET] = "SELECT next, uid FROM seed WHERE generator = ?1 AND seed = ?2",
	[STATEMENT_SEED_PUT] = ("INSERT INTO seed VALUES(?1, ?2, ?3, ?4, ?5) "
				"ON CONFLICT(generator, seed) DO UPDATE SET next = ?3, hash = ?5"),
	[STATEMENT_SEEDS_OF] = "SELECT count(*) FROM seed WHERE uid = ?1",
	[STATEMENT_TAKEN_GET] = "SELECT hash FROM taken WHERE generator = ?1 AND seed = ?2 AND stream = ?3",
	[STATEMENT_TAKEN_PUT] = "INSERT INTO taken VALUES(?1, ?2, ?3, ?4, ?5)",
	[STATEMENT_TAKEN_REMOVE] = "DELETE FROM taken WHERE generator = ?1 AND seed = ?2 AND stream = ?3",
	[STATEMENT_TAKEN_OF] = "SELECT count(*) FROM taken WHERE uid = ?1",
};

/* ---- statements ---- */

sqlite3_stmt *store_statement(struct store *store, enum store_statement which)
{
	sqlite3_stmt **statement = &store->statements[which];

	if (!*statement)
		sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
	if (*statement)
		sqlite3_reset(*statement);
	store->bound = SQLITE_OK;
	return *statement;
}

int store_row(struct store *store, sqlite3_stmt *statement)
{
	if (!statement)
		return sqlite3_extended_errcode(store->db);
	return store->bound == SQLITE_OK ? sqlite3_step(statement) : store->bound;
}

int store_step(struct store *store, sqlite3_stmt *statement, struct error *err)
{
	int rc = store_row(store, statement);

	if (statement)
		sqlite3_reset(statement);
	return rc == SQLITE_DONE ? 0 : store_fail(store, rc, err);
}

/* ---- parameters: of a statement that may be NULL ---- */

/* What could not be bound would be NULL, and NULL equals nothing: a row that is there would not be found. */
static void note_bound(struct store *store, int rc)
{
	if (rc != SQLITE_OK)
		store->bound = rc;
}

static void give_text(struct store *store, sqlite3_stmt *statement, int at, const char *text)
{
	if (statement)
		note_bound(store, sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT));
}

static void give_number(struct store *store, sqlite3_stmt *statement, int at, uint64_t number)
{
	if (statement)
		note_bound(store, sqlite3_bind_int64(statement, at, (sqlite3_int64)number));
}

static void give_u64(struct store *store, sqlite3_stmt *statement, int at, uint64_t u)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, u);
	give_text(store, statement, at, text);
}

/* generator, seed and (from the third place) the stream id. */
static void give_stream(struct store *store, sqlite3_stmt *statement, const struct stream *stream, bool id)
{
	give_text(store, statement, 1, generator_row(stream->generator)->name);
	give_u64(store, statement, 2, stream->seed);
	if (id)
		give_u64(store, statement, 3, stream->stream);
}

/* ---- hashes ---- */

/* FNV-1a, and the last step of MurmurHash3, so that sums of similar lines do not cancel. */
uint64_t store_hash(const char *text)
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
	return store_hash(text);
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
	return store_hash(text);
}

uint64_t store_hash_seed(const struct store_seed *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "seed|%d|%" PRIu64 "|%" PRIu64 "|%d|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->ended, row->uid);
	return store_hash(text);
}

uint64_t store_hash_taken(const struct store_taken *row)
{
	char text[STORE_TEXT_ROOM];

	snprintf(text, sizeof text, "taken|%d|%" PRIu64 "|%" PRIu64 "|%" PRIu32, (int)row->stream.generator,
		 row->stream.seed, row->stream.stream, row->uid);
	return store_hash(text);
}

/* The hash as its row keeps it. */
static void give_hash(struct store *store, sqlite3_stmt *statement, int at, uint64_t hash)
{
	char text[24];

	snprintf(text, sizeof text, "%016" PRIx64, hash);
	give_text(store, statement, at, text);
}

/* ---- single rows ---- */

/* What a statement that has one row at most gives: a text, and a number behind it where it has two columns. */
struct single {
	bool found;
	char text[24];
	sqlite3_int64 number;
};

/* Text that is too long, or none, is damage; that it could not be had for want of memory is what the reset tells. */
static int read_single(struct store *store, sqlite3_stmt *get, struct single *ret, struct error *err)
{
	int rc = store_row(store, get);
	struct single row = {.found = rc == SQLITE_ROW};

	if (row.found) {
		const char *text = (const char *)sqlite3_column_text(get, 0);
		const bool good = text && strlen(text) < sizeof row.text;

		if (good)
			strcpy(row.text, text);
		row.number = sqlite3_column_count(get) > 1 ? sqlite3_column_int64(get, 1) : 0;
		rc = sqlite3_reset(get);
		rc = rc != SQLITE_OK ? rc : good ? SQLITE_DONE : SQLITE_CORRUPT;
	} else if (get) {
		sqlite3_reset(get);
	}
	if (rc != SQLITE_DONE)
		return store_fail(store, rc, err);
	*ret = row;
	return 0;
}

/* 1: there is a row of that hash; 0: none, and the hash is 0. */
static int read_hash(struct store *store, sqlite3_stmt *get, uint64_t *ret_hash, struct error *err)
{
	struct single row;
	uint64_t hash = 0;
	int r = read_single(store, get, &row, err);

	if (r < 0)
		return r;
	if (row.found && (strlen(row.text) != 16 || sscanf(row.text, "%16" SCNx64, &hash) != 1))
		return store_fail(store, SQLITE_CORRUPT, err);
	*ret_hash = hash;
	return row.found;
}

/* ---- transactions ---- */

/* The sum as the file has it: a commit that failed may have happened. A transaction whose end failed for want of memory
 * is still open, and ends now. */
int store_begin(struct store *store, struct error *err)
{
	struct single row;
	int r;

	store_rollback(store);
	if (!sqlite3_get_autocommit(store->db))
		return store_fail(store, SQLITE_NOMEM, err);
	r = store_step(store, store_statement(store, STATEMENT_BEGIN), err);
	if (r < 0)
		return r;
	r = read_single(store, store_statement(store, STATEMENT_SUM_GET), &row, err);
	if (r == 0 && (!row.found || sscanf(row.text, "%" SCNu64, &store->sum) != 1))
		r = store_fail(store, SQLITE_CORRUPT, err);
	return r;
}

void store_rollback(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		store_step(store, store_statement(store, STATEMENT_ROLLBACK), NULL);
}

int store_commit(struct store *store, struct error *err)
{
	sqlite3_stmt *set = store_statement(store, STATEMENT_SUM_SET);
	int r;

	give_u64(store, set, 1, store->sum);
	r = store_step(store, set, err);
	if (r == 0)
		r = store_step(store, store_statement(store, STATEMENT_COMMIT), err);
	if (r < 0)
		store_rollback(store);
	return r;
}

/* ---- streams ---- */

/* The hash of the row of that name, 0 when there is none. */
static int old_hash(struct store *store, const char *name, uint64_t *ret_hash, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_STREAM_HASH);
	int r;

	give_text(store, get, 1, name);
	r = read_hash(store, get, ret_hash, err);
	return r < 0 ? r : 0;
}

static void give_row(struct store *store, sqlite3_stmt *put, const struct store_stream *row, uint64_t hash)
{
	const uint64_t numbers[] = {row->uid,	   row->gid,   row->mode,    (uint64_t)row->created_s, row->issued,
				    row->reserved, row->skips, row->skipped, row->skipped_from,	       row->skipped_until};

	give_text(store, put, 1, row->name);
	give_text(store, put, 2, generator_row(row->stream.generator)->name);
	give_u64(store, put, 3, row->stream.seed);
	give_u64(store, put, 4, row->stream.stream);
	for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
		give_number(store, put, 5 + i, numbers[i]);
	give_hash(store, put, 15, hash);
}

int store_put(struct store *store, const struct store_stream *row, struct error *err)
{
	const uint64_t hash = store_hash_stream(row);
	uint64_t old = 0;
	int r = old_hash(store, row->name, &old, err);
	sqlite3_stmt *put;

	if (r < 0)
		return r;
	put = store_statement(store, STATEMENT_STREAM_PUT);
	give_row(store, put, row, hash);
	r = store_step(store, put, err);
	if (r == 0)
		store->sum += hash - old;
	return r;
}

int store_remove(struct store *store, const char *name, struct error *err)
{
	uint64_t old = 0;
	int r = old_hash(store, name, &old, err);
	sqlite3_stmt *remove;

	if (r < 0)
		return r;
	remove = store_statement(store, STATEMENT_STREAM_REMOVE);
	give_text(store, remove, 1, name);
	r = store_step(store, remove, err);
	if (r == 0)
		store->sum -= old;
	return r;
}

/* ---- ids ---- */

int store_put_seed(struct store *store, const struct store_seed *row, const struct store_seed *old, struct error *err)
{
	sqlite3_stmt *put = store_statement(store, STATEMENT_SEED_PUT);
	int r;

	give_stream(store, put, &row->stream, true);
	if (row->ended)
		give_text(store, put, 3, "");
	give_number(store, put, 4, row->uid);
	give_hash(store, put, 5, store_hash_seed(row));
	r = store_step(store, put, err);
	if (r == 0)
		store->sum += store_hash_seed(row) - (old ? store_hash_seed(old) : 0);
	return r;
}

int store_put_taken(struct store *store, const struct store_taken *row, struct error *err)
{
	sqlite3_stmt *put = store_statement(store, STATEMENT_TAKEN_PUT);
	int r;

	give_stream(store, put, &row->stream, true);
	give_number(store, put, 4, row->uid);
	give_hash(store, put, 5, store_hash_taken(row));
	r = store_step(store, put, err);
	if (r == 0)
		store->sum += store_hash_taken(row);
	return r;
}

/* Whether the id is taken, and by what hash. */
static int is_taken(struct store *store, const struct stream *stream, uint64_t *ret_hash, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_TAKEN_GET);

	give_stream(store, get, stream, true);
	return read_hash(store, get, ret_hash, err);
}

static int remove_taken(struct store *store, const struct stream *stream, uint64_t hash, struct error *err)
{
	sqlite3_stmt *remove = store_statement(store, STATEMENT_TAKEN_REMOVE);
	int r;

	give_stream(store, remove, stream, true);
	r = store_step(store, remove, err);
	if (r == 0)
		store->sum -= hash;
	return r;
}

unsigned store_repair_bits(const struct stream *stream)
{
	return generator_row(stream->generator)->most_stream == UINT64_MAX ? 40 : 24;
}

/* Ids from here on have never been assigned, of a seed that the state does not know: each repair, which may have lost
 * seeds, leaves some unused. Stream 0 is what draws without a stream are from. */
static int first_id(const struct store *store, const struct stream *stream, uint64_t *ret_id, struct error *err)
{
	const uint64_t most = generator_row(stream->generator)->most_stream;
	const unsigned bits = store_repair_bits(stream);

	if (store->repairs > most >> bits)
		return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: seed: the ids of a new seed have been used up by repairs");
	*ret_id = (store->repairs << bits) + 1;
	return 0;
}

/* 1: known; 0: *ret is where it would begin. */
static int get_seed(struct store *store, const struct stream *stream, struct store_seed *ret, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_SEED_GET);
	struct single row;
	int r;

	*ret = (struct store_seed){.stream = *stream};
	give_stream(store, get, stream, false);
	r = read_single(store, get, &row, err);
	if (r < 0)
		return r;
	if (!row.found)
		return first_id(store, stream, &ret->stream.stream, err);
	ret->uid = (uint32_t)row.number;
	ret->ended = row.text[0] == '\0';
	ret->stream.stream = 0;
	if (!ret->ended && sscanf(row.text, "%" SCNu64, &ret->stream.stream) != 1)
		return store_fail(store, SQLITE_CORRUPT, err);
	return 1;
}

/* One number, of a statement that always has a row. */
static int add_number(struct store *store, sqlite3_stmt *get, uint64_t *ret_sum, struct error *err)
{
	int rc = store_row(store, get);

	if (rc == SQLITE_ROW)
		*ret_sum += (uint64_t)sqlite3_column_int64(get, 0);
	if (get)
		sqlite3_reset(get);
	return rc == SQLITE_ROW ? 0 : store_fail(store, rc, err);
}

static int count_of(struct store *store, enum store_statement which, uint32_t uid, uint64_t *ret_sum, struct error *err)
{
	sqlite3_stmt *count = store_statement(store, which);

	give_number(store, count, 1, uid);
	return add_number(store, count, ret_sum, err);
}

/* Before a row is added that stays for ever. */
static int check_user(struct store *store, uint32_t uid, uint64_t most, struct error *err)
{
	uint64_t has = 0;
	int r = count_of(store, STATEMENT_SEEDS_OF, uid, &has, err);

	if (r == 0)
		r = count_of(store, STATEMENT_TAKEN_OF, uid, &has, err);
	if (r < 0)
		return r;
	return has < most ? 0
			  : error_set(err, ERROR_LIMIT,
				      "stream_create: seed: the user has given %" PRIu64
				      " seeds and ids to streams, allowed: the setting stream_seeds = %" PRIu64,
				      has, most);
}

static int assign_wanted(struct store *store, const struct store_seed *seed, const struct stream *stream, uint32_t uid,
			 uint64_t most_seeds, struct error *err)
{
	uint64_t hash;
	int r = is_taken(store, stream, &hash, err);

	if (r < 0)
		return r;
	if (store->repairs)
		return error_set(err, ERROR_EXISTS,
				 "stream_create: stream: since the state was repaired it cannot tell which ids have been assigned, "
				 "allowed: to leave it out");
	/* Stream 0 lies below every counter, and is taken by being named only. */
	if (r == 1 || (stream->stream != 0 && (seed->ended || stream->stream < seed->stream.stream)))
		return error_set(err, ERROR_EXISTS,
				 "stream_create: stream: %" PRIu64 " has been assigned, allowed: one that no name ever had",
				 stream->stream);
	r = check_user(store, uid, most_seeds, err);
	return r < 0 ? r : store_put_taken(store, &(struct store_taken){*stream, uid}, err);
}

/* Ids that were taken out of turn need no row of their own once the counter has passed them. */
static int skip_taken(struct store *store, struct stream *next, struct error *err)
{
	const uint64_t most = generator_row(next->generator)->most_stream;
	uint64_t hash = 0;
	int r;

	while ((r = is_taken(store, next, &hash, err)) == 1) {
		r = remove_taken(store, next, hash, err);
		if (r < 0)
			return r;
		if (next->stream == most)
			return 1;
		next->stream++;
	}
	return r;
}

static int assign_next(struct store *store, const struct store_seed *seed, bool known, struct stream *stream,
		       uint32_t uid, uint64_t most_seeds, struct error *err)
{
	const uint64_t most = generator_row(stream->generator)->most_stream;
	struct store_seed after = *seed;
	int r = seed->ended ? 1 : skip_taken(store, &after.stream, err);

	if (r == 0 && !known) {
		after.uid = uid;
		r = check_user(store, uid, most_seeds, err);
	}
	if (r < 0)
		return r;
	if (r == 1)
		return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: seed: all its stream ids to %" PRIu64
				 " have been assigned, allowed: another seed", most);
	*stream = after.stream;
	after.ended = stream->stream == most;
	after.stream.stream = after.ended ? 0 : stream->stream + 1;
	return store_put_seed(store, &after, known ? seed : NULL, err);
}

int store_assign(struct store *store, struct stream *stream, bool wanted, uint32_t uid, uint64_t most_seeds,
		 struct error *err)
{
	struct store_seed seed;
	int known = get_seed(store, stream, &seed, err);

	if (known < 0)
		return known;
	return wanted ? assign_wanted(store, &seed, stream, uid, most_seeds, err)
		      : assign_next(store, &seed, known, stream, uid, most_seeds, err);
}
