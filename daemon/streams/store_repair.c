/* SPDX-License-Identifier: Apache-2.0 */
/* Repair and restore.
 *
 * A row with the right hash was written by a daemon, but may be old: from a page that went back, or a backup. So positions
 * move on: after damage by 2^48 words, which take a host that draws 10^9 words a second three days; a restored file may be
 * older than that, and goes on at the next multiple of 2^60. Ids move on by 2^40 (of 32 bits: 2^24), also those of seeds whose
 * rows are lost. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_core.h"

#define MARGIN_GROUPS ((uint64_t)1 << 46) /* 2^48 words */
#define FAR_GROUPS    ((uint64_t)1 << 58) /* 2^60 words */

enum { ASIDE_MOST = 9999 };

struct repair {
	const struct store_folder *folder;
	const char *aside; /* the old file's new suffix, before its number */
	unsigned number;
	bool far;         /* the file may be an old one */
	uint64_t unknown; /* repairs and restores that it does not know of */
	struct store from, *made;
	FILE *report;
	unsigned streams, seeds, taken;
	struct error *err;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns a group from which on none was issued, however old the row is. */
static uint64_t move_on(const struct repair *repair, uint64_t reserved)
{
	if (!repair->far)
		return min_u64(reserved + MARGIN_GROUPS, STORE_GROUPS);
	const uint64_t steps = reserved / FAR_GROUPS + 1, ends = STORE_GROUPS / FAR_GROUPS;

	return min_u64(steps + min_u64(repair->unknown, ends), ends) * FAR_GROUPS;
}

static int keep_stream(void *arg, const struct store_stream *row)
{
	struct repair *repair = arg;
	struct store_stream moved = *row;

	moved.issued = moved.reserved = move_on(repair, row->reserved);
	moved.skips = row->skips + 1;
	moved.skipped = min_u64(row->skipped + (moved.reserved - row->issued), STORE_GROUPS);
	moved.skipped_from = row->issued;
	moved.skipped_until = moved.reserved;
	if (moved.reserved == STORE_GROUPS)
		fprintf(repair->report, "kept: stream %s, which has come to its end\n", row->name);
	else
		fprintf(repair->report, "kept: stream %s, from position %" PRIu64 " on\n", row->name, 
			moved.reserved * store_group_positions(row));
	repair->streams++;
	return store_put(repair->made, &moved, repair->err);
}

static int keep_seed(void *arg, const struct store_seed *row)
{
	struct repair *repair = arg;
	struct store_seed moved = *row;
	const uint64_t jump = (uint64_t)1 << store_repair_bits(&row->stream);
	const uint64_t most = generator_row(row->stream.generator)->most_stream;
	const uint64_t floor = (repair->made->head.repairs << store_repair_bits(&row->stream)) + 1;

	if (!row->ended) {
		moved.ended = row->stream.stream > most - jump;
		moved.stream.stream = moved.ended ? 0 : row->stream.stream + jump;
		if (!moved.ended && moved.stream.stream < floor)
			moved.stream.stream = floor;
	}
	repair->seeds++;
	return store_put_seed(repair->made, &moved, NULL, repair->err);
}

static int keep_taken(void *arg, const struct store_taken *row)
{
	struct repair *repair = arg;

	repair->taken++;
	return store_put_taken(repair->made, row, repair->err);
}

/* Returns the first number, from 1 on, that no file with that suffix has. */
static unsigned next_number(const char *dir, const char *aside)
{
	char path[STORE_PATH_ROOM], suffix[32];
	struct stat st;
	unsigned number = 1;

	for (; number < ASIDE_MOST; number++) {
		snprintf(suffix, sizeof suffix, "%s%u", aside, number);
		store_path(dir, suffix, path);
		if (stat(path, &st) < 0 && errno == ENOENT)
			break;
	}
	return number;
}

/* Makes a durable copy. A missing file is no failure. */
static int copy_file(const char *dir, const char *from, const char *to, struct error *err)
{
	char source[STORE_PATH_ROOM], target[STORE_PATH_ROOM], bytes[4096];
	FILE *in, *out;
	size_t got;

	if (store_check_kinds(dir, from, err) < 0 || store_check_kinds(dir, to, err) < 0)
		return -ERROR_STORE;
	store_path(dir, from, source);
	store_path(dir, to, target);
	in = fopen(source, "re");
	if (!in)
		return errno == ENOENT ? 0 : error_set(err, ERROR_SYSTEM, "state: %.180s: %s", source, strerror(errno));
	out = fopen(target, "we");
	while (out && (got = fread(bytes, 1, sizeof bytes, in)) > 0 && fwrite(bytes, 1, got, out) == got)
		;
	bool good = out && !ferror(in) && !ferror(out) && fflush(out) == 0 && fsync(fileno(out)) == 0;

	fclose(in);
	if (out && fclose(out) != 0)
		good = false;
	return good ? 0 : error_set(err, ERROR_SYSTEM, "state: %.180s: cannot be copied: %s", source, strerror(errno));
}

static int empty_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), r;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	r = fsync(fd);
	close(fd);
	return r;
}

/* Keeps the old files. The journal is emptied, since SQLite would play it back into the new state, but not removed: it shows
 * that there was a state. The state itself stays until the new one replaces it. */
static int set_aside(const struct repair *repair)
{
	char path[STORE_PATH_ROOM], aside[STORE_PATH_ROOM], suffix[48];
	const char *dir = repair->folder->path;
	int r;

	snprintf(suffix, sizeof suffix, "%s%u-journal", repair->aside, repair->number);
	r = copy_file(dir, "-journal", suffix, repair->err);
	if (r < 0)
		return r;
	store_path(dir, "-journal", path);
	int failed = empty_file(path) < 0;

	snprintf(suffix, sizeof suffix, "%s%u", repair->aside, repair->number);
	store_path(dir, suffix, aside);
	store_path(dir, "", path);
	failed |= link(path, aside) < 0 && errno != ENOENT;
	return failed ? error_set(repair->err, ERROR_SYSTEM, "state: %.180s: %s", aside, strerror(errno))
		      : store_flush_dir(dir, repair->err);
}

/* Opens a copy of the old state, and SQLite plays its journal back. from.db is NULL if it cannot be opened. */
static int open_copy(struct repair *repair)
{
	const char *dir = repair->folder->path;
	char path[STORE_PATH_ROOM];
	int rc, r = copy_file(dir, "", ".read", repair->err);

	if (r == 0)
		r = copy_file(dir, "-journal", ".read-journal", repair->err);
	if (r < 0)
		return r;
	store_path(dir, ".read", path);
	rc = sqlite3_open_v2(path, &repair->from.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK) {
		fprintf(repair->report, "reading stopped: %s\n", sqlite3_errstr(rc & 0xff));
		sqlite3_close(repair->from.db);
		repair->from.db = NULL;
		return 0;
	}
	sqlite3_db_config(repair->from.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(repair->from.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(repair->from.db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return 0;
}

static void close_copy(struct repair *repair)
{
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(repair->from.statements[i]);
	sqlite3_close(repair->from.db);
	store_unlink(repair->folder->path, ".read");
}

/* Writes every good row of the old state into the new one. */
static int keep_rows(struct repair *repair)
{
	struct store_walk walk = {keep_stream, keep_seed, keep_taken, repair, 0, 0};
	int r = 0, rc = repair->from.db ? store_walk(&repair->from, &walk, &r) : SQLITE_OK;

	if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM) /* more could be read */
		return error_set(repair->err, ERROR_NO_MEMORY, "state: %s", sqlite3_errstr(rc & 0xff));
	if (rc != SQLITE_OK)
		fprintf(repair->report, "reading stopped: %s\n", sqlite3_errstr(rc & 0xff));
	if (walk.wrong)
		fprintf(repair->report, "lost: %u rows with a wrong hash\n", walk.wrong);
	return r;
}

/* Reads the old head, if it can be read. */
static void read_old_head(struct store *from)
{
	bool good;

	for (from->version = STORE_VERSION; from->db && from->version > 0; from->version--)
		if (store_read_head(from, &good) == SQLITE_OK && good)
			return;
}

/* Makes the new head. Its repairs are the most that the file, the files beside it or the mark count, plus one. If the mark is
 * not the file's, the file may be an old one, even if it is damaged. */
static int plan_repair(struct repair *repair, bool restore, struct store_head *ret_head)
{
	char why[STORE_WHY_ROOM];
	enum store_marking marking;
	struct store_mark mark = {0};
	struct store_head *old = &repair->from.head;
	int r = store_compare_mark(repair->folder->fd, old, why, &marking, &mark, repair->err);
	uint64_t repairs = old->repairs < UINT16_MAX ? old->repairs + 1 : 1;

	if (r < 0)
		return r;
	if (!restore && repairs < repair->number)
		repairs = repair->number;
	if (mark.repairs < UINT16_MAX && mark.repairs >= repairs)
		repairs = mark.repairs + 1;
	repair->far = restore || *why;
	repair->unknown = repairs - 1 - min_u64(old->repairs, repairs - 1);
	r = store_draw_head(repairs, ret_head, repair->err);
	ret_head->marked = marking != STORE_MARK_UNSUPPORTED;
	return r;
}

/* Gives the new file the old one's owner and mode, or the folder's owner, so that the daemon can open it. */
static int keep_owner(const struct repair *repair)
{
	char old[STORE_PATH_ROOM], made[STORE_PATH_ROOM];
	struct stat st;

	store_path(repair->folder->path, "", old);
	store_path(repair->folder->path, ".new", made);
	const bool there = stat(old, &st) == 0;

	if (!there && fstat(repair->folder->fd, &st) < 0)
		return error_set(repair->err, ERROR_SYSTEM, "state: %.180s: %s", old, strerror(errno));
	if (chown(made, st.st_uid, st.st_gid) < 0 && there)
		return error_set(repair->err, ERROR_SYSTEM, "state: %.110s: its owner %u and group %u: %s, allowed: to run this as root",
				 made, (unsigned)st.st_uid, (unsigned)st.st_gid, strerror(errno));
	if (there && chmod(made, st.st_mode & 0777) < 0)
		return error_set(repair->err, ERROR_SYSTEM, "state: %.180s: %s", made, strerror(errno));
	return 0;
}

/* Marks the folder first: after a crash between the two, the old file is refused, and the command can be run again. */
static int take_over(struct repair *repair, const struct store_head *head)
{
	int r = keep_owner(repair);

	if (r == 0)
		r = set_aside(repair);
	if (r == 0 && head->marked)
		r = store_write_mark(repair->folder->path, repair->folder->fd, head, repair->err);
	return r < 0 ? r : store_adopt(repair->folder->path, repair->err);
}

static int rebuild(struct repair *repair, bool restore)
{
	struct store_head head;
	int r;

	repair->number = next_number(repair->folder->path, repair->aside);
	if (repair->number == ASIDE_MOST)
		return error_set(repair->err, ERROR_LIMIT, "state: %d old files are kept, allowed: to remove some", ASIDE_MOST);
	r = open_copy(repair);
	if (r == 0) {
		read_old_head(&repair->from);
		r = plan_repair(repair, restore, &head);
	}
	if (r == 0)
		r = store_make_file(repair->folder, &head, &repair->made, repair->err);
	if (r == 0)
		r = store_begin(repair->made, repair->err);
	if (r == 0)
		r = keep_rows(repair);
	if (r == 0)
		r = store_commit(repair->made, repair->err);
	if (r == 0)
		head = repair->made->head;
	store_close(repair->made);
	close_copy(repair);
	return r < 0 ? r : take_over(repair, &head);
}

static void report_done(const struct repair *repair, const char *done)
{
	fprintf(repair->report, "%s: %u streams, %u seeds and %u ids are kept; the old file is " STORE_FILE "%s%u\n", done,
		repair->streams, repair->seeds, repair->taken, repair->aside, repair->number);
}

/* Opens and closes a state that must be there. ret_fault: what is wrong with it. */
static int inspect(const struct store_folder *folder, enum store_fault *ret_fault, struct error *err)
{
	struct store *store;
	int r;

	*ret_fault = STORE_SOUND;
	if (!store_exists(folder->path))
		return error_set(err, ERROR_NOT_FOUND, "state: there is none in %.160s", folder->path);
	r = store_open(folder, false, &store, ret_fault, err);
	if (r == 0)
		store_close(store);
	return r;
}

int store_repair(const struct store_folder *folder, FILE *report, struct error *err)
{
	struct repair repair = {.folder = folder, .aside = ".damaged-", .report = report, .err = err};
	enum store_fault fault;
	int r = inspect(folder, &fault, err);

	if (r == 0)
		fprintf(report, "nothing to repair: %s/" STORE_FILE " is sound\n", folder->path);
	if (fault == STORE_DAMAGED)
		r = rebuild(&repair, false);
	if (fault == STORE_DAMAGED && r == 0)
		report_done(&repair, "repaired");
	return r;
}

int store_restore(const struct store_folder *folder, FILE *report, struct error *err)
{
	struct repair repair = {.folder = folder, .aside = ".restored-", .report = report, .err = err};
	enum store_fault fault;
	int r = inspect(folder, &fault, err);

	if (r < 0 && fault != STORE_RESTORED)
		return r;
	r = rebuild(&repair, true);
	if (r == 0)
		report_done(&repair, "restored");
	return r;
}
