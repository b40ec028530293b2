/* SPDX-License-Identifier: Apache-2.0 */
/* A request that brings descriptors is given up when its time limit is over, but its answer may still come: until then no other
 * request asks for descriptors, since the late ones could be taken for those. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_daemon.h"

enum { ARENA = 1 << 20, TILE = 4096, TIMEOUT_MS = 200 };

struct delay {
	uint32_t ring;        /* number of the request whose answer is late */
	bool answers;         /* late, but with descriptors; otherwise with an error */
	bool due, given;      /* that answer; the arena */
	unsigned overtaking;  /* requests for descriptors while the answer was due */
};

static void reply_with_memory(struct fake_daemon *fake, uint32_t msgid)
{
	const struct message request = {.msgid = msgid};
	const int fd = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, ARENA), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	fake_daemon_reply(fake, &request, (const char *const[]){"arena", "bytes"}, (const uint64_t[]){1, ARENA}, 2, fd);
	close(fd);
}

static void answer_late(struct fake_daemon *fake, struct delay *delay)
{
	const struct error cancelled = {ERROR_CANCELLED, "cancelled: ring_attach", 0};

	if (!delay->due)
		return;
	delay->due = false;
	if (delay->answers)
		reply_with_memory(fake, delay->ring);
	else
		fake_daemon_refuse(fake, delay->ring, &cancelled);
}

/* The ring's answer comes when a tile is asked for. */
static bool answers_late(struct fake_daemon *fake, const struct message *request)
{
	const struct error no_room = {ERROR_NO_ROOM, "no_room: tile: there is no arena", 4096};
	struct delay *delay = (struct delay *)fake->lie;

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "ring_attach")) {
		delay->ring = request->msgid;
		delay->due = true;
	} else if (fake_daemon_asked(request, "arena")) {
		delay->overtaking += delay->due;
		answer_late(fake, delay);
		delay->given = true;
		reply_with_memory(fake, request->msgid);
	} else if (fake_daemon_asked(request, "tile")) {
		answer_late(fake, delay);
		if (delay->given)
			fake_daemon_reply(fake, request, (const char *const[]){"tile", "arena", "offset", "bytes"},
					  (const uint64_t[]){1, 1, 0, TILE}, 4, -1);
		else
			fake_daemon_refuse(fake, request->msgid, &no_room);
	} else {
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	}
	return true;
}

/* The session's time limit is short, and a busy machine may take longer for a tile. */
static struct trnsci_tile *new_tile(struct trnsci_session *session)
{
	const uint64_t n = TILE;
	struct trnsci_tile *tile;
	struct trnsci_error err;
	int r;

	do
		r = trnsci_tile_new(session, TRNSCI_I8, 1, &n, &tile, &err);
	while (r == -TRNSCI_TIMEOUT);
	if (r < 0)
		fail_msg("tile: %s", err.text);
	return tile;
}

static void expect_no_overtaking(bool answers)
{
	struct delay delay = {.answers = answers};
	const int fds = count_fds();
	struct fake_daemon *fake = fake_daemon_start(answers_late, &delay);
	const struct trnsci_options options = {.timeout_ms = TIMEOUT_MS, .reconnect_ms = -1};
	struct trnsci_session *session;
	struct trnsci_reader *ring;
	struct trnsci_tile *tile;
	struct trnsci_error err;
	int r;

	do
		r = trnsci_open(fake->path, &options, &session, NULL);
	while (r == -TRNSCI_TIMEOUT);
	assert_int_equal(r, 0);
	assert_int_equal(trnsci_ring_attach(session, "normal", NULL, NULL, 0, &ring, &err), -TRNSCI_TIMEOUT);
	/* A second ring waits for the first one's answer, not for ever. */
	assert_int_equal(trnsci_ring_attach(session, "normal", NULL, NULL, 0, &ring, &err), -TRNSCI_TIMEOUT);
	assert_non_null(strstr(err.text, "an earlier request"));
	tile = new_tile(session);
	memset(trnsci_tile_data(tile), 1, TILE);
	assert_int_equal(delay.overtaking, 0);
	trnsci_tile_free(tile);
	trnsci_close(session);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

static void late_descriptors(void **state)
{
	(void)state;
	expect_no_overtaking(true);
}

static void late_errors(void **state)
{
	(void)state;
	expect_no_overtaking(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_descriptors),
		cmocka_unit_test(late_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
