/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams on a disk that forgets: after a power cut at any operation, a full disk and failed syncs, no position is
 * issued twice, no id given twice, and nothing that was answered is lost. The daemon's own streams run here, in the
 * test's process, over a VFS of the test's (torn_vfs.h). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stream_fixture.h"
#include "torn_mark.h"
#include "torn_vfs.h"

enum { LIFE = 24 }; /* power cuts that a folder lives through */

/* Work until the power goes; then what the disk kept. Everything answered before or after the cut counts. */
static void live(struct fixture *fixture, uint64_t operations)
{
	const uint64_t idle = 20;

	fixture_power_on(fixture);
	fixture_check_names(fixture);
	torn_cut_at(operations);
	for (uint64_t after = 0, i = 0; i < 4000 && after < idle; i++) {
		fixture_do_something(fixture);
		after += torn_is_cut();
	}
	streams_close(fixture->streams);
	torn_settle();
	torn_begin(fixture->seed ^ operations << 32 ^ fixture->random);
}

static unsigned rounds(unsigned few, unsigned many)
{
	const char *full = getenv("TRNSCI_FULL");

	return full && *full ? many : few;
}

static void power_cuts(void **state)
{
	const unsigned lives = rounds(12, 400);
	unsigned cuts = 0;

	(void)state;
	for (unsigned life = 0; life < lives; life++) {
		struct fixture fixture;

		fixture_open(&fixture, 1000 + life);
		for (int i = 0; i < LIFE; i++, cuts++)
			live(&fixture, 1 + fixture_random(&fixture, i % 3 ? 60 : 400));
		fixture_close(&fixture);
	}
	printf("# %u power cuts\n", cuts);
}

/* A short life of everything, from an empty folder to a clean stop; false: it went to its end with power. */
static bool live_shortly(struct fixture *fixture, uint64_t operations)
{
	fixture_power_on(fixture);
	fixture_check_names(fixture);
	torn_cut_at(operations);
	fixture_create(fixture, 0);
	fixture_create(fixture, 1);
	for (int i = 0; i < 3; i++)
		fixture_draw(fixture, i % 2);
	fixture_advance(fixture, 0);
	fixture_delete(fixture, 1);
	streams_close(fixture->streams);

	const bool cut = torn_is_cut();

	torn_settle();
	torn_begin(fixture->seed ^ operations << 32);
	return cut;
}

/* Commit, mark, sync, publish: a cut at each operation of a life, and then at each of the next one in the same folder. It
 * starts again cleanly each time. */
static void every_point(void **state)
{
	unsigned cuts = 0;

	(void)state;
	for (unsigned seed = 0; seed < rounds(1, 40); seed++) {
		bool more = true;

		for (uint64_t at = 1; more; at++, cuts++) {
			struct fixture fixture;

			fixture_open(&fixture, 9000 + seed);
			more = live_shortly(&fixture, at);
			live_shortly(&fixture, 1 + at * 7 % 60);
			live_shortly(&fixture, 0);
			fixture_close(&fixture);
		}
	}
	printf("# %u lives cut at each operation in turn\n", cuts);
	assert_true(cuts > 100);
}

/* On a file system without attributes there is no guard, and no trouble; a state that was marked has been moved there. */
static void without_marks(void **state)
{
	const struct error *trouble;
	struct error err = {0};
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4321);
	torn_mark_unsupported(true);
	for (int i = 0; i < LIFE; i++)
		live(&fixture, 1 + fixture_random(&fixture, i % 3 ? 60 : 400));
	torn_mark_unsupported(false);
	live(&fixture, 0);
	torn_mark_unsupported(true);
	assert_int_equal(streams_open(&fixture.settings, &fixture.streams, &err), 0);
	trouble = streams_trouble(fixture.streams);
	if (!trouble || !strstr(trouble->text, "keeps no marks") || !strstr(trouble->text, "--restored-state"))
		fail_msg("expected that a marked state is refused, got %s", trouble ? trouble->text : "no trouble");
	streams_close(fixture.streams);
	fixture_close(&fixture);
}

/* A clean stop loses nothing: the next draw follows the last. */
static void clean_stops(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 77);
	fixture_power_on(&fixture);
	assert_int_equal(fixture_create(&fixture, 0), 0);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 10; k++)
			assert_int_equal(fixture_draw(&fixture, 0), 0);
		streams_close(fixture.streams);
		fixture_power_on(&fixture);
	}
	/* Each was joined to the one before. */
	assert_int_equal(fixture.n_ranges, 1);
	assert_int_equal(fixture.ranges[0].first, 0);
	streams_close(fixture.streams);
	fixture_close(&fixture);
}

/* While the disk is full (or its syncs fail) draws that need a block fail with `store`; then they go on. */
static void failing_disk(struct fixture *fixture, bool writes, bool syncs)
{
	unsigned refused = 0, served = 0;

	torn_fail(fixture_random(fixture, 30), 60 + fixture_random(fixture, 200), writes, syncs);
	for (int i = 0; i < 600; i++) {
		const int code = fixture_do_something(fixture);

		refused += code == ERROR_STORE;
		served += code == 0;
		if (code != 0 && code != ERROR_STORE && code != ERROR_EXISTS && code != ERROR_NOT_FOUND)
			fail_msg("seed %" PRIu64 ": expected store, got %s", fixture->seed, error_name(code));
	}
	assert_true(refused > 0);
	assert_true(served > 100);
	torn_fail(0, 0, false, false);
	for (int i = 0; i < FIXTURE_NAMES; i++) {
		fixture_create(fixture, i);
		for (int k = 0; k < 5; k++)
			assert_int_equal(fixture_draw(fixture, i), 0);
	}
}

static void full_disks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(6, 200); i++) {
		struct fixture fixture;

		fixture_open(&fixture, 5000 + i);
		fixture_power_on(&fixture);
		for (int k = 0; k < FIXTURE_NAMES; k++)
			assert_int_equal(fixture_create(&fixture, k), 0);
		failing_disk(&fixture, true, false);
		failing_disk(&fixture, false, true);
		/* And the power goes while it is full. */
		torn_fail(0, 1000, true, i % 2);
		torn_cut_at(1 + fixture_random(&fixture, 40));
		for (int k = 0; k < 200; k++)
			fixture_do_something(&fixture);
		streams_close(fixture.streams);
		torn_settle();
		torn_begin(i);
		fixture_power_on(&fixture);
		fixture_check_names(&fixture);
		for (int k = 0; k < 50; k++)
			fixture_do_something(&fixture);
		streams_close(fixture.streams);
		fixture_close(&fixture);
	}
}

/* Five syncs a commit, and a commit for half a block: of 64 Mi words, next to none for a draw. */
static void syncs_of_draws(void **state)
{
	enum { DRAWS = 20000 };
	struct fixture fixture;
	uint64_t before;

	(void)state;
	fixture_open(&fixture, 1);
	settings_set(&fixture.settings, "stream_block", "67108864", NULL);
	fixture_power_on(&fixture);
	assert_int_equal(fixture_create(&fixture, 0), 0);
	before = torn_syncs();
	for (int i = 0; i < DRAWS; i++)
		assert_int_equal(fixture_draw(&fixture, 0), 0);
	printf("# %" PRIu64 " syncs for %d draws\n", torn_syncs() - before, DRAWS);
	assert_true(torn_syncs() - before < DRAWS / 20);
	streams_close(fixture.streams);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_stops),
		cmocka_unit_test(power_cuts),
		cmocka_unit_test(every_point),
		cmocka_unit_test(without_marks),
		cmocka_unit_test(full_disks),
		cmocka_unit_test(syncs_of_draws),
	};

	torn_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
