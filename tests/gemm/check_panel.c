/* SPDX-License-Identifier: Apache-2.0 */
/* Panels: every variant against a chain of fma, bit for bit, over odd sizes and strides. */
#include "gemm/panel.h"

#include <math.h>

#include "rng/support.h"

enum { ROWS = 37, INNER = 530, REST = 3 };

struct sample {
	double a[ROWS * (INNER + REST)], x[INNER * PANEL_COLUMNS], y[INNER * PANEL_COLUMNS];
	float a_f32[ROWS * (INNER + REST)];
};

static double any(uint64_t *seed)
{
	return (double)(int64_t)next_case(seed) * 0x1p-60;
}

static void fill(struct sample *s, uint64_t *seed)
{
	for (size_t i = 0; i < sizeof s->a / sizeof *s->a; i++) {
		s->a_f32[i] = (float)any(seed);
		s->a[i] = any(seed);
	}
	for (size_t i = 0; i < INNER * PANEL_COLUMNS; i++) {
		s->x[i] = any(seed);
		s->y[i] = any(seed);
	}
}

static void expect(const struct panel_kernel *kernel, const char *what, size_t n, const double *got,
		   const double *expected)
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(&got[i], &expected[i], sizeof *got) != 0)
			fail_msg("%s %s: element (%zu, %zu) is %.17g, expected %.17g; TRNSCI_TEST_SEED=%llu",
				 kernel->name, what, i / PANEL_COLUMNS, i % PANEL_COLUMNS, got[i], expected[i],
				 (unsigned long long)case_seed());
}

/* Multiplies in either storage order with some of the columns. The other columns must not change. */
static void products(const struct panel_kernel *kernel, const struct sample *s, bool narrow, bool turned, size_t rows,
		     size_t n, unsigned columns)
{
	double expected[ROWS * PANEL_COLUMNS], got[ROWS * PANEL_COLUMNS];
	const size_t row = turned ? 1 : INNER + REST, column = turned ? ROWS : 1;
	const struct panel_matrix a = {narrow ? (const void *)s->a_f32 : s->a, row, column};
	const size_t first = PANEL_COLUMNS - columns;

	memcpy(got, s->y, sizeof got);
	memcpy(expected, s->y, sizeof expected);
	for (size_t r = 0; r < rows; r++)
		for (size_t c = first; c < PANEL_COLUMNS; c++)
			for (size_t i = 0; i < n; i++) {
				const size_t at = r * row + i * column;

				expected[r * PANEL_COLUMNS + c] =
					fma(narrow ? (double)s->a_f32[at] : s->a[at], s->x[i * PANEL_COLUMNS + c],
					    expected[r * PANEL_COLUMNS + c]);
			}
	(narrow ? kernel->multiply_f32 : kernel->multiply_f64)(a, rows, n, s->x + first, columns, got + first);
	expect(kernel, "product", ROWS * PANEL_COLUMNS, got, expected);
}

static void test_products(const struct panel_kernel *kernel, const struct sample *s)
{
	static const size_t rows[] = {0, 1, 3, 4, 5, 8, ROWS}, inner[] = {0, 1, 7, 255, 256, 257, INNER};

	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < 7; k++)
			for (unsigned kind = 0; kind < 4; kind++) {
				products(kernel, s, kind & 1, kind & 2, rows[i], inner[k], PANEL_COLUMNS);
				products(kernel, s, kind & 1, kind & 2, rows[i], inner[k], kernel->columns);
			}
}

static void test_columns(const struct panel_kernel *kernel, const struct sample *s)
{
	static double expected[INNER * PANEL_COLUMNS], got[INNER * PANEL_COLUMNS];
	double sums[PANEL_COLUMNS], of_all[PANEL_COLUMNS];
	const unsigned j = 13;

	memcpy(sums, s->a, sizeof sums);
	memcpy(of_all, s->a, sizeof of_all);
	memcpy(got, s->x, sizeof got);
	memcpy(expected, s->x, sizeof expected);
	for (size_t i = 0; i < INNER; i++) {
		double *row = expected + i * PANEL_COLUMNS;

		for (unsigned c = 0; c < PANEL_COLUMNS; c++)
			of_all[c] = fma(row[c], s->y[i * PANEL_COLUMNS + c], of_all[c]);
		for (unsigned c = 0; c < j; c++)
			row[j] = fma(-s->a[c], row[c], row[j]);
		row[j] *= 0.3;
	}
	kernel->dots(s->x, s->y, INNER, PANEL_COLUMNS, sums);
	expect(kernel, "dots", PANEL_COLUMNS, sums, of_all);
	kernel->deflate(got, INNER, j, s->a);
	kernel->scale(got, INNER, j, 0.3);
	expect(kernel, "deflated", INNER * PANEL_COLUMNS, got, expected);
}

static void test_every_variant(void **state)
{
	static struct sample s;
	uint64_t seed = case_seed();
	size_t count;
	const struct panel_kernel *const *kernels = panel_kernels(&count);

	(void)state;
	fill(&s, &seed);
	for (size_t i = 0; i < count; i++) {
		if (!can_run("panel", kernels[i]->name, kernels[i]->needs))
			continue;
		assert_int_equal(PANEL_COLUMNS % kernels[i]->columns, 0);
		test_products(kernels[i], &s);
		test_columns(kernels[i], &s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_variant)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
