/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling stream_draw: the draw that it holds, as if it began its stream, and moving it to its place. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/compile.h"

/* "stream_draw: normal", in the zone. */
static const char *context_of(const struct compiler *c, const struct operation *law)
{
	char text[64];

	snprintf(text, sizeof text, "%s: %s", c->args.context, law->name);
	return zone_copy(c->program->zone, text, strlen(text));
}

static int find_law(const struct compiler *c, const struct value *draw, const struct operation **ret)
{
	const struct value *op = value_get(draw, "op");
	const struct operation *law = NULL;
	char got[BIND_TEXT];

	if (draw->kind != VALUE_MAP)
		return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_WRONG_TYPE,
				  "takes a map {op: a law, n, its parameters}");
	if (!op)
		return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_MISSING_PARAMETER,
				  "op is left out, takes the name of a law");
	if (op->kind != VALUE_STRING && op->kind != VALUE_BYTES)
		return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_WRONG_TYPE, "op takes the name of a law");
	law = operation_find(op->bytes.at, op->bytes.size);
	if (!law || law->class != METHOD_DRAW)
		return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_UNKNOWN_METHOD,
				  "op \"%s\" is no law, allowed are the draws",
				  bind_text(op->bytes.at, op->bytes.size, got));
	*ret = law;
	return 0;
}

/* The draw's members without op; with reserve also without out, and as the empty last part of itself. */
static int copy_members(struct compiler *c, const struct operation *law, const struct value *draw, bool reserve,
			struct value *ret)
{
	struct zone *zone = c->program->zone;
	struct value map = value_map();
	int failed = 0;

	for (size_t i = 0; i < draw->map.count && !failed; i++) {
		const struct value_member *member = &draw->map.at[i];
		char *name = zone_copy(zone, member->name, member->name_size);

		if (member->name_size == 2 && memcmp(member->name, "op", 2) == 0)
			continue;
		failed = name ? value_put(zone, &map, name, member->value) : -1;
	}
	if (reserve)
		failed |= value_put(zone, &map, law->params[DRAW_SIZE].name, value_uint(UINT64_MAX));
	if (failed)
		return compile_no_memory(c);
	*ret = map;
	return 0;
}

/* What the stream itself decides. */
static int check_members(const struct compiler *c, const struct operation *law, const struct value *draw, bool reserve)
{
	static const unsigned own[] = {DRAW_SEED, DRAW_STREAM,    DRAW_OFFSET,     DRAW_RANK,   DRAW_SIZE,
				       DRAW_OUT,  DRAW_GENERATOR, DRAW_KEY_LAYOUT, DRAW_TIMEOUT};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if ((own[i] != DRAW_OUT || reserve) && value_get(draw, law->params[own[i]].name))
			return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, n, dtype, %s and the law's parameters",
					  law->params[own[i]].name, reserve ? "no out" : "shape, out");
	return 0;
}

int compile_stream_draw(struct compiler *c)
{
	const struct value *draw = c->args.at[STREAM_DRAW_DRAW].value;
	const bool reserve = c->args.at[STREAM_DRAW_RESERVE].boolean;
	const struct operation *law = NULL;
	struct value members;
	int error = find_law(c, draw, &law);

	if (!error)
		error = check_members(c, law, draw, reserve);
	if (!error)
		error = copy_members(c, law, draw, reserve, &members);
	if (error)
		return error;
	struct compiler inner = *c;

	inner.args = (struct args){.operation = law, .context = context_of(c, law)};
	if (!inner.args.context)
		return compile_no_memory(c);
	error = bind_args(&inner.args, &members, c->err);
	if (error)
		return error;
	if (!inner.args.at[DRAW_U64].given)
		inner.args.at[DRAW_U64] = c->args.at[STREAM_U64];
	error = compile_draw(&inner);
	if (!error)
		error = program_finish(c->program, inner.args.context, c->err);
	c->drawn = inner.drawn;
	return error;
}

static int put_u64(struct zone *zone, bool text, struct value *reply, const char *name, uint64_t u)
{
	char digits[24], *copy;

	if (!text)
		return value_put(zone, reply, name, value_uint(u));
	snprintf(digits, sizeof digits, "%" PRIu64, u);
	copy = zone_copy(zone, digits, strlen(digits));
	return copy ? value_put(zone, reply, name, value_string(copy)) : -ERROR_NO_MEMORY;
}

int compile_place(struct program *program, const struct drawn *drawn, const struct stream *stream, uint64_t offset,
		  struct value *reply)
{
	const bool u64_text = drawn->u64_text;
	struct zone *zone = program->zone;
	uint64_t first, count, next;
	int failed;

	if (!stream_span(offset, drawn->n, drawn->words, &first, &count))
		return -ERROR_END_OF_STREAM;
	for (size_t i = 0; i < program->n_steps; i++)
		if (program->steps[i].kind == STEP_DRAW) {
			program->steps[i].draw.law.stream = *stream;
			program->steps[i].draw.begin += offset * drawn->components;
		}
	failed = value_put(zone, reply, "generator", value_string(generator_row(stream->generator)->name)) |
		 put_u64(zone, u64_text, reply, "seed", stream->seed) |
		 put_u64(zone, u64_text, reply, "stream", stream->stream) |
		 put_u64(zone, u64_text, reply, "offset", offset) | put_u64(zone, u64_text, reply, "position", first);
	failed |= value_put(zone, reply, "n", value_uint(drawn->n));
	failed |= stream_next_position(first, count, &next) ? put_u64(zone, u64_text, reply, "next", next)
							    : value_put(zone, reply, "next", value_nil());
	return failed ? -ERROR_NO_MEMORY : 0;
}
