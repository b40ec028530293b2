/* SPDX-License-Identifier: Apache-2.0 */
/* Each plan learns whether its transforms are best left to one thread; what they give is the same. */
#include "engine/harness.h"
#include "engine/steps/plan_cache.h"

enum { SHARED_NS = 90000, ALONE_NS = 60000, TIMES = 40 };

static void learn(struct plans *plans, struct plan_entry *entry, bool guess)
{
	for (int i = 0; i < TIMES; i++) {
		const bool single_thread = plans_run_single_thread(plans, entry, guess);

		plans_learn(plans, entry, single_thread, single_thread ? ALONE_NS : SHARED_NS);
	}
}

static void each_plan_learns(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct plans *plans = fixture.engine->plans;
	struct plan_entry *one, *other;

	(void)state;
	assert_int_equal(plans_take(plans, (struct plan_key){.n = 65536, .kind = PLAN_COMPLEX}, &one), 0);
	assert_int_equal(plans_take(plans, (struct plan_key){.n = 65536, .kind = PLAN_REAL}, &other), 0);
	assert_false(plans_run_single_thread(plans, one, false));
	assert_true(plans_run_single_thread(plans, other, true));
	learn(plans, one, false);
	learn(plans, other, true);
	assert_true(plans_run_single_thread(plans, one, false));
	assert_true(plans_run_single_thread(plans, other, true));
	plans_give(plans, one);
	plans_give(plans, other);
	fixture_close(&fixture);
}

static void note_request(struct request *request, void *arg)
{
	((struct call *)arg)->request = request;
}

/* Runs a request in this thread, which others may join. */
static const struct value *run_here(struct call *call, struct engine_session *memory, const char *method)
{
	const struct request_run how = {.begins = note_request};

	assert_int_equal(request_run(memory, &(struct request_call){.method = method, .method_size = strlen(method), .params = &call->params},
				      call->bump, &how, call_done, call), 0);
	call_wait(call);
	assert_null(request_error(call->request));
	return request_result(call->request);
}

/* More runs than it takes to try both ways, of a length that is cut into phases. */
static void bytes_are_the_same(void **state)
{
	enum { N = 65536, RUNS = 50 };
	struct fixture fixture = fixture_open(2);
	char *in = malloc(N * 8), *first = malloc(N * 8);

	(void)state;
	assert_non_null(in);
	assert_non_null(first);
	for (size_t i = 0; i < 2 * (size_t)N; i++)
		((float *)in)[i] = (float)(i * 2654435761u % 1000) - 500;
	for (int i = 0; i < RUNS; i++) {
		struct call *call = call_new();
		const struct value *data;

		put(call, "in", array_of(call->bump, "c64", N, in, N * 8));
		data = value_get(run_here(call, fixture.memory, "fft"), "data");
		assert_int_equal(data->bytes.size, N * 8);
		if (i == 0)
			memcpy(first, data->bytes.at, N * 8);
		assert_memory_equal(data->bytes.at, first, N * 8);
		call_free(call);
	}
	free(in);
	free(first);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_plan_learns), cmocka_unit_test(bytes_are_the_same)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
