/* SPDX-License-Identifier: Apache-2.0 */
/* A program that can have no more file descriptors: those of a reply are lost on their way (MSG_CTRUNC). The call that
 * asked for them fails, and says why; nothing leaks, and the connection goes on. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "harness/daemon.h"

enum { MOST = 64 };

static struct daemon trnscid;
static const struct drawing normal = {.distribution = "normal", .source = {.seed = 1}};

/* Every number below MOST is in use, but for `room` of them; what is open by then stays so. */
struct squeeze {
	int fillers[MOST];
	size_t count;
	struct rlimit before;
};

static void squeeze(struct squeeze *squeeze, size_t room)
{
	squeeze->count = 0;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &squeeze->before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){MOST, squeeze->before.rlim_max}), 0);
	for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
		squeeze->fillers[squeeze->count++] = fd;
	assert_true(squeeze->count >= room);
	for (; room > 0; room--)
		close(squeeze->fillers[--squeeze->count]);
}

/* Returns how many numbers are free now; they are given back. */
static size_t release(struct squeeze *squeeze)
{
	int more[MOST];
	size_t free_now = 0;

	while ((more[free_now] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		free_now++;
	for (size_t i = 0; i < free_now; i++)
		close(more[i]);
	while (squeeze->count > 0)
		close(squeeze->fillers[--squeeze->count]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &squeeze->before), 0);
	return free_now;
}

static void expect_alive(struct trnsci_session *session)
{
	static float first[100], second[100];
	struct trnsci_error err;

	if (draw_array(session, &normal, TRNSCI_F32, 100, first, NULL, &err) < 0)
		fail_msg("expected the connection to go on, got %s", err.text);
	assert_int_equal(draw_array(session, &normal, TRNSCI_F32, 100, second, NULL, NULL), 0);
	assert_memory_equal(first, second, sizeof first);
}

/* A session that has slept once, for which it has a descriptor of its own. */
static struct trnsci_session *open_session(void)
{
	const struct trnsci_options options = {.timeout_ms = 20000, .arena_bytes = 1 << 20, .spin_us = -1};
	struct trnsci_session *session;

	assert_int_equal(trnsci_open(trnscid.socket, &options, &session, NULL), 0);
	expect_alive(session);
	return session;
}

static void expect_cut(int r, const struct trnsci_error *err, const char *what, size_t room, size_t left)
{
	if (r != -TRNSCI_SYSTEM || !strstr(err->text, "RLIMIT_NOFILE"))
		fail_msg("%s with room for %zu: expected system and RLIMIT_NOFILE, got %s: %s", what, room,
			 trnsci_error_name(r), r ? err->text : "");
	if (left != room)
		fail_msg("%s with room for %zu: expected as much afterwards, got %zu", what, room, left);
}

static void test_arena(void **state)
{
	struct trnsci_session *session = open_session();
	struct trnsci_tile *tile;
	const uint64_t n = 1;
	struct squeeze squeezed;
	struct trnsci_error err = {0};

	(void)state;
	squeeze(&squeezed, 0);
	int r = trnsci_tile_new(session, TRNSCI_I8, 1, &n, &tile, &err);

	expect_cut(r, &err, "arena", 0, release(&squeezed));
	expect_alive(session);
	/* The arena that could not be mapped went back: tiles are placed in the next one. */
	assert_int_equal(trnsci_tile_new(session, TRNSCI_I8, 1, &n, &tile, NULL), 0);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* Three come: none fits, one, two, all. */
static void test_rings(void **state)
{
	struct trnsci_session *session = open_session();
	struct trnsci_reader *ring = NULL;
	struct squeeze squeezed;
	struct trnsci_error err = {0};
	float sample;

	(void)state;
	for (size_t room = 0; room <= 3; room++) {
		squeeze(&squeezed, room);
		int r = draw_ring(session, &normal, TRNSCI_F32, 0, &ring, &err);
		const size_t left = release(&squeezed);

		if (room < 3)
			expect_cut(r, &err, "ring", room, left);
		else if (r < 0)
			fail_msg("expected a ring with room for 3, got %s", err.text);
		expect_alive(session);
	}
	assert_int_equal(trnsci_reader_take(ring, &sample, 1, 20000, NULL, NULL), 0);
	trnsci_reader_detach(ring);
	trnsci_close(session);
}

static void test_broadcasts(void **state)
{
	struct trnsci_session *session = open_session();
	struct trnsci_reader *reader = NULL;
	struct squeeze squeezed;
	struct trnsci_error err = {0};

	(void)state;
	assert_int_equal(draw_broadcast(session, "b", &normal, TRNSCI_F32, 0, 0, 0600, &err), 0);
	squeeze(&squeezed, 0);
	int r = trnsci_broadcast_attach(session, "b", &reader, &err);

	expect_cut(r, &err, "broadcast", 0, release(&squeezed));
	expect_alive(session);
	assert_int_equal(trnsci_broadcast_attach(session, "b", &reader, &err), 0);
	trnsci_reader_detach(reader);
	trnsci_close(session);
}

/* The daemon is restarted meanwhile: not even a socket can be had, until there is room again. */
static void test_reconnecting(void **state)
{
	const struct trnsci_options hasty = {.timeout_ms = 20000, .reconnect_ms = 100};
	struct trnsci_session *patient = open_session(), *session;
	struct trnsci_tile *tile;
	struct squeeze squeezed;
	struct trnsci_call *call;
	const uint64_t n = 100;

	(void)state;
	assert_int_equal(trnsci_open(trnscid.socket, &hasty, &session, NULL), 0);
	assert_int_equal(trnsci_tile_new(patient, TRNSCI_F32, 1, &n, &tile, NULL), 0);
	assert_int_equal(draw_tile(patient, &normal, 0, tile, NULL, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	daemon_strike(&trnscid, SIGKILL);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
	squeeze(&squeezed, 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_int_equal(release(&squeezed), 0);
	expect_alive(patient);
	assert_false(tile_info(tile).lost);
	trnsci_call_free(call);
	trnsci_close(session);
	trnsci_tile_free(tile);
	trnsci_close(patient);
}

static int begin(void **state)
{
	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	return 0;
}

static int end(void **state)
{
	(void)state;
	daemon_stop(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_broadcasts),
		cmocka_unit_test(test_reconnecting),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
