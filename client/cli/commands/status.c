/* SPDX-License-Identifier: Apache-2.0 */
/* status: the most important figures of `stats`; with --json, all of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "figures.h"
#include "files/target.h"
#include "options/options.h"
#include "page/page.h"
#include "printable.h"
#include "report.h"

static void print_word(const char *before, const struct trnsci_value *map, const char *name)
{
	char room[PRINTABLE_ROOM];
	const char *text = figure_text(map, name, room);

	if (text)
		printf("%s%s", before, text);
}

/* TRNSCI_CPU may have asked for less than there is, or for more. */
static void print_cpu(const struct trnsci_value *owner)
{
	const struct trnsci_value *cpu = trnsci_value_get(owner, "cpu");
	bool lowered = false;

	print_word("cpu        ", cpu, "level");
	trnsci_value_to_bool(trnsci_value_get(cpu, "lowered"), &lowered);
	if (lowered)
		print_word(", lowered: this CPU lacks ", cpu, "wanted");
	else if (trnsci_value_kind(trnsci_value_get(cpu, "wanted")) == TRNSCI_TEXT)
		print_word(", of ", cpu, "detected");
	putchar('\n');
}

static void print_lanes(const struct trnsci_value *lanes)
{
	size_t busiest = 0, used = 0;
	uint64_t chunks = 0, words = 0;

	for (size_t i = 0; i < trnsci_value_count(lanes); i++) {
		const struct trnsci_value *lane = trnsci_value_at(lanes, i);

		chunks += figure_u64(lane, "chunks");
		words += figure_u64(lane, "words");
		used += figure_u64(lane, "chunks") > 0;
		if (figure_u64(lane, "busy_ns") > figure_u64(trnsci_value_at(lanes, busiest), "busy_ns"))
			busiest = i;
	}
	const struct trnsci_value *lane = trnsci_value_at(lanes, busiest);
	char busy[16], longest[16];

	printf("lanes      %zu of %zu used, %" PRIu64 " chunks, %" PRIu64 " words\n", used, trnsci_value_count(lanes), chunks,
	       words);
	printf("busiest    lane %zu: %" PRIu64 " chunks, %s, the longest %s\n", busiest, figure_u64(lane, "chunks"),
	       time_text((double)figure_u64(lane, "busy_ns") * 1e-3, busy),
	       time_text((double)figure_u64(lane, "longest_ns") * 1e-3, longest));
}

/* Why named streams are refused stands in a line of its own. */
static void print_streams(const struct trnsci_value *streams)
{
	if (!streams)
		return;
	printf("streams    %" PRIu64, figure_u64(streams, "streams"));
	print_word(", state in ", streams, "state_dir");
	print_word("\nTROUBLE    named streams: ", streams, "trouble");
	putchar('\n');
}

/* A line for each class of methods that was asked for. */
static void print_latencies(const struct trnsci_value *latency)
{
	struct latency_row row;
	char name[PRINTABLE_ROOM], p50[16], p99[16], p999[16], most[16];

	for (size_t i = 0; i < trnsci_value_count(latency); i++)
		if (latency_row(latency, i, &row))
			printf("times      %-11s %9" PRIu64 " requests, p50 %s, p99 %s, p999 %s, longest %s\n",
			       printable(row.name, (size_t)row.name_size, name), row.n_requests, time_text(row.p50_us, p50),
			       time_text(row.p99_us, p99), time_text(row.p999_us, p999), time_text(row.max_us, most));
}

static void print_daemon(const struct trnsci_value *daemon)
{
	double uptime = 0;

	trnsci_value_to_f64(trnsci_value_get(daemon, "uptime_s"), &uptime);
	printf("uptime     %.0f s\n", uptime);
	printf("sessions   %" PRIu64 " now, %" PRIu64 " since the start, %" PRIu64 " refused\n",
	       figure_u64(daemon, "sessions"), figure_u64(daemon, "connections_accepted"),
	       figure_u64(daemon, "connections_refused"));
	printf("requests   %" PRIu64 ", %" PRIu64 " answered with an error\n", figure_u64(daemon, "requests"),
	       figure_u64(daemon, "errors"));
	print_latencies(trnsci_value_get(daemon, "latency"));
	const struct trnsci_value *arenas = trnsci_value_get(trnsci_value_get(daemon, "quota"), "arena_total_bytes");

	print_streams(trnsci_value_get(daemon, "named_streams"));
	printf("arenas     %.1f of %.1f MiB\n", (double)figure_u64(arenas, "used") / 0x1p20,
	       (double)figure_u64(arenas, "total") / 0x1p20);
}

static void print_status(struct trnsci_session *session, const struct trnsci_value *stats)
{
	const struct trnsci_value *daemon = trnsci_value_get(stats, "daemon"), *engine = trnsci_value_get(stats, "engine");
	const struct trnsci_value *owner = daemon ? daemon : trnsci_value_get(stats, "process");
	const struct trnsci_value *plans = trnsci_value_get(engine, "plans"), *jobs = trnsci_value_get(engine, "jobs");

	printf("%s %s, pid %" PRIu64, daemon ? "daemon    " : "engine    ", session_address(session),
	       figure_u64(owner, "pid"));
	print_word(", version ", owner, "version");
	putchar('\n');
	print_cpu(owner);
	printf("threads    %" PRIu64 "\n", figure_u64(engine, "threads"));
	if (daemon)
		print_daemon(daemon);
	printf("jobs       %" PRIu64 " running, %" PRIu64 " finished\n", figure_u64(jobs, "running"),
	       figure_u64(jobs, "finished"));
	print_lanes(trnsci_value_get(engine, "lanes"));
	printf("plans      %" PRIu64 ", %.1f of %.1f MiB, %" PRIu64 " hits, %" PRIu64 " misses\n",
	       figure_u64(plans, "count"), (double)figure_u64(plans, "bytes") / 0x1p20, (double)figure_u64(plans, "bound") / 0x1p20,
	       figure_u64(plans, "hits"), figure_u64(plans, "misses"));
}

/* A line for each session. */
static void print_clients(const struct trnsci_value *clients)
{
	printf("%6s %8s %6s %-16s %6s %12s %6s %6s %12s\n", "id", "pid", "uid", "command", "weight", "requests", "jobs", "tiles",
	       "arena bytes");
	for (size_t i = 0; i < trnsci_value_count(clients); i++) {
		const struct trnsci_value *one = trnsci_value_at(clients, i);
		char name[17];

		printf("%6" PRIu64 " %8" PRIu64 " %6" PRIu64 " %-16s %6" PRIu64 " %12" PRIu64 " %6" PRIu64 " %6" PRIu64 " %12" PRIu64 "\n",
		       figure_u64(one, "id"), figure_u64(one, "pid"), figure_u64(one, "uid"), command_name(figure_u64(one, "pid"), name),
		       figure_u64(one, "weight"), figure_u64(one, "requests"), figure_u64(one, "jobs"), figure_u64(one, "tiles"), figure_u64(one, "bytes"));
	}
}

/* Prints bytes in binary units, four figures at most. */
static void print_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double size = (double)bytes;
	size_t unit = 0;

	while (size >= 1000 && unit < 4) {
		size /= 1024;
		unit++;
	}
	printf(" %6.3g %-3s", size, units[unit]);
}

static void print_slow_request(const struct trnsci_value *one)
{
	const bool has_threads = trnsci_value_get(one, "run_us");
	char when[32], name[17], room[PRINTABLE_ROOM];
	const char *method = figure_text(one, "method", room);

	printf("%s  %-16s %9.2f", local_time(figure_f64(one, "time_s"), when), method ? method : "", figure_f64(one, "total_us") * 1e-3);
	if (has_threads) {
		printf(" %9.2f %9.2f", figure_f64(one, "wait_us") * 1e-3, figure_f64(one, "run_us") * 1e-3);
		print_bytes(figure_u64(one, "bytes"));
	} else {
		printf(" %9s %9s %10s", "-", "-", "-");
	}
	printf(" %6" PRIu64 " %8" PRIu64 " %6" PRIu64 " %s", figure_u64(one, "session"), figure_u64(one, "pid"), figure_u64(one, "uid"),
	       command_name(figure_u64(one, "pid"), name));
	print_word("  ", one, "error");
	putchar('\n');
}

static void print_slow(const struct trnsci_value *reply)
{
	const struct trnsci_value *slow = trnsci_value_get(reply, "slow");

	printf("%-19s  %-16s %9s %9s %9s %10s %6s %8s %6s %s\n", "time", "method", "total ms", "wait ms", "run ms", "bytes", "id",
	       "pid", "uid", "command");
	for (size_t i = 0; i < trnsci_value_count(slow); i++)
		print_slow_request(trnsci_value_at(slow, i));
}

/* ---- the page of --html ---- */

enum asked { ASKED_STATS, ASKED_CLIENTS, ASKED_SLOW, ASKED_STREAMS, N_ASKED };

static const char *const methods[N_ASKED] = {"stats", "clients", "slow", "stream_list"};

/* Normal numbers of seed 1, and their spectrum by Welch's method. Returns false if the daemon refuses it: the page then
 * goes without. */
static bool draw_spectrum(struct trnsci_session *session, float spectrum[static PAGE_BINS])
{
	const struct trnsci_source seed = trnsci_source_seed(1);
	const struct trnsci_param how[] = {trnsci_param_u64("nperseg", PAGE_SEGMENT), trnsci_param_end()};
	float *samples = malloc(PAGE_SPECTRUM_SAMPLES * sizeof *samples);
	bool drawn = samples && trnsci_draw_array(session, "normal", NULL, &seed, TRNSCI_F32, PAGE_SPECTRUM_SAMPLES, samples, NULL,
						  NULL) == 0;

	drawn = drawn && trnsci_apply_array(session, "welch", how, trnsci_array_vector(TRNSCI_F32, PAGE_SPECTRUM_SAMPLES, samples),
					    trnsci_array_vector(TRNSCI_F32, PAGE_BINS, spectrum), NULL) == 0;
	free(samples);
	return drawn;
}

static int write_file(const struct page *page, const char *name)
{
	struct target target;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int code;

	if (!memory)
		return complain(EXIT_TRY_AGAIN, "status: no memory for the page");
	page_write(memory, page);
	if (fclose(memory) != 0) {
		free(text);
		return complain(EXIT_TRY_AGAIN, "status: no memory for the page");
	}
	code = target_open(name, &target);
	if (code == EXIT_OK)
		code = target_close(&target, target_write(&target, text, size));
	free(text);
	return code;
}

/* A daemon may have no named streams, or be older than `slow`: only the first two must succeed. */
static int ask_all(struct trnsci_session *session, struct trnsci_call *calls[static N_ASKED])
{
	for (int i = 0; i < N_ASKED; i++) {
		if (trnsci_call_new(session, methods[i], &calls[i]) < 0)
			return complain(EXIT_TRY_AGAIN, "status: no memory for requests");
		if (trnsci_run(calls[i], NULL) < 0 && i <= ASKED_CLIENTS)
			return complain_error(trnsci_call_error(calls[i]), EXIT_USAGE);
	}
	return EXIT_OK;
}

static int write_page(struct trnsci_session *session, const char *file)
{
	struct trnsci_call *calls[N_ASKED] = {NULL};
	float spectrum[PAGE_BINS];
	int code = ask_all(session, calls);

	if (code == EXIT_OK) {
		const struct page page = {
			.address = session_address(session),
			.now = time(NULL),
			.stats = trnsci_call_reply(calls[ASKED_STATS]),
			.clients = trnsci_value_get(trnsci_call_reply(calls[ASKED_CLIENTS]), "clients"),
			.slow = trnsci_call_reply(calls[ASKED_SLOW]),
			.streams = trnsci_value_get(trnsci_call_reply(calls[ASKED_STREAMS]), "streams"),
			.streams_error = trnsci_call_error(calls[ASKED_STREAMS])->text,
			.spectrum = draw_spectrum(session, spectrum) ? spectrum : NULL,
		};

		code = write_file(&page, file);
	}
	for (int i = 0; i < N_ASKED; i++)
		trnsci_call_free(calls[i]);
	return code;
}

/* ---- the command ---- */

enum { MOST_SECONDS = 86400 };

static int report(struct cli *cli, const struct options *options)
{
	const bool clients = options_get(options, "clients"), slow = options_get(options, "slow");
	const bool ends = options_get(options, "disconnect");
	const char *method = ends ? "disconnect" : clients ? "clients" : slow ? "slow" : "stats";
	struct trnsci_call *call = NULL;
	uint64_t id = 0;
	int code = options_u64(options, "disconnect", &id);
	const struct trnsci_param params[] = {ends ? trnsci_param_u64("id", id) : trnsci_param_end(), trnsci_param_end()};

	if (code == EXIT_OK)
		code = ask(cli, method, params, &call);
	if (code == EXIT_OK && cli->json)
		code = report_print(report_of_value(trnsci_call_reply(call)));
	else if (code == EXIT_OK && clients && !ends)
		print_clients(trnsci_value_get(trnsci_call_reply(call), "clients"));
	else if (code == EXIT_OK && slow && !ends)
		print_slow(trnsci_call_reply(call));
	else if (code == EXIT_OK && !ends)
		print_status(cli->session, trnsci_call_reply(call));
	trnsci_call_free(call);
	return code;
}

static int connect_for(struct cli *cli, const struct options *options)
{
	uint64_t seconds = 0;

	if (!options_get(options, "wait"))
		return cli->embedded && !options_get(options, "html") ? connect_session(cli) : connect_daemon(cli);
	if (options_u64(options, "wait", &seconds) != EXIT_OK)
		return EXIT_USAGE;
	if (seconds > MOST_SECONDS)
		return complain(EXIT_USAGE, "--wait: '%s', allowed 0 to %d seconds", options_get(options, "wait"), MOST_SECONDS);
	return await_daemon(cli, seconds);
}

static int status(struct cli *cli, const struct options *options)
{
	const char *page = options_get(options, "html");
	const int code = connect_for(cli, options);

	if (code != EXIT_OK)
		return code;
	return page ? write_page(cli->session, page) : report(cli, options);
}

static const struct option_row rows[] = {
	{"clients", 0, NULL, "list the sessions of this user, for root all, instead"},
	{"slow", 0, NULL, "list the last slow requests of this user, for root of all, instead"},
	{"html", 0, "FILE", "write a page to look at instead: lanes, times, sessions, streams, slow requests"},
	{"disconnect", 0, "ID", "end the session of that id instead"},
	{"wait", 0, "SECONDS", "wait so long for a daemon that is being started"},
};

const struct command command_status = {
	.reports = true, .name = "status", .summary = "figures of the daemon and its engine", .usage = "[option ...]",
	.help = "Figures of the daemon and its engine; with --json, all of them. Exits 69 without a daemon.",
	.example = "--embedded status --json", ROWS(rows), .run = status,
};
