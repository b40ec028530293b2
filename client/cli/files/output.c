/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

enum { BUFFER_BYTES = 64 << 10 };

static const struct {
	struct output_format names;
	enum format format;
} formats[] = {
	{{"npy", ".npy"}, FORMAT_NPY}, {{"text", ".txt"}, FORMAT_TEXT}, {{"csv", ".csv"}, FORMAT_CSV}, {{"wav", ".wav"}, FORMAT_WAV},
	{{"flac", ".flac"}, FORMAT_FLAC}, {{"raw", ".raw"}, FORMAT_RAW}, {{"raw", ".bin"}, FORMAT_RAW},
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

/* ---- the format ---- */

bool output_format_at(size_t i, struct output_format *ret)
{
	if (i < N_FORMATS)
		*ret = formats[i].names;
	return i < N_FORMATS;
}

/* A name without an ending says nothing, and neither does a device. */
static int choose_by_ending(const char *name, enum format *ret_format)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');

	*ret_format = FORMAT_RAW;
	if (!dot || dot == base)
		return EXIT_OK;
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(dot, formats[i].names.ending) == 0) {
			*ret_format = formats[i].format;
			return EXIT_OK;
		}
	return complain(EXIT_USAGE, "%s: the ending %s names no format, allowed .npy, .txt, .csv, .wav, .flac, .raw, .bin, or "
			"--format", name, dot);
}

/* Binary on a terminal is refused only when it was asked for: the default there is text. */
static int choose_format(const char *name, const char *format, bool terminal, enum format *ret_format)
{
	if (!format && name)
		return choose_by_ending(name, ret_format);
	if (!format) {
		*ret_format = terminal ? FORMAT_TEXT : FORMAT_RAW;
		return EXIT_OK;
	}
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(format, formats[i].names.name) == 0) {
			*ret_format = formats[i].format;
			if (terminal && *ret_format < FORMAT_TEXT)
				return complain(EXIT_USAGE, "--format: %s to a terminal, allowed text, csv, or -o FILE",
						format);
			return EXIT_OK;
		}
	return complain(EXIT_USAGE, "--format: '%s', allowed raw, npy, text, csv, wav, flac", format);
}

static int choose_named(const char *name, const char *format, enum format *ret_format)
{
	const bool to_stdout = !name || strcmp(name, "-") == 0;

	return choose_format(to_stdout ? NULL : name, format, to_stdout && isatty(STDOUT_FILENO), ret_format);
}

static bool is_sound(enum format format)
{
	return format == FORMAT_WAV || format == FORMAT_FLAC;
}

bool output_needs_count(const struct output *output)
{
	return output->format == FORMAT_NPY || is_sound(output->format);
}

bool output_is_text(const struct output *output)
{
	return output->format >= FORMAT_TEXT;
}

int output_wants_text(const struct options *options, bool *ret_text)
{
	enum format format;
	int code = choose_named(options_get(options, "output"), options_get(options, "format"), &format);

	*ret_text = code == EXIT_OK && format >= FORMAT_TEXT;
	return code;
}

/* A file that does not exist yet will be a regular one. What is appended to takes bytes at its end alone. */
bool output_will_seek(const struct options *options)
{
	const char *name = options_get(options, "output");
	const bool to_stdout = !name || strcmp(name, "-") == 0;
	enum format format;
	struct stat status;

	if (choose_named(name, options_get(options, "format"), &format) != EXIT_OK || format > FORMAT_NPY)
		return false;
	if (to_stdout)
		return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
		       !(fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND);
	return stat(name, &status) < 0 || S_ISREG(status.st_mode);
}

/* ---- opening ---- */

int output_open_named(const char *name, const char *format, struct output *ret_output)
{
	struct output output = {.columns = 1, .audio = {.gain = 1}};
	int code = choose_named(name, format, &output.format);

	if (code != EXIT_OK)
		return code;
	output.buffer = malloc(BUFFER_BYTES);
	if (!output.buffer)
		return complain(EXIT_TRY_AGAIN, "no memory for a buffer");
	code = target_open(name, &output.target);
	if (code != EXIT_OK) {
		free(output.buffer);
		return code;
	}
	*ret_output = output;
	return EXIT_OK;
}

/* A parameter of the operation that is called rate is not the file's. */
static int read_sound(const struct options *options, enum format format, struct audio_settings *ret)
{
	static const char *const names[] = {"encoding", "gain", "normalize", "dither"};
	const char *fs = options_get(options, "fs"), *encoding = options_own(options, "encoding");
	int code = EXIT_OK;

	for (size_t i = 0; i < sizeof names / sizeof *names && !is_sound(format); i++)
		if (options_own(options, names[i]))
			return complain(EXIT_USAGE, "--%s: the result is no sound, allowed with wav and flac", names[i]);
	*ret = (struct audio_settings){.gain = 1, .normalize = options_own(options, "normalize"),
				       .dither = options_own(options, "dither"), .quiet = options->quiet};
	if (is_sound(format))
		code = audio_rate(fs ? fs : options_own(options, "rate"), &ret->format.rate);
	if (code == EXIT_OK)
		code = audio_encoding(encoding, &ret->format.encoding);
	if (code == EXIT_OK && encoding && format == FORMAT_FLAC && strcmp(encoding, "float") == 0)
		code = complain(EXIT_USAGE, "--encoding: 'float' in flac, allowed pcm16, pcm24");
	return code == EXIT_OK ? audio_gain(options_own(options, "gain"), &ret->gain) : code;
}

int output_open(const struct options *options, struct output *ret_output)
{
	const char *name = options_get(options, "output"), *format = options_get(options, "format");
	struct audio_settings audio;
	enum format chosen;
	int code = choose_named(name, format, &chosen);

	if (code == EXIT_OK)
		code = read_sound(options, chosen, &audio);
	if (code == EXIT_OK)
		code = output_open_named(name, format, ret_output);
	if (code == EXIT_OK)
		ret_output->audio = audio;
	return code;
}

void output_set_audio(struct output *output, const struct audio_format *format)
{
	struct audio_format *own = &output->audio.format;

	own->rate = own->rate > 0 ? own->rate : format->rate;
	own->encoding = own->encoding ? own->encoding : format->encoding;
}

double output_stored(const struct output *output, double x, bool *ret_clipped)
{
	*ret_clipped = false;
	return output->writer ? audio_stored(output->writer, x, ret_clipped) : x;
}

/* ---- writing ---- */

static int flush_text(struct output *output)
{
	const size_t used = output->used;

	output->used = 0;
	return target_write(&output->target, output->buffer, used);
}

/* "value" of a vector, "x0,x1,..." of rows; complex columns are pairs. */
static int write_names(struct output *output, size_t ndim)
{
	const bool complex = is_complex(output->dtype);
	char name[64];
	int code = EXIT_OK;

	if (ndim < 2)
		return target_write(&output->target, complex ? "re,im\n" : "value\n", 6);
	for (uint64_t i = 0; i < output->columns && code == EXIT_OK; i++) {
		const char end = i + 1 < output->columns ? ',' : '\n';
		const int size = complex ? snprintf(name, sizeof name, "re%" PRIu64 ",im%" PRIu64 "%c", i, i, end)
					 : snprintf(name, sizeof name, "x%" PRIu64 "%c", i, end);

		if (BUFFER_BYTES - output->used < sizeof name)
			code = flush_text(output);
		memcpy(output->buffer + output->used, name, (size_t)size);
		output->used += (size_t)size;
	}
	return code;
}

static int write_npy_header(struct output *output, size_t ndim, const uint64_t *shape)
{
	struct npy npy = {.dtype = output->dtype, .ndim = ndim};
	char header[512];

	memcpy(npy.shape, shape, ndim * sizeof *shape);
	const size_t size = npy_write(&npy, header, sizeof header);

	if (size == 0)
		return complain(EXIT_USAGE, "--format: npy has no name for %s", trnsci_dtype_name(output->dtype));
	return target_write(&output->target, header, size);
}

/* UINT64_MAX: more. */
static uint64_t shape_bytes(enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape)
{
	uint64_t bytes = trnsci_dtype_size(dtype);

	for (size_t i = 0; i < ndim; i++)
		if (__builtin_mul_overflow(bytes, shape[i], &bytes))
			bytes = shape[i] ? UINT64_MAX : 0;
	return bytes;
}

/* Writes what stands before the elements. */
static int begin_format(struct output *output, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape)
{
	output->dtype = dtype;
	output->columns = ndim >= 2 ? shape[ndim - 1] : 1;
	if (output->format == FORMAT_RAW || output->format == FORMAT_NPY) {
		const int code = target_check_room(&output->target, shape_bytes(dtype, ndim, shape));

		if (code != EXIT_OK)
			return code;
	}
	switch (output->format) {
	case FORMAT_CSV:
		return write_names(output, ndim);
	case FORMAT_NPY:
		return write_npy_header(output, ndim, shape);
	case FORMAT_WAV:
	case FORMAT_FLAC:
		return audio_begin(&output->target, output->format == FORMAT_FLAC ? AUDIO_FLAC : AUDIO_WAV, &output->audio, dtype,
				   ndim, shape, &output->writer);
	default:
		return EXIT_OK;
	}
}

int output_begin(struct output *output, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape)
{
	int code = begin_format(output, dtype, ndim, shape);

	output->begin = code == EXIT_OK ? lseek(output->target.fd, 0, SEEK_CUR) : -1;
	return code;
}

int output_seek(struct output *output, uint64_t at)
{
	const off_t to = output->begin + (off_t)(at * trnsci_dtype_size(output->dtype));

	if (output->begin >= 0 && lseek(output->target.fd, to, SEEK_SET) == to)
		return EXIT_OK;
	return complain(EXIT_IO, "%s: %s", output->target.name, strerror(errno));
}

int output_begin_table(struct output *output, uint64_t columns, const char *names)
{
	output->columns = columns;
	if (output->format != FORMAT_CSV)
		return EXIT_OK;
	int code = target_write(&output->target, names, strlen(names));

	return code == EXIT_OK ? target_write(&output->target, "\n", 1) : code;
}

int output_write_cell(struct output *output, enum trnsci_dtype dtype, const void *element)
{
	const char separator = output->format == FORMAT_CSV ? ',' : ' ';

	if (BUFFER_BYTES - output->used < ELEMENT_CHARS + 1) {
		int code = flush_text(output);

		if (code != EXIT_OK)
			return code;
	}
	const int size = text_print(output->buffer + output->used, dtype, separator, element);

	if (size < 0)
		return complain(EXIT_USAGE, "--format: no text for %s, allowed raw, npy", trnsci_dtype_name(dtype));
	output->used += (size_t)size;
	if (++output->column == output->columns)
		output->column = 0;
	output->buffer[output->used++] = output->column == 0 ? '\n' : separator;
	return EXIT_OK;
}

int output_write(struct output *output, const void *elements, size_t count)
{
	const size_t bytes = trnsci_dtype_size(output->dtype);
	const char *at = elements;
	int code = EXIT_OK;

	if (output->writer)
		return audio_write(output->writer, elements, count);
	if (!output_is_text(output))
		return target_write(&output->target, elements, count * bytes);
	for (size_t i = 0; i < count && code == EXIT_OK; i++)
		code = output_write_cell(output, output->dtype, at + i * bytes);
	return code;
}

int output_write_tile(struct output *output, struct trnsci_session *session, const struct trnsci_tile *tile)
{
	uint64_t restarts = 0;
	int code = tile_begin_read(session, tile, &restarts);

	if (code == EXIT_OK)
		code = output_write(output, trnsci_tile_data(tile), (size_t)tile_info(tile).count);
	return code == EXIT_OK ? tile_end_read(session, restarts, output->target.name) : code;
}

int output_close(struct output *output, int code)
{
	if (output->writer)
		code = audio_end(output->writer, code);
	if (code == EXIT_OK)
		code = flush_text(output);
	free(output->buffer);
	return target_close(&output->target, code);
}
