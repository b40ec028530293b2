/* SPDX-License-Identifier: Apache-2.0 */
/* The pure functions that derive streams. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "rng/derive.h"

/* 0 and the stream, or a negative error. */
static int find_stream(const struct trnsci_stream *parent, struct stream *ret)
{
	const char *name = parent->generator ? parent->generator : "threefry4x32";
	struct stream stream = {.seed = parent->seed, .stream = parent->stream};

	if (generator_parse(name, strlen(name), &stream.generator) < 0 || !stream_id_fits(&stream))
		return -TRNSCI_OUT_OF_RANGE;
	*ret = stream;
	return 0;
}

static int give(const struct trnsci_stream *parent, const struct stream *stream, struct trnsci_stream *ret_stream)
{
	*ret_stream = (struct trnsci_stream){parent->generator, stream->seed, stream->stream};
	return 0;
}

int trnsci_stream_label(const struct trnsci_stream *parent, const void *label, size_t size,
			struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_label(&stream, label, size, &stream);
	return give(parent, &stream, ret_stream);
}

int trnsci_stream_fold_in(const struct trnsci_stream *parent, uint64_t number, struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_fold_in(&stream, number, &stream);
	return give(parent, &stream, ret_stream);
}

int trnsci_stream_split(const struct trnsci_stream *parent, uint64_t index, struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_split(&stream, index, &stream);
	return give(parent, &stream, ret_stream);
}
