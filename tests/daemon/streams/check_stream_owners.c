/* SPDX-License-Identifier: Apache-2.0 */
/* Who may show, draw from and advance a named stream: its owner, its group, others. */
#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"

#include "base/error.h"

/* In a child, as that user: 0, or the number of the line that failed. */
#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			_exit(__LINE__ % 200 + 1);                                                                     \
	} while (0)

static int code_of(struct client *client, const char *method, const struct value *params)
{
	struct message message = client_call(client, method, params);

	return message.error.code;
}

/* One draw of that stream. */
static struct value program_of(struct client *client, const char *name)
{
	struct value steps = value_array();

	value_push(client->bump, &steps,
		   client_map(client, "op", value_string("bits"), "n", value_uint(4), "stream_name", value_string(name), NULL));
	return client_map(client, "steps", steps, NULL);
}

struct wish {
	uid_t uid;
	gid_t gid, extra;
	int show, draw, advance; /* the error's code of each */
};

static void try_as(const struct daemon *daemon, const struct wish *wish)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct client client;

		EXPECT(setgroups(1, &wish->extra) == 0 && setresgid(wish->gid, wish->gid, wish->gid) == 0 &&
		       setresuid(wish->uid, wish->uid, wish->uid) == 0);
		client_open(&client, daemon->socket);
		struct value params = named(&client, "shared");

		EXPECT(code_of(&client, "stream_show", &params) == wish->show);
		params = client_map(&client, "name", value_string("shared"), "by", value_uint(4), NULL);
		EXPECT(code_of(&client, "stream_advance", &params) == wish->advance);
		params = draw_of(&client, "shared", "bits", 4);
		EXPECT(code_of(&client, "stream_draw", &params) == wish->draw);
		params = program_of(&client, "shared");
		EXPECT(code_of(&client, "run", &params) == wish->draw);
		params = client_map(&client, "method", value_string("run"), "params", params, NULL);
		const struct value reply = client_result(&client, "prepare", &params);

		params = client_map(&client, "prepared", *value_get(&reply, "prepared"), NULL);
		EXPECT(code_of(&client, "run_prepared", &params) == wish->draw);
		params = client_map(&client, "name", value_string("own"), "group", value_uint(4000), NULL);
		EXPECT(code_of(&client, "stream_create", &params) == ERROR_NOT_PERMITTED);
		const struct value stats = client_result(&client, "stats", NULL);
		const struct value *streams = value_get(value_get(&stats, "daemon"), "named_streams");

		EXPECT(value_get(streams, "state_dir")->kind == VALUE_NIL);
		EXPECT(value_get(value_get(&stats, "settings"), "state_dir")->kind == VALUE_NIL);
		struct value none = value_map(), list = client_result(&client, "stream_list", &none);

		EXPECT((value_get(&list, "streams")->array.count == 0) == (wish->show != 0));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("as user %u, group %u and %u: the expectation in line %d (modulo 200) failed", wish->uid, wish->gid,
			 wish->extra, WEXITSTATUS(status) - 1);
}

static void permissions(void **test)
{
	static const struct wish wishes[] = {
		{3001, 3001, 3001, 0, 0, 0}, /* the owner */
		{3002, 3001, 3002, 0, 0, ERROR_NOT_PERMITTED}, /* of its group */
		{3003, 3003, 3001, 0, 0, ERROR_NOT_PERMITTED}, /* of its group besides */
		{3004, 3004, 3004, 0, ERROR_NOT_PERMITTED, ERROR_NOT_PERMITTED}, /* another: mode 0664 */
	};
	char state[128];
	struct daemon daemon;
	struct client client;
	int status;

	(void)test;
	if (geteuid() != 0) {
		puts("# not root: no other users");
		skip();
	}
	begin(&daemon, state);
	chmod(daemon.dir, 0755);
	spawn(&daemon, state, "--socket-mode=666");
	pid_t pid = fork();

	if (pid == 0) {
		EXPECT(setgroups(0, NULL) == 0 && setresgid(3001, 3001, 3001) == 0 && setresuid(3001, 3001, 3001) == 0);
		client_open(&client, daemon.socket);
		struct value params =
			client_map(&client, "name", value_string("shared"), "mode", value_string("0664"), NULL);

		EXPECT(code_of(&client, "stream_create", &params) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
		try_as(&daemon, &wishes[i]);
	client_open(&client, daemon.socket); /* root */
	const struct value stats = client_result(&client, "stats", NULL);
	const struct value *streams = value_get(value_get(&stats, "daemon"), "named_streams");

	assert_true(value_is_text(value_get(streams, "state_dir"), strchr(state, '=') + 1));
	assert_true(value_is_text(value_get(value_get(&stats, "settings"), "state_dir"), strchr(state, '=') + 1));
	struct value params = named(&client, "shared"), shown = client_result(&client, "stream_delete", &params);

	assert_int_equal(client_number(&shown, "uid"), 3001);
	assert_int_equal(client_number(&shown, "gid"), 3001);
	assert_true(value_is_text(value_get(&shown, "mode"), "0664"));
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permissions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
