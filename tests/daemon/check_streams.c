/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams of a real daemon, on the wire: ranges of several clients, kills at random moments, permissions, ids,
 * limits, a full disk, a damaged state and its repair. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

enum { CLIENTS = 4, BLOCK = 4096, RANGES_MOST = 1 << 18 };

struct range {
	uint64_t first, end;
};

struct log {
	struct range ranges[RANGES_MOST];
	size_t count;
	pthread_mutex_t lock;
};

static struct log issued = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin(struct daemon *daemon, char state[128])
{
	daemon_prepare(daemon);
	snprintf(state, 128, "--state-dir=%s/state", daemon->dir);
}

static void spawn(struct daemon *daemon, const char *state, const char *more)
{
	daemon_spawn(daemon, (const char *const[]){state, "--stream-block=4096", more, NULL}, NULL);
	daemon_await(daemon, "READY=1");
}

static struct value named(struct client *client, const char *name)
{
	return client_map(client, "name", value_string(name), NULL);
}

static struct value draw_of(struct client *client, const char *name, const char *law, uint64_t n)
{
	struct value inner = client_map(client, "op", value_string(law), "n", value_uint(n), NULL);

	return client_map(client, "name", value_string(name), "draw", inner, NULL);
}

static struct value create(struct client *client, const char *name)
{
	struct value params = client_map(client, "name", value_string(name), "seed", value_uint(9), NULL);

	return client_result(client, "stream_create", &params);
}

static struct value draw(struct client *client, const char *name, const char *law, uint64_t n)
{
	struct value params = draw_of(client, name, law, n);

	return client_result(client, "stream_draw", &params);
}

/* ---- replays ---- */

/* The same law with what the reply says of the place. */
static void same_again(struct client *client, const struct value *reply, const char *law, uint64_t n)
{
	struct value params = client_map(client, "n", value_uint(n), "seed", *value_get(reply, "seed"), "stream",
					 *value_get(reply, "stream"), "offset", *value_get(reply, "offset"), "generator",
					 *value_get(reply, "generator"), NULL);
	struct value again = client_result(client, law, &params);
	const struct value *a = value_get(reply, "data"), *b = value_get(&again, "data");

	assert_int_equal(a->bytes.size, b->bytes.size);
	assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	assert_int_equal(client_number(reply, "n"), n);
}

static void replays(void **test)
{
	static const char *const laws[] = {"bits", "uniform", "normal", "exponential", "poisson", "sphere", "randint"};
	char state[128];
	struct daemon daemon;
	struct client client;
	uint64_t end = 0;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	create(&client, "noise");
	for (uint64_t i = 0; i < 40; i++) {
		const char *law = laws[i % 7];
		const uint64_t n = i * i * 7 % 501 + (i % 13 == 0 ? 20000 : 0);
		struct value params = draw_of(&client, "noise", law, n);

		if (strcmp(law, "randint") == 0)
			value_put(client.zone, &params.map.at[1].value, "high", value_uint(1000));
		struct value reply = client_result(&client, "stream_draw", &params);

		if (strcmp(law, "randint") != 0)
			same_again(&client, &reply, law, n);
		assert_int_equal(client_number(&reply, "position") % 4, 0);
		assert_true(client_number(&reply, "position") >= end);
		end = client_number(&reply, "next");
	}
	client_close(&client);
	daemon_stop(&daemon);
}

/* ---- ranges of several clients ---- */

static void note_range(const struct value *reply)
{
	pthread_mutex_lock(&issued.lock);
	assert_true(issued.count < RANGES_MOST);
	issued.ranges[issued.count++] =
		(struct range){client_number(reply, "position"), client_number(reply, "next")};
	pthread_mutex_unlock(&issued.lock);
}

static int by_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorted, no two meet; the sum of the gaps between them. */
static uint64_t check_ranges(void)
{
	uint64_t gaps = 0;

	qsort(issued.ranges, issued.count, sizeof *issued.ranges, by_first);
	for (size_t i = 1; i < issued.count; i++) {
		const struct range *a = &issued.ranges[i - 1], *b = &issued.ranges[i];

		if (b->first < a->end)
			fail_msg("expected ranges that do not meet, got %" PRIu64 "..%" PRIu64 " and %" PRIu64 "..%" PRIu64,
				 a->first, a->end, b->first, b->end);
		gaps += b->first - a->end;
	}
	return gaps;
}

struct drawer {
	pthread_t thread;
	struct client client;
	unsigned seed, draws;
};

/* false when the daemon is gone. */
static bool ask(struct client *client, const struct value *params)
{
	struct codec_buffer buffer = {0};
	bool sent;

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, "stream_draw", params), 0);
	sent = send(client->fd, buffer.at, buffer.size, MSG_NOSIGNAL) == (ssize_t)buffer.size;
	codec_buffer_free(&buffer);
	return sent;
}

/* Eight requests in flight, so that some wait for blocks behind others. Ends with the connection. */
static void *draw_many(void *arg)
{
	struct drawer *drawer = arg;
	struct client *client = &drawer->client;
	unsigned random = drawer->seed, sent = 0, received = 0;
	bool alive = true;

	while (alive && received < drawer->draws) {
		struct message message;

		for (; alive && sent < drawer->draws && sent < received + 8; sent++) {
			random = random * 1664525 + 1013904223;
			struct value params = draw_of(client, "noise", "bits", 1 + (random >> 16) % 700);

			alive = ask(client, &params);
		}
		if (!client_receive(client, &message))
			break;
		assert_int_equal(message.error.code, 0);
		note_range(&message.result);
		received++;
	}
	client_close(client);
	return NULL;
}

static void start_drawers(struct drawer *drawers, const char *socket, unsigned seed, unsigned draws)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		drawers[i] = (struct drawer){.seed = seed + i, .draws = draws};
		client_open(&drawers[i].client, socket);
		assert_int_equal(pthread_create(&drawers[i].thread, NULL, draw_many, &drawers[i]), 0);
	}
}

static void join_drawers(struct drawer *drawers)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		pthread_join(drawers[i].thread, NULL);
}

/* Over clean stops, the ranges of all clients follow one another without a gap. */
static void ranges_follow(void **test)
{
	struct drawer drawers[CLIENTS];
	char state[128];
	struct daemon daemon;
	struct client client;

	(void)test;
	issued.count = 0;
	begin(&daemon, state);
	for (unsigned round = 0; round < 3; round++) {
		spawn(&daemon, state, "--stream-block=65536");
		client_open(&client, daemon.socket);
		if (round == 0)
			create(&client, "noise");
		client_close(&client);
		start_drawers(drawers, daemon.socket, round * 100, SANITIZED ? 100 : 1000);
		join_drawers(drawers);
		kill(daemon.pid, SIGTERM);
		assert_int_equal(daemon_wait(&daemon), 0);
	}
	assert_int_equal(issued.count, 3 * CLIENTS * (SANITIZED ? 100 : 1000));
	assert_int_equal(check_ranges(), 0);
	assert_int_equal(issued.ranges[0].first, 0);
	daemon_remove_dir(&daemon);
}

/* ---- kills ---- */

static void sleep_us(unsigned us)
{
	struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};

	nanosleep(&time, NULL);
}

/* The daemon is gone in the middle of anything: no position twice, and a block skipped for each kill at most. */
static void kills(void **test)
{
	const unsigned rounds = getenv("TRNSCI_FULL") && *getenv("TRNSCI_FULL") ? 150 : 12;
	struct drawer drawers[CLIENTS];
	char state[128];
	struct daemon daemon;
	struct client client;
	unsigned random = 12345;

	(void)test;
	issued.count = 0;
	begin(&daemon, state);
	for (unsigned round = 0; round < rounds; round++) {
		spawn(&daemon, state, NULL);
		client_open(&client, daemon.socket);
		if (round == 0)
			create(&client, "noise");
		client_close(&client);
		start_drawers(drawers, daemon.socket, round * 7, 1000000);
		random = random * 1664525 + 1013904223;
		sleep_us((random >> 12) % 40000);
		kill(daemon.pid, SIGKILL);
		assert_int_equal(daemon_wait(&daemon), 128 + SIGKILL);
		join_drawers(drawers);
	}
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	struct value params = named(&client, "noise"), shown = client_result(&client, "stream_show", &params);
	const uint64_t gaps = check_ranges(), skips = client_number(&shown, "skips");

	printf("# %zu ranges, %" PRIu64 " kills skipped %" PRIu64 " words\n", issued.count, skips,
	       client_number(&shown, "skipped"));
	/* Within a gap lie what a crash skipped, and answers that nobody read any more. */
	assert_true(skips <= rounds);
	assert_true(client_number(&shown, "skipped") <= skips * BLOCK);
	assert_true(gaps <= skips * BLOCK);
	assert_true(client_number(&shown, "position") >= issued.ranges[issued.count - 1].end);
	client_close(&client);
	daemon_stop(&daemon);
}

/* ---- ids, names, limits ---- */

static void names_and_ids(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;
	struct value params, reply;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, "--streams=5");
	client_open(&client, daemon.socket);
	params = named(&client, "none");
	client_fails(&client, "stream_show", &params, ERROR_NOT_FOUND, "not_found: stream_show: name: no stream \"none\"");
	reply = create(&client, "a");
	assert_int_equal(client_number(&reply, "stream"), 1);
	params = named(&client, "a");
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "there is a stream \"a\"");
	client_result(&client, "stream_delete", &params);
	client_fails(&client, "stream_delete", &params, ERROR_NOT_FOUND, "no stream \"a\"");
	reply = create(&client, "a");
	assert_int_equal(client_number(&reply, "stream"), 2);

	/* Ids of one's own choice: never one that a name has had. */
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(1), NULL);
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "stream: 1 has been assigned");
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(4), NULL);
	client_result(&client, "stream_create", &params);
	params = named(&client, "b");
	client_result(&client, "stream_delete", &params);
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(4), NULL);
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "stream: 4 has been assigned");
	reply = create(&client, "c");
	assert_int_equal(client_number(&reply, "stream"), 3);
	reply = create(&client, "d");
	assert_int_equal(client_number(&reply, "stream"), 5);
	/* Another seed or generator counts for itself. */
	params = client_map(&client, "name", value_string("e"), "seed", value_uint(9), "generator",
			    value_string("philox4x32"), NULL);
	reply = client_result(&client, "stream_create", &params);
	assert_int_equal(client_number(&reply, "stream"), 1);
	params = client_map(&client, "name", value_string("f"), "generator", value_string("philox4x32"), "stream",
			    value_uint(1ull << 32), NULL);
	client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "allowed for philox4x32 is 0 to 4294967295");
	params = client_map(&client, "name", value_string("f"), "generator", value_string("philox4x32"), "stream",
			    value_uint(UINT32_MAX), NULL);
	client_result(&client, "stream_create", &params);
	params = named(&client, "g");
	client_fails(&client, "stream_create", &params, ERROR_LIMIT, "the setting streams = 5");
	static const char *const wrong[] = {"", "-a", ".a", "a b", "a\n", "\xc3\xa4",
					    "0123456789012345678901234567890123456789012345678901234567890123x"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		params = named(&client, wrong[i]);
		client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "name: no name of a stream");
	}
	params = client_map(&client, "name", value_string("g"), "mode", value_string("0678"), NULL);
	client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "mode: no mode");
	client_close(&client);
	daemon_stop(&daemon);
}

static void lists(void **test)
{
	char state[128], name[16];
	struct daemon daemon;
	struct client client;
	struct value params, reply;
	unsigned seen = 0;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	for (unsigned i = 0; i < 25; i++) {
		snprintf(name, sizeof name, "s%02u", i * 7 % 25);
		create(&client, name);
	}
	params = client_map(&client, "limit", value_uint(10), NULL);
	for (;;) {
		reply = client_result(&client, "stream_list", &params);
		const struct value *list = value_get(&reply, "streams"), *after = value_get(&reply, "after");

		for (size_t i = 0; i < list->array.count; i++, seen++) {
			snprintf(name, sizeof name, "s%02u", seen);
			assert_true(value_is_text(value_get(&list->array.at[i], "name"), name));
		}
		if (after->kind == VALUE_NIL)
			break;
		value_put(client.zone, &params, "after", *after);
	}
	assert_int_equal(seen, 25);
	client_close(&client);
	daemon_stop(&daemon);
}

static void ends(void **test)
{
	const uint64_t near = UINT64_MAX - 15; /* 16 words are left */
	char state[128];
	struct daemon daemon;
	struct client client;
	struct value params, reply;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	create(&client, "noise");
	params = client_map(&client, "name", value_string("noise"), "to", value_uint(near), "u64", value_string("str"), NULL);
	reply = client_result(&client, "stream_advance", &params);
	assert_true(value_is_text(value_get(&reply, "position"), "18446744073709551600"));
	params = client_map(&client, "name", value_string("noise"), "to", value_uint(near - 4), NULL);
	client_fails(&client, "stream_advance", &params, ERROR_OUT_OF_RANGE, "positions never go back");
	params = client_map(&client, "name", value_string("noise"), "by", value_uint(17), NULL);
	client_fails(&client, "stream_advance", &params, ERROR_OUT_OF_RANGE, "allowed up to 16 words");
	params = draw_of(&client, "noise", "bits", 17);
	client_fails(&client, "stream_draw", &params, ERROR_END_OF_STREAM, "end_of_stream: stream_draw");
	reply = draw(&client, "noise", "bits", 8);
	assert_int_equal(client_number(&reply, "position"), near);
	same_again(&client, &reply, "bits", 8);
	reply = draw(&client, "noise", "bits", 8);
	assert_int_equal(value_get(&reply, "next")->kind, VALUE_NIL);
	params = draw_of(&client, "noise", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_END_OF_STREAM, "end_of_stream");
	params = named(&client, "noise");
	reply = client_result(&client, "stream_show", &params);
	assert_int_equal(value_get(&reply, "position")->kind, VALUE_NIL);
	/* What is the stream's to say. */
	static const char *const own[] = {"seed", "stream", "offset", "rank", "size", "generator", "key_layout"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		struct value inner =
			client_map(&client, "op", value_string("bits"), "n", value_uint(1), own[i], value_uint(0), NULL);
		params = client_map(&client, "name", value_string("noise"), "draw", inner, NULL);
		client_fails(&client, "stream_draw", &params, ERROR_UNKNOWN_PARAMETER, own[i]);
	}
	client_close(&client);
	daemon_stop(&daemon);
}

/* A draw that waits for its block ends with its session, or is cancelled; nobody else notices. */
static void waiting_draws(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client, other;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&other, daemon.socket);
	create(&other, "noise");
	for (unsigned i = 0; i < 15; i++) {
		client_open(&client, daemon.socket);
		for (unsigned k = 0; k < 20; k++) {
			struct value params = draw_of(&client, "noise", "normal", 3000 + 1000 * (i % 7));
			uint32_t msgid = client_send(&client, "stream_draw", &params);

			if (k % 3 == 0) {
				struct value which = client_map(&client, "msgid", value_uint(msgid), NULL);

				client_send(&client, "cancel", &which);
			}
		}
		client_close(&client);
	}
	struct value reply = draw(&other, "noise", "normal", 10);

	same_again(&other, &reply, "normal", 10);
	client_close(&other);
	daemon_stop(&daemon);
}

/* ---- who may ---- */

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
		params = client_map(&client, "name", value_string("own"), "group", value_uint(4000), NULL);
		EXPECT(code_of(&client, "stream_create", &params) == ERROR_NOT_PERMITTED);
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
	struct value params = named(&client, "shared"), shown = client_result(&client, "stream_delete", &params);

	assert_int_equal(client_number(&shown, "uid"), 3001);
	assert_int_equal(client_number(&shown, "gid"), 3001);
	assert_true(value_is_text(value_get(&shown, "mode"), "0664"));
	client_close(&client);
	daemon_stop(&daemon);
}

/* ---- the disk ---- */

/* On a disk of its own that is filled up: draws that need a block fail with `store`, and go on once there is room. */
static void full_disk(void **test)
{
	static char zeros[4096];
	char state[128], path[160];
	struct daemon daemon;
	struct client client;
	struct value params;
	uint64_t end = 0;
	int refused = 0;

	(void)test;
	begin(&daemon, state);
	snprintf(path, sizeof path, "%s/state", daemon.dir);
	mkdir(path, 0700);
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("disk", path, "tmpfs", 0, "size=96k") < 0) {
		daemon_remove_dir(&daemon);
		puts("# no disk of its own can be made");
		skip();
	}
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	create(&client, "noise");
	snprintf(path, sizeof path, "%s/state/ballast", daemon.dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	while (write(fd, zeros, sizeof zeros) > 0)
		;
	/* The journal of the first commit has room in its file: it is taken away. */
	for (int i = 0; i < 40; i++) {
		params = draw_of(&client, "noise", "bits", 3000);
		struct message message = client_call(&client, "stream_draw", &params);

		if (message.error.code == 0) {
			assert_true(client_number(&message.result, "position") >= end);
			end = client_number(&message.result, "next");
			continue;
		}
		assert_int_equal(message.error.code, ERROR_STORE);
		refused++;
	}
	/* A new stream needs pages; what fits into the old ones may go on. */
	for (int i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof name, "a_stream_with_a_long_name_%03d", i);
		params = client_map(&client, "name", value_string(name), "seed", value_uint((uint64_t)i), NULL);
		struct message message = client_call(&client, "stream_create", &params);

		if (message.error.code == 0)
			continue;
		if (message.error.code != ERROR_STORE || !strstr(message.error.text, "no space left"))
			fail_msg("expected store: no space left, got %s", message.error.text);
		refused++;
	}
	assert_true(refused > 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	for (int i = 0; i < 20; i++) {
		struct value reply = draw(&client, "noise", "bits", 3000);

		assert_true(client_number(&reply, "position") >= end);
		end = client_number(&reply, "next");
	}
	create(&client, "another");
	client_close(&client);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);
	snprintf(path, sizeof path, "%s/state", daemon.dir);
	assert_int_equal(umount(path), 0);
	daemon_remove_dir(&daemon);
}

static void one_daemon_a_folder(void **test)
{
	char state[128], other[128];
	struct daemon daemon, second;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	begin(&second, other);
	daemon_spawn(&second, (const char *const[]){state, NULL}, NULL);
	assert_int_equal(daemon_wait(&second), 75);
	daemon_remove_dir(&second);
	daemon_stop(&daemon);
}

/* ---- damage ---- */

static void flip(const struct daemon *daemon, off_t at)
{
	char path[160], byte;

	snprintf(path, sizeof path, "%s/state/streams.db", daemon->dir);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static int repair(const char *state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		execl(daemon_binary(), daemon_binary(), "--repair-state", state, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static off_t size_of(const struct daemon *daemon)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof path, "%s/state/streams.db", daemon->dir);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* The place of a text in the state. */
static off_t place_of(const struct daemon *daemon, const char *text)
{
	static char bytes[1 << 20];
	char path[160];

	snprintf(path, sizeof path, "%s/state/streams.db", daemon->dir);
	FILE *file = fopen(path, "rb");
	size_t size = fread(bytes, 1, sizeof bytes, file);

	fclose(file);
	const char *at = memmem(bytes, size, text, strlen(text));

	assert_non_null(at);
	return at - bytes;
}

static void damage_and_repair(void **test)
{
	char state[128], why[160];
	struct daemon daemon;
	struct client client;
	struct value params, none = value_map();

	(void)test;
	begin(&daemon, state);
	assert_int_equal(repair(state), 71 + 3); /* no folder: an I/O error */
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	create(&client, "kept");
	create(&client, "lost");
	draw(&client, "kept", "bits", 1000);
	draw(&client, "lost", "bits", 2000);
	client_close(&client);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);
	assert_int_equal(repair(state), 0); /* there is nothing to repair */

	flip(&daemon, place_of(&daemon, "lost") + 4); /* "threefry" behind it */
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	snprintf(why, sizeof why, "trnscid --repair-state --state-dir %s/state", daemon.dir);
	client_fails(&client, "stream_list", &none, ERROR_STORE, why);
	params = draw_of(&client, "kept", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_STORE, why);
	params = named(&client, "new");
	client_fails(&client, "stream_create", &params, ERROR_STORE, why);
	client_result(&client, "ping", &none); /* all else is served */
	assert_int_equal(repair(state), 75);   /* not beside a daemon */
	client_close(&client);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);

	assert_int_equal(repair(state), 0);
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	struct value reply = draw(&client, "kept", "bits", 1);

	assert_int_equal(client_number(&reply, "position"), 1000 + (1ull << 48));
	params = draw_of(&client, "lost", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_NOT_FOUND, "no stream \"lost\"");
	reply = create(&client, "lost");
	assert_true(client_number(&reply, "stream") > 1ull << 40);
	params = client_map(&client, "name", value_string("other"), "seed", value_uint(8), NULL);
	reply = client_result(&client, "stream_create", &params);
	assert_int_equal(client_number(&reply, "stream"), (1ull << 40) + 1);
	client_close(&client);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);

	/* Cut short, emptied, gone: never a new beginning. */
	for (int how = 0; how < 3; how++) {
		char path[160];

		snprintf(path, sizeof path, "%s/state/streams.db", daemon.dir);
		if (how < 2)
			assert_int_equal(truncate(path, how ? 0 : size_of(&daemon) / 2), 0);
		else
			assert_int_equal(unlink(path), 0);
		spawn(&daemon, state, NULL);
		client_open(&client, daemon.socket);
		params = named(&client, "new");
		client_fails(&client, "stream_create", &params, ERROR_STORE, "--repair-state");
		client_close(&client);
		kill(daemon.pid, SIGTERM);
		assert_int_equal(daemon_wait(&daemon), 0);
		assert_int_equal(repair(state), 0);
		spawn(&daemon, state, NULL);
		client_open(&client, daemon.socket);
		snprintf(why, sizeof why, "after%d", how);
		params = client_map(&client, "name", value_string(why), "seed", value_uint(9), NULL);
		reply = client_result(&client, "stream_create", &params);
		assert_true(client_number(&reply, "stream") > (uint64_t)(how + 2) << 40);
		client_close(&client);
		kill(daemon.pid, SIGTERM);
		assert_int_equal(daemon_wait(&daemon), 0);
	}
	daemon_remove_dir(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays),     cmocka_unit_test(ranges_follow), cmocka_unit_test(names_and_ids),
		cmocka_unit_test(lists),       cmocka_unit_test(ends),          cmocka_unit_test(waiting_draws),
		cmocka_unit_test(permissions), cmocka_unit_test(kills),         cmocka_unit_test(one_daemon_a_folder),
		cmocka_unit_test(full_disk),   cmocka_unit_test(damage_and_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
