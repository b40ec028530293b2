/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts of named streams: a SQLite database, DIR/streams.db, of one daemon and one thread at a time.
 *
 * Rollback journal (PERSIST) with synchronous=FULL: a commit that has returned is on the disk, and the whole state is
 * in one file that can be checked. A write-ahead log would take one flush for a commit instead of four, but a log that
 * is damaged or lost is taken for a shorter one, and positions would silently go back. (DELETE would need EXTRA: the
 * removal of a journal that is not flushed can be undone by a power cut, and the journal undo a commit.) Each row
 * carries a hash, and one sum covers all rows, since SQLite's pages have no checksums.
 *
 * A file can be put back from a backup, or copied elsewhere, with positions in it that have long been issued. So the folder
 * has a mark, an extended attribute that a copy of the file does not bring back: the state's identity, how often it has
 * committed, and the folder's inode and birth. A commit raises it before anything of the commit is issued. At the start
 * the state has as many commits as its mark, or one more (a crash between the two).
 *
 * Positions are counted in groups of 4 words, of which a stream has 2^62. */
#ifndef TRNSCI_DAEMON_STORE_H
#define TRNSCI_DAEMON_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/deferred_reply.h"

#define STORE_FILE "streams.db"
#define STORE_MARK "user.trnsci.mark" /* attribute of the folder */

enum {
	STORE_NAME_MOST = 64,
	STORE_GROUP_BITS = 62, /* a stream has 2^62 groups */
	STORE_NOTE_ROOM = 600,
};

#define STORE_GROUPS ((uint64_t)1 << STORE_GROUP_BITS)

struct store;

/* A state folder that this process has locked. */
struct store_folder {
	const char *path;
	int fd;          /* of store_lock; stays open as long as a store of the folder does */
	const char *vfs; /* SQLite's; NULL: the default */
};

/* Whether a name may be a stream's. */
bool store_name_is_good(const char *name, size_t size);

/* A named stream. Groups below reserved may have been issued; those below issued were, as the store knows. */
struct store_stream {
	char name[STORE_NAME_MOST + 1];
	struct stream stream;
	uint32_t uid, gid, mode;
	int64_t created_s; /* seconds since 1970 */
	uint64_t issued, reserved;
	uint64_t skips, skipped;             /* crashes, and groups that they gave up, issued or not */
	uint64_t skipped_from, skipped_until; /* the last of them */
};

/* Keeps other daemons away from the folder, until *ret_fd is closed; makes it (mode 0700) with the folders above it
 * when asked to. -ERROR_LIMIT: another daemon has it. -ERROR_SYSTEM. */
int store_lock(const char *dir, bool make, int *ret_fd, struct error *err);

/* Why a state cannot be used: its rows or pages are wrong; or they are sound, but were restored, copied or moved. */
enum store_fault { STORE_SOUND, STORE_DAMAGED, STORE_RESTORED };

/* The first of the folder and its files that others than this user and root can write; false: none. */
bool store_find_writable(const struct store_folder *folder, char ret_text[STORE_NOTE_ROOM]);

/* Whether there is a state file, what is left of one, or a mark of one, in the folder. */
bool store_exists(const char *dir);

/* Opens the state of a folder; make: a new one where there is none. Everything in it is checked, and the mark; a state of
 * an older release is upgraded. -ERROR_STORE: it cannot be used (*ret_fault, which may be NULL; the text names the
 * command), is of a newer release, or cannot be read or made. -ERROR_SYSTEM. */
int store_open(const struct store_folder *folder, bool make, struct store **ret_store, enum store_fault *ret_fault,
	       struct error *err);
/* The seed of streams that state none: random, drawn when the state was made. */
uint64_t store_seed(const struct store *store);
/* Whether the folder has a mark; false where its file system keeps no extended attributes. */
bool store_is_marked(const struct store *store);
/* Accepts NULL. */
void store_close(struct store *store);

/* Calls each for every stream, until it fails. */
int store_load(struct store *store, int (*each)(void *arg, const struct store_stream *row), void *arg,
	       struct error *err);

/* Compares the folder, the database and its journal with what lies at their paths: SQLite goes on writing to files that
 * were replaced, deleted or moved. -ERROR_STORE: another lies there, or nothing does (store_is_misplaced).
 * -ERROR_SYSTEM: the system did not answer. */
int store_check_placement(struct store *store, struct error *err);
/* What the last check found. */
bool store_is_misplaced(const struct store *store);

/* A transaction; a commit that returns 0 is durable, in the files at their paths, and marked. After a failure of any call between them, or of the commit itself,
 * nothing of the transaction has happened (or, of a commit, all may have). -ERROR_STORE */
int store_begin(struct store *store, struct error *err);
int store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* In a transaction: the row of that name, new or in place of the old one; or none. */
int store_put(struct store *store, const struct store_stream *row, struct error *err);
int store_remove(struct store *store, const char *name, struct error *err);

/* In a transaction, with stream->generator and seed: assigns a stream id that no name ever had, stream->stream when
 * wanted, and counts it against the user's most_seeds. -ERROR_EXISTS, -ERROR_LIMIT, -ERROR_OUT_OF_RANGE (the ids are
 * used up; or repaired too often); nothing is then changed. */
int store_assign(struct store *store, struct stream *stream, bool wanted, uint32_t uid, uint64_t most_seeds,
		 struct error *err);

/* Makes a sound state of a damaged one, and reports what it did; a new seed and identity are drawn. What is whole is kept, each stream
 * 2^48 words further on; ids that may have been assigned are not assigned again; the damaged file stays beside it as
 * streams.db.damaged-N. A sound state is left alone. 0, -ERROR_NOT_FOUND, -ERROR_STORE, -ERROR_SYSTEM. */
int store_repair(const struct store_folder *folder, FILE *report, struct error *err);
/* Makes a state that was restored, copied or moved safe to go on with, and reports what it did: each stream goes on at the
 * next multiple of 2^60 words, ids as after a repair, and a new seed and identity are drawn. The old file stays beside it
 * as streams.db.restored-N. Errors as of store_repair. */
int store_restore(const struct store_folder *folder, FILE *report, struct error *err);

#endif
