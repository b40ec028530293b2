/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation of the table that computes, prepared: each run gives what the call gives, by its example in
 * PROTOCOL.md, so that no operation escapes. */
#include "engine/steps.h"

#include "engine/call/prepared.h"
#include "examples.h"

static bool computes(const struct operation *operation)
{
	return operation->class >= METHOD_DRAW || strcmp(operation->name, "run") == 0;
}

static struct call *example_of(const struct operation *operation)
{
	struct call *call = call_new();
	struct value params;

	assert_true(example_params(operation->name, &params));
	assert_int_equal(value_copy(call->bump, &params, &call->params), 0);
	return call;
}

static void put_changes(struct call *call, const struct operation *operation, uint64_t seed, uint64_t offset)
{
	if (operation_param(operation, "seed", 4))
		put(call, "seed", value_uint(seed));
	if (operation_param(operation, "offset", 6))
		put(call, "offset", value_uint(offset));
}

/* In place where it can be. */
static void expect_now(struct engine_session *memory, const struct operation *operation, uint64_t handle, uint64_t seed,
		       uint64_t offset, const struct value *expected)
{
	const unsigned given = (operation_param(operation, "seed", 4) ? PREPARED_SEED : 0u) |
			       (operation_param(operation, "offset", 6) ? PREPARED_OFFSET : 0u);
	const struct prepared_changes changes = {.given = given, .seed = seed, .offset = offset};
	struct prepared *prepared;
	const struct value *reply = prepared_rerun_listed(memory, (uint32_t)handle, &changes, &prepared);

	if (!reply)
		return;
	expect_equal(operation->name, reply, expected);
	prepared_give(prepared);
}

static void every_operation(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct bump *bump = bump_new();
	size_t count, checked = 0;
	const struct operation *all = operations(&count);

	(void)state;
	examples_begin(bump, fixture.memory);
	for (size_t i = 0; i < count; i++) {
		const struct operation *operation = &all[i];
		uint64_t handle;

		if (!computes(operation))
			continue;
		checked++;
		handle = prepare_method(&fixture, operation->name, example_of(operation));
		for (uint64_t k = 0; k < 4; k++) {
			struct call *plain = example_of(operation), *run = prepared_call(handle);

			put_changes(plain, operation, k / 2, 16 * k);
			put_changes(run, operation, k / 2, 16 * k);
			call_run(plain, fixture.memory, operation->name);
			call_run(run, fixture.memory, "run_prepared");
			expect_equal(operation->name, request_result(run->request), request_result(plain->request));
			expect_now(fixture.memory, operation, handle, k / 2, 16 * k, request_result(plain->request));
			call_free(plain);
			call_free(run);
		}
	}
	printf("# %zu operations\n", checked);
	assert_true(checked > 40);
	bump_free(bump);
	fixture_close(&fixture);
}

/* What the call itself cannot be given is refused, and what does not compute cannot be prepared. */
static void refused(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct bump *bump = bump_new();
	size_t count;
	const struct operation *all = operations(&count);

	(void)state;
	examples_begin(bump, fixture.memory);
	for (size_t i = 0; i < count; i++) {
		const struct operation *operation = &all[i];
		struct call *call;

		if (computes(operation) && !operation_param(operation, "seed", 4)) {
			call = prepared_call(prepare_method(&fixture, operation->name, example_of(operation)));
			put(call, "seed", value_uint(1));
			call_fails(call, fixture.memory, "run_prepared", ERROR_UNKNOWN_PARAMETER,
				   "unknown_parameter: run_prepared: seed: the prepared ");
		} else if (!computes(operation) && strcmp(operation->name, "stream_draw") != 0) {
			call = call_new();
			prepare_call(call, operation->name);
			call_fails(call, fixture.memory, "prepare", ERROR_UNKNOWN_METHOD,
				   "unknown_method: prepare: method: ");
		}
	}
	bump_free(bump);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation), cmocka_unit_test(refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
