/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a state: a restored, copied, moved or lost state is refused until --restored-state has been said, after
 * which nothing that was ever issued comes again; what a crash leaves is not refused, and states without a mark get one. */
#include "daemon/harness.h"

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

struct fixture {
	char top[64], dir[80]; /* the state is in `dir` of the folder `top` */
	struct store_folder folder;
	struct store *store;
	enum store_fault fault;
	struct error err;
};

/* Runs a command of the shell in the folder above the state. */
static void shell(const struct fixture *fixture, const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "cd %s && { %s; }", fixture->top, command);
	assert_int_equal(system(line), 0);
}

static int open_state(struct fixture *fixture, bool make)
{
	fixture->folder.path = fixture->dir;
	assert_int_equal(store_lock(fixture->dir, make, &fixture->folder.fd, &fixture->err), 0);
	return store_open(&fixture->folder, make, &fixture->store, &fixture->fault, &fixture->err);
}

static void close_state(struct fixture *fixture)
{
	store_close(fixture->store);
	fixture->store = NULL;
	close(fixture->folder.fd);
}

/* Makes a folder where the file system keeps extended attributes, best in memory; without one *state stays NULL. */
static int make_folder(void **state)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};
	static struct fixture fixture;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		fixture = (struct fixture){0};
		snprintf(fixture.top, sizeof fixture.top, "%s/trnsci-mark-XXXXXX", places[i]);
		if (!mkdtemp(fixture.top))
			continue;
		snprintf(fixture.dir, sizeof fixture.dir, "%s/state", fixture.top);
		if (setxattr(fixture.top, STORE_MARK, "x", 1, 0) == 0) {
			*state = &fixture;
			return 0;
		}
		rmdir(fixture.top);
	}
	return 0;
}

static int remove_folder(void **state)
{
	if (*state)
		shell(*state, "rm -r $PWD");
	return 0;
}

/* A stream of seed 5 with the next id, reserved up to that group. */
static uint64_t put_stream(struct fixture *fixture, const char *name, uint64_t reserved)
{
	struct store_stream row = {.stream = {GENERATOR_THREEFRY4X32, 5, 0}, .reserved = reserved};

	strcpy(row.name, name);
	assert_int_equal(store_begin(fixture->store, &fixture->err), 0);
	assert_int_equal(store_assign(fixture->store, &row.stream, false, 0, 100, &fixture->err), 0);
	assert_int_equal(store_put(fixture->store, &row, &fixture->err), 0);
	assert_int_equal(store_commit(fixture->store, &fixture->err), 0);
	return row.stream.stream;
}

static void make_state(struct fixture *fixture)
{
	assert_int_equal(open_state(fixture, true), 0);
	put_stream(fixture, "a", 1000);
	close_state(fixture);
}

/* Returns the fixture, in which nothing is but a new state. Skips the test if there is no folder for it. */
static struct fixture *begin(void **state)
{
	struct fixture *fixture = *state;

	if (!fixture) {
		puts("# no folder keeps extended attributes");
		skip();
	}
	shell(fixture, "rm -rf *");
	make_state(fixture);
	return fixture;
}

static void more(struct fixture *fixture, const char *name)
{
	assert_int_equal(open_state(fixture, false), 0);
	put_stream(fixture, name, 1);
	close_state(fixture);
}

static void expect_refused(struct fixture *fixture, const char *why)
{
	if (open_state(fixture, true) != -ERROR_STORE || fixture->fault != STORE_RESTORED ||
	    !strstr(fixture->err.text, why) || !strstr(fixture->err.text, "trnscid --restored-state --state-dir") ||
	    !strstr(fixture->err.text, fixture->dir))
		fail_msg("expected a refusal for \"%s\", got fault %d, %s", why, fixture->fault, fixture->err.text);
	close(fixture->folder.fd);
}

static void expect_good(struct fixture *fixture)
{
	if (open_state(fixture, false) != 0)
		fail_msg("expected that it opens, got %s", fixture->err.text);
	close_state(fixture);
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

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *fixture = begin(state);

		shell(fixture, "mv state other");
		make_state(fixture);
		shell(fixture, "cp -a state old");
		more(fixture, "b");
		more(fixture, "c");
		shell(fixture, rows[i].does);
		if (rows[i].mark && *rows[i].mark)
			assert_int_equal(setxattr(fixture->dir, STORE_MARK, rows[i].mark, strlen(rows[i].mark), 0), 0);
		else if (rows[i].mark)
			assert_int_equal(removexattr(fixture->dir, STORE_MARK), 0);
		expect_refused(fixture, rows[i].why);
		expect_refused(fixture, rows[i].why); /* looking changes nothing */
	}
}

static void not_refused(void **state)
{
	static const char *const rows[] = {
		"true", "mv state away; mv away state", "cp -p state/streams.db state/n; mv state/n state/streams.db",
		"rm state/streams.db-journal", /* at rest */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *fixture = begin(state);

		shell(fixture, rows[i]);
		expect_good(fixture);
		more(fixture, "b");
		expect_good(fixture);
	}
}

/* One commit beyond the mark is a crash; it is then marked before the next one. */
static void one_ahead(void **state)
{
	char mark[256];
	struct fixture *fixture = begin(state);

	const ssize_t size = getxattr(fixture->dir, STORE_MARK, mark, sizeof mark);

	more(fixture, "b");
	assert_int_equal(setxattr(fixture->dir, STORE_MARK, mark, (size_t)size, 0), 0);
	expect_good(fixture);
	more(fixture, "c");
	expect_good(fixture);
	assert_int_equal(setxattr(fixture->dir, STORE_MARK, mark, (size_t)size, 0), 0);
	expect_refused(fixture, "mark: 2");
}

/* Neither a new beginning nor a restore: what is gone is repaired. */
static void lost(void **state)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct fixture *fixture = begin(state);

	shell(fixture, "rm state/*");
	assert_true(store_exists(fixture->dir));
	assert_int_equal(open_state(fixture, true), -ERROR_STORE);
	assert_int_equal(fixture->fault, STORE_DAMAGED);
	assert_non_null(strstr(fixture->err.text, "streams.db is gone"));
	assert_int_equal(store_repair(&fixture->folder, nowhere, &fixture->err), 0);
	close(fixture->folder.fd);
	assert_int_equal(open_state(fixture, false), 0);
	assert_int_equal(put_stream(fixture, "a", 1), ((uint64_t)1 << 40) + 1);
	close_state(fixture);
	fclose(nowhere);
}

/* ---- --restored-state ---- */

static int note_row(void *arg, const struct store_stream *row)
{
	if (strcmp(row->name, "a") == 0)
		*(struct store_stream *)arg = *row;
	return 0;
}

/* Stream "a" as the state has it; its seed. */
static uint64_t restore(struct fixture *fixture, struct store_stream *ret_row)
{
	FILE *nowhere = fopen("/dev/null", "w");
	uint64_t seed;

	assert_int_equal(store_lock(fixture->dir, false, &fixture->folder.fd, &fixture->err), 0);
	if (store_restore(&fixture->folder, nowhere, &fixture->err) < 0)
		fail_msg("expected that it is restored, got %s", fixture->err.text);
	close(fixture->folder.fd);
	fclose(nowhere);
	assert_int_equal(open_state(fixture, false), 0);
	assert_int_equal(store_load(fixture->store, note_row, ret_row, &fixture->err), 0);
	seed = store_seed(fixture->store);
	close_state(fixture);
	return seed;
}

/* The same backup, put back again and again: positions, ids and seeds are new ones each time. */
static void restored(void **state)
{
	uint64_t seeds[5], ids[5];
	struct store_stream row;
	struct fixture *fixture = begin(state);

	shell(fixture, "cp -a state old");
	assert_int_equal(open_state(fixture, false), 0);
	seeds[0] = store_seed(fixture->store);
	ids[0] = put_stream(fixture, "b", 1);
	close_state(fixture);
	for (uint64_t i = 1; i < 5; i++) {
		shell(fixture, "cp -p old/streams.db state/streams.db");
		expect_refused(fixture, "restored, copied or moved");
		seeds[i] = restore(fixture, &row);
		assert_int_equal(row.reserved, i << 58);
		assert_int_equal(row.issued, i << 58);
		assert_int_equal(open_state(fixture, false), 0);
		ids[i] = put_stream(fixture, "b", 1);
		close_state(fixture);
		assert_true(ids[i] > ids[i - 1]);
		for (uint64_t k = 0; k < i; k++)
			assert_true(seeds[k] != seeds[i]);
	}
	/* A sound state, whose machine went back to a snapshot. */
	restore(fixture, &row);
	assert_int_equal(row.reserved, (uint64_t)5 << 58);
	/* 16 times 2^60 are the end. */
	assert_int_equal(open_state(fixture, false), 0);
	put_stream(fixture, "a", STORE_GROUPS - 5);
	close_state(fixture);
	restore(fixture, &row);
	assert_int_equal(row.reserved, STORE_GROUPS);
}

/* A damaged file that was put back may be older than a repair allows for. */
static void repaired_and_restored(void **state)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct store_stream row = {0};
	struct fixture *fixture = begin(state);

	shell(fixture, "cp -a state old");
	more(fixture, "b");
	more(fixture, "c");
	shell(fixture, "cp -p old/streams.db state/streams.db");
	int fd = open(fixture->dir, O_RDONLY | O_CLOEXEC);
	char path[128];

	snprintf(path, sizeof path, "%s/" STORE_FILE, fixture->dir);
	close(fd);
	/* The index of users: its page is wrong, all rows are whole. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "\xff", 1, 2 * 4096), 1);
	close(fd);
	assert_int_equal(open_state(fixture, false), -ERROR_STORE);
	assert_int_equal(fixture->fault, STORE_DAMAGED);
	assert_int_equal(store_repair(&fixture->folder, nowhere, &fixture->err), 0);
	close(fixture->folder.fd);
	assert_int_equal(open_state(fixture, false), 0);
	assert_int_equal(store_load(fixture->store, note_row, &row, &fixture->err), 0);
	assert_int_equal(row.reserved, (uint64_t)1 << 58);
	close_state(fixture);
	fclose(nowhere);
}

/* ---- states of older versions ---- */

static void run_sql(struct fixture *fixture, const char *sql)
{
	if (sqlite3_exec(fixture->store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(fixture->store->db));
}

/* Makes the tables of a version: up to 2 without the column `noise`, in 1 with `meta` in the place of `state`. */
static void make_tables(struct fixture *fixture, int version)
{
	run_sql(fixture,
		"DROP INDEX seed_uid; DROP TABLE seed; DROP TABLE stream; DROP INDEX taken_uid; DROP TABLE taken; "
		"DROP TABLE state");
	if (version == 1)
		run_sql(fixture, store_schema_1);
	for (size_t i = 0; i < STORE_TABLES - (version == 1); i++)
		run_sql(fixture, i == STORE_TABLE_STREAM ? store_stream_2 : store_schema[i]);
}

/* Replaces the state by one as an earlier release made it, without a mark. */
static void make_version(struct fixture *fixture, int version)
{
	static const char *const others[][2] = {
		{"seed", "*"},
		{"stream",
		 "name, generator, seed, stream, uid, gid, mode, created_s, issued, reserved, skips, skipped, skipped_from, "
		 "skipped_until, hash"},
		{"taken", "*"},
	};
	char sql[512];

	shell(fixture, "mv state new; mkdir state");
	assert_int_equal(store_lock(fixture->dir, false, &fixture->folder.fd, &fixture->err), 0);
	assert_int_equal(store_make_file(&fixture->folder, &(struct store_head){0}, &fixture->store, &fixture->err), 0);
	make_tables(fixture, version);
	snprintf(sql, sizeof sql, "ATTACH '%s/new/streams.db' AS old", fixture->top);
	run_sql(fixture, sql);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		snprintf(sql, sizeof sql, "INSERT INTO main.%s SELECT %s FROM old.%s", others[i][0], others[i][1], others[i][0]);
		run_sql(fixture, sql);
	}
	fixture->store->version = version;
	struct store_walk walk = {0};
	int r;

	assert_int_equal(store_walk(fixture->store, &walk, &r), SQLITE_OK);
	if (version == 1)
		snprintf(sql, sizeof sql, "INSERT INTO meta VALUES(1, '%" PRIu64 "', 0)", walk.sum + store_hash_repairs(0));
	else
		snprintf(sql, sizeof sql, "INSERT INTO state VALUES(1, '%" PRIu64 "', 0, '5', '6', 7, 0)",
			 walk.sum + store_hash_head(&(struct store_head){.identity = 5, .seed = 6, .commits = 7}));
	run_sql(fixture, sql);
	snprintf(sql, sizeof sql, "DETACH old; PRAGMA user_version=%d", version);
	run_sql(fixture, sql);
	store_close(fixture->store);
	assert_int_equal(store_adopt(fixture->dir, &fixture->err), 0);
	close(fixture->folder.fd);
}

static void expect_upgraded(void **state, int version)
{
	struct store_stream row = {0};
	struct fixture *fixture = begin(state);

	make_version(fixture, version);
	shell(fixture, "cp -a state old");
	assert_int_equal(getxattr(fixture->dir, STORE_MARK, NULL, 0), -1);
	if (open_state(fixture, false) < 0)
		fail_msg("expected that it opens, got %s", fixture->err.text);
	assert_int_equal(store_load(fixture->store, note_row, &row, &fixture->err), 0);
	assert_int_equal(row.reserved, 1000);
	assert_null(row.noise);
	assert_int_equal(put_stream(fixture, "b", 1), 2);
	assert_true(store_seed(fixture->store) != 0);
	close_state(fixture);
	assert_true(getxattr(fixture->dir, STORE_MARK, NULL, 0) > 0);
	expect_good(fixture);
	/* From now on that old file is refused, too. */
	shell(fixture, "cp -p old/streams.db state/streams.db");
	expect_refused(fixture, version == 1 ? "the mark of another" : "commits missing");
	restore(fixture, &row);
	assert_int_equal(row.reserved, (uint64_t)1 << 58);
}

static void upgraded_from_1(void **state)
{
	expect_upgraded(state, 1);
}

static void upgraded_from_2(void **state)
{
	expect_upgraded(state, 2);
}

#define UNIT_TEST(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(refused),
		UNIT_TEST(not_refused),
		UNIT_TEST(one_ahead),
		UNIT_TEST(lost),
		UNIT_TEST(restored),
		UNIT_TEST(repaired_and_restored),
		UNIT_TEST(upgraded_from_1),
		UNIT_TEST(upgraded_from_2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
