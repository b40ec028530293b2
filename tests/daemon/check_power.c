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

#include "bed.h"
#include "torn_mark.h"
#include "torn_vfs.h"

enum { LIFE = 24 }; /* power cuts that a folder lives through */

/* Work until the power goes; then what the disk kept. Everything answered before or after the cut counts. */
static void live(struct bed *bed, uint64_t operations)
{
	const uint64_t idle = 20;

	bed_power_on(bed);
	bed_check_names(bed);
	torn_cut_at(operations);
	for (uint64_t after = 0, i = 0; i < 4000 && after < idle; i++) {
		bed_do_something(bed);
		after += torn_is_cut();
	}
	streams_close(bed->streams);
	torn_settle();
	torn_begin(bed->seed ^ operations << 32 ^ bed->random);
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
		struct bed bed;

		bed_open(&bed, 1000 + life);
		for (int i = 0; i < LIFE; i++, cuts++)
			live(&bed, 1 + bed_random(&bed, i % 3 ? 60 : 400));
		bed_close(&bed);
	}
	printf("# %u power cuts\n", cuts);
}

/* A short life of everything, from an empty folder to a clean stop; false: it went to its end with power. */
static bool live_shortly(struct bed *bed, uint64_t operations)
{
	bed_power_on(bed);
	bed_check_names(bed);
	torn_cut_at(operations);
	bed_create(bed, 0);
	bed_create(bed, 1);
	for (int i = 0; i < 3; i++)
		bed_draw(bed, i % 2);
	bed_advance(bed, 0);
	bed_delete(bed, 1);
	streams_close(bed->streams);

	const bool cut = torn_is_cut();

	torn_settle();
	torn_begin(bed->seed ^ operations << 32);
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
			struct bed bed;

			bed_open(&bed, 9000 + seed);
			more = live_shortly(&bed, at);
			live_shortly(&bed, 1 + at * 7 % 60);
			live_shortly(&bed, 0);
			bed_close(&bed);
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
	struct bed bed;

	(void)state;
	bed_open(&bed, 4321);
	torn_mark_unsupported(true);
	for (int i = 0; i < LIFE; i++)
		live(&bed, 1 + bed_random(&bed, i % 3 ? 60 : 400));
	torn_mark_unsupported(false);
	live(&bed, 0);
	torn_mark_unsupported(true);
	assert_int_equal(streams_open(&bed.settings, &bed.streams, &err), 0);
	trouble = streams_trouble(bed.streams);
	if (!trouble || !strstr(trouble->text, "keeps no marks") || !strstr(trouble->text, "--restored-state"))
		fail_msg("expected that a marked state is refused, got %s", trouble ? trouble->text : "no trouble");
	streams_close(bed.streams);
	bed_close(&bed);
}

/* A clean stop loses nothing: the next draw follows the last. */
static void clean_stops(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 77);
	bed_power_on(&bed);
	assert_int_equal(bed_create(&bed, 0), 0);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 10; k++)
			assert_int_equal(bed_draw(&bed, 0), 0);
		streams_close(bed.streams);
		bed_power_on(&bed);
	}
	/* Each was joined to the one before. */
	assert_int_equal(bed.n_ranges, 1);
	assert_int_equal(bed.ranges[0].first, 0);
	streams_close(bed.streams);
	bed_close(&bed);
}

/* While the disk is full (or its syncs fail) draws that need a block fail with `store`; then they go on. */
static void failing_disk(struct bed *bed, bool writes, bool syncs)
{
	unsigned refused = 0, served = 0;

	torn_fail(bed_random(bed, 30), 60 + bed_random(bed, 200), writes, syncs);
	for (int i = 0; i < 600; i++) {
		const int code = bed_do_something(bed);

		refused += code == ERROR_STORE;
		served += code == 0;
		if (code != 0 && code != ERROR_STORE && code != ERROR_EXISTS && code != ERROR_NOT_FOUND)
			fail_msg("seed %" PRIu64 ": expected store, got %s", bed->seed, error_name(code));
	}
	assert_true(refused > 0);
	assert_true(served > 100);
	torn_fail(0, 0, false, false);
	for (int i = 0; i < BED_NAMES; i++) {
		bed_create(bed, i);
		for (int k = 0; k < 5; k++)
			assert_int_equal(bed_draw(bed, i), 0);
	}
}

static void full_disks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(6, 200); i++) {
		struct bed bed;

		bed_open(&bed, 5000 + i);
		bed_power_on(&bed);
		for (int k = 0; k < BED_NAMES; k++)
			assert_int_equal(bed_create(&bed, k), 0);
		failing_disk(&bed, true, false);
		failing_disk(&bed, false, true);
		/* And the power goes while it is full. */
		torn_fail(0, 1000, true, i % 2);
		torn_cut_at(1 + bed_random(&bed, 40));
		for (int k = 0; k < 200; k++)
			bed_do_something(&bed);
		streams_close(bed.streams);
		torn_settle();
		torn_begin(i);
		bed_power_on(&bed);
		bed_check_names(&bed);
		for (int k = 0; k < 50; k++)
			bed_do_something(&bed);
		streams_close(bed.streams);
		bed_close(&bed);
	}
}

/* Five syncs a commit, and a commit for half a block: of 64 Mi words, next to none for a draw. */
static void syncs_of_draws(void **state)
{
	enum { DRAWS = 20000 };
	struct bed bed;
	uint64_t before;

	(void)state;
	bed_open(&bed, 1);
	settings_set(&bed.settings, "stream_block", "67108864", NULL);
	bed_power_on(&bed);
	assert_int_equal(bed_create(&bed, 0), 0);
	before = torn_syncs();
	for (int i = 0; i < DRAWS; i++)
		assert_int_equal(bed_draw(&bed, 0), 0);
	printf("# %" PRIu64 " syncs for %d draws\n", torn_syncs() - before, DRAWS);
	assert_true(torn_syncs() - before < DRAWS / 20);
	streams_close(bed.streams);
	bed_close(&bed);
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
