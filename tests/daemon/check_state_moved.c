/* SPDX-License-Identifier: Apache-2.0 */
/* A state that is replaced, deleted or moved while its daemon runs: draws and creates are refused within a second, the
 * daemon says so when it stops, and two daemons on one path never issue the same positions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

#include "base/error.h"

enum { LIMIT_S = 30 };

/* Runs a command of the shell in the daemon's folder, where the state is state/. */
static void shell(const struct daemon *daemon, const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "cd %s && { %s; }", daemon->dir, command);
	assert_int_equal(system(line), 0);
}

static struct message try_draw(struct client *client, const char *name, uint64_t n)
{
	struct value params = draw_of(client, name, "bits", n);

	value_put(client->zone, &params, "reserve", value_bool(true));
	return client_call(client, "stream_draw", &params);
}

/* Draws of one sample until one is refused (expected: 0) or answered (1); fails after LIMIT_S. Its error's text. */
static const char *draw_until(struct client *client, bool answered)
{
	const time_t end = time(NULL) + LIMIT_S;

	while (time(NULL) < end) {
		struct message message = try_draw(client, "noise", 1);

		if (message.error.code != 0 && message.error.code != ERROR_STORE)
			fail_msg("expected store, got %s", message.error.text);
		if (answered == (message.error.code == 0))
			return message.error.code ? zone_copy(client->zone, message.error.text, sizeof message.error.text) : "";
	}
	fail_msg("expected a draw to be %s within %d s", answered ? "answered" : "refused", LIMIT_S);
	return NULL;
}

/* A stream whose reserve lasts for millions of draws of one sample. */
static void reserve_much(struct client *client)
{
	create(client, "noise");
	for (int i = 0; i < 30; i++)
		assert_int_equal(try_draw(client, "noise", 1000000).error.code, 0);
}

static void spawn_on(struct daemon *daemon, const char *state, struct client *ret_client)
{
	daemon_spawn(daemon, (const char *const[]){state, "--threads=1", NULL}, NULL);
	daemon_await(daemon, "READY=1");
	client_open(ret_client, daemon->socket);
}

static int stop(struct daemon *daemon, struct client *client)
{
	client_close(client);
	kill(daemon->pid, SIGTERM);
	return daemon_wait(daemon);
}

/* What is done to the state, and what undoes it (NULL: nothing does). */
static const struct {
	const char *does, *undoes;
} accidents[] = {
	{"cp state/streams.db state/new; mv state/new state/streams.db", NULL},
	{"rm state/*", NULL},
	{"rm state/streams.db-journal", NULL},
	{"rm -r state", NULL},
	{"mv state/streams.db state/old", "mv state/old state/streams.db"},
	{"mv state away", "mv away state"},
	{"mv state away; cp -a away state", "rm -r state; mv away state"},
	{"mv state away; mkdir state", "rmdir state; mv away state"},
};

enum { ACCIDENTS = sizeof accidents / sizeof *accidents };

static void is_refused(struct daemon *daemon, struct client *client)
{
	const uint64_t commits = client_stat(client, "daemon.named_streams.commits");
	const char *why = draw_until(client, false);
	struct value stats, params = named(client, "another"), none = value_map();

	if (!strstr(why, "replaced, moved or deleted") || !strstr(why, daemon->dir) || !strstr(why, "trnscid(8)"))
		fail_msg("expected what happened, the folder and the command, got %s", why);
	assert_int_equal(client_stat(client, "daemon.named_streams.commits"), commits);
	client_fails(client, "stream_create", &params, ERROR_STORE, "replaced, moved or deleted");
	params = named(client, "noise");
	client_fails(client, "stream_delete", &params, ERROR_STORE, "replaced, moved or deleted");
	stats = client_result(client, "stats", &none);
	const struct value *trouble = value_get(value_get(value_get(&stats, "daemon"), "named_streams"), "trouble");

	assert_int_equal(trouble->kind, VALUE_STRING);
	client_result(client, "ping", &none); /* all else is served */
}

/* From a reserve that needs no commit; and what can be undone is no trouble any more. All at once, since each waits for
 * the daemon's second to pass. */
static void draws_are_refused(void **test)
{
	static struct daemon daemons[ACCIDENTS];
	static struct client clients[ACCIDENTS];
	char state[128];

	(void)test;
	for (int i = 0; i < ACCIDENTS; i++) {
		begin(&daemons[i], state);
		spawn_on(&daemons[i], state, &clients[i]);
		reserve_much(&clients[i]);
		shell(&daemons[i], accidents[i].does);
	}
	for (int i = 0; i < ACCIDENTS; i++)
		is_refused(&daemons[i], &clients[i]);
	for (int i = 0; i < ACCIDENTS; i++)
		if (accidents[i].undoes)
			shell(&daemons[i], accidents[i].undoes);
	for (int i = 0; i < ACCIDENTS; i++) {
		if (accidents[i].undoes) {
			draw_until(&clients[i], true);
			create(&clients[i], "another");
		}
		assert_int_equal(stop(&daemons[i], &clients[i]), accidents[i].undoes ? 0 : EX_IOERR);
		daemon_remove_dir(&daemons[i]);
	}
}

/* A commit looks for itself: the first draw or create that needs one is refused. */
static void commits_are_refused(void **test)
{
	(void)test;
	for (int i = 0; i < ACCIDENTS; i++) {
		char state[128];
		struct daemon daemon;
		struct client client;
		struct message message;

		begin(&daemon, state);
		spawn_on(&daemon, state, &client);
		create(&client, "noise");
		shell(&daemon, accidents[i].does);
		message = try_draw(&client, "noise", 10000000);
		if (message.error.code != ERROR_STORE || !strstr(message.error.text, "replaced, moved or deleted"))
			fail_msg("%s: expected store, got %s", accidents[i].does,
				 message.error.code ? message.error.text : "no error");
		struct value params = named(&client, "another");

		client_fails(&client, "stream_create", &params, ERROR_STORE, "replaced, moved or deleted");
		assert_int_equal(stop(&daemon, &client), EX_IOERR);
		daemon_remove_dir(&daemon);
	}
}

/* Nobody has asked for anything since. */
static void a_stop_notices(void **test)
{
	(void)test;
	for (int i = 0; i < ACCIDENTS; i++) {
		char state[128];
		struct daemon daemon;
		struct client client;

		begin(&daemon, state);
		spawn_on(&daemon, state, &client);
		create(&client, "noise");
		shell(&daemon, accidents[i].does);
		assert_int_equal(stop(&daemon, &client), EX_IOERR);
		daemon_remove_dir(&daemon);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_are_refused),
		cmocka_unit_test(commits_are_refused),
		cmocka_unit_test(a_stop_notices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
