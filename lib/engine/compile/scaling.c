/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the steps that find the largest magnitude of each transform, and those that divide and multiply by the power of
 * two next to it. A maximum over many pieces is found in rounds: of each piece, then of the pieces' maxima, until one
 * is left. */
#include "engine/compile/scaling.h"

#include <assert.h>

#include "engine/compile/signal.h"
#include "fft/signals/scaling.h"

static_assert((int)SHAPE_MAX_DIMS <= (int)SCALING_MAX_DIMS, "a shape fits");

/* Describes two shapes to the kernels of lib/fft, which know no dtypes. Powers of two change no bit of a mantissa, so
 * scaling costs no accuracy. */
static struct scaling scaling_of(const struct compiler *c, uint32_t axes, const struct shape *from,
				 const struct shape *to)
{
	struct scaling s = {
		.vectors = gemm_select(c->plan->session->engine->features)->vectors,
		.ndim = from->ndim,
		.reals = dtype_is_complex(from->dtype) ? 2 : 1,
		.to_complex = dtype_is_complex(to->dtype) && !dtype_is_complex(from->dtype),
		.axes = axes,
		.wide = dtype_is_wide(to->dtype),
	};

	for (unsigned i = 0; i < from->ndim; i++) {
		s.from[i] = from->dims[i];
		s.to[i] = to->dims[i];
	}
	return s;
}

/* Adds a step of that kind, which keeps a copy of s. max_abs: NULL for the kind that finds them. */
static void add_step(struct compiler *c, const struct signal_kind *kind, const struct scaling *s, struct buffer *in,
		     struct buffer *max_abs, struct buffer *out)
{
	signal_step(c, kind, signal_keep(c, s, sizeof *s), STEP_NO_TRANSFORM, in, max_abs, out);
}

/* Finds the largest magnitude of each item (a transform). Each round writes `parts` numbers for each item, which the
 * next one reads as an array of (items, parts). */
static struct buffer *find_max_abs(struct compiler *c, struct scaling s, struct buffer *in)
{
	const uint64_t items = scaling_items(&s);
	struct buffer *max_abs;
	uint64_t parts;

	do {
		parts = scaling_parts(&s);
		max_abs = signal_temp(c, DTYPE_F64, items, parts, 1);
		add_step(c, &scaling_find, &s, in, NULL, max_abs);
		s = (struct scaling){.vectors = s.vectors,
				     .ndim = 2,
				     .reals = 1,
				     .axes = 1u << 1,
				     .from = {items, parts},
				     .to = {items, parts}};
		in = max_abs;
	} while (!c->error && parts > 1);
	return max_abs;
}

struct buffer *scaling_steps_down(struct compiler *c, uint32_t axes, struct buffer *in, struct buffer *out)
{
	const struct scaling down = scaling_of(c, axes, &in->shape, &out->shape);
	struct scaling used = down;
	struct buffer *max_abs;

	/* What is trimmed off does not count. */
	for (unsigned i = 0; i < used.ndim; i++)
		used.to[i] = used.from[i] < used.to[i] ? used.from[i] : used.to[i];
	max_abs = find_max_abs(c, used, in);
	add_step(c, &scaling_down, &down, in, max_abs, out);
	return max_abs;
}

void scaling_steps_up(struct compiler *c, uint32_t axes, struct buffer *in, struct buffer *max_abs, struct buffer *out)
{
	const struct scaling up = scaling_of(c, axes, &in->shape, &out->shape);

	add_step(c, &scaling_up, &up, in, max_abs, out);
}
