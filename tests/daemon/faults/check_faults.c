/* SPDX-License-Identifier: Apache-2.0 */
/* What fails under the daemon while it serves: each allocation and each system call of a session in turn, with each
 * error that it can give, once or for a while; and clocks that are set. Afterwards a fresh client gets the right bytes,
 * and nothing is left.
 *
 * A cut of the sweeps; all of it with TRNSCI_FULL=1. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_fixture.h"

enum { ARENA = 1 << 20, GROWTH_KIB = 16 << 10 };

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

static void into_a_tile(struct client *client)
{
	struct value result, tile;

	if (!done(client, "arena", client_map(client, "bytes", value_uint(ARENA), NULL), &result) ||
	    !done(client, "tile", client_map(client, "dtype", value_string("f32"), "shape", value_uint(1000), NULL),
		  &tile))
		return;
	struct value handle = value_uint(client_number(&tile, "tile"));
	done(client, "queue", value_map(), &result);
	done(client, "normal", client_map(client, "out", handle, NULL), &result);
	struct value steps = value_array();
	value_push(client->bump, &steps, client_map(client, "op", value_string("uniform"), "out", handle, NULL));
	if (done(client, "prepare", fault_prepare_params(client, client_map(client, "steps", steps, NULL)), &result))
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
	value_push(
		client->bump, &steps,
		client_map(client, "op", value_string("uniform"), "n", value_uint(40), "as", value_string("x"), NULL));
	value_push(client->bump, &steps,
		   client_map(client, "op", value_string("stft"), "in", value_string("x"), "n_fft", value_uint(16),
			      "as", value_string("y"), NULL));
	struct value results = value_array(), program;

	value_push(client->bump, &results, value_string("y"));
	program = client_map(client, "steps", steps, "results", results, "stream_name", name, NULL);
	if (!done(client, "prepare", fault_prepare_params(client, program), &result))
		return;
	program = client_map(client, "prepared", value_uint(client_number(&result, "prepared")), NULL);
	for (int i = 0; i < 2; i++)
		done(client, "run_prepared", program, &result);
	done(client, "release", program, &result);
}

static void shared_noise(struct client *client)
{
	struct value result, noise = client_map(client, "op", value_string("bits"), NULL);
	struct value name = value_string("s"),
		     draw = client_map(client, "op", value_string("normal"), "n", value_uint(10), NULL);

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
		  client_map(client, "name", value_string("kept"), "draw", draw, "reserve", value_bool(true), NULL),
		  &result))
		return;
	if (client_number(&result, "position") < end)
		fail_msg("%s, call %ld (%s): words up to %" PRIu64 " were issued, and now from %" PRIu64,
			 strerror(fault_page->error), (long)fault_page->nth, fault_page->what, end,
			 client_number(&result, "position"));
	end = client_number(&result, "next");
}

static void play(void)
{
	static uint8_t first[64];
	static bool known;
	struct client client;
	struct value result;

	client_open(&client, fault_daemon.socket);
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
	long count, step, hits = fault_page->hits;

	fault_arm(error, -1);
	play();
	fault_expect_well("before");
	count = fault_page->seen;
	step = getenv("TRNSCI_FULL") || count <= most ? 1 : count / most;
	for (long nth = 1 + error % step; nth <= count; nth += step) {
		fault_arm(error, nth);
		play();
		fault_expect_well("after");
	}
	printf("# %s: %ld of %ld calls failed\n", strerror(error), (long)fault_page->hits - hits, count);
	assert_true(fault_page->hits > hits);
}

static void each_call_fails(void **state)
{
	uint64_t anon;

	(void)state;
	for (int i = 0; i < 20; i++)
		play();
	fault_expect_well("at first");
	fault_quiet_fds = 0;
	for (int i = 0; i < 2; i++) { /* with the one client that asks */
		struct client client;

		client_open(&client, fault_daemon.socket);
		client_await_stat(&client, "daemon.sessions", 1);
		client_await_stat(&client, "daemon.quota.arena_total_bytes.used", 0); /* closed by a thread behind it */
		fault_quiet_fds = daemon_fds(&fault_daemon);
		client_close(&client);
	}
	anon = daemon_kib(&fault_daemon, "RssAnon");
	for (int i = 0; i < N_ERRORS; i++)
		sweep(errors[i], errors[i] == ENOMEM ? 60 : 15);
	printf("# %" PRIu64 " KiB before, %" PRIu64 " after\n", anon, daemon_kib(&fault_daemon, "RssAnon"));
	assert_true(daemon_kib(&fault_daemon, "RssAnon") < anon + GROWTH_KIB);
}

/* A lack that lasts from its first failure on for a while, or until all clients have tried and met none. */
struct lack {
	pthread_t thread;
	long hits; /* before it */
	atomic_bool tried;
};

static void *make_good(void *arg)
{
	struct lack *lack = arg;

	for (struct waiting waiting = await_begin("a failure", __FILE__, __LINE__);
	     fault_page->hits == lack->hits && !lack->tried && !await_is_over(&waiting);)
		await_nap(&waiting);
	wait_to_strike(20000); /* what waits for it cannot say so */
	fault_page->armed = 0;
	return NULL;
}

/* Lets clients try while the nth call and all after it fail. */
static void try_with_lack(int error, long nth)
{
	struct lack lack = {.hits = fault_page->hits};

	fault_arm(error, nth);
	fault_page->lasting = 1;
	assert_int_equal(pthread_create(&lack.thread, NULL, make_good, &lack), 0);
	for (int k = 0; k < 3; k++)
		play();
	lack.tried = true;
	pthread_join(lack.thread, NULL);
}

/* From one of the calls on, all fail, while clients try; then there is what was wanting again, and whoever still waits
 * gets an answer, or the end. */
static void each_lack_lasts(void **state)
{
	static const int lacks[] = {ENOMEM, EMFILE, ENFILE, ENOSPC, EIO};

	(void)state;
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
		long count, step, hits;

		fault_arm(lacks[i], -1);
		play();
		fault_expect_well("before");
		count = fault_page->seen;
		step = getenv("TRNSCI_FULL") ? 1 : count / 7 + 1;
		hits = fault_page->hits;
		for (long nth = 1; nth <= count; nth += step) {
			try_with_lack(lacks[i], nth);
			fault_expect_well("after");
		}
		printf("# %s, from each of %ld calls on: %ld failed\n", strerror(lacks[i]), count,
		       (long)fault_page->hits - hits);
		assert_true(fault_page->hits > hits);
	}
}

/* ------- clocks ------- */

/* Set on by a month, and back by two, while requests have time limits and messages are half sent. */
static void clocks_jump(void **state)
{
	static const long jumps[] = {2592000, -2592000, 0};
	struct client client;
	struct message message;

	(void)state;
	client_open(&client, fault_daemon.socket);
	struct value params = client_map(&client, "n", value_uint(1000000), "timeout_ms", value_uint(3600000), NULL);
	for (int i = 0; i < 3; i++) {
		client_send(&client, "normal", &params);
		client_send_bytes(&client, "\x94\x00\x09", 3);
		fault_page->clock_jump_s = jumps[i];
		wait_past_timeout(100);
		client_send_bytes(&client, "\xa4ping\x90", 6);
		for (int answers = 0; answers < 2; answers++) {
			assert_true(client_receive(&client, &message));
			assert_int_equal(message.error.code, 0);
		}
	}
	client_close(&client);
	fault_expect_well("clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_fails),
		cmocka_unit_test(each_lack_lasts),
		cmocka_unit_test(clocks_jump),
	};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have allocators and system calls of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, fault_setup, fault_teardown);
}
