/* SPDX-License-Identifier: Apache-2.0 */
/* Where short calls are computed: by the loop's thread, which others join, while one client alone makes requests; by the lanes
 * while several do, so that none waits for another's. The slow log shows who did: of a request that the lanes had it states the
 * run. Each draw that is looked at is the first of its kind in a fresh daemon: what draws take is learned by them, and whether
 * other programs have the lanes' CPUs. */
#include "harness/daemon.h"
#include "harness/wire_client.h"

#include "engine/scheduler/cpus.h"
#include "harness/wait.h"

enum {
	LEAST = 4096, /* samples */
	LARGE = 4000000,
	ARENA_BYTES = 32 << 20,
	LONE_MS = 20, /* without another session's computing */
	TRIES = 20,
};

static struct daemon trnscid;
static struct client client, other;

static void start_with(const char *const *arguments)
{
	daemon_start(&trnscid, arguments);
	client_open(&client, trnscid.socket);
	client_open(&other, trnscid.socket);
	close(client_arena(&client, ARENA_BYTES, &(void *){NULL}));
}

static void start(void)
{
	start_with(ARGUMENTS("--threads=2", "--slow-us=1"));
}

static void stop(void)
{
	client_close(&other);
	client_close(&client);
	daemon_stop(&trnscid);
}

/* So few samples that nobody learns from them what a draw takes. */
static void ask(struct client *who)
{
	struct value params = client_map(who, "n", value_uint(1), NULL);

	client_result(who, "bits", &params);
}

/* The other client's requests that compute nothing do not count. */
static void ask_alone(void)
{
	ask(&client);
	wait_past_timeout(LONE_MS + 5);
	client_result(&other, "ping", NULL);
	ask(&client);
	client_result(&other, "ping", NULL);
}

/* Draws into a tile. Returns whether the lanes computed it. */
static bool lanes_draw(const char *distribution, uint64_t n)
{
	struct value params = client_map(&client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);
	struct value made = client_result(&client, "tile", &params), slow;
	const struct value *newest;

	params = client_map(&client, "n", value_uint(n), "out", value_uint(client_number(&made, "tile")), NULL);
	client_result(&client, distribution, &params);
	slow = client_result(&client, "slow", NULL);
	newest = &value_get(&slow, "slow")->array.at[0];
	assert_true(value_is_text(value_get(newest, "method"), distribution));
	return value_get(newest, "run_us");
}

/* Returns the samples of a draw that the loop keeps only from a lone client: the smallest power of two that it does not keep from
 * others takes 80 to 160 us by the first estimate, and this one below 250. */
static uint64_t find_short(const char *distribution)
{
	for (uint64_t n = LEAST; n < LARGE; n *= 2) {
		start();
		ask(&other);
		const bool lanes = lanes_draw(distribution, n);

		stop();
		if (lanes)
			return n + n / 2;
	}
	fail_msg("%s: expected that the lanes draw fewer than %d samples", distribution, LARGE);
	return 0;
}

/* Starts daemons until one computes the draw in its loop: the lanes of a daemon that another program has kept from a CPU in its first
 * milliseconds are not expected to join. */
static void start_and_draw_alone(const char *distribution, uint64_t n)
{
	for (int i = 0; i < TRIES; i++) {
		start();
		ask_alone();
		if (!lanes_draw(distribution, n))
			return;
		stop();
	}
	fail_msg("%s of a lone client: expected that one of %d daemons computes %llu samples in its loop", distribution, TRIES,
		 (unsigned long long)n);
}

/* The first request behind another client's is the lanes', the first after a while without is the loop's, and the next request of
 * another client changes that back. */
static void follows_the_clients(void **state)
{
	const uint64_t n_exponential = find_short("exponential"), n_uniform = find_short("uniform");

	(void)state;
	start();
	ask(&other);
	ask(&client);
	assert_true(lanes_draw("exponential", n_exponential));
	stop();
	start_and_draw_alone("exponential", n_exponential);
	ask(&other);
	assert_true(lanes_draw("uniform", n_uniform));
	stop();
}

/* What would keep the loop for long. */
static void long_calls_are_the_lanes(void **state)
{
	(void)state;
	start();
	ask_alone();
	assert_true(lanes_draw("normal", LARGE));
	stop();
}

/* Nobody is awake to join, and a call in the loop would only keep it. */
static void without_spinning(void **state)
{
	const uint64_t n = find_short("normal");

	(void)state;
	start_with(ARGUMENTS("--threads=2", "--slow-us=1", "--spin-us=0"));
	ask_alone();
	assert_true(lanes_draw("normal", n));
	stop();
}

/* The only lane would take as long, and has to be woken first. */
static void with_one_thread(void **state)
{
	const uint64_t n = find_short("normal");

	(void)state;
	start_with(ARGUMENTS("--threads=1", "--slow-us=1"));
	ask(&other);
	ask(&client);
	assert_true(lanes_draw("normal", n));
	stop();
	start_with(ARGUMENTS("--threads=1", "--slow-us=1"));
	ask_alone();
	assert_false(lanes_draw("normal", n));
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_clients),
		cmocka_unit_test(long_calls_are_the_lanes),
		cmocka_unit_test(without_spinning),
		cmocka_unit_test(with_one_thread),
	};

	if (cpus_usable() < 2) { /* the loop never spins, and no thread waits awake for more work */
		printf("1..0 # skipped: one CPU\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
