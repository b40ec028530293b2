/* SPDX-License-Identifier: Apache-2.0 */
/* What fails under the daemon: each allocation and each system call of a session in turn, with each error that it can
 * give; the same at its start; clients that are killed at each of their system calls and after each of their bytes;
 * clocks that are set. Afterwards a fresh client gets the right bytes, and nothing is left.
 *
 * A cut of the sweeps; all of it with TRNSCI_FULL=1. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "faulty.h"

enum { ARENA = 1 << 20, GROWTH_KIB = 16 << 10 };

static struct daemon served;
static struct fault_page *page;
static struct faulty faulty;
static char state_dir[128];
static unsigned quiet_fds;
static uint64_t kept_next;

/* It does not spin, so that the calls of a session are as many each time. */
static const char *const arguments[] = {state_dir, "--arena-ahead-bytes", "0", "--threads", "2", "--spin-us", "0",
					"--stream-block=1024", "--connections-per-second", "1000000", NULL};
static const char *const environment[] = {faulty.preload, faulty.page, NULL};

/* ------- the daemon under test ------- */

static void make_page(struct daemon *daemon)
{
	daemon_prepare(daemon);
	snprintf(state_dir, sizeof state_dir, "--state-dir=%s", daemon->dir);
	faulty_name(daemon, &faulty);
	page = faulty_page(&faulty);
}

static void arm(int error, long nth)
{
	page->armed = 0;
	page->kill = 0;
	page->lasting = 0;
	page->error = error;
	page->nth = nth;
	page->seen = 0;
	page->armed = 1;
}

static void must_live(const char *when)
{
	int status;

	if (waitpid(served.pid, &status, WNOHANG) != 0)
		fail_msg("%s %s, call %ld (%s): the daemon is gone, status %d", when, strerror(page->error),
			 (long)page->nth, page->what, status);
}

/* A fresh client gets the right bytes, and nothing is left of those before. */
static void is_well(const char *when)
{
	static const uint8_t known[] = {0x09, 0x46, 0x6d, 0x3f, 0x54, 0xd8, 0x24, 0x3e};
	struct client client;

	page->armed = 0;
	must_live(when);
	client_open(&client, served.socket);
	struct value params = client_map(&client, "n", value_uint(2), "seed", value_uint(1), NULL);
	struct value result = client_result(&client, "uniform", &params);
	assert_memory_equal(value_get(&result, "data")->bytes.at, known, sizeof known);
	client_await_stat(&client, "daemon.sessions", 1);
	client_await_stat(&client, "daemon.quota.arena_total_bytes.used", 0);
	assert_int_equal(client_stat(&client, "daemon.quota.jobs_total.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.work_total_bytes.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.fds_total.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.connections.used"), 1);
	if (quiet_fds && daemon_fds(&served) != quiet_fds)
		fail_msg("%s %s, call %ld (%s): expected %u descriptors, got %u", when, strerror(page->error),
			 (long)page->nth, page->what, quiet_fds, daemon_fds(&served));
	client_close(&client);
}

/* What it and libevent say of each failure would be long. */
static void spawn_quietly(struct daemon *daemon)
{
	int loud = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	daemon_spawn(daemon, arguments, environment);
	dup2(loud, STDERR_FILENO);
	close(loud);
	close(null);
}

/* Of the stream `kept`: the word behind the draw; or 0, and the error. */
static uint64_t draw_kept(struct client *client, struct error *ret_error)
{
	struct value draw = client_map(client, "op", value_string("bits"), "n", value_uint(100), NULL);
	struct value params = client_map(client, "name", value_string("kept"), "draw", draw, NULL);
	struct message message = client_call(client, "stream_draw", &params);

	*ret_error = message.error;
	return ret_error->code ? 0 : client_number(&message.result, "next");
}

static int setup(void **state)
{
	struct client client;

	(void)state;
	make_page(&served);
	spawn_quietly(&served);
	daemon_await(&served, "READY=1");
	client_open(&client, served.socket);
	struct value params = client_map(&client, "name", value_string("kept"), NULL);
	client_result(&client, "stream_create", &params);
	kept_next = draw_kept(&client, &(struct error){0});
	client_close(&client);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(page, sizeof *page);
	daemon_stop(&served);
	return 0;
}

/* ------- a session that does some of everything ------- */

/* Whether an answer came. An error must be one of ours; a connection that ends has had its reason. */
static bool ask(struct client *client, const char *method, const struct value *params, struct message *ret)
{
	struct codec_buffer buffer = {0};
	struct fdpass fds = {.count = 0};
	bool answered;

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, method, params), 0);
	ssize_t sent = fdpass_send(client->fd, buffer.at, buffer.size, NULL);
	codec_buffer_free(&buffer);
	if (sent < 0)
		return false;
	do
		answered = client_receive_fds(client, ret, &fds);
	while (answered && ret->type == MESSAGE_NOTIFICATION);
	fdpass_close(&fds);
	if (answered && ret->error.code && (ret->error.code >= 64 || strlen(ret->error.text) < 8))
		fail_msg("%s: an error without a name: %d %s", method, ret->error.code, ret->error.text);
	return answered;
}

static bool done(struct client *client, const char *method, struct value params, struct value *ret_result)
{
	struct message message;

	if (!ask(client, method, &params, &message) || message.error.code)
		return false;
	*ret_result = message.result;
	return true;
}

static struct value prepare_of(struct client *client, struct value run)
{
	return client_map(client, "method", value_string("run"), "params", run, NULL);
}

static void into_a_tile(struct client *client)
{
	struct value result, tile;

	if (!done(client, "arena", client_map(client, "bytes", value_uint(ARENA), NULL), &result) ||
	    !done(client, "tile",
		  client_map(client, "dtype", value_string("f32"), "shape", value_uint(1000), NULL), &tile))
		return;
	struct value handle = value_uint(client_number(&tile, "tile"));
	done(client, "normal", client_map(client, "out", handle, NULL), &result);
	struct value steps = value_array();
	value_push(client->bump, &steps, client_map(client, "op", value_string("uniform"), "out", handle, NULL));
	if (done(client, "prepare", prepare_of(client, client_map(client, "steps", steps, NULL)), &result))
		done(client, "run_prepared",
		     client_map(client, "prepared", value_uint(client_number(&result, "prepared")), NULL), &result);
}

/* Tables, a window that the first run leaves to the second, and a range of a named stream for each. */
static void prepared_program(struct client *client, struct value name)
{
	struct value result, steps = value_array(), weights = value_array();

	for (unsigned i = 0; i < 3; i++)
		value_push(client->bump, &weights, value_uint(1 + i));
	value_push(client->bump, &steps,
		   client_map(client, "op", value_string("categorical"), "n", value_uint(4), "weights", weights, NULL));
	value_push(client->bump, &steps,
		   client_map(client, "op", value_string("uniform"), "n", value_uint(40), "as", value_string("x"), NULL));
	value_push(client->bump, &steps, client_map(client, "op", value_string("stft"), "in", value_string("x"), "n_fft",
						    value_uint(16), "as", value_string("y"), NULL));
	struct value results = value_array(), program;

	value_push(client->bump, &results, value_string("y"));
	program = client_map(client, "steps", steps, "results", results, "stream_name", name, NULL);
	if (!done(client, "prepare", prepare_of(client, program), &result))
		return;
	program = client_map(client, "prepared", value_uint(client_number(&result, "prepared")), NULL);
	for (int i = 0; i < 2; i++)
		done(client, "run_prepared", program, &result);
	done(client, "release", program, &result);
}

static void shared_noise(struct client *client)
{
	struct value result, noise = client_map(client, "op", value_string("bits"), NULL);
	struct value name = value_string("s"), draw = client_map(client, "op", value_string("normal"), "n", value_uint(10), NULL);

	if (done(client, "ring_attach", client_map(client, "noise", noise, NULL), &result))
		done(client, "ring_detach",
		     client_map(client, "ring", value_uint(client_number(&result, "ring")), NULL), &result);
	done(client, "stream_create", client_map(client, "name", name, "seed", value_uint(3), NULL), &result);
	done(client, "stream_draw", client_map(client, "name", name, "draw", draw, NULL), &result);
	prepared_program(client, name);
	done(client, "stream_delete", client_map(client, "name", name, NULL), &result);
}

/* Of a stream that lasts: more than half a block, so that every draw takes one. */
static void draw_on(struct client *client)
{
	static uint64_t end;
	struct value result, draw = client_map(client, "op", value_string("bits"), "n", value_uint(600), NULL);

	if (!done(client, "stream_draw",
		  client_map(client, "name", value_string("kept"), "draw", draw, "reserve", value_bool(true), NULL), &result))
		return;
	if (client_number(&result, "position") < end)
		fail_msg("%s, call %ld (%s): words up to %" PRIu64 " were issued, and now from %" PRIu64,
			 strerror(page->error), (long)page->nth, page->what, end, client_number(&result, "position"));
	end = client_number(&result, "next");
}

static void play(void)
{
	static uint8_t first[64];
	static bool known;
	struct client client;
	struct value result;

	client_open(&client, served.socket);
	done(&client, "ping", value_map(), &result);
	if (done(&client, "uniform", client_map(&client, "n", value_uint(100000), NULL), &result)) {
		const struct value *data = value_get(&result, "data");

		assert_int_equal(data->bytes.size, 400000);
		if (known)
			assert_memory_equal(data->bytes.at, first, sizeof first);
		memcpy(first, data->bytes.at, sizeof first);
		known = true;
	}
	into_a_tile(&client);
	shared_noise(&client);
	draw_on(&client);
	done(&client, "welch", client_map(&client, "in", value_uint(77), NULL), &result);
	done(&client, "stats", value_map(), &result);
	done(&client, "no_such", value_map(), &result);
	client_close(&client);
}

/* ------- sweeps ------- */

static const int errors[] = {ENOMEM, EINTR, EAGAIN, EMFILE, ENFILE, ENOSPC, EIO};

enum { N_ERRORS = sizeof errors / sizeof *errors };

/* Every nth call, or in a cut some of them, not the same for each error. */
static void sweep(int error, long most)
{
	long count, step, hits = page->hits;

	arm(error, -1);
	play();
	is_well("before");
	count = page->seen;
	step = getenv("TRNSCI_FULL") || count <= most ? 1 : count / most;
	for (long nth = 1 + error % step; nth <= count; nth += step) {
		arm(error, nth);
		play();
		is_well("after");
	}
	printf("# %s: %ld of %ld calls failed\n", strerror(error), (long)page->hits - hits, count);
	assert_true(page->hits > hits);
}

static void each_call_fails(void **state)
{
	uint64_t anon;

	(void)state;
	for (int i = 0; i < 20; i++)
		play();
	is_well("at first");
	quiet_fds = 0;
	for (int i = 0; i < 2; i++) { /* with the one client that asks */
		struct client client;

		client_open(&client, served.socket);
		client_await_stat(&client, "daemon.sessions", 1);
		client_await_stat(&client, "daemon.quota.arena_total_bytes.used", 0); /* closed by a thread behind it */
		quiet_fds = daemon_fds(&served);
		client_close(&client);
	}
	anon = daemon_kib(&served, "RssAnon");
	for (int i = 0; i < N_ERRORS; i++)
		sweep(errors[i], errors[i] == ENOMEM ? 60 : 15);
	printf("# %" PRIu64 " KiB before, %" PRIu64 " after\n", anon, daemon_kib(&served, "RssAnon"));
	assert_true(daemon_kib(&served, "RssAnon") < anon + GROWTH_KIB);
}

static void *make_good(void *arg)
{
	(void)arg;
	wait_to_strike(20000); /* what waits for it cannot say so */
	page->armed = 0;
	return NULL;
}

/* From one of the calls on, all fail, while clients try; then there is what was wanting again, and whoever still waits
 * gets an answer, or the end. */
static void each_lack_lasts(void **state)
{
	static const int lacks[] = {ENOMEM, EMFILE, ENFILE, ENOSPC, EIO};

	(void)state;
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
		long count, step, hits;

		arm(lacks[i], -1);
		play();
		is_well("before");
		count = page->seen;
		step = getenv("TRNSCI_FULL") ? 1 : count / 7 + 1;
		hits = page->hits;
		for (long nth = 1; nth <= count; nth += step) {
			pthread_t thread;

			arm(lacks[i], nth);
			page->lasting = 1;
			assert_int_equal(pthread_create(&thread, NULL, make_good, NULL), 0);
			for (int k = 0; k < 3; k++)
				play();
			pthread_join(thread, NULL);
			is_well("after");
		}
		printf("# %s, from each of %ld calls on: %ld failed\n", strerror(lacks[i]), count, (long)page->hits - hits);
		assert_true(page->hits > hits);
	}
}

/* ------- the start ------- */

/* A copy is refused, but for a mark that names its folder; there is none where the file system keeps none. */
static void forge_mark(const char *from, const char *to)
{
	char text[256], *at = text;
	ssize_t size = getxattr(from, "user.trnsci.mark", text, sizeof text - 64);
	struct statx st;

	if (size < 0)
		return;
	text[size] = '\0';
	for (int fields = 4; fields; fields--) /* the inode is the fifth */
		at = strchr(at, ' ') + 1;
	assert_int_equal(statx(AT_FDCWD, to, 0, STATX_INO | STATX_BTIME, &st), 0);
	const bool born = st.stx_mask & STATX_BTIME;

	sprintf(at, "%" PRIu64 " %" PRId64 ".%09" PRIu32, (uint64_t)st.stx_ino, born ? (int64_t)st.stx_btime.tv_sec : 0,
		born ? st.stx_btime.tv_nsec : 0);
	assert_int_equal(setxattr(to, "user.trnsci.mark", text, strlen(text), 0), 0);
}

/* As a crash would have left it. */
static void copy_state(const struct daemon *daemon)
{
	char command[400];

	snprintf(command, sizeof command, "cp %s/streams.db %s/streams.db-journal %s", served.dir, served.dir, daemon->dir);
	assert_int_equal(system(command), 0);
	forge_mark(served.dir, daemon->dir);
}

/* What failed to be read of the state at the start has been read again, for whoever asks. */
static void has_state(struct client *client)
{
	struct error err = {0};
	uint64_t next = draw_kept(client, &err);

	for (struct waiting waiting = wait_begin("", __FILE__, __LINE__); err.code && !wait_is_over(&waiting);
	     next = draw_kept(client, &err))
		wait_nap(&waiting);
	if (next <= kept_next)
		fail_msg("start: %s, call %ld (%s): expected a draw beyond word %" PRIu64 ", got %" PRIu64 " %s",
			 strerror(page->error), (long)page->nth, page->what, kept_next, next, err.code ? err.text : "");
}

static void serves_and_ends(struct daemon *daemon)
{
	struct client client;

	client_open(&client, daemon->socket);
	client_result(&client, "ping", NULL);
	has_state(&client);
	client_close(&client);
	kill(daemon->pid, SIGTERM);
	assert_int_equal(daemon_wait(daemon), 0);
}

/* It serves, or it ends with a status of its own. */
static void starts_or_says(int error, long nth)
{
	struct daemon daemon;
	struct fault_page *others = page;
	int status = 0;

	make_page(&daemon);
	copy_state(&daemon);
	arm(error, nth);
	spawn_quietly(&daemon);
	for (int waited = 0; !waitpid(daemon.pid, &status, WNOHANG); waited++) {
		struct pollfd news = {daemon.notify_fd, POLLIN, 0};
		char text[64] = "";
		bool ready = poll(&news, 1, 1) == 1 && recv(daemon.notify_fd, text, sizeof text - 1, 0) > 0 &&
			     strncmp(text, "READY=1", 7) == 0;

		/* What fails may be the message itself: then it serves without its manager's knowledge. */
		if (!ready && (waited < 500 || access(daemon.socket, F_OK) < 0)) {
			if (waited > 10000)
				fail_msg("start: %s, call %ld (%s): neither serves nor ends", strerror(error), nth,
					 page->what);
			continue;
		}
		page->armed = 0;
		serves_and_ends(&daemon);
		break;
	}
	if (!WIFEXITED(status) && status)
		fail_msg("start: %s, call %ld (%s): status %d", strerror(error), nth, page->what, status);
	if (nth < 0)
		others->nth = page->seen;
	munmap(page, sizeof *page);
	page = others;
	daemon_remove_dir(&daemon);
}

static void each_call_of_the_start_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ERRORS; i++) {
		starts_or_says(errors[i], -1);
		long count = page->nth, step = getenv("TRNSCI_FULL") ? count / 300 + 1 : count / 6 + 1;

		for (long nth = 1; nth <= count; nth += step)
			starts_or_says(errors[i], nth);
		printf("# %s: %ld calls, every %ld\n", strerror(errors[i]), count, step);
	}
	faulty_name(&served, &faulty);
}

/* ------- clients that are killed ------- */

static void run_client(const char *const *words)
{
	pid_t pid = fork();

	if (pid == 0) {
		char program[4200];

		strcpy(program, daemon_binary());
		strcpy(strrchr(program, '/'), "/trnsci-cli");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		putenv(faulty.preload);
		putenv(faulty.page);
		setenv("TRNSCI_SOCKET", served.socket, 1);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		execv(program, (char *const *)words);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The daemon shares the page: it is not armed, since what is armed here is the client alone. */
static void killed_at_each_call(void **state)
{
	static const char *const commands[][8] = {
		{"trnsci-cli", "rand", "normal", "-n", "3000000", "-o", "/dev/null", NULL},
		{"trnsci-cli", "ring", "normal", "-n", "100000", "-o", "/dev/null", NULL},
	};
	(void)state;
	strcat(faulty.page, "-own");
	struct fault_page *mine = faulty_page(&faulty);
	for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
		mine->kill = mine->armed = 1;
		mine->nth = -1;
		mine->seen = 0;
		run_client(commands[c]);
		long count = mine->seen, step = getenv("TRNSCI_FULL") ? 1 : count / 15 + 1;
		for (long nth = 1; nth <= count; nth += step) {
			mine->seen = 0;
			mine->nth = nth;
			run_client(commands[c]);
			is_well("killed");
		}
		printf("# %s: %ld calls, every %ld\n", commands[c][1], count, step);
		assert_true(count > 10);
	}
	munmap(mine, sizeof *mine);
	faulty_name(&served, &faulty);
}

/* Sends what a whole session would, and is killed after so many bytes. */
static void killed_after_each_byte(void **state)
{
	struct client writer;
	struct codec_buffer bytes = {0};

	(void)state;
	client_open(&writer, served.socket);
	struct value noise = client_map(&writer, "op", value_string("bits"), NULL), steps = value_array();
	struct value arena = client_map(&writer, "bytes", value_uint(ARENA), NULL),
		     tile = client_map(&writer, "dtype", value_string("f32"), "shape", value_uint(50000), NULL),
		     into = client_map(&writer, "out", value_uint(1), NULL),
		     ring = client_map(&writer, "noise", noise, NULL),
		     large = client_map(&writer, "n", value_uint(300000), NULL);
	value_push(writer.bump, &steps, client_map(&writer, "op", value_string("uniform"), "out", value_uint(1), NULL));
	struct value program = prepare_of(&writer, client_map(&writer, "steps", steps, NULL));
	codec_request(&bytes, 1, "arena", &arena);
	codec_request(&bytes, 2, "tile", &tile);
	codec_request(&bytes, 3, "normal", &into);
	codec_request(&bytes, 4, "prepare", &program);
	codec_request(&bytes, 5, "normal", &large);
	codec_request(&bytes, 6, "ring_attach", &ring);
	client_close(&writer);
	size_t step = getenv("TRNSCI_FULL") ? 1 : 7;
	for (size_t size = 0; size <= bytes.size; size += step) {
		pid_t pid = fork();

		if (pid == 0) {
			struct client client;

			client_open(&client, served.socket);
			client_send_bytes(&client, bytes.at, size);
			kill(getpid(), SIGKILL);
		}
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		is_well("killed");
	}
	codec_buffer_free(&bytes);
}

/* ------- clocks ------- */

/* Set on by a month, and back by two, while requests have time limits and messages are half sent. */
static void clocks_jump(void **state)
{
	static const long jumps[] = {2592000, -2592000, 0};
	struct client client;
	struct message message;

	(void)state;
	client_open(&client, served.socket);
	struct value params = client_map(&client, "n", value_uint(1000000), "timeout_ms", value_uint(20000), NULL);
	for (int i = 0; i < 3; i++) {
		client_send(&client, "normal", &params);
		client_send_bytes(&client, "\x94\x00\x09", 3);
		page->clock_jump_s = jumps[i];
		wait_past_timeout(100);
		client_send_bytes(&client, "\xa4ping\x90", 6);
		for (int answers = 0; answers < 2; answers++) {
			assert_true(client_receive(&client, &message));
			assert_int_equal(message.error.code, 0);
		}
	}
	client_close(&client);
	is_well("clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_fails),	  cmocka_unit_test(each_lack_lasts),
		cmocka_unit_test(each_call_of_the_start_fails),
		cmocka_unit_test(killed_at_each_call),	  cmocka_unit_test(killed_after_each_byte),
		cmocka_unit_test(clocks_jump),
	};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have allocators and system calls of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, teardown);
}
