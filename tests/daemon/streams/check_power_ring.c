/* SPDX-License-Identifier: Apache-2.0 */
/* A ring and a broadcast on named streams whose disk forgets: no sample that was ever visible in either is given to
 * anyone else, by a draw, a ring or a broadcast, in the same life or after any number of power cuts. */
#include <inttypes.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "stream_fixture.h"
#include "engine/operations/operations.h"
#include "engine/operations/params.h"
#include "engine/producers/broadcast.h"
#include "torn_vfs.h"
#include "daemon/visible.h"
#include "harness/wait.h"

enum { LIFE = 24, CAPACITY = 1024, PUBLISHED = 300, TAPS = 2 };

/* A ring or a broadcast, and who takes from it. */
struct tap {
	struct ring_page page;
	struct ring_index index;
	_Alignas(64) float samples[CAPACITY];
	struct ring_stream named;
	struct visible visible;
	uint64_t target;
	struct ring *ring;
	struct broadcast *broadcast;
	sem_t gone;
	bool open, ended;
};

static struct tap taps[TAPS];
static uint64_t seen; /* words that were visible, in all lives */

static void published(void *arg)
{
	(void)arg;
}

static void gone(void *arg, const struct error *why)
{
	struct tap *tap = arg;

	(void)why;
	sem_post(&tap->gone);
}

/* On the stream of that name, if there is one now: tap 0 is a ring, tap 1 a broadcast. */
static void tap_open(struct fixture *fixture, struct tap *tap, const char *name)
{
	const struct ring_memory memory = {&tap->page, (char *)tap->samples, &tap->index, CAPACITY};
	const struct ring_events events = {published, gone, tap};
	struct args args = {.operation = operation_find("ring_attach", 11), .context = "check"};
	struct streams_who who = {.peer = &fixture->peer, .name = name, .operation = "check"};
	struct value none = value_map();
	struct error err = {0};
	struct sampler *sampler;

	memset(tap, 0, sizeof *tap);
	tap->named.name = name;
	if (streams_find(fixture->streams, &who, NULL, &tap->named.stream, &(struct value){0}, &err) < 0)
		return;
	sem_init(&tap->gone, 0, 0);
	ring_page_begin(&tap->page, CAPACITY, sizeof *tap->samples, CAPACITY);
	assert_int_equal(bind_args(&args, &none, &err), 0);
	assert_int_equal(
		sampler_create(fixture->memory, &args, RING_NOISE, RING_U64, &tap->named.stream, NULL, &sampler, &err), 0);
	tap->visible = (struct visible){&tap->page, sampler_words(sampler), 0};
	int r = tap == &taps[0]
			? ring_create(fixture->memory, sampler, &memory, &tap->named, &events, &tap->ring, &err)
			: broadcast_create(fixture->memory, sampler, &memory, &tap->named, &events, &tap->broadcast, &err);
	assert_int_equal(r, 0);
	tap->open = true;
}

/* Notes what there is to see, and then makes room for more. */
static void tap_look(struct fixture *fixture, struct tap *tap)
{
	struct reservation range = {.seed = 1, .stream = tap->named.stream.stream};

	while (tap->open && visible_next(&tap->visible, &range.first, &range.end)) {
		fixture_check_range(fixture, &range);
		seen += range.end - range.first;
	}
	if (!tap->open || tap->ended)
		return;
	tap->ended = sem_trywait(&tap->gone) == 0;
	if (tap->ended)
		return;
	atomic_store(&tap->index.taken, tap->visible.seen);
	if (tap->ring)
		ring_wake(tap->ring);
	else if (tap->visible.seen == tap->target)
		broadcast_publish(tap->broadcast, tap->target += PUBLISHED);
}

static void tap_close(struct fixture *fixture, struct tap *tap)
{
	if (!tap->open)
		return;
	if (tap->ring)
		ring_close(tap->ring, ERROR_CLOSED);
	else
		broadcast_close(tap->broadcast, ERROR_CLOSED);
	while (!tap->ended)
		tap->ended = sem_wait(&tap->gone) == 0;
	tap_look(fixture, tap);
	ring_free(tap->ring);
	broadcast_free(tap->broadcast);
	sem_destroy(&tap->gone);
	tap->open = false;
}

/* Those that have ended (their stream was deleted, or the power is gone) are opened anew. */
static void look_at_all(struct fixture *fixture)
{
	static const char *const names[TAPS] = {"a", "b/c"};

	for (int i = 0; i < TAPS; i++) {
		tap_look(fixture, &taps[i]);
		if (taps[i].open && taps[i].ended)
			tap_close(fixture, &taps[i]);
		if (!taps[i].open && !torn_is_cut())
			tap_open(fixture, &taps[i], names[i]);
	}
}

/* No advance: it would take what a ring has been given, and not shown yet, for what is skipped. */
static void do_something(struct fixture *fixture)
{
	const int which = (int)fixture_random(fixture, FIXTURE_NAMES);

	if (fixture_random(fixture, 40) == 0)
		fixture_delete(fixture, which);
	else if (!fixture->there[which] || fixture->unsure[which])
		fixture_create(fixture, which);
	else
		fixture_draw(fixture, which);
}

/* Requests beside the taps, until the power goes and for a while after it. */
static void live(struct fixture *fixture, uint64_t operations)
{
	fixture_power_on(fixture);
	fixture_check_names(fixture);
	for (int i = 0; i < FIXTURE_NAMES; i++)
		fixture_create(fixture, i);
	torn_cut_at(operations);
	for (uint64_t after = 0, i = 0; i < 2000 && after < 20; i++) {
		if (i % 4 == 0)
			do_something(fixture);
		else
			wait_as_slow_peer(20);
		look_at_all(fixture);
		after += torn_is_cut();
	}
	for (int i = 0; i < TAPS; i++)
		tap_close(fixture, &taps[i]);
	streams_close(fixture->streams);
	torn_settle();
	torn_begin(fixture->seed ^ operations << 32 ^ fixture->random);
}

static void power_cuts(void **state)
{
	const unsigned lives = getenv("TRNSCI_FULL") ? 50 : 5;
	unsigned cuts = 0;

	(void)state;
	for (unsigned life = 0; life < lives; life++) {
		struct fixture fixture;

		fixture_open(&fixture, 3000 + life);
		for (int i = 0; i < LIFE; i++, cuts++)
			live(&fixture, 1 + fixture_random(&fixture, i % 3 ? 60 : 300));
		fixture_close(&fixture);
	}
	printf("# %u power cuts, %" PRIu64 " words seen in rings and broadcasts\n", cuts, seen);
	assert_true(seen > 100 * cuts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(power_cuts)};

	torn_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
