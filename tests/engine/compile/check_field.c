/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian fields in requests: white noise that stays itself, the same bytes for any threads, in tiles and in programs; the errors. */
#include <float.h>
#include <math.h>

#include "engine/harness.h"

/* A table of density 1 from k = 0 on, wherever the grid ends: white noise. */
static const double white[] = {0, 1, 1e3, 1};

static struct call *field_call(uint64_t seed)
{
	struct call *call = call_new();

	put(call, "seed", value_uint(seed));
	return call;
}

static const struct value *data_of(const struct value *reply)
{
	const struct value *data = value_get(reply, "data");

	assert_non_null(data);
	return data;
}

/* lambda is 1 everywhere, so the field is the stream's normals, point by point. */
static void white_noise_is_the_stream(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = field_call(3), *normals = field_call(3);
	const struct value *reply, *data, *expected;

	(void)state;
	put(call, "shape", LIST(call, 6, 5, 8));
	put(call, "dtype", value_string("f64"));
	put(call, "spectrum", value_bytes(white, sizeof white));
	put(call, "position", value_uint(400));
	put(call, "mean", value_real(2));
	reply = call_run(call, fixture.memory, "field");
	put(normals, "n", value_uint(240));
	put(normals, "dtype", value_string("f64"));
	put(normals, "position", value_uint(400));
	put(normals, "mean", value_real(2));
	expected = call_run(normals, fixture.memory, "normal");
	assert_int_equal(value_get(reply, "next")->u, value_get(expected, "next")->u);
	assert_int_equal(value_get(reply, "position")->u, 400);
	data = data_of(reply);
	assert_int_equal(data->bytes.size, 240 * sizeof(double));
	for (size_t i = 0; i < 240; i++) {
		double got, wanted;

		memcpy(&got, data->bytes.at + i * sizeof got, sizeof got);
		memcpy(&wanted, data_of(expected)->bytes.at + i * sizeof wanted, sizeof wanted);
		if (!(fabs(got - wanted) < 1e-14))
			fail_msg("point %zu: expected %.17g, got %.17g", i, wanted, got);
	}
	call_free(call);
	call_free(normals);
	fixture_close(&fixture);
}

/* Runs a field of many chunks and returns its bytes, in the call that is the caller's to free. */
static struct call *large_field(struct fixture *fixture, const char *dtype, bool is_matern)
{
	struct call *call = field_call(11);

	put(call, "shape", LIST(call, 66, 50, 140));
	put(call, "dtype", value_string(dtype));
	if (is_matern) {
		put(call, "covariance", value_string("matern"));
		put(call, "nu", value_real(1.25));
		put(call, "length", LIST(call, 5, 2, 9));
	} else {
		put(call, "exponent", value_real(11.0 / 3));
	}
	call_run(call, fixture->memory, "field");
	return call;
}

static void threads_change_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct fixture one = fixture_open(1), many = fixture_open(5);
		struct call *first = large_field(&one, i % 2 ? "f64" : "f32", i / 2), *second = large_field(&many, i % 2 ? "f64" : "f32", i / 2);
		const struct value *a = data_of(request_result(first->request)), *b = data_of(request_result(second->request));

		assert_int_equal(a->bytes.size, b->bytes.size);
		assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
		call_free(first);
		call_free(second);
		fixture_close(&one);
		fixture_close(&many);
	}
}

/* Sums of fractional noise are cut into chunks; steps and their sums are of one draw. */
static void fractional_threads_change_nothing(void **state)
{
	static const char *const names[] = {"fgn", "fbm"};
	struct fixture fixtures[2] = {fixture_open(1), fixture_open(5)};
	struct call *calls[2][2];

	(void)state;
	for (int i = 0; i < 4; i++) {
		calls[i / 2][i % 2] = field_call(4);
		put(calls[i / 2][i % 2], "shape", value_uint(100003));
		put(calls[i / 2][i % 2], "hurst", value_real(0.8));
		put(calls[i / 2][i % 2], "dtype", value_string("f64"));
		call_run(calls[i / 2][i % 2], fixtures[i % 2].memory, names[i / 2]);
	}
	for (int i = 0; i < 2; i++)
		assert_memory_equal(data_of(request_result(calls[i][0]->request))->bytes.at,
				    data_of(request_result(calls[i][1]->request))->bytes.at, 100003 * sizeof(double));
	for (size_t i = 0, at = 0; i < 100003; i++, at += sizeof(double)) {
		static long double sum;
		double step, path;

		memcpy(&step, data_of(request_result(calls[0][0]->request))->bytes.at + at, sizeof step);
		memcpy(&path, data_of(request_result(calls[1][0]->request))->bytes.at + at, sizeof path);
		sum += step;
		assert_true(fabsl(path - sum) < 1e-8L);
	}
	for (int i = 0; i < 4; i++)
		call_free(calls[i / 2][i % 2]);
	fixture_close(&fixtures[0]);
	fixture_close(&fixtures[1]);
}

/* The tile gives shape and dtype; a step of a program follows the draw before it, and exp of it is lognormal. */
static void tiles_and_programs(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = field_call(5), *again = field_call(5), *program = field_call(5);
	struct value steps = value_array(), draw = value_map(), field = value_map(), lognormal = value_map(), results = value_array();
	const struct value *got;
	uint64_t handle;
	double *at;

	(void)state;
	handle = tile_of(&fixture, "f64", 1000, (void **)&at);
	put(call, "out", value_uint(handle));
	put(call, "exponent", value_real(-2));
	put(call, "position", value_uint(8));
	call_run(call, fixture.memory, "field");
	put(again, "shape", value_uint(1000));
	put(again, "dtype", value_string("f64"));
	put(again, "exponent", value_real(-2));
	put(again, "position", value_uint(8));
	assert_memory_equal(data_of(call_run(again, fixture.memory, "field"))->bytes.at, at, 1000 * sizeof *at);
	/* Five f32 take two groups of four words. */
	value_put(program->bump, &draw, "op", value_string("normal"));
	value_put(program->bump, &draw, "n", value_uint(5));
	value_put(program->bump, &field, "op", value_string("field"));
	value_put(program->bump, &field, "shape", value_uint(1000));
	value_put(program->bump, &field, "dtype", value_string("f64"));
	value_put(program->bump, &field, "exponent", value_real(-2));
	value_put(program->bump, &field, "as", value_string("f"));
	value_put(program->bump, &lognormal, "op", value_string("exp"));
	value_put(program->bump, &lognormal, "in", value_string("f"));
	value_put(program->bump, &lognormal, "as", value_string("e"));
	value_push(program->bump, &steps, draw);
	value_push(program->bump, &steps, field);
	value_push(program->bump, &steps, lognormal);
	value_push(program->bump, &results, value_string("f"));
	value_push(program->bump, &results, value_string("e"));
	put(program, "steps", steps);
	put(program, "results", results);
	got = value_get(call_run(program, fixture.memory, "run"), "results");
	assert_memory_equal(data_of(value_get(got, "f"))->bytes.at, at, 1000 * sizeof *at);
	for (size_t i = 0; i < 1000; i++) {
		double e;

		memcpy(&e, data_of(value_get(got, "e"))->bytes.at + i * sizeof e, sizeof e);
		assert_true(fabs(e / exp(at[i]) - 1) < 1e-15);
	}
	call_free(call);
	call_free(again);
	call_free(program);
	fixture_close(&fixture);
}

/* A grid that is not periodic is the corner of a periodic one, whose size and images the reply states. */
static void embeddings_are_corners(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = field_call(2), *whole = field_call(2);
	const struct value *reply, *grid;

	(void)state;
	put(call, "shape", LIST(call, 20, 30));
	put(call, "covariance", value_string("gaussian"));
	put(call, "length", LIST(call, 4, 1));
	put(call, "periodic", value_bool(false));
	reply = call_run(call, fixture.memory, "field");
	grid = value_get(reply, "embedding");
	assert_true(value_get(reply, "image_error")->real <= 1e-6 && grid->array.at[0].u >= 20 + 20 && grid->array.at[1].u < 60);
	put(whole, "shape", *grid);
	put(whole, "covariance", value_string("gaussian"));
	put(whole, "length", LIST(call, 4, 1));
	call_run(whole, fixture.memory, "field");
	for (size_t i = 0; i < 20; i++)
		assert_memory_equal(data_of(reply)->bytes.at + i * 30 * sizeof(float),
				    data_of(request_result(whole->request))->bytes.at + i * grid->array.at[1].u * sizeof(float),
				    30 * sizeof(float));
	call_free(call);
	call_free(whole);
	fixture_close(&fixture);
}

/* A rough covariance takes a grid of twice its points though it reaches far, also where the call is prepared and the spectrum is kept; the
 * reply says that nothing was dropped. */
static void rough_covariances_are_truncated(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int f64 = 0; f64 < 2; f64++) {
		struct call *call = field_call(2);
		const struct value *reply;

		put(call, "shape", value_uint(50));
		put(call, "dtype", value_string(f64 ? "f64" : "f32"));
		put(call, "covariance", value_string("matern"));
		put(call, "nu", value_real(0.3));
		put(call, "length", value_real(1000));
		put(call, "periodic", value_bool(false));
		reply = call_run(call, fixture.memory, "field");
		assert_int_equal(value_get(reply, "embedding")->array.at[0].u, 100);
		assert_true(value_get(reply, "image_error")->real == 0 && value_get(reply, "dropped")->real == 0);
		call_free(call);
	}
	fixture_close(&fixture);
}

/* Lengths of 2^40 spacings and the least nu end as soon as others, and what they give is finite. */
static void the_longest_lengths_end(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct call *call = field_call(1);
		const struct value *reply;

		put(call, "shape", LIST(call, 5, 8));
		put(call, "covariance", value_string("matern"));
		put(call, "nu", value_real(i % 2 ? 0.01 : 1000));
		put(call, "length", LIST(call, 1, INT64_C(1) << 40));
		put(call, "periodic", value_bool(i / 2));
		if (!(i / 2))
			put(call, "approximate", value_bool(true));
		reply = call_run(call, fixture.memory, "field");
		for (size_t k = 0; k < 40; k++) {
			float x;

			memcpy(&x, data_of(reply)->bytes.at + k * sizeof x, sizeof x);
			assert_true(isfinite(x));
		}
		assert_true(i / 2 || value_get(reply, "image_error")->real > 1);
		call_free(call);
	}
	fixture_close(&fixture);
}

static double number_at(const struct value *data, size_t i)
{
	double x;

	memcpy(&x, data->bytes.at + i * sizeof x, sizeof x);
	return x;
}

/* A table that lies above its largest density gives what the table does, and the number of the reply is the root of its factor. */
static void spectra_are_the_densities(void **state)
{
	static const double table[] = {0, 6, 0.5, 6, 100, 1.5};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int scales = 0; scales < 2; scales++) {
		struct call *call = field_call(1);
		const struct value *reply, *data;

		put(call, "shape", LIST(call, 6, 8));
		put(call, "spacing", LIST(call, 2, 3));
		put(call, "spectrum", value_bytes(table, sizeof table));
		put(call, "result", value_string("spectrum"));
		if (scales)
			put(call, "std", value_real(7));
		reply = call_run(call, fixture.memory, "field");
		assert_int_equal(value_get(reply, "relative")->boolean, scales);
		assert_true(fabs(value_get(reply, "root")->real - (scales ? 7 : sqrt(1.0 / 6))) < 1e-15);
		data = data_of(reply);
		assert_int_equal(data->bytes.size, 4 * 5 * sizeof(double));
		for (int j = 0; j < 20; j++) {
			const double k = hypot(2 * M_PI * (j / 5) / 12, 2 * M_PI * (j % 5) / 24);
			const double p = k <= 0.5 ? 6 : exp(log(6) + log(0.25) * log(k / 0.5) / log(200));

			if (!(fabs(number_at(data, (size_t)j) - p / (scales ? 6 : 1)) < 1e-13))
				fail_msg("wave number %d: expected %.17g, got %.17g", j, p, number_at(data, (size_t)j));
		}
		call_free(call);
	}
	fixture_close(&fixture);
}

/* A plane of a spectrum has the bytes that it has in the whole one, of a grid that is not periodic, too. */
static void planes_are_parts_of_the_spectrum(void **state)
{
	static const uint64_t planes[][2] = {{0, 0}, {0, 7}, {1, 3}, {1, 60}, {0, 3}, {1, 2}};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t p = 0; p < 6; p++) {
		struct call *calls[2] = {field_call(1), field_call(1)};
		const struct value *replies[2], *grid;
		size_t columns, rows, step;

		for (int i = 0; i < 2; i++) {
			put(calls[i], "shape", LIST(calls[i], 15, 70, 700));
			put(calls[i], "covariance", value_string(p < 4 ? "matern" : "spherical"));
			if (p < 4)
				put(calls[i], "nu", value_real(1.25));
			put(calls[i], "length", LIST(calls[i], 1, 5, 20));
			put(calls[i], "periodic", value_bool(p % 2 == 0));
			put(calls[i], "result", value_string("spectrum"));
			if (i)
				put(calls[i], "plane", LIST(calls[i], (int64_t)planes[p][0], (int64_t)planes[p][1]));
			replies[i] = call_run(calls[i], fixture.memory, "field");
		}
		grid = value_get(replies[0], "shape");
		assert_int_equal(value_get(replies[0], "transformed")->boolean, p >= 4);
		assert_int_equal(value_get(replies[1], "shape")->array.at[planes[p][0]].u, 1);
		columns = grid->array.at[2].u;
		rows = planes[p][0] ? grid->array.at[0].u : 1;
		step = planes[p][0] ? columns : grid->array.at[1].u * columns;
		for (size_t r = 0; r < rows; r++)
			assert_memory_equal(data_of(replies[1])->bytes.at + r * step * sizeof(double),
					    data_of(replies[0])->bytes.at +
						    (r * grid->array.at[1].u * columns + planes[p][1] * step) * sizeof(double),
					    step * sizeof(double));
		call_free(calls[0]);
		call_free(calls[1]);
	}
	fixture_close(&fixture);
}

/* What is wrong, and how the error begins. A row sets shape 4, 6 and these two parameters. */
static void errors_come_before_anything_is_drawn(void **state)
{
	static const double falls[] = {1, 2, 1, 4}, below[] = {1, 2, 2, -1}, nan[] = {1, NAN, 2, 1}, far[] = {100, 1, 200, 1},
			    huge[] = {0, 1e308, 10, 1e308}, narrow[] = {1.1, 1, 1.2, 1};
	const struct {
		const char *name, *second;
		struct value value, other;
		enum error_code code;
		const char *text;
	} rows[] = {
		{"seed", NULL, value_uint(1), value_nil(), ERROR_MISSING_PARAMETER, "missing_parameter: field: the spectrum is missing"},
		{"exponent", "covariance", value_real(1), value_string("gaussian"), ERROR_OUT_OF_RANGE, "out_of_range: field: more than one"},
		{"exponent", NULL, value_real(NAN), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: exponent:"},
		{"exponent", NULL, value_real(101), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: exponent:"},
		{"exponent", "length", value_real(1), value_real(1), ERROR_OUT_OF_RANGE, "out_of_range: field: length: given beside exponent"},
		{"exponent", "std", value_real(1), value_real(1e38), ERROR_OUT_OF_RANGE, "out_of_range: field: std:"},
		{"exponent", "std", value_real(1), value_real(-1), ERROR_OUT_OF_RANGE, "out_of_range: field: std:"},
		{"exponent", "spacing", value_real(1), value_real(0), ERROR_OUT_OF_RANGE, "out_of_range: field: spacing: got 0"},
		{"exponent", "spacing", value_real(1), value_string("x"), ERROR_WRONG_TYPE, "wrong_type: field: spacing:"},
		{"covariance", NULL, value_string("gaussian"), value_nil(), ERROR_MISSING_PARAMETER, "missing_parameter: field: length:"},
		{"covariance", "length", value_string("matern"), value_real(1), ERROR_MISSING_PARAMETER, "missing_parameter: field: nu:"},
		{"covariance", "length", value_string("gaussian"), value_real(NAN), ERROR_OUT_OF_RANGE, "out_of_range: field: length:"},
		{"covariance", "length", value_string("gaussian"), value_real(1e15), ERROR_OUT_OF_RANGE, "out_of_range: field: length: axis 0"},
		{"exponent", "plane", value_real(1), value_real(3), ERROR_OUT_OF_RANGE, "out_of_range: field: plane: given without"},
		{"result", "exponent", value_string("white"), value_real(1), ERROR_OUT_OF_RANGE, "out_of_range: field: result:"},
		{"exponent", "periodic", value_real(1), value_bool(false), ERROR_OUT_OF_RANGE, "out_of_range: field: periodic: got false"},
		{"spectrum", NULL, value_bytes(falls, sizeof falls), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: pair 1: k"},
		{"spectrum", NULL, value_bytes(below, sizeof below), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: pair 1: P"},
		{"spectrum", NULL, value_bytes(nan, sizeof nan), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: pair 0: P"},
		{"spectrum", NULL, value_bytes(far, sizeof far), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: k from"},
		{"spectrum", NULL, value_bytes(huge, sizeof huge), value_nil(), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: the transforms"},
		{"spectrum", NULL, value_bytes(nan, 24), value_nil(), ERROR_WRONG_TYPE, "wrong_type: field: spectrum: allowed"},
		{"spectrum", NULL, value_bytes(nan, 31), value_nil(), ERROR_WRONG_TYPE, "wrong_type: field: spectrum: allowed"},
		{"spectrum", "std", value_bytes(narrow, sizeof narrow), value_real(1), ERROR_OUT_OF_RANGE, "out_of_range: field: spectrum: it is 0"},
	};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct call *call = call_new();

		put(call, "shape", LIST(call, 4, 6));
		put(call, rows[i].name, rows[i].value);
		if (rows[i].second)
			put(call, rows[i].second, rows[i].other);
		call_fails(call, fixture.memory, "field", rows[i].code, rows[i].text);
	}
	fixture_close(&fixture);
}

static void errors_of_grids(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct call *call = call_new();

		put(call, "shape", LIST(call, 4, 6));
		put(call, "covariance", value_string("exponential"));
		put(call, "length", value_real(5));
		put(call, i ? "approximate" : "periodic", value_bool(i));
		call_fails(call, fixture.memory, "field", ERROR_OUT_OF_RANGE,
			   i ? "out_of_range: field: approximate:" : "out_of_range: field: length: with a grid of 4 times");
	}
	for (int64_t points = 0; points < 2; points++) {
		struct call *call = call_new();

		put(call, "shape", LIST(call, 4, points));
		put(call, "exponent", value_real(1));
		call_fails(call, fixture.memory, "field", ERROR_OUT_OF_RANGE, "out_of_range: field: shape: axis 1 has");
	}
	fixture_close(&fixture);
}

static void errors_of_planes(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (int i = 0; i < 4; i++) {
		static const char *const texts[] = {"wrong_type: field: plane: allowed", "out_of_range: field: plane: axis 1,",
						    "out_of_range: field: plane: axis -1,", "out_of_range: field: plane: index 3, allowed are 0 to 2"};
		struct call *call = call_new();
		const struct value planes[] = {value_real(1), LIST(call, 1, 0), LIST(call, -1, 0), LIST(call, 0, 3)};

		put(call, "shape", LIST(call, 4, 6));
		put(call, "covariance", value_string("gaussian"));
		put(call, "length", value_real(1));
		put(call, "result", value_string("spectrum"));
		put(call, "plane", planes[i]);
		call_fails(call, fixture.memory, "field", i ? ERROR_OUT_OF_RANGE : ERROR_WRONG_TYPE, texts[i]);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(white_noise_is_the_stream),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(fractional_threads_change_nothing),
		cmocka_unit_test(tiles_and_programs),
		cmocka_unit_test(embeddings_are_corners),
		cmocka_unit_test(rough_covariances_are_truncated),
		cmocka_unit_test(the_longest_lengths_end),
		cmocka_unit_test(spectra_are_the_densities),
		cmocka_unit_test(planes_are_parts_of_the_spectrum),
		cmocka_unit_test(errors_come_before_anything_is_drawn),
		cmocka_unit_test(errors_of_grids),
		cmocka_unit_test(errors_of_planes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
