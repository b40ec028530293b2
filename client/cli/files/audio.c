/* SPDX-License-Identifier: Apache-2.0 */
/* Audio files. A file interleaves its channels, an array has one row for each. */
#include "audio.h"

#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_RATE = 48000, MOST_CHANNELS = 1024, MOST_RATE = 655350, PIECE_FRAMES = 4096 };

int audio_rate(const char *text, double *ret)
{
	char *end;
	const double rate = text ? strtod(text, &end) : 0;

	if (!text)
		return EXIT_OK;
	if (end == text || *end || !(rate >= 1) || rate > MOST_RATE || rate != floor(rate))
		return complain(EXIT_USAGE, "--rate: '%s', allowed 1 to %d samples in a second", text, MOST_RATE);
	*ret = rate;
	return EXIT_OK;
}

/* ---- reading ---- */

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

/* A file in memory, as libsndfile reads it. */
struct memory {
	const unsigned char *bytes;
	sf_count_t size, at;
};

static sf_count_t memory_size(void *arg)
{
	return ((struct memory *)arg)->size;
}

static sf_count_t memory_seek(sf_count_t offset, int whence, void *arg)
{
	struct memory *memory = arg;
	const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory->at : memory->size;

	if (from + offset < 0 || from + offset > memory->size)
		return -1;
	memory->at = from + offset;
	return memory->at;
}

static sf_count_t memory_read(void *to, sf_count_t count, void *arg)
{
	struct memory *memory = arg;
	const sf_count_t left = memory->size - memory->at, n = count < left ? count : left;

	memcpy(to, memory->bytes + memory->at, (size_t)n);
	memory->at += n;
	return n;
}

static sf_count_t memory_position(void *arg)
{
	return ((struct memory *)arg)->at;
}

/* Whether samples need more digits than float32 has. */
static bool needs_double(int format)
{
	const int encoding = format & SF_FORMAT_SUBMASK;

	return encoding == SF_FORMAT_PCM_32 || encoding == SF_FORMAT_DOUBLE;
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

	if (info->frames < 0 || info->frames == SF_COUNT_MAX || info->channels < 1 || info->channels > MOST_CHANNELS ||
	    __builtin_mul_overflow((size_t)info->frames, (size_t)info->channels * element, &bytes))
		return complain(EXIT_DATA, "%s: audio of unknown length, or of more than %d channels", name, MOST_CHANNELS);
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

int audio_read(const char *name, int fd, const void *bytes, size_t size, struct npy *ret_array, void **ret_data,
	       struct audio_format *ret_format)
{
	static SF_VIRTUAL_IO in_memory = {.get_filelen = memory_size, .seek = memory_seek, .read = memory_read,
					  .tell = memory_position};
	struct memory memory = {bytes, (sf_count_t)size, 0};
	SF_INFO info = {0};
	SNDFILE *file = fd >= 0 ? sf_open_fd(fd, SFM_READ, &info, SF_FALSE) : sf_open_virtual(&in_memory, SFM_READ, &info, &memory);

	if (!file)
		return complain(EXIT_DATA, "%s: %s", name, sf_strerror(NULL));
	const int code = decode(name, file, &info, ret_array, ret_data);

	sf_close(file);
	*ret_format = (struct audio_format){info.samplerate, info.format & SF_FORMAT_SUBMASK};
	return code;
}

/* ---- writing ---- */

/* wav needs a file that can be sought: a pipe gets it from memory at the end. */
struct audio_writer {
	struct target *target;
	SNDFILE *file;
	int fd; /* of the file, or of memory */
	bool wide;
	size_t channels, frames, held;
	double *rows; /* of several channels, all are held; NULL: they are written as they come */
};

/* The encoding of the input where wav has it, or the dtype's own. Beyond 4 GiB a wav file is an RF64 file. */
static int wav_format(const struct audio_format *format, bool wide, uint64_t count)
{
	static const int encodings[] = {SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
					SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE};
	int encoding = wide ? SF_FORMAT_DOUBLE : SF_FORMAT_FLOAT;

	for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
		if (encodings[i] == format->encoding)
			encoding = encodings[i];
	return (count > (UINT32_MAX - 4096u) / sizeof(double) ? SF_FORMAT_RF64 : SF_FORMAT_WAV) | encoding;
}

static int open_writer(struct audio_writer *writer, const struct audio_format *format, uint64_t count)
{
	SF_INFO info = {.samplerate = (int)(format->rate > 0 ? format->rate : DEFAULT_RATE),
			.channels = (int)writer->channels,
			.format = wav_format(format, writer->wide, count)};

	writer->fd = lseek(writer->target->fd, 0, SEEK_CUR) >= 0 && writer->target->path[0] ? writer->target->fd
									  : memfd_create("wav", MFD_CLOEXEC);
	if (writer->fd < 0)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for audio", writer->target->name);
	/* The file behind the target is open for writing only, and sf_open_fd asks for nothing else. */
	writer->file = sf_open_fd(writer->fd, SFM_WRITE, &info, SF_FALSE);
	if (!writer->file)
		return complain(EXIT_IO, "%s: %s", writer->target->name, sf_strerror(NULL));
	/* The chunk PEAK has the time of writing: the same samples would be other bytes a second later. */
	sf_command(writer->file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
	sf_command(writer->file, SFC_SET_CLIPPING, NULL, SF_TRUE);
	return EXIT_OK;
}

int audio_begin(struct target *target, const struct audio_format *format, enum trnsci_dtype dtype, size_t ndim,
		const uint64_t *shape, struct audio_writer **ret_writer)
{
	const uint64_t channels = ndim > 1 ? shape[0] : 1, frames = ndim > 1 ? shape[1] : shape[0];
	uint64_t count;

	if (dtype != TRNSCI_F32 && dtype != TRNSCI_F64)
		return complain(EXIT_USAGE, "--format: wav of %s, allowed f32 and f64", trnsci_dtype_name(dtype));
	if (ndim > 2 || channels < 1 || channels > MOST_CHANNELS || __builtin_mul_overflow(channels, frames, &count) ||
	    count > SIZE_MAX / 16)
		return complain(EXIT_USAGE, "--format: wav takes an array of shape (samples) or (channels, samples), at most %d "
				"channels", MOST_CHANNELS);
	struct audio_writer *writer = calloc(1, sizeof *writer);

	if (!writer)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for audio", target->name);
	*writer = (struct audio_writer){.target = target, .fd = -1, .wide = dtype == TRNSCI_F64,
					.channels = (size_t)channels, .frames = (size_t)frames};
	*ret_writer = writer;
	if (channels > 1 && !(writer->rows = malloc((size_t)count * sizeof(double))))
		return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu samples", target->name, (size_t)count);
	return open_writer(writer, format, count);
}

static int write_frames(struct audio_writer *writer, const double *frames, size_t count)
{
	if (sf_writef_double(writer->file, frames, (sf_count_t)count) == (sf_count_t)count)
		return EXIT_OK;
	return complain(EXIT_IO, "%s: %s", writer->target->name, sf_strerror(writer->file));
}

/* Elements are copied, since they may lie anywhere. */
static void widen(const struct audio_writer *writer, const char *from, size_t count, double *to)
{
	float narrow;

	if (writer->wide) {
		memcpy(to, from, count * sizeof *to);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
		to[i] = (double)narrow;
	}
}

int audio_write(struct audio_writer *writer, const void *elements, size_t count)
{
	const size_t element = writer->wide ? sizeof(double) : sizeof(float);
	double piece[PIECE_FRAMES];
	int code = EXIT_OK;

	if (writer->rows) {
		widen(writer, elements, count, writer->rows + writer->held);
		writer->held += count;
		return EXIT_OK;
	}
	for (size_t at = 0, n; at < count && code == EXIT_OK; at += n) {
		n = count - at < PIECE_FRAMES ? count - at : PIECE_FRAMES;
		widen(writer, (const char *)elements + at * element, n, piece);
		code = write_frames(writer, piece, n);
	}
	return code;
}

static int write_rows(struct audio_writer *writer)
{
	const size_t channels = writer->channels;
	double *piece = malloc(PIECE_FRAMES * channels * sizeof *piece);
	int code = piece ? EXIT_OK : complain(EXIT_TRY_AGAIN, "%s: no memory for audio", writer->target->name);

	for (size_t at = 0, n; at < writer->frames && code == EXIT_OK; at += n) {
		n = writer->frames - at < PIECE_FRAMES ? writer->frames - at : PIECE_FRAMES;
		for (size_t i = 0; i < n; i++)
			for (size_t c = 0; c < channels; c++)
				piece[i * channels + c] = writer->rows[c * writer->frames + at + i];
		code = write_frames(writer, piece, n);
	}
	free(piece);
	return code;
}

/* The memory's bytes to the target. */
static int copy_out(struct audio_writer *writer)
{
	char bytes[1 << 16];
	int code = EXIT_OK;

	if (lseek(writer->fd, 0, SEEK_SET) < 0)
		return complain(EXIT_IO, "%s: the audio cannot be read back", writer->target->name);
	for (ssize_t got; code == EXIT_OK && (got = read(writer->fd, bytes, sizeof bytes)) > 0;)
		code = target_write(writer->target, bytes, (size_t)got);
	return code;
}

int audio_end(struct audio_writer *writer, int code)
{
	if (code == EXIT_OK && writer->rows)
		code = write_rows(writer);
	if (writer->file && sf_close(writer->file) != 0 && code == EXIT_OK)
		code = complain(EXIT_IO, "%s: the audio could not be written", writer->target->name);
	if (writer->fd >= 0 && writer->fd != writer->target->fd) {
		if (code == EXIT_OK)
			code = copy_out(writer);
		close(writer->fd);
	}
	free(writer->rows);
	free(writer);
	return code;
}
