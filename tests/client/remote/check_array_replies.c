/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that a daemon sends with its reply: wherever the bytes are cut they are in the caller's memory when the function has
 * returned, and what is beside them stays as it is; a reply that contradicts itself is refused. */
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "client/drawing.h"
#include "fake_daemon.h"
#include "harness/wait.h"

enum {
	SAMPLES = 1500,
	GUARD = 16, /* samples around an array */
	HEAD = 64,  /* bytes before the array in a reply, and some behind its start */
	TAIL = 100, /* bytes behind it */
};

static const float untouched = -1;

/* ---- a daemon's reply ---- */

static uint64_t number_of(const struct message *request, const char *name)
{
	const struct value *value = value_get(&request->params, name);
	uint64_t number = 0;

	if (value)
		value_to_u64(value, &number);
	return number;
}

/* Greets, and prepares nothing: every draw is a request of its own. Returns whether it was asked for either. */
static bool answers_no_draw(struct fake_daemon *fake, const struct message *request)
{
	struct error refusal;

	if (fake_daemon_greets(fake, request))
		return true;
	if (!fake_daemon_asked(request, "prepare"))
		return false;
	error_set(&refusal, ERROR_LIMIT, "prepare: no room");
	fake_daemon_refuse(fake, request->msgid, &refusal);
	return true;
}

/* What a reply says, which need not be so. */
struct claim {
	uint64_t n;
	const char *dtype;
	size_t bytes;   /* of the array */
	uint32_t msgid;
	bool twice; /* it names another array of as many bytes behind the first */
};

static struct claim honest_claim(const struct message *request)
{
	const uint64_t n = number_of(request, "n");

	return (struct claim){n, "f32", n * sizeof(float), request->msgid, false};
}

static void add_twice(struct bump *bump, struct value *map, size_t bytes)
{
	void *zeros = bump_alloc(bump, bytes);

	memset(zeros, 0, bytes);
	value_add(bump, map, "data", value_bytes(zeros, bytes));
}

/* Sample i is i. */
static struct codec_buffer write_reply(const struct claim *claim)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value map = value_map(), shape = value_array();
	float *samples = bump_alloc(bump, claim->bytes + sizeof *samples);

	for (size_t i = 0; i <= claim->bytes / sizeof *samples; i++)
		samples[i] = (float)i;
	value_push(bump, &shape, value_uint(claim->n));
	value_put(bump, &map, "n", value_uint(claim->n));
	value_put(bump, &map, "dtype", value_string(claim->dtype));
	value_put(bump, &map, "shape", shape);
	value_put(bump, &map, "data", value_bytes(samples, claim->bytes));
	if (claim->twice)
		add_twice(bump, &map, claim->bytes);
	value_put(bump, &map, "generator", value_string("threefry4x32"));
	for (const char *const *name = (const char *const[]){"seed", "stream", "offset", "position", "next", NULL}; *name; name++)
		value_put(bump, &map, *name, value_uint(8));
	assert_int_equal(codec_response(&buffer, claim->msgid, NULL, &map), 0);
	bump_free(bump);
	return buffer;
}

/* Says these bytes, and waits until the client has received them. */
static void say_apart(struct fake_daemon *fake, const void *bytes, size_t size)
{
	int left = 0;

	fake_daemon_say(fake, bytes, size, -1);
	AWAIT(ioctl(fake->client, SIOCOUTQ, &left) < 0 || left == 0);
}

static void say_claim(struct fake_daemon *fake, const struct claim *claim)
{
	struct codec_buffer reply = write_reply(claim);

	fake_daemon_say(fake, reply.at, reply.size, -1);
	codec_buffer_free(&reply);
}

/* ---- a client's draw ---- */

struct array {
	uint64_t n;
	float *memory, *out; /* out lies in memory, with GUARD samples around it */
};

static struct array new_array(uint64_t n)
{
	struct array array = {.n = n, .memory = malloc((n + 2 * GUARD) * sizeof(float))};

	array.out = array.memory + GUARD;
	for (size_t i = 0; i < n + 2 * GUARD; i++)
		array.memory[i] = untouched;
	return array;
}

static void expect_guards(const struct array *array)
{
	for (size_t i = 0; i < GUARD; i++)
		if (array->memory[i] != untouched || array->out[array->n + i] != untouched)
			fail_msg("%zu samples beside the array: expected untouched", i);
}

static void expect_samples(const struct array *array)
{
	expect_guards(array);
	for (size_t i = 0; i < array->n; i++)
		if (array->out[i] != (float)i)
			fail_msg("sample %zu: expected %zu, got %g", i, i, (double)array->out[i]);
}

static int draw(struct trnsci_session *session, const struct array *array, uint64_t seed)
{
	const struct drawing normal = {.distribution = "normal", .source = {.seed = seed}};

	return draw_array(session, &normal, TRNSCI_F32, array->n, array->out, NULL, NULL);
}

static void expect_draw(struct trnsci_session *session, uint64_t n, uint64_t seed)
{
	struct array array = new_array(n);
	const int r = draw(session, &array, seed);

	if (r < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, trnsci_error_name(r));
	expect_samples(&array);
	free(array.memory);
}

/* ---- in pieces ---- */

/* The seed says where the reply is cut. 0: everywhere around the array. */
static bool answer_in_pieces(struct fake_daemon *fake, const struct message *request)
{
	const struct claim claim = honest_claim(request);
	struct codec_buffer reply;
	size_t cut = number_of(request, "seed"), at = 0;

	if (answers_no_draw(fake, request))
		return true;
	reply = write_reply(&claim);
	for (; cut == 0 && at < reply.size - TAIL; at += at < HEAD + 8 ? 1 : (reply.size - TAIL - at > 997 ? 997 : 1))
		say_apart(fake, reply.at + at, at < HEAD + 8 ? 1 : (reply.size - TAIL - at > 997 ? 997 : 1));
	for (; cut == 0 && at < reply.size; at++)
		say_apart(fake, reply.at + at, 1);
	if (cut > 0) {
		say_apart(fake, reply.at, cut < reply.size ? cut : reply.size);
		fake_daemon_say(fake, reply.at + cut, cut < reply.size ? reply.size - cut : 0, -1);
	}
	codec_buffer_free(&reply);
	return true;
}

static void in_pieces(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(answer_in_pieces, NULL);
	struct trnsci_session *session = fake_daemon_open(fake);
	const uint64_t bytes = SAMPLES * sizeof(float);

	(void)state;
	for (uint64_t cut = 0; cut <= bytes + HEAD + TAIL; cut += cut > HEAD + 8 && cut < bytes - 8 ? 97 : 1)
		expect_draw(session, SAMPLES, cut);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* ---- what is not so ---- */

static bool answer_falsely(struct fake_daemon *fake, const struct message *request)
{
	const struct claim honest = honest_claim(request), *lie = fake->lie;
	struct claim claim = {honest.n + lie->n, lie->dtype, honest.bytes + lie->bytes, honest.msgid + lie->msgid, lie->twice};

	if (!answers_no_draw(fake, request))
		say_claim(fake, &claim);
	return true;
}

static void false_claims(void **state)
{
	static const struct {
		struct claim lie;
		int result;
	} cases[] = {
		{{0, "f32", 0, 0, false}, 0},
		{{0, "f32", 0, 0, true}, 0},
		{{0, "f32", 4, 0, false}, -TRNSCI_BAD_REPLY},
		{{1, "f32", 4, 0, false}, -TRNSCI_BAD_REPLY},
		{{(uint64_t)-1, "f32", (size_t)-4, 0, false}, -TRNSCI_BAD_REPLY},
		{{(uint64_t)-1, "f32", 0, 0, false}, -TRNSCI_BAD_REPLY},
		{{0, "f64", 0, 0, false}, -TRNSCI_BAD_REPLY},
		{{0, "", 0, 0, false}, -TRNSCI_BAD_REPLY},
		{{0, "f32", 0, 7, false}, -TRNSCI_BAD_REPLY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fake_daemon *fake = fake_daemon_start(answer_falsely, &cases[i].lie);
		struct trnsci_session *session = fake_daemon_open(fake);
		struct array array = new_array(SAMPLES);
		const int r = draw(session, &array, 1);

		if (r != cases[i].result)
			fail_msg("case %zu: expected %d, got %d", i, cases[i].result, r);
		expect_guards(&array);
		if (r == 0)
			expect_samples(&array);
		trnsci_close(session);
		fake_daemon_stop(fake);
		free(array.memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_pieces), cmocka_unit_test(false_claims)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
