/* SPDX-License-Identifier: Apache-2.0 */
/* What the store is made of; for the store's files.
 *
 *     store_open.c         opens or makes the file, and compares it with the folder's mark
 *     store_check.c        everything that must hold of a state, checked when it is opened
 *     store_transaction.c  begin, commit, rows of streams, the head
 *     store_ids.c          stream ids: a counter for each (generator, seed), and ids that users chose
 *     store_rows.c         rows read and hashed
 *     store_statement.c    prepared statements; SQLite's results as errors
 *     store_folder.c       lock, paths, placement
 *     store_mark.c         the folder's extended attribute
 *     store_repair.c       repair and restore, run by the daemon's command line
 *
 * A store belongs to one thread at a time: SQLite is opened without its mutexes. */
#ifndef TRNSCI_DAEMON_STORE_CORE_H
#define TRNSCI_DAEMON_STORE_CORE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "store.h"

enum {
	STORE_APPLICATION = 0x74726e73, /* "trns" */
	STORE_VERSION = 3,     /* user_version of the file; store_upgrade reads the older ones */
	STORE_PATH_ROOM = 512, /* bytes of a path, with its final 0 */
	STORE_TEXT_ROOM = 512, /* a row in one line, for its hash */
	STORE_WHY_ROOM = 80,   /* bytes of a reason in an error, with its final 0 */
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

/* Identifies a file, whatever its path. All 0: not known yet. */
struct store_inode {
	dev_t device;
	ino_t number;
};

/* The row of the state itself. In version 1 all but `repairs` are 0. */
struct store_head {
	uint64_t repairs; /* repairs and restores: each leaves ids unused */
	uint64_t identity, seed;
	uint64_t commits; /* including the one that wrote this */
	bool marked;      /* the folder was marked once, and must have a mark */
};

/* What the folder's mark says. */
struct store_mark {
	uint64_t identity, commits, repairs, inode;
	int64_t birth_s;   /* both 0: the file system keeps no birth */
	uint32_t birth_ns;
};

enum store_marking { STORE_MARK_NONE, STORE_MARK_READ, STORE_MARK_UNREADABLE, STORE_MARK_UNSUPPORTED };

struct store {
	sqlite3 *db;
	char dir[STORE_PATH_ROOM];
	bool placed;    /* its placement was remembered, and can be checked */
	bool misplaced; /* what the last check found */
	struct store_inode folder, database, journal;
	sqlite3_stmt *statements[STATEMENTS];
	int bound; /* SQLITE_OK; or why a parameter of the present statement was not bound: it must not run then */
	int version;
	uint64_t sum; /* of the hashes of all rows but the head, in the present transaction */
	struct store_head head;
	int folder_fd; /* the caller's */
	bool guarded;       /* the folder can be marked */
	uint64_t marked_at; /* commits that the mark states; 0: no mark */
};

/* The next id of a (generator, seed), and who first used it. */
struct store_seed {
	struct stream stream; /* stream.stream: the next id; 0 if all are assigned */
	bool ended;           /* all ids are assigned */
	uint32_t uid;
};

/* An id that a user chose, not yet reached by the counter. */
struct store_taken {
	struct stream stream;
	uint32_t uid;
};

/* ---- store_statement.c: statements and failures. A statement may be NULL, where it could not be prepared. ---- */

/* Returns true if SQLite's result means that the file is not what was written. */
bool store_is_damage(int rc);
/* Sets err from SQLite's result, and returns its negative code. A damaged state's error names the repair. */
int store_fail(struct store *store, int rc, struct error *err);
int store_fail_damaged(const char *dir, const char *why, struct error *err);
int store_fail_restored(const char *dir, const char *why, struct error *err);

/* Returns the statement, reset. */
sqlite3_stmt *store_statement(struct store *store, enum store_statement which);
/* Bind the parameter at a place, from 1 on. */
void store_bind_text(struct store *store, sqlite3_stmt *statement, int at, const char *text);
void store_bind_number(struct store *store, sqlite3_stmt *statement, int at, uint64_t number);
void store_bind_u64(struct store *store, sqlite3_stmt *statement, int at, uint64_t u);
/* Binds size bytes, which stay where they are until the statement is reset; NULL. */
void store_bind_blob(struct store *store, sqlite3_stmt *statement, int at, const char *bytes, size_t size);
/* Binds generator and seed to the first two places and, if id, the stream id to the third. */
void store_bind_stream(struct store *store, sqlite3_stmt *statement, const struct stream *stream, bool id);
/* Binds a hash as rows keep it: 16 hexadecimal digits. */
void store_bind_hash(struct store *store, sqlite3_stmt *statement, int at, uint64_t hash);
/* Steps the statement once. Returns SQLite's result, also of a failure to prepare it or to bind a parameter. */
int store_step_row(struct store *store, sqlite3_stmt *statement);
/* Runs a statement that returns no row. */
int store_step(struct store *store, sqlite3_stmt *statement, struct error *err);

/* The row of a statement that returns one at most: a text and, if it has two columns, a number. */
struct store_single {
	bool found;
	char text[24];
	sqlite3_int64 number;
};

int store_read_single(struct store *store, sqlite3_stmt *get, struct store_single *ret, struct error *err);
/* Returns 1 with the hash of the row; 0 with the hash 0 if there is no row; or an error. */
int store_read_hash(struct store *store, sqlite3_stmt *get, uint64_t *ret_hash, struct error *err);

/* ---- store_rows.c ---- */

/* The head of version 1, and of the present version. */
uint64_t store_hash_repairs(uint64_t repairs);
uint64_t store_hash_head(const struct store_head *head);
uint64_t store_hash_stream(const struct store_stream *row);
uint64_t store_hash_seed(const struct store_seed *row);
uint64_t store_hash_taken(const struct store_taken *row);

/* Read a column, counted from 0. "" if it is not text; false if it is not such a number. */
const char *store_text_at(sqlite3_stmt *row, int at);
bool store_u64_at(sqlite3_stmt *row, int at, uint64_t *ret);
bool store_natural_at(sqlite3_stmt *row, int at, uint64_t most, uint64_t *ret);

/* A walk over all rows. A row that is malformed, or whose hash is wrong, is only counted. */
struct store_walk {
	int (*on_stream)(void *arg, const struct store_stream *row); /* each may be NULL */
	int (*on_seed)(void *arg, const struct store_seed *row);
	int (*on_taken)(void *arg, const struct store_taken *row);
	void *arg;
	uint64_t sum;   /* of the good rows' hashes */
	unsigned wrong; /* rows */
};

/* Returns SQLITE_OK or SQLite's error. A callback's negative result ends the walk and is left in *ret. */
int store_walk(struct store *store, struct store_walk *walk, int *ret);

/* ---- store_folder.c ---- */

int store_fail_path(const char *path, int number, struct error *err);
/* Writes the path of DIR/streams.db with a suffix. */
void store_path(const char *dir, const char *suffix, char path[STORE_PATH_ROOM]);
/* Checks that the file, and those that SQLite opens beside it, are regular files where they exist: to open a FIFO would wait for
 * ever. -ERROR_STORE */
int store_check_kinds(const char *dir, const char *suffix, struct error *err);
/* Removes the file of that suffix and its journal, if an earlier attempt has left them. */
void store_unlink(const char *dir, const char *suffix);
int store_flush_dir(const char *dir, struct error *err);

/* Remembers which files are open, to compare them later. -ERROR_SYSTEM; -ERROR_STORE: SQLite has opened another file. */
int store_remember_placement(struct store *store, int folder_fd, struct error *err);
/* Remembers which file the journal is, after a commit: the first commit opens it, and may make it. */
int store_remember_journal(struct store *store, struct error *err);

/* ---- store_mark.c ---- */

int store_read_mark(int folder_fd, struct store_mark *ret_mark, enum store_marking *ret_marking, struct error *err);
/* Marks the folder durably. -ERROR_STORE, -ERROR_SYSTEM */
int store_write_mark(const char *dir, int folder_fd, const struct store_head *head, struct error *err);
/* Compares a state with its folder's mark: why is "", or says why the mark is not of this state. */
int store_compare_mark(int folder_fd, const struct store_head *head, char why[STORE_WHY_ROOM],
		       enum store_marking *ret_marking, struct store_mark *ret_mark, struct error *err);

/* ---- store_transaction.c ---- */

/* Makes the head of a new state that was repaired so many times: draws its identity and seed. -ERROR_SYSTEM */
int store_draw_head(uint64_t repairs, struct store_head *ret_head, struct error *err);
/* Reads store->head and store->sum. Returns SQLITE_OK with *ret_good, or SQLite's error. */
int store_read_head(struct store *store, bool *ret_good);
int store_put_head(struct store *store, struct error *err);
/* Upgrades a state of an older version, in one transaction. */
int store_upgrade(struct store *store, struct error *err);

/* ---- store_ids.c ---- */

int store_put_seed(struct store *store, const struct store_seed *row, const struct store_seed *old, struct error *err);
/* A repair skips 2^bits ids of each seed: 2^40, of 32 bits 2^24. */
unsigned store_repair_bits(const struct stream *stream);
int store_put_taken(struct store *store, const struct store_taken *row, struct error *err);

/* ---- store_check.c ---- */

/* Checks everything that must hold of a state: why is "", or says what does not. Returns SQLITE_OK, or SQLite's error. */
int store_check(struct store *store, char why[STORE_WHY_ROOM]);

/* ---- store_open.c ---- */

/* Makes DIR/streams.db.new with its tables and the head, and no other rows. */
int store_make_file(const struct store_folder *folder, const struct store_head *head, struct store **ret_store,
		    struct error *err);
/* Renames DIR/streams.db.new to DIR/streams.db. */
int store_adopt(const char *dir, struct error *err);

#endif
