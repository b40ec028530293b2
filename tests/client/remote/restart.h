/* SPDX-License-Identifier: Apache-2.0 */
/* For checks of what a daemon's end leaves: a daemon that is ended and started again, a session with it, and an embedded one
 * to which the same is done. Each tile stands beside its twin of the embedded session, and has to have its bytes. */
#ifndef TESTS_CLIENT_RESTART_H
#define TESTS_CLIENT_RESTART_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "harness/daemon.h"
#include "session_socket.h"

enum { N = 1024 };

static struct daemon trnscid;
static const int signals[] = {SIGKILL, SIGTERM};

/* A tile and its twin. */
struct pair {
	struct trnsci_tile *remote, *own;
};

static struct trnsci_session *remote, *own;

static inline void open_with(int reconnect_ms, const char *setting)
{
	const struct trnsci_options options = {
		.timeout_ms = 30000, .reconnect_ms = reconnect_ms, .arena_bytes = 8 << 20};

	daemon_start(&trnscid, ARGUMENTS("--threads=2", setting));
	assert_int_equal(trnsci_open(trnscid.socket, &options, &remote, NULL), 0);
	assert_int_equal(trnsci_open("embedded:", &options, &own, NULL), 0);
}

static inline void open_both(void)
{
	open_with(20000, NULL);
}

static inline void close_both(void)
{
	trnsci_close(remote);
	trnsci_close(own);
	daemon_stop(&trnscid);
}

static inline void end_daemon(int signal_number)
{
	daemon_strike(&trnscid, signal_number);
}

static inline void restart(int signal_number)
{
	end_daemon(signal_number);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
}

static inline struct trnsci_tile *tile_of(struct trnsci_session *session, enum trnsci_dtype dtype, uint64_t n)
{
	struct trnsci_tile *tile;
	struct trnsci_error err;

	if (trnsci_tile_new(session, dtype, 1, &n, &tile, &err) < 0)
		fail_msg("tile: %s", err.text);
	return tile;
}

static inline struct pair pair_of(enum trnsci_dtype dtype, uint64_t n)
{
	return (struct pair){tile_of(remote, dtype, n), tile_of(own, dtype, n)};
}

static inline void pair_free(struct pair pair)
{
	trnsci_tile_free(pair.remote);
	trnsci_tile_free(pair.own);
}

static inline void draw(struct pair pair, uint64_t seed)
{
	const struct drawing draw = {.distribution = "normal", .source = {.seed = seed}};
	struct trnsci_error err;

	if (draw_tile(remote, &draw, 0, pair.remote, NULL, &err) < 0)
		fail_msg("draw: %s", err.text);
	assert_int_equal(draw_tile(own, &draw, 0, pair.own, NULL, NULL), 0);
}

static inline struct trnsci_call *scaling(struct trnsci_session *session, const struct trnsci_tile *in,
				   struct trnsci_tile *out, double by)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", in));
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("by", by));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	return call;
}

/* Of the remote one; the embedded one's must succeed. */
static inline int scale(struct pair in, struct pair out, double by)
{
	struct trnsci_call *first = scaling(remote, in.remote, out.remote, by),
			   *second = scaling(own, in.own, out.own, by);
	int r = trnsci_run(first, NULL);

	assert_int_equal(trnsci_run(second, NULL), 0);
	if (r == -TRNSCI_LOST)
		assert_non_null(strstr(trnsci_call_error(first)->text, "was lost with the daemon"));
	trnsci_call_free(first);
	trnsci_call_free(second);
	return r;
}

static inline void ping(void)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(remote, "ping", &call), 0);
	if (trnsci_run(call, NULL) < 0)
		fail_msg("expected an answer, got %s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
}

static inline void expect_same(struct pair pair, const char *what)
{
	if (tile_info(pair.remote).lost)
		fail_msg("%s: expected its content, it is lost", what);
	if (memcmp(trnsci_tile_data(pair.remote), trnsci_tile_data(pair.own), tile_info(pair.own).bytes) != 0)
		fail_msg("%s: expected the bytes of the embedded twin, got others", what);
}

/* A call that reads the tile is refused; one that writes it fills it. */
static inline void expect_lost(struct pair pair, const char *what)
{
	struct pair out = pair_of(tile_info(pair.own).dtype, tile_info(pair.own).count);
	int r = scale(pair, out, 2);

	if (r != -TRNSCI_LOST || !tile_info(pair.remote).lost)
		fail_msg("%s: expected it to be lost, got %s", what, trnsci_error_name(r));
	if (tile_info(out.remote).lost)
		fail_msg("%s: expected a call that was refused to change nothing, got its output lost", what);
	pair_free(out);
	draw(pair, 99);
	expect_same(pair, what);
}

static inline int socket_of_session(void)
{
	return session_socket(trnscid.socket);
}

/* The connection is lost, the daemon is not. */
static inline void cut(void)
{
	const int fd = socket_of_session();

	assert_true(fd >= 0);
	shutdown(fd, SHUT_RDWR); /* one that has just been closed cannot be */
}

#endif
