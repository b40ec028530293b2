/* SPDX-License-Identifier: Apache-2.0 */
/* Every distribution over the whole allowed range of its parameters, by numbers and by arrays, in each dtype, against the exact
 * probabilities of tests/vectors/ranges_*.txt, which tests/statistics/ranges_*.py computed with mpmath.
 *
 * A line ends with pairs x P(X <= x). The samples are X rounded to the dtype, so at most n P of them are below x rounded,
 * and at least n P are up to it, but for chance and for the resolution that dist_rows.h states. Chance is bounded by
 * Chernoff's inequality: P(Bin(n, p) >= k) and P(Bin(n, p) <= k) are at most exp(-n D(k / n, p)). Probabilities of 0 and 1
 * are exact. Kernels that reject accept at least the share of attempts that dist_rows.h states. A line "! PARAMETER TEXT" is refused with an error that names the parameter and contains the text.
 * TRNSCI_RANGES=NAME walks the lines of one distribution and prints each. */
#include "distributions/draw/draw_plan.h"
#include "distributions/parameter_lines.h"
#include "harness/sanitized.h"

#define COUNTS "tests/vectors/ranges_counts.txt"
#define CONTINUOUS "tests/vectors/ranges_continuous.txt"

/* Sanitizers and emulators are slow. */
#if defined(TRNSCI_TESTS_FOREIGN_CMOCKA_H)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = SANITIZED };
#endif

enum { SAMPLES = IS_SLOW ? 1 << 12 : 1 << 16, FULL_SAMPLES = IS_SLOW ? SAMPLES : 1 << 19, ATTEMPT_BLOCKS = 16 };

/* -ln of the probability beyond which chance is no explanation, 1e-9 of either side. */
static const double worst = 21.4;

static unsigned n_failures, n_comparisons, n_draws;
static bool is_walked[DIST_COUNT];

/* Returns the relative entropy of q from p, both in [0, 1]. */
static double entropy(double q, double p)
{
	const double one = q > 0 ? q * log(q / p) : 0, other = q < 1 ? (1 - q) * log((1 - q) / (1 - p)) : 0;

	return one + other;
}

/* Returns whether k of n or more (below: or fewer) are too many (too few) for a probability p. */
static bool too_far(bool below, size_t k, size_t n, double p)
{
	const double q = (double)k / (double)n;

	if (below ? q >= p : q <= p)
		return false;
	if (p <= 0 || p >= 1)
		return true;
	return (double)n * entropy(q, p) > worst;
}


/* Counts the numbers below x, and those up to it. */
static void count_up_to(const double *samples, size_t n, double x, size_t *ret_fewer, size_t *ret_most)
{
	size_t fewer = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		fewer += samples[i] < x;
		most += samples[i] <= x;
	}
	*ret_fewer = fewer;
	*ret_most = most;
}

/* Rounds x to the dtype; 16-bit floats keep 8 and 11 digits, normal ones. */
static double round_to(enum dtype dtype, double x)
{
	int exponent;
	const int digits = dtype == DTYPE_BF16 ? 8 : 11;

	if (dtype == DTYPE_F32)
		return (float)x;
	if (dtype != DTYPE_BF16 && dtype != DTYPE_F16)
		return x;
	frexp((float)x, &exponent);
	return ldexp(rint(ldexp((float)x, digits - exponent)), exponent - digits);
}

static double real_of_half(enum dtype dtype, uint16_t half)
{
	const uint32_t widened = (uint32_t)half << 16;
	const int exponent = half >> 10 & 31, fraction = half & 1023;
	const double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
			    : exponent     ? ldexp(1024 + fraction, exponent - 25)
					   : ldexp(fraction, -24);
	float x;

	memcpy(&x, &widened, sizeof x);
	return dtype == DTYPE_BF16 ? (double)x : half >> 15 ? -size : size;
}

static double sample_of(enum dtype dtype, const void *samples, size_t i)
{
	if (dtype == DTYPE_F16 || dtype == DTYPE_BF16)
		return real_of_half(dtype, ((const uint16_t *)samples)[i]);
	return as_real(dtype, samples, i);
}

/* What is compared: the line, in one dtype, by one way. */
struct walk {
	const struct parameter_line *line;
	enum dtype dtype;
	bool arrays;
	double resolution;
	const double *samples;
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void note(const struct walk *w, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (++n_failures <= 2000)
		printf("%.160s(%s, %s): %s\n", w->line->text, dtype_name(w->dtype), w->arrays ? "arrays" : "numbers",
			      text);
}

/* Compares with P(X <= x) = p. */
static void compare(const struct walk *w, double x, double p)
{
	const double at = round_to(w->dtype, x), e = p > 0 && p < 1 ? w->resolution : 0;
	size_t fewer, most;
	/* An integer's P(X <= x) is that of all up to x. */
	const bool whole = w->dtype != DTYPE_F32 && w->dtype != DTYPE_F64 && w->dtype != DTYPE_F16 && w->dtype != DTYPE_BF16;

	count_up_to(w->samples, w->n, at, &fewer, &most);
	n_comparisons++;
	if (too_far(false, whole ? most : fewer, w->n, fmin(p + e, 1)))
		note(w, "%zu of %zu up to %.17g, expected %.9g", whole ? most : fewer, w->n, x, p * (double)w->n);
	if (too_far(true, most, w->n, fmax(p - e, 0)))
		note(w, "%zu of %zu up to %.17g, expected %.9g", most, w->n, x, p * (double)w->n);
}

/* Draws w->n samples, of vectors their component `component`. */
static void draw_samples(const struct walk *w, struct line_draw *draw, size_t component, double *ret_samples)
{
	const size_t components = draw_components(&draw->draw);
	struct draw_kernels kernels;
	void *samples = malloc(w->n * components * dtype_size(w->dtype));
	size_t n_nan = 0;

	assert_non_null(samples);
	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw->draw, 0, w->n * components, samples);
	for (size_t i = 0; i < w->n; i++) {
		ret_samples[i] = sample_of(w->dtype, samples, i * components + component);
		n_nan += isnan(ret_samples[i]);
	}
	if (n_nan > 0)
		note(w, "%zu of %zu are NaN", n_nan, w->n);
	free(samples);
}

/* Compares with all pairs of the line. "@c" goes on with component c of vectors. */
static void compare_all(struct walk *w, struct line_draw *draw, double *samples)
{
	const char *at = w->line->rest;
	char *end;

	w->samples = samples;
	if (!strchr(at, '@'))
		draw_samples(w, draw, 0, samples);
	for (;;) {
		at += strspn(at, " ");
		if (*at == '\0')
			return;
		if (*at == '@') {
			draw_samples(w, draw, strtoul(at + 1, &end, 10), samples);
			at = end;
			continue;
		}
		const double x = strtod(at, &end), p = strtod(end, &end);

		assert_true(end > at);
		compare(w, x, p);
		at = end;
	}
}

/* Fills an input of a block: words, or normals of the words' width. */
static void fill_input(enum draw_input input, size_t word_bytes, uint64_t *seed, uint64_t *ret_input)
{
	for (size_t i = 0; i < DIST_BLOCK_REJECTING; i++) {
		const uint64_t word = next_case(seed);
		const double u = ldexp((double)(word >> 11) + 0.5, -53), angle = ldexp((double)(next_case(seed) >> 11), -53);
		const double normal = sqrt(-2 * log(u)) * cos(6.283185307179586 * angle);
		const float narrow = (float)normal;

		if (word_bytes == 8)
			memcpy(ret_input + i, input == INPUT_NORMALS ? (const void *)&normal : &word, 8);
		else
			memcpy((uint32_t *)(void *)ret_input + i, input == INPUT_NORMALS ? (const void *)&narrow : &word, 4);
	}
}

/* Fills dirichlet's constants. */
static void fill_components(const struct draw_plan *plan, uint64_t inputs[DRAW_INPUTS][DIST_BLOCK_REJECTING])
{
	for (size_t i = 0; i < DIST_BLOCK_REJECTING; i++) {
		const struct gamma_constants *const c = &plan->components[i % plan->n_components];

		memcpy(&inputs[3][i], &c->d, sizeof c->d);
		memcpy(&inputs[4][i], &c->c, sizeof c->c);
		memcpy(&inputs[5][i], &c->boost, sizeof c->boost);
	}
}

/* Runs the kernel of a line, whose plan is made, on random inputs, and compares what it rejects with the row's acceptance. */
static void compare_acceptance(const struct walk *w, const struct line_draw *draw, const struct draw_plan *plan)
{
	static uint64_t inputs[DRAW_INPUTS][DIST_BLOCK_REJECTING], samples[DIST_BLOCK_REJECTING];
	static struct draw_parameters parameters;
	uint16_t rejected[DIST_BLOCK_REJECTING + DIST_REJECTED_PAD];
	const void *at[DRAW_INPUTS + DIST_PARAMETERS];
	const size_t n = ATTEMPT_BLOCKS * DIST_BLOCK_REJECTING, word_bytes = 4 * draw_words_per_sample(w->dtype);
	struct draw numbers = draw->draw;
	uint64_t seed = 1;
	size_t n_rejected = 0;

	numbers.arrays = NULL;
	if (plan->per_sample)
		draw_parameters_init(&numbers, DIST_BLOCK_REJECTING, &parameters);
	for (unsigned j = 0; j < DRAW_INPUTS; j++)
		at[j] = inputs[j];
	for (unsigned j = 0; j < DIST_PARAMETERS; j++)
		at[DRAW_INPUTS + j] = parameters.values[j];
	if (plan->components)
		fill_components(plan, inputs);
	for (unsigned block = 0; block < ATTEMPT_BLOCKS; block++) {
		for (unsigned j = 0; j < plan->n_inputs; j++)
			fill_input((enum draw_input)plan->reads[j], word_bytes, &seed, inputs[j]);
		n_rejected += plan->kernel(&plan->constants, at, 0, DIST_BLOCK_REJECTING, samples, rejected);
	}
	if (too_far(false, n_rejected, n, 1 - dist_row(w->line->distribution)->acceptance / 1000.0))
		note(w, "%zu of %zu attempts are rejected", n_rejected, n);
}

/* Returns whether draws have a plan of one stage. Those of two run the acceptances of gamma, beta and poisson. */
static bool has_plan(enum distribution distribution)
{
	const struct dist_row *row = dist_row(distribution);

	return row->direct == DIRECT_NONE && (row->numbers.reads || row->samples.reads);
}

static void walk_attempts(const struct walk *w, const struct line_draw *draw)
{
	struct draw_kernels kernels;
	struct draw_plan plan;

	if (!has_plan(w->line->distribution))
		return;
	draw_select(cpu_detect(), &kernels);
	draw_plan_make(kernels.distributions, &draw->draw, &plan);
	compare_acceptance(w, draw, &plan);
}

/* Draws and compares; the parameters are allowed. */
static void walk_one(const struct parameter_line *line, enum dtype dtype, bool arrays)
{
	static double samples[FULL_SAMPLES];
	const unsigned bits = dist_row(line->distribution)->bits[dtype_size(dtype) > sizeof(uint32_t)];
	struct walk w = {line, dtype, arrays, ldexp(1, -(int)bits), samples, full_check() ? FULL_SAMPLES : SAMPLES};
	struct line_draw draw;
	struct dist_fault fault;

	n_draws++;
	if (line_draw_begin(line, dtype, arrays, &draw, &fault)) {
		note(&w, "refused: %s", fault.text);
		return;
	}
	compare_all(&w, &draw, samples);
	walk_attempts(&w, &draw);
	if (draw.fault.is_set)
		note(&w, "refused: %s", draw.fault.fault.text);
	free(draw.table);
}

/* Expects an error that names the parameter and contains the text behind it. */
static void expect_refusal(const struct parameter_line *line, enum dtype dtype, bool arrays)
{
	const struct walk w = {.line = line, .dtype = dtype, .arrays = arrays};
	char name[40], text[100];
	struct draw_kernels kernels;
	struct line_draw draw;
	struct dist_fault fault = {0};
	uint64_t samples[DRAW_GROUP_BYTES];

	assert_int_equal(sscanf(line->rest, " ! %39s %99[^\n]", name, text), 2);
	draw_select(cpu_detect(), &kernels);
	n_draws++;
	if (!line_draw_begin(line, dtype, arrays, &draw, &fault)) {
		if (arrays)
			draw_fill(&kernels, &draw.draw, 0, 8, samples);
		free(draw.table);
		if (!draw.fault.is_set) {
			note(&w, "is not refused");
			return;
		}
		fault = draw.fault.fault;
	}
	if (strcmp(dist_row(line->distribution)->parameters[fault.parameter].name, name) != 0 ||
	    !strstr(fault.text, text))
		note(&w, "expected an error of %s with \"%s\", got %s: %s", name, text,
		     dist_row(line->distribution)->parameters[fault.parameter].name, fault.text);
}

static void walk_line(const struct parameter_line *line)
{
	const char *const only = getenv("TRNSCI_RANGES");
	const unsigned before = n_failures;

	if (only && strcmp(only, dist_name(line->distribution)) != 0)
		return;
	is_walked[line->distribution] = true;
	for (size_t d = 0; d < line->n_dtypes; d++)
		for (int arrays = 0; arrays < 2; arrays++) {
			if (arrays && !line_takes_arrays(line, line->dtypes[d]))
				continue;
			if (strchr(line->rest, '!'))
				expect_refusal(line, line->dtypes[d], arrays);
			else
				walk_one(line, line->dtypes[d], arrays);
		}
	if (only)
		printf("# %s: %u failures\n", line->text, n_failures - before);
}

static void samples_have_the_exact_distribution(void **state)
{
	(void)state;
	for_each_parameter_line(COUNTS, walk_line);
	for_each_parameter_line(CONTINUOUS, walk_line);
	printf("# %u draws, %u comparisons\n", n_draws, n_comparisons);
	for (unsigned d = 0; d < DIST_COUNT; d++)
		if (!is_walked[d] && !getenv("TRNSCI_RANGES"))
			fail_msg("%s has no line in the vectors", dist_name((enum distribution)d));
	assert_int_equal(n_failures, 0);
}

/* The bits of dist_rows.h are those of its text. */
static void rows_state_their_resolution(void **state)
{
	static const struct {
		enum distribution distribution;
		const char *text;
	} rows[] = {
#define SAMPLING(narrow, wide, acceptance, text, numpy, details) text numpy
#define ROW(id, name, shape, dtypes, fallback, help)             {DIST_##id, id##_SAMPLING(SAMPLING)},
		DISTRIBUTION_ROWS(ROW)
#undef ROW
#undef SAMPLING
	};
	char bits[16];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			const unsigned n = dist_row(rows[i].distribution)->bits[wide];

			snprintf(bits, sizeof bits, "%u", n);
			if (n > 1 && !strstr(rows[i].text, bits))
				fail_msg("%s: the text does not name %u bits", dist_name(rows[i].distribution), n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_the_exact_distribution),
		cmocka_unit_test(rows_state_their_resolution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
