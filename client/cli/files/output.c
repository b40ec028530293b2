/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go. */
#include "files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 << 10, ELEMENT_CHARS = 64 };

static const char *const format_names[] = {
	[FORMAT_RAW] = "raw",
	[FORMAT_NPY] = "npy",
	[FORMAT_TEXT] = "text",
	[FORMAT_CSV] = "csv",
};

enum { N_FORMATS = sizeof format_names / sizeof *format_names };

/* Binary on a terminal is refused only when it was asked for: the default there is text. */
static int choose_format(const char *name, const char *format, int terminal, enum format *ret_format)
{
	size_t size = name ? strlen(name) : 0;

	if (!format) {
		bool npy = size > 4 && strcmp(name + size - 4, ".npy") == 0;

		*ret_format = npy ? FORMAT_NPY : terminal ? FORMAT_TEXT : FORMAT_RAW;
		return EXIT_OK;
	}
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(format, format_names[i]) == 0) {
			*ret_format = (enum format)i;
			if (terminal && *ret_format <= FORMAT_NPY)
				return complain(EXIT_USAGE, "--format: %s to a terminal, allowed text, csv, or -o FILE",
						format);
			return EXIT_OK;
		}
	return complain(EXIT_USAGE, "--format: '%s', allowed raw, npy, text, csv", format);
}

int output_open(const char *name, const char *format, struct output *ret_output)
{
	bool to_stdout = !name || strcmp(name, "-") == 0;
	struct output output = {.fd = STDOUT_FILENO, .name = to_stdout ? "stdout" : name};
	int code = choose_format(to_stdout ? NULL : name, format, to_stdout && isatty(STDOUT_FILENO), &output.format);

	if (code != EXIT_OK)
		return code;
	if (!to_stdout)
		output.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (output.fd < 0)
		return complain(EXIT_USAGE, "%s: %s", name, strerror(errno));
	output.buffer = malloc(BUFFER_BYTES);
	if (!output.buffer) {
		if (!to_stdout)
			close(output.fd);
		return complain(EXIT_TRY_AGAIN, "%s: no memory for a buffer", output.name);
	}
	*ret_output = output;
	return EXIT_OK;
}

/* SIGPIPE is ignored, so a closed pipe is an error like a full disk. */
static int write_all(struct output *output, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t wrote = write(output->fd, at, size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return complain(EXIT_TRY_AGAIN, "%s: %s", output->name, strerror(wrote < 0 ? errno : ENOSPC));
		at += wrote;
		size -= (size_t)wrote;
	}
	return EXIT_OK;
}

static int flush(struct output *output)
{
	size_t used = output->used;

	output->used = 0;
	return write_all(output, output->buffer, used);
}

int output_begin(struct output *output, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape)
{
	bool complex = dtype == TRNSCI_C64 || dtype == TRNSCI_C128;
	struct npy npy = {.dtype = dtype, .ndim = ndim};
	char header[512];

	output->dtype = dtype;
	if (output->format == FORMAT_CSV)
		return write_all(output, complex ? "re,im\n" : "value\n", 6);
	if (output->format != FORMAT_NPY)
		return EXIT_OK;
	memcpy(npy.shape, shape, ndim * sizeof *shape);
	size_t size = npy_write(&npy, header, sizeof header);

	if (size == 0)
		return complain(EXIT_USAGE, "--format: npy has no name for %s", trnsci_dtype_name(dtype));
	return write_all(output, header, size);
}

/* The value of a number of 16 bits, exactly. */
static double half(enum trnsci_dtype dtype, uint16_t bits)
{
	const int fraction_bits = dtype == TRNSCI_F16 ? 10 : 7, bias = dtype == TRNSCI_F16 ? 15 : 127;
	const int exponent = (bits & 0x7FFF) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
	const int most = 2 * bias + 1;
	double size;

	if (exponent == most)
		size = fraction ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		size = ldexp(fraction, 1 - bias - fraction_bits);
	else
		size = ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
	return bits & 0x8000 ? -size : size;
}

/* float64 needs 17 digits to come back as it was, float32 nine. */
static int print_element(char *to, size_t room, enum trnsci_dtype dtype, char separator, const char *at)
{
	union {
		int8_t i8;
		int32_t i32;
		int64_t i64;
		uint32_t u32;
		uint64_t u64;
		uint16_t u16;
		float f32[2];
		double f64[2];
	} x;

	memcpy(&x, at, trnsci_dtype_size(dtype));
	switch (dtype) {
	case TRNSCI_I8:
		return snprintf(to, room, "%d\n", x.i8);
	case TRNSCI_I32:
		return snprintf(to, room, "%" PRId32 "\n", x.i32);
	case TRNSCI_I64:
		return snprintf(to, room, "%" PRId64 "\n", x.i64);
	case TRNSCI_U32:
		return snprintf(to, room, "%" PRIu32 "\n", x.u32);
	case TRNSCI_U64:
		return snprintf(to, room, "%" PRIu64 "\n", x.u64);
	case TRNSCI_F32:
		return snprintf(to, room, "%.9g\n", (double)x.f32[0]);
	case TRNSCI_F64:
		return snprintf(to, room, "%.17g\n", x.f64[0]);
	case TRNSCI_C64:
		return snprintf(to, room, "%.9g%c%.9g\n", (double)x.f32[0], separator, (double)x.f32[1]);
	case TRNSCI_C128:
		return snprintf(to, room, "%.17g%c%.17g\n", x.f64[0], separator, x.f64[1]);
	case TRNSCI_F16:
	case TRNSCI_BF16:
		return snprintf(to, room, "%.9g\n", half(dtype, x.u16));
	default:
		return -1;
	}
}

int output_write(struct output *output, const void *elements, size_t count)
{
	size_t bytes = trnsci_dtype_size(output->dtype);
	char separator = output->format == FORMAT_CSV ? ',' : ' ';
	const char *at = elements;

	if (output->format <= FORMAT_NPY)
		return write_all(output, elements, count * bytes);
	for (size_t i = 0; i < count; i++) {
		if (BUFFER_BYTES - output->used < ELEMENT_CHARS) {
			int code = flush(output);

			if (code != EXIT_OK)
				return code;
		}
		int size = print_element(output->buffer + output->used, BUFFER_BYTES - output->used, output->dtype,
					 separator, at + i * bytes);

		if (size < 0)
			return complain(EXIT_USAGE, "--format: no text for %s, allowed raw, npy",
					trnsci_dtype_name(output->dtype));
		output->used += (size_t)size;
	}
	return EXIT_OK;
}

int output_write_tile(struct output *output, struct trnsci_session *session, const struct trnsci_tile *tile)
{
	const struct trnsci_tile_info info = tile_info(tile);
	struct trnsci_session_info before, after;
	int code;

	if (trnsci_session_describe(session, &before) < 0)
		return complain(EXIT_NO_DAEMON, "the daemon went before its result was read");
	if (info.lost)
		return complain(EXIT_TRY_AGAIN, "the daemon was restarted before its result was read, which is gone");
	code = output_write(output, trnsci_tile_data(tile), (size_t)info.count);
	if (code == EXIT_OK && (trnsci_session_describe(session, &after) < 0 || after.restarts != before.restarts))
		return complain(EXIT_TRY_AGAIN, "%s: the daemon went while its result was read: what was written is not whole",
				output->name);
	return code;
}

/* What is buffered is lost after an error, as the file is. */
int output_close(struct output *output, int code)
{
	int flushed = code == EXIT_OK ? flush(output) : EXIT_OK;

	free(output->buffer);
	if (close(output->fd) < 0 && code == EXIT_OK && flushed == EXIT_OK)
		return complain(EXIT_TRY_AGAIN, "%s: %s", output->name, strerror(errno));
	return code != EXIT_OK ? code : flushed;
}
