/* SPDX-License-Identifier: Apache-2.0 */
/* What a program leaves out, as NULL, is an error that names it, and never a crash. */
#include <stdio.h>
#include <string.h>

#include "both.h"

static void expect_missing(int r, const struct trnsci_error *err, const char *what)
{
	if (r != -TRNSCI_MISSING_PARAMETER || err->code != TRNSCI_MISSING_PARAMETER || !strstr(err->text, what))
		fail_msg("expected missing_parameter with \"%s\", got %s: %s", what, trnsci_error_name(r), err->text);
}

static void names(struct trnsci_session *session)
{
	const struct trnsci_array array = trnsci_array_vector(TRNSCI_F32, 4, (float[4]){0});
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, 4);
	struct trnsci_reader *broadcast;
	struct trnsci_error err = {0};
	struct trnsci_reader *ring;
	struct trnsci_call *call;
	float out[4];

	assert_int_equal(trnsci_call_new(session, NULL, &call), -TRNSCI_MISSING_PARAMETER);
	expect_missing(trnsci_draw_array(session, NULL, NULL, NULL, TRNSCI_F32, 4, out, NULL, &err), &err,
		       "distribution: missing");
	expect_missing(trnsci_draw_tile(session, NULL, NULL, NULL, &tile, NULL, &err), &err, "distribution: missing");
	expect_missing(trnsci_apply_tile(session, NULL, NULL, &tile, &err), &err, "operation: missing");
	expect_missing(trnsci_apply_array(session, NULL, NULL, array, array, &err), &err, "operation: missing");
	expect_missing(trnsci_ring_attach(session, NULL, NULL, NULL, 0, &ring, &err), &err, "distribution: missing");
	expect_missing(trnsci_broadcast_create(session, "b", NULL, NULL, NULL, NULL, &err), &err, "distribution: missing");
	expect_missing(trnsci_broadcast_create(session, NULL, "normal", NULL, NULL, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_broadcast_publish(session, NULL, 1, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_broadcast_close(session, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_broadcast_attach(session, NULL, &broadcast, &err), &err, "name: missing");
	expect_missing(trnsci_stream_create(session, NULL, NULL, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_stream_show(session, NULL, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_stream_delete(session, NULL, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_stream_advance(session, NULL, 1, 0, NULL, &err), &err, "name: missing");
	expect_missing(trnsci_stream_list(session, NULL, NULL, &err), &err, "each: missing");
	trnsci_tile_free(tile);
}

/* Of a call's parameters: it is refused when it is run, with the parameter's name where there is one. */
static void parameters(struct trnsci_session *session)
{
	const struct trnsci_param params[][2] = {
		{trnsci_param_f64(NULL, 1), trnsci_param_end()},
		{trnsci_param_text("method", NULL), trnsci_param_end()},
		{trnsci_param_u64s("shape", NULL, 2), trnsci_param_end()},
		{trnsci_param_f64s("mean", NULL, 2), trnsci_param_end()},
		{trnsci_param_array("mean", NULL), trnsci_param_end()},
	};
	static const char *const what[] = {"name of a parameter: missing", "method: missing", "shape: missing", "mean: missing",
					   "mean: missing"};
	struct trnsci_error err = {0};
	struct trnsci_call *call;
	float out[4];

	for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
		assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
		trnsci_set_params(trnsci_call_args(call), params[i]);
		expect_missing(trnsci_run(call, NULL), trnsci_call_error(call), what[i]);
		trnsci_call_free(call);
		for (int times = 0; times < 3; times++)
			expect_missing(trnsci_draw_array(session, "normal", params[i], NULL, TRNSCI_F32, 4, out, NULL, &err), &err,
				       what[i]);
	}
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	trnsci_program_step(call, NULL);
	expect_missing(trnsci_run(call, NULL), trnsci_call_error(call), "op");
	trnsci_call_free(call);
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	trnsci_program_result(call, NULL);
	expect_missing(trnsci_run(call, NULL), trnsci_call_error(call), "results");
	trnsci_call_free(call);
}

/* Nothing at all. */
static void objects(void **state)
{
	struct trnsci_array array;
	struct trnsci_span span;
	struct trnsci_tile *tile;
	uint64_t number;

	(void)state;
	assert_null(trnsci_call_args(NULL));
	trnsci_set(NULL, trnsci_param_u64("n", 1));
	trnsci_set_params(NULL, NULL);
	assert_null(trnsci_program_step(NULL, "normal"));
	trnsci_program_result(NULL, "x");
	assert_true(trnsci_run(NULL, NULL) < 0 && trnsci_submit(NULL, NULL, NULL) < 0 && trnsci_wait(NULL, 0) < 0);
	assert_true(trnsci_cancel(NULL) < 0 && !trnsci_call_done(NULL) && trnsci_session_fd(NULL) < 0 &&
		    trnsci_next(NULL, 0, NULL, NULL) < 0);
	assert_null(trnsci_call_reply(NULL));
	assert_true(trnsci_call_span(NULL, &span) < 0 && trnsci_call_tile(NULL, NULL, &tile) < 0);
	assert_true(trnsci_value_to_array(NULL, &array) < 0 && trnsci_value_to_u64(NULL, &number) < 0);
	assert_null(trnsci_tile_data(NULL));
	trnsci_tile_free(NULL);
	trnsci_reader_detach(NULL);
	assert_true(trnsci_reader_take(NULL, NULL, 1, 0, NULL, NULL) < 0 && trnsci_reader_release(NULL, 0, NULL) < 0);
	assert_true(trnsci_reader_borrow(NULL, 1, 0, NULL, NULL, NULL) < 0 && trnsci_reader_seek(NULL, 0, NULL) < 0);
	assert_true(trnsci_reader_describe(NULL, NULL) < 0);
	assert_true(trnsci_selftest(NULL, NULL, NULL, NULL) < 0);
	assert_int_equal(trnsci_dtype_parse(NULL), TRNSCI_DTYPE_NONE);
}

BOTH(names)
BOTH(parameters)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_both),
		cmocka_unit_test(parameters_by_both),
		cmocka_unit_test(objects),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
