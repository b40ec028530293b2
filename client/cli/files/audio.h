/* SPDX-License-Identifier: Apache-2.0 */
/* Audio files, by libsndfile. */
#ifndef TRNSCI_CLI_FILES_AUDIO_H
#define TRNSCI_CLI_FILES_AUDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "npy/npy.h"
#include "cli.h"

/* What a file says besides its samples. */
struct audio_format {
	double rate;  /* samples in a second; 0: not known */
	int encoding; /* of a sample, libsndfile's SF_FORMAT_PCM_16 and so on; 0: the dtype's own */
};

enum { AUDIO_MOST_CHANNELS = 1024 };

/* Whether these first bytes of a file are those of audio. At least 12 are looked at. */
bool audio_is(const unsigned char *start, size_t size);

/* Whether a file of this name holds audio, by its ending. */
bool audio_is_name(const char *name);

/* An audio file, from the file behind fd, or (fd -1) from bytes that the caller keeps. The array is float32, or float64 where
 * the file holds more digits, of shape (samples,) or (channels, samples). A file that does not state its length, as one that
 * was written to a pipe, is read to its end. */
struct audio_reader;

/* An exit code; *ret_reader is to be closed by audio_close, which accepts NULL. name is not copied. */
int audio_open(const char *name, int fd, const void *bytes, size_t size, struct audio_reader **ret_reader, struct npy *ret_array,
	       struct audio_format *ret_format);
void audio_close(struct audio_reader *reader);

/* Decodes the whole array, each sample once. *ret_data is the caller's to free. An exit code. */
int audio_read(struct audio_reader *reader, void **ret_data);

/* Decodes elements [at, at + count) of the array. What stands before them is decoded once more where `at` is behind: so
 * each channel costs as much as the file. An exit code. */
int audio_read_at(struct audio_reader *reader, uint64_t at, void *to, size_t count);

#endif
