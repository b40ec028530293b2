/* SPDX-License-Identifier: Apache-2.0 */
/* bench: what this host gives, beside what its memory allows. Each figure is the best of several runs: other processes can
 * only make a run slower. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "options/options.h"
#include "report.h"

enum { ALIGNMENT = 1 << 21 };

static const double SECONDS = 0.25; /* of one figure */
#define L2_BYTES ((size_t)1 << 20)
#define MEMORY_BYTES ((size_t)256 << 20)

struct bench {
	const struct cli *cli;
	struct trnsci_session *one, *all; /* embedded engines of one thread, and of as many as CPUs */
	struct trnsci_session *daemon;	  /* NULL: none answers */
	char *in, *out;			  /* MEMORY_BYTES each */
	double fill[2], copy;		  /* bytes a second: memset of L2_BYTES and MEMORY_BYTES, memcpy of half of these */
	struct json_object *report;	  /* NULL: lines */
	int code;
};

/* What is timed; 0, or an error of the library. */
struct work {
	struct trnsci_session *session;
	const char *operation;
	const struct trnsci_param *params;
	struct trnsci_array in, out;
	char *to;
	const char *from; /* NULL: memory is filled */
	size_t bytes;
};

/* Seconds of the fastest run; negative after an error, which is then in bench->code. */
static double time_best(struct bench *bench, int (*run)(const struct work *work, struct trnsci_error *err),
			const struct work *work)
{
	const double end = seconds_now() + SECONDS;
	struct trnsci_error err = {0};
	double best = INFINITY;

	for (int runs = 0; runs < 3 || seconds_now() < end; runs++) {
		const double begin = seconds_now();

		if (run(work, &err) < 0) {
			bench->code = complain_error(&err, EXIT_USAGE);
			return -1;
		}
		best = fmin(best, seconds_now() - begin);
	}
	return best;
}

/* ---- one figure ---- */

/* of: what the figure is a share of, NULL for none. */
static void print_figure(struct bench *bench, const char *what, double figure, const char *unit, double limit, const char *of)
{
	struct json_object *row;

	if (bench->code != EXIT_OK)
		return;
	if (!bench->report) {
		printf("%-52s %9.3g %-9s", what, figure, unit);
		if (of)
			printf(" %3.0f %% of %s", 100 * figure / limit, of);
		putchar('\n');
		fflush(stdout);
		return;
	}
	row = json_object_new_object();
	report_add_text(row, "what", what);
	json_object_object_add(row, "figure", json_object_new_double(figure));
	report_add_text(row, "unit", unit);
	if (of) {
		json_object_object_add(row, "limit", json_object_new_double(limit));
		report_add_text(row, "limit_of", of);
	}
	json_object_array_add(bench->report, row);
}

/* ---- memory ---- */

static int run_memory(const struct work *work, struct trnsci_error *err)
{
	(void)err;
	if (work->from)
		memcpy(work->to, work->from, work->bytes);
	else
		memset(work->to, (int)work->bytes & 1, work->bytes);
	__asm__ volatile("" ::"r"(work->to) : "memory"); /* the bytes are used */
	return 0;
}

static void measure_memory(struct bench *bench)
{
	const struct work small = {.to = bench->out, .bytes = L2_BYTES}, large = {.to = bench->out, .bytes = MEMORY_BYTES};
	const struct work copy = {.to = bench->out, .from = bench->in, .bytes = MEMORY_BYTES};

	bench->fill[0] = (double)L2_BYTES / time_best(bench, run_memory, &small);
	bench->fill[1] = (double)MEMORY_BYTES / time_best(bench, run_memory, &large);
	bench->copy = (double)MEMORY_BYTES / time_best(bench, run_memory, &copy);
	print_figure(bench, "memset, 1 MiB", bench->fill[0] * 1e-9, "GB/s", 0, NULL);
	print_figure(bench, "memset, 256 MiB", bench->fill[1] * 1e-9, "GB/s", 0, NULL);
	print_figure(bench, "memcpy, 256 MiB", bench->copy * 1e-9, "GB/s", 0, NULL);
}

/* ---- draws ---- */

static int run_fill(const struct work *work, struct trnsci_error *err)
{
	return trnsci_draw_array(work->session, work->operation, NULL, NULL, TRNSCI_F32, work->bytes / sizeof(float), work->to,
				 NULL, err);
}

static void measure_draw(struct bench *bench, struct trnsci_session *session, const char *distribution, size_t bytes)
{
	const struct work work = {.session = session, .operation = distribution, .to = bench->out, .bytes = bytes};
	const double limit = bench->fill[bytes > L2_BYTES], time = time_best(bench, run_fill, &work);
	char what[80];

	snprintf(what, sizeof what, "%s f32, %zu MiB, %s", distribution, bytes >> 20,
		 session == bench->one ? "one thread" : "all threads");
	print_figure(bench, what, (double)bytes / time * 1e-9, "GB/s", limit * 1e-9, "memset, one thread");
}

/* ---- transforms ---- */

static int run_transform(const struct work *work, struct trnsci_error *err)
{
	return trnsci_apply_array(work->session, work->operation, work->params, work->in, work->out, err);
}

/* Speed by the customary count of 5 n log2 n operations. */
static void measure_fft(struct bench *bench, struct trnsci_session *session, uint64_t n, uint64_t batch)
{
	const uint64_t shape[2] = {batch, n};
	struct work work = {.session = session, .operation = "fft"};
	char what[80];

	work.in = trnsci_array_of(TRNSCI_C64, 2, shape, bench->in);
	work.out = trnsci_array_of(TRNSCI_C64, 2, shape, bench->out);
	const double time = time_best(bench, run_transform, &work);

	snprintf(what, sizeof what, "fft c64, %" PRIu64 " of length %" PRIu64 ", %s", batch, n,
		 session == bench->one ? "one thread" : "all threads");
	print_figure(bench, what, 5 * (double)n * log2((double)n) * (double)batch / time * 1e-9, "GFlop/s", 0, NULL);
}

/* ---- the daemon ---- */

/* The median of the times of a small request, one after the other. */
static void measure_request(struct bench *bench, const char *what, int (*run)(const struct work *work, struct trnsci_error *err),
			    const struct work *work)
{
	enum { TIMES = 2000 };
	struct trnsci_error err = {0};
	double times[TIMES];

	for (int i = 0; i < TIMES && bench->code == EXIT_OK; i++) {
		const double begin = seconds_now();

		if (run(work, &err) < 0)
			bench->code = complain_error(&err, EXIT_USAGE);
		times[i] = seconds_now() - begin;
	}
	if (bench->code != EXIT_OK)
		return;
	qsort(times, TIMES, sizeof *times, compare_f64);
	print_figure(bench, what, times[TIMES / 2] * 1e6, "us", 0, NULL);
}

static int run_ping(const struct work *work, struct trnsci_error *err)
{
	struct trnsci_call *call = NULL;
	int r = trnsci_call_new(work->session, "ping", &call);

	if (r == 0)
		r = trnsci_run(call, NULL);
	if (r < 0 && call)
		*err = *trnsci_call_error(call);
	trnsci_call_free(call);
	return r;
}

static void measure_daemon(struct bench *bench)
{
	const struct work ping = {.session = bench->daemon};
	const struct work draw = {.session = bench->daemon, .operation = "normal", .to = bench->out, .bytes = 512 * sizeof(float)};
	const struct work large = {.session = bench->daemon, .operation = "normal", .to = bench->out, .bytes = 16 << 20};

	if (!bench->daemon)
		return;
	measure_request(bench, "daemon: ping, round trip", run_ping, &ping);
	measure_request(bench, "daemon: 512 normals, round trip", run_fill, &draw);
	print_figure(bench, "daemon: normals f32, 16 MiB", (double)large.bytes / time_best(bench, run_fill, &large) * 1e-9, "GB/s",
		     bench->copy * 1e-9, "memcpy, one thread");
}

/* ---- the command ---- */

static void measure_all(struct bench *bench)
{
	static const char *const distributions[] = {"uniform", "normal", "exponential"};

	measure_memory(bench);
	for (size_t i = 0; i < 3; i++)
		measure_draw(bench, bench->one, distributions[i], L2_BYTES);
	measure_draw(bench, bench->one, "normal", MEMORY_BYTES);
	measure_draw(bench, bench->all, "uniform", MEMORY_BYTES);
	measure_draw(bench, bench->all, "normal", MEMORY_BYTES);
	measure_fft(bench, bench->one, 64, 1024);
	measure_fft(bench, bench->one, 1024, 64);
	measure_fft(bench, bench->one, 65536, 1);
	measure_fft(bench, bench->one, 1 << 20, 1);
	measure_fft(bench, bench->all, 1 << 20, 1);
	measure_fft(bench, bench->all, 1024, 16384);
	measure_daemon(bench);
}

/* Memory of its own, written once, so that no run meets a fresh page. */
static int prepare(struct bench *bench)
{
	struct trnsci_options one = {.threads = 1}, all = {.threads = bench->cli->threads};
	const struct trnsci_options remote = {.timeout_ms = bench->cli->timeout_ms};
	struct trnsci_error err = {0};
	struct trnsci_source source = {0};

	bench->in = aligned_alloc(ALIGNMENT, MEMORY_BYTES);
	bench->out = aligned_alloc(ALIGNMENT, MEMORY_BYTES);
	if (!bench->in || !bench->out)
		return complain(EXIT_TRY_AGAIN, "bench: no memory for twice %zu MiB", MEMORY_BYTES >> 20);
	memset(bench->out, 1, MEMORY_BYTES);
	if (trnsci_open("embedded:", &one, &bench->one, &err) < 0 || trnsci_open("embedded:", &all, &bench->all, &err) < 0 ||
	    trnsci_draw_array(bench->all, "normal", NULL, &source, TRNSCI_F32, MEMORY_BYTES / sizeof(float), bench->in, NULL,
			      &err) < 0)
		return complain_error(&err, EXIT_USAGE);
	if (bench->cli->embedded)
		return EXIT_OK;
	if (trnsci_open(bench->cli->socket, &remote, &bench->daemon, &err) < 0 &&
	    (bench->cli->socket || err.code != TRNSCI_NO_DAEMON))
		return complain_error(&err, EXIT_USAGE);
	return EXIT_OK;
}

static int run(struct cli *cli, const struct options *options)
{
	struct bench bench = {.cli = cli, .report = cli->json ? json_object_new_array() : NULL};

	(void)options;
	bench.code = prepare(&bench);
	if (bench.code == EXIT_OK)
		measure_all(&bench);
	if (bench.report && bench.code == EXIT_OK)
		report_print(json_object_get(bench.report));
	json_object_put(bench.report);
	trnsci_close(bench.daemon);
	trnsci_close(bench.all);
	trnsci_close(bench.one);
	free(bench.in);
	free(bench.out);
	return bench.code;
}

const struct command command_bench = {
	.reports = true, .name = "bench", .summary = "what this host gives: memory, draws, transforms, the daemon",
	.usage = "[option ...]",
	.help = "Measure this host in about ten seconds: memory, draws, transforms, and the daemon where one answers.",
	.example = "bench --json", .run = run,
};
