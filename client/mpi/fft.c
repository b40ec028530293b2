/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of arrays of several axes over ranks, and moves between layouts. */
#include "six_step.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MESSAGE_BYTES = 1 << 30 };

/* ---- routes of several axes ---- */

/* Ranks along each axis of the transform. */
static void grids_of(const struct placement *at, uint64_t grid[TRNSCI_MAX_DIMS])
{
	for (size_t i = 0; i < at->ndim; i++)
		grid[i] = placement_grid(at, i);
}

/* The axis that takes over the ranks of `axis`: the one before it in the order of the transforms, which is done; else a
 * whole one, best one that is not transformed; else one that is cut already. */
static size_t choose_axis(const struct transform *transform, const uint64_t *grid, size_t axis, size_t before, const bool *is_axis)
{
	size_t whole = TRNSCI_MAX_DIMS, other = axis == 0 ? 1 : 0;

	if (before < TRNSCI_MAX_DIMS && grid[before] == 1)
		return before;
	for (size_t i = 0; i < transform->ndim; i++)
		if (i != axis && grid[i] == 1 && (whole == TRNSCI_MAX_DIMS || !is_axis[i]))
			whole = i;
	return whole < TRNSCI_MAX_DIMS ? whole : other;
}

/* Every axis that is still to be transformed is whole in the output's layout, so the array may as well lie there now. */
static bool output_serves(const struct placement *to, const size_t *axes, size_t n)
{
	bool serves = placement_is_contiguous(to);

	for (size_t i = 0; i < n; i++)
		serves = serves && placement_grid(to, axes[i]) == 1;
	return serves;
}

static struct trnsci_mpi_layout shape_at(const struct route *route, const uint64_t *grid)
{
	const struct stage *last = &route->stages[route->n_stages - 1];
	struct trnsci_mpi_layout layout = {.ndim = last->leaves.ndim};

	for (size_t i = 0; i < layout.ndim; i++) {
		layout.shape[last->leaves.order[i]] = last->leaves.layout.shape[i];
		layout.grid[i] = grid[i];
	}
	return layout;
}

/* The output's placement, while the array still has another shape. */
static struct placement output_now(const struct route *route, const struct placement *to)
{
	struct placement at = *to;
	uint64_t grid[TRNSCI_MAX_DIMS] = {0};
	const struct trnsci_mpi_layout layout = shape_at(route, grid);

	for (size_t i = 0; i < at.ndim; i++)
		at.layout.shape[i] = layout.shape[at.order[i]];
	return at;
}

static void add_stage_for(struct route *route, const struct placement *to, const size_t *axes, size_t left, size_t before,
			  const bool *is_axis)
{
	const struct stage *last = &route->stages[route->n_stages - 1];
	uint64_t grid[TRNSCI_MAX_DIMS];
	struct trnsci_mpi_layout layout;
	struct placement at;

	if (output_serves(to, axes, left)) {
		at = output_now(route, to);
		route_add(route, &at);
		return;
	}
	grids_of(&last->at, grid);
	if (!placement_is_contiguous(&last->at))
		for (size_t i = 0; i < route->transform.ndim; i++)
			grid[i] = i == axes[0] ? (uint64_t)route->mpi->size : 1;
	const size_t other = choose_axis(&route->transform, grid, axes[0], before, is_axis);

	grid[other] *= grid[axes[0]];
	grid[axes[0]] = 1;
	layout = shape_at(route, grid);
	at = placement_of(&layout, false);
	route_add(route, &at);
}

static void plan_axes(struct route *route, const struct placement *from, const struct placement *to, const size_t *axes, size_t n)
{
	bool is_axis[TRNSCI_MAX_DIMS] = {false};
	size_t before = TRNSCI_MAX_DIMS;

	for (size_t i = 0; i < n; i++)
		is_axis[axes[i]] = true;
	route_add(route, from);
	for (size_t i = 0; i < n; i++) {
		const struct placement *at = &route->stages[route->n_stages - 1].at;

		if (!placement_is_contiguous(at) || placement_grid(at, axes[i]) != 1)
			add_stage_for(route, to, axes + i, n - i, before, is_axis);
		route_add_axis(route, axes[i]);
		before = axes[i];
	}
	struct stage *last = &route->stages[route->n_stages - 1];

	if (placement_same(&last->leaves, to))
		last->leaves = *to;
	else
		route_add(route, to);
}

/* ---- options ---- */

struct plan_input {
	struct trnsci_mpi_layout from, to;
	struct trnsci_mpi_fft_options options;
	char norm[16];
	size_t axes[TRNSCI_MAX_DIMS]; /* in the order of the transforms */
	size_t n_axes;
};

static int check_axes(struct plan_input *input, struct trnsci_error *err)
{
	const struct trnsci_mpi_fft_options *options = &input->options;
	const bool up = options->inverse;
	bool is_axis[TRNSCI_MAX_DIMS] = {false};
	const size_t ndim = input->from.ndim;

	if (options->n_axes > ndim)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: n_axes: %zu, allowed are 0 to %zu", options->n_axes, ndim);
	for (size_t i = 0; i < options->n_axes; i++) {
		if (options->axes[i] >= ndim || is_axis[options->axes[i]])
			return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: axes: %zu, allowed is each axis below %zu once",
					  options->axes[i], ndim);
		is_axis[options->axes[i]] = true;
	}
	input->n_axes = 0;
	for (size_t i = 0; i < ndim; i++) {
		const size_t axis = up ? i : ndim - 1 - i;

		if (is_axis[axis] || options->n_axes == 0)
			input->axes[input->n_axes++] = axis;
	}
	return 0;
}

static int check_options(struct plan_input *input, struct trnsci_error *err)
{
	struct trnsci_mpi_fft_options *options = &input->options;
	const char *norm = options->norm ? options->norm : "backward";

	if (strcmp(norm, "backward") != 0 && strcmp(norm, "ortho") != 0 && strcmp(norm, "forward") != 0)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: norm: got \"%.20s\", allowed is backward|ortho|forward", norm);
	strcpy(input->norm, norm);
	if (options->kind > TRNSCI_MPI_C2R)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: kind: %d, allowed are 0 to 2", (int)options->kind);
	if (options->kind != TRNSCI_MPI_C2C)
		options->inverse = options->kind == TRNSCI_MPI_C2R;
	if (options->message_bytes > MOST_MESSAGE_BYTES)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: message_bytes: %zu, allowed are 0 to 2^30", options->message_bytes);
	if (options->message_bytes == 0)
		options->message_bytes = MOST_MESSAGE_BYTES;
	for (size_t i = 0; i < input->from.ndim; i++)
		if (input->from.shape[i] == 0)
			return group_fail(err, TRNSCI_OUT_OF_RANGE, "fft: layout: shape: axis %zu has 0 elements, allowed is 1 and up", i);
	return check_axes(input, err);
}

/* The axis of the transform that axis i of the input's memory is. */
static size_t axis_in(const struct plan_input *input, bool transposed, size_t i)
{
	return transposed && input->from.ndim > 1 && i < 2 ? 1 - i : i;
}

/* Shape of the result, in the transform's axes; the length of the real side as the output states it. */
static int result_shape(const struct plan_input *input, uint64_t shape[TRNSCI_MAX_DIMS], uint64_t *ret_real_length, struct trnsci_error *err)
{
	const struct trnsci_mpi_fft_options *options = &input->options;
	const size_t real = input->axes[options->inverse ? input->n_axes - 1 : 0];

	for (size_t i = 0; i < input->from.ndim; i++)
		shape[axis_in(input, options->transposed_in, i)] = input->from.shape[i];
	*ret_real_length = shape[real];
	if (options->kind == TRNSCI_MPI_R2C) {
		shape[real] = shape[real] / 2 + 1;
	} else if (options->kind == TRNSCI_MPI_C2R) {
		const uint64_t half = shape[real];

		*ret_real_length = half > 1 ? 2 * (half - 1) : 1;
		for (size_t i = 0; options->to && i < options->to->ndim && i < TRNSCI_MAX_DIMS; i++)
			if (axis_in(input, options->transposed_out, i) == real)
				*ret_real_length = options->to->shape[i];
		if (*ret_real_length / 2 + 1 != half)
			return group_fail(err, TRNSCI_BAD_SHAPE, "fft: to: %llu real elements have another half than %llu",
					  (unsigned long long)*ret_real_length, (unsigned long long)half);
		shape[real] = *ret_real_length;
	}
	return 0;
}

static int check_output(struct plan_input *input, int size, const uint64_t *shape, struct trnsci_error *err)
{
	const struct trnsci_mpi_layout *to = input->options.to;

	if (!to) {
		input->to = input->from;
		for (size_t i = 0; i < input->from.ndim; i++)
			input->to.shape[i] = shape[axis_in(input, input->options.transposed_out, i)];
		return 0;
	}
	const int r = layout_check(to, size, &input->to, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < to->ndim || i < input->from.ndim; i++)
		if (to->ndim != input->from.ndim || to->shape[i] != shape[axis_in(input, input->options.transposed_out, i)])
			return group_fail(err, TRNSCI_BAD_SHAPE, "fft: to: its shape is not that of the result");
	return 0;
}

/* ---- plans ---- */

static void set_transform(struct route *route, const struct plan_input *input, uint64_t real_length)
{
	const struct trnsci_mpi_fft_options *options = &input->options;
	const enum trnsci_dtype complex_type = options->wide ? TRNSCI_C128 : TRNSCI_C64;
	const enum trnsci_dtype real_type = options->wide ? TRNSCI_F64 : TRNSCI_F32;

	route->transform = (struct transform){.ndim = input->from.ndim, .inverse = options->inverse, .wide = options->wide,
					      .real = options->kind != TRNSCI_MPI_C2C, .real_length = real_length,
					      .real_axis = input->axes[options->inverse ? input->n_axes - 1 : 0]};
	route->in = options->kind == TRNSCI_MPI_R2C ? real_type : complex_type;
	route->out = options->kind == TRNSCI_MPI_C2R ? real_type : complex_type;
	route->message_bytes = options->message_bytes;
}

static int plan_array(struct trnsci_mpi_fft *fft, struct plan_input *input, struct trnsci_error *err)
{
	uint64_t shape[TRNSCI_MAX_DIMS], real_length;
	int r = result_shape(input, shape, &real_length, err);

	if (r == 0)
		r = check_output(input, fft->mpi->size, shape, err);
	if (r < 0)
		return r;
	const struct placement from = placement_of(&input->from, input->options.transposed_in);
	const struct placement to = placement_of(&input->to, input->options.transposed_out);

	set_transform(&fft->route, input, real_length);
	fft->route.transform.norm = fft->norm;
	fft->from = input->from;
	fft->to = input->to;
	fft->turned = input->options.transposed_in != input->options.transposed_out;
	plan_axes(&fft->route, &from, &to, input->axes, input->n_axes);
	return route_plan(&fft->route, err);
}

/* What ranks must agree on. */
struct agreed {
	struct trnsci_mpi_layout from, to;
	size_t axes[TRNSCI_MAX_DIMS];
	char norm[16];
	uint64_t flags[7];
};

static struct agreed describe_input(const struct plan_input *input)
{
	const struct trnsci_mpi_fft_options *options = &input->options;
	struct agreed agreed;

	memset(&agreed, 0, sizeof agreed);
	agreed.from = input->from;
	if (options->to)
		agreed.to = *options->to;
	memcpy(agreed.norm, input->norm, sizeof agreed.norm);
	memcpy(agreed.axes, input->axes, input->n_axes * sizeof *input->axes);
	agreed.flags[0] = options->kind;
	agreed.flags[1] = options->inverse;
	agreed.flags[2] = options->wide;
	agreed.flags[3] = options->transposed_in;
	agreed.flags[4] = options->transposed_out;
	agreed.flags[5] = options->message_bytes;
	agreed.flags[6] = options->to != NULL;
	return agreed;
}

static int check_cpus(const struct trnsci_mpi *mpi, struct trnsci_error *err)
{
	if (!mpi->cpu_differs)
		return 0;
	return group_fail(err, TRNSCI_NOT_SUPPORTED,
			  "fft: cpu: this rank's engine uses %s; with another rank's the bytes would differ. Allowed are daemons that all "
			  "have AVX2 or were all started with TRNSCI_CPU=scalar",
			  mpi->cpu);
}

int trnsci_mpi_fft_new(struct trnsci_mpi *mpi, const struct trnsci_mpi_layout *from, const struct trnsci_mpi_fft_options *options,
		       struct trnsci_mpi_fft **ret_fft, struct trnsci_error *err)
{
	struct plan_input input;
	struct trnsci_mpi_fft *fft = calloc(1, sizeof *fft);

	memset(&input, 0, sizeof input);
	if (options)
		input.options = *options;
	int r = layout_check(from, mpi->size, &input.from, err);

	if (r == 0)
		r = check_options(&input, err);
	if (r == 0)
		r = check_cpus(mpi, err);
	const struct agreed agreed = describe_input(&input);

	if (r == 0 && !fft)
		r = group_fail(err, TRNSCI_NO_MEMORY, "fft");
	r = group_agree_same(mpi, r, &agreed, sizeof agreed, "fft: layout and options", err);
	if (r == 0) {
		fft->mpi = fft->route.mpi = mpi;
		memcpy(fft->norm, input.norm, sizeof fft->norm);
		if (input.from.ndim == 1)
			r = six_step_plan(fft, &input.from, &input.options, err);
		else
			r = plan_array(fft, &input, err);
		r = group_agree(mpi, r, err);
	}
	if (r == 0 && fft->six_step)
		r = six_step_prepare(fft, err);
	if (r < 0) {
		trnsci_mpi_fft_free(fft);
		return r;
	}
	*ret_fft = fft;
	return 0;
}

void trnsci_mpi_fft_free(struct trnsci_mpi_fft *fft)
{
	if (!fft)
		return;
	six_step_clear(fft);
	route_clear(&fft->route);
	free(fft);
}

/* One rank alone that turns an array in place reads it from a copy. */
static int copy_input(const struct trnsci_mpi_fft *fft, const void *in, void **ret_copy, struct trnsci_error *err)
{
	struct trnsci_mpi_part part;
	const size_t size = trnsci_dtype_size(fft->route.in);

	trnsci_mpi_part_of(&fft->from, fft->mpi->rank, fft->mpi->size, &part, NULL);
	*ret_copy = malloc(part.count * size);
	if (!*ret_copy)
		return group_fail(err, TRNSCI_NO_MEMORY, "fft: in place: %llu elements", (unsigned long long)part.count);
	memcpy(*ret_copy, in, part.count * size);
	return 0;
}

int trnsci_mpi_fft_run(struct trnsci_mpi_fft *fft, const void *in, void *out, struct trnsci_error *err)
{
	const double start = MPI_Wtime();
	void *copy = NULL;
	int r = 0;

	if (fft->six_step) {
		r = six_step_run(fft, in, out, err);
	} else {
		if (in == out && fft->turned && fft->route.n_stages == 1)
			r = copy_input(fft, in, &copy, err);
		if (r == 0)
			r = route_run(&fft->route, copy ? copy : in, out, err);
		free(copy);
	}
	r = group_agree(fft->mpi, r, err);
	fft->total_s = MPI_Wtime() - start;
	return r;
}

static void add_route(const struct route *route, struct trnsci_mpi_fft_info *info)
{
	for (size_t i = 0; i + 1 < route->n_stages; i++) {
		info->exchanges++;
		info->exchanged_bytes += route->stages[i].next.sends.bytes;
	}
	for (int i = 0; i < 4; i++)
		info->work_bytes += route->bytes[i];
	info->exchange_s += route->exchange_s;
}

void trnsci_mpi_fft_describe(const struct trnsci_mpi_fft *fft, struct trnsci_mpi_fft_info *ret_info)
{
	*ret_info = (struct trnsci_mpi_fft_info){.from = fft->from, .to = fft->to, .total_s = fft->total_s};
	add_route(&fft->route, ret_info);
	if (fft->six_step)
		six_step_describe(fft, add_route, ret_info);
}

int trnsci_mpi_redistribute(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, const struct trnsci_mpi_layout *from, const void *in,
			    const struct trnsci_mpi_layout *to, void *out, struct trnsci_error *err)
{
	struct route *route = calloc(1, sizeof *route);
	struct trnsci_mpi_layout agreed[2];
	int r = layout_check(from, mpi->size, &agreed[0], err);

	if (r == 0)
		r = layout_check(to, mpi->size, &agreed[1], err);
	if (r == 0 && (from->ndim != to->ndim || memcmp(from->shape, to->shape, from->ndim * sizeof *from->shape) != 0))
		r = group_fail(err, TRNSCI_OUT_OF_RANGE, "redistribute: the layouts have different shapes");
	if (r == 0 && (trnsci_dtype_size(dtype) == 0 || !route))
		r = route ? group_fail(err, TRNSCI_OUT_OF_RANGE, "redistribute: dtype: %d", (int)dtype)
			  : group_fail(err, TRNSCI_NO_MEMORY, "redistribute");
	if (r < 0)
		memset(agreed, 0, sizeof agreed);
	agreed[1].reserved[0] = (uint64_t)dtype;
	r = group_agree_same(mpi, r, agreed, sizeof agreed, "redistribute: layouts and dtype", err);
	if (r == 0) {
		const struct placement a = placement_of(&agreed[0], false), b = placement_of(&agreed[1], false);

		*route = (struct route){.mpi = mpi, .transform = {.ndim = from->ndim}, .in = dtype, .out = dtype, .message_bytes = MOST_MESSAGE_BYTES};
		route_add(route, &a);
		route_add(route, &b);
		r = group_agree(mpi, route_plan(route, err), err);
		if (r == 0)
			r = group_agree(mpi, route_run(route, in, out, err), err);
		route_clear(route);
	}
	free(route);
	return r;
}
