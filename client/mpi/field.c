/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian random fields over ranks.
 *
 * What the engine does in one process is done with the transforms over ranks: normals in slabs of the first axis; half their spectrum,
 * of three axes and more with the first two exchanged; its planes times the root of the field's spectrum there, for which each rank asks
 * its engine (the result `spectrum` of `field`); the transform back. A spectrum that is the transform of a covariance is made the same way,
 * before the normals. The arithmetic is the engine's, so the bytes are, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agreed.h"
#include "exact.h"

struct field {
	struct trnsci_mpi *mpi;
	bool wide;
	struct trnsci_mpi_layout grid, half; /* of the points, larger than the field that is cut from it; and of half their spectrum */
	size_t ndim, cut;                    /* the axis of which ranks hold planes of the spectrum */
	size_t axis;			     /* of the planes that are asked for: cut, or the first of a covariance */
	uint64_t block;		     /* points of each rank on the first axis of a grid that a field is cut from; 0: there is none */
	uint64_t fold[TRNSCI_MAX_DIMS];      /* wave numbers of a plane's values along each axis, n / 2 + 1 */
	double root, unit;
	double least; /* the eigenvalue that still counts as 0, relative to the largest */
	bool relative, transformed;
	char *eigenvalues; /* of a spectrum that is transformed: this rank's part, complex128 */
	struct trnsci_call *call;
	struct trnsci_tile *values; /* of a plane */
	struct trnsci_error *err;
};

/* ---- the spectrum ---- */

/* Asks the engine for one plane of the spectrum; its index is below half of the axis or at it. */
static int ask(struct field *field, uint64_t index)
{
	const int64_t plane[2] = {(int64_t)field->axis, (int64_t)index};
	int r;

	trnsci_set(trnsci_call_args(field->call), trnsci_param_i64s("plane", plane, 2));
	r = trnsci_run(field->call, NULL);
	if (r < 0 && field->err)
		*field->err = *trnsci_call_error(field->call);
	return r;
}

/* Gets the first plane along an axis, with the tile that takes the others. */
static int ask_first(struct field *field, size_t axis)
{
	int r;

	trnsci_tile_free(field->values);
	field->values = NULL;
	field->axis = axis;
	trnsci_set(trnsci_call_args(field->call), trnsci_param_new_tile("out"));
	r = ask(field, 0);
	if (r < 0)
		return r;
	r = trnsci_call_tile(field->call, NULL, &field->values);
	return r < 0 ? group_fail(field->err, -r, "field: a plane of its spectrum") : 0;
}

/* Makes the call for values and gets those of the first plane, which checks the parameters. */
static int open_call(struct field *field, const struct trnsci_param *params, const struct trnsci_mpi_layout *layout)
{
	int r = trnsci_call_new(field->mpi->session, "field", &field->call);
	struct trnsci_args *args = trnsci_call_args(field->call);

	if (r < 0)
		return group_fail(field->err, -r, "field");
	if (params)
		trnsci_set_params(args, params);
	trnsci_set(args, trnsci_param_u64s("shape", layout->shape, layout->ndim));
	trnsci_set(args, trnsci_param_text("dtype", field->wide ? "f64" : "f32"));
	trnsci_set(args, trnsci_param_text("result", "spectrum"));
	field->ndim = layout->ndim;
	field->cut = layout->ndim > 2;
	return ask_first(field, field->cut);
}

static int read_reply(struct field *field, const struct trnsci_mpi_layout *layout)
{
	const struct trnsci_value *reply = trnsci_call_reply(field->call), *grid = trnsci_value_get(reply, "embedding");
	int r = trnsci_value_to_f64(trnsci_value_get(reply, "root"), &field->root);

	field->grid = trnsci_mpi_slabs(layout->ndim, layout->shape);
	for (size_t i = 0; grid && i < layout->ndim && r == 0; i++)
		r = trnsci_value_to_u64(trnsci_value_at(grid, i), &field->grid.shape[i]);
	if (r == 0)
		r = trnsci_value_to_bool(trnsci_value_get(reply, "relative"), &field->relative);
	if (r == 0)
		r = trnsci_value_to_f64(trnsci_value_get(reply, "unit"), &field->unit);
	if (r == 0)
		r = trnsci_value_to_bool(trnsci_value_get(reply, "transformed"), &field->transformed);
	if (trnsci_value_to_f64(trnsci_value_get(reply, "least"), &field->least) < 0)
		field->least = -INFINITY;
	if (r < 0)
		return group_fail(field->err, TRNSCI_BAD_REPLY, "field: its spectrum");
	if (field->transformed && field->cut)
		r = ask_first(field, 0);
	trnsci_set(trnsci_call_args(field->call), trnsci_param_tile("out", field->values));
	return r;
}

/* Derives the layouts. */
static void plan(struct field *field, const struct trnsci_mpi_layout *layout)
{
	uint64_t half[TRNSCI_MAX_DIMS];
	const size_t last = field->ndim - 1;

	for (size_t i = 0; i < field->ndim; i++) {
		half[i] = field->grid.shape[i];
		field->fold[i] = field->grid.shape[i] / 2 + 1;
	}
	half[last] = field->fold[last];
	if (field->cut) {
		half[0] = field->grid.shape[1];
		half[1] = field->grid.shape[0];
	}
	field->half = trnsci_mpi_slabs(field->ndim, half);
	if (memcmp(field->grid.shape, layout->shape, field->ndim * sizeof *half) != 0)
		field->block = (field->grid.shape[0] + (uint64_t)field->mpi->size - 1) / (uint64_t)field->mpi->size;
}

/* Gets the values of a plane of the whole spectrum: indices j and n - j of an axis have the same. */
static int get_plane(struct field *field, uint64_t index)
{
	const uint64_t n = field->grid.shape[field->axis];

	return ask(field, index < n - index ? index : n - index);
}

/* Rows of a plane along the last axis. */
static uint64_t rows_of_plane(const struct field *field)
{
	uint64_t rows = 1;

	for (size_t i = 0; i + 1 < field->ndim; i++)
		rows *= i == field->axis ? 1 : field->grid.shape[i];
	return rows;
}

/* Returns the values of a row of the plane that the tile has. */
static double *values_of_row(const struct field *field, uint64_t row)
{
	uint64_t at = 0, step = field->fold[field->ndim - 1];

	for (size_t i = field->ndim - 1; i-- > 0;) {
		const uint64_t n = field->grid.shape[i], j = row % n;

		if (i == field->axis)
			continue;
		at += (j < n - j ? j : n - j) * step;
		step *= field->fold[i];
		row /= n;
	}
	return (double *)trnsci_tile_data(field->values) + at;
}

/* Adds the values of the plane to a sum, those that half a spectrum leaves out included. */
static void add_plane(const struct field *field, struct exact *sum)
{
	const uint64_t rows = rows_of_plane(field), columns = field->fold[field->ndim - 1], n = field->grid.shape[field->ndim - 1];

	for (uint64_t r = 0; r < rows; r++) {
		const double *values = values_of_row(field, r);

		for (uint64_t j = 0; j < columns; j++)
			exact_add(sum, trunc(values[j] / field->unit) * (j == 0 || 2 * j == n ? 1 : 2));
	}
}

/* Collective. Scales a spectrum that is known up to a factor. */
static int find_root(struct field *field)
{
	struct exact *sum = calloc(1, sizeof *sum);
	struct trnsci_mpi_part part;
	double n = 1, total;
	int r = sum ? 0 : group_fail(field->err, TRNSCI_NO_MEMORY, "field: a sum");

	trnsci_mpi_part_of(&field->half, field->mpi->rank, field->mpi->size, &part, NULL);
	for (uint64_t i = 0; i < part.shape[0] && r == 0; i++) {
		r = get_plane(field, part.first[0] + i);
		if (r == 0)
			add_plane(field, sum);
	}
	r = group_agree(field->mpi, r, field->err);
	if (r == 0)
		r = exact_join(field->mpi, sum, field->err);
	if (r < 0) {
		free(sum);
		return r;
	}
	total = exact_round(sum) * field->unit;
	free(sum);
	if (total == 0)
		return group_fail(field->err, TRNSCI_OUT_OF_RANGE,
				  "field: spectrum: it is 0 at all wave numbers of the grid, allowed is at least one above 0");
	for (size_t i = 0; i < field->ndim; i++)
		n *= (double)field->grid.shape[i];
	field->root *= sqrt(n / total);
	return 0;
}

/* ---- arrays over ranks ---- */

/* Collective. */
static int transform(struct field *field, bool inverse, bool wide, const struct trnsci_mpi_layout *to, const void *in, void *out)
{
	const struct trnsci_mpi_fft_options options = {.kind = inverse ? TRNSCI_MPI_C2R : TRNSCI_MPI_R2C,
						       .wide = wide,
						       .transposed_in = inverse && field->cut,
						       .transposed_out = !inverse && field->cut,
						       .to = to};
	struct trnsci_mpi_fft *fft;
	int r = trnsci_mpi_fft_new(field->mpi, inverse ? &field->half : &field->grid, &options, &fft, field->err);

	if (r < 0)
		return r;
	r = trnsci_mpi_fft_run(fft, in, out, field->err);
	trnsci_mpi_fft_free(fft);
	return r;
}

/* Collective. Allocates this rank's elements. */
static int allocate(struct field *field, const struct trnsci_mpi_layout *layout, size_t size, char **ret_data)
{
	struct trnsci_mpi_part part;

	trnsci_mpi_part_of(layout, field->mpi->rank, field->mpi->size, &part, NULL);
	*ret_data = malloc(part.count * size + 1);
	return group_agree(field->mpi, *ret_data ? 0 : group_fail(field->err, TRNSCI_NO_MEMORY, "field: %llu points", (unsigned long long)part.count),
			   field->err);
}

/* ---- spectra that are transforms ---- */

/* Puts a plane of covariances, mirrors included, where this rank's points lie. */
static void unfold_plane(const struct field *field, double *points)
{
	const uint64_t rows = rows_of_plane(field), n = field->grid.shape[field->ndim - 1];

	for (uint64_t r = 0; r < rows; r++, points += n) {
		const double *values = values_of_row(field, r);

		for (uint64_t j = 0; j < n; j++)
			points[j] = values[j < n - j ? j : n - j];
	}
}

/* Gets the covariances of this rank's points. */
static int get_covariances(struct field *field, double *points)
{
	const uint64_t plane = rows_of_plane(field) * field->grid.shape[field->ndim - 1];
	struct trnsci_mpi_part part;
	int r = 0;

	trnsci_mpi_part_of(&field->grid, field->mpi->rank, field->mpi->size, &part, NULL);
	for (uint64_t i = 0; i < part.shape[0] && r == 0; i++) {
		r = get_plane(field, part.first[0] + i);
		if (r == 0)
			unfold_plane(field, points + i * plane);
	}
	return r;
}

/* Collective. */
static int check_eigenvalues(struct field *field, uint64_t n)
{
	const double *values = (const double *)field->eigenvalues;
	double mine[2] = {-INFINITY, -INFINITY}, all[2]; /* of their negatives, and of themselves */
	int r;

	for (uint64_t i = 0; i < n; i++) {
		mine[0] = -values[2 * i] > mine[0] ? -values[2 * i] : mine[0];
		mine[1] = values[2 * i] > mine[1] ? values[2 * i] : mine[1];
	}
	r = group_mpi(field->err, MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, field->mpi->comm), "MPI_Allreduce");
	if (r == 0 && -all[0] < field->least * all[1])
		r = group_fail(field->err, TRNSCI_OUT_OF_RANGE,
			       "field: length: with the largest grid the spectrum has values below %g of the largest, allowed are none; give "
			       "shorter lengths, or approximate",
			       field->least);
	return r;
}

/* Collective. */
static int find_eigenvalues(struct field *field)
{
	struct trnsci_mpi_part part;
	char *points = NULL;
	int r = allocate(field, &field->grid, sizeof(double), &points);

	if (r == 0)
		r = group_agree(field->mpi, get_covariances(field, (double *)points), field->err);
	if (r == 0)
		r = allocate(field, &field->half, 2 * sizeof(double), &field->eigenvalues);
	if (r == 0)
		r = transform(field, false, true, &field->half, points, field->eigenvalues);
	free(points);
	if (r < 0)
		return r;
	trnsci_mpi_part_of(&field->half, field->mpi->rank, field->mpi->size, &part, NULL);
	return check_eigenvalues(field, part.count);
}

/* ---- the field ---- */

static void multiply_row(const struct field *field, const double *roots, void *row)
{
	const uint64_t columns = field->fold[field->ndim - 1];

	for (uint64_t j = 0; j < columns; j++)
		if (field->wide) {
			((double *)row)[2 * j] *= roots[j];
			((double *)row)[2 * j + 1] *= roots[j];
		} else {
			((float *)row)[2 * j] *= (float)roots[j];
			((float *)row)[2 * j + 1] *= (float)roots[j];
		}
}

/* Replaces values of the spectrum, a distance of `step` apart, by their roots times the field's. Rounding leaves some below 0. */
static void find_roots(const struct field *field, const double *values, size_t step, uint64_t n, double *roots)
{
	for (uint64_t i = 0; i < n; i++) {
		const double value = values[i * step];

		roots[i] = sqrt(value > 0 ? value : 0) * field->root;
	}
}

/* Multiplies this rank's planes by the spectrum that the engine states. */
static int multiply_planes(struct field *field, const struct trnsci_mpi_part *part, char *half)
{
	const size_t row_bytes = field->fold[field->ndim - 1] * (field->wide ? 16 : 8);
	const uint64_t rows = rows_of_plane(field);
	double *const values = trnsci_tile_data(field->values);
	uint64_t all = field->fold[field->ndim - 1];
	int r = 0;

	for (size_t i = 0; i + 1 < field->ndim; i++)
		all *= i == field->cut ? 1 : field->fold[i];
	for (uint64_t i = 0; i < part->shape[0] && r == 0; i++) {
		r = get_plane(field, part->first[0] + i);
		if (r == 0)
			find_roots(field, values, 1, all, values);
		for (uint64_t row = 0; row < rows && r == 0; row++, half += row_bytes)
			multiply_row(field, values_of_row(field, row), half);
	}
	return r;
}

/* Multiplies this rank's part of half a spectrum. */
static int multiply(struct field *field, char *half)
{
	const uint64_t columns = field->fold[field->ndim - 1];
	double *eigenvalues = (double *)field->eigenvalues;
	struct trnsci_mpi_part part;

	trnsci_mpi_part_of(&field->half, field->mpi->rank, field->mpi->size, &part, NULL);
	if (!eigenvalues)
		return multiply_planes(field, &part, half);
	find_roots(field, eigenvalues, 2, part.count, eigenvalues);
	for (uint64_t i = 0; i < part.count; i += columns)
		multiply_row(field, eigenvalues + i, half + i * (field->wide ? 16 : 8));
	return 0;
}

/* Collective. Draws normals, and gives half their spectrum, weighted. */
static int make_spectrum(struct field *field, const struct trnsci_source *source, char **ret_half, struct trnsci_span *ret_span)
{
	const enum trnsci_dtype dtype = field->wide ? TRNSCI_F64 : TRNSCI_F32;
	const size_t size = trnsci_dtype_size(dtype);
	char *points = NULL, *half = NULL;
	int r = allocate(field, &field->grid, size, &points);

	if (r == 0)
		r = trnsci_mpi_draw(field->mpi, "normal", NULL, source, dtype, &field->grid, points, ret_span, field->err);
	if (r == 0)
		r = allocate(field, &field->half, 2 * size, &half);
	if (r == 0)
		r = transform(field, false, field->wide, &field->half, points, half);
	free(points);
	if (r == 0)
		r = group_agree(field->mpi, multiply(field, half), field->err);
	*ret_half = half;
	return r;
}

/* The least points along each axis are kept. Both arrays are this rank's parts in slabs of the first axis. */
static void keep_corner(const struct field *field, const struct trnsci_mpi_part *from, const struct trnsci_mpi_part *to, size_t size, char *data)
{
	const size_t last = field->ndim - 1;
	const size_t row_bytes = to->shape[last] * size;
	const uint64_t rows = row_bytes ? to->count / to->shape[last] : 0;

	for (uint64_t r = 0; r < rows; r++) {
		uint64_t rest = r, at = 0, step = from->shape[last];

		for (size_t i = last; i-- > 0; rest /= to->shape[i]) {
			at += rest % to->shape[i] * step;
			step *= from->shape[i];
		}
		memmove(data + r * row_bytes, data + at * size, row_bytes);
	}
}

/* Collective. Transforms back to the grid, of which a corner is moved to where the caller wants it. */
static int make_corner(struct field *field, const char *half, const struct trnsci_mpi_layout *layout, void *out)
{
	const enum trnsci_dtype dtype = field->wide ? TRNSCI_F64 : TRNSCI_F32;
	struct trnsci_mpi_layout grid = trnsci_mpi_slabs(field->ndim, field->grid.shape), corner = trnsci_mpi_slabs(field->ndim, layout->shape);
	struct trnsci_mpi_part from, to;
	char *points = NULL;
	int r;

	for (size_t i = 0; i < field->ndim; i++)
		grid.grid[i] = corner.grid[i] = i ? 1 : (uint64_t)field->mpi->size;
	grid.block[0] = corner.block[0] = field->block;
	r = allocate(field, &grid, trnsci_dtype_size(dtype), &points);
	if (r == 0)
		r = transform(field, true, field->wide, &grid, half, points);
	if (r == 0) {
		trnsci_mpi_part_of(&grid, field->mpi->rank, field->mpi->size, &from, NULL);
		trnsci_mpi_part_of(&corner, field->mpi->rank, field->mpi->size, &to, NULL);
		keep_corner(field, &from, &to, trnsci_dtype_size(dtype), points);
		r = trnsci_mpi_redistribute(field->mpi, dtype, &corner, points, layout, out, field->err);
	}
	free(points);
	return r;
}

/* Adds the mean to this rank's points, as the engine does it. */
static int add_mean(struct field *field, const struct trnsci_param *mean, const struct trnsci_mpi_layout *layout, void *out)
{
	struct trnsci_param plus[2] = {*mean, trnsci_param_end()};
	struct trnsci_mpi_part part;
	struct trnsci_array points;

	plus[0].name = "plus";
	trnsci_mpi_part_of(layout, field->mpi->rank, field->mpi->size, &part, NULL);
	points = trnsci_array_vector(field->wide ? TRNSCI_F64 : TRNSCI_F32, part.count, out);
	return part.count ? trnsci_apply_array(field->mpi->session, "scale", plus, points, points, field->err) : 0;
}

/* Collective. Makes the field once all ranks agree on what it is. */
static int make_field(struct field *field, const struct trnsci_param *params, const struct trnsci_source *source,
		      const struct trnsci_mpi_layout *layout, void *out, struct trnsci_span *ret_span)
{
	const struct trnsci_param *mean = NULL;
	char *half = NULL;
	int r = open_call(field, params, layout);

	for (const struct trnsci_param *param = params; param && param->kind != TRNSCI_PARAM_END; param++)
		if (param->name && strcmp(param->name, "mean") == 0)
			mean = param;
	if (r == 0)
		r = read_reply(field, layout);
	if (r == 0)
		plan(field, layout);
	r = group_agree(field->mpi, r, field->err);
	if (r == 0 && field->relative)
		r = find_root(field);
	if (r == 0 && field->transformed)
		r = find_eigenvalues(field);
	if (r == 0)
		r = make_spectrum(field, source, &half, ret_span);
	if (r == 0)
		r = field->block ? make_corner(field, half, layout, out) : transform(field, true, field->wide, layout, half, out);
	free(half);
	if (r == 0 && mean)
		r = group_agree(field->mpi, add_mean(field, mean, layout, out), field->err);
	return r;
}

int trnsci_mpi_field(struct trnsci_mpi *mpi, const struct trnsci_param *params, const struct trnsci_source *source, enum trnsci_dtype dtype,
		     const struct trnsci_mpi_layout *layout, void *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	static const struct trnsci_source beginning;
	struct trnsci_error own;
	struct field field = {.mpi = mpi, .wide = dtype == TRNSCI_F64, .err = err ? err : &own};
	struct trnsci_mpi_layout checked;
	int r = layout_check(layout, mpi->size, &checked, field.err);

	if (r == 0 && dtype != TRNSCI_F32 && dtype != TRNSCI_F64)
		r = group_fail(field.err, TRNSCI_OUT_OF_RANGE, "field: dtype: %s, allowed are f32 and f64", trnsci_dtype_name(dtype));
	if (r == 0 && layout->ndim < 2)
		r = group_fail(field.err, TRNSCI_OUT_OF_RANGE, "field: layout: 1 axis, allowed over ranks are 2 to %d", TRNSCI_MAX_DIMS);
	r = agree_draw(mpi, r, NULL, params, source ? source : &beginning, dtype, r == 0 ? &checked : layout,
		       "field: layout, parameters, dtype and source", field.err);
	if (r < 0)
		return r;
	r = make_field(&field, params, source, &checked, out, ret_span);
	trnsci_call_free(field.call);
	trnsci_tile_free(field.values);
	free(field.eigenvalues);
	return r;
}
