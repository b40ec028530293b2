/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of a state. */
#include <stdlib.h>
#include <string.h>

#include "store_core.h"
#include "store_schema.h"

/* Reads one value of one row, as text. */
static int query_text(struct store *store, const char *sql, char text[STORE_WHY_ROOM])
{
	sqlite3_stmt *at = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &at, NULL);

	*text = '\0';
	if (rc == SQLITE_OK)
		rc = sqlite3_step(at);
	if (rc == SQLITE_ROW)
		snprintf(text, STORE_WHY_ROOM, "%s", store_text_at(at, 0));
	/* The result says, too, whether there was memory for the text. */
	int last = sqlite3_finalize(at);

	return rc == SQLITE_ROW || rc == SQLITE_DONE ? last : rc;
}

/* Distinguishes a file of something else, a newer release's, and one whose version is unknown. */
static int check_header(struct store *store, char why[STORE_WHY_ROOM])
{
	char text[STORE_WHY_ROOM];
	int rc = query_text(store, "PRAGMA application_id", text);

	if (rc == SQLITE_OK && atoi(text) != STORE_APPLICATION)
		snprintf(why, STORE_WHY_ROOM, "not a state of trnscid");
	if (rc == SQLITE_OK && !*why)
		rc = query_text(store, "PRAGMA user_version", text);
	if (rc != SQLITE_OK || *why)
		return rc;
	store->version = atoi(text);
	if (store->version < 1 || store->version > STORE_VERSION)
		snprintf(why, STORE_WHY_ROOM, store->version > STORE_VERSION ? "newer" : "unknown version");
	return rc;
}

/* Returns the nth statement of the schema of the state's version, counted from 0. */
static const char *schema_at(const struct store *store, size_t n)
{
	if (store->version == 1 && n == 0)
		return store_schema_1;
	n -= store->version == 1;
	return store->version < 3 && n == STORE_TABLE_STREAM ? store_stream_2 : store_schema[n];
}

/* Compares the schema word by word: a trigger, a view or another index in the file would change what statements do. */
static int check_schema(struct store *store, char why[STORE_WHY_ROOM])
{
	sqlite3_stmt *at = NULL;
	int rc = sqlite3_prepare_v2(store->db, "SELECT sql FROM sqlite_schema ORDER BY rowid", -1, &at, NULL);
	size_t count = 0;
	bool same = true;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(at);
	for (; rc == SQLITE_ROW && same; rc = sqlite3_step(at), count++)
		same = count < STORE_TABLES && strcmp(store_text_at(at, 0), schema_at(store, count)) == 0;
	sqlite3_finalize(at);
	if (!same || (rc == SQLITE_DONE && count != STORE_TABLES))
		snprintf(why, STORE_WHY_ROOM, "unexpected tables");
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Lets SQLite check the structure of its pages. It reports a wrong page and one that could not be read alike. */
static int check_pages(struct store *store, char why[STORE_WHY_ROOM])
{
	char text[STORE_WHY_ROOM];
	int failed = 0, rc = query_text(store, "PRAGMA integrity_check(1)", text);

	if (rc != SQLITE_OK || strcmp(text, "ok") == 0)
		return rc;
	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_LAST_ERRNO, &failed);
	if (failed)
		return SQLITE_IOERR_READ;
	snprintf(why, STORE_WHY_ROOM, "%s", text);
	return SQLITE_OK;
}

static int check_rows(struct store *store, char why[STORE_WHY_ROOM])
{
	struct store_walk walk = {0};
	bool good = false;
	int r, rc = store_read_head(store, &good);

	if (rc == SQLITE_OK)
		rc = store_walk(store, &walk, &r);
	if (rc != SQLITE_OK)
		return rc;
	if (walk.wrong)
		snprintf(why, STORE_WHY_ROOM, "%u rows have a wrong hash", walk.wrong);
	else if (!good || store->sum != walk.sum)
		snprintf(why, STORE_WHY_ROOM, "the rows have a wrong sum");
	return SQLITE_OK;
}

int store_check(struct store *store, char why[STORE_WHY_ROOM])
{
	int (*const checks[])(struct store *store, char why[STORE_WHY_ROOM]) = {check_header, check_schema, check_pages,
										check_rows};
	int rc = SQLITE_OK;

	*why = '\0';
	for (size_t i = 0; i < sizeof checks / sizeof *checks && rc == SQLITE_OK && !*why; i++)
		rc = checks[i](store, why);
	return rc;
}
