/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling noise_add: a draw like a program's step, whose samples never leave the scratch, and x + sigma noise.
 *
 * `noise` is that step, {op: a distribution, its parameters, seed, stream, offset ...}; a complex x takes a sample for
 * its real part and the next for its imaginary part, and the components of a vector go to as many reals in turn. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile/compiler.h"

/* What noise_add itself decides: the samples, their dtype and where they go. */
static int check_members(const struct compiler *c, const struct operation *distribution, const struct value *noise)
{
	static const unsigned own[] = {DRAW_N, DRAW_SHAPE, DRAW_DTYPE, DRAW_OUT, DRAW_RANK, DRAW_SIZE, DRAW_TIMEOUT};

	for (size_t i = 0; noise && i < sizeof own / sizeof *own; i++)
		if (value_get(noise, distribution->params[own[i]].name))
			return bind_error(&c->args, NOISE_NOISE, c->err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, the distribution's parameters and the stream's",
					  distribution->params[own[i]].name);
	return 0;
}

/* What draw_noise takes and passes back. */
struct noise_draw {
	const struct shape *shape; /* of x */
	struct buffer *samples;    /* the temporary that they are drawn to */
	int placement;
};

/* Compiles the bound draw; compile_inside calls it. */
static int draw_noise(struct compiler *inner, void *arg)
{
	struct noise_draw *noise = arg;

	return compile_draw_like(inner, noise->shape, &noise->samples, &noise->placement);
}

/* The dtype of x's reals, or of the distribution where that has no such numbers: then they are converted. */
static const char *noise_dtype(const struct operation *distribution, const struct shape *x)
{
	const enum dtype dtype = dtype_is_wide(x->dtype) ? DTYPE_F64 : DTYPE_F32;

	return dist_has_dtype(dist_find(distribution->name, strlen(distribution->name)), dtype)
		       ? dtype_name(dtype)
		       : distribution->params[DRAW_DTYPE].fallback;
}

/* Compiles the draw into a temporary, as a program would. */
static int compile_noise(struct compiler *c, const struct operation *distribution, const struct value *noise,
			 const struct shape *x, struct value *ret_reply, struct noise_draw *ret_noise)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	struct noise_draw made = {.shape = x};
	int error = 0;

	for (size_t i = 0; noise && i < noise->map.count && !error; i++) {
		const struct value_member *member = &noise->map.at[i];
		char *name = bump_copy(bump, member->name, member->name_size);

		error = name ? value_put(bump, &map, name, member->value) : -1;
	}
	if (error || value_put(bump, &map, "dtype", value_string(noise_dtype(distribution, x))))
		return compile_no_memory(c);
	error = compile_inside(c, distribution, &map, NOISE_U64, ret_reply, draw_noise, &made);
	if (!error)
		*ret_noise = made;
	return error;
}

int compile_noise_add(struct compiler *c)
{
	const struct value *noise = c->args.at[NOISE_NOISE].given ? c->args.at[NOISE_NOISE].value : NULL;
	const struct value nothing = value_map(); /* standard normals */
	struct value reply = value_map();
	const struct operation *distribution = NULL;
	struct buffer *x, *out;
	struct noise_draw samples = {0};
	struct step *step;
	int error = compile_input(c, NOISE_IN, &x);

	if (!error)
		error = bind_distribution(&c->args, NOISE_NOISE, noise ? noise : &nothing, false, &distribution, c->err);
	if (!error)
		error = check_members(c, distribution, noise);
	if (!error)
		error = compile_check_floating(c, NOISE_IN, x->shape.dtype);
	if (!error)
		error = compile_noise(c, distribution, noise, &x->shape, &reply, &samples);
	if (!error)
		error = compile_output(c, NOISE_OUT, &x->shape, &out);
	if (error)
		return error;
	/* The noise's position goes to the map `noise`, the next member of the reply, and not to the reply itself. */
	c->plan->fields[c->plan->placements.at[samples.placement].field].inside = c->reply->map.count + 1;
	step = plan_step(c->plan, STEP_ALGEBRA, x, out);
	if (!step || value_put(c->plan->bump, c->reply, "noise", reply))
		return compile_no_memory(c);
	step->in[1] = samples.samples;
	step->algebra = (struct algebra_step){.operation = ALGEBRA_noise_add, .numbers.by = c->args.at[NOISE_SIGMA].f64};
	return compile_reply(c, NOISE_OUT, out);
}
