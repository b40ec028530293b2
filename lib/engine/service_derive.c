/* SPDX-License-Identifier: Apache-2.0 */
/* Derivation, one after the other in the order label, fold_in, split, of what the request names. */
#include "engine/service_derive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rng/derive.h"

/* Puts a number as the request's u64 asks: as an integer, or as decimal text. */
static int put_u64(const struct args *args, struct bump *bump, struct value *map, const char *name, uint64_t u)
{
	char text[24], *copy;

	if (args->at[DERIVE_U64].choice == 0)
		return value_put(bump, map, name, value_uint(u));
	snprintf(text, sizeof text, "%" PRIu64, u);
	copy = bump_copy(bump, text, strlen(text));
	return copy ? value_put(bump, map, name, value_string(copy)) : -ERROR_NO_MEMORY;
}

static int put_stream(const struct args *args, struct bump *bump, struct value *map, const struct stream *stream)
{
	return put_u64(args, bump, map, "seed", stream->seed) || put_u64(args, bump, map, "stream", stream->stream);
}

/* Puts the children of a split, at most 65536 by the table, as an array. */
static int put_children(const struct args *args, struct bump *bump, struct value *map, const struct stream *parent)
{
	struct value list = value_array();

	for (uint64_t i = 0; i < args->at[DERIVE_SPLIT].u64; i++) {
		struct stream child;
		struct value one = value_map();

		derive_split(parent, i, &child);
		if (put_stream(args, bump, &one, &child) || value_push(bump, &list, one))
			return -ERROR_NO_MEMORY;
	}
	return value_put(bump, map, "streams", list);
}

int derive_answer(const struct args *args, struct bump *bump, struct value *map, struct error *err)
{
	const struct arg *at = args->at;
	struct stream stream = {at[DERIVE_GENERATOR].choice, at[DERIVE_SEED].u64, at[DERIVE_STREAM].u64};
	const char *generator = generator_row(stream.generator)->name;
	int failed;

	if (!stream_id_fits(&stream))
		return bind_error(args, DERIVE_STREAM, err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64, stream.stream, generator,
				  generator_row(stream.generator)->most_stream);
	if (!at[DERIVE_LABEL].given && !at[DERIVE_FOLD_IN].given && !at[DERIVE_SPLIT].given)
		return bind_error(args, DERIVE_LABEL, err, ERROR_MISSING_PARAMETER,
				  "missing: give label, fold_in or split");
	if (at[DERIVE_LABEL].given)
		derive_label(&stream, at[DERIVE_LABEL].value->bytes.at, at[DERIVE_LABEL].value->bytes.size, &stream);
	if (at[DERIVE_FOLD_IN].given)
		derive_fold_in(&stream, at[DERIVE_FOLD_IN].u64, &stream);
	failed = value_put(bump, map, "generator", value_string(generator)) ||
		 (at[DERIVE_SPLIT].given ? put_children(args, bump, map, &stream)
					 : put_stream(args, bump, map, &stream));
	return failed ? -ERROR_NO_MEMORY : 0;
}
