/* SPDX-License-Identifier: Apache-2.0 */
/* A fake daemon. It runs in a thread and answers by a script: a function that sees each request and writes what it
 * likes. */
#ifndef TESTS_CLIENT_FAKE_DAEMON_H
#define TESTS_CLIENT_FAKE_DAEMON_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "codec.h"

struct fake_daemon;

/* Answers one request; false ends the connection. */
typedef bool script(struct fake_daemon *fake, const struct message *request);

struct fake_daemon {
	int listener, client;
	unsigned more; /* connections that it takes, one after the other, behind the first */
	char path[64];
	pthread_t thread;
	script *answer;
	const void *lie; /* for its script */
};

/* Listens at fake->path. */
struct fake_daemon *fake_daemon_start(script *answer, const void *lie);
/* Once the client has closed its session. */
void fake_daemon_stop(struct fake_daemon *fake);
/* Opens a session with it, with a timeout of 10 seconds. */
struct trnsci_session *fake_daemon_open(const struct fake_daemon *fake);
/* Returns the open descriptors of this process, those of the fake daemon among them. */
int count_fds(void);

/* ------- for scripts ------- */

bool fake_daemon_asked(const struct message *request, const char *method);
/* Bytes, with a descriptor if fd >= 0. */
void fake_daemon_say(struct fake_daemon *fake, const void *bytes, size_t size, int fd);
/* A response with so many numbers by name. */
void fake_daemon_reply(struct fake_daemon *fake, const struct message *request, const char *const *names,
		       const uint64_t *numbers, size_t count, int fd);
/* A response that is an error. */
void fake_daemon_refuse(struct fake_daemon *fake, uint32_t msgid, const struct error *error);
/* An honest greeting: true when that was asked for. */
bool fake_daemon_greets(struct fake_daemon *fake, const struct message *request);

#endif
