/* SPDX-License-Identifier: Apache-2.0 */
/* A session is closed while functions of other threads run: each returns, with its result or `closed`, and what it uses stays until
 * it has. */
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "both.h"
#include "harness/wait.h"

enum { FEW = 8, MANY = 200000, ROUNDS = 12 };

/* ---- every kind of function, again and again ---- */

struct user {
	int (*use)(struct user *user);
	const char *what;
	struct trnsci_session *session;
	struct trnsci_call *call; /* that keeps the session: a thread may come too late for its next function, and is refused */
	pthread_t thread;
	atomic_uint uses;
	int result;
	struct trnsci_error error; /* text: of the result, if the function gives one */
};

static int run_call(struct user *user)
{
	const int r = trnsci_run(user->call, NULL);

	user->error = *trnsci_call_error(user->call);
	return r;
}

static int submit_call(struct user *user)
{
	const int r = trnsci_submit(user->call, NULL, NULL);

	return r < 0 ? r : trnsci_wait(user->call, -1);
}

/* The answer may be that of another thread's call: its own is then still to come, and is waited for. */
static int take_answer(struct user *user)
{
	struct trnsci_call *call;
	int r = trnsci_submit(user->call, NULL, user);

	if (r == 0)
		r = trnsci_next(user->session, -1, &call, NULL);
	return r < 0 ? r : trnsci_wait(user->call, -1);
}

static int fill_inline(struct user *user)
{
	float out[FEW];

	return trnsci_draw_array(user->session, "normal", NULL, NULL, TRNSCI_F32, FEW, out, NULL, NULL);
}

static int fill_by_tile(struct user *user)
{
	float *out = malloc(MANY * sizeof *out);
	const int r = trnsci_draw_array(user->session, "normal", NULL, NULL, TRNSCI_F32, MANY, out, NULL, NULL);

	free(out);
	return r;
}

static int transform(struct user *user)
{
	float in[2 * FEW] = {1}, out[2 * FEW];

	return trnsci_apply_array(user->session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, FEW, in),
				  trnsci_array_vector(TRNSCI_C64, FEW, out), NULL);
}

static int draw_tile(struct user *user)
{
	const struct trnsci_param params[] = {trnsci_param_u64("n", FEW), trnsci_param_end()};
	struct trnsci_tile *tile = NULL;
	const int r = trnsci_draw_tile(user->session, "uniform", params, NULL, &tile, NULL, NULL);

	trnsci_tile_free(tile);
	return r;
}

static int make_tile(struct user *user)
{
	const uint64_t n = MANY;
	struct trnsci_tile *tile = NULL;
	const int r = trnsci_tile_new(user->session, TRNSCI_F32, 1, &n, &tile, NULL);

	trnsci_tile_free(tile);
	return r;
}

static int attach_ring(struct user *user)
{
	struct trnsci_reader *ring = NULL;
	float sample;
	int r = trnsci_ring_attach(user->session, "normal", NULL, NULL, 0, &ring, &user->error);

	if (r == 0)
		r = trnsci_reader_take(ring, &sample, 1, -1, NULL, NULL);
	trnsci_reader_detach(ring);
	return r;
}

static int describe(struct user *user)
{
	struct trnsci_session_info info;

	return trnsci_session_describe(user->session, &info);
}

static int show_stats(struct user *user)
{
	struct trnsci_call *call;
	int r = trnsci_call_new(user->session, "stats", &call);

	if (r < 0)
		return r;
	r = trnsci_run(call, NULL);
	trnsci_call_free(call);
	return r;
}

static void *use_until_closed(void *arg)
{
	struct user *user = arg;

	do {
		user->result = user->use(user);
		atomic_fetch_add(&user->uses, 1);
	} while (user->result == 0);
	return NULL;
}

static void close_beside(const char *address, const struct user *users, size_t n)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct trnsci_session *session = open_at(address);
		struct user own[16];

		for (size_t i = 0; i < n; i++) {
			own[i] = users[i];
			own[i].session = session;
			assert_int_equal(trnsci_call_new(session, "normal", &own[i].call), 0);
			trnsci_set(trnsci_call_args(own[i].call), trnsci_param_u64("n", FEW));
			assert_int_equal(pthread_create(&own[i].thread, NULL, use_until_closed, &own[i]), 0);
		}
		for (size_t i = 0; i < n; i++)
			AWAIT(atomic_load(&own[i].uses) > 0);
		wait_to_strike(round * 211 % 2000);
		trnsci_close(session);
		for (size_t i = 0; i < n; i++) {
			pthread_join(own[i].thread, NULL);
			if (own[i].result != -TRNSCI_CLOSED)
				fail_msg("%s beside the end of its session: expected closed, got %s: %s", own[i].what,
					 trnsci_error_name(own[i].result), own[i].error.text);
			trnsci_call_free(own[i].call);
		}
	}
}

static void beside_functions(void **state)
{
	static const struct user users[] = {
		{.use = run_call, .what = "a run"},	     {.use = submit_call, .what = "a call"},
		{.use = fill_inline, .what = "a fill"},	     {.use = fill_by_tile, .what = "a large fill"},
		{.use = transform, .what = "a transform"},   {.use = draw_tile, .what = "a draw"},
		{.use = make_tile, .what = "a tile"},	     {.use = attach_ring, .what = "a ring"},
		{.use = describe, .what = "a description"}, {.use = show_stats, .what = "statistics"},
		{.use = take_answer, .what = "an answer"},
	};
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		close_beside(addresses[i], users, sizeof users / sizeof *users);
}

/* Small prepared calls, which an embedded session computes in the threads that run them. */
static void beside_prepared_calls(void **state)
{
	static const struct user users[] = {
		{.use = run_call, .what = "a run"}, {.use = run_call, .what = "a run"}, {.use = fill_inline, .what = "a fill"},
		{.use = run_call, .what = "a run"}, {.use = fill_inline, .what = "a fill"}, {.use = transform, .what = "a transform"},
	};
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		close_beside(addresses[i], users, sizeof users / sizeof *users);
}

/* ---- inside a copy ---- */

enum { COPY = 1 << 16 };

static sem_t begun, closed;

static char *array; /* of the caller's; its second half cannot be touched before the session's end has begun */
static size_t array_bytes;

static void on_fault(int number, siginfo_t *info, void *context)
{
	const char *at = info->si_addr;

	(void)context;
	if (at < array || at >= array + array_bytes) { /* it fails, and not here */
		signal(number, SIG_DFL);
		return;
	}
	sem_post(&begun);
	sem_wait(&closed);
	wait_to_strike(20000); /* the session's end is likely to be far by then; right either way */
	mprotect(array, array_bytes, PROT_READ | PROT_WRITE);
}

struct copying {
	struct trnsci_session *session;
	struct trnsci_array in, out;
	int result;
};

static void *transform_array(void *arg)
{
	struct copying *copying = arg;

	copying->result = trnsci_apply_array(copying->session, "fft", NULL, copying->in, copying->out, NULL);
	return NULL;
}

/* A daemon's session copies the caller's arrays to and from memory that its end unmaps. */
static void beside_a_copy(void **state)
{
	const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	char *other = calloc(COPY, 8);
	struct sigaction before;

	(void)state;
	array_bytes = COPY * 8;
	array = mmap(NULL, array_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(array, MAP_FAILED);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	for (int input = 0; input < 2; input++) {
		struct copying copying = {.session = open_at(trnscid.socket)};
		struct trnsci_call *call;
		pthread_t thread;

		assert_int_equal(trnsci_call_new(copying.session, "ping", &call), 0);
		copying.in = trnsci_array_vector(TRNSCI_C64, COPY, input ? array : other);
		copying.out = trnsci_array_vector(TRNSCI_C64, COPY, input ? other : array);
		assert_int_equal(mprotect(array + array_bytes / 2, array_bytes / 2, PROT_NONE), 0);
		assert_int_equal(pthread_create(&thread, NULL, transform_array, &copying), 0);
		sem_wait(&begun);
		sem_post(&closed);
		trnsci_close(copying.session);
		pthread_join(thread, NULL);
		if (copying.result != -TRNSCI_CLOSED && copying.result != 0)
			fail_msg("expected closed, got %s", trnsci_error_name(copying.result));
		trnsci_call_free(call);
	}
	sigaction(SIGSEGV, &before, NULL);
	munmap(array, array_bytes);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_functions),
		cmocka_unit_test(beside_prepared_calls),
		cmocka_unit_test(beside_a_copy),
	};

	mallopt(M_PERTURB, 0xa5); /* what is freed and still used is noticed */
	sem_init(&begun, 0, 0);
	sem_init(&closed, 0, 0);
	return cmocka_run_group_tests(tests, start, stop);
}
