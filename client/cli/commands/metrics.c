/* SPDX-License-Identifier: Apache-2.0 */
/* metrics: the daemon's figures in the text format of Prometheus, version 0.0.4; names and units by its conventions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "options/options.h"
#include "printable.h"

/* What the figures of `daemon` in the reply of stats are, as trnsci-protocol(7) says it; gauges go down again. */
static const struct counter {
	const char *name, *help;
	bool is_gauge;
} counters[] = {
	{"connections_accepted", "Connections accepted.", false},
	{"connections_refused", "Connections refused for a limit.", false},
	{"sessions", "Sessions now.", true},
	{"requests", "Requests read.", false},
	{"requests_prepared", "Requests that were runs of prepared calls.", false},
	{"errors", "Requests answered with an error.", false},
	{"slow_requests", "Requests that took longer than slow_us.", false},
	{"cancelled", "Requests that a client cancelled.", false},
	{"notifications_ignored", "Notifications of clients, which are ignored.", false},
	{"bad_frames", "Connections closed for bytes that are not a message.", false},
	{"strange_fds", "Connections closed for unexpected file descriptors.", false},
	{"over_limit", "Connections closed for messages beyond a limit.", false},
	{"half_frames", "Connections closed for a message that was not completed in time.", false},
	{"unread", "Connections closed for unread replies.", false},
	{"rings", "Noise rings now.", true},
	{"broadcasts", "Broadcasts now.", true},
	{"ring_wakes", "Wake-ups of a ring's producer by its client.", false},
	{"rings_detached", "Rings that the daemon ended.", false},
	{"queues", "Queues now.", true},
	{"queue_runs", "Runs of prepared calls that came through a queue.", false},
	{"queue_kicks", "Notifications of clients that entries were submitted.", false},
	{"queue_wakes", "Clients woken for completions.", false},
	{"sender_replies", "Messages that the sender's thread sent, of a crowd of clients.", false},
	{"bad_queues", "Connections closed for a queue whose words break its rules.", false},
	{"bytes_received", "Bytes of messages read.", false},
	{"bytes_sent", "Bytes of messages sent.", false},
};

/* Returns the value of a label, and cuts a long one: a quote or a backslash would end it, or begin an escape. */
static const char *label(const char *text, size_t size, char room[static PRINTABLE_ROOM])
{
	printable(text, size, room);
	for (char *at = room; *at; at++)
		if (*at == '"' || *at == '\\')
			*at = '?';
	return room;
}

static bool is_metric_name(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", text[i]) || !text[i])
			return false;
	return size > 0;
}

static void print_heading(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_one(FILE *out, const char *name, const char *type, const char *help, double value)
{
	print_heading(out, name, type, help);
	fprintf(out, "%s %.17g\n", name, value);
}

/* Returns the row of a figure; of one that only a newer daemon has, a counter's. */
static struct counter find_counter(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		if (strlen(counters[i].name) == size && memcmp(counters[i].name, name, size) == 0)
			return counters[i];
	return (struct counter){.help = "A figure that this trnsci-cli does not know."};
}

/* Every counter of the daemon that is an integer, by its name in the reply of stats. */
static void print_counters(FILE *out, const struct trnsci_value *daemon)
{
	static const char pid[] = "pid";
	char name[96];

	for (size_t i = 0; i < trnsci_value_count(daemon); i++) {
		size_t size = 0;
		const char *at = trnsci_value_name_at(daemon, i, &size);
		const bool is_pid = size == sizeof pid - 1 && memcmp(at, pid, size) == 0;
		const struct counter counter = find_counter(at, size);
		double value = 0;

		if (is_pid || trnsci_value_kind(trnsci_value_at(daemon, i)) != TRNSCI_UINT || !is_metric_name(at, size))
			continue;
		trnsci_value_to_f64(trnsci_value_at(daemon, i), &value);
		snprintf(name, sizeof name, "trnscid_%.*s%s", (int)size, at, counter.is_gauge ? "" : "_total");
		print_one(out, name, counter.is_gauge ? "gauge" : "counter", counter.help, value);
	}
}

static void print_latencies(FILE *out, const struct trnsci_value *latency)
{
	static const char name[] = "trnscid_request_duration_seconds";

	print_heading(out, name, "summary", "Time of requests from reading to reply, by class of method, since the start.");
	for (size_t i = 0; i < trnsci_value_count(latency); i++) {
		char name_room[PRINTABLE_ROOM];
		struct latency_row row;

		latency_row(latency, i, &row);
		const char *class = label(row.name, (size_t)row.name_size, name_room);
		const struct {
			const char *quantile;
			double us;
		} times[] = {{"0.5", row.p50_us}, {"0.99", row.p99_us}, {"0.999", row.p999_us}};

		for (size_t j = 0; j < sizeof times / sizeof *times; j++)
			fprintf(out, "%s{class=\"%s\",quantile=\"%s\"} %.9g\n", name, class, times[j].quantile,
				times[j].us * 1e-6);
		fprintf(out, "%s_sum{class=\"%s\"} %.17g\n%s_count{class=\"%s\"} %" PRIu64 "\n", name, class, row.total_us * 1e-6, name,
			class, row.n_requests);
	}
}

static void print_lanes(FILE *out, const struct trnsci_value *lanes)
{
	static const struct {
		const char *name, *help, *figure;
		double unit;
	} columns[] = {
		{"trnscid_lane_busy_seconds_total", "Time that a lane computed.", "busy_ns", 1e-9},
		{"trnscid_lane_chunks_total", "Chunks that a lane computed.", "chunks", 1},
		{"trnscid_lane_words_total", "Random words that a lane drew.", "words", 1},
	};

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		print_heading(out, columns[i].name, "counter", columns[i].help);
		for (size_t lane = 0; lane < trnsci_value_count(lanes); lane++)
			fprintf(out, "%s{lane=\"%zu\"} %.17g\n", columns[i].name, lane,
				figure_f64(trnsci_value_at(lanes, lane), columns[i].figure) * columns[i].unit);
	}
}

/* What sessions hold of each limit, and the limit; bytes and numbers as the setting counts them. */
static void print_quotas(FILE *out, const struct trnsci_value *quota)
{
	static const char *const columns[][3] = {
		{"trnscid_quota_used", "used", "What all sessions hold of a host-wide limit, by the name of its setting."},
		{"trnscid_quota_limit", "total", "The limit."},
	};

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		print_heading(out, columns[i][0], "gauge", columns[i][2]);
		for (size_t j = 0; j < trnsci_value_count(quota); j++) {
			char room[PRINTABLE_ROOM];
			size_t size = 0;
			const char *setting = trnsci_value_name_at(quota, j, &size);

			fprintf(out, "%s{setting=\"%s\"} %.17g\n", columns[i][0], label(setting, size, room),
				figure_f64(trnsci_value_at(quota, j), columns[i][1]));
		}
	}
}

static void print_metrics(FILE *out, const struct trnsci_value *stats)
{
	const struct trnsci_value *daemon = trnsci_value_get(stats, "daemon"), *engine = trnsci_value_get(stats, "engine");
	const struct trnsci_value *streams = trnsci_value_get(daemon, "named_streams"), *plans = trnsci_value_get(engine, "plans");
	char room[PRINTABLE_ROOM];
	size_t size = 0;
	const char *version = trnsci_value_to_bytes(trnsci_value_get(daemon, "version"), &size);

	print_heading(out, "trnscid_build_info", "gauge", "The daemon's version.");
	fprintf(out, "trnscid_build_info{version=\"%s\"} 1\n", label(version, size, room));
	print_one(out, "trnscid_uptime_seconds", "gauge", "Time since the start.", figure_f64(daemon, "uptime_s"));
	print_counters(out, daemon);
	print_latencies(out, trnsci_value_get(daemon, "latency"));
	print_one(out, "trnscid_named_streams", "gauge", "Named streams.", figure_f64(streams, "streams"));
	print_one(out, "trnscid_named_streams_trouble", "gauge", "1 where the state of named streams cannot be used.",
		  trnsci_value_kind(trnsci_value_get(streams, "trouble")) == TRNSCI_TEXT);
	print_one(out, "trnscid_threads", "gauge", "Threads of the engine.", figure_f64(engine, "threads"));
	print_one(out, "trnscid_jobs", "gauge", "Jobs that run.", figure_f64(trnsci_value_get(engine, "jobs"), "running"));
	print_one(out, "trnscid_jobs_finished_total", "counter", "Jobs that ended.",
		  figure_f64(trnsci_value_get(engine, "jobs"), "finished"));
	print_one(out, "trnscid_plans", "gauge", "Plans of transforms in the cache.", figure_f64(plans, "count"));
	print_one(out, "trnscid_plans_bytes", "gauge", "Memory of these plans.", figure_f64(plans, "bytes"));
	print_quotas(out, trnsci_value_get(daemon, "quota"));
	print_lanes(out, trnsci_value_get(engine, "lanes"));
}

/* Reads the head of a request, and gives no thought to what it asks for: there is one page. */
static void skip_request(void)
{
	char line[1024];

	while (fgets(line, sizeof line, stdin) && strcmp(line, "\r\n") != 0 && strcmp(line, "\n") != 0)
		;
}

/* The page is made in memory first: an HTTP reply begins with its length. */
static int answer(const struct trnsci_value *stats, bool http)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return complain(EXIT_TRY_AGAIN, "metrics: no memory");
	print_metrics(memory, stats);
	fclose(memory);
	if (http)
		printf("HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\n"
		       "Connection: close\r\n\r\n", size);
	fwrite(text, 1, size, stdout);
	free(text);
	return EXIT_OK;
}

static int metrics(struct cli *cli, const struct options *options)
{
	const bool http = options_get(options, "http");
	struct trnsci_call *call = NULL;
	int code;

	if (http)
		skip_request();
	code = connect_daemon(cli);
	if (code != EXIT_OK && http)
		printf("HTTP/1.0 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nno daemon answers\n");
	if (code != EXIT_OK)
		return code;
	code = ask(cli, "stats", NULL, &call);
	if (code == EXIT_OK)
		code = answer(trnsci_call_reply(call), http);
	trnsci_call_free(call);
	return code;
}

static const struct option_row rows[] = {
	{"http", 0, NULL, "read an HTTP request on standard input and answer it, for a socket of systemd"},
};

const struct command command_metrics = {
	.name = "metrics", .summary = "print figures of the daemon for Prometheus", .usage = "[option ...]",
	.help = "Print the daemon's figures for Prometheus.", .example = "metrics", ROWS(rows), .run = metrics,
};
