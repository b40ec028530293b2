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

/* Whether samples need more digits than float32 has. */
static bool needs_double(int format)
{
	const int encoding = format & SF_FORMAT_SUBMASK;

	return encoding == SF_FORMAT_PCM_32 || encoding == SF_FORMAT_DOUBLE;
}

/* Counts what a file holds that does not state its length, as one that was written to a pipe. */
static sf_count_t count_frames(SNDFILE *file, int channels)
{
	double *piece = malloc((size_t)channels * PIECE_FRAMES * sizeof *piece);
	sf_count_t got, frames = 0;

	while (piece && (got = sf_readf_double(file, piece, PIECE_FRAMES)) > 0)
		frames += got;
	free(piece);
	return piece ? frames : -1;
}

/* Reads frames until the end and puts each channel into its row. What a damaged file lacks of its promised frames is an
 * error. */
static bool read_frames(SNDFILE *file, const SF_INFO *info, bool wide, void *rows)
{
	const size_t channels = (size_t)info->channels, frames = (size_t)info->frames;
	double *piece = malloc(PIECE_FRAMES * channels * sizeof *piece);
	size_t done = 0;

	while (piece && done < frames) {
		const sf_count_t got = sf_readf_double(file, piece, PIECE_FRAMES);

		if (got <= 0 || done + (size_t)got > frames)
			break;
		for (size_t c = 0; c < channels; c++)
			for (size_t i = 0; i < (size_t)got; i++)
				if (wide)
					((double *)rows)[c * frames + done + i] = piece[i * channels + c];
				else
					((float *)rows)[c * frames + done + i] = (float)piece[i * channels + c];
		done += (size_t)got;
	}
	free(piece);
	return done == frames;
}

static int decode(const char *name, SNDFILE *file, const SF_INFO *info, struct npy *ret_array, void **ret_data)
{
	const bool wide = needs_double(info->format);
	const size_t element = wide ? sizeof(double) : sizeof(float);
	struct npy array = {.dtype = wide ? TRNSCI_F64 : TRNSCI_F32, .ndim = info->channels > 1 ? 2 : 1};
	size_t bytes;

	if (info->frames < 0 || __builtin_mul_overflow((size_t)info->frames, (size_t)info->channels * element, &bytes))
		return complain(EXIT_DATA, "%s: audio of unknown length", name);
	array.shape[0] = (uint64_t)(info->channels > 1 ? info->channels : info->frames);
	array.shape[1] = (uint64_t)info->frames;
	*ret_data = malloc(bytes ? bytes : 1);
	if (!*ret_data)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu bytes", name, bytes);
	if (!read_frames(file, info, wide, *ret_data)) {
		free(*ret_data);
		return complain(EXIT_DATA, "%s: the audio ends before its last sample: %s", name, sf_strerror(file));
	}
	*ret_array = array;
	return EXIT_OK;
}

/* Opens the file at its beginning. NULL: complained. */
static SNDFILE *open_sound(const char *name, struct audio_source *source, SF_INFO *ret_info)
{
	*ret_info = (SF_INFO){0};
	SNDFILE *file = audio_source_open(source, ret_info);

	if (!file)
		complain(EXIT_DATA, "%s: %s", name, sf_strerror(NULL));
	else if (ret_info->channels >= 1 && ret_info->channels <= AUDIO_MOST_CHANNELS)
		return file;
	else
		complain(EXIT_DATA, "%s: %d channels, allowed 1 to %d", name, ret_info->channels, AUDIO_MOST_CHANNELS);
	sf_close(file);
	return NULL;
}

int audio_read(const char *name, int fd, const void *bytes, size_t size, struct npy *ret_array, void **ret_data,
	       struct audio_format *ret_format)
{
	struct audio_source source;
	SF_INFO info;
	int code = audio_source_init(&source, name, fd, bytes, size);

	if (code != EXIT_OK)
		return code;
	SNDFILE *file = open_sound(name, &source, &info);

	if (file && info.frames == SF_COUNT_MAX) {
		const sf_count_t frames = count_frames(file, info.channels);

		sf_close(file);
		file = open_sound(name, &source, &info);
		info.frames = frames;
	}
	if (!file)
		return EXIT_DATA;
	code = decode(name, file, &info, ret_array, ret_data);
	sf_close(file);
	*ret_format = (struct audio_format){info.samplerate, info.format & SF_FORMAT_SUBMASK};
	return code;
}
