/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a wav file. */
#include "wav.h"

#include <string.h>

struct writer {
	unsigned char *to;
	size_t used;
};

static void put_name(struct writer *writer, const char *name)
{
	memcpy(writer->to + writer->used, name, 4);
	writer->used += 4;
}

static void put(struct writer *writer, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		writer->to[writer->used++] = (unsigned char)(value >> (8 * i));
}

uint64_t wav_data_bytes(const struct wav *wav)
{
	return wav->frames * wav->channels * (wav->bits / 8);
}

static bool is_large(const struct wav *wav)
{
	return wav_data_bytes(wav) > UINT32_MAX - WAV_HEADER_MOST;
}

static size_t header_bytes(const struct wav *wav)
{
	return 12 + (is_large(wav) ? 36 : 0) + (wav->is_float ? 26 + 12 : 24) + 8;
}

uint64_t wav_file_bytes(const struct wav *wav)
{
	const uint64_t data = wav_data_bytes(wav);

	return header_bytes(wav) + data + (data & 1);
}

static void put_size(struct writer *writer, bool large, uint64_t size)
{
	put(writer, large ? UINT32_MAX : size, 4);
}

/* Sizes of 64 bits, of the file, the samples and the frames; and no table of others. */
static void put_ds64(struct writer *writer, const struct wav *wav)
{
	put_name(writer, "ds64");
	put(writer, 28, 4);
	put(writer, wav_file_bytes(wav) - 8, 8);
	put(writer, wav_data_bytes(wav), 8);
	put(writer, wav->frames, 8);
	put(writer, 0, 4);
}

static void put_fmt(struct writer *writer, const struct wav *wav)
{
	const unsigned frame = wav->channels * (wav->bits / 8);

	put_name(writer, "fmt ");
	put(writer, wav->is_float ? 18 : 16, 4);
	put(writer, wav->is_float ? 3 : 1, 2);
	put(writer, wav->channels, 2);
	put(writer, wav->rate, 4);
	put(writer, (uint64_t)wav->rate * frame, 4);
	put(writer, frame, 2);
	put(writer, wav->bits, 2);
	if (wav->is_float)
		put(writer, 0, 2);
}

size_t wav_header(const struct wav *wav, unsigned char ret[WAV_HEADER_MOST])
{
	const bool large = is_large(wav);
	struct writer writer = {ret, 0};

	put_name(&writer, large ? "RF64" : "RIFF");
	put_size(&writer, large, wav_file_bytes(wav) - 8);
	put_name(&writer, "WAVE");
	if (large)
		put_ds64(&writer, wav);
	put_fmt(&writer, wav);
	if (wav->is_float) {
		put_name(&writer, "fact");
		put(&writer, 4, 4);
		put_size(&writer, large, wav->frames);
	}
	put_name(&writer, "data");
	put_size(&writer, large, wav_data_bytes(wav));
	return writer.used;
}
