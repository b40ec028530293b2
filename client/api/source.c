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

/* ---- spans ---- */

static int read_number(const struct trnsci_value *reply, const char *method, const char *name, uint64_t *ret,
		       struct error *err)
{
	if (trnsci_value_to_u64(trnsci_value_get(reply, name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no number %s", method, name);
	return 0;
}

/* The reply's `next` is nil at the end of the stream, word 2^64. */
static int read_next(const struct trnsci_value *reply, const char *method, struct trnsci_span *span, struct error *err)
{
	const struct trnsci_value *next = trnsci_value_get(reply, "next");
	int r = 0;

	span->next = TRNSCI_END_OF_WORDS;
	span->ended = next && trnsci_value_kind(next) == TRNSCI_NIL;
	if (!span->ended)
		r = read_number(reply, method, "next", &span->next, err);
	if (r == 0 && !span->ended && (span->next < span->position || span->next % 4))
		r = error_set(err, ERROR_BAD_REPLY, "%s: next: %llu is no place after the draw", method,
			      (unsigned long long)span->next);
	return r;
}

int span_read(const struct trnsci_value *reply, const char *method, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_span span = {.next = 0};
	int r = 0;

	if (!reply_copy_text(reply, "generator", span.generator, sizeof span.generator))
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no generator", method);
	if ((r = read_number(reply, method, "seed", &span.seed, err)) < 0 ||
	    (r = read_number(reply, method, "stream", &span.stream, err)) < 0 ||
	    (r = read_number(reply, method, "offset", &span.offset, err)) < 0 ||
	    (r = read_number(reply, method, "position", &span.position, err)) < 0 ||
	    (r = read_next(reply, method, &span, err)) < 0)
		return r;
	*ret_span = span;
	return 0;
}

int trnsci_call_span(const struct trnsci_call *call, struct trnsci_span *ret_span)
{
	return call ? span_read(trnsci_call_reply(call), call->method, ret_span, NULL) : -TRNSCI_BAD_REPLY;
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
