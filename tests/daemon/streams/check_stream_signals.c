/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams that are one signal of coloured noise: whoever draws gets the next part of it, and the parts are those of the
 * distribution's own method at that offset. Anything else is refused. */
#include <inttypes.h>

#include "named.h"

#include "base/error.h"

enum { TAPS = 64 };

struct fixture {
	struct daemon daemon;
	struct client client;
	char state[128];
};

static int open_daemon(void **test)
{
	static struct fixture f;

	begin(&f.daemon, f.state);
	spawn_with(&f.daemon, f.state, &f.client);
	*test = &f;
	return 0;
}

static int close_daemon(void **test)
{
	struct fixture *const f = *test;

	end_with(&f->daemon, &f->client);
	daemon_remove_dir(&f->daemon);
	return 0;
}

#define UNIT_TEST(test) cmocka_unit_test_setup_teardown(test, open_daemon, close_daemon)

/* ---- requests ---- */

static struct value noise_of(struct client *client, const char *dtype)
{
	return client_map(client, "op", value_string("colored"), "exponent", value_real(1.5), "length", value_uint(TAPS), "dtype",
			  value_string(dtype), NULL);
}

static void create_signal(struct client *client, const char *name, const char *dtype)
{
	struct value params =
		client_map(client, "name", value_string(name), "seed", value_uint(9), "noise", noise_of(client, dtype), NULL);

	client_result(client, "stream_create", &params);
}

/* Checks n samples at an offset of the signal against a draw that states all of it. */
static void expect_part(struct client *client, const struct value *data, const char *dtype, uint64_t stream, uint64_t offset,
			uint64_t n)
{
	struct value params =
		client_map(client, "exponent", value_real(1.5), "length", value_uint(TAPS), "dtype", value_string(dtype), "n",
			   value_uint(n), "seed", value_uint(9), "stream", value_uint(stream), "offset", value_uint(offset), NULL);
	const struct value again = client_result(client, "colored", &params), *expected = value_get(&again, "data");

	assert_int_equal(data->bytes.size, expected->bytes.size);
	if (memcmp(data->bytes.at, expected->bytes.at, expected->bytes.size) != 0)
		fail_msg("expected samples %" PRIu64 " to %" PRIu64 " of the signal, got others", offset, offset + n);
}

static uint64_t position_of(struct client *client, const char *name)
{
	struct value params = named(client, name);
	const struct value reply = client_result(client, "stream_show", &params);

	return client_number(&reply, "position");
}

/* ---- tests ---- */

static void parts_follow(void **test)
{
	static const uint64_t lengths[] = {1, 3, 0, 1000, 2, 4096, 5};
	static const char *const dtypes[] = {"f32", "f64"};
	struct fixture *const f = *test;

	for (uint64_t d = 0; d < 2; d++) {
		uint64_t at = 0;

		create_signal(&f->client, dtypes[d], dtypes[d]);
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			const struct value reply = draw(&f->client, dtypes[d], "colored", lengths[i]);

			assert_int_equal(client_number(&reply, "offset"), at);
			assert_non_null(value_get(&reply, "noise"));
			expect_part(&f->client, value_get(&reply, "data"), dtypes[d], d + 1, at, lengths[i]);
			at += lengths[i];
		}
		assert_int_equal(position_of(&f->client, dtypes[d]), at);
	}
}

static void a_clean_stop_skips_nothing(void **test)
{
	struct fixture *const f = *test;

	create_signal(&f->client, "other", "f32");
	create_signal(&f->client, "hum", "f64");
	draw(&f->client, "hum", "colored", 5107);
	end_with(&f->daemon, &f->client);
	spawn_with(&f->daemon, f->state, &f->client);
	const struct value reply = draw(&f->client, "hum", "colored", 7);

	assert_int_equal(client_number(&reply, "offset"), 5107);
	expect_part(&f->client, value_get(&reply, "data"), "f64", 2, 5107, 7);
}

/* Two parts and the noise of a third step, each the next of the signal. */
static void steps_take_the_next_parts(void **test)
{
	struct fixture *const f = *test;
	struct value list = value_array(), results = value_array();

	create_signal(&f->client, "hum", "f32");
	for (int i = 0; i < 2; i++) {
		value_push(f->client.bump, &list,
			   client_map(&f->client, "op", value_string("colored"), "n", value_uint(i ? 7 : 5), "stream_name",
				      value_string("hum"), "as", value_string(i ? "b" : "a"), NULL));
		value_push(f->client.bump, &results, value_string(i ? "b" : "a"));
	}
	struct value params = client_map(&f->client, "steps", list, "results", results, NULL);
	const struct value reply = client_result(&f->client, "run", &params), *got = value_get(&reply, "results");

	expect_part(&f->client, value_get(value_get(got, "a"), "data"), "f32", 1, 0, 5);
	expect_part(&f->client, value_get(value_get(got, "b"), "data"), "f32", 1, 5, 7);
	assert_int_equal(position_of(&f->client, "hum"), 12);
	value_push(
		f->client.bump, &list,
		client_map(&f->client, "op", value_string("normal"), "n", value_uint(1), "stream_name", value_string("hum"), NULL));
	params = client_map(&f->client, "steps", list, NULL);
	client_fails(&f->client, "run", &params, ERROR_OUT_OF_RANGE, "one signal of coloured noise");
	assert_int_equal(position_of(&f->client, "hum"), 12);
}

/* Each is refused with that text, and takes nothing of the signal. */
static void other_draws_are_refused(void **test)
{
	struct fixture *const f = *test;

	create_signal(&f->client, "hum", "f32");

	const struct {
		const char *op, *member;
		struct value value;
		const char *text;
	} draws[] = {
		{"normal", NULL, value_nil(), "\"hum\" is one signal of coloured noise"},
		{"bits", NULL, value_nil(), "\"hum\" is one signal of coloured noise"},
		{"colored", "color", value_string("pink"), "not the filter of the named stream"},
		{"colored", "length", value_uint(2 * TAPS), "not the filter of the named stream"},
		{"colored", "std", value_real(2), "not the filter of the named stream"},
		{"colored", "dtype", value_string("f64"), "dtype: got f64, allowed is f32"},
	};

	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		struct value inner = client_map(&f->client, "op", value_string(draws[i].op), "n", value_uint(4), NULL);
		struct value params;

		if (draws[i].member)
			value_put(f->client.bump, &inner, draws[i].member, draws[i].value);
		params = client_map(&f->client, "name", value_string("hum"), "draw", inner, NULL);
		client_fails(&f->client, "stream_draw", &params, ERROR_OUT_OF_RANGE, draws[i].text);
	}
	assert_int_equal(position_of(&f->client, "hum"), 0);
}

static void rings_of_other_noise_are_refused(void **test)
{
	struct fixture *const f = *test;

	create_signal(&f->client, "hum", "f32");
	struct value ring = client_map(&f->client, "name", value_string("hum"), "noise",
				       client_map(&f->client, "op", value_string("uniform"), NULL), NULL);

	client_fails(&f->client, "ring_attach", &ring, ERROR_OUT_OF_RANGE, "got uniform, allowed is colored");
	assert_int_equal(position_of(&f->client, "hum"), 0);
}

static void the_same_filter_may_be_stated(void **test)
{
	struct fixture *const f = *test;

	create_signal(&f->client, "hum", "f32");
	struct value inner = noise_of(&f->client, "f32");

	value_put(f->client.bump, &inner, "n", value_uint(3));
	struct value params = client_map(&f->client, "name", value_string("hum"), "draw", inner, NULL);

	client_result(&f->client, "stream_draw", &params);
	assert_int_equal(position_of(&f->client, "hum"), 3);
}

/* A prepared draw: each run is the next part. Under the name of a stream that was deleted there may be another one. */
static void prepared_draws_follow(void **test)
{
	struct fixture *const f = *test;

	create_signal(&f->client, "hum", "f32");
	struct value params = draw_of(&f->client, "hum", "colored", 11), run;

	params = client_map(&f->client, "method", value_string("stream_draw"), "params", params, NULL);
	const struct value made = client_result(&f->client, "prepare", &params);

	run = client_map(&f->client, "prepared", value_uint(client_number(&made, "prepared")), NULL);
	for (uint64_t i = 0; i < 5; i++) {
		const struct value reply = client_result(&f->client, "run_prepared", &run);

		assert_int_equal(client_number(&reply, "offset"), 11 * i);
		expect_part(&f->client, value_get(&reply, "data"), "f32", 1, 11 * i, 11);
	}
	params = named(&f->client, "hum");
	client_result(&f->client, "stream_delete", &params);
	create_signal(&f->client, "hum", "f64");
	client_fails(&f->client, "run_prepared", &run, ERROR_NOT_FOUND, "there is no stream \"hum\"");
	assert_int_equal(position_of(&f->client, "hum"), 0);
}

static void wrong_noises_are_refused(void **test)
{
	struct fixture *const f = *test;
	struct value many = value_array();

	for (unsigned i = 0; i < 600; i++)
		value_push(f->client.bump, &many, value_real(1 + i));

	struct value wrong[] = {
		client_map(&f->client, "op", value_string("normal"), NULL),
		client_map(&f->client, "op", value_string("colored"), "exponent", value_real(5), NULL),
		client_map(&f->client, "op", value_string("colored"), "dtype", value_string("i32"), NULL),
		client_map(&f->client, "op", value_string("colored"), "seed", value_uint(1), NULL),
		client_map(&f->client, "op", value_string("colored"), "n", value_uint(1), NULL),
		client_map(&f->client, "op", value_string("colored"), "taps", value_array(), NULL),
		client_map(&f->client, "op", value_string("colored"), "taps", many, NULL),
		value_string("pink"),
	};
	const enum error_code codes[] = {ERROR_OUT_OF_RANGE,      ERROR_OUT_OF_RANGE, ERROR_OUT_OF_RANGE, ERROR_UNKNOWN_PARAMETER,
					 ERROR_UNKNOWN_PARAMETER, ERROR_OUT_OF_RANGE, ERROR_LIMIT,        ERROR_WRONG_TYPE};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct value params = client_map(&f->client, "name", value_string("hum"), "noise", wrong[i], NULL);

		client_fails(&f->client, "stream_create", &params, (int)codes[i], "stream_create: ");
	}
	create_signal(&f->client, "hum", "f32"); /* the name is free */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(parts_follow),
		UNIT_TEST(a_clean_stop_skips_nothing),
		UNIT_TEST(steps_take_the_next_parts),
		UNIT_TEST(other_draws_are_refused),
		UNIT_TEST(rings_of_other_noise_are_refused),
		UNIT_TEST(the_same_filter_may_be_stated),
		UNIT_TEST(prepared_draws_follow),
		UNIT_TEST(wrong_noises_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
