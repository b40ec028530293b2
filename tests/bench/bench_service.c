/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's latency and throughput beside Redis over its Unix socket and bare echoes over one, in one run. Rows that
 * are compared take turns, so that what else the machine does hits them alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "bench/service_load.h"
#include "bench/service_peers.h"
#include "harness/daemon.h"

enum {
	SAMPLES = 512,
	SMALL = SAMPLES * sizeof(float),
	REQUEST_BYTES = 64, /* about what a draw's request and a GET have */
	IDLE_ROUNDS = 500,
	PAUSE_US = 1000,
	LOOP_ROUNDS = 20000,
	FFT_LENGTH = 1024,
	FFT_BATCH = 64,
	FAIR_PAUSE_US = 100,
	CHUNK_US = 250,
	PROGRAM_ROUNDS = 5,
	CLIENTS = 8,
	PIPELINE = 16,
	LOAD = 200000,
	LOAD_TURNS = 3,
	IDLE_CLIENTS = 1000,
	IDLE_SECONDS = 2,
};

struct bench {
	struct daemon daemon;
	struct redis redis;
	struct trnsci_session *session, *embedded;
	struct trnsci_call *draw, *ping, *run, *prepared, *named;
	struct trnsci_tile *tile;
	size_t size; /* of a GET */
	struct trnsci_tile *fft_tile[2]; /* the daemon's, the embedded engine's */
	struct echo echo;
};

struct spread {
	double p50, p99;
};

static void give_up(const char *what)
{
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct spread spread_of(double *values, size_t count)
{
	qsort(values, count, sizeof *values, by_size);
	return (struct spread){values[count / 2], values[count * 99 / 100]};
}

/* CPU time of a process, in seconds. */
static double cpu_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
		give_up("the CPU clock");
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is timed ---- */

static void run_draw(struct bench *bench)
{
	if (trnsci_run(bench->draw, NULL) < 0)
		give_up("draw");
}

static void run_named(struct bench *bench)
{
	if (trnsci_run(bench->named, NULL) < 0)
		give_up("stream_draw");
}

static void run_ping(struct bench *bench)
{
	if (trnsci_run(bench->ping, NULL) < 0)
		give_up("ping");
}

static void run_get(struct bench *bench)
{
	redis_get(&bench->redis, bench->size);
}

static void run_echo(struct bench *bench)
{
	echo_once(&bench->echo);
}

static void run_fill(struct bench *bench)
{
	const struct drawing draw = {.distribution = "uniform", .source = {.seed = 1}};

	if (draw_tile(bench->session, &draw, 0, bench->tile, NULL, NULL) < 0)
		give_up("uniforms into a tile");
}

static int transform(struct trnsci_session *session, struct trnsci_tile *tile)
{
	const struct trnsci_param params[] = {trnsci_with_tile("in", tile), trnsci_end()};

	return trnsci_apply(session, "fft", params, &tile, NULL);
}

static void run_fft(struct bench *bench)
{
	if (transform(bench->session, bench->fft_tile[0]) < 0)
		give_up("fft");
}

static void run_fft_embedded(struct bench *bench)
{
	if (transform(bench->embedded, bench->fft_tile[1]) < 0)
		give_up("embedded fft");
}

/* What was set again is sent again. */
static void run_program(struct bench *bench)
{
	trnsci_set_u64(trnsci_args(bench->run), "seed", 0);
	if (trnsci_run(bench->run, NULL) < 0)
		give_up("run");
}

static void run_prepared(struct bench *bench)
{
	if (trnsci_run(bench->prepared, NULL) < 0)
		give_up("a prepared run");
}

static struct spread time_of(struct bench *bench, void (*run)(struct bench *bench), int rounds, unsigned pause_us)
{
	double *took = calloc((size_t)rounds, sizeof *took);
	struct spread spread;

	if (!took)
		give_up("memory");
	for (int i = 0; i < rounds; i++) {
		if (pause_us)
			usleep(pause_us);
		took[i] = now_us();
		run(bench);
		took[i] = now_us() - took[i];
	}
	spread = spread_of(took, (size_t)rounds);
	free(took);
	return spread;
}

/* The median of several spreads, each by its p50. */
static struct spread median_of(struct spread *spreads, size_t count)
{
	double p50[16], p99[16];

	for (size_t i = 0; i < count; i++) {
		p50[i] = spreads[i].p50;
		p99[i] = spreads[i].p99;
	}
	qsort(p50, count, sizeof *p50, by_size);
	qsort(p99, count, sizeof *p99, by_size);
	return (struct spread){p50[count / 2], p99[count / 2]};
}

/* Two that take turns, several times over. */
static void race(struct bench *bench, void (*a)(struct bench *bench), void (*b)(struct bench *bench), int rounds,
		 unsigned pause_us, struct spread *ret_a, struct spread *ret_b)
{
	enum { TURNS = 5 };
	struct spread of_a[TURNS], of_b[TURNS];

	for (int i = 0; i < TURNS; i++) {
		of_a[i] = time_of(bench, a, rounds / TURNS, pause_us);
		of_b[i] = time_of(bench, b, rounds / TURNS, pause_us);
	}
	*ret_a = median_of(of_a, TURNS);
	*ret_b = median_of(of_b, TURNS);
}

/* Three that take turns one by one, each after a rest. */
static void alternate(struct bench *bench, int rounds, struct spread *ret_draw, struct spread *ret_get,
		      struct spread *ret_echo)
{
	void (*const run[])(struct bench *bench) = {run_draw, run_get, run_echo};
	struct spread *const ret[] = {ret_draw, ret_get, ret_echo};
	double *took[3];

	for (int k = 0; k < 3; k++)
		if (!(took[k] = calloc((size_t)rounds, sizeof **took)))
			give_up("memory");
	for (int i = 0; i < 3 * rounds; i++) {
		double *one = &took[i % 3][i / 3];

		usleep(PAUSE_US);
		*one = now_us();
		run[i % 3](bench);
		*one = now_us() - *one;
	}
	for (int k = 0; k < 3; k++) {
		*ret[k] = spread_of(took[k], (size_t)rounds);
		free(took[k]);
	}
}

/* ---- rows ---- */

static void print_goal(const char *what, double got, double goal, const char *unit)
{
	printf("    %-56s %8.2f, goal %.2f %s%s\n", what, got, goal, unit, got <= goal ? "" : "   MISSED");
}

static void print_least(const char *what, double got, double goal)
{
	printf("    %-56s %8.2f, goal at least %.2f%s\n", what, got, goal, got >= goal ? "" : "   MISSED");
}

static void bench_idle(struct bench *bench)
{
	struct spread draw, get, echo;

	bench->size = SMALL;
	if (echo_start(&bench->echo, false, REQUEST_BYTES, SMALL) < 0)
		give_up("echo");
	alternate(bench, IDLE_ROUNDS, &draw, &get, &echo);
	echo_stop(&bench->echo);
	printf("\n%d normals, %d us of rest before each: p50 %.1f us, p99 %.1f (Redis GET of %d bytes %.1f, %.1f; sleeping "
	       "echo %.1f, %.1f)\n",
	       SAMPLES, PAUSE_US, draw.p50, draw.p99, (int)SMALL, get.p50, get.p99, echo.p50, echo.p99);
	print_goal("p50, of Redis", draw.p50 / get.p50, 1, "x");
	print_goal("p99, of Redis", draw.p99 / get.p99, 1, "x");
}

static struct spread bench_loop(struct bench *bench)
{
	struct spread draw, echo, ping, get;

	if (echo_start(&bench->echo, true, REQUEST_BYTES, SMALL) < 0)
		give_up("echo");
	echo = time_of(bench, run_echo, LOOP_ROUNDS, 0);
	echo_stop(&bench->echo);
	race(bench, run_draw, run_ping, LOOP_ROUNDS, 0, &draw, &ping);
	bench->size = SMALL;
	get = time_of(bench, run_get, LOOP_ROUNDS / 4, 0);
	printf("\n%d normals in a closed loop: p50 %.2f us, p99 %.2f (ping %.2f, %.2f; spinning echo %.2f, %.2f; Redis "
	       "%.1f, %.1f)\n",
	       SAMPLES, draw.p50, draw.p99, ping.p50, ping.p99, echo.p50, echo.p99, get.p50, get.p99);
	print_goal("p50", draw.p50, 6, "us");
	print_goal("p50, of a spinning echo", draw.p50 / echo.p50, 2, "x");
	return ping;
}

/* From a stream whose place the daemon keeps, in blocks that it makes durable ahead of need. */
static void bench_named(struct bench *bench)
{
	const struct trnsci_stream_options options = {.seed = 1, .has_seed = true};
	struct spread named, stated;
	struct trnsci_args *draw;

	if (trnsci_stream_create(bench->session, "bench", &options, NULL, NULL) < 0 ||
	    trnsci_call_new(bench->session, "stream_draw", &bench->named) < 0)
		give_up("a named stream");
	trnsci_set_text(trnsci_args(bench->named), "name", "bench");
	draw = trnsci_set_map(trnsci_args(bench->named), "draw");
	trnsci_set_text(draw, "op", "normal");
	trnsci_set_u64(draw, "n", SAMPLES);
	race(bench, run_named, run_draw, LOOP_ROUNDS, 0, &named, &stated);
	printf("\n%d normals of a named stream, closed loop: p50 %.2f us, p99 %.2f (of a stated one %.2f, %.2f)\n", SAMPLES,
	       named.p50, named.p99, stated.p50, stated.p99);
	trnsci_call_free(bench->named);
}

static void bench_fill(struct bench *bench, size_t bytes, double goal)
{
	uint64_t n = bytes / sizeof(float);
	struct spread fill, get, own;
	struct bench embedded = *bench;

	bench->size = bytes;
	embedded.session = bench->embedded;
	if (trnsci_tile_new(bench->session, 0, TRNSCI_F32, 1, &n, &bench->tile, NULL) < 0 ||
	    trnsci_tile_new(bench->embedded, 0, TRNSCI_F32, 1, &n, &embedded.tile, NULL) < 0)
		give_up("tile");
	run_fill(bench);
	run_fill(&embedded);
	race(bench, run_fill, run_get, 100, 0, &fill, &get);
	own = time_of(&embedded, run_fill, 100, 0);
	printf("\n%zu MiB of uniforms into a resident tile: p50 %.0f us, %.1f GB/s (Redis GET %.0f us; embedded %.0f us, %.1f "
	       "GB/s)\n",
	       bytes >> 20, fill.p50, (double)bytes / fill.p50 * 1e-3, get.p50, own.p50,
	       (double)bytes / own.p50 * 1e-3);
	print_least("times faster than Redis", get.p50 / fill.p50, goal);
	print_least("of the engine's own rate (goal for 16 MiB)", own.p50 / fill.p50, 0.9);
	trnsci_tile_free(bench->tile);
	trnsci_tile_free(embedded.tile);
}

static void bench_fft(struct bench *bench, struct spread ping)
{
	const uint64_t shape[] = {FFT_BATCH, FFT_LENGTH};
	struct spread fft, own;

	if (trnsci_tile_new(bench->session, 0, TRNSCI_C64, 2, shape, &bench->fft_tile[0], NULL) < 0 ||
	    trnsci_tile_new(bench->embedded, 0, TRNSCI_C64, 2, shape, &bench->fft_tile[1], NULL) < 0)
		give_up("tile");
	memset(trnsci_tile_data(bench->fft_tile[0]), 0, tile_info(bench->fft_tile[0]).bytes);
	memset(trnsci_tile_data(bench->fft_tile[1]), 0, tile_info(bench->fft_tile[1]).bytes);
	race(bench, run_fft, run_fft_embedded, 5000, 0, &fft, &own);
	printf("\n%d transforms of %d points, in place, round trip: p50 %.1f us (embedded %.1f, ping %.2f)\n", FFT_BATCH,
	       FFT_LENGTH, fft.p50, own.p50, ping.p50);
	print_goal("p50 beside compute + 1.3 pings", fft.p50, own.p50 + 1.3 * ping.p50, "us");
	trnsci_tile_free(bench->fft_tile[0]);
	trnsci_tile_free(bench->fft_tile[1]);
}

/* 1 GiB of normals by another client, as a program over one tile; the draw beside it is small enough for where it
 * arrives, or large enough for the lanes. */
static void bench_fairness(struct bench *bench)
{
	enum { TILE = 4 << 20, TIMES = 64 };
	static const uint64_t sizes[] = {SAMPLES, 300000};
	static const int rounds[] = {1000, 200}; /* the job must outlast them */
	struct trnsci_session *other;
	struct trnsci_call *large, *own = bench->draw;
	struct trnsci_tile *tile;
	uint64_t n = TILE;

	if (trnsci_open(bench->daemon.socket, NULL, &other, NULL) < 0 ||
	    trnsci_tile_new(other, 0, TRNSCI_F32, 1, &n, &tile, NULL) < 0 ||
	    trnsci_call_new(other, "run", &large) < 0 || trnsci_call_new(bench->session, "uniform", &bench->draw) < 0)
		give_up("another client");
	for (int i = 0; i < TIMES; i++)
		trnsci_set_tile(trnsci_step(large, "normal"), "out", tile);
	for (int i = 0; i < 2; i++) {
		struct spread alone, beside;

		trnsci_set_u64(trnsci_args(bench->draw), "n", sizes[i]);
		alone = time_of(bench, run_draw, rounds[i], FAIR_PAUSE_US);
		trnsci_submit(large, NULL, NULL, NULL);
		beside = time_of(bench, run_draw, rounds[i], FAIR_PAUSE_US);
		printf("\na draw of %llu beside another client's 1 GiB job%s: p50 %.0f us, p99 %.0f (alone %.0f, %.0f)\n",
		       (unsigned long long)sizes[i], trnsci_wait(large, 0) != -TRNSCI_TIMEOUT ? " (which ended before)" : "", beside.p50,
		       beside.p99, alone.p50, alone.p99);
		print_goal("p99 beside twice its own and a chunk", beside.p99, 2 * alone.p99 + CHUNK_US, "us");
		trnsci_cancel(large);
		trnsci_wait(large, -1);
	}
	trnsci_call_free(bench->draw);
	trnsci_call_free(large);
	trnsci_close(other);
	trnsci_tile_free(tile);
	bench->draw = own;
}

/* Uniforms to normals, scaled and shifted, five times over. */
static void put_steps(struct trnsci_call *call)
{
	struct trnsci_args *step;

	for (int i = 0; i < PROGRAM_ROUNDS; i++) {
		step = trnsci_step(call, "uniform");
		trnsci_set_u64(step, "n", SAMPLES);
		trnsci_set_text(step, "as", (const char[]){(char)('a' + i), '\0'});
		step = trnsci_step(call, "box_muller");
		trnsci_set_text(step, "in", (const char[]){(char)('a' + i), '\0'});
		trnsci_set_text(step, "as", (const char[]){(char)('A' + i), '\0'});
		step = trnsci_step(call, "scale");
		trnsci_set_text(step, "in", (const char[]){(char)('A' + i), '\0'});
		trnsci_set_text(step, "as", (const char[]){(char)('0' + i), '\0'});
	}
	trnsci_want(call, "0");
}

static void bench_programs(struct bench *bench)
{
	struct spread run, prepared;

	if (trnsci_call_new(bench->session, "run", &bench->run) < 0 ||
	    trnsci_call_new(bench->session, "run", &bench->prepared) < 0)
		give_up("a call");
	put_steps(bench->run);
	put_steps(bench->prepared);
	race(bench, run_program, run_prepared, LOOP_ROUNDS / 4, 0, &run, &prepared);
	printf("\na program of %d steps over %d samples, closed loop: p50 %.1f us prepared, %.1f sent each time\n",
	       3 * PROGRAM_ROUNDS, SAMPLES, prepared.p50, run.p50);
	trnsci_call_free(bench->run);
	trnsci_call_free(bench->prepared);
}

/* A kind of load, and what it cost of server CPU time. */
struct load_row {
	const char *what;
	struct load_draw draw; /* method NULL: Redis */
	bool by_redis;         /* by redis-benchmark */
	double rates[LOAD_TURNS], walls[LOAD_TURNS];
};

static void run_load(struct bench *bench, struct load_row *row, int turn)
{
	const pid_t pid = row->draw.method ? bench->daemon.pid : bench->redis.pid;
	const double cpu = cpu_of(pid), began = now_us();
	int r = 0;

	if (row->by_redis)
		r = redis_load(&bench->redis, LOAD, CLIENTS, PIPELINE);
	else if (row->draw.method)
		r = load_draws(bench->daemon.socket, &row->draw, LOAD, CLIENTS, PIPELINE) < 0;
	else
		r = load_gets(bench->redis.socket, SMALL, LOAD, CLIENTS, PIPELINE) < 0;
	if (r)
		give_up("a load of pipelined requests");
	if (turn < 0)
		return;
	row->rates[turn] = 1e-3 * LOAD / (cpu_of(pid) - cpu);
	row->walls[turn] = 1e3 * LOAD / (now_us() - began);
}

/* Rows take turns after one that does not count, so that none is the one that warms up. redis-benchmark is slower than
 * Redis, which so never has to wake it; the clients that ask for draws ask Redis, too. */
static void bench_load(struct bench *bench)
{
	static struct load_row rows[] = {
		{.what = "Redis GET of 2 KiB by redis-benchmark", .by_redis = true},
		{.what = "Redis GET of 2 KiB by the clients below"},
		{.what = "uniforms in the reply", .draw = {.method = "uniform", .prepared = true}},
		{.what = "normals in the reply", .draw = {.method = "normal", .prepared = true}},
		{.what = "uniforms into a tile", .draw = {.method = "uniform", .tiles = true, .prepared = true}},
		{.what = "normals in the reply, not prepared", .draw = {.method = "normal"}},
	};
	const size_t count = sizeof rows / sizeof *rows;

	for (int turn = -1; turn < LOAD_TURNS; turn++)
		for (size_t i = 0; i < count; i++)
			run_load(bench, &rows[i], turn);
	printf("\n%d clients, %d requests in flight each, draws of %d: thousands a second of server CPU (of wall time)\n",
	       CLIENTS, PIPELINE, SAMPLES);
	for (size_t i = 0; i < count; i++) {
		qsort(rows[i].rates, LOAD_TURNS, sizeof(double), by_size);
		qsort(rows[i].walls, LOAD_TURNS, sizeof(double), by_size);
		printf("    %-42s %.0f (%.0f)\n", rows[i].what, rows[i].rates[LOAD_TURNS / 2],
		       rows[i].walls[LOAD_TURNS / 2]);
		if (!rows[i].draw.method)
			continue;
		print_least("of Redis by redis-benchmark", rows[i].rates[LOAD_TURNS / 2] / rows[0].rates[LOAD_TURNS / 2], 2);
		printf("    %-56s %8.2f\n", "of Redis by the same clients",
		       rows[i].rates[LOAD_TURNS / 2] / rows[1].rates[LOAD_TURNS / 2]);
	}
}

static long anonymous_kib(pid_t pid)
{
	char path[64], line[256];
	FILE *file;
	long kib = -1;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void bench_clients(struct bench *bench)
{
	long before = anonymous_kib(bench->daemon.pid);
	double cpu;

	if (load_idle(bench->daemon.socket, IDLE_CLIENTS) < 0)
		give_up("idle clients");
	usleep(200000);
	cpu = cpu_of(bench->daemon.pid);
	sleep(IDLE_SECONDS);
	cpu = 100 * (cpu_of(bench->daemon.pid) - cpu) / IDLE_SECONDS;
	printf("\n%d idle clients\n", IDLE_CLIENTS);
	print_goal("memory of each", (double)(anonymous_kib(bench->daemon.pid) - before) / IDLE_CLIENTS, 64, "KiB");
	print_goal("CPU", cpu, 0.05, "%");
}

static void open_all(struct bench *bench)
{
	const size_t sizes[] = {SMALL, 1 << 20, 16 << 20};
	const struct trnsci_options options = {.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};

	daemon_start(&bench->daemon, ARGUMENTS("--threads=0", "--connections=4096"));
	if (redis_start(&bench->redis, sizes, 3) < 0 ||
	    trnsci_open(bench->daemon.socket, NULL, &bench->session, NULL) < 0 ||
	    trnsci_open("embedded:", &options, &bench->embedded, NULL) < 0 ||
	    trnsci_call_new(bench->session, "normal", &bench->draw) < 0 ||
	    trnsci_call_new(bench->session, "ping", &bench->ping) < 0)
		give_up("the daemon, Redis, or a session");
	trnsci_set_u64(trnsci_args(bench->draw), "n", SAMPLES);
}

/* Names of rows, all of them by default. */
static bool wanted(char *const *names, const char *name)
{
	for (char *const *at = names + 1; *at; at++)
		if (strcmp(*at, name) == 0)
			return true;
	return !names[1];
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	struct spread ping = {0};

	(void)argc;
	open_all(&bench);
	if (wanted(argv, "idle"))
		bench_idle(&bench);
	if (wanted(argv, "loop") || wanted(argv, "fft"))
		ping = bench_loop(&bench);
	if (wanted(argv, "named"))
		bench_named(&bench);
	if (wanted(argv, "fill")) {
		bench_fill(&bench, 1 << 20, 3);
		bench_fill(&bench, 16 << 20, 25);
	}
	if (wanted(argv, "fft"))
		bench_fft(&bench, ping);
	if (wanted(argv, "fairness"))
		bench_fairness(&bench);
	if (wanted(argv, "programs"))
		bench_programs(&bench);
	if (wanted(argv, "load"))
		bench_load(&bench);
	if (wanted(argv, "clients"))
		bench_clients(&bench);
	trnsci_call_free(bench.draw);
	trnsci_call_free(bench.ping);
	trnsci_close(bench.embedded);
	trnsci_close(bench.session);
	redis_stop(&bench.redis);
	daemon_stop(&bench.daemon);
	return 0;
}
