/* SPDX-License-Identifier: Apache-2.0 */
/* Writes audio files: wav, and flac by libsndfile. */
#ifndef TRNSCI_CLI_FILES_AUDIO_WRITER_H
#define TRNSCI_CLI_FILES_AUDIO_WRITER_H

#include "audio.h"
#include "target.h"

enum audio_container { AUDIO_WAV, AUDIO_FLAC };

/* How sound is written. */
struct audio_settings {
	struct audio_format format; /* rate 0: 48000; encoding 0: the dtype's own, of flac PCM of 24 bits */
	double gain;   /* factor of each sample */
	bool normalize; /* before the gain, the largest sample becomes full scale */
	bool dither, quiet;
};

struct audio_writer;

/* Reads the options of their names; NULL leaves the setting. Exit codes. */
int audio_rate(const char *text, double *ret);
int audio_encoding(const char *text, int *ret);
int audio_gain(const char *text, double *ret);

/* Begins a file of an array of float32 or float64 of shape (samples,) or (channels, samples). The writer is ended by audio_end,
 * which reports what was clipped, and returns code, or what writing failed with. Exit codes. */
int audio_begin(struct target *target, enum audio_container container, const struct audio_settings *settings,
		enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape, struct audio_writer **ret_writer);
int audio_write(struct audio_writer *writer, const void *elements, size_t count);
int audio_end(struct audio_writer *writer, int code);

/* Returns the sample that a reader of the file gets for x, gain undone and dither left out. */
double audio_stored(const struct audio_writer *writer, double x, bool *ret_clipped);

#endif
