/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: their parameters, their spans, and the functions that derive one from another without a session.
 *
 * A daemon's reply is checked before a caller gets numbers from it: a span that went back would make a program draw the same
 * words again. */
#include "source.h"

#include <string.h>

#include "call/call.h"
#include "call/reply.h"
#include "rng/derive.h"

const struct trnsci_source source_default;

static bool has_numbers(const struct trnsci_source *source)
{
	return source->generator || source->seed || source->stream || source->position || source->offset;
}

/* Reserved fields must be 0, so that a later release can give them a meaning. */
int source_check(const struct trnsci_source *source, const char *what, struct error *err)
{
	for (size_t i = 0; i < sizeof source->reserved / sizeof *source->reserved; i++)
		if (source->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "%s: source: a reserved field is not 0", what);
	if (source->name && (has_numbers(source) || source->rank || source->size > 1))
		return error_set(
			err, ERROR_OUT_OF_RANGE,
			"%s: source: generator, seed, stream, position, offset, rank or size is set beside a name, "
			"allowed: the stream's own",
			what);
	if (source->position == TRNSCI_END_OF_WORDS)
		return error_set(err, ERROR_END_OF_STREAM, "%s: source: the stream has ended", what);
	return 0;
}

int source_check_whole(const struct trnsci_source *source, const char *what, struct error *err)
{
	if (source->rank || source->size > 1)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: size: it has no parts, allowed 0 or 1", what);
	return 0;
}

void source_set_place(struct trnsci_args *args, const struct trnsci_source *source)
{
	if (source->generator)
		args_set_text(args, "generator", source->generator);
	args_set_u64(args, "seed", source->seed);
	args_set_u64(args, "stream", source->stream);
	if (source->position)
		args_set_u64(args, "position", source->position);
	args_set_u64(args, "offset", source->offset);
}

void source_set_part(struct trnsci_args *args, const struct trnsci_source *source)
{
	if (source->size > 1 || source->rank) {
		args_set_u64(args, "rank", source->rank);
		args_set_u64(args, "size", source->size ? source->size : 1);
	}
}

/* ---- new sources from old ---- */

/* Returns the stream of an unnamed source. */
static int read_stream(const struct trnsci_source *parent, struct stream *ret)
{
	const char *name = parent->generator ? parent->generator : "threefry4x32";
	struct stream stream = {.seed = parent->seed, .stream = parent->stream};

	if (parent->name || generator_parse(name, strlen(name), &stream.generator) < 0 || !stream_id_fits(&stream))
		return -TRNSCI_OUT_OF_RANGE;
	*ret = stream;
	return 0;
}

static int return_source(const struct trnsci_source *parent, const struct stream *stream,
			 struct trnsci_source *ret_source)
{
	*ret_source =
		(struct trnsci_source){.generator = parent->generator, .seed = stream->seed, .stream = stream->stream};
	return 0;
}

int trnsci_source_label(const struct trnsci_source *parent, const void *label, size_t size,
			struct trnsci_source *ret_source)
{
	struct stream stream;
	int r = read_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_label(&stream, label, size, &stream);
	return return_source(parent, &stream, ret_source);
}

int trnsci_source_fold_in(const struct trnsci_source *parent, uint64_t number, struct trnsci_source *ret_source)
{
	struct stream stream;
	int r = read_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_fold_in(&stream, number, &stream);
	return return_source(parent, &stream, ret_source);
}

int trnsci_source_split(const struct trnsci_source *parent, uint64_t index, struct trnsci_source *ret_source)
{
	struct stream stream;
	int r = read_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_split(&stream, index, &stream);
	return return_source(parent, &stream, ret_source);
}
