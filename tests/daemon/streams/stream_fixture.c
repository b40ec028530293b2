/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams in the test's own process. */
#include "stream_fixture.h"

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

/* The daemon's log, which would have a line for each cut. */
void log_line(enum log_level level, const char *format, ...)
{
	(void)level;
	(void)format;
}

uint64_t fixture_random(struct fixture *fixture, uint64_t below)
{
	fixture->random = fixture->random * 6364136223846793005u + 1442695040888963407u;
	return (fixture->random >> 33) % below;
}

/* ---- requests ---- */

static int begin(void *arg, const struct args *args, struct deferred_reply *deferred)
{
	struct fixture *fixture = arg;
	const char *method = args->operation->name;
	char name[STORE_NAME_MOST + 1];
	struct streams_who who = {&fixture->peer, name, false, method, NULL, NULL};

	snprintf(name, sizeof name, "%.*s", (int)args->at[STREAM_NAME].value->bytes.size,
		 args->at[STREAM_NAME].value->bytes.at);
	if (strcmp(method, "stream_delete") == 0)
		return streams_delete(fixture->streams, &who, deferred);
	if (strcmp(method, "stream_show") == 0)
		return streams_show(fixture->streams, &who, deferred);
	if (strcmp(method, "stream_advance") == 0)
		return streams_advance(fixture->streams, &who, args->at[STREAM_ADVANCE_BY].u64, false, deferred);
	return streams_create(fixture->streams, &who,
			      &(struct streams_new){.name = name, .stream = {.seed = 1}, .seeded = true, .mode = 0600},
			      deferred);
}

static int reserve(void *arg, const char *at, size_t size, const char *context, struct deferred_reply *deferred)
{
	struct fixture *fixture = arg;
	char name[STORE_NAME_MOST + 1];
	const struct streams_who who = {&fixture->peer, name, false, context, deferred->same, NULL};

	snprintf(name, sizeof name, "%.*s", (int)size, at);
	return streams_draw(fixture->streams, &who, deferred);
}

static void forget(void *arg, struct deferred_reply *deferred)
{
	streams_forget(((struct fixture *)arg)->streams, deferred);
}

static const struct deferred_reply_ops ops = {begin, reserve, forget, NULL};

static void on_done(struct request *request, void *arg)
{
	(void)request;
	sem_post(arg);
}

int fixture_call(struct fixture *fixture, const char *method, const struct value *params, struct bump *bump,
		 const char *const *names, uint64_t *numbers)
{
	struct request *request;
	sem_t done;
	int code;

	sem_init(&done, 0, 0);
	assert_int_equal(request_start(fixture->memory, &(struct request_call){.method = method, .method_size = strlen(method), .params = params},
				        bump, on_done, &done, &request),
			 0);
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
	static const char *const names[FIXTURE_NAMES] = {"a", "b/c", "_d", "noise.1"};

	return names[which];
}

struct value fixture_params(struct bump *bump, int which)
{
	struct value params = value_map();

	assert_int_equal(value_put(bump, &params, "name", value_string(name_of(which))), 0);
	return params;
}

/* ---- what is checked of each answer ---- */

void fixture_check_range(struct fixture *fixture, const struct reservation *range)
{
	for (size_t i = 0; i < fixture->n_ranges; i++) {
		const struct reservation *other = &fixture->ranges[i];

		if (other->seed == range->seed && other->stream == range->stream && range->first < other->end &&
		    other->first < range->end)
			fail_msg("seed %" PRIu64 ": stream %" PRIu64 ": words %" PRIu64 " to %" PRIu64
				 " were issued, and now %" PRIu64 " to %" PRIu64,
				 fixture->seed, range->stream, other->first, other->end, range->first, range->end);
	}
	/* Neighbours are joined, so that few are compared. */
	for (size_t i = 0; i < fixture->n_ranges; i++)
		if (fixture->ranges[i].stream == range->stream && fixture->ranges[i].end == range->first) {
			fixture->ranges[i].end = range->end;
			return;
		}
	assert_true(fixture->n_ranges < FIXTURE_RANGES_MOST);
	fixture->ranges[fixture->n_ranges++] = *range;
}

int fixture_draw(struct fixture *fixture, int which)
{
	static const char *const names[] = {"seed", "stream", "position", "next", NULL};
	const uint64_t n = fixture_random(fixture, 16) ? 1 + fixture_random(fixture, 1500)
						       : 1 + fixture_random(fixture, 3 * FIXTURE_BLOCK);
	struct bump *bump = bump_new();
	struct value params = fixture_params(bump, which), inner = value_map();
	uint64_t numbers[4];
	int code;

	value_put(bump, &inner, "op", value_string("bits"));
	value_put(bump, &inner, "n", value_uint(n));
	value_put(bump, &params, "draw", inner);
	value_put(bump, &params, "reserve", value_bool(true));
	code = fixture_call(fixture, "stream_draw", &params, bump, names, numbers);
	if (code == 0)
		fixture_check_range(fixture, &(struct reservation){numbers[0], numbers[1], numbers[2], numbers[3]});
	return code;
}

/* It may have happened all the same. */
static bool has_failed(int code)
{
	return code == ERROR_STORE || code == ERROR_NO_MEMORY;
}

int fixture_create(struct fixture *fixture, int which)
{
	static const char *const names[] = {"stream", NULL};
	struct bump *bump = bump_new();
	struct value params = fixture_params(bump, which);
	uint64_t id;
	int code = fixture_call(fixture, "stream_create", &params, bump, names, &id);

	if (code == 0 && id <= fixture->last_id)
		fail_msg("seed %" PRIu64 ": id %" PRIu64 " given after %" PRIu64, fixture->seed, id, fixture->last_id);
	if (code == 0)
		fixture->last_id = id;
	fixture->there[which] = code == 0 || fixture->there[which];
	fixture->unsure[which] = has_failed(code) || (fixture->unsure[which] && code != 0);
	return code;
}

int fixture_delete(struct fixture *fixture, int which)
{
	struct bump *bump = bump_new();
	struct value params = fixture_params(bump, which);
	int code = fixture_call(fixture, "stream_delete", &params, bump, NULL, NULL);

	if (code == 0)
		fixture->there[which] = fixture->unsure[which] = false;
	else if (has_failed(code))
		fixture->unsure[which] = true;
	return code;
}

int fixture_advance(struct fixture *fixture, int which)
{
	static const char *const names[] = {"seed", "stream", "position", NULL};
	struct bump *bump = bump_new();
	struct value params = fixture_params(bump, which);
	uint64_t numbers[3];
	int code;

	value_put(bump, &params, "by", value_uint(fixture_random(fixture, 2 * FIXTURE_BLOCK)));
	code = fixture_call(fixture, "stream_advance", &params, bump, names, numbers);
	/* What is skipped counts as issued. */
	for (size_t i = 0; code == 0 && i < fixture->n_ranges; i++)
		if (fixture->ranges[i].stream == numbers[1] && fixture->ranges[i].end < numbers[2])
			fixture->ranges[i].end = numbers[2];
	return code;
}

int fixture_do_something(struct fixture *fixture)
{
	const int which = (int)fixture_random(fixture, FIXTURE_NAMES);
	const uint64_t what = fixture_random(fixture, 40);

	if (what == 0)
		return fixture_delete(fixture, which);
	if (what == 1)
		return fixture_advance(fixture, which);
	return !fixture->there[which] || what == 2 ? fixture_create(fixture, which) : fixture_draw(fixture, which);
}

/* ---- a life ---- */

void fixture_power_on(struct fixture *fixture)
{
	struct error err = {0};

	if (streams_open(&fixture->settings, &fixture->streams, &err) < 0)
		fail_msg("seed %" PRIu64 ": %s", fixture->seed, err.text);
	if (streams_trouble(fixture->streams))
		fail_msg("seed %" PRIu64 ": %s", fixture->seed, streams_trouble(fixture->streams)->text);
}

void fixture_check_names(struct fixture *fixture)
{
	static const char *const names[] = {"skips", "skipped", NULL};

	for (int i = 0; i < FIXTURE_NAMES; i++) {
		struct bump *bump = bump_new();
		struct value params = fixture_params(bump, i);
		uint64_t numbers[2];
		const int code = fixture_call(fixture, "stream_show", &params, bump, names, numbers);

		if (!fixture->unsure[i] && fixture->there[i] != (code == 0))
			fail_msg("seed %" PRIu64 ": stream %s: expected %s, got %s", fixture->seed, name_of(i),
				 fixture->there[i] ? "that it is there" : "not_found", code ? error_name(code) : "it");
		if (code == 0 && numbers[1] > numbers[0] * (3 * FIXTURE_BLOCK + FIXTURE_BLOCK))
			fail_msg("seed %" PRIu64 ": %" PRIu64 " crashes skipped %" PRIu64 " words", fixture->seed,
				 numbers[0], numbers[1]);
		fixture->there[i] = code == 0;
		fixture->unsure[i] = false;
	}
}

void fixture_open(struct fixture *fixture, uint64_t seed)
{
	struct engine_settings engine = {.threads = 1};
	struct session_owner limits = {.deferred = &ops, .deferred_arg = fixture};
	struct error err;

	memset(fixture, 0, sizeof *fixture);
	fixture->seed = fixture->random = seed;
	settings_default(&fixture->settings);
	fixture->settings.stream_block = FIXTURE_BLOCK;
	strcpy(fixture->dir,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/trnsci-power-XXXXXX" : "/tmp/trnsci-power-XXXXXX");
	assert_non_null(mkdtemp(fixture->dir));
	strcpy(fixture->settings.state_dir, fixture->dir);
	assert_int_equal(engine_create(&engine, &fixture->engine, &err), 0);
	assert_int_equal(engine_session_create(fixture->engine, &limits, &fixture->memory), 0);
	torn_mark_forget();
	torn_begin(seed);
}

void fixture_close(struct fixture *fixture)
{
	static const char *const files[] = {"streams.db", "streams.db-journal", "streams.db.new",
					    "streams.db.new-journal"};
	char path[128];

	engine_session_close(fixture->memory);
	engine_destroy(fixture->engine);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", fixture->dir, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(fixture->dir), 0);
}
