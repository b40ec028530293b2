/* SPDX-License-Identifier: Apache-2.0 */
/* selftest: a line a variant of the kernels, and the daemon held against the embedded engine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options/options.h"
#include "report.h"
#include "suites.h"

enum { SAMPLES = 100000 };

struct table {
	char variant[32];
	char line[1024]; /* names of the checks that passed */
	bool failed, skipped, verbose;
	struct json_object *rows; /* with --json; the lines above are then not used */
};

/* Checks come one by one; a variant's line is printed when the next variant begins. */
static void end_line(struct table *table)
{
	if (*table->variant)
		printf("%-11s %s%s\n", table->variant,
		       table->skipped  ? "skip "
		       : table->failed ? "FAIL "
				       : "ok   ",
		       table->line);
	table->failed = table->skipped = false;
	table->line[0] = '\0';
}

static void report(void *arg, const struct trnsci_check *check)
{
	struct table *table = arg;
	size_t used;

	if (table->rows) {
		suite_add_row(table->rows, check);
		return;
	}
	if (strcmp(table->variant, check->subject) != 0) {
		end_line(table);
		snprintf(table->variant, sizeof table->variant, "%s", check->subject);
	}
	used = strlen(table->line);
	table->failed |= !check->passed;
	table->skipped |= check->skipped;
	if (check->passed && !check->skipped && !table->verbose)
		snprintf(table->line + used, sizeof table->line - used, "%s%s", used ? ", " : "", check->name);
	else
		snprintf(table->line + used, sizeof table->line - used, "%s%s: %s", used ? ", " : "", check->name,
			 check->detail);
}

/* Draws the same samples with both sessions. Returns whether the bytes agree. */
static bool same_bytes(struct trnsci_session *const sessions[2], const char *distribution, enum trnsci_dtype dtype)
{
	const struct trnsci_source source = {.seed = 12345, .stream = 6, .offset = 777};
	size_t bytes = SAMPLES * trnsci_dtype_size(dtype);
	char *samples[2] = {malloc(bytes), malloc(bytes)};
	struct trnsci_error err = {.text = "no memory"};
	bool same = samples[0] && samples[1];

	for (size_t i = 0; i < 2 && same; i++)
		same = trnsci_draw_array(sessions[i], distribution, NULL, &source, dtype, SAMPLES, samples[i], NULL, &err) == 0;
	if (!same)
		complain(EXIT_OK, "%s", err.text);
	else
		same = memcmp(samples[0], samples[1], bytes) == 0;
	free(samples[0]);
	free(samples[1]);
	return same;
}

/* The row of the daemon, in the form of the others. */
static void report_daemon(struct table *table, const char *detail, bool passed, bool skipped)
{
	static const struct trnsci_param no_values[] = {{.kind = TRNSCI_PARAM_END}};

	if (table->rows)
		suite_add_row(table->rows, &(struct trnsci_check){.subject = "daemon", .name = "bytes of the embedded engine",
								  .detail = detail, .values = no_values, .passed = passed,
								  .skipped = skipped});
	else if (skipped)
		printf("%-11s skip %s\n", "daemon", detail);
	else
		printf("%-11s %s%s, the bytes of the embedded engine\n", "daemon", passed ? "ok   " : "FAIL not ", detail);
}

/* Skipped where no daemon answers and none was named. Failed checks, or a negative exit code. */
static int check_daemon(const struct cli *cli, struct table *table)
{
	static const struct {
		const char *distribution;
		enum trnsci_dtype dtype;
	} draws[] = {{"bits", TRNSCI_U32}, {"uniform", TRNSCI_F32}, {"uniform", TRNSCI_F64}, {"normal", TRNSCI_F32}};
	struct trnsci_session *sessions[2] = {NULL, NULL};
	struct trnsci_error err;
	int failed = 0;
	int r = trnsci_open(cli->socket, NULL, &sessions[0], &err);

	if (r == -TRNSCI_NO_DAEMON && !cli->socket) {
		report_daemon(table, "no daemon answers", true, true);
		return 0;
	}
	if (r < 0 || trnsci_open("embedded:", NULL, &sessions[1], &err) < 0) {
		trnsci_close(sessions[0]);
		return -complain_error(&err, EXIT_USAGE);
	}
	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
		failed += !same_bytes(sessions, draws[i].distribution, draws[i].dtype);
	report_daemon(table, session_address(sessions[0]), failed == 0, false);
	trnsci_close(sessions[0]);
	trnsci_close(sessions[1]);
	return failed;
}

static int selftest(struct cli *cli, const struct options *options)
{
	struct table table = {.verbose = cli->verbose};
	uint64_t samples = 0;
	const int code = options_u64(options, "samples", &samples);

	if (code != EXIT_OK)
		return code;
	if (suite_asked(options))
		return suite_print(suite_asked(options), samples, cli->json);
	table.rows = cli->json ? json_object_new_array() : NULL;
	int failed = trnsci_selftest("kernels", NULL, report, &table);

	end_line(&table);
	if (failed < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(failed));
	int daemon = cli->embedded ? 0 : check_daemon(cli, &table);

	if (table.rows)
		report_print(table.rows);

	if (daemon < 0)
		return -daemon;
	if (failed + daemon > 0)
		return complain(EXIT_DATA, "%d checks failed", failed + daemon);
	return EXIT_OK;
}

static const struct option_row rows[] = {
	{"byte-tiles", 0, NULL, "instead: generators on a machine whose integers pass through float32"},
	{"distributions", 0, NULL, "instead: every distribution in ranks, and by every variant of the kernels"},
	{"samples", 0, "N", "of its longest draws [1003]"},
	{"psum", 0, NULL, "instead: what known mistakes in bfloat16 cost a transform"},
	{"fft", 0, NULL, "instead: the error of every precision mode of transforms beside its bound"},
};

const struct command command_selftest = {
	.reports = true, .name = "selftest", .summary = "known answers in every variant of the kernels, on all 128 lanes",
	.usage = "[option ...]",
	.help = "Test known answers with every variant of the kernels, on all 128 lanes; then compare the "
		"daemon, if one answers, with the embedded engine.",
	.example = "selftest -v", ROWS(rows), .run = selftest,
};
