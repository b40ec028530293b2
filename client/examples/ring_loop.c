/* SPDX-License-Identifier: Apache-2.0 */
/* A noise ring in an event loop, which must never wait in a call: a timer says when a block is due, and trnsci_reader_take with a
 * time limit of 0 takes what is there. Samples that are missing, since all lanes were busy, are looked for a millisecond later. The
 * loop is one poll; any other will do.
 *
 *   cc ring_loop.c $(pkg-config --cflags --libs trnsci) -o ring_loop */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

enum { BLOCK = 480, BLOCKS = 20, PERIOD_MS = 10, AGAIN_MS = 1 };

/* Takes what is missing of the block. Returns the samples that are still missing, or -1. */
static int fill_block(struct trnsci_reader *ring, float block[BLOCK], int missing)
{
	struct trnsci_reader_span span;
	struct trnsci_error err;
	int r = trnsci_reader_take(ring, block + BLOCK - missing, (uint64_t)missing, 0, &span, &err);

	if (r < 0 && r != -TRNSCI_TIMEOUT) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	return missing - (int)span.count;
}

/* Waits until the next block is due. Returns 0, or -1. */
static int await_timer(int timer)
{
	struct pollfd due = {timer, POLLIN, 0}; /* beside the descriptors of the program */
	uint64_t times;

	return poll(&due, 1, -1) == 1 && read(timer, &times, sizeof times) == sizeof times ? 0 : -1;
}

static int play(struct trnsci_reader *ring, int timer)
{
	float block[BLOCK];
	double sum = 0;

	for (int i = 0; i < BLOCKS; i++) {
		int missing = BLOCK;

		if (await_timer(timer) < 0)
			return -1;
		while ((missing = fill_block(ring, block, missing)) > 0)
			poll(NULL, 0, AGAIN_MS);
		if (missing < 0)
			return -1;
		for (int k = 0; k < BLOCK; k++)
			sum += (double)block[k];
	}
	printf("mean of %d normals: %.4f\n", BLOCK * BLOCKS, sum / (BLOCK * BLOCKS));
	return 0;
}

int main(int argc, char **argv)
{
	const struct itimerspec period = {{0, PERIOD_MS * 1000000}, {0, PERIOD_MS * 1000000}};
	struct trnsci_source source = trnsci_source_seed(7);
	struct trnsci_session *session;
	struct trnsci_reader *ring;
	struct trnsci_error err;
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), r;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0 ||
	    trnsci_ring_attach(session, "normal", NULL, &source, 0, &ring, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	timerfd_settime(timer, 0, &period, NULL);
	r = play(ring, timer);
	trnsci_reader_detach(ring);
	trnsci_close(session);
	return r < 0;
}
