/* SPDX-License-Identifier: Apache-2.0 */
/* A client of a group daemon with a queue, written from PROTOCOL.md: the test's own, not the library's. */
#ifndef TRNSCI_TESTS_DAEMON_QUEUE_CLIENT_H
#define TRNSCI_TESTS_DAEMON_QUEUE_CLIENT_H

#include "daemon/group_daemon.h"
#include "queue_layout.h"

/* N and LARGE: elements of a tile. A draw of N runs in the loop, one of LARGE on the threads. */
enum { N = 512, TILES = 4, LARGE = 1 << 16, LARGE_TILES = 24, ARENA = 8 << 20 };

struct queue_client {
	struct client client;
	float *arena;            /* ARENA bytes */
	struct queue_page *page; /* of queue_bytes(entries); the client's words in it follow submitted, consumed and sleeps */
	uint32_t entries, submitted, consumed, sleeps, kicked, tiles[TILES];
};

/* The notification. */
static const char queue_kick[] = "\x93\x02\xa4kick\x90";

/* Opens a session with an arena, TILES tiles of N floats and a queue. */
void queue_client_open(struct queue_client *q, uint64_t entries);
void queue_client_close(struct queue_client *q);

uint32_t queue_client_make_tile(struct queue_client *q, uint64_t n);
/* As many as runs of them are in flight at once: two runs must not write one tile. */
void queue_client_make_large_tiles(struct queue_client *q, uint32_t tiles[LARGE_TILES]);
/* Prepares a draw; into `tile`, unless that is 0. */
uint32_t queue_client_prepare(struct queue_client *q, const char *method, uint64_t n, uint32_t tile);

/* Writes an entry and wakes the daemon if it sleeps; and its two parts. A sleep is ended by one kick. */
void queue_client_submit(struct queue_client *q, const struct run_prepared *run);
void queue_client_write(struct queue_client *q, const struct run_prepared *run);
void queue_client_kick_if_asleep(struct queue_client *q);
void queue_client_kick(struct queue_client *q);

bool queue_client_is_completed(const struct queue_client *q);
/* Sleeps at the futex until there is a completion; and takes it. */
void queue_client_await(struct queue_client *q);
struct queue_completion queue_client_take(struct queue_client *q);
/* Submits a run and takes the next completion. */
struct queue_completion queue_client_run(struct queue_client *q, struct run_prepared run);

#endif
