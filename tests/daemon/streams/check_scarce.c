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

#include "stream_fixture.h"
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
static int create(struct fixture *fixture, int which)
{
	int code = fixture_delete(fixture, which);

	return code ? code : fixture_create(fixture, which);
}

static int draw_much(struct fixture *fixture, int which)
{
	int code = 0;

	for (int i = 0; i < 12 && code == 0; i++)
		code = fixture_draw(fixture, which);
	return code;
}

static int advance_much(struct fixture *fixture, int which)
{
	int code = 0;

	for (int i = 0; i < 6 && code == 0; i++)
		code = fixture_advance(fixture, which);
	return code;
}

static const struct {
	const char *name;
	int (*ask)(struct fixture *fixture, int which);
} requests[] = {{"create", create}, {"draw", draw_much}, {"advance", advance_much}, {"delete", fixture_delete}};

enum { REQUESTS = sizeof requests / sizeof *requests };

static void expect(const struct fixture *fixture, const char *what, long at, int code, bool may_fail)
{
	if (code != 0 && !(may_fail && code == ERROR_NO_MEMORY))
		fail_msg("seed %" PRIu64 ": %s, allocation %ld: expected %s, got %s", fixture->seed, what, at,
			 may_fail ? "it done or no_memory" : "it done", error_name(code));
}

/* All names are there and can be drawn from. */
static void is_well(struct fixture *fixture, const char *what, long at)
{
	for (int i = 0; i < FIXTURE_NAMES; i++) {
		int code = fixture->there[i] && !fixture->unsure[i] ? 0 : fixture_create(fixture, i);

		expect(fixture, what, at, code == ERROR_EXISTS ? 0 : code, false);
		expect(fixture, what, at, draw_much(fixture, i), false);
	}
}

/* Its first allocation, its second ..., until it has none more. */
static long sweep(struct fixture *fixture, size_t request, bool long_time)
{
	long at = 1, step = getenv("TRNSCI_FULL") ? 1 : 3;
	int code;

	for (bool more = true; more; at += step) {
		arm(at, long_time);
		code = requests[request].ask(fixture, (int)(at % FIXTURE_NAMES));
		more = disarm();
		expect(fixture, requests[request].name, at, code, true);
		is_well(fixture, requests[request].name, at);
		if (at % 8 == 0) { /* what was written is sound */
			streams_close(fixture->streams);
			fixture_power_on(fixture);
			fixture_check_names(fixture);
		}
	}
	return at;
}

static void each_request(bool long_time)
{
	for (size_t i = 0; i < REQUESTS; i++) {
		struct fixture fixture;

		fixture_open(&fixture, 100 + i);
		fixture_power_on(&fixture);
		is_well(&fixture, "first", 0);
		printf("# %s: %ld allocations\n", requests[i].name, sweep(&fixture, i, long_time));
		streams_close(fixture.streams);
		fixture_power_on(&fixture);
		fixture_check_names(&fixture);
		streams_close(fixture.streams);
		fixture_close(&fixture);
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
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 7);
	fixture_power_on(&fixture);
	is_well(&fixture, "first", 0);
	for (bool more = true; more; at += step) {
		struct error err = {0};

		streams_close(fixture.streams);
		arm(at, at % 2);
		if (streams_open(&fixture.settings, &fixture.streams, &err) < 0)
			fail_msg("opening, allocation %ld: %s", at, err.text);
		more = disarm();
		if (streams_trouble(fixture.streams)) {
			refused++;
			expect(&fixture, "opening", at, streams_trouble(fixture.streams)->code, true);
			/* The first request gets the error, and has it tried again. */
			expect(&fixture, "opening", at, fixture_draw(&fixture, 0), true);
			AWAIT(fixture_draw(&fixture, 0) != ERROR_NO_MEMORY);
		}
		is_well(&fixture, "opening", at);
		fixture_check_names(&fixture);
	}
	printf("# %ld allocations, %ld openings refused\n", at, refused);
	assert_true(refused > 5);
	streams_close(fixture.streams);
	fixture_close(&fixture);
}

/* The stop gives back what it can; what it cannot is skipped, as after a crash. */
static void at_the_stop(void **state)
{
	long at = 1;
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 8);
	fixture_power_on(&fixture);
	is_well(&fixture, "first", 0);
	for (bool more = true; more; at++) {
		arm(at, at % 2);
		streams_close(fixture.streams);
		more = disarm();
		fixture_power_on(&fixture);
		fixture_check_names(&fixture);
		is_well(&fixture, "stop", at);
	}
	printf("# %ld allocations\n", at);
	assert_true(at > 5);
	streams_close(fixture.streams);
	fixture_close(&fixture);
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
