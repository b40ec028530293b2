/* SPDX-License-Identifier: Apache-2.0 */
/* Local transforms by chunks. */
#include "sweep.h"

#include <string.h>

/* A chunk of an embedded engine's thread is as wide as its cache allows, since each piece of a row far from the one before waits for
 * memory anew (measured: two thirds of the time with 256 KiB at 4096 x 4096). */
enum { CHUNK_BYTES = 1 << 20, DAEMON_CHUNK_BYTES = 4 << 20, LINE_BYTES = 64, PARAMETERS = 5 };

size_t sweep_chunk_bytes(unsigned threads)
{
	return threads ? (size_t)CHUNK_BYTES * threads : DAEMON_CHUNK_BYTES;
}

/* ---- kernels ---- */

static void free_kernel(struct kernel *kernel)
{
	trnsci_call_free(kernel->call);
	trnsci_tile_free(kernel->in);
	if (kernel->out != kernel->in)
		trnsci_tile_free(kernel->out);
	*kernel = (struct kernel){0};
}

void sweep_clear(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_kernels; i++)
		free_kernel(&sweep->kernels[i]);
	sweep->n_kernels = 0;
}

/* The engine transforms the last of a list first; with `real`, the last of the list is the real one. */
static size_t list_axes(const struct sweep *sweep, int64_t axes[TRNSCI_MAX_DIMS])
{
	const size_t n = sweep->n_axes, last = sweep->real && sweep->inverse ? 1 : 0;

	for (size_t i = 0; i < n - last; i++)
		axes[n - last - 1 - i] = (int64_t)sweep->axes[i];
	if (last)
		axes[n - 1] = (int64_t)sweep->axes[n - 1];
	return n;
}

/* What both the list and params point to is the caller's. */
static void list_parameters(const struct sweep *sweep, int64_t axes[TRNSCI_MAX_DIMS], int64_t lengths[TRNSCI_MAX_DIMS],
			    struct trnsci_param params[PARAMETERS + 1])
{
	const size_t n = list_axes(sweep, axes);
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		lengths[i] = (size_t)axes[i] == sweep->real_axis ? (int64_t)sweep->real_length : -1;
	params[used++] = trnsci_param_i64s("axes", axes, n);
	params[used++] = trnsci_param_bool("inverse", sweep->inverse);
	params[used++] = trnsci_param_text("norm", sweep->norm);
	if (sweep->real) {
		params[used++] = trnsci_param_bool("real", true);
		params[used++] = trnsci_param_i64s("length", lengths, n);
	}
	params[used] = trnsci_param_end();
}

static void set_parameters(const struct sweep *sweep, struct kernel *kernel)
{
	struct trnsci_args *args = trnsci_call_args(kernel->call);
	struct trnsci_param params[PARAMETERS + 1];
	int64_t axes[TRNSCI_MAX_DIMS], lengths[TRNSCI_MAX_DIMS];

	list_parameters(sweep, axes, lengths, params);
	trnsci_set(args, trnsci_param_tile("in", kernel->in));
	trnsci_set(args, trnsci_param_tile("out", kernel->out));
	trnsci_set_params(args, params);
}

static void result_shape(const struct sweep *sweep, const uint64_t shape[TRNSCI_MAX_DIMS], uint64_t ret_shape[TRNSCI_MAX_DIMS])
{
	memcpy(ret_shape, shape, TRNSCI_MAX_DIMS * sizeof *shape);
	if (sweep->real)
		ret_shape[sweep->real_axis] = sweep->inverse ? sweep->real_length : sweep->real_length / 2 + 1;
}

static int new_kernel(struct sweep *sweep, const uint64_t shape[TRNSCI_MAX_DIMS], struct kernel *kernel, struct trnsci_error *err)
{
	uint64_t result[TRNSCI_MAX_DIMS];
	int r;

	*kernel = (struct kernel){0};
	memcpy(kernel->shape, shape, sizeof kernel->shape);
	result_shape(sweep, shape, result);
	r = trnsci_tile_new(sweep->session, sweep->in, sweep->ndim, shape, &kernel->in, err);
	if (r == 0 && sweep->real)
		r = trnsci_tile_new(sweep->session, sweep->out, sweep->ndim, result, &kernel->out, err);
	else
		kernel->out = kernel->in;
	if (r == 0) {
		r = trnsci_call_new(sweep->session, "fft", &kernel->call);
		if (r < 0)
			group_fail(err, -r, "fft");
	}
	if (r == 0)
		set_parameters(sweep, kernel);
	else
		free_kernel(kernel);
	return r;
}

/* The kernel for chunks of a shape; the oldest gives way. */
static int kernel_for(struct sweep *sweep, const uint64_t shape[TRNSCI_MAX_DIMS], struct kernel **ret_kernel, struct trnsci_error *err)
{
	struct kernel made;

	for (size_t i = 0; i < sweep->n_kernels; i++)
		if (memcmp(sweep->kernels[i].shape, shape, sizeof made.shape) == 0) {
			*ret_kernel = &sweep->kernels[i];
			return 0;
		}
	const int r = new_kernel(sweep, shape, &made, err);

	if (r < 0)
		return r;
	if (sweep->n_kernels == SWEEP_KERNELS)
		free_kernel(&sweep->kernels[sweep->next_kernel]);
	else
		sweep->next_kernel = sweep->n_kernels++;
	*ret_kernel = &sweep->kernels[sweep->next_kernel];
	**ret_kernel = made;
	sweep->next_kernel = (sweep->next_kernel + 1) % SWEEP_KERNELS;
	return 0;
}

/* ---- chunks ---- */

/* Grows from the last axis to the first. Chunks of an axis are about equally long. */
static void choose_chunk(const struct sweep *sweep, const struct box *box, uint64_t chunk[TRNSCI_MAX_DIMS])
{
	size_t bytes = trnsci_dtype_size(sweep->in > sweep->out ? sweep->in : sweep->out);
	const uint64_t line = LINE_BYTES / bytes;
	bool may_grow = true;

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++) {
		chunk[i] = sweep->is_axis[i] ? box->high[i] - box->low[i] : 1;
		bytes *= chunk[i];
	}
	for (size_t i = sweep->ndim; i-- > 0;) {
		const uint64_t extent = box->high[i] - box->low[i];
		uint64_t most = sweep->chunk_bytes / bytes;

		if (sweep->is_axis[i] || !may_grow)
			continue;
		/* Less than a cache line of the last axis would be fetched several times. */
		most = i == sweep->ndim - 1 && most < line ? line : most ? most : 1;
		if (most < extent) {
			const uint64_t chunks = (extent + most - 1) / most, even = (extent + chunks - 1) / chunks;

			chunk[i] = i == sweep->ndim - 1 ? (even + line - 1) / line * line : even;
			may_grow = false;
		} else {
			chunk[i] = extent;
		}
		bytes *= chunk[i];
	}
}

static int run_chunk(struct sweep *sweep, const struct box *box, const struct part *from, size_t n_from, const struct part *to,
		     size_t n_to, struct trnsci_error *err)
{
	uint64_t shape[TRNSCI_MAX_DIMS], result[TRNSCI_MAX_DIMS];
	struct kernel *kernel;
	struct part chunk = {.box = *box}, transformed = {.box = *box};

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++)
		shape[i] = box->high[i] - box->low[i];
	int r = kernel_for(sweep, shape, &kernel, err);

	if (r < 0)
		return r;
	result_shape(sweep, shape, result);
	chunk.at = trnsci_tile_data(kernel->in);
	part_pack(&chunk, trnsci_dtype_size(sweep->in));
	if (sweep->sparse)
		memset(chunk.at, 0, box_count(box) * trnsci_dtype_size(sweep->in));
	for (size_t i = 0; i < n_from; i++)
		part_copy(&chunk, &from[i], trnsci_dtype_size(sweep->in));
	r = trnsci_run(kernel->call, NULL);
	if (r < 0) {
		if (err)
			*err = *trnsci_call_error(kernel->call);
		return r;
	}
	if (sweep->real)
		transformed.box.high[sweep->real_axis] = result[sweep->real_axis];
	transformed.at = trnsci_tile_data(kernel->out);
	part_pack(&transformed, trnsci_dtype_size(sweep->out));
	if (sweep->after)
		sweep->after(sweep->after_arg, &transformed.box, transformed.at);
	for (size_t i = 0; i < n_to; i++)
		part_copy(&to[i], &transformed, trnsci_dtype_size(sweep->out));
	return 0;
}

/* Both sides are whole arrays. */
static int run_direct(const struct sweep *sweep, const struct part *from, const struct part *to, struct trnsci_error *err)
{
	struct trnsci_param params[PARAMETERS + 1];
	int64_t axes[TRNSCI_MAX_DIMS], lengths[TRNSCI_MAX_DIMS];
	uint64_t shape[TRNSCI_MAX_DIMS], result[TRNSCI_MAX_DIMS];

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++)
		shape[i] = from->box.high[i] - from->box.low[i];
	result_shape(sweep, shape, result);
	list_parameters(sweep, axes, lengths, params);
	return trnsci_apply_array(sweep->session, "fft", params, trnsci_array_of(sweep->in, sweep->ndim, shape, from->at),
				  trnsci_array_of(sweep->out, sweep->ndim, result, to->at), err);
}

int sweep_run(struct sweep *sweep, const struct box *box, const struct part *from, size_t n_from, const struct part *to,
	      size_t n_to, struct trnsci_error *err)
{
	uint64_t chunk[TRNSCI_MAX_DIMS];
	struct box at = *box;
	int r = 0;

	if (!box_intersect(box, box, &at))
		return 0;
	if (sweep->direct)
		return run_direct(sweep, from, to, err);
	choose_chunk(sweep, box, chunk);
	memcpy(at.low, box->low, sizeof at.low);
	for (;;) {
		size_t i = TRNSCI_MAX_DIMS;

		for (size_t k = 0; k < TRNSCI_MAX_DIMS; k++)
			at.high[k] = at.low[k] + chunk[k] < box->high[k] ? at.low[k] + chunk[k] : box->high[k];
		r = run_chunk(sweep, &at, from, n_from, to, n_to, err);
		if (r < 0)
			return r;
		while (i > 0 && at.high[i - 1] == box->high[i - 1]) {
			i--;
			at.low[i] = box->low[i];
		}
		if (i == 0)
			return 0;
		at.low[i - 1] = at.high[i - 1];
	}
}
