/* SPDX-License-Identifier: Apache-2.0 */
/* ring: random numbers from a noise ring, written out from where the engine put them. Without a count, for as long as
 * somebody reads. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "laws.h"
#include "options.h"
#include "output.h"
#include "progress.h"

enum { DEFAULT_SAMPLES = 1 << 19, LIST_MOST = 4096 };

struct ringing {
	const struct cli *cli;
	const struct options *options;
	const char *name; /* of a stream, or NULL */
	struct trnsci_draw draw;
	enum trnsci_dtype dtype;
	double *list;
	uint64_t count, samples;
	bool endless;
};

/* "1,2,3" */
static int read_list(struct ringing *ringing, const char *name, const char *text)
{
	size_t n = 0;

	ringing->list = calloc(LIST_MOST, sizeof *ringing->list);
	while (ringing->list && n < LIST_MOST) {
		char *end;

		ringing->list[n++] = strtod(text, &end);
		if (end == text || (*end && *end != ','))
			break;
		if (!*end) {
			ringing->draw.list = (struct trnsci_numbers){name, ringing->list, n};
			return EXIT_OK;
		}
		text = end + 1;
	}
	return complain(EXIT_USAGE, "--%s: allowed are at most %d numbers with commas between", name, LIST_MOST);
}

static int add_choice(struct ringing *ringing, const char *name, const char *text)
{
	struct trnsci_choice *at = ringing->draw.choices;

	if (strcmp(name, "generator") == 0) {
		ringing->draw.generator = text;
		return EXIT_OK;
	}
	if (strcmp(name, "dtype") == 0) {
		ringing->dtype = trnsci_dtype_parse(text);
		return ringing->dtype ? EXIT_OK : complain(EXIT_USAGE, "--dtype: '%s' is none", text);
	}
	while (at->name)
		at++;
	if (at == &ringing->draw.choices[sizeof ringing->draw.choices / sizeof *at])
		return complain(EXIT_USAGE, "--%s: more words than a law has", name);
	*at = (struct trnsci_choice){name, text};
	return EXIT_OK;
}

static int add_number(struct ringing *ringing, const char *name, const char *text, bool whole)
{
	struct trnsci_number *at = ringing->draw.numbers;
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end)
		return complain(EXIT_USAGE, "--%s: '%s', takes a number", name, text);
	if (whole && fabs(value) >= 0x1p53) /* as it is written: a double has not all of its digits */
		return add_choice(ringing, name, text);
	while (at->name)
		at++;
	if (at == &ringing->draw.numbers[sizeof ringing->draw.numbers / sizeof *at])
		return complain(EXIT_USAGE, "--%s: more numbers than a law has", name);
	*at = (struct trnsci_number){name, value};
	return EXIT_OK;
}

static bool is_stream_option(const char *name)
{
	return strcmp(name, "seed") == 0 || strcmp(name, "stream") == 0 || strcmp(name, "offset") == 0;
}

/* The law's parameters by their types in the table. */
static int read_parameters(struct ringing *ringing)
{
	struct trnsci_parameter_info parameter;
	int code = EXIT_OK;

	for (size_t i = 0; code == EXIT_OK && trnsci_parameter(ringing->draw.law, i, &parameter) == 0; i++) {
		const char *text = options_get(ringing->options, parameter.name);

		if (!text || is_stream_option(parameter.name))
			continue;
		if (strcmp(parameter.type, "choice") == 0)
			code = add_choice(ringing, parameter.name, text);
		else if (strcmp(parameter.type, "any") == 0)
			code = read_list(ringing, parameter.name, text);
		else
			code = add_number(ringing, parameter.name, text, strcmp(parameter.type, "f64") != 0);
	}
	return code;
}

static int read_options(struct ringing *ringing)
{
	static const char *const of_streams[] = {"seed", "stream", "offset", "generator", "key_layout"};
	const struct options *options = ringing->options;
	int code;

	ringing->name = options_get(options, "name");
	for (size_t i = 0; ringing->name && i < sizeof of_streams / sizeof *of_streams; i++)
		if (options_get(options, of_streams[i]))
			return complain(EXIT_USAGE, "ring: --%s: not with --name, the stream has its own", of_streams[i]);
	ringing->endless = !options_get(options, "count");
	if ((code = options_u64(options, "count", &ringing->count)) != EXIT_OK ||
	    (code = options_u64(options, "samples", &ringing->samples)) != EXIT_OK ||
	    (code = options_u64(options, "seed", &ringing->draw.seed)) != EXIT_OK ||
	    (code = options_u64(options, "stream", &ringing->draw.stream)) != EXIT_OK ||
	    (code = options_u64(options, "offset", &ringing->draw.offset)) != EXIT_OK)
		return code;
	return read_parameters(ringing);
}

/* Where samples of a named stream lie, so that rand can repeat them. */
static void tell_place(const struct ringing *ringing, const struct trnsci_ring_info *info, uint64_t offset, uint64_t n)
{
	const uint64_t words = info->components * (trnsci_dtype_size(info->dtype) == 8 ? 2 : 1);

	if (ringing->cli->verbose)
		fprintf(stderr,
			"%s generator=%s seed=%" PRIu64 " stream=%" PRIu64 " position=%" PRIu64 " n=%" PRIu64 "\n",
			ringing->name, info->generator, info->seed, info->stream, offset * words, n);
}

static int write_samples(const struct ringing *ringing, struct trnsci_ring *ring, const struct trnsci_ring_info *info,
			 struct output *output, struct progress *progress)
{
	const uint64_t most = info->capacity / 4;
	struct trnsci_error err;
	int code = EXIT_OK;

	for (uint64_t at = 0; code == EXIT_OK && (ringing->endless || at < ringing->count);) {
		const uint64_t left = ringing->endless ? most : ringing->count - at, n = left < most ? left : most;
		const void *samples;
		uint64_t offset, run;

		if (trnsci_ring_borrow(ring, n, -1, &samples, &err) < 0)
			return complain_error(&err, EXIT_USAGE);
		/* A quarter of a ring begins on a multiple of a quarter, and so lies in one range. */
		if (ringing->name && trnsci_ring_place(ring, 0, &offset, &run, &err) == 0)
			tell_place(ringing, info, offset, n);
		code = output_write(output, samples, (size_t)(n * info->components));
		trnsci_ring_release(ring, n);
		at += n;
		progress_at(progress, at);
	}
	return code;
}

static int write_out(const struct ringing *ringing, struct trnsci_ring *ring, const struct cli *cli)
{
	struct trnsci_ring_info info;
	struct progress progress;
	struct output output;
	int code = output_open(options_get(ringing->options, "output"), options_get(ringing->options, "format"), &output);

	if (code != EXIT_OK)
		return code;
	trnsci_ring_describe(ring, &info);
	if (ringing->endless && output.format == FORMAT_NPY)
		code = complain(EXIT_USAGE, "ring: -n COUNT is missing, which npy needs");
	else
		code = output_begin(&output, info.dtype, info.components > 1 ? 2 : 1,
				    (uint64_t[]){ringing->count, info.components});
	progress_begin(&progress, cli, ringing->count, "samples");
	if (code == EXIT_OK)
		code = write_samples(ringing, ring, &info, &output, &progress);
	progress_end(&progress);
	return output_close(&output, code);
}

static int attach(const struct ringing *ringing, struct trnsci_session *session, struct trnsci_ring **ret_ring,
		  struct trnsci_error *err)
{
	if (ringing->name)
		return trnsci_ring_attach_stream(session, ringing->name, &ringing->draw, ringing->dtype,
						 ringing->samples, ret_ring, err);
	return trnsci_ring_attach(session, &ringing->draw, ringing->dtype, ringing->samples, ret_ring, err);
}

static int run_law(struct cli *cli, const struct option_set *set, int argc, char **argv)
{
	struct options options;
	struct ringing ringing = {.cli = cli, .options = &options, .samples = DEFAULT_SAMPLES, .draw.law = set->operation};
	struct trnsci_session *session = NULL;
	struct trnsci_ring *ring;
	struct trnsci_error err;
	int code = options_parse(set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands > 0)
		return complain(EXIT_USAGE, "ring: '%s': one word too many", options.operands[0]);
	code = read_options(&ringing);
	if (code == EXIT_OK)
		code = ringing.name ? connect_daemon(cli, 0, &session) : connect_session(cli, 0, &session);
	if (code == EXIT_OK && attach(&ringing, session, &ring, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	else if (code == EXIT_OK) {
		code = write_out(&ringing, ring, cli);
		trnsci_ring_detach(ring);
	}
	trnsci_close(session);
	free(ringing.list);
	return code;
}

int command_ring(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"count", 'n', "COUNT", "samples [as many as are read]"},
		{"name", 0, "NAME", "a named stream to take the samples from; -v tells where they lie"},
		{"samples", 0, "SAMPLES", "samples that the ring holds [524288]"},
		{"output", 'o', "FILE", "where to [stdout]"},
		{"format", 'f', "raw|npy|text|csv", "[npy for a FILE.npy, text on a terminal, raw otherwise]"},
	};
	struct trnsci_operation_info law;
	struct trnsci_parameter_info parameter;
	char usage[128], laws[512];
	bool own_shape = false;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return laws_print("ring");
	laws_list(laws, sizeof laws, ", ");
	if (argc < 2 || !law_find(argv[1], &law))
		return complain(EXIT_USAGE, "ring: '%s': no such law, allowed %s", argc < 2 ? "" : argv[1], laws);
	snprintf(usage, sizeof usage, "ring %s [-n COUNT] [option ...]", law.name);
	for (size_t i = 0; trnsci_parameter(law.name, i, &parameter) == 0; i++)
		own_shape |= strcmp(parameter.name, "dims") == 0;
	const char *const hidden =
		own_shape ? " n dims out rank size u64 timeout_ms " : " n shape out rank size u64 timeout_ms ";
	const struct option_set set = {usage, law.help, rows, sizeof rows / sizeof *rows, law.name, hidden};

	return run_law(cli, &set, argc - 1, argv + 1);
}
