/* SPDX-License-Identifier: Apache-2.0 */
/* Redis and echo: children of the benchmark. */
#include "service_peers.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Redis ---- */

static void exec_redis(const struct redis *redis)
{
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDOUT_FILENO);
	execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", redis->socket, "--save", "",
	       "--appendonly", "no", "--dir", redis->folder, (char *)NULL);
	_exit(127);
}

/* It has no word for ready but its answer. */
static int connect_to(struct redis *redis)
{
	for (int tries = 0; tries < 500; tries++) {
		redis->context = redisConnectUnix(redis->socket);
		if (redis->context && !redis->context->err)
			return 0;
		if (redis->context)
			redisFree(redis->context);
		redis->context = NULL;
		usleep(10000);
	}
	fprintf(stderr, "redis-server does not answer at %s\n", redis->socket);
	return -1;
}

static int set_key(struct redis *redis, size_t size)
{
	char *bytes = malloc(size);
	redisReply *reply;

	if (!bytes)
		return -1;
	memset(bytes, 'x', size);
	reply = redisCommand(redis->context, "SET %lu %b", (unsigned long)size, bytes, size);
	free(bytes);
	if (!reply)
		return -1;
	freeReplyObject(reply);
	return 0;
}

int redis_start(struct redis *redis, const size_t *sizes, size_t count)
{
	int r;

	strcpy(redis->folder, "/tmp/trnsci-redis-XXXXXX");
	if (!mkdtemp(redis->folder))
		return -1;
	snprintf(redis->socket, sizeof redis->socket, "%s/r.sock", redis->folder);
	redis->pid = fork();
	if (redis->pid == 0)
		exec_redis(redis);
	r = connect_to(redis);
	for (size_t i = 0; i < count && r == 0; i++)
		r = set_key(redis, sizes[i]);
	return r;
}

void redis_get(struct redis *redis, size_t size)
{
	redisReply *reply = redisCommand(redis->context, "GET %lu", (unsigned long)size);

	if (!reply || reply->type != REDIS_REPLY_STRING || reply->len != size) {
		fprintf(stderr, "redis: GET %zu failed\n", size);
		exit(1);
	}
	freeReplyObject(reply);
}

int redis_load(const struct redis *redis, long requests, int clients, int pipeline)
{
	char command[512];

	/* The key that -t get asks for. */
	snprintf(command, sizeof command,
		 "redis-benchmark -s %s -t set -d 2048 -n 1 -q >/dev/null && "
		 "redis-benchmark -s %s -t get -d 2048 -n %ld -c %d -P %d -q >/dev/null",
		 redis->socket, redis->socket, requests, clients, pipeline);
	return system(command) == 0 ? 0 : -1;
}

void redis_stop(struct redis *redis)
{
	if (redis->context)
		redisFree(redis->context);
	kill(redis->pid, SIGKILL);
	waitpid(redis->pid, NULL, 0);
	unlink(redis->socket);
	rmdir(redis->folder);
}

/* ---- echo ---- */

static void move(const struct echo *echo, char *bytes, size_t size, bool out)
{
	const int flags = (echo->spinning ? MSG_DONTWAIT : 0) | MSG_NOSIGNAL;

	for (size_t at = 0; at < size;) {
		ssize_t moved = out ? send(echo->socket, bytes + at, size - at, flags)
				    : recv(echo->socket, bytes + at, size - at, flags);

		if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR))
			_exit(0);
		at += moved > 0 ? (size_t)moved : 0;
	}
}

static void serve(const struct echo *echo)
{
	static char bytes[65536];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		move(echo, bytes, echo->request, false);
		move(echo, bytes, echo->reply, true);
	}
}

int echo_start(struct echo *echo, bool spinning, size_t request, size_t reply)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	*echo = (struct echo){.socket = pair[1], .spinning = spinning, .request = request, .reply = reply};
	echo->pid = fork();
	if (echo->pid == 0) {
		close(pair[0]);
		serve(echo);
	}
	close(pair[1]);
	echo->socket = pair[0];
	return 0;
}

void echo_once(struct echo *echo)
{
	static char bytes[65536];

	move(echo, bytes, echo->request, true);
	move(echo, bytes, echo->reply, false);
}

void echo_stop(struct echo *echo)
{
	close(echo->socket);
	kill(echo->pid, SIGKILL);
	waitpid(echo->pid, NULL, 0);
}
