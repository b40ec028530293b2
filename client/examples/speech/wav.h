/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a WAV recording: 16-bit PCM, of which the first channel is kept, as floats in [-1, 1). */
#ifndef EXAMPLES_WAV_H
#define EXAMPLES_WAV_H

#include <stddef.h>

struct wav {
	float *samples; /* the caller's to free */
	size_t count;
	unsigned rate_hz;
};

/* 0, or -1 with *ret_why stating what the file lacks. */
int wav_read(const char *path, struct wav *ret_wav, const char **ret_why);

#endif
