/* SPDX-License-Identifier: Apache-2.0 */
/* The slow log: which requests it has, what it states of them, and how many it keeps. Users see their own requests only:
 * that of other users is held as root. */
#include "harness/daemon.h"
#include "harness/wire_client.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { OTHER = 60021, KEPT = 128, LARGE = 4000000, LONG_BYTES = 256 << 10 };

static struct value slow_requests(struct client *client)
{
	const struct value reply = client_result(client, "slow", NULL), *list = value_get(&reply, "slow");

	assert_non_null(list);
	return *list;
}

static double real(const struct value *map, const char *name)
{
	const struct value *member = value_get(map, name);

	if (!member)
		fail_msg("a slow request has no %s", name);
	return member->kind == VALUE_REAL ? member->real : (double)member->u;
}

static const struct value *find_method(const struct value *list, const char *method)
{
	for (size_t i = 0; i < list->array.count; i++)
		if (value_is_text(value_get(&list->array.at[i], "method"), method))
			return &list->array.at[i];
	return NULL;
}

/* A draw that threads ran has its wait, its run and the bytes that it wrote; one that was computed where it arrived has the
 * time alone. The newest is first. */
static void what_is_stated(void **state)
{
	struct daemon daemon;
	struct client client;
	struct value params;

	(void)state;
	daemon_start(&daemon, ARGUMENTS("--threads=2", "--slow-us=1"));
	client_open(&client, daemon.socket);
	params = client_map(&client, "n", value_uint(LARGE), NULL);
	client_result(&client, "normal", &params);
	/* With a text that no CPU copies within 1 us. */
	struct value text = {.kind = VALUE_STRING, .bytes = {calloc(1, LONG_BYTES), LONG_BYTES}};
	params = client_map(&client, "x", text, NULL);
	client_fails(&client, "no_such", &params, ERROR_UNKNOWN_METHOD, "no_such");
	free((void *)text.bytes.at);
	const struct value list = slow_requests(&client);
	const struct value *draw = find_method(&list, "normal"), *small = find_method(&list, "");

	assert_non_null(draw);
	assert_true(client_number(draw, "bytes") == 4 * LARGE);
	assert_int_equal(client_number(draw, "uid"), getuid());
	assert_int_equal(client_number(draw, "pid"), getpid());
	assert_int_equal(client_number(draw, "session"), client_stat(&client, "session.id"));
	assert_true(real(draw, "time_s") > 1.6e9);
	assert_true(real(draw, "run_us") > 1 && real(draw, "wait_us") >= 0);
	/* The sum of two rounded numbers. */
	assert_true(real(draw, "total_us") * (1 + 1e-12) >= real(draw, "wait_us") + real(draw, "run_us"));
	assert_null(value_get(draw, "error"));
	assert_ptr_equal(small, &list.array.at[0]);
	assert_null(value_get(small, "run_us"));
	client_close(&client);
	daemon_stop(&daemon);
}

/* A request behind another one on the only thread has waited; and a cancelled one has its error's name. */
static void who_waits(void **state)
{
	struct daemon daemon;
	struct client client;
	struct message message;
	struct value params;
	uint32_t first;

	(void)state;
	daemon_start(&daemon, ARGUMENTS("--threads=1", "--slow-us=1"));
	client_open(&client, daemon.socket);
	params = client_map(&client, "bytes", value_uint(64 << 20), NULL);
	close(client_arena(&client, 64 << 20, &(void *){NULL}));
	first = client_send_long(&client, 200);
	params = client_map(&client, "n", value_uint(LARGE), NULL);
	client_send(&client, "uniform", &params);
	params = client_map(&client, "msgid", value_uint(first), NULL);
	client_send(&client, "cancel", &params);
	for (int i = 0; i < 3; i++)
		assert_true(client_receive(&client, &message));
	const struct value list = slow_requests(&client);
	const struct value *program = find_method(&list, "run");

	assert_non_null(program);
	assert_true(value_is_text(value_get(program, "error"), "cancelled"));
	assert_non_null(find_method(&list, "uniform"));
	assert_true(real(find_method(&list, "uniform"), "wait_us") > 0);
	client_close(&client);
	daemon_stop(&daemon);
}

/* The ring has the last ones, and stats counts all; a threshold that nothing reaches keeps none, and neither does 0. */
static void how_many(void **state)
{
	static const char *const quiet[] = {"--slow-us=3600000000", "--slow-us=0"};
	struct daemon daemon;
	struct client client;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		daemon_start(&daemon, ARGUMENTS("--threads=1", quiet[i]));
		client_open(&client, daemon.socket);
		client_result(&client, "describe", NULL);
		assert_int_equal(slow_requests(&client).array.count, 0);
		assert_int_equal(client_stat(&client, "daemon.slow_requests"), 0);
		client_close(&client);
		daemon_stop(&daemon);
	}
	daemon_start(&daemon, ARGUMENTS("--threads=1", "--slow-us=1"));
	client_open(&client, daemon.socket);
	for (size_t i = 0; i < 2 * KEPT; i++)
		client_result(&client, "describe", NULL);
	const struct value list = slow_requests(&client);

	assert_int_equal(list.array.count, KEPT);
	for (size_t i = 0; i < KEPT; i++)
		assert_true(value_is_text(value_get(&list.array.at[i], "method"), "describe"));
	assert_true(client_stat(&client, "daemon.slow_requests") >= 2 * KEPT);
	client_close(&client);
	daemon_stop(&daemon);
}

/* In a child of another user, which sees its own requests; and not those of root before. */
static void act_as_other(const struct daemon *daemon)
{
	struct client client;
	struct value params;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setgroups(0, NULL) || setresgid(OTHER, OTHER, OTHER) || setresuid(OTHER, OTHER, OTHER))
		_exit(2);
	client_open(&client, daemon->socket);
	params = client_map(&client, "n", value_uint(LARGE), NULL);
	client_result(&client, "exponential", &params);
	const struct value list = slow_requests(&client);

	_exit(find_method(&list, "exponential") && !find_method(&list, "normal") ? 0 : 1);
}

static void who_sees_what(void **state)
{
	struct daemon daemon;
	struct client client;
	struct value params;
	int status;

	(void)state;
	if (getuid() != 0)
		skip();
	daemon_start(&daemon, ARGUMENTS("--threads=1", "--slow-us=1", "--socket-mode=0666"));
	assert_int_equal(chmod(daemon.dir, 0711), 0);
	client_open(&client, daemon.socket);
	params = client_map(&client, "n", value_uint(LARGE), NULL);
	client_result(&client, "normal", &params);
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		act_as_other(&daemon);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("another user: expected its own slow requests alone, got status %d", status);
	const struct value list = slow_requests(&client);

	assert_non_null(find_method(&list, "normal"));
	assert_int_equal(client_number(find_method(&list, "exponential"), "uid"), OTHER);
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_stated),
		cmocka_unit_test(who_waits),
		cmocka_unit_test(how_many),
		cmocka_unit_test(who_sees_what),
	};

	return cmocka_run_group_tests_name("slow requests", tests, NULL, NULL);
}
