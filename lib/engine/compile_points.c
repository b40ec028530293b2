/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling quasi-random points: which points of which set, under which scrambling. */
#include <inttypes.h>
#include <string.h>

#include "dist/latin_hypercube.h"
#include "engine/compile.h"

static enum points_kind find_kind(const char *name)
{
	static const char *const names[POINTS_KINDS] = {"sobol", "halton", "lattice", "lhs"};
	unsigned kind = 0;

	while (kind + 1 < POINTS_KINDS && strcmp(names[kind], name) != 0)
		kind++;
	return (enum points_kind)kind;
}

/* The scrambling of that name: each row lists those that its kind has. */
static enum points_scramble find_scramble(const struct compiler *c)
{
	static const char *const names[] = {
		[SCRAMBLE_PLAIN] = "none",    [SCRAMBLE_OWEN] = "owen",
		[SCRAMBLE_SHIFT] = "shift",   [SCRAMBLE_PERMUTATION] = "permutation",
		[SCRAMBLE_JITTER] = "jitter",
	};
	const char *at = c->args.operation->params[POINTS_SCRAMBLING].choices;

	for (unsigned i = 0; i < c->args.at[POINTS_SCRAMBLING].choice; i++)
		at = strchr(at, '|') + 1;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(names[i], at, strcspn(at, "|")) == 0)
			return (enum points_scramble)i;
	return SCRAMBLE_PLAIN;
}

static int find_stream(const struct compiler *c, struct stream *ret)
{
	const struct arg *own = c->args.at, *run = c->run ? c->run->at : NULL;
	const struct stream stream = {
		.generator =
			run && !own[POINTS_GENERATOR].given ? run[RUN_GENERATOR].choice : own[POINTS_GENERATOR].choice,
		.seed = run && !own[POINTS_SEED].given ? run[RUN_SEED].u64 : own[POINTS_SEED].u64,
		.stream = run && !own[POINTS_STREAM].given ? run[RUN_STREAM].u64 : own[POINTS_STREAM].u64,
	};

	if (!stream_id_fits(&stream))
		return bind_error(&c->args, POINTS_STREAM, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64, stream.stream,
				  generator_row(stream.generator)->name, generator_row(stream.generator)->most_stream);
	*ret = stream;
	return 0;
}

/* The tile of `out`, if there is one: its dtype, and its points where n was left out. */
static int find_size(struct compiler *c, struct points_settings *settings, uint64_t *ret_n)
{
	const struct arg *at = c->args.at;
	struct shape tile;
	bool out;
	int error = compile_out_shape(c, POINTS_OUT, &out, &tile);

	if (error)
		return error;
	settings->dtype = bind_dtype(&c->args, POINTS_DTYPE);
	if (out && !at[POINTS_DTYPE].given)
		settings->dtype = tile.dtype;
	if (settings->dtype != DTYPE_F32 && settings->dtype != DTYPE_F64)
		return bind_error(&c->args, POINTS_OUT, c->err, ERROR_BAD_SHAPE,
				  "the tile is of dtype %s, allowed is f32|f64", dtype_name(settings->dtype));
	settings->dims = (uint32_t)at[POINTS_D].u64;
	if (!at[POINTS_N].given && !(out && at[POINTS_SIZE].u64 == 1))
		return bind_error(&c->args, POINTS_N, c->err, ERROR_MISSING_PARAMETER,
				  "left out, takes the points of the whole set%s", out ? "" : " (or the tile out)");
	*ret_n = at[POINTS_N].given ? at[POINTS_N].u64 : tile.n / settings->dims;
	return 0;
}

static int check_end(const struct compiler *c, const struct points_settings *settings, uint64_t first, uint64_t n)
{
	const uint64_t limit = points_limit(settings);

	if (first > limit || n > limit - first)
		return bind_error(&c->args, POINTS_N, c->err, ERROR_END_OF_STREAM,
				  "%" PRIu64 " points from point %" PRIu64 ", allowed is to end by point %" PRIu64, n,
				  first, limit);
	return 0;
}

static void release(void *points)
{
	points_free(points);
}

static int make_step(struct compiler *c, const struct points_settings *settings, uint64_t first, struct buffer *out)
{
	struct step *step = program_step(c->program, STEP_POINTS, NULL, out);

	if (!step || points_create(settings, c->program->space->engine->features, &step->points.set))
		return compile_no_memory(c);
	step->points.kind = settings->kind;
	step->points.begin = first * settings->dims;
	if (zone_defer(c->program->zone, release, step->points.set)) {
		points_free(step->points.set);
		return compile_no_memory(c);
	}
	return 0;
}

static int put_origin(struct compiler *c, const struct points_settings *settings, uint64_t offset, uint64_t next)
{
	struct value *map = c->reply;

	if (value_put(c->program->zone, map, "generator",
		      value_string(generator_row(settings->stream.generator)->name)) ||
	    compile_put_u64(c, POINTS_U64, map, "seed", settings->stream.seed) ||
	    compile_put_u64(c, POINTS_U64, map, "stream", settings->stream.stream) ||
	    compile_put_u64(c, POINTS_U64, map, "offset", offset) ||
	    compile_put_u64(c, POINTS_U64, map, "next", next) ||
	    value_put(c->program->zone, map, "stream_format", value_uint(STREAM_FORMAT)))
		return compile_no_memory(c);
	return 0;
}

int compile_points(struct compiler *c)
{
	const struct arg *at = c->args.at;
	struct points_settings settings = {
		.kind = find_kind(c->args.operation->name),
		.bits = 53,
		.scramble = find_scramble(c),
	};
	struct shape shape = {.ndim = 2};
	struct buffer *buffer;
	/* A Latin hypercube is one set: it has no offset. */
	const bool design = settings.kind == POINTS_LHS;
	const uint64_t offset = design ? 0 : at[POINTS_OFFSET].u64;
	uint64_t n = 0, begin, end;
	int error = find_stream(c, &settings.stream);

	if (error || (error = find_size(c, &settings, &n)))
		return error;
	if (design && n >> LATIN_HYPERCUBE_LOG2_POINTS > 0 && n != UINT64_C(1) << LATIN_HYPERCUBE_LOG2_POINTS)
		return bind_error(&c->args, POINTS_N, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is 0 to 2^32", n);
	if (settings.kind == POINTS_SOBOL)
		settings.bits = at[POINTS_BITS].choice == 0 ? 53 : 32;
	settings.n = design ? n : 0;
	if (at[POINTS_RANK].u64 >= at[POINTS_SIZE].u64)
		return bind_error(&c->args, POINTS_RANK, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64, at[POINTS_RANK].u64,
				  at[POINTS_SIZE].u64 - 1);
	error = check_end(c, &settings, offset, n);
	if (error)
		return error;
	if (!design)
		settings.n = offset + n;
	stream_partition(n, at[POINTS_RANK].u64, at[POINTS_SIZE].u64, &begin, &end);
	shape.dtype = settings.dtype;
	shape.dims[0] = end - begin;
	shape.dims[1] = settings.dims;
	if (!shape_finish(&shape))
		return bind_error(&c->args, POINTS_N, c->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	error = compile_output(c, POINTS_OUT, &shape, &buffer);
	if (!error)
		error = make_step(c, &settings, offset + begin, buffer);
	if (!error)
		error = compile_reply(c, POINTS_OUT, buffer);
	return error ? error : put_origin(c, &settings, offset, offset + n);
}
