/* SPDX-License-Identifier: Apache-2.0 */
/* Which stream a draw is from: its own parameters, or else its program's. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile.h"

enum { LAYOUT_PLAIN, LAYOUT_TRN24 };

/* A step's own parameter, or the program's of the same meaning. */
static const struct arg *own_or_run(const struct compiler *c, unsigned draw_param, unsigned run_param)
{
	const struct arg *own = &c->args.at[draw_param];

	return c->run && !own->given ? &c->run->at[run_param] : own;
}

static int check_trn24(const struct compiler *c, const struct stream *stream)
{
	if (stream->generator != GENERATOR_THREEFRY4X32)
		return bind_error(&c->args, DRAW_KEY_LAYOUT, c->err, ERROR_OUT_OF_RANGE,
				  "got trn24 with generator %s, allowed with threefry4x32 only",
				  generator_row(stream->generator)->name);
	if (stream->stream != 0)
		return bind_error(&c->args, DRAW_KEY_LAYOUT, c->err, ERROR_OUT_OF_RANGE,
				  "got trn24 with stream %" PRIu64 ", allowed with stream 0 only", stream->stream);
	return 0;
}

int compile_stream(const struct compiler *c, struct stream *ret)
{
	struct stream stream = {
		.generator = own_or_run(c, DRAW_GENERATOR, RUN_GENERATOR)->choice,
		.seed = own_or_run(c, DRAW_SEED, RUN_SEED)->u64,
		.stream = own_or_run(c, DRAW_STREAM, RUN_STREAM)->u64,
	};

	if (!stream_id_fits(&stream))
		return bind_error(&c->args, DRAW_STREAM, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64, stream.stream,
				  generator_row(stream.generator)->name, generator_row(stream.generator)->most_stream);
	if (own_or_run(c, DRAW_KEY_LAYOUT, RUN_KEY_LAYOUT)->choice == LAYOUT_TRN24) {
		int error = check_trn24(c, &stream);

		if (error)
			return error;
		stream.seed = stream_seed_trn24(stream.seed);
	}
	*ret = stream;
	return 0;
}

int compile_put_stream(struct compiler *c, struct value *map, const struct stream *stream)
{
	struct zone *zone = c->program->zone;

	/* The seed as it was asked for, which trn24 has taken apart. */
	if (value_add(zone, map, "generator", value_string(generator_row(stream->generator)->name)) ||
	    compile_put_u64(c, DRAW_U64, map, "seed", own_or_run(c, DRAW_SEED, RUN_SEED)->u64) ||
	    compile_put_u64(c, DRAW_U64, map, "stream", stream->stream))
		return compile_no_memory(c);
	if (own_or_run(c, DRAW_KEY_LAYOUT, RUN_KEY_LAYOUT)->choice == LAYOUT_TRN24 &&
	    value_add(zone, map, "key_layout", value_string("trn24")))
		return compile_no_memory(c);
	return 0;
}
