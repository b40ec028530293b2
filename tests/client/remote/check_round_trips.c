/* SPDX-License-Identifier: Apache-2.0 */
/* How many requests a function of the library costs, counted by a daemon that answers with zeros. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fake_daemon.h"
#include "client/drawing.h"

enum { COMPONENTS = 3, MOST = 64 << 10 };

static atomic_uint asked;

static uint64_t number_of(const struct value *map, const char *name)
{
	const struct value *value = map ? value_get(map, name) : NULL;
	uint64_t number = 0;

	if (value)
		value_to_u64(value, &number);
	return number;
}

/* A draw of n samples, f32; those of dirichlet have components. */
static void reply_draw(struct fake_daemon *fake, const struct message *request, const char *distribution, uint64_t n)
{
	static const char zeros[MOST];
	const uint64_t components = strcmp(distribution, "dirichlet") == 0 ? COMPONENTS : 1;
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value map = value_map(), shape = value_array();

	value_push(bump, &shape, value_uint(n));
	if (components > 1)
		value_push(bump, &shape, value_uint(components));
	value_put(bump, &map, "dtype", value_string("f32"));
	value_put(bump, &map, "shape", shape);
	value_put(bump, &map, "data", value_bytes(zeros, (size_t)(n * components * sizeof(float))));
	value_put(bump, &map, "generator", value_string("threefry4x32"));
	for (const char *const *name = (const char *const[]){"seed", "stream", "offset", "position", "next", NULL}; *name; name++)
		value_put(bump, &map, *name, value_uint(8));
	value_put(bump, &map, "n", value_uint(n));
	codec_response(&buffer, request->msgid, NULL, &map);
	fake_daemon_say(fake, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

static bool answer_zeros(struct fake_daemon *fake, const struct message *request)
{
	const struct value *draw = value_get(&request->params, "draw"), *op = draw ? value_get(draw, "op") : NULL;
	char distribution[32] = "";

	if (fake_daemon_greets(fake, request))
		return true;
	atomic_fetch_add(&asked, 1);
	if (op)
		memcpy(distribution, op->bytes.at, op->bytes.size);
	else
		memcpy(distribution, request->method, request->method_size);
	reply_draw(fake, request, distribution, number_of(draw ? draw : &request->params, "n"));
	return true;
}

static void expect_requests(unsigned expected, const char *what)
{
	const unsigned got = atomic_exchange(&asked, 0);

	if (got != expected)
		fail_msg("%s: expected %u requests, got %u", what, expected, got);
}

static void copies(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(answer_zeros, NULL);
	struct trnsci_session *session = fake_daemon_open(fake);
	const struct drawing normal = {.distribution = "normal"};
	const struct drawing dirichlet = {.distribution = "dirichlet", .params = {F64S("alpha", ((const double[]){1, 2, 3}), 3)}};
	struct trnsci_span range;
	static float out[MOST / sizeof(float)];
	struct trnsci_error err;

	(void)state;
	for (uint64_t n = 0; n <= MOST / sizeof *out; n += MOST / sizeof *out / 4) {
		assert_int_equal(draw_array(session, &normal, TRNSCI_F32, n, out, NULL, &err), 0);
		expect_requests(1, "a plain draw");
		assert_int_equal(stream_array(session, "s", &normal, TRNSCI_F32, n, out, &range, &err), 0);
		expect_requests(1, "a draw from a named stream");
		assert_true(range.offset == 8);
	}
	assert_int_equal(draw_array(session, &dirichlet, TRNSCI_F32, 30, out, NULL, &err), 0);
	expect_requests(2, "a plain draw of vectors");
	assert_int_equal(stream_array(session, "s", &dirichlet, TRNSCI_F32, 30, out, &range, &err), 0);
	expect_requests(2, "a draw of vectors from a named stream");
	/* Nothing is taken from a stream for what cannot be had whole. */
	assert_int_equal(stream_array(session, "s", &dirichlet, TRNSCI_F32, 31, out, &range, &err), -TRNSCI_BAD_SHAPE);
	expect_requests(1, "part of a vector");
	trnsci_close(session);
	fake_daemon_stop(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(copies)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
