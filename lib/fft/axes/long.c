/* SPDX-License-Identifier: Apache-2.0 */
/* Running long transforms phase by phase. A stage is a phase of some transforms of one call. */
#include "fft/axes/axes_core.h"
#include "fft/kernels/transpose.h"

/* What runs in a stage: transforms [first, first + batch) of a call, in a phase of their plan, or in none where columns are turned. */
struct part {
	size_t call, first, batch;
	size_t phase;
	const struct side *turned; /* the side whose columns become rows, or rows columns; else NULL */
};

static struct part find_part(const struct fft_pass *pass, size_t stage)
{
	const size_t groups = (pass->batch + pass->most - 1) / pass->most, group = stage / pass->phases, at = stage % pass->phases;
	struct part part = {.call = group / groups, .first = group % groups * pass->most, .phase = at};

	part.batch = size_min(pass->most, pass->batch - part.first);
	if (pass->row_in) {
		part.turned = at == 0 ? &pass->in : at + 1 == pass->phases ? &pass->out : NULL;
		part.phase--;
	}
	return part;
}

/* Returns the elements of each column that a chunk turns. */
static size_t turned_at_once(const struct part *part)
{
	const size_t fit = UNIT_BYTES / (part->turned->size * part->batch) / VECTOR * VECTOR;

	return fit ? fit : VECTOR;
}

size_t long_batch(const struct fft_pass *pass, size_t stage)
{
	return find_part(pass, stage).batch;
}

size_t long_chunks(const struct fft_pass *pass, const struct fft_plan *plan, size_t stage)
{
	const struct part part = find_part(pass, stage);

	if (part.turned)
		return (part.turned->n + turned_at_once(&part) - 1) / turned_at_once(&part);
	return fft_chunks(plan, part.phase, part.batch);
}

/* Describes the transforms of a part between rows of work, which lie behind what they need between phases. */
static struct fft_call call_of_rows(const struct fft_pass *pass, const struct pass_io *io, const struct part *part)
{
	struct fft_call call = pass_call(pass, io, part->call, part->first, part->batch);
	char *x = io->work + fft_round_line(fft_work_bytes(io->plan, pass->most));

	call.in = x;
	call.out = pass->in.size == pass->out.size ? x : x + pass->most * pass->row_in;
	call.in_stride = call.out_stride = 1;
	call.all = part->batch; /* in work */
	call.kept = FFT_KEPT_SHARED;
	call.in_distance = pass->row_in / pass->in.size;
	call.out_distance = pass->row_out / pass->out.size;
	return call;
}

/* Turns some elements of all columns of a part. */
static void transpose_rows(const struct fft_pass *pass, const struct pass_io *io, const struct part *part, size_t chunk)
{
	const struct fft_call there = pass_call(pass, io, part->call, part->first, part->batch);
	const struct fft_call rows = call_of_rows(pass, io, part);
	const size_t size = part->turned->size, step = part->turned->stride * size, begin = chunk * turned_at_once(part);
	const size_t count = size_min(turned_at_once(part), part->turned->n - begin);

	if (part->turned == &pass->in)
		transpose_elements(io->plan->features, size, (const char *)there.in + begin * step, step,
				   (char *)(uintptr_t)rows.in + begin * size, pass->row_in, count, part->batch);
	else
		transpose_elements(io->plan->features, size, (const char *)rows.out + begin * size, pass->row_out,
				   (char *)there.out + begin * step, step, part->batch, count);
}

void long_run_chunk(const struct fft_pass *pass, const struct pass_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct part part = find_part(pass, stage);
	struct fft_call call;

	if (part.turned) {
		transpose_rows(pass, io, &part, chunk);
		return;
	}
	call = pass->row_in ? call_of_rows(pass, io, &part) : pass_call(pass, io, part.call, part.first, part.batch);
	fft_run_chunk(io->plan, &call, part.phase, chunk, scratch);
}
