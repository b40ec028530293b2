/* SPDX-License-Identifier: Apache-2.0 */
/* Bluestein's algorithm: a transform of any length n is a convolution with a chirp, which two transforms of a smooth
 * length m >= 2 n - 1 compute.
 *
 *   X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]),   c[j] = exp(-pi i j^2 / n)
 *
 * The plan keeps the chirp c, with j^2 reduced mod 2 n, and the spectrum of conj(c) divided by m. A long transform runs
 * in phases: multiply by the chirp, transform, multiply by the spectrum, transform back, multiply by the chirp. Source:
 * L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", IEEE Trans. Audio
 * Electroacoustics 18 (1970). */
#include "fft/plan/bluestein.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "base/chunk.h"
#include "base/error.h"
#include "base/huge_map.h"
#include "fft/plan/factor.h"
#include "fft/plan/inner.h"
#include "fft/plan/roots.h"
#include "fft/plan/smooth.h"

enum {
	PRODUCT_CHUNK = 16384,   /* elements of a product that one chunk computes */
	ENTRIES_PER_STEP = 8192, /* table entries that one step builds: below CHUNK_MOST_NS */
	ZEROS_PER_STEP = 65536,
	POPULATE_BYTES = 1 << 20,        /* of memory whose pages one step makes */
	RELEASE_BYTES = HUGE_PAGE_BYTES, /* of memory that one step gives back: at most 150 us measured */
};

/* Above this the two rows of a transform would not stay in half of a second-level cache: run it in phases. */
enum { MAX_ROWS_BYTES = 288 << 10 };

/* What build_piece builds, in this order. The sequence lies where its transform, the spectrum, takes its place. At the end the
 * memory of that transform is given back. */
enum build_part { BUILD_INNER, BUILD_PAGES, BUILD_CHIRP, BUILD_ZEROS, BUILD_SPECTRUM, BUILD_RELEASE };

struct bluestein {
	struct fft_plan plan; /* first; its inner one is the convolution's */
	void *chirp, *spectrum;
	/* While they are built: the call that transforms the sequence, what runs it, and how far it is. */
	struct fft_call build;
	void *scratch;
	struct roots roots;
	enum build_part part;
	size_t row, phase, chunk;
};

static struct bluestein *bluestein_of(const struct fft_plan *plan)
{
	return (struct bluestein *)plan;
}

static size_t inner_row_bytes(const struct fft_plan *plan)
{
	return fft_round_line(plan->inner->n * fft_pair_bytes(plan));
}

/* Returns how many transforms run together: a one-stage inner transform computes `lanes` of them at once. */
static size_t group_size(const struct fft_plan *plan)
{
	return fft_takes_columns(plan->inner) && plan->inner->lanes_bytes == 0 ? plan->ops->lanes : 1;
}

static size_t build_work_bytes(const struct fft_plan *plan)
{
	return fft_round_line(fft_work_bytes(plan->inner, 1)) + 64;
}

/* Everything but chirp and spectrum is needed while the tables are built only. */
static int allocate_tables(struct bluestein *b)
{
	const size_t m_bytes = inner_row_bytes(&b->plan), n_bytes = fft_round_line(b->plan.n * fft_pair_bytes(&b->plan));

	b->chirp = huge_allocate(n_bytes);
	b->spectrum = huge_allocate(m_bytes);
	b->scratch = aligned_alloc(64, fft_round_line(fft_scratch_bytes(b->plan.inner)));
	b->build = (struct fft_call){
		.in = b->spectrum,
		.out = b->spectrum,
		.in_stride = 1,
		.out_stride = 1,
		.batch = 1,
		.scale = 1.0 / (double)b->plan.inner->n,
		.work = huge_allocate(build_work_bytes(&b->plan)),
	};
	b->plan.bytes += n_bytes + m_bytes;
	if (!b->chirp || !b->spectrum || !b->scratch || !b->build.work)
		return -ERROR_NO_MEMORY;
	return roots_create_rounded(2 * b->plan.n, b->plan.precision, &b->roots) < 0 ? -ERROR_NO_MEMORY : 1;
}

/* Makes pages of the large blocks, a piece of one of them. A kernel that filled rows far apart would make many huge pages
 * in one step. Returns 1 while pieces are left. */
static int populate_build(struct bluestein *b)
{
	const size_t bytes[] = {fft_round_line(b->plan.n * fft_pair_bytes(&b->plan)), inner_row_bytes(&b->plan),
				build_work_bytes(&b->plan)};
	void *const blocks[] = {b->chirp, b->spectrum, b->build.work};

	while (b->chunk < 3 && (bytes[b->chunk] < HUGE_PAGE_BYTES || b->row >= bytes[b->chunk])) {
		b->chunk++;
		b->row = 0;
	}
	if (b->chunk == 3) {
		b->chunk = 0;
		return 0;
	}
	huge_populate(blocks[b->chunk], b->row, size_min(b->row + POPULATE_BYTES, bytes[b->chunk]));
	b->row += POPULATE_BYTES;
	return 1;
}

/* Gives the pages of a block back to the kernel, a piece from `at` on. To free a large block at once would take tens of
 * milliseconds. */
static void release_pages(void *block, size_t bytes, size_t at)
{
	const uintptr_t page = 4096, from = ((uintptr_t)block + size_min(at, bytes) + page - 1) & ~(page - 1);
	const uintptr_t to = ((uintptr_t)block + size_min(at + RELEASE_BYTES, bytes)) & ~(page - 1);

	if (bytes > RELEASE_BYTES && from < to)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

/* Returns 1 while pages are left. */
static int release_build(struct bluestein *b)
{
	const size_t work = build_work_bytes(&b->plan);

	release_pages(b->build.work, work, b->row);
	b->row += RELEASE_BYTES;
	return b->row < work;
}

/* Frees what only building needs. It may be called twice. */
static void free_build(struct bluestein *b)
{
	free(b->build.work);
	free(b->scratch);
	b->build.work = b->scratch = NULL;
	roots_free(&b->roots);
}

/* Stores conj(c[j]) at j and at m - j of the sequence, for j in [begin, end) and for n - j: the filter that wraps around a circle
 * of m. (n - j)^2 is j^2 and n^2 more mod 2 n, so c[n - j] is c[j], negated where n is odd. begin >= 1. */
static void mirror_chirp(struct bluestein *b, size_t begin, size_t end)
{
	const size_t n = b->plan.n, m = b->plan.inner->n;

#define MIRROR(real)                                                                                                   \
	for (size_t j = begin; j < end; j++) {                                                                         \
		const real sign = n % 2 ? -1 : 1;                                                                      \
		real(*c)[2] = b->chirp, (*sequence)[2] = b->spectrum;                                                  \
                                                                                                                       \
		c[n - j][0] = sign * c[j][0], c[n - j][1] = sign * c[j][1];                                            \
		sequence[j][0] = sequence[m - j][0] = c[j][0];                                                         \
		sequence[j][1] = sequence[m - j][1] = -c[j][1];                                                        \
		sequence[n - j][0] = sequence[m - n + j][0] = c[n - j][0];                                             \
		sequence[n - j][1] = sequence[m - n + j][1] = -c[n - j][1];                                            \
	}
	if (b->plan.precision == FFT_F32)
		MIRROR(float)
	else
		MIRROR(double)
#undef MIRROR
}

/* Stores c[j] for j in [begin, end). j^2 is taken mod 2 n in integers: begin < 2^30, so its square fits 64 bits, and the
 * next one is 2 j + 1 < 2 n more. */
static void put_chirp(struct bluestein *b, size_t begin, size_t end)
{
	enum { BLOCK = 64 };
	const uint64_t order = 2 * b->plan.n;
	uint64_t squares[BLOCK], square = (uint64_t)begin * begin % order;

	for (size_t j = begin; j < end; j += BLOCK) {
		const size_t count = size_min(BLOCK, end - j);
		char *at = fft_at(&b->plan, b->chirp, j);

		for (size_t i = 0; i < count; i++) {
			squares[i] = square;
			square += 2 * (j + i) + 1;
			square -= square < order ? 0 : order;
		}
		roots_put(&b->roots, squares, count, 2, at, at + fft_pair_bytes(&b->plan) / 2);
	}
}

/* Builds the next pieces of the chirp and of the sequence from one half of the chirp. */
static int build_chirp(struct bluestein *b)
{
	const size_t half = b->plan.n / 2 + 1, end = size_min(half, b->row + ENTRIES_PER_STEP);

	if (roots_step(&b->roots) > 0)
		return 1;
	put_chirp(b, b->row, end);
	if (b->row == 0)
		tables_put(b->plan.precision, b->spectrum, 0, (const double[]){1, 0});
	mirror_chirp(b, size_max(b->row, 1), end);
	b->row = end;
	return b->row < half;
}

/* Stores the zeros between the ends of the sequence. */
static int build_zeros(struct bluestein *b)
{
	const size_t count = b->plan.inner->n + 1 - 2 * b->plan.n, end = size_min(count, b->row + ZEROS_PER_STEP);

	memset(fft_at(&b->plan, b->spectrum, b->plan.n + b->row), 0, (end - b->row) * fft_pair_bytes(&b->plan));
	b->row = end;
	return b->row < count;
}

/* Runs one chunk of the transform of the sequence. Its scale 1 / m makes up for the unscaled inverse later. */
static int build_spectrum(struct bluestein *b)
{
	if (b->chunk == fft_chunks(b->plan.inner, b->phase, 1)) {
		b->chunk = 0;
		b->phase++;
	}
	if (b->phase == fft_phases(b->plan.inner))
		return 0;
	fft_run_chunk(b->plan.inner, &b->build, b->phase, b->chunk++, b->scratch);
	return 1;
}

/* Returns 1 while pieces are left, as fft_plan_step does. */
static int build_piece(struct fft_plan *plan)
{
	struct bluestein *b = bluestein_of(plan);
	int rc;

	switch (b->part) {
	case BUILD_INNER:
		rc = fft_plan_step(plan->inner);
		if (rc != 0)
			return rc;
		inner_add(plan->inner->n, plan->precision, plan->features, plan->inner);
		rc = allocate_tables(b);
		break;
	case BUILD_PAGES:
		rc = populate_build(b);
		break;
	case BUILD_CHIRP:
		rc = build_chirp(b);
		break;
	case BUILD_ZEROS:
		rc = build_zeros(b);
		break;
	case BUILD_SPECTRUM:
		rc = build_spectrum(b);
		break;
	default:
		rc = release_build(b);
		if (rc == 0)
			free_build(b);
		return rc;
	}
	if (rc == 0 || b->part == BUILD_INNER) {
		b->part++;
		b->row = 0;
	}
	return rc < 0 ? rc : 1;
}

static void free_tables(struct fft_plan *plan)
{
	struct bluestein *b = bluestein_of(plan);

	free_build(b);
	free(b->chirp);
	free(b->spectrum);
}

/* ---- running ---- */

static size_t count_phases(const struct fft_plan *plan)
{
	return plan->is_long ? 3 + 2 * fft_phases(plan->inner) : 1;
}

/* Returns whether a phase multiplies: by the chirp (first), by the spectrum (middle), by the chirp (last). */
static bool is_product_phase(const struct fft_plan *plan, size_t phase)
{
	return phase % (fft_phases(plan->inner) + 1) == 0;
}

/* Returns the elements of a product: n on the way out, where the rest of the row is not wanted, else m. */
static size_t product_length(const struct fft_plan *plan, size_t phase)
{
	return phase == 2 * (fft_phases(plan->inner) + 1) ? plan->n : plan->inner->n;
}

static size_t count_pieces(const struct fft_plan *plan, size_t phase)
{
	return (product_length(plan, phase) + PRODUCT_CHUNK - 1) / PRODUCT_CHUNK;
}

static size_t count_chunks(const struct fft_plan *plan, size_t phase, size_t batch)
{
	if (!plan->is_long)
		return (batch + plan->chunk - 1) / plan->chunk;
	if (is_product_phase(plan, phase))
		return batch * count_pieces(plan, phase);
	return fft_chunks(plan->inner, phase % (fft_phases(plan->inner) + 1) - 1, batch);
}

/* Returns the bytes of two rows of m for each transform, and behind them the work of the inner transforms. */
static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	(void)reuse;
	return plan->is_long
		       ? 2 * batch * inner_row_bytes(plan) + fft_work_bytes_reusing(plan->inner, batch, FFT_REUSE_BOTH)
		       : 0;
}

static size_t scratch_bytes(const struct fft_plan *plan, size_t batch)
{
	return fft_round_line(fft_scratch_bytes(plan->inner)) +
	       (plan->is_long ? 0 : 2 * size_min(plan->group, batch) * inner_row_bytes(plan));
}

/* Computes elements [begin, end) of x[j] c[j], which are zeros from n on. The inverse exchanges real and imaginary
 * parts. */
static void multiply_chirp_in(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin,
			      size_t end, void *x)
{
	const size_t stop = end < plan->n ? end : begin < plan->n ? plan->n : begin;
	const struct fft_product product = {
		.x = fft_at(plan, call->in, b * call->in_distance + begin * call->in_stride),
		.x_stride = call->in_stride,
		.table = fft_at(plan, bluestein_of(plan)->chirp, begin),
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

/* Multiplies elements [begin, end) by the spectrum of the chirp, in place. */
static void multiply_spectrum(const struct fft_plan *plan, size_t begin, size_t end, void *x)
{
	const struct fft_product product = {
		.x = fft_at(plan, x, begin),
		.x_stride = 1,
		.table = fft_at(plan, bluestein_of(plan)->spectrum, begin),
		.y = fft_at(plan, x, begin),
		.y_stride = 1,
		.count = end - begin,
		.scale = 1,
	};

	plan->ops->multiply(&product);
}

/* Multiplies elements [begin, end) by the chirp and the caller's scale, and stores them in the caller's output. */
static void multiply_chirp_out(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin,
			       size_t end, const void *x)
{
	const struct fft_product product = {
		.x = fft_at(plan, x, begin),
		.x_stride = 1,
		.table = fft_at(plan, bluestein_of(plan)->chirp, begin),
		.y = fft_at(plan, call->out, b * call->out_distance + begin * call->out_stride),
		.y_stride = call->out_stride,
		.count = end - begin,
		.exchange_y = call->inverse,
		.scale = call->scale,
	};

	plan->ops->multiply(&product);
}

/* Describes the inner transforms of `batch` rows from x to y. They may overwrite x. */
static struct fft_call make_inner_call(const struct fft_plan *plan, void *x, void *y, size_t batch, bool inverse,
				       void *work)
{
	const size_t distance = inner_row_bytes(plan) / fft_pair_bytes(plan);

	return (struct fft_call){x, y, 1, distance, 1, distance, batch, inverse, 1.0, work, FFT_REUSE_BOTH, 0, true, false};
}

/* Runs transforms [first, first + count) in scratch; count is at most plan->group. */
static void run_group(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t count,
		      char *scratch)
{
	const size_t row = inner_row_bytes(plan), m = plan->inner->n;
	char *x = scratch + fft_round_line(fft_scratch_bytes(plan->inner)), *y = x + count * row;
	const struct fft_call forward = make_inner_call(plan, x, y, count, false, NULL);
	const struct fft_call backward = make_inner_call(plan, y, x, count, true, NULL);

	for (size_t i = 0; i < count; i++)
		multiply_chirp_in(plan, call, first + i, 0, m, x + i * row);
	fft_run(plan->inner, &forward, scratch);
	for (size_t i = 0; i < count; i++)
		multiply_spectrum(plan, 0, m, y + i * row);
	fft_run(plan->inner, &backward, scratch);
	for (size_t i = 0; i < count; i++)
		multiply_chirp_out(plan, call, first + i, 0, plan->n, x + i * row);
}

static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t chunk, void *scratch)
{
	const size_t end = size_min((chunk + 1) * plan->chunk, call->batch);

	for (size_t b = chunk * plan->chunk; b < end; b += plan->group)
		run_group(plan, call, b, size_min(plan->group, end - b), scratch);
}

/* Runs one piece of a multiplying phase. Rows x hold the first and the last product, rows y the middle one. */
static void run_product(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk, char *x)
{
	const size_t per = count_pieces(plan, phase), b = chunk / per, begin = chunk % per * PRODUCT_CHUNK;
	const size_t end = size_min(begin + PRODUCT_CHUNK, product_length(plan, phase)), row = inner_row_bytes(plan);

	if (phase == 0)
		multiply_chirp_in(plan, call, b, begin, end, x + b * row);
	else if (phase == fft_phases(plan->inner) + 1)
		multiply_spectrum(plan, begin, end, x + (call->batch + b) * row);
	else
		multiply_chirp_out(plan, call, b, begin, end, x + b * row);
}

static void run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
		      void *scratch)
{
	const size_t inner_phases = fft_phases(plan->inner), rows = call->batch * inner_row_bytes(plan);
	char *x = call->work, *y = x + rows, *work = y + rows;

	if (!plan->is_long) {
		run_short(plan, call, chunk, scratch);
	} else if (is_product_phase(plan, phase)) {
		run_product(plan, call, phase, chunk, x);
	} else {
		const struct fft_call inner = phase <= inner_phases
						      ? make_inner_call(plan, x, y, call->batch, false, work)
						      : make_inner_call(plan, y, x, call->batch, true, work);
		fft_run_chunk(plan->inner, &inner, phase % (inner_phases + 1) - 1, chunk, scratch);
	}
}

static const struct fft_kind kind_bluestein = {build_piece, free_tables,   count_phases,         count_chunks,
					       work_bytes,  scratch_bytes, fft_complex_in_bytes, run_chunk};

int fft_plan_create_bluestein(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan = fft_plan_allocate(&kind_bluestein, sizeof(struct bluestein), n, precision, features);
	uint64_t m;
	int rc;

	if (!plan)
		return -ERROR_NO_MEMORY;
	m = factor_convolution(2 * n - 1, fft_width(precision));
	plan->inner = inner_take(m, precision, features);
	rc = plan->inner ? 0 : fft_plan_create_smooth(m, precision, features, &plan->inner);
	if (rc < 0) {
		fft_plan_free(plan);
		return rc;
	}
	plan->cost_ns = 2 * plan->inner->cost_ns + 3 * (double)m;
	plan->is_long =
		plan->inner->is_long || plan->cost_ns > CHUNK_ESTIMATE_NS || 2 * inner_row_bytes(plan) > MAX_ROWS_BYTES;
	fft_plan_set_group(plan, group_size(plan));
	*ret_plan = plan;
	return 0;
}
