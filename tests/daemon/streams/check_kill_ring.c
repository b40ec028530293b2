/* SPDX-License-Identifier: Apache-2.0 */
/* One named stream behind rings, a broadcast and draws, while the daemon is killed at any moment: what was visible in a
 * ring or in the broadcast, or was answered, is given to nobody again. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"
#include "daemon/visible.h"

enum { RINGS = 2, SAMPLES = 1024, PAGE = 4096, MEMORY = PAGE + 4 * SAMPLES, RANGES_MOST = 1 << 18 };

struct reservation {
	uint64_t first, end;
};

/* A ring's taker, or the broadcast's owner and reader. */
struct tap {
	struct client client;
	struct fdpass fds;
	struct ring_index *index; /* NULL: of the broadcast */
	struct visible visible;
	uint64_t target;
};

static struct reservation issued[RANGES_MOST];
static size_t n_issued;
static uint64_t seen;

static void note(uint64_t first, uint64_t end)
{
	if (n_issued && issued[n_issued - 1].end == first) {
		issued[n_issued - 1].end = end;
		return;
	}
	assert_true(n_issued < RANGES_MOST);
	issued[n_issued++] = (struct reservation){first, end};
}

static int by_first(const void *a, const void *b)
{
	const struct reservation *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void check_issued(void)
{
	qsort(issued, n_issued, sizeof *issued, by_first);
	for (size_t i = 1; i < n_issued; i++)
		if (issued[i].first < issued[i - 1].end)
			fail_msg("words %" PRIu64 " to %" PRIu64 " were issued, and words %" PRIu64 " to %" PRIu64 " as well",
				 issued[i - 1].first, issued[i - 1].end, issued[i].first, issued[i].end);
}

/* ---- clients of a daemon that may be gone ---- */

static bool ask(struct client *client, const char *method, const struct value *params, struct message *ret,
		struct fdpass *ret_fds)
{
	struct codec_buffer buffer = {0};

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, method, params), 0);
	ssize_t sent = fdpass_send(client->fd, buffer.at, buffer.size, NULL);
	codec_buffer_free(&buffer);
	if (sent < 0 || !client_receive_fds(client, ret, ret_fds))
		return false;
	if (ret->error.code)
		fail_msg("%s: %s", method, ret->error.text);
	return true;
}

static void map(struct tap *tap)
{
	const void *page = mmap(NULL, MEMORY, PROT_READ, MAP_SHARED, tap->fds.at[0], 0);

	assert_true(page != MAP_FAILED);
	tap->visible = (struct visible){page, 1, 0};
	tap->index = NULL;
	if (tap->fds.count == 3)
		tap->index = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, tap->fds.at[1], 0);
}

static bool attach_ring(struct tap *tap)
{
	struct value noise = client_map(&tap->client, "op", value_string("bits"), NULL);
	struct value params = client_map(&tap->client, "name", value_string("noise"), "noise", noise, "samples",
					 value_uint(SAMPLES), NULL);
	struct message message;

	if (!ask(&tap->client, "ring_attach", &params, &message, &tap->fds))
		return false;
	map(tap);
	return true;
}

static bool attach_broadcast(struct tap *tap)
{
	struct value noise = client_map(&tap->client, "op", value_string("bits"), NULL);
	struct value name = value_string("news");
	struct value make = client_map(&tap->client, "name", name, "stream_name", value_string("noise"), "noise", noise,
				       "samples", value_uint(SAMPLES), NULL);
	struct value params = client_map(&tap->client, "name", name, NULL);
	struct message message;

	if (!ask(&tap->client, "broadcast_create", &make, &message, &tap->fds) ||
	    !ask(&tap->client, "broadcast_attach", &params, &message, &tap->fds))
		return false;
	map(tap);
	return true;
}

static void look(struct tap *tap)
{
	uint64_t first, end;

	while (tap->visible.page && visible_next(&tap->visible, &first, &end)) {
		note(first, end);
		seen += end - first;
	}
}

/* Makes room for more. false: the daemon is gone. */
static bool go_on(struct tap *tap)
{
	struct message message;
	struct fdpass fds;

	if (tap->index) {
		atomic_store(&tap->index->taken, tap->visible.seen);
		eventfd_write(tap->fds.at[2], 1);
		return true;
	}
	if (tap->visible.seen < tap->target)
		return true;
	tap->target += 300;
	struct value params = client_map(&tap->client, "name", value_string("news"), "n", value_uint(300), NULL);
	return ask(&tap->client, "broadcast_publish", &params, &message, &fds);
}

static void let_go(struct tap *tap)
{
	client_close(&tap->client);
	if (!tap->visible.page)
		return;
	munmap((void *)tap->visible.page, MEMORY);
	if (tap->index)
		munmap(tap->index, PAGE);
	fdpass_close(&tap->fds);
}

static bool draw_some(struct client *client, uint64_t n)
{
	struct value params = draw_of(client, "noise", "bits", n);
	struct message message;
	struct fdpass fds;

	if (!ask(client, "stream_draw", &params, &message, &fds))
		return false;
	note(client_number(&message.result, "position"), client_number(&message.result, "next"));
	return true;
}

/* ---- lives ---- */

static pid_t kill_after(const struct daemon *daemon, unsigned us)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_to_strike(us);
		kill(daemon->pid, SIGKILL);
		_exit(0);
	}
	return pid;
}

static void live(struct daemon *daemon, unsigned us)
{
	struct tap taps[RINGS + 1] = {0};
	struct client client;
	bool alive = true;
	pid_t killer;

	client_open(&client, daemon->socket);
	for (int i = 0; i <= RINGS; i++)
		client_open(&taps[i].client, daemon->socket);
	killer = kill_after(daemon, us);
	for (int i = 0; alive && i <= RINGS; i++)
		alive = i < RINGS ? attach_ring(&taps[i]) : attach_broadcast(&taps[i]);
	for (uint64_t k = 0; alive; k++) {
		for (int i = 0; alive && i <= RINGS; i++) {
			look(&taps[i]);
			alive = go_on(&taps[i]);
		}
		alive = alive && draw_some(&client, 1 + k * 37 % 500);
	}
	assert_int_equal(daemon_wait(daemon), 128 + SIGKILL);
	assert_int_equal(waitpid(killer, NULL, 0), killer);
	for (int i = 0; i <= RINGS; i++) {
		look(&taps[i]);
		let_go(&taps[i]);
	}
	client_close(&client);
}

static void kills(void **test)
{
	const unsigned least = getenv("TRNSCI_FULL") ? 200 : 12;
	unsigned lives;
	unsigned random = 99;
	char state[128];
	struct daemon daemon;
	struct client client;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client);
	create(&client, "noise");
	end_with(&daemon, &client);
	/* On a busy machine lives may be over before enough is seen: then there are more, and longer ones. */
	for (lives = 0; lives < least || (seen <= SAMPLES && lives < 20 * least); lives++) {
		random = random * 1664525 + 1013904223;
		spawn(&daemon, state, NULL);
		live(&daemon, (random >> 12) % 40000 * (1 + lives / least));
	}
	assert_true(seen > SAMPLES);
	check_issued();
	spawn_with(&daemon, state, &client);
	struct value reply = draw(&client, "noise", "bits", 1);
	printf("# %u kills, %zu ranges, %" PRIu64 " words seen in rings and the broadcast, %" PRIu64 " issued\n", lives,
	       n_issued, seen, client_number(&reply, "position"));
	assert_true(client_number(&reply, "position") >= issued[n_issued - 1].end);
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(kills)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
