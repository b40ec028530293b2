/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and making the state. A new state is made beside its place and renamed into it, so that an empty or
 * half-written file is never taken for a new one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_core.h"
#include "store_schema.h"

static int execute_sql(struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

/* Assumes that a power cut can destroy a whole sector that is being written (no "powersafe overwrite"). */
static int configure(struct store *store)
{
	int off = 0, rc;

	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &off);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	rc = execute_sql(store, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON");
	if (rc == SQLITE_OK)
		rc = execute_sql(store, "PRAGMA journal_mode=PERSIST; PRAGMA synchronous=FULL");
	return rc;
}

static int open_database(const struct store_folder *folder, const char *suffix, int flags, struct store **ret_store,
		   int *ret_rc, struct error *err)
{
	struct store *store;
	char path[STORE_PATH_ROOM];
	int r = store_check_kinds(folder->path, suffix, err);

	if (r < 0)
		return r;
	store = calloc(1, sizeof *store);
	if (!store)
		return error_set(err, ERROR_NO_MEMORY, "state: no memory for it");
	snprintf(store->dir, sizeof store->dir, "%s", folder->path);
	store_path(folder->path, suffix, path);
	*ret_rc = sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, folder->vfs);
	/* SQLite opens a file read-only if it cannot open it for writing, even for lack of a descriptor. */
	if (*ret_rc == SQLITE_OK && sqlite3_db_readonly(store->db, "main") == 1)
		*ret_rc = SQLITE_READONLY;
	if (*ret_rc == SQLITE_OK)
		*ret_rc = configure(store);
	*ret_store = store;
	return 0;
}

/* Opens a file that is a sound state. damage: why it is not one; "" if it could not be read. */
static int open_file(const struct store_folder *folder, struct store **ret_store, char damage[STORE_WHY_ROOM],
		     struct error *err)
{
	struct store *store = NULL;
	int rc, r = open_database(folder, "", SQLITE_OPEN_READWRITE, &store, &rc, err);

	*damage = '\0';
	if (r < 0)
		return r;
	if (rc == SQLITE_OK)
		rc = store_check(store, damage);
	if (rc == SQLITE_OK && !*damage) {
		*ret_store = store;
		return 0;
	}
	if (rc != SQLITE_OK)
		*damage = '\0'; /* it was not read to its end */
	if (rc != SQLITE_OK && store_is_damage(rc))
		snprintf(damage, STORE_WHY_ROOM, "%s", sqlite3_errstr(rc & 0xff));
	r = *damage ? store_fail_damaged(folder->path, damage, err) : store_fail(store, rc, err);
	if (strcmp(damage, "newer") == 0) {
		*damage = '\0';
		r = error_set(err, ERROR_STORE, "%.120s/" STORE_FILE " was made by a newer release, allowed: version %d",
			      folder->path, STORE_VERSION);
	}
	store_close(store);
	return r;
}

static int make_tables(struct store *store, struct error *err)
{
	char sql[128];
	int r, rc = execute_sql(store, "BEGIN IMMEDIATE");

	for (size_t i = 0; rc == SQLITE_OK && i < STORE_TABLES; i++)
		rc = execute_sql(store, store_schema[i]);
	snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", STORE_APPLICATION, STORE_VERSION);
	if (rc == SQLITE_OK)
		rc = execute_sql(store, sql);
	if (rc != SQLITE_OK)
		return store_fail(store, rc, err);
	r = store_put_head(store, err);
	if (r == 0 && (rc = execute_sql(store, "COMMIT")) != SQLITE_OK)
		r = store_fail(store, rc, err);
	return r;
}

int store_make_file(const struct store_folder *folder, const struct store_head *head, struct store **ret_store,
		    struct error *err)
{
	struct store *store = NULL;
	int rc, r;

	store_unlink(folder->path, ".new");
	r = open_database(folder, ".new", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &store, &rc, err);
	if (r < 0)
		return r;
	store->version = STORE_VERSION;
	store->head = *head;
	store->head.commits = 1;
	r = rc == SQLITE_OK ? make_tables(store, err) : store_fail(store, rc, err);
	if (r == 0) {
		*ret_store = store;
		return 0;
	}
	store_close(store);
	store_unlink(folder->path, ".new");
	return r;
}

int store_adopt(const char *dir, struct error *err)
{
	char made[STORE_PATH_ROOM], path[STORE_PATH_ROOM];

	store_path(dir, ".new-journal", made);
	unlink(made); /* at rest: its header is zeros */
	store_path(dir, ".new", made);
	store_path(dir, "", path);
	if (rename(made, path) < 0)
		return store_fail_path(path, errno, err);
	return store_flush_dir(dir, err);
}

/* Returns true if the state is gone: its journal or mark is still there. */
static bool is_lost(const char *dir)
{
	char path[STORE_PATH_ROOM];
	struct stat st;

	store_path(dir, "", path);
	return store_exists(dir) && stat(path, &st) < 0 && errno == ENOENT;
}

static int make_state(const struct store_folder *folder, struct error *err)
{
	struct store_head head;
	struct store *made;
	int r = store_draw_head(0, &head, err);

	if (r == 0)
		r = store_make_file(folder, &head, &made, err);
	if (r < 0)
		return r;
	store_close(made);
	return store_adopt(folder->path, err);
}

/* Compares the state with its mark. A state that never had a mark gets one, and records that it must have one from then on. */
static int settle_mark(struct store *store, const struct store_folder *folder, enum store_fault *ret_fault,
		       struct error *err)
{
	char why[STORE_WHY_ROOM];
	enum store_marking marking;
	struct store_mark mark = {0};
	int r = store_compare_mark(folder->fd, &store->head, why, &marking, &mark, err);

	if (r == 0 && *why) {
		*ret_fault = STORE_RESTORED;
		return store_fail_restored(store->dir, why, err);
	}
	if (r == 0 && store->version != STORE_VERSION)
		r = store_upgrade(store, err);
	if (r < 0)
		return r;
	store->folder_fd = folder->fd;
	store->guarded = marking != STORE_MARK_UNSUPPORTED;
	store->marked_at = marking == STORE_MARK_READ ? mark.commits : 0;
	if (!store->guarded || store->head.marked)
		return 0;
	r = store_begin(store, err);
	store->head.marked = true;
	return r < 0 ? r : store_commit(store, err);
}

int store_open(const struct store_folder *folder, bool make, struct store **ret_store, enum store_fault *ret_fault,
	       struct error *err)
{
	char damage[STORE_WHY_ROOM] = "";
	enum store_fault fault = STORE_SOUND;
	struct store *store = NULL;
	int r = make && !store_exists(folder->path) ? make_state(folder, err) : 0;

	if (r == 0 && is_lost(folder->path)) {
		snprintf(damage, sizeof damage, "%s is gone", STORE_FILE);
		r = store_fail_damaged(folder->path, damage, err);
	}
	if (r == 0)
		r = open_file(folder, &store, damage, err);
	if (*damage)
		fault = STORE_DAMAGED;
	if (r == 0)
		r = store_remember_placement(store, folder->fd, err);
	if (r == 0)
		r = settle_mark(store, folder, &fault, err);
	if (r == 0)
		*ret_store = store;
	else
		store_close(store);
	if (ret_fault)
		*ret_fault = fault;
	return r;
}

uint64_t store_seed(const struct store *store)
{
	return store->head.seed;
}

bool store_is_marked(const struct store *store)
{
	return store->guarded;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store);
}
