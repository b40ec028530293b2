/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: the rows of streams, and the head, which every commit writes: the sum of all hashes, how often the state was
 * repaired, its identity, its seed and the number of its commits. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "store_core.h"
#include "store_schema.h"

/* ---- the head ---- */

int store_draw_head(uint64_t repairs, struct store_head *ret_head, struct error *err)
{
	uint64_t random[2];
	ssize_t got;

	do
		got = getrandom(random, sizeof random, 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof random)
		return error_set(err, ERROR_SYSTEM, "state: no random seed: %s", strerror(errno));
	*ret_head = (struct store_head){.repairs = repairs, .identity = random[0], .seed = random[1]};
	return 0;
}

/* Version 1 has repairs only. */
static bool read_head_columns(const struct store *store, sqlite3_stmt *get, uint64_t *ret_sum, struct store_head *ret)
{
	uint64_t marked = 0;

	*ret = (struct store_head){0};
	if (!store_u64_at(get, 0, ret_sum) || !store_natural_at(get, 1, UINT32_MAX, &ret->repairs))
		return false;
	if (store->version == 1)
		return true;
	if (!store_u64_at(get, 2, &ret->identity) || !store_u64_at(get, 3, &ret->seed) ||
	    !store_natural_at(get, 4, INT64_MAX, &ret->commits) || !store_natural_at(get, 5, 1, &marked))
		return false;
	ret->marked = marked;
	return true;
}

int store_read_head(struct store *store, bool *ret_good)
{
	sqlite3_stmt *get = store_statement(store, store->version == 1 ? STATEMENT_HEAD_GET_1 : STATEMENT_HEAD_GET);
	struct store_head head = {0};
	uint64_t sum = 0;
	int last, rc = store_step_row(store, get);
	const bool good = rc == SQLITE_ROW && read_head_columns(store, get, &sum, &head);

	if (!get)
		return rc;
	/* The reset reports that there was no memory for a text. */
	last = sqlite3_reset(get);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rc;
	if (last != SQLITE_OK)
		return last;
	*ret_good = good;
	if (good) {
		store->head = head;
		store->sum = sum - (store->version == 1 ? store_hash_repairs(head.repairs) : store_hash_head(&head));
	}
	return SQLITE_OK;
}

int store_put_head(struct store *store, struct error *err)
{
	sqlite3_stmt *put = store_statement(store, STATEMENT_HEAD_PUT);
	const struct store_head *head = &store->head;

	store_bind_u64(store, put, 1, store->sum + store_hash_head(head));
	store_bind_number(store, put, 2, head->repairs);
	store_bind_u64(store, put, 3, head->identity);
	store_bind_u64(store, put, 4, head->seed);
	store_bind_number(store, put, 5, head->commits);
	store_bind_number(store, put, 6, head->marked);
	return store_step(store, put, err);
}

/* ---- transactions ---- */

/* Writes the number of commits into the folder's mark. Once after each commit, so that an older copy of the file has fewer
 * commits than the mark and is refused; and when the next transaction begins, if a crash or a failure has left the mark behind.
 * So the mark lags by one commit at most, which is what store_compare_mark accepts. */
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

/* Reads the head from the file, since a commit that failed may have happened. A transaction whose end failed without memory is
 * still open, and is rolled back. */
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

/* The order is what keeps positions from being issued twice: the rows are on the disk (COMMIT returns after its fsyncs), the
 * files are those at their paths, the mark is raised; only then the caller replies. A crash in between loses a reply, never a
 * reservation. Does not mark a commit to files that are no longer at their paths. */
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

/* Reads the hash of the row of that name; 0 if there is none. */
static int read_old_hash(struct store *store, const char *name, uint64_t *ret_hash, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_STREAM_HASH);
	int r;

	store_bind_text(store, get, 1, name);
	r = store_read_hash(store, get, ret_hash, err);
	return r < 0 ? r : 0;
}

static void give_row(struct store *store, sqlite3_stmt *put, const struct store_stream *row, uint64_t hash)
{
	const uint64_t numbers[] = {row->uid,	   row->gid,   row->mode,    (uint64_t)row->created_s, row->issued,
				    row->reserved, row->skips, row->skipped, row->skipped_from,	       row->skipped_until};

	store_bind_text(store, put, 1, row->name);
	store_bind_text(store, put, 2, generator_row(row->stream.generator)->name);
	store_bind_u64(store, put, 3, row->stream.seed);
	store_bind_u64(store, put, 4, row->stream.stream);
	for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
		store_bind_number(store, put, 5 + i, numbers[i]);
	store_bind_hash(store, put, 15, hash);
	store_bind_blob(store, put, 16, row->noise, row->noise_size);
}

int store_put(struct store *store, const struct store_stream *row, struct error *err)
{
	const uint64_t hash = store_hash_stream(row);
	uint64_t old = 0;
	int r = read_old_hash(store, row->name, &old, err);
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
	int r = read_old_hash(store, name, &old, err);
	sqlite3_stmt *remove;

	if (r < 0)
		return r;
	remove = store_statement(store, STATEMENT_STREAM_REMOVE);
	store_bind_text(store, remove, 1, name);
	r = store_step(store, remove, err);
	if (r == 0)
		store->sum -= old;
	return r;
}

/* ---- states of older versions ---- */

static int run_sql(struct store *store, const char *sql, struct error *err)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_fail(store, rc, err);
}

/* Version 1 has `meta` in the place of `state`. */
static int upgrade_head(struct store *store, struct error *err)
{
	struct store_head head;
	int r = store_draw_head(store->head.repairs, &head, err);

	if (r == 0)
		r = run_sql(store, "DROP TABLE meta", err);
	if (r == 0)
		r = run_sql(store, store_schema[STORE_TABLES - 1], err);
	head.commits = 1;
	store->head = head;
	return r < 0 ? r : store_put_head(store, err);
}

int store_upgrade(struct store *store, struct error *err)
{
	int r = run_sql(store, "BEGIN IMMEDIATE", err);

	if (r == 0 && store->version == 1)
		r = upgrade_head(store, err);
	if (r == 0)
		r = run_sql(store, "ALTER TABLE stream ADD COLUMN noise BLOB; PRAGMA user_version=3; COMMIT", err);
	if (r < 0)
		store_rollback(store);
	else
		store->version = STORE_VERSION;
	return r;
}
