/* SPDX-License-Identifier: Apache-2.0 */
/* Outages that last longer than reconnect_ms: calls fail at once, with the reason of the last attempt; each may make one attempt,
 * and the first that finds a daemon goes on with the session's tiles, prepared calls and streams. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "fake_daemon.h"
#include "harness/wait.h"
#include "restart.h"

enum { SHORT_MS = 50, APART_MS = 100 };

static int ping_once(struct trnsci_session *session, struct trnsci_error *err)
{
	struct trnsci_call *call;
	int r;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	r = trnsci_run(call, NULL);
	*err = *trnsci_call_error(call);
	trnsci_call_free(call);
	return r;
}

/* Ends the daemon, and lets the outage outlast reconnect_ms. */
static void begin_outage(int signal_number)
{
	struct trnsci_error err;

	end_daemon(signal_number);
	assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
}

static void end_outage(void)
{
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
}

/* As a program that tries until it works. */
static void ping_until_it_works(void)
{
	struct trnsci_error err;

	AWAIT(ping_once(remote, &err) == 0);
}

static void begin(void)
{
	open_with(SHORT_MS, NULL);
}

/* ---- what comes back ---- */

/* Tiles keep addresses and contents; the first call after the pause between attempts finds the daemon. */
static void tiles(void **state)
{
	(void)state;
	begin();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F64, 3 * N), z = pair_of(TRNSCI_F32, N);
	const void *at = trnsci_tile_data(x.remote);

	for (int i = 0; i < 4; i++) {
		draw(x, 1 + (uint64_t)i);
		draw(y, 5);
		begin_outage(signals[i % 2]);
		assert_int_equal(trnsci_tile_data(x.remote), at);
		expect_same(x, "in the outage");
		end_outage();
		if (i < 2)
			ping_until_it_works();
		else
			AWAIT(scale(x, z, 2) == 0);
		expect_same(x, "after it");
		expect_same(y, "after it");
		assert_int_equal(scale(x, z, 3), 0);
		expect_same(z, "computed after it");
	}
	pair_free(x);
	pair_free(y);
	pair_free(z);
	close_both();
}

/* A tile that an unanswered call was writing is lost; others are not. */
static void in_flight(void **state)
{
	(void)state;
	begin();
	struct pair in = pair_of(TRNSCI_F32, N), out = pair_of(TRNSCI_F32, N), other = pair_of(TRNSCI_F32, N);

	draw(in, 1);
	draw(out, 2);
	draw(other, 3);
	daemon_halt(&trnscid);
	struct trnsci_call *call = scaling(remote, in.remote, out.remote, 2);

	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	end_daemon(SIGKILL);
	assert_int_equal(trnsci_wait(call, 20000), -TRNSCI_CLOSED);
	trnsci_call_free(call);
	end_outage();
	ping_until_it_works();
	expect_same(in, "read by the call");
	expect_same(other, "beside it");
	expect_lost(out, "written by the call");
	pair_free(in);
	pair_free(out);
	pair_free(other);
	close_both();
}

static void new_tiles(void **state)
{
	struct trnsci_error err;
	struct trnsci_tile *tile;
	const uint64_t n = N;

	(void)state;
	begin();
	begin_outage(SIGKILL);
	assert_int_equal(trnsci_tile_new(remote, TRNSCI_F32, 1, &n, &tile, &err), -TRNSCI_CLOSED);
	end_outage();
	AWAIT(trnsci_tile_new(remote, TRNSCI_F32, 1, &n, &tile, &err) == 0);
	trnsci_tile_free(tile);
	close_both();
}

/* Prepared calls (from the fourth run), runs by the queue, one-line functions: each is the first to come back in turn. */
static struct trnsci_call *often(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 4));
	return call;
}

static void expect_answer(struct trnsci_call *call, struct trnsci_call *twin)
{
	struct trnsci_array got, expected;

	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &got), 0);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(twin), &expected), 0);
	assert_int_equal(got.bytes, expected.bytes);
	assert_memory_equal(got.data, expected.data, got.bytes);
}

static void prepared_calls(void **state)
{
	const struct trnsci_options answers_to_next = {.timeout_ms = 30000, .reconnect_ms = SHORT_MS, .queue = 1};
	struct trnsci_session *queued;

	(void)state;
	begin();
	assert_int_equal(trnsci_open(trnscid.socket, &answers_to_next, &queued, NULL), 0);
	struct trnsci_call *calls[] = {often(remote), often(queued)}, *twin = often(own);
	struct trnsci_error err;

	assert_int_equal(trnsci_run(twin, NULL), 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 40; i++)
			for (int k = 0; k < 2; k++) {
				assert_int_equal(trnsci_run(calls[k], NULL), 0);
				expect_answer(calls[k], twin);
			}
		begin_outage(signals[round % 2]);
		assert_int_equal(ping_once(queued, &err), -TRNSCI_CLOSED);
		for (int k = 0; k < 2; k++)
			assert_int_equal(trnsci_run(calls[k], NULL), -TRNSCI_CLOSED);
		end_outage();
		for (int k = 0; k < 2; k++) {
			AWAIT(trnsci_run(calls[k], NULL) == 0);
			expect_answer(calls[k], twin);
		}
	}
	for (int k = 0; k < 2; k++)
		trnsci_call_free(calls[k]);
	trnsci_call_free(twin);
	trnsci_close(queued);
	close_both();
}

static void functions(void **state)
{
	static float got[N], expected[N], spectrum[N + 2], expected_spectrum[N + 2];
	const struct trnsci_param real[] = {trnsci_param_bool("real", true), trnsci_param_end()};
	const struct trnsci_source source = trnsci_source_seed(9);
	struct trnsci_error err;

	(void)state;
	begin();
	assert_int_equal(trnsci_draw_array(own, "uniform", NULL, &source, TRNSCI_F32, N, expected, NULL, NULL), 0);
	assert_int_equal(trnsci_apply_array(own, "fft", real, trnsci_array_vector(TRNSCI_F32, N, expected),
					    trnsci_array_vector(TRNSCI_C64, N / 2 + 1, expected_spectrum), NULL),
			 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 10; i++)
			assert_int_equal(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, N, got, NULL, NULL), 0);
		begin_outage(signals[round]);
		assert_int_equal(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, N, got, NULL, &err),
				 -TRNSCI_CLOSED);
		end_outage();
		memset(got, 0, sizeof got);
		if (round == 0)
			AWAIT(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, N, got, NULL, NULL) == 0);
		AWAIT(trnsci_apply_array(remote, "fft", real, trnsci_array_vector(TRNSCI_F32, N, expected),
					 trnsci_array_vector(TRNSCI_C64, N / 2 + 1, spectrum), NULL) == 0);
		assert_int_equal(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, N, got, NULL, NULL), 0);
		assert_memory_equal(got, expected, sizeof got);
		assert_memory_equal(spectrum, expected_spectrum, sizeof spectrum);
	}
	close_both();
}

/* A named stream goes on behind what it had given out. */
static void named_streams(void **state)
{
	struct trnsci_source source = {.name = "s"};
	struct trnsci_span span, later;
	struct trnsci_error err;
	float out[16];

	(void)state;
	begin();
	assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, &err), 0);
	assert_int_equal(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, 16, out, &span, &err), 0);
	begin_outage(SIGTERM);
	assert_int_equal(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, 16, out, &later, &err), -TRNSCI_CLOSED);
	end_outage();
	AWAIT(trnsci_draw_array(remote, "uniform", NULL, &source, TRNSCI_F32, 16, out, &later, &err) == 0);
	assert_int_equal(later.seed, span.seed);
	assert_int_equal(later.position, span.position + 16);
	close_both();
}

/* Submitted calls, whose program waits at the descriptor. */
static void events(void **state)
{
	struct trnsci_call *call, *answered;
	struct pollfd news;

	(void)state;
	begin();
	news = (struct pollfd){.fd = trnsci_session_fd(remote), .events = POLLIN};
	for (int round = 0; round < 2; round++) {
		begin_outage(signals[round]);
		call = often(remote);
		assert_int_equal(trnsci_submit(call, NULL, NULL), -TRNSCI_CLOSED);
		assert_int_equal(trnsci_next(remote, 0, &answered, NULL), -TRNSCI_CLOSED);
		end_outage();
		AWAIT(trnsci_submit(call, NULL, NULL) == 0);
		assert_int_equal(poll(&news, 1, 20000), 1);
		while (trnsci_next(remote, 0, &answered, NULL) == -TRNSCI_TIMEOUT)
			assert_int_equal(poll(&news, 1, 20000), 1);
		assert_ptr_equal(answered, call);
		assert_int_equal(trnsci_call_error(call)->code, 0);
		trnsci_call_free(call);
		assert_int_equal(poll(&news, 1, 0), 0); /* the descriptor of the old connection is gone */
	}
	close_both();
}

/* ---- while it lasts ---- */

struct doorman {
	int listener;
	atomic_uint comers;
	atomic_bool over;
};

static void *turn_away(void *arg)
{
	struct doorman *doorman = arg;

	while (!atomic_load(&doorman->over)) {
		struct pollfd news = {doorman->listener, POLLIN, 0};
		const int fd = poll(&news, 1, 20) == 1 ? accept(doorman->listener, NULL, NULL) : -1;

		if (fd < 0)
			continue;
		atomic_fetch_add(&doorman->comers, 1);
		close(fd);
	}
	return NULL;
}

static int listen_instead(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, trnscid.socket);
	unlink(trnscid.socket);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

/* A loop of calls makes an attempt every 100 ms at most; all other calls fail at once, also those of other threads. */
static void *fail_often(void *arg)
{
	struct trnsci_error err;

	for (unsigned *calls = arg; *calls < 2000; ++*calls)
		assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
	return NULL;
}

static void attempts_are_apart(void **state)
{
	struct doorman doorman = {0};
	pthread_t door, threads[3];
	unsigned calls[3] = {0};

	(void)state;
	begin();
	begin_outage(SIGKILL);
	doorman.listener = listen_instead();
	assert_int_equal(pthread_create(&door, NULL, turn_away, &doorman), 0);
	const uint64_t begun_ns = wait_now_ns();

	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fail_often, &calls[i]), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	const uint64_t took_ms = (wait_now_ns() - begun_ns) / 1000000;
	struct trnsci_error err;

	wait_idle(APART_MS);
	assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
	AWAIT(atomic_load(&doorman.comers) > 0);
	if (atomic_load(&doorman.comers) > 2 + took_ms / APART_MS)
		fail_msg("expected attempts %d ms apart, got %u in %llu ms", APART_MS, atomic_load(&doorman.comers),
			 (unsigned long long)took_ms);
	atomic_store(&doorman.over, true);
	pthread_join(door, NULL);
	close(doorman.listener);
	unlink(trnscid.socket);
	end_outage();
	ping_until_it_works();
	close_both();
}

/* The reason is the last attempt's. */
static void reasons(void **state)
{
	struct trnsci_error err;

	(void)state;
	begin();
	begin_outage(SIGTERM);
	wait_idle(APART_MS + 1);
	assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
	assert_non_null(strstr(err.text, "again: no_daemon: "));
	assert_non_null(strstr(err.text, "No such file or directory"));
	close(listen_instead());
	wait_idle(APART_MS + 1);
	assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
	if (!strstr(err.text, "again: no_daemon: ") || !strstr(err.text, "Connection refused") || strstr(err.text, "No such file"))
		fail_msg("expected the reason of the last attempt, got %s", err.text);
	unlink(trnscid.socket);
	end_outage();
	ping_until_it_works();
	close_both();
}

/* Another outage gets all of reconnect_ms again. */
static void each_outage_is_waited_for(void **state)
{
	struct trnsci_error err;

	(void)state;
	open_with(300, NULL);
	for (int i = 0; i < 2; i++) {
		const uint64_t begun_ns = wait_now_ns();

		begin_outage(SIGKILL);
		assert_true(wait_now_ns() - begun_ns >= 290000000);
		end_outage();
		AWAIT(ping_once(remote, &err) == 0);
	}
	close_both();
}

/* ---- threads, children, daemons that stand still ---- */

static atomic_bool over;
static atomic_uint answers[4];

static void *draw_through(void *arg)
{
	const struct trnsci_source source = trnsci_source_seed((uint64_t)(uintptr_t)arg);
	float got[64], expected[64];
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_array(own, "normal", NULL, &source, TRNSCI_F32, 64, expected, NULL, NULL), 0);
	while (!atomic_load(&over)) {
		const int r = trnsci_draw_array(remote, "normal", NULL, &source, TRNSCI_F32, 64, got, NULL, &err);

		if (r < 0 && r != -TRNSCI_CLOSED)
			fail_msg("expected closed, got %s", err.text);
		if (r < 0)
			continue;
		assert_memory_equal(got, expected, sizeof got);
		atomic_fetch_add(&answers[(uintptr_t)arg], 1);
	}
	return NULL;
}

static void threads(void **state)
{
	pthread_t running[4];
	struct trnsci_error err;

	(void)state;
	begin();
	atomic_store(&over, false);
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&running[i], NULL, draw_through, (void *)i), 0);
	for (int round = 0; round < 5; round++) {
		unsigned before[4];

		for (int i = 0; i < 4; i++)
			before[i] = atomic_load(&answers[i]);
		for (int i = 0; i < 4; i++)
			AWAIT(atomic_load(&answers[i]) != before[i]);
		end_daemon(signals[round % 2]);
		AWAIT(ping_once(remote, &err) == -TRNSCI_CLOSED);
		end_outage();
	}
	ping_until_it_works();
	atomic_store(&over, true);
	for (int i = 0; i < 4; i++)
		pthread_join(running[i], NULL);
	close_both();
}

/* A child cannot bring its parent's session back, and its copies of descriptors are in nobody's way. */
static void children(void **state)
{
	struct trnsci_error err;
	int status;

	(void)state;
	begin();
	struct pair x = pair_of(TRNSCI_F32, N);

	draw(x, 1);
	begin_outage(SIGKILL);
	const pid_t pid = fork();

	if (pid == 0) {
		struct trnsci_call *call;

		if (trnsci_call_new(remote, "ping", &call) != -TRNSCI_CLOSED ||
		    trnsci_tile_new(remote, TRNSCI_F32, 1, (const uint64_t[]){1}, &x.own, &err) != -TRNSCI_CLOSED)
			_exit(1);
		pause();
		_exit(0);
	}
	end_outage();
	ping_until_it_works();
	expect_same(x, "beside a child");
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	pair_free(x);
	close_both();
}

/* Without a descriptor to connect with, the reason says so, and the session comes back when there is one. */
static void no_descriptors(void **state)
{
	struct rlimit before, none;
	struct trnsci_error err;

	(void)state;
	begin();
	struct pair x = pair_of(TRNSCI_F32, N);

	draw(x, 1);
	restart(SIGKILL);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	const int r = ping_once(remote, &err);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(r, -TRNSCI_CLOSED);
	if (!strstr(err.text, "Too many open files"))
		fail_msg("expected the lack of descriptors, got %s", err.text);
	ping_until_it_works();
	expect_same(x, "after the lack");
	pair_free(x);
	close_both();
}

/* A daemon that accepts and does not answer: an attempt ends by itself, and the session comes back with the daemon. */
static void a_daemon_that_stands_still(void **state)
{
	struct trnsci_error err;

	(void)state;
	begin();
	begin_outage(SIGKILL);
	end_outage();
	daemon_halt(&trnscid);
	wait_idle(APART_MS + 1);
	assert_int_equal(ping_once(remote, &err), -TRNSCI_CLOSED);
	assert_non_null(strstr(err.text, "again: timeout: "));
	kill(trnscid.pid, SIGCONT);
	ping_until_it_works();
	close_both();
}

/* Sends half an answer to the first connection's ping, and serves the second. */
static bool stop_in_a_message(struct fake_daemon *fake, const struct message *request)
{
	static const char half[] = "\x94\x01\x02\xc0\x81\xa4";

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake->more == 0)
		fake_daemon_reply(fake, request, (const char *const[]){"n"}, (const uint64_t[]){1}, 1, -1);
	else
		fake_daemon_say(fake, half, sizeof half - 1, -1);
	return true;
}

static void half_a_message(void **state)
{
	const struct trnsci_options options = {.timeout_ms = 1000, .reconnect_ms = SHORT_MS};
	struct fake_daemon *fake = fake_daemon_start(stop_in_a_message, NULL);
	struct trnsci_session *session;
	struct trnsci_error err;

	(void)state;
	fake->more = 1;
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	assert_int_equal(ping_once(session, &err), -TRNSCI_TIMEOUT);
	AWAIT(ping_once(session, &err) == 0);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles),
		cmocka_unit_test(in_flight),
		cmocka_unit_test(new_tiles),
		cmocka_unit_test(prepared_calls),
		cmocka_unit_test(functions),
		cmocka_unit_test(named_streams),
		cmocka_unit_test(events),
		cmocka_unit_test(attempts_are_apart),
		cmocka_unit_test(reasons),
		cmocka_unit_test(each_outage_is_waited_for),
		cmocka_unit_test(threads),
		cmocka_unit_test(children),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(a_daemon_that_stands_still),
		cmocka_unit_test(half_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
