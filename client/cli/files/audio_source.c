/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of an audio file. Source of the chunks: Multimedia Programming Interface and Data Specifications 1.0 (RIFF). */
#include "audio_source.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* Sizes that programs write when they do not know them: at least this, ffmpeg 0xFFFFFFFF, arecord 0x80000000, sox 0x7FFFF000. */
#define UNKNOWN_LEAST 0x7FFFF000u

enum { CHUNK_HEAD = 8, RIFF_HEAD = 12 };

/* ---- reading ---- */

/* Reads from the file itself, without patches. */
static sf_count_t read_at(const struct audio_source *source, sf_count_t at, void *to, sf_count_t count)
{
	const sf_count_t left = at < source->size ? source->size - at : 0, n = count < left ? count : left;
	sf_count_t done = 0;

	if (source->fd < 0) {
		memcpy(to, source->bytes + at, (size_t)n);
		return n;
	}
	while (done < n) {
		const ssize_t got = pread(source->fd, (char *)to + done, (size_t)(n - done), (off_t)(at + done));

		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

static sf_count_t source_size(void *arg)
{
	return ((struct audio_source *)arg)->size;
}

static sf_count_t source_seek(sf_count_t offset, int whence, void *arg)
{
	struct audio_source *source = arg;
	const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source->at : source->size;

	if (from + offset < 0 || from + offset > source->size)
		return -1;
	source->at = from + offset;
	return source->at;
}

static sf_count_t source_read(void *to, sf_count_t count, void *arg)
{
	struct audio_source *source = arg;
	const sf_count_t got = read_at(source, source->at, to, count);

	for (size_t i = 0; i < source->n_patches; i++)
		for (sf_count_t k = 0; k < (sf_count_t)source->patches[i].size; k++) {
			const sf_count_t place = source->patches[i].at + k - source->at;

			if (place >= 0 && place < got)
				((unsigned char *)to)[place] = source->patches[i].bytes[k];
		}
	source->at += got;
	return got;
}

static sf_count_t source_position(void *arg)
{
	return ((struct audio_source *)arg)->at;
}

SNDFILE *audio_source_open(struct audio_source *source, SF_INFO *info)
{
	static SF_VIRTUAL_IO io = {.get_filelen = source_size, .seek = source_seek, .read = source_read, .tell = source_position};

	source->at = 0;
	return sf_open_virtual(&io, SFM_READ, info, source);
}

/* ---- sizes that a header lacks ---- */

static uint64_t get_size(const unsigned char *at, int bytes, bool big)
{
	uint64_t size = 0;

	for (int i = 0; i < bytes; i++)
		size |= (uint64_t)at[i] << 8 * (big ? bytes - 1 - i : i);
	return size;
}

static void add_patch(struct audio_source *source, sf_count_t at, uint64_t size, int bytes, bool big)
{
	struct audio_patch *patch = &source->patches[source->n_patches++];

	patch->at = at;
	patch->size = (size_t)bytes;
	for (int i = 0; i < bytes; i++)
		patch->bytes[i] = (unsigned char)(size >> 8 * (big ? bytes - 1 - i : i));
}

/* Returns where the chunk behind the one at `at` begins. Chunks begin at even bytes. */
static sf_count_t next_chunk(sf_count_t at, uint64_t size)
{
	return at + CHUNK_HEAD + (sf_count_t)size + (size & 1);
}

/* Returns whether what follows is chunks until the end: a file of no sample has a size of 0, too. */
static bool holds_chunks(const struct audio_source *source, sf_count_t at, bool big)
{
	unsigned char head[CHUNK_HEAD];

	while (source->size - at >= CHUNK_HEAD && read_at(source, at, head, CHUNK_HEAD) == CHUNK_HEAD) {
		for (int i = 0; i < 4; i++)
			if (head[i] < ' ' || head[i] > '~')
				return false;
		at = next_chunk(at, get_size(head + 4, 4, big));
	}
	return at == source->size || at == source->size + 1;
}

/* Finds the samples' chunk: where its head begins, or -1. */
static sf_count_t find_samples(const struct audio_source *source, bool big, uint64_t *ret_size)
{
	unsigned char head[CHUNK_HEAD];

	for (sf_count_t at = RIFF_HEAD; read_at(source, at, head, CHUNK_HEAD) == CHUNK_HEAD;
	     at = next_chunk(at, get_size(head + 4, 4, big)))
		if (memcmp(head, "data", 4) == 0) {
			*ret_size = get_size(head + 4, 4, big);
			return at;
		}
	return -1;
}

/* Sizes of RF64 stand in its chunk ds64, which comes first: that of the file, then that of the samples. */
static void find_rf64(struct audio_source *source)
{
	enum { FILE_AT = 20, SAMPLES_AT = 28 };
	unsigned char sizes[16];
	uint64_t size;
	const sf_count_t at = find_samples(source, false, &size), left = source->size - at - CHUNK_HEAD;

	if (at < 0 || size != UINT32_MAX || read_at(source, FILE_AT, sizes, 16) < 16)
		return;
	size = get_size(sizes + 8, 8, false);
	if (left <= 0 || (size > 0 && size < UINT64_MAX / 2))
		return;
	add_patch(source, FILE_AT, (uint64_t)(source->size - CHUNK_HEAD), 8, false);
	add_patch(source, SAMPLES_AT, (uint64_t)left, 8, false);
}

static int find_riff(struct audio_source *source, const char *name, bool big)
{
	uint64_t size = 0;
	const sf_count_t at = find_samples(source, big, &size), left = source->size - at - CHUNK_HEAD;

	if (at < 0 || left <= 0 || (size > 0 && (size < UNKNOWN_LEAST || size <= (uint64_t)left)) ||
	    (size == 0 && holds_chunks(source, at + CHUNK_HEAD, big)))
		return EXIT_OK;
	if (source->size > UINT32_MAX)
		return complain(EXIT_DATA, "%s: wav of more than 4 GiB that does not state its size, allowed: RF64", name);
	add_patch(source, 4, (uint64_t)(source->size - CHUNK_HEAD), 4, big);
	add_patch(source, at + 4, (uint64_t)left, 4, big);
	return EXIT_OK;
}

/* Chunks of w64 have names of 16 bytes, and sizes of 8 that count their heads; they begin at multiples of 8. */
static void find_w64(struct audio_source *source)
{
	enum { FILE_AT = 16, FIRST_AT = 40, HEAD = 24 };
	unsigned char head[HEAD];

	for (sf_count_t at = FIRST_AT; read_at(source, at, head, HEAD) == HEAD;) {
		const uint64_t size = get_size(head + 16, 8, false), left = (uint64_t)(source->size - at);

		if (memcmp(head, "data", 4) == 0 && left > HEAD && (size <= HEAD || size >= UINT64_MAX / 2)) {
			add_patch(source, FILE_AT, (uint64_t)source->size, 8, false);
			add_patch(source, at + 16, left, 8, false);
			return;
		}
		if (size < HEAD || size > left)
			return;
		at += (sf_count_t)((size + 7) / 8 * 8);
	}
}

/* libsndfile reads au of the size 0xFFFFFFFF to its end, but not of the size 0. */
static void find_au(struct audio_source *source, const unsigned char *head)
{
	if (get_size(head + 8, 4, true) == 0)
		add_patch(source, 8, UINT32_MAX, 4, true);
}

static int find_sizes(struct audio_source *source, const char *name)
{
	unsigned char head[RIFF_HEAD];

	if (read_at(source, 0, head, RIFF_HEAD) < RIFF_HEAD)
		return EXIT_OK;
	if (memcmp(head, "RIFF", 4) == 0 || memcmp(head, "RIFX", 4) == 0)
		return find_riff(source, name, head[3] == 'X');
	if (memcmp(head, "RF64", 4) == 0)
		find_rf64(source);
	else if (memcmp(head, "riff", 4) == 0)
		find_w64(source);
	else if (memcmp(head, ".snd", 4) == 0)
		find_au(source, head);
	return EXIT_OK;
}

int audio_source_init(struct audio_source *source, const char *name, int fd, const void *bytes, size_t size)
{
	*source = (struct audio_source){.fd = fd, .bytes = bytes, .size = (sf_count_t)size};
	if (fd >= 0)
		source->size = lseek(fd, 0, SEEK_END);
	return find_sizes(source, name);
}
