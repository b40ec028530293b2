/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along some axes of an array, as lib/fft cuts them (fft/axes/axes.h). */
#include "base/clock.h"
#include "engine/steps/step.h"
#include "fft/axes/axes.h"

enum { LEARN_MOST = 8 }; /* times the cache of a core: larger transforms leave it in any case, and threads share them */

/* The state of one run. */
struct transform_run {
	struct step_run run; /* must be the first member */
	struct fft_long now; /* the transforms that go by phases */
	uint64_t began_ns;   /* of those that learn whether they are best left to one thread; else 0 */
};

/* Returns whether two buffers are different memory in every run. Each tile has one buffer, and no tile of a prepared call can
 * stand for two; memory of the caller's may be anywhere. */
static bool are_apart(const struct bindings *bound, const struct buffer *a, const struct buffer *b)
{
	const char *x = bound_base(bound, a), *y = bound_base(bound, b);

	if (a == b)
		return false;
	return !x || !y || x + a->shape.bytes <= y || y + b->shape.bytes <= x;
}

/* Finds the distance of an axis' elements. Parts are one more axis, the last. */
static size_t stride_of(const struct shape *shape, unsigned axis, unsigned parts)
{
	size_t stride = parts;

	for (unsigned i = axis + 1; i < shape->ndim; i++)
		stride *= (size_t)shape->dims[i];
	return stride;
}

/* Lists the axes of a step's transforms, in their order, and those of its batch. */
static void list_axes(const struct bindings *bound, const struct step *step, struct fft_along *along, struct fft_axis *batch,
		      struct fft_problem *problem)
{
	const struct shape *in = &step->in[0]->shape, *out = &step->out->shape;
	const unsigned parts = step->fft.parts ? 2 : 1;
	uint32_t transformed = 0;

	for (unsigned i = 0; i < step->n_transforms; i++) {
		const unsigned axis = step->fft.axis[i];

		transformed |= UINT32_C(1) << axis;
		along[problem->rank++] = (struct fft_along){plans_plan(bound_transform(bound, step, i)), stride_of(in, axis, parts),
							    stride_of(out, axis, parts), step->fft.factor[i]};
	}
	for (unsigned axis = 0; axis < out->ndim; axis++)
		if (!(transformed >> axis & 1))
			batch[problem->n_batch++] = (struct fft_axis){(size_t)out->dims[axis], stride_of(in, axis, parts),
								      stride_of(out, axis, parts)};
	if (step->fft.parts)
		batch[problem->n_batch++] = (struct fft_axis){2, 1, 1};
}

static const struct staged_work *cut_transforms(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	const struct engine *engine = bound->engine;
	const struct fft_machine machine = {pool_threads(engine->pool), pool_scratch_bytes(engine->pool), engine->near_bytes,
					    engine->has_victim_l3};
	struct fft_along along[SHAPE_MAX_DIMS];
	struct fft_axis batch[SHAPE_MAX_DIMS + 1];
	struct fft_problem problem = {.along = along,
				      .batch = batch,
				      .inverse = step->fft.inverse,
				      .apart = are_apart(bound, step->in[0], step->out),
				      .overwrites_in = step->overwrites_in};
	struct fft_axes *axes = bump_alloc(bump, fft_axes_bytes(step->n_transforms));

	if (!axes)
		return NULL;
	list_axes(bound, step, along, batch, &problem);
	fft_axes_cut(&problem, &machine, axes);
	return fft_axes_work(axes);
}

/* Each phase of a long transform reads what the one before has written: with other threads, from their caches. Between CPUs that
 * share no cache that takes many times as long. So the plan learns which is faster, the caller alone or with other threads. */
static void begin_stage(struct step_run *run)
{
	struct transform_run *t = (struct transform_run *)run;
	const struct engine *engine = run->engine;
	const struct fft_axes *axes = (const struct fft_axes *)run->step->staged;

	if (!fft_axes_has_long(axes) || pool_threads(engine->pool) == 1)
		return;
	if (run->stage > 0 && t->began_ns && fft_axes_ends_long(axes, run->stage)) {
		plans_learn(engine->plans, bound_transform(run->bound, run->step, t->now.transform), run->single_thread,
			    (now_ns() - t->began_ns) / t->now.batch);
		t->began_ns = 0;
		run->single_thread = false;
	}
	if (run->stage == run->step->staged->stages || !fft_axes_begins_long(axes, run->stage, &t->now) ||
	    t->now.bytes > LEARN_MOST * engine->near_bytes)
		return;
	run->single_thread = plans_run_single_thread(engine->plans, bound_transform(run->bound, run->step, t->now.transform),
						     t->now.bytes <= engine->near_bytes);
	t->began_ns = now_ns();
}

/* Costs are learned by precision and octave of the length: that of the first transform. */
static unsigned find_cost_row(const struct step *step)
{
	return step->fft.precision * COST_LENGTHS + 63 - (unsigned)__builtin_clzll(step->fft.length | 1);
}

const struct step_ops step_fft = {
	.cost_row = COST_TRANSFORM,
	.find_cost_row = find_cost_row,
	.cut = cut_transforms,
	.begin_stage = begin_stage,
	.run_bytes = sizeof(struct transform_run),
	.reruns = true,
};
