/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a recording by libsndfile: of several channels the first is kept, as floats in [-1, 1). */
#ifndef EXAMPLES_RECORDING_H
#define EXAMPLES_RECORDING_H

#include <stddef.h>

struct recording {
	float *samples; /* the caller's to free */
	size_t count;
	unsigned rate_hz;
};

/* 0, or -1 with *ret_why stating what is wrong with the file. */
int recording_read(const char *path, struct recording *ret_recording, const char **ret_why);

#endif
