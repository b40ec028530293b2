/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose daemon was killed or stopped: they lie where they lay, with what they held, whichever numbers the next daemon
 * gives them. What an unanswered call was writing is lost, and everything that a daemon itself had dropped; nobody is
 * given it for something else.
 *
 * Each tile stands beside one of an embedded session to which the same was done, and has to have its bytes. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "daemon.h"

enum { N = 1024 };

static struct daemon trnscid;
static const int signals[] = {SIGKILL, SIGTERM};

/* A tile and its twin. */
struct pair {
	struct trnsci_tile *remote, *own;
};

static struct trnsci_session *remote, *own;

static void open_with(int reconnect_ms, const char *setting)
{
	const struct trnsci_options options = {
		.timeout_ms = 30000, .reconnect_ms = reconnect_ms, .arena_bytes = 8 << 20};

	assert_int_equal(daemon_start_with(&trnscid, "2", setting), 0);
	assert_int_equal(trnsci_open(trnscid.socket, &options, &remote, NULL), 0);
	assert_int_equal(trnsci_open("embedded:", &options, &own, NULL), 0);
}

static void open_both(void)
{
	open_with(20000, NULL);
}

static void close_both(void)
{
	trnsci_close(remote);
	trnsci_close(own);
	daemon_stop(&trnscid, SIGTERM);
}

static void end_daemon(int signal_number)
{
	kill(trnscid.pid, signal_number);
	assert_int_equal(waitpid(trnscid.pid, NULL, 0), trnscid.pid);
}

static void restart(int signal_number)
{
	end_daemon(signal_number);
	assert_int_equal(daemon_spawn(&trnscid, "2", NULL), 0);
}

static struct trnsci_tile *tile_of(struct trnsci_session *session, enum trnsci_dtype dtype, uint64_t n)
{
	struct trnsci_tile *tile;
	struct trnsci_error err;

	if (trnsci_tile_new(session, 0, dtype, 1, &n, &tile, &err) < 0)
		fail_msg("tile: %s", err.text);
	return tile;
}

static struct pair pair_of(enum trnsci_dtype dtype, uint64_t n)
{
	return (struct pair){tile_of(remote, dtype, n), tile_of(own, dtype, n)};
}

static void pair_free(struct pair pair)
{
	trnsci_tile_free(pair.remote);
	trnsci_tile_free(pair.own);
}

static void draw(struct pair pair, uint64_t seed)
{
	const struct trnsci_draw law = {.law = "normal", .seed = seed};
	struct trnsci_error err;

	if (trnsci_draw(remote, &law, 0, pair.remote, NULL, &err) < 0)
		fail_msg("draw: %s", err.text);
	assert_int_equal(trnsci_draw(own, &law, 0, pair.own, NULL, NULL), 0);
}

static struct trnsci_call *scaling(struct trnsci_session *session, const struct trnsci_tile *in,
				   struct trnsci_tile *out, double by)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	trnsci_set_tile(trnsci_args(call), "in", in);
	trnsci_set_f64(trnsci_args(call), "by", by);
	trnsci_set_tile(trnsci_args(call), "out", out);
	return call;
}

/* Of the remote one; the embedded one's must succeed. */
static int scale(struct pair in, struct pair out, double by)
{
	struct trnsci_call *first = scaling(remote, in.remote, out.remote, by),
			   *second = scaling(own, in.own, out.own, by);
	int r = trnsci_run(first);

	assert_int_equal(trnsci_run(second), 0);
	if (r == -TRNSCI_LOST)
		assert_non_null(strstr(trnsci_call_error(first)->text, "was lost with the daemon"));
	trnsci_call_free(first);
	trnsci_call_free(second);
	return r;
}

static void ping(void)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(remote, "ping", &call), 0);
	if (trnsci_run(call) < 0)
		fail_msg("expected an answer, got %s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
}

static void expect_same(struct pair pair, const char *what)
{
	if (trnsci_tile_lost(pair.remote))
		fail_msg("%s: expected its content, it is lost", what);
	if (memcmp(trnsci_tile_data(pair.remote), trnsci_tile_data(pair.own), trnsci_tile_bytes(pair.own)) != 0)
		fail_msg("%s: expected the bytes of the embedded twin, got others", what);
}

/* A call that reads the tile is refused; one that writes it fills it. */
static void expect_lost(struct pair pair, const char *what)
{
	struct pair out = pair_of(trnsci_tile_dtype(pair.own), trnsci_tile_count(pair.own));
	int r = scale(pair, out, 2);

	if (r != -TRNSCI_LOST || !trnsci_tile_lost(pair.remote))
		fail_msg("%s: expected it to be lost, got %s", what, trnsci_error_name(r));
	if (trnsci_tile_lost(out.remote))
		fail_msg("%s: expected a call that was refused to change nothing, got its output lost", what);
	pair_free(out);
	draw(pair, 99);
	expect_same(pair, what);
}

/* ---- checks ---- */

/* Handles are given out anew from 1: here 4, 5 ... become 1, 2 ..., in another order, while others were freed. */
static void test_every_tile_is_its_own(void **state)
{
	enum { MANY = 40 };
	struct pair pairs[MANY], sum = {0};
	const void *addresses[MANY];

	(void)state;
	open_both();
	for (int i = 0; i < 3; i++)
		pair_free(pair_of(TRNSCI_F32, N));
	for (int i = 0; i < MANY; i++) {
		pairs[i] = pair_of(TRNSCI_F32, (uint64_t)(i * 37 % 100 + 1));
		draw(pairs[i], (uint64_t)i);
		addresses[i] = trnsci_tile_data(pairs[i].remote);
	}
	for (int i = 0; i < MANY; i += 3)
		pair_free(pairs[i]);
	for (int round = 0; round < 4; round++) {
		restart(signals[round % 2]);
		ping();
		for (int i = 0; i < MANY; i++) {
			if (i % 3 == 0)
				continue;
			expect_same(pairs[i], "after a restart");
			assert_ptr_equal(trnsci_tile_data(pairs[i].remote), addresses[i]);
			assert_int_equal(scale(pairs[i], pairs[i], 1.25), 0);
			expect_same(pairs[i], "scaled");
		}
		sum = pair_of(TRNSCI_F32, 64); /* a place that the others leave */
		draw(sum, 7);
		for (int i = 0; i < MANY; i++)
			if (i % 3)
				expect_same(pairs[i], "beside a new tile");
		pair_free(sum);
	}
	close_both();
	for (int i = 0; i < MANY; i++)
		if (i % 3)
			pair_free(pairs[i]);
}

/* x to its spectrum and back, by a tile that is freed; then in place, several times, and by a program. */
static void transform_on(struct trnsci_session *session, struct trnsci_tile *x, struct trnsci_tile *y)
{
	const struct trnsci_fft forth = {.real = true}, back = {.real = true, .inverse = true, .length = N};
	struct trnsci_tile *spectrum = tile_of(session, TRNSCI_C64, N / 2 + 1);
	struct trnsci_args *step;
	struct trnsci_call *program;

	assert_int_equal(trnsci_fft(session, &forth, x, spectrum, NULL), 0);
	assert_int_equal(trnsci_fft(session, &back, spectrum, y, NULL), 0);
	trnsci_tile_free(spectrum);
	/* x again, so that y's is no more there. */
	assert_int_equal(trnsci_draw(session, &(struct trnsci_draw){.law = "uniform", .seed = 3}, 0, x, NULL, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set_u64(trnsci_args(program), "seed", 12);
	step = trnsci_step(program, "add"); /* y = y + x */
	trnsci_set_tile(step, "out", y);
	trnsci_set_tile(step, "a", y);
	trnsci_set_tile(step, "b", x);
	step = trnsci_step(program, "normal");
	trnsci_set_tile(step, "out", x);
	step = trnsci_step(program, "add"); /* y = y + the new x, which is no input of the program */
	trnsci_set_tile(step, "a", y);
	trnsci_set_tile(step, "b", x);
	trnsci_set_tile(step, "out", y);
	assert_int_equal(trnsci_run(program), 0);
	trnsci_call_free(program);
}

static void test_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), late;

		draw(x, 1);
		transform_on(remote, x.remote, y.remote);
		transform_on(own, x.own, y.own);
		for (int times = 0; times < 5; times++)
			assert_int_equal(scale(y, y, 0.75), 0);
		restart(signals[i]);
		assert_int_equal(scale(y, y, 0.5), 0);
		expect_same(x, "x");
		expect_same(y, "y");
		late = pair_of(TRNSCI_F32, N); /* the freed tiles' places are free */
		draw(late, 5);
		expect_same(y, "y");
		pair_free(late);
		pair_free(x);
		pair_free(y);
		close_both();
	}
}

/* What the program wrote itself, drew from a named stream, or made by steps that draw from one. Nothing is computed or issued
 * anew. */
static void test_any_content(void **state)
{
	static float streamed[N];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), zeros = pair_of(TRNSCI_F32, N);
		struct trnsci_tile *named = tile_of(remote, TRNSCI_F32, N);
		float *remote_x = trnsci_tile_data(x.remote), *own_x = trnsci_tile_data(x.own);
		struct trnsci_stream_info before, after;

		for (int k = 0; k < N; k++)
			remote_x[k] = own_x[k] = (float)k;
		memset(trnsci_tile_data(zeros.remote), 0, N * sizeof(float));
		memset(trnsci_tile_data(zeros.own), 0, N * sizeof(float));
		assert_int_equal(scale(x, y, 2), 0);
		assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
		assert_int_equal(trnsci_stream_draw(remote, "s", &(struct trnsci_draw){.law = "normal"}, named, NULL, NULL), 0);
		memcpy(streamed, trnsci_tile_data(named), sizeof streamed);
		assert_int_equal(trnsci_stream_show(remote, "s", &before, NULL), 0);
		for (int times = 0; times < 2; times++) {
			restart(signals[i]);
			ping();
			assert_ptr_equal(trnsci_tile_data(x.remote), remote_x);
			expect_same(x, "x, written by the program");
			expect_same(y, "y, made of it");
			expect_same(zeros, "zeros");
			assert_false(trnsci_tile_lost(named));
			assert_memory_equal(trnsci_tile_data(named), streamed, sizeof streamed);
			remote_x[0] = own_x[0] = 7.0f; /* by the pointer that the program has had all the time */
			assert_int_equal(scale(x, y, 3), 0);
			expect_same(y, "y, made of what was written after it");
		}
		assert_int_equal(trnsci_stream_show(remote, "s", &after, NULL), 0);
		assert_int_equal(after.position, after.skips ? after.skipped_until : before.position);
		trnsci_tile_free(named);
		pair_free(x);
		pair_free(y);
		pair_free(zeros);
		close_both();
	}
}

/* ---- calls in flight ---- */

enum { DRAWN, SCALED, IN_PLACE, NAMED, READS_NAMED, PROGRAM, CALLS };

struct flight {
	struct pair x, z, mine, named, of_named, drawn, of_program;
	struct trnsci_call *calls[CALLS];
};

/* normal -> of_program; of_program * 2 -> of_program: it reads only what it has written itself. */
static struct trnsci_call *program_on(struct trnsci_session *session, struct trnsci_tile *tile)
{
	struct trnsci_call *program;
	struct trnsci_args *step;

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set_u64(trnsci_args(program), "seed", 12);
	step = trnsci_step(program, "normal");
	trnsci_set_tile(step, "out", tile);
	step = trnsci_step(program, "scale");
	trnsci_set_tile(step, "in", tile);
	trnsci_set_f64(step, "by", 2);
	trnsci_set_tile(step, "out", tile);
	return program;
}

static void submit_flight(struct flight *flight)
{
	struct trnsci_args *args;

	struct pair *const pairs[] = {&flight->x, &flight->z, &flight->mine, &flight->named, &flight->of_named, &flight->drawn,
				      &flight->of_program};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		*pairs[i] = pair_of(TRNSCI_F32, N);
	draw(flight->x, 1);
	draw(flight->named, 3);
	memset(trnsci_tile_data(flight->mine.remote), 1, N * sizeof(float));
	memset(trnsci_tile_data(flight->mine.own), 1, N * sizeof(float));
	assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
	kill(trnscid.pid, SIGSTOP); /* nothing is answered before the signal that ends it */
	assert_int_equal(trnsci_call_new(remote, "normal", &flight->calls[DRAWN]), 0);
	trnsci_set_u64(trnsci_args(flight->calls[DRAWN]), "seed", 8);
	trnsci_set_tile(trnsci_args(flight->calls[DRAWN]), "out", flight->drawn.remote);
	flight->calls[SCALED] = scaling(remote, flight->x.remote, flight->z.remote, 5);
	flight->calls[IN_PLACE] = scaling(remote, flight->mine.remote, flight->mine.remote, 7);
	assert_int_equal(trnsci_stream_call_new(remote, "s", "normal", &flight->calls[NAMED], &args), 0);
	trnsci_set_tile(args, "out", flight->named.remote);
	flight->calls[READS_NAMED] = scaling(remote, flight->named.remote, flight->of_named.remote, 2);
	flight->calls[PROGRAM] = program_on(remote, flight->of_program.remote);
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(trnsci_submit(flight->calls[i]), 0);
}

static void land_flight(struct flight *flight, const int expected[CALLS])
{
	struct trnsci_call *twins[3];

	for (int i = 0; i < CALLS; i++) {
		const int r = trnsci_wait(flight->calls[i], 30000);

		if (r != expected[i])
			fail_msg("call %d: expected %s, got %s (%s)", i, trnsci_error_name(expected[i]), trnsci_error_name(r),
				 trnsci_call_error(flight->calls[i])->text);
		if (r == -TRNSCI_CLOSED)
			assert_non_null(strstr(trnsci_call_error(flight->calls[i])->text, "not repeated"));
		trnsci_call_free(flight->calls[i]);
	}
	draw(flight->drawn, 8);
	twins[0] = scaling(own, flight->x.own, flight->z.own, 5);
	twins[1] = scaling(own, flight->mine.own, flight->mine.own, 7);
	twins[2] = program_on(own, flight->of_program.own);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(trnsci_run(twins[i]), 0);
		trnsci_call_free(twins[i]);
	}
	expect_same(flight->drawn, "a draw");
	expect_same(flight->x, "what was read");
	expect_same(flight->z, "out of place");
	expect_same(flight->of_program, "a program");
}

static void free_flight(struct flight *flight)
{
	pair_free(flight->x);
	pair_free(flight->z);
	pair_free(flight->mine);
	pair_free(flight->named);
	pair_free(flight->of_named);
	pair_free(flight->drawn);
	pair_free(flight->of_program);
}

/* None is answered: what can be is done by the next daemon, what it was writing otherwise is lost. */
static void test_killed_in_flight(void **state)
{
	static const int expected[CALLS] = {
		[IN_PLACE] = -TRNSCI_CLOSED, [NAMED] = -TRNSCI_CLOSED, [READS_NAMED] = -TRNSCI_LOST};
	struct flight flight;

	(void)state;
	open_both();
	submit_flight(&flight);
	restart(SIGKILL);
	land_flight(&flight, expected);
	assert_true(trnsci_tile_lost(flight.of_named.remote));
	expect_lost(flight.mine, "a call in place");
	expect_lost(flight.named, "a draw from a named stream");
	free_flight(&flight);
	close_both();
}

/* A daemon that stops answers what it has: nothing is lost. What is submitted meanwhile goes to the next one. */
static void test_stopped_in_flight(void **state)
{
	static const int expected[CALLS] = {0};
	struct flight flight;

	(void)state;
	open_both();
	submit_flight(&flight);
	kill(trnscid.pid, SIGTERM);
	kill(trnscid.pid, SIGCONT);
	assert_int_equal(waitpid(trnscid.pid, NULL, 0), trnscid.pid);
	struct trnsci_call *late = scaling(remote, flight.mine.remote, flight.mine.remote, 3);

	assert_int_equal(daemon_spawn(&trnscid, "2", NULL), 0);
	assert_int_equal(trnsci_submit(late), 0);
	if (trnsci_wait(late, 30000) < 0)
		fail_msg("expected an answer of the next daemon, got %s", trnsci_call_error(late)->text);
	trnsci_call_free(late);
	late = scaling(own, flight.mine.own, flight.mine.own, 3);
	assert_int_equal(trnsci_run(late), 0); /* by 3 and 7 instead of 7 and 3 */
	trnsci_call_free(late);
	land_flight(&flight, expected);
	expect_same(flight.mine, "in place");
	assert_false(trnsci_tile_lost(flight.named.remote) || trnsci_tile_lost(flight.of_named.remote));
	free_flight(&flight);
	close_both();
}

/* What was not sent was not done, and is sent to the next daemon whatever it is. */
static void test_never_sent(void **state)
{
	struct trnsci_call *call;

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N);

		draw(x, 1);
		restart(signals[i]);
		assert_int_equal(scale(x, x, 3), 0);
		expect_same(x, "in place, sent when the daemon was gone");
		restart(signals[i]);
		assert_int_equal(trnsci_call_new(remote, "stream_create", &call), 0);
		trnsci_set_text(trnsci_args(call), "name", "late");
		if (trnsci_run(call) < 0)
			fail_msg("expected a stream, got %s", trnsci_call_error(call)->text);
		trnsci_call_free(call);
		pair_free(x);
		close_both();
	}
}

/* ---- sessions that a daemon had ended ---- */

/* The number of the session's socket. The daemon has bound its own under another name, which begins with this one. */
static int socket_of_session(void)
{
	for (int fd = 3; fd < 256; fd++) { /* another may be on its way in its place */
		struct sockaddr_un peer;
		socklen_t size = sizeof peer;

		if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && size > sizeof(sa_family_t) &&
		    peer.sun_family == AF_UNIX && strncmp(peer.sun_path, trnscid.socket, strlen(trnscid.socket)) == 0)
			return fd;
	}
	return -1;
}

/* The connection is lost, the daemon is not. */
static void cut(void)
{
	const int fd = socket_of_session();

	assert_true(fd >= 0);
	shutdown(fd, SHUT_RDWR); /* one that has just been closed cannot be */
}

static void test_lost_connection(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N);
	uint64_t scope = trnsci_scope_new(remote);
	const uint64_t n = N;
	struct trnsci_tile *scoped;

	assert_int_equal(trnsci_tile_new(remote, scope, TRNSCI_F32, 1, &n, &scoped, NULL), 0);
	for (int i = 0; i < 5; i++) {
		draw(x, 1);
		draw(y, 2);
		cut();
		ping();
		expect_lost(x, "what the daemon had dropped");
		expect_lost(y, "all of it");
		cut();
		ping();
		memset(trnsci_tile_data(x.remote), 1, N * sizeof(float)); /* the program fills it */
		memset(trnsci_tile_data(x.own), 1, N * sizeof(float));
		assert_int_equal(scale(x, y, 1.5), 0);
		expect_same(y, "made of what was filled");
	}
	cut();
	assert_int_equal(trnsci_scope_free(remote, scope, NULL), 0);
	pair_free(x);
	pair_free(y);
	close_both();
}

/* The daemon ends the session, and then itself, before the session looks: another instance answers, and the content is gone
 * all the same. */
static void test_dropped_and_restarted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N);
		struct pollfd end = {socket_of_session(), POLLRDHUP, 0};

		draw(x, 1);
		assert_int_equal(send(end.fd, "\xc1", 1, 0), 1); /* never MessagePack */
		assert_int_equal(poll(&end, 1, 30000), 1);
		restart(signals[i]);
		ping();
		expect_lost(x, "what was emptied before the daemon ended");
		pair_free(x);
		close_both();
	}
}

/* ---- what is not restored ---- */

static void take_ring(struct trnsci_ring *ring, int *ret_r)
{
	static float samples[4096];
	struct trnsci_error err;

	do
		*ret_r = trnsci_ring_take(ring, samples, 4096, 20000, NULL, &err);
	while (*ret_r == 0);
	if (*ret_r == -TRNSCI_CLOSED && strlen(err.text) == 0)
		fail_msg("expected a text, got none");
}

/* Rings and broadcasts end with the daemon; the session does not, and attaches others. */
static void test_rings_and_broadcasts(void **state)
{
	const struct trnsci_draw law = {.law = "normal", .seed = 6};
	static float expected[64], got[64];
	struct trnsci_broadcast_span span;
	struct trnsci_broadcast *reader;
	struct trnsci_ring *ring, *again;
	struct trnsci_error err;
	int r;

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		assert_int_equal(trnsci_draw_copy(own, &law, TRNSCI_F32, 64, expected, NULL, NULL), 0);
		assert_int_equal(trnsci_ring_attach(remote, &law, TRNSCI_F32, 0, &ring, NULL), 0);
		assert_int_equal(trnsci_broadcast_create(remote, "b", &law, TRNSCI_F32, 1024, 0, 0600, NULL), 0);
		assert_int_equal(trnsci_broadcast_attach(remote, "b", &reader, NULL), 0);
		restart(signals[i]);
		take_ring(ring, &r);
		assert_int_equal(r, -TRNSCI_CLOSED);
		assert_int_equal(trnsci_broadcast_take(reader, got, 64, 20000, &span, &err), -TRNSCI_CLOSED);
		assert_int_equal(trnsci_broadcast_publish(remote, "b", 64, NULL, NULL), -TRNSCI_NOT_FOUND);
		ping();
		assert_int_equal(trnsci_ring_attach(remote, &law, TRNSCI_F32, 0, &again, NULL), 0);
		trnsci_ring_detach(ring); /* its number is the new one's by now */
		if (trnsci_ring_take(again, got, 64, 20000, NULL, &err) < 0)
			fail_msg("expected samples of the ring attached again, got %s", err.text);
		assert_memory_equal(got, expected, sizeof got);
		trnsci_broadcast_detach(reader);
		assert_int_equal(trnsci_broadcast_create(remote, "b", &law, TRNSCI_F32, 1024, 0, 0600, NULL), 0);
		assert_int_equal(trnsci_broadcast_attach(remote, "b", &reader, NULL), 0);
		assert_int_equal(trnsci_broadcast_publish(remote, "b", 64, NULL, NULL), 0);
		assert_int_equal(trnsci_broadcast_take(reader, got, 64, 20000, &span, NULL), 0);
		assert_memory_equal(got, expected, sizeof got);
		trnsci_broadcast_detach(reader);
		ping();
		assert_int_equal(trnsci_ring_take(again, got, 64, 20000, NULL, &err), 0);
		trnsci_ring_detach(again);
		close_both();
	}
}

/* A daemon that has no room for what the session had: the session fails, and says which limit it is. */
static void test_no_room(void **state)
{
	struct trnsci_call *call;

	(void)state;
	open_with(300, NULL);
	struct pair x = pair_of(TRNSCI_F32, N);

	draw(x, 1);
	end_daemon(SIGTERM);
	assert_int_equal(daemon_spawn(&trnscid, "2", "--arena-bytes=1M"), 0);
	assert_int_equal(trnsci_call_new(remote, "ping", &call), 0);
	assert_int_equal(trnsci_run(call), -TRNSCI_CLOSED);
	if (!strstr(trnsci_call_error(call)->text, "arena_bytes"))
		fail_msg("expected the limit's name, got %s", trnsci_call_error(call)->text);
	expect_same(x, "the old content, still at its address");
	trnsci_call_free(call);
	pair_free(x);
	close_both();
}

/* Pages of the arena that the process has. */
static blkcnt_t arena_blocks(void)
{
	for (int fd = 3; fd < 256; fd++) {
		char path[64], name[64] = "";
		struct stat there;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (readlink(path, name, sizeof name - 1) > 0 && strncmp(name, "/memfd:trnsci-arena", 19) == 0) {
			assert_int_equal(fstat(fd, &there), 0);
			return there.st_blocks;
		}
	}
	fail_msg("expected an arena's descriptor, got none");
	return 0;
}

/* A tile of which one page was written takes one page, also after it. */
static void test_untouched_pages(void **state)
{
	enum { LARGE = 4 << 20 };

	(void)state;
	open_with(20000, "--arena-ahead-bytes=0");
	struct pair x = pair_of(TRNSCI_I8, LARGE);
	char *bytes = trnsci_tile_data(x.remote);

	bytes[LARGE / 2] = 1;
	const blkcnt_t before = arena_blocks();

	end_daemon(SIGKILL);
	assert_int_equal(daemon_spawn(&trnscid, "2", "--arena-ahead-bytes=0"), 0);
	ping();
	assert_int_equal(arena_blocks(), before);
	assert_int_equal(bytes[LARGE / 2], 1);
	pair_free(x);
	close_both();
}

/* A tile that was freed is no other one's, though its number may be. */
static void test_freed_tile(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N);
	struct trnsci_call *call = scaling(remote, x.remote, y.remote, 2);

	draw(x, 1);
	draw(y, 1);
	pair_free(x);
	restart(SIGKILL); /* y becomes number 1 */
	assert_int_equal(trnsci_run(call), -TRNSCI_BAD_TILE);
	expect_same(y, "y");
	trnsci_call_free(call);
	pair_free(y);
	close_both();
}

/* ---- several threads ---- */

static atomic_bool over;
static atomic_uint rounds;

/* Tiles come, are filled, read and go; nothing but success is allowed, and each has its own samples. */
static void *work(void *arg)
{
	const uint64_t seed = (uint64_t)(uintptr_t)arg;
	const struct trnsci_draw law = {.law = "uniform", .seed = seed};
	static _Thread_local float expected[N];
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_copy(own, &law, TRNSCI_F32, N, expected, NULL, NULL), 0);
	while (!atomic_load(&over)) {
		struct trnsci_tile *x = tile_of(remote, TRNSCI_F32, N), *y = tile_of(remote, TRNSCI_F32, N);

		if (trnsci_draw(remote, &law, 0, x, NULL, &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		struct trnsci_call *call = scaling(remote, x, y, 1);

		if (trnsci_run(call) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, trnsci_call_error(call)->text);
		trnsci_call_free(call);
		assert_int_equal(trnsci_arena(remote, 0, NULL), 0);
		trnsci_tile_free(x);
		x = tile_of(remote, TRNSCI_F32, N);
		call = scaling(remote, y, x, 1);
		assert_int_equal(trnsci_run(call), 0);
		trnsci_call_free(call);
		assert_int_equal(trnsci_call_new(remote, "scale", &call), 0);
		trnsci_set_tile(trnsci_args(call), "in", x);
		assert_int_equal(trnsci_run(call), 0); /* with the reply: it was computed from what x holds */

		struct trnsci_array array;

		assert_int_equal(trnsci_to_array(trnsci_reply(call), &array), 0);
		if (array.bytes != sizeof expected || memcmp(array.data, expected, sizeof expected) != 0)
			fail_msg("seed %llu: expected its own samples, got others", (unsigned long long)seed);
		trnsci_call_free(call);
		trnsci_tile_free(x);
		trnsci_tile_free(y);
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

static void test_threads(void **state)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];

	(void)state;
	open_both();
	atomic_store(&over, false);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (int i = 0; i < 7; i++) {
		const unsigned before = atomic_load(&rounds);

		while (atomic_load(&rounds) - before < 2 * THREADS)
			usleep(100);
		if (i < 6)
			restart(signals[i % 2]);
	}
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_both();
}

/* The lost connection's descriptor lives on in a child: it is none of the session's. */
static void test_poll_after_fork(void **state)
{
	struct trnsci_call *call;
	int ends[2];

	(void)state;
	open_both();
	struct pollfd poll_fd = {trnsci_fd(remote), POLLIN, 0};

	assert_true(poll_fd.fd >= 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t child = fork();

	if (child == 0) {
		char end;

		close(ends[1]);
		_exit(read(ends[0], &end, 1) != 0);
	}
	restart(SIGKILL);
	ping();
	assert_int_equal(trnsci_next(remote, 0, &call), -TRNSCI_TIMEOUT);
	if (poll(&poll_fd, 1, 0) != 0)
		fail_msg("expected nothing to read, got events 0x%x", (unsigned)poll_fd.revents);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ends[0]);
	close_both();
}

static atomic_uint draws;

static void *draw_on(void *arg)
{
	const struct trnsci_draw law = {.law = "normal"};
	struct trnsci_tile *x = tile_of(remote, TRNSCI_F32, 1 << 15);
	struct trnsci_error err;

	(void)arg;
	while (!atomic_load(&over)) {
		if (trnsci_draw(remote, &law, 0, x, NULL, &err) < 0)
			fail_msg("expected an answer, got %s", err.text);
		atomic_fetch_add(&draws, 1);
	}
	trnsci_tile_free(x);
	return NULL;
}

/* What another thread is just about to send when the connection is found gone is sent once. */
static void test_cut_while_sending(void **state)
{
	enum { THREADS = 4, CUTS = 300 };
	pthread_t threads[THREADS];

	(void)state;
	open_both();
	atomic_store(&over, false);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, draw_on, NULL), 0);
	for (int i = 0; i < CUTS; i++) {
		const unsigned before = atomic_load(&draws);

		while (atomic_load(&draws) - before < 4 * THREADS)
			usleep(10);
		cut();
	}
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_tile_is_its_own),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_any_content),
		cmocka_unit_test(test_killed_in_flight),
		cmocka_unit_test(test_stopped_in_flight),
		cmocka_unit_test(test_never_sent),
		cmocka_unit_test(test_lost_connection),
		cmocka_unit_test(test_dropped_and_restarted),
		cmocka_unit_test(test_rings_and_broadcasts),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_untouched_pages),
		cmocka_unit_test(test_freed_tile),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_poll_after_fork),
		cmocka_unit_test(test_cut_while_sending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
