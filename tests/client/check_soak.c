/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds of clients that come and go, each a process, some killed wherever they are: those that behave see no error and
 * only right bytes; afterwards the daemon's memory, descriptors and threads are what they were.
 *
 * What is right is drawn here once, by the engine inside the process, and inherited. A short cut; with SOAK_SECONDS=N
 * 1,000 clients at a time for so long (make soak SECONDS=N). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "daemon.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum {
	KNOWN = 1 << 17, /* samples of each law that are known beforehand */
	MOST = 1 << 14,  /* of one request */
	POINTS = 1024,
	SEED = 4711,
	CLAIMS = 1 << 22, /* places of the shared stream, of 4 words each */
	GROWTH_KIB = 16 << 10,
};

static const char *const laws[] = {"uniform", "normal", "exponential", "gamma", "poisson", "bits"};

static const enum trnsci_dtype dtypes[] = {TRNSCI_F32, TRNSCI_F32, TRNSCI_F32, TRNSCI_F32, TRNSCI_I64, TRNSCI_U32};

enum { N_LAWS = sizeof laws / sizeof *laws };

static struct daemon trnscid;
static char *known[N_LAWS];
static size_t sample_bytes[N_LAWS];
static float spectrum[2 * POINTS];
static unsigned random_state;

/* Seen by all processes. */
static struct shared {
	_Atomic uint64_t requests, clients, failed;
	char why[400];
	_Atomic uint8_t claimed[CLAIMS];
} *shared;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (unsigned)((uint64_t)(random_state >> 8) * n >> 24);
}

/* ---- a client that behaves ---- */

static void complain(const char *what, const char *why)
{
	if (atomic_fetch_add(&shared->failed, 1) == 0)
		snprintf(shared->why, sizeof shared->why, "%s: %s", what, why);
	_exit(1);
}

static void must(const char *what, int r, const struct trnsci_error *err)
{
	if (r < 0)
		complain(what, err ? err->text : trnsci_strerror(r));
	atomic_fetch_add(&shared->requests, 1);
}

static void same(const char *what, const void *got, const void *expected, size_t size)
{
	if (memcmp(got, expected, size) != 0)
		complain(what, "wrong bytes");
}

static struct trnsci_draw draw_of(unsigned law, uint64_t offset)
{
	return (struct trnsci_draw){.law = laws[law],
				    .seed = SEED,
				    .offset = offset,
				    .numbers = {{law == 3 ? "shape" : law == 4 ? "lam" : NULL, 2.5}}};
}

static void draw_inline(struct trnsci_session *session)
{
	static char out[MOST * 8];
	unsigned law = random_below(N_LAWS), n = random_below(MOST) + 1, offset = random_below(KNOWN - MOST);
	const struct trnsci_draw draw = draw_of(law, offset);
	struct trnsci_error err;

	must(laws[law], trnsci_draw_copy(session, &draw, dtypes[law], n, out, NULL, &err), &err);
	same(laws[law], out, known[law] + offset * sample_bytes[law], n * sample_bytes[law]);
}

static void draw_into_tile(struct trnsci_session *session)
{
	const uint64_t n = random_below(MOST) + 1, offset = random_below(KNOWN - MOST);
	const struct trnsci_draw draw = draw_of(1, offset);
	struct trnsci_tile *tile;
	struct trnsci_error err;

	must("tile", trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &tile, &err), &err);
	must("draw", trnsci_draw(session, &draw, n, tile, NULL, &err), &err);
	same("tile", trnsci_tile_data(tile), known[1] + offset * 4, n * 4);
	trnsci_tile_free(tile);
}

/* Draws and transforms, step by step or as one program. */
static void transform(struct trnsci_session *session, float *spectrum_out)
{
	const uint64_t n = POINTS;
	const struct trnsci_draw draw = draw_of(1, 0);
	const struct trnsci_fft forward = {.real = true};
	const uint64_t half = POINTS / 2 + 1;
	struct trnsci_tile *in, *out;
	struct trnsci_error err;

	must("tile", trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &in, &err), &err);
	must("tile", trnsci_tile_new(session, 0, TRNSCI_C64, 1, &half, &out, &err), &err);
	must("draw", trnsci_draw(session, &draw, n, in, NULL, &err), &err);
	must("fft", trnsci_fft(session, &forward, in, out, &err), &err);
	memcpy(spectrum_out, trnsci_tile_data(out), trnsci_tile_bytes(out));
	trnsci_tile_free(in);
	trnsci_tile_free(out);
}

static void transform_right(struct trnsci_session *session)
{
	static float got[2 * POINTS];

	transform(session, got);
	same("fft", got, spectrum, (POINTS / 2 + 1) * 8);
}

static void run_program(struct trnsci_session *session)
{
	struct trnsci_call *program;
	struct trnsci_args *step;
	struct trnsci_array array;

	must("call", trnsci_call_new(session, "run", &program), NULL);
	step = trnsci_step(program, "normal");
	trnsci_set_u64(step, "n", 5000);
	trnsci_set_u64(step, "seed", SEED);
	trnsci_set_text(step, "as", "x");
	trnsci_want(program, "x");
	must("run", trnsci_run(program), trnsci_call_error(program));
	must("run", trnsci_to_array(trnsci_get(trnsci_get(trnsci_reply(program), "results"), "x"), &array), NULL);
	same("run", array.data, known[1], array.bytes);
	trnsci_call_free(program);
}

static void take_from_ring(struct trnsci_session *session)
{
	static char out[MOST * 4];
	const uint64_t offset = random_below(KNOWN / 2), n = random_below(MOST) + 1;
	const struct trnsci_draw draw = draw_of(1, offset);
	struct trnsci_ring *ring;
	struct trnsci_error err;

	must("ring", trnsci_ring_attach(session, &draw, TRNSCI_F32, 4096, &ring, &err), &err);
	must("ring", trnsci_ring_take(ring, out, n, 60000, NULL, &err), &err);
	same("ring", out, known[1] + offset * 4, n * 4);
	trnsci_ring_detach(ring);
}

/* One stream for all: no place in it is given out twice, and what is drawn there can be drawn again. */
static void draw_from_stream(struct trnsci_session *session)
{
	static uint32_t out[1024], again[1024];
	const uint64_t n = random_below(1024) + 1;
	const struct trnsci_draw bits = {.law = "bits"};
	struct trnsci_stream_range range;
	struct trnsci_error err;

	must("stream", trnsci_stream_draw_copy(session, "shared", &bits, TRNSCI_U32, n, out, &range, &err), &err);
	const struct trnsci_draw replay = {
		.law = "bits", .seed = range.seed, .stream = range.stream, .offset = range.offset};
	must("replay", trnsci_draw_copy(session, &replay, TRNSCI_U32, n, again, NULL, &err), &err);
	same("stream", out, again, n * 4);
	for (uint64_t at = range.position / 4; at < (range.position + n + 3) / 4; at++)
		if (at < CLAIMS && atomic_fetch_add(&shared->claimed[at], 1) > 0)
			complain("stream", "a place that was given out before");
}

static void listen_to_broadcast(struct trnsci_session *session)
{
	static float out[2048];
	struct trnsci_broadcast_span span;
	struct trnsci_broadcast *broadcast;
	struct trnsci_error err;

	must("broadcast", trnsci_broadcast_attach(session, "news", &broadcast, &err), &err);
	must("broadcast", trnsci_broadcast_take(broadcast, out, 2048, 60000, &span, &err), &err);
	if (span.count && span.offset + span.count <= KNOWN)
		same("broadcast", out, known[1] + span.offset * 4, span.count * 4);
	trnsci_broadcast_detach(broadcast);
}

static void pipeline(struct trnsci_session *session)
{
	enum { FLIGHT = 16 };
	struct trnsci_call *calls[FLIGHT];
	struct trnsci_array array;

	for (uint64_t i = 0; i < FLIGHT; i++) {
		must("call", trnsci_call_new(session, "normal", &calls[i]), NULL);
		trnsci_set_u64(trnsci_args(calls[i]), "n", 512);
		trnsci_set_u64(trnsci_args(calls[i]), "seed", SEED);
		trnsci_set_u64(trnsci_args(calls[i]), "offset", 512 * i);
		must("submit", trnsci_submit(calls[i]), trnsci_call_error(calls[i]));
	}
	for (size_t i = 0; i < FLIGHT; i++) {
		must("wait", trnsci_wait(calls[i], 60000), trnsci_call_error(calls[i]));
		must("reply", trnsci_to_array(trnsci_reply(calls[i]), &array), NULL);
		same("pipeline", array.data, known[1] + 2048 * i, 2048);
		trnsci_call_free(calls[i]);
	}
}

static void live(unsigned seed)
{
	static void (*const deeds[])(struct trnsci_session *session) = {
		draw_inline,	draw_into_tile,	  transform_right,     run_program,
		take_from_ring, draw_from_stream, listen_to_broadcast, pipeline,
	};
	const struct trnsci_options options = {.arena_bytes = 1 << 18, .timeout_ms = 60000, .reconnect_ms = -1};
	struct trnsci_session *session;
	struct trnsci_error err;

	random_state = seed;
	must("open", trnsci_open(trnscid.socket, &options, &session, &err), &err);
	for (unsigned count = random_below(20) + 1; count; count--)
		deeds[random_below(sizeof deeds / sizeof *deeds)](session);
	trnsci_close(session);
	atomic_fetch_add(&shared->clients, 1);
	_exit(0);
}

/* ---- the crowd ---- */

static pid_t begin(unsigned seed)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	live(seed);
	return 0;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* So many at a time for so long; each twelfth end is a kill. The session is that of the broadcast. */
static void crowd(struct trnsci_session *news, int size, double duration)
{
	pid_t *pids = calloc((size_t)size, sizeof *pids);
	double end = seconds() + duration, next = 0;
	uint64_t begun = 0, killed = 0;
	bool over = false;

	while (!over) {
		bool going_on = seconds() < end && !shared->failed;

		over = !going_on;
		for (int i = 0; i < size; i++) {
			if (pids[i] && waitpid(pids[i], NULL, WNOHANG) == pids[i])
				pids[i] = 0;
			if (!pids[i] && going_on)
				pids[i] = begin((unsigned)++begun);
			over = over && !pids[i];
		}
		if (seconds() > next && going_on) {
			int which = (int)random_below((unsigned)size);

			assert_int_equal(trnsci_broadcast_publish(news, "news", 256, NULL, NULL), 0);
			if (pids[which]) {
				kill(pids[which], SIGKILL);
				killed++;
			}
			next = seconds() + 0.01;
		}
		usleep(1000);
	}
	printf("# %" PRIu64 " clients, %" PRIu64 " of them killed, %" PRIu64 " requests\n", begun, killed,
	       (uint64_t)shared->requests);
	free(pids);
	if (shared->failed)
		fail_msg("%" PRIu64 " clients saw what they should not: %s", (uint64_t)shared->failed, shared->why);
	assert_true(killed > 0 && shared->clients > 0);
}

/* ---- the daemon before and after ---- */

struct footprint {
	uint64_t anon_kib, shmem_kib, threads;
	unsigned fds;
};

static uint64_t status_line(const char *name)
{
	char path[64], text[256];
	uint64_t number = 0;

	snprintf(path, sizeof path, "/proc/%d/status", trnscid.pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(text, sizeof text, file))
		if (strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':')
			number = strtoull(text + strlen(name) + 1, NULL, 10);
	fclose(file);
	return number;
}

static struct footprint look(void)
{
	struct footprint footprint = {status_line("RssAnon"), status_line("RssShmem"), status_line("Threads"), 0};
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd", trnscid.pid);
	DIR *folder = opendir(path);
	assert_non_null(folder);
	while (readdir(folder))
		footprint.fds++;
	closedir(folder);
	return footprint;
}

/* Sessions end when the daemon has seen them end. */
static struct footprint settled(const struct footprint *before)
{
	struct footprint now = look();

	for (int i = 0; i < 2000 && (now.fds > before->fds || now.anon_kib > before->anon_kib + GROWTH_KIB); i++) {
		usleep(10000);
		now = look();
	}
	return now;
}

static void draw_known(struct trnsci_session *session)
{
	for (unsigned law = 0; law < N_LAWS; law++) {
		const struct trnsci_draw draw = draw_of(law, 0);

		sample_bytes[law] = trnsci_dtype_size(dtypes[law]);
		known[law] = malloc(KNOWN * sample_bytes[law]);
		assert_int_equal(
			trnsci_draw_copy(session, &draw, dtypes[law], KNOWN, known[law], NULL, NULL), 0);
	}
	transform(session, spectrum);
}

static void test_crowd(void **state)
{
	const struct trnsci_options options = {.threads = 1};
	const char *told = getenv("SOAK_SECONDS");
	const struct trnsci_draw draw = draw_of(1, 0);
	struct trnsci_session *embedded, *news;
	struct trnsci_stream_options stream = {.seed = SEED};

	(void)state;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	assert_int_equal(trnsci_open("embedded:", &options, &embedded, NULL), 0);
	draw_known(embedded);
	trnsci_close(embedded);
	assert_int_equal(trnsci_open(trnscid.socket, NULL, &news, NULL), 0);
	assert_int_equal(trnsci_stream_create(news, "shared", &stream, NULL, NULL), 0);
	assert_int_equal(trnsci_broadcast_create(news, "news", &draw, TRNSCI_F32, 65536, 0, 0600, NULL), 0);
	assert_int_equal(trnsci_broadcast_publish(news, "news", 4096, NULL, NULL), 0);
	crowd(news, 8, 0.5); /* what is allocated once */
	struct footprint before = look();
	before = settled(&before);
	crowd(news, told ? 1000 : 32, told ? strtod(told, NULL) : SANITIZED ? 4 : 2.5);
	struct footprint after = settled(&before);
	printf("# before: %" PRIu64 " KiB, %" PRIu64 " KiB shared, %u descriptors, %" PRIu64 " threads; after: %" PRIu64
	       " KiB, %" PRIu64 " KiB shared, %u descriptors, %" PRIu64 " threads\n",
	       before.anon_kib, before.shmem_kib, before.fds, before.threads, after.anon_kib, after.shmem_kib,
	       after.fds, after.threads);
	assert_true(SANITIZED || after.anon_kib <= before.anon_kib + GROWTH_KIB);
	assert_true(after.shmem_kib <= before.shmem_kib + GROWTH_KIB);
	assert_true(after.fds <= before.fds);
	assert_int_equal(after.threads, before.threads);
	trnsci_close(news);
	for (unsigned law = 0; law < N_LAWS; law++)
		free(known[law]);
}

static int set_up(void **state)
{
	static const char config[] = "connections = 8192\nconnections_per_second = 100000\narena_total_bytes = 8G\n"
				     "jobs_total = 65536\nfds_total = 16384\narena_ahead_bytes = 0\nlog_level = error\n";
	char setting[] = "--config=/tmp/trnsci-soak-XXXXXX";
	int fd = mkstemp(strchr(setting, '=') + 1);

	(void)state;
	assert_int_equal(write(fd, config, sizeof config - 1), sizeof config - 1);
	close(fd);
	int r = daemon_start_with(&trnscid, "2", setting);
	unlink(strchr(setting, '=') + 1);
	return r;
}

static int tear_down(void **state)
{
	(void)state;
	return daemon_stop(&trnscid, SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_crowd)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
