/* SPDX-License-Identifier: Apache-2.0 */
/* Placements: what a plan draws, apart from where it lies in a stream, which each run sets anew.
 *
 * A draw begins at the offset that it states, or follows the previous draw of the same stream. A reservation of a named
 * stream serves all draws that name the stream; they follow one another from its beginning.
 *
 * Each of these structures is filled at another time, so none can be another's part:
 *
 *     by the caller    stream_choice       generator, seed, stream and offset, as far as a draw or a run states them
 *     when compiled    checked_draw        (compile/draws) a draw whose parameters are checked, not yet a step
 *                      placement           which samples a draw of the plan takes, wherever its stream is
 *                      placements          those of a plan, and what the plan reserves of named streams
 *     by each run      stream_reservation  a range of a named stream, and where it lies once it is reserved
 *                      seek_state          (call/placement_seek.c) how far the search for positions has come
 *                      position            (step.h) what a kernel needs: key, first group, sample
 *                      draw_position       the same as the reply and the next run state it
 *
 * A tile_place (memory/tile.h) is a tile's place in an arena, and has nothing to do with these. */
#ifndef TRNSCI_ENGINE_STREAM_PLACEMENT_H
#define TRNSCI_ENGINE_STREAM_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/layouts/layout.h"
#include "engine/operations/operations.h"
#include "rng/stream.h"

/* What a draw states itself, and what a run states for those that state none. */
struct stream_choice {
	bool has_generator, has_seed, has_stream, has_layout, has_offset, has_text;
	enum generator generator;
	uint64_t seed, stream;
	enum layout layout;
	uint64_t offset; /* of a draw in samples from position on, of points the first, of a run in words */
	uint64_t position; /* of a draw, in words */
	bool text;       /* u64: as text */
};

/* Ranges by number: that of the run, if it names a stream; those from 1 on are of streams that draws name; none. */
enum { PLACEMENT_OF_RUN = 0, PLACEMENT_OF_NONE = -1 };

struct placement {
	const struct operation *operation; /* whose parameters an error names */
	const char *context;               /* what it begins with; of a step, the program's part of it */
	const char *step_name;             /* the step's operation */
	int step;                          /* which; -1: a single operation */
	bool is_points;                    /* keyed by the stream, and nowhere in it */
	bool is_keyless;                   /* points that are not scrambled */
	bool is_part;                      /* of a draw that is cut into ranks */
	struct stream_choice own;
	int range;           /* of a named stream; placement_add sets it */
	uint64_t n;          /* samples, or points, of the whole draw */
	uint64_t more;       /* samples behind these whose words the draw takes, too, if it has any */
	const struct stream *same; /* the named stream whose one signal this is a part of: draws share what is `more`; NULL */
	uint64_t begin;      /* the first of them that is produced */
	unsigned words;      /* of a sample */
	unsigned components; /* elements of a sample */
	const struct layout_call *call; /* of another framework's layout; NULL */
	bool has_call_words; /* it is known how far the call moves the position on: */
	uint64_t call_words;
	bool is_part_of_call; /* call_n is stated: offset and n are within the call */
	uint64_t most_points; /* of points: a set has so many */
	size_t field;        /* its members in the reply: `generator`, behind which the others stand */
};

/* Returns the samples whose words a draw takes. */
static inline uint64_t placement_samples(const struct placement *placement)
{
	return placement->n ? placement->n + placement->more : 0;
}

/* A range of a named stream. Each run has its own, which say where it lies. */
struct stream_reservation {
	const char *name; /* NULL: the run names none */
	size_t name_size;
	size_t draws;
	int first;       /* the first placement that draws from it */
	const struct stream *same; /* that of all draws; NULL */
	uint64_t n;      /* what is to be reserved: so many samples */
	unsigned words;  /* of so many words */
	/* Where it lies, once a run knows it. */
	struct stream stream;
	uint64_t offset; /* in samples of as many words */
};

/* Where a draw lies, as its reply states it. Of points, offset is the first and next the one behind the last. */
struct draw_position {
	uint64_t seed, stream, offset, position;
	uint64_t next; /* unless the stream ends behind it */
	bool has_next;
};

/* So many are placed without memory from the run's bump allocator. */
enum { PLACEMENT_PLACES_HERE = 16 };

/* All of a plan. ranges[PLACEMENT_OF_RUN] is there when steps have placements. */
struct placements {
	struct placement *at;
	size_t count, room;
	struct stream_reservation *ranges;
	size_t n_ranges, ranges_room;
	struct stream_choice run; /* all of its members stand for something */
	const struct value *name; /* the named stream that the whole run draws from; NULL: none */
	bool is_run;            /* of several steps; not a single operation */
};

#endif
