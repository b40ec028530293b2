/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a recording. */
#include "recording.h"

#include <sndfile.h>
#include <stdlib.h>

/* Interleaved frames, in place: the first channel moves to the front. */
static void keep_first(float *frames, size_t count, size_t channels)
{
	for (size_t i = 0; i < count; i++)
		frames[i] = frames[i * channels];
}

int recording_read(const char *path, struct recording *ret_recording, const char **ret_why)
{
	SF_INFO info = {0};
	SNDFILE *file = sf_open(path, SFM_READ, &info);
	float *frames;

	*ret_why = sf_strerror(file);
	if (!file)
		return -1;
	*ret_why = "no memory for its samples";
	frames = info.frames > 0 ? calloc((size_t)info.frames, (size_t)info.channels * sizeof *frames) : NULL;
	if (frames && sf_readf_float(file, frames, info.frames) != info.frames) {
		*ret_why = "it ends before its last sample";
		free(frames);
		frames = NULL;
	}
	sf_close(file);
	if (!frames)
		return -1;
	keep_first(frames, (size_t)info.frames, (size_t)info.channels);
	*ret_recording = (struct recording){frames, (size_t)info.frames, (unsigned)info.samplerate};
	return 0;
}
