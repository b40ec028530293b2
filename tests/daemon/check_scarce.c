/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams while memory is out: each allocation of the database in turn fails, alone or with all that follow, under
 * each request and at the opening. What cannot be done says no_memory; once there is memory again the next attempt
 * succeeds, without a restart; no position is issued twice, no id given twice, and the state stays sound. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "bed.h"
#include "torn_vfs.h"
#include "harness/wait.h"

/* ---- the database's memory ---- */

static sqlite3_mem_methods plain;
static _Atomic bool armed, for_long; /* for_long: all from the nth on fail */
static _Atomic long nth, seen;

static bool fails(void)
{
	long at = armed ? atomic_fetch_add(&seen, 1) + 1 : 0;

	return armed && (for_long ? at >= nth : at == nth);
}

static void *take(int size)
{
	return fails() ? NULL : plain.xMalloc(size);
}

static void *resize(void *at, int size)
{
	return fails() ? NULL : plain.xRealloc(at, size);
}

static void arm(long at, bool long_time)
{
	for_long = long_time;
	nth = at;
	seen = 0;
	armed = true;
}

/* Whether the nth allocation was there to fail. */
static bool disarm(void)
{
	armed = false;
	return seen >= nth;
}

static void install(void)
{
	sqlite3_mem_methods scarce;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain), SQLITE_OK);
	scarce = plain;
	scarce.xMalloc = take;
	scarce.xRealloc = resize;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce);
	/* All allocations come here, also the small ones. */
	sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/* ---- requests ---- */

/* A new stream in place of the old one: another id. */
static int create(struct bed *bed, int which)
{
	int code = bed_delete(bed, which);

	return code ? code : bed_create(bed, which);
}

static int draw_much(struct bed *bed, int which)
{
	int code = 0;

	for (int i = 0; i < 12 && code == 0; i++)
		code = bed_draw(bed, which);
	return code;
}

static int advance_much(struct bed *bed, int which)
{
	int code = 0;

	for (int i = 0; i < 6 && code == 0; i++)
		code = bed_advance(bed, which);
	return code;
}

static const struct {
	const char *name;
	int (*ask)(struct bed *bed, int which);
} requests[] = {{"create", create}, {"draw", draw_much}, {"advance", advance_much}, {"delete", bed_delete}};

enum { REQUESTS = sizeof requests / sizeof *requests };

static void expect(const struct bed *bed, const char *what, long at, int code, bool may_fail)
{
	if (code != 0 && !(may_fail && code == ERROR_NO_MEMORY))
		fail_msg("seed %" PRIu64 ": %s, allocation %ld: expected %s, got %s", bed->seed, what, at,
			 may_fail ? "it done or no_memory" : "it done", error_name(code));
}

/* All names are there and can be drawn from. */
static void is_well(struct bed *bed, const char *what, long at)
{
	for (int i = 0; i < BED_NAMES; i++) {
		int code = bed->there[i] && !bed->unsure[i] ? 0 : bed_create(bed, i);

		expect(bed, what, at, code == ERROR_EXISTS ? 0 : code, false);
		expect(bed, what, at, draw_much(bed, i), false);
	}
}

/* Its first allocation, its second ..., until it has none more. */
static long sweep(struct bed *bed, size_t request, bool long_time)
{
	long at = 1, step = getenv("TRNSCI_FULL") ? 1 : 3;
	int code;

	for (bool more = true; more; at += step) {
		arm(at, long_time);
		code = requests[request].ask(bed, (int)(at % BED_NAMES));
		more = disarm();
		expect(bed, requests[request].name, at, code, true);
		is_well(bed, requests[request].name, at);
		if (at % 8 == 0) { /* what was written is sound */
			streams_close(bed->streams);
			bed_power_on(bed);
			bed_check_names(bed);
		}
	}
	return at;
}

static void each_request(bool long_time)
{
	for (size_t i = 0; i < REQUESTS; i++) {
		struct bed bed;

		bed_open(&bed, 100 + i);
		bed_power_on(&bed);
		is_well(&bed, "first", 0);
		printf("# %s: %ld allocations\n", requests[i].name, sweep(&bed, i, long_time));
		streams_close(bed.streams);
		bed_power_on(&bed);
		bed_check_names(&bed);
		streams_close(bed.streams);
		bed_close(&bed);
	}
}

static void one_fails(void **state)
{
	(void)state;
	each_request(false);
}

static void all_fail_for_a_while(void **state)
{
	(void)state;
	each_request(true);
}

/* A state that cannot be read for want of memory is not damaged, and is read once it can be. */
static void at_the_opening(void **state)
{
	long at = 1, refused = 0, step = getenv("TRNSCI_FULL") ? 1 : 7;
	struct bed bed;

	(void)state;
	bed_open(&bed, 7);
	bed_power_on(&bed);
	is_well(&bed, "first", 0);
	for (bool more = true; more; at += step) {
		struct error err = {0};

		streams_close(bed.streams);
		arm(at, at % 2);
		if (streams_open(&bed.settings, &bed.streams, &err) < 0)
			fail_msg("opening, allocation %ld: %s", at, err.text);
		more = disarm();
		if (streams_trouble(bed.streams)) {
			refused++;
			expect(&bed, "opening", at, streams_trouble(bed.streams)->code, true);
			/* The first to ask is told, and has it tried again. */
			expect(&bed, "opening", at, bed_draw(&bed, 0), true);
			AWAIT(bed_draw(&bed, 0) != ERROR_NO_MEMORY);
		}
		is_well(&bed, "opening", at);
		bed_check_names(&bed);
	}
	printf("# %ld allocations, %ld openings refused\n", at, refused);
	assert_true(refused > 5);
	streams_close(bed.streams);
	bed_close(&bed);
}

/* The stop gives back what it can; what it cannot is skipped, as after a crash. */
static void at_the_stop(void **state)
{
	long at = 1;
	struct bed bed;

	(void)state;
	bed_open(&bed, 8);
	bed_power_on(&bed);
	is_well(&bed, "first", 0);
	for (bool more = true; more; at++) {
		arm(at, at % 2);
		streams_close(bed.streams);
		more = disarm();
		bed_power_on(&bed);
		bed_check_names(&bed);
		is_well(&bed, "stop", at);
	}
	printf("# %ld allocations\n", at);
	assert_true(at > 5);
	streams_close(bed.streams);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_fails),
		cmocka_unit_test(all_fail_for_a_while),
		cmocka_unit_test(at_the_opening),
		cmocka_unit_test(at_the_stop),
	};

	install();
	torn_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
