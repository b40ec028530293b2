/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling noise_add: a draw like a program's step, whose samples never leave the scratch, and x + sigma noise.
 *
 * `noise` is that step, {op: a distribution, its parameters, seed, stream, offset ...}; a complex x takes a sample for
 * its real part and the next for its imaginary part, and the components of a vector go to as many reals in turn. */
#include <inttypes.h>
#include <string.h>

#include "distributions/rows/dist_row.h"
#include "engine/compile/compiler.h"

/* What noise_add itself decides: the samples, their dtype and where they go. */
static void check_members(struct compiler *c, const struct operation *distribution, const struct value *noise)
{
	static const unsigned own[] = {DRAW_N, DRAW_SHAPE, DRAW_DTYPE, DRAW_OUT, DRAW_RANK, DRAW_SIZE, DRAW_TIMEOUT};

	for (size_t i = 0; noise && i < sizeof own / sizeof *own; i++)
		if (value_get(noise, distribution->params[own[i]].name))
			compile_param_error(c, NOISE_NOISE, ERROR_UNKNOWN_PARAMETER,
					    "it has %s, allowed are op, the distribution's parameters and the stream's",
					    distribution->params[own[i]].name);
}

/* The dtype of x's reals, or of the distribution where that has no such numbers: then they are converted. */
static const char *noise_dtype(const struct operation *distribution, const struct shape *x)
{
	const enum dtype dtype = dtype_is_wide(x->dtype) ? DTYPE_F64 : DTYPE_F32;

	return !distribution->is_distribution || dist_has_dtype(dist_find(distribution->name, strlen(distribution->name)), dtype)
		       ? dtype_name(dtype)
		       : distribution->params[DRAW_DTYPE].fallback;
}

/* Compiles the draw into a temporary, as a program would. */
static struct buffer *draw_noise(struct compiler *c, const struct operation *distribution, const struct value *noise,
				 const struct shape *x, struct value *reply)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	struct outer_operation outer;
	struct buffer *samples;
	int failed = 0;

	for (size_t i = 0; noise && i < noise->map.count && !failed; i++) {
		const struct value_member *member = &noise->map.at[i];

		failed = value_add_sized(bump, &map, member->name, member->name_size, member->value);
	}
	if (failed || value_add(bump, &map, "dtype", value_string(noise_dtype(distribution, x))))
		compile_no_memory(c);
	compile_enter_draw(c, distribution, &map, NOISE_U64, reply, &outer);
	samples = (distribution->is_distribution ? compile_draw_like : compile_colored_like)(c, x);
	compile_leave_draw(c, &outer);
	return samples;
}

void compile_noise_add(struct compiler *c)
{
	const struct value *noise = c->args.at[NOISE_NOISE].given ? c->args.at[NOISE_NOISE].value : NULL;
	const struct value nothing = value_map(); /* standard normals */
	const struct operation *distribution = NULL;
	struct buffer *x = compile_input(c, NOISE_IN), *samples, *out;
	struct value reply = value_map();
	size_t first, behind;
	struct step *step;

	if (!c->error)
		compile_fail(c, bind_distribution(&c->args, NOISE_NOISE, noise ? noise : &nothing, false, &distribution,
						  c->err));
	if (c->error)
		return;
	check_members(c, distribution, noise);
	compile_check_floating(c, NOISE_IN, x->shape.dtype);
	if (!distribution->is_distribution && dtype_is_complex(x->shape.dtype))
		compile_param_error(c, NOISE_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed for coloured noise are f32 and f64",
				    dtype_name(x->shape.dtype));
	first = c->plan->n_fields;
	samples = draw_noise(c, distribution, noise, &x->shape, &reply);
	behind = c->plan->n_fields;
	out = compile_output(c, NOISE_OUT, &x->shape);
	if (c->error)
		return;
	/* What is known of the noise goes to the map `noise`, the next member of the reply, and not to the reply itself. */
	for (size_t i = first; i < behind; i++)
		c->plan->fields[i].inside = c->reply->map.count + 1;
	compile_put(c, "noise", reply);
	step = compile_add_step(c, STEP_ALGEBRA, x, out);
	step->in[1] = samples;
	step->algebra = (struct algebra_step){.operation = ALGEBRA_noise_add, .numbers.by = c->args.at[NOISE_SIGMA].f64};
	compile_reply(c, NOISE_OUT, out);
}
