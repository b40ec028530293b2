/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the methods that compute nothing themselves: programs, prepared calls, tiles, memory, rings, broadcasts
 * and named streams. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_SESSION_H
#define TRNSCI_ENGINE_PARAM_ROWS_SESSION_H

#include "engine/operations/param_rows.h"
#include "rng/generator.h"

/* clang-format off */
#define STREAM_NAME_HELP "named stream from which this run reserves words for all draws that state no seed and stream"
static const struct param run_params[] = {
	[RUN_STEPS] = {"steps", PARAM_ANY, "", NULL, NONE,
		"array of at most 256 maps: op, its parameters, and as, the name by which later steps use its output"},
	[RUN_RESULTS] = {"results", PARAM_ANY, "", "", NONE, "array of the names of steps whose outputs the reply carries"},
	[RUN_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of draws that state none"},
	[RUN_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of draws that state none"},
	[RUN_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "stream of draws that state none"},
	[RUN_LAYOUT] = {"layout", PARAM_CHOICE, "", "plain", 0, 0, false, LAYOUT_CHOICES, REPLAY_HELP},
	[RUN_OFFSET] = {"offset", PARAM_U64, "words", "0", ANY_U64,
		"position of the first draw, rounded up to a multiple of 4; the 'next' of an earlier reply continues it"},
	[RUN_NAME] = {"stream_name", PARAM_TEXT, "", "", NONE, STREAM_NAME_HELP},
	JOB_PARAMS(RUN_U64),
};
static const struct param prepare_params[] = {
	[PREPARE_METHOD] = {"method", PARAM_TEXT, "", NULL, NONE, "the call's method: run, stream_draw, or any step of a run"},
	[PREPARE_PARAMS] = {"params", PARAM_ANY, "", "", NONE, "map of the call's parameters"},
	[PREPARE_MAX_BYTES] = {"max_bytes", PARAM_U64, "bytes", "", ANY_U64,
		"refuse with 'limit' what would hold more; default: the session's share of work memory"},
	[PREPARE_U64] = U64_STYLE,
};
#define INSTEAD ", instead of what the call states"
#define PREPARED_HANDLE {"prepared", PARAM_U64, "", NULL, 1, 4294967295.0, false, NULL, "handle that prepare gave"}
static const struct param run_prepared_params[] = {
	[PREPARED_RUN_HANDLE] = PREPARED_HANDLE,
	[PREPARED_RUN_GENERATOR] = {"generator", PARAM_CHOICE, "", "", 0, 0, false, GENERATOR_CHOICES, "generator" INSTEAD},
	[PREPARED_RUN_SEED] = {"seed", PARAM_U64, "", "", ANY_U64, "seed" INSTEAD},
	[PREPARED_RUN_STREAM] = {"stream", PARAM_U64, "", "", ANY_U64, "stream" INSTEAD},
	[PREPARED_RUN_LABEL] = {"label", PARAM_TEXT, "", "", NONE,
		"text that is folded into seed and stream, as derive does; the reply states the new seed and stream"},
	[PREPARED_RUN_OFFSET] = {"offset", PARAM_U64, "", "", ANY_U64, "offset in the call's own unit" INSTEAD},
	[PREPARED_RUN_NAME] = {"stream_name", PARAM_TEXT, "", "", NONE, STREAM_NAME_HELP " (a prepared run only)"},
	[PREPARED_RUN_TILES] = {"tiles", PARAM_ANY, "", "", NONE,
		"array: element i is the tile to use instead of the i-th tile that the call names (nil: that one), or a pair of "
		"handles: the second is used instead of the first"},
	JOB_PARAMS(PREPARED_RUN_U64),
};
static const struct param release_params[] = {
	[RELEASE_PREPARED] = PREPARED_HANDLE,
	[RELEASE_U64] = U64_STYLE,
};

static const struct param tile_params[] = {
	[TILE_DTYPE] = {"dtype", PARAM_CHOICE, "", NULL, 0, 0, false, "i8|i32|i64|u32|u64|f32|f64|c64|c128|f16|bf16",
		"type of an element"},
	[TILE_SHAPE] = {"shape", PARAM_SHAPE, "elements", NULL, NONE, "shape, 1 to 8 dimensions"},
	[TILE_U64] = U64_STYLE,
	[TILE_OFFSET] = {"offset", PARAM_U64, "bytes", "", ANY_U64,
		"offset of the tile in its arena: a multiple of 64 behind all other tiles there; default: anywhere"},
	[TILE_ARENA] = {"arena", PARAM_U64, "", "1", 1, 4294967295.0, false, NULL, "handle of the arena in which offset lies"},
};
static const struct param free_params[] = {
	[FREE_TILE] = {"tile", PARAM_U64, "", NULL, ANY_U64, "handle of the tile to free"},
	[FREE_U64] = U64_STYLE,
};
static const struct param ping_params[] = {
	[PING_PAYLOAD] = {"payload", PARAM_ANY, "", "", NONE, "any value; the reply returns it"},
	[PING_U64] = U64_STYLE,
};
static const struct param derive_params[] = {
	[DERIVE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the stream and of those derived from it"},
	[DERIVE_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the stream"},
	[DERIVE_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"},
	[DERIVE_LABEL] = {"label", PARAM_TEXT, "", "", NONE, "text to fold in first"},
	[DERIVE_FOLD_IN] = {"fold_in", PARAM_U64, "", "", ANY_U64, "number to fold in after the label"},
	[DERIVE_SPLIT] = {"split", PARAM_U64, "streams", "", 1, 65536, false, NULL,
		"number of children, returned as an array; a larger split has the same first children"},
	[DERIVE_U64] = U64_STYLE,
};
static const struct param plain_params[] = {U64_STYLE};
static const struct param arena_params[] = {
	[ARENA_BYTES] = {"bytes", PARAM_U64, "bytes", NULL, 1, 0x1p62, false, NULL, "size of the arena, rounded up to pages"},
	[ARENA_RESERVE] = {"reserve", PARAM_U64, "bytes", "0", 0, 4096, false, NULL,
		"bytes at its end that hold no tile: the client's own, emptied first when the session ends"},
	[ARENA_U64] = U64_STYLE,
};
static const struct param arena_free_params[] = {
	[ARENA_FREE_ARENA] = {"arena", PARAM_U64, "", NULL, 1, 4294967295.0, false, NULL, "handle of an arena that holds no tile"},
	[ARENA_FREE_U64] = U64_STYLE,
};
static const struct param queue_params[] = {
	{"entries", PARAM_U64, "entries", "256", 1, 4096, false, NULL, "most runs at once, rounded up to a power of two of at least 16"},
	U64_STYLE,
};
#define NOISE_MAP "map {op: a distribution, its parameters, dtype, generator, seed, stream, offset}; default: standard normals"
static const struct param ring_attach_params[] = {
	[RING_NOISE] = {"noise", PARAM_ANY, "", "", NONE, NOISE_MAP},
	[RING_SAMPLES] = {"samples", PARAM_U64, "samples", "65536", 1, 4294967296.0, false, NULL,
		"capacity of the ring, rounded up to a power of two that fills pages"},
	[RING_NAME] = {"name", PARAM_TEXT, "", "", NONE,
		"named stream to draw from, reserved in ranges of the ring's capacity; noise must then state no stream"},
	[RING_U64] = U64_STYLE,
};
#define BROADCAST_PARAMS \
	[BROADCAST_NAME] = {"name", PARAM_TEXT, "", NULL, NONE, "name of the broadcast: 1 to 64 printable ASCII letters"}, \
	[BROADCAST_U64] = U64_STYLE
static const struct param broadcast_create_params[] = {
	BROADCAST_PARAMS,
	[BROADCAST_NOISE] = {"noise", PARAM_ANY, "", "", NONE, NOISE_MAP},
	[BROADCAST_SAMPLES] = {"samples", PARAM_U64, "samples", "65536", 1, 4294967296.0, false, NULL,
		"samples that readers may lag behind, rounded up to a power of two that fills pages"},
	[BROADCAST_RATE] = {"rate", PARAM_F64, "samples per second", "0", 0, 1e9, false, NULL,
		"rate at which samples are published; 0: by broadcast_publish only"},
	[BROADCAST_MODE] = {"mode", PARAM_TEXT, "octal", "0600", NONE, "who may read it, by the permissions of a file: owner, the owner's group, others"},
	[BROADCAST_STREAM] = {"stream_name", PARAM_TEXT, "", "", NONE,
		"named stream to draw from, reserved in ranges of the capacity; noise must then state no stream"},
};
static const struct param broadcast_publish_params[] = {
	BROADCAST_PARAMS,
	[BROADCAST_N] = {"n", PARAM_U64, "samples", NULL, 1, 4294967296.0, false, NULL, "samples to publish, at most the capacity"},
};
static const struct param broadcast_name_params[] = {BROADCAST_PARAMS};
static const struct param ring_detach_params[] = {
	[RING_HANDLE] = {"ring", PARAM_U64, "", NULL, 0, 4294967295.0, false, NULL, "handle of the ring"},
	U64_STYLE,
};
static const struct param disconnect_params[] = {
	{"id", PARAM_U64, "", NULL, ANY_U64, "id of the session"},
	U64_STYLE,
};
static const struct param cancel_params[] = {
	{"msgid", PARAM_U64, "", NULL, 0, 4294967295.0, false, NULL, "id of the request to cancel"},
	U64_STYLE,
};

#define STREAM_PARAMS \
	[STREAM_NAME] = {"name", PARAM_TEXT, "", NULL, NONE, \
		"name of the stream: 1 to 64 of A-Z a-z 0-9 _ . : / -, the first a letter, a digit or _"}, \
	JOB_PARAMS(STREAM_U64)

static const struct param stream_create_params[] = {
	STREAM_PARAMS,
	[STREAM_CREATE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the stream's words"},
	[STREAM_CREATE_SEED] = {"seed", PARAM_U64, "", "", ANY_U64,
		"seed of the stream; default: the random seed of the daemon's state"},
	[STREAM_CREATE_STREAM] = {"stream", PARAM_U64, "", "", ANY_U64,
		"which of the seed's streams, one that no name has had; default: the next of a counter that never goes back"},
	[STREAM_CREATE_MODE] = {"mode", PARAM_TEXT, "octal", "0640", NONE,
		"who may show (4) and draw (2), by the permissions of a file: owner, group, others; only owner and root delete and "
		"advance"},
	[STREAM_CREATE_GROUP] = {"group", PARAM_U64, "gid", "", 0, 4294967295.0, false, NULL,
		"group of the stream, one of the client's; default: the client's first"},
	[STREAM_CREATE_NOISE] = {"noise", PARAM_ANY, "", "", NONE,
		"map {op: colored, dtype, color or another filter of colored, 4,096 bytes at most}: the stream is one signal of this noise, "
		"all draws are consecutive parts of it, and its positions count samples; default: a stream of words, for any draw"},
};
static const struct param stream_draw_params[] = {
	STREAM_PARAMS,
	[STREAM_DRAW_DRAW] = {"draw", PARAM_ANY, "", NULL, NONE,
		"map {op: a distribution, n, dtype, out, its parameters}; the stream sets its position"},
	[STREAM_DRAW_RESERVE] = {"reserve", PARAM_BOOL, "", "false", NONE,
		"only reserve: the reply states the reservation, and the distribution's own method draws it, in parts or ranks"},
};
static const struct param stream_name_params[] = {STREAM_PARAMS};
static const struct param stream_advance_params[] = {
	STREAM_PARAMS,
	[STREAM_ADVANCE_BY] = {"by", PARAM_U64, "words", "", ANY_U64,
		"words to skip from the next draw's position, rounded up to a multiple of 4; samples of a stream that is one signal, as "
		"given"},
	[STREAM_ADVANCE_TO] = {"to", PARAM_U64, "words", "", ANY_U64,
		"position of the next draw, instead of by; rounded up likewise, at least the current one"},
};
static const struct param stream_list_params[] = {
	[STREAM_LIST_AFTER] = {"after", PARAM_TEXT, "", "", NONE, "list names after this one, such as the 'after' of an earlier reply"},
	JOB_PARAMS(STREAM_LIST_U64),
	[STREAM_LIST_LIMIT] = {"limit", PARAM_U64, "streams", "256", 1, 1024, false, NULL, "maximum number of streams in one reply"},
};
/* clang-format on */

#endif
