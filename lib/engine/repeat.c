/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled draw that is run in place: its site, step, result and reply are written over by each run. */
#include "engine/repeat.h"

#include <stddef.h>
#include <string.h>

#include "engine/compile.h"

enum {
	RESULT_MOST = 4096,     /* bytes in the reply */
	COST_MOST_NS = 20 * 1000, /* is run where it arrives, however many threads there are */
};

const char *const repeat_names[REPEAT_FIELDS] = {
	[REPEAT_OFFSET] = "offset",
	[REPEAT_SEED] = "seed",
	[REPEAT_STREAM] = "stream",
};

struct repeat {
	struct job job;
	struct zone *zone; /* it lies there itself */
	struct program program;
	struct value reply;
	struct buffer *out;
};

static struct repeat *of_job(struct job *job)
{
	return (struct repeat *)((char *)job - offsetof(struct repeat, job));
}

static int advance(struct job *job)
{
	return program_advance(&of_job(job)->program, job, &job->n_units);
}

static uint64_t run(struct job *job, size_t unit, void *scratch)
{
	return program_run(&of_job(job)->program, unit, scratch);
}

static const struct job_ops repeat_ops = {.advance = advance, .run = run};

/* One step that draws at a site of its own, and needs nothing that other runs might change. */
static bool is_simple(const struct program *program)
{
	const struct buffer *out = program->buffers;

	return program->n_steps == 1 && program->steps->kind == STEP_DRAW && program->n_segments == 1 &&
	       program->sites.count == 1 && program->sites.n_ranges == 0 && !program->sites.at->own.text &&
	       program->held_bytes == 0 && program->temp_bytes == 0 && program->work_bytes == 0 && !program->plans &&
	       !program->makings && !program->steps->draw.law.table && out && !out->next &&
	       program->steps->out == out &&
	       (out->kind == BUFFER_TILE || (out->kind == BUFFER_RESULT && out->shape.bytes <= RESULT_MOST)) &&
	       program_cost_ns(program) <= COST_MOST_NS;
}

/* Places it as well, so that it is right as it stands. */
static int compile_draw_of(struct repeat *repeat, const struct operation *operation, const struct value *params)
{
	struct program *program = &repeat->program;
	struct error err = {.code = 0};
	struct compiler compiler;
	int error;

	memset(&compiler, 0, offsetof(struct compiler, args.at));
	compiler.program = program;
	compiler.reply = &repeat->reply;
	compiler.err = &err;
	compiler.args.operation = operation;
	compiler.args.context = operation->name;
	error = compile(&compiler, params);
	if (!error && (bind_timeout_ms(&compiler.args) || !is_simple(program)))
		error = -ERROR_NOT_SUPPORTED;
	if (!error)
		error = site_place(program, &repeat->reply, &err);
	if (!error && zone_bytes(repeat->zone) > REPEAT_MOST_BYTES)
		error = -ERROR_NOT_SUPPORTED;
	return error;
}

/* Each run takes its tile itself: until then it may be freed. */
static void let_go(struct repeat *repeat)
{
	struct buffer *out = repeat->program.buffers;

	program_end(&repeat->program);
	if (out)
		out->tile = NULL;
	repeat->out = out;
}

int repeat_make(struct space *space, const struct operation *operation, const struct value *params,
		struct repeat **ret_repeat)
{
	struct zone *zone = operation->class == METHOD_DRAW ? zone_new() : NULL;
	struct repeat *repeat = zone ? zone_alloc(zone, sizeof *repeat) : NULL;
	int error;

	if (!repeat) {
		zone_free(zone);
		return operation->class == METHOD_DRAW ? -ERROR_NO_MEMORY : -ERROR_NOT_SUPPORTED;
	}
	memset(repeat, 0, sizeof *repeat);
	repeat->zone = zone;
	repeat->reply = value_map();
	repeat->program = (struct program){.space = space, .zone = zone};
	repeat->job.ops = &repeat_ops;
	repeat->job.turn = &space->turn;
	error = compile_draw_of(repeat, operation, params);
	let_go(repeat);
	if (error) {
		zone_free(zone);
		return error == -ERROR_NO_MEMORY ? error : -ERROR_NOT_SUPPORTED;
	}
	*ret_repeat = repeat;
	return 0;
}

void repeat_free(struct repeat *repeat)
{
	if (repeat)
		zone_free(repeat->zone);
}

void repeat_values(const struct repeat *repeat, uint64_t ret_values[REPEAT_FIELDS])
{
	const struct site_choice *own = &repeat->program.sites.at->own;

	ret_values[REPEAT_OFFSET] = own->offset;
	ret_values[REPEAT_SEED] = own->seed;
	ret_values[REPEAT_STREAM] = own->stream;
}

static int draw(struct repeat *repeat, const uint64_t values[REPEAT_FIELDS])
{
	struct program *program = &repeat->program;
	struct site_choice *own = &program->sites.at->own;
	int error;

	own->offset = values[REPEAT_OFFSET];
	own->seed = values[REPEAT_SEED];
	own->stream = values[REPEAT_STREAM];
	error = site_place(program, &repeat->reply, NULL);
	program->at = 0;
	program->begun = false;
	return error ? error : pool_run_now(program->space->engine->pool, &repeat->job);
}

/* Into its tile, which lives until the end of it. */
static int draw_into_tile(struct repeat *repeat, const uint64_t values[REPEAT_FIELDS])
{
	struct space *space = repeat->program.space;
	struct buffer *out = repeat->out;
	int error = tile_take(space, out->handle, "", "", &out->tile, NULL);

	if (error)
		return error;
	out->base = tile_base(space, out->tile);
	error = draw(repeat, values);
	tile_give(space, out->tile);
	out->tile = NULL;
	return error;
}

static int draw_into_reply(struct repeat *repeat, const uint64_t values[REPEAT_FIELDS])
{
	const struct space_limits *limits = &repeat->program.space->limits;
	const uint64_t bytes = repeat->program.inline_out;
	const bool reserves = limits->reserve && bytes;
	int error = reserves ? limits->reserve(limits->reserve_arg, bytes, NULL) : 0;

	if (error)
		return error;
	error = draw(repeat, values);
	if (reserves && limits->unreserve)
		limits->unreserve(limits->reserve_arg, bytes);
	return error;
}

const struct value *repeat_run(struct repeat *repeat, const uint64_t values[REPEAT_FIELDS])
{
	const int error = repeat->out->kind == BUFFER_TILE ? draw_into_tile(repeat, values)
							   : draw_into_reply(repeat, values);

	return error ? NULL : &repeat->reply;
}
