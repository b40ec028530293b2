/* SPDX-License-Identifier: Apache-2.0 */
/* The guaranteed bounds of the matrix modes under attack: inputs that are looked for, not drawn.
 *
 * The error matrix E of a mode is read off its transforms of unit vectors, which are exact in every slice. Power iteration
 * on E^H E gives the worst input as far as the error is linear. Then each part of the input is set next to a tie of the
 * rounding to slices, with the sign that adds to the error found so far, again and again. The bounds are derived by
 * tests/statistics/matrix_bounds.py. The search itself is tested too: it must find as much as it once found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/cpu.h"
#include "fft/precision/precision.h"
#include "gemm/kernel.h"
#include "harness/sanitized.h"

enum { MAX_N = PRECISION_MAX_GEMM, POWER_ROUNDS = 40, SIGN_ROUNDS = 8, EXACT_SLICES = 7 };

/* reaches: what the search must find at one of the short run's lengths, which are those where derived bounds are largest.
 * A search that finds less is broken. */
static const struct {
	enum precision mode;
	unsigned slices; /* of the input; on a common exponent where the mode is wide */
	double reaches;
} modes[] = {
	{PRECISION_BF16, 1, 8.3e-3},  {PRECISION_BF16_REFINED, 1, 4.2e-5}, {PRECISION_OZAKI, 2, 1.9e-5},
	{PRECISION_OZAKI6, 3, 1e-7}, {PRECISION_OZAKI_HQ, 5, 1.5e-10},    {PRECISION_OZAKI_FP64, 7, 2.5e-15},
};
static const unsigned short_lengths[] = {165, 230, 231, 253};

struct attack {
	enum precision mode;
	unsigned n, slices;
	struct fft_plan *plan;
	void *scratch, *work;
	long double (*roots)[2];
	double (*matrix)[2];          /* of the error */
	double x[2 * MAX_N];          /* the input that is tried */
	double error[2 * MAX_N];      /* of its transform, last */
	double best[2 * MAX_N], worst; /* the worst so far */
};

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(state >> 11) * 0x1p-53 + 0x1p-54;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void attack_open(struct attack *a, size_t row, unsigned n, uint32_t features)
{
	*a = (struct attack){.mode = modes[row].mode, .slices = modes[row].slices, .n = n};
	assert_int_equal(precision_plan_create(a->mode, n, features, &a->plan), 0);
	while (fft_plan_step(a->plan) > 0)
		;
	a->scratch = aligned_alloc(64, (fft_scratch_bytes(a->plan) + 127) & ~(size_t)63);
	a->work = aligned_alloc(64, (fft_work_bytes(a->plan, 1) + 127) & ~(size_t)63);
	a->roots = malloc(n * sizeof *a->roots);
	a->matrix = malloc((size_t)n * n * sizeof *a->matrix);
	assert_non_null(a->roots);
	assert_non_null(a->matrix);
	for (unsigned j = 0; j < n; j++) {
		a->roots[j][0] = cosl(2 * acosl(-1) * j / n);
		a->roots[j][1] = -sinl(2 * acosl(-1) * j / n);
	}
}

static void attack_close(struct attack *a)
{
	fft_plan_free(a->plan);
	free(a->scratch);
	free(a->work);
	free(a->roots);
	free(a->matrix);
}

/* to = W x, or its conjugate transpose times x. */
static void transform(const struct attack *a, const double *x, bool adjoint, long double *to)
{
	for (unsigned k = 0; k < a->n; k++) {
		long double re = 0, im = 0;

		for (unsigned j = 0, jk = 0; j < a->n; j++, jk = (jk + k) % a->n) {
			const long double c = a->roots[jk][0], s = adjoint ? -a->roots[jk][1] : a->roots[jk][1];

			re += x[2 * j] * c - x[2 * j + 1] * s;
			im += x[2 * j] * s + x[2 * j + 1] * c;
		}
		to[2 * k] = re;
		to[2 * k + 1] = im;
	}
}

/* The mode's transform of a->x, in place of `out`. */
static void run_mode(const struct attack *a, double *out)
{
	float narrow[2 * MAX_N];
	const bool wide = precision_is_wide(a->mode);
	struct fft_call call = {.in = wide ? (void *)out : narrow,
				.out = wide ? (void *)out : narrow,
				.in_stride = 1,
				.out_stride = 1,
				.in_distance = a->n,
				.out_distance = a->n,
				.batch = 1,
				.scale = 1,
				.work = a->work};

	for (unsigned i = 0; i < 2 * a->n; i++) {
		out[i] = a->x[i];
		narrow[i] = (float)a->x[i];
	}
	fft_run(a->plan, &call, a->scratch);
	for (unsigned i = 0; i < 2 * a->n && !wide; i++)
		out[i] = narrow[i];
}

/* Tries a->x: its error, as a vector of norm 1 and as a number, which is kept where it is the worst. */
static double try_input(struct attack *a)
{
	long double exact[2 * MAX_N], wrong = 0, whole = 0;
	double got[2 * MAX_N], relative;

	for (unsigned i = 0; i < 2 * a->n && !precision_is_wide(a->mode); i++)
		a->x[i] = (float)a->x[i];
	run_mode(a, got);
	transform(a, a->x, false, exact);
	for (unsigned i = 0; i < 2 * a->n; i++) {
		const long double d = got[i] - exact[i];

		wrong += d * d;
		whole += exact[i] * exact[i];
		a->error[i] = (double)d;
	}
	for (unsigned i = 0; i < 2 * a->n && wrong > 0; i++)
		a->error[i] /= (double)sqrtl(wrong);
	relative = whole > 0 ? (double)sqrtl(wrong / whole) : 0;
	if (relative > a->worst) {
		a->worst = relative;
		memcpy(a->best, a->x, sizeof a->best);
	}
	return relative;
}

/* The error matrix, column by column: units have no error of their own. */
static void find_matrix(struct attack *a)
{
	for (unsigned j = 0; j < a->n; j++) {
		double got[2 * MAX_N];

		memset(a->x, 0, sizeof a->x);
		a->x[2 * j] = 1;
		run_mode(a, got);
		for (unsigned k = 0; k < a->n; k++)
			for (unsigned i = 0; i < 2; i++)
				a->matrix[j * a->n + k][i] = (double)(got[2 * k + i] - a->roots[j * k % a->n][i]);
	}
}

/* to = E x, or its conjugate transpose times x: E is symmetric. */
static void apply_matrix(const struct attack *a, const double *x, bool adjoint, double *to)
{
	for (unsigned k = 0; k < a->n; k++) {
		double re = 0, im = 0;

		for (unsigned j = 0; j < a->n; j++) {
			const double *e = a->matrix[(size_t)k * a->n + j], sign = adjoint ? -e[1] : e[1];

			re += x[2 * j] * e[0] - x[2 * j + 1] * sign;
			im += x[2 * j] * sign + x[2 * j + 1] * e[0];
		}
		to[2 * k] = re;
		to[2 * k + 1] = im;
	}
}

static void set_norm(double *x, unsigned n, double norm)
{
	double sum = 0;

	for (unsigned i = 0; i < 2 * n; i++)
		sum += x[i] * x[i];
	for (unsigned i = 0; i < 2 * n && sum > 0; i++)
		x[i] *= norm / sqrt(sum);
}

static void iterate_power(struct attack *a)
{
	double x[2 * MAX_N], y[2 * MAX_N];

	for (unsigned i = 0; i < 2 * a->n; i++)
		x[i] = normal();
	for (unsigned round = 0; round < POWER_ROUNDS; round++) {
		apply_matrix(a, x, false, y);
		apply_matrix(a, y, true, x);
		set_norm(x, a->n, sqrt(a->n));
	}
	memcpy(a->x, x, sizeof x);
	try_input(a);
}

/* A part of about that size whose first slice is short of it by almost half a unit, of that sign; so is the second. */
static double next_to_tie(double size, double sign)
{
	const double power = ldexp(1, (int)lrint(log2(fabs(size) + 0x1p-60)));
	const double part = power * (1 + 0x1p-8 + copysign(0x1p-17, sign * size));

	return copysign(part, size);
}

/* Beside a part of almost 1: slices of almost half a unit each, of that sign, and a rest of almost half of one. */
static double next_to_ties(const struct attack *a, double sign)
{
	double part = 0;

	for (unsigned slice = 1; slice < a->slices; slice++)
		part += ldexp(127, -7 - 8 * (int)slice);
	part += ldexp(0.49, -7 - 8 * (int)(a->slices - 1));
	return copysign(part, sign);
}

/* Moves every part of `from` next to a tie of its rounding, towards `direction`. */
static void set_next_to_ties(struct attack *a, const double *from, const long double *direction)
{
	for (unsigned i = 0; i < 2 * a->n; i++)
		a->x[i] = !precision_is_wide(a->mode) ? next_to_tie(from[i], (double)direction[i])
			  : i == 0                    ? 0.51
						      : next_to_ties(a, (double)direction[i]);
}

/* The input that goes best with the last error: what the matrix and the roundings of the input add to it. */
static void find_magnitudes(const struct attack *a, const long double *direction, double *ret_from)
{
	double x[2 * MAX_N];

	apply_matrix(a, a->error, true, x);
	for (unsigned i = 0; i < 2 * a->n; i++)
		ret_from[i] = x[i] + copysign(0x1p-8 * (double)direction[i], x[i]);
}

/* How signs are looked for: what is lost of the input goes through W, or through slices of W that are left out. */
struct way {
	bool flat, through_w;
	double sign;
};

static void iterate_signs(struct attack *a, struct way way)
{
	double from[2 * MAX_N], through_e[2 * MAX_N];
	long double direction[2 * MAX_N];

	memcpy(from, a->best, sizeof from);
	memcpy(a->x, a->best, sizeof from);
	try_input(a);
	for (unsigned round = 0; round < SIGN_ROUNDS; round++) {
		transform(a, a->error, true, direction);
		if (!way.through_w) {
			apply_matrix(a, a->error, true, through_e);
			for (unsigned i = 0; i < 2 * a->n; i++)
				direction[i] = through_e[i];
		}
		if (way.through_w && way.sign > 0)
			find_magnitudes(a, direction, from);
		for (unsigned i = 0; i < 2 * a->n; i++) {
			direction[i] *= way.sign;
			from[i] = way.flat ? copysign(1, from[i]) : from[i];
		}
		set_next_to_ties(a, from, direction);
		try_input(a);
	}
}

/* The worst that is found of a mode at one length. */
static double attack_length(size_t row, unsigned n, uint32_t features, const char *variant)
{
	struct attack a;
	double bound;

	attack_open(&a, row, n, features);
	state = n;
	find_matrix(&a);
	iterate_power(&a);
	for (unsigned way = 0; way < 8; way++)
		iterate_signs(&a, (struct way){way & 1, way & 2, way & 4 ? -1 : 1});
	bound = precision_bound(a.mode, n);
	if (!(a.worst <= bound))
		fail_msg("%s on %s, n = %u, an input found by power iteration: error %.4g, allowed is %.4g",
			 precision_name(a.mode), variant, n, a.worst, bound);
	attack_close(&a);
	return a.worst;
}

static bool in_short_run(unsigned n)
{
	for (size_t i = 0; i < sizeof short_lengths / sizeof *short_lengths; i++)
		if (short_lengths[i] == n)
			return true;
	return false;
}

static void attack_variant(const struct gemm_kernel *kernel, bool every_length)
{
	for (size_t row = 0; row < sizeof modes / sizeof *modes; row++) {
		double worst = 0;
		unsigned worst_n = 0;

		for (unsigned n = 1; n <= MAX_N; n++) {
			double found;

			if (!every_length && !in_short_run(n))
				continue;
			found = attack_length(row, n, kernel->needs, kernel->name);
			if (found > worst)
				worst = found, worst_n = n;
		}
		printf("# %s on %s: %.4g found (n = %u), guaranteed %.4g\n", precision_name(modes[row].mode), kernel->name,
		       worst, worst_n, precision_bound(modes[row].mode, 1));
		if (!(worst >= modes[row].reaches))
			fail_msg("%s on %s: the search finds %.4g, expected at least %.4g",
				 precision_name(modes[row].mode), kernel->name, worst, modes[row].reaches);
	}
}

/* The best variant; another test shows that the others have its bytes, but for tiles'. Long: at every length. */
static void test_attack(void **unused)
{
	const bool full = getenv("TRNSCI_FULL") != NULL;
	size_t n_kernels;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n_kernels);
	const struct gemm_kernel *best = gemm_select(cpu_detect());

	(void)unused;
	if (SANITIZED) {
		printf("# skipped: a search for figures; check_precision runs these kernels under sanitizers\n");
		skip();
	}
	for (size_t v = 0; v < n_kernels; v++)
		if (kernels[v]->needs & ~cpu_detect())
			printf("# %s: not run, this CPU lacks it\n", kernels[v]->name);
		else if (kernels[v] == best || kernels[v]->tiled)
			attack_variant(kernels[v], full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
