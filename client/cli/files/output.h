/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go: a file or stdout, as raw bytes, npy, text, csv, wav or flac. */
#ifndef TRNSCI_CLI_FILES_OUTPUT_H
#define TRNSCI_CLI_FILES_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "audio_writer.h"
#include "npy/npy.h"
#include "options/options.h"
#include "target.h"

/* The formats for people stand last. */
enum format { FORMAT_RAW, FORMAT_NPY, FORMAT_WAV, FORMAT_FLAC, FORMAT_TEXT, FORMAT_CSV };

struct output {
	struct target target;
	enum format format;
	enum trnsci_dtype dtype;
	uint64_t columns; /* of text: elements in a line */
	uint64_t column;  /* of the element that comes next */
	int64_t begin;    /* of the elements, in a file that can be written in any order; else -1 */
	struct audio_settings audio;
	struct audio_writer *writer; /* of sound, from output_begin on */
	char *buffer;     /* of text */
	size_t used;
};

#define FORMATS "raw|npy|text|csv|wav|flac"

/* The rows of every command that writes an array. */
#define OUTPUT_ROWS                                                                                                    \
	{"output", 'o', "FILE", "where to [stdout]"},                                                                  \
	{"format", 'f', FORMATS, "[by the ending of FILE: .npy .txt .csv .wav .flac .raw .bin; else text on a terminal, else raw]"}

/* The rows of commands that can write sound. The first two give way to parameters of their names. */
#define SOUND_ROWS                                                                                                     \
	SOUND_FS_ROW, SOUND_RATE_ROW,                                                                                  \
	{"encoding", 0, "pcm16|pcm24|float", "of sound [that of the input, else float; of flac pcm24]"},               \
	{"gain", 0, "DB", "of sound: decibels by which each sample is amplified [0]"},                                 \
	{"normalize", 0, NULL, "of sound: before --gain, amplify so that the largest sample is full scale"},           \
	{"dither", 0, NULL, "of pcm: add triangular noise of two units before samples are rounded to the nearest"}

/* A format, and an ending of names that chooses it. */
struct output_format {
	const char *name, *ending;
};

/* Gives the formats, one after the other; false past the last one. */
bool output_format_at(size_t i, struct output_format *ret);

/* Whether output_seek will do, as output_open chooses: raw and npy in a regular file. */
bool output_will_seek(const struct options *options);

/* Whether lines of text will be written, as output_open chooses. An exit code: the options may be wrong. */
int output_wants_text(const struct options *options, bool *ret_text);

/* Opens what the options `output` and `format` name, with the settings of sound. An exit code; nothing is created when an
 * option is wrong. */
int output_open(const struct options *options, struct output *ret_output);

/* Opens an output by its name: NULL or "-" is stdout. format NULL is chosen as the option's help says. */
int output_open_named(const char *name, const char *format, struct output *ret_output);

/* What audio the array is, where the options do not state it: format->rate 0 is unknown. Before output_begin. */
void output_set_audio(struct output *output, const struct audio_format *format);

/* Returns the sample that a reader of the file gets for x (audio_stored); x itself where no sound is written. */
double output_stored(const struct output *output, double x, bool *ret_clipped);

/* Whether the format states the number of elements before the first of them: npy and sound do. */
bool output_needs_count(const struct output *output);

/* Whether lines of text are written. */
bool output_is_text(const struct output *output);

/* What the array will be: text has a line for each row of the last axis, or for each element of a vector. An exit code. */
int output_begin(struct output *output, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape);

/* The next count elements, of any alignment. An exit code. */
int output_write(struct output *output, const void *elements, size_t count);

/* Goes to element `at`, where output_will_seek said so. An exit code. */
int output_seek(struct output *output, uint64_t at);

/* All elements of a tile, read in place: an error when a daemon's end may have emptied it meanwhile. An exit code. */
int output_write_tile(struct output *output, struct trnsci_session *session, const struct trnsci_tile *tile);

/* Lines of columns of several dtypes, in place of an array: begin with the number of columns and, for csv, their names
 * with commas between; then each element by its dtype, line after line. Exit codes. */
int output_begin_table(struct output *output, uint64_t columns, const char *names);
int output_write_cell(struct output *output, enum trnsci_dtype dtype, const void *element);

/* Ends the array and closes the file, which is removed unless code, what happened so far, is EXIT_OK. Returns code, or
 * what closing failed with. */
int output_close(struct output *output, int code);

#endif
