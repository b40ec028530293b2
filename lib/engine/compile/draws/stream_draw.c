/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling stream_draw: the draw inside it, whose position the owner's reservation sets. */
#include <stdio.h>
#include <string.h>

#include "engine/compile/compiler.h"

/* Makes what errors of the inner draw begin with, "stream_draw: normal", in the plan's bump. NULL: no memory. */
static const char *context_of(const struct compiler *c, const struct operation *distribution)
{
	char text[64];

	snprintf(text, sizeof text, "%s: %s", c->args.context, distribution->name);
	return bump_copy(c->plan->bump, text, strlen(text));
}

/* Copies the draw's members without op. With `reserve` it becomes part 0 of 2^64 - 1 parts, which is empty: the
 * reservation is taken, and nothing is drawn. */
static struct value copy_members(struct compiler *c, const struct operation *distribution, const struct value *draw,
				 bool reserve)
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
		failed |= value_add(bump, &map, distribution->params[DRAW_SIZE].name, value_uint(UINT64_MAX));
	if (failed)
		compile_no_memory(c);
	return map;
}

/* What the stream itself decides cannot be stated; with `reserve` nothing is written, so there is no output. */
static void check_members(struct compiler *c, const struct operation *distribution, const struct value *draw,
			  bool reserve)
{
	static const unsigned own[] = {DRAW_SEED, DRAW_STREAM,    DRAW_OFFSET,     DRAW_POSITION, DRAW_RANK,   DRAW_SIZE,
				       DRAW_OUT,  DRAW_GENERATOR, DRAW_LAYOUT, DRAW_TIMEOUT};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if ((own[i] != DRAW_OUT || reserve) && value_get(draw, distribution->params[own[i]].name))
			compile_param_error(c, STREAM_DRAW_DRAW, ERROR_UNKNOWN_PARAMETER,
					    "it has %s, allowed are op, n, dtype, %s and the distribution's parameters",
					    distribution->params[own[i]].name, reserve ? "no out" : "shape, out");
}

/* The reply states the samples of the whole draw, whatever is drawn of it. */
void compile_stream_draw(struct compiler *c)
{
	const struct args outer = c->args;
	const struct value *draw = outer.at[STREAM_DRAW_DRAW].value;
	const bool reserve = outer.at[STREAM_DRAW_RESERVE].boolean;
	const struct operation *distribution = NULL;
	const char *context;
	struct value members;

	compile_fail(c, bind_distribution(&c->args, STREAM_DRAW_DRAW, draw, true, &distribution, c->err));
	if (c->error)
		return;
	check_members(c, distribution, draw, reserve);
	members = copy_members(c, distribution, draw, reserve);
	context = context_of(c, distribution);
	if (!context) {
		compile_no_memory(c);
		return;
	}
	c->args.operation = distribution;
	c->args.context = context;
	c->stream_name = outer.at[STREAM_NAME].value;
	compile_bind(c, &members);
	if (!c->error && !c->args.at[DRAW_U64].given)
		c->args.at[DRAW_U64] = outer.at[STREAM_U64];
	if (!c->error)
		compile_operation(c);
	c->args = outer;
	if (!c->error && value_put(c->plan->bump, c->reply, "n", value_uint(c->plan->placements.at[0].n)))
		compile_no_memory(c);
}
