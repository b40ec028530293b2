/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms whose numbers between phases lie in the caller's memory: the same bytes as with memory of their own, the
 * input kept unless it is lent too, and no more work than was asked for. */
#include "fft/plan/smooth.h"
#include "fft/plan/wrapper.h"
#include "fft/plan/real.h"
#include "fixture.h"

/* No two columns have them. The rows of a column of the second lie whole pages apart, so they have room between them. */
enum { THREE_STAGES = 160 * 162 * 162, PADDED = 160 * 160 * 176 };

static const char *const reuse_names[] = {"none", "out", "both"};

/* Buffers of the plan's own, of two between three stages. */
static size_t expected_buffers(const struct fft_plan *plan, enum fft_reuse reuse)
{
	const struct fft_smooth *smooth = &((const struct fft_smooth_plan *)plan)->smooth;

	assert_int_equal(smooth->n_stages, 3);
	if (smooth->row != smooth->stage[0].columns.length) /* rows fill vectors */
		return 2;
	return reuse == FFT_REUSE_NONE ? 2 : reuse == FFT_REUSE_OUT || smooth->padded ? 1 : 0;
}

static void check_length(const char *name, uint32_t features, enum fft_precision precision, size_t n, size_t batch)
{
	const size_t size = batch * n * 2 * real_bytes(precision);
	struct fft_plan *plan = plan_new(n, precision, features);
	char *in = guarded_new(size), *x = guarded_new(size), *y = guarded_new(size), *want = guarded_new(size);
	uint64_t state = fixture_seed;

	real_fill(precision, in, 2 * batch * n, &state);
	for (enum fft_reuse reuse = FFT_REUSE_NONE; reuse <= FFT_REUSE_BOTH; reuse++) {
		void *to = reuse == FFT_REUSE_NONE ? want : y;
		struct fft_call call = {x, to, 1, n, 1, n, batch, n % 2, 1, NULL, reuse, 0, false, false};

		memcpy(x, in, size);
		run_guarded_ordered(plan, &call, reuse == FFT_REUSE_BOTH);
		assert_int_equal(fft_work_bytes_reusing(plan, batch, reuse),
				 batch * expected_buffers(plan, reuse) * ((const struct fft_smooth_plan *)plan)->smooth.between_bytes);
		if (memcmp(to, want, size) != 0)
			fail_msg("%s f%zu: n = %zu, reuse %s: expected the bytes of reuse none", name,
				 8 * real_bytes(precision), n, reuse_names[reuse]);
		if (reuse != FFT_REUSE_BOTH && memcmp(x, in, size) != 0)
			fail_msg("%s f%zu: n = %zu, reuse %s: expected the input unchanged", name,
				 8 * real_bytes(precision), n, reuse_names[reuse]);
	}
	guarded_free(in, size, "input");
	guarded_free(x, size, "copy of the input");
	guarded_free(y, size, "output");
	guarded_free(want, size, "expected output");
	fft_plan_free(plan);
}

/* Reals to half a spectrum, or back: with the caller's rows as one or both of its own. */
static void check_real(const char *name, uint32_t features, enum fft_precision precision, size_t n, bool inverse)
{
	enum { BATCH = 2 };
	const size_t real = real_bytes(precision), reals = BATCH * n * real, halves = BATCH * (n / 2 + 1) * 2 * real;
	const size_t in_size = inverse ? halves : reals, out_size = inverse ? reals : halves;
	const size_t in_distance = inverse ? n / 2 + 1 : n, out_distance = inverse ? n : n / 2 + 1;
	char *in = guarded_new(in_size), *x = guarded_new(in_size);
	char *y = guarded_new(out_size), *want = guarded_new(out_size);
	struct fft_plan *plan = NULL;
	uint64_t state = fixture_seed;
	size_t work = SIZE_MAX;

	assert_int_equal(fft_plan_create_real(n, precision, features, &plan), 0);
	plan_finish(plan);
	real_fill(precision, in, in_size / real, &state);
	for (enum fft_reuse reuse = FFT_REUSE_NONE; reuse <= FFT_REUSE_BOTH; reuse++) {
		void *to = reuse == FFT_REUSE_NONE ? want : y;
		struct fft_call call = {x, to, 1, in_distance, 1, out_distance, BATCH, inverse, 1, NULL, reuse, 0, false, false};

		memcpy(x, in, in_size);
		run_guarded_ordered(plan, &call, reuse == FFT_REUSE_OUT);
		if (fft_work_bytes_reusing(plan, BATCH, reuse) + BATCH * n * real > work)
			fail_msg("real n = %zu, reuse %s: expected a row less of work than before", n, reuse_names[reuse]);
		work = fft_work_bytes_reusing(plan, BATCH, reuse);
		if (memcmp(to, want, out_size) != 0 || (reuse != FFT_REUSE_BOTH && memcmp(x, in, in_size) != 0))
			fail_msg("%s f%zu: real n = %zu, inverse %d, reuse %s: expected the bytes of reuse none, and the "
				 "input unchanged",
				 name, 8 * real, n, inverse, reuse_names[reuse]);
	}
	guarded_free(in, in_size, "input");
	guarded_free(x, in_size, "copy of the input");
	guarded_free(y, out_size, "output");
	guarded_free(want, out_size, "expected output");
	fft_plan_free(plan);
}

/* Half spectra in rows that begin at lines: the complex transform writes them and the fold works in place, so the row that was
 * asked for stays as it was, like what lies between the caller's rows. */
static void check_in_place(const char *name, uint32_t features, enum fft_precision precision, size_t n)
{
	enum { BATCH = 2, GAP = 15, MARK = 0xa5 };
	const size_t pair = 2 * real_bytes(precision), row = n / 2 + 1 + GAP, size = BATCH * row * pair;
	char *x = guarded_new(BATCH * n * pair / 2), *y = guarded_new(size), *want = guarded_new(size);
	struct fft_call call = {x, want, 1, n, 1, row, BATCH, false, 0.5, NULL, FFT_REUSE_NONE, 0, 0, false};
	struct fft_plan *plan = NULL;
	uint64_t state = fixture_seed;

	assert_int_equal(fft_plan_create_real(n, precision, features, &plan), 0);
	plan_finish(plan);
	real_fill(precision, x, BATCH * n, &state);
	memset(want, MARK, size);
	memset(y, MARK, size);
	run_guarded(plan, &call);

	const size_t work_size = fft_work_bytes_reusing(plan, BATCH, FFT_REUSE_OUT);
	char *scratch = guarded_new(fft_scratch_bytes(plan)), *work = guarded_new(work_size);

	memset(work, MARK, work_size);
	call.out = y;
	call.reuse = FFT_REUSE_OUT;
	call.work = work;
	fft_run(plan, &call, scratch);
	if (memcmp(y, want, size) != 0)
		fail_msg("%s f%zu: real n = %zu in place: expected the bytes of reuse none", name, 4 * pair, n);
	for (size_t i = 0; i < fft_wrapped_of(plan)->row_bytes; i++) /* fft_run may take one transform at a time */
		if ((unsigned char)work[i] != MARK)
			fail_msg("%s f%zu: real n = %zu: expected no row in work, byte %zu is written", name, 4 * pair, n, i);
	guarded_free(x, BATCH * n * pair / 2, "input");
	guarded_free(y, size, "output");
	guarded_free(want, size, "expected output");
	guarded_free(scratch, fft_scratch_bytes(plan), "scratch");
	guarded_free(work, work_size, "work");
	fft_plan_free(plan);
}

/* Buffers beyond all caches are stored around these, where they are aligned: the caller's arrays, here, or not. */
static void check_beyond(const char *name, uint32_t features, size_t n)
{
	const size_t size = n * 2 * sizeof(float);
	struct fft_plan *plan = plan_new(n, FFT_F32, features);
	char *x = guarded_new(size + 8), *y = guarded_new(size + 8), *want = malloc(size);

	assert_true(((const struct fft_smooth_plan *)plan)->smooth.exceeds_l3);
	for (size_t off = 0; off <= 8; off += 8) {
		struct fft_call call = {x + off, y + off, 1, n, 1, n, 1, false, 0.5, NULL, FFT_REUSE_BOTH, 0, 0, false};
		uint64_t state = fixture_seed;

		real_fill(FFT_F32, x + off, 2 * n, &state);
		run_guarded(plan, &call);
		if (off == 0)
			memcpy(want, y, size);
		else if (memcmp(want, y + off, size) != 0)
			fail_msg("%s: n = %zu: expected the same bytes from arrays that are not aligned", name, n);
	}
	guarded_free(x, size + 8, "input");
	guarded_free(y, size + 8, "output");
	free(want);
	fft_plan_free(plan);
}

/* Rows that fill their vectors, and rows of 3^k, which no vector but a scalar's divides. */
static void check_lengths(const char *name, uint32_t features, enum fft_precision precision)
{
	if (SANITIZED && precision == FFT_F64)
		return; /* slow, and of one source with float32 */
	check_length(name, features, precision, precision == FFT_F32 ? PADDED : THREE_STAGES, 1);
	check_real(name, features, precision, 1 << 18, false);
	check_real(name, features, precision, 1 << 18, true);
	check_real(name, features, precision, 100000, false);
	check_in_place(name, features, precision, 1 << 18);
	check_in_place(name, features, precision, 98304);
	if (precision == FFT_F32) {
		check_length(name, features, precision, 1594323, 2);
		check_real(name, features, precision, 2 * THREE_STAGES, true);
		if (!SANITIZED)
			check_beyond(name, features, 1 << 22);
		check_beyond(name, features, THREE_STAGES);
	}
}

static void check_bytes(void **state)
{
	(void)state;
	each_variant(check_lengths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_bytes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
