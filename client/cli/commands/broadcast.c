/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast send, read and list. What a reader misses is printed on stderr, and does not end it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options/options.h"
#include "files/output.h"
#include "printable.h"
#include "rand.h"
#include "report.h"

enum {
	PIECE = 4096,  /* samples of 64 bytes, or more that are smaller, that the buffer holds */
	LOOK_MS = 100, /* between two looks whether the session has another daemon */
};

/* ---- send ---- */

/* The broadcast of the command, which is also one of its readers: the memory of a reader outlasts the daemon, and states how far it
 * came. */
struct sending {
	struct trnsci_session *session;
	const struct options *options;
	const char *name, *distribution;
	struct trnsci_reader *own; /* NULL: its mode does not let the owner read it */
	uint64_t offset;              /* of the next sample to be published, where the broadcast is made again */
	bool again;
};

/* Asks for the broadcast. The options are of two maps: rate, samples, mode and name of the broadcast, all others of its noise. */
static int create(const struct sending *sending)
{
	static const char *const own[] = {"rate", "samples"};
	const struct options *options = sending->options;
	struct trnsci_call *call = NULL;
	int code = EXIT_OK;

	if (trnsci_call_new(sending->session, "broadcast_create", &call) < 0)
		return complain(EXIT_TRY_AGAIN, "broadcast: no memory for a request");
	struct trnsci_args *args = trnsci_call_args(call), *noise = trnsci_set_map(args, "noise");

	trnsci_set(args, trnsci_param_text("name", sending->name));
	trnsci_set(noise, trnsci_param_text("op", sending->distribution));
	for (size_t i = 0; i < sizeof own / sizeof *own && code == EXIT_OK; i++) {
		uint64_t number = 0;

		code = options_u64(options, own[i], &number);
		if (options_get(options, own[i]))
			trnsci_set(args, trnsci_param_u64(own[i], number));
	}
	if (options_get(options, "mode"))
		trnsci_set(args, trnsci_param_text("mode", options_get(options, "mode")));
	if (options_get(options, "name"))
		trnsci_set(args, trnsci_param_text("stream_name", options_get(options, "name")));
	if (code == EXIT_OK)
		code = options_set_parameters(options, noise);
	if (code == EXIT_OK && sending->again && !options_get(options, "name")) {
		trnsci_set(noise, trnsci_param_u64("position", 0));
		trnsci_set(noise, trnsci_param_u64("offset", sending->offset));
	}
	if (code == EXIT_OK && trnsci_run(call, NULL) < 0)
		code = complain_error(trnsci_call_error(call), EXIT_USAGE);
	trnsci_call_free(call);
	return code;
}

/* Makes the broadcast, and reads it, too. */
static int begin_sending(struct sending *sending)
{
	const int code = create(sending);

	trnsci_reader_detach(sending->own);
	sending->own = NULL;
	if (code == EXIT_OK && trnsci_broadcast_attach(sending->session, sending->name, &sending->own, NULL) < 0)
		sending->own = NULL;
	return code;
}

/* The broadcast has ended with its daemon. It goes on at the sample behind the last that readers could see. */
static int send_again(struct sending *sending)
{
	struct trnsci_reader_info info;

	if (sending->own && trnsci_reader_describe(sending->own, &info) == 0) {
		sending->offset = info.offset + info.produced;
		sending->again = true;
	}
	return begin_sending(sending);
}

/* Keeps the session open until the command is interrupted or no daemon comes back: the broadcast ends with its session. The daemon
 * publishes by itself; trnsci_next only waits, since no call is in flight. */
static int hold(struct sending *sending)
{
	struct trnsci_session_info before, info;
	struct trnsci_call *call;
	int code = EXIT_OK;

	trnsci_session_describe(sending->session, &before);
	while (code == EXIT_OK && trnsci_next(sending->session, LOOK_MS, &call, NULL) == -TRNSCI_TIMEOUT) {
		if (trnsci_session_describe(sending->session, &info) < 0)
			break;
		if (info.restarts != before.restarts)
			code = send_again(sending);
		before = info;
	}
	return code == EXIT_OK ? complain(EXIT_NO_DAEMON, "broadcast: the connection is gone") : code;
}

static int send_samples(struct cli *cli, const struct options *options)
{
	struct sending sending = {.options = options, .name = options->name, .distribution = options->command->operation};
	int code;

	if (!options_get(options, "rate"))
		return complain(EXIT_USAGE, "broadcast send: --rate RATE is missing");
	cli->outlasts = true;
	code = connect_daemon(cli);
	sending.session = cli->session;
	if (code == EXIT_OK)
		code = begin_sending(&sending);
	if (code == EXIT_OK)
		code = hold(&sending);
	trnsci_reader_detach(sending.own);
	return code;
}

static const struct option_row send_rows[] = {
	{"rate", 0, "RATE", "samples per second"},
	{"samples", 0, "SAMPLES", "samples that readers may lag behind [65536]"},
	{"name", 0, "NAME", "a named stream to take the samples from"},
	{"mode", 0, "MODE", "who may read it, as a file, octal [0600]"},
};

static const struct command command_send = {
	.name = "broadcast send",
	.summary = "publish samples at a rate until interrupted: broadcast send NAME DIST --rate 48000",
	.usage = "NAME DIST --rate RATE [option ...]", .help = "Publish samples at a rate until interrupted.",
	.example = "broadcast send hiss normal --rate 48000", ROWS(send_rows), .hidden = "rank size", .word = "DIST",
	.kind = "distribution", .category = "draw", .run = send_samples,
};

/* ---- read ---- */

/* Copies at most a quarter of the ring at once, so that a reader which keeps up is seldom overtaken while it copies. What was
 * taken before an error is still written. */
static int read_samples(const struct options *options, struct trnsci_reader *reader, struct output *output)
{
	static _Alignas(64) char samples[PIECE * 64];
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	uint64_t left = UINT64_MAX, piece, restarts = 0, next = 0;
	int code = options_u64(options, "count", &left);

	trnsci_reader_describe(reader, &info);
	piece = sizeof samples / info.sample_bytes;
	if (code == EXIT_OK && piece == 0)
		code = complain(EXIT_USAGE, "broadcast read: samples of %" PRIu64 " bytes are too large", info.sample_bytes);
	if (code == EXIT_OK)
		code = output_begin(output, info.dtype, info.components > 1 ? 2 : 1, (uint64_t[]){left, info.components});
	while (code == EXIT_OK && left > 0) {
		uint64_t n = left < piece ? left : piece;

		n = n < info.capacity / 4 ? n : info.capacity / 4;
		if (trnsci_reader_take(reader, samples, n, -1, &span, &err) < 0)
			code = complain_error(&err, EXIT_USAGE);
		if (span.missed < span.first)
			fprintf(stderr, "trnsci-cli: broadcast: missed samples %" PRIu64 " to %" PRIu64 "\n", span.missed,
				span.first - 1);
		trnsci_reader_describe(reader, &info);
		if (info.restarts != restarts && span.count > 0 && span.missed == span.first && span.offset != next)
			fprintf(stderr, "trnsci-cli: broadcast: it was made again elsewhere, and goes on at sample %" PRIu64 " of stream %"
				PRIu64 " of seed %" PRIu64 "\n", span.offset, info.stream, info.seed);
		restarts = span.count > 0 ? info.restarts : restarts;
		next = span.count > 0 ? span.offset + span.count : next;
		int written = output_write(output, samples, (size_t)(span.count * info.components));
		code = code != EXIT_OK ? code : written;
		left -= span.count;
	}
	return code;
}

static int read_broadcast(struct cli *cli, const struct options *options)
{
	struct trnsci_reader *reader = NULL;
	struct trnsci_error err;
	struct output output;
	int code;

	cli->outlasts = true;
	code = connect_daemon(cli);
	if (code == EXIT_OK && trnsci_broadcast_attach(cli->session, options->operands[0], &reader, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	if (code == EXIT_OK)
		code = output_open(options, &output);
	if (code == EXIT_OK && output_needs_count(&output) && !options_get(options, "count"))
		code = output_close(&output, complain(EXIT_USAGE, "broadcast read: -n COUNT is missing, which npy, wav and flac need"));
	else if (code == EXIT_OK) {
		if (options_get(options, "now"))
			trnsci_reader_seek(reader, UINT64_MAX, NULL);
		code = output_close(&output, read_samples(options, reader, &output));
	}
	trnsci_reader_detach(reader);
	return code;
}

static const struct option_row read_rows[] = {
	{"count", 'n', "COUNT", "samples [as many as come]"},
	{"now", 0, NULL, "begin behind the last sample that was published"},
	OUTPUT_ROWS,
	SOUND_ROWS,
};

static const struct command command_read = {
	.name = "broadcast read", .summary = "read a broadcast: broadcast read NAME -n 1000",
	.usage = "NAME [-n COUNT] [option ...]", .help = "Read a broadcast from its oldest sample on.",
	.example = "broadcast read hiss -n 1000 -f text", ROWS(read_rows), .n_operands = 1, .operands = "names",
	.allowed = "is one", .run = read_broadcast,
};

/* ---- list ---- */

static void print_one(const struct trnsci_value *one)
{
	static const char *const numbers[] = {"uid", "gid", "capacity", "produced"};
	char room[PRINTABLE_ROOM];
	size_t size = 0;
	const char *name = trnsci_value_to_bytes(trnsci_value_get(one, "name"), &size);
	uint64_t mode = 0, number = 0;
	double rate = 0;

	trnsci_value_to_u64(trnsci_value_get(one, "mode"), &mode);
	trnsci_value_to_f64(trnsci_value_get(one, "rate"), &rate);
	printf("%s mode=0%03o rate=%g", printable(name, size, room), (unsigned)mode, rate);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (trnsci_value_to_u64(trnsci_value_get(one, numbers[i]), &number) == 0)
			printf(" %s=%" PRIu64, numbers[i], number);
	printf("\n");
}

static int list(struct cli *cli, const struct options *options)
{
	struct trnsci_call *call = NULL;
	int code = ask(cli, "broadcast_list", NULL, &call);
	const struct trnsci_value *broadcasts = trnsci_value_get(trnsci_call_reply(call), "broadcasts");

	(void)options;
	if (code == EXIT_OK && cli->json)
		code = report_print(report_of_value(broadcasts));
	else
		for (size_t i = 0; code == EXIT_OK && i < trnsci_value_count(broadcasts); i++)
			print_one(trnsci_value_at(broadcasts, i));
	trnsci_call_free(call);
	return code;
}

static const struct command command_list = {
	.reports = true, .name = "broadcast list", .summary = "list the broadcasts that you may read", .usage = "",
	.help = "List the broadcasts that may be read.", .example = "broadcast list", .needs = NEEDS_DAEMON, .run = list,
};

const struct command command_broadcast = {
	.name = "broadcast", .summary = "random numbers drawn once and read by many: broadcast read NAME -n 1000",
	.usage = "COMMAND ...", .help = "Publish random numbers that are drawn once and read by many.", .word = "COMMAND",
	.inner = (const struct command *const[]){&command_send, &command_read, &command_list, NULL},
};
