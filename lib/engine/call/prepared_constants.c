/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the constants of a prepared call: temporaries that depend on neither draws, tiles nor the caller's memory.
 *
 * Windows and the spectra of a kernel that came inline are such. The first run computes them and leaves them to the
 * call (prepared_learn); later runs skip the segments that make them. */
#include "engine/call/prepared_core.h"

/* The most bytes of one call's constants. Where they are more, each run computes them. */
enum { CONSTANTS_MOST = 16 << 20 };

/* Returns whether a step, given constant inputs, gives a constant: it draws nothing, writes nothing to the reply, and writes a temporary. */
static bool can_be_constant(const struct step *step)
{
	return !step->ops->place && !step->ops->replies && step->out->kind == BUFFER_TEMP;
}

/* An input of the call is constant; a temporary is while no step that writes it is found to depend on the run (is_constant).
 */
static bool has_constant_inputs(const struct step *step)
{
	for (unsigned k = 0; k < STEP_INPUTS; k++)
		if (step->in[k] && step->in[k]->kind != BUFFER_INPUT && !step->in[k]->is_constant)
			return false;
	return true;
}

/* Marks, by `is_constant`, the temporaries that are the same in every run: all at first, then repeatedly fewer, until nothing
 * changes. Several steps may write one buffer, so one pass in order is not enough. */
static void mark_buffers(struct plan *plan)
{
	bool again = true;

	for (size_t i = 0; i < plan->n_buffers; i++)
		plan->buffers[i]->is_constant = plan->buffers[i]->kind == BUFFER_TEMP;
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].overwrites_in)
			plan->steps[i].in[0]->is_constant = false;
	while (again) {
		again = false;
		for (size_t i = 0; i < plan->n_steps; i++) {
			struct step *step = &plan->steps[i];

			if (step->out->is_constant && !(can_be_constant(step) && has_constant_inputs(step))) {
				step->out->is_constant = false;
				again = true;
			}
		}
	}
}

/* Marks the segments all of whose steps write such temporaries. */
static void mark_segments(struct plan *plan)
{
	for (size_t s = 0; s < plan->n_segments; s++) {
		struct segment *segment = &plan->segments[s];

		segment->constant = true;
		for (size_t i = segment->first; i < segment->first + segment->count; i++)
			segment->constant &= plan->steps[i].out->is_constant;
	}
}

/* Returns whether a segment that every run computes reads the buffer. */
static bool is_needed(const struct plan *plan, const struct buffer *buffer)
{
	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct segment *segment = &plan->segments[s];

		for (size_t i = segment->first; i < segment->first + segment->count && !segment->constant; i++)
			for (unsigned k = 0; k < STEP_INPUTS; k++)
				if (plan->steps[i].in[k] == buffer)
					return true;
	}
	return false;
}

/* Returns whether only constant segments write the buffer; one fused with other steps is written in each run. */
static bool is_made_apart(const struct plan *plan, const struct buffer *buffer)
{
	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct segment *segment = &plan->segments[s];

		for (size_t i = segment->first; i < segment->first + segment->count; i++)
			if (plan->steps[i].out == buffer && !segment->constant)
				return false;
	}
	return true;
}

/* `is_constant` ends up marking only the buffers that later runs read: those between constants are not kept. */
uint64_t prepared_find_constants(struct plan *plan)
{
	uint64_t bytes = 0;

	mark_buffers(plan);
	mark_segments(plan);
	for (size_t i = 0; i < plan->n_buffers; i++) {
		struct buffer *at = plan->buffers[i];

		at->is_constant = at->is_constant && is_made_apart(plan, at) && is_needed(plan, at);
		if (at->is_constant)
			bytes += bytes > CONSTANTS_MOST ? 0 : at->shape.bytes;
	}
	if (bytes <= CONSTANTS_MOST)
		return bytes;
	for (size_t i = 0; i < plan->n_buffers; i++)
		plan->buffers[i]->is_constant = false;
	for (size_t s = 0; s < plan->n_segments; s++)
		plan->segments[s].constant = false;
	return 0;
}
