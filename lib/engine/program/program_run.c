/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program, segment after segment, and releases what it holds.
 *
 * The scheduler calls program_advance on one thread at a time, when all chunks of the stage before are done, and sees
 * to it that what they wrote is visible. So nothing here is atomic. */
#include "engine/program/program.h"

#include "base/checked.h"
#include "engine/steps/kinds.h"
#include "engine/memory/temp.h"

/* Returns where a step reads or writes element `begin` of a buffer: its slot in scratch, which holds the current block,
 * or its memory. NULL: there is no buffer, or it is read as a whole. */
static char *operand(const struct step *step, const struct buffer *buffer, uint64_t begin, void *scratch)
{
	if (!buffer || step_reads_whole(step, buffer))
		return NULL;
	if (buffer->slot >= 0)
		return (char *)scratch + (size_t)buffer->slot * PROGRAM_BLOCK_BYTES;
	return buffer->base + begin * dtype_size(buffer->shape.dtype);
}

/* Runs all steps of the segment on one block after the other, so that what lies between them stays in first-level
 * cache. Returns words of 32 bits, which count as the lane's work. */
static uint64_t run_chunk(const struct program *program, const struct segment *segment, size_t chunk, void *scratch)
{
	const uint64_t begin = (uint64_t)chunk * segment->chunk;
	const uint64_t end = begin + segment->chunk < segment->n ? begin + segment->chunk : segment->n;
	const struct step *last = &program->steps[segment->first + segment->count - 1];

	for (uint64_t at = begin; at < end; at += segment->block) {
		const size_t n = size_min(segment->block, (size_t)(end - at));

		for (size_t i = segment->first; i < segment->first + segment->count; i++) {
			const struct step *step = &program->steps[i];
			const void *in[] = {operand(step, step->in[0], at, scratch),
					    operand(step, step->in[1], at, scratch),
					    operand(step, step->in[2], at, scratch)};

			step->ops->fill(program->memory->engine, step, at, n, in, operand(step, step->out, at, scratch));
		}
	}
	return (end - begin) * dtype_size(last->out->shape.dtype) / 4;
}

/* Allocates the temporaries that the segment is the first to use. */
static int get_temps(struct program *program)
{
	for (struct buffer *at = program->buffers; at; at = at->next) {
		if (at->kind != BUFFER_TEMP || at->slot >= 0 || at->first != program->at || at->base)
			continue;
		at->base = temp_alloc(program->memory->engine, at->shape.bytes);
		if (!at->base)
			return -ERROR_NO_MEMORY;
	}
	return 0;
}

/* Gives a temporary's memory back, if it has any. */
static void drop_temp(struct program *program, struct buffer *buffer)
{
	temp_free(program->memory->engine, buffer->base, buffer->shape.bytes);
	buffer->base = NULL;
}

/* Frees the temporaries that the current segment is the last to use; constants stay (lent). */
static void drop_temps(struct program *program)
{
	for (struct buffer *at = program->buffers; at; at = at->next)
		if (at->kind == BUFFER_TEMP && at->slot < 0 && at->last == program->at && !at->lent)
			drop_temp(program, at);
}

/* Of a program that runs again and again, the states of steps are made by its first run and rewound by later ones, so
 * that a run allocates nothing. */
static int begin_kept(struct program *program, const struct step *steps, size_t count, struct job *job)
{
	struct step_run **kept = &program->kept[program->at];
	int error = 0;

	if (*kept)
		steps->ops->rewind(*kept);
	else
		error = step_begin(program->memory->engine, steps, count, job, kept);
	program->run = *kept;
	return error;
}

/* Temporaries get their memory when the first segment that uses them begins, and lose it after the last. */
static int begin_segment(struct program *program, struct job *job)
{
	const struct segment *segment = &program->segments[program->at];
	const struct step *steps = &program->steps[segment->first];
	const int error = program->kept ? 0 : get_temps(program);

	if (error || step_is_elementwise(steps))
		return error;
	return program->kept ? begin_kept(program, steps, segment->count, job)
			     : step_begin(program->memory->engine, steps, segment->count, job, &program->run);
}

/* Asks the steps of a segment that ran whether they refused an element. */
static int check_segment(struct program *program)
{
	const struct segment *segment = &program->segments[program->at];
	int error = 0;

	for (size_t i = segment->first; i < segment->first + segment->count && !error; i++)
		if (program->steps[i].ops->check)
			error = program->steps[i].ops->check(&program->steps[i], program->bump, &program->failure);
	return error;
}

/* Ends the current segment. Kept states stay for the next run. */
static void end_segment(struct program *program)
{
	if (!program->kept) {
		step_end(program->run);
		drop_temps(program);
	}
	program->run = NULL;
	program->at++;
	program->begun = false;
}

/* Passes the scheduler what a chunk of the stage is estimated to take, where it learns from the real times, and what scratch
 * it needs. */
static void state_needs(const struct program *program, uint64_t chunk_ns, size_t scratch_bytes, struct job *job)
{
	job->chunk_ns = chunk_ns;
	job->cost = chunk_ns ? program->segments[program->at].cost : NULL;
	job->alone = program->run && program->run->alone;
	job->scratch_bytes = program->n_segments == 1 ? scratch_bytes : JOB_SCRATCH_ALL;
}

/* Ends the stage that ran, if one did, and begins the next. Segments that are constant and known are skipped; a
 * segment of element-wise steps is one stage, any other has those of its step. */
int program_advance(struct program *program, struct job *job)
{
	if (program->begun && !program->run) {
		const int error = program->kept ? 0 : check_segment(program);

		if (error)
			return error;
		end_segment(program);
	}
	while (program->at < program->n_segments) {
		const struct segment *segment = &program->segments[program->at];

		if (segment->constant && program->knows) {
			program->at++;
			continue;
		}
		int next = program->begun ? 0 : begin_segment(program, job);

		if (next)
			return next;
		program->begun = true;
		if (!program->run) {
			job->n_chunks = (size_t)((segment->n + segment->chunk - 1) / segment->chunk);
			state_needs(program, segment->chunk_ns, segment->count == 1 ? 0 : JOB_SCRATCH_ALL, job);
			return JOB_STAGE;
		}
		next = step_advance(program->run, &job->n_chunks);
		state_needs(program, program->run->chunk_ns, program->run->scratch_bytes, job);
		if (next < 0)
			program->failure = program->run->failure;
		if (next != JOB_END)
			return next;
		end_segment(program);
	}
	return JOB_END;
}

uint64_t program_run(struct program *program, size_t chunk, void *scratch)
{
	if (program->run)
		return step_run_chunk(program->run, chunk, scratch);
	return run_chunk(program, &program->segments[program->at], chunk, scratch);
}

void program_free_new_tiles(struct program *program)
{
	for (struct buffer *at = program->buffers; at; at = at->next)
		if (at->is_new)
			tile_free(program->memory, at->tile->handle, NULL);
}

void program_rewind(struct program *program)
{
	program->at = 0;
	program->begun = false;
	program->run = NULL;
}

void program_resume(struct program *program)
{
	program->at = 0;
	program->run = program->kept[0];
}

/* States first, since they may wait for plans; then temporaries and tiles; plans last. */
void program_end(struct program *program)
{
	for (size_t i = 0; program->kept && i < program->n_segments; i++)
		step_end(program->kept[i]);
	if (!program->kept)
		step_end(program->run);
	program->kept = NULL;
	program->run = NULL;
	for (struct buffer *at = program->buffers; at; at = at->next) {
		if (at->kind == BUFFER_TEMP)
			drop_temp(program, at);
		if (at->kind == BUFFER_TILE)
			tile_give(program->memory, at->tile);
	}
	for (struct plan_use *at = program->plans; at; at = at->next)
		plans_give(program->memory->engine->plans, at->entry);
	program->buffers = NULL;
	program->plans = NULL;
}
