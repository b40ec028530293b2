/* SPDX-License-Identifier: Apache-2.0 */
/* A transform's bytes: the same alone, anywhere in a batch, in any order of units, at any stride, in place. */
#include "fixture.h"

#include <math.h>

/* One stage, two, Bluestein on each, and long ones of two and three stages (by variant, other lengths are long). */
static const size_t lengths[] = {1,   2,   7,   12,   16,   31,   32,   64,    100,  127,   128,
				 180, 256, 300, 343,  512,  997,  1000, 1024,  1215, 2430, 4096,
				 8191, 16384, 20011, 65536};

enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static void expect_same(const char *name, enum fft_precision precision, size_t n, const char *what, const void *want,
			const void *got)
{
	const size_t size = 2 * real_bytes(precision);

	for (size_t k = 0; k < n; k++)
		if (memcmp((const char *)want + k * size, (const char *)got + k * size, size) != 0)
			fail_msg("%s f%zu n=%zu %s: element %zu: expected %.17g %+.17gi, got %.17g %+.17gi", name,
				 4 * size, n, what, k, real_get(precision, want, 2 * k),
				 real_get(precision, want, 2 * k + 1), real_get(precision, got, 2 * k),
				 real_get(precision, got, 2 * k + 1));
}

struct row {
	const char *name;
	struct fft_plan *plan;
	enum fft_precision precision;
	size_t n, pair;
	bool inverse;
	void *x, *y; /* a signal, and its transform run alone */
};

/* `batch` copies of the row among noise, at a stride and distance (pairs), from memory aligned to 8 bytes only. */
static void check_batch(const struct row *row, size_t batch, size_t stride, size_t distance, bool in_place,
			bool backwards)
{
	const size_t span = (row->n - 1) * stride + (batch - 1) * distance + 1, size = span * row->pair + 8;
	char *in = guarded_new(size), *out = in_place ? in : guarded_new(size), *got = guarded_new(row->n * row->pair);
	char *x = in + 8, *y = out + 8, what[96];
	struct fft_call call = {x, y, stride, distance, stride, distance, batch, row->inverse, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
	uint64_t state = fixture_seed;

	snprintf(what, sizeof what, "batch %zu stride %zu distance %zu%s%s", batch, stride, distance,
		 in_place ? " in place" : "", backwards ? " backwards" : "");
	real_fill(row->precision, x, 2 * span, &state);
	for (size_t b = 0; b < batch; b += 1 + batch / 5)
		for (size_t j = 0; j < row->n; j++)
			memcpy(x + (b * distance + j * stride) * row->pair, (char *)row->x + j * row->pair, row->pair);
	run_guarded_ordered(row->plan, &call, backwards);
	for (size_t b = 0; b < batch; b += 1 + batch / 5) {
		for (size_t j = 0; j < row->n; j++)
			memcpy(got + j * row->pair, y + (b * distance + j * stride) * row->pair, row->pair);
		expect_same(row->name, row->precision, row->n, what, row->y, got);
	}
	guarded_free(in, size, "input");
	if (!in_place)
		guarded_free(out, size, "output");
	guarded_free(got, row->n * row->pair, "copy");
}

static void check_row(const struct row *row)
{
	const size_t n = row->n, most = n > 5000 ? 3 : 37;

	for (size_t batch = 1; batch <= most; batch += batch < 3 ? 1 : batch < 15 ? 6 : 11) {
		check_batch(row, batch, 1, n, false, false);
		check_batch(row, batch, 1, n + 3, true, true);
		check_batch(row, batch, batch, 1, false, true); /* columns of a matrix */
		check_batch(row, batch, batch + 1, 1, true, false);
		if (n <= 1024)
			check_batch(row, batch, 2, 2 * n + 1, false, false);
	}
}

static void check_lengths(const char *name, uint32_t features, enum fft_precision precision)
{
	for (size_t i = 0; i < 2 * N_LENGTHS; i++) {
		if (SANITIZED && (i / 2 + i) % 2)
			continue; /* slow: one direction of each length, in turn */
		struct row row = {.name = name, .precision = precision, .n = lengths[i / 2], .inverse = i % 2};
		uint64_t state = fixture_seed + i;
		size_t size;

		row.pair = 2 * real_bytes(precision);
		size = row.n * row.pair;
		row.plan = plan_new(row.n, precision, features);
		row.x = guarded_new(size);
		row.y = guarded_new(size);
		real_fill(precision, row.x, 2 * row.n, &state);
		struct fft_call call = {row.x, row.y, 1, row.n, 1, row.n, 1, row.inverse, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};

		run_guarded(row.plan, &call);
		check_row(&row);
		fft_plan_free(row.plan);
		guarded_free(row.x, size, "input");
		guarded_free(row.y, size, "output");
	}
}

static void check_same_bytes(void **state)
{
	(void)state;
	each_variant(check_lengths);
}

/* Compares transforms of a call that passes by the caches, by its statement that it is part of a large one, with each
 * alone. `gap` elements between the results stay as they are. */
static void check_far_call(const char *name, uint32_t features, enum fft_precision precision, size_t n, size_t gap,
			   bool in_place)
{
	enum { MARK = 0x5a };
	const size_t batch = n > 16384 ? 3 : 23, pair = 2 * real_bytes(precision);
	const size_t row = n * pair, out_row = (n + gap) * pair;
	struct fft_plan *plan = plan_new(n, precision, features);
	char *x = guarded_new(batch * row), *y = in_place ? x : guarded_new(batch * out_row);
	char *want = guarded_new(batch * row), *untouched = guarded_new(gap * pair);
	struct fft_call call = {x, y, 1, n, 1, n + gap, batch, in_place, 0.5, NULL, FFT_REUSE_NONE, 1 << 26, 0, false};
	uint64_t state = fixture_seed + n;

	memset(y, MARK, batch * out_row);
	memset(untouched, MARK, gap * pair);
	real_fill(precision, x, 2 * n * batch, &state);
	for (size_t b = 0; b < batch; b++) {
		struct fft_call alone = {x + b * row, want + b * row, 1, n, 1, n, 1, in_place, 0.5, NULL,
					 FFT_REUSE_NONE, 0, 0, false};

		run_guarded(plan, &alone);
	}
	run_guarded(plan, &call);
	for (size_t b = 0; b < batch; b++) {
		expect_same(name, precision, n, in_place ? "far, in place" : "far", want + b * row, y + b * out_row);
		if (memcmp(y + b * out_row + row, untouched, gap * pair) != 0)
			fail_msg("%s n=%zu: transform %zu of a far call wrote behind its result", name, n, b);
	}
	fft_plan_free(plan);
	guarded_free(untouched, gap * pair, "gap");
	guarded_free(want, batch * row, "expected");
	guarded_free(x, batch * row, "input");
	if (!in_place)
		guarded_free(y, batch * out_row, "output");
}

static void check_far(const char *name, uint32_t features, enum fft_precision precision)
{
	static const size_t some[] = {16, 32, 64, 90, 128, 256, 300, 512, 1000, 1215, 4096, 16384, 30000, 32768, 65536};

	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		check_far_call(name, features, precision, some[i], 0, false);
		check_far_call(name, features, precision, some[i], 8, false); /* whole lines, so that it goes around the caches */
		check_far_call(name, features, precision, some[i], 0, true);
	}
}

static void check_many(void **state)
{
	(void)state;
	each_variant(check_far);
}

/* One bad signal in a batch of zeros: the others stay exactly zero. */
static void check_containment(const char *name, uint32_t features, enum fft_precision precision)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	static const size_t some[] = {5, 16, 64, 100, 127, 256, 1000, 8192};
	enum { BATCH = 21 };

	for (size_t i = 0; i < 3 * sizeof some / sizeof *some; i++) {
		const size_t n = some[i / 3], size = BATCH * n * 2 * real_bytes(precision), at = (i * 5) % BATCH;
		struct fft_plan *plan = plan_new(n, precision, features);
		void *x = guarded_new(size), *y = guarded_new(size);
		struct fft_call call = {x, y, 1, n, 1, n, BATCH, false, 1, NULL, FFT_REUSE_NONE, 0, 0, false};

		memset(x, 0, size);
		real_put(precision, x, 2 * (at * n + n / 2), bad[i % 3]);
		run_guarded(plan, &call);
		for (size_t k = 0; k < 2 * n * BATCH; k++)
			if (k / 2 / n != at && real_get(precision, y, k) != 0)
				fail_msg("%s n=%zu: %g in transform %zu reached transform %zu", name, n, bad[i % 3], at,
					 k / 2 / n);
		assert_true(isnan(real_get(precision, y, 2 * at * n)) || isinf(real_get(precision, y, 2 * at * n)));
		guarded_free(x, size, "input");
		guarded_free(y, size, "output");
		fft_plan_free(plan);
	}
}

static void check_bad_values(void **state)
{
	(void)state;
	each_variant(check_containment);
}

static void check_empty_of(const char *name, uint32_t features, enum fft_precision precision)
{
	(void)name;
	for (size_t i = 0; i < N_LENGTHS; i++) {
		struct fft_plan *plan = plan_new(lengths[i], precision, features);
		struct fft_call call = {NULL, NULL, 1, 1, 1, 1, 0, false, 1, NULL, FFT_REUSE_NONE, 0, 0, false};

		for (size_t phase = 0; phase < fft_phases(plan); phase++)
			assert_int_equal(fft_chunks(plan, phase, 0), 0);
		assert_int_equal(fft_work_bytes(plan, 0), 0);
		run_guarded(plan, &call);
		assert_true(fft_plan_bytes(plan) > 0);
		fft_plan_free(plan);
	}
}

static void check_empty(void **state)
{
	(void)state;
	each_variant(check_empty_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_empty),
		cmocka_unit_test(check_bad_values),
		cmocka_unit_test(check_same_bytes),
		cmocka_unit_test(check_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
