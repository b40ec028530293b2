/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of a global array: each rank draws the runs of consecutive elements that it holds.
 *
 * A long run is drawn where it belongs. Short runs that lie close together are drawn with what is between them into a
 * buffer, and copied: a call costs as much as some thousand samples. */
#include <stdlib.h>
#include <string.h>

#include "agreed.h"

enum { MAX_RUNS = 1024, WINDOW_ELEMENTS = 65536, MAX_TILES = 8 };

struct draw {
	struct trnsci_session *session;
	const char *distribution;
	const struct trnsci_param *params;
	struct trnsci_param *own; /* params, copied from the caller's list */
	struct trnsci_tile *tiles[MAX_TILES]; /* arrays among them */
	size_t n_tiles;
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
	return trnsci_draw_array(draw->session, draw->distribution, draw->params, &source, draw->dtype, count, out, NULL,
				 draw->err);
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

static bool is_zero(const struct trnsci_param *param)
{
	char *end;

	switch (param->kind) {
	case TRNSCI_PARAM_U64:
	case TRNSCI_PARAM_I64:
		return param->value.u64 == 0;
	case TRNSCI_PARAM_F64:
		return param->value.f64 == 0;
	case TRNSCI_PARAM_TEXT:
		return param->value.text && strtoull(param->value.text, &end, 0) == 0 && end != param->value.text && *end == '\0';
	default:
		return false;
	}
}

static bool has_items(const char *distribution)
{
	struct trnsci_parameter_info info;

	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &info) == 0; i++)
		if (strcmp(info.name, "items") == 0)
			return true;
	return false;
}

/* Copies an array to the daemon once, for all the calls that take it. */
static int share_array(struct draw *draw, struct trnsci_param *param)
{
	const struct trnsci_array *array = param->value.array;
	size_t bytes = array && array->data ? trnsci_dtype_size(array->dtype) : 0;
	struct trnsci_tile *tile = NULL;

	for (size_t i = 0; array && i < array->ndim && i < TRNSCI_MAX_DIMS; i++)
		bytes *= array->shape[i];
	if (bytes == 0 || draw->n_tiles == MAX_TILES)
		return 0; /* the call refuses it, or takes it as it is */
	const int r = trnsci_tile_new(draw->session, array->dtype, array->ndim, array->shape, &tile, draw->err);

	if (r < 0)
		return r;
	draw->tiles[draw->n_tiles++] = tile;
	memcpy(trnsci_tile_data(tile), array->data, bytes);
	*param = trnsci_param_tile_elements(param->name, tile);
	return 0;
}

/* Returns whether the parameters state the layout of another framework, whose distributions have no vectors. */
static bool is_call(const struct trnsci_param *params)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++)
		if (params->name && strcmp(params->name, "layout") == 0 && params->kind == TRNSCI_PARAM_TEXT && params->value.text)
			return strcmp(params->value.text, "plain") != 0 && strcmp(params->value.text, "trn24") != 0;
	return false;
}

/* Copies the parameters for calls that draw parts. A permutation of 0 items, the default, has as many as the whole array, and so
 * has a call of another framework: a part has to state them. */
static int copy_params(struct draw *draw, bool embedded, uint64_t n)
{
	bool states_items = has_items(draw->distribution), states_call = is_call(draw->params);
	size_t count = 0;
	int r = 0;

	while (draw->params && draw->params[count].kind != TRNSCI_PARAM_END)
		count++;
	draw->own = calloc(count + 3, sizeof *draw->own);
	if (!draw->own)
		return group_fail(draw->err, TRNSCI_NO_MEMORY, "draw: %zu parameters", count);
	for (size_t i = 0; i < count && r == 0; i++) {
		struct trnsci_param *param = &draw->own[i];

		*param = draw->params[i];
		if (param->name && strcmp(param->name, "items") == 0)
			states_items = states_items && is_zero(param);
		if (param->name && strcmp(param->name, "call_n") == 0)
			states_call = false;
		if (param->kind == TRNSCI_PARAM_ARRAY && !embedded)
			r = share_array(draw, param);
	}
	if (states_items)
		draw->own[count++] = trnsci_param_u64("items", n);
	if (states_call)
		draw->own[count++] = trnsci_param_u64("call_n", draw->source.offset + n);
	draw->own[count] = trnsci_param_end();
	draw->params = draw->own;
	return r;
}

static void free_params(struct draw *draw)
{
	for (size_t i = 0; i < draw->n_tiles; i++)
		trnsci_tile_free(draw->tiles[i]);
	free(draw->own);
}

/* The elements of a sample, by the words that one takes. */
static int find_components(struct draw *draw, uint64_t n)
{
	struct trnsci_source source = {.generator = draw->source.generator, .seed = draw->source.seed};
	struct trnsci_span span;

	draw->components = 1;
	if (is_call(draw->params))
		return 0;
	source.offset = 1;
	const int r = trnsci_draw_array(draw->session, draw->distribution, draw->params, &source, draw->dtype, n, NULL, &span,
					draw->err);

	if (r == 0)
		draw->components = span.position / (draw->size == 8 ? 2 : 1);
	if (r == 0 && (draw->components == 0 || draw->components > WINDOW_ELEMENTS / 4))
		return group_fail(draw->err, TRNSCI_OUT_OF_RANGE, "draw: a sample of %llu elements, allowed are 1 to %d",
				  (unsigned long long)draw->components, WINDOW_ELEMENTS / 4);
	return r;
}

/* Learns where the whole draw lies. A named stream moves on. */
static int find_place(const struct draw *draw, uint64_t n, struct trnsci_span *span)
{
	return trnsci_draw_array(draw->session, draw->distribution, draw->params, &draw->source, draw->dtype, n, NULL, span,
				 draw->err);
}

/* Collective. A named stream's place is reserved once, by rank 0. Samples count from there, as the elements of arrays that are
 * parameters do. */
static int reserve_place(struct trnsci_mpi *mpi, struct draw *draw, uint64_t n, struct trnsci_span *span)
{
	int r = group_agree(mpi, mpi->rank == 0 ? find_place(draw, n, span) : 0, draw->err);

	if (r < 0)
		return r;
	r = group_mpi(draw->err, MPI_Bcast(span, (int)sizeof *span, MPI_BYTE, 0, mpi->comm), "MPI_Bcast");
	draw->source = (struct trnsci_source){.generator = span->generator, .seed = span->seed, .stream = span->stream,
					      .position = span->position};
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

/* Collective. Draws the rank's part of n elements once the ranks agree on what is drawn. */
static int draw_agreed(struct trnsci_mpi *mpi, struct draw *draw, const struct trnsci_mpi_layout *layout, struct trnsci_span *span)
{
	const uint64_t n = layout_count(layout);
	int r = copy_params(draw, mpi->embedded, n);

	if (draw->source.name) {
		r = group_agree(mpi, r, draw->err);
		if (r == 0)
			r = reserve_place(mpi, draw, n, span);
		if (r < 0)
			return r;
	} else if (r == 0) {
		r = find_place(draw, n, span);
	}
	if (r == 0 && n > 0)
		r = draw_part(mpi, draw, layout, n);
	return group_agree(mpi, r, draw->err);
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
	r = agree_draw(mpi, r, distribution, params, &draw.source, dtype, r == 0 ? &checked : layout,
		       "draw: layout, distribution, parameters, dtype and source", draw.err);
	if (r < 0)
		return r;
	r = draw_agreed(mpi, &draw, &checked, &span);
	free_params(&draw);
	if (r == 0 && ret_span)
		*ret_span = span;
	return r;
}
