/* SPDX-License-Identifier: Apache-2.0 */
/* Noise rings: what taking costs while the ring is ahead, and how much one taker gets while it is not, beside the same
 * draw by one thread. The two take turns, round by round, and medians are compared. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "harness/daemon.h"

enum {
	ROUNDS = 25,
	STEADY = 64, /* samples of a small take */
	STEADY_TAKES = 2000,
	PIECE = 16384,
	BULK = 32 << 20, /* bytes of a slice */
};

static const struct drawing normals = {.distribution = "normal", .source = {.seed = 1}};
static float sink[1 << 20];

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof *values, by_value);
	return values[ROUNDS / 2];
}

static void must(int r, const struct trnsci_error *err)
{
	if (r == 0)
		return;
	fprintf(stderr, "bench_ring: %s\n", err->text);
	exit(1);
}

static struct trnsci_session *open_at(const char *address, unsigned threads)
{
	const struct trnsci_options options = {.threads = threads};
	struct trnsci_session *session;
	struct trnsci_error err;

	must(trnsci_open(address, &options, &session, &err), &err);
	return session;
}

/* ns of a take of 64, at the pace of a program that does something in between: so many as the filler keeps up with. */
static double steady(struct trnsci_ring *ring)
{
	struct trnsci_error err;
	double spent = 0;

	for (int burst = 0; burst < STEADY_TAKES / 100; burst++) {
		const struct timespec pause = {0, 200 * 1000};
		double start;

		nanosleep(&pause, NULL);
		start = now();
		for (int i = 0; i < 100; i++)
			must(trnsci_ring_take(ring, sink, STEADY, -1, NULL, &err), &err);
		spent += now() - start;
	}
	return spent / STEADY_TAKES * 1e9;
}

static double bulk(struct trnsci_ring *ring, int borrow)
{
	const double start = now();
	struct trnsci_error err;
	const void *lent;

	for (size_t bytes = 0; bytes < BULK; bytes += PIECE * sizeof(float))
		if (!borrow) {
			must(trnsci_ring_take(ring, sink, PIECE, -1, NULL, &err), &err);
		} else {
			must(trnsci_ring_borrow(ring, PIECE, -1, &lent, &err), &err);
			trnsci_ring_release(ring, PIECE);
		}
	return BULK / (now() - start) * 1e-9;
}

/* The generator's own rate: one thread into a tile of a mebibyte, again and again. */
static double own_rate(struct trnsci_session *session, struct trnsci_tile *tile, uint64_t *offset)
{
	struct drawing draw = normals;
	struct trnsci_error err;
	const double start = now();

	for (size_t bytes = 0; bytes < BULK; bytes += tile_info(tile).bytes) {
		draw.source.offset = *offset;
		*offset += tile_info(tile).count;
		must(draw_tile(session, &draw, 0, tile, NULL, &err), &err);
	}
	return BULK / (now() - start) * 1e-9;
}

static void measure(const char *name, struct trnsci_session *session, struct trnsci_session *single)
{
	const uint64_t n = 1 << 18;
	double small[ROUNDS], copied[ROUNDS], lent[ROUNDS], own[ROUNDS], ratio[ROUNDS];
	struct trnsci_ring *ring;
	struct trnsci_tile *tile;
	struct trnsci_error err;
	uint64_t offset = 0;

	must(draw_ring(session, &normals, TRNSCI_F32, 1 << 18, &ring, &err), &err);
	must(trnsci_tile_new(single, 0, TRNSCI_F32, 1, &n, &tile, &err), &err);
	bulk(ring, 0);
	own_rate(single, tile, &offset);
	for (int i = 0; i < ROUNDS; i++) {
		const double before = own_rate(single, tile, &offset);

		copied[i] = bulk(ring, 0);
		own[i] = (before + own_rate(single, tile, &offset)) / 2; /* what disturbs one disturbs the others */
		lent[i] = bulk(ring, 1);
		ratio[i] = copied[i] / own[i];
	}
	for (int i = 0; i < ROUNDS; i++)
		small[i] = steady(ring);
	printf("%-10s 64 normals taken %6.1f ns | GB/s copied %5.2f, borrowed %5.2f, one thread's draws %5.2f | "
	       "copied / draws %4.2f\n",
	       name, median(small), median(copied), median(lent), median(own), median(ratio));
	trnsci_tile_free(tile);
	trnsci_ring_detach(ring);
}

/* ---- broadcasts: readers in processes of their own ---- */

enum { PUBLISHED = 64 << 20, STEP = 1 << 16, READERS_MOST = 16 };

/* Samples that it saw; sent through the pipe. */
static void read_broadcast(const char *address, int to)
{
	struct trnsci_session *session = open_at(address, 0);
	struct trnsci_broadcast_span span;
	struct trnsci_broadcast *reader;
	struct trnsci_error err;
	uint64_t seen = 0, ready = 0;

	must(trnsci_broadcast_attach(session, "bench", &reader, &err), &err);
	if (write(to, &ready, sizeof ready) != sizeof ready)
		_exit(1);
	while (trnsci_broadcast_take(reader, sink, PIECE, -1, &span, &err) == 0)
		seen += span.count;
	seen += span.count;
	_exit(write(to, &seen, sizeof seen) != sizeof seen);
}

static void measure_broadcast(const char *address, struct trnsci_session *owner, int readers)
{
	uint64_t seen = 0, one;
	struct trnsci_error err;
	int ends[2];
	double start, took;

	must(draw_broadcast(owner, "bench", &normals, TRNSCI_F32, 1 << 20, 0, 0600, &err), &err);
	if (pipe(ends) < 0)
		exit(1);
	for (int i = 0; i < readers; i++)
		if (fork() == 0)
			read_broadcast(address, ends[1]);
	for (int i = 0; i < readers; i++)
		if (read(ends[0], &one, sizeof one) != sizeof one)
			exit(1);
	start = now();
	for (size_t i = 0; i < PUBLISHED / STEP; i++)
		must(trnsci_broadcast_publish(owner, "bench", STEP, NULL, &err), &err);
	took = now() - start;
	must(trnsci_broadcast_close(owner, "bench", &err), &err);
	for (int i = 0; i < readers; i++) {
		if (read(ends[0], &one, sizeof one) != sizeof one)
			exit(1);
		seen += one;
	}
	for (int i = 0; i < readers; i++)
		wait(NULL);
	close(ends[0]);
	close(ends[1]);
	printf("%5.2f GB/s drawn, %6.2f GB/s read by all (%3.0f %% of the samples each)\n",
	       PUBLISHED * sizeof(float) / took * 1e-9, (double)seen * sizeof(float) / took * 1e-9,
	       100.0 * (double)seen / PUBLISHED / readers);
}

int main(void)
{
	struct trnsci_session *single = open_at("embedded:", 1), *session;
	struct daemon trnscid;

	printf("goals: 64 normals taken <= 100 ns; copied / draws >= 0.85\n");
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_at(trnscid.socket, 0);
	measure("daemon", session, single);
	for (int readers = 1; readers <= READERS_MOST; readers *= 4) {
		printf("broadcast, %2d readers: ", readers);
		fflush(stdout);
		measure_broadcast(trnscid.socket, session, readers);
	}
	trnsci_close(session);
	session = open_at("embedded:", 2);
	measure("embedded", session, single);
	trnsci_close(session);
	trnsci_close(single);
	daemon_stop(&trnscid);
	return 0;
}
