/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a trace as requests: the same bytes from any threads and instruction set, ranks, programs, and what is
 * refused. */
#include "harness/sanitized.h"
#include "squares.h"

static const struct asked many[] = {
	{"hutchinson", "rademacher", 21, 5, 3, 0, 0},
	{"hutchinson", "normal", 16, 5, 0, 0, 0},
	{"hutchpp", "rademacher", 65, 6, 1, 0, 0},
	{"hutchpp", "normal", 100, 7, 0, 0, 0},
};

enum { MANY = sizeof many / sizeof *many };

static void answer_all(unsigned threads, uint32_t features, const struct square squares[2],
		       struct estimated ret[2 * MANY])
{
	struct fixture fixture = fixture_for(threads, features);

	for (size_t i = 0; i < 2 * MANY; i++)
		ret[i] = ask(&fixture, &squares[i % 2], many[i / 2]);
	fixture_close(&fixture);
}

static void test_same_bytes(void **state)
{
	static const unsigned threads[] = {1, 2, 7, 128};
	struct square squares[] = {random_square("f32", SANITIZED ? 261 : 521), random_square("f64", SANITIZED ? 150 : 300)};
	struct estimated expected[2 * MANY], got[2 * MANY];
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	answer_all(1, 0, squares, expected);
	for (size_t i = 0; i < sizeof threads / sizeof *threads + n_levels; i++) {
		const bool level = i < n_levels;

		if (level && (levels[i].features & ~cpu_detect()))
			printf("# trace at level %s: not run, this CPU lacks it\n", levels[i].name);
		answer_all(level ? 1 : threads[i - n_levels], level ? cpu_level_usable(&levels[i]) : cpu_detect(),
			   squares, got);
		for (size_t k = 0; k < 2 * MANY; k++)
			if (memcmp(&got[k], &expected[k], sizeof *got) != 0)
				fail_msg("%s %s by %s %u: %.17g +- %.17g, scalar alone %.17g +- %.17g",
					 many[k / 2].method, many[k / 2].distribution,
					 level ? levels[i].name : "threads", level ? 0 : threads[i - n_levels],
					 got[k].estimate, got[k].error, expected[k].estimate, expected[k].error);
	}
	square_free(&squares[0]);
	square_free(&squares[1]);
}

static void test_ranks(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct square s = random_square("f32", 50);
	const struct asked whole = {.distribution = "normal", .probes = 23, .seed = 9};
	const struct estimated estimated = ask(&fixture, &s, whole);
	double sum = 0;
	uint64_t probes = 0;

	(void)state;
	for (uint64_t rank = 0; rank < 7; rank++) {
		struct asked part = whole;

		part.rank = rank;
		part.size = 7;
		const struct estimated one = ask(&fixture, &s, part);

		sum += one.estimate * (double)one.products;
		probes += one.products;
		assert_int_equal(one.next, estimated.next);
	}
	assert_int_equal(probes, 23);
	near(sum / 23, estimated.estimate, 50, "the mean of the parts");
	square_free(&s);
	fixture_close(&fixture);
}

/* In a program: the probes follow the draw before and the draw after follows them; the result is a step's like any. */
static void test_program(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct call *call = call_new();
	struct value steps = value_array(), results = value_array();
	static const char *const ops[] = {"uniform", "trace", "scale", "uniform"};
	const struct value *reply, *list, *data;
	double pair[2];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct value step = value_map();

		value_put(call->bump, &step, "op", value_string(ops[i]));
		value_put(call->bump, &step, "as", value_string((const char *[]){"a", "t", "s", "u"}[i]));
		if (i == 0)
			value_put(call->bump, &step, "shape", LIST(call, 10, 10));
		if (i == 1 || i == 2)
			value_put(call->bump, &step, "in", value_string(i == 1 ? "a" : "t"));
		if (i == 1)
			value_put(call->bump, &step, "probes", value_uint(3));
		if (i == 2)
			value_put(call->bump, &step, "by", value_real(2));
		if (i == 3)
			value_put(call->bump, &step, "n", value_uint(1));
		value_push(call->bump, &steps, step);
	}
	value_push(call->bump, &results, value_string("s"));
	put(call, "steps", steps);
	put(call, "results", results);
	reply = call_run(call, fixture.memory, "run");
	list = value_get(reply, "steps");
	data = value_get(value_get(value_get(reply, "results"), "s"), "data");
	memcpy(pair, data->bytes.at, sizeof pair);
	assert_true(pair[0] == 2 * value_get(&list->array.at[1], "estimate")->real);
	assert_true(pair[1] == 2 * value_get(&list->array.at[1], "standard_error")->real);
	assert_int_equal(value_get(&list->array.at[1], "position")->u, 100);
	assert_int_equal(value_get(&list->array.at[3], "position")->u, 132);
	call_free(call);
	fixture_close(&fixture);
}

static void refuse(struct fixture *fixture, const struct square *s, struct asked a, int code, const char *prefix)
{
	call_fails(call_of(s, &a), fixture->memory, "trace", code, prefix);
}

static void test_refusals(void **state)
{
	struct fixture fixture = fixture_for(1, cpu_detect());
	struct square s = random_square("f32", 8);
	struct call *call = call_new();

	(void)state;
	refuse(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 2}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: probes: got 2, allowed for hutchpp is 3");
	refuse(&fixture, &s, (struct asked){.method = "hutchpp", .probes = 9, .size = 2}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: size: ");
	refuse(&fixture, &s, (struct asked){.probes = 9, .size = 10}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: size: ");
	refuse(&fixture, &s, (struct asked){.probes = 9, .rank = 3, .size = 3}, ERROR_OUT_OF_RANGE,
	       "out_of_range: trace: rank: ");
	refuse(&fixture, &s, (struct asked){.probes = 65537}, ERROR_OUT_OF_RANGE, "out_of_range: trace: probes: ");
	refuse(&fixture, &s, (struct asked){.offset = UINT64_MAX - 100}, ERROR_END_OF_STREAM,
	       "end_of_stream: trace: offset: ");
	put(call, "in", array_of(call->bump, "f32", 64, s.bytes, s.size));
	call_fails(call, fixture.memory, "trace", ERROR_BAD_SHAPE, "bad_shape: trace: in: ");
	call = call_of(&s, &(struct asked){0});
	put(call, "in", array_of(call->bump, "c64", 32, s.bytes, s.size));
	call_fails(call, fixture.memory, "trace", ERROR_BAD_SHAPE, "bad_shape: trace: in: its dtype is c64");
	square_free(&s);
	fixture_close(&fixture);
}

/* A long estimate stops between two chunks. */
static void test_cancelled(void **state)
{
	struct fixture fixture = fixture_for(2, cpu_detect());
	struct square s = random_square("f32", 600);
	struct call *call = call_of(&s, &(struct asked){.method = "hutchpp", .distribution = "normal", .probes = 6000});

	(void)state;
	call_start(call, fixture.memory, "trace");
	request_cancel(call->request);
	call_wait(call);
	assert_non_null(request_error(call->request));
	assert_int_equal(request_error(call->request)->code, ERROR_CANCELLED);
	call_free(call);
	square_free(&s);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
