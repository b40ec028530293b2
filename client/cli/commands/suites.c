/* SPDX-License-Identifier: Apache-2.0 */
/* selftest --distributions, --fft, --psum, --byte-tiles: a suite's rows as a table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "suites.h"

/* The value of that name, which the row has. */
static const struct trnsci_param *value(const struct trnsci_check *row, const char *name)
{
	const struct trnsci_param *at = row->values;

	while (strcmp(at->name, name) != 0)
		at++;
	return at;
}

static uint64_t u64(const struct trnsci_check *row, const char *name)
{
	return value(row, name)->value.u64;
}

static double f64(const struct trnsci_check *row, const char *name)
{
	return value(row, name)->value.f64;
}

static const char *verdict(bool passed)
{
	return passed ? "ok" : "FAIL";
}

static void print_psum(void *arg, const struct trnsci_check *row)
{
	(void)arg;
	printf("%-65s n = %-4" PRIu64 " error %.2g\n", row->subject, u64(row, "n"), f64(row, "error"));
}

static void print_distribution(void *arg, const struct trnsci_check *row)
{
	(void)arg;
	printf("%-22s %-5s %016" PRIx64 "  %-4s  %s of %" PRIu64 "%s%s\n", row->name, value(row, "dtype")->value.text,
	       u64(row, "hash"), verdict(value(row, "ranks")->value.boolean),
	       verdict(value(row, "variants")->value.boolean), u64(row, "n_variants"), *row->detail ? "  " : "",
	       row->detail);
}

/* Relative L2 errors against long double, the worse of forward and inverse. */
static void print_fft(void *arg, const struct trnsci_check *row)
{
	(void)arg;
	printf("%-12s %-7s %6" PRIu64 " %9.2g %9.2g %9.2g %9.2g %9.2g %s\n", row->subject, row->name, u64(row, "n"),
	       f64(row, "random"), f64(row, "impulse"), f64(row, "sinusoid"), f64(row, "badly_scaled"),
	       f64(row, "bound"), verdict(row->passed));
}

/* Steps follow the generators, under a heading of their own. */
static void print_byte_tiles(void *arg, const struct trnsci_check *row)
{
	bool *has_steps = arg;

	if (strcmp(row->subject, "steps") != 0) {
		printf("%-13s %-11s %9.4f%% %11" PRIu64 " %9.4f %9.4f %11.1f  %s\n", row->subject, row->name,
		       100 * (double)u64(row, "n_right") / (double)u64(row, "n_words"), u64(row, "n_before_wrong"),
		       f64(row, "mean_low"), f64(row, "mean_high"), f64(row, "chi_square"), verdict(row->passed));
		return;
	}
	if (!*has_steps)
		printf("\n%-13s %12s %12s\n", "step", "largest", "bound");
	*has_steps = true;
	printf("%-13s %12" PRIu64 " %12" PRIu64 "%s\n", row->name, u64(row, "largest"), u64(row, "bound"),
	       u64(row, "bound") > 1 << 24 ? "  (beyond 2^24, exact no more)" : "");
}

static void head_distributions(void)
{
	printf("%-22s %-5s %-16s  %-4s  %s\n", "distribution", "dtype", "hash", "ranks", "variants");
}

static void head_fft(void)
{
	printf("%-12s %-7s %6s %9s %9s %9s %9s %9s\n", "precision", "kind", "n", "random", "impulse", "sinusoid",
	       "1e+-30", "bound");
}

static void head_byte_tiles(void)
{
	printf("Generators on a machine whose 32-bit integers pass through float32. Threefry's words live as four "
	       "byte\n"
	       "tiles, Philox's as whole words. Means are of 24 bits x 2^-24, right ones 0.5; chi-square of the low "
	       "24\n"
	       "bits has 255 degrees of freedom. The conversions are a model: no machine's figures are claimed.\n\n");
	printf("%-13s %-11s %10s %11s %9s %9s %11s\n", "generator", "conversion", "right", "right first", "mean low",
	       "mean high", "chi-square");
}

static const struct suite {
	const char *option, *name;
	void (*head)(void);
	void (*print)(void *arg, const struct trnsci_check *row);
} suites[] = {
	{"distributions", "distributions", head_distributions, print_distribution},
	{"fft", "fft", head_fft, print_fft},
	{"psum", "psum", NULL, print_psum},
	{"byte-tiles", "byte_tiles", head_byte_tiles, print_byte_tiles},
};

const struct suite *suite_asked(const struct options *options)
{
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		if (options_get(options, suites[i].option))
			return &suites[i];
	return NULL;
}

static struct json_object *report_of_param(const struct trnsci_param *param)
{
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
		return json_object_new_uint64(param->value.u64);
	case TRNSCI_PARAM_F64:
		return json_object_new_double(param->value.f64);
	case TRNSCI_PARAM_BOOL:
		return json_object_new_boolean(param->value.boolean);
	default:
		return param->kind == TRNSCI_PARAM_TEXT ? json_object_new_string(param->value.text) : NULL;
	}
}

void suite_add_row(void *arg, const struct trnsci_check *row)
{
	struct json_object *report = json_object_new_object();

	report_add_text(report, "subject", row->subject);
	report_add_text(report, "name", row->name);
	json_object_object_add(report, "passed", json_object_new_boolean(row->passed));
	json_object_object_add(report, "skipped", json_object_new_boolean(row->skipped));
	report_add_text(report, "detail", row->detail);
	for (const struct trnsci_param *at = row->values; at && at->kind != TRNSCI_PARAM_END; at++)
		json_object_object_add(report, at->name, report_of_param(at));
	json_object_array_add(arg, report);
}

/* Runs the suite: with --json every row is an object of one list. */
static int run_suite(const struct suite *suite, const struct trnsci_param *options, bool json)
{
	struct json_object *rows = json ? json_object_new_array() : NULL;
	bool has_steps = false;
	int failed;

	if (suite->head && !json)
		suite->head();
	failed = trnsci_selftest(suite->name, options, json ? suite_add_row : suite->print, json ? (void *)rows : (void *)&has_steps);
	if (json)
		report_print(rows);
	return failed;
}

int suite_print(const struct suite *suite, uint64_t samples, bool json)
{
	const struct trnsci_param options[] = {samples ? trnsci_param_u64("samples", samples) : trnsci_param_end(),
					       trnsci_param_end()};
	const int failed = run_suite(suite, options, json);

	if (failed < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(failed));
	return failed ? complain(EXIT_DATA, "selftest: %d rows of %s failed", failed, suite->name) : EXIT_OK;
}
