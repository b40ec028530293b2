/* SPDX-License-Identifier: Apache-2.0 */
/* Complex products of every mode and variant, against long double: shapes, options, strides, batches, long sums, badly
 * scaled rows and columns, NaN. The bytes do not depend on how a call is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>

#include "base/cpu.h"
#include "gemm/gemm.h"

/* Allowed error of a product, relative to the norms of its factors, for alpha = 1. */
static const double allowed[GEMM_PRECISIONS] = {
	[GEMM_F32] = 4e-7,    [GEMM_F64] = 1e-15,      [GEMM_BF16] = 8e-3,        [GEMM_OZAKI] = 3e-5,
	[GEMM_OZAKI6] = 3e-7, [GEMM_OZAKI_HQ] = 3e-11, [GEMM_OZAKI_FP64] = 2e-15,
};

static uint64_t state = 20261120;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)state * 0x1p-63;
}

struct sample {
	struct gemm_call call;
	enum gemm_precision precision;
	size_t a_count, b_count, c_count; /* complex elements */
	double complex *a, *b, *c;        /* values that float32 holds */
	void *a_narrow, *b_narrow, *result;
};

static bool turned(const struct gemm_operand *x)
{
	return x->op == GEMM_TRANSPOSE || x->op == GEMM_CONJUGATE_TRANSPOSE;
}

/* Converts the elements to the type of the mode. */
static void *as_mode(enum gemm_precision precision, const double complex *x, size_t count)
{
	const bool wide = gemm_mode(precision)->wide;
	void *to = malloc(count * 16 + 1);

	for (size_t i = 0; i < count; i++)
		if (wide)
			((double complex *)to)[i] = x[i];
		else
			((float complex *)to)[i] = (float complex)x[i];
	return to;
}

static double complex *numbers(size_t count, double spread)
{
	double complex *x = malloc(count * sizeof *x + 1);

	for (size_t i = 0; i < count; i++) {
		const double scale = spread > 0 ? pow(10, spread * uniform()) : 1;

		x[i] = (float)(uniform() * scale) + I * (float)(uniform() * scale);
	}
	return x;
}

static struct sample sample_new(enum gemm_precision precision, size_t m, size_t n, size_t k, size_t batch,
				enum gemm_op op_a, enum gemm_op op_b, size_t gap)
{
	struct sample s = {.precision = precision};
	struct gemm_call *call = &s.call;

	*call = (struct gemm_call){.m = m, .n = n, .k = k, .batch = batch, .a.op = op_a, .b.op = op_b};
	call->alpha[0] = call->beta[0] = 1;
	call->a.row = (turned(&call->a) ? m : k) + gap;
	call->b.row = (turned(&call->b) ? k : n) + gap;
	call->c_row = n + gap;
	call->a.distance = (turned(&call->a) ? k : m) * call->a.row;
	call->b.distance = gap ? 0 : (turned(&call->b) ? n : k) * call->b.row;
	call->c_distance = m * call->c_row;
	s.a_count = batch * call->a.distance + 1;
	s.b_count = batch * (turned(&call->b) ? n : k) * call->b.row + 1;
	s.c_count = batch * call->c_distance + 1;
	s.a = numbers(s.a_count, 0);
	s.b = numbers(s.b_count, 0);
	s.c = numbers(s.c_count, 0);
	return s;
}

static void sample_free(struct sample *s)
{
	free(s->a);
	free(s->b);
	free(s->c);
	free(s->a_narrow);
	free(s->b_narrow);
	free(s->result);
}

/* Runs all stages of a cut, the chunks of each in reverse order, to show that none depends on another. */
static void run_cut(const struct gemm_cut *cut, const void *a, const void *b, void *c)
{
	const struct staged_work *work = &cut->work;
	const size_t line = 63;
	char *scratch = aligned_alloc(64, (work->scratch_bytes + line) & ~line);
	struct staged_io io = {.in = {a, b}, .out = c, .work = aligned_alloc(64, ((size_t)work->work_bytes + 64 + line) & ~line)};

	assert_true(work->scratch_bytes <= 640 << 10);
	for (size_t stage = 0; stage < work->stages; stage++) {
		struct staged_stage at;

		work->ops->find_stage(work, &io, stage, &at);
		while (at.chunks-- > 0)
			assert_int_equal(work->ops->run_chunk(work, &io, stage, at.chunks, scratch), 0);
	}
	free(io.work);
	free(scratch);
}

/* Runs the call into s->result. */
static void sample_run(struct sample *s, uint32_t features)
{
	struct gemm_cut cut;

	gemm_cut(s->precision, features, &s->call, &cut);
	if (!s->result) {
		s->a_narrow = as_mode(s->precision, s->a, s->a_count);
		s->b_narrow = as_mode(s->precision, s->b, s->b_count);
	}
	free(s->result);
	s->result = as_mode(s->precision, s->c, s->c_count);
	run_cut(&cut, s->a_narrow, s->b_narrow, s->result);
}

static double complex result_at(const struct sample *s, size_t i)
{
	return gemm_mode(s->precision)->wide ? ((double complex *)s->result)[i] : ((float complex *)s->result)[i];
}

static double complex element(const struct gemm_operand *x, const double complex *at, size_t i, size_t j)
{
	const double complex v = turned(x) ? at[j * x->row + i] : at[i * x->row + j];

	return x->op == GEMM_CONJUGATE || x->op == GEMM_CONJUGATE_TRANSPOSE ? conj(v) : v;
}

/* Returns the worst error of an element, relative to the norms of its row and column. Fails if an element between rows
 * was written. */
static double sample_error(const struct sample *s)
{
	const struct gemm_call *call = &s->call;
	const long double complex alpha = call->alpha[0] + I * call->alpha[1], beta = call->beta[0] + I * call->beta[1];
	double worst = 0;

	for (size_t p = 0; p < call->batch; p++)
		for (size_t i = 0; i < call->m; i++)
			for (size_t j = 0; j < call->c_row; j++) {
				const size_t at = p * call->c_distance + i * call->c_row + j;
				long double complex sum = 0;
				long double row = 0, column = 0, size;

				if (j >= call->n) {
					assert_true(result_at(s, at) == s->c[at]);
					continue;
				}
				for (size_t k = 0; k < call->k; k++) {
					const long double complex x =
						element(&call->a, s->a + p * call->a.distance, i, k);
					const long double complex y =
						element(&call->b, s->b + p * call->b.distance, k, j);

					sum += x * y;
					row += creall(x * conjl(x));
					column += creall(y * conjl(y));
				}
				sum = alpha * sum + beta * s->c[at];
				size = cabsl(alpha) * sqrtl(row * column) + cabsl(beta * s->c[at]);
				if (size > 0)
					worst = fmax(worst, (double)(cabsl(sum - result_at(s, at)) / size));
			}
	return worst;
}

static void check_sample(struct sample *s, const struct gemm_kernel *kernel, const char *what)
{
	double error;

	sample_run(s, kernel->needs);
	error = sample_error(s);
	if (!(error <= allowed[s->precision]))
		fail_msg("%s on %s, %s, m %zu n %zu k %zu: error %.3g, allowed %.3g", gemm_mode(s->precision)->name,
			 kernel->name, what, s->call.m, s->call.n, s->call.k, error, allowed[s->precision]);
}

static void for_each_variant(void (*run)(enum gemm_precision, const struct gemm_kernel *))
{
	size_t n;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n);

	for (size_t i = 0; i < n; i++)
		if (kernels[i]->needs & ~cpu_detect())
			printf("# %s: not run, this CPU lacks it\n", kernels[i]->name);
		else
			for (enum gemm_precision p = 0; p < GEMM_PRECISIONS; p++)
				run(p, kernels[i]);
}

static void check_shapes(enum gemm_precision precision, const struct gemm_kernel *kernel)
{
	static const size_t shapes[][3] = {{1, 1, 1},   {2, 3, 4}, {7, 33, 5},  {50, 40, 129},
					   {13, 70, 1}, {3, 4, 0}, {100, 9, 17}};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (unsigned ops = 0; ops < 16; ops += i ? 5 : 1) {
			struct sample s = sample_new(precision, shapes[i][0], shapes[i][1], shapes[i][2], 1 + i % 3,
						     ops % 4, ops / 4, i % 2 * 3);

			s.call.alpha[0] = 0.75, s.call.alpha[1] = i % 2 ? -1.5 : 0;
			s.call.beta[0] = (double)(i % 3), s.call.beta[1] = i % 4 == 3 ? 0.5 : 0;
			check_sample(&s, kernel, "shapes");
			sample_free(&s);
		}
}

static void check_long(enum gemm_precision precision, const struct gemm_kernel *kernel)
{
	struct sample s = sample_new(precision, 5, 6, kernel->needs ? 20000 : 1000, 1, GEMM_NONE, GEMM_NONE, 0);

	check_sample(&s, kernel, "long");
	sample_free(&s);
}

/* Rows from 1e-34 to 1e34, columns from 1e-2 to 1e2: each keeps its own relative error. */
static void check_scales(enum gemm_precision precision, const struct gemm_kernel *kernel)
{
	struct sample s = sample_new(precision, 9, 35, 40, 1, GEMM_NONE, GEMM_NONE, 0);

	for (size_t i = 0; i < 9 * 40; i++)
		s.a[i] = (float complex)(s.a[i] * pow(10, 34 * ((int)(i / 40 % 3) - 1)));
	for (size_t i = 0; i < 35 * 40; i++)
		s.b[i] = (float complex)(s.b[i] * pow(10, 2 * ((int)(i % 35 % 3) - 1)));
	s.call.beta[0] = 0;
	check_sample(&s, kernel, "scales");
	sample_free(&s);
}

/* ---- the proved bounds, on inputs that come near them ---- */

/* All equal, so that every rounding of a long sum goes in the same direction; 1 + 3/2^8 is far from any bfloat16. */
static double biased(size_t i)
{
	return (i % 7 ? 1 : 0.75) + 0x1.8p-8;
}

/* One large element, and others so small that aligned slices hold few of their bits. */
static double dwarfed(size_t i)
{
	return i % 41 ? 0x1.fep-8 + uniform() * 0x1p-20 : 1;
}

/* Large terms that cancel, and a small remainder. */
static double cancelling(size_t i)
{
	return (i % 2 ? 1 : -1) * (1 + 0x1p-9 * uniform());
}

/* From 1e-30 to 1e30 in one row. */
static double spread(size_t i)
{
	(void)i;
	return uniform() * pow(10, 15 * uniform());
}

static double any(size_t i)
{
	(void)i;
	return uniform();
}

static double worst_of_bound[GEMM_PRECISIONS];

static void check_bound(enum gemm_precision precision, const struct gemm_kernel *kernel)
{
	static double (*const inputs[])(size_t) = {biased, dwarfed, cancelling, spread, any};
	static const size_t lengths[] = {1, 2, 17, 128, 129, 900};

	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
			struct sample s = sample_new(precision, 3, 4, lengths[l], 1, GEMM_NONE, GEMM_TRANSPOSE, 0);
			const double bound = gemm_error_bound(precision, lengths[l]);
			double error;

			for (size_t j = 0; j < s.a_count; j++)
				s.a[j] = (float)inputs[i](j) + I * (float)inputs[i](j + 3);
			for (size_t j = 0; j < s.b_count; j++)
				s.b[j] = (float)inputs[i](j) - I * (float)inputs[i](j + 5);
			s.call.alpha[0] = 1 / 3.0, s.call.alpha[1] = -0.7;
			s.call.beta[0] = (double)(l % 2);
			sample_run(&s, kernel->needs);
			error = sample_error(&s);
			if (!(error <= bound))
				fail_msg("%s on %s, input %zu, k %zu: error %.3g, guaranteed %.3g",
					 gemm_mode(precision)->name, kernel->name, i, lengths[l], error, bound);
			worst_of_bound[precision] = fmax(worst_of_bound[precision], error / bound);
			sample_free(&s);
		}
}

/* A row computed alone has the same bytes as among others. NaN stays in its row, infinity in its column. */
static void check_bytes(enum gemm_precision precision, const struct gemm_kernel *kernel)
{
	enum { M = 61, N = 150, K = 150 };
	const size_t bytes = gemm_mode(precision)->wide ? 16 : 8;
	struct sample s = sample_new(precision, M, N, K, 1, GEMM_NONE, GEMM_NONE, 0);
	char *whole;

	s.call.beta[0] = 0;
	sample_run(&s, kernel->needs);
	whole = memcpy(malloc(M * N * bytes), s.result, M * N * bytes);
	for (size_t row = 0; row < M; row += 20) {
		struct gemm_call one = s.call;
		struct gemm_cut cut;
		char out[3 * 16];

		one.m = 1, one.n = 3;
		gemm_cut(precision, kernel->needs, &one, &cut);
		assert_int_equal(cut.chunks * cut.phases, 1);
		run_cut(&cut, (const char *)s.a_narrow + row * K * bytes, (const char *)s.b_narrow + 40 * bytes, out);
		if (memcmp(out, whole + (row * N + 40) * bytes, 3 * bytes) != 0)
			fail_msg("%s on %s: row %zu alone has other bytes", gemm_mode(precision)->name, kernel->name,
				 row);
	}
	s.a[5 * K + 7] = NAN;
	s.b[9 * N + 11] = INFINITY;
	sample_free(&(struct sample){.a_narrow = s.a_narrow, .b_narrow = s.b_narrow, .result = s.result});
	s.a_narrow = s.b_narrow = s.result = NULL;
	sample_run(&s, kernel->needs);
	for (size_t i = 0; i < M * N; i++) {
		const double complex x = result_at(&s, i);
		const bool finite = isfinite(creal(x)) && isfinite(cimag(x));

		if (finite != (i / N != 5 && i % N != 11))
			fail_msg("%s on %s: row %zu, column %zu is %g", gemm_mode(precision)->name, kernel->name, i / N,
				 i % N, creal(x));
		if (finite && memcmp((char *)s.result + i * bytes, whole + i * bytes, bytes) != 0)
			fail_msg("%s on %s: element %zu changed", gemm_mode(precision)->name, kernel->name, i);
	}
	free(whole);
	sample_free(&s);
}

static void test_shapes(void **unused)
{
	(void)unused;
	for_each_variant(check_shapes);
}

static void test_long(void **unused)
{
	(void)unused;
	for_each_variant(check_long);
}

static void test_scales(void **unused)
{
	(void)unused;
	for_each_variant(check_scales);
}

/* A bound a thousand times larger than any error seen would be useless. */
static void test_bound(void **unused)
{
	(void)unused;
	for_each_variant(check_bound);
	for (enum gemm_precision p = 0; p < GEMM_PRECISIONS; p++) {
		printf("# %s: the worst error is %.3f of the bound; at k = 128 that is %.3g\n", gemm_mode(p)->name,
		       worst_of_bound[p], gemm_error_bound(p, 128));
		assert_true(worst_of_bound[p] > 1e-3);
	}
}

static void test_bytes(void **unused)
{
	(void)unused;
	for_each_variant(check_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
