/* SPDX-License-Identifier: Apache-2.0 */
/* What the store is made of; for its own files. */
#ifndef TRNSCI_DAEMON_STORE_CORE_H
#define TRNSCI_DAEMON_STORE_CORE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "store.h"

enum {
	STORE_APPLICATION = 0x74726e73, /* "trns" */
	STORE_VERSION = 2,
	STORE_PATH_ROOM = 512,
	STORE_TEXT_ROOM = 512, /* a row in one line, for its hash */
	STORE_WHY_ROOM = 80,
};

enum store_statement {
	STATEMENT_BEGIN,
	STATEMENT_COMMIT,
	STATEMENT_ROLLBACK,
	STATEMENT_HEAD_GET_1,
	STATEMENT_HEAD_GET,
	STATEMENT_HEAD_PUT,
	STATEMENT_STREAM_HASH,
	STATEMENT_STREAM_PUT,
	STATEMENT_STREAM_REMOVE,
	STATEMENT_SEED_GET,
	STATEMENT_SEED_PUT,
	STATEMENT_SEEDS_OF,
	STATEMENT_TAKEN_GET,
	STATEMENT_TAKEN_PUT,
	STATEMENT_TAKEN_REMOVE,
	STATEMENT_TAKEN_OF,
	STATEMENTS,
};

/* Which file it is, whatever its path; all 0: not known yet. */
struct store_inode {
	dev_t device;
	ino_t number;
};

/* The state's row of its own. Of version 1 only `repairs` is not 0. */
struct store_head {
	uint64_t repairs; /* and restores: each leaves ids unused */
	uint64_t identity, seed;
	uint64_t commits; /* that this one makes, too */
	bool marked;      /* the folder has been marked, and so must be */
};

/* What the folder's attribute says. */
struct store_mark {
	uint64_t identity, commits, repairs, inode;
	int64_t birth_s;   /* both 0: the file system does not keep it */
	uint32_t birth_ns;
};

enum store_marking { STORE_MARK_NONE, STORE_MARK_READ, STORE_MARK_UNREADABLE, STORE_MARK_UNSUPPORTED };

struct store {
	sqlite3 *db;
	char dir[STORE_PATH_ROOM];
	bool placed; /* at its own path: where it lies can be checked */
	bool misplaced;
	struct store_inode folder, database, journal;
	sqlite3_stmt *statements[STATEMENTS];
	int bound; /* SQLITE_OK, or why a parameter of the statement at hand was not bound: it must not run then */
	int version;
	uint64_t sum; /* of the hashes of all rows but the head, in the transaction under way */
	struct store_head head;
	int folder_fd; /* the caller's */
	bool guarded;      /* the folder can be marked */
	uint64_t marked_at; /* commits that the mark knows of; 0: there is none */
};

/* The next id of a (generator, seed), and who first used it. */
struct store_seed {
	struct stream stream; /* its stream: the next id; 0 for Threefry when 2^64 - 1 has been given */
	bool ended;
	uint32_t uid;
};

/* An id of somebody's own choice, not yet reached by the counter. */
struct store_taken {
	struct stream stream;
	uint32_t uid;
};

/* ---- store_fault.c ---- */

/* Whether SQLite's result says that the file is not what was written. */
bool store_is_damage(int rc);
/* err from SQLite's last word; names the repair where that is damage. */
int store_fail(struct store *store, int rc, struct error *err);
int store_fail_damaged(const char *dir, const char *why, struct error *err);
int store_fail_restored(const char *dir, const char *why, struct error *err);

/* ---- store_open.c ---- */

void store_path(const char *dir, const char *suffix, char path[STORE_PATH_ROOM]);
/* The file of that suffix and its journal, where an earlier attempt has left them. */
void store_unlink(const char *dir, const char *suffix);
/* DIR/streams.db.new, empty but for the tables and the head; store_adopt puts it into place. */
int store_make_file(const struct store_folder *folder, const struct store_head *head, struct store **ret_store,
		    struct error *err);
int store_adopt(const char *dir, struct error *err);
int store_flush_dir(const char *dir, struct error *err);

/* ---- store_head.c ---- */

/* Of a state that has had so many repairs: identity and seed are drawn. -ERROR_SYSTEM */
int store_draw_head(uint64_t repairs, struct store_head *ret_head, struct error *err);
/* Reads the head and, from its sum, store->sum. SQLITE_OK with *ret_good, or SQLite's error. */
int store_read_head(struct store *store, bool *ret_good);
int store_put_head(struct store *store, struct error *err);
/* Makes a state of version 1 one of ours, in one transaction. */
int store_upgrade(struct store *store, struct error *err);

/* ---- store_mark.c ---- */

int store_read_mark(int folder_fd, struct store_mark *ret_mark, enum store_marking *ret_marking, struct error *err);
/* Durably. -ERROR_STORE, -ERROR_SYSTEM */
int store_write_mark(const char *dir, int folder_fd, const struct store_head *head, struct error *err);
/* "" in why, or why this cannot be the state that the mark is of. */
int store_compare_mark(int folder_fd, const struct store_head *head, char why[STORE_WHY_ROOM],
		       enum store_marking *ret_marking, struct store_mark *ret_mark, struct error *err);

/* ---- store_placement.c ---- */

/* Remembers which files these are. -ERROR_SYSTEM; -ERROR_STORE: SQLite has opened another. */
int store_remember_placement(struct store *store, int folder_fd, struct error *err);
/* After a commit: the first one opens the journal, and may make it. */
int store_remember_journal(struct store *store, struct error *err);

/* ---- store_statement.c: a statement may be NULL ---- */

/* The statement, reset; NULL when it cannot be prepared. */
sqlite3_stmt *store_statement(struct store *store, enum store_statement which);
void store_give_text(struct store *store, sqlite3_stmt *statement, int at, const char *text);
void store_give_number(struct store *store, sqlite3_stmt *statement, int at, uint64_t number);
void store_give_u64(struct store *store, sqlite3_stmt *statement, int at, uint64_t u);
/* generator, seed and (from the third place) the stream id. */
void store_give_stream(struct store *store, sqlite3_stmt *statement, const struct stream *stream, bool id);
/* The hash as its row keeps it. */
void store_give_hash(struct store *store, sqlite3_stmt *statement, int at, uint64_t hash);
/* SQLite's result of the statement's next step, its failure to be prepared, or to be bound. */
int store_row(struct store *store, sqlite3_stmt *statement);
/* Steps a statement that gives no row. */
int store_step(struct store *store, sqlite3_stmt *statement, struct error *err);

/* What a statement that has one row at most gives: a text, and a number behind it where it has two columns. */
struct store_single {
	bool found;
	char text[24];
	sqlite3_int64 number;
};

int store_read_single(struct store *store, sqlite3_stmt *get, struct store_single *ret, struct error *err);
/* 1: there is a row of that hash; 0: none, and the hash is 0. */
int store_read_hash(struct store *store, sqlite3_stmt *get, uint64_t *ret_hash, struct error *err);

/* ---- store_hash.c ---- */

/* The head of version 1, and of ours. */
uint64_t store_hash_repairs(uint64_t repairs);
uint64_t store_hash_head(const struct store_head *head);
uint64_t store_hash_stream(const struct store_stream *row);
uint64_t store_hash_seed(const struct store_seed *row);
uint64_t store_hash_taken(const struct store_taken *row);

/* ---- store_ids.c ---- */

int store_put_seed(struct store *store, const struct store_seed *row, const struct store_seed *old, struct error *err);
/* A repair skips 2^bits ids of each seed: 2^40, of Philox 2^24. */
unsigned store_repair_bits(const struct stream *stream);
int store_put_taken(struct store *store, const struct store_taken *row, struct error *err);

/* ---- store_check.c ---- */

bool store_u64_at(sqlite3_stmt *row, int at, uint64_t *ret);
bool store_natural_at(sqlite3_stmt *row, int at, uint64_t most, uint64_t *ret);

/* What a walk over all rows meets; a row whose hash is wrong, or which cannot be, is only counted. */
struct store_walk {
	int (*on_stream)(void *arg, const struct store_stream *row); /* each may be NULL */
	int (*on_seed)(void *arg, const struct store_seed *row);
	int (*on_taken)(void *arg, const struct store_taken *row);
	void *arg;
	uint64_t sum;   /* of the good rows' hashes */
	unsigned wrong; /* rows */
};

/* SQLITE_OK, or what stopped it; *ret is what a callback returned. */
int store_walk(struct store *store, struct store_walk *walk, int *ret);
/* Everything that must hold of a state: "" in why, or what does not. SQLITE_OK, or SQLite's error. */
int store_check(struct store *store, char why[STORE_WHY_ROOM]);

#endif
