/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of one long axis over ranks.
 *
 * Six steps: the array is a matrix of n1 x n2, element i n2 + j; columns are transformed, element (i, j) is multiplied by
 * the factor of i j, rows are transformed, and bin i + n1 j is element (i, j) of the result. The inverse takes the same steps
 * backwards. Half a spectrum of reals is computed as the whole of complex numbers; back from it, the missing half counts as
 * zero, the others twice, and the real part is the result.
 *
 * A length without a factor near its root is a convolution with a chirp (Bluestein), of a length that has one, in float64. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "factors.h"
#include "six_step.h"

struct six_step {
	uint64_t n, m;	     /* length; and that of the routes: another one for a chirp */
	uint64_t n1, n2;     /* factors of m */
	enum trnsci_mpi_fft_kind kind;
	bool wide, inverse, chirp;
	struct trnsci_mpi_part in, out; /* what the caller's arrays hold here */
	uint64_t matrix;		/* elements of the rank's rows */
	struct twiddles twiddles, back_twiddles;
	struct route back; /* of a chirp */
	char *in_copy, *out_copy;
	double (*chirp_in)[2], (*chirp_out)[2];
	double (*spectrum)[2], (*product)[2]; /* of the chirp; of it and the input */
	double scale;
};

static struct placement rows_of(const struct six_step *line, int size, bool columns)
{
	const uint64_t shape[2] = {line->n1, line->n2};
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(2, shape);

	layout.grid[0] = columns ? 1 : (uint64_t)size;
	layout.grid[1] = columns ? (uint64_t)size : 1;
	return placement_of(&layout, false);
}

/* Adds both steps, in the order of the direction. */
static void add_steps(struct route *route, const struct six_step *line, bool inverse, bool first_is_rows)
{
	const int size = route->mpi->size;

	for (int step = 0; step < 2; step++) {
		const bool columns = (step == 0) != inverse;
		const struct placement at = rows_of(line, size, columns);
		struct stage *stage;

		if (step > 0 || !first_is_rows)
			route_add(route, &at);
		stage = &route->stages[route->n_stages - 1];
		if (step == 0)
			stage->after = twiddles_apply;
		route_add_axis(route, columns ? 0 : 1);
	}
}

static void begin_route(struct route *route, struct trnsci_mpi *mpi, const struct twiddles *twiddles, bool inverse, bool wide,
			const char *norm, size_t message_bytes)
{
	*route = (struct route){.mpi = mpi, .transform = {.ndim = 2, .inverse = inverse, .wide = wide, .norm = norm},
				.in = wide ? TRNSCI_C128 : TRNSCI_C64, .out = wide ? TRNSCI_C128 : TRNSCI_C64,
				.after_arg = twiddles, .message_bytes = message_bytes};
}

/* ---- layouts ---- */

static int check_line(const struct trnsci_mpi_layout *from, const struct trnsci_mpi_fft_options *options, struct trnsci_error *err)
{
	if (from->block[0] || (options->to && options->to->block[0]))
		return group_fail(err, TRNSCI_NOT_SUPPORTED, "fft: layout: block: allowed is 0 for a transform of one axis");
	if ((options->transposed_in || options->transposed_out) && options->kind != TRNSCI_MPI_C2C)
		return group_fail(err, TRNSCI_NOT_SUPPORTED, "fft: transposed: allowed for one axis is C2C");
	if ((options->transposed_in && !options->inverse) || (options->transposed_out && options->inverse))
		return group_fail(err, TRNSCI_NOT_SUPPORTED,
				  "fft: transposed: allowed for one axis are forward with transposed_out, inverse with transposed_in");
	return 0;
}

/* The lengths of both sides, and the layout of the output. */
static int set_layouts(struct trnsci_mpi_fft *fft, const struct trnsci_mpi_layout *from, const struct trnsci_mpi_fft_options *options,
		       struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	uint64_t length = from->shape[0];
	int r = 0;

	line->n = length;
	if (options->kind == TRNSCI_MPI_R2C)
		length = line->n / 2 + 1;
	if (options->kind == TRNSCI_MPI_C2R) {
		line->n = options->to ? options->to->shape[0] : from->shape[0] > 1 ? 2 * (from->shape[0] - 1) : 1;
		length = line->n;
	}
	fft->from = fft->to = *from;
	fft->to.shape[0] = length;
	if (options->to && !options->transposed_out)
		r = layout_check(options->to, fft->mpi->size, &fft->to, err);
	if (r == 0 && (fft->to.ndim != 1 || fft->to.shape[0] != length ||
		       (options->kind == TRNSCI_MPI_C2R && line->n / 2 + 1 != from->shape[0])))
		r = group_fail(err, TRNSCI_BAD_SHAPE, "fft: to: its shape is not that of the result, %llu elements",
			       (unsigned long long)length);
	return r;
}

/* ---- plans ---- */

static int plan_steps(struct trnsci_mpi_fft *fft, const struct trnsci_mpi_fft_options *options, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	const bool inverse = line->inverse;
	const struct placement rows = rows_of(line, fft->mpi->size, false);
	const struct placement from = placement_linear(&fft->from, line->n1, line->n2, inverse);
	const struct placement to = placement_linear(&fft->to, line->n1, line->n2, !inverse);

	if (twiddles_make(&line->twiddles, line->n, line->n1, inverse, line->wide) < 0)
		return group_fail(err, TRNSCI_NO_MEMORY, "fft: factors");
	begin_route(&fft->route, fft->mpi, &line->twiddles, inverse, line->wide, fft->norm, options->message_bytes);
	route_add(&fft->route, options->transposed_in ? &rows : &from);
	add_steps(&fft->route, line, inverse, options->transposed_in);
	fft->route.stages[options->transposed_in ? 0 : 1].sparse = line->kind == TRNSCI_MPI_C2R;
	if (!options->transposed_out)
		route_add(&fft->route, &to);
	if (options->transposed_in)
		fft->from = rows.layout;
	if (options->transposed_out)
		fft->to = rows.layout;
	return route_plan(&fft->route, err);
}

static int plan_chirp(struct trnsci_mpi_fft *fft, const struct trnsci_mpi_fft_options *options, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	const struct placement from = placement_linear(&fft->from, line->n1, line->n2, false);
	const struct placement to = placement_linear(&fft->to, line->n1, line->n2, false);
	const struct placement rows = rows_of(line, fft->mpi->size, false);

	if (twiddles_make(&line->twiddles, line->m, line->n1, false, true) < 0 || twiddles_make(&line->back_twiddles, line->m, line->n1, true, true) < 0)
		return group_fail(err, TRNSCI_NO_MEMORY, "fft: factors");
	begin_route(&fft->route, fft->mpi, &line->twiddles, false, true, "backward", options->message_bytes);
	route_add(&fft->route, &from);
	add_steps(&fft->route, line, false, false);
	fft->route.stages[1].sparse = true;
	begin_route(&line->back, fft->mpi, &line->back_twiddles, true, true, "backward", options->message_bytes);
	route_add(&line->back, &rows);
	add_steps(&line->back, line, true, true);
	route_add(&line->back, &to);
	const int r = route_plan(&fft->route, err);

	return r < 0 ? r : route_plan(&line->back, err);
}

static void fill_chirp(const struct six_step *line, const struct trnsci_mpi_part *part, double (*factors)[2])
{
	for (uint64_t i = 0; i < part->count; i++) {
		chirp_factor(part->first[0] + i, line->n, factors[i]);
		if (line->inverse)
			factors[i][1] = -factors[i][1];
	}
}

static double scale_of(const struct six_step *line, const char *norm)
{
	const bool scaled = strcmp(norm, line->inverse ? "backward" : "forward") == 0;

	return strcmp(norm, "ortho") == 0 ? 1 / sqrt((double)line->n) : scaled ? 1 / (double)line->n : 1;
}

static int allocate_copies(struct trnsci_mpi_fft *fft, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	const size_t wide = 2 * sizeof(double), size = line->wide || line->chirp ? wide : wide / 2;
	bool failed = false;

	if (line->chirp || line->kind != TRNSCI_MPI_C2C) {
		line->in_copy = malloc(line->in.count * size + 1);
		line->out_copy = malloc(line->out.count * size + 1);
		failed = !line->in_copy || !line->out_copy;
	}
	if (line->chirp) {
		line->chirp_in = malloc(line->in.count * wide + 1);
		line->chirp_out = malloc(line->out.count * wide + 1);
		line->spectrum = malloc(line->matrix * wide + 1);
		line->product = malloc(line->matrix * wide + 1);
		failed = failed || !line->chirp_in || !line->chirp_out || !line->spectrum || !line->product;
	}
	return failed ? group_fail(err, TRNSCI_NO_MEMORY, "fft: copies of %llu elements", (unsigned long long)line->in.count) : 0;
}

int six_step_plan(struct trnsci_mpi_fft *fft, const struct trnsci_mpi_layout *from, const struct trnsci_mpi_fft_options *options,
	      struct trnsci_error *err)
{
	struct six_step *line = fft->six_step = calloc(1, sizeof *line);
	const int rank = fft->mpi->rank, size = fft->mpi->size;
	struct box rows[MAX_BOXES];
	int r = line ? check_line(from, options, err) : group_fail(err, TRNSCI_NO_MEMORY, "fft");

	if (r < 0)
		return r;
	*line = (struct six_step){.kind = options->kind, .wide = options->wide, .inverse = options->inverse};
	r = set_layouts(fft, from, options, err);
	if (r < 0)
		return r;
	line->n1 = factor_of(line->n);
	line->chirp = line->n1 == 0;
	if (line->chirp && (options->transposed_in || options->transposed_out))
		return group_fail(err, TRNSCI_NOT_SUPPORTED, "fft: transposed: %llu has no factor near its root",
				  (unsigned long long)line->n);
	line->m = line->chirp ? smooth_length(2 * line->n - 1) : line->n;
	line->n1 = factor_of(line->m);
	line->n2 = line->m / line->n1;
	trnsci_mpi_part_of(&fft->from, rank, size, &line->in, NULL);
	trnsci_mpi_part_of(&fft->to, rank, size, &line->out, NULL);
	const struct placement at = rows_of(line, size, false);

	line->matrix = placement_boxes(&at, rank, rows) ? box_count(&rows[0]) : 0;
	line->scale = scale_of(line, fft->norm);
	r = allocate_copies(fft, err);
	if (r == 0)
		r = line->chirp ? plan_chirp(fft, options, err) : plan_steps(fft, options, err);
	return r;
}

/* The chirp's conjugate at the indices of one slab of m: also from the end, where negative ones lie. */
static void fill_kernel(const struct six_step *line, const struct trnsci_mpi_part *part, double (*kernel)[2])
{
	for (uint64_t i = 0; i < part->count; i++) {
		const uint64_t at = part->first[0] + i, k = at < line->n ? at : line->m - at;

		kernel[i][0] = kernel[i][1] = 0;
		if (k >= line->n)
			continue;
		chirp_factor(k, line->n, kernel[i]);
		if (!line->inverse)
			kernel[i][1] = -kernel[i][1];
	}
}

/* The chirp's spectrum, of an array of m elements in slabs. */
static int transform_kernel(struct trnsci_mpi_fft *fft, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	struct trnsci_mpi_layout slabs = trnsci_mpi_slabs(1, &line->m), checked;
	struct route *route = calloc(1, sizeof *route);
	struct trnsci_mpi_part part;

	layout_check(&slabs, fft->mpi->size, &checked, NULL);
	trnsci_mpi_part_of(&checked, fft->mpi->rank, fft->mpi->size, &part, NULL);
	double(*kernel)[2] = malloc(part.count * sizeof *kernel + 1);
	int r = route && kernel ? 0 : group_fail(err, TRNSCI_NO_MEMORY, "fft: a chirp");

	if (r == 0) {
		const struct placement from = placement_linear(&checked, line->n1, line->n2, false);

		fill_kernel(line, &part, kernel);
		begin_route(route, fft->mpi, &line->twiddles, false, true, "backward", fft->route.message_bytes);
		route_add(route, &from);
		add_steps(route, line, false, false);
		r = route_plan(route, err);
	}
	r = group_agree(fft->mpi, r, err);
	if (r == 0)
		r = group_agree(fft->mpi, route_run(route, kernel, line->spectrum, err), err);
	if (route)
		route_clear(route);
	free(route);
	free(kernel);
	return r;
}

int six_step_prepare(struct trnsci_mpi_fft *fft, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;

	if (!line->chirp)
		return 0;
	fill_chirp(line, &line->in, line->chirp_in);
	fill_chirp(line, &line->out, line->chirp_out);
	return transform_kernel(fft, err);
}

void six_step_clear(struct trnsci_mpi_fft *fft)
{
	struct six_step *line = fft->six_step;

	if (!line)
		return;
	twiddles_clear(&line->twiddles);
	twiddles_clear(&line->back_twiddles);
	route_clear(&line->back);
	free(line->in_copy);
	free(line->out_copy);
	free(line->chirp_in);
	free(line->chirp_out);
	free(line->spectrum);
	free(line->product);
	free(line);
	fft->six_step = NULL;
}

/* ---- running ---- */

static double real_at(const void *data, bool wide, uint64_t i)
{
	return wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void set_real(void *data, bool wide, uint64_t i, double value)
{
	if (wide)
		((double *)data)[i] = value;
	else
		((float *)data)[i] = (float)value;
}

/* How often a bin of half a spectrum stands for itself and its conjugate. */
static double weight_of(const struct six_step *line, uint64_t bin)
{
	return line->kind == TRNSCI_MPI_C2R && bin > 0 && 2 * bin != line->n ? 2 : 1;
}

/* The input as complex numbers, times the chirp. */
static void copy_in(const struct six_step *line, const void *in)
{
	const bool real = line->kind == TRNSCI_MPI_R2C, wide = line->wide || line->chirp;

	for (uint64_t i = 0; i < line->in.count; i++) {
		const double weight = weight_of(line, line->in.first[0] + i);
		const double a = weight * real_at(in, line->wide, real ? i : 2 * i);
		const double b = real ? 0 : weight * real_at(in, line->wide, 2 * i + 1);
		const double c = line->chirp ? line->chirp_in[i][0] : 1, d = line->chirp ? line->chirp_in[i][1] : 0;

		set_real(line->in_copy, wide, 2 * i, a * c - b * d);
		set_real(line->in_copy, wide, 2 * i + 1, a * d + b * c);
	}
}

static void copy_out(const struct six_step *line, void *out)
{
	const bool real = line->kind == TRNSCI_MPI_C2R, wide = line->wide || line->chirp;
	const double scale = line->chirp ? line->scale : 1;

	for (uint64_t i = 0; i < line->out.count; i++) {
		const double a = real_at(line->out_copy, wide, 2 * i), b = real_at(line->out_copy, wide, 2 * i + 1);
		const double c = line->chirp ? line->chirp_out[i][0] : 1, d = line->chirp ? line->chirp_out[i][1] : 0;

		set_real(out, line->wide, real ? i : 2 * i, scale * (a * c - b * d));
		if (!real)
			set_real(out, line->wide, 2 * i + 1, scale * (a * d + b * c));
	}
}

static int run_chirp(struct trnsci_mpi_fft *fft, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	int r = route_run(&fft->route, line->in_copy, line->product, err), back;

	for (uint64_t i = 0; i < line->matrix; i++) {
		const double a = line->product[i][0], b = line->product[i][1];
		const double c = line->spectrum[i][0], d = line->spectrum[i][1];

		line->product[i][0] = a * c - b * d;
		line->product[i][1] = a * d + b * c;
	}
	back = route_run(&line->back, line->product, line->out_copy, r < 0 ? NULL : err);
	return r < 0 ? r : back;
}

int six_step_run(struct trnsci_mpi_fft *fft, const void *in, void *out, struct trnsci_error *err)
{
	struct six_step *line = fft->six_step;
	const bool copies = line->in_copy != NULL;
	int r;

	if (copies)
		copy_in(line, in);
	if (line->chirp)
		r = run_chirp(fft, err);
	else
		r = route_run(&fft->route, copies ? line->in_copy : in, copies ? line->out_copy : out, err);
	if (copies && r == 0)
		copy_out(line, out);
	return r;
}

void six_step_describe(const struct trnsci_mpi_fft *fft, void (*add)(const struct route *route, struct trnsci_mpi_fft_info *info),
		   struct trnsci_mpi_fft_info *info)
{
	const struct six_step *line = fft->six_step;
	const size_t size = line->wide || line->chirp ? 16 : 8;

	if (line->chirp) {
		add(&line->back, info);
		info->work_bytes += (line->in.count + line->out.count + 2 * line->matrix) * 16;
	}
	if (line->in_copy)
		info->work_bytes += (line->in.count + line->out.count) * size;
}
