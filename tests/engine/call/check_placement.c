/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that draw from named streams, whose owner stands here: it hands out ranges, at once or later, or refuses. A
 * range holds all that is drawn of it, wherever it begins, and what the reply states repeats the run. */
#include "engine/deferred_reply.h"
#include "engine/steps.h"

enum { NAMES = 2, PENDING_MOST = 8 };

/* The streams "a" and "b". Pending answers are given by the test. */
static struct owner {
	uint64_t next[NAMES]; /* words */
	bool later;
	struct deferred_reply *pending[PENDING_MOST];
	int which[PENDING_MOST];
	size_t n_pending, forgotten;
	pthread_mutex_t lock;
} owner;

static const struct stream streams[NAMES] = {{GENERATOR_THREEFRY4X32, 5, 77}, {GENERATOR_PHILOX4X32, 6, 78}};

static int begin(void *arg, const struct args *args, struct deferred_reply *deferred)
{
	(void)arg;
	(void)args;
	return error_set(deferred->error, ERROR_NOT_SUPPORTED, "no test asks for it");
}

/* As named streams do: the next whole group that begins a sample. */
static void give(struct deferred_reply *deferred, int which)
{
	uint64_t offset = (owner.next[which] + deferred->words - 1) / deferred->words;

	while (offset * deferred->words % STREAM_GROUP_WORDS)
		offset++;
	deferred->stream = streams[which];
	deferred->offset = offset;
	owner.next[which] = ((offset + deferred->n) * deferred->words + 3) / 4 * 4;
}

static int reserve(void *arg, const char *name, size_t size, const char *context, struct deferred_reply *deferred)
{
	const int which = size == 1 ? name[0] - 'a' : -1;

	(void)arg;
	if (which < 0 || which >= NAMES)
		return error_set(deferred->error, ERROR_NOT_FOUND, "%s: stream_name: no such stream", context);
	if (!owner.later) {
		give(deferred, which);
		return 0;
	}
	pthread_mutex_lock(&owner.lock);
	owner.which[owner.n_pending] = which;
	owner.pending[owner.n_pending++] = deferred;
	pthread_mutex_unlock(&owner.lock);
	return REPLY_DEFERRED;
}

static void forget(void *arg, struct deferred_reply *deferred)
{
	(void)arg;
	pthread_mutex_lock(&owner.lock);
	owner.forgotten++;
	for (size_t i = 0; i < owner.n_pending; i++)
		if (owner.pending[i] == deferred)
			owner.pending[i] = NULL;
	pthread_mutex_unlock(&owner.lock);
}

static const struct deferred_reply_ops ops = {begin, reserve, forget, NULL};

static struct fixture open_fixture(void)
{
	struct session_owner limits = {.deferred = &ops};

	owner = (struct owner){.next = {4, 1000}, .lock = PTHREAD_MUTEX_INITIALIZER};
	return fixture_open_with(2, cpu_detect(), 1 << 20, &limits);
}

/* Draws of words 1, 2, 3 and 6 a sample, odd lengths, noise and a trace, beside one at a place of its own. */
static void put_steps(struct call *call)
{
	static const float ones[4] = {1, 1, 1, 1};
	struct bump *z = call->bump;
	struct value square = array_of(z, "f32", 4, ones, sizeof ones);

	assert_int_equal(value_put(z, &square, "shape", list_of(z, 2, (const int64_t[]){2, 2})), 0);
	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(5), "as", value_string("u")),
		  STEP(z, "sphere", "n", value_uint(7), "dimensions", value_uint(3), "as", value_string("s")),
		  STEP(z, "bits", "n", value_uint(9), "generator", value_string("threefry4x32"), "seed",
		       value_uint(1), "stream", value_uint(2), "offset", value_uint(0), "as", value_string("own")),
		  STEP(z, "sphere", "n", value_uint(2), "dimensions", value_uint(3), "dtype", value_string("f64"), "as",
		       value_string("t")),
		  STEP(z, "noise_add", "in", square, "as", value_string("n")),
		  STEP(z, "trace", "in", square, "probes", value_uint(3), "as", value_string("e")),
		  STEP(z, "normal", "n", value_uint(3), "dtype", value_string("f64"), "as", value_string("z"))));
	put(call, "results", STEPS(z, value_string("u"), value_string("s"), value_string("own"), value_string("t"),
				   value_string("n"), value_string("e"), value_string("z")));
}

static const struct value *range_of(const struct call *call, size_t i)
{
	const struct value *ranges = value_get(request_result(call->request), "ranges");

	assert_non_null(ranges);
	assert_true(i < ranges->array.count);
	return &ranges->array.at[i];
}

static uint64_t number(const struct value *map, const char *name)
{
	uint64_t u;

	assert_true(value_to_u64(value_get(map, name), &u));
	return u;
}

/* As a run that states the position that the reply states. */
static void put_place(struct call *call, const struct value *range)
{
	put(call, "generator", *value_get(range, "generator"));
	put(call, "seed", *value_get(range, "seed"));
	put(call, "stream", *value_get(range, "stream"));
	put(call, "offset", *value_get(range, "position"));
}

static void expect_replayed(struct fixture *fixture, const struct call *named)
{
	struct call *again = call_new();
	const struct value *got = request_result(named->request), *range = range_of(named, 0);

	put_steps(again);
	put_place(again, range);
	call_run(again, fixture->memory, "run");
	expect_equal("steps", value_get(got, "steps"), value_get(request_result(again->request), "steps"));
	expect_equal("results", value_get(got, "results"), value_get(request_result(again->request), "results"));
	if (number(got, "next") > number(range, "position") + number(range, "words"))
		fail_msg("the draws end at word %llu, their range at %llu", (unsigned long long)number(got, "next"),
			 (unsigned long long)(number(range, "position") + number(range, "words")));
	call_free(again);
}

static void test_replays(void **state)
{
	struct fixture fixture = open_fixture();
	uint64_t end = 0;

	(void)state;
	for (int i = 0; i < 24; i++) {
		struct call *call = call_new();

		owner.next[0] += 4 * (uint64_t)(i % 3); /* ranges begin at all places that samples of 3 words make differ */
		put_steps(call);
		put(call, "stream_name", value_string("a"));
		if (i % 4 == 3)
			put(call, "u64", value_string("str"));
		call_run(call, fixture.memory, "run");
		assert_true(number(range_of(call, 0), "position") >= end);
		end = number(range_of(call, 0), "position") + number(range_of(call, 0), "words");
		assert_int_equal(end, owner.next[0]);
		if (i % 4 == 3)
			assert_int_equal(value_get(range_of(call, 0), "seed")->kind, VALUE_STRING);
		else
			expect_replayed(&fixture, call);
		call_free(call);
	}
	fixture_close(&fixture);
}

/* Draws one sample of `dimensions` elements behind one uniform, and returns the word at which it begins. */
static uint64_t begin_behind_one(struct fixture *fixture, uint64_t dimensions, const char *dtype)
{
	struct call *call = call_new();
	struct bump *z = call->bump;
	const struct value *steps;
	uint64_t position;

	put(call, "steps", STEPS(z, STEP(z, "uniform", "n", value_uint(1), "as", value_string("u")),
				 STEP(z, "sphere", "n", value_uint(1), "dimensions", value_uint(dimensions), "dtype", value_string(dtype),
				      "as", value_string("s"))));
	put(call, "results", STEPS(z, value_string("u"), value_string("s")));
	call_run(call, fixture->memory, "run");
	steps = value_get(request_result(call->request), "steps");
	position = number(&steps->array.at[1], "position");
	call_free(call);
	return position;
}

/* A draw begins at the first word behind the one before that is a sample's first and a group's of 4. */
static void test_begins(void **state)
{
	struct fixture fixture = open_fixture();

	(void)state;
	for (uint64_t dimensions = 2; dimensions <= 7; dimensions++)
		for (uint64_t words = 1; words <= 2; words++) {
			uint64_t expected = 4;

			while (expected % (dimensions * words))
				expected += 4;
			assert_int_equal(begin_behind_one(&fixture, dimensions, words == 2 ? "f64" : "f32"), expected);
		}
	fixture_close(&fixture);
}

/* Steps name their own streams, one of them twice; the reply states each draw's position. */
static void put_two(struct call *call)
{
	struct bump *z = call->bump;

	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "n", value_uint(6), "stream_name", value_string("b"), "as", value_string("x")),
		  STEP(z, "bits", "n", value_uint(3), "stream_name", value_string("a"), "as", value_string("y")),
		  STEP(z, "uniform", "n", value_uint(8), "as", value_string("u")),
		  STEP(z, "noise_add", "in", value_string("x"), "noise",
		       map_of(z, "op", value_string("normal"), "stream_name", value_string("b"), NULL), "as",
		       value_string("w"))));
	put(call, "results", STEPS(z, value_string("x"), value_string("y"), value_string("u"), value_string("w")));
}

static void expect_two(struct fixture *fixture, struct call *call)
{
	const struct value *reply = request_result(call->request), *steps = value_get(reply, "steps");
	struct call *normal = call_new();
	const struct value *first = &steps->array.at[0], *a, *b;

	assert_string_equal(value_get(first, "generator")->bytes.at, "philox4x32");
	assert_int_equal(number(first, "stream"), 78);
	assert_int_equal(number(value_get(&steps->array.at[3], "noise"), "position"), number(first, "next"));
	assert_int_equal(number(&steps->array.at[1], "stream"), 77);
	assert_int_equal(number(&steps->array.at[2], "position"), 0);
	put(normal, "n", value_uint(6));
	put_place(normal, first);
	put(normal, "offset", *value_get(first, "offset"));
	a = value_get(value_get(value_get(reply, "results"), "x"), "data");
	b = value_get(call_run(normal, fixture->memory, "normal"), "data");
	expect_equal("x", a, b);
	call_free(normal);
}

static void test_several_streams(void **state)
{
	struct fixture fixture = open_fixture();
	struct call *call = call_new();

	(void)state;
	put_two(call);
	call_run(call, fixture.memory, "run");
	assert_int_equal(value_get(request_result(call->request), "ranges")->array.count, 2);
	expect_two(&fixture, call);
	call_free(call);
	fixture_close(&fixture);
}

/* ---- answers that come later ---- */

static void answer(size_t i, int error)
{
	struct deferred_reply *deferred;

	pthread_mutex_lock(&owner.lock);
	deferred = owner.pending[i];
	owner.pending[i] = NULL;
	if (deferred && error)
		error_set(deferred->error, ERROR_NOT_FOUND, "gone");
	else if (deferred)
		give(deferred, owner.which[i]);
	if (deferred)
		deferred_reply_send(deferred, error);
	pthread_mutex_unlock(&owner.lock);
}

static struct call *start_two(struct fixture *fixture)
{
	struct call *call = call_new();

	owner.n_pending = owner.forgotten = 0;
	owner.later = true;
	put_two(call);
	call_start(call, fixture->memory, "run");
	assert_int_equal(owner.n_pending, 2);
	return call;
}

static void test_later(void **state)
{
	struct fixture fixture = open_fixture();

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		struct call *call = start_two(&fixture);

		answer(i % 2, 0);
		answer(1 - i % 2, 0);
		call_wait(call);
		if (request_error(call->request))
			fail_msg("%s", request_error(call->request)->text);
		expect_two(&fixture, call);
		assert_int_equal(owner.forgotten, 2);
		call_free(call);
	}
	fixture_close(&fixture);
}

static void expect_error(struct call *call, int code)
{
	call_wait(call);
	assert_non_null(request_error(call->request));
	if (request_error(call->request)->code != code)
		fail_msg("expected %s, got %s", error_name(code), request_error(call->request)->text);
	call_free(call);
}

/* Refused, cancelled or not found: nothing of a range is given back, and no answer comes to a request that ended. */
static void test_failures(void **state)
{
	struct fixture fixture = open_fixture();
	struct call *call = start_two(&fixture);
	uint64_t spent;

	(void)state;
	answer(0, 0);
	spent = owner.next[1];
	answer(1, -ERROR_NOT_FOUND);
	expect_error(call, ERROR_NOT_FOUND);
	assert_int_equal(owner.next[1], spent);
	assert_int_equal(owner.forgotten, 2);

	call = start_two(&fixture);
	answer(0, 0);
	request_cancel(call->request);
	expect_error(call, ERROR_CANCELLED);
	assert_int_equal(owner.forgotten, 2);
	answer(1, 0);

	/* The second is refused while the first is waited for. */
	call = call_new();
	owner.n_pending = owner.forgotten = 0;
	put(call, "steps",
	    STEPS(call->bump,
		  STEP(call->bump, "bits", "n", value_uint(1), "stream_name", value_string("a")),
		  STEP(call->bump, "bits", "n", value_uint(1), "stream_name", value_string("nobody"))));
	call_fails(call, fixture.memory, "run", ERROR_NOT_FOUND,
		   "not_found: run: steps[1] bits: stream_name: no such stream");
	assert_int_equal(owner.n_pending, 1);
	assert_null(owner.pending[0]);
	fixture_close(&fixture);
}

/* ---- prepared programs ---- */

static void test_prepared(void **state)
{
	struct fixture fixture = open_fixture();
	struct call *call = call_new(), *run;
	uint64_t handle, before;

	(void)state;
	put_steps(call);
	put(call, "stream_name", value_string("b"));
	handle = prepare_program(&fixture, call);
	assert_int_equal(owner.next[1], 1000); /* nothing is taken when it is made */
	for (int i = 0; i < 6; i++) {
		owner.later = i % 2;
		owner.n_pending = 0;
		run = prepared_call(handle);
		if (i >= 4)
			put(run, "stream_name", value_string("a"));
		before = owner.next[i < 4];
		call_start(run, fixture.memory, "run_prepared");
		if (owner.later)
			answer(0, 0);
		call_wait(run);
		if (request_error(run->request))
			fail_msg("%s", request_error(run->request)->text);
		assert_true(number(range_of(run, 0), "position") >= before);
		expect_replayed(&fixture, run);
		/* The same program, with the position stated. */
		call = prepared_call(handle);
		put_place(call, range_of(run, 0));
		before = owner.next[i < 4];
		call_run(call, fixture.memory, "run_prepared");
		assert_int_equal(owner.next[i < 4], before);
		expect_equal("results", value_get(request_result(call->request), "results"),
			     value_get(request_result(run->request), "results"));
		assert_null(value_get(request_result(call->request), "ranges"));
		call_free(call);
		call_free(run);
	}
	run = prepared_call(handle);
	put(run, "stream_name", value_string("a"));
	put(run, "seed", value_uint(1));
	call_fails(run, fixture.memory, "run_prepared", ERROR_OUT_OF_RANGE,
		   "out_of_range: run_prepared: stream_name: given beside generator, seed");
	fixture_close(&fixture);
}

/* ---- mistakes ---- */

static void refused(struct fixture *fixture, const struct value step, const char *name, int code, const char *text)
{
	struct call *call = call_new();
	struct value steps = value_array(), copy;

	assert_int_equal(value_copy(call->bump, &step, &copy), 0);
	assert_int_equal(value_push(call->bump, &steps, copy), 0);
	put(call, "steps", steps);
	if (name)
		put(call, "stream_name", value_string(name));
	call_fails(call, fixture->memory, "run", code, text);
}

static void test_mistakes(void **state)
{
	static const float ones[4] = {1, 1, 1, 1};
	struct fixture fixture = open_fixture();
	struct bump *z = bump_new();
	const struct value a = value_string("a"), one = value_uint(1);
	struct call *call;

	(void)state;
#define BESIDE(name, value)                                                                                            \
	refused(&fixture, STEP(z, "bits", "n", one, "stream_name", a, name, value), NULL, ERROR_OUT_OF_RANGE,          \
		"out_of_range: run: steps[0] bits: stream_name: given beside " name)
	BESIDE("seed", one);
	BESIDE("stream", one);
	BESIDE("offset", one);
	BESIDE("generator", value_string("philox4x32"));
	BESIDE("layout", value_string("trn24"));
	BESIDE("size", value_uint(2));
	refused(&fixture, STEP(z, "bits", "n", one, "offset", one), "a", ERROR_OUT_OF_RANGE,
		"out_of_range: run: steps[0] bits: stream_name: given beside offset");
	refused(&fixture, STEP(z, "bits", "n", one, "stream_name", one), NULL, ERROR_WRONG_TYPE,
		"wrong_type: run: steps[0] bits: stream_name: ");
	refused(&fixture, STEP(z, "fft", "in", array_of(z, "f32", 4, ones, sizeof ones), "stream_name", a), NULL,
		ERROR_UNKNOWN_PARAMETER, "unknown_parameter: run: steps[0] fft: stream_name: ");
	refused(&fixture, STEP(z, "sobol", "n", one, "d", one, "scramble", value_string("owen")), "a",
		ERROR_MISSING_PARAMETER, "missing_parameter: run: steps[0] sobol: seed: ");
	call = call_new();
	put(call, "in", array_of(call->bump, "f32", 4, ones, sizeof ones));
	put(call, "noise", map_of(call->bump, "op", value_string("normal"), "stream_name", a, NULL));
	call_fails(call, fixture.memory, "noise_add", ERROR_UNKNOWN_PARAMETER,
		   "unknown_parameter: noise_add: stream_name: ");
	call = call_new();
	put(call, "steps", value_array());
	put(call, "stream_name", a);
	put(call, "seed", one);
	call_fails(call, fixture.memory, "run", ERROR_OUT_OF_RANGE,
		   "out_of_range: run: stream_name: given beside seed");
	assert_int_equal(owner.next[0], 4);
	fixture_close(&fixture);
	fixture = fixture_open(1); /* nobody keeps streams */
	refused(&fixture, STEP(z, "bits", "n", one, "stream_name", a), NULL, ERROR_NOT_SUPPORTED,
		"not_supported: run: steps[0] bits: named streams are kept by a daemon");
	bump_free(z);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replays), cmocka_unit_test(test_begins),  cmocka_unit_test(test_several_streams), cmocka_unit_test(test_later),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_prepared),            cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
