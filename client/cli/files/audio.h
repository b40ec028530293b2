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

/* Decodes all of the file behind fd, or (fd -1) of the bytes. The array is float32, or float64 where the file holds more
 * digits, of shape (samples,) or (channels, samples). A file that does
 * not state its length, as one that was written to a pipe, is read to its end. *ret_data is the caller's to free. An exit code. */
int audio_read(const char *name, int fd, const void *bytes, size_t size, struct npy *ret_array, void **ret_data,
	       struct audio_format *ret_format);

#endif
