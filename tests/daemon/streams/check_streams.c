/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams of a real daemon, on the wire: what a draw takes, ids, names, lists, the end of a stream, and draws that
 * wait. */
#include <stdio.h>
#include <string.h>

#include "named.h"

#include "base/error.h"

/* ---- replays ---- */

/* The same distribution with what the reply says of the place. */
static void same_again(struct client *client, const struct value *reply, const char *distribution, uint64_t n)
{
	struct value params = client_map(client, "n", value_uint(n), "seed", *value_get(reply, "seed"), "stream",
					 *value_get(reply, "stream"), "offset", *value_get(reply, "offset"), "generator",
					 *value_get(reply, "generator"), NULL);
	struct value again = client_result(client, distribution, &params);
	const struct value *a = value_get(reply, "data"), *b = value_get(&again, "data");

	assert_int_equal(a->bytes.size, b->bytes.size);
	assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	assert_int_equal(client_number(reply, "n"), n);
}

static void replays(void **test)
{
	static const char *const distributions[] = {"bits",    "uniform", "normal", "exponential",
						    "poisson", "sphere",  "randint"};
	char state[128];
	struct daemon daemon;
	struct client client;
	uint64_t end = 0;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client);
	create(&client, "noise");
	for (uint64_t i = 0; i < 40; i++) {
		const char *distribution = distributions[i % 7];
		const uint64_t n = i * i * 7 % 501 + (i % 13 == 0 ? 20000 : 0);
		struct value params = draw_of(&client, "noise", distribution, n);

		if (strcmp(distribution, "randint") == 0)
			value_put(client.bump, &params.map.at[1].value, "high", value_uint(1000));
		struct value reply = client_result(&client, "stream_draw", &params);

		if (strcmp(distribution, "randint") != 0)
			same_again(&client, &reply, distribution, n);
		assert_int_equal(client_number(&reply, "position") % 4, 0);
		assert_true(client_number(&reply, "position") >= end);
		end = client_number(&reply, "next");
	}
	client_close(&client);
	daemon_stop(&daemon);
}

/* ---- ids, names, limits ---- */

static void names_and_ids(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;
	struct value params, reply;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, "--streams=5");
	client_open(&client, daemon.socket);
	params = named(&client, "none");
	client_fails(&client, "stream_show", &params, ERROR_NOT_FOUND, "not_found: stream_show: name: there is no stream \"none\"");
	reply = create(&client, "a");
	assert_int_equal(client_number(&reply, "stream"), 1);
	params = named(&client, "a");
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "there is a stream \"a\"");
	client_result(&client, "stream_delete", &params);
	client_fails(&client, "stream_delete", &params, ERROR_NOT_FOUND, "no stream \"a\"");
	reply = create(&client, "a");
	assert_int_equal(client_number(&reply, "stream"), 2);

	/* Ids of one's own choice: never one that a name has had. */
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(1), NULL);
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "stream: 1 has been assigned");
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(4), NULL);
	client_result(&client, "stream_create", &params);
	params = named(&client, "b");
	client_result(&client, "stream_delete", &params);
	params = client_map(&client, "name", value_string("b"), "seed", value_uint(9), "stream", value_uint(4), NULL);
	client_fails(&client, "stream_create", &params, ERROR_EXISTS, "stream: 4 has been assigned");
	reply = create(&client, "c");
	assert_int_equal(client_number(&reply, "stream"), 3);
	reply = create(&client, "d");
	assert_int_equal(client_number(&reply, "stream"), 5);
	/* Another seed or generator counts for itself. */
	params = client_map(&client, "name", value_string("e"), "seed", value_uint(9), "generator",
			    value_string("philox4x32"), NULL);
	reply = client_result(&client, "stream_create", &params);
	assert_int_equal(client_number(&reply, "stream"), 1);
	params = client_map(&client, "name", value_string("f"), "generator", value_string("philox4x32"), "stream",
			    value_uint(1ull << 32), NULL);
	client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "allowed for philox4x32 is 0 to 4294967295");
	params = client_map(&client, "name", value_string("f"), "generator", value_string("philox4x32"), "stream",
			    value_uint(UINT32_MAX), NULL);
	client_result(&client, "stream_create", &params);
	params = named(&client, "g");
	client_fails(&client, "stream_create", &params, ERROR_LIMIT, "the setting streams = 5");
	static const char *const wrong[] = {"", "-a", ".a", "a b", "a\n", "\xc3\xa4",
					    "0123456789012345678901234567890123456789012345678901234567890123x"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		params = named(&client, wrong[i]);
		client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "name: not a name of a stream");
	}
	params = client_map(&client, "name", value_string("g"), "mode", value_string("0678"), NULL);
	client_fails(&client, "stream_create", &params, ERROR_OUT_OF_RANGE, "mode: not a mode");
	client_close(&client);
	daemon_stop(&daemon);
}

/* A seed of the state's own: another for each state, the same after a restart, and that of all streams without one. */
static void own_seeds(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;
	struct value params, reply;
	uint64_t seeds[3];

	(void)test;
	for (int i = 0; i < 3; i++) {
		begin(&daemon, state);
		spawn_with(&daemon, state, &client);
		params = named(&client, "a");
		reply = client_result(&client, "stream_create", &params);
		seeds[i] = client_number(&reply, "seed");
		assert_int_equal(client_number(&reply, "stream"), 1);
		for (int k = 0; k < i; k++)
			assert_true(seeds[k] != seeds[i]);
		end_with(&daemon, &client);
		spawn_with(&daemon, state, &client);
		params = named(&client, "b");
		reply = client_result(&client, "stream_create", &params);
		assert_true(client_number(&reply, "seed") == seeds[i]);
		assert_int_equal(client_number(&reply, "stream"), 2);
		reply = draw(&client, "b", "bits", 10);
		assert_true(client_number(&reply, "seed") == seeds[i]);
		reply = create_seeded(&client, "c", 0);
		assert_int_equal(client_number(&reply, "seed"), 0);
		client_close(&client);
		daemon_stop(&daemon);
	}
}

static void lists(void **test)
{
	char state[128], name[16];
	struct daemon daemon;
	struct client client;
	struct value params, reply;
	unsigned seen = 0;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client);
	for (unsigned i = 0; i < 25; i++) {
		snprintf(name, sizeof name, "s%02u", i * 7 % 25);
		create(&client, name);
	}
	params = client_map(&client, "limit", value_uint(10), NULL);
	for (;;) {
		reply = client_result(&client, "stream_list", &params);
		const struct value *list = value_get(&reply, "streams"), *after = value_get(&reply, "after");

		for (size_t i = 0; i < list->array.count; i++, seen++) {
			snprintf(name, sizeof name, "s%02u", seen);
			assert_true(value_is_text(value_get(&list->array.at[i], "name"), name));
		}
		if (after->kind == VALUE_NIL)
			break;
		value_put(client.bump, &params, "after", *after);
	}
	assert_int_equal(seen, 25);
	client_close(&client);
	daemon_stop(&daemon);
}

static void ends(void **test)
{
	const uint64_t near = UINT64_MAX - 15; /* 16 words are left */
	char state[128];
	struct daemon daemon;
	struct client client;
	struct value params, reply;

	(void)test;
	begin(&daemon, state);
	spawn_with(&daemon, state, &client);
	create(&client, "noise");
	params = client_map(&client, "name", value_string("noise"), "to", value_uint(near), "u64", value_string("str"), NULL);
	reply = client_result(&client, "stream_advance", &params);
	assert_true(value_is_text(value_get(&reply, "position"), "18446744073709551600"));
	params = client_map(&client, "name", value_string("noise"), "to", value_uint(near - 4), NULL);
	client_fails(&client, "stream_advance", &params, ERROR_OUT_OF_RANGE, "positions never go back");
	params = client_map(&client, "name", value_string("noise"), "by", value_uint(17), NULL);
	client_fails(&client, "stream_advance", &params, ERROR_OUT_OF_RANGE, "allowed up to 16 words");
	params = draw_of(&client, "noise", "bits", 17);
	client_fails(&client, "stream_draw", &params, ERROR_END_OF_STREAM, "end_of_stream: stream_draw");
	reply = draw(&client, "noise", "bits", 8);
	assert_int_equal(client_number(&reply, "position"), near);
	same_again(&client, &reply, "bits", 8);
	reply = draw(&client, "noise", "bits", 8);
	assert_int_equal(value_get(&reply, "next")->kind, VALUE_NIL);
	params = draw_of(&client, "noise", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_END_OF_STREAM, "end_of_stream");
	params = named(&client, "noise");
	reply = client_result(&client, "stream_show", &params);
	assert_int_equal(value_get(&reply, "position")->kind, VALUE_NIL);
	/* What is the stream's to say. */
	static const char *const own[] = {"seed", "stream", "offset", "rank", "size", "generator", "layout"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		struct value inner =
			client_map(&client, "op", value_string("bits"), "n", value_uint(1), own[i], value_uint(0), NULL);
		params = client_map(&client, "name", value_string("noise"), "draw", inner, NULL);
		client_fails(&client, "stream_draw", &params, ERROR_UNKNOWN_PARAMETER, own[i]);
	}
	client_close(&client);
	daemon_stop(&daemon);
}

/* A draw that waits for its block ends with its session, or is cancelled; nobody else notices. */
static void waiting_draws(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client, other;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&other, daemon.socket);
	create(&other, "noise");
	for (unsigned i = 0; i < 15; i++) {
		client_open(&client, daemon.socket);
		for (unsigned k = 0; k < 20; k++) {
			struct value params = draw_of(&client, "noise", "normal", 3000 + 1000 * (i % 7));
			uint32_t msgid = client_send(&client, "stream_draw", &params);

			if (k % 3 == 0) {
				struct value which = client_map(&client, "msgid", value_uint(msgid), NULL);

				client_send(&client, "cancel", &which);
			}
		}
		client_close(&client);
	}
	struct value reply = draw(&other, "noise", "normal", 10);

	same_again(&other, &reply, "normal", 10);
	client_close(&other);
	daemon_stop(&daemon);
}

/* From the request on nobody finds it, though its row goes only with the commit. */
static void while_it_is_deleted(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	for (unsigned i = 0; i < 20; i++) {
		struct value of = named(&client, "gone"), draws = draw_of(&client, "gone", "normal", 10);
		struct message reply;
		bool refused = false;
		uint32_t msgid;

		create(&client, "gone");
		client_send(&client, "stream_delete", &of);
		msgid = client_send(&client, "stream_draw", &draws);
		for (int k = 0; k < 2; k++) {
			assert_true(client_receive(&client, &reply));
			refused |= reply.msgid == msgid && reply.error.code == ERROR_NOT_FOUND;
		}
		assert_true(refused);
	}
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays),
		cmocka_unit_test(names_and_ids),
		cmocka_unit_test(own_seeds),
		cmocka_unit_test(lists),
		cmocka_unit_test(ends),
		cmocka_unit_test(waiting_draws),
		cmocka_unit_test(while_it_is_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
