/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's start and its socket: how that appears and goes, whom the daemon yields to, what the service manager
 * hears of a start that failed. How it stops: check_signals. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "daemon/harness.h"

static int connects(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	int failed = connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
	close(fd);
	return failed;
}

/* A listening socket bound at path. */
static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

/* The name appears by a rename, and from that moment on a client is let in: no other event comes before. */
static void appears_by_rename(void **state)
{
	struct daemon daemon;
	char events[4096] __attribute__((aligned(8)));
	bool there = false;

	(void)state;
	daemon_prepare(&daemon);
	int watch = inotify_init1(IN_CLOEXEC);
	assert_true(inotify_add_watch(watch, daemon.dir, IN_CREATE | IN_MOVED_TO) >= 0);
	daemon_spawn(&daemon, NULL, NULL);
	while (!there) {
		struct pollfd wait = {watch, POLLIN, 0};

		assert_int_equal(poll(&wait, 1, 10000), 1);
		ssize_t size = read(watch, events, sizeof events);
		for (char *at = events; at < events + size;) {
			struct inotify_event *event = (struct inotify_event *)at;

			if (strcmp(event->name, "socket") == 0) {
				assert_int_equal(event->mask, IN_MOVED_TO);
				there = true;
			}
			at += sizeof *event + event->len;
		}
	}
	assert_int_equal(connects(daemon.socket), 0);
	close(watch);
	daemon_stop(&daemon);
}

static void mode_of_the_socket(void **state)
{
	static const char *const arguments[] = {"--socket-mode=0606", NULL};
	struct daemon daemon;
	struct stat there;

	(void)state;
	daemon_start(&daemon, arguments);
	assert_int_equal(stat(daemon.socket, &there), 0);
	assert_true(S_ISSOCK(there.st_mode));
	assert_int_equal(there.st_mode & 07777, 0606);
	daemon_stop(&daemon);
	daemon_start(&daemon, NULL);
	assert_int_equal(stat(daemon.socket, &there), 0);
	assert_int_equal(there.st_mode & 07777, 0660);
	daemon_stop(&daemon);
}

static void replaces_the_dead(void **state)
{
	struct daemon daemon;

	(void)state;
	daemon_prepare(&daemon);
	close(listen_at(daemon.socket));
	assert_int_equal(connects(daemon.socket), ECONNREFUSED);
	daemon_spawn(&daemon, NULL, NULL);
	daemon_await(&daemon, "READY=1");
	assert_int_equal(connects(daemon.socket), 0);
	/* killed: its socket and lock stay, and are replaced in turn */
	kill(daemon.pid, SIGKILL);
	assert_int_equal(daemon_wait(&daemon), 128 + SIGKILL);
	assert_int_equal(connects(daemon.socket), ECONNREFUSED);
	daemon_spawn(&daemon, NULL, NULL);
	daemon_await(&daemon, "READY=1");
	assert_int_equal(connects(daemon.socket), 0);
	daemon_stop(&daemon);
}

/* Neither a daemon nor any other listener nor a file is ever pushed aside. */
static void yields_to_the_living(void **state)
{
	struct daemon daemon, second;

	(void)state;
	daemon_start(&daemon, NULL);
	second = daemon;
	daemon_spawn(&second, NULL, NULL);
	assert_int_equal(daemon_wait(&second), EX_TEMPFAIL);
	assert_int_equal(connects(daemon.socket), 0);
	daemon_stop(&daemon);

	daemon_prepare(&daemon);
	int other = listen_at(daemon.socket);
	daemon_spawn(&daemon, NULL, NULL);
	assert_int_equal(daemon_wait(&daemon), EX_TEMPFAIL);
	assert_int_equal(connects(daemon.socket), 0);
	close(other);
	unlink(daemon.socket);
	close(open(daemon.socket, O_CREAT | O_WRONLY, 0600));
	daemon_spawn(&daemon, NULL, NULL);
	assert_int_equal(daemon_wait(&daemon), EX_OSERR);
	assert_int_equal(access(daemon.socket, F_OK), 0);
	daemon_remove_dir(&daemon);
}

/* Ten at once: one serves, nine say 75, and the socket is the one's. */
static void starts_at_once(void **state)
{
	enum { COUNT = 10 };
	struct daemon daemon, all[COUNT];
	int served = 0, status[COUNT];

	(void)state;
	daemon_prepare(&daemon);
	for (int i = 0; i < COUNT; i++) {
		all[i] = daemon;
		daemon_spawn(&all[i], NULL, NULL);
	}
	daemon_await(&daemon, "READY=1");
	assert_int_equal(connects(daemon.socket), 0);
	for (int i = 0; i < COUNT; i++) {
		struct client client;

		client_open(&client, daemon.socket);
		struct value stats = client_result(&client, "stats", NULL);
		bool this_one = client_number(value_get(&stats, "daemon"), "pid") == (uint64_t)all[i].pid;
		client_close(&client);
		served += this_one;
		if (this_one)
			daemon.pid = all[i].pid;
		status[i] = this_one ? EX_TEMPFAIL : daemon_wait(&all[i]);
		assert_int_equal(status[i], EX_TEMPFAIL);
	}
	assert_int_equal(served, 1);
	daemon_stop(&daemon);
}

static void leaves_anothers_socket(void **state)
{
	struct daemon daemon;

	(void)state;
	daemon_start(&daemon, NULL);
	unlink(daemon.socket);
	int other = listen_at(daemon.socket);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);
	assert_int_equal(connects(daemon.socket), 0);
	close(other);
	daemon_remove_dir(&daemon);
}

static void default_path(void **state)
{
	struct daemon daemon;
	char runtime[128], path[128];
	struct stat there;

	(void)state;
	daemon_prepare(&daemon);
	snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", daemon.dir);
	snprintf(path, sizeof path, "%s/trnsci/trnsci.sock", daemon.dir);
	daemon.socket[0] = '\0';
	daemon_spawn(&daemon, NULL, (const char *const[]){runtime, NULL});
	daemon_await(&daemon, "READY=1");
	assert_int_equal(connects(path), 0);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);
	assert_int_equal(access(path, F_OK), -1);
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(there.st_mode & 07777, 0755);
	rmdir(path);
	daemon_remove_dir(&daemon);
}

/* Starts the daemon as a service manager does, with the listening socket. */
static void spawn_with_socket(struct daemon *daemon, int listening, const char *argument, const char *environment)
{
	daemon->pid = fork();
	assert_true(daemon->pid >= 0);
	if (daemon->pid == 0) {
		char pid[32];

		snprintf(pid, sizeof pid, "%d", getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		setenv("NOTIFY_SOCKET", daemon->notify, 1);
		setenv("XDG_STATE_HOME", daemon->dir, 1);
		if (environment)
			putenv((char *)environment);
		if (listening != 3)
			dup2(listening, 3);
		fcntl(3, F_SETFD, 0);
		execl(daemon_binary(), "trnscid", "--log-level=warning", argument, NULL);
		_exit(127);
	}
}

/* A socket from the service manager, as sd_listen_fds describes it; it is not ours to remove. */
static void socket_is_passed(void **state)
{
	struct daemon daemon;
	struct client client;

	(void)state;
	daemon_prepare(&daemon);
	int listening = listen_at(daemon.socket);
	/* connected before the daemon is there: it waits in the backlog */
	client_open(&client, daemon.socket);
	client_send(&client, "ping", NULL);
	spawn_with_socket(&daemon, listening, NULL, NULL);
	daemon_await(&daemon, "READY=1");
	struct message message;
	assert_true(client_receive(&client, &message));
	assert_int_equal(message.error.code, 0);
	client_close(&client);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(daemon_wait(&daemon), 0);
	assert_int_equal(access(daemon.socket, F_OK), 0);
	assert_int_equal(connects(daemon.socket), 0); /* still listens, in us */
	close(listening);
	daemon_remove_dir(&daemon);
}

/* The only message: why the daemon cannot start; and then the end. */
static void expect_reason(struct client *client, const char *words)
{
	struct message message;

	if (!client_receive(client, &message))
		fail_msg("expected why the daemon cannot start, got the end of input");
	const struct value *text = value_get(&message.params, "text");
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_non_null(text);
	if (memcmp(text->bytes.at, "closed: daemon: cannot start: ", 30) != 0 ||
	    !memmem(text->bytes.at, text->bytes.size, words, strlen(words)))
		fail_msg("expected \"%s\" as what keeps the daemon from starting, got \"%.*s\"", words,
			 (int)text->bytes.size, text->bytes.at);
	assert_false(client_receive(client, &message));
	client_close(client);
}

/* Settings that are wrong: whoever waits is sent the reason, none stays behind, and the next daemon serves. */
static void bad_settings_with_a_socket(void **state)
{
	enum { WAITING = 8 }; /* as many as the backlog holds */
	static const struct {
		const char *argument, *environment, *words;
		int status;
	} examples[] = {
		{"--threads=129", NULL, "threads: \"129\", allowed: 0 to 128", EX_CONFIG},
		{"--no-such=1", NULL, "no-such: no such setting", EX_CONFIG},
		{"--config=/nonexistent", NULL, "/nonexistent: No such file", EX_CONFIG},
		{"--weights=uid:1=0", NULL, "weights", EX_CONFIG},
		{"--threads=1", "TRNSCI_CPU=fastest", "TRNSCI_CPU: \"fastest\"", EX_CONFIG},
		{"--state-dir=/dev/null/none", NULL, "/dev/null/none", EX_OSERR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct client clients[WAITING];
		struct daemon daemon;

		daemon_prepare(&daemon);
		int listening = listen_at(daemon.socket);
		for (int k = 0; k < WAITING; k++) {
			client_open(&clients[k], daemon.socket);
			if (k % 2)
				client_send(&clients[k], "ping", NULL);
		}
		spawn_with_socket(&daemon, listening, examples[i].argument, examples[i].environment);
		int status = daemon_wait(&daemon);
		if (status != examples[i].status)
			fail_msg("%s: expected exit status %d, got %d", examples[i].argument, examples[i].status, status);
		for (int k = 0; k < WAITING; k++)
			expect_reason(&clients[k], examples[i].words);
		spawn_with_socket(&daemon, listening, NULL, NULL);
		daemon_await(&daemon, "READY=1");
		client_open(&clients[0], daemon.socket);
		client_result(&clients[0], "ping", NULL);
		client_close(&clients[0]);
		kill(daemon.pid, SIGTERM);
		assert_int_equal(daemon_wait(&daemon), 0);
		close(listening);
		daemon_remove_dir(&daemon);
	}
}

static void socket_by_systemd(void **state)
{
	struct daemon daemon;
	struct client client;
	char notify[128];

	(void)state;
	if (access("/usr/bin/systemd-socket-activate", X_OK) < 0) {
		printf("# systemd-socket-activate is not installed\n");
		skip();
	}
	daemon_prepare(&daemon);
	snprintf(notify, sizeof notify, "NOTIFY_SOCKET=%s", daemon.notify);
	daemon.pid = fork();
	if (daemon.pid == 0) {
		close(2);
		open("/dev/null", O_WRONLY);
		execl("/usr/bin/systemd-socket-activate", "systemd-socket-activate", "-l", daemon.socket, "-E", notify,
		      "-E", "WATCHDOG_USEC=200000", daemon_binary(), "--log-level=error", NULL);
		_exit(127);
	}
	while (connects(daemon.socket))
		;
	daemon_await(&daemon, "READY=1");
	client_open(&client, daemon.socket);
	client_result(&client, "ping", NULL);
	client_close(&client);
	for (int i = 0; i < 3; i++)
		daemon_await(&daemon, "WATCHDOG=1");
	kill(daemon.pid, SIGTERM);
	daemon_await(&daemon, "STOPPING=1");
	assert_int_equal(daemon_wait(&daemon), 0);
	unlink(daemon.socket);
	daemon_remove_dir(&daemon);
}

static void bad_starts(void **state)
{
	static const struct {
		const char *argument, *environment;
		int status;
	} examples[] = {
		{"--help", NULL, 0},
		{"--version", NULL, 0},
		{"--threads=129", NULL, 2},
		{"--no-such=1", NULL, 2},
		{"--threads", NULL, 2},
		{"stray", NULL, 2},
		{"--config=/nonexistent", NULL, EX_CONFIG},
		{"--threads=1", "TRNSCI_CPU=fastest", EX_CONFIG},
		{"--socket=/nonexistent/folder/socket", NULL, EX_OSERR},
		{"--socket=/tmp/"
		 "a123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
		 "89012345678901234567890",
		 NULL, 2},
		{"--threads=1", "LISTEN_FDS=x", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct daemon daemon;

		daemon_prepare(&daemon);
		daemon_spawn(&daemon, (const char *const[]){examples[i].argument, NULL},
			     (const char *const[]){examples[i].environment, NULL});
		if (examples[i].environment && examples[i].status == 0) {
			daemon_await(&daemon, "READY=1");
			daemon_stop(&daemon);
			continue;
		}
		int status = daemon_wait(&daemon);
		if (status != examples[i].status)
			fail_msg("%s: expected exit status %d, got %d", examples[i].argument, examples[i].status,
				 status);
		assert_int_equal(access(daemon.socket, F_OK), -1);
		daemon_remove_dir(&daemon);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appears_by_rename),
		cmocka_unit_test(mode_of_the_socket),
		cmocka_unit_test(replaces_the_dead),
		cmocka_unit_test(yields_to_the_living),
		cmocka_unit_test(starts_at_once),
		cmocka_unit_test(leaves_anothers_socket),
		cmocka_unit_test(default_path),
		cmocka_unit_test(socket_is_passed),
		cmocka_unit_test(bad_settings_with_a_socket),
		cmocka_unit_test(socket_by_systemd),
		cmocka_unit_test(bad_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
