/* SPDX-License-Identifier: Apache-2.0 */
/* An array from a file or stdin. */
#include "files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to size bytes; fewer only at the end. -1 on error. */
static ssize_t read_full(int fd, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, (char *)to + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* The length of the header stands in its prefix, and is bounded before it is read. */
static int read_npy(struct input *input, const unsigned char *prefix)
{
	const char *wrong = NULL;
	unsigned char header[NPY_HEADER_MAX];
	size_t size = npy_header_bytes(prefix, &wrong);

	if (size == 0)
		return complain(EXIT_DATA, "%s: %s", input->name, wrong);
	memcpy(header, prefix, NPY_PREFIX_BYTES);
	ssize_t got = read_full(input->fd, header + NPY_PREFIX_BYTES, size - NPY_PREFIX_BYTES);

	if (got < 0)
		return complain(EXIT_DATA, "%s: %s", input->name, strerror(errno));
	if ((size_t)got < size - NPY_PREFIX_BYTES)
		return complain(EXIT_DATA, "%s: it ends within its npy header", input->name);
	if (npy_parse(header, size, &input->array, &wrong) < 0)
		return complain(EXIT_DATA, "%s: %s", input->name, wrong);
	return EXIT_OK;
}

/* A pipe does not say how long it is: it is read to its end. */
static int read_to_end(struct input *input)
{
	size_t room = 1 << 20;

	for (;;) {
		unsigned char *bigger = realloc(input->held, room);

		if (!bigger)
			return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu bytes", input->name, room);
		input->held = bigger;
		ssize_t got = read_full(input->fd, bigger + input->held_size, room - input->held_size);

		if (got < 0)
			return complain(EXIT_DATA, "%s: %s", input->name, strerror(errno));
		input->held_size += (size_t)got;
		if (input->held_size < room)
			return EXIT_OK;
		room *= 2;
	}
}

/* Rows only when there are several: a raw file of one row is an array of one dimension. */
static int shape_raw(struct input *input, uint64_t bytes, uint64_t row_length)
{
	size_t element = trnsci_dtype_size(input->array.dtype);
	uint64_t count = bytes / element;

	if (bytes % element)
		return complain(EXIT_DATA, "%s: %" PRIu64 " bytes, allowed a multiple of the %zu of %s", input->name,
				bytes, element, trnsci_dtype_name(input->array.dtype));
	if (row_length == 0 || row_length == count) {
		input->array.ndim = 1;
		input->array.shape[0] = count;
		return EXIT_OK;
	}
	if (count % row_length)
		return complain(EXIT_DATA, "%s: %" PRIu64 " elements, allowed a multiple of --length %" PRIu64,
				input->name, count, row_length);
	input->array.ndim = 2;
	input->array.shape[0] = count / row_length;
	input->array.shape[1] = row_length;
	return EXIT_OK;
}

/* A regular file tells its size, so that it need not fit memory; a pipe is held whole. */
static int read_raw(struct input *input, const char *dtype, uint64_t row_length, const unsigned char *start,
		    size_t start_size)
{
	struct stat status;
	off_t at = lseek(input->fd, 0, SEEK_CUR);

	if (!dtype)
		return complain(EXIT_USAGE, "%s: it is not npy: raw input needs --dtype", input->name);
	input->array.dtype = trnsci_dtype_parse(dtype);
	if (!input->array.dtype)
		return complain(EXIT_USAGE, "--dtype: '%s', allowed f32, f64, c64, c128", dtype);
	input->held = malloc(start_size ? start_size : 1);
	if (!input->held)
		return complain(EXIT_TRY_AGAIN, "%s: no memory", input->name);
	if (start_size)
		memcpy(input->held, start, start_size);
	input->held_size = start_size;
	if (at >= 0 && fstat(input->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= at)
		return shape_raw(input, (uint64_t)(status.st_size - at) + start_size, row_length);
	int code = read_to_end(input);

	return code == EXIT_OK ? shape_raw(input, input->held_size, row_length) : code;
}

static int read_start(struct input *input, const char *dtype, uint64_t row_length)
{
	unsigned char prefix[NPY_PREFIX_BYTES];
	ssize_t got = read_full(input->fd, prefix, sizeof prefix);

	if (got < 0)
		return complain(EXIT_DATA, "%s: %s", input->name, strerror(errno));
	if (got == NPY_PREFIX_BYTES && memcmp(prefix, NPY_MAGIC, 6) == 0)
		return read_npy(input, prefix);
	return read_raw(input, dtype, row_length, prefix, (size_t)got);
}

int input_open(const char *name, const char *dtype, uint64_t row_length, struct input *ret_input)
{
	bool from_stdin = strcmp(name, "-") == 0;
	struct input input = {.fd = STDIN_FILENO, .name = from_stdin ? "stdin" : name};
	uint64_t count;

	if (!from_stdin)
		input.fd = open(name, O_RDONLY | O_CLOEXEC);
	if (input.fd < 0)
		return complain(EXIT_DATA, "%s: %s", name, strerror(errno));
	int code = read_start(&input, dtype, row_length);

	if (code == EXIT_OK && !input_count(&input, &count))
		code = complain(EXIT_DATA, "%s: its shape has more than 2^64 elements", input.name);
	if (code != EXIT_OK) {
		input_close(&input);
		return code;
	}
	*ret_input = input;
	return EXIT_OK;
}

int input_read(struct input *input, void *to, size_t size)
{
	size_t held = input->held_size - input->held_at;

	if (held > size)
		held = size;
	if (held > 0)
		memcpy(to, input->held + input->held_at, held);
	input->held_at += held;
	ssize_t got = read_full(input->fd, (char *)to + held, size - held);

	if (got < 0)
		return complain(EXIT_DATA, "%s: %s", input->name, strerror(errno));
	if ((size_t)got < size - held)
		return complain(EXIT_DATA, "%s: it ends before its array does", input->name);
	return EXIT_OK;
}

void input_close(struct input *input)
{
	free(input->held);
	if (input->fd != STDIN_FILENO)
		close(input->fd);
}

bool input_count(const struct input *input, uint64_t *ret_count)
{
	uint64_t bytes = trnsci_dtype_size(input->array.dtype), count = 1;

	for (size_t i = 0; i < input->array.ndim; i++)
		if (__builtin_mul_overflow(count, input->array.shape[i], &count) ||
		    __builtin_mul_overflow(bytes, input->array.shape[i], &bytes))
			return false;
	*ret_count = count;
	return true;
}
