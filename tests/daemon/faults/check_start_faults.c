/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that starts while each of its allocations and system calls fails in turn: it serves with the state that it
 * had, or it ends with a status of its own.
 *
 * A cut of the sweeps; all of it with TRNSCI_FULL=1. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fault_fixture.h"

static const int errors[] = {ENOMEM, EINTR, EAGAIN, EMFILE, ENFILE, ENOSPC, EIO};

enum { N_ERRORS = sizeof errors / sizeof *errors };

/* A copy is refused, but for a mark that names its folder; there is none where the file system keeps none. */
static void forge_mark(const char *from, const char *to)
{
	char text[256], *at = text;
	ssize_t size = getxattr(from, "user.trnsci.mark", text, sizeof text - 64);
	struct statx st;

	if (size < 0)
		return;
	text[size] = '\0';
	for (int fields = 4; fields; fields--) /* the inode is the fifth */
		at = strchr(at, ' ') + 1;
	assert_int_equal(statx(AT_FDCWD, to, 0, STATX_INO | STATX_BTIME, &st), 0);
	const bool born = st.stx_mask & STATX_BTIME;

	sprintf(at, "%" PRIu64 " %" PRId64 ".%09" PRIu32, (uint64_t)st.stx_ino, born ? (int64_t)st.stx_btime.tv_sec : 0,
		born ? st.stx_btime.tv_nsec : 0);
	assert_int_equal(setxattr(to, "user.trnsci.mark", text, strlen(text), 0), 0);
}

/* As a crash would have left it. */
static void copy_state(const struct daemon *daemon)
{
	char command[400];

	snprintf(command, sizeof command, "cp %s/streams.db %s/streams.db-journal %s", fault_daemon.dir,
		 fault_daemon.dir, daemon->dir);
	assert_int_equal(system(command), 0);
	forge_mark(fault_daemon.dir, daemon->dir);
}

/* What failed to be read of the state at the start has been read again, for whoever asks. */
static void has_state(struct client *client)
{
	struct error err = {0};
	uint64_t next = fault_draw_kept(client, &err);

	for (struct waiting waiting = await_begin("", __FILE__, __LINE__); err.code && !await_is_over(&waiting);
	     next = fault_draw_kept(client, &err))
		await_nap(&waiting);
	if (next <= fault_kept_next)
		fail_msg("start: %s, call %ld (%s): expected a draw beyond word %" PRIu64 ", got %" PRIu64 " %s",
			 strerror(fault_page->error), (long)fault_page->nth, fault_page->what, fault_kept_next, next,
			 err.code ? err.text : "");
}

static void serves_and_ends(struct daemon *daemon)
{
	struct client client;

	client_open(&client, daemon->socket);
	client_result(&client, "ping", NULL);
	has_state(&client);
	client_close(&client);
	kill(daemon->pid, SIGTERM);
	assert_int_equal(daemon_wait(daemon), 0);
}

/* It serves, or it ends with a status of its own. */
static void starts_or_says(int error, long nth)
{
	struct daemon daemon;
	struct fault_page *others = fault_page;
	int status = 0;

	fault_prepare(&daemon);
	copy_state(&daemon);
	fault_arm(error, nth);
	fault_spawn(&daemon);
	for (int waited = 0; !waitpid(daemon.pid, &status, WNOHANG); waited++) {
		struct pollfd news = {daemon.notify_fd, POLLIN, 0};
		char text[64] = "";
		bool ready = poll(&news, 1, 1) == 1 && recv(daemon.notify_fd, text, sizeof text - 1, 0) > 0 &&
			     strncmp(text, "READY=1", 7) == 0;

		/* What fails may be the message itself: then it serves without its manager's knowledge. */
		if (!ready && (waited < 500 || access(daemon.socket, F_OK) < 0)) {
			if (waited > 10000)
				fail_msg("start: %s, call %ld (%s): neither serves nor ends", strerror(error), nth,
					 fault_page->what);
			continue;
		}
		fault_page->armed = 0;
		serves_and_ends(&daemon);
		break;
	}
	if (!WIFEXITED(status) && status)
		fail_msg("start: %s, call %ld (%s): status %d", strerror(error), nth, fault_page->what, status);
	if (nth < 0)
		others->nth = fault_page->seen;
	munmap(fault_page, sizeof *fault_page);
	fault_page = others;
	daemon_remove_dir(&daemon);
}

static void each_call_of_the_start_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ERRORS; i++) {
		starts_or_says(errors[i], -1);
		long count = fault_page->nth, step = getenv("TRNSCI_FULL") ? count / 300 + 1 : count / 6 + 1;

		for (long nth = 1; nth <= count; nth += step)
			starts_or_says(errors[i], nth);
		printf("# %s: %ld calls, every %ld\n", strerror(errors[i]), count, step);
	}
	faulty_name(&fault_daemon, &fault_library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_of_the_start_fails),
	};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have allocators and system calls of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, fault_setup, fault_teardown);
}
