/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of a problem lie between its passes. */
#include <assert.h>

#include "fft/axes/axes_core.h"

/* Returns the first transform whose result, and that of each behind it, has the elements of the output. */
static unsigned find_settled(const struct fft_problem *problem)
{
	unsigned first = problem->rank - 1;

	while (first > 0 && fft_in_bytes(problem->along[first].plan, problem->inverse) ==
				    fft_in_bytes(problem->along[first].plan, !problem->inverse))
		first--;
	return first;
}

static void add_axis(struct layout *l, size_t before, size_t after, size_t in_stride, size_t out_stride)
{
	const unsigned i = l->n_axes++;

	l->before[i] = before;
	l->after[i] = after;
	l->stride[ARRAY_IN][i] = in_stride;
	l->stride[ARRAY_OUT][i] = out_stride;
}

void layout_find(const struct fft_problem *problem, const struct fft_machine *machine, struct layout *ret_layout)
{
	const bool inverse = problem->inverse;

	assert(problem->rank > 0 && problem->rank + problem->n_batch <= FFT_AXES_MAX);
	ret_layout->problem = problem;
	ret_layout->machine = machine;
	ret_layout->n_axes = 0;
	ret_layout->settled = find_settled(problem);
	ret_layout->array_bytes = 0;
	for (const struct fft_along *at = problem->along; at < problem->along + problem->rank; at++)
		add_axis(ret_layout, fft_in_length(at->plan, inverse), fft_in_length(at->plan, !inverse), at->in_stride,
			 at->out_stride);
	for (const struct fft_axis *at = problem->batch; at < problem->batch + problem->n_batch; at++)
		add_axis(ret_layout, at->n, at->n, at->in_stride, at->out_stride);
	if (ret_layout->settled > 0 && !problem->overwrites_in)
		ret_layout->array_bytes = layout_compact(ret_layout, UINT32_MAX, 0, ARRAY_IN, false, ARRAY_WORK);
}

enum array layout_to(const struct layout *layout, unsigned transform)
{
	if (transform >= layout->settled)
		return ARRAY_OUT;
	return layout->problem->overwrites_in ? ARRAY_IN : ARRAY_WORK;
}

enum array layout_from(const struct layout *layout, unsigned transform)
{
	return transform == 0 ? ARRAY_IN : layout_to(layout, transform - 1);
}

/* Merges axes that follow one another without a gap on both sides. */
static void merge_loops(struct loops *loops)
{
	unsigned n = 0;

	for (unsigned i = 0; i < loops->n; i++) {
		struct fft_axis *last = n > 0 ? &loops->at[n - 1] : NULL;

		if (last && loops->at[i].in_stride == last->n * last->in_stride &&
		    loops->at[i].out_stride == last->n * last->out_stride)
			last->n *= loops->at[i].n;
		else
			loops->at[n++] = loops->at[i];
	}
	loops->n = n;
}

struct loops layout_loops(const struct layout *layout, uint32_t axes, unsigned transform, enum array from, enum array to)
{
	struct loops loops;

	loops.n = 0;
	for (unsigned i = 0; i < layout->n_axes; i++) {
		const struct fft_axis axis = {layout_length(layout, i, transform), layout->stride[from][i], layout->stride[to][i]};
		unsigned at = loops.n;

		if (!(axes >> i & 1) || axis.n == 1)
			continue;
		for (; at > 0 && loops.at[at - 1].in_stride > axis.in_stride; at--)
			loops.at[at] = loops.at[at - 1];
		loops.at[at] = axis;
		loops.n++;
	}
	merge_loops(&loops);
	return loops;
}

size_t layout_compact(struct layout *layout, uint32_t axes, unsigned transform, enum array like, bool spread, enum array array)
{
	const struct fft_along *along = &layout->problem->along[transform];
	const size_t size = fft_in_bytes(along->plan, layout->problem->inverse);
	size_t stride = 1;
	unsigned order[FFT_AXES_MAX], n = 0;

	for (unsigned i = 0; i < layout->n_axes; i++) {
		unsigned at = n;

		layout->stride[array][i] = 1;
		if (!(axes >> i & 1) || layout_length(layout, i, transform) == 1)
			continue;
		for (; at > 0 && layout->stride[like][order[at - 1]] > layout->stride[like][i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	for (unsigned i = 0; i < n; i++) {
		if (spread && n == 2 && i == 1)
			stride = (fft_round_line(stride * size) + LINE_BYTES) / size;
		layout->stride[array][order[i]] = stride;
		stride *= layout_length(layout, order[i], transform);
	}
	return fft_round_line(stride * size);
}

/* A transform of one element is a row, wherever its neighbours lie. */
void layout_pass(const struct layout *layout, uint32_t axes, unsigned transform, struct fft_pass *pass)
{
	const struct fft_problem *problem = layout->problem;
	const struct fft_plan *plan = problem->along[transform].plan;
	const size_t before = layout->before[transform], after = layout->after[transform];
	const bool is_point = before == 1 && after == 1;
	struct loops *outer = &pass->outer;

	pass->transform = transform;
	pass->inverse = problem->inverse;
	pass->scale = problem->along[transform].scale;
	pass->in = (struct side){fft_in_bytes(plan, problem->inverse), before,
				 is_point ? 1 : layout->stride[pass->from][transform], before};
	pass->out = (struct side){fft_in_bytes(plan, !problem->inverse), after,
				  is_point ? 1 : layout->stride[pass->to][transform], after};
	pass->batch = pass->calls = 1;
	*outer = layout_loops(layout, axes & ~(UINT32_C(1) << transform), transform, pass->from, pass->to);
	if (outer->n > 0) {
		pass->batch = outer->at[0].n;
		pass->in.distance = outer->at[0].in_stride;
		pass->out.distance = outer->at[0].out_stride;
		outer->n--;
	} else if (!pass_is_rows(pass)) {
		pass->in.distance = pass->out.distance = 1;
	}
	for (unsigned i = 0; i < outer->n; i++) {
		outer->at[i] = outer->at[i + 1];
		pass->calls *= outer->at[i].n;
	}
}
