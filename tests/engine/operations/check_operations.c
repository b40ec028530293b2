/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations, walked: every parameter of every operation, wrong in every way its row allows, gets the
 * named error that says which parameter of which method. */
#include "engine/harness.h"

#include <float.h>
#include <math.h>

static size_t checks;

/* A value that the row accepts, so that nothing else is wrong. */
static struct value good(struct call *call, const struct param *param)
{
	switch (param->type) {
	case PARAM_U64:
	case PARAM_INT:
	case PARAM_SHAPE:
		return value_uint(param->min > 1 ? (uint64_t)param->min : 1);
	case PARAM_F64:
		return value_real(param->min >= 1 ? param->min + 0.5 : 0.5);
	case PARAM_BOOL:
		return value_bool(false);
	case PARAM_CHOICE:
		return value_bytes(param->choices, strcspn(param->choices, "|"));
	case PARAM_AXES:
		return value_int(-1);
	case PARAM_TILE: {
		static const float zeros[2];

		return array_of(call->bump, "f32", 2, zeros, sizeof zeros);
	}
	case PARAM_TEXT:
		return value_string("text");
	case PARAM_ANY: {
		struct value list = value_array();

		/* A program's steps are maps; weights and the like are numbers. */
		if (strcmp(param->name, "steps") != 0)
			assert_int_equal(value_push(call->bump, &list, value_uint(1)), 0);
		return list;
	}
	}
	return value_nil();
}

/* Spectra of one bin and two frames: istft takes nothing simpler. */
static struct value good_of(struct call *call, const struct operation *operation, const struct param *param)
{
	static const float zeros[4];
	struct value map;

	if (strcmp(operation->name, "conj") == 0 || strcmp(operation->name, "real") == 0 ||
	    strcmp(operation->name, "imag") == 0)
		return param->type == PARAM_TILE ? array_of(call->bump, "c64", 2, zeros, sizeof zeros) : good(call, param);
	if (strcmp(operation->name, "istft") != 0 || strcmp(param->name, "in") != 0)
		return good(call, param);
	map = array_of(call->bump, "c64", 2, zeros, sizeof zeros);
	assert_int_equal(value_put(call->bump, &map, "shape", LIST(call, 1, 2)), 0);
	return map;
}

/* Everything required, then `name` set to value. */
static struct call *call_with(const struct operation *operation, const char *name, struct value value)
{
	struct call *call = call_new();

	for (size_t i = 0; i < operation->n_params; i++)
		if (!operation->params[i].fallback)
			put(call, operation->params[i].name, good_of(call, operation, &operation->params[i]));
	if (name)
		put(call, name, value);
	return call;
}

static void expect_error(struct fixture *fixture, const struct operation *operation, const char *name,
			 struct value value, int code)
{
	struct call *call = call_with(operation, name, value);
	char prefix[128];

	snprintf(prefix, sizeof prefix, "%s: %s: %s: ", error_name(code), operation->name, name);
	call_fails(call, fixture->memory, operation->name, code, prefix);
	checks++;
}

/* Kinds that no row of the type takes; an integer below 0 is of the right type, though it may be out of range. */
static bool is_wrong(enum param_type type, enum value_kind kind)
{
	switch (type) {
	case PARAM_U64:
	case PARAM_INT:
		return kind != VALUE_UINT && kind != VALUE_INT;
	case PARAM_F64:
		return kind != VALUE_UINT && kind != VALUE_INT && kind != VALUE_REAL;
	case PARAM_BOOL:
		return kind != VALUE_BOOL;
	case PARAM_CHOICE:
	case PARAM_TEXT:
		return kind != VALUE_STRING && kind != VALUE_BYTES;
	case PARAM_SHAPE:
	case PARAM_AXES:
		return kind != VALUE_UINT && kind != VALUE_INT && kind != VALUE_ARRAY;
	case PARAM_TILE:
		return kind != VALUE_UINT && kind != VALUE_MAP;
	case PARAM_ANY:
		return false;
	}
	return false;
}

static void wrong_types(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	const struct value values[] = {
		value_nil(),       value_bool(true),    value_uint(1), value_int(-1), value_real(1.5),
		value_string("?"), value_bytes("?", 1), value_array(), value_map(),
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i].kind == VALUE_MAP && operation_takes_array(operation, (size_t)(param - operation->params)))
			expect_error(fixture, operation, param->name, values[i], ERROR_MISSING_PARAMETER);
		else if (is_wrong(param->type, values[i].kind))
			expect_error(fixture, operation, param->name, values[i], ERROR_WRONG_TYPE);
}

static void out_of_range(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	const bool bounded = (param->min != 0 || param->max != 0) && !isinf(param->max);
	const int code = ERROR_OUT_OF_RANGE;

	switch (param->type) {
	case PARAM_U64:
	case PARAM_SHAPE:
		expect_error(fixture, operation, param->name, value_int(param->min == -1 ? -2 : -1), code);
		expect_error(fixture, operation, param->name, value_int(INT64_MIN), code);
		if (param->min > 0 || param->min == -1) /* -1: as it is */
			expect_error(fixture, operation, param->name, value_uint(0), code);
		if (bounded && param->max > 0 && param->max < 0x1p63)
			expect_error(fixture, operation, param->name, value_uint((uint64_t)param->max + 1), code);
		break;
	case PARAM_AXES:
		expect_error(fixture, operation, param->name, value_int(-9), code);
		expect_error(fixture, operation, param->name, value_int(8), code);
		break;
	case PARAM_F64:
		expect_error(fixture, operation, param->name, value_real(NAN), code);
		/* What may be infinite is refused only together with other parameters. */
		if (!isinf(param->max)) {
			expect_error(fixture, operation, param->name, value_real(INFINITY), code);
			expect_error(fixture, operation, param->name, value_real(-INFINITY), code);
		}
		if (bounded)
			expect_error(fixture, operation, param->name, value_real(nextafter(param->min, -INFINITY)),
				     code);
		if (param->above_min)
			expect_error(fixture, operation, param->name, value_real(param->min), code);
		if (bounded && param->max < DBL_MAX)
			expect_error(fixture, operation, param->name, value_real(nextafter(param->max, INFINITY)),
				     code);
		break;
	case PARAM_CHOICE:
		expect_error(fixture, operation, param->name, value_string(""), code);
		expect_error(fixture, operation, param->name, value_string("no such choice"), code);
		expect_error(fixture, operation, param->name, value_bytes("\0\xff", 2), code);
		break;
	default:
		break;
	}
}

/* Lists: none, nine, and one wrong element among good ones. */
static void wrong_lists(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	struct bump *bump = bump_new();
	struct value none = value_array(), nine = value_array(), mixed = value_array();

	for (int i = 0; i < 9; i++)
		assert_int_equal(value_push(bump, &nine, value_uint(1)), 0);
	assert_int_equal(value_push(bump, &mixed, value_uint(1)), 0);
	assert_int_equal(value_push(bump, &mixed, value_real(0.5)), 0);
	expect_error(fixture, operation, param->name, none, ERROR_OUT_OF_RANGE);
	expect_error(fixture, operation, param->name, nine, ERROR_OUT_OF_RANGE);
	expect_error(fixture, operation, param->name, mixed, ERROR_WRONG_TYPE);
	bump_free(bump);
}

static void wrong_arrays(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	static const float data[2];
	const struct {
		const char *member;
		struct value value;
		int code;
	} cases[] = {
		{"dtype", value_string("f33"), ERROR_OUT_OF_RANGE},    {"dtype", value_uint(1), ERROR_OUT_OF_RANGE},
		{"dtype", value_string("u32"), ERROR_BAD_SHAPE},       {"shape", value_string("x"), ERROR_WRONG_TYPE},
		{"shape", value_array(), ERROR_OUT_OF_RANGE},          {"shape", value_uint(3), ERROR_BAD_SHAPE},
		{"shape", value_uint(UINT64_MAX), ERROR_OUT_OF_RANGE}, {"data", value_uint(1), ERROR_WRONG_TYPE},
		{"data", value_bytes(data, 7), ERROR_BAD_SHAPE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bump *bump = bump_new();
		struct value array = array_of(bump, "f32", 2, data, sizeof data);

		assert_int_equal(value_put(bump, &array, cases[i].member, cases[i].value), 0);
		expect_error(fixture, operation, param->name, array, cases[i].code);
		bump_free(bump);
	}
}

static void wrong_tiles(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	/* No draw makes complex numbers; what computes takes no integers. */
	const char *const other = operation->class == METHOD_DRAW ? "c64" : "i32";
	const uint64_t gone = tile_of(fixture, "f32", 2, NULL), stranger = tile_of(fixture, other, 2, NULL);

	tile_drop(fixture, gone);
	expect_error(fixture, operation, param->name, value_uint(gone), ERROR_BAD_TILE);
	expect_error(fixture, operation, param->name, value_uint(0), ERROR_BAD_TILE);
	expect_error(fixture, operation, param->name, value_uint(gone + 1000), ERROR_BAD_TILE);
	expect_error(fixture, operation, param->name, value_uint(UINT64_MAX), ERROR_BAD_TILE);
	if (operation->class >= METHOD_ELEMENTWISE || strcmp(param->name, "out") == 0)
		expect_error(fixture, operation, param->name, value_uint(stranger), ERROR_BAD_SHAPE);
	if (operation->class >= METHOD_DRAW && strcmp(param->name, "out") != 0)
		wrong_arrays(fixture, operation, param);
	tile_drop(fixture, stranger);
}

/* The request with that value, run. */
static struct call *ask(struct fixture *fixture, const struct operation *operation, const char *name, struct value value,
			bool in_list)
{
	struct call *call = call_with(operation, NULL, value_nil());
	struct value list = value_array();

	assert_int_equal(value_push(call->bump, &list, value_uint(1)), 0);
	assert_int_equal(value_push(call->bump, &list, value), 0);
	put(call, name, in_list ? list : value);
	call_start(call, fixture->memory, operation->name);
	call_wait(call);
	return call;
}

/* A whole float does what the integer does: the same bytes, or the same error. */
static void expect_same(struct fixture *fixture, const struct operation *operation, const char *name, int64_t value, bool in_list)
{
	struct call *integer = ask(fixture, operation, name, value_int(value), in_list);
	struct call *real = ask(fixture, operation, name, value_real((double)value), in_list);
	const struct error *a = request_error(integer->request), *b = request_error(real->request);
	const struct value *x = a ? NULL : value_get(request_result(integer->request), "data");
	const struct value *y = b ? NULL : value_get(request_result(real->request), "data");

	/* As a limit of time, a few milliseconds may be too few for one of the two. */
	const bool in_time = !(a && a->code == ERROR_TIMEOUT) && !(b && b->code == ERROR_TIMEOUT);

	if (in_time && (!a != !b || (a && strcmp(a->text, b->text) != 0)))
		fail_msg("%s: %s: %lld is answered by %s, as a float by %s", operation->name, name, (long long)value,
			 a ? a->text : "a result", b ? b->text : "a result");
	if (in_time && (!x != !y || (x && (x->bytes.size != y->bytes.size || memcmp(x->bytes.at, y->bytes.at, x->bytes.size) != 0))))
		fail_msg("%s: %s: %lld has other bytes as a float", operation->name, name, (long long)value);
	call_free(integer);
	call_free(real);
	checks++;
}

/* Other floats are refused, and the error says why. */
static void refuse_float(struct fixture *fixture, const struct operation *operation, const char *name, double value, bool in_list)
{
	struct call *call = ask(fixture, operation, name, value_real(value), in_list);
	const struct error *error = request_error(call->request);
	char got[64];

	snprintf(got, sizeof got, "%s: %s: got %.17g, allowed is a whole number", operation->name, name, value);
	if (!error || error->code != ERROR_WRONG_TYPE || !strstr(error->text, got))
		fail_msg("%s: %s: expected \"%s\", got %s", operation->name, name, got, error ? error->text : "a result");
	call_free(call);
	checks++;
}

static void whole_floats(struct fixture *fixture, const struct operation *operation, const struct param *param)
{
	static const int64_t whole[] = {0, 1, 2, 8, -1, -2, -9, 100, (INT64_C(1) << 53) - 1, 1 - (INT64_C(1) << 53)};
	static const double others[] = {0.5, 8.5, -1.5, 0x1p53, -0x1p53, 0x1p64, 1e300, (double)NAN, (double)INFINITY};
	const bool list = param->type == PARAM_SHAPE || param->type == PARAM_AXES;

	if (param->type != PARAM_U64 && param->type != PARAM_INT && !list)
		return;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		for (int in_list = 0; in_list <= list; in_list++)
			expect_same(fixture, operation, param->name, whole[i], in_list);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		for (int in_list = 0; in_list <= list; in_list++)
			refuse_float(fixture, operation, param->name, others[i], in_list);
}

static void walk(struct fixture *fixture, const struct operation *operation)
{
	for (size_t i = 0; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (!param->fallback) {
			struct call *call = call_new();
			char prefix[128];

			for (size_t k = 0; k < operation->n_params; k++)
				if (k != i && !operation->params[k].fallback)
					put(call, operation->params[k].name, good_of(call, operation, &operation->params[k]));
			snprintf(prefix, sizeof prefix, "missing_parameter: %s: %s: ", operation->name, param->name);
			call_fails(call, fixture->memory, operation->name, ERROR_MISSING_PARAMETER, prefix);
		}
		wrong_types(fixture, operation, param);
		out_of_range(fixture, operation, param);
		if (strcmp(param->name, "tile") != 0) /* a tile can be freed once */
			whole_floats(fixture, operation, param);
		if (param->type == PARAM_SHAPE || param->type == PARAM_AXES)
			wrong_lists(fixture, operation, param);
		if (param->type == PARAM_TILE)
			wrong_tiles(fixture, operation, param);
	}
	expect_error(fixture, operation, "no_such_parameter", value_uint(1), ERROR_UNKNOWN_PARAMETER);
}

static void test_every_parameter_of_every_operation(void **state)
{
	struct fixture fixture = fixture_open(1);
	size_t count;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		if (all[i].class != METHOD_SESSION)
			walk(&fixture, &all[i]);
	printf("# %zu wrong requests of %zu operations\n", checks, count);
	fixture_close(&fixture);
}

static void test_table_is_sound(void **state)
{
	size_t count;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(operation_find(all[i].name, strlen(all[i].name)), &all[i]);
		assert_true(strlen(all[i].help) > 0);
		for (size_t k = 0; k < all[i].n_params; k++) {
			const struct param *param = &all[i].params[k];

			if (!param->name || !param->unit || !param->help || !*param->help)
				fail_msg("%s: parameter %zu is incomplete", all[i].name, k);
			if ((param->type == PARAM_CHOICE) != (param->choices != NULL))
				fail_msg("%s: %s: choices stand beside another type", all[i].name, param->name);
			assert_ptr_equal(operation_param(&all[i], param->name, strlen(param->name)), param);
		}
	}
	assert_null(operation_find("norma", 5));
	assert_null(operation_find("normal ", 7));
}

static void test_unknown_method(void **state)
{
	struct fixture fixture = fixture_open(1);

	(void)state;
	call_fails(call_new(), fixture.memory, "nrmal", ERROR_UNKNOWN_METHOD, "unknown_method: \"nrmal\": ");
	call_fails(call_new(), fixture.memory, "arena", ERROR_NOT_SUPPORTED, "not_supported: arena: ");
	fixture_close(&fixture);
}

/* Every method that makes a job has a timeout, where the request looks for it. */
static void test_jobs_have_timeouts(void **state)
{
	size_t count;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		if ((all[i].class >= METHOD_STREAM) != (operation_param(&all[i], "timeout_ms", 10) != NULL))
			fail_msg("%s: expected timeout_ms of jobs, and of no others", all[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_have_timeouts),
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_every_parameter_of_every_operation),
		cmocka_unit_test(test_unknown_method),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
