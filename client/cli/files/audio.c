/* SPDX-License-Identifier: Apache-2.0 */
/* Audio files. A file interleaves its channels, an array has one row for each. */
#include "audio.h"

#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "audio_source.h"

enum { PIECE_FRAMES = 4096 };

bool audio_is(const unsigned char *start, size_t size)
{
	static const char *const magics[] = {"fLaC", "OggS", "caff", ".snd", "riff", "ID3"};

	if (size < 12)
		return false;
	if (memcmp(start, "RIFF", 4) == 0 || memcmp(start, "RIFX", 4) == 0 || memcmp(start, "RF64", 4) == 0)
		return memcmp(start + 8, "WAVE", 4) == 0;
	if (memcmp(start, "FORM", 4) == 0)
		return memcmp(start + 8, "AIF", 3) == 0;
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (memcmp(start, magics[i], strlen(magics[i])) == 0)
			return true;
	return false;
}

bool audio_is_name(const char *name)
{
	static const char *const endings[] = {".wav", ".flac", ".ogg", ".opus", ".aif", ".aiff", ".au",
					      ".mp3", ".caf",  ".w64", ".rf64"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
		if (strcasecmp(dot, endings[i]) == 0)
			return true;
	return false;
}

struct audio_reader {
	const char *name;
	struct audio_source source;
	SNDFILE *file;
	SF_INFO info;
	bool wide;     /* samples need more digits than float32 has */
	sf_count_t at; /* frame that is decoded next */
	double *piece; /* PIECE_FRAMES of all channels */
};

static bool needs_double(int format)
{
	const int encoding = format & SF_FORMAT_SUBMASK;

	return encoding == SF_FORMAT_PCM_32 || encoding == SF_FORMAT_DOUBLE;
}

/* ---- frames ---- */

/* Opens the file at its beginning. An exit code. */
static int open_sound(struct audio_reader *reader)
{
	SF_INFO info = {0};

	if (reader->file)
		sf_close(reader->file);
	reader->at = 0;
	reader->file = audio_source_open(&reader->source, &info);
	if (!reader->file)
		return complain(EXIT_DATA, "%s: %s", reader->name, sf_strerror(NULL));
	if (info.channels < 1 || info.channels > AUDIO_MOST_CHANNELS)
		return complain(EXIT_DATA, "%s: %d channels, allowed 1 to %d", reader->name, info.channels, AUDIO_MOST_CHANNELS);
	if (!reader->piece)
		reader->info = info;
	return EXIT_OK;
}

/* Decodes up to n of the next frames into the piece. Returns how many: 0 at the end, and where the file is damaged. */
static size_t read_frames(struct audio_reader *reader, size_t n)
{
	const sf_count_t got = sf_readf_double(reader->file, reader->piece, (sf_count_t)(n < PIECE_FRAMES ? n : PIECE_FRAMES));

	reader->at += got > 0 ? got : 0;
	return got > 0 ? (size_t)got : 0;
}

/* Copies a channel's samples of the piece to elements [at, at + n). */
static void copy_channel(const struct audio_reader *reader, size_t channel, size_t n, void *to, size_t at)
{
	const size_t channels = (size_t)reader->info.channels;

	for (size_t i = 0; i < n; i++)
		if (reader->wide)
			((double *)to)[at + i] = reader->piece[i * channels + channel];
		else
			((float *)to)[at + i] = (float)reader->piece[i * channels + channel];
}

/* What a damaged file lacks of its promised frames is an error. */
static int complain_end(const struct audio_reader *reader)
{
	return complain(EXIT_DATA, "%s: the audio ends before its last sample: %s", reader->name, sf_strerror(reader->file));
}

/* Counts what a file holds that does not state its length, as one that was written to a pipe. */
static int count_frames(struct audio_reader *reader)
{
	while (read_frames(reader, PIECE_FRAMES) > 0)
		;
	reader->info.frames = reader->at;
	return open_sound(reader);
}

/* ---- arrays ---- */

static int begin(struct audio_reader *reader, struct npy *ret_array)
{
	int code = open_sound(reader);

	if (code != EXIT_OK)
		return code;
	reader->wide = needs_double(reader->info.format);
	reader->piece = malloc((size_t)reader->info.channels * PIECE_FRAMES * sizeof *reader->piece);
	if (!reader->piece)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for its channels", reader->name);
	if (reader->info.frames == SF_COUNT_MAX)
		code = count_frames(reader);
	if (code != EXIT_OK)
		return code;

	const struct npy array = {.dtype = reader->wide ? TRNSCI_F64 : TRNSCI_F32, .ndim = reader->info.channels > 1 ? 2 : 1};
	size_t bytes;

	if (reader->info.frames < 0 || __builtin_mul_overflow((size_t)reader->info.frames,
			(size_t)reader->info.channels * trnsci_dtype_size(array.dtype), &bytes))
		return complain(EXIT_DATA, "%s: audio of unknown length", reader->name);
	*ret_array = array;
	ret_array->shape[0] = (uint64_t)(reader->info.channels > 1 ? reader->info.channels : reader->info.frames);
	ret_array->shape[1] = (uint64_t)reader->info.frames;
	return EXIT_OK;
}

int audio_open(const char *name, int fd, const void *bytes, size_t size, struct audio_reader **ret_reader, struct npy *ret_array,
	       struct audio_format *ret_format)
{
	struct audio_reader *reader = calloc(1, sizeof *reader);

	if (!reader)
		return complain(EXIT_TRY_AGAIN, "%s: no memory", name);
	reader->name = name;
	int code = audio_source_init(&reader->source, name, fd, bytes, size);

	if (code == EXIT_OK)
		code = begin(reader, ret_array);
	if (code != EXIT_OK) {
		audio_close(reader);
		return code;
	}
	*ret_format = (struct audio_format){reader->info.samplerate, reader->info.format & SF_FORMAT_SUBMASK};
	*ret_reader = reader;
	return EXIT_OK;
}

void audio_close(struct audio_reader *reader)
{
	if (!reader)
		return;
	if (reader->file)
		sf_close(reader->file);
	free(reader->piece);
	free(reader);
}

int audio_read(struct audio_reader *reader, void **ret_data)
{
	const size_t channels = (size_t)reader->info.channels, frames = (size_t)reader->info.frames;
	const size_t bytes = frames * channels * (reader->wide ? sizeof(double) : sizeof(float));
	void *data = malloc(bytes ? bytes : 1);
	size_t done = 0;

	if (!data)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu bytes", reader->name, bytes);
	for (size_t n; done < frames && (n = read_frames(reader, frames - done)) > 0; done += n)
		for (size_t c = 0; c < channels; c++)
			copy_channel(reader, c, n, data, c * frames + done);
	if (done < frames) {
		free(data);
		return complain_end(reader);
	}
	*ret_data = data;
	return EXIT_OK;
}

/* Decodes up to frame `at`. Not by sf_seek, which some formats do only about. */
static int go_to(struct audio_reader *reader, uint64_t at)
{
	int code = at < (uint64_t)reader->at ? open_sound(reader) : EXIT_OK;

	while (code == EXIT_OK && (uint64_t)reader->at < at)
		if (read_frames(reader, (size_t)(at - (uint64_t)reader->at)) == 0)
			code = complain_end(reader);
	return code;
}

int audio_read_at(struct audio_reader *reader, uint64_t at, void *to, size_t count)
{
	const uint64_t frames = (uint64_t)reader->info.frames;
	int code = EXIT_OK;

	for (size_t done = 0, n; done < count && code == EXIT_OK; done += n) {
		const uint64_t channel = (at + done) / frames, frame = (at + done) % frames;

		code = go_to(reader, frame);
		n = code == EXIT_OK ? read_frames(reader, count - done < frames - frame ? count - done : (size_t)(frames - frame)) : 1;
		if (n == 0)
			code = complain_end(reader);
		else if (code == EXIT_OK)
			copy_channel(reader, (size_t)channel, n, to, done);
	}
	return code;
}
