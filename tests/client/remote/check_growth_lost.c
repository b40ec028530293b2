/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon ends while calls wait for an arena: before it has given the arena, or just behind it. Each call is answered once. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_daemon.h"

enum { ARENA = 1 << 20, BUCKETS = 256 /* of the library's table of calls in flight */ };

static const struct error no_room = {ERROR_NO_ROOM, "no_room: tile: there is no arena", 4096};

static struct trnsci_session *open_with_others(const struct fake_daemon *fake)
{
	const struct trnsci_options options = {.timeout_ms = 30000, .reconnect_ms = 20000};
	struct trnsci_session *session;

	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	return session;
}

static struct trnsci_call *submit(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, method, &call), 0);
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	return call;
}

static void expect_error(struct trnsci_call *call, int code)
{
	const int r = trnsci_wait(call, 30000);

	if (r != code)
		fail_msg("expected %s, got %s: %s", trnsci_error_name(code), trnsci_error_name(r), trnsci_call_error(call)->text);
	trnsci_call_free(call);
}

/* ---- before the arena ---- */

/* What the daemon has seen so far, on all connections. */
struct silence {
	uint32_t waiting; /* number of the call that waits for room */
	unsigned arenas;  /* asked for */
};

/* The draw is refused for want of room: at first behind the 255th ping, so that the request for an arena has a number that is 256
 * more, and stands before the draw in one bucket of the table. The first daemon ends when the arena is asked for, the second when
 * it has refused the draw as well. */
static bool ends_at_the_arena(struct fake_daemon *fake, const struct message *request)
{
	struct silence *silence = (struct silence *)fake->lie;

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "normal")) {
		silence->waiting = request->msgid;
		if (silence->arenas == 2) {
			fake_daemon_refuse(fake, request->msgid, &no_room);
			return false;
		}
	} else if (fake_daemon_asked(request, "arena")) {
		assert_int_equal(request->msgid, silence->waiting + BUCKETS);
		return ++silence->arenas == 2;
	} else {
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
		if (request->msgid == silence->waiting + BUCKETS - 1)
			fake_daemon_refuse(fake, silence->waiting, &no_room);
	}
	return true;
}

/* The second daemon that ends without an answer fails the request for the arena, and that fails the draw. */
static void daemons_end_before_the_arena(void **state)
{
	struct silence silence = {0};
	struct fake_daemon *fake = fake_daemon_start(ends_at_the_arena, &silence);
	struct trnsci_session *session;
	struct trnsci_call *draw;

	(void)state;
	fake->more = 2;
	session = open_with_others(fake);
	draw = submit(session, "normal");
	for (int i = 1; i < BUCKETS; i++)
		expect_error(submit(session, "ping"), 0);
	expect_error(draw, -TRNSCI_CLOSED);
	expect_error(submit(session, "ping"), 0);
	assert_int_equal(silence.arenas, 2);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* ---- behind the arena ---- */

static int make_memory(void)
{
	int fd = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, ARENA), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	return fd;
}

/* The draws are refused for want of room. The daemon reads nothing more when it gives the arena, and then ends. */
static bool ends_behind_the_arena(struct fake_daemon *fake, const struct message *request)
{
	unsigned *arenas = (unsigned *)fake->lie;

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "normal") && *arenas == 0) {
		fake_daemon_refuse(fake, request->msgid, &no_room);
	} else if (fake_daemon_asked(request, "arena")) {
		const int fd = make_memory();

		(*arenas)++;
		shutdown(fake->client, SHUT_RD);
		fake_daemon_reply(fake, request, (const char *const[]){"arena", "bytes"}, (const uint64_t[]){1, ARENA}, 2, fd);
		close(fd);
		return false;
	} else {
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	}
	return true;
}

/* The draws are sent again because of the arena, and that cannot be done: the next daemon answers them. */
static void a_daemon_ends_behind_the_arena(void **state)
{
	enum { DRAWS = 3 };
	unsigned arenas = 0;
	struct fake_daemon *fake = fake_daemon_start(ends_behind_the_arena, &arenas);
	struct trnsci_call *draws[DRAWS];
	struct trnsci_session *session;

	(void)state;
	fake->more = 1;
	session = open_with_others(fake);
	for (int i = 0; i < DRAWS; i++)
		draws[i] = submit(session, "normal");
	for (int i = 0; i < DRAWS; i++)
		expect_error(draws[i], 0);
	assert_int_equal(arenas, 1);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(daemons_end_before_the_arena),
		cmocka_unit_test(a_daemon_ends_behind_the_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
