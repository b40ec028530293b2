/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions beside each other: floods of small requests, which the loop computes, and jobs of the lanes. All is counted,
 * in requests, replies and chunks; nothing is timed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/load.h"
#include "daemon/group_daemon.h"

enum {
	SAMPLES = 24,
	BATCH = 256,      /* requests of a flood that are sent at once */
	ROOM = 256 << 10, /* bytes of replies that are read at once */
	OTHER = 65534,    /* a user, whose weight is 1; root's is 3 */
};

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--arena-ahead-bytes=0", "--socket-mode=0666",
						"--weights=uid:0=3", NULL};

	(void)state;
	group_daemon_start(arguments);
	return chmod(group_daemon.dir, 0755);
}

static int alone(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	return 0;
}

/* ---- floods ---- */

struct flood {
	int fd;
	struct codec_buffer requests;
	size_t sent;        /* bytes of the batch */
	size_t reply_bytes; /* of each reply */
	uint64_t replies_bytes;
	char *room;
};

static void flood_open(struct flood *flood, uid_t user)
{
	struct client first;
	struct value params;

	*flood = (struct flood){.room = malloc(ROOM)};
	assert_int_equal(seteuid(user), 0);
	flood->fd = load_connect(&group_daemon);
	assert_int_equal(seteuid(getuid()), 0);
	assert_true(flood->fd >= 0);
	client_open(&first, group_daemon.socket);
	/* Of a distribution that takes long for few bytes: neither sending nor reading them holds the daemon up. */
	params = client_map(&first, "n", value_uint(SAMPLES), "alpha", value_real(0.5), "beta", value_real(0.5), NULL);
	for (int i = 0; i < BATCH; i++)
		assert_int_equal(codec_request(&flood->requests, 7, "beta", &params), 0);
	/* All replies are as long as this one. */
	client_send_bytes(&first, flood->requests.at, flood->requests.size / BATCH);
	flood->reply_bytes = (size_t)recv(first.fd, flood->room, ROOM, 0);
	client_close(&first);
	fcntl(flood->fd, F_SETFL, O_NONBLOCK);
}

static void flood_close(struct flood *flood)
{
	close(flood->fd);
	codec_buffer_free(&flood->requests);
	free(flood->room);
}

/* Sends and reads what can be: more than the daemon answers meanwhile. */
static void flood_go(struct flood *flood)
{
	ssize_t n;

	while ((n = send(flood->fd, flood->requests.at + flood->sent, flood->requests.size - flood->sent,
			 MSG_NOSIGNAL)) > 0)
		flood->sent = (flood->sent + (size_t)n) % flood->requests.size;
	assert_true(n < 0 && errno == EAGAIN);
	while ((n = recv(flood->fd, flood->room, ROOM, 0)) > 0)
		flood->replies_bytes += (uint64_t)n;
	assert_true(n < 0 && errno == EAGAIN);
}

/* True while the daemon has requests of this flood to read and room to answer them. On a busy machine the test itself may
 * be off its CPU for so long that a flood runs dry. */
static bool flood_is_waiting(const struct flood *flood)
{
	int unread_requests, unread_replies;

	assert_int_equal(ioctl(flood->fd, SIOCOUTQ, &unread_requests), 0);
	assert_int_equal(ioctl(flood->fd, FIONREAD, &unread_replies), 0);
	return unread_requests > 0 && unread_replies < ROOM / 2;
}

/* Counts the replies of both floods, at least n in all, that came while both had more to ask for. */
static void count_replies(struct flood floods[2], uint64_t n, uint64_t ret_replies[2])
{
	uint64_t before[2], bytes[2] = {0};

	do {
		struct pollfd fds[] = {{floods[0].fd, POLLIN, 0}, {floods[1].fd, POLLIN, 0}};

		for (int i = 0; i < 2; i++) {
			flood_go(&floods[i]);
			before[i] = floods[i].replies_bytes;
		}
		poll(fds, 2, 1000);
		bool both_wait = flood_is_waiting(&floods[0]) && flood_is_waiting(&floods[1]);
		for (int i = 0; i < 2; i++) {
			flood_go(&floods[i]);
			if (both_wait)
				bytes[i] += floods[i].replies_bytes - before[i];
			ret_replies[i] = bytes[i] / floods[i].reply_bytes;
		}
	} while (ret_replies[0] + ret_replies[1] < n);
}

/* Returns the replies to a client of weight 3, or of weight 1 if `same`, for each to one of weight 1. */
static double measure_ratio(bool same)
{
	enum { REPLIES = 40000 / (THREAD_SANITIZED ? 20 : 1) };
	struct flood floods[2];
	uint64_t replies[2];

	flood_open(&floods[0], 0);
	flood_open(&floods[1], same ? 0 : OTHER);
	count_replies(floods, REPLIES, replies);
	flood_close(&floods[0]);
	flood_close(&floods[1]);
	return (double)replies[0] / (double)replies[1];
}

/* Weights of 3 and 1, and none: what the loop computes is in their ratio while both always have more. On a busy machine a flood
 * may have run dry between two looks, unseen: then it is measured again. */
static void weights_of_small_requests(void **state)
{
	enum { MOST_TIMES = 4 };

	(void)state;
	if (geteuid() != 0) {
		puts("# not root: no other users");
		skip();
	}
	for (int same = 0; same < 2; same++) {
		bool fits = false;

		for (int i = 0; i < MOST_TIMES && !fits; i++) {
			const double ratio = measure_ratio(same);

			printf("# %s: %.2f\n", same ? "the same weight" : "3 to 1", ratio);
			fits = ratio > (same ? 0.67 : 2.5) && ratio < (same ? 1.5 : 4.0);
		}
		if (!fits)
			fail_msg("expected a ratio of about %d", same ? 1 : 3);
	}
}

/* A child that floods until it is killed, or this test fails. */
static pid_t start_flood(void)
{
	const pid_t parent = getpid(), pid = fork();
	struct flood flood;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("CMOCKA_TEST_ABORT", "1", 1); /* it must not run the other tests */
	if (getppid() != parent)
		_exit(1);
	flood_open(&flood, getuid());
	while (true) {
		flood_go(&flood);
		poll(&(struct pollfd){flood.fd, POLLIN, 0}, 1, 1000);
	}
}

static uint64_t chunks(struct client *client)
{
	struct value stats = client_result(client, "stats", NULL);
	const struct value *lanes = value_get(value_get(&stats, "engine"), "lanes");
	uint64_t sum = 0;

	for (size_t i = 0; i < lanes->array.count; i++)
		sum += value_get(&lanes->array.at[i], "chunks")->u;
	return sum;
}

/* One client floods; another's job goes on, and the requests of a third, one by one, are answered after a few turns. */
static void flood_starves_nobody(void **state)
{
	enum { LOOKS = 100, MOST_BETWEEN = 3000 };
	struct client small, large;
	struct message message;
	uint64_t requests[LOOKS + 1], between[LOOKS], begin;
	uint32_t job;
	void *base;
	int fd;

	(void)state;
	client_open(&small, group_daemon.socket);
	client_open(&large, group_daemon.socket);
	fd = client_arena(&large, 32 << 20, &base);
	const uint64_t before = client_stat(&small, "daemon.requests");
	const pid_t pid = start_flood();
	AWAIT(client_stat(&small, "daemon.requests") > before + 10 * BATCH);
	job = client_send_long(&large, 250);
	begin = chunks(&small);
	requests[0] = client_stat(&small, "daemon.requests");
	for (int i = 0; i < LOOKS; i++) {
		requests[i + 1] = client_stat(&small, "daemon.requests");
		between[i] = requests[i + 1] - requests[i];
	}
	/* The lanes are not starved either: on a busy machine their threads may not have had a CPU yet. */
	AWAIT(chunks(&small) > begin);
	client_result(&small, "ping", NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 1; i < LOOKS; i++) /* the median */
		for (int k = i; k > 0 && between[k - 1] > between[k]; k--) {
			const uint64_t other = between[k];

			between[k] = between[k - 1];
			between[k - 1] = other;
		}
	printf("# requests of the flood beside each of another's: median %llu, most %llu\n",
	       (unsigned long long)between[LOOKS / 2], (unsigned long long)between[LOOKS - 1]);
	if (between[LOOKS / 2] > MOST_BETWEEN)
		fail_msg("%llu requests of a flood beside each of another session's, expected at most %d",
			 (unsigned long long)between[LOOKS / 2], MOST_BETWEEN);
	struct value params = client_map(&large, "msgid", value_uint(job), NULL);
	client_send(&large, "cancel", &params);
	while (client_receive(&large, &message) && message.msgid != job)
		;
	munmap(base, 32 << 20);
	close(fd);
	client_close(&large);
	client_close(&small);
}

int main(void)
{
#define fair(name) cmocka_unit_test_teardown(name, alone)
	const struct CMUnitTest tests[] = {fair(weights_of_small_requests), fair(flood_starves_nobody)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
