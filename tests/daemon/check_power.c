/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams on a disk that forgets: after a power cut at any operation, a full disk and failed syncs, no position is
 * issued twice, no id given twice, and nothing that was answered is lost. The daemon's own streams run here, in the
 * test's process, over a VFS of the test's (torn_vfs.h). */
#include <inttypes.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/log.h"
#include "daemon/store.h"
#include "daemon/streams.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "harness.h"
#include "torn_vfs.h"

enum {
	NAMES = 4,
	RANGES_MOST = 4096,
	BLOCK = 4096, /* words */
	LIFE = 24,    /* power cuts that a folder lives through */
};

struct range {
	uint64_t seed, stream, first, end;
};

struct bed {
	struct settings settings;
	struct engine *engine;
	struct space *space;
	struct streams *streams;
	struct peer peer;
	char dir[64];
	/* What has been answered, in all lives of the folder. */
	struct range ranges[RANGES_MOST];
	size_t n_ranges;
	uint64_t last_id; /* of seed 1 */
	bool there[NAMES]; /* created, and not deleted */
	bool unsure[NAMES]; /* a create or delete failed: either may be */
	uint64_t seed, random;
};

/* The daemon's log, which would tell of each cut. */
void log_line(enum log_level level, const char *format, ...)
{
	(void)level;
	(void)format;
}

static uint64_t draw(struct bed *bed, uint64_t below)
{
	bed->random = bed->random * 6364136223846793005u + 1442695040888963407u;
	return (bed->random >> 33) % below;
}

/* ---- requests ---- */

static int begin(void *arg, const struct args *args, struct served *served)
{
	struct bed *bed = arg;
	const char *method = args->operation->name;
	char name[STORE_NAME_MOST + 1];
	struct streams_who who = {&bed->peer, name, false, method, NULL};

	snprintf(name, sizeof name, "%.*s", (int)args->at[STREAM_NAME].value->bytes.size,
		 args->at[STREAM_NAME].value->bytes.at);
	if (strcmp(method, "stream_draw") == 0)
		return streams_draw(bed->streams, &who, served);
	if (strcmp(method, "stream_delete") == 0)
		return streams_delete(bed->streams, &who, served);
	if (strcmp(method, "stream_show") == 0)
		return streams_show(bed->streams, &who, served);
	if (strcmp(method, "stream_advance") == 0)
		return streams_advance(bed->streams, &who, args->at[STREAM_ADVANCE_BY].u64, false, served);
	return streams_create(bed->streams, &who,
			      &(struct streams_new){.name = name, .stream = {.seed = 1}, .mode = 0600}, served);
}

static void forget(void *arg, struct served *served)
{
	streams_forget(((struct bed *)arg)->streams, served);
}

static const struct served_ops ops = {begin, forget};

static void on_done(struct request *request, void *arg)
{
	(void)request;
	sem_post(arg);
}

/* The answer: an error's code, or 0 with the members named (NULL at the end) in numbers. */
static int call(struct bed *bed, const char *method, const struct value *params, struct zone *zone,
		const char *const *names, uint64_t *numbers)
{
	struct request *request;
	sem_t done;
	int code;

	sem_init(&done, 0, 0);
	assert_int_equal(request_start(bed->space, method, strlen(method), params, zone, on_done, &done, &request), 0);
	while (sem_wait(&done) < 0)
		;
	code = request_error(request) ? request_error(request)->code : 0;
	for (; !code && names && *names; names++, numbers++)
		assert_true(value_to_u64(value_get(request_result(request), *names), numbers));
	request_free(request);
	sem_destroy(&done);
	return code;
}

static const char *name_of(int which)
{
	static const char *const names[NAMES] = {"a", "b/c", "_d", "noise.1"};

	return names[which];
}

static struct value params_of(struct zone *zone, int which)
{
	struct value params = value_map();

	assert_int_equal(value_put(zone, &params, "name", value_string(name_of(which))), 0);
	return params;
}

/* ---- what is checked of each answer ---- */

static void check_range(struct bed *bed, const struct range *range)
{
	for (size_t i = 0; i < bed->n_ranges; i++) {
		const struct range *other = &bed->ranges[i];

		if (other->seed == range->seed && other->stream == range->stream && range->first < other->end &&
		    other->first < range->end)
			fail_msg("seed %" PRIu64 ": stream %" PRIu64 ": words %" PRIu64 " to %" PRIu64
				 " were issued, and now %" PRIu64 " to %" PRIu64,
				 bed->seed, range->stream, other->first, other->end, range->first, range->end);
	}
	/* Neighbours are joined, so that few are compared. */
	for (size_t i = 0; i < bed->n_ranges; i++)
		if (bed->ranges[i].stream == range->stream && bed->ranges[i].end == range->first) {
			bed->ranges[i].end = range->end;
			return;
		}
	assert_true(bed->n_ranges < RANGES_MOST);
	bed->ranges[bed->n_ranges++] = *range;
}

static int do_draw(struct bed *bed, int which)
{
	static const char *const names[] = {"seed", "stream", "position", "next", NULL};
	const uint64_t n = draw(bed, 16) ? 1 + draw(bed, 1500) : 1 + draw(bed, 3 * BLOCK);
	struct zone *zone = zone_new();
	struct value params = params_of(zone, which), inner = value_map();
	uint64_t numbers[4];
	int code;

	value_put(zone, &inner, "op", value_string("bits"));
	value_put(zone, &inner, "n", value_uint(n));
	value_put(zone, &params, "draw", inner);
	value_put(zone, &params, "reserve", value_bool(true));
	code = call(bed, "stream_draw", &params, zone, names, numbers);
	if (code == 0)
		check_range(bed, &(struct range){numbers[0], numbers[1], numbers[2], numbers[3]});
	return code;
}

static int do_create(struct bed *bed, int which)
{
	static const char *const names[] = {"stream", NULL};
	struct zone *zone = zone_new();
	struct value params = params_of(zone, which);
	uint64_t id;
	int code = call(bed, "stream_create", &params, zone, names, &id);

	if (code == 0 && id <= bed->last_id)
		fail_msg("seed %" PRIu64 ": id %" PRIu64 " given after %" PRIu64, bed->seed, id, bed->last_id);
	if (code == 0)
		bed->last_id = id;
	bed->there[which] = code == 0 || bed->there[which];
	bed->unsure[which] = code == ERROR_STORE || (bed->unsure[which] && code != 0);
	return code;
}

static int do_delete(struct bed *bed, int which)
{
	struct zone *zone = zone_new();
	struct value params = params_of(zone, which);
	int code = call(bed, "stream_delete", &params, zone, NULL, NULL);

	if (code == 0)
		bed->there[which] = bed->unsure[which] = false;
	else if (code == ERROR_STORE)
		bed->unsure[which] = true;
	return code;
}

static int do_advance(struct bed *bed, int which)
{
	static const char *const names[] = {"seed", "stream", "position", NULL};
	struct zone *zone = zone_new();
	struct value params = params_of(zone, which);
	uint64_t numbers[3];
	int code;

	value_put(zone, &params, "by", value_uint(draw(bed, 2 * BLOCK)));
	code = call(bed, "stream_advance", &params, zone, names, numbers);
	/* What is skipped counts as issued. */
	for (size_t i = 0; code == 0 && i < bed->n_ranges; i++)
		if (bed->ranges[i].stream == numbers[1] && bed->ranges[i].end < numbers[2])
			bed->ranges[i].end = numbers[2];
	return code;
}

static int do_something(struct bed *bed)
{
	const int which = (int)draw(bed, NAMES);
	const uint64_t what = draw(bed, 40);

	if (what == 0)
		return do_delete(bed, which);
	if (what == 1)
		return do_advance(bed, which);
	return !bed->there[which] || what == 2 ? do_create(bed, which) : do_draw(bed, which);
}

/* ---- a life ---- */

static void power_on(struct bed *bed)
{
	struct error err = {0};

	if (streams_open(&bed->settings, &bed->streams, &err) < 0)
		fail_msg("seed %" PRIu64 ": %s", bed->seed, err.text);
	if (streams_trouble(bed->streams))
		fail_msg("seed %" PRIu64 ": %s", bed->seed, streams_trouble(bed->streams)->text);
}

/* What was created is there, what was deleted is not; what a crash skipped is at most a block, or one long draw. */
static void check_names(struct bed *bed)
{
	static const char *const names[] = {"skips", "skipped", NULL};

	for (int i = 0; i < NAMES; i++) {
		struct zone *zone = zone_new();
		struct value params = params_of(zone, i);
		uint64_t numbers[2];
		const int code = call(bed, "stream_show", &params, zone, names, numbers);

		if (!bed->unsure[i] && bed->there[i] != (code == 0))
			fail_msg("seed %" PRIu64 ": stream %s: expected %s, got %s", bed->seed, name_of(i),
				 bed->there[i] ? "that it is there" : "not_found", code ? error_name(code) : "it");
		if (code == 0 && numbers[1] > numbers[0] * (3 * BLOCK + BLOCK))
			fail_msg("seed %" PRIu64 ": %" PRIu64 " crashes skipped %" PRIu64 " words", bed->seed,
				 numbers[0], numbers[1]);
		bed->there[i] = code == 0;
		bed->unsure[i] = false;
	}
}

static void bed_open(struct bed *bed, uint64_t seed)
{
	struct engine_settings engine = {.threads = 1};
	struct space_limits limits = {.served = &ops, .served_arg = bed};
	struct error err;

	memset(bed, 0, sizeof *bed);
	bed->seed = bed->random = seed;
	settings_default(&bed->settings);
	bed->settings.stream_block = BLOCK;
	strcpy(bed->dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/trnsci-power-XXXXXX" : "/tmp/trnsci-power-XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	strcpy(bed->settings.state_dir, bed->dir);
	assert_int_equal(engine_create(&engine, &bed->engine, &err), 0);
	assert_int_equal(space_create(bed->engine, &limits, &bed->space), 0);
	torn_begin(seed);
}

static void bed_close(struct bed *bed)
{
	static const char *const files[] = {"streams.db", "streams.db-journal", "streams.db.new", "streams.db.new-journal"};
	char path[128];

	space_close(bed->space);
	engine_destroy(bed->engine);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", bed->dir, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(bed->dir), 0);
}

/* Work until the power goes; then what the disk kept. Everything answered before or after the cut counts. */
static void live(struct bed *bed, uint64_t operations)
{
	const uint64_t idle = 20;

	power_on(bed);
	check_names(bed);
	torn_cut_at(operations);
	for (uint64_t after = 0, i = 0; i < 4000 && after < idle; i++) {
		do_something(bed);
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
			live(&bed, 1 + draw(&bed, i % 3 ? 60 : 400));
		bed_close(&bed);
	}
	printf("# %u power cuts\n", cuts);
}

/* A clean stop loses nothing: the next draw follows the last. */
static void clean_stops(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 77);
	power_on(&bed);
	assert_int_equal(do_create(&bed, 0), 0);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 10; k++)
			assert_int_equal(do_draw(&bed, 0), 0);
		streams_close(bed.streams);
		power_on(&bed);
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

	torn_fail(draw(bed, 30), 60 + draw(bed, 200), writes, syncs);
	for (int i = 0; i < 600; i++) {
		const int code = do_something(bed);

		refused += code == ERROR_STORE;
		served += code == 0;
		if (code != 0 && code != ERROR_STORE && code != ERROR_EXISTS && code != ERROR_NOT_FOUND)
			fail_msg("seed %" PRIu64 ": expected store, got %s", bed->seed, error_name(code));
	}
	assert_true(refused > 0);
	assert_true(served > 100);
	torn_fail(0, 0, false, false);
	for (int i = 0; i < NAMES; i++) {
		do_create(bed, i);
		for (int k = 0; k < 5; k++)
			assert_int_equal(do_draw(bed, i), 0);
	}
}

static void full_disks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(6, 200); i++) {
		struct bed bed;

		bed_open(&bed, 5000 + i);
		power_on(&bed);
		for (int k = 0; k < NAMES; k++)
			assert_int_equal(do_create(&bed, k), 0);
		failing_disk(&bed, true, false);
		failing_disk(&bed, false, true);
		/* And the power goes while it is full. */
		torn_fail(0, 1000, true, i % 2);
		torn_cut_at(1 + draw(&bed, 40));
		for (int k = 0; k < 200; k++)
			do_something(&bed);
		streams_close(bed.streams);
		torn_settle();
		torn_begin(i);
		power_on(&bed);
		check_names(&bed);
		for (int k = 0; k < 50; k++)
			do_something(&bed);
		streams_close(bed.streams);
		bed_close(&bed);
	}
}

/* Four syncs a commit, and a commit for half a block: of 64 Mi words, next to none for a draw. */
static void syncs_of_draws(void **state)
{
	enum { DRAWS = 20000 };
	struct bed bed;
	uint64_t before;

	(void)state;
	bed_open(&bed, 1);
	settings_set(&bed.settings, "stream_block", "67108864", NULL);
	power_on(&bed);
	assert_int_equal(do_create(&bed, 0), 0);
	before = torn_syncs();
	for (int i = 0; i < DRAWS; i++)
		assert_int_equal(do_draw(&bed, 0), 0);
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
		cmocka_unit_test(full_disks),
		cmocka_unit_test(syncs_of_draws),
	};

	torn_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
