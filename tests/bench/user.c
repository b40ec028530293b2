/* SPDX-License-Identifier: Apache-2.0 */
/* What a user gets: work through the installed library and its public header, and nothing else.
 *
 *   at=embedded: or a daemon's socket; threads=, cpu= of an embedded engine; queue=yes, queue=no of a daemon
 *   method=NAME in=DTYPE:SHAPE b=DTYPE:SHAPE out=DTYPE:SHAPE p.NAME=VALUE ...
 *   call=plain    the one-line functions: trnsci_draw_array (without `in`), trnsci_apply_array, on the process's own memory
 *   call=apply    trnsci_apply_tile on tiles
 *   call=prepared a call that is run again on tiles; draws state their offset anew each time
 *   call=reply    the same, with the samples in the reply instead of a tile
 *   call=named    the same, of a named stream
 *   call=program  a program of 15 steps over the samples of out; fresh=1: its parameters are set anew for each run
 *   call=first    the second run transforms each of the lengths first= to last= once, which the process has not met before
 *   call=session  a session for each draw: trnsci_open, trnsci_draw_array, trnsci_close
 *   call=arena    the same by trnsci_draw_tile into a new tile */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "bench/worker.h"

enum { MAX_PARAMS = 16 };

static struct trnsci_session *session;
static struct trnsci_error err;
static struct trnsci_param params[MAX_PARAMS + 1];
static char names[MAX_PARAMS][32];
static double lists[MAX_PARAMS][16];
static int64_t axes[16];
static struct trnsci_array in, second, out;
static struct trnsci_tile *in_tile, *out_tile;
static struct trnsci_call *call;
static struct trnsci_param changes[2]; /* the offset of a draw */
static struct trnsci_source source;
static const char *method;
static bool has_in, is_draw;
static void (*run)(void);

static void must(int r)
{
	if (r < 0)
		work_fail(err.text[0] ? err.text : trnsci_error_name(r));
}

static void must_call(int r)
{
	if (r < 0)
		work_fail(trnsci_call_error(call)->text);
}

/* ---- one run ---- */

static void run_fill(void)
{
	must(trnsci_draw_array(session, method, params, &source, out.dtype, out.shape[0], out.data, NULL, &err));
	source.offset += out.shape[0];
}

static void run_transform(void)
{
	must(trnsci_apply_array(session, method, params, in, out, &err));
}

static void run_apply(void)
{
	must(trnsci_apply_tile(session, method, params, &out_tile, &err));
}

static void run_call(void)
{
	must_call(trnsci_run(call, NULL));
}

static void run_fresh(void)
{
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 0));
	run_call();
}

static void run_draw(void)
{
	must_call(trnsci_run(call, changes));
	changes[0].value.u64 += out.shape[0];
}

/* The first run only shows that the worker is ready. */
static void run_first(void)
{
	static bool begun;
	const uint64_t first = begun ? (uint64_t)case_number("first", 1) : 16, last = begun ? (uint64_t)case_number("last", 1) : 16;

	for (uint64_t n = first; n <= last; n++) {
		in = trnsci_array_of(in.dtype, 1, &n, in.data);
		out = trnsci_array_of(out.dtype, 1, &n, out.data);
		run_transform();
	}
	begun = true;
}

/* ---- the case ---- */

/* LO:HI: an array of numbers between these, one for each sample, in a tile. */
static struct trnsci_param elements_of(size_t i, const char *value)
{
	struct trnsci_tile *tile;
	struct case_array array;
	char *colon;
	const double low = strtod(value, &colon), high = strtod(colon + 1, NULL);

	if (!case_has_array("out", &array))
		work_fail("the case has no output");
	const uint64_t n = array.count;

	must(trnsci_tile_new(session, TRNSCI_F64, 1, &n, &tile, &err));
	for (uint64_t k = 0; k < n; k++)
		((double *)trnsci_tile_data(tile))[k] = low + (high - low) * ((double)(k * 7919 % n) / (double)n);
	return trnsci_param_tile_elements(names[i], tile);
}

static struct trnsci_param param_of(size_t i, const char *value)
{
	const char *name = names[i];
	char *end;

	if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
		return trnsci_param_bool(name, value[0] == 't');
	if (strcmp(name, "axes") == 0) {
		const size_t n = numbers_of(value, lists[i]);

		for (size_t k = 0; k < n; k++)
			axes[k] = (int64_t)lists[i][k];
		return trnsci_param_i64s(name, axes, n);
	}
	if (strchr(value, ':'))
		return elements_of(i, value);
	if (strchr(value, ','))
		return trnsci_param_f64s(name, lists[i], numbers_of(value, lists[i]));
	const double number = strtod(value, &end);

	if (*end)
		return trnsci_param_text(name, value);
	return strpbrk(value, ".e") ? trnsci_param_f64(name, number) : trnsci_param_i64(name, (int64_t)number);
}

static size_t read_params(void)
{
	const char *value;
	size_t n = 0;

	for (; n < MAX_PARAMS - 3 && case_word("p.", n, names[n], &value); n++)
		params[n] = param_of(n, value);
	params[n] = trnsci_param_end();
	return n;
}

static struct trnsci_array array_of(const char *name)
{
	struct case_array array;

	if (!case_has_array(name, &array))
		work_fail("the case has no output");
	return trnsci_array_of(trnsci_dtype_parse(array.dtype), array.ndim, array.shape, NULL);
}

static size_t bytes_of(const struct trnsci_array *array)
{
	size_t bytes = trnsci_dtype_size(array->dtype);

	for (size_t i = 0; i < array->ndim; i++)
		bytes *= array->shape[i];
	return bytes;
}

static void fill_input(void *data, const struct trnsci_array *array)
{
	const bool wide = array->dtype == TRNSCI_F64 || array->dtype == TRNSCI_C128;

	work_noise(data, wide, bytes_of(array) / (wide ? 8 : 4));
}

static struct trnsci_tile *tile_of(const struct trnsci_array *array)
{
	struct trnsci_tile *tile;

	must(trnsci_tile_new(session, array->dtype, array->ndim, array->shape, &tile, &err));
	memset(trnsci_tile_data(tile), 0, bytes_of(array));
	return tile;
}

/* The second input of a convolution, which goes with the call. */
static void open_second(size_t n)
{
	second = array_of("b");
	second.data = work_memory(bytes_of(&second));
	fill_input(second.data, &second);
	params[n] = trnsci_param_array("b", &second);
	params[n + 1] = trnsci_param_end();
}

static void open_plain(void)
{
	out.data = work_memory(bytes_of(&out));
	if (has_in) {
		in.data = case_is("place", "in") ? out.data : work_memory(bytes_of(&in));
		fill_input(in.data, &in);
	}
	run = has_in ? run_transform : run_fill;
}

static void open_tiles(void)
{
	out_tile = tile_of(&out);
	if (has_in) {
		in_tile = case_is("place", "in") ? out_tile : tile_of(&in);
		fill_input(trnsci_tile_data(in_tile), &in);
	}
}

static void open_prepared(void)
{
	must(trnsci_call_new(session, method, &call));
	if (has_in)
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", in_tile));
	if (out_tile)
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out_tile));
	trnsci_set_params(trnsci_call_args(call), params);
	changes[0] = trnsci_param_u64("offset", 0);
	run = is_draw ? run_draw : run_call;
}

static void open_reply(void)
{
	struct trnsci_args *draw;

	if (case_is("call", "named")) {
		const struct trnsci_stream_options options = {.seed = 1, .has_seed = true};

		trnsci_stream_create(session, "bench", &options, NULL, NULL);
		must(trnsci_call_new(session, "stream_draw", &call));
		trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "bench"));
		draw = trnsci_set_map(trnsci_call_args(call), "draw");
		trnsci_set(draw, trnsci_param_text("op", method));
	} else {
		must(trnsci_call_new(session, method, &call));
		draw = trnsci_call_args(call);
	}
	if (out.ndim) {
		trnsci_set(draw, trnsci_param_u64("n", out.shape[0]));
		trnsci_set(draw, trnsci_param_text("dtype", trnsci_dtype_name(out.dtype)));
	}
	trnsci_set_params(draw, params);
	changes[0] = trnsci_param_u64("offset", 0);
	run = is_draw && !case_is("call", "named") ? run_draw : run_call;
}

static void name_input(struct trnsci_args *step, const char *parameter, int of)
{
	trnsci_set(step, trnsci_param_text(parameter, (const char[]){(char)('a' + of), '\0'}));
}

/* "run": uniforms to normals, five times over; the first are scaled, the others added to the sum so far. */
static void open_program(void)
{
	static const char *const operations[] = {"uniform", "box_muller", "scale", "uniform", "box_muller", "add"};

	must(trnsci_call_new(session, "run", &call));
	for (int i = 0; i < 15; i++) {
		struct trnsci_args *step = trnsci_program_step(call, operations[i < 6 ? i : 3 + i % 3]);

		if (i % 3 == 0)
			trnsci_set(step, trnsci_param_u64("n", out.shape[0]));
		else if (i < 3 || i % 3 == 1)
			name_input(step, "in", i - 1);
		else
			name_input(step, "a", i - 3);
		if (i > 3 && i % 3 == 2)
			name_input(step, "b", i - 1);
		name_input(step, "as", i);
	}
	trnsci_program_result(call, "o");
	run = case_is("fresh", "1") ? run_fresh : run_call;
}

static void open_session(void)
{
	const struct trnsci_options options = {.queue = case_is("queue", "yes") ? 1 : case_is("queue", "no") ? -1 : 0,
					       .threads = (unsigned)case_number("threads", 0),
					       .cpu = case_text("cpu", NULL),
					       .arena_bytes = (size_t)case_number("arena", 0)};

	must(trnsci_open(case_text("at", "embedded:"), &options, &session, &err));
}

static void run_session(void)
{
	trnsci_close(session);
	open_session();
	run_fill();
}

static void run_arena(void)
{
	struct trnsci_tile *tile;

	trnsci_close(session);
	open_session();
	must(trnsci_tile_new(session, out.dtype, 1, out.shape, &tile, &err));
	must(trnsci_draw_tile(session, method, params, &source, &tile, NULL, &err));
}

void work_open(void)
{
	struct case_array array;
	const char *const way = case_text("call", "plain");

	if (!session)
		open_session();
	size_t n = read_params();

	method = case_text("method", "ping");
	has_in = case_has_array("in", &array);
	is_draw = !has_in && case_has_array("out", &array) && array.ndim == 1;
	if (has_in)
		in = array_of("in");
	if (case_has_array("out", &array))
		out = array_of("out");
	source = (struct trnsci_source){.generator = case_text("generator", NULL)};
	if (strcmp(way, "plain") == 0 || strcmp(way, "first") == 0) {
		if (case_text("b", NULL))
			open_second(n);
		open_plain();
		run = strcmp(way, "first") == 0 ? run_first : run;
		return;
	}
	if (is_draw && source.generator)
		params[n++] = trnsci_param_text("generator", source.generator);
	params[n] = trnsci_param_end();
	if (strcmp(way, "reply") == 0 || strcmp(way, "named") == 0) {
		open_reply();
	} else if (strcmp(way, "session") == 0) {
		open_plain();
		run = run_session;
	} else if (strcmp(way, "arena") == 0) {
		open_plain();
		run = run_arena;
	} else if (strcmp(way, "program") == 0) {
		open_program();
	} else {
		open_tiles();
		open_prepared();
		if (strcmp(way, "apply") == 0 && has_in)
			params[n++] = trnsci_param_tile("in", in_tile);
		params[n] = trnsci_param_end();
		run = strcmp(way, "apply") == 0 ? run_apply : run;
	}
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	trnsci_call_free(call);
	if (in_tile != out_tile)
		trnsci_tile_free(in_tile);
	trnsci_tile_free(out_tile);
	if (in.data != out.data)
		free(in.data);
	free(out.data);
	free(second.data);
	call = NULL;
	in_tile = out_tile = NULL;
	in = second = out = (struct trnsci_array){0};
	changes[0] = trnsci_param_end();
}
