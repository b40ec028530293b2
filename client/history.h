/* SPDX-License-Identifier: Apache-2.0 */
/* How tiles came to hold what they hold: the requests that made it, so that a daemon that comes back can be asked for it
 * again.
 *
 * A *making* is a request that wrote tiles and was answered. It refers to the tiles that it read and to the makings of
 * what they held then, so the makings form a graph whose edges lead to older ones; a tile's content is one of them, or
 * is not known. Makings that no content depends on go at once. All of them together are bounded: the oldest are
 * forgotten first, and what depends on them can then not be made again.
 *
 * The program may write a tile's memory, which nobody sees. So a making that read a tile whose address the program has
 * (trnsci_tile_data) is *doubtful*: whoever makes it again has to compare what comes out with what was there.
 *
 * Every function is called with the session's lock held. */
#ifndef TRNSCI_CLIENT_HISTORY_H
#define TRNSCI_CLIENT_HISTORY_H

#include "session.h"
#include "tile.h"

/* Of all makings of a session, with their tables. */
enum { HISTORY_BYTES = 1 << 20 };

struct making_tile {
	struct trnsci_tile *tile; /* one reference */
	struct making *from;      /* of an input: what it held; of an output, in flight: what it held before */
	uint32_t ordinal, group;  /* of its handle among the values of the request's parameters (args.h) */
	bool output;
};

struct making {
	struct making *older, *newer; /* in the session's list, by the time they were sent; once it is dead: others */
	unsigned refs;                /* of contents, of makings that read them, of the call in flight */
	bool flying;                  /* not answered yet */
	bool listed;                  /* its request is remembered; or else its contents cannot be made again */
	bool doubtful;
	bool wanted, made; /* while a session is opened again (reopen.h) */
	char *request;     /* a frame */
	size_t size;
	size_t n_tiles;
	struct making_tile tiles[];
};

/* 0, or an error that names an input of the call whose content went with a daemon. */
int history_check(const struct trnsci_call *call, struct error *err);

/* The call is being sent, as this frame: what it writes is unknown until it is answered. */
void history_begin(struct trnsci_call *call, const char *frame, size_t size);

/* It was answered with reply, or with an error (else NULL). */
void history_end(struct trnsci_call *call, const struct error *error, const struct value *reply);

/* What the tile holds is not known any more. */
void history_release(struct trnsci_tile *tile);

#endif
