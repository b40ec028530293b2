/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that draw from a named stream of a daemon, prepared and not, by several clients at once: no position twice, each
 * run repeats from what it says, and what a run took stays taken when it is cancelled. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "named.h"

#include "base/error.h"

enum { CLIENTS = 4, RUNS = 60, PIPELINE = 8 };

struct taken {
	uint64_t first, words;
};

struct runner {
	pthread_t thread;
	struct client client;
	bool prepares;
	struct taken taken[RUNS];
};

/* Normals, points on a sphere of three dimensions and noise: samples of one and of three words. */
static struct value program_of(struct client *client, const char *stream_name)
{
	struct bump *bump = client->bump;
	struct value steps = value_array(), results = value_array();
	struct value params = client_map(client, "u64", value_string("uint"), NULL);

	value_push(bump, &steps, client_map(client, "op", value_string("normal"), "n", value_uint(101), "as",
					    value_string("x"), NULL));
	value_push(bump, &steps, client_map(client, "op", value_string("sphere"), "n", value_uint(33), "dimensions",
					    value_uint(3), "as", value_string("s"), NULL));
	value_push(bump, &steps, client_map(client, "op", value_string("noise_add"), "in", value_string("x"), "as",
					    value_string("y"), NULL));
	value_push(bump, &results, value_string("s"));
	value_push(bump, &results, value_string("y"));
	value_put(bump, &params, "steps", steps);
	value_put(bump, &params, "results", results);
	if (stream_name)
		value_put(bump, &params, "stream_name", value_string(stream_name));
	return params;
}

static const struct value *range_of(const struct value *reply)
{
	const struct value *ranges = value_get(reply, "ranges");

	assert_non_null(ranges);
	assert_int_equal(ranges->array.count, 1);
	return &ranges->array.at[0];
}

static void put_place(struct client *client, struct value *params, const struct value *range)
{
	static const char *const names[] = {"generator", "seed", "stream"};

	for (int i = 0; i < 3; i++)
		value_put(client->bump, params, names[i], *value_get(range, names[i]));
	value_put(client->bump, params, "offset", *value_get(range, "position"));
}

static void expect_replayed(struct client *client, const struct value *reply)
{
	struct value params = program_of(client, NULL);

	put_place(client, &params, range_of(reply));
	const struct value again = client_result(client, "run", &params);

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "s" : "y";
		const struct value *a = value_get(value_get(value_get(reply, "results"), name), "data");
		const struct value *b = value_get(value_get(value_get(&again, "results"), name), "data");

		assert_int_equal(a->bytes.size, b->bytes.size);
		assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	}
}

static void *run_many(void *arg)
{
	struct runner *runner = arg;
	struct client *client = &runner->client;
	struct value params = program_of(client, "noise");
	struct message message;
	unsigned sent = 0;

	if (runner->prepares) {
		params = client_map(client, "method", value_string("run"), "params", params, NULL);
		const struct value reply = client_result(client, "prepare", &params);

		params = client_map(client, "prepared", value_uint(client_number(&reply, "prepared")), NULL);
	}
	for (unsigned received = 0; received < RUNS; received++) {
		for (; sent < RUNS && sent < received + PIPELINE; sent++)
			client_send(client, runner->prepares ? "run_prepared" : "run", &params);
		assert_true(client_receive(client, &message));
		if (message.error.code)
			fail_msg("%s", message.error.text);
		runner->taken[received] = (struct taken){client_number(range_of(&message.result), "position"),
							 client_number(range_of(&message.result), "words")};
		if (received == RUNS - 1)
			expect_replayed(client, &message.result);
	}
	return NULL;
}

static int by_first(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void ranges_of_their_own(void **test)
{
	static struct runner runners[CLIENTS];
	static struct taken all[CLIENTS * RUNS];
	char state[128];
	struct daemon daemon;
	struct client client;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client); /* blocks of 4096 words: many runs wait for the disk */
	create(&client, "noise");
	for (unsigned i = 0; i < CLIENTS; i++) {
		runners[i] = (struct runner){.prepares = i % 2};
		client_open(&runners[i].client, daemon.socket);
		assert_int_equal(pthread_create(&runners[i].thread, NULL, run_many, &runners[i]), 0);
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join(runners[i].thread, NULL);
		client_close(&runners[i].client);
		memcpy(all + i * RUNS, runners[i].taken, sizeof runners[i].taken);
	}
	qsort(all, CLIENTS * RUNS, sizeof *all, by_first);
	for (unsigned i = 1; i < CLIENTS * RUNS; i++)
		if (all[i].first != all[i - 1].first + all[i - 1].words)
			fail_msg("a range of %" PRIu64 " words at %" PRIu64 ", the next at %" PRIu64, all[i - 1].words,
				 all[i - 1].first, all[i].first);
	end_with(&daemon, &client);
	daemon_remove_dir(&daemon);
}

/* Three seconds of work behind one draw; cancelled, its range is spent, and the next run's is another. */
static void cancelled_stays_spent(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;
	struct message message;
	void *base;
	uint64_t before;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client);
	create(&client, "noise");
	client_arena(&client, 32 << 20, &base);
	struct value params = client_program(&client, 1 << 22, 256);
	struct value *steps = (struct value *)value_get(&params, "steps");

	for (size_t i = 0; i < steps->array.count; i++)
		if (i % 64 == 0)
			value_put(client.bump, &steps->array.at[i], "stream_name", value_string("noise"));
	const uint32_t msgid = client_send(&client, "run", &params);
	struct value named_params = named(&client, "noise"), cancel = client_map(&client, "msgid", value_uint(msgid), NULL);

	do { /* until the range is taken */
		struct value shown;

		client_send(&client, "stream_show", &named_params);
		assert_true(client_receive(&client, &message));
		assert_true(message.msgid != msgid);
		shown = message.result;
		before = client_number(&shown, "position");
	} while (before == 0);
	client_send(&client, "cancel", &cancel);
	for (int answers = 0; answers < 2; answers++) {
		assert_true(client_receive(&client, &message));
		if (message.msgid == msgid)
			assert_int_equal(message.error.code, ERROR_CANCELLED);
	}
	const struct value shown = client_result(&client, "stream_show", &named_params);

	assert_int_equal(client_number(&shown, "position"), before);
	const struct value next = draw(&client, "noise", "bits", 4);

	assert_int_equal(client_number(&next, "position"), before);
	end_with(&daemon, &client);
	daemon_remove_dir(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_of_their_own),
		cmocka_unit_test(cancelled_stays_spent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
