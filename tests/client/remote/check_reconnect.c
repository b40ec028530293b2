/* SPDX-License-Identifier: Apache-2.0 */
/* Daemons that are gone, or come back: what is a pure function is computed by the next one, with the same bytes; what is
 * not is reported; nothing crashes, and nothing waits for ever. Tiles: check_restore. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "harness/daemon.h"
#include "harness/wait.h"
#include "client/drawing.h"
#include "fake_daemon.h"

enum { N = 50000, FLIGHT = 8 };

static struct daemon trnscid;

static void start(void)
{
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
}

static void strike(void)
{
	daemon_strike(&trnscid, SIGKILL);
}

static void restart(void)
{
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
}

static struct trnsci_session *open_with(int reconnect_ms)
{
	const struct trnsci_options options = {.timeout_ms = 20000, .reconnect_ms = reconnect_ms};
	struct trnsci_session *session;
	struct trnsci_error err;

	if (trnsci_open(trnscid.socket, &options, &session, &err) < 0)
		fail_msg("open: %s", err.text);
	return session;
}

static struct trnsci_call *draw_of(struct trnsci_session *session, uint64_t seed)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", seed));
	return call;
}

/* The bytes that the engine inside this process has for it. */
static void expect_draw(const struct trnsci_call *call, uint64_t seed)
{
	static struct trnsci_session *embedded;
	struct trnsci_call *own;
	struct trnsci_array got, expected;

	if (!embedded)
		assert_int_equal(trnsci_open("embedded:", NULL, &embedded, NULL), 0);
	own = draw_of(embedded, seed);
	assert_int_equal(trnsci_run(own, NULL), 0);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(own), &expected), 0);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &got), 0);
	assert_int_equal(got.bytes, expected.bytes);
	assert_memory_equal(got.data, expected.data, got.bytes);
	trnsci_call_free(own);
}

static void must(int r, const struct trnsci_call *call)
{
	if (r < 0)
		fail_msg("expected an answer, got %s", trnsci_call_error(call)->text);
}

/* ---- checks ---- */

static void test_between_requests(void **state)
{
	(void)state;
	start();
	struct trnsci_session *session = open_with(0);
	struct trnsci_call *call = draw_of(session, 7);
	for (int round = 0; round < 3; round++) {
		must(trnsci_run(call, NULL), call);
		expect_draw(call, 7);
		strike();
		restart();
	}
	must(trnsci_run(call, NULL), call);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Stopped, so that nothing is answered before it dies. */
static void test_in_flight(void **state)
{
	struct trnsci_call *calls[FLIGHT], *create;

	(void)state;
	start();
	struct trnsci_session *session = open_with(10000);
	kill(trnscid.pid, SIGSTOP);
	for (uint64_t i = 0; i < FLIGHT; i++) {
		calls[i] = draw_of(session, i);
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	assert_int_equal(trnsci_call_new(session, "stream_create", &create), 0);
	trnsci_set(trnsci_call_args(create), trnsci_param_text("name", "a"));
	trnsci_set(trnsci_call_args(create), trnsci_param_u64("seed", 1));
	assert_int_equal(trnsci_submit(create, NULL, NULL), 0);
	strike();
	restart();
	assert_int_equal(trnsci_wait(create, 20000), -TRNSCI_CLOSED);
	assert_non_null(strstr(trnsci_call_error(create)->text, "not repeated"));
	for (uint64_t i = 0; i < FLIGHT; i++) {
		must(trnsci_wait(calls[i], 20000), calls[i]);
		expect_draw(calls[i], i);
		trnsci_call_free(calls[i]);
	}
	trnsci_call_free(create);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* By events: the descriptor that is polled leads to the new connection as well. */
static void test_polled(void **state)
{
	struct trnsci_call *answered = NULL;
	int answers = 0;

	(void)state;
	start();
	struct trnsci_session *session = open_with(10000);
	struct pollfd news = {.fd = trnsci_session_fd(session), .events = POLLIN};
	kill(trnscid.pid, SIGSTOP);
	for (uint64_t i = 0; i < FLIGHT; i++)
		assert_int_equal(trnsci_submit(draw_of(session, 3), NULL, NULL), 0);
	strike();
	restart();
	while (answers < FLIGHT) {
		assert_int_equal(poll(&news, 1, 20000), 1);
		while (trnsci_next(session, 0, &answered, NULL) == 0) {
			assert_int_equal(trnsci_call_error(answered)->code, 0);
			expect_draw(answered, 3);
			trnsci_call_free(answered);
			answers++;
		}
	}
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* A named stream moves on once for each answer, whatever came between. */
static void test_streams(void **state)
{
	struct trnsci_call *call;

	(void)state;
	start();
	struct trnsci_session *session = open_with(10000);
	assert_int_equal(trnsci_call_new(session, "stream_create", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "a"));
	must(trnsci_run(call, NULL), call);
	trnsci_call_free(call);
	strike();
	restart();
	/* The connection is known to be over before it is sent. */
	assert_int_equal(trnsci_call_new(session, "stream_show", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "a"));
	must(trnsci_run(call, NULL), call);
	strike();
	restart();
	trnsci_call_free(call);
	assert_int_equal(trnsci_call_new(session, "stream_delete", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "a"));
	must(trnsci_run(call, NULL), call);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Listens where the daemon did, and answers nobody; its backlog shows who tried to connect. */
static int listen_instead(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, trnscid.socket);
	unlink(trnscid.socket);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

/* Without time for it, nothing is tried again. */
static void test_no_second_try(void **state)
{
	(void)state;
	start();
	struct trnsci_session *session = open_with(-1);
	struct trnsci_call *call = draw_of(session, 1);
	strike();
	const int fd = listen_instead();

	for (int i = 0; i < 2; i++)
		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_int_equal(accept(fd, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_discard(&trnscid);
}

/* Nobody comes back: the time that was given is over before the call fails. How long after is the machine's. */
static void test_no_return(void **state)
{
	(void)state;
	start();
	struct trnsci_session *session = open_with(300);
	struct trnsci_call *call = draw_of(session, 1);
	strike();
	const uint64_t begun_ns = wait_now_ns();

	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_true(wait_now_ns() - begun_ns >= 290000000);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_discard(&trnscid);
}

static bool answer_second(struct fake_daemon *fake, const struct message *request)
{
	if (fake_daemon_greets(fake, request))
		return true;
	if (fake->more > 0)
		return false; /* the whole request was read; it ends the connection */
	fake_daemon_reply(fake, request, (const char *const[]){"n"}, (const uint64_t[]){1}, 1, -1);
	return true;
}

/* More than a socket takes at once goes out again, also from a session that still looks for its answer. */
static void test_long_request(void **state)
{
	enum { LONG = 1 << 18 };
	static float samples[LONG];
	const struct trnsci_options options = {.timeout_ms = 5000, .spin_us = 1000000};
	struct fake_daemon *fake = fake_daemon_start(answer_second, NULL);
	struct trnsci_session *session;
	struct trnsci_call *call;

	(void)state;
	fake->more = 1;
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	set_array(trnsci_call_args(call), "in", TRNSCI_F32, LONG, samples);
	if (trnsci_run(call, NULL) < 0)
		fail_msg("expected an answer, got %s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* Serves one connection until `ping`, refuses the next one, and never answers the third. */
static bool refuse_then_stall(struct fake_daemon *fake, const struct message *request)
{
	static const char closing[] = "\x93\x02\xa5" "error\x91\x82\xa4kind\x00\xa4text\xb4" "limit: no place left";

	switch (fake->more) {
	case 2:
		return fake_daemon_greets(fake, request);
	case 1:
		fake_daemon_say(fake, closing, sizeof closing - 1, -1);
		return false;
	default:
		return true;
	}
}

/* An attempt that the end of the time cuts off knows less than the refusal before it. */
static void test_reason(void **state)
{
	const struct trnsci_options options = {.timeout_ms = 20000, .reconnect_ms = 300};
	struct fake_daemon *fake = fake_daemon_start(refuse_then_stall, NULL);
	struct trnsci_session *session;
	struct trnsci_call *call;

	(void)state;
	fake->more = 2;
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	if (!strstr(trnsci_call_error(call)->text, "no place left"))
		fail_msg("expected the reason of the refusal, got %s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_requests), cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_polled),		 cmocka_unit_test(test_streams),
		cmocka_unit_test(test_no_second_try),
		cmocka_unit_test(test_no_return),	 cmocka_unit_test(test_long_request),
		cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
