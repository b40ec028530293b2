/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose daemon was killed or stopped: they are made again where they lay, with what they held, whichever numbers the
 * next daemon gives them; what cannot be computed again is told, and never taken for something else.
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

static void open_both(void)
{
	const struct trnsci_options options = {.timeout_ms = 30000, .reconnect_ms = 20000, .arena_bytes = 8 << 20};

	assert_int_equal(daemon_start(&trnscid, "2"), 0);
	assert_int_equal(trnsci_open(trnscid.socket, &options, &remote, NULL), 0);
	assert_int_equal(trnsci_open("embedded:", &options, &own, NULL), 0);
}

static void close_both(void)
{
	trnsci_close(remote);
	trnsci_close(own);
	daemon_stop(&trnscid, SIGTERM);
}

static void restart(int signal_number)
{
	kill(trnscid.pid, signal_number);
	assert_int_equal(waitpid(trnscid.pid, NULL, 0), trnscid.pid);
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
	if (r < 0)
		assert_non_null(strstr(trnsci_call_error(first)->text, r == -TRNSCI_LOST ? "is gone with" : ""));
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
	if (memcmp(trnsci_tile_view(pair.remote), trnsci_tile_view(pair.own), trnsci_tile_bytes(pair.own)) != 0)
		fail_msg("%s: expected the bytes of the embedded twin, got others", what);
}

/* A call that reads the tile is refused; one that writes it fills it. */
static void expect_lost(struct pair pair, const char *what)
{
	struct pair out = pair_of(trnsci_tile_dtype(pair.own), trnsci_tile_count(pair.own));
	int r = scale(pair, out, 2);

	if (r != -TRNSCI_LOST || !trnsci_tile_lost(pair.remote))
		fail_msg("%s: expected it to be lost, got %s", what, trnsci_error_name(r));
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
		addresses[i] = trnsci_tile_view(pairs[i].remote);
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
			assert_ptr_equal(trnsci_tile_view(pairs[i].remote), addresses[i]);
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

/* A part of a draw, and a draw from a named stream: made again by its range, nothing more is issued. */
static void test_ranks_and_streams(void **state)
{
	const struct trnsci_draw part = {.law = "exponential", .seed = 4, .rank = 1, .size = 3};
	const struct trnsci_draw dirichlet = {.law = "dirichlet", .list = {"alpha", (const double[]){1, 2, 3}, 3}};
	struct trnsci_stream_info before, after;
	struct trnsci_stream_range range;
	const uint64_t shape[2] = {100, 3};
	struct trnsci_tile *vectors;
	static float expected[300];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, 1000);

		assert_int_equal(trnsci_draw(remote, &part, 3000, x.remote, NULL, NULL), 0);
		assert_int_equal(trnsci_draw(own, &part, 3000, x.own, NULL, NULL), 0);
		assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
		assert_int_equal(trnsci_tile_new(remote, 0, TRNSCI_F32, 2, shape, &vectors, NULL), 0);
		assert_int_equal(trnsci_stream_draw(remote, "s", &dirichlet, vectors, NULL, NULL), 0);
		assert_int_equal(trnsci_stream_draw(remote, "s", &dirichlet, vectors, &range, NULL), 0);
		assert_true(range.offset > 0);
		memcpy(expected, trnsci_tile_view(vectors), sizeof expected);
		restart(signals[i]);
		ping();
		expect_same(x, "a part of a draw");
		assert_false(trnsci_tile_lost(vectors));
		assert_memory_equal(trnsci_tile_view(vectors), expected, sizeof expected);
		assert_int_equal(trnsci_stream_show(remote, "s", &before, NULL), 0);
		restart(SIGTERM);
		ping();
		assert_memory_equal(trnsci_tile_view(vectors), expected, sizeof expected);
		assert_int_equal(trnsci_stream_show(remote, "s", &after, NULL), 0);
		assert_int_equal(after.position, before.position);
		trnsci_tile_free(vectors);
		pair_free(x);
		close_both();
	}
}

/* A program on a named stream is run again at the range that it was given. One whose steps name streams is not run again,
 * which would spend other ranges: its tile is lost. */
static void test_programs_of_streams(void **state)
{
	enum { WHOLE, STEP, PLAIN, KINDS };
	static float expected[100];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct trnsci_stream_info before, after;
		struct trnsci_tile *tiles[KINDS];
		const uint64_t n = 100;

		open_both();
		assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
		for (int k = 0; k < KINDS; k++) {
			struct trnsci_call *call;
			struct trnsci_args *step;

			assert_int_equal(trnsci_tile_new(remote, 0, TRNSCI_F32, 1, &n, &tiles[k], NULL), 0);
			for (int times = 0; times < 2; times++) {
				assert_int_equal(trnsci_call_new(remote, "run", &call), 0);
				if (k == WHOLE)
					trnsci_set_text(trnsci_args(call), "stream_name", "s");
				step = trnsci_step(call, "normal");
				trnsci_set_tile(step, "out", tiles[k]);
				if (k == STEP)
					trnsci_set_text(step, "stream_name", "s");
				if (trnsci_run(call) < 0)
					fail_msg("%s", trnsci_call_error(call)->text);
				trnsci_call_free(call);
			}
		}
		memcpy(expected, trnsci_tile_view(tiles[WHOLE]), sizeof expected);
		assert_int_equal(trnsci_stream_show(remote, "s", &before, NULL), 0);
		assert_int_equal(before.position, 4 * n);
		restart(signals[i]);
		ping();
		assert_false(trnsci_tile_lost(tiles[WHOLE]));
		assert_memory_equal(trnsci_tile_view(tiles[WHOLE]), expected, sizeof expected);
		assert_true(trnsci_tile_lost(tiles[STEP]));
		assert_false(trnsci_tile_lost(tiles[PLAIN]));
		assert_int_equal(trnsci_stream_show(remote, "s", &after, NULL), 0);
		assert_int_equal(after.position, after.skips ? after.skipped_until : before.position);
		for (int k = 0; k < KINDS; k++)
			trnsci_tile_free(tiles[k]);
		close_both();
	}
}

/* What the program wrote itself is lost, but its bytes outlast a crash; what was made of it is lost as well. */
static void test_own_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), blank = pair_of(TRNSCI_F32, 3);
		float *remote_x = trnsci_tile_data(x.remote), *own_x = trnsci_tile_data(x.own);

		for (int k = 0; k < N; k++)
			remote_x[k] = own_x[k] = (float)k;
		assert_int_equal(scale(x, y, 2), 0);
		expect_same(y, "y");
		restart(signals[i]);
		ping();
		assert_true(trnsci_tile_lost(x.remote) && trnsci_tile_lost(y.remote));
		assert_false(trnsci_tile_lost(blank.remote)); /* nothing was in it */
		assert_ptr_equal(trnsci_tile_data(x.remote), remote_x);
		if (signals[i] == SIGKILL)
			assert_memory_equal(remote_x, own_x, N * sizeof(float));
		assert_int_equal(scale(x, y, 2), -TRNSCI_LOST);
		/* By the pointer that the program has had all the time. */
		memcpy(remote_x, own_x, N * sizeof(float));
		trnsci_tile_filled(x.remote);
		assert_int_equal(scale(x, y, 2), 0);
		expect_same(y, "y");
		restart(signals[i]);
		expect_lost(x, "x");
		expect_lost(y, "y");
		pair_free(x);
		pair_free(y);
		pair_free(blank);
		close_both();
	}
}

/* A program that has a tile's address may have changed it: taken only where the old bytes say the same. */
static void test_open_tiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair still = pair_of(TRNSCI_F32, N), changed = pair_of(TRNSCI_F32, N), of_changed = pair_of(TRNSCI_F32, N);

		trnsci_tile_data(still.remote);
		draw(still, 1);
		draw(changed, 2);
		((float *)trnsci_tile_data(changed.remote))[N - 1] = 1e6f;
		((float *)trnsci_tile_data(changed.own))[N - 1] = 1e6f;
		assert_int_equal(scale(changed, of_changed, 3), 0);
		expect_same(of_changed, "what was made of it");
		restart(signals[i]);
		ping();
		if (signals[i] == SIGKILL)
			expect_same(still, "an open tile after a crash");
		else
			expect_lost(still, "an open tile that a daemon has emptied");
		expect_lost(changed, "a tile that the program has changed");
		expect_lost(of_changed, "what was made of it");
		pair_free(still);
		pair_free(changed);
		pair_free(of_changed);
		close_both();
	}
}

/* Stopped, so that nothing is answered before it dies: what is in flight gets its inputs again, in place as well. */
static void test_in_flight(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), z = pair_of(TRNSCI_F32, N),
		    mine = pair_of(TRNSCI_F32, N), named = pair_of(TRNSCI_F32, N);
	struct trnsci_call *calls[4], *create;
	struct trnsci_args *args;

	draw(x, 1);
	draw(y, 2);
	memset(trnsci_tile_data(mine.remote), 1, N * 4);
	draw(named, 3);
	assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
	kill(trnscid.pid, SIGSTOP);
	calls[0] = scaling(remote, x.remote, x.remote, 3);
	calls[1] = scaling(remote, y.remote, z.remote, 5);
	calls[2] = scaling(remote, mine.remote, mine.remote, 7);
	assert_int_equal(trnsci_stream_call_new(remote, "s", "normal", &calls[3], &args), 0);
	trnsci_set_tile(args, "out", named.remote);
	for (int i = 0; i < 4; i++)
		assert_int_equal(trnsci_submit(calls[i]), 0);
	restart(SIGKILL);
	assert_int_equal(trnsci_wait(calls[0], 30000), 0);
	assert_int_equal(trnsci_wait(calls[1], 30000), 0);
	assert_int_equal(trnsci_wait(calls[2], 30000), -TRNSCI_LOST);
	assert_int_equal(trnsci_wait(calls[3], 30000), -TRNSCI_CLOSED);
	create = scaling(own, x.own, x.own, 3);
	assert_int_equal(trnsci_run(create), 0);
	trnsci_call_free(create);
	create = scaling(own, y.own, z.own, 5);
	assert_int_equal(trnsci_run(create), 0);
	trnsci_call_free(create);
	expect_same(x, "in place");
	expect_same(z, "out of place");
	expect_lost(mine, "the program's own");
	expect_same(named, "what it held before a draw that was not repeated");
	for (int i = 0; i < 4; i++)
		trnsci_call_free(calls[i]);
	restart(SIGTERM);
	ping();
	expect_same(x, "in place, repeated, and made again");
	expect_same(z, "out of place, repeated, and made again");
	pair_free(x);
	pair_free(y);
	pair_free(z);
	pair_free(mine);
	pair_free(named);
	close_both();
}

/* A call that was refused changes nothing; one that was cancelled leaves nobody knows what. */
static void test_failed_calls(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), wide = pair_of(TRNSCI_F32, 1 << 18);
	struct trnsci_call *call;

	draw(x, 1);
	draw(wide, 2);
	call = scaling(remote, wide.remote, x.remote, 2); /* of another shape */
	assert_int_equal(trnsci_run(call), -TRNSCI_BAD_SHAPE);
	trnsci_call_free(call);
	assert_int_equal(trnsci_call_new(remote, "gamma", &call), 0);
	trnsci_set_f64(trnsci_args(call), "shape", 0.001);
	trnsci_set_tile(trnsci_args(call), "out", wide.remote);
	assert_int_equal(trnsci_submit(call), 0);
	assert_int_equal(trnsci_cancel(call), 0);
	const bool cancelled = trnsci_wait(call, 30000) == -TRNSCI_CANCELLED;
	trnsci_call_free(call);
	restart(SIGTERM);
	ping();
	expect_same(x, "after a refusal");
	if (cancelled)
		expect_lost(wide, "after a cancellation");
	pair_free(x);
	pair_free(wide);
	close_both();
}

/* More than is remembered: the newest lives, what is too long is told, and memory stays within the bound. */
static void test_bound(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, 16), y = pair_of(TRNSCI_F32, 16);

	draw(x, 1);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(scale(x, x, i % 2 ? 0.5 : 2), 0);
	draw(y, 2);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(scale(y, y, i % 2 ? 0.5 : 2), 0);
	restart(SIGTERM);
	ping();
	expect_same(y, "a thousand steps");
	expect_lost(x, "ten thousand steps");
	pair_free(x);
	pair_free(y);
	close_both();
}

/* The connection is lost, the daemon is not. It has bound its socket under another name, which begins with this one. */
static void cut(void)
{
	bool found = false;

	for (int fd = 3; fd < 256 && !found; fd++) { /* another may be on its way in its place */
		struct sockaddr_un peer;
		socklen_t size = sizeof peer;

		if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && size > sizeof(sa_family_t) &&
		    peer.sun_family == AF_UNIX && strncmp(peer.sun_path, trnscid.socket, strlen(trnscid.socket)) == 0)
			found = shutdown(fd, SHUT_RDWR) == 0;
	}
	assert_true(found);
}

static void test_lost_connection(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N);
	uint64_t scope = trnsci_scope_new(remote);
	const uint64_t n = N;
	struct trnsci_tile *scoped;

	assert_int_equal(trnsci_tile_new(remote, scope, TRNSCI_F32, 1, &n, &scoped, NULL), 0);
	draw(x, 1);
	for (int i = 0; i < 5; i++) {
		cut();
		assert_int_equal(scale(x, x, 1.5), 0);
		expect_same(x, "after a cut");
	}
	cut();
	assert_int_equal(trnsci_scope_free(remote, scope, NULL), 0);
	pair_free(x);
	close_both();
}

/* Nothing that would be lost unseen: rings, programs that are kept, tiles of the program's own making. */
static void test_bound_sessions(void **state)
{
	struct trnsci_call *call;
	struct trnsci_ring *ring;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_both();
		if (i == 0) {
			assert_int_equal(trnsci_ring_attach(remote, &(struct trnsci_draw){.law = "normal"}, TRNSCI_F32, 0, &ring, NULL), 0);
			trnsci_ring_detach(ring);
		} else {
			assert_int_equal(trnsci_arena(remote, 0, NULL), 0);
			assert_int_equal(trnsci_call_new(remote, "tile", &call), 0);
			trnsci_set_dtype(trnsci_args(call), "dtype", TRNSCI_F32);
			trnsci_set_u64(trnsci_args(call), "shape", 8);
			assert_int_equal(trnsci_run(call), 0);
			trnsci_call_free(call);
		}
		restart(SIGKILL);
		assert_int_equal(trnsci_call_new(remote, "ping", &call), 0);
		assert_int_equal(trnsci_run(call), -TRNSCI_CLOSED);
		assert_non_null(strstr(trnsci_call_error(call)->text, "rings, broadcasts or kept programs"));
		trnsci_call_free(call);
		close_both();
	}
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
	for (int i = 0; i < 6; i++) {
		usleep(50000);
		restart(signals[i % 2]);
	}
	usleep(50000);
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_both();
}

/* More requests in flight than are remembered: their tiles are written as others are, and remembered from the next on. */
static void test_more_in_flight(void **state)
{
	enum { CALLS = 8, MANY = 48 << 10 };
	static float samples[MANY];
	struct trnsci_call *calls[CALLS];
	struct trnsci_tile *out[CALLS];
	struct pair first;

	(void)state;
	for (int round = 0; round < 2; round++) {
		open_both();
		for (int i = 0; i < CALLS; i++) {
			out[i] = tile_of(remote, TRNSCI_F32, MANY);
			assert_int_equal(trnsci_call_new(remote, "scale", &calls[i]), 0);
			trnsci_set_array(trnsci_args(calls[i]), "in", TRNSCI_F32, 1, (const uint64_t[]){MANY}, samples);
			trnsci_set_f64(trnsci_args(calls[i]), "by", 2);
			trnsci_set_tile(trnsci_args(calls[i]), "out", out[i]);
		}
		if (round == 1)
			kill(trnscid.pid, SIGSTOP);
		for (int i = 0; i < CALLS; i++)
			assert_int_equal(trnsci_submit(calls[i]), 0);
		if (round == 1)
			restart(SIGKILL);
		for (int i = 0; i < CALLS; i++) {
			if (trnsci_wait(calls[i], 30000) < 0)
				fail_msg("call %d: expected an answer, got %s", i, trnsci_call_error(calls[i])->text);
			trnsci_call_free(calls[i]);
			if (trnsci_tile_lost(out[i]))
				fail_msg("call %d was answered: expected its tile filled, got it lost", i);
		}
		first = (struct pair){out[0], tile_of(own, TRNSCI_F32, MANY)};
		draw(first, 7);
		restart(SIGTERM);
		ping();
		expect_same(first, "a tile whose first request was forgotten in flight");
		for (int i = 0; i < CALLS; i++)
			trnsci_tile_free(out[i]);
		trnsci_tile_free(first.own);
		close_both();
	}
}

/* Zeros may be what the daemon has left of the program's own bytes. */
static void test_zeros(void **state)
{
	(void)state;
	open_both();
	const struct trnsci_draw law = {.law = "bernoulli", .numbers = {{"p", 0}}};
	struct pair x = pair_of(TRNSCI_I8, 64 << 10);

	assert_int_equal(trnsci_draw(remote, &law, 0, x.remote, NULL, NULL), 0);
	memset(trnsci_tile_data(x.remote), 1, 64 << 10);
	restart(SIGTERM);
	ping();
	assert_true(trnsci_tile_lost(x.remote));
	pair_free(x);
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
		cmocka_unit_test(test_every_tile_is_its_own), cmocka_unit_test(test_chains),
		cmocka_unit_test(test_ranks_and_streams),     cmocka_unit_test(test_programs_of_streams),
		cmocka_unit_test(test_own_writes),
		cmocka_unit_test(test_open_tiles),            cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_failed_calls),          cmocka_unit_test(test_bound),
		cmocka_unit_test(test_lost_connection),       cmocka_unit_test(test_bound_sessions),
		cmocka_unit_test(test_freed_tile),            cmocka_unit_test(test_threads),
		cmocka_unit_test(test_more_in_flight),        cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_poll_after_fork),       cmocka_unit_test(test_cut_while_sending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
