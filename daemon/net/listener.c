/* SPDX-License-Identifier: Apache-2.0 */
/* Listening and accepting. A lock beside the socket (PATH.lock), held as long as the daemon runs, keeps two daemons that
 * start at once from replacing each other's socket. */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <event2/event.h>

#include "connection.h"
#include "fdpass.h"
#include "log.h"
#include "refusal.h"

enum {
	PATH_ROOM = sizeof((struct sockaddr_un *)0)->sun_path,
	SUFFIX_ROOM = 5, /* ".lock", the longest */
	BACKLOG = 1024,
	ACCEPT_AT_ONCE = 64,
	ACCEPT_NS = 250000,  /* of one turn of the loop, while sessions wait */
	WAITING_MAX = 8192,  /* more than a backlog holds */
	PAUSE_US = 100000,   /* after an accept that failed */
};

struct listener {
	struct service *service;
	struct event *readable, *resume;
	int fd, lock_fd;
	int reserve_fd;       /* closed to accept, and refuse, a connection when no other descriptor is left; -1: none */
	struct stat own;      /* the socket that the daemon made */
	char path[PATH_ROOM]; /* empty: the service manager's */
};

/* ------- the path ------- */

static int fail_path(struct error *err, const char *path, const char *what)
{
	return error_set(err, ERROR_SYSTEM, "socket: %s: %s: %s", path, what, strerror(errno));
}

/* The daemon makes the folder trnsci only, not the ones above it. */
static int default_path(char path[PATH_ROOM], struct error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int size = snprintf(path, PATH_ROOM, "%s/trnsci", runtime && *runtime ? runtime : "/run");

	if (size < 0 || size >= PATH_ROOM)
		return error_set(err, ERROR_OUT_OF_RANGE, "socket: XDG_RUNTIME_DIR is too long");
	if (mkdir(path, 0700) == 0)
		chmod(path, 0755); /* the socket's own mode says who may connect */
	else if (errno != EEXIST)
		return fail_path(err, path, "cannot be made");
	strncat(path, "/trnsci.sock", PATH_ROOM - strlen(path) - 1);
	return 0;
}

static int choose_path(const struct settings *settings, char path[PATH_ROOM], struct error *err)
{
	size_t size = strlen(settings->socket);
	int r = 0;

	if (size == 0)
		r = default_path(path, err);
	else if (size < PATH_ROOM)
		memcpy(path, settings->socket, size + 1);
	if (r == 0 && (size >= PATH_ROOM || strlen(path) + SUFFIX_ROOM >= PATH_ROOM))
		r = error_set(err, ERROR_OUT_OF_RANGE, "socket: %.60s: too long, allowed: at most %d bytes",
			      settings->socket, PATH_ROOM - SUFFIX_ROOM - 1);
	return r;
}

/* ------- the lock ------- */

static int fail_occupied(struct error *err, const char *path)
{
	return error_set(err, ERROR_LIMIT, "socket: %s: another daemon listens there, allowed: one", path);
}

/* Whoever removes the file holds its lock, so after locking, the file must still be the one at the path. */
static int take_lock(const char *path, int *ret_fd, struct error *err)
{
	char name[PATH_ROOM + SUFFIX_ROOM];
	struct stat locked, there;

	snprintf(name, sizeof name, "%s.lock", path);
	for (;;) {
		int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);

		if (fd < 0)
			return fail_path(err, name, "cannot be made");
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			bool held = errno == EWOULDBLOCK;

			close(fd);
			return held ? fail_occupied(err, path) : fail_path(err, name, "cannot be locked");
		}
		if (fstat(fd, &locked) == 0 && stat(name, &there) == 0 && locked.st_ino == there.st_ino &&
		    locked.st_dev == there.st_dev) {
			*ret_fd = fd;
			return 0;
		}
		close(fd);
	}
}

static void drop_lock(const struct listener *listener)
{
	char name[PATH_ROOM + SUFFIX_ROOM];

	snprintf(name, sizeof name, "%s.lock", listener->path);
	unlink(name);
	close(listener->lock_fd);
}

/* ------- the socket ------- */

/* Returns 0 if nothing is at the path, or a socket that nobody listens on. */
static int check_vacant(const struct sockaddr_un *address, struct error *err)
{
	struct stat there;
	int fd, failed;

	if (lstat(address->sun_path, &there) < 0)
		return errno == ENOENT ? 0 : fail_path(err, address->sun_path, "cannot be read");
	if (!S_ISSOCK(there.st_mode))
		return error_set(err, ERROR_SYSTEM, "socket: %s: there is a file that is not a socket, allowed: a socket or nothing",
				 address->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fail_path(err, address->sun_path, "no socket to test it");
	failed = connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 ? errno : 0;
	close(fd);
	errno = failed;
	if (failed == ECONNREFUSED || failed == ENOENT)
		return 0;
	/* EAGAIN: it listens, its backlog is full. */
	return failed == 0 || failed == EAGAIN ? fail_occupied(err, address->sun_path)
					       : fail_path(err, address->sun_path, "cannot be tested");
}

static int bind_and_listen(struct listener *listener, struct sockaddr_un *address, struct error *err)
{
	mode_t mode = (mode_t)listener->service->settings->socket_mode;

	strcat(strcpy(address->sun_path, listener->path), ".new"); /* choose_path has left room */
	unlink(address->sun_path);
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return fail_path(err, listener->path, "no socket");
	fdpass_refuse(listener->fd); /* also to who connects before we accept */
	if (bind(listener->fd, (struct sockaddr *)address, sizeof *address) < 0)
		return fail_path(err, address->sun_path, "cannot be bound");
	if (chmod(address->sun_path, mode) < 0 || listen(listener->fd, BACKLOG) < 0 ||
	    lstat(address->sun_path, &listener->own) < 0 || rename(address->sun_path, listener->path) < 0) {
		fail_path(err, listener->path, "cannot be put in place");
		unlink(address->sun_path);
		return -ERROR_SYSTEM;
	}
	return 0;
}

static int make_socket(struct listener *listener, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[PATH_ROOM];
	int r = choose_path(listener->service->settings, path, err);

	if (r < 0)
		return r;
	r = take_lock(path, &listener->lock_fd, err);
	if (r < 0)
		return r;
	strcpy(listener->path, path);
	strcpy(address.sun_path, path);
	r = check_vacant(&address, err);
	return r < 0 ? r : bind_and_listen(listener, &address, err);
}

static void remove_socket(const struct listener *listener)
{
	struct stat there;

	if (lstat(listener->path, &there) == 0 && there.st_ino == listener->own.st_ino &&
	    there.st_dev == listener->own.st_dev)
		unlink(listener->path);
}

/* ------- accepting ------- */

static void refuse_for_fds(int fd)
{
	struct error err;

	error_set(&err, ERROR_LIMIT,
		  "connection: the daemon has no file descriptor left, allowed: its limit of open files (RLIMIT_NOFILE, "
		  "LimitNOFILE= of the service)");
	refusal_send(fd, &err);
}

/* If it could not be opened before, this tries again, before a connection takes the descriptor. */
static void open_reserve_fd(struct listener *listener)
{
	if (listener->reserve_fd < 0)
		listener->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Refuses a connection when no descriptor is left: one that stays in the backlog would wake the loop for ever. Returns 0 or
 * the errno of accept4; EAGAIN: nobody waits any more. */
static int refuse_one(struct listener *listener)
{
	int fd, failure;

	if (listener->reserve_fd >= 0)
		close(listener->reserve_fd);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	failure = fd < 0 ? errno : 0;
	if (fd >= 0) {
		refuse_for_fds(fd);
		listener->service->stats.connections_refused++;
	}
	listener->reserve_fd = -1;
	open_reserve_fd(listener);
	return failure;
}

/* Stops accepting for PAUSE_US: without memory, a new attempt would fail at once. */
static void pause_accepting(struct listener *listener)
{
	struct timeval pause = {0, PAUSE_US};

	if (event_add(listener->resume, &pause) == 0)
		event_del(listener->readable);
}

/* Returns 0, or the errno that ends this turn. */
static int accept_one(struct listener *listener)
{
	int fd;

	open_reserve_fd(listener);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		connection_open(listener->service, fd);
	else if (errno == EMFILE || errno == ENFILE)
		return refuse_one(listener);
	else if (errno != EINTR && errno != ECONNABORTED)
		return errno;
	return 0;
}

/* Accepts as many as there are, within bounds: while the backlog is full, the kernel refuses every user's connections. */
static void on_connection(evutil_socket_t fd, short what, void *arg)
{
	struct listener *listener = arg;
	const uint64_t end_ns = stats_now_ns() + ACCEPT_NS;
	int failure = 0;

	(void)fd;
	(void)what;
	for (int i = 0; i < ACCEPT_AT_ONCE && failure == 0 && stats_now_ns() < end_ns; i++)
		failure = accept_one(listener);
	if (failure && failure != EAGAIN)
		pause_accepting(listener);
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct listener *listener = arg;
	struct timeval pause = {0, PAUSE_US};

	(void)fd;
	(void)what;
	if (event_add(listener->readable, NULL) < 0)
		event_add(listener->resume, &pause);
}

static int add_listener_events(struct listener *listener, struct error *err)
{
	struct event_base *base = loop_base(listener->service->loop);

	listener->readable = event_new(base, listener->fd, EV_READ | EV_PERSIST, on_connection, listener);
	listener->resume = event_new(base, -1, 0, on_resume, listener);
	if (!listener->readable || !listener->resume || event_add(listener->readable, NULL) < 0)
		return error_set(err, ERROR_NO_MEMORY, "socket: its events");
	return 0;
}

int listener_open(struct service *service, int fd, struct listener **ret_listener, struct error *err)
{
	struct listener *listener = calloc(1, sizeof *listener);
	int r = 0;

	if (!listener)
		return error_set(err, ERROR_NO_MEMORY, "socket: its entry");
	listener->service = service;
	listener->fd = fd;
	listener->lock_fd = -1;
	listener->reserve_fd = -1;
	open_reserve_fd(listener);
	if (fd >= 0)
		fdpass_refuse(fd);
	if (fd < 0)
		r = make_socket(listener, err);
	else if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		r = fail_path(err, "LISTEN_FDS", "cannot be made non-blocking");
	if (r == 0)
		r = add_listener_events(listener, err);
	if (r < 0) {
		listener_close(listener);
		return r;
	}
	*ret_listener = listener;
	return 0;
}

void listener_close(struct listener *listener)
{
	if (!listener)
		return;
	if (listener->readable)
		event_free(listener->readable);
	if (listener->resume)
		event_free(listener->resume);
	if (listener->own.st_ino)
		remove_socket(listener);
	if (listener->fd >= 0)
		close(listener->fd);
	if (listener->lock_fd >= 0)
		drop_lock(listener);
	if (listener->reserve_fd >= 0)
		close(listener->reserve_fd);
	free(listener);
}

void listener_refuse_waiting(int fd, const struct error *why)
{
	int connection;

	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return;
	for (int i = 0; i < WAITING_MAX; i++) {
		connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (connection >= 0)
			refusal_send(connection, why);
		else if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

const char *listener_name(const struct listener *listener)
{
	return *listener->path ? listener->path : "the socket passed by the service manager";
}
