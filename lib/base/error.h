/* SPDX-License-Identifier: Apache-2.0 */
/* The table of errors, and the text of one error.
 *
 * A text has the form "name: subject: what was given, what is allowed". The name is stable, so that programs can match
 * it; the rest is for people. Functions return 0 or a negative code, and write the text if their caller passes a place
 * for it. */
#ifndef TRNSCI_BASE_ERROR_H
#define TRNSCI_BASE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

/* The kind of an error in replies. REQUEST: the request is wrong and will fail again. FAILED: it may succeed later. */
enum error_kind { ERROR_KIND_FAILED = 0, ERROR_KIND_REQUEST = 1 };

/* X(identifier, number, kind, stable name, meaning). A released number keeps its meaning for ever. */
#define ERROR_TABLE(X)                                                                                   \
	X(BAD_FRAME, 1, REQUEST, "bad_frame", "the bytes are not a MessagePack-RPC message within the limits") \
	X(UNKNOWN_METHOD, 2, REQUEST, "unknown_method", "no method has this name")                             \
	X(UNKNOWN_PARAMETER, 3, REQUEST, "unknown_parameter", "the method has no parameter of this name")     \
	X(MISSING_PARAMETER, 4, REQUEST, "missing_parameter", "a parameter without a default is missing")   \
	X(WRONG_TYPE, 5, REQUEST, "wrong_type", "a parameter has a type that the method does not accept")       \
	X(OUT_OF_RANGE, 6, REQUEST, "out_of_range", "a parameter is outside its range")                       \
	X(BAD_TILE, 7, REQUEST, "bad_tile", "no tile has this handle or name")                                 \
	X(BAD_SHAPE, 8, REQUEST, "bad_shape", "shapes or dtypes do not match")                         \
	X(END_OF_STREAM, 9, REQUEST, "end_of_stream", "the draw would pass the end of its stream")            \
	X(NOT_SUPPORTED, 10, REQUEST, "not_supported", "this build or connection does not support it")        \
	X(LIMIT, 11, FAILED, "limit", "a quota or limit would be exceeded")                                     \
	X(NO_MEMORY, 12, FAILED, "no_memory", "out of memory")                                      \
	X(CANCELLED, 13, FAILED, "cancelled", "the job was cancelled before it ended")                         \
	X(CLOSED, 14, FAILED, "closed", "the connection is closed or the service is stopping")                \
	X(NO_DAEMON, 15, FAILED, "no_daemon", "no daemon answers at this address")                            \
	X(BAD_REPLY, 16, FAILED, "bad_reply", "the peer sent something that the protocol does not allow") \
	X(SYSTEM, 17, FAILED, "system", "a system call failed")                                               \
	X(TIMEOUT, 18, FAILED, "timeout", "the timeout has expired")                                        \
	X(NOT_FOUND, 19, REQUEST, "not_found", "nothing has this name")                               \
	X(EXISTS, 20, REQUEST, "exists", "the name or number is in use, or was")                 \
	X(NOT_PERMITTED, 21, REQUEST, "not_permitted", "the user may not do this")                            \
	X(STORE, 22, FAILED, "store", "stored state could not be read or made durable")                    \
	X(LOST, 23, FAILED, "lost", "the tile's contents were lost when a daemon ended")  \
	X(NO_ROOM, 24, FAILED, "no_room", "no arena of the session has room for the tile")

enum error_code {
#define X(id, number, kind, name, meaning) ERROR_##id = number,
	ERROR_TABLE(X)
#undef X
};

/* An error with its text. Zero: none. The whole is 264 bytes, so that it can be a member and be copied by assignment.
 */
struct error {
	int code; /* 0, or one of enum error_code (positive) */
	char text[248]; /* "name: subject: ...", cut where it is longer */
	uint64_t needed_bytes; /* of ERROR_NO_ROOM: of the tile that found no room; else 0 */
};

/* Writes "name: " and the formatted text, cut to fit, into err, which may be NULL. Returns -code. It is marked cold:
 * the compiler then moves code that leads to errors away from the usual path, so that a request that arrives with cold
 * caches loads fewer lines. */
int error_set(struct error *err, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

/* Return the stable name, the meaning and the kind of a code, positive or negative; "unknown" for an unknown number. */
const char *error_name(int code);
const char *error_meaning(int code);
enum error_kind error_kind(int code);

/* Returns the code whose stable name stands before the first ':' of text; 0 if there is none. */
int error_from_text(const char *text);

#endif
