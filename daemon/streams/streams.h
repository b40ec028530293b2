/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams: every draw takes its own positions, and no position is issued twice.
 *
 * All streams are in memory, under one lock that is never held over a system call. Positions are issued only from blocks
 * whose reservation is durable in the store. The committer, a thread, reserves the next block when half of the last is
 * used, so a draw waits only when it outruns the disk. A clean stop gives the rest of each block back; a crash skips it.
 * Nothing is written before the first stream is created. */
#ifndef TRNSCI_DAEMON_STREAMS_H
#define TRNSCI_DAEMON_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/value.h"
#include "engine/deferred_reply.h"
#include "net/peer.h"
#include "settings.h"

struct streams;

/* Finds the state folder and loads the state. Returns 0; -ERROR_LIMIT: another daemon uses a folder that was named (by
 * setting or $STATE_DIRECTORY); -ERROR_SYSTEM; -ERROR_NO_MEMORY. Other errors of the state are returned by each request for
 * a stream, and by streams_trouble. */
int streams_open(const struct settings *settings, struct streams **ret_streams, struct error *err);

/* Stops cleanly. No request may be under way. Accepts NULL. Returns 0; -ERROR_STORE: the state is no longer at its path, which
 * was logged. */
int streams_close(struct streams *streams);

/* Returns why named streams cannot be used; NULL if they can. */
const struct error *streams_trouble(const struct streams *streams);

/* Finds the state folder by the settings and the environment. *ret_named: it is not the user's default. */
void streams_find_dir(const struct settings *settings, char dir[SETTING_TEXT_ROOM], bool *ret_named);

struct streams_new {
	const char *name;
	struct stream stream;
	bool wanted; /* stream.stream is given; false: the next id */
	bool seeded; /* stream.seed is given; false: the state's own seed */
	uint32_t gid, mode;
	const char *noise; /* that it is one signal of, as stream_signal.h encodes it; NULL: it is none */
	size_t noise_size;
};

/* Who makes a request, and which stream it names. */
struct streams_who {
	const struct peer *peer;
	const char *name;
	bool u64_text;             /* the reply has positions as text */
	const char *operation;     /* begins an error's text */
	const struct stream *same; /* the stream that the name must stand for, or it is not found; NULL: any that is no signal */
	const char *param;         /* the parameter that holds the name; NULL: `name` */
};

/* Return as deferred_reply_ops.begin: 0 with the reply, a negative error in deferred->error, or REPLY_DEFERRED. */
int streams_create(struct streams *streams, const struct streams_who *who, const struct streams_new *what,
		   struct deferred_reply *deferred);
int streams_draw(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred);
/* Finds the stream that a name stands for, if the peer may draw from it, and the noise that it is one signal of (a map in bump, or
 * nil); otherwise returns -ERROR_NOT_FOUND or -ERROR_NOT_PERMITTED. */
int streams_find(struct streams *streams, const struct streams_who *who, struct bump *bump, struct stream *ret_stream,
		 struct value *ret_noise, struct error *err);
int streams_show(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred);
int streams_delete(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred);
/* Moves the position on by words, or (absolute) to word number `words`; by samples in a signal. */
int streams_advance(struct streams *streams, const struct streams_who *who, uint64_t words, bool absolute,
		    struct deferred_reply *deferred);
/* Lists streams whose names come after who->name (NULL: from the first), at most limit. */
int streams_list(struct streams *streams, const struct streams_who *who, uint64_t limit,
		 struct deferred_reply *deferred);

/* As deferred_reply_ops.forget. No reply follows once it has returned. */
void streams_forget(struct streams *streams, struct deferred_reply *deferred);

/* Adds figures to map; without `paths`, nil for the folder of the state, and the meaning of the trouble without its text, which
 * names files. Returns 0 or -ERROR_NO_MEMORY. */
int streams_stats(struct streams *streams, bool paths, struct bump *bump, struct value *map);

#endif
