/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a state: a restored, copied, moved or lost state is refused until --restored-state has been said, after
 * which nothing that was ever issued comes again; what a crash leaves is not refused, and states without a mark get one. */
#include "harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "daemon/streams/store_core.h"
#include "daemon/streams/store_schema.h"

struct bed {
	char top[64], dir[80]; /* the state is in `dir` of the folder `top` */
	struct store_folder folder;
	struct store *store;
	enum store_fault fault;
	struct error err;
};

/* Runs a command of the shell in the folder above the state. */
static void shell(const struct bed *bed, const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "cd %s && { %s; }", bed->top, command);
	assert_int_equal(system(line), 0);
}

static int open_state(struct bed *bed, bool make)
{
	bed->folder.path = bed->dir;
	assert_int_equal(store_lock(bed->dir, make, &bed->folder.fd, &bed->err), 0);
	return store_open(&bed->folder, make, &bed->store, &bed->fault, &bed->err);
}

static void close_state(struct bed *bed)
{
	store_close(bed->store);
	bed->store = NULL;
	close(bed->folder.fd);
}

/* In memory where that keeps attributes. false: there is no such place. */
static bool begin(struct bed *bed)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		*bed = (struct bed){0};
		snprintf(bed->top, sizeof bed->top, "%s/trnsci-mark-XXXXXX", places[i]);
		if (!mkdtemp(bed->top))
			continue;
		snprintf(bed->dir, sizeof bed->dir, "%s/state", bed->top);
		if (setxattr(bed->top, STORE_MARK, "x", 1, 0) == 0)
			return true;
		rmdir(bed->top);
	}
	puts("# no folder keeps extended attributes");
	skip();
	return false;
}

static void end(struct bed *bed)
{
	shell(bed, "rm -r $PWD");
}

/* A stream of seed 5 with the next id, reserved up to that group. */
static uint64_t put_stream(struct bed *bed, const char *name, uint64_t reserved)
{
	struct store_stream row = {.stream = {GENERATOR_THREEFRY4X32, 5, 0}, .reserved = reserved};

	strcpy(row.name, name);
	assert_int_equal(store_begin(bed->store, &bed->err), 0);
	assert_int_equal(store_assign(bed->store, &row.stream, false, 0, 100, &bed->err), 0);
	assert_int_equal(store_put(bed->store, &row, &bed->err), 0);
	assert_int_equal(store_commit(bed->store, &bed->err), 0);
	return row.stream.stream;
}

static void make_state(struct bed *bed)
{
	assert_int_equal(open_state(bed, true), 0);
	put_stream(bed, "a", 1000);
	close_state(bed);
}

static void more(struct bed *bed, const char *name)
{
	assert_int_equal(open_state(bed, false), 0);
	put_stream(bed, name, 1);
	close_state(bed);
}

static void expect_refused(struct bed *bed, const char *why)
{
	if (open_state(bed, true) != -ERROR_STORE || bed->fault != STORE_RESTORED || !strstr(bed->err.text, why) ||
	    !strstr(bed->err.text, "trnscid --restored-state --state-dir") || !strstr(bed->err.text, bed->dir))
		fail_msg("expected a refusal for \"%s\", got fault %d, %s", why, bed->fault, bed->err.text);
	close(bed->folder.fd);
}

static void expect_good(struct bed *bed)
{
	if (open_state(bed, false) != 0)
		fail_msg("expected that it opens, got %s", bed->err.text);
	close_state(bed);
}

/* ---- what is refused, and what is not ---- */

static void refused(void **state)
{
	static const struct {
		const char *does, *why, *mark; /* "": removed; NULL: left as it is */
	} rows[] = {
		{"cp -p old/streams.db state/streams.db", "commits missing: 2", NULL},
		{"cp -p old/streams.db* state/", "commits missing: 2", NULL},
		{"mv state away; cp -r away state", "the folder has no mark", NULL},
		{"mv state away; cp -a away state", "the folder is a copy", NULL},
		{"mv state away; cp -a old state", "the folder is a copy", NULL},
		{"true", "the folder has no mark", ""},
		{"true", "the folder's mark is malformed", "nonsense"},
		{"cp -p other/streams.db state/streams.db", "the mark of another", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bed bed;

		if (!begin(&bed))
			return;
		make_state(&bed);
		shell(&bed, "mv state other");
		make_state(&bed);
		shell(&bed, "cp -a state old");
		more(&bed, "b");
		more(&bed, "c");
		shell(&bed, rows[i].does);
		if (rows[i].mark && *rows[i].mark)
			assert_int_equal(setxattr(bed.dir, STORE_MARK, rows[i].mark, strlen(rows[i].mark), 0), 0);
		else if (rows[i].mark)
			assert_int_equal(removexattr(bed.dir, STORE_MARK), 0);
		expect_refused(&bed, rows[i].why);
		expect_refused(&bed, rows[i].why); /* looking changes nothing */
		end(&bed);
	}
}

static void not_refused(void **state)
{
	static const char *const rows[] = {
		"true", "mv state away; mv away state", "cp -p state/streams.db state/n; mv state/n state/streams.db",
		"rm state/streams.db-journal", /* at rest */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bed bed;

		if (!begin(&bed))
			return;
		make_state(&bed);
		shell(&bed, rows[i]);
		expect_good(&bed);
		more(&bed, "b");
		expect_good(&bed);
		end(&bed);
	}
}

/* One commit beyond the mark is a crash; it is then marked before the next one. */
static void one_ahead(void **state)
{
	char mark[256];
	struct bed bed;

	(void)state;
	if (!begin(&bed))
		return;
	make_state(&bed);
	const ssize_t size = getxattr(bed.dir, STORE_MARK, mark, sizeof mark);

	more(&bed, "b");
	assert_int_equal(setxattr(bed.dir, STORE_MARK, mark, (size_t)size, 0), 0);
	expect_good(&bed);
	more(&bed, "c");
	expect_good(&bed);
	assert_int_equal(setxattr(bed.dir, STORE_MARK, mark, (size_t)size, 0), 0);
	expect_refused(&bed, "mark: 2");
	end(&bed);
}

/* Neither a new beginning nor a restore: what is gone is repaired. */
static void lost(void **state)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct bed bed;

	(void)state;
	if (!begin(&bed))
		return;
	make_state(&bed);
	shell(&bed, "rm state/*");
	assert_true(store_exists(bed.dir));
	assert_int_equal(open_state(&bed, true), -ERROR_STORE);
	assert_int_equal(bed.fault, STORE_DAMAGED);
	assert_non_null(strstr(bed.err.text, "streams.db is gone"));
	assert_int_equal(store_repair(&bed.folder, nowhere, &bed.err), 0);
	close(bed.folder.fd);
	assert_int_equal(open_state(&bed, false), 0);
	assert_int_equal(put_stream(&bed, "a", 1), ((uint64_t)1 << 40) + 1);
	close_state(&bed);
	fclose(nowhere);
	end(&bed);
}

/* ---- --restored-state ---- */

static int note_row(void *arg, const struct store_stream *row)
{
	if (strcmp(row->name, "a") == 0)
		*(struct store_stream *)arg = *row;
	return 0;
}

/* Stream "a" as the state has it; its seed. */
static uint64_t restore(struct bed *bed, struct store_stream *ret_row)
{
	FILE *nowhere = fopen("/dev/null", "w");
	uint64_t seed;

	assert_int_equal(store_lock(bed->dir, false, &bed->folder.fd, &bed->err), 0);
	if (store_restore(&bed->folder, nowhere, &bed->err) < 0)
		fail_msg("expected that it is restored, got %s", bed->err.text);
	close(bed->folder.fd);
	fclose(nowhere);
	assert_int_equal(open_state(bed, false), 0);
	assert_int_equal(store_load(bed->store, note_row, ret_row, &bed->err), 0);
	seed = store_seed(bed->store);
	close_state(bed);
	return seed;
}

/* The same backup, put back again and again: positions, ids and seeds are new ones each time. */
static void restored(void **state)
{
	uint64_t seeds[5], ids[5];
	struct store_stream row;
	struct bed bed;

	(void)state;
	if (!begin(&bed))
		return;
	make_state(&bed);
	shell(&bed, "cp -a state old");
	assert_int_equal(open_state(&bed, false), 0);
	seeds[0] = store_seed(bed.store);
	ids[0] = put_stream(&bed, "b", 1);
	close_state(&bed);
	for (uint64_t i = 1; i < 5; i++) {
		shell(&bed, "cp -p old/streams.db state/streams.db");
		expect_refused(&bed, "restored, copied or moved");
		seeds[i] = restore(&bed, &row);
		assert_int_equal(row.reserved, i << 58);
		assert_int_equal(row.issued, i << 58);
		assert_int_equal(open_state(&bed, false), 0);
		ids[i] = put_stream(&bed, "b", 1);
		close_state(&bed);
		assert_true(ids[i] > ids[i - 1]);
		for (uint64_t k = 0; k < i; k++)
			assert_true(seeds[k] != seeds[i]);
	}
	/* A sound state, whose machine went back to a snapshot. */
	restore(&bed, &row);
	assert_int_equal(row.reserved, (uint64_t)5 << 58);
	/* 16 times 2^60 are the end. */
	assert_int_equal(open_state(&bed, false), 0);
	put_stream(&bed, "a", STORE_GROUPS - 5);
	close_state(&bed);
	restore(&bed, &row);
	assert_int_equal(row.reserved, STORE_GROUPS);
	end(&bed);
}

/* A damaged file that was put back may be older than a repair allows for. */
static void repaired_and_restored(void **state)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct store_stream row = {0};
	struct bed bed;

	(void)state;
	if (!begin(&bed))
		return;
	make_state(&bed);
	shell(&bed, "cp -a state old");
	more(&bed, "b");
	more(&bed, "c");
	shell(&bed, "cp -p old/streams.db state/streams.db");
	int fd = open(bed.dir, O_RDONLY | O_CLOEXEC);
	char path[128];

	snprintf(path, sizeof path, "%s/" STORE_FILE, bed.dir);
	close(fd);
	/* The index of users: its page is wrong, all rows are whole. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "\xff", 1, 2 * 4096), 1);
	close(fd);
	assert_int_equal(open_state(&bed, false), -ERROR_STORE);
	assert_int_equal(bed.fault, STORE_DAMAGED);
	assert_int_equal(store_repair(&bed.folder, nowhere, &bed.err), 0);
	close(bed.folder.fd);
	assert_int_equal(open_state(&bed, false), 0);
	assert_int_equal(store_load(bed.store, note_row, &row, &bed.err), 0);
	assert_int_equal(row.reserved, (uint64_t)1 << 58);
	close_state(&bed);
	fclose(nowhere);
	end(&bed);
}

/* ---- states of version 1 ---- */

static void run_sql(struct bed *bed, const char *sql)
{
	if (sqlite3_exec(bed->store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(bed->store->db));
}

/* As the release before made it: without `state`, a seed and a mark. */
static void make_version_1(struct bed *bed)
{
	static const char *const others[] = {"seed", "stream", "taken"};
	char sql[512];

	make_state(bed);
	shell(bed, "mv state new; mkdir state");
	assert_int_equal(store_lock(bed->dir, false, &bed->folder.fd, &bed->err), 0);
	assert_int_equal(store_make_file(&bed->folder, &(struct store_head){0}, &bed->store, &bed->err), 0);
	run_sql(bed, "DROP INDEX seed_uid; DROP TABLE seed; DROP TABLE stream; DROP INDEX taken_uid; DROP TABLE taken; "
		     "DROP TABLE state");
	run_sql(bed, store_schema_1);
	for (size_t i = 0; i < STORE_TABLES - 1; i++)
		run_sql(bed, store_schema[i]);
	snprintf(sql, sizeof sql, "ATTACH '%s/new/streams.db' AS old", bed->top);
	run_sql(bed, sql);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		snprintf(sql, sizeof sql, "INSERT INTO main.%s SELECT * FROM old.%s", others[i], others[i]);
		run_sql(bed, sql);
	}
	bed->store->version = 1;
	struct store_walk walk = {0};
	int r;

	assert_int_equal(store_walk(bed->store, &walk, &r), SQLITE_OK);
	snprintf(sql, sizeof sql, "DETACH old; INSERT INTO meta VALUES(1, '%" PRIu64 "', 0); PRAGMA user_version=1",
		 walk.sum + store_hash_repairs(0));
	run_sql(bed, sql);
	store_close(bed->store);
	assert_int_equal(store_adopt(bed->dir, &bed->err), 0);
	close(bed->folder.fd);
}

static void upgraded(void **state)
{
	struct store_stream row = {0};
	struct bed bed;

	(void)state;
	if (!begin(&bed))
		return;
	make_version_1(&bed);
	shell(&bed, "cp -a state old");
	assert_int_equal(getxattr(bed.dir, STORE_MARK, NULL, 0), -1);
	if (open_state(&bed, false) < 0)
		fail_msg("expected that it opens, got %s", bed.err.text);
	assert_int_equal(store_load(bed.store, note_row, &row, &bed.err), 0);
	assert_int_equal(row.reserved, 1000);
	assert_int_equal(put_stream(&bed, "b", 1), 2);
	assert_true(store_seed(bed.store) != 0);
	close_state(&bed);
	assert_true(getxattr(bed.dir, STORE_MARK, NULL, 0) > 0);
	expect_good(&bed);
	/* From now on that old file is refused, too. */
	shell(&bed, "cp -p old/streams.db state/streams.db");
	expect_refused(&bed, "the mark of another");
	restore(&bed, &row);
	assert_int_equal(row.reserved, (uint64_t)1 << 58);
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),  cmocka_unit_test(not_refused),	     cmocka_unit_test(one_ahead),
		cmocka_unit_test(lost),	    cmocka_unit_test(restored),	     cmocka_unit_test(repaired_and_restored),
		cmocka_unit_test(upgraded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
