/* SPDX-License-Identifier: Apache-2.0 */
/* Tails of normals: how many samples lie beyond 2, 3, 4 and 5 sigma on each side, against the normal distribution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "both.h"

enum { CHUNK = 1 << 18, SIGMAS = 4 /* 2 to 5 */ };

struct counts {
	uint64_t above[SIGMAS], below[SIGMAS];
	double least, most;
};

static void count_samples(struct counts *counts, const double *x)
{
	for (size_t i = 0; i < CHUNK; i++) {
		uint64_t *const side = x[i] < 0 ? counts->below : counts->above;

		for (int k = 0; k < SIGMAS && fabs(x[i]) > 2 + k; k++)
			side[k]++;
		counts->least = x[i] < counts->least ? x[i] : counts->least;
		counts->most = x[i] > counts->most ? x[i] : counts->most;
	}
}

/* 5 standard deviations, and 3 more for the few of a far tail: a right generator fails once in a million. The seed is fixed. */
static void judge(const char *what, const char *side, const uint64_t counts[SIGMAS], double n)
{
	for (int k = 0; k < SIGMAS; k++) {
		const double expected = n * erfc((2 + k) * M_SQRT1_2) / 2;

		if (fabs((double)counts[k] - expected) > 5 * sqrt(expected) + 3)
			fail_msg("%s: %llu of %.0f samples are %s %d sigma, expected %.1f", what, (unsigned long long)counts[k], n, side, 2 + k,
				 expected);
	}
}

static void check_method(struct trnsci_session *session, const char *method, enum trnsci_dtype dtype)
{
	const uint64_t n = (uint64_t)CHUNK << (getenv("TRNSCI_FULL") ? 11 : 6);
	const struct trnsci_param params[] = {trnsci_param_text("method", method), trnsci_param_end()};
	struct trnsci_source source = trnsci_source_seed(31);
	struct counts counts = {.least = 0};
	double *x = malloc(CHUNK * sizeof *x);
	float *narrow = malloc(CHUNK * sizeof *narrow);
	char what[64];

	for (; source.offset < n; source.offset += CHUNK) {
		void *const out = dtype == TRNSCI_F64 ? (void *)x : narrow;

		assert_int_equal(trnsci_draw_array(session, "normal", params, &source, dtype, CHUNK, out, NULL, NULL), 0);
		for (size_t i = 0; dtype == TRNSCI_F32 && i < CHUNK; i++)
			x[i] = (double)narrow[i];
		count_samples(&counts, x);
	}
	snprintf(what, sizeof what, "%s %s", method, trnsci_dtype_name(dtype));
	printf("# %s: %llu samples, %.3f to %.3f; beyond 5 sigma %llu and %llu\n", what, (unsigned long long)n, counts.least, counts.most,
	       (unsigned long long)counts.below[SIGMAS - 1], (unsigned long long)counts.above[SIGMAS - 1]);
	judge(what, "below", counts.below, (double)n);
	judge(what, "above", counts.above, (double)n);
	free(x);
	free(narrow);
}

static void normals(void **state)
{
	struct trnsci_session *session = open_at("embedded:");

	(void)state;
	check_method(session, "boxmuller", TRNSCI_F32);
	check_method(session, "boxmuller64", TRNSCI_F32);
	check_method(session, "boxmuller", TRNSCI_F64);
	trnsci_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(normals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
