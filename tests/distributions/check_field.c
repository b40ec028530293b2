/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra of Gaussian fields: their covariances, transformed back here in long double, are the closed forms summed over all images. */
#include "distributions/fields/field_work.h"
#include "distributions/fields/spherical.h"

#include <math.h>
#include <stdlib.h>

#include "rng/support.h"

#define PATH "tests/vectors/field_covariance.txt"
#define PI_L 3.141592653589793238462643383279502884L

static void assert_near(double got, double expected, double error)
{
	if (!(fabs(got - expected) <= error))
		fail_msg("expected %.17g, got %.17g", expected, got);
}

static struct field field_of(enum field_model model, double nu)
{
	return (struct field){.model = model, .nu = nu, .std = 1, .wide = true};
}

/* Computes all values of one row with a variant. */
static void row_of(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, double *ret)
{
	const size_t n = (size_t)field->axes[field->ndim - 1].n / 2 + 1;
	double *scratch = malloc(field_scratch(field, n) * sizeof *scratch + 1);

	assert_non_null(scratch);
	field_begin_block(field, kernel, 0, n, scratch);
	field_values(field, kernel, row, n, scratch, ret);
	free(scratch);
}

/* Returns the covariance at a lag in points, by the transform's definition. */
static long double covariance_at(const struct field *field, const uint64_t *lag)
{
	const struct field_axis *last = &field->axes[field->ndim - 1];
	double *values = malloc((last->n / 2 + 1) * sizeof *values);
	uint64_t rows = 1, points = last->n;
	long double sum = 0;

	assert_non_null(values);
	for (unsigned a = 0; a + 1 < field->ndim; a++) {
		rows *= field->axes[a].n;
		points *= field->axes[a].n;
	}
	for (uint64_t r = 0; r < rows; r++) {
		uint64_t folded[FIELD_DIMS], left = r;
		long double turns = 0;

		for (unsigned a = field->ndim - 1; a-- > 0;) {
			const uint64_t n = field->axes[a].n, j = left % n;

			folded[a] = 2 * j > n ? n - j : j;
			turns += (long double)(j * lag[a] % n) / (long double)n;
			left /= n;
		}
		row_of(field, &algebra_scalar, folded, values);
		for (uint64_t j = 0; j < last->n; j++)
			sum += values[2 * j > last->n ? last->n - j : j] *
			       cosl(2 * PI_L * (turns + (long double)(j * lag[field->ndim - 1] % last->n) / (long double)last->n));
	}
	free(values);
	return sum / (long double)points * field->factor;
}

/* Returns what the work on covariances writes. */
static long double written_at(const struct field *field, const uint64_t *lag)
{
	double covariances[256], scratch[256];
	const struct staged_io io = {.out = (char *)covariances};
	struct field_work work;
	uint64_t at = 0, mirror = 0;

	field_work_cut(field, FIELD_COVARIANCES, NULL, cpu_detect(), &work);
	assert_true(work.work.scratch_bytes <= sizeof scratch);
	for (size_t chunk = 0; chunk < work.chunks; chunk++)
		assert_int_equal(work.work.ops->run_chunk(&work.work, &io, 0, chunk, scratch), 0);
	for (unsigned a = 0; a < field->ndim; a++) {
		at = at * field->axes[a].n + lag[a];
		mirror = mirror * field->axes[a].n + (field->axes[a].n - lag[a]) % field->axes[a].n;
	}
	assert_true(covariances[at] == covariances[mirror]);
	return covariances[at];
}

static void one_axis_line(char *line)
{
	char whole[32], value[64];
	const char *name = whole;
	double nu, spacing, length;
	unsigned n, lag;
	struct field field;
	long double expected, got;

	assert_int_equal(sscanf(line, "%31s %lf %u %lf %lf %u %63s", whole, &nu, &n, &spacing, &length, &lag, value), 7);
	name += strncmp(whole, "plain_", 6) ? 0 : 6;
	field = field_of(strcmp(name, "gaussian") ? FIELD_MATERN : FIELD_GAUSSIAN, nu);
	if (strcmp(name, "spherical") == 0)
		field.model = FIELD_SPHERICAL;
	field.truncated = name > whole;
	field.ndim = 1;
	field.axes[0] = (struct field_axis){n, spacing, length};
	assert_int_equal(field_prepare(&field), FIELD_RIGHT);
	expected = strtold(value, NULL);
	got = (field_is_transformed(&field) ? written_at : covariance_at)(&field, (const uint64_t[]){lag});
	if (!(fabsl(got - expected) <= 4e-13L * (1 + expected)))
		fail_msg("%s: expected %.17Lg, got %.17Lg", line, expected, got);
}

static void one_axis_is_the_image_sum(void **state)
{
	(void)state;
	for_each_line(PATH, one_axis_line);
}

static long double gaussian(long double r)
{
	return expl(-r * r / 2);
}

static long double exponential(long double r)
{
	return expl(-r);
}

static long double matern_3_2(long double r)
{
	const long double s = sqrtl(3) * r;

	return (1 + s) * expl(-s);
}

/* Sums a covariance over the images of a grid of up to three axes, `reach` of them to each side. */
static long double sum_images(const struct field *field, const uint64_t *lag, int reach, long double (*covariance)(long double))
{
	long double sum = 0;
	int m[3] = {0};

	for (m[0] = -reach; m[0] <= reach; m[0]++)
		for (m[1] = field->ndim > 1 ? -reach : 0; m[1] <= (field->ndim > 1 ? reach : 0); m[1]++)
			for (m[2] = field->ndim > 2 ? -reach : 0; m[2] <= (field->ndim > 2 ? reach : 0); m[2]++) {
				long double square = 0;

				for (unsigned a = 0; a < field->ndim; a++) {
					const struct field_axis *axis = &field->axes[a];
					const long double r = ((long double)lag[a] + m[a] * (long double)axis->n) * axis->spacing / axis->length;

					square += r * r;
				}
				sum += covariance(sqrtl(square));
			}
	return sum;
}

/* Ten lags each, on axes of different spacings and lengths, of even and odd numbers of points. */
static void more_axes_are_image_sums(void **state)
{
	static const struct {
		enum field_model model;
		double nu;
		long double (*covariance)(long double);
	} models[] = {{FIELD_GAUSSIAN, 0, gaussian}, {FIELD_MATERN, 0.5, exponential}, {FIELD_MATERN, 1.5, matern_3_2}};
	static const struct field_axis axes[2][3] = {{{6, 1, 1.3}, {5, 0.5, 0.1}, {8, 2, 3}}, {{2, 1, 0.4}, {7, 1, 1}, {3, 1, 0.7}}};

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		struct field field = field_of(models[i % 3].model, models[i % 3].nu);

		field.ndim = i / 6 + 2;
		memcpy(field.axes, axes[i / 3 % 2], sizeof axes[0]);
		assert_int_equal(field_prepare(&field), FIELD_RIGHT);
		for (unsigned k = 0; k < 10; k++) {
			const uint64_t lag[3] = {k % axes[i / 3 % 2][0].n, k * 2 % axes[i / 3 % 2][1].n, k * 3 % axes[i / 3 % 2][2].n};
			const long double expected = sum_images(&field, lag, 20, models[i % 3].covariance);
			const long double got = covariance_at(&field, lag);

			if (!(fabsl(got - expected) <= 1e-12L * (1 + expected)))
				fail_msg("model %u of %u axes, lag %u: expected %.17Lg, got %.17Lg", i % 3, field.ndim, k, expected, got);
		}
		field.truncated = true;
		for (unsigned k = 0; k < 10; k++) {
			uint64_t lag[3], nearest[3];

			for (unsigned a = 0; a < 3; a++) {
				lag[a] = k * (a + 1) % field.axes[a].n;
				nearest[a] = 2 * lag[a] > field.axes[a].n ? field.axes[a].n - lag[a] : lag[a];
			}
			assert_near((double)written_at(&field, lag), (double)sum_images(&field, nearest, 0, models[i % 3].covariance), 1e-14);
		}
	}
}

/* The corner of an embedding has the plain covariance, to the error asked for. */
static void embeddings_have_no_images(void **state)
{
	static const struct {
		double nu, length;
		long double (*covariance)(long double);
	} models[] = {{0, 3, gaussian}, {0.5, 1.4, exponential}, {1.5, 1, matern_3_2}};

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct field field = field_of(i % 3 ? FIELD_MATERN : FIELD_GAUSSIAN, models[i % 3].nu);
		const uint64_t n[3] = {12, 9, 6};

		field.ndim = i / 3 + 1;
		for (unsigned a = 0; a < field.ndim; a++)
			field.axes[a] = (struct field_axis){n[a], 0.5, models[i % 3].length / 4};
		assert_int_equal(field_prepare(&field), FIELD_RIGHT);
		field_embed(&field, 1e-9);
		assert_true(field_image_bound(&field, n) <= 1e-9);
		assert_int_equal(field_prepare(&field), FIELD_RIGHT);
		for (unsigned k = 0; k < 10; k++) {
			const uint64_t lag[3] = {k == 9 ? 11 : k, k == 9 ? 8 : k * 2 % 9, 0};
			const long double expected = sum_images(&field, lag, 0, models[i % 3].covariance);

			if (!(fabsl(covariance_at(&field, lag) - expected) <= 1e-9L))
				fail_msg("model %u of %u axes, lag %u: not the plain covariance", i % 3, field.ndim, k);
		}
	}
}

/* Powers and tables are what they say at each wave number, and every variant gives the same bytes. */
static void densities_and_variants(void **state)
{
	static const double table[] = {0.5, 0, 1, 2, 2, 8, 4, 1};
	struct field fields[4] = {field_of(FIELD_EXPONENT, 0), field_of(FIELD_SPECTRUM, 0), field_of(FIELD_MATERN, 0.7), field_of(FIELD_GAUSSIAN, 0)};
	double values[4][33], again[33];
	size_t count;

	(void)state;
	fields[0].exponent = 11.0 / 3;
	fields[1].table = table;
	fields[1].n_table = 4;
	for (unsigned i = 0; i < 4; i++) {
		fields[i].ndim = 2;
		fields[i].axes[0] = (struct field_axis){32, 0.5, 3};
		fields[i].axes[1] = (struct field_axis){64, 0.75, 1};
		assert_int_equal(field_prepare(&fields[i]), FIELD_RIGHT);
		for (size_t v = 0; v < (algebra_kernels(&count), count); v++) {
			const struct algebra_kernel *kernel = algebra_kernels(&count)[v];

			if (!can_run("algebra", kernel->name, kernel->needs))
				continue;
			row_of(&fields[i], kernel, (const uint64_t[]){3}, v == 0 ? values[i] : again);
			if (v > 0)
				assert_memory_equal(again, values[i], sizeof again);
		}
	}
	for (unsigned j = 0; j < 33; j++) {
		const double a = 2 * (double)PI_L * 3 / 16, b = 2 * (double)PI_L * j / 48, k = hypot(a, b);
		const double p = k > 4 || k < 0.5 ? 0 : k > 2 ? 8 * pow(k / 2, -3) : k > 1 ? 2 * k * k : 2 * (k - 0.5) / 0.5;

		assert_near(values[0][j] / values[0][0], pow(k / a, -11.0 / 3), 1e-13);
		assert_near(values[1][j], p, 1e-12);
	}
}

/* Runs a task over an array, its chunks backwards. second: its other input. */
static void run_task(const struct field *field, enum field_task task, const void *second, void *array)
{
	struct field_work work;
	char *scratch, *memory;

	field_work_cut(field, task, NULL, cpu_detect(), &work);
	scratch = aligned_alloc(64, (work.work.scratch_bytes + 63) & ~(size_t)63);
	memory = aligned_alloc(64, (work.work.work_bytes + 64) & ~(size_t)63);
	for (size_t stage = 0; stage < work.work.stages; stage++) {
		const struct staged_io io = {.in = {array, second}, .out = array, .work = memory};
		struct staged_stage size_of;

		work.work.ops->find_stage(&work.work, &io, stage, &size_of);
		for (size_t chunk = size_of.chunks; chunk-- > 0;)
			assert_int_equal(work.work.ops->run_chunk(&work.work, &io, stage, chunk, scratch), 0);
	}
	free(scratch);
	free(memory);
}

/* Work multiplies every element of the half spectrum by the root of its wave number's lambda, and a field that scales has the mean std^2. */
static void work_reaches_every_element(void **state)
{
	static const uint64_t shapes[7][5] = {{1, 9}, {1, 2}, {1, 1300}, {2, 5, 6}, {3, 4, 2, 3}, {2, 300, 2}, {4, 2, 3, 4, 5}};

	(void)state;
	for (size_t s = 0; s < 7; s++)
		for (unsigned i = 0; i < 4; i++) {
			static const enum field_model models[] = {FIELD_EXPONENT, FIELD_SPECTRUM, FIELD_GAUSSIAN, FIELD_MATERN};
			static const double table[] = {0.0, 0.25, 10, 0.75};
			struct field field = {.model = models[i], .exponent = -1.5, .nu = 2, .std = 3, .wide = s % 2, .scales = i <= 1,
					      .table = table, .n_table = 2, .ndim = (unsigned)shapes[s][0]};
			const size_t size = field.wide ? sizeof(double) : sizeof(float);
			uint64_t rows = 1, columns, points;
			double mean = 0, root = 0;
			char *half;

			for (unsigned a = 0; a < field.ndim; a++) {
				field.axes[a] = (struct field_axis){shapes[s][a + 1], 1, 2};
				rows *= a + 1 < field.ndim ? shapes[s][a + 1] : 1;
			}
			assert_int_equal(field_prepare(&field), FIELD_RIGHT);
			points = rows * field.axes[field.ndim - 1].n;
			columns = field.axes[field.ndim - 1].n / 2 + 1;
			half = malloc(2 * rows * columns * size);
			for (size_t k = 0; k < 2 * rows * columns; k++)
				if (field.wide)
					((double *)half)[k] = k % 2 ? -2 : 1;
				else
					((float *)half)[k] = k % 2 ? -2 : 1;
			if (field.scales)
				run_task(&field, FIELD_FIND_ROOT, NULL, &root);
			run_task(&field, FIELD_MULTIPLY, &root, half);
			for (uint64_t r = 0; r < rows; r++) {
				uint64_t folded[FIELD_DIMS], left = r;
				double values[651];

				for (unsigned a = field.ndim - 1; a-- > 0; left /= field.axes[a].n) {
					const uint64_t n = field.axes[a].n, j = left % n;

					folded[a] = 2 * j > n ? n - j : j;
				}
				row_of(&field, &algebra_scalar, folded, values);
				for (uint64_t j = 0; j < columns; j++) {
					const size_t at = 2 * (r * columns + j);
					const double re = field.wide ? ((double *)half)[at] : ((float *)half)[at];
					const double im = field.wide ? ((double *)half)[at + 1] : ((float *)half)[at + 1];

					if (!field.scales)
						assert_near(re, 3 * sqrt(values[j]), 1e-6 * (1 + re));
					assert_true(im == -2 * re);
					mean += re * re * (j == 0 || 2 * j == field.axes[field.ndim - 1].n ? 1 : 2) / (double)points;
				}
			}
			if (field.scales)
				assert_near(mean, 9, field.wide ? 1e-12 : 1e-5);
			free(half);
		}
}

static void faults_are_found(void **state)
{
	static const double table[] = {1, 2, 3, 4}, falls[] = {1, 2, 1, 4}, below[] = {1, 2, 2, -1}, none[] = {1, NAN, 2, 1};
	struct field field = field_of(FIELD_EXPONENT, 0);

	(void)state;
	assert_int_equal(field_check_table(table, 2), 4);
	assert_int_equal(field_check_table(falls, 2), 2);
	assert_int_equal(field_check_table(below, 2), 3);
	assert_int_equal(field_check_table(none, 2), 1);
	field.ndim = 1;
	field.axes[0] = (struct field_axis){1 << 20, 1, 1};
	field.exponent = 45; /* (2^19)^45 */
	assert_int_equal(field_prepare(&field), FIELD_SPANS);
	field.exponent = -40;
	assert_int_equal(field_prepare(&field), FIELD_RIGHT);
	field = field_of(FIELD_SPECTRUM, 0);
	field.ndim = 1;
	field.axes[0] = (struct field_axis){16, 4, 1}; /* up to k = 0.79 */
	field.table = table;
	field.n_table = 2;
	assert_int_equal(field_prepare(&field), FIELD_MISSES);
	field = field_of(FIELD_GAUSSIAN, 0);
	field.ndim = 1;
	field.axes[0] = (struct field_axis){16, 1, 1};
	field.std = 1e38;
	assert_int_equal(field_prepare(&field), FIELD_RIGHT);
	field.wide = false;
	assert_int_equal(field_prepare(&field), FIELD_OVERFLOWS);
}

/* The least nu and the longest length have room for their nodes; the shares are those of a distribution. */
static void nodes_have_room(void **state)
{
	static const double nus[] = {FIELD_NU_LEAST, 0.5, 30, FIELD_NU_MOST}, lengths[] = {1e-60, 0.01, 1, 1e5, FIELD_LONGEST};

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 5; k++) {
			struct field field = field_of(FIELD_MATERN, nus[i]);
			double sum = 0;

			field.ndim = 1;
			field.axes[0] = (struct field_axis){16, 1, lengths[k]};
			assert_int_equal(field_prepare(&field), FIELD_RIGHT);
			assert_true(field.n_nodes < FIELD_NODES);
			for (unsigned q = 0; q < field.n_nodes; q++) {
				assert_true(field.share[q] >= 0 && (q == 0 || field.width[q] > field.width[q - 1]));
				sum += field.share[q];
			}
			assert_near(sum, 1, 1e-12);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_axis_is_the_image_sum), cmocka_unit_test(more_axes_are_image_sums),
		cmocka_unit_test(embeddings_have_no_images), cmocka_unit_test(densities_and_variants),    cmocka_unit_test(work_reaches_every_element),
		cmocka_unit_test(faults_are_found),	     cmocka_unit_test(nodes_have_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
