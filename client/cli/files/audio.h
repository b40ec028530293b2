/* SPDX-License-Identifier: Apache-2.0 */
/* Audio files, by libsndfile: what it reads, and wav. */
#ifndef TRNSCI_CLI_FILES_AUDIO_H
#define TRNSCI_CLI_FILES_AUDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "npy/npy.h"
#include "target.h"

/* What a file says besides its samples. */
struct audio_format {
	double rate;  /* samples in a second; 0: not known */
	int encoding; /* of a sample, libsndfile's SF_FORMAT_PCM_16 and so on; 0: the dtype's own */
};

struct audio_writer;

/* Reads the option --rate; text NULL leaves *ret. An exit code. */
int audio_rate(const char *text, double *ret);

/* Whether these first bytes of a file are those of audio. At least 12 are looked at. */
bool audio_is(const unsigned char *start, size_t size);

/* Whether a file of this name holds audio, by its ending. */
bool audio_is_name(const char *name);

/* Decodes all of the file behind fd, or (fd -1) of the bytes. The array is float32, or float64 where the file holds more
 * digits, of shape (samples,) or (channels, samples); *ret_data is the caller's to free. An exit code. */
int audio_read(const char *name, int fd, const void *bytes, size_t size, struct npy *ret_array, void **ret_data,
	       struct audio_format *ret_format);

/* Begins a wav file of an array of float32 or float64 of shape (samples,) or (channels, samples). The writer is ended by
 * audio_end, which returns code, or what writing failed with. Exit codes. */
int audio_begin(struct target *target, const struct audio_format *format, enum trnsci_dtype dtype, size_t ndim,
		const uint64_t *shape, struct audio_writer **ret_writer);
int audio_write(struct audio_writer *writer, const void *elements, size_t count);
int audio_end(struct audio_writer *writer, int code);

#endif
