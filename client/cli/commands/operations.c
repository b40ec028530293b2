/* SPDX-License-Identifier: Apache-2.0 */
/* Every command that applies one operation to arrays from files. The table of operations states inputs, parameters and defaults;
 * a row here states the rules that it does not: what makes an item, how a long one is cut, and what stands in the place of an
 * array. By these rules input of any length takes little memory, but for one item. An item is whole where its bytes need it: one
 * transform, a product, a convolution, and a sum along axes, whose order follows from their lengths. */
#include "operations.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "rules.h"

/* ---- inputs ---- */

/* The files of the required tiles are operands, in the order of the table. */
static int open_input(struct pieces *pieces, const char *name, const char *file)
{
	struct input *input = &pieces->inputs[pieces->n_inputs];
	uint64_t count, bytes, row = 0;
	int code = pieces->rules->read_row ? pieces->rules->read_row(pieces->options, &row) : EXIT_OK;

	if (code == EXIT_OK)
		code = input_open(file, options_get(pieces->options, "dtype"), row, input);
	if (code != EXIT_OK)
		return code;
	pieces->names[pieces->n_inputs++] = name;
	input_make_floating(input);
	if (!input_count(input, &count) || __builtin_mul_overflow(count, trnsci_dtype_size(input->array.dtype), &bytes) ||
	    bytes > SIZE_MAX / 2)
		return complain(EXIT_DATA, "%s: more elements than memory can have", input->name);
	return EXIT_OK;
}

static int open_inputs(struct pieces *pieces)
{
	const struct options *options = pieces->options;
	const struct rules *rules = pieces->rules;
	const char *more = rules->optional ? options_get(options, rules->optional_file) : NULL;
	struct trnsci_parameter_info parameter;
	int code = EXIT_OK;

	for (size_t i = 0; code == EXIT_OK && trnsci_operation_parameter(options->command->operation, i, &parameter) == 0; i++)
		if (strcmp(parameter.type, "tile") == 0 && !parameter.fallback)
			code = open_input(pieces, parameter.name, options->operands[pieces->n_inputs]);
	return code == EXIT_OK && more ? open_input(pieces, rules->optional, more) : code;
}

/* ---- items ---- */

/* Reads the axes that the options, or the defaults of the table, state; n_axes 0: none do, and the engine says what it makes of
 * that. */
static int read_axes(struct pieces *pieces)
{
	const struct options *options = pieces->options;
	const int64_t ndim = pieces->n_inputs ? (int64_t)pieces->inputs[0].array.ndim : 0;
	const char *text = options_value(options, "axes"), *one = options_value(options, "axis");
	int64_t axis;

	if (pieces->n_axes == 0 && text && *text && !options_list(text, -ndim, ndim - 1, pieces->axes, &pieces->n_axes))
		return complain(EXIT_USAGE, "--axes: '%s', allowed up to 8 axes, each %lld to %lld", text, (long long)-ndim,
				(long long)ndim - 1);
	if (one && parse_i64(one, &axis) && axis >= -ndim && axis < ndim)
		pieces->axes[pieces->n_axes++] = axis;
	for (size_t i = 0; i < pieces->n_axes; i++)
		pieces->axes[i] -= pieces->axes[i] < 0 ? 0 : ndim;
	return EXIT_OK;
}

/* An operation on elements takes an input of fewer axes, or of one element, with each of its last axes. */
static size_t count_shared_axes(const struct pieces *pieces)
{
	const struct npy *first = &pieces->inputs[0].array;
	size_t most = 0;

	for (size_t i = 1; i < pieces->n_inputs; i++) {
		const struct npy *other = &pieces->inputs[i].array;
		uint64_t count = 0;

		if (other->ndim >= first->ndim)
			continue;
		input_count(&pieces->inputs[i], &count);
		if (count != 1 && memcmp(other->shape, first->shape + first->ndim - other->ndim, other->ndim * sizeof *other->shape) != 0)
			return first->ndim;
		most = other->ndim > most ? other->ndim : most;
	}
	return most;
}

static void choose_trailing(struct pieces *pieces)
{
	switch (pieces->rules->item) {
	case ITEM_ELEMENT:
		pieces->trailing = count_shared_axes(pieces);
		break;
	case ITEM_LAST_AXIS:
		pieces->trailing = 1;
		break;
	case ITEM_LAST_TWO:
		pieces->trailing = 2;
		break;
	case ITEM_BY_AXES:
		pieces->trailing = pieces->n_axes ? 1 : TRNSCI_MAX_DIMS + 1;
		for (size_t i = 0; i < pieces->n_axes; i++)
			if ((size_t)-pieces->axes[i] > pieces->trailing)
				pieces->trailing = (size_t)-pieces->axes[i];
		break;
	}
}

/* ---- the command ---- */

/* Says which arithmetic ran, and the bound of its error. */
static void report_precision(const struct trnsci_value *reply)
{
	char room[PRINTABLE_ROOM];
	const char *mode = figure_text(reply, "precision", room);

	if (mode && trnsci_value_get(reply, "bound"))
		fprintf(stderr, "trnsci-cli: precision %s, relative error at most %.2g\n", mode, figure_f64(reply, "bound"));
}

static void report_product(const struct trnsci_value *reply)
{
	char room[PRINTABLE_ROOM];
	const char *mode = figure_text(reply, "precision", room);

	if (mode && trnsci_value_get(reply, "bound"))
		fprintf(stderr, "trnsci-cli: precision %s, each element's error at most %.2g of |alpha| ||row of a|| ||column of b|| "
			"+ |beta c|\n", mode, figure_f64(reply, "bound"));
	else if (mode)
		fprintf(stderr, "trnsci-cli: precision %s, no bound below 1 for sums of this length\n", mode);
}

static int run(struct cli *cli, const struct options *options)
{
	struct pieces pieces = {.options = options, .rules = options->command->own};
	int code = open_inputs(&pieces);

	if (code == EXIT_OK && pieces.rules->prepare)
		code = pieces.rules->prepare(&pieces);
	if (code == EXIT_OK)
		code = read_axes(&pieces);
	choose_trailing(&pieces);
	if (code == EXIT_OK)
		code = pieces_run(&pieces, cli);
	if (code == EXIT_OK && pieces.rules->end)
		pieces.rules->end(options);
	for (size_t i = 0; i < pieces.n_inputs; i++)
		input_close(&pieces.inputs[i]);
	return code;
}

/* ---- the commands ---- */

#define DTYPE_ROW(help) {"dtype", 0, "DTYPE", help}

static const struct option_row series_rows[] = {
	OUTPUT_ROWS,
	SOUND_ROWS,
	{"length", 0, "N,...", "pad or trim the (last) axis to N, or each of the axes; of raw input: elements of a row"},
	DTYPE_ROW("raw input: its type, f32, f64, c64, c128; npy input: the result's"),
	{"out-dtype", 0, "DTYPE", "the result's type, complex64 or complex128, real ones too; of dct and dst f32 or f64"},
};
static const struct option_row shift_rows[] = {OUTPUT_ROWS, SOUND_ROWS, DTYPE_ROW("of raw input, one row: f32, f64, c64, c128")};
static const struct option_row noise_rows[] = {
	{"snr", 0, "DB", "power of the signal over that of the noise, in decibels"},
	{"color", 0, "white|pink|brown|blue|violet", "spectrum of the noise [white]"},
	{"exponent", 0, "F64", "density of the noise ~ 1/f^exponent, -4 to 4; give it instead of color"},
	{"seed", 0, "U64", "seed of the noise [0]"},
	{"stream", 0, "U64", "stream of the noise [0]"},
	{"offset", 0, "U64", "samples of that stream to skip [0]"},
	{"generator", 0, "NAME", "generator of the stream [threefry4x32]"},
	DTYPE_ROW("of raw input: f32, f64"),
	OUTPUT_ROWS,
	SOUND_ROWS,
};
static const struct option_row product_rows[] = {
	OUTPUT_ROWS,
	{"addend", 'c', "FILE", "c, which beta multiplies; of the result's shape"},
	DTYPE_ROW("of raw inputs, each one row or column: f32, f64, c64, c128"),
};
static const struct option_row trace_rows[] = {
	DTYPE_ROW("of raw input: f32, f64"),
	{"length", 0, "N", "of raw input: elements of a row"},
};
static const struct option_row signal_rows[] = {
	SOUND_ROWS,
	OUTPUT_ROWS,
	DTYPE_ROW("of raw inputs, each one signal: f32, f64, c64, c128"),
};

enum { N_SIGNAL_ROWS = sizeof signal_rows / sizeof *signal_rows };

/* welch and csd have a parameter fs, and so no row of it; a window has no input, and so no dtype of it. */
#define SIGNAL_ROWS(first, last) .rows = signal_rows + (first), .n_rows = N_SIGNAL_ROWS - (first) - (last)

static const struct rules series_rules = {
	.read_row = lengths_read_row, .prepare = lengths_prepare, .set = lengths_set, .report = report_precision};
static const struct rules axes_rules = {.item = ITEM_BY_AXES}, element_rules = {.item = ITEM_ELEMENT};
static const struct rules noise_rules = {.item = ITEM_ELEMENT, .prepare = noise_prepare, .set = noise_set, .move = noise_move,
					 .look = noise_look, .end = noise_end};
static const struct rules product_rules = {
	.item = ITEM_LAST_TWO, .optional = "c", .optional_file = "addend", .report = report_product};
static const struct rules trace_rules = {.read_row = trace_read_row, .print = trace_print};
static const struct rules stft_rules = {.item = ITEM_LAST_AXIS, .slide = slide_stft, .write_text = spectrum_write_frames};
static const struct rules istft_rules = {.item = ITEM_LAST_TWO, .slide = slide_istft};
static const struct rules welch_rules = {.slide = slide_welch, .write_text = spectrum_write_bins};

#define ONE_INPUT  .usage = "INPUT [option ...]", .n_operands = 1, .operands = "inputs", .allowed = "one: a file or -"
#define TWO_INPUTS .n_operands = 2, .operands = "inputs", .allowed = "two files"

/* of: the operation. */
#define COMMAND(id, of, of_rules, line, text, sample, ...)                                                                         \
	const struct command command_##id = {.name = #id, .summary = line, .help = text, .example = sample, .operation = #of,      \
					     .own = &of_rules, .run = run, __VA_ARGS__}

#define SERIES(id, line, what, sample)                                                                                             \
	COMMAND(id, id, series_rules, line, what " an array from a file, or - for stdin, along its last axis.", sample,            \
		ROWS(series_rows), .hidden = " length dtype ", ONE_INPUT)

SERIES(fft, "transform an array: fft signal.npy -o spectrum.npy", "Transform", "fft signal.npy --real -o spectrum.npy");
SERIES(dct, "cosine transforms: dct signal.npy --type 2 --norm ortho", "Compute the cosine transform of",
       "dct signal.npy --norm ortho -o d.npy");
SERIES(dst, "sine transforms: dst signal.npy", "Compute the sine transform of", "dst signal.npy -o s.npy");

COMMAND(fftshift, fftshift, axes_rules, "frequency 0 to the middle: fftshift spectrum.npy",
	"Move frequency 0 to the middle of each axis, or back.", "fftshift spectrum.npy -o centred.npy", ROWS(shift_rows), ONE_INPUT);
COMMAND(noise, noise_add, noise_rules, "add noise at a stated ratio: noise speech.wav --snr 10 -o noisy.wav",
	"Add normal noise, white or coloured, to a signal; the ratio counts over all of its samples and channels.",
	"noise speech.wav --snr 10 -o noisy.wav", ROWS(noise_rows), .hidden = " sigma noise ", .usage = "INPUT --snr DB [option ...]",
	.n_operands = 1, .operands = "inputs", .allowed = "one: a file or -");
COMMAND(gemm, gemm, product_rules, "multiply matrices: gemm a.npy b.npy -o c.npy",
	"Multiply complex matrices, alpha op(a) op(b) + beta c, or batches of them.",
	"gemm a.npy b.npy --precision ozaki -o product.npy", ROWS(product_rows), .usage = "A B [option ...]", .n_operands = 2,
	.operands = "inputs", .allowed = "two files, a and b");
COMMAND(trace, trace, trace_rules, "estimate a trace: trace matrix.npy --probes 300 --method hutchpp",
	"Estimate the trace of a square matrix from products with random probes; prints the estimate and its standard error.",
	"trace matrix.npy --probes 300 --method hutchpp", ROWS(trace_rows), .reports = true, .usage = "MATRIX [option ...]", .n_operands = 1,
	.operands = "inputs", .allowed = "one file, or - for stdin");
COMMAND(stft, stft, stft_rules, "transform signals frame by frame: stft signal.npy --n-fft 512 --window hann",
	"Transform signals frame by frame, as torch.stft.", "stft signal.npy --n-fft 512 --window hann -o spectra.npy",
	SIGNAL_ROWS(0, 0), .usage = "INPUT --n-fft N [option ...]", .n_operands = 1, .operands = "inputs",
	.allowed = "one: a file or -");
COMMAND(istft, istft, istft_rules, "signals from short-time spectra: istft spectra.npy --n-fft 512 --window hann",
	"Compute signals from short-time spectra, as torch.istft.", "istft spectra.npy --n-fft 512 --window hann -o again.npy",
	SIGNAL_ROWS(0, 0), .usage = "INPUT --n-fft N [option ...]", .n_operands = 1, .operands = "inputs",
	.allowed = "one: a file or -");
COMMAND(convolve, convolve, axes_rules, "convolve signals: convolve signal.npy filter.npy --mode same",
	"Convolve signals along an axis.", "convolve signal.npy filter.npy --mode same -o smooth.npy", SIGNAL_ROWS(0, 0),
	.usage = "A B [option ...]", TWO_INPUTS);
COMMAND(correlate, correlate, axes_rules, "correlate signals: correlate a.npy b.npy", "Correlate signals along an axis.",
	"correlate signal.npy filter.npy -o lags.npy", SIGNAL_ROWS(0, 0), .usage = "A B [option ...]", TWO_INPUTS);
COMMAND(welch, welch, welch_rules, "power spectrum: welch signal.npy --fs 48000",
	"Estimate the power spectrum of signals by Welch's method.", "welch signal.npy --fs 48000 -f csv", SIGNAL_ROWS(1, 0),
	.hidden = " segments ", ONE_INPUT);
COMMAND(csd, csd, welch_rules, "cross power spectrum: csd x.npy y.npy",
	"Estimate the cross power spectrum of two signals by Welch's method.", "csd signal.npy other.npy --fs 48000 -f csv",
	SIGNAL_ROWS(1, 0), .hidden = " segments ", .usage = "X Y [option ...]", TWO_INPUTS);
COMMAND(window, window, axes_rules, "a window by name: window --n 512 --window kaiser", "Compute a window by name.",
	"window --n 512 --window hann -f text", SIGNAL_ROWS(0, 1), .usage = "--n N [option ...]", .n_operands = 0,
	.operands = "inputs", .allowed = "none");
COMMAND(field, field, axes_rules, "a Gaussian random field: field --shape 512,512 --covariance matern --nu 1.5 --length 20",
	"Draw a Gaussian random field on a periodic grid, by its spectrum or its covariance.",
	"field --shape 512,512 --exponent 3 --seed 1 -o field.npy", SIGNAL_ROWS(0, 1), .usage = "--shape N,... [option ...]",
	.n_operands = 0, .operands = "inputs", .allowed = "none");
COMMAND(fgn, fgn, axes_rules, "fractional Gaussian noise: fgn --shape 4096 --hurst 0.7",
	"Draw fractional Gaussian noise, the steps of fractional Brownian motion.", "fgn --shape 4096 --hurst 0.7 -o noise.npy",
	SIGNAL_ROWS(0, 1), .usage = "--shape N --hurst H [option ...]", .n_operands = 0, .operands = "inputs", .allowed = "none");
COMMAND(fbm, fbm, axes_rules, "fractional Brownian motion: fbm --shape 4096 --hurst 0.7",
	"Draw fractional Brownian motion.", "fbm --shape 4096 --hurst 0.7 -o path.npy", SIGNAL_ROWS(0, 1),
	.usage = "--shape N --hurst H [option ...]", .n_operands = 0, .operands = "inputs", .allowed = "none");
COMMAND(surrogate, surrogate, axes_rules, "a signal of the same spectrum: surrogate signal.npy --seed 1",
	"Draw a signal with the spectrum of another, its phases drawn anew.", "surrogate signal.npy --seed 1 -o other.npy",
	ROWS(shift_rows), ONE_INPUT);

/* ---- operations without a row ---- */

enum { MORE_MAX = 40 };

static struct more {
	struct command command;
	char usage[64];
} more[MORE_MAX];

static bool has_command(const struct command *const *commands, const char *operation)
{
	for (size_t i = 0; commands[i]; i++)
		if (commands[i]->operation && strcmp(commands[i]->operation, operation) == 0)
			return true;
	return false;
}

/* Inputs are called as in the table, in capitals. */
static void make_command(const struct trnsci_operation_info *operation, struct more *ret)
{
	static const char *const allowed[] = {"none", "one: a file or -", "two files", "three files"};
	struct trnsci_parameter_info parameter;
	size_t used = 0;
	int n = 0;

	for (size_t i = 0; trnsci_operation_parameter(operation->name, i, &parameter) == 0; i++)
		if (strcmp(parameter.type, "tile") == 0 && !parameter.fallback && n < PIECES_INPUTS) {
			for (const char *at = parameter.name; *at && used + 2 < sizeof ret->usage; at++)
				ret->usage[used++] = (char)toupper((unsigned char)*at);
			ret->usage[used++] = ' ';
			n++;
		}
	snprintf(ret->usage + used, sizeof ret->usage - used, "[option ...]");
	ret->command = (struct command){.name = operation->name,
					.summary = operation->help,
					.usage = ret->usage,
					.help = operation->help,
					ROWS(shift_rows),
					.operation = operation->name,
					.n_operands = n,
					.operands = "inputs",
					.allowed = allowed[n],
					.own = strcmp(operation->category, "elementwise") == 0 ? &element_rules : &axes_rules,
					.run = run};
}

void operations_add(const struct command **commands, size_t n, size_t most)
{
	struct trnsci_operation_info operation;
	size_t n_more = 0;

	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0 && n + 1 < most && n_more < MORE_MAX; i++)
		if ((strcmp(operation.category, "elementwise") == 0 || strcmp(operation.category, "transform") == 0 ||
		     strcmp(operation.category, "signal") == 0) && !has_command(commands, operation.name)) {
			make_command(&operation, &more[n_more]);
			commands[n++] = &more[n_more++].command;
		}
}
