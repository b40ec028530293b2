/* SPDX-License-Identifier: Apache-2.0 */
/* Results in a tile of a daemon that ends the session behind its answer: they are the caller's if the memory was not emptied before
 * they were copied, and an error otherwise, never zeros. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_daemon.h"

enum { N = 64, TILE = 4096 /* bytes between two tiles */, NOISE = 30 };

struct ending {
	bool empties;
	char *memory;
	uint64_t bytes;
	uint64_t tiles, runs;
};

static void give_arena(struct fake_daemon *fake, const struct message *request, struct ending *ending)
{
	const int fd = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(value_to_u64(value_get(&request->params, "bytes"), &ending->bytes));
	assert_int_equal(ftruncate(fd, (off_t)ending->bytes), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	ending->memory = mmap(NULL, ending->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(ending->memory != MAP_FAILED);
	fake_daemon_reply(fake, request, (const char *const[]){"arena", "bytes"}, (const uint64_t[]){1, ending->bytes}, 2, fd);
	close(fd);
}

static void give_tile(struct fake_daemon *fake, const struct message *request, struct ending *ending)
{
	const uint64_t number = ++ending->tiles;

	fake_daemon_reply(fake, request, (const char *const[]){"tile", "arena", "offset", "bytes"},
			  (const uint64_t[]){number, 1, number * TILE, N * sizeof(float)}, 4, -1);
}

/* Behind the answer comes what is no message, so that the client finds the end of the session with the answer. */
static void answer_and_end(struct fake_daemon *fake, const struct message *request, const struct ending *ending)
{
	struct codec_buffer buffer = {0};
	char bytes[200];
	const struct value nothing = value_map();
	float *out;

	assert_int_equal(codec_response(&buffer, request->msgid, NULL, &nothing), 0);
	out = (float *)(void *)(ending->memory + TILE); /* the tile of the results is the first */
	for (int i = 0; i < N; i++)
		out[i] = (float)i + 1;
	if (ending->empties)
		memset(ending->memory, 0, ending->bytes);
	assert_in_range(buffer.size, 1, sizeof bytes - NOISE);
	memcpy(bytes, buffer.at, buffer.size);
	memset(bytes + buffer.size, 0xc1, NOISE);
	fake_daemon_say(fake, bytes, buffer.size + NOISE, -1);
	codec_buffer_free(&buffer);
}

static bool ends_the_session(struct fake_daemon *fake, const struct message *request)
{
	struct ending *ending = (struct ending *)fake->lie;

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "arena"))
		give_arena(fake, request, ending);
	else if (fake_daemon_asked(request, "tile"))
		give_tile(fake, request, ending);
	else if (fake_daemon_asked(request, "scale"))
		answer_and_end(fake, request, ending);
	return true;
}

static void scale(bool empties, int expected)
{
	struct ending ending = {.empties = empties};
	struct fake_daemon *fake = fake_daemon_start(ends_the_session, &ending);
	struct trnsci_session *session = fake_daemon_open(fake);
	float in[N] = {0}, out[N] = {0};

	assert_int_equal(trnsci_apply_array(session, "scale", NULL, trnsci_array_vector(TRNSCI_F32, N, in),
					    trnsci_array_vector(TRNSCI_F32, N, out), NULL), expected);
	for (int i = 0; i < N && expected == 0; i++)
		assert_true(out[i] == (float)i + 1);
	trnsci_close(session);
	fake_daemon_stop(fake);
	munmap(ending.memory, ending.bytes);
}

static void not_emptied(void **state)
{
	(void)state;
	scale(false, 0);
}

static void emptied(void **state)
{
	(void)state;
	scale(true, -TRNSCI_CLOSED);
}

/* ---- the input goes with the daemon ---- */

/* A session that is restored says where its tiles lay. */
static void give_tile_back(struct fake_daemon *fake, const struct message *request, struct ending *ending)
{
	const struct value *offset = value_get(&request->params, "offset");
	uint64_t at;

	if (!offset) {
		give_tile(fake, request, ending);
		return;
	}
	assert_true(value_to_u64(offset, &at));
	fake_daemon_reply(fake, request, (const char *const[]){"tile", "arena", "offset", "bytes"},
			  (const uint64_t[]){at / TILE, 1, at, N * sizeof(float)}, 4, -1);
}

/* The first of its runs ends the daemon with all that it had; the next one doubles what it finds. */
static bool ends_at_the_first(struct fake_daemon *fake, const struct message *request)
{
	struct ending *ending = (struct ending *)fake->lie;
	float *out;

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "arena"))
		give_arena(fake, request, ending);
	else if (fake_daemon_asked(request, "tile"))
		give_tile_back(fake, request, ending);
	else if (fake_daemon_asked(request, "scale") && ending->runs++ == 0)
		memset(ending->memory, 0, ending->bytes);
	else if (fake_daemon_asked(request, "scale")) {
		out = (float *)(void *)(ending->memory + TILE);
		for (int i = 0; i < N; i++)
			out[i] = 2 * out[i + TILE / (int)sizeof *out];
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	}
	return !(fake_daemon_asked(request, "scale") && ending->runs == 1);
}

/* The caller has the input still: it is written again. */
static void input_lost(void **state)
{
	const struct trnsci_options options = {.timeout_ms = 10000, .reconnect_ms = 10000};
	struct ending ending = {.empties = true};
	struct fake_daemon *fake = fake_daemon_start(ends_at_the_first, &ending);
	struct trnsci_session *session;
	float in[N], out[N];

	(void)state;
	fake->more = 1;
	for (int i = 0; i < N; i++)
		in[i] = (float)i + 1;
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	assert_int_equal(trnsci_apply_array(session, "scale", NULL, trnsci_array_vector(TRNSCI_F32, N, in),
					    trnsci_array_vector(TRNSCI_F32, N, out), NULL), 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == 2 * in[i]);
	assert_in_range(ending.runs, 2, 3);
	trnsci_close(session);
	fake_daemon_stop(fake);
	munmap(ending.memory, ending.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(not_emptied), cmocka_unit_test(emptied), cmocka_unit_test(input_lost)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
