/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line functions: arrays of the caller's that lie anywhere and overlap, integers of all 64 bits, nothing at
 * all, tiles that operations make, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "drawing.h"

#define LIST(...) ((const struct trnsci_param[]){__VA_ARGS__, trnsci_param_end()})

static const struct trnsci_source seed_7 = {.seed = 7};

static void assert_text(const struct trnsci_error *err, const char *part)
{
	if (!strstr(err->text, part))
		fail_msg("expected \"%s\" in \"%s\"", part, err->text);
}

static void expect(int r, int code, const struct trnsci_error *err, const char *part)
{
	if (r != -code)
		fail_msg("expected %s, got %s: %s", trnsci_error_name(code), trnsci_error_name(r), r ? err->text : "");
	assert_text(err, part);
}

/* ---- fill ---- */

/* At every distance from an aligned address, few and many, with guards on both sides. */
static void any_alignment(struct trnsci_session *session)
{
	enum { MANY = 40000 };
	static unsigned char memory[MANY * 8 + 64];
	double *expected = malloc(MANY * sizeof *expected);
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_array(session, "uniform", NULL, &seed_7, TRNSCI_F64, MANY, expected, NULL, &err), 0);
	for (size_t shift = 0; shift < 9; shift++)
		for (uint64_t n = 1; n <= MANY; n *= MANY - 1) {
			memset(memory, 0xa5, sizeof memory);
			assert_int_equal(trnsci_draw_array(session, "uniform", NULL, &seed_7, TRNSCI_F64, n, memory + 8 + shift,
							   NULL, &err),
					 0);
			assert_memory_equal(memory + 8 + shift, expected, n * sizeof *expected);
			assert_int_equal(memory[7 + shift], 0xa5);
			assert_int_equal(memory[8 + shift + n * sizeof *expected], 0xa5);
			if (n == MANY - 1)
				break;
		}
	free(expected);
}

/* So many that they are stored around the caches, at any address. */
static void around_the_caches(struct trnsci_session *session)
{
	enum { MANY = (4 << 20) + 1001, STEP = 500000 };
	unsigned char *memory = malloc(MANY * sizeof(float) + 64);
	float *expected = malloc(STEP * sizeof *expected);
	struct trnsci_error err;

	for (size_t shift = 1; shift < 64; shift += 31) {
		memset(memory, 0xa5, MANY * sizeof(float) + 64);
		assert_int_equal(trnsci_draw_array(session, "uniform", NULL, &seed_7, TRNSCI_F32, MANY, memory + shift, NULL, &err), 0);
		assert_true(memory[shift - 1] == 0xa5 && memory[shift + MANY * sizeof(float)] == 0xa5);
		for (uint64_t at = 0; at < MANY; at += STEP) {
			const struct trnsci_source source = {.seed = 7, .offset = at};
			const uint64_t n = MANY - at < STEP ? MANY - at : STEP;

			assert_int_equal(trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F32, n, expected, NULL, &err), 0);
			assert_memory_equal(memory + shift + at * sizeof(float), expected, n * sizeof(float));
		}
	}
	free(memory);
	free(expected);
}

/* The parts of a draw by rank, of scalars and of vectors, few and many, join; and every rank has the span of the whole.
 */
static void parts(struct trnsci_session *session)
{
	static const struct {
		const char *distribution;
		uint64_t components, samples;
	} draws[] = {{"normal", 1, 1001}, {"sphere", 3, 333}, {"normal", 1, 300001}, {"sphere", 3, 100001}};

	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		const uint64_t n = draws[i].samples * draws[i].components;
		float *whole = malloc(n * sizeof *whole), *part = malloc(n * sizeof *part);
		struct trnsci_source source = {.seed = 3, .position = 8, .offset = 5};
		struct trnsci_span all, span;
		struct trnsci_error err = {0};

		assert_int_equal(
			trnsci_draw_array(session, draws[i].distribution, NULL, &source, TRNSCI_F32, n, whole, &all, &err), 0);
		source.size = 4;
		for (source.rank = 0; source.rank < 4; source.rank++) {
			uint64_t begin, end;

			trnsci_rank_part(draws[i].samples, source.rank, 4, &begin, &end);
			if (trnsci_draw_array(session, draws[i].distribution, NULL, &source, TRNSCI_F32, n, part, &span, &err) < 0)
				fail_msg("%s", err.text);
			assert_memory_equal(part, whole + begin * draws[i].components,
					    (end - begin) * draws[i].components * sizeof *part);
			assert_true(span.next == all.next && span.position == all.position &&
				    span.offset == all.offset);
		}
		expect(trnsci_draw_array(session, draws[i].distribution, NULL, &source, TRNSCI_F32, n, part, &span, &err),
		       TRNSCI_OUT_OF_RANGE, &err, "rank");
		free(whole);
		free(part);
	}
}

/* Nothing is drawn, but it is said where. */
static void places(struct trnsci_session *session)
{
	struct trnsci_span span, drawn;
	struct trnsci_error err;
	float out[10];

	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, 10, NULL, &span, &err), 0);
	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, 10, out, &drawn, &err), 0);
	assert_true(span.next == 12 && drawn.next == 12 && span.seed == 7 &&
		    strcmp(span.generator, "threefry4x32") == 0);
	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, 0, NULL, &span, &err), 0);
	assert_int_equal(trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_F32, 0, out, &span, &err), 0);
	assert_true(span.next == 0 && span.seed == 0);
}

/* No double holds these; a parameter of a list of params keeps all of their digits. */
static void large_integers(struct trnsci_session *session)
{
	struct trnsci_error err;
	uint64_t u[1000];
	int64_t i[1000];

	assert_int_equal(
		trnsci_draw_array(session, "randint",
				  LIST(trnsci_param_u64("low", UINT64_MAX - 3), trnsci_param_text("high", "18446744073709551616")),
				  &seed_7, TRNSCI_U64, 1000, u, NULL, &err),
		0);
	assert_int_equal(trnsci_draw_array(session, "randint",
					   LIST(trnsci_param_i64("low", INT64_MIN), trnsci_param_i64("high", INT64_MIN + 2)),
					   &seed_7, TRNSCI_I64, 1000, i, NULL, &err),
			 0);
	bool least = false, most = false;

	for (size_t k = 0; k < 1000; k++) {
		assert_true(u[k] >= UINT64_MAX - 3);
		assert_true(i[k] == INT64_MIN || i[k] == INT64_MIN + 1);
		least |= u[k] == UINT64_MAX - 3;
		most |= u[k] == UINT64_MAX;
	}
	assert_true(least && most);
}

static void wrong_fills(struct trnsci_session *session)
{
	struct trnsci_source named = trnsci_source_named("s"), source = seed_7;
	struct trnsci_error err;
	float out[8];

	expect(trnsci_draw_array(session, NULL, NULL, NULL, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_MISSING_PARAMETER, &err,
	       "distribution: missing");
	expect(trnsci_draw_array(session, "nothing", NULL, NULL, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_UNKNOWN_METHOD, &err,
	       "nothing");
	expect(trnsci_draw_array(session, "normal", LIST(trnsci_param_f64("men", 1)), NULL, TRNSCI_F32, 8, out, NULL, &err),
	       TRNSCI_UNKNOWN_PARAMETER, &err, "men: no such parameter");
	expect(trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_I8, 8, out, NULL, &err), TRNSCI_OUT_OF_RANGE, &err,
	       "dtype: got \"i8\"");
	expect(trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_DTYPE_NONE, 8, out, NULL, &err), TRNSCI_OUT_OF_RANGE, &err,
	       "dtype");
	expect(trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_F32, UINT64_MAX / 2, out, NULL, &err), TRNSCI_OUT_OF_RANGE,
	       &err, "more samples than there can be");
	named.seed = 1;
	expect(trnsci_draw_array(session, "normal", NULL, &named, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_OUT_OF_RANGE, &err,
	       "the stream's own");
	source.position = 2;
	expect(trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_OUT_OF_RANGE, &err,
	       "multiples of 4");
	source.position = TRNSCI_END_OF_WORDS;
	expect(trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_END_OF_STREAM, &err,
	       "has ended");
	source = seed_7;
	source.reserved[1] = 1;
	expect(trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, 8, out, NULL, &err), TRNSCI_OUT_OF_RANGE, &err,
	       "reserved");
}

/* When the function returns, nobody writes to the array any more, which may be gone then. */
static void test_timeout(void **state)
{
	const struct trnsci_options options = {.threads = 2, .timeout_ms = 1};
	const char *const addresses[] = {"embedded:", trnscid.socket};
	const uint64_t n = 1 << 27;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		float *out = malloc(n * sizeof *out); /* a mapping of its own, which free takes away */
		struct trnsci_session *session;
		struct trnsci_error err = {0};
		float few[4];

		int r;

		do /* on a busy machine no answer to the greeting may come within 1 ms */
			r = trnsci_open(addresses[i], &options, &session, &err);
		while (r == -TRNSCI_TIMEOUT);
		assert_int_equal(r, 0);
		expect(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, n, out, NULL, &err), TRNSCI_TIMEOUT, &err,
		       "no answer within 1 ms");
		free(out);
		do
			r = trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, 4, few, NULL, &err);
		while (r == -TRNSCI_TIMEOUT);
		assert_int_equal(r, 0);
		trnsci_close(session);
	}
}

/* ---- transform ---- */

/* Wherever in and out lie, and however they overlap, the result is that of arrays apart. */
static void overlaps(struct trnsci_session *session)
{
	enum { N = 96, ROOM = 2 * N * sizeof(float) };
	unsigned char memory[4 * ROOM];
	float signal[2 * N], expected[2 * N], got[2 * N];
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, 2 * N, signal, NULL, &err), 0);
	assert_int_equal(trnsci_apply_array(session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, N, signal),
					    trnsci_array_vector(TRNSCI_C64, N, expected), &err),
			 0);
	for (int shift = -40; shift <= 40; shift++) {
		unsigned char *in = memory + ROOM, *out = in + 5 * shift;

		memcpy(in, signal, sizeof signal);
		if (trnsci_apply_array(session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, N, in),
				       trnsci_array_vector(TRNSCI_C64, N, out), &err) < 0)
			fail_msg("shift %d: %s", 5 * shift, err.text);
		memcpy(got, out, sizeof got);
		assert_memory_equal(got, expected, sizeof got);
	}
}

/* Half a spectrum over the reals that it is made of. */
static void real_in_place(struct trnsci_session *session)
{
	enum { N = 64 };
	const struct trnsci_param real = trnsci_param_bool("real", true);
	float x[N + 2], signal[N], spectrum[N + 2];
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, N, signal, NULL, &err), 0);
	memcpy(x, signal, sizeof signal);
	assert_int_equal(trnsci_apply_array(session, "fft", LIST(real), trnsci_array_vector(TRNSCI_F32, N, signal),
					    trnsci_array_vector(TRNSCI_C64, N / 2 + 1, spectrum), &err),
			 0);
	assert_int_equal(trnsci_apply_array(session, "fft", LIST(real), trnsci_array_vector(TRNSCI_F32, N, x),
					    trnsci_array_vector(TRNSCI_C64, N / 2 + 1, x), &err),
			 0);
	assert_memory_equal(x, spectrum, sizeof x);
}

/* A batch that goes to a daemon in pieces has the bytes of its transforms one by one, also in place. */
static void large_batches(struct trnsci_session *session)
{
	static const struct {
		const char *operation, *flag;
		enum trnsci_dtype in, out;
		uint64_t rows, n, results;
	} batches[] = {
		{"fft", NULL, TRNSCI_C64, TRNSCI_C64, 701, 1000, 1000},
		{"fft", "inverse", TRNSCI_C64, TRNSCI_C64, 3, 100000, 100000},
		{"fft", "real", TRNSCI_F32, TRNSCI_C64, 1030, 1024, 513},
		{"fft", NULL, TRNSCI_F64, TRNSCI_C128, 1025, 256, 256},
		{"dct", NULL, TRNSCI_F32, TRNSCI_F32, 601, 1001, 1001},
	};
	enum { MOST = 6 << 20 };
	unsigned char *in = malloc(MOST), *out = malloc(MOST), *expected = malloc(MOST);
	struct trnsci_error err;

	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		const uint64_t rows = batches[i].rows, n = batches[i].n, results = batches[i].results;
		const size_t row = n * trnsci_dtype_size(batches[i].in), result = results * trnsci_dtype_size(batches[i].out);
		const bool wide = batches[i].in == TRNSCI_F64;
		const struct trnsci_param flag = batches[i].flag ? trnsci_param_bool(batches[i].flag, true) : trnsci_param_end();
		const struct trnsci_array from = trnsci_array_matrix(batches[i].in, rows, n, in);

		assert_true(rows * row <= MOST && rows * result <= MOST);
		assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, wide ? TRNSCI_F64 : TRNSCI_F32,
						   rows * row / (wide ? 8 : 4), in, NULL, &err),
				 0);
		for (uint64_t k = 0; k < rows; k += k + 4 < rows || rows < 4 ? 1 + rows / 16 : 1)
			assert_int_equal(trnsci_apply_array(session, batches[i].operation, LIST(flag),
							    trnsci_array_vector(batches[i].in, n, in + k * row),
							    trnsci_array_vector(batches[i].out, results, expected + k * result), &err),
					 0);
		for (int in_place = 0; in_place <= (row == result); in_place++) {
			unsigned char *const to = in_place ? in : out;

			if (trnsci_apply_array(session, batches[i].operation, LIST(flag), from,
					       trnsci_array_matrix(batches[i].out, rows, results, to), &err) < 0)
				fail_msg("%s: %s", batches[i].operation, err.text);
			for (uint64_t k = 0; k < rows; k += k + 4 < rows || rows < 4 ? 1 + rows / 16 : 1)
				assert_memory_equal(to + k * result, expected + k * result, result);
		}
	}
	/* What is wrong is said of the whole. */
	expect(trnsci_apply_array(session, "fft", NULL, trnsci_array_matrix(TRNSCI_C64, 701, 1000, in),
				  trnsci_array_matrix(TRNSCI_C64, 701, 1001, out), &err),
	       TRNSCI_BAD_SHAPE, &err, "(701, 1001)");
	free(in);
	free(out);
	free(expected);
}

/* Axes that leave the first one out, and one that does not. */
static void axes_of_large_batches(struct trnsci_session *session)
{
	enum { PLANES = 7, ROWS = 100, N = 1000, PLANE = ROWS * N * 8 };
	static const uint64_t shape[] = {PLANES, ROWS, N};
	static const int64_t all[] = {0, 1};
	unsigned char *in = malloc(PLANES * PLANE), *out = malloc(PLANES * PLANE), *expected = malloc(PLANES * PLANE);
	struct trnsci_error err;
	double sum = 0;

	assert_int_equal(trnsci_draw_array(session, "normal", NULL, &seed_7, TRNSCI_F32, PLANES * PLANE / 4, in, NULL, &err), 0);
	for (size_t k = 0; k < PLANES; k++)
		assert_int_equal(trnsci_apply_array(session, "fft", LIST(trnsci_param_i64s("axes", all, 2)),
						    trnsci_array_matrix(TRNSCI_C64, ROWS, N, in + k * PLANE),
						    trnsci_array_matrix(TRNSCI_C64, ROWS, N, expected + k * PLANE), &err),
				 0);
	for (int64_t first = 1; first >= -2; first -= 3) {
		const int64_t axes[] = {first, 2};

		assert_int_equal(trnsci_apply_array(session, "fft", LIST(trnsci_param_i64s("axes", axes, 2)),
						    trnsci_array_of(TRNSCI_C64, 3, shape, in),
						    trnsci_array_of(TRNSCI_C64, 3, shape, out), &err),
				 0);
		assert_memory_equal(out, expected, PLANES * PLANE);
	}
	assert_int_equal(trnsci_apply_array(session, "fft", LIST(trnsci_param_i64("axes", -3)),
					    trnsci_array_of(TRNSCI_C64, 3, shape, in), trnsci_array_of(TRNSCI_C64, 3, shape, out), &err),
			 0);
	for (size_t k = 0; k < PLANES; k++)
		sum += *(const float *)(in + k * PLANE);
	assert_true(fabs(sum - *(const float *)out) < 1e-4);
	free(in);
	free(out);
	free(expected);
}

static void wrong_transforms(struct trnsci_session *session)
{
	struct trnsci_array x = trnsci_array_vector(TRNSCI_F32, 4, NULL), y = trnsci_array_vector(TRNSCI_F32, 4, NULL);
	struct trnsci_error err;
	float memory[16] = {0};

	expect(trnsci_apply_array(session, "scale", NULL, x, y, &err), TRNSCI_MISSING_PARAMETER, &err, "in: data: missing");
	x.data = memory;
	expect(trnsci_apply_array(session, NULL, NULL, x, y, &err), TRNSCI_MISSING_PARAMETER, &err, "operation: missing");
	expect(trnsci_apply_array(session, "scale", NULL, x, y, &err), TRNSCI_MISSING_PARAMETER, &err, "out: data: missing");
	y.data = memory + 8;
	y.ndim = 9;
	expect(trnsci_apply_array(session, "scale", NULL, x, y, &err), TRNSCI_OUT_OF_RANGE, &err, "out: shape: 9 dimensions");
	y.ndim = 1;
	y.dtype = TRNSCI_F64;
	expect(trnsci_apply_array(session, "scale", NULL, x, y, &err), TRNSCI_BAD_SHAPE, &err, "f64 (4), allowed is f32 (4)");
	y.dtype = TRNSCI_F32;
	y.shape[0] = UINT64_MAX / 2;
	expect(trnsci_apply_array(session, "scale", NULL, x, y, &err), TRNSCI_OUT_OF_RANGE, &err, "more bytes than memory");
	y.shape[0] = 4;
	expect(trnsci_apply_array(session, "unknown", NULL, x, y, &err), TRNSCI_UNKNOWN_METHOD, &err, "unknown");
	expect(trnsci_apply_array(session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, 0, NULL),
				  trnsci_array_vector(TRNSCI_C64, 0, NULL), &err),
	       TRNSCI_OUT_OF_RANGE, &err, "fft");
	expect(trnsci_apply_array(session, "scale", NULL, trnsci_array_vector(TRNSCI_F32, 0, NULL),
				  trnsci_array_vector(TRNSCI_F64, 0, NULL), &err),
	       TRNSCI_BAD_SHAPE, &err, "scale: out: ");
	assert_int_equal(trnsci_apply_array(session, "scale", NULL, trnsci_array_vector(TRNSCI_F32, 0, NULL),
					    trnsci_array_vector(TRNSCI_F32, 0, NULL), &err),
			 0);
}

/* ---- tiles ---- */

/* The engine says what the result is; the tile is the caller's, to fill and to free. */
static void new_tiles(struct trnsci_session *session)
{
	const uint64_t shape[2] = {6, 10};
	struct trnsci_tile *x = NULL, *y = NULL, *none = NULL;
	struct trnsci_tile_info info;
	struct trnsci_call *run;
	struct trnsci_error err;

	assert_int_equal(trnsci_draw_tile(session, "uniform",
					  LIST(trnsci_param_u64s("shape", shape, 2), trnsci_param_text("dtype", "f64")), &seed_7,
					  &x, NULL, &err),
			 0);
	assert_int_equal(
		trnsci_apply_tile(session, "fft", LIST(trnsci_param_tile("in", x), trnsci_param_bool("real", true)), &y, &err), 0);
	trnsci_tile_describe(y, &info);
	assert_true(info.dtype == TRNSCI_C128 && info.ndim == 2 && info.shape[0] == 6 && info.shape[1] == 6 &&
		    info.count == 36);
	assert_true(info.bytes == 576 && !info.lost);
	memset(trnsci_tile_data(y), 0, info.bytes);
	assert_int_equal(trnsci_apply_tile(session, "scale", LIST(trnsci_param_tile("in", y)), &y, &err), 0);
	expect(trnsci_apply_tile(session, "fft", LIST(trnsci_param_tile("in", x), trnsci_param_text("norm", "none")), &none, &err),
	       TRNSCI_OUT_OF_RANGE, &err, "norm");
	assert_null(none);
	expect(trnsci_draw_tile(session, "uniform", NULL, NULL, &none, NULL, &err), TRNSCI_MISSING_PARAMETER, &err, "n");
	expect(trnsci_draw_tile(session, "uniform", NULL, NULL, NULL, NULL, &err), TRNSCI_BAD_TILE, &err, "tile: missing");
	expect(trnsci_apply_tile(session, "scale", NULL, NULL, &err), TRNSCI_BAD_TILE, &err, "tile: missing");
	trnsci_tile_free(y);

	assert_int_equal(trnsci_call_new(session, "run", &run), 0);
	for (int i = 0; i < 2; i++)
		trnsci_set_params(trnsci_program_step(run, "scale"),
				  LIST(trnsci_param_tile("in", x), trnsci_param_new_tile("out")));
	assert_int_equal(trnsci_run(run, NULL), 0);
	assert_int_equal(trnsci_call_tile(run, NULL, &none), -TRNSCI_BAD_REPLY);
	assert_int_equal(trnsci_call_tile(run, trnsci_value_at(trnsci_value_get(trnsci_call_reply(run), "steps"), 1), &y), 0);
	trnsci_tile_describe(y, &info);
	assert_memory_equal(trnsci_tile_data(y), trnsci_tile_data(x), info.bytes);
	trnsci_call_free(run);
	trnsci_tile_free(y);
	trnsci_tile_free(x);
}

/* A call's first tile is one that the engine makes: the session gets its memory by itself. */
static void a_first_tile(struct trnsci_session *session)
{
	struct trnsci_call *call;
	struct trnsci_tile *tile;
	struct trnsci_span span;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set_params(trnsci_call_args(call), LIST(trnsci_param_u64("n", 5), trnsci_param_new_tile("out")));
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	assert_int_equal(trnsci_wait(call, 20000), 0);
	assert_int_equal(trnsci_call_span(call, &span), 0);
	assert_true(span.next == 8);
	assert_int_equal(trnsci_call_tile(call, NULL, &tile), 0);
	assert_int_equal(tile_info(tile).count, 5);
	trnsci_tile_free(tile);
	trnsci_call_free(call);
}

/* More shapes than are kept, and one of them again: each call has its own result. */
static void many_shapes(struct trnsci_session *session)
{
	enum { MOST = 30 };
	float x[MOST], y[MOST];
	struct trnsci_error err;

	for (int round = 0; round < 3; round++)
		for (uint64_t n = 1; n <= MOST; n++) {
			for (uint64_t i = 0; i < n; i++)
				x[i] = (float)(i + n);
			assert_int_equal(trnsci_apply_array(session, "scale", LIST(trnsci_param_f64("by", 2)),
							    trnsci_array_vector(TRNSCI_F32, n, x),
							    trnsci_array_vector(TRNSCI_F32, n, y), &err),
					 0);
			for (uint64_t i = 0; i < n; i++)
				assert_true(y[i] == 2 * x[i]);
		}
}

/* ---- sessions ---- */

static void a_fallback_is_embedded(void **state)
{
	const struct trnsci_options options = {.or_embedded = true, .reconnect_ms = -1};
	struct trnsci_session *session;
	struct trnsci_session_info info;
	struct trnsci_error err = {0};

	(void)state;
	assert_int_equal(trnsci_open("/nonexistent/socket", NULL, &session, &err), -TRNSCI_NO_DAEMON);
	assert_int_equal(trnsci_open("/nonexistent/socket", &options, &session, &err), 0);
	assert_int_equal(err.code, TRNSCI_NO_DAEMON);
	assert_int_equal(trnsci_session_describe(session, &info), 0);
	assert_true(info.embedded && info.restarts == 0 && strcmp(info.address, "embedded:") == 0);
	trnsci_close(session);
	assert_int_equal(trnsci_open(trnscid.socket, &options, &session, &err), 0);
	assert_int_equal(err.code, 0);
	assert_int_equal(trnsci_session_describe(session, &info), 0);
	assert_false(info.embedded);
	trnsci_close(session);
	assert_int_equal(trnsci_session_describe(NULL, &info), -TRNSCI_CLOSED);
	assert_null(info.address);
}

/* Normals of std 0 are their means, which the elements are in turn, counted from the draw's start: in memory and in a
 * tile, few and many, in parts. */
static void elements(struct trnsci_session *session)
{
	enum { MEANS = 7, MANY = 700001 };
	static const double means[MEANS] = {3, 1, 4, 1.5, 9, 2, 6};
	static float out[MANY];
	const struct trnsci_array array = trnsci_array_vector(TRNSCI_F64, MEANS, means);
	const struct trnsci_param inline_params[] = {trnsci_param_u64("std", 0), trnsci_param_array("mean", &array),
						     trnsci_param_end()};
	const uint64_t of_means[] = {MEANS};
	struct trnsci_tile *tile, *drawn = NULL;
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_tile_new(session, TRNSCI_F64, 1, of_means, &tile, &err), 0);
	memcpy(trnsci_tile_data(tile), means, sizeof means);
	const struct trnsci_param tile_params[] = {trnsci_param_u64("std", 0), trnsci_param_tile_elements("mean", tile),
						   trnsci_param_end()};

	for (uint64_t n = 1000; n <= MANY; n += MANY - 1000)
		for (uint64_t rank = 0; rank < 3; rank++) {
			const struct trnsci_source source = {.position = 8, .offset = 5, .rank = rank, .size = 3};
			uint64_t begin, end;

			trnsci_rank_part(n, rank, 3, &begin, &end);
			if (trnsci_draw_array(session, "normal", rank == 1 ? tile_params : inline_params, &source, TRNSCI_F32, n,
					      out, NULL, &err) < 0)
				fail_msg("%s", err.text);
			for (uint64_t i = 0; i < end - begin; i++)
				if (out[i] != means[(5 + begin + i) % MEANS])
					fail_msg("rank %d, sample %d: expected %g, got %g", (int)rank, (int)i,
						 means[(5 + begin + i) % MEANS], out[i]);
		}
	const struct trnsci_param drawn_params[] = {trnsci_param_u64("n", 5), trnsci_param_u64("std", 0),
						    trnsci_param_tile_elements("mean", tile), trnsci_param_end()};

	assert_int_equal(trnsci_draw_tile(session, "normal", drawn_params, NULL, &drawn, NULL, &err), 0);
	assert_true(((float *)trnsci_tile_data(drawn))[4] == 9);
	trnsci_tile_free(drawn);
	((double *)trnsci_tile_data(tile))[2] = NAN;
	expect(trnsci_draw_array(session, "normal", tile_params, NULL, TRNSCI_F32, MANY, out, NULL, &err), TRNSCI_OUT_OF_RANGE,
	       &err, "normal: mean: element 2: got nan");
	trnsci_tile_free(tile);
}

BOTH(elements)
BOTH(any_alignment)
BOTH(around_the_caches)
BOTH(parts)
BOTH(places)
BOTH(large_integers)
BOTH(wrong_fills)
BOTH(overlaps)
BOTH(real_in_place)
BOTH(large_batches)
BOTH(axes_of_large_batches)
BOTH(wrong_transforms)
BOTH(new_tiles)
BOTH(a_first_tile)
BOTH(many_shapes)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_by_both),         cmocka_unit_test(any_alignment_by_both),    cmocka_unit_test(parts_by_both),
		cmocka_unit_test(places_by_both),           cmocka_unit_test(large_integers_by_both),
		cmocka_unit_test(wrong_fills_by_both),      cmocka_unit_test(test_timeout),
		cmocka_unit_test(overlaps_by_both),         cmocka_unit_test(real_in_place_by_both),
		cmocka_unit_test(large_batches_by_both),    cmocka_unit_test(around_the_caches_by_both),
		cmocka_unit_test(axes_of_large_batches_by_both),
		cmocka_unit_test(wrong_transforms_by_both), cmocka_unit_test(new_tiles_by_both),
		cmocka_unit_test(a_first_tile_by_both),     cmocka_unit_test(many_shapes_by_both),
		cmocka_unit_test(a_fallback_is_embedded),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
