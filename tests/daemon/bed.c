/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams in the test's own process. */
#include "bed.h"

#include <inttypes.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/log.h"
#include "engine/request.h"
#include "torn_mark.h"
#include "torn_vfs.h"

/* The daemon's log, which would tell of each cut. */
void log_line(enum log_level level, const char *format, ...)
{
	(void)level;
	(void)format;
}

uint64_t bed_random(struct bed *bed, uint64_t below)
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
	struct streams_who who = {&bed->peer, name, false, method, NULL, NULL};

	snprintf(name, sizeof name, "%.*s", (int)args->at[STREAM_NAME].value->bytes.size,
		 args->at[STREAM_NAME].value->bytes.at);
	if (strcmp(method, "stream_delete") == 0)
		return streams_delete(bed->streams, &who, served);
	if (strcmp(method, "stream_show") == 0)
		return streams_show(bed->streams, &who, served);
	if (strcmp(method, "stream_advance") == 0)
		return streams_advance(bed->streams, &who, args->at[STREAM_ADVANCE_BY].u64, false, served);
	return streams_create(bed->streams, &who,
			      &(struct streams_new){.name = name, .stream = {.seed = 1}, .seeded = true, .mode = 0600}, served);
}

static int reserve(void *arg, const char *at, size_t size, const char *context, struct served *served)
{
	struct bed *bed = arg;
	char name[STORE_NAME_MOST + 1];
	const struct streams_who who = {&bed->peer, name, false, context, NULL, NULL};

	snprintf(name, sizeof name, "%.*s", (int)size, at);
	return streams_draw(bed->streams, &who, served);
}

static void forget(void *arg, struct served *served)
{
	streams_forget(((struct bed *)arg)->streams, served);
}

static const struct served_ops ops = {begin, reserve, forget};

static void on_done(struct request *request, void *arg)
{
	(void)request;
	sem_post(arg);
}

int bed_call(struct bed *bed, const char *method, const struct value *params, struct bump *bump,
	     const char *const *names, uint64_t *numbers)
{
	struct request *request;
	sem_t done;
	int code;

	sem_init(&done, 0, 0);
	assert_int_equal(request_start(bed->memory, method, strlen(method), params, bump, on_done, &done, &request), 0);
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
	static const char *const names[BED_NAMES] = {"a", "b/c", "_d", "noise.1"};

	return names[which];
}

struct value bed_params(struct bump *bump, int which)
{
	struct value params = value_map();

	assert_int_equal(value_put(bump, &params, "name", value_string(name_of(which))), 0);
	return params;
}

/* ---- what is checked of each answer ---- */

void bed_check_range(struct bed *bed, const struct range *range)
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
	assert_true(bed->n_ranges < BED_RANGES_MOST);
	bed->ranges[bed->n_ranges++] = *range;
}

int bed_draw(struct bed *bed, int which)
{
	static const char *const names[] = {"seed", "stream", "position", "next", NULL};
	const uint64_t n = bed_random(bed, 16) ? 1 + bed_random(bed, 1500) : 1 + bed_random(bed, 3 * BED_BLOCK);
	struct bump *bump = bump_new();
	struct value params = bed_params(bump, which), inner = value_map();
	uint64_t numbers[4];
	int code;

	value_put(bump, &inner, "op", value_string("bits"));
	value_put(bump, &inner, "n", value_uint(n));
	value_put(bump, &params, "draw", inner);
	value_put(bump, &params, "reserve", value_bool(true));
	code = bed_call(bed, "stream_draw", &params, bump, names, numbers);
	if (code == 0)
		bed_check_range(bed, &(struct range){numbers[0], numbers[1], numbers[2], numbers[3]});
	return code;
}

/* It may have happened all the same. */
static bool has_failed(int code)
{
	return code == ERROR_STORE || code == ERROR_NO_MEMORY;
}

int bed_create(struct bed *bed, int which)
{
	static const char *const names[] = {"stream", NULL};
	struct bump *bump = bump_new();
	struct value params = bed_params(bump, which);
	uint64_t id;
	int code = bed_call(bed, "stream_create", &params, bump, names, &id);

	if (code == 0 && id <= bed->last_id)
		fail_msg("seed %" PRIu64 ": id %" PRIu64 " given after %" PRIu64, bed->seed, id, bed->last_id);
	if (code == 0)
		bed->last_id = id;
	bed->there[which] = code == 0 || bed->there[which];
	bed->unsure[which] = has_failed(code) || (bed->unsure[which] && code != 0);
	return code;
}

int bed_delete(struct bed *bed, int which)
{
	struct bump *bump = bump_new();
	struct value params = bed_params(bump, which);
	int code = bed_call(bed, "stream_delete", &params, bump, NULL, NULL);

	if (code == 0)
		bed->there[which] = bed->unsure[which] = false;
	else if (has_failed(code))
		bed->unsure[which] = true;
	return code;
}

int bed_advance(struct bed *bed, int which)
{
	static const char *const names[] = {"seed", "stream", "position", NULL};
	struct bump *bump = bump_new();
	struct value params = bed_params(bump, which);
	uint64_t numbers[3];
	int code;

	value_put(bump, &params, "by", value_uint(bed_random(bed, 2 * BED_BLOCK)));
	code = bed_call(bed, "stream_advance", &params, bump, names, numbers);
	/* What is skipped counts as issued. */
	for (size_t i = 0; code == 0 && i < bed->n_ranges; i++)
		if (bed->ranges[i].stream == numbers[1] && bed->ranges[i].end < numbers[2])
			bed->ranges[i].end = numbers[2];
	return code;
}

int bed_do_something(struct bed *bed)
{
	const int which = (int)bed_random(bed, BED_NAMES);
	const uint64_t what = bed_random(bed, 40);

	if (what == 0)
		return bed_delete(bed, which);
	if (what == 1)
		return bed_advance(bed, which);
	return !bed->there[which] || what == 2 ? bed_create(bed, which) : bed_draw(bed, which);
}

/* ---- a life ---- */

void bed_power_on(struct bed *bed)
{
	struct error err = {0};

	if (streams_open(&bed->settings, &bed->streams, &err) < 0)
		fail_msg("seed %" PRIu64 ": %s", bed->seed, err.text);
	if (streams_trouble(bed->streams))
		fail_msg("seed %" PRIu64 ": %s", bed->seed, streams_trouble(bed->streams)->text);
}

void bed_check_names(struct bed *bed)
{
	static const char *const names[] = {"skips", "skipped", NULL};

	for (int i = 0; i < BED_NAMES; i++) {
		struct bump *bump = bump_new();
		struct value params = bed_params(bump, i);
		uint64_t numbers[2];
		const int code = bed_call(bed, "stream_show", &params, bump, names, numbers);

		if (!bed->unsure[i] && bed->there[i] != (code == 0))
			fail_msg("seed %" PRIu64 ": stream %s: expected %s, got %s", bed->seed, name_of(i),
				 bed->there[i] ? "that it is there" : "not_found", code ? error_name(code) : "it");
		if (code == 0 && numbers[1] > numbers[0] * (3 * BED_BLOCK + BED_BLOCK))
			fail_msg("seed %" PRIu64 ": %" PRIu64 " crashes skipped %" PRIu64 " words", bed->seed,
				 numbers[0], numbers[1]);
		bed->there[i] = code == 0;
		bed->unsure[i] = false;
	}
}

void bed_open(struct bed *bed, uint64_t seed)
{
	struct engine_settings engine = {.threads = 1};
	struct session_limits limits = {.served = &ops, .served_arg = bed};
	struct error err;

	memset(bed, 0, sizeof *bed);
	bed->seed = bed->random = seed;
	settings_default(&bed->settings);
	bed->settings.stream_block = BED_BLOCK;
	strcpy(bed->dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/trnsci-power-XXXXXX" : "/tmp/trnsci-power-XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	strcpy(bed->settings.state_dir, bed->dir);
	assert_int_equal(engine_create(&engine, &bed->engine, &err), 0);
	assert_int_equal(session_memory_create(bed->engine, &limits, &bed->memory), 0);
	torn_mark_forget();
	torn_begin(seed);
}

void bed_close(struct bed *bed)
{
	static const char *const files[] = {"streams.db", "streams.db-journal", "streams.db.new", "streams.db.new-journal"};
	char path[128];

	session_memory_close(bed->memory);
	engine_destroy(bed->engine);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", bed->dir, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(bed->dir), 0);
}

