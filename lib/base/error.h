/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of errors, and the text that goes with one.
 *
 * An error's text is always "name: subject: what was wrong, what is allowed": the name is stable and may be matched
 * by programs, the rest is for people. Functions return 0 or a negative code; the text is written where they are
 * given a place for it. */
#ifndef TRNSCI_BASE_ERROR_H
#define TRNSCI_BASE_ERROR_H

#include <stdarg.h>

/* How an error stands on the wire: REQUEST, the request is wrong and will fail again; FAILED, it may work later. */
enum error_kind { ERROR_KIND_FAILED = 0, ERROR_KIND_REQUEST = 1 };

/* X(identifier, number, kind, stable name, what it means). A number, once released, keeps its meaning. */
#define ERROR_TABLE(X)                                                                                   \
	X(BAD_FRAME, 1, REQUEST, "bad_frame", "the bytes are not a MessagePack-RPC message within the limits") \
	X(UNKNOWN_METHOD, 2, REQUEST, "unknown_method", "no method of that name")                             \
	X(UNKNOWN_PARAMETER, 3, REQUEST, "unknown_parameter", "the method has no parameter of that name")     \
	X(MISSING_PARAMETER, 4, REQUEST, "missing_parameter", "a parameter without a default was left out")   \
	X(WRONG_TYPE, 5, REQUEST, "wrong_type", "a parameter is of another type than the method takes")       \
	X(OUT_OF_RANGE, 6, REQUEST, "out_of_range", "a parameter is outside its range")                       \
	X(BAD_TILE, 7, REQUEST, "bad_tile", "no tile of that handle or name")                                 \
	X(BAD_SHAPE, 8, REQUEST, "bad_shape", "shapes or dtypes do not fit together")                         \
	X(END_OF_STREAM, 9, REQUEST, "end_of_stream", "the draw would pass the end of its stream")            \
	X(NOT_SUPPORTED, 10, REQUEST, "not_supported", "this build or this connection cannot do that")        \
	X(LIMIT, 11, FAILED, "limit", "a quota or limit would be passed")                                     \
	X(NO_MEMORY, 12, FAILED, "no_memory", "memory could not be had")                                      \
	X(CANCELLED, 13, FAILED, "cancelled", "the job was cancelled before its end")                         \
	X(CLOSED, 14, FAILED, "closed", "the connection is closed or the service is stopping")                \
	X(NO_DAEMON, 15, FAILED, "no_daemon", "no daemon answers at that address")                            \
	X(BAD_REPLY, 16, FAILED, "bad_reply", "the other side sent something that the protocol does not allow") \
	X(SYSTEM, 17, FAILED, "system", "a system call failed")                                               \
	X(TIMEOUT, 18, FAILED, "timeout", "the time given has passed")                                        \
	X(NOT_FOUND, 19, REQUEST, "not_found", "nothing of that name is there")                               \
	X(EXISTS, 20, REQUEST, "exists", "something of that name or number is there, or was")                 \
	X(NOT_PERMITTED, 21, REQUEST, "not_permitted", "the user may not do that")                            \
	X(STORE, 22, FAILED, "store", "what is to last could not be read or made durable")                    \
	X(LOST, 23, FAILED, "lost", "the content of a tile went with a daemon that ended")

enum error_code {
#define X(id, number, kind, name, meaning) ERROR_##id = number,
	ERROR_TABLE(X)
#undef X
};

struct error {
	int code; /* 0, or one of enum error_code (positive) */
	char text[248];
};

/* Writes "name: " and the formatted rest (cut to fit) into err, which may be NULL; returns -code. Cold: what leads to it
 * is laid out apart from what usually runs, so that a request that comes after a rest finds less to load. */
int error_set(struct error *err, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

/* The stable name, meaning and kind of a code (positive or negative); for a number that is no code: "unknown". */
const char *error_name(int code);
const char *error_meaning(int code);
enum error_kind error_kind(int code);

/* The code whose stable name begins text up to its first ':' ; 0 when there is none. */
int error_from_text(const char *text);

#endif
