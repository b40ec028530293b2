/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of any rank and strides give each transform the bytes that fft_run gives it alone, write nothing else, keep their input, and
 * need no more scratch and work than they state. */
#include "base/checked.h"
#include "fft/axes/axes.h"
#include "fft/plan/real.h"
#include "fft/precision/precision.h"
#include "fixture.h"

enum { MOST_AXES = 5, MOST_ELEMENTS = 1 << 17, ROUNDS = 8 };

enum kind { COMPLEX, IN_PLACE, REALS, TO_REALS, TO_REALS_OVERWRITING, PRODUCTS, KINDS };

static const char *const kind_names[] = {"complex", "in place", "real", "to reals", "to reals, overwriting", "products"};

/* A problem: axes 0 .. rank - 1 are transformed, in this order. */
struct workload {
	enum fft_precision precision;
	enum kind kind;
	unsigned rank, n_axes;
	struct fft_plan *plans[MOST_AXES];
	size_t before[MOST_AXES], after[MOST_AXES];
	size_t in_stride[MOST_AXES], out_stride[MOST_AXES];
	size_t in_size, out_size; /* bytes of an element */
	struct fft_machine machine;
};

static size_t pick(uint64_t *state, size_t least, size_t most)
{
	return least + (size_t)(fixture_next(state) % (most - least + 1));
}

static size_t count(const struct workload *w, const size_t *n)
{
	size_t all = 1;

	for (unsigned i = 0; i < w->n_axes; i++)
		all *= n[i];
	return all;
}

/* Lays the axes out in an order, the first nearest, with gaps behind some; returns the elements from the first to the last. */
static size_t lay_out(const struct workload *w, const unsigned *order, const size_t *n, bool gaps, uint64_t *state, size_t *strides)
{
	size_t stride = gaps ? pick(state, 1, 2) : 1, extent = 1;

	for (unsigned i = 0; i < w->n_axes; i++) {
		strides[order[i]] = stride;
		extent += (n[order[i]] - 1) * stride;
		stride = stride * n[order[i]] + (gaps ? pick(state, 0, 3) : 0);
	}
	return extent;
}

/* Where place `index` of an array lies, the last axis fastest. */
static size_t place(const struct workload *w, const size_t *n, const size_t *strides, size_t index)
{
	size_t at = 0;

	for (unsigned i = w->n_axes; i-- > 0; index /= n[i])
		at += index % n[i] * strides[i];
	return at;
}

/* Transforms a dense array, the last axis fastest, along one axis after the other, each transform alone. Frees `x`. */
static char *transform_alone(const struct workload *w, char *x, bool inverse, double scale)
{
	size_t n[MOST_AXES];

	memcpy(n, w->before, sizeof n);
	for (unsigned axis = 0; axis < w->rank; axis++) {
		const struct fft_plan *plan = w->plans[axis];
		const size_t in = fft_in_bytes(plan, inverse), out = fft_in_bytes(plan, !inverse), before = n[axis];
		const size_t after = w->after[axis], rows = count(w, n) / before;
		char *y = guarded_new(rows * after * out), *row = guarded_new(before * in), *result = guarded_new(after * out);
		void *scratch = guarded_new(fft_scratch_bytes(plan)), *work = guarded_new(fft_work_bytes(plan, 1));
		size_t inner = 1;

		for (unsigned i = axis + 1; i < w->n_axes; i++)
			inner *= n[i];
		for (size_t r = 0; r < rows; r++) {
			struct fft_call call = {.in = row, .out = result, .in_stride = 1, .in_distance = before, .out_stride = 1,
						.out_distance = after, .batch = 1, .inverse = inverse, .scale = scale, .work = work};

			for (size_t k = 0; k < before; k++)
				memcpy(row + k * in, x + ((r / inner * before + k) * inner + r % inner) * in, in);
			fft_run(plan, &call, scratch);
			for (size_t k = 0; k < after; k++)
				memcpy(y + ((r / inner * after + k) * inner + r % inner) * out, result + k * out, out);
		}
		guarded_free(x, rows * before * in, "reference");
		guarded_free(row, before * in, "row");
		guarded_free(result, after * out, "result");
		guarded_free(scratch, fft_scratch_bytes(plan), "scratch");
		guarded_free(work, fft_work_bytes(plan, 1), "work");
		x = y;
		n[axis] = after;
	}
	return x;
}

/* Runs all chunks, those of each stage from the last to the first. */
static void run_work(const struct workload *w, const struct staged_work *work, const char *in, char *out)
{
	const void *tables[MOST_AXES];
	void *scratch = guarded_new(work->scratch_bytes);
	struct staged_io io = {.in = {in}, .out = out, .work = work->work_bytes ? guarded_new(work->work_bytes) : NULL, .tables = tables};

	for (unsigned i = 0; i < w->rank; i++)
		tables[i] = w->plans[i];
	for (size_t stage = 0; stage < work->stages; stage++) {
		struct staged_stage at;

		work->ops->find_stage(work, &io, stage, &at);
		assert_true(at.chunks > 0 && at.chunk_ns > 0);
		for (size_t chunk = at.chunks; chunk-- > 0;)
			assert_int_equal(work->ops->run_chunk(work, &io, stage, chunk, scratch), 0);
	}
	guarded_free(scratch, work->scratch_bytes, "scratch");
	if (io.work)
		guarded_free(io.work, work->work_bytes, "work");
}

/* Compares the output with dense elements, and what lies between its elements with 0x11. */
static void compare(const struct workload *w, const char *name, const char *want, const char *out, size_t bytes)
{
	const size_t all = count(w, w->after);
	char *expected = guarded_new(bytes);

	memset(expected, 0x11, bytes);
	for (size_t i = 0; i < all; i++)
		memcpy(expected + place(w, w->after, w->out_stride, i) * w->out_size, want + i * w->out_size, w->out_size);
	for (size_t i = 0; i < bytes && memcmp(out, expected, bytes) != 0; i++)
		if (out[i] != expected[i])
			fail_msg("%s f%zu, %s, %u of %u axes, %zu %zu %zu elements, strides %zu %zu %zu to %zu %zu %zu, %u threads, "
				 "%zu bytes of scratch: byte %zu is %02x, expected %02x (seed %#llx)",
				 name, 8 * real_bytes(w->precision), kind_names[w->kind], w->rank, w->n_axes, w->before[0],
				 w->before[1], w->before[2], w->in_stride[0], w->in_stride[1], w->in_stride[2], w->out_stride[0],
				 w->out_stride[1], w->out_stride[2], w->machine.threads, w->machine.scratch_bytes, i,
				 (unsigned char)out[i], (unsigned char)expected[i], (unsigned long long)fixture_seed);
	guarded_free(expected, bytes, "expected");
}

/* Cuts the problem and runs it on arrays of these elements. */
static void check_problem(const struct workload *w, const char *name, size_t in_extent, size_t out_extent, bool inverse, uint64_t *state)
{
	const bool in_place = w->kind == IN_PLACE, overwrites = w->kind == TO_REALS_OVERWRITING;
	const size_t in_bytes = in_extent * w->in_size, out_bytes = out_extent * w->out_size, all = count(w, w->before);
	char *in = guarded_new(in_bytes), *out = in_place ? in : guarded_new(out_bytes), *kept = guarded_new(in_bytes);
	char *dense = guarded_new(all * w->in_size);
	struct fft_along along[MOST_AXES];
	struct fft_axis batch[MOST_AXES];
	struct fft_problem problem = {along, batch, w->rank, w->n_axes - w->rank, inverse, !in_place, overwrites};
	struct fft_axes *axes = malloc(fft_axes_bytes(w->rank));

	memset(in, 0x11, in_bytes);
	memset(out, 0x11, out_bytes);
	for (size_t i = 0; i < all; i++) {
		char *at = in + place(w, w->before, w->in_stride, i) * w->in_size;

		real_fill(w->precision, at, w->in_size / real_bytes(w->precision), state);
		memcpy(dense + i * w->in_size, at, w->in_size);
	}
	memcpy(kept, in, in_bytes);
	for (unsigned i = 0; i < w->n_axes; i++)
		if (i < w->rank)
			along[i] = (struct fft_along){w->plans[i], w->in_stride[i], w->out_stride[i], 0.5};
		else
			batch[i - w->rank] = (struct fft_axis){w->before[i], w->in_stride[i], w->out_stride[i]};
	fft_axes_cut(&problem, &w->machine, axes);
	run_work(w, fft_axes_work(axes), in, out);
	dense = transform_alone(w, dense, inverse, 0.5);
	compare(w, name, dense, out, out_bytes);
	if (!in_place && !overwrites)
		assert_memory_equal(in, kept, in_bytes);
	free(axes);
	guarded_free(dense, count(w, w->after) * w->out_size, "dense");
	guarded_free(kept, in_bytes, "kept");
	if (!in_place)
		guarded_free(out, out_bytes, "output");
	guarded_free(in, in_bytes, "input");
}

/* Creates the plan of transform i: of a length with stages, of a few points, with a large prime, or one that goes by phases. */
static int create_plan(struct workload *w, unsigned i, uint32_t features, uint64_t *state)
{
	static const size_t lengths[] = {1, 2, 8, 12, 16, 30, 37, 64, 96, 100, 128, 243, 256, 1000, 1024, 5003, 65536};
	const size_t n = lengths[pick(state, 0, sizeof lengths / sizeof *lengths - 1)];
	const bool real = (w->kind == REALS && i == 0) ||
			  ((w->kind == TO_REALS || w->kind == TO_REALS_OVERWRITING) && i + 1 == w->rank);

	if (w->kind == PRODUCTS)
		return precision_plan_create(w->precision == FFT_F32 ? PRECISION_OZAKI : PRECISION_OZAKI_HQ, n > 256 ? 200 : n, features,
					     &w->plans[i]);
	return (real ? fft_plan_create_real : fft_plan_create)(n, w->precision, features, &w->plans[i]);
}

/* One random problem of a kind. Axes are nearest in one order in the input, and often in another one in the output. */
static void check_random(const char *name, uint32_t features, enum fft_precision precision, enum kind kind, uint64_t *state)
{
	struct workload w = {.precision = precision, .kind = kind, .rank = (unsigned)pick(state, 1, 3)};
	const bool inverse = kind >= TO_REALS && kind != PRODUCTS, gaps = pick(state, 0, 2) == 0, turns = pick(state, 0, 3) == 0;
	unsigned order[MOST_AXES] = {0, 1, 2, 3, 4}, other[MOST_AXES];
	size_t all = 1, in_extent, out_extent;

	w.n_axes = w.rank + (unsigned)pick(state, 0, 2);
	w.machine = (struct fft_machine){(unsigned)pick(state, 1, 2), (size_t)1 << pick(state, 17, 20), 512 << 10, pick(state, 0, 1)};
	for (unsigned i = 0; i < w.n_axes; i++) {
		if (i < w.rank) {
			assert_int_equal(create_plan(&w, i, features, state), 0);
			plan_finish(w.plans[i]);
		}
		w.before[i] = i < w.rank ? fft_in_length(w.plans[i], inverse) : pick(state, 1, 40);
		w.after[i] = i < w.rank ? fft_in_length(w.plans[i], !inverse) : w.before[i];
		all *= size_max(w.before[i], w.after[i]);
	}
	w.in_size = fft_in_bytes(w.plans[0], inverse);
	w.out_size = fft_in_bytes(w.plans[w.rank - 1], !inverse);
	for (unsigned i = w.n_axes; i-- > 1 && pick(state, 0, 3);) { /* else the first transform has the nearest elements */
		const unsigned with = (unsigned)pick(state, 0, i), swapped = order[i];

		order[i] = order[with];
		order[with] = swapped;
	}
	memcpy(other, order, sizeof other);
	for (unsigned i = 0; turns && i < w.n_axes; i++)
		other[i] = order[w.n_axes - 1 - i];
	in_extent = lay_out(&w, order, w.before, gaps, state, w.in_stride);
	out_extent = lay_out(&w, other, w.after, gaps, state, w.out_stride);
	if (kind == IN_PLACE) {
		memcpy(w.out_stride, w.in_stride, sizeof w.out_stride);
		out_extent = in_extent;
	}
	if (all <= MOST_ELEMENTS)
		check_problem(&w, name, in_extent, out_extent, inverse, state);
	for (unsigned i = 0; i < w.rank; i++)
		fft_plan_free(w.plans[i]);
}

/* Columns whose elements are whole pages apart, more of them than are copied at once. */
static void check_pages(const char *name, uint32_t features, enum fft_precision precision, enum kind kind,
			uint64_t *state)
{
	enum { N = 64, STEP = 1024, COLUMNS = 139 };
	struct workload w = {.precision = precision,
			     .kind = kind,
			     .rank = 1,
			     .n_axes = 2,
			     .before = {N, COLUMNS},
			     .after = {N, COLUMNS},
			     .in_stride = {STEP, 1},
			     .out_stride = {STEP, 1},
			     .machine = {1, 1 << 20, 512 << 10, true}};

	assert_int_equal(fft_plan_create(N, precision, features, &w.plans[0]), 0);
	plan_finish(w.plans[0]);
	w.in_size = w.out_size = fft_in_bytes(w.plans[0], false);
	check_problem(&w, name, (N - 1) * STEP + COLUMNS, (N - 1) * STEP + COLUMNS, false, state);
	fft_plan_free(w.plans[0]);
}

static void check_variant(const char *name, uint32_t features, enum fft_precision precision)
{
	uint64_t state = fixture_seed;

	for (unsigned i = 0; i < (is_full() ? 20 : 1) * ROUNDS; i++)
		for (enum kind kind = COMPLEX; kind < KINDS; kind++)
			check_random(name, features, precision, kind, &state);
	check_pages(name, features, precision, COMPLEX, &state);
	check_pages(name, features, precision, IN_PLACE, &state);
}

static void check_strides(void **state)
{
	(void)state;
	each_variant(check_variant);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_strides)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
