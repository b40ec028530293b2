/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams: every draw takes its own range, and no range is ever taken twice.
 *
 * All of them stand in memory, under one lock that is never held over a system call. Positions are issued only below
 * what the store has been told, durably, that may be issued: a thread of its own, the keeper, reserves a block ahead
 * when half of the last is used, so that a draw waits only when it outruns the disk. A clean stop gives the rest of
 * each block back; a crash skips it. Nothing touches the disk before the first stream is created. */
#ifndef TRNSCI_DAEMON_STREAMS_H
#define TRNSCI_DAEMON_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/value.h"
#include "engine/deferred_reply.h"
#include "net/peer.h"
#include "settings.h"

struct streams;

/* Finds the state folder and what is in it. -ERROR_LIMIT: a folder that was named (by setting or $STATE_DIRECTORY) is
 * another daemon's. -ERROR_SYSTEM, -ERROR_NO_MEMORY. All else that is wrong with the state is told to those who ask for
 * a stream, and by streams_trouble. */
int streams_open(const struct settings *settings, struct streams **ret_streams, struct error *err);

/* A clean stop; no request may be under way. Accepts NULL. -ERROR_STORE: the state no longer lies at its path, which is
 * logged. */
int streams_close(struct streams *streams);

/* Why named streams cannot be served; NULL when they can. */
const struct error *streams_trouble(const struct streams *streams);

/* The folder that a setting, or the environment, names; *ret_named: it is not the user's default. */
void streams_find_dir(const struct settings *settings, char dir[SETTING_TEXT_ROOM], bool *ret_named);

struct streams_new {
	const char *name;
	struct stream stream; /* stream->stream: when wanted; stream->seed: when seeded */
	bool wanted;
	bool seeded; /* false: the state's own seed */
	uint32_t gid, mode;
};

/* What a request that names a stream is about. */
struct streams_who {
	const struct peer *peer;
	const char *name;
	bool u64_text;         /* how positions stand in the reply */
	const char *operation; /* begins an error's text */
	const struct stream *same; /* what the name stood for before: another is as good as none; NULL: any */
	const char *param;         /* that holds the name; NULL: `name` */
};

/* Each as served_ops.begin: 0 with the reply, a negative error in served->error, or SERVED_LATER. A create's and a
 * draw's may be any; others' errors: -ERROR_NOT_FOUND, -ERROR_NOT_PERMITTED. */
int streams_create(struct streams *streams, const struct streams_who *who, const struct streams_new *what,
		   struct served *served);
int streams_draw(struct streams *streams, const struct streams_who *who, struct served *served);
/* What the name stands for, if the peer may draw from it. *err: -ERROR_NOT_FOUND, -ERROR_NOT_PERMITTED. */
int streams_find(struct streams *streams, const struct streams_who *who, struct stream *ret_stream, struct error *err);
int streams_show(struct streams *streams, const struct streams_who *who, struct served *served);
int streams_delete(struct streams *streams, const struct streams_who *who, struct served *served);
/* words, from the present position; or (absolute) the position itself. */
int streams_advance(struct streams *streams, const struct streams_who *who, uint64_t words, bool absolute,
		    struct served *served);
/* Streams whose names come after who->name (NULL: all), at most limit. */
int streams_list(struct streams *streams, const struct streams_who *who, uint64_t limit, struct served *served);

/* As served_ops.forget: answers are given under the lock. */
void streams_forget(struct streams *streams, struct served *served);

/* Into map. -ERROR_NO_MEMORY */
int streams_stats(struct streams *streams, struct bump *bump, struct value *map);

#endif
