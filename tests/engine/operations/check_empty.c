/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays without elements: what every operation that takes arrays answers where any axis of any of them is 0.
 *
 * The answers are numpy's and scipy's where these have one (written down from numpy 1.24 and scipy 1.10): an empty result of
 * the operation's usual shape, or zeros where sums over nothing make elements. Elsewhere the request is refused, and the
 * error names the array. The table below must have a row for each axis of each array of each operation. */
#include "engine/harness.h"

enum { ARRAYS_MOST = 4, DIMS = 8 };

/* One request: arrays by parameter, "in=0,8 window_values=4", complex where the dtype is; further parameters, integers
 * only. */
struct empty_case {
	const char *operation, *arrays, *more;
	const char *shape; /* of the result; NULL: refused */
	const char *error; /* the code's name and the parameter that it names: "bad_shape: convolve: b" */
};

#define EACH(name) {name, "in=0,8", "", "0,8", NULL}, {name, "in=3,0", "", "3,0", NULL}
/* b repeats over a; never the other way round. */
#define REPEATED(name) \
	{name, "a=0,8 b=0,8", "", "0,8", NULL}, {name, "a=3,0 b=3,0", "", "3,0", NULL}, {name, "a=0,8 b=8", "", "0,8", NULL}, {name, "a=3,0 b=1", "", "3,0", NULL}, {name, "a=3,0 b=0", "", "3,0", NULL}, \
		{name, "a=3,8 b=0,8", "", NULL, "bad_shape: " name ": b"}, {name, "a=3,8 b=3,0", "", NULL, "bad_shape: " name ": b"}
#define CONVOLUTION(name) \
	{name, "a=0,8 b=0,3", "", "0,10", NULL}, {name, "a=0,8 b=3", "", "0,10", NULL}, {name, "a=1,8 b=0,3", "", "0,10", NULL}, \
		{name, "a=0,4096 b=1500", "", "0,5595", NULL}, {name, "a=0,8 b=1,3", "axis=0", NULL, "bad_shape: " name ": a"}, \
		{name, "a=2,0 b=2,3", "", NULL, "bad_shape: " name ": a"}, {name, "a=2,8 b=2,0", "", NULL, "bad_shape: " name ": b"}, \
		{name, "a=8 b=0", "", NULL, "bad_shape: " name ": b"}, {name, "a=0 b=8", "", NULL, "bad_shape: " name ": a"}
#define SERIES(name) \
	{name, "in=0,8", "", "0,8", NULL}, {name, "in=3,0", "", NULL, "out_of_range: " name ": length"}, \
		{name, "in=3,0", "length=4", "3,4", NULL}, {name, "in=5,0,8", "axes=0", "5,0,8", NULL}

static const struct empty_case cases[] = {
	EACH("box_muller"), EACH("scale"), EACH("abs"), EACH("square"), EACH("sqrt"), EACH("log"), EACH("exp"), EACH("conj"),
	EACH("real"), EACH("imag"), EACH("clip"), EACH("noise_add"), EACH("fftshift"),
	REPEATED("add"), REPEATED("subtract"), REPEATED("multiply"), REPEATED("divide"),
	{"where", "condition=0,8 a=0,8 b=0,8", "", "0,8", NULL},
	{"where", "condition=3,0 a=3,0 b=3,0", "", "3,0", NULL},
	{"where", "condition=0,8 a=3,8 b=3,8", "", NULL, "bad_shape: where: condition"},
	{"where", "condition=3,8 a=3,8 b=3,0", "", NULL, "bad_shape: where: b"},
	{"sum", "in=0,8", "", "1", NULL}, {"sum", "in=0,8", "axes=0", "8", NULL}, {"sum", "in=0,8", "axes=1", "0", NULL},
	{"sum", "in=3,0", "axes=1", "3", NULL}, {"sum", "in=3,0", "axes=0", "0", NULL},
	{"norm", "in=0,8", "", "1", NULL}, {"norm", "in=0,8", "axes=0", "8", NULL}, {"norm", "in=0,8", "axes=1", "0", NULL},
	{"norm", "in=3,0", "axes=1", "3", NULL},
	{"mean", "in=0,8", "", NULL, "bad_shape: mean: in"}, {"mean", "in=0,8", "axes=0", NULL, "bad_shape: mean: in"},
	{"mean", "in=0,8", "axes=1", "0", NULL}, {"mean", "in=3,0", "axes=1", NULL, "bad_shape: mean: in"},
	{"mean", "in=0,0", "axes=1", "0", NULL},
	{"max", "in=0,8", "", NULL, "bad_shape: max: in"}, {"max", "in=0,8", "axes=0", NULL, "bad_shape: max: in"},
	{"max", "in=0,8", "axes=1", "0", NULL}, {"max", "in=3,0", "axes=1", NULL, "bad_shape: max: in"},
	{"max", "in=0,0", "axes=1", "0", NULL},
	{"fft", "in=0,8", "", "0,8", NULL}, {"fft", "in=3,0", "", NULL, "out_of_range: fft: length"},
	{"fft", "in=3,0", "length=4", "3,4", NULL}, {"fft", "in=3,8", "length=0", NULL, "out_of_range: fft: length"},
	{"fft", "in=5,0,8", "axes=0", "5,0,8", NULL}, {"fft", "in=0,5,8", "axes=1", "0,5,8", NULL},
	{"fft", "in=0,8", "real=1", "0,5", NULL}, {"fft", "in=0,5", "real=1 inverse=1", "0,8", NULL},
	{"fft", "in=3,0", "real=1 inverse=1", NULL, "out_of_range: fft: length"},
	{"fft", "in=3,1", "real=1 inverse=1", NULL, "out_of_range: fft: length"},
	{"fft", "in=0,5", "hermitian=1", "0,8", NULL}, {"fft", "in=0,8", "hermitian=1 inverse=1", "0,5", NULL},
	{"fft", "in=0,65537", "", "0,65537", NULL}, {"fft", "in=0,1048576", "", "0,1048576", NULL},
	SERIES("dct"), SERIES("dst"),
	{"gemm", "a=0,8 b=8,3", "", "0,3", NULL}, {"gemm", "a=2,8 b=8,0", "", "2,0", NULL},
	{"gemm", "a=2,0 b=0,3", "", "2,3", NULL}, {"gemm", "a=0,2,8 b=8,3", "", "0,2,3", NULL},
	{"gemm", "a=2,8 b=0,3", "", NULL, "bad_shape: gemm: b"}, {"gemm", "a=0 b=0,3", "", "1,3", NULL},
	{"gemm", "a=2,0 b=0,3 c=2,3", "beta=1", "2,3", NULL}, {"gemm", "a=0,8 b=8,3 c=0,3", "beta=1", "0,3", NULL},
	{"gemm", "a=2,8 b=8,0 c=2,0", "beta=1", "2,0", NULL}, {"gemm", "a=2,8 b=8,3 c=0,3", "beta=1", NULL, "bad_shape: gemm: c"},
	{"trace", "in=0,0", "", "2", NULL}, {"trace", "in=0,3", "", NULL, "bad_shape: trace: in"},
	{"trace", "in=3,0", "", NULL, "bad_shape: trace: in"},
	{"stft", "in=0,64", "n_fft=16", "0,9,17", NULL}, {"stft", "in=0,400000", "n_fft=262144", "0,131073,7", NULL},
	{"stft", "in=3,0", "n_fft=16 center=0", NULL, "bad_shape: stft: in"}, {"stft", "in=3,64", "n_fft=0", NULL, "out_of_range: stft: n_fft"},
	{"stft", "in=3,64 window_values=0", "n_fft=16", NULL, "bad_shape: stft: window_values"},
	{"istft", "in=0,9,17", "n_fft=16", "0,64", NULL}, {"istft", "in=3,0,17", "n_fft=16", NULL, "bad_shape: istft: in"},
	{"istft", "in=3,9,0", "n_fft=16", NULL, "bad_shape: istft: in"}, {"istft", "in=0,9", "n_fft=16", NULL, "bad_shape: istft: in"},
	{"istft", "in=9,0", "n_fft=16", NULL, "bad_shape: istft: in"},
	{"istft", "in=9,17 window_values=0", "n_fft=16", NULL, "bad_shape: istft: window_values"},
	{"surrogate", "in=0,8", "", "0,8", NULL}, {"surrogate", "in=3,0", "", NULL, "bad_shape: surrogate: in"},
	{"surrogate", "in=3,0,8", "", "3,0,8", NULL},
	CONVOLUTION("convolve"), CONVOLUTION("correlate"),
	{"welch", "in=0,64", "", "0,33", NULL}, {"welch", "in=3,0", "", NULL, "bad_shape: welch: in"},
	{"welch", "in=64,0", "axis=0", "33,0", NULL}, {"welch", "in=0,400000", "nperseg=262144", "0,131073", NULL},
	{"welch", "in=3,64 window_values=0", "", NULL, "bad_shape: welch: window_values"},
	{"welch", "in=3,64 sums=0,8", "nperseg=64 segments=1", NULL, "bad_shape: welch: sums"},
	{"welch", "in=3,64 sums=3,0", "nperseg=64 segments=1", NULL, "bad_shape: welch: sums"},
	{"csd", "in=3,64 y=3,64 sums=0,8", "nperseg=64 segments=1", NULL, "bad_shape: csd: sums"},
	{"csd", "in=3,64 y=3,64 sums=3,0", "nperseg=64 segments=1", NULL, "bad_shape: csd: sums"},
	{"csd", "in=0,64 y=0,64", "", "0,33", NULL}, {"csd", "in=3,0 y=3,0", "", NULL, "bad_shape: csd: in"},
	{"csd", "in=3,64 y=0,64", "", NULL, "bad_shape: csd: y"}, {"csd", "in=3,64 y=3,0", "", NULL, "bad_shape: csd: y"},
	{"csd", "in=3,64 y=3,64 window_values=0", "", NULL, "bad_shape: csd: window_values"},
};

enum { CASES = sizeof cases / sizeof *cases };

/* Reads "0,8" at *at and moves behind it. Returns the number of sizes. */
static size_t read_shape(const char **at, int64_t dims[DIMS])
{
	size_t count = 0;
	char *end;

	do {
		dims[count++] = strtoll(*at, &end, 10);
		*at = end + 1;
	} while (*end == ',');
	*at = *end ? end + 1 : end;
	return count;
}

/* Whether a size of the shape is 0. */
static bool is_empty(const char *shape)
{
	return shape[0] == '0' || strstr(shape, ",0");
}

static bool takes_complex(const struct empty_case *row)
{
	return strcmp(row->operation, "conj") == 0 || strcmp(row->operation, "real") == 0 ||
	       strcmp(row->operation, "imag") == 0 || strcmp(row->operation, "istft") == 0;
}

/* An array of ones. */
static struct value ones(struct bump *bump, bool is_complex, bool wide, size_t count, const int64_t *dims)
{
	struct value map = value_map();
	size_t n = 1, bytes;
	void *at;

	for (size_t i = 0; i < count; i++)
		n *= (size_t)dims[i];
	n *= is_complex ? 2 : 1;
	bytes = n * (wide ? sizeof(double) : sizeof(float));
	at = bump_alloc(bump, bytes + 1);
	assert_non_null(at);
	for (size_t i = 0; i < n; i++)
		if (wide)
			((double *)at)[i] = 1;
		else
			((float *)at)[i] = 1;
	assert_int_equal(value_put(bump, &map, "dtype", value_string(is_complex ? wide ? "c128" : "c64" : wide ? "f64" : "f32")), 0);
	assert_int_equal(value_put(bump, &map, "shape", list_of(bump, count, dims)), 0);
	assert_int_equal(value_put(bump, &map, "data", value_bytes(at, bytes)), 0);
	return map;
}

static const struct operation *find(const char *name)
{
	return operation_find(name, strlen(name));
}

/* The row's parameters, in arrays of one width. */
static struct value params_of(struct bump *bump, const struct empty_case *row, bool wide)
{
	struct value map = value_map();
	int64_t dims[DIMS];

	for (const char *at = row->arrays; *at;) {
		const size_t size = strcspn(at, "=");
		char *name = bump_copy(bump, at, size);
		size_t count;

		assert_non_null(name);
		at += size + 1;
		count = read_shape(&at, dims);
		assert_int_equal(value_put(bump, &map, name, ones(bump, takes_complex(row) && strcmp(name, "in") == 0, wide, count, dims)), 0);
	}
	for (const char *at = row->more; *at;) {
		const size_t size = strcspn(at, "=");
		char *name = bump_copy(bump, at, size);
		const struct param *param = operation_param(find(row->operation), at, size);

		assert_non_null(name);
		assert_non_null(param);
		at += size + 1;
		read_shape(&at, dims);
		assert_int_equal(value_put(bump, &map, name, param->type == PARAM_BOOL ? value_bool(dims[0]) : value_int(dims[0])), 0);
	}
	return map;
}

static void expect_refused(const struct empty_case *row, const char *way, const struct error *error)
{
	char code[128];
	const char *param = strrchr(row->error, ' ');

	if (!error)
		fail_msg("%s of %s %s, %s: expected %s, got an answer", row->operation, row->arrays, row->more, way, row->error);
	snprintf(code, sizeof code, "%.*s", (int)strcspn(row->error, ":"), row->error);
	if (strcmp(error_name(error->code), code) != 0 || !strstr(error->text, row->operation) || !strstr(error->text, param))
		fail_msg("%s of %s %s, %s: expected %s, got %s", row->operation, row->arrays, row->more, way, row->error, error->text);
}

/* A result's shape, and its elements: only sums over nothing, or c, make any, and of ones these are 0 or 1. */
static void expect_result(const struct empty_case *row, const char *way, const struct value *reply)
{
	const struct value *shape = value_get(reply, "shape"), *data = value_get(reply, "data");
	const char *at = row->shape;
	int64_t dims[DIMS];
	const size_t count = read_shape(&at, dims);
	const float one = strstr(row->arrays, "c=") && row->more[0] ? 1 : 0;

	if (shape->array.count != count)
		fail_msg("%s of %s %s, %s: expected shape %s", row->operation, row->arrays, row->more, way, row->shape);
	for (size_t i = 0; i < count; i++)
		if (shape->array.at[i].u != (uint64_t)dims[i])
			fail_msg("%s of %s %s, %s: expected shape %s, got %llu at %zu", row->operation, row->arrays, row->more, way,
				 row->shape, (unsigned long long)shape->array.at[i].u, i);
	if (is_empty(row->shape))
		assert_int_equal(data->bytes.size, 0);
	else if (strcmp(value_get(reply, "dtype")->bytes.at, "f32") == 0 || strcmp(value_get(reply, "dtype")->bytes.at, "c64") == 0)
		for (size_t i = 0; i < data->bytes.size / sizeof(float); i++) {
			const float x = ((const float *)data->bytes.at)[i];

			if (x != 0 && x != one)
				fail_msg("%s of %s %s, %s: element %zu is %g", row->operation, row->arrays, row->more, way, i, (double)x);
		}
}

static void judge(const struct empty_case *row, const char *way, const struct call *call, const struct value *reply)
{
	if (row->shape && request_error(call->request))
		fail_msg("%s of %s %s, %s: expected %s, got %s", row->operation, row->arrays, row->more, way, row->shape,
			 request_error(call->request)->text);
	if (row->shape)
		expect_result(row, way, reply);
	else
		expect_refused(row, way, request_error(call->request));
}

/* As a request of its own. */
static void run_alone(struct fixture *fixture, const struct empty_case *row, bool wide)
{
	struct call *call = call_new();

	call->params = params_of(call->bump, row, wide);
	call_start(call, fixture->memory, row->operation);
	call_wait(call);
	judge(row, wide ? "float64" : "float32", call, request_result(call->request));
	call_free(call);
}

/* {steps: [the operation, as "x"], results: ["x"]}, in call's parameters. */
static void put_program(struct call *call, const struct empty_case *row)
{
	struct value step = params_of(call->bump, row, false), steps = value_array(), results = value_array();

	assert_int_equal(value_put(call->bump, &step, "op", value_string(row->operation)), 0);
	assert_int_equal(value_put(call->bump, &step, "as", value_string("x")), 0);
	assert_int_equal(value_push(call->bump, &steps, step), 0);
	assert_int_equal(value_push(call->bump, &results, value_string("x")), 0);
	put(call, "steps", steps);
	put(call, "results", results);
}

static const struct value *result_of(const struct call *call)
{
	const struct value *reply = request_result(call->request), *results = reply ? value_get(reply, "results") : NULL;

	return results ? value_get(results, "x") : NULL;
}

static void run_program(struct fixture *fixture, const struct empty_case *row)
{
	struct call *call = call_new();

	put_program(call, row);
	call_start(call, fixture->memory, "run");
	call_wait(call);
	judge(row, "a step", call, result_of(call));
	call_free(call);
}

/* Prepared, the operation alone or as a step, and run three times: the first run keeps states for those that follow. */
static void run_prepared(struct fixture *fixture, const struct empty_case *row, bool in_program)
{
	struct call *call = call_new(), *inner = call_new(), *run;
	uint64_t handle;

	if (in_program)
		put_program(inner, row);
	else
		inner->params = params_of(inner->bump, row, false);
	put(call, "method", value_string(in_program ? "run" : row->operation));
	put(call, "params", inner->params);
	call_start(call, fixture->memory, "prepare");
	call_wait(call);
	if (!row->shape) {
		expect_refused(row, "prepared", request_error(call->request));
	} else {
		if (request_error(call->request))
			fail_msg("%s of %s %s, prepared: %s", row->operation, row->arrays, row->more, request_error(call->request)->text);
		handle = value_get(request_result(call->request), "prepared")->u;
		for (int i = 0; i < 3; i++) {
			run = call_new();
			put(run, "prepared", value_uint(handle));
			call_start(run, fixture->memory, "run_prepared");
			call_wait(run);
			judge(row, "a prepared run", run, in_program ? result_of(run) : request_result(run->request));
			call_free(run);
		}
		run = call_new();
		put(run, "prepared", value_uint(handle));
		call_run(run, fixture->memory, "release");
		call_free(run);
	}
	bump_free(inner->bump);
	free(inner);
	call_free(call);
}

/* Into a new tile, which then is an array without elements itself. */
static void run_into_tile(struct fixture *fixture, const struct empty_case *row)
{
	struct call *call = call_new();
	struct value out = value_map();
	const struct value *reply;
	uint64_t tile;

	call->params = params_of(call->bump, row, false);
	assert_int_equal(value_put(call->bump, &out, "new", value_bool(true)), 0);
	put(call, "out", out);
	reply = call_run(call, fixture->memory, row->operation);
	tile = value_get(reply, "tile")->u;
	assert_int_equal(value_get(value_get(reply, "place"), "bytes")->u, 0);
	call_free(call);
	call = call_new();
	put(call, "in", value_uint(tile));
	assert_int_equal(value_get(call_run(call, fixture->memory, "abs"), "n")->u, 0);
	call_free(call);
	tile_drop(fixture, tile);
}

static void test_operations_answer_as_numpy(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		run_alone(&fixture, &cases[i], false);
		run_alone(&fixture, &cases[i], true);
		run_program(&fixture, &cases[i]);
		run_prepared(&fixture, &cases[i], false);
		run_prepared(&fixture, &cases[i], true);
		if (cases[i].shape && is_empty(cases[i].shape))
			run_into_tile(&fixture, &cases[i]);
	}
	fixture_close(&fixture);
}

/* Whether the row has that array with a 0 at the axis, or, without one, anywhere. */
static bool has_zero(const struct empty_case *row, const char *operation, const char *param, int axis)
{
	const size_t size = strlen(param);
	int64_t dims[DIMS];

	if (strcmp(row->operation, operation) != 0)
		return false;
	for (const char *at = row->arrays; *at;) {
		const bool same = strncmp(at, param, size) == 0 && at[size] == '=';
		const char *shape = strchr(at, '=') + 1;
		const size_t count = read_shape(&shape, dims);

		if (same && axis < (int)count && dims[axis] == 0)
			return true;
		at = shape;
	}
	return false;
}

static void test_no_axis_is_left_out(void **state)
{
	size_t count, arrays = 0;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < all[i].n_params && all[i].class >= METHOD_DRAW; p++) {
			const struct param *param = &all[i].params[p];
			const bool window = strcmp(param->name, "window_values") == 0;

			if (param->type != PARAM_TILE || strcmp(param->name, "out") == 0)
				continue;
			for (int axis = 0; axis < (window ? 1 : 2); axis++) {
				bool found = false;

				for (size_t k = 0; k < CASES && !found; k++)
					found = has_zero(&cases[k], all[i].name, param->name, axis);
				if (!found)
					fail_msg("%s: %s: no case has a 0 at axis %d", all[i].name, param->name, axis);
				arrays++;
			}
		}
	assert_true(arrays > 60);
}

/* ---- sizes at their limits ---- */

static const uint64_t sizes[] = {0,       1,           2,           17,          1 << 19, (1 << 30), (1 << 30) + 1, UINT64_C(1) << 32,
				 UINT64_C(1) << 60, UINT64_C(1) << 62, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* {dtype, shape, no bytes} */
static struct value nothing(struct bump *bump, const char *dtype, size_t count, const uint64_t *dims)
{
	struct value map = value_map(), list = value_array();

	for (size_t i = 0; i < count; i++)
		assert_int_equal(value_push(bump, &list, value_uint(dims[i])), 0);
	assert_int_equal(value_put(bump, &map, "dtype", value_string(dtype)), 0);
	assert_int_equal(value_put(bump, &map, "shape", list), 0);
	assert_int_equal(value_put(bump, &map, "data", value_bytes("", 0)), 0);
	return map;
}

/* Every array of the operation has that shape. The answer's n is the product of its sizes; or an error has a text. */
static void ask(struct fixture *fixture, const struct operation *operation, const char *dtype, const uint64_t dims[3],
		const char *option, int64_t value, size_t *answers)
{
	struct call *call = call_new();
	const struct value *shape;
	uint64_t n = 1;

	for (size_t p = 0; p < operation->n_params; p++) {
		const struct param *param = &operation->params[p];

		if (param->type == PARAM_TILE && strcmp(param->name, "out") != 0 && (!param->fallback || (p + dims[1]) % 3 == 0))
			put(call, param->name, nothing(call->bump, dtype, 3, dims));
		else if (!param->fallback && param->type != PARAM_TILE)
			put(call, param->name, value_uint(param->min > 1 ? (uint64_t)param->min : 1));
	}
	if (option && operation_param(operation, option, strlen(option)))
		put(call, option, value_int(value));
	call_start(call, fixture->memory, operation->name);
	call_wait(call);
	if (request_error(call->request)) {
		if (!strstr(request_error(call->request)->text, operation->name))
			fail_msg("%s: the error is %s", operation->name, request_error(call->request)->text);
		call_free(call);
		return;
	}
	shape = value_get(request_result(call->request), "shape");
	for (size_t i = 0; i < shape->array.count; i++)
		n *= shape->array.at[i].u;
	assert_int_equal(n, value_get(request_result(call->request), "n")->u);
	++*answers;
	call_free(call);
}

static void test_sizes_at_their_limits(void **state)
{
	struct session_owner limits = {.inline_bytes = 1 << 16, .tiles = 8, .prepared = 4, .jobs = 4, .weight = 1};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 16, &limits);
	const struct {
		const char *name;
		int64_t value;
	} options[] = {{NULL, 0}, {"axes", 0}, {"axes", 1}, {"length", 8}, {"axis", 0}, {"axis", 1}, {"mode", 0}};
	size_t count, answers = 0;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const bool is_draw = all[i].class == METHOD_DRAW || all[i].class == METHOD_POINTS;

		for (size_t at = 0; at < SIZES * SIZES * SIZES && all[i].class >= METHOD_DRAW && !is_draw; at++) {
			const uint64_t dims[3] = {sizes[at % SIZES], sizes[at / SIZES % SIZES], sizes[at / SIZES / SIZES]};
			const size_t option = at % (sizeof options / sizeof *options);

			if (dims[0] && dims[1] && dims[2])
				continue;
			ask(&fixture, &all[i], at % 2 ? "f32" : "c128", dims, options[option].name, options[option].value, &answers);
		}
	}
	assert_true(answers > 1000);
	fixture_close(&fixture);
}

/* numpy: a draw of no samples is an empty array, whose parameters may be empty arrays; elsewhere element k modulo 0 does not
 * exist. */
static void draw_with_empty(struct fixture *fixture, const struct operation *draw, size_t p, uint64_t n)
{
	const int64_t none[] = {0};
	struct call *call = call_new();
	char prefix[128];

	put(call, "n", value_uint(n));
	put(call, draw->params[p].name, ones(call->bump, false, true, 1, none));
	for (size_t i = 0; i < draw->n_params; i++)
		if (!draw->params[i].fallback && i != p)
			put(call, draw->params[i].name, value_uint(1));
	if (n > 0) {
		snprintf(prefix, sizeof prefix, "bad_shape: %s: %s: ", draw->name, draw->params[p].name);
		call_fails(call, fixture->memory, draw->name, ERROR_BAD_SHAPE, prefix);
		return;
	}
	assert_int_equal(value_get(call_run(call, fixture->memory, draw->name), "data")->bytes.size, 0);
	call_free(call);
}

static void test_draws(void **state)
{
	struct fixture fixture = fixture_open(1);
	size_t count, arrays = 0;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < all[i].n_params; p++)
			if (all[i].class == METHOD_DRAW && operation_takes_array(&all[i], p) && all[i].params[p].type == PARAM_F64) {
				draw_with_empty(&fixture, &all[i], p, 0);
				draw_with_empty(&fixture, &all[i], p, 5);
				arrays++;
			}
	assert_true(arrays > 30);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_axis_is_left_out),
		cmocka_unit_test(test_operations_answer_as_numpy),
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_sizes_at_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
