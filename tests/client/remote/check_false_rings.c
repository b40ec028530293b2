/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and broadcasts of a daemon that lies about their sizes, seals, descriptors and counters: attaching is refused, or
 * taking ends in time and stays within the memory; no descriptor is left. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fdpass.h"
#include "client/drawing.h"
#include "fake_daemon.h"

/* What a false ring is; an honest one but for one of these. */
struct ring_lie {
	uint64_t capacity, sample_bytes, components, data_offset, stated, real, index_bytes;
	uint64_t produced; /* on its page */
	int seals;
	unsigned fds;
	bool pipe;
	int expected; /* of attaching; 0: then of taking, -BAD_REPLY */
	uint64_t range, claimed;
};

enum { RING_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | F_SEAL_FUTURE_WRITE };

static int false_memory(uint64_t size, uint64_t produced, uint64_t claimed, int seals)
{
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_true(size < 128 || (pwrite(fd, &produced, sizeof produced, 64) == sizeof produced &&
				   pwrite(fd, &claimed, sizeof claimed, 72) == sizeof claimed));
	fcntl(fd, F_ADD_SEALS, seals);
	return fd;
}

static void reply_ring(struct fake_daemon *fake, const struct message *request)
{
	const struct ring_lie *lie = fake->lie;
	struct bump *bump = bump_new();
	struct codec_buffer buffer = {0};
	struct value map = value_map();
	struct fdpass fds = {.count = 3};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fds.at[0] = false_memory(lie->real, lie->produced, lie->claimed, lie->seals);
	fds.at[1] = false_memory(4096, 0, 0, RING_SEALS & ~F_SEAL_FUTURE_WRITE);
	fds.at[2] = lie->pipe ? dup(ends[1]) : eventfd(0, EFD_CLOEXEC);
	value_put(bump, &map, "ring", value_uint(1));
	value_put(bump, &map, "capacity", value_uint(lie->capacity));
	value_put(bump, &map, "sample_bytes", value_uint(lie->sample_bytes));
	value_put(bump, &map, "components", value_uint(lie->components));
	value_put(bump, &map, "data_offset", value_uint(lie->data_offset));
	value_put(bump, &map, "bytes", value_uint(lie->stated));
	value_put(bump, &map, "index_bytes", value_uint(lie->index_bytes));
	value_put(bump, &map, "dtype", value_string("f32"));
	value_put(bump, &map, "offset", value_uint(0));
	value_put(bump, &map, "position", value_uint(0));
	value_put(bump, &map, "generator", value_string("threefry4x32"));
	value_put(bump, &map, "seed", value_uint(0));
	value_put(bump, &map, "stream", value_uint(0));
	if (lie->range)
		value_put(bump, &map, "range", value_uint(lie->range));
	codec_response(&buffer, request->msgid, NULL, &map);
	const struct fdpass sent = {.at = {fds.at[0], fds.at[1], fds.at[2], fds.at[0]}, .count = lie->fds};
	fdpass_send(fake->client, buffer.at, buffer.size, &sent);
	fdpass_close(&fds);
	close(ends[0]);
	close(ends[1]);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

static bool lie_about_rings(struct fake_daemon *fake, const struct message *request)
{
	if (fake_daemon_asked(request, "ring_attach") || fake_daemon_asked(request, "broadcast_attach"))
		reply_ring(fake, request);
	else if (!fake_daemon_greets(fake, request))
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	return true;
}

static void expect_ring(size_t number, const struct ring_lie *lie)
{
	const struct drawing draw = {.distribution = "normal"};
	int fds = count_fds();
	struct fake_daemon *fake = fake_daemon_start(lie_about_rings, lie);
	struct trnsci_session *session = fake_daemon_open(fake);
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err = {0};
	float out[16];

	int r = draw_ring(session, &draw, TRNSCI_F32, 4096, &ring, &err);

	if (r != lie->expected)
		fail_msg("lie %zu: expected %s, got %s: %s", number, trnsci_error_name(lie->expected),
			 trnsci_error_name(r), err.text);
	if (r == 0)
		assert_int_equal(trnsci_reader_take(ring, out, 16, 1000, NULL, &err), -TRNSCI_BAD_REPLY);
	trnsci_reader_detach(ring);
	trnsci_close(session);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

static void rings(void **state)
{
	enum { ALL = 4096 + 4096 * 4 };
	const int wrong = -TRNSCI_BAD_REPLY;
	const struct ring_lie lies[] = {
		/* capacity, sample, components, offset, stated, real, index, produced, seals, fds, pipe, ends with,
		   range, claimed */
		{4096, 4, 1, 4096, ALL, ALL, 4096, 4097, RING_SEALS, 3, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, UINT64_MAX, RING_SEALS, 3, false, 0, 0, 0},
		{4095, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{0, 4, 1, 4096, 4096, 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{(uint64_t)1 << 63, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{(uint64_t)1 << 62, 4, 1, 4096, 4096, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 8, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, (uint64_t)1 << 62, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 0, 0, 4096, 4096, 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 0, ALL - 4096, ALL - 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 100, ALL - 3996, ALL - 3996, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL - 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, 0, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 8192, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, F_SEAL_SHRINK, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS & ~F_SEAL_SHRINK, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 0, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 2, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 4, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, true, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, .range = 2048},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, .range = 8191},
		{4096, 4, 1, 4096, ALL, ALL, 4096, UINT64_MAX, RING_SEALS, 3, false, 0, .range = (uint64_t)1 << 63},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		expect_ring(i, &lies[i]);
}

/* Attaching is refused; or, where only the counters lie, taking ends in time and stays within the memory. */
static void expect_broadcast(size_t number, const struct ring_lie *lie)
{
	int fds = count_fds();
	struct fake_daemon *fake = fake_daemon_start(lie_about_rings, lie);
	struct trnsci_session *session = fake_daemon_open(fake);
	struct trnsci_reader *reader = NULL;
	struct trnsci_reader_span span;
	struct trnsci_error err = {0};
	static float out[3 * 4096];

	int r = trnsci_broadcast_attach(session, "lie", &reader, &err);

	if (r != lie->expected)
		fail_msg("lie %zu: expected %s, got %s: %s", number, trnsci_error_name(lie->expected),
			 trnsci_error_name(r), err.text);
	for (int i = 0; r == 0 && i < 4; i++) {
		int taken = trnsci_reader_take(reader, out, 3 * 4096, 20, &span, &err);

		assert_true(taken == 0 || taken == -TRNSCI_TIMEOUT);
		assert_true(span.count <= 3 * 4096);
	}
	trnsci_reader_detach(reader);
	trnsci_close(session);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

static void broadcasts(void **state)
{
	enum { ALL = 4096 + 4096 * 4 };
	const int wrong = -TRNSCI_BAD_REPLY;
	const uint64_t huge = (uint64_t)1 << 62;
	const struct ring_lie lies[] = {
		/* capacity, sample, components, offset, stated, real, index, produced, seals, fds, pipe, ends with,
		   range, claimed */
		{4096, 4, 1, 4096, ALL, ALL, 0, 4096, RING_SEALS, 1, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, UINT64_MAX, RING_SEALS, 1, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, huge, RING_SEALS, 1, false, 0, .claimed = UINT64_MAX},
		{4096, 4, 1, 4096, ALL, ALL, 0, 10, RING_SEALS, 1, false, 0, .claimed = huge},
		{4096, 4, 1, 4096, ALL, ALL, 0, huge, RING_SEALS, 1, false, 0, .claimed = huge, .range = huge},
		{4095, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{0, 4, 1, 4096, 4096, 4096, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{huge, 4, 1, 4096, 4096, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 8, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 100, ALL - 3996, ALL - 3996, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL - 4096, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, F_SEAL_SHRINK, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS & ~F_SEAL_FUTURE_WRITE, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS & ~F_SEAL_SHRINK, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 0, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, .range = 4095},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		expect_broadcast(i, &lies[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings),
		cmocka_unit_test(broadcasts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
