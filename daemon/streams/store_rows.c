/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions, and the rows of streams. Every change of a row moves the sum of all hashes, which is written with it. */
#include <inttypes.h>

#include "store_core.h"

/* ---- transactions ---- */

/* The mark never lags by more than the commit that comes. */
static int raise_mark(struct store *store, struct error *err)
{
	int r;

	if (!store->guarded || store->marked_at == store->head.commits)
		return 0;
	r = store_write_mark(store->dir, store->folder_fd, &store->head, err);
	if (r == 0)
		store->marked_at = store->head.commits;
	return r;
}

/* The head as the file has it: a commit that failed may have happened. A transaction whose end failed for want of memory
 * is still open, and ends now. */
int store_begin(struct store *store, struct error *err)
{
	bool good = false;
	int rc, r;

	store_rollback(store);
	if (!sqlite3_get_autocommit(store->db))
		return store_fail(store, SQLITE_NOMEM, err);
	r = store_step(store, store_statement(store, STATEMENT_BEGIN), err);
	if (r < 0)
		return r;
	rc = store_read_head(store, &good);
	if (rc != SQLITE_OK || !good)
		return store_fail(store, rc != SQLITE_OK ? rc : SQLITE_CORRUPT, err);
	return raise_mark(store, err);
}

void store_rollback(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		store_step(store, store_statement(store, STATEMENT_ROLLBACK), NULL);
}

/* What is durable in files that nobody finds again is not marked. */
int store_commit(struct store *store, struct error *err)
{
	int r;

	store->head.commits++;
	r = store_put_head(store, err);
	if (r == 0)
		r = store_step(store, store_statement(store, STATEMENT_COMMIT), err);
	if (r < 0)
		store_rollback(store);
	else
		r = store_remember_journal(store, err);
	if (r == 0)
		r = store_check_placement(store, err);
	return r < 0 ? r : raise_mark(store, err);
}

/* ---- streams ---- */

/* The hash of the row of that name, 0 when there is none. */
static int old_hash(struct store *store, const char *name, uint64_t *ret_hash, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_STREAM_HASH);
	int r;

	store_give_text(store, get, 1, name);
	r = store_read_hash(store, get, ret_hash, err);
	return r < 0 ? r : 0;
}

static void give_row(struct store *store, sqlite3_stmt *put, const struct store_stream *row, uint64_t hash)
{
	const uint64_t numbers[] = {row->uid,	   row->gid,   row->mode,    (uint64_t)row->created_s, row->issued,
				    row->reserved, row->skips, row->skipped, row->skipped_from,	       row->skipped_until};

	store_give_text(store, put, 1, row->name);
	store_give_text(store, put, 2, generator_row(row->stream.generator)->name);
	store_give_u64(store, put, 3, row->stream.seed);
	store_give_u64(store, put, 4, row->stream.stream);
	for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
		store_give_number(store, put, 5 + i, numbers[i]);
	store_give_hash(store, put, 15, hash);
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
	store_give_text(store, remove, 1, name);
	r = store_step(store, remove, err);
	if (r == 0)
		store->sum -= old;
	return r;
}
