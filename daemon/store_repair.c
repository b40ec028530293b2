/* SPDX-License-Identifier: Apache-2.0 */
/* Repair. A row whose hash is right was written by us, but perhaps some time ago (a page that went back): so nothing is
 * taken at its word. Positions move on by 2^48 words, which a host that draws 10^9 words a second takes three days to
 * use; ids by 2^40 (Philox: 2^24), also those of seeds that nothing is left of. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_core.h"

#define MARGIN_GROUPS ((uint64_t)1 << 46) /* 2^48 words */

enum { DAMAGED_MOST = 9999 };

struct repair {
	struct store *made;
	FILE *report;
	unsigned streams, seeds, taken;
	struct error *err;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int keep_stream(void *arg, const struct store_stream *row)
{
	struct repair *repair = arg;
	struct store_stream moved = *row;

	moved.issued = moved.reserved = least(row->reserved + MARGIN_GROUPS, STORE_GROUPS);
	moved.skips = row->skips + 1;
	moved.skipped = least(row->skipped + (moved.reserved - row->issued), STORE_GROUPS);
	moved.skipped_from = row->issued;
	moved.skipped_until = moved.reserved;
	fprintf(repair->report, "kept: stream %s, from position %" PRIu64 " on\n", row->name, moved.reserved * 4);
	repair->streams++;
	return store_put(repair->made, &moved, repair->err);
}

static int keep_seed(void *arg, const struct store_seed *row)
{
	struct repair *repair = arg;
	struct store_seed moved = *row;
	const uint64_t jump = (uint64_t)1 << store_repair_bits(&row->stream);
	const uint64_t most = generator_row(row->stream.generator)->most_stream;
	const uint64_t floor = (repair->made->repairs << store_repair_bits(&row->stream)) + 1;

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

/* The first number that no damaged file has, beginning with 1. */
static unsigned next_number(const char *dir)
{
	char path[STORE_PATH_ROOM], suffix[32];
	struct stat st;
	unsigned number = 1;

	for (; number < DAMAGED_MOST; number++) {
		snprintf(suffix, sizeof suffix, ".damaged-%u", number);
		store_path(dir, suffix, path);
		if (stat(path, &st) < 0 && errno == ENOENT)
			break;
	}
	return number;
}

/* A byte for byte copy; a file that is not there is no failure. */
static int copy(const char *dir, const char *from, const char *to, struct error *err)
{
	char source[STORE_PATH_ROOM], target[STORE_PATH_ROOM], bytes[4096];
	FILE *in, *out;
	size_t got;

	store_path(dir, from, source);
	store_path(dir, to, target);
	in = fopen(source, "re");
	if (!in)
		return errno == ENOENT ? 0 : error_set(err, ERROR_SYSTEM, "state: %.180s: %s", source, strerror(errno));
	out = fopen(target, "we");
	while (out && (got = fread(bytes, 1, sizeof bytes, in)) > 0 && fwrite(bytes, 1, got, out) == got)
		;
	bool good = out && !ferror(in) && !ferror(out);

	fclose(in);
	if (out && fclose(out) != 0)
		good = false;
	return good ? 0 : error_set(err, ERROR_SYSTEM, "state: %.180s: cannot be copied: %s", source, strerror(errno));
}

/* The journal is emptied and not removed: beside a new state its content would be played back, and its presence tells
 * that there was a state. The state itself stays until the new one takes its place. */
static int set_aside(const char *dir, unsigned number, struct error *err)
{
	char path[STORE_PATH_ROOM], aside[STORE_PATH_ROOM], suffix[48];
	int r;

	snprintf(suffix, sizeof suffix, ".damaged-%u-journal", number);
	r = copy(dir, "-journal", suffix, err);
	if (r < 0)
		return r;
	store_path(dir, "-journal", path);
	int failed = truncate(path, 0) < 0 && errno != ENOENT;

	snprintf(suffix, sizeof suffix, ".damaged-%u", number);
	store_path(dir, suffix, aside);
	store_path(dir, "", path);
	failed |= link(path, aside) < 0 && errno != ENOENT;
	sync();
	return failed ? error_set(err, ERROR_SYSTEM, "state: %.180s: %s", aside, strerror(errno)) : store_flush_dir(dir, err);
}

/* Every whole row of the damaged state into the new one. It is read from a copy: its journal is played back into it. */
static int salvage(const char *dir, struct repair *repair)
{
	struct store from = {0};
	struct store_walk walk = {keep_stream, keep_seed, keep_taken, repair, 0, 0};
	char path[STORE_PATH_ROOM];
	int rc, r = copy(dir, "", ".read", repair->err);

	if (r == 0)
		r = copy(dir, "-journal", ".read-journal", repair->err);
	if (r < 0)
		return r;
	store_path(dir, ".read", path);
	rc = sqlite3_open_v2(path, &from.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_db_config(from.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_db_config(from.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(from.db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		rc = store_walk(&from, &walk, &r);
	}
	sqlite3_close(from.db);
	store_unlink(dir, ".read");
	if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM) /* more could be read */
		return error_set(repair->err, ERROR_NO_MEMORY, "state: %s", sqlite3_errstr(rc & 0xff));
	if (rc != SQLITE_OK)
		fprintf(repair->report, "reading stopped: %s\n", sqlite3_errstr(rc & 0xff));
	if (walk.wrong)
		fprintf(repair->report, "lost: %u rows with another hash\n", walk.wrong);
	return r;
}

/* Repairs that the state has seen: as it says itself, or as the files beside it do. */
static uint64_t count_repairs(const char *dir, unsigned number)
{
	char path[STORE_PATH_ROOM];
	struct store from = {0};
	uint64_t repairs = number;

	store_path(dir, "", path);
	if (sqlite3_open_v2(path, &from.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
		sqlite3_stmt *get = store_statement(&from, STATEMENT_SUM_GET);
		sqlite3_int64 said = get && sqlite3_step(get) == SQLITE_ROW ? sqlite3_column_int64(get, 1) : 0;

		if (said > 0 && said < UINT16_MAX && (uint64_t)said + 1 > repairs)
			repairs = (uint64_t)said + 1;
		sqlite3_finalize(get);
	}
	sqlite3_close(from.db);
	return repairs;
}

static int rebuild(const struct store_folder *folder, FILE *report, struct error *err)
{
	const char *dir = folder->path;
	const unsigned number = next_number(dir);
	struct repair repair = {.report = report, .err = err};
	int r;

	if (number == DAMAGED_MOST)
		return error_set(err, ERROR_LIMIT, "state: %d damaged files are kept, allowed: to remove some", number);
	r = store_make_file(folder, count_repairs(dir, number), &repair.made, err);
	if (r < 0)
		return r;
	r = store_begin(repair.made, err);
	if (r == 0)
		r = salvage(dir, &repair);
	if (r == 0)
		r = store_commit(repair.made, err);
	store_close(repair.made);
	if (r == 0)
		r = set_aside(dir, number, err);
	if (r == 0)
		r = store_adopt(dir, err);
	if (r == 0)
		fprintf(report,
			"repaired: %u streams, %u seeds and %u ids are kept; the damaged file is " STORE_FILE ".damaged-%u\n",
			repair.streams, repair.seeds, repair.taken, number);
	return r;
}

int store_repair(const struct store_folder *folder, FILE *report, struct error *err)
{
	const char *dir = folder->path;
	struct store *store;
	bool damaged;
	int r;

	if (!store_exists(dir))
		return error_set(err, ERROR_NOT_FOUND, "state: there is none in %.160s", dir);
	r = store_open(folder, false, &store, &damaged, err);
	if (r == 0) {
		store_close(store);
		fprintf(report, "nothing to repair: %s/" STORE_FILE " is sound\n", dir);
		return 0;
	}
	return damaged ? rebuild(folder, report, err) : r;
}
