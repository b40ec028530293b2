/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that lies. It runs in a thread and answers by a script: a function that sees each request and writes what it
 * likes. */
#ifndef TESTS_CLIENT_LIAR_H
#define TESTS_CLIENT_LIAR_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "codec.h"

struct liar;

/* Answers one request; false ends the connection. */
typedef bool script(struct liar *liar, const struct message *request);

struct liar {
	int listener, client;
	unsigned more; /* connections that it takes, one after the other, behind the first */
	char path[64];
	pthread_t thread;
	script *answer;
	const void *lie; /* for its script */
};

/* Listens at liar->path. */
struct liar *liar_start(script *answer, const void *lie);
/* Once the client has closed its session. */
void liar_stop(struct liar *liar);
/* A session with it, whose patience is 10 seconds. */
struct trnsci_session *liar_open(const struct liar *liar);
/* Of this process, liar and all. */
int liar_count_fds(void);

/* ------- for scripts ------- */

bool liar_asked(const struct message *request, const char *method);
/* Bytes, with a descriptor if fd >= 0. */
void liar_say(struct liar *liar, const void *bytes, size_t size, int fd);
/* A response with so many numbers by name. */
void liar_reply(struct liar *liar, const struct message *request, const char *const *names, const uint64_t *numbers,
		size_t count, int fd);
/* An honest greeting: true when that was asked for. */
bool liar_greets(struct liar *liar, const struct message *request);

#endif
