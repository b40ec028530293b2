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

#include "convert.h"
#include "table.h"

/* Audio up to AUDIO_HELD_BYTES is decoded as a whole. */
enum { START_BYTES = 1 << 16, AUDIO_HELD_BYTES = 32 << 20 };

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

bool read_to_end(int fd, size_t most, unsigned char **bytes, size_t *size)
{
	size_t room = 1 << 20;

	for (;; room *= 2) {
		unsigned char *bigger = room > most ? NULL : realloc(*bytes, room);

		errno = bigger ? errno : 0;
		if (!bigger)
			return false;
		*bytes = bigger;
		const ssize_t got = read_full(fd, bigger + *size, room - 1 - *size);

		if (got < 0)
			return false;
		*size += (size_t)got;
		if (*size < room - 1)
			return true;
	}
}

/* A pipe does not say how long it is. */
static int hold_all(struct input *input)
{
	if (read_to_end(input->fd, SIZE_MAX / 2, &input->held, &input->held_size))
		return EXIT_OK;
	return errno ? complain(EXIT_IO, "%s: %s", input->name, strerror(errno))
		     : complain(EXIT_TRY_AGAIN, "%s: no memory for all of it", input->name);
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

/* Gives the bytes of a regular file that are not read yet. */
static bool bytes_left(const struct input *input, uint64_t *ret_bytes)
{
	struct stat status;
	const off_t at = lseek(input->fd, 0, SEEK_CUR);

	if (at < 0 || fstat(input->fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size < at)
		return false;
	*ret_bytes = (uint64_t)(status.st_size - at);
	return true;
}

/* A regular file has a size, so that it need not fit memory; a pipe is held whole. */
static int read_raw(struct input *input, const char *dtype, uint64_t row_length)
{
	uint64_t left;

	input->is_raw = true;
	input->array.dtype = trnsci_dtype_parse(dtype);
	if (!input->array.dtype)
		return complain(EXIT_USAGE, "--dtype: '%s', allowed f32, f64, c64, c128", dtype);
	if (bytes_left(input, &left))
		return shape_raw(input, left + input->held_size, row_length);
	int code = hold_all(input);

	return code == EXIT_OK ? shape_raw(input, input->held_size, row_length) : code;
}

/* ---- npy ---- */

/* Fortran order is turned round in memory. */
static int turn_round(struct input *input)
{
	uint64_t count;
	int code = hold_all(input);

	if (code != EXIT_OK)
		return code;
	if (!input_count(input, &count) || count > SIZE_MAX / input->storage.size ||
	    count * input->storage.size > input->held_size)
		return complain(EXIT_DATA, "%s: it ends before its array does", input->name);
	unsigned char *turned = malloc(count ? (size_t)count * input->storage.size : 1);

	if (!turned)
		return complain(EXIT_TRY_AGAIN, "%s: no memory to put it into C order", input->name);
	convert_order(&input->array, input->storage.size, input->held, turned);
	free(input->held);
	input->held = turned;
	input->held_size = (size_t)count * input->storage.size;
	return EXIT_OK;
}

/* A file that is too short is refused before its array is read; what follows an array is not read, as numpy does. */
static int check_length(const struct input *input)
{
	uint64_t count, left;

	if (!input_count(input, &count) || !bytes_left(input, &left) || count <= left / input->storage.size)
		return EXIT_OK;
	return complain(EXIT_DATA, "%s: it ends before its array does: %" PRIu64 " elements of %u bytes, %" PRIu64 " bytes follow the header",
			input->name, count, input->storage.size, left);
}

/* The length of the header stands in its prefix, and is bounded before it is read. */
static int read_npy(struct input *input)
{
	const char *wrong = NULL;
	unsigned char header[NPY_HEADER_MAX];
	const size_t size = npy_header_bytes(input->held, &wrong);

	if (size == 0)
		return complain(EXIT_DATA, "%s: %s", input->name, wrong);
	memcpy(header, input->held, NPY_PREFIX_BYTES);
	const ssize_t got = read_full(input->fd, header + NPY_PREFIX_BYTES, size - NPY_PREFIX_BYTES);

	input->held_size = 0;
	if (got < 0)
		return complain(EXIT_IO, "%s: %s", input->name, strerror(errno));
	if ((size_t)got < size - NPY_PREFIX_BYTES)
		return complain(EXIT_DATA, "%s: it ends within its npy header", input->name);
	if (npy_parse(header, size, &input->array, &input->storage, &wrong) < 0)
		return complain(EXIT_DATA, "%s: %s", input->name, wrong);
	int code = check_length(input);

	return code == EXIT_OK && input->storage.fortran ? turn_round(input) : code;
}

/* ---- what is decoded as a whole ---- */

/* The decoded array takes the place of what was read. */
static int hold_decoded(struct input *input, void *data)
{
	uint64_t count = 0;

	free(input->held);
	input->held = data;
	input_count(input, &count);
	input->held_size = (size_t)count * trnsci_dtype_size(input->array.dtype);
	return EXIT_OK;
}

static int read_audio(struct input *input)
{
	struct audio_reader *reader;
	void *data = NULL;
	uint64_t count;
	const bool seekable = lseek(input->fd, 0, SEEK_SET) == 0;
	int code = seekable ? EXIT_OK : hold_all(input);

	if (code == EXIT_OK)
		code = audio_open(input->name, seekable ? input->fd : -1, input->held, input->held_size, &reader, &input->array,
				  &input->audio);
	if (code != EXIT_OK)
		return code;
	if (seekable && input_count(input, &count) && count > AUDIO_HELD_BYTES / trnsci_dtype_size(input->array.dtype)) {
		input->held_size = 0;
		input->audio_reader = reader;
		return EXIT_OK;
	}
	code = audio_read(reader, &data);
	audio_close(reader);
	return code == EXIT_OK ? hold_decoded(input, data) : code;
}

static int read_table(struct input *input)
{
	void *data = NULL;
	int code = hold_all(input);

	if (code != EXIT_OK)
		return code;
	if (memchr(input->held, '\0', input->held_size))
		return complain(EXIT_DATA, "%s: it is neither text nor npy nor audio: raw input needs --dtype", input->name);
	input->held[input->held_size] = '\0'; /* there is room */
	code = table_read(input->name, (const char *)input->held, &input->array, &data);
	return code == EXIT_OK ? hold_decoded(input, data) : code;
}

/* ---- opening ---- */

static bool has_ending(const char *name, const char *ending)
{
	const size_t size = strlen(name), length = strlen(ending);

	return size > length && strcmp(name + size - length, ending) == 0;
}

/* Finds the form by the first bytes, then by the name; what has a dtype and no other form is raw. */
static int read_start(struct input *input, const char *dtype, uint64_t row_length)
{
	const bool named_raw = dtype && (has_ending(input->name, ".raw") || has_ending(input->name, ".bin"));
	ssize_t got;

	input->held = malloc(START_BYTES);
	if (!input->held)
		return complain(EXIT_TRY_AGAIN, "%s: no memory", input->name);
	got = read_full(input->fd, input->held, NPY_PREFIX_BYTES);
	if (got < 0)
		return complain(errno == EISDIR ? EXIT_DATA : EXIT_IO, "%s: %s", input->name, strerror(errno));
	input->held_size = (size_t)got;
	if (named_raw)
		return read_raw(input, dtype, row_length);
	if (got == 0)
		return complain(EXIT_DATA, "%s: it is empty", input->name);
	if (got == NPY_PREFIX_BYTES && memcmp(input->held, NPY_MAGIC, 6) == 0)
		return read_npy(input);
	if (audio_is(input->held, input->held_size) || audio_is_name(input->name))
		return read_audio(input);
	if (has_ending(input->name, ".csv") || has_ending(input->name, ".txt"))
		return read_table(input);
	if (dtype)
		return read_raw(input, dtype, row_length);
	if (table_is(input->held, input->held_size))
		return read_table(input);
	return complain(EXIT_USAGE, "%s: it is neither npy, audio nor text: raw input needs --dtype", input->name);
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
		code = complain(EXIT_DATA, "%s: its shape has too many elements", input.name);
	if (code != EXIT_OK) {
		input_close(&input);
		return code;
	}
	input.body_at = lseek(input.fd, 0, SEEK_CUR);
	*ret_input = input;
	return EXIT_OK;
}

static size_t stored_size(const struct input *input)
{
	return input->storage.kind ? input->storage.size : trnsci_dtype_size(input->array.dtype);
}

bool input_can_seek(const struct input *input)
{
	uint64_t count;

	if (input->audio_reader)
		return false;
	return input->body_at >= 0 || (input_count(input, &count) && count * stored_size(input) <= input->held_size);
}

/* What was read to its end already is held. */
int input_keep(struct input *input)
{
	return input->body_at >= 0 || input_can_seek(input) ? EXIT_OK : hold_all(input);
}

int input_seek(struct input *input, uint64_t at)
{
	const uint64_t byte = at * stored_size(input);

	input->audio_at = at;
	if (input->audio_reader)
		return EXIT_OK;
	input->held_at = byte < input->held_size ? (size_t)byte : input->held_size;
	if (input->body_at >= 0 && lseek(input->fd, input->body_at + (off_t)(byte - input->held_at), SEEK_SET) < 0)
		return complain(EXIT_IO, "%s: %s", input->name, strerror(errno));
	return EXIT_OK;
}

int input_rewind(struct input *input)
{
	return input_seek(input, 0);
}

void input_make_floating(struct input *input)
{
	const enum trnsci_dtype stored = input->array.dtype;

	input->array.dtype = convert_floating(stored);
	if (input->storage.kind || input->array.dtype == stored)
		return;
	/* Raw input of ours: how it stands is how its dtype stands. */
	input->storage = convert_storage(stored);
}

/* ---- reading ---- */

/* Bytes as they are stored. */
static int read_stored(struct input *input, void *to, size_t size)
{
	size_t held = input->held_size - input->held_at;

	if (held > size)
		held = size;
	if (held > 0)
		memcpy(to, input->held + input->held_at, held);
	input->held_at += held;
	ssize_t got = read_full(input->fd, (char *)to + held, size - held);

	if (got < 0)
		return complain(EXIT_IO, "%s: %s", input->name, strerror(errno));
	if ((size_t)got < size - held)
		return complain(EXIT_DATA, "%s: it ends before its array does", input->name);
	return EXIT_OK;
}

int input_read(struct input *input, void *to, size_t size)
{
	enum { PIECE = 4096 };
	const size_t element = trnsci_dtype_size(input->array.dtype);
	unsigned char piece[PIECE * 16];
	int code = EXIT_OK;

	if (input->audio_reader) {
		code = audio_read_at(input->audio_reader, input->audio_at, to, size / element);
		input->audio_at += size / element;
		return code;
	}
	if (convert_is_copy(&input->storage, input->array.dtype))
		return read_stored(input, to, size);
	for (size_t at = 0, n; at < size / element && code == EXIT_OK; at += n) {
		n = size / element - at < PIECE ? size / element - at : PIECE;
		code = read_stored(input, piece, n * input->storage.size);
		if (code == EXIT_OK)
			convert_elements(&input->storage, piece, input->array.dtype, (char *)to + at * element, n);
	}
	return code;
}

void input_close(struct input *input)
{
	audio_close(input->audio_reader);
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
