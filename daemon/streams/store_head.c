/* SPDX-License-Identifier: Apache-2.0 */
/* The state's row of its own: the sum over all rows, repairs, identity, seed, commits. Each commit writes it. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "store_core.h"
#include "store_schema.h"

int store_draw_head(uint64_t repairs, struct store_head *ret_head, struct error *err)
{
	uint64_t random[2];
	ssize_t got;

	do
		got = getrandom(random, sizeof random, 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof random)
		return error_set(err, ERROR_SYSTEM, "state: its seed: %s", strerror(errno));
	*ret_head = (struct store_head){.repairs = repairs, .identity = random[0], .seed = random[1]};
	return 0;
}

/* Version 1 knows of repairs only. */
static bool read_columns(const struct store *store, sqlite3_stmt *get, uint64_t *ret_sum, struct store_head *ret)
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
	int last, rc = store_row(store, get);
	const bool good = rc == SQLITE_ROW && read_columns(store, get, &sum, &head);

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

	store_give_u64(store, put, 1, store->sum + store_hash_head(head));
	store_give_number(store, put, 2, head->repairs);
	store_give_u64(store, put, 3, head->identity);
	store_give_u64(store, put, 4, head->seed);
	store_give_number(store, put, 5, head->commits);
	store_give_number(store, put, 6, head->marked);
	return store_step(store, put, err);
}

static int execute(struct store *store, const char *sql, struct error *err)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_fail(store, rc, err);
}

int store_upgrade(struct store *store, struct error *err)
{
	struct store_head head;
	int r = store_draw_head(store->head.repairs, &head, err);

	if (r == 0)
		r = execute(store, "BEGIN IMMEDIATE; DROP TABLE meta", err);
	if (r == 0)
		r = execute(store, store_schema[STORE_TABLES - 1], err);
	if (r == 0)
		r = execute(store, "PRAGMA user_version=2", err);
	head.commits = 1;
	store->head = head;
	if (r == 0)
		r = store_put_head(store, err);
	if (r == 0)
		r = execute(store, "COMMIT", err);
	if (r < 0)
		store_rollback(store);
	else
		store->version = STORE_VERSION;
	return r;
}
