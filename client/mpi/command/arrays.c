/* SPDX-License-Identifier: Apache-2.0 */
/* The commands draw, field and fft. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* The grid and blocks that were given, for an array of another shape. */
static int layout_from(const struct options *options, size_t ndim, const uint64_t *shape, struct trnsci_mpi_layout *ret_layout)
{
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(ndim, shape);

	if ((options->n_grid && options->n_grid != ndim) || (options->n_block && options->n_block != ndim))
		return command_fail(EXIT_USAGE, "--grid, --block: allowed is a number for each of the %zu axes", ndim);
	memcpy(layout.grid, options->layout.grid, sizeof layout.grid);
	memcpy(layout.block, options->layout.block, sizeof layout.block);
	*ret_layout = layout;
	return 0;
}

static int part_memory(struct trnsci_mpi *mpi, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype, void **ret_data,
		       uint64_t *ret_count, struct trnsci_error *err)
{
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part part;

	trnsci_mpi_describe(mpi, &info);
	const int r = trnsci_mpi_part_of(layout, info.rank, info.size, &part, err);

	if (r < 0)
		return r;
	*ret_count = part.count;
	*ret_data = malloc(part.count * trnsci_dtype_size(dtype) + 1);
	return 0;
}

/* ---- draw and field ---- */

static enum trnsci_dtype default_dtype(const char *distribution)
{
	struct trnsci_parameter_info info;

	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &info) == 0; i++)
		if (strcmp(info.name, "dtype") == 0 && info.fallback && *info.fallback)
			return trnsci_dtype_parse(info.fallback);
	return TRNSCI_F32;
}

static int print_sums(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, uint64_t count, const void *data)
{
	struct trnsci_mpi_sum sum;
	struct trnsci_error err;

	if (trnsci_mpi_sum(mpi, dtype, count, data, &sum, &err) < 0)
		return command_error(&err);
	if (command_prints())
		printf("count %llu\nsum %.17g\nmean %.17g\nvariance %.17g\nmin %.17g\nmax %.17g\n", (unsigned long long)sum.count, sum.sum,
		       sum.mean, sum.variance, sum.min, sum.max);
	return 0;
}

static int draw(struct trnsci_mpi *mpi, const char *command, const char *method, const struct options *options, enum trnsci_dtype dtype,
		const struct trnsci_mpi_layout *layout, void *data)
{
	struct trnsci_error err;
	const int r = strcmp(command, "field") == 0
			      ? trnsci_mpi_field(mpi, options->params, &options->source, dtype, layout, data, NULL, &err)
			      : trnsci_mpi_draw(mpi, method, options->params, &options->source, dtype, layout, data, NULL, &err);

	return r < 0 ? command_error(&err) : 0;
}

int command_draw(struct trnsci_mpi *mpi, const char *command, const char *method, struct options *options)
{
	const enum trnsci_dtype dtype = options->dtype ? options->dtype : default_dtype(method);
	struct trnsci_mpi_layout layout;
	struct trnsci_error err;
	uint64_t count;
	void *data = NULL;

	if (options->layout.ndim == 0)
		return command_fail(EXIT_USAGE, "%s: missing --shape, or -n", command);
	if (!options->output && !options->sums)
		return command_fail(EXIT_USAGE, "%s: missing -o FILE.npy, or --sums", command);
	int code = layout_from(options, options->layout.ndim, options->layout.shape, &layout);

	if (code == 0)
		code = parameters_load(mpi, options);
	if (code)
		return code;
	if (part_memory(mpi, &layout, dtype, &data, &count, &err) < 0)
		return command_error(&err);
	code = command_all_have(data);
	if (code == 0)
		code = draw(mpi, command, method, options, dtype, &layout, data);
	if (code == 0 && options->sums)
		code = print_sums(mpi, dtype, count, data);
	if (code == 0 && options->output && trnsci_mpi_write(mpi, options->output, &layout, dtype, data, &err) < 0)
		code = command_error(&err);
	free(data);
	return code;
}

/* ---- fft ---- */

/* The dtype of the file that a transform takes, and what is made of it. */
static int check_input(const struct options *options, enum trnsci_dtype dtype, struct trnsci_mpi_fft_options *fft)
{
	const bool real = dtype == TRNSCI_F32 || dtype == TRNSCI_F64, complex_type = dtype == TRNSCI_C64 || dtype == TRNSCI_C128;

	fft->wide = dtype == TRNSCI_F64 || dtype == TRNSCI_C128;
	fft->kind = !options->real ? TRNSCI_MPI_C2C : options->inverse ? TRNSCI_MPI_C2R : TRNSCI_MPI_R2C;
	fft->inverse = options->inverse;
	if ((fft->kind == TRNSCI_MPI_R2C && !real) || (fft->kind != TRNSCI_MPI_R2C && !complex_type && !real))
		return command_fail(EXIT_DATA, "fft: the input is %s, allowed are %s", trnsci_dtype_name(dtype),
				    fft->kind == TRNSCI_MPI_R2C ? "f32 and f64" : "f32, f64, c64 and c128");
	return 0;
}

/* Reals become complex numbers, from the end on. */
static void widen(void *data, uint64_t count, bool wide)
{
	for (uint64_t i = count; i-- > 0;)
		if (wide) {
			((double *)data)[2 * i] = ((double *)data)[i];
			((double *)data)[2 * i + 1] = 0;
		} else {
			((float *)data)[2 * i] = ((float *)data)[i];
			((float *)data)[2 * i + 1] = 0;
		}
}

static size_t real_axis(const struct options *options, size_t ndim)
{
	size_t axis = options->n_axes ? 0 : ndim - 1;

	for (size_t i = 0; i < options->n_axes; i++)
		axis = options->axes[i] > axis ? options->axes[i] : axis;
	return axis < ndim ? axis : ndim - 1;
}

static int transform(struct trnsci_mpi *mpi, const struct options *options, const struct trnsci_mpi_fft_options *fft_options,
		     const struct trnsci_mpi_layout *from, enum trnsci_dtype out_type, const void *in)
{
	struct trnsci_mpi_fft *fft = NULL;
	struct trnsci_mpi_fft_info info;
	struct trnsci_error err;
	uint64_t count;
	void *out = NULL;
	int code = 0;

	if (trnsci_mpi_fft_new(mpi, from, fft_options, &fft, &err) < 0)
		return command_error(&err);
	trnsci_mpi_fft_describe(fft, &info);
	if (part_memory(mpi, &info.to, out_type, &out, &count, &err) < 0)
		code = command_error(&err);
	if (code == 0)
		code = command_all_have(out);
	if (code == 0 && (trnsci_mpi_fft_run(fft, in, out, &err) < 0 || trnsci_mpi_write(mpi, options->output, &info.to, out_type, out, &err) < 0))
		code = command_error(&err);
	trnsci_mpi_fft_free(fft);
	free(out);
	return code;
}

int command_fft(struct trnsci_mpi *mpi, const struct options *options)
{
	struct trnsci_mpi_fft_options fft = {.norm = options->norm, .n_axes = options->n_axes};
	struct trnsci_mpi_layout found, from, to;
	struct trnsci_error err;
	enum trnsci_dtype dtype;
	uint64_t count;
	void *in = NULL;

	if (!options->input || !options->output)
		return command_fail(EXIT_USAGE, "fft: missing %s", options->input ? "-o OUTPUT.npy" : "INPUT.npy");
	if (trnsci_mpi_look(mpi, options->input, &found, &dtype, &err) < 0)
		return command_error(&err);
	int code = layout_from(options, found.ndim, found.shape, &from);

	if (code == 0)
		code = check_input(options, dtype, &fft);
	if (code)
		return code;
	memcpy(fft.axes, options->axes, sizeof fft.axes);
	if (fft.kind == TRNSCI_MPI_C2R && options->length) {
		to = from;
		to.shape[real_axis(options, found.ndim)] = options->length;
		fft.to = &to;
	}
	const enum trnsci_dtype complex_type = fft.wide ? TRNSCI_C128 : TRNSCI_C64, real_type = fft.wide ? TRNSCI_F64 : TRNSCI_F32;
	const bool widens = fft.kind != TRNSCI_MPI_R2C && dtype == real_type;

	if (part_memory(mpi, &from, widens ? complex_type : dtype, &in, &count, &err) < 0)
		return command_error(&err);
	code = command_all_have(in);
	if (code == 0 && trnsci_mpi_read(mpi, options->input, &from, dtype, in, &err) < 0)
		code = command_error(&err);
	if (code == 0 && widens)
		widen(in, count, fft.wide);
	if (code == 0)
		code = transform(mpi, options, &fft, &from, fft.kind == TRNSCI_MPI_C2R ? real_type : complex_type, in);
	free(in);
	return code;
}
