/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients of a daemon at once, each a process with a session of the installed library. A program that runs once and
 * prints lines NAME VALUE.
 *
 *   service pipelined SOCKET PID SAMPLES queue|socket   8 clients, 16 draws of so many normals in flight each
 *   service clients SOCKET PID N [copy]   N clients that draw 4,096 normals again and again, into a tile or as a copy
 *   service bare SOCKET PID N [copy]  the same by a bare server of one thread: epoll, an embedded draw, 64 bytes or a copy back
 *   service idle SOCKET PID N      N clients that wait
 *   service tiles SOCKET PID N     N clients with a tile of 16 KiB each
 *   service touch SOCKET PID MIB   a draw into a new tile, whose pages nobody has touched, beside the next one
 *   service fair SOCKET PID SAMPLES   a draw beside another client's jobs of 1 GiB
 *   service broadcast SOCKET PID N    uniforms published to N readers
 *   service ring SOCKET PID        a noise ring: small takes, and one reader's rate beside one thread's draws
 *   service pink SOCKET PID        one reader's rate of a ring of pink noise */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "crowd.h"

enum { BATCH = 4096 };

static pid_t server;

/* ---- clocks ---- */

static double seconds_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
	return seconds_by(CLOCK_MONOTONIC);
}

static double cpu_of_server(void)
{
	clockid_t clock;

	return clock_getcpuclockid(server, &clock) == 0 ? seconds_by(clock) : 0;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- pipelined ---- */

enum { PIPELINE = 16, PIPELINE_CLIENTS = 8, PIPELINE_RUNS = 25000 };

static uint64_t pipelined_samples;

static void client_pipelined(struct outcome *ret_outcome)
{
	struct trnsci_session *session = crowd_open_session(0);
	struct trnsci_param offset[] = {trnsci_param_u64("offset", 0), trnsci_param_end()};
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	double cpu;

	for (int i = 0; i < PIPELINE; i++) {
		crowd_check(trnsci_tile_new(session, TRNSCI_F32, 1, &pipelined_samples, &tile, NULL), NULL);
		crowd_check(trnsci_call_new(session, "normal", &call), NULL);
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
		for (int k = 0; k < 8; k++)
			crowd_check(trnsci_run(call, NULL), NULL);
		crowd_check(trnsci_submit(call, offset, NULL), NULL);
	}
	crowd_wait_for_start();
	cpu = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < PIPELINE_RUNS; i++) {
		crowd_check(trnsci_next(session, -1, &call, NULL), NULL);
		offset[0].value.u64 += pipelined_samples;
		crowd_check(trnsci_submit(call, offset, NULL), NULL);
	}
	ret_outcome->cpu = seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	trnsci_close(session);
}

static void bench_pipelined(void)
{
	const double runs = (double)PIPELINE_CLIENTS * PIPELINE_RUNS;
	double cpu, began, client_cpu = 0;

	crowd_start(PIPELINE_CLIENTS, client_pipelined);
	cpu = cpu_of_server();
	began = now();
	crowd_release();
	crowd_join();
	for (int i = 0; i < crowd.n; i++)
		client_cpu += crowd.outcomes[i].cpu;
	printf("ours %.4f\nwall %.4f\nclient_ns %.1f\n", 1e-3 * runs / (cpu_of_server() - cpu), 1e-3 * runs / (now() - began),
	       1e9 * client_cpu / runs);
}

/* ---- the same draw by many ---- */

static bool copies;

/* Draws into *tile, or where that is NULL into memory of the client's own. */
static void draw(struct trnsci_session *session, struct trnsci_tile **tile)
{
	const struct trnsci_source source = trnsci_source_seed(1);
	static float out[BATCH];
	struct trnsci_error err;

	crowd_check(*tile ? trnsci_draw_tile(session, "normal", NULL, &source, tile, NULL, &err)
			  : trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, BATCH, out, NULL, &err),
		    &err);
}

/* Measures clients that have drawn before: the library has a queue by then. A new session has rows of its own. */
static void client_draws(struct outcome *ret_outcome)
{
	enum { MOST = 200000, BEFORE = 100 };
	const uint64_t n = BATCH;
	struct trnsci_session *session = crowd_open_session(64 << 10);
	struct trnsci_tile *tile = NULL;
	double *took = calloc(MOST, sizeof *took), began, end;
	struct trnsci_error err;
	size_t runs = 0;

	if (!took)
		crowd_fail("memory");
	if (!copies)
		crowd_check(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err), &err);
	for (int i = 0; i < BEFORE; i++)
		draw(session, &tile);
	crowd_wait_for_start();
	began = now();
	for (end = began; end < began + 1 && runs < MOST; runs++) {
		const double from = end;

		draw(session, &tile);
		end = now();
		took[runs] = end - from;
	}
	qsort(took, runs, sizeof *took, by_size);
	*ret_outcome = (struct outcome){(double)runs, end - began, 0, took[runs * 99 / 100]};
	trnsci_close(session);
}

/* ---- the same by a bare server ---- */

enum { BARE_BYTES = 64, BARE_COPY_BYTES = BATCH * sizeof(float) };

static int bare[CROWD_MAX][2]; /* sockets of the server and of each client */

static size_t bare_reply_bytes(void)
{
	return copies ? BARE_COPY_BYTES : BARE_BYTES;
}

static void serve_bare(int n)
{
	const struct trnsci_source source = trnsci_source_seed(1);
	const struct trnsci_options one = {.threads = 1};
	const int poller = epoll_create1(0);
	static float out[BATCH];
	static char bytes[BARE_BYTES];
	struct epoll_event events[CROWD_MAX];
	struct trnsci_session *session;
	struct trnsci_error err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	crowd_check(trnsci_open("embedded:", &one, &session, &err), &err);
	for (int i = 0; i < n; i++) {
		events[0] = (struct epoll_event){.events = EPOLLIN, .data.fd = bare[i][0]};
		epoll_ctl(poller, EPOLL_CTL_ADD, bare[i][0], events);
	}
	for (;;) {
		const int ready_now = epoll_wait(poller, events, CROWD_MAX, -1);

		for (int i = 0; i < ready_now; i++) {
			if (recv(events[i].data.fd, bytes, sizeof bytes, 0) != sizeof bytes)
				continue;
			crowd_check(trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, BATCH, out, NULL, &err), &err);
			send(events[i].data.fd, copies ? (const void *)out : bytes, bare_reply_bytes(), MSG_NOSIGNAL);
		}
	}
}

static void client_asks(struct outcome *ret_outcome)
{
	const int fd = bare[crowd_client][1];
	const size_t reply_bytes = bare_reply_bytes();
	struct pollfd reply = {fd, POLLIN, 0};
	static char bytes[BARE_COPY_BYTES];
	double began, end;
	size_t runs = 0;

	crowd_wait_for_start();
	began = now();
	for (end = began; end < began + 1; runs++) {
		if (send(fd, bytes, BARE_BYTES, MSG_NOSIGNAL) != BARE_BYTES || poll(&reply, 1, -1) != 1 ||
		    recv(fd, bytes, reply_bytes, MSG_WAITALL) != (ssize_t)reply_bytes)
			_exit(1);
		end = now();
	}
	*ret_outcome = (struct outcome){(double)runs, end - began, 0, 0};
}

static void report_clients(int n)
{
	double sum = 0, least = 1e300, most = 0, p99 = 0;

	for (int i = 0; i < n; i++) {
		const double rate = crowd.outcomes[i].runs / crowd.outcomes[i].seconds;

		sum += rate;
		least = rate < least ? rate : least;
		most = rate > most ? rate : most;
		p99 = crowd.outcomes[i].p99 > p99 ? crowd.outcomes[i].p99 : p99;
	}
	/* The fair share of each is n draws at the rate of all. */
	printf("ours %.4f\nevenness %.4f\np99_shares %.4f\n", 1e-3 * sum, least / most, p99 * sum / n);
}

static void bench_bare(int n)
{
	pid_t pid;

	for (int i = 0; i < n; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, bare[i]) < 0)
			crowd_fail("a socket");
	pid = fork();
	if (pid == 0)
		serve_bare(n);
	crowd_start(n, client_asks);
	crowd_release();
	crowd_join();
	kill(pid, SIGKILL);
	report_clients(n);
}

static void bench_clients(int n)
{
	crowd_start(n, client_draws);
	crowd_release();
	crowd_join();
	report_clients(n);
}

/* ---- clients that are there ---- */

static bool has_tile;

static void client_waits(struct outcome *ret_outcome)
{
	struct trnsci_session *session = crowd_open_session(16 << 10);
	const uint64_t n = (16 << 10) / sizeof(float);
	struct trnsci_tile *tile;
	struct trnsci_error err;
	struct trnsci_call *ping;

	(void)ret_outcome;
	crowd_check(trnsci_call_new(session, "ping", &ping), NULL);
	crowd_check(trnsci_run(ping, NULL), NULL);
	if (has_tile) {
		crowd_check(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err), &err);
		crowd_check(trnsci_draw_tile(session, "normal", NULL, NULL, &tile, NULL, &err), &err);
	}
	crowd_wait_for_start();
}

static double kib_of_server(void)
{
	char path[64], line[256];
	double kib = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", (int)server);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %lf", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void bench_waiting(int n)
{
	const struct timespec settle = {0, 300000000}, watch = {2, 0};
	const double before = kib_of_server();
	double cpu;

	crowd_start(n, client_waits);
	nanosleep(&settle, NULL);
	cpu = cpu_of_server();
	nanosleep(&watch, NULL);
	printf("ours %.3f\ncpu_percent %.4f\n", (kib_of_server() - before) / n, 100 * (cpu_of_server() - cpu) / 2);
	crowd_release();
	crowd_join();
}

/* ---- pages that nobody has touched ---- */

static double draw_ms(struct trnsci_session *session, struct trnsci_tile *tile)
{
	const double began = now();
	struct trnsci_error err;

	crowd_check(trnsci_draw_tile(session, "uniform", NULL, NULL, &tile, NULL, &err), &err);
	return 1e3 * (now() - began);
}

static void bench_touch(uint64_t mib)
{
	const uint64_t n = mib << 18;
	struct trnsci_session *session = crowd_open_session(0);
	struct trnsci_tile *tile;
	struct trnsci_error err;
	double first, again;

	crowd_check(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err), &err);
	first = draw_ms(session, tile);
	again = draw_ms(session, tile);
	printf("ours %.2f\nused %.2f\nus_per_page %.3f\n", first, again, 1e3 * first / (double)(mib << 8));
	trnsci_close(session);
}

/* ---- beside a large job ---- */

static double p99_of(struct trnsci_call *draw, int rounds)
{
	const struct timespec rest = {0, 100000};
	double *took = calloc((size_t)rounds, sizeof *took), p99;

	for (int i = 0; took && i < rounds; i++) {
		nanosleep(&rest, NULL);
		took[i] = now();
		crowd_check(trnsci_run(draw, NULL), NULL);
		took[i] = now() - took[i];
	}
	if (!took)
		crowd_fail("memory");
	qsort(took, (size_t)rounds, sizeof *took, by_size);
	p99 = took[rounds * 99 / 100];
	free(took);
	return 1e9 * p99;
}

enum { JOBS = 24 };

static void bench_fair(uint64_t samples)
{
	const uint64_t n = 4 << 20;
	const int rounds = samples > 10000 ? 200 : 1000; /* the jobs must outlast them */
	struct trnsci_session *own = crowd_open_session(0), *other = crowd_open_session(64 << 20);
	struct trnsci_call *draw, *large[JOBS];
	struct trnsci_tile *tile;
	struct trnsci_error err;
	double alone, beside;

	crowd_check(trnsci_call_new(own, "uniform", &draw), NULL);
	trnsci_set(trnsci_call_args(draw), trnsci_param_u64("n", samples));
	crowd_check(trnsci_tile_new(other, TRNSCI_F32, 1, &n, &tile, &err), &err);
	alone = p99_of(draw, rounds);
	for (int i = 0; i < JOBS; i++) {
		crowd_check(trnsci_call_new(other, "run", &large[i]), NULL);
		for (int k = 0; k < 64; k++)
			trnsci_set(trnsci_program_step(large[i], "normal"), trnsci_param_tile("out", tile));
		crowd_check(trnsci_submit(large[i], NULL, NULL), NULL);
	}
	beside = p99_of(draw, rounds);
	printf("ours %.1f\nalone %.1f\noutlasted %d\n", beside, alone, trnsci_wait(large[JOBS - 1], 0) == -TRNSCI_TIMEOUT);
	trnsci_close(other);
	trnsci_close(own);
}

/* ---- a noise ring ---- */

enum { RING_SAMPLES = 1 << 18, PIECE = 16384, BULK_BYTES = 32 << 20, ROUNDS = 9 };

/* Nanoseconds of a take of 64, in bursts that the filler keeps ahead of. */
static double time_small_takes(struct trnsci_reader *ring)
{
	const struct timespec pause = {0, 200000};
	static float out[64];
	struct trnsci_error err;
	double spent = 0;

	for (int burst = 0; burst < 20; burst++) {
		double began;

		nanosleep(&pause, NULL);
		began = now();
		for (int i = 0; i < 100; i++)
			crowd_check(trnsci_reader_take(ring, out, 64, -1, NULL, &err), &err);
		spent += now() - began;
	}
	return spent / 2000 * 1e9;
}

static double take_bulk(struct trnsci_reader *ring)
{
	static float out[PIECE];
	const double began = now();
	struct trnsci_error err;

	for (size_t bytes = 0; bytes < BULK_BYTES; bytes += sizeof out)
		crowd_check(trnsci_reader_take(ring, out, PIECE, -1, NULL, &err), &err);
	return now() - began;
}

static double draw_bulk(struct trnsci_call *draw)
{
	const double began = now();

	for (size_t bytes = 0; bytes < BULK_BYTES; bytes += RING_SAMPLES * sizeof(float))
		crowd_check(trnsci_run(draw, NULL), NULL);
	return now() - began;
}

static void bench_ring(void)
{
	const struct trnsci_source source = trnsci_source_seed(1);
	const struct trnsci_options one = {.threads = 1};
	const uint64_t n = RING_SAMPLES;
	double small[ROUNDS], share[ROUNDS];
	struct trnsci_session *session = crowd_open_session(0), *embedded;
	struct trnsci_call *draw;
	struct trnsci_reader *ring;
	struct trnsci_tile *tile;
	struct trnsci_error err;

	crowd_check(trnsci_open("embedded:", &one, &embedded, &err), &err);
	crowd_check(trnsci_tile_new(embedded, TRNSCI_F32, 1, &n, &tile, &err), &err);
	crowd_check(trnsci_call_new(embedded, "normal", &draw), NULL);
	trnsci_set(trnsci_call_args(draw), trnsci_param_tile("out", tile));
	crowd_check(trnsci_ring_attach(session, "normal", NULL, &source, n, &ring, &err), &err);
	take_bulk(ring);
	draw_bulk(draw);
	for (int i = 0; i < ROUNDS; i++) {
		share[i] = draw_bulk(draw) / take_bulk(ring);
		small[i] = time_small_takes(ring);
	}
	qsort(small, ROUNDS, sizeof *small, by_size);
	qsort(share, ROUNDS, sizeof *share, by_size);
	printf("ours %.2f\nof_one_thread %.3f\n", small[ROUNDS / 2], share[ROUNDS / 2]);
	trnsci_reader_detach(ring);
	trnsci_close(embedded);
	trnsci_close(session);
}

/* Reports samples taken in a microsecond. */
static void bench_pink(void)
{
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_session *session = crowd_open_session(0);
	struct trnsci_reader *ring;
	struct trnsci_error err;
	double took[ROUNDS];

	crowd_check(trnsci_ring_attach(session, "colored", NULL, &source, 4 * RING_SAMPLES, &ring, &err), &err);
	take_bulk(ring);
	for (int i = 0; i < ROUNDS; i++)
		took[i] = take_bulk(ring);
	qsort(took, ROUNDS, sizeof *took, by_size);
	printf("ours %.1f\n", BULK_BYTES / sizeof(float) * 1e-6 / took[ROUNDS / 2]);
	trnsci_reader_detach(ring);
	trnsci_close(session);
}

/* ---- a broadcast ---- */

enum { PUBLISHED = 32 << 20, STEP = 1 << 16 };

static void client_reads(struct outcome *ret_outcome)
{
	static float out[PIECE];
	struct trnsci_session *session = crowd_open_session(0);
	struct trnsci_reader_span span;
	struct trnsci_reader *reader;
	struct trnsci_error err;

	crowd_check(trnsci_broadcast_attach(session, "bench", &reader, &err), &err);
	crowd_wait_for_start();
	while (trnsci_reader_take(reader, out, PIECE, -1, &span, &err) == 0)
		ret_outcome->runs += (double)span.count;
	trnsci_close(session);
}

static void bench_broadcast(int readers)
{
	const struct trnsci_broadcast_options options = {.samples = 1 << 20};
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_session *session = crowd_open_session(0);
	struct trnsci_error err;
	double began, took, seen = 0;

	crowd_check(trnsci_broadcast_create(session, "bench", "uniform", NULL, &source, &options, &err), &err);
	crowd_start(readers, client_reads);
	crowd_release();
	began = now();
	for (size_t i = 0; i < PUBLISHED / STEP; i++)
		crowd_check(trnsci_broadcast_publish(session, "bench", STEP, NULL, &err), &err);
	took = now() - began;
	crowd_check(trnsci_broadcast_close(session, "bench", &err), &err);
	crowd_join();
	for (int i = 0; i < readers; i++)
		seen += crowd.outcomes[i].runs;
	printf("ours %.3f\nseen_percent %.1f\n", PUBLISHED * 4e-9 / took, 100 * seen / PUBLISHED / readers);
	trnsci_close(session);
}

int main(int argc, char **argv)
{
	const int n = argc > 4 ? atoi(argv[4]) : 1;

	if (argc < 4)
		crowd_fail("what, where?");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	crowd_address = argv[2];
	server = atoi(argv[3]);
	copies = argc > 5;
	has_tile = strcmp(argv[1], "tiles") == 0;
	pipelined_samples = (uint64_t)n;
	if (argc > 5)
		crowd_queue = strcmp(argv[5], "queue") == 0 ? 1 : strcmp(argv[5], "socket") == 0 ? -1 : 0;
	if (strcmp(argv[1], "pipelined") == 0)
		bench_pipelined();
	else if (strcmp(argv[1], "clients") == 0)
		bench_clients(n);
	else if (strcmp(argv[1], "bare") == 0)
		bench_bare(n);
	else if (strcmp(argv[1], "idle") == 0 || has_tile)
		bench_waiting(n);
	else if (strcmp(argv[1], "touch") == 0)
		bench_touch((uint64_t)n);
	else if (strcmp(argv[1], "fair") == 0)
		bench_fair((uint64_t)n);
	else if (strcmp(argv[1], "broadcast") == 0)
		bench_broadcast(n);
	else if (strcmp(argv[1], "pink") == 0)
		bench_pink();
	else
		bench_ring();
	return 0;
}
