/* SPDX-License-Identifier: Apache-2.0 */
/* A real daemon in a child process, on a private socket in a folder of its own, and clients of it that know the wire
 * and nothing else. Everything asserts. Readiness is the daemon's own READY=1, never a sleep. */
#ifndef TRNSCI_TESTS_DAEMON_HARNESS_H
#define TRNSCI_TESTS_DAEMON_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>

#include "base/value.h"
#include "codec.h"
#include "fdpass.h"

/* gcc tells by macros, clang by features. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#else
#define THREAD_SANITIZED 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || THREAD_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

struct daemon {
	pid_t pid;
	char dir[64], socket[96], notify[96];
	int notify_fd; /* datagrams that it sends to its service manager */
	unsigned most_files; /* its limit of open files, from daemon_spawn on; 0: ours */
};

/* The path of the daemon's binary, beside this test's. */
const char *daemon_binary(void);

/* dir and notify socket, without a process yet. */
void daemon_prepare(struct daemon *daemon);
/* Starts it with --socket (unless that is empty) and these arguments (NULL at the end; or NULL), and environment beyond
 * ours. Does not wait.
 */
void daemon_spawn(struct daemon *daemon, const char *const *arguments, const char *const *environment);
/* The next datagram, which must begin with prefix (others before it are skipped), within half a minute. */
void daemon_await(struct daemon *daemon, const char *prefix);
/* All of the above. */
void daemon_start(struct daemon *daemon, const char *const *arguments);

/* Its exit status; 128 + signal when one ended it. Waits at most 20 seconds. */
int daemon_wait(struct daemon *daemon);
/* SIGTERM; must exit with 0 and leave nothing at its socket's path. Removes the folder. */
void daemon_stop(struct daemon *daemon);
void daemon_remove_dir(struct daemon *daemon);

unsigned daemon_fds(const struct daemon *daemon);
/* A line of /proc/PID/status in KiB: "VmRSS", "RssShmem", "RssAnon", "VmSize"; or a count: "Threads". */
uint64_t daemon_kib(const struct daemon *daemon, const char *line);

struct client {
	int fd;
	char *at;
	size_t size, room;
	uint32_t last_msgid;
	struct zone *zone; /* of replies; lives as long as the client */
};

void client_open(struct client *client, const char *socket);
void client_close(struct client *client);

/* Starts a map in the client's zone and adds to it: client_map(c, "n", value_uint(4), NULL). */
struct value client_map(struct client *client, ...);

/* Sends a request and returns its msgid; sends bytes as they are. */
uint32_t client_send(struct client *client, const char *method, const struct value *params);
void client_send_bytes(struct client *client, const void *bytes, size_t size);

/* The next message within half a minute; false at the end of input. */
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

uint64_t client_number(const struct value *map, const char *name);
/* The member "a.b.c" of stats. */
uint64_t client_stat(struct client *client, const char *path);
/* Until the stat has that value; fails after half a minute. */
void client_await_stat(struct client *client, const char *path, uint64_t value);

/* An arena of so many bytes, mapped; its fd. */
int client_arena(struct client *client, uint64_t bytes, void **ret_base);
/* The parameters of a program of count draws (at most 256) into a new tile of n samples. */
struct value client_program(struct client *client, uint64_t n, int count);
/* Sends one of some 3 ms a draw. It takes 16 MiB of the session's arena. */
uint32_t client_send_long(struct client *client, int count);

#endif
