/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, which steps point to, become an array, so that a run's own are a copy with other addresses. */
#include "engine/form.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/temp.h"

/* Constants take as much memory at most; more of them are computed by each run. */
enum { CONSTANTS_MOST = 16 << 20 };

enum { LEARNING, LEARNT };

/* The buffers of a step as places in the array. */
struct links {
	int in[STEP_INPUTS], out, plan; /* -1: none */
};

struct form {
	struct program program; /* steps, segments, sites; its buffers are the array */
	struct buffer *buffers;
	size_t n_buffers;
	struct links *links; /* of each step */
	struct plan_key *plans;
	size_t n_plans;
	uint64_t *tiles; /* handles that it names, in order */
	size_t n_tiles;
	struct value reply;
	/* Of each buffer: what the first run left; NULL where it is no constant. */
	char **constants;
	uint64_t constant_bytes;
	struct engine *engine; /* whose they are; a run's reply may outlive the space */
	atomic_flag taken; /* a run has its constants taken over */
	atomic_int state;
};

/* ---- constants ---- */

static bool can_be_constant(const struct step *step)
{
	return step->kind != STEP_DRAW && step->kind != STEP_POINTS && step->kind != STEP_TRACE &&
	       step->out->kind == BUFFER_TEMP;
}

/* A buffer is while none of its writers is found to depend on the run: lent marks those. */
static bool has_constant_inputs(const struct step *step)
{
	for (unsigned k = 0; k < STEP_INPUTS; k++)
		if (step->in[k] && step->in[k]->kind != BUFFER_INPUT && !step->in[k]->lent)
			return false;
	return true;
}

static void mark_buffers(struct program *program)
{
	bool again = true;

	for (struct buffer *at = program->buffers; at; at = at->next)
		at->lent = at->kind == BUFFER_TEMP;
	while (again) {
		again = false;
		for (size_t i = 0; i < program->n_steps; i++) {
			struct step *step = &program->steps[i];

			if (step->out->lent && !(can_be_constant(step) && has_constant_inputs(step))) {
				step->out->lent = false;
				again = true;
			}
		}
	}
}

static void mark_segments(struct program *program)
{
	for (size_t s = 0; s < program->n_segments; s++) {
		struct segment *segment = &program->segments[s];

		segment->constant = true;
		for (size_t i = segment->first; i < segment->first + segment->count; i++)
			segment->constant &= program->steps[i].out->lent;
	}
}

static bool is_needed(const struct program *program, const struct buffer *buffer)
{
	for (size_t s = 0; s < program->n_segments; s++) {
		const struct segment *segment = &program->segments[s];

		for (size_t i = segment->first; i < segment->first + segment->count && !segment->constant; i++)
			for (unsigned k = 0; k < STEP_INPUTS; k++)
				if (program->steps[i].in[k] == buffer)
					return true;
	}
	return false;
}

static bool is_made_apart(const struct program *program, const struct buffer *buffer)
{
	for (size_t s = 0; s < program->n_segments; s++) {
		const struct segment *segment = &program->segments[s];

		for (size_t i = segment->first; i < segment->first + segment->count; i++)
			if (program->steps[i].out == buffer && !segment->constant)
				return false;
	}
	return true;
}

/* Constants that steps of every run read are lent to them. */
static uint64_t find_constants(struct program *program)
{
	uint64_t bytes = 0;

	mark_buffers(program);
	mark_segments(program);
	for (struct buffer *at = program->buffers; at; at = at->next) {
		at->lent = at->lent && is_made_apart(program, at) && is_needed(program, at);
		if (at->lent)
			bytes += bytes > CONSTANTS_MOST ? 0 : at->shape.bytes;
	}
	if (bytes <= CONSTANTS_MOST)
		return bytes;
	for (struct buffer *at = program->buffers; at; at = at->next)
		at->lent = false;
	for (size_t s = 0; s < program->n_segments; s++)
		program->segments[s].constant = false;
	return 0;
}

/* ---- making ---- */

/* What no step uses was told of, or left out; but a tile must be there in every run. */
static bool is_left_out(const struct buffer *buffer)
{
	return buffer->first == SIZE_MAX && (buffer->kind == BUFFER_TEMP || buffer->kind == BUFFER_INPUT);
}

/* In the order in which they were made; `slot` of the originals then tells which they became. */
static int gather_buffers(struct form *form, struct zone *zone)
{
	size_t n = 0;

	for (struct buffer *at = form->program.buffers; at; at = at->next)
		n += !is_left_out(at);
	form->buffers = zone_alloc(zone, (n + 1) * sizeof *form->buffers);
	form->constants = zone_alloc(zone, (n + 1) * sizeof *form->constants);
	if (!form->buffers || !form->constants)
		return -ERROR_NO_MEMORY;
	memset(form->constants, 0, (n + 1) * sizeof *form->constants);
	form->n_buffers = n;
	for (struct buffer *at = form->program.buffers; at; at = at->next) {
		if (is_left_out(at))
			continue;
		form->buffers[--n] = *at;
		at->slot = (int)n;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Handles of the tiles that it names, in order. */
static int list_tiles(struct form *form, struct zone *zone)
{
	form->tiles = zone_alloc(zone, (form->n_buffers + 1) * sizeof *form->tiles);
	if (!form->tiles)
		return -ERROR_NO_MEMORY;
	for (size_t i = 0; i < form->n_buffers; i++)
		if (form->buffers[i].kind == BUFFER_TILE)
			form->tiles[form->n_tiles++] = form->buffers[i].handle;
	qsort(form->tiles, form->n_tiles, sizeof *form->tiles, by_number);
	return 0;
}

static int place_of(const struct buffer *buffer)
{
	return buffer ? buffer->slot : -1;
}

static int plan_of(const struct form *form, const struct step *step)
{
	const struct plan_entry *entry = step->kind == STEP_FFT      ? step->fft.plan
					 : step->kind == STEP_SIGNAL ? step->signal.plan
								     : NULL;
	int i = 0;

	if (!entry)
		return -1;
	for (const struct plan_use *at = form->program.plans; at && at->entry != entry; at = at->next)
		i++;
	return i;
}

static int link_steps(struct form *form, struct zone *zone)
{
	const struct program *program = &form->program;
	size_t i = 0;

	for (const struct plan_use *at = program->plans; at; at = at->next)
		form->n_plans++;
	form->links = zone_alloc(zone, (program->n_steps + 1) * sizeof *form->links);
	form->plans = zone_alloc(zone, (form->n_plans + 1) * sizeof *form->plans);
	if (!form->links || !form->plans)
		return -ERROR_NO_MEMORY;
	for (const struct plan_use *at = program->plans; at; at = at->next)
		form->plans[i++] = at->key;
	for (i = 0; i < program->n_steps; i++) {
		const struct step *step = &program->steps[i];
		struct links *links = &form->links[i];

		for (unsigned k = 0; k < STEP_INPUTS; k++)
			links->in[k] = place_of(step->in[k]);
		links->out = place_of(step->out);
		links->plan = plan_of(form, step);
	}
	return 0;
}

static int compile_form(struct form *form, const struct args *run, struct error *err)
{
	struct program *program = &form->program;
	struct compiler compiler = {.program = program, .args = *run, .reply = &form->reply, .err = err};
	int error;

	compiler.args.context = "program"; /* steps are told of by it at every run */
	error = compile_program(&compiler);
	if (!error)
		error = program_finish(program, "program_new", err);
	/* Where it lies as it stands, so that what is wrong is told now. */
	return error ? error : site_place(program, &form->reply, err);
}

int form_make(struct space *space, const struct args *run, struct zone *zone, struct form **ret_form,
	      uint64_t *ret_bytes, struct error *err)
{
	struct form *form = zone_alloc(zone, sizeof *form);
	int error;

	if (!form)
		return error_set(err, ERROR_NO_MEMORY, "program_new: no memory for it");
	memset(form, 0, sizeof *form);
	form->program = (struct program){.space = space, .zone = zone, .keeps = true};
	form->engine = space->engine;
	form->reply = value_map();
	atomic_flag_clear(&form->taken);
	atomic_init(&form->state, LEARNING);
	error = compile_form(form, run, err);
	if (!error) {
		form->constant_bytes = find_constants(&form->program);
		if (gather_buffers(form, zone) || list_tiles(form, zone) || link_steps(form, zone))
			error = error_set(err, ERROR_NO_MEMORY, "program_new: no memory for it");
	}
	program_end(&form->program);
	if (error)
		return error;
	*ret_form = form;
	*ret_bytes = zone_bytes(zone) + form->program.held_bytes + form->constant_bytes;
	return 0;
}

int form_go_on(struct form *form, struct error *err)
{
	return making_go_on(&form->program, err);
}

bool form_is_made(const struct form *form)
{
	return !form->program.makings;
}

uint64_t form_work_bytes(const struct form *form)
{
	return form->program.work_bytes;
}

void form_end(struct form *form)
{
	if (!form)
		return;
	for (size_t i = 0; i < form->n_buffers; i++)
		temp_free(form->engine, form->constants[i], form->buffers[i].shape.bytes);
}

/* ---- runs ---- */

/* Among the tiles that it names; n_tiles when it does not. */
static size_t find_tile(const struct form *form, uint64_t handle)
{
	const uint64_t *at = form->n_tiles ? bsearch(&handle, form->tiles, form->n_tiles, sizeof handle, by_number) : NULL;

	return at ? (size_t)(at - form->tiles) : form->n_tiles;
}

/* What stands for the tile in this run. to: form_swap's; NULL: itself. */
static uint64_t swapped(const struct form *form, const uint64_t *to, uint64_t handle)
{
	const size_t place = to ? find_tile(form, handle) : form->n_tiles;

	return place < form->n_tiles ? to[place] : handle;
}

static int bind_tile(const struct form *form, struct program *program, const uint64_t *to, struct buffer *buffer,
		     struct error *err)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	int error = tile_take(program->space, swapped(form, to, buffer->handle), buffer->context, buffer->param,
			      &buffer->tile, err);

	if (error)
		return error;
	if (!shape_equal(&buffer->tile->shape, &buffer->shape)) {
		error = error_set(err, ERROR_BAD_SHAPE, "%s: %s: the tile is %s, allowed is %s, for which it was compiled",
				  buffer->context, buffer->param, shape_text(&buffer->tile->shape, has),
				  shape_text(&buffer->shape, needs));
		tile_give(program->space, buffer->tile);
		return error;
	}
	buffer->handle = buffer->tile->handle;
	buffer->base = tile_base(program->space, buffer->tile);
	return 0;
}

/* Its address; what it holds from here on, program_end gives back. */
static int bind_buffer(const struct form *form, struct program *program, const uint64_t *to, size_t i,
		       struct buffer *buffer, struct error *err)
{
	switch (buffer->kind) {
	case BUFFER_TILE:
		return bind_tile(form, program, to, buffer, err);
	case BUFFER_RESULT:
		return program_result(program, buffer)
			       ? error_set(err, ERROR_NO_MEMORY, "program_run: no memory for its results")
			       : 0;
	case BUFFER_TEMP:
		buffer->base = NULL;
		if (program->knows && buffer->lent) {
			buffer->base = form->constants[i];
			buffer->kind = BUFFER_INPUT;
		}
		return 0;
	default:
		return 0;
	}
}

static int bind_buffers(const struct form *form, struct program *program, const uint64_t *to,
			struct buffer *buffers, struct error *err)
{
	for (size_t i = 0; i < form->n_buffers; i++) {
		int error;

		buffers[i] = form->buffers[i];
		error = bind_buffer(form, program, to, i, &buffers[i], err);
		if (error)
			return error;
		buffers[i].next = program->buffers;
		program->buffers = &buffers[i];
	}
	return 0;
}

static int bind_plans(const struct form *form, struct program *program, struct plan_entry **plans)
{
	for (size_t i = 0; i < form->n_plans; i++)
		if (program_plan(program, form->plans[i], &plans[i]))
			return -ERROR_NO_MEMORY;
	return 0;
}

static void bind_step(const struct links *links, struct buffer *buffers, struct plan_entry *const *plans,
		      struct step *step)
{
	for (unsigned k = 0; k < STEP_INPUTS; k++)
		step->in[k] = links->in[k] < 0 ? NULL : &buffers[links->in[k]];
	step->out = &buffers[links->out];
	if (step->kind == STEP_FFT)
		step->fft.plan = plans[links->plan];
	if (step->kind == STEP_SIGNAL && links->plan >= 0)
		step->signal.plan = plans[links->plan];
}

/* Those of results, and of traces. */
static void bind_reply(const struct form *form, struct program *program, struct value *reply)
{
	const struct value *steps = value_get(reply, "steps"), *results = value_get(reply, "results");

	for (const struct buffer *at = program->buffers; at; at = at->next)
		if (at->result >= 0)
			*(struct value *)value_get(&results->map.at[at->result].value, "data") =
				value_bytes(at->base, (size_t)at->shape.bytes);
	for (size_t i = 0; i < form->program.n_steps; i++) {
		struct step *step = &program->steps[i];
		const struct site *site;

		if (step->kind != STEP_TRACE)
			continue;
		site = &program->sites.at[step->site];
		step->trace.ret_estimate = &steps->array.at[site->step].map.at[site->estimate].value;
		step->trace.ret_error = &steps->array.at[site->step].map.at[site->estimate + 1].value;
	}
}

/* The handles that its steps tell. */
static void tell_swaps(const struct form *form, const uint64_t *to, struct value *reply)
{
	struct value *steps = (struct value *)value_get(reply, "steps");

	for (size_t i = 0; i < steps->array.count && to; i++) {
		struct value *tile = (struct value *)value_get(&steps->array.at[i], "tile");

		if (tile)
			*tile = value_uint(swapped(form, to, tile->u));
	}
}

int form_swap(const struct form *form, struct zone *zone, const struct form_swap *at, size_t count, const char *context,
	      uint64_t **ret_to, struct error *err)
{
	uint64_t *to = zone_alloc(zone, (3 * form->n_tiles + 1) * sizeof *to), *sorted = to + form->n_tiles,
		 *given = sorted + form->n_tiles;

	if (!to)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for them", context);
	memcpy(to, form->tiles, form->n_tiles * sizeof *to);
	memset(given, 0, form->n_tiles * sizeof *given);
	for (size_t i = 0; i < count; i++) {
		const size_t place = find_tile(form, at[i].from);

		if (place == form->n_tiles)
			return error_set(err, ERROR_BAD_TILE,
					 "%s: the program names no tile %" PRIu64 ", allowed are those that it does",
					 context, at[i].from);
		if (!given[place])
			to[place] = at[i].to;
		given[place] = 1;
	}
	memcpy(sorted, to, form->n_tiles * sizeof *to);
	qsort(sorted, form->n_tiles, sizeof *sorted, by_number);
	for (size_t i = 1; i < form->n_tiles; i++)
		if (sorted[i] == sorted[i - 1])
			return error_set(err, ERROR_BAD_TILE,
					 "%s: tile %" PRIu64 " would stand for two, allowed is for one", context,
					 sorted[i]);
	*ret_to = to;
	return 0;
}

/* The parts of a program that are as the form has them. */
static void share(const struct form *form, struct program *program)
{
	const struct program *own = &form->program;

	program->n_steps = program->steps_room = own->n_steps;
	program->segments = own->segments;
	program->n_segments = own->n_segments;
	program->sites = own->sites;
	program->inline_in = own->inline_in;
	program->inline_out = own->inline_out;
	program->temp_bytes = own->temp_bytes;
	program->knows = atomic_load_explicit(&form->state, memory_order_acquire) == LEARNT;
}

int form_bind(struct form *form, struct program *program, const uint64_t *to, struct value *reply, struct error *err)
{
	const struct program *own = &form->program;
	const size_t range_bytes = own->sites.n_ranges * sizeof *own->sites.ranges;
	struct zone *zone = program->zone;
	struct buffer *buffers = zone_alloc(zone, (form->n_buffers + 1) * sizeof *buffers);
	struct plan_entry **plans = zone_alloc(zone, (form->n_plans + 1) * sizeof(struct plan_entry *));
	struct step *steps = zone_alloc(zone, (own->n_steps + 1) * sizeof *steps);
	struct site_range *ranges = zone_alloc(zone, range_bytes + sizeof *ranges);
	int error;

	if (!buffers || !plans || !steps || !ranges)
		return error_set(err, ERROR_NO_MEMORY, "program_run: no memory for the request");
	share(form, program);
	error = bind_buffers(form, program, to, buffers, err);
	if (error)
		return error;
	if (bind_plans(form, program, plans) || value_share(zone, &form->reply, reply))
		return error_set(err, ERROR_NO_MEMORY, "program_run: no memory for the request");
	if (range_bytes)
		memcpy(ranges, own->sites.ranges, range_bytes);
	program->sites.ranges = ranges;
	program->steps = steps;
	for (size_t i = 0; i < own->n_steps; i++) {
		steps[i] = own->steps[i];
		bind_step(&form->links[i], buffers, plans, &steps[i]);
	}
	bind_reply(form, program, reply);
	tell_swaps(form, to, reply);
	return 0;
}

void form_learn(struct form *form, struct program *program)
{
	size_t i = form->n_buffers;

	if (program->knows || form->constant_bytes == 0 || atomic_flag_test_and_set(&form->taken))
		return;
	for (struct buffer *at = program->buffers; at; at = at->next) {
		i--;
		if (at->lent) {
			form->constants[i] = at->base;
			at->base = NULL;
		}
	}
	atomic_store_explicit(&form->state, LEARNT, memory_order_release);
}
