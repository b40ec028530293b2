/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of a global array: each rank draws the runs of consecutive elements that it holds.
 *
 * A long run is drawn where it belongs. Short runs that lie close together are drawn with what is between them into a
 * buffer, and copied: a call costs as much as some thousand samples. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"

enum { MAX_RUNS = 1024, WINDOW_ELEMENTS = 65536 };

struct draw {
	struct trnsci_session *session;
	const char *distribution;
	const struct trnsci_param *params;
	struct trnsci_source source; /* of the whole array */
	enum trnsci_dtype dtype;
	size_t size;	     /* bytes of an element */
	uint64_t components; /* elements of a sample */
	uint64_t gap;	     /* elements that cost less than another call */
	char *out;	     /* the next run's */
	char *buffer;
	struct {
		uint64_t first, count;
	} runs[MAX_RUNS];
	size_t n_runs;
	struct trnsci_error *err;
};

static int fill(struct draw *draw, uint64_t first, uint64_t count, void *out)
{
	struct trnsci_source source = draw->source;

	source.offset += first / draw->components;
	return trnsci_fill(draw->session, draw->distribution, draw->params, &source, draw->dtype, count, out, NULL, draw->err);
}

static uint64_t end_of_runs(const struct draw *draw)
{
	return draw->runs[draw->n_runs - 1].first + draw->runs[draw->n_runs - 1].count;
}

/* Draws the runs that were collected. The buffer begins and ends with whole samples. */
static int draw_runs(struct draw *draw)
{
	if (draw->n_runs == 0)
		return 0;
	const uint64_t components = draw->components, begin = draw->runs[0].first / components * components;
	const uint64_t end = (end_of_runs(draw) + components - 1) / components * components;
	const bool in_place = draw->n_runs == 1 && begin == draw->runs[0].first && end == end_of_runs(draw);
	const int r = fill(draw, begin, end - begin, in_place ? draw->out : draw->buffer);

	for (size_t i = 0; i < draw->n_runs; i++) {
		const size_t bytes = draw->runs[i].count * draw->size;

		if (!in_place && r == 0)
			memcpy(draw->out, draw->buffer + (draw->runs[i].first - begin) * draw->size, bytes);
		draw->out += bytes;
	}
	draw->n_runs = 0;
	return r;
}

static int take_run(struct draw *draw, uint64_t first, uint64_t count)
{
	int r = 0;

	if (draw->n_runs == MAX_RUNS || (draw->n_runs > 0 && (first - end_of_runs(draw) > draw->gap ||
							       first + count - draw->runs[0].first > WINDOW_ELEMENTS)))
		r = draw_runs(draw);
	draw->runs[draw->n_runs].first = first;
	draw->runs[draw->n_runs++].count = count;
	return r;
}

/* A run of a distribution of vectors may begin and end inside a sample: its middle is drawn in place. */
static int split_run(void *arg, uint64_t first, uint64_t count)
{
	struct draw *draw = arg;
	const uint64_t components = draw->components, head = (components - first % components) % components;
	const uint64_t tail = (first + count) % components;
	int r = 0;

	if (count <= WINDOW_ELEMENTS - 2 * components || (head == 0 && tail == 0))
		return take_run(draw, first, count);
	if (head)
		r = take_run(draw, first, head);
	if (r == 0)
		r = draw_runs(draw);
	if (r == 0)
		r = take_run(draw, first + head, count - head - tail);
	if (r == 0)
		r = draw_runs(draw);
	return r == 0 && tail ? take_run(draw, first + count - tail, tail) : r;
}

/* The elements of a sample, by the words that one takes. */
static int find_components(struct draw *draw, uint64_t n)
{
	struct trnsci_source source = {.generator = draw->source.generator, .seed = draw->source.seed};
	struct trnsci_span span;

	draw->components = 1;
	source.offset = 1;
	const int r = trnsci_fill(draw->session, draw->distribution, draw->params, &source, draw->dtype, n, NULL, &span,
				  draw->err);

	if (r == 0)
		draw->components = span.position / (draw->size == 8 ? 2 : 1);
	if (r == 0 && (draw->components == 0 || draw->components > WINDOW_ELEMENTS / 4))
		return group_fail(draw->err, TRNSCI_OUT_OF_RANGE, "draw: a sample of %llu elements, allowed are 1 to %d",
				  (unsigned long long)draw->components, WINDOW_ELEMENTS / 4);
	return r;
}

/* What must not differ between ranks. */
struct agreed {
	struct trnsci_mpi_layout layout;
	char names[3][72]; /* distribution, stream, generator */
	uint64_t numbers[5];
};

static struct agreed describe(const struct draw *draw, const struct trnsci_mpi_layout *layout)
{
	const struct trnsci_source *source = &draw->source;
	const char *const names[3] = {draw->distribution, source->name, source->generator};
	struct agreed agreed;

	memset(&agreed, 0, sizeof agreed);
	agreed.layout = *layout;
	for (size_t i = 0; i < 3; i++)
		if (names[i])
			strncpy(agreed.names[i], names[i], sizeof agreed.names[i] - 1);
	agreed.numbers[0] = source->seed;
	agreed.numbers[1] = source->stream;
	agreed.numbers[2] = source->position;
	agreed.numbers[3] = source->offset;
	agreed.numbers[4] = draw->dtype;
	return agreed;
}

/* Collective. A named stream's place is reserved once, by rank 0. */
static int place_draw(struct trnsci_mpi *mpi, struct draw *draw, uint64_t n, struct trnsci_span *span)
{
	int r = 0;

	if (!draw->source.name)
		return trnsci_fill(draw->session, draw->distribution, draw->params, &draw->source, draw->dtype, n, NULL, span,
				   draw->err);
	if (mpi->rank == 0)
		r = trnsci_fill(draw->session, draw->distribution, draw->params, &draw->source, draw->dtype, n, NULL, span,
				draw->err);
	r = group_agree(mpi, r, draw->err);
	if (r == 0)
		r = group_mpi(draw->err, MPI_Bcast(span, (int)sizeof *span, MPI_BYTE, 0, mpi->comm), "MPI_Bcast");
	draw->source = (struct trnsci_source){.generator = span->generator, .seed = span->seed, .stream = span->stream,
					      .offset = span->offset};
	return r;
}

static int draw_part(struct trnsci_mpi *mpi, struct draw *draw, const struct trnsci_mpi_layout *layout, uint64_t n)
{
	int r = find_components(draw, n);

	draw->gap = mpi->embedded ? 4096 : 32768;
	draw->buffer = malloc(WINDOW_ELEMENTS * draw->size);
	if (r == 0 && !draw->buffer)
		r = group_fail(draw->err, TRNSCI_NO_MEMORY, "draw: %zu bytes", WINDOW_ELEMENTS * draw->size);
	if (r == 0)
		r = layout_runs(layout, mpi->rank, split_run, draw);
	if (r == 0)
		r = draw_runs(draw);
	free(draw->buffer);
	return r;
}

int trnsci_mpi_draw(struct trnsci_mpi *mpi, const char *distribution, const struct trnsci_param *params,
		    const struct trnsci_source *source, enum trnsci_dtype dtype, const struct trnsci_mpi_layout *layout,
		    void *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct trnsci_error own;
	struct draw draw = {.session = mpi->session, .distribution = distribution, .params = params, .dtype = dtype,
			    .size = trnsci_dtype_size(dtype), .out = out, .err = err ? err : &own};
	struct trnsci_mpi_layout checked;
	struct trnsci_span span = {.next = 0};

	if (source)
		draw.source = *source;
	int r = layout_check(layout, mpi->size, &checked, draw.err);

	if (r == 0 && draw.size == 0)
		r = group_fail(draw.err, TRNSCI_OUT_OF_RANGE, "draw: dtype: %d, allowed is one of trnsci_dtype", (int)dtype);
	if (r == 0 && (draw.source.rank || draw.source.size))
		r = group_fail(draw.err, TRNSCI_OUT_OF_RANGE, "draw: source: rank and size: allowed is 0, the layout states them");
	const struct agreed agreed = describe(&draw, r == 0 ? &checked : layout);

	r = group_agree_same(mpi, r, &agreed, sizeof agreed, "draw: layout, distribution, dtype and source", draw.err);
	if (r < 0)
		return r;
	const uint64_t n = layout_count(&checked);

	r = place_draw(mpi, &draw, n, &span);
	if (r == 0 && n > 0)
		r = draw_part(mpi, &draw, &checked, n);
	r = group_agree(mpi, r, draw.err);
	if (r == 0 && ret_span)
		*ret_span = span;
	return r;
}
