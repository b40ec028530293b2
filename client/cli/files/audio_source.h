/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an audio file, as libsndfile reads them.
 *
 * A program that writes wav (RIFF, RIFX, RF64), w64 or au to a pipe cannot go back to put in the size: its header states 0, 0xFFFFFFFF or another size beyond the
 * end. The samples are then all that follow, and libsndfile is shown a header that says so. */
#ifndef TRNSCI_CLI_FILES_AUDIO_SOURCE_H
#define TRNSCI_CLI_FILES_AUDIO_SOURCE_H

#include <sndfile.h>
#include <stddef.h>
#include <stdint.h>

enum { AUDIO_PATCHES = 2 };

struct audio_source {
	int fd; /* -1: the bytes */
	const unsigned char *bytes;
	sf_count_t size, at;
	/* Bytes that are shown in the place of the file's. */
	struct audio_patch {
		sf_count_t at;
		unsigned char bytes[8];
		size_t size;
	} patches[AUDIO_PATCHES];
	size_t n_patches;
};

/* Sets the source to a file that can be sought, or (fd -1) to bytes that the caller keeps. An exit code. */
int audio_source_init(struct audio_source *source, const char *name, int fd, const void *bytes, size_t size);

/* Opens the source for reading from its beginning; NULL: sf_strerror(NULL) says why. */
SNDFILE *audio_source_open(struct audio_source *source, SF_INFO *info);

#endif
