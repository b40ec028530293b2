/* SPDX-License-Identifier: Apache-2.0 */
/* RIFF chunks, read whole; every size is held against what the file really has. */
#include "wav.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20 };

static uint32_t le32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static unsigned le16(const unsigned char *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

static unsigned char *slurp(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = file ? malloc(MOST_BYTES) : NULL;

	if (bytes)
		*ret_size = fread(bytes, 1, MOST_BYTES, file);
	if (file)
		fclose(file);
	return bytes;
}

/* The chunk of that name; its size is cut to what the file holds. */
static const unsigned char *find_chunk(const unsigned char *bytes, size_t size, const char *name, size_t *ret_size)
{
	for (size_t at = 12; at + 8 <= size;) {
		size_t length = le32(bytes + at + 4), left = size - at - 8;

		if (memcmp(bytes + at, name, 4) == 0) {
			*ret_size = length < left ? length : left;
			return bytes + at + 8;
		}
		if (length >= left)
			break;
		at += 8 + length + (length & 1);
	}
	return NULL;
}

static const char *decode(const unsigned char *bytes, size_t size, struct wav *wav)
{
	size_t format_size = 0, data_size = 0;
	const unsigned char *format, *data;
	unsigned channels;

	if (size < 12 || memcmp(bytes, "RIFF", 4) || memcmp(bytes + 8, "WAVE", 4))
		return "not a RIFF WAVE file";
	format = find_chunk(bytes, size, "fmt ", &format_size);
	data = find_chunk(bytes, size, "data", &data_size);
	if (!format || format_size < 16 || !data)
		return "no format or no data in it";
	channels = le16(format + 2);
	if (le16(format) != 1 || le16(format + 14) != 16 || channels == 0)
		return "only 16-bit PCM is read here";
	wav->rate_hz = le32(format + 4);
	wav->count = data_size / (2 * (size_t)channels);
	wav->samples = malloc((wav->count ? wav->count : 1) * sizeof *wav->samples);
	if (!wav->samples)
		return "no memory";
	for (size_t i = 0; i < wav->count; i++)
		wav->samples[i] = (float)(int16_t)le16(data + 2 * channels * i) / 32768.0f;
	return NULL;
}

int wav_read(const char *path, struct wav *ret_wav, const char **ret_why)
{
	size_t size = 0;
	struct wav wav = {0};
	unsigned char *bytes = slurp(path, &size);

	*ret_why = bytes ? decode(bytes, size, &wav) : "cannot be read";
	free(bytes);
	if (*ret_why)
		return -1;
	*ret_wav = wav;
	return 0;
}
