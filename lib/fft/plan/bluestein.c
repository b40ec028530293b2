/* SPDX-License-Identifier: Apache-2.0 */
/* Bluestein's transform of any length as a convolution with a chirp of smooth length m >= 2 n - 1:
 *
 *   X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]),   c[j] = exp(-pi i j^2 / n), j^2 taken mod 2 n
 *
 * The spectrum of conj(c) is kept, divided by m. Source: L. I. Bluestein, IEEE Trans. Audio Electroacoustics 18
 * (1970). Long transforms run in phases: chirp, the inner ones, product, the inner ones, chirp. */
#include "fft/plan/bluestein.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/factor.h"
#include "fft/plan/plan.h"
#include "fft/plan/smooth.h"

/* Elements of a product that make a unit, and table entries made in one step. */
enum { PRODUCT_UNIT = 16384, ROWS_PER_STEP = 2048 };

enum part { MAKE_INNER, MAKE_CHIRP, MAKE_SEQUENCE, MAKE_SPECTRUM };

static size_t inner_bytes(const struct fft_plan *plan)
{
	return fft_round_line(plan->inner->n * fft_pair_bytes(plan));
}

/* One-stage inner transforms go by LANES at once. */
static size_t group(const struct fft_plan *plan)
{
	return plan->inner->smooth.n_stages == 1 ? plan->ops->lanes : 1;
}

static int allocate(struct fft_plan *plan)
{
	const size_t m_bytes = inner_bytes(plan), n_bytes = fft_round_line(plan->n * fft_pair_bytes(plan));

	plan->chirp = aligned_alloc(64, n_bytes);
	plan->spectrum = aligned_alloc(64, m_bytes);
	plan->scratch = aligned_alloc(64, fft_round_line(fft_scratch_bytes(plan->inner)));
	plan->build = (struct fft_call){
		.in = aligned_alloc(64, m_bytes),
		.out = plan->spectrum,
		.in_stride = 1,
		.out_stride = 1,
		.batch = 1,
		.scale = 1.0 / (double)plan->inner->n,
		.work = aligned_alloc(64, fft_round_line(fft_work_bytes_reusing(plan->inner, 1, FFT_REUSE_BOTH)) + 64),
		.reuse = FFT_REUSE_BOTH,
	};
	plan->bytes += n_bytes + m_bytes;
	if (!plan->chirp || !plan->spectrum || !plan->scratch || !plan->build.in || !plan->build.work)
		return -ERROR_NO_MEMORY;
	return roots_create(2 * plan->n, &plan->tables.roots) < 0 ? -ERROR_NO_MEMORY : 1;
}

static void free_build(struct fft_plan *plan)
{
	free((void *)plan->build.in);
	free(plan->build.work);
	free(plan->scratch);
	plan->build.in = plan->build.work = plan->scratch = NULL;
	roots_free(&plan->tables.roots);
}

static int make_chirp(struct fft_plan *plan)
{
	const size_t end = size_min(plan->n, plan->row + ROWS_PER_STEP);

	if (roots_step(&plan->tables.roots) > 0)
		return 1;
	for (; plan->row < end; plan->row++) {
		long double root[2];

		roots_at(&plan->tables.roots, (uint64_t)plan->row * plan->row % (2 * plan->n), root);
		tables_put(plan->precision, plan->chirp, plan->row, root, 1);
	}
	return plan->row < plan->n;
}

/* conj(c[j]) at j and m - j, zero between. */
static int make_sequence(struct fft_plan *plan)
{
	const size_t m = plan->inner->n, end = size_min(m, plan->row + ROWS_PER_STEP);

	for (; plan->row < end; plan->row++) {
		const size_t j = size_min(plan->row, m - plan->row);
		long double root[2] = {0, 0};

		if (j < plan->n)
			roots_at(&plan->tables.roots, (uint64_t)j * j % (2 * plan->n), root);
		root[1] = -root[1];
		tables_put(plan->precision, (void *)plan->build.in, plan->row, root, 1);
	}
	return plan->row < m;
}

static int make_spectrum(struct fft_plan *plan)
{
	if (plan->unit == fft_units(plan->inner, plan->phase, 1)) {
		plan->unit = 0;
		plan->phase++;
	}
	if (plan->phase == fft_phases(plan->inner))
		return 0;
	fft_run_unit(plan->inner, &plan->build, plan->phase, plan->unit++, plan->scratch);
	return 1;
}

static int step(struct fft_plan *plan)
{
	int rc;

	switch ((enum part)plan->part) {
	case MAKE_INNER:
		rc = fft_plan_step(plan->inner);
		rc = rc == 0 ? allocate(plan) : rc;
		if (rc < 0 || !plan->chirp)
			return rc;
		break;
	case MAKE_CHIRP:
		rc = make_chirp(plan);
		break;
	case MAKE_SEQUENCE:
		rc = make_sequence(plan);
		break;
	default:
		rc = make_spectrum(plan);
		if (rc == 0)
			free_build(plan);
		return rc;
	}
	if (rc == 0 || plan->part == MAKE_INNER) {
		plan->part++;
		plan->row = 0;
	}
	return rc < 0 ? rc : 1;
}

static void release(struct fft_plan *plan)
{
	free_build(plan);
	free(plan->chirp);
	free(plan->spectrum);
	fft_plan_free(plan->inner);
}

/* ---- running ---- */

static size_t phases(const struct fft_plan *plan)
{
	return plan->is_long ? 3 + 2 * fft_phases(plan->inner) : 1;
}

/* Products of a phase: the chirp on the way in, the spectrum, the chirp on the way out. */
static bool is_product(const struct fft_plan *plan, size_t phase)
{
	return phase % (fft_phases(plan->inner) + 1) == 0;
}

static size_t product_length(const struct fft_plan *plan, size_t phase)
{
	return phase == 2 * (fft_phases(plan->inner) + 1) ? plan->n : plan->inner->n;
}

static size_t pieces(const struct fft_plan *plan, size_t phase)
{
	return (product_length(plan, phase) + PRODUCT_UNIT - 1) / PRODUCT_UNIT;
}

static size_t unit_size(const struct fft_plan *plan)
{
	return group(plan) * fft_group(plan->cost_ns * (double)group(plan));
}

static size_t units(const struct fft_plan *plan, size_t phase, size_t batch)
{
	if (!plan->is_long)
		return (batch + unit_size(plan) - 1) / unit_size(plan);
	if (is_product(plan, phase))
		return batch * pieces(plan, phase);
	return fft_units(plan->inner, phase % (fft_phases(plan->inner) + 1) - 1, batch);
}

/* Two rows of m for each transform, then what the inner transforms need beside these. */
static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	(void)reuse;
	return plan->is_long ? 2 * batch * inner_bytes(plan) +
				       fft_work_bytes_reusing(plan->inner, batch, FFT_REUSE_BOTH)
			     : 0;
}

static size_t scratch_bytes(const struct fft_plan *plan)
{
	return fft_round_line(fft_scratch_bytes(plan->inner)) +
	       (plan->is_long ? 0 : 2 * group(plan) * inner_bytes(plan));
}

/* Elements [begin, end) of x[j] c[j], zeros beyond n. */
static void chirp_in(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin, size_t end,
		     void *x)
{
	const size_t stop = end < plan->n ? end : begin < plan->n ? plan->n : begin;
	const struct fft_product product = {
		.x = fft_at(plan, call->in, b * call->in_distance + begin * call->in_stride),
		.x_stride = call->in_stride,
		.table = fft_at(plan, plan->chirp, begin),
		.y = fft_at(plan, x, begin),
		.y_stride = 1,
		.count = stop - begin,
		.exchange_x = call->inverse,
		.scale = 1,
	};

	if (begin < stop)
		plan->ops->multiply(&product);
	memset(fft_at(plan, x, stop), 0, (end - stop) * fft_pair_bytes(plan));
}

static void spectrum_product(const struct fft_plan *plan, size_t begin, size_t end, void *x)
{
	const struct fft_product product = {
		.x = fft_at(plan, x, begin),
		.x_stride = 1,
		.table = fft_at(plan, plan->spectrum, begin),
		.y = fft_at(plan, x, begin),
		.y_stride = 1,
		.count = end - begin,
		.scale = 1,
	};

	plan->ops->multiply(&product);
}

static void chirp_out(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin, size_t end,
		      const void *x)
{
	const struct fft_product product = {
		.x = fft_at(plan, x, begin),
		.x_stride = 1,
		.table = fft_at(plan, plan->chirp, begin),
		.y = fft_at(plan, call->out, b * call->out_distance + begin * call->out_stride),
		.y_stride = call->out_stride,
		.count = end - begin,
		.exchange_y = call->inverse,
		.scale = call->scale,
	};

	plan->ops->multiply(&product);
}

/* The inner transform of all rows x, whose content is lost, to rows y. */
static struct fft_call inner_call(const struct fft_plan *plan, void *x, void *y, size_t batch, bool inverse, void *work)
{
	const size_t distance = inner_bytes(plan) / fft_pair_bytes(plan);

	return (struct fft_call){x, y, 1, distance, 1, distance, batch, inverse, 1.0, work, FFT_REUSE_BOTH};
}

/* Transforms [first, first + count), count <= group, wholly in scratch. */
static void run_group(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t count,
		      char *scratch)
{
	const size_t row = inner_bytes(plan), m = plan->inner->n;
	char *x = scratch + fft_round_line(fft_scratch_bytes(plan->inner)), *y = x + count * row;
	const struct fft_call forward = inner_call(plan, x, y, count, false, NULL);
	const struct fft_call backward = inner_call(plan, y, x, count, true, NULL);

	for (size_t i = 0; i < count; i++)
		chirp_in(plan, call, first + i, 0, m, x + i * row);
	fft_run(plan->inner, &forward, scratch);
	for (size_t i = 0; i < count; i++)
		spectrum_product(plan, 0, m, y + i * row);
	fft_run(plan->inner, &backward, scratch);
	for (size_t i = 0; i < count; i++)
		chirp_out(plan, call, first + i, 0, plan->n, x + i * row);
}

static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t unit, void *scratch)
{
	const size_t size = unit_size(plan), end = size_min((unit + 1) * size, call->batch);

	for (size_t b = unit * size; b < end; b += group(plan))
		run_group(plan, call, b, size_min(group(plan), end - b), scratch);
}

static void run_product(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, char *x)
{
	const size_t per = pieces(plan, phase), b = unit / per, begin = unit % per * PRODUCT_UNIT;
	const size_t end = size_min(begin + PRODUCT_UNIT, product_length(plan, phase)), row = inner_bytes(plan);

	if (phase == 0)
		chirp_in(plan, call, b, begin, end, x + b * row);
	else if (phase == fft_phases(plan->inner) + 1)
		spectrum_product(plan, begin, end, x + (call->batch + b) * row);
	else
		chirp_out(plan, call, b, begin, end, x + b * row);
}

static void run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	const size_t inner_phases = fft_phases(plan->inner), rows = call->batch * inner_bytes(plan);
	char *x = call->work, *y = x + rows, *work = y + rows;
	struct fft_call inner;

	if (!plan->is_long) {
		run_short(plan, call, unit, scratch);
	} else if (is_product(plan, phase)) {
		run_product(plan, call, phase, unit, x);
	} else {
		inner = phase <= inner_phases ? inner_call(plan, x, y, call->batch, false, work)
					      : inner_call(plan, y, x, call->batch, true, work);
		fft_run_unit(plan->inner, &inner, phase % (inner_phases + 1) - 1, unit, scratch);
	}
}

static const struct fft_kind kind_bluestein = {step,       release,       phases,          units,
					       work_bytes, scratch_bytes, fft_pair_either, run_unit};

int fft_plan_create_bluestein(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan = fft_plan_allocate(n, precision, features);
	uint64_t m;
	int rc;

	if (!plan)
		return -ERROR_NO_MEMORY;
	plan->kind = &kind_bluestein;
	m = factor_convolution(2 * n - 1, plan->ops->lanes);
	rc = fft_plan_create_smooth(m, precision, features, &plan->inner);
	if (rc < 0) {
		fft_plan_free(plan);
		return rc;
	}
	plan->cost_ns = 2 * plan->inner->cost_ns + 3 * (double)m;
	plan->is_long = plan->inner->is_long || plan->cost_ns > FFT_LONG_NS || 2 * inner_bytes(plan) > 288 << 10;
	*ret_plan = plan;
	return 0;
}
