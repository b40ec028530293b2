/* SPDX-License-Identifier: Apache-2.0 */
/* The state of named streams on disk: a SQLite database, DIR/streams.db, used by one daemon and one thread at a time.
 *
 * The journal mode is PERSIST with synchronous=FULL: a commit that has returned is on the disk, and the whole state is in
 * one file that can be checked. A write-ahead log would need one flush for a commit instead of four. But SQLite takes a log
 * that is damaged or lost for a shorter one, and positions would silently go back. (DELETE would need EXTRA: a power cut can
 * undo the removal of a journal, which then undoes a commit.) SQLite's pages have no checksums, so each row has a hash, and
 * one sum covers all rows.
 *
 * A file can be restored from a backup or copied elsewhere, with positions in it that were issued later. So the folder has
 * a mark, an extended attribute that a copy of the file does not include: the state's identity, the number of its commits,
 * and the folder's inode and birth. A commit raises the mark before anything of it is issued. At the start the state has as
 * many commits as its mark, or one more (after a crash between the two).
 *
 * Positions are counted in groups of 4 words, of which a stream has 2^62; those of a stream that is one signal of coloured noise
 * in its samples, of which it has as many. A stream's groups:
 *
 *     0 .. row.issued     were issued before the row was written
 *     .. next             were issued since then; only memory knows (struct named_stream)
 *     .. row.reserved     may be issued without a commit
 *     .. 2^62             need a commit that raises `reserved` first
 *
 * After a crash nobody knows `next`, so everything from `issued` to `reserved` is skipped and never issued. A clean stop
 * writes issued = reserved = next, and nothing is skipped. */
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
	STORE_NOISE_MOST = 4096, /* bytes of a signal's description: a page of stream_list has 1024 streams */
};

#define STORE_GROUPS ((uint64_t)1 << STORE_GROUP_BITS)

struct store;

/* A state folder that this process has locked. */
struct store_folder {
	const char *path;
	int fd;          /* of store_lock; must stay open as long as a store of the folder */
	const char *vfs; /* SQLite's; NULL: the default */
};

/* Returns true if a name is allowed for a stream. */
bool store_name_is_good(const char *name, size_t size);

/* A named stream. Groups below `issued` were issued; those from there to below `reserved` may have been. */
struct store_stream {
	char name[STORE_NAME_MOST + 1];
	struct stream stream;
	uint32_t uid, gid, mode;
	int64_t created_s; /* seconds since 1970 */
	uint64_t issued, reserved;
	uint64_t skips, skipped;              /* number of crashes, and of groups that they skipped */
	uint64_t skipped_from, skipped_until; /* groups that the last one skipped */
	const char *noise; /* of a signal: its description (stream_signal.h), borrowed; NULL */
	size_t noise_size;
};

/* Returns the positions of a group, as clients count them: words, or samples of a signal. */
static inline uint64_t store_group_positions(const struct store_stream *row)
{
	return row->noise ? 1 : STREAM_GROUP_WORDS;
}

/* Locks the folder until *ret_fd is closed. make: makes it first (mode 0700), with the folders above it. Returns 0;
 * -ERROR_LIMIT: another daemon has locked it; -ERROR_SYSTEM. */
int store_lock(const char *dir, bool make, int *ret_fd, struct error *err);

/* Why a state cannot be used. DAMAGED: its rows or pages are wrong. RESTORED: they are sound, but were restored, copied or
 * moved. */
enum store_fault { STORE_SOUND, STORE_DAMAGED, STORE_RESTORED };

/* Finds the first of the folder and its files that users other than this one and root can write. Returns false if there is
 * none. */
bool store_find_writable(const struct store_folder *folder, char ret_text[STORE_NOTE_ROOM]);

/* Returns true if the folder has a state, or its journal or mark, which show that there was one. */
bool store_exists(const char *dir);

/* Opens the state of a folder; make: creates one if there is none. Checks all of it, and the mark; upgrades a state of an older
 * release. Returns 0; -ERROR_STORE: it cannot be used (ret_fault, which may be NULL, says why, and the error names the
 * command), is of a newer release, or cannot be read or made; -ERROR_SYSTEM. */
int store_open(const struct store_folder *folder, bool make, struct store **ret_store, enum store_fault *ret_fault,
	       struct error *err);
/* Returns the seed of streams that are created without one: random, drawn when the state was made. */
uint64_t store_seed(const struct store *store);
/* Returns true if the folder is marked; false if its file system keeps no extended attributes. */
bool store_is_marked(const struct store *store);
/* Accepts NULL. */
void store_close(struct store *store);

/* Calls each(arg, row) for every stream, until it returns an error, which is returned. */
int store_load(struct store *store, int (*each)(void *arg, const struct store_stream *row), void *arg,
	       struct error *err);

/* Compares the folder, the database and its journal with what lies at their paths: SQLite goes on writing to files that
 * were replaced, deleted or moved. Returns 0; -ERROR_STORE: something else or nothing is there (store_is_misplaced);
 * -ERROR_SYSTEM: they cannot be compared. */
int store_check_placement(struct store *store, struct error *err);
/* Returns true if the last check found another file, or none. */
bool store_is_misplaced(const struct store *store);

/* A transaction. A commit that returns 0 is durable, in the files at their paths, and marked: only then may its positions be
 * issued and its replies be sent. If a call within it fails, nothing of it has happened; if the commit fails, all or nothing.
 * Return 0 or -ERROR_STORE. */
int store_begin(struct store *store, struct error *err);
int store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* Within a transaction: write the row of a name, new or in place of the old one; remove it. */
int store_put(struct store *store, const struct store_stream *row, struct error *err);
int store_remove(struct store *store, const char *name, struct error *err);

/* Within a transaction: assigns a stream id of stream->generator and stream->seed that no name ever had; wanted: the one in
 * stream->stream. Counts it against the user's most_seeds. Returns 0; or -ERROR_EXISTS, -ERROR_LIMIT or -ERROR_OUT_OF_RANGE
 * (no id is left, or the state was repaired too often), and nothing has changed. */
int store_assign(struct store *store, struct stream *stream, bool wanted, uint32_t uid, uint64_t most_seeds,
		 struct error *err);

/* Makes a sound state of a damaged one, with a new seed and identity, and reports what it did. Undamaged rows are kept, each
 * stream 2^48 words further on. Ids that may have been assigned are not assigned again. The damaged file is kept as
 * streams.db.damaged-N. A sound state is left as it is. Returns 0, -ERROR_NOT_FOUND, -ERROR_STORE or -ERROR_SYSTEM. */
int store_repair(const struct store_folder *folder, FILE *report, struct error *err);
/* Makes a state that was restored, copied or moved safe to use, and reports what it did. Each stream goes on at the next
 * multiple of 2^60 words, ids as after a repair, with a new seed and identity. The old file is kept as
 * streams.db.restored-N. Returns as store_repair. */
int store_restore(const struct store_folder *folder, FILE *report, struct error *err);

#endif
