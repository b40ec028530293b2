/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose daemon was killed or stopped: they lie where they lay, with what they held, whichever numbers the next daemon
 * gives them. What a daemon itself had dropped is lost, and given to nobody for something else. */
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include "restart.h"
#include "harness/wait.h"

/* Handles are given out anew from 1: here 4, 5 ... become 1, 2 ..., in another order, while others were freed. */
static void test_every_tile_is_its_own(void **state)
{
	enum { MANY = 40 };
	struct pair pairs[MANY], sum = {0};
	const void *addresses[MANY];

	(void)state;
	open_both();
	for (int i = 0; i < 3; i++)
		pair_free(pair_of(TRNSCI_F32, N));
	for (int i = 0; i < MANY; i++) {
		pairs[i] = pair_of(TRNSCI_F32, (uint64_t)(i * 37 % 100 + 1));
		draw(pairs[i], (uint64_t)i);
		addresses[i] = trnsci_tile_data(pairs[i].remote);
	}
	for (int i = 0; i < MANY; i += 3)
		pair_free(pairs[i]);
	for (int round = 0; round < 4; round++) {
		restart(signals[round % 2]);
		ping();
		for (int i = 0; i < MANY; i++) {
			if (i % 3 == 0)
				continue;
			expect_same(pairs[i], "after a restart");
			assert_ptr_equal(trnsci_tile_data(pairs[i].remote), addresses[i]);
			assert_int_equal(scale(pairs[i], pairs[i], 1.25), 0);
			expect_same(pairs[i], "scaled");
		}
		sum = pair_of(TRNSCI_F32, 64); /* a place that the others leave */
		draw(sum, 7);
		for (int i = 0; i < MANY; i++)
			if (i % 3)
				expect_same(pairs[i], "beside a new tile");
		pair_free(sum);
	}
	close_both();
	for (int i = 0; i < MANY; i++)
		if (i % 3)
			pair_free(pairs[i]);
}

/* x to its spectrum and back, by a tile that is freed; then in place, several times, and by a program. */
static void transform_on(struct trnsci_session *session, struct trnsci_tile *x, struct trnsci_tile *y)
{
	const struct trnsci_param forth[] = {trnsci_param_bool("real", true), trnsci_param_tile("in", x), trnsci_param_end()};
	struct trnsci_tile *spectrum = NULL;
	struct trnsci_args *step;
	struct trnsci_call *program;

	assert_int_equal(trnsci_apply_tile(session, "fft", forth, &spectrum, NULL), 0);
	const struct trnsci_param back[] = {trnsci_param_bool("real", true), trnsci_param_bool("inverse", true),
					    trnsci_param_u64("length", N), trnsci_param_tile("in", spectrum), trnsci_param_end()};

	assert_int_equal(trnsci_apply_tile(session, "fft", back, &y, NULL), 0);
	trnsci_tile_free(spectrum);
	/* x again, so that y's is no more there. */
	assert_int_equal(draw_tile(session, &(struct drawing){.distribution = "uniform", .source = {.seed = 3}}, 0, x, NULL, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set(trnsci_call_args(program), trnsci_param_u64("seed", 12));
	step = trnsci_program_step(program, "add"); /* y = y + x */
	trnsci_set(step, trnsci_param_tile("out", y));
	trnsci_set(step, trnsci_param_tile("a", y));
	trnsci_set(step, trnsci_param_tile("b", x));
	step = trnsci_program_step(program, "normal");
	trnsci_set(step, trnsci_param_tile("out", x));
	step = trnsci_program_step(program, "add"); /* y = y + the new x, which is no input of the program */
	trnsci_set(step, trnsci_param_tile("a", y));
	trnsci_set(step, trnsci_param_tile("b", x));
	trnsci_set(step, trnsci_param_tile("out", y));
	assert_int_equal(trnsci_run(program, NULL), 0);
	trnsci_call_free(program);
}

static void test_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), late;

		draw(x, 1);
		transform_on(remote, x.remote, y.remote);
		transform_on(own, x.own, y.own);
		for (int times = 0; times < 5; times++)
			assert_int_equal(scale(y, y, 0.75), 0);
		restart(signals[i]);
		assert_int_equal(scale(y, y, 0.5), 0);
		expect_same(x, "x");
		expect_same(y, "y");
		late = pair_of(TRNSCI_F32, N); /* the freed tiles' places are free */
		draw(late, 5);
		expect_same(y, "y");
		pair_free(late);
		pair_free(x);
		pair_free(y);
		close_both();
	}
}

/* What the program wrote itself, drew from a named stream, or made by steps that draw from one. Nothing is computed or issued
 * anew. */
static void test_any_content(void **state)
{
	static float streamed[N];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N), zeros = pair_of(TRNSCI_F32, N);
		struct trnsci_tile *named = tile_of(remote, TRNSCI_F32, N);
		float *remote_x = trnsci_tile_data(x.remote), *own_x = trnsci_tile_data(x.own);
		struct trnsci_stream_info before, after;

		for (int k = 0; k < N; k++)
			remote_x[k] = own_x[k] = (float)k;
		memset(trnsci_tile_data(zeros.remote), 0, N * sizeof(float));
		memset(trnsci_tile_data(zeros.own), 0, N * sizeof(float));
		assert_int_equal(scale(x, y, 2), 0);
		assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
		assert_int_equal(stream_tile(remote, "s", &(struct drawing){.distribution = "normal"}, named, NULL, NULL), 0);
		memcpy(streamed, trnsci_tile_data(named), sizeof streamed);
		assert_int_equal(trnsci_stream_show(remote, "s", &before, NULL), 0);
		for (int times = 0; times < 2; times++) {
			restart(signals[i]);
			ping();
			assert_ptr_equal(trnsci_tile_data(x.remote), remote_x);
			expect_same(x, "x, written by the program");
			expect_same(y, "y, made of it");
			expect_same(zeros, "zeros");
			assert_false(tile_info(named).lost);
			assert_memory_equal(trnsci_tile_data(named), streamed, sizeof streamed);
			remote_x[0] = own_x[0] = 7.0f; /* by the pointer that the program has had all the time */
			assert_int_equal(scale(x, y, 3), 0);
			expect_same(y, "y, made of what was written after it");
		}
		assert_int_equal(trnsci_stream_show(remote, "s", &after, NULL), 0);
		assert_int_equal(after.position, after.skips ? after.skipped_until : before.position);
		trnsci_tile_free(named);
		pair_free(x);
		pair_free(y);
		pair_free(zeros);
		close_both();
	}
}

/* A tile that was freed is no other one's, though its number may be. */
static void test_freed_tile(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N);
	struct trnsci_call *call = scaling(remote, x.remote, y.remote, 2);

	draw(x, 1);
	draw(y, 1);
	pair_free(x);
	restart(SIGKILL); /* y becomes number 1 */
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_BAD_TILE);
	expect_same(y, "y");
	trnsci_call_free(call);
	pair_free(y);
	close_both();
}

/* ---- sessions that a daemon had ended ---- */

static void test_lost_connection(void **state)
{
	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), y = pair_of(TRNSCI_F32, N);
	const uint64_t n = N;
	struct trnsci_tile *another;

	assert_int_equal(trnsci_tile_new(remote, TRNSCI_F32, 1, &n, &another, NULL), 0);
	for (int i = 0; i < 5; i++) {
		draw(x, 1);
		draw(y, 2);
		cut();
		ping();
		expect_lost(x, "what the daemon had dropped");
		expect_lost(y, "all of it");
		cut();
		ping();
		memset(trnsci_tile_data(x.remote), 1, N * sizeof(float)); /* the program fills it */
		memset(trnsci_tile_data(x.own), 1, N * sizeof(float));
		assert_int_equal(scale(x, y, 1.5), 0);
		expect_same(y, "made of what was filled");
	}
	cut();
	trnsci_tile_free(another);
	pair_free(x);
	pair_free(y);
	close_both();
}

/* The daemon ends the session, and then itself, before the session looks: another instance answers, and the content is gone
 * all the same. Only a daemon that was killed before it had emptied the arena has left it whole. */
static void test_dropped_and_restarted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N);
		struct pollfd end = {socket_of_session(), POLLRDHUP, 0};

		draw(x, 1);
		assert_int_equal(send(end.fd, "\xc1", 1, 0), 1); /* never MessagePack */
		assert_int_equal(poll(&end, 1, 30000), 1);
		restart(signals[i]);
		ping();
		if (signals[i] == SIGKILL && !tile_info(x.remote).lost)
			expect_same(x, "what was not emptied before the daemon was killed");
		else
			expect_lost(x, "what was emptied before the daemon ended");
		pair_free(x);
		close_both();
	}
}

/* ---- memory ---- */

/* A daemon that has no room for what the session had: the session fails, and says which limit it is. */
static void test_no_room(void **state)
{
	struct trnsci_call *call;

	(void)state;
	open_with(300, NULL);
	struct pair x = pair_of(TRNSCI_F32, N);

	draw(x, 1);
	end_daemon(SIGTERM);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2", "--arena-bytes=64K"));
	assert_int_equal(trnsci_call_new(remote, "ping", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	if (!strstr(trnsci_call_error(call)->text, "arena_bytes"))
		fail_msg("expected the limit's name, got %s", trnsci_call_error(call)->text);
	expect_same(x, "the old content, still at its address");
	trnsci_call_free(call);
	pair_free(x);
	close_both();
}

/* Pages of the arena that the process has. */
static blkcnt_t arena_blocks(void)
{
	for (int fd = 3; fd < 256; fd++) {
		char path[64], name[64] = "";
		struct stat there;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (readlink(path, name, sizeof name - 1) > 0 && strncmp(name, "/memfd:trnsci-arena", 19) == 0) {
			assert_int_equal(fstat(fd, &there), 0);
			return there.st_blocks;
		}
	}
	fail_msg("expected an arena's descriptor, got none");
	return 0;
}

/* A tile of which one page was written takes one page, also after it. */
static void test_untouched_pages(void **state)
{
	enum { LARGE = 4 << 20 };

	(void)state;
	open_with(20000, "--arena-ahead-bytes=0");
	struct pair x = pair_of(TRNSCI_I8, LARGE);
	char *bytes = trnsci_tile_data(x.remote);

	bytes[LARGE / 2] = 1;
	const blkcnt_t before = arena_blocks();

	end_daemon(SIGKILL);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2", "--arena-ahead-bytes=0"));
	ping();
	assert_int_equal(arena_blocks(), before);
	assert_int_equal(bytes[LARGE / 2], 1);
	pair_free(x);
	close_both();
}

/* ---- who reads meanwhile ---- */

static atomic_bool over;
static atomic_uint rounds;

static void *read_on(void *arg)
{
	const struct pair *pair = arg;

	while (!atomic_load(&over)) {
		if (memcmp(trnsci_tile_data(pair->remote), trnsci_tile_data(pair->own), tile_info(pair->own).bytes) != 0)
			fail_msg("expected the same bytes while the session connects again, got others");
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

/* A thread that reads a tile in place sees the same bytes before, while and after they are copied. */
static void test_readers(void **state)
{
	pthread_t thread;

	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, 1 << 18);

	draw(x, 1);
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&thread, NULL, read_on, &x), 0);
	for (int i = 0; i < 6; i++) {
		const unsigned before = atomic_load(&rounds);

		restart(signals[i % 2]);
		ping();
		AWAIT(atomic_load(&rounds) != before);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	pair_free(x);
	close_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_tile_is_its_own),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_any_content),
		cmocka_unit_test(test_freed_tile),
		cmocka_unit_test(test_lost_connection),
		cmocka_unit_test(test_dropped_and_restarted),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_untouched_pages),
		cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
