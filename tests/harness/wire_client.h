/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of a daemon that know the wire and nothing else. Everything asserts. */
#ifndef TESTS_HARNESS_WIRE_CLIENT_H
#define TESTS_HARNESS_WIRE_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/value.h"
#include "codec.h"
#include "fdpass.h"

struct client {
	int fd;
	char *at;
	size_t size, room;
	uint32_t last_msgid;
	struct bump *bump; /* of replies; lives as long as the client */
};

void client_open(struct client *client, const char *socket);
void client_close(struct client *client);

/* Starts a map in the client's bump allocator and adds to it: client_map(c, "n", value_uint(4), NULL). */
struct value client_map(struct client *client, ...);

/* Sends a request and returns its msgid; sends bytes as they are. */
uint32_t client_send(struct client *client, const char *method, const struct value *params);
void client_send_bytes(struct client *client, const void *bytes, size_t size);

/* The next message within DEADLINE_S; false at the end of input. */
bool client_receive(struct client *client, struct message *ret);
/* As client_receive, with a file descriptor that came along (or -1). */
bool client_receive_fd(struct client *client, struct message *ret, int *ret_fd);
bool client_receive_fds(struct client *client, struct message *ret, struct fdpass *ret_fds);

/* Request and reply; must be an answer to it. */
struct message client_call(struct client *client, const char *method, const struct value *params);
/* The same, which must succeed; or fail with this code, and a text that has these words. */
struct value client_result(struct client *client, const char *method, const struct value *params);
void client_fails(struct client *client, const char *method, const struct value *params, int code, const char *words);

/* Whether the connection is let in: a ping is answered. Otherwise its only message must be the notification `error` of a
 * limit, with a text that has these words, and then comes the end. */
bool client_is_let_in(struct client *client, const char *words);
/* The same of a connection that says nothing: it must be refused so. */
void client_is_refused(struct client *client, const char *words);

/* Draws two uniforms of seed 1, which must be those of their vector. */
void client_expect_known_draw(struct client *client);

uint64_t client_number(const struct value *map, const char *name);
/* The member "a.b.c" of stats. */
uint64_t client_stat(struct client *client, const char *path);
/* Until the stat has that value; fails after DEADLINE_S. */
void client_await_stat(struct client *client, const char *path, uint64_t value);

/* An arena of so many bytes, mapped; its fd. */
int client_arena(struct client *client, uint64_t bytes, void **ret_base);
/* The parameters of a program of count draws (at most 256) into a new tile of n samples. */
struct value client_program(struct client *client, uint64_t n, int count);
/* Sends one of some 3 ms a draw. It takes 16 MiB of the session's arena. */
uint32_t client_send_long(struct client *client, int count);

#endif
