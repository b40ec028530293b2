/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling noise_add: a draw like a program's step, whose samples never leave the scratch, and x + sigma noise.
 *
 * `noise` is that step, {op: a law, its parameters, seed, stream, offset ...}; a complex x takes a sample for its real
 * part and the next for its imaginary part. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile.h"

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_STRING || value->kind == VALUE_BYTES;
}

/* The row of the law that `noise` names; "normal" without one. */
static int find_law_row(const struct compiler *c, const struct value *noise, const struct operation **ret)
{
	const struct value *op = noise ? value_get(noise, "op") : NULL;
	const struct operation *operation = operation_find("normal", 6);
	char got[BIND_TEXT];

	if (noise && noise->kind != VALUE_MAP)
		return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_WRONG_TYPE,
				  "takes a map {op: a law, its parameters, seed ...}");
	if (op && !is_text(op))
		return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_WRONG_TYPE, "op takes the name of a law");
	if (op)
		operation = operation_find(op->bytes.at, op->bytes.size);
	if (!operation || operation->class != METHOD_DRAW)
		return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_UNKNOWN_METHOD,
				  "op \"%s\" is no law, allowed are the draws",
				  bind_text(op->bytes.at, op->bytes.size, got));
	*ret = operation;
	return 0;
}

/* What noise_add itself decides: the samples, their dtype and where they go. */
static int check_members(const struct compiler *c, const struct operation *law, const struct value *noise)
{
	static const unsigned own[] = {DRAW_N, DRAW_SHAPE, DRAW_DTYPE, DRAW_OUT, DRAW_RANK, DRAW_SIZE, DRAW_TIMEOUT};

	for (size_t i = 0; noise && i < sizeof own / sizeof *own; i++)
		if (value_get(noise, law->params[own[i]].name))
			return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, the law's parameters and the stream's",
					  law->params[own[i]].name);
	return 0;
}

static int draw_step(struct compiler *inner, void *arg)
{
	(void)arg;
	return compile_draw(inner);
}

/* Compiles the draw of n samples into a temporary, as a program would. */
static int compile_noise(struct compiler *c, const struct operation *law, const struct value *noise, enum dtype dtype,
			 uint64_t n, struct value *ret_reply, struct step **ret_step)
{
	struct zone *zone = c->program->zone;
	struct value map = value_map();
	int error = 0;

	for (size_t i = 0; noise && i < noise->map.count && !error; i++) {
		const struct value_member *member = &noise->map.at[i];
		char *name = zone_copy(zone, member->name, member->name_size);

		error = name ? value_put(zone, &map, name, member->value) : -1;
	}
	if (error || value_put(zone, &map, "n", value_uint(n)) ||
	    value_put(zone, &map, "dtype", value_string(dtype_name(dtype))))
		return compile_no_memory(c);
	error = compile_inside(c, law, &map, NOISE_U64, ret_reply, draw_step, NULL);
	if (!error)
		*ret_step = &c->program->steps[c->program->n_steps - 1];
	return error;
}

int compile_noise_add(struct compiler *c)
{
	const struct value *noise = c->args.at[NOISE_NOISE].given ? c->args.at[NOISE_NOISE].value : NULL;
	struct value reply = value_map();
	const struct operation *law = NULL;
	struct buffer *x, *out, *samples;
	struct step *step = NULL;
	int error = compile_input(c, NOISE_IN, &x);

	if (!error)
		error = find_law_row(c, noise, &law);
	if (!error)
		error = check_members(c, law, noise);
	if (error)
		return error;

	const enum dtype dtype = x->shape.dtype;
	const bool complex = dtype_is_complex(dtype), wide = dtype == DTYPE_F64 || dtype == DTYPE_C128;

	if (!complex && dtype != DTYPE_F32 && dtype != DTYPE_F64)
		return bind_error(&c->args, NOISE_IN, c->err, ERROR_BAD_SHAPE,
				  "its dtype is %s, allowed are f32, f64, c64 and c128", dtype_name(dtype));
	error = compile_noise(c, law, noise, wide ? DTYPE_F64 : DTYPE_F32, complex ? 2 * x->shape.n : x->shape.n,
			      &reply, &step);
	if (error)
		return error;
	samples = step->out;
	if (samples->shape.n != (complex ? 2 * x->shape.n : x->shape.n))
		return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_BAD_SHAPE,
				  "%s draws vectors, allowed are numbers", law->name);
	/* The samples are elements of x's own kind: the step fills pairs where they are complex. */
	samples->shape = x->shape;
	error = compile_output(c, NOISE_OUT, &x->shape, &out);
	if (error)
		return error;
	step = program_step(c->program, STEP_NOISE_ADD, x, out);
	if (!step || value_put(c->program->zone, c->reply, "noise", reply))
		return compile_no_memory(c);
	step->in[1] = samples;
	step->scale.by = c->args.at[NOISE_SIGMA].f64;
	return compile_reply(c, NOISE_OUT, out);
}
