/* SPDX-License-Identifier: Apache-2.0 */
/* An array from a file or stdin: npy, audio, csv and text, or raw with a dtype. */
#ifndef TRNSCI_CLI_FILES_INPUT_H
#define TRNSCI_CLI_FILES_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "audio.h"
#include "cli.h"
#include "npy/npy.h"

struct input {
	int fd;
	const char *name; /* not copied */
	struct npy array; /* as input_read gives it */
	bool is_raw;      /* its dtype was given, not read */
	struct audio_format audio; /* rate 0: it is no audio */
	struct npy_storage storage;
	struct audio_reader *audio_reader; /* of audio that is too long to be held; NULL */
	uint64_t audio_at;		   /* its element that comes next */
	unsigned char *held; /* bytes that were read ahead, as they are stored: all of them where fd is at its end */
	size_t held_size, held_at;
	int64_t body_at; /* where fd stands before the first byte that is not held; -1: a pipe */
};

/* Opens a file, "-" for stdin, and reads as much of it as says what the array is. dtype: of raw input, NULL when none was
 * given. row_length: elements of a row of raw input; 0: all is one row. An exit code. */
int input_open(const char *name, const char *dtype, uint64_t row_length, struct input *ret_input);

/* From here on integers are read as float64 and 16-bit floats as float32, for operations that compute in these. */
void input_make_floating(struct input *input);

/* The next size bytes of the array, a multiple of its elements' size. An exit code. */
int input_read(struct input *input, void *to, size_t size);

/* Goes to element `at`, where input_can_seek says so: in a file, and in what is held whole. In audio that is not held it takes
 * time. input_seek: an exit code. */
bool input_can_seek(const struct input *input);
int input_seek(struct input *input, uint64_t at);

/* Begins again with the first element. Before anything is read, input_keep makes that possible for a pipe. Exit codes. */
int input_keep(struct input *input);
int input_rewind(struct input *input);

void input_close(struct input *input);

/* Reads all that comes from fd behind what is held, and leaves room for one byte more. False with errno, which is 0 where memory,
 * or `most` bytes, are too little. *bytes is the caller's to free. */
bool read_to_end(int fd, size_t most, unsigned char **bytes, size_t *size);

/* Elements of the array; false when there are more than 2^64. */
bool input_count(const struct input *input, uint64_t *ret_count);

#endif
