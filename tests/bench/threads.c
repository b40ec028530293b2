/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of one program, each with a call of its own: with one session for all, and with a session each. Prints lines NAME VALUE.
 *
 *   threads SOCKET N queue|socket   N threads that draw 16 normals into tiles in a closed loop; thousands of draws a second */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "crowd.h"

enum { MOST = 64, WARM = 20, ROUNDS = 5, ROUND_MS = 200 };

static atomic_bool ended;
static atomic_ullong drawn;

static void *draw(void *session)
{
	struct trnsci_param offset[] = {trnsci_param_u64("offset", 0), trnsci_param_end()};
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	unsigned long long runs = 0;

	crowd_check(trnsci_tile_new(session, TRNSCI_F32, 1, (const uint64_t[]){16}, &tile, NULL), NULL);
	crowd_check(trnsci_call_new(session, "normal", &call), NULL);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	for (int i = 0; i < WARM; i++)
		crowd_check(trnsci_run(call, NULL), NULL);
	for (; !atomic_load_explicit(&ended, memory_order_relaxed); runs++) {
		offset[0].value.u64 += 16;
		crowd_check(trnsci_run(call, offset), NULL);
	}
	atomic_fetch_add(&drawn, runs);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	return NULL;
}

static double thousands(struct trnsci_session *const sessions[], int n)
{
	const struct timespec round = {0, ROUND_MS * 1000000};
	pthread_t threads[MOST];

	atomic_store(&ended, false);
	atomic_store(&drawn, 0);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, draw, sessions[i]) != 0)
			crowd_fail("a thread");
	nanosleep(&round, NULL);
	atomic_store(&ended, true);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return (double)atomic_load(&drawn) / ROUND_MS;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const int n = argc == 4 ? atoi(argv[2]) : 0;
	struct trnsci_session *own[MOST], *one[MOST];
	double shared[ROUNDS], apart[ROUNDS];

	if (n < 1 || n > MOST)
		crowd_fail("where, how many threads, queue or socket?");
	crowd_address = argv[1];
	crowd_queue = strcmp(argv[3], "queue") == 0 ? 1 : -1;
	for (int i = 0; i < n; i++) {
		own[i] = crowd_open_session(0);
		one[i] = i > 0 ? one[0] : crowd_open_session(0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		shared[i] = thousands(one, n);
		apart[i] = thousands(own, n);
	}
	qsort(shared, ROUNDS, sizeof *shared, by_size);
	qsort(apart, ROUNDS, sizeof *apart, by_size);
	printf("ours %.1f\napart %.1f\n", shared[ROUNDS / 2], apart[ROUNDS / 2]);
	for (int i = 0; i < n; i++)
		trnsci_close(own[i]);
	trnsci_close(one[0]);
	return 0;
}
