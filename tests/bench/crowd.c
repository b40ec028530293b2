/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct crowd crowd;
const char *crowd_address;
int crowd_queue;
int crowd_client;

/* Each client writes a byte to `ready`, and waits until `start` hangs up. */
static int ready[2] = {-1, -1}, start[2];

_Noreturn void crowd_fail(const char *what)
{
	fprintf(stderr, "bench service: %s\n", what);
	if (ready[1] >= 0 && write(ready[1], "x", 1) != 1) /* who waits for this client shall not wait for ever */
		_exit(2);
	exit(1);
}

void crowd_check(int r, const struct trnsci_error *err)
{
	if (r < 0)
		crowd_fail(err && err->text[0] ? err->text : trnsci_error_name(r));
}

struct trnsci_session *crowd_open_session(size_t arena_bytes)
{
	const struct trnsci_options options = {.arena_bytes = arena_bytes, .queue = crowd_queue};
	struct trnsci_session *session;
	struct trnsci_error err;

	crowd_check(trnsci_open(crowd_address, &options, &session, &err), &err);
	return session;
}

void crowd_wait_for_start(void)
{
	struct pollfd hangup = {start[0], POLLIN, 0};

	if (write(ready[1], "", 1) != 1)
		_exit(1);
	close(start[1]);
	poll(&hangup, 1, -1);
}

void crowd_start(int n, void (*client)(struct outcome *ret_outcome))
{
	char byte;

	crowd.n = n;
	crowd.outcomes = mmap(NULL, sizeof(struct outcome) * CROWD_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n > CROWD_MAX || pipe(ready) < 0 || pipe(start) < 0 || crowd.outcomes == MAP_FAILED)
		crowd_fail("a crowd");
	for (int i = 0; i < n; i++) {
		crowd_client = i;
		crowd.pids[i] = fork();
		if (crowd.pids[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			client(&crowd.outcomes[i]);
			_exit(0);
		}
	}
	/* crowd_fail of a client writes "x". */
	for (int i = 0; i < n; i++)
		if (crowd.pids[i] < 0 || read(ready[0], &byte, 1) != 1 || byte)
			crowd_fail("a client could not begin");
}

void crowd_release(void)
{
	close(start[1]);
}

void crowd_join(void)
{
	int status;

	for (int i = 0; i < crowd.n; i++)
		if (waitpid(crowd.pids[i], &status, 0) < 0 || status != 0)
			crowd_fail("a client failed");
}
