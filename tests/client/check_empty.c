/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays without elements by the library: the caller's memory, tiles, and calls that come so often that they are prepared and
 * go by the queue. By a daemon and embedded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"

enum { TIMES = 40 }; /* more than after which a call goes by the queue */

/* A transform from one shape to another; -1 ends a shape. `refused`: the error's text has it. */
struct shapes {
	const char *operation;
	int in[4], out[4];
	enum trnsci_dtype dtype, result;
	const char *refused;
};

static const struct shapes cases[] = {
	{"fft", {0, 8, -1}, {0, 8, -1}, TRNSCI_F32, TRNSCI_C64, NULL},
	{"fft", {0, -1}, {0, -1}, TRNSCI_F32, TRNSCI_C64, "fft: length"},
	{"fft", {3, 0, -1}, {3, 0, -1}, TRNSCI_F64, TRNSCI_C128, "fft: length"},
	{"dct", {0, 8, -1}, {0, 8, -1}, TRNSCI_F32, TRNSCI_F32, NULL},
	{"dst", {0, 5, 8, -1}, {0, 5, 8, -1}, TRNSCI_F64, TRNSCI_F64, NULL},
	{"dst", {5, 0, 8, -1}, {5, 0, 8, -1}, TRNSCI_F64, TRNSCI_F64, NULL},
	{"fftshift", {3, 0, -1}, {3, 0, -1}, TRNSCI_F64, TRNSCI_F64, NULL},
	{"welch", {0, 64, -1}, {0, 33, -1}, TRNSCI_F32, TRNSCI_F32, NULL},
	{"welch", {3, 0, -1}, {3, 0, -1}, TRNSCI_F32, TRNSCI_F32, "welch: in"},
	{"scale", {0, -1}, {0, -1}, TRNSCI_F64, TRNSCI_F64, NULL},
	{"sum", {0, 8, -1}, {1, -1}, TRNSCI_F64, TRNSCI_F64, NULL},
	{"mean", {0, 8, -1}, {1, -1}, TRNSCI_F64, TRNSCI_F64, "mean: in"},
	{"noise_add", {0, 8, -1}, {0, 8, -1}, TRNSCI_F32, TRNSCI_F32, NULL},
};

static struct trnsci_array array_of(enum trnsci_dtype dtype, const int *sizes, const void *data)
{
	uint64_t shape[4];
	size_t ndim = 0;

	for (; sizes[ndim] >= 0; ndim++)
		shape[ndim] = (uint64_t)sizes[ndim];
	return trnsci_array_of(dtype, ndim, shape, data);
}

static void check_memory(struct trnsci_session *session)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int time = 0; time < TIMES; time++) {
			const struct shapes *shapes = &cases[i];
			double out[2] = {7, 7};
			struct trnsci_error err = {0};
			const int r =
				trnsci_apply_array(session, shapes->operation, NULL, array_of(shapes->dtype, shapes->in, "x"),
						   array_of(shapes->result, shapes->out, out), &err);

			if ((r < 0) != (shapes->refused != NULL) || (r < 0 && !strstr(err.text, shapes->refused)))
				fail_msg("%s, case %zu: expected %s, got %d %s", shapes->operation, i,
					 shapes->refused ? shapes->refused : "0", r, err.text);
			assert_true(out[0] == (strcmp(shapes->operation, "sum") == 0 ? 0 : 7));
			assert_true(out[1] == 7);
		}
}

/* Of two arrays: an empty inner axis makes zeros, an empty batch nothing. */
static void check_two(struct trnsci_session *session)
{
	float out[2 * 4] = {7, 7, 7, 7, 7, 7, 7, 7};
	const struct trnsci_array b = trnsci_array_matrix(TRNSCI_C64, 0, 2, out), kernel = trnsci_array_vector(TRNSCI_F32, 3, out);
	const struct trnsci_param inner[] = {trnsci_param_array("b", &b), trnsci_param_end()};
	const struct trnsci_param with[] = {trnsci_param_array("b", &kernel), trnsci_param_end()};
	struct trnsci_error err = {0};

	for (int time = 0; time < TIMES; time++) {
		if (trnsci_apply_array(session, "convolve", with, trnsci_array_matrix(TRNSCI_F32, 0, 8, out),
				       trnsci_array_matrix(TRNSCI_F32, 0, 10, out), &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(trnsci_apply_array(session, "convolve", with, trnsci_array_vector(TRNSCI_F32, 0, out),
						    trnsci_array_vector(TRNSCI_F32, 2, out), &err),
				 -TRNSCI_BAD_SHAPE);
	}
	assert_true(out[0] == 7);
	if (trnsci_apply_array(session, "gemm", inner, trnsci_array_matrix(TRNSCI_C64, 2, 0, out),
			       trnsci_array_matrix(TRNSCI_C64, 2, 2, out), &err) < 0 &&
	    err.code != TRNSCI_MISSING_PARAMETER && err.code != TRNSCI_UNKNOWN_PARAMETER)
		fail_msg("%s", err.text);
}

static void check_draws(struct trnsci_session *session)
{
	const struct trnsci_array none = trnsci_array_vector(TRNSCI_F64, 0, "");
	const struct trnsci_param params[] = {trnsci_param_array("mean", &none), trnsci_param_end()};
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_error err = {0};
	float x[3] = {7, 7, 7};

	for (int time = 0; time < TIMES; time++) {
		if (trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, 0, x, NULL, &err) < 0 ||
		    trnsci_draw_array(session, "normal", params, &source, TRNSCI_F32, 0, x, NULL, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(trnsci_draw_array(session, "normal", params, &source, TRNSCI_F32, 3, x, NULL, &err),
				 -TRNSCI_BAD_SHAPE);
		assert_non_null(strstr(err.text, "normal: mean"));
	}
	assert_true(x[0] == 7);
}

/* Tiles without elements, as inputs and outputs of one call again and again. */
static void check_tiles(struct trnsci_session *session)
{
	const uint64_t shape[2] = {0, 8};
	struct trnsci_tile *in = NULL, *out = NULL;
	struct trnsci_error err = {0};
	struct trnsci_call *call;

	if (trnsci_tile_new(session, TRNSCI_F32, 2, shape, &in, &err) < 0 ||
	    trnsci_tile_new(session, TRNSCI_C64, 2, shape, &out, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(trnsci_tile_data(in));
	assert_int_equal(trnsci_call_new(session, "fft", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", in));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	for (int time = 0; time < TIMES; time++)
		assert_runs(call);
	trnsci_call_free(call);
	trnsci_tile_free(in);
	trnsci_tile_free(out);
}

BOTH(check_memory)
BOTH(check_two)
BOTH(check_draws)
BOTH(check_tiles)

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_memory_by_both), cmocka_unit_test(check_two_by_both),
					   cmocka_unit_test(check_draws_by_both), cmocka_unit_test(check_tiles_by_both)};

	return cmocka_run_group_tests(tests, start, stop);
}
