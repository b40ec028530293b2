/* SPDX-License-Identifier: Apache-2.0 */
/* A state that is replaced, deleted or moved while its daemon runs: draws and creates are refused within a second, the
 * daemon says so when it stops, and two daemons on one path never issue the same positions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

#include "base/error.h"

/* Where the state of such a daemon lies, as `state`: in memory where that keeps attributes, for the sake of its syncs. */
static const char *disk_of(const struct daemon *daemon)
{
	static char path[96];

	snprintf(path, sizeof path, "/dev/shm%s", strrchr(daemon->dir, '/'));
	return access(path, F_OK) == 0 ? path : daemon->dir;
}

static void begin_on_disk(struct daemon *daemon, char state[128])
{
	char path[96];

	daemon_prepare(daemon);
	snprintf(path, sizeof path, "/dev/shm%s", strrchr(daemon->dir, '/'));
	if (mkdir(path, 0700) == 0 && setxattr(path, "user.trnsci.test", "", 0, 0) < 0)
		rmdir(path);
	snprintf(state, 128, "--state-dir=%s/state", disk_of(daemon));
}

/* Runs a command of the shell there. */
static void shell(const struct daemon *daemon, const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "cd %s && { %s; }", disk_of(daemon), command);
	assert_int_equal(system(line), 0);
}

static void remove_all(struct daemon *daemon)
{
	shell(daemon, "rm -rf state away copy");
	if (strcmp(disk_of(daemon), daemon->dir) != 0)
		assert_int_equal(rmdir(disk_of(daemon)), 0);
	daemon_remove_dir(daemon);
}

static struct message try_draw(struct client *client, const char *name, uint64_t n)
{
	struct value params = draw_of(client, name, "bits", n);

	value_put(client->bump, &params, "reserve", value_bool(true));
	return client_call(client, "stream_draw", &params);
}

/* Draws of one sample until one is refused (expected: 0) or answered (1); fails at the deadline. Its error's text. */
static const char *draw_until(struct client *client, bool answered)
{
	const struct waiting waiting = await_begin("", __FILE__, __LINE__);

	while (!await_is_over(&waiting)) {
		struct message message = try_draw(client, "noise", 1);

		if (message.error.code != 0 && message.error.code != ERROR_STORE)
			fail_msg("expected store, got %s", message.error.text);
		if (answered == (message.error.code == 0))
			return message.error.code ? bump_copy(client->bump, message.error.text, sizeof message.error.text) : "";
	}
	fail_msg("expected a draw to be %s within %d s", answered ? "answered" : "refused", DEADLINE_S);
	return NULL;
}

/* A stream whose reserve lasts for millions of draws of one sample. */
static void reserve_much(struct client *client)
{
	create(client, "noise");
	for (int i = 0; i < 16; i++)
		assert_int_equal(try_draw(client, "noise", 200000).error.code, 0);
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

	if (!strstr(why, "replaced, moved or deleted") || !strstr(why, disk_of(daemon)) || !strstr(why, "trnscid --restored-state"))
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
		begin_on_disk(&daemons[i], state);
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
		remove_all(&daemons[i]);
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

		begin_on_disk(&daemon, state);
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
		remove_all(&daemon);
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

		begin_on_disk(&daemon, state);
		spawn_on(&daemon, state, &client);
		create(&client, "noise");
		shell(&daemon, accidents[i].does);
		assert_int_equal(stop(&daemon, &client), EX_IOERR);
		remove_all(&daemon);
	}
}

/* ---- two daemons ---- */

static uint64_t draw_one(struct client *client)
{
	struct message message = try_draw(client, "noise", 1);

	if (message.error.code)
		fail_msg("expected a draw, got %s", message.error.text);
	return client_number(&message.result, "position");
}

static void restore(const char *state)
{
	char command[4400];

	snprintf(command, sizeof command, "%s --restored-state %s >/dev/null", daemon_binary(), state);
	assert_int_equal(system(command), 0);
}

/* A copy that is older than what the living daemon has issued, put in its place, and a second daemon on it. */
static void two_on_one_path(void **test)
{
	struct daemon first, second;
	struct client client, other;
	char state[128], socket_of_second[128];
	uint64_t last = 0;

	(void)test;
	begin_on_disk(&first, state);
	if (setxattr(disk_of(&first), "user.trnsci.test", "", 0, 0) < 0) {
		remove_all(&first);
		puts("# no folder keeps extended attributes");
		skip();
	}
	spawn_on(&first, state, &client);
	reserve_much(&client);
	shell(&first, "cp -a state copy");
	for (int i = 0; i < 40; i++)
		assert_int_equal(try_draw(&client, "noise", 10000000).error.code, 0);
	shell(&first, "mv state away; mv copy state");
	begin(&second, socket_of_second);
	spawn_on(&second, state, &other);
	for (struct message message = {0}; message.error.code == 0;) {
		struct message refused = try_draw(&other, "noise", 1);

		assert_int_equal(refused.error.code, ERROR_STORE);
		assert_non_null(strstr(refused.error.text, "restored, copied or moved"));
		message = try_draw(&client, "noise", 1);
		if (message.error.code == 0)
			last = client_number(&message.result, "position");
	}
	assert_int_equal(stop(&first, &client), EX_IOERR);
	assert_int_equal(stop(&second, &other), 0);
	restore(state);
	spawn_on(&second, state, &other);
	assert_int_equal(draw_one(&other), (uint64_t)1 << 60);
	assert_true(last < (uint64_t)1 << 60);
	assert_int_equal(stop(&second, &other), 0);
	remove_all(&first);
	daemon_remove_dir(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_are_refused),
		cmocka_unit_test(commits_are_refused),
		cmocka_unit_test(a_stop_notices),
		cmocka_unit_test(two_on_one_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
