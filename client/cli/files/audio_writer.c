/* SPDX-License-Identifier: Apache-2.0 */
/* Writes audio files. A file interleaves its channels, an array has one row for each. */
#include "audio_writer.h"

#include <inttypes.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/numbers.h"
#include "quantize.h"
#include "wav.h"

enum { DEFAULT_RATE = 48000, MOST_RATE = 655350, FLAC_CHANNELS = 8, MOST_DB = 300 };

/* How a sample of each encoding stands in wav and in flac; bits 0: the container does not have it. */
static const struct encoding {
	int code;
	const char *name; /* of --encoding; NULL: only that of an input is kept */
	int bits;
	bool is_float;
	int flac; /* the encoding that flac has in its place */
} encodings[] = {
	{SF_FORMAT_PCM_16, "pcm16", 16, false, SF_FORMAT_PCM_16},
	{SF_FORMAT_PCM_24, "pcm24", 24, false, SF_FORMAT_PCM_24},
	{SF_FORMAT_FLOAT, "float", 32, true, SF_FORMAT_PCM_24},
	{SF_FORMAT_DOUBLE, NULL, 64, true, SF_FORMAT_PCM_24},
	{SF_FORMAT_PCM_U8, NULL, 8, false, SF_FORMAT_PCM_S8},
	{SF_FORMAT_PCM_S8, NULL, 8, false, SF_FORMAT_PCM_S8},
	{SF_FORMAT_PCM_32, NULL, 32, false, SF_FORMAT_PCM_24},
};

struct audio_writer {
	struct target *target;
	struct audio_settings settings;
	const struct encoding *encoding;
	struct quantizer quantizer; /* of encodings that are integers */
	int bits;		    /* of a sample in the file */
	SNDFILE *flac;		    /* NULL: wav */
	int fd;			    /* of flac: the file, or memory where the target cannot be sought */
	bool wide;
	size_t channels, frames, held;
	void *rows; /* all elements, where the first frame needs the last; NULL: they are written as they come */
};

/* ---- options ---- */

int audio_rate(const char *text, double *ret)
{
	double rate;

	if (!text)
		return EXIT_OK;
	if (!parse_f64(text, &rate) || !(rate >= 1) || rate > MOST_RATE || rate != floor(rate))
		return complain(EXIT_USAGE, "--fs: '%s', allowed 1 to %d samples in a second", text, MOST_RATE);
	*ret = rate;
	return EXIT_OK;
}

int audio_encoding(const char *text, int *ret)
{
	for (size_t i = 0; text && i < sizeof encodings / sizeof *encodings; i++)
		if (encodings[i].name && strcmp(encodings[i].name, text) == 0) {
			*ret = encodings[i].code;
			return EXIT_OK;
		}
	return text ? complain(EXIT_USAGE, "--encoding: '%s', allowed pcm16, pcm24, float", text) : EXIT_OK;
}

int audio_gain(const char *text, double *ret)
{
	double db;

	if (!text)
		return EXIT_OK;
	if (!parse_f64(text, &db) || !(fabs(db) <= MOST_DB))
		return complain(EXIT_USAGE, "--gain: '%s', allowed -%d to %d dB", text, MOST_DB, MOST_DB);
	*ret = pow(10, db / 20);
	return EXIT_OK;
}

/* ---- opening ---- */

/* The encoding that was asked for or that the input had; or that of the dtype, without loss. */
static const struct encoding *choose_encoding(int code, bool wide)
{
	const struct encoding *own = NULL;

	for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
		if (encodings[i].code == code)
			return &encodings[i];
		if (encodings[i].code == (wide ? SF_FORMAT_DOUBLE : SF_FORMAT_FLOAT))
			own = &encodings[i];
	}
	return own;
}

static unsigned file_rate(const struct audio_writer *writer)
{
	return writer->settings.format.rate > 0 ? (unsigned)writer->settings.format.rate : DEFAULT_RATE;
}

static int open_wav(struct audio_writer *writer)
{
	const struct wav wav = {file_rate(writer), (unsigned)writer->channels, (unsigned)writer->encoding->bits,
				writer->encoding->is_float, writer->frames};
	unsigned char header[WAV_HEADER_MOST];
	int code = target_check_room(writer->target, wav_file_bytes(&wav));

	writer->bits = writer->encoding->bits;
	return code == EXIT_OK ? target_write(writer->target, header, wav_header(&wav, header)) : code;
}

/* libsndfile needs a file that can be sought: a pipe gets it from memory at the end. */
static int open_flac(struct audio_writer *writer)
{
	const int encoding = writer->encoding->flac;
	SF_INFO info = {.samplerate = (int)file_rate(writer), .channels = (int)writer->channels,
			.format = SF_FORMAT_FLAC | encoding};

	if (writer->channels > FLAC_CHANNELS)
		return complain(EXIT_USAGE, "%s: %zu channels, allowed in flac 1 to %d", writer->target->name, writer->channels,
				FLAC_CHANNELS);
	writer->bits = encoding == SF_FORMAT_PCM_24 ? 24 : encoding == SF_FORMAT_PCM_16 ? 16 : 8;
	writer->fd = lseek(writer->target->fd, 0, SEEK_CUR) >= 0 && writer->target->path[0] ? writer->target->fd
									  : memfd_create("flac", MFD_CLOEXEC);
	if (writer->fd < 0)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for audio", writer->target->name);
	writer->flac = sf_open_fd(writer->fd, SFM_WRITE, &info, SF_FALSE);
	return writer->flac ? EXIT_OK : complain(EXIT_IO, "%s: %s", writer->target->name, sf_strerror(NULL));
}

static int open_file(struct audio_writer *writer, enum audio_container container)
{
	const bool rounds = container == AUDIO_FLAC || !writer->encoding->is_float;

	if (writer->settings.dither && !rounds)
		return complain(EXIT_USAGE, "--dither: samples of %s are floats, allowed with pcm16, pcm24 and flac", writer->target->name);
	int code = container == AUDIO_FLAC ? open_flac(writer) : open_wav(writer);

	return code == EXIT_OK && rounds ? quantizer_begin(&writer->quantizer, writer->bits, writer->settings.dither) : code;
}

int audio_begin(struct target *target, enum audio_container container, const struct audio_settings *settings,
		enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape, struct audio_writer **ret_writer)
{
	const char *const name = container == AUDIO_FLAC ? "flac" : "wav";
	const uint64_t channels = ndim > 1 ? shape[0] : 1, frames = ndim > 1 ? shape[1] : shape[0];
	const bool wide = dtype == TRNSCI_F64;
	uint64_t count;

	if (dtype != TRNSCI_F32 && !wide)
		return complain(EXIT_USAGE, "--format: %s of %s, allowed f32 and f64", name, trnsci_dtype_name(dtype));
	if (ndim > 2 || channels < 1 || channels > AUDIO_MOST_CHANNELS || __builtin_mul_overflow(channels, frames, &count) ||
	    count > SIZE_MAX / 16)
		return complain(EXIT_USAGE, "--format: %s takes an array of shape (samples) or (channels, samples), at most %d "
				"channels", name, AUDIO_MOST_CHANNELS);
	struct audio_writer *writer = calloc(1, sizeof *writer);

	if (!writer)
		return complain(EXIT_TRY_AGAIN, "%s: no memory for audio", target->name);
	*writer = (struct audio_writer){.target = target, .settings = *settings, .fd = -1, .wide = wide,
					.encoding = choose_encoding(settings->format.encoding, wide),
					.channels = (size_t)channels, .frames = (size_t)frames};
	*ret_writer = writer;
	if ((channels > 1 || settings->normalize) &&
	    !(writer->rows = malloc(count ? (size_t)count * trnsci_dtype_size(dtype) : 1)))
		return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu samples", target->name, (size_t)count);
	return open_file(writer, container);
}

/* ---- samples ---- */

/* Puts an integer of `bytes` bytes; those of 8 bits have no sign. */
static void put_integer(unsigned char *to, int32_t value, int bytes)
{
	const uint32_t shown = (uint32_t)value + (bytes == 1 ? 128 : 0);

	for (int i = 0; i < bytes; i++)
		to[i] = (unsigned char)(shown >> (8 * i));
}

static int write_integers(struct audio_writer *writer, const double *samples, size_t count)
{
	const int bytes = writer->bits / 8;
	int32_t integers[QUANTIZE_MOST];
	unsigned char stored[QUANTIZE_MOST * 4];
	int code = quantizer_run(&writer->quantizer, samples, count, integers);

	if (code != EXIT_OK)
		return code;
	for (size_t i = 0; i < count; i++)
		if (writer->flac) /* libsndfile keeps the upper bits */
			integers[i] = (int32_t)((uint32_t)integers[i] << (32 - writer->bits));
		else
			put_integer(stored + i * (size_t)bytes, integers[i], bytes);
	if (!writer->flac)
		return target_write(writer->target, stored, count * (size_t)bytes);
	return sf_write_int(writer->flac, integers, (sf_count_t)count) == (sf_count_t)count
		       ? EXIT_OK
		       : complain(EXIT_IO, "%s: %s", writer->target->name, sf_strerror(writer->flac));
}

static int write_floats(struct audio_writer *writer, const double *samples, size_t count)
{
	float narrow[QUANTIZE_MOST];

	if (writer->bits == 64)
		return target_write(writer->target, samples, count * sizeof *samples);
	for (size_t i = 0; i < count; i++)
		narrow[i] = (float)samples[i];
	return target_write(writer->target, narrow, count * sizeof *narrow);
}

/* Writes at most QUANTIZE_MOST samples in the order of the file. Changes them. */
static int write_samples(struct audio_writer *writer, double *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		samples[i] *= writer->settings.gain;
	return writer->quantizer.bits ? write_integers(writer, samples, count) : write_floats(writer, samples, count);
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
	double piece[QUANTIZE_MOST];
	int code = EXIT_OK;

	if (writer->rows) {
		memcpy((char *)writer->rows + writer->held * element, elements, count * element);
		writer->held += count;
		return EXIT_OK;
	}
	for (size_t at = 0, n; at < count && code == EXIT_OK; at += n) {
		n = count - at < QUANTIZE_MOST ? count - at : QUANTIZE_MOST;
		widen(writer, (const char *)elements + at * element, n, piece);
		code = write_samples(writer, piece, n);
	}
	return code;
}

static double held_sample(const struct audio_writer *writer, size_t i)
{
	return writer->wide ? ((const double *)writer->rows)[i] : (double)((const float *)writer->rows)[i];
}

/* The largest sample becomes the largest that is not clipped. */
static void normalize(struct audio_writer *writer)
{
	const double most = writer->quantizer.bits ? quantizer_most(&writer->quantizer) : 1;
	double peak = 0;

	for (size_t i = 0; i < writer->held; i++)
		if (isfinite(held_sample(writer, i)))
			peak = fmax(peak, fabs(held_sample(writer, i)));
	if (peak > 0)
		writer->settings.gain *= most / peak;
}

static int write_rows(struct audio_writer *writer)
{
	const size_t channels = writer->channels, step = QUANTIZE_MOST / channels;
	double piece[QUANTIZE_MOST];
	int code = EXIT_OK;

	if (writer->settings.normalize)
		normalize(writer);
	for (size_t at = 0, n; at < writer->frames && code == EXIT_OK; at += n) {
		n = writer->frames - at < step ? writer->frames - at : step;
		for (size_t i = 0; i < n; i++)
			for (size_t c = 0; c < channels; c++)
				piece[i * channels + c] = held_sample(writer, c * writer->frames + at + i);
		code = write_samples(writer, piece, n * channels);
	}
	return code;
}

double audio_stored(const struct audio_writer *writer, double x, bool *ret_clipped)
{
	const double gain = writer->settings.gain;

	*ret_clipped = false;
	if (!writer->quantizer.bits || writer->settings.normalize)
		return x;
	return ldexp(quantize(writer->bits, x * gain, ret_clipped), 1 - writer->bits) / gain;
}

/* ---- the end ---- */

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

static int end_flac(struct audio_writer *writer, int code)
{
	if (writer->flac && sf_close(writer->flac) != 0 && code == EXIT_OK)
		code = complain(EXIT_IO, "%s: the audio could not be written", writer->target->name);
	if (writer->fd >= 0 && writer->fd != writer->target->fd) {
		if (code == EXIT_OK)
			code = copy_out(writer);
		close(writer->fd);
	}
	return code;
}

/* Chunks of wav have an even number of bytes. */
static int end_wav(struct audio_writer *writer)
{
	const size_t bytes = writer->frames * writer->channels * (size_t)(writer->bits / 8);

	return bytes & 1 ? target_write(writer->target, "", 1) : EXIT_OK;
}

static void report(const struct audio_writer *writer)
{
	const struct quantizer *quantizer = &writer->quantizer;

	if (quantizer->clipped)
		fprintf(stderr, "trnsci-cli: %s: %" PRIu64 " of %" PRIu64 " samples (%.3g %%) are clipped at full scale; "
			"see --gain, --normalize%s\n", writer->target->name, quantizer->clipped, quantizer->done,
			100.0 * (double)quantizer->clipped / (double)quantizer->done, writer->flac ? "" : ", --encoding float");
	if (quantizer->missing)
		fprintf(stderr, "trnsci-cli: %s: %" PRIu64 " of %" PRIu64 " samples are NaN and written as 0\n",
			writer->target->name, quantizer->missing, quantizer->done);
}

int audio_end(struct audio_writer *writer, int code)
{
	if (code == EXIT_OK && writer->rows)
		code = write_rows(writer);
	if (code == EXIT_OK && !writer->flac)
		code = end_wav(writer);
	code = end_flac(writer, code);
	if (code == EXIT_OK && !writer->settings.quiet)
		report(writer);
	quantizer_end(&writer->quantizer);
	free(writer->rows);
	free(writer);
	return code;
}
