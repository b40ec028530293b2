/* SPDX-License-Identifier: Apache-2.0 */
/* Correlations of uniforms between all pairs of 512 series: the words of the 128 partitions, and of 128 neighbouring
 * seeds, stream ids and draw numbers.
 *
 * With n observations a coefficient r of independent series has r sqrt(n) close to normal, and n times the sum of r^2
 * over all pairs is close to chi-square with as many degrees of freedom as pairs, so nearly normal too. The largest is
 * held against the normal tail with Bonferroni's correction, the sum against 4 standard deviations. */
#include <math.h>

#include "rng/generator.h"
#include "rng/stream.h"
#include "rng/support.h"

enum { NEIGHBOURS = 128, SERIES = 4 * NEIGHBOURS, PIECE = 64, TILE = 64, PAIRS = SERIES * (SERIES - 1) / 2 };

struct source {
	enum generator generator;
	const struct rng_kernel *kernel;
	uint64_t seed, stream;
};

/* PIECE observations of all series, from observation `at` on. */
typedef void observe_fn(const struct source *source, uint64_t at, float ret_u[PIECE][SERIES]);

static void partitions(const struct source *source, uint64_t at, float ret_u[PIECE][SERIES])
{
	const struct stream stream = {source->generator, source->seed, source->stream};
	struct rng_span span = {.group = at * STREAM_PARTITIONS};

	stream_key(&stream, span.key);
	source->kernel->uniform_f32(&span, PIECE * STREAM_PARTITIONS, ret_u[0]);
}

static void neighbours(const struct source *source, uint64_t at, unsigned seeds, unsigned streams, unsigned draws,
		       float ret_u[PIECE][SERIES])
{
	float u[4 * PIECE];

	for (unsigned i = 0; i < NEIGHBOURS; i++) {
		const struct stream stream = {source->generator, source->seed + seeds * i,
					      source->stream + streams * i};
		struct rng_span span = {.group = at, .draw = draws * i};

		stream_key(&stream, span.key);
		source->kernel->uniform_f32(&span, PIECE, u);
		for (unsigned t = 0; t < PIECE; t++)
			memcpy(&ret_u[t][4 * i], &u[4 * t], 4 * sizeof *u);
	}
}

static void seeds(const struct source *source, uint64_t at, float ret_u[PIECE][SERIES])
{
	neighbours(source, at, 1, 0, 0, ret_u);
}

static void streams(const struct source *source, uint64_t at, float ret_u[PIECE][SERIES])
{
	neighbours(source, at, 0, 1, 0, ret_u);
}

static void draws(const struct source *source, uint64_t at, float ret_u[PIECE][SERIES])
{
	neighbours(source, at, 0, 0, 1, ret_u);
}

/* Adds the products of a piece, the series having mean 0 and variance 1; pairs below the diagonal only. */
__attribute__((no_sanitize("address", "undefined", "thread"))) /* they take minutes here */
static void
accumulate(float x[PIECE][SERIES], double sums[SERIES][SERIES])
{
	for (unsigned i = 0; i < SERIES; i++)
		for (unsigned from = 0; from < i; from += TILE) {
			float products[TILE] = {0};

			for (unsigned t = 0; t < PIECE; t++)
				for (unsigned j = 0; j < TILE; j++)
					products[j] += x[t][i] * x[t][from + j];
			for (unsigned j = 0; j < TILE; j++)
				sums[i][from + j] += products[j];
		}
}

struct outcome {
	double largest; /* of r sqrt(n) */
	unsigned i, j;  /* which pair has it */
	double p_value; /* of the largest, for all pairs */
	double sum;     /* distance of the sum of squares, in standard deviations */
};

static struct outcome judge(double sums[SERIES][SERIES], double n)
{
	struct outcome o = {0};
	double squares = 0;

	for (unsigned i = 0; i < SERIES; i++)
		for (unsigned j = 0; j < i; j++) {
			const double z = sums[i][j] / sqrt(n);

			squares += z * z;
			if (fabs(z) > fabs(o.largest)) {
				o.largest = z;
				o.i = i;
				o.j = j;
			}
		}
	o.p_value = fmin(1, PAIRS * erfc(fabs(o.largest) / sqrt(2)));
	o.sum = (squares - PAIRS) / sqrt(2.0 * PAIRS);
	return o;
}

static bool independent(const struct outcome *o)
{
	return o->p_value >= 1e-4 && fabs(o->sum) < 4;
}

/* `planted`: that share of series 300 mixed into series 7. */
static struct outcome correlate(const struct source *source, observe_fn *observe, size_t n, float planted)
{
	static double sums[SERIES][SERIES];
	static float x[PIECE][SERIES];

	memset(sums, 0, sizeof sums);
	for (size_t at = 0; at < n; at += PIECE) {
		observe(source, at, x);
		for (unsigned t = 0; t < PIECE; t++) {
			for (unsigned i = 0; i < SERIES; i++)
				x[t][i] = (x[t][i] - 0.5f) * 3.4641016f;
			x[t][7] = planted * x[t][300] + sqrtf(1 - planted * planted) * x[t][7];
		}
		accumulate(x, sums);
	}
	return judge(sums, (double)n);
}

static const struct {
	const char *name;
	observe_fn *observe;
} families[] = {{"partitions", partitions}, {"seeds", seeds}, {"stream ids", streams}, {"draws", draws}};

static void check_generator(enum generator generator)
{
	const size_t n = full_check() ? 1 << 16 : 1 << 10;
	const struct source source = {generator, generator_select(generator, cpu_detect()), case_seed(),
				      case_seed() % 1000};

	for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
		const struct outcome o = correlate(&source, families[f].observe, n, 0);

		printf("# %-15s %-10s %zu observations: largest of %d coefficients %+.5f (%+.2f / sqrt(n), p %.3f), "
		       "sum of squares %+.2f sd\n",
		       generator_row(generator)->name, families[f].name, n, PAIRS, o.largest / sqrt((double)n),
		       o.largest, o.p_value, o.sum);
		if (!independent(&o))
			fail_msg("%s, %s: words %u and %u of series %u and %u: r sqrt(n) = %.2f, p = %.3g, sum of "
				 "squares off by %.2f; allowed 1e-4 and 4; TRNSCI_TEST_SEED=%llu",
				 generator_row(generator)->name, families[f].name, o.i % 4, o.j % 4, o.i / 4, o.j / 4,
				 o.largest, o.p_value, o.sum, (unsigned long long)case_seed());
	}
}

static void series_are_independent(void **state)
{
	(void)state;
	for (unsigned generator = 0; generator < GENERATOR_COUNT; generator++)
		check_generator((enum generator)generator);
}

/* One pair that depends is found among all of them; so are all pairs that depend a little. */
static void a_planted_correlation_is_found(void **state)
{
	const struct source source = {GENERATOR_THREEFRY4X32, generator_select(GENERATOR_THREEFRY4X32, 0), 1, 0};
	const struct outcome o = correlate(&source, seeds, 1 << 10, 0.25f);
	static double sums[SERIES][SERIES];

	(void)state;
	assert_false(independent(&o));
	assert_true(o.i == 300 && o.j == 7);
	for (unsigned i = 0; i < SERIES; i++)
		for (unsigned j = 0; j < i; j++)
			sums[i][j] = (i + j) % 2 ? 1.02 : -1.02;
	const struct outcome slight = judge(sums, 1);

	assert_true(slight.p_value > 0.5 && !independent(&slight));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_are_independent),
		cmocka_unit_test(a_planted_correlation_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
