/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of the state, prepared once, and what SQLite's failures mean to those who ask. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "store_core.h"

/* ---- failures ---- */

int store_fail_damaged(const char *dir, const char *why, struct error *err)
{
	return error_set(err, ERROR_STORE, "the state is damaged, repair: trnscid --repair-state --state-dir %.110s (%.40s)",
			 dir, why);
}

int store_fail_restored(const char *dir, const char *why, struct error *err)
{
	return error_set(err, ERROR_STORE,
			 "the state was restored, copied or moved (%.60s), go on: trnscid --restored-state --state-dir %.100s",
			 why, dir);
}

bool store_is_damage(int rc)
{
	return (rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB || (rc & 0xff) == SQLITE_FORMAT ||
	       (rc & 0xff) == SQLITE_SCHEMA || (rc & 0xff) == SQLITE_ERROR || rc == SQLITE_IOERR_SHORT_READ ||
	       rc == SQLITE_IOERR_DATA;
}

int store_fail(struct store *store, int rc, struct error *err)
{
	const int code = rc & 0xff;
	const bool system_call = store->db && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
	const int number = system_call ? sqlite3_system_errno(store->db) : 0;

	if (store_is_damage(rc))
		return store_fail_damaged(store->dir, sqlite3_errstr(code), err);
	if (code == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM || number == ENOMEM)
		return error_set(err, ERROR_NO_MEMORY, "state: %s", sqlite3_errstr(code));
	return error_set(err, ERROR_STORE, "%.110s/" STORE_FILE ": %s%s%s", store->dir,
			 code == SQLITE_FULL ? "no space left on its disk" : sqlite3_errstr(code),
			 number && code != SQLITE_FULL ? ": " : "", number && code != SQLITE_FULL ? strerror(number) : "");
}

/* ---- statements ---- */

static const char *const texts[STATEMENTS] = {
	[STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
	[STATEMENT_COMMIT] = "COMMIT",
	[STATEMENT_ROLLBACK] = "ROLLBACK",
	[STATEMENT_HEAD_GET_1] = "SELECT sum, repairs FROM meta WHERE id = 1",
	[STATEMENT_HEAD_GET] = "SELECT sum, repairs, identity, seed, commits, marked FROM state WHERE id = 1",
	[STATEMENT_HEAD_PUT] = "INSERT OR REPLACE INTO state VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6)",
	[STATEMENT_STREAM_HASH] = "SELECT hash FROM stream WHERE name = ?1",
	[STATEMENT_STREAM_PUT] =
		"INSERT OR REPLACE INTO stream VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
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

int store_step_row(struct store *store, sqlite3_stmt *statement)
{
	if (!statement)
		return sqlite3_extended_errcode(store->db);
	return store->bound == SQLITE_OK ? sqlite3_step(statement) : store->bound;
}

int store_step(struct store *store, sqlite3_stmt *statement, struct error *err)
{
	int rc = store_step_row(store, statement);

	if (statement)
		sqlite3_reset(statement);
	return rc == SQLITE_DONE ? 0 : store_fail(store, rc, err);
}

/* ---- parameters ---- */

/* A parameter that could not be bound would be NULL, which equals nothing: an existing row would not be found. */
static void note_bound(struct store *store, int rc)
{
	if (rc != SQLITE_OK)
		store->bound = rc;
}

void store_bind_text(struct store *store, sqlite3_stmt *statement, int at, const char *text)
{
	if (statement)
		note_bound(store, sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT));
}

void store_bind_number(struct store *store, sqlite3_stmt *statement, int at, uint64_t number)
{
	if (statement)
		note_bound(store, sqlite3_bind_int64(statement, at, (sqlite3_int64)number));
}

void store_bind_blob(struct store *store, sqlite3_stmt *statement, int at, const char *bytes, size_t size)
{
	if (statement)
		note_bound(store, sqlite3_bind_blob64(statement, at, bytes, size, SQLITE_STATIC));
}

void store_bind_u64(struct store *store, sqlite3_stmt *statement, int at, uint64_t u)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, u);
	store_bind_text(store, statement, at, text);
}

void store_bind_stream(struct store *store, sqlite3_stmt *statement, const struct stream *stream, bool id)
{
	store_bind_text(store, statement, 1, generator_row(stream->generator)->name);
	store_bind_u64(store, statement, 2, stream->seed);
	if (id)
		store_bind_u64(store, statement, 3, stream->stream);
}

void store_bind_hash(struct store *store, sqlite3_stmt *statement, int at, uint64_t hash)
{
	char text[24];

	snprintf(text, sizeof text, "%016" PRIx64, hash);
	store_bind_text(store, statement, at, text);
}

/* ---- single rows ---- */

/* Text that is missing or too long is damage, unless the reset reports that there was no memory for it. */
int store_read_single(struct store *store, sqlite3_stmt *get, struct store_single *ret, struct error *err)
{
	int rc = store_step_row(store, get);
	struct store_single row = {.found = rc == SQLITE_ROW};

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

int store_read_hash(struct store *store, sqlite3_stmt *get, uint64_t *ret_hash, struct error *err)
{
	struct store_single row;
	uint64_t hash = 0;
	int r = store_read_single(store, get, &row, err);

	if (r < 0)
		return r;
	if (row.found && (strlen(row.text) != 16 || sscanf(row.text, "%16" SCNx64, &hash) != 1))
		return store_fail(store, SQLITE_CORRUPT, err);
	*ret_hash = hash;
	return row.found;
}
