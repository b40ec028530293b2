/* SPDX-License-Identifier: Apache-2.0 */
/* status: what `stats` says, for people; with --json, all of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options/options.h"

/* ---- all of it ---- */

static void print_text(const char *text, size_t size)
{
	putchar('"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20)
			printf("\\u%04x", c);
		else if (c == '"' || c == '\\')
			printf("\\%c", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_scalar(const struct trnsci_value *value)
{
	size_t size = 0;
	const char *text = trnsci_to_bytes(value, &size);
	uint64_t u;
	int64_t i;
	double real;
	bool yes = false;

	switch (trnsci_kind(value)) {
	case TRNSCI_BOOL:
		trnsci_to_bool(value, &yes);
		printf(yes ? "true" : "false");
		break;
	case TRNSCI_UINT:
		if (trnsci_to_u64(value, &u) == 0)
			printf("%" PRIu64, u);
		break;
	case TRNSCI_INT:
		if (trnsci_to_i64(value, &i) == 0)
			printf("%" PRId64, i);
		break;
	case TRNSCI_REAL:
		if (trnsci_to_f64(value, &real) == 0)
			printf("%.17g", real);
		break;
	default:
		if (text)
			print_text(text, size);
		else
			printf("null");
	}
}

/* Recursion is bounded by the depth that the wire allows. */
static void print_json(const struct trnsci_value *value, int depth)
{
	bool map = trnsci_kind(value) == TRNSCI_MAP, list = trnsci_kind(value) == TRNSCI_LIST;

	if (!map && !list) {
		print_scalar(value);
		return;
	}
	putchar(map ? '{' : '[');
	for (size_t i = 0; i < trnsci_count(value); i++) {
		size_t size = 0;

		printf("%s\n%*s", i ? "," : "", 2 * depth + 2, "");
		if (map) {
			const char *name = trnsci_name_at(value, i, &size);

			print_text(name, size);
			printf(": ");
		}
		print_json(trnsci_at(value, i), depth + 1);
	}
	printf("\n%*s%c", 2 * depth, "", map ? '}' : ']');
}

/* ---- the figures that matter ---- */

/* A figure that is missing is 0: an older daemon may not have it. */
static uint64_t number(const struct trnsci_value *map, const char *name)
{
	uint64_t value = 0;

	trnsci_to_u64(trnsci_get(map, name), &value);
	return value;
}

static void print_word(const char *before, const struct trnsci_value *value)
{
	size_t size = 0;
	const char *text = trnsci_to_bytes(value, &size);

	if (text)
		printf("%s%.*s", before, (int)size, text);
}

/* TRNSCI_CPU may have asked for less than there is, or for more. */
static void print_cpu(const struct trnsci_value *owner)
{
	const struct trnsci_value *cpu = trnsci_get(owner, "cpu");
	bool lowered = false;

	print_word("cpu        ", trnsci_get(cpu, "level"));
	trnsci_to_bool(trnsci_get(cpu, "lowered"), &lowered);
	if (lowered)
		print_word(", lowered: this CPU lacks ", trnsci_get(cpu, "wanted"));
	else if (trnsci_kind(trnsci_get(cpu, "wanted")) == TRNSCI_TEXT)
		print_word(", of ", trnsci_get(cpu, "detected"));
	putchar('\n');
}

static void print_lanes(const struct trnsci_value *lanes)
{
	size_t busiest = 0, used = 0;
	uint64_t chunks = 0, words = 0;

	for (size_t i = 0; i < trnsci_count(lanes); i++) {
		const struct trnsci_value *lane = trnsci_at(lanes, i);

		chunks += number(lane, "chunks");
		words += number(lane, "words");
		used += number(lane, "chunks") > 0;
		if (number(lane, "busy_ns") > number(trnsci_at(lanes, busiest), "busy_ns"))
			busiest = i;
	}
	const struct trnsci_value *lane = trnsci_at(lanes, busiest);

	printf("lanes      %zu of %zu used, %" PRIu64 " chunks, %" PRIu64 " words\n", used, trnsci_count(lanes), chunks,
	       words);
	printf("busiest    lane %zu: %" PRIu64 " chunks, %.3f ms, the longest %.1f us\n", busiest,
	       number(lane, "chunks"), (double)number(lane, "busy_ns") * 1e-6,
	       (double)number(lane, "longest_ns") * 1e-3);
}

static void print_daemon(const struct trnsci_value *daemon)
{
	double uptime = 0;

	trnsci_to_f64(trnsci_get(daemon, "uptime_s"), &uptime);
	printf("uptime     %.0f s\n", uptime);
	printf("sessions   %" PRIu64 " now, %" PRIu64 " since the start, %" PRIu64 " refused\n",
	       number(daemon, "sessions"), number(daemon, "connections_accepted"),
	       number(daemon, "connections_refused"));
	printf("requests   %" PRIu64 ", %" PRIu64 " answered with an error\n", number(daemon, "requests"),
	       number(daemon, "errors"));
	const struct trnsci_value *arenas = trnsci_get(trnsci_get(daemon, "quota"), "arena_total_bytes");

	printf("arenas     %.1f of %.1f MiB\n", (double)number(arenas, "used") / 0x1p20,
	       (double)number(arenas, "total") / 0x1p20);
}

static void print_status(struct trnsci_session *session, const struct trnsci_value *stats)
{
	const struct trnsci_value *daemon = trnsci_get(stats, "daemon"), *engine = trnsci_get(stats, "engine");
	const struct trnsci_value *owner = daemon ? daemon : trnsci_get(stats, "process");
	const struct trnsci_value *plans = trnsci_get(engine, "plans"), *jobs = trnsci_get(engine, "jobs");

	printf("%s %s, pid %" PRIu64, daemon ? "daemon    " : "engine    ", session_address(session),
	       number(owner, "pid"));
	print_word(", version ", trnsci_get(owner, "version"));
	putchar('\n');
	print_cpu(owner);
	printf("threads    %" PRIu64 "\n", number(engine, "threads"));
	if (daemon)
		print_daemon(daemon);
	printf("jobs       %" PRIu64 " running, %" PRIu64 " finished\n", number(jobs, "running"),
	       number(jobs, "finished"));
	print_lanes(trnsci_get(engine, "lanes"));
	printf("plans      %" PRIu64 ", %.1f of %.1f MiB, %" PRIu64 " hits, %" PRIu64 " misses\n",
	       number(plans, "count"), (double)number(plans, "bytes") / 0x1p20, (double)number(plans, "bound") / 0x1p20,
	       number(plans, "hits"), number(plans, "misses"));
}

int command_status(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {{"json", 0, NULL, "everything, as JSON"}};
	static const struct option_set set = {
		"status [option ...]", "Figures of the daemon and its engine.", rows, 1, NULL, NULL};
	struct trnsci_session *session;
	struct trnsci_call *call = NULL;
	struct options options;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	code = connect_session(cli, 0, &session);
	if (code != EXIT_OK)
		return code;
	int r = trnsci_call_new(session, "stats", &call);

	if (r < 0) {
		code = complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	} else if (trnsci_run(call, NULL) < 0) {
		code = complain_error(trnsci_call_error(call), EXIT_USAGE);
	} else if (options_get(&options, "json")) {
		print_json(trnsci_reply(call), 0);
		putchar('\n');
	} else {
		print_status(session, trnsci_reply(call));
	}
	trnsci_call_free(call);
	trnsci_close(session);
	return code;
}
