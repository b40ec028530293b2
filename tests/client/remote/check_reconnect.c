/* SPDX-License-Identifier: Apache-2.0 */
/* How a session comes back while reconnect_ms lasts: by events, by one attempt or none, with a request that was half sent, and
 * with the reason of the attempt that knew one. What is in flight: check_in_flight; tiles: check_restore; longer: check_outage. */
#include <errno.h>
#include <poll.h>
#include <sys/un.h>

#include "fake_daemon.h"
#include "restart.h"

enum { FLIGHT = 8 };

static struct trnsci_call *draw_of(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N));
	return call;
}

/* The answer's samples are those of the embedded twin. */
static void expect_draw(const struct trnsci_call *call)
{
	struct trnsci_call *twin = draw_of(own);
	struct trnsci_array got, expected;

	assert_int_equal(trnsci_call_error(call)->code, 0);
	assert_int_equal(trnsci_run(twin, NULL), 0);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(twin), &expected), 0);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &got), 0);
	assert_int_equal(got.bytes, expected.bytes);
	assert_memory_equal(got.data, expected.data, got.bytes);
	trnsci_call_free(twin);
}

/* The descriptor that is polled leads to the new connection as well. The daemon is stopped, so that nothing is answered before it
 * dies. */
static void test_polled(void **state)
{
	struct trnsci_call *answered = NULL;
	int answers = 0;

	(void)state;
	open_both();
	struct pollfd news = {.fd = trnsci_session_fd(remote), .events = POLLIN};
	kill(trnscid.pid, SIGSTOP);
	for (int i = 0; i < FLIGHT; i++)
		assert_int_equal(trnsci_submit(draw_of(remote), NULL, NULL), 0);
	restart(SIGKILL);
	while (answers < FLIGHT) {
		assert_int_equal(poll(&news, 1, 20000), 1);
		while (trnsci_next(remote, 0, &answered, NULL) == 0) {
			expect_draw(answered);
			trnsci_call_free(answered);
			answers++;
		}
	}
	close_both();
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
	open_with(-1, NULL);
	struct trnsci_call *call = draw_of(remote);
	end_daemon(SIGKILL);
	const int fd = listen_instead();

	for (int i = 0; i < 2; i++)
		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_int_equal(accept(fd, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
	trnsci_call_free(call);
	trnsci_close(remote);
	trnsci_close(own);
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
		cmocka_unit_test(test_polled),
		cmocka_unit_test(test_no_second_try),
		cmocka_unit_test(test_long_request),
		cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
