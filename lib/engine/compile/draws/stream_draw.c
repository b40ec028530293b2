/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling stream_draw: the draw inside it, whose position the owner's reservation sets. */
#include <stdio.h>
#include <string.h>

#include "engine/compile/compile.h"

/* Makes what errors of the inner draw begin with, "stream_draw: normal", in the plan's bump. NULL: no memory. */
static const char *context_of(const struct compiler *c, const struct operation *distribution)
{
	char text[64];

	snprintf(text, sizeof text, "%s: %s", c->args.context, distribution->name);
	return bump_copy(c->plan->bump, text, strlen(text));
}

/* Copies the draw's members without op. With `reserve` it becomes part 0 of 2^64 - 1 parts, which is empty: the
 * reservation is taken, and nothing is drawn. */
static int copy_members(struct compiler *c, const struct operation *distribution, const struct value *draw,
			bool reserve, struct value *ret)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	int failed = 0;

	for (size_t i = 0; i < draw->map.count && !failed; i++) {
		const struct value_member *member = &draw->map.at[i];

		if (member->name_size == 2 && memcmp(member->name, "op", 2) == 0)
			continue;
		failed = value_add_sized(bump, &map, member->name, member->name_size, member->value);
	}
	if (reserve)
		failed |= value_put(bump, &map, distribution->params[DRAW_SIZE].name, value_uint(UINT64_MAX));
	if (failed)
		return compile_no_memory(c);
	*ret = map;
	return 0;
}

/* What the stream itself decides cannot be stated; with `reserve` nothing is written, so there is no output. */
static int check_members(const struct compiler *c, const struct operation *distribution, const struct value *draw,
			 bool reserve)
{
	static const unsigned own[] = {DRAW_SEED, DRAW_STREAM,    DRAW_OFFSET,     DRAW_POSITION, DRAW_RANK,   DRAW_SIZE,
				       DRAW_OUT,  DRAW_GENERATOR, DRAW_KEY_LAYOUT, DRAW_TIMEOUT};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if ((own[i] != DRAW_OUT || reserve) && value_get(draw, distribution->params[own[i]].name))
			return bind_error(&c->args, STREAM_DRAW_DRAW, c->err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, n, dtype, %s and the distribution's parameters",
					  distribution->params[own[i]].name, reserve ? "no out" : "shape, out");
	return 0;
}

int compile_stream_draw(struct compiler *c)
{
	const struct value *draw = c->args.at[STREAM_DRAW_DRAW].value;
	const bool reserve = c->args.at[STREAM_DRAW_RESERVE].boolean;
	const struct operation *distribution = NULL;
	struct value members;
	int error = bind_distribution(&c->args, STREAM_DRAW_DRAW, draw, true, &distribution, c->err);

	if (!error)
		error = check_members(c, distribution, draw, reserve);
	if (!error)
		error = copy_members(c, distribution, draw, reserve, &members);
	if (error)
		return error;
	struct compiler inner = *c;

	inner.args = (struct args){.operation = distribution, .context = context_of(c, distribution)};
	inner.stream_name = c->args.at[STREAM_NAME].value;
	if (!inner.args.context)
		return compile_no_memory(c);
	error = bind_args(&inner.args, &members, c->err);
	if (error)
		return error;
	if (!inner.args.at[DRAW_U64].given)
		inner.args.at[DRAW_U64] = c->args.at[STREAM_U64];
	error = compile_draw(&inner);
	/* Samples of the whole, whatever is drawn of it. */
	if (!error && value_put(c->plan->bump, c->reply, "n", value_uint(c->plan->placements.at[0].n)))
		error = compile_no_memory(c);
	return error ? error : compile_finish(c, inner.args.context);
}
