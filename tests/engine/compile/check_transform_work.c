/* SPDX-License-Identifier: Apache-2.0 */
/* Work memory of long transforms: one buffer where the output can be the other, two where it may be the input; the same
 * bytes by plain and prepared calls, whose tiles others may stand for; and that many products run at once. */
#include "engine/steps.h"

/* Of three stages, since no two columns have it; the rows of the last one's 176 have two lines between them. */
enum { N = 160 * 160 * 176, BYTES = N * 8, BUFFER_BYTES = BYTES + 176 * 128, TILES = 4 };

static uint64_t asked; /* the last reservation */

static int reserve(void *arg, uint64_t bytes, struct error *err)
{
	(void)arg;
	(void)err;
	asked = bytes;
	return 0;
}

struct workload {
	struct fixture fixture;
	uint64_t tiles[TILES];
	float *at[TILES];
};

static void workload_open(struct workload *workload)
{
	struct session_owner limits = {.reserve = reserve};

	workload->fixture = fixture_open_with(2, cpu_detect(), TILES * BYTES + (1 << 20), &limits);
	for (int i = 0; i < TILES; i++)
		workload->tiles[i] = tile_of(&workload->fixture, "c64", N, (void **)&workload->at[i]);
	for (int i = 0; i < 2 * N; i++)
		workload->at[0][i] = (float)(i * 7919LL % 1000003) - 5e5F;
}

static struct call *between(struct workload *workload, int in, int out)
{
	struct call *call = call_new();

	put(call, "in", value_uint(workload->tiles[in]));
	put(call, "out", value_uint(workload->tiles[out]));
	return call;
}

static void run_plain(struct workload *workload, int in, int out, uint64_t work)
{
	struct call *call = between(workload, in, out);

	asked = 0;
	call_run(call, workload->fixture.memory, "fft");
	call_free(call);
	if (asked != work)
		fail_msg("tile %d to %d: expected %llu bytes of work memory, got %llu", in, out,
			 (unsigned long long)work, (unsigned long long)asked);
}

static struct value stands_for(struct bump *bump, uint64_t from, uint64_t to)
{
	struct value pair = value_array();

	assert_int_equal(value_push(bump, &pair, value_uint(from)), 0);
	assert_int_equal(value_push(bump, &pair, value_uint(to)), 0);
	return pair;
}

static void expect_tile(const struct workload *workload, int tile, const float *want, const char *what)
{
	if (memcmp(workload->at[tile], want, BYTES) != 0)
		fail_msg("%s: expected the bytes of a plain transform in tile %d", what, tile);
}

static void plain_calls(struct workload *workload)
{
	run_plain(workload, 0, 1, BUFFER_BYTES);
	memcpy(workload->at[2], workload->at[0], BYTES);
	run_plain(workload, 2, 2, 2 * (uint64_t)BUFFER_BYTES);
	expect_tile(workload, 2, workload->at[1], "in place");
}

/* Each of the two tiles stands for the other. */
static void run_exchanged(struct workload *workload)
{
	const uint64_t prepared = prepare_method(&workload->fixture, "fft", between(workload, 2, 3));
	struct call *run = prepared_call(prepared);

	put(run, "tiles",
	    STEPS(run->bump, stands_for(run->bump, workload->tiles[2], workload->tiles[3]),
		  stands_for(run->bump, workload->tiles[3], workload->tiles[2])));
	memcpy(workload->at[3], workload->at[0], BYTES);
	call_run(run, workload->fixture.memory, "run_prepared");
	call_free(run);
	expect_tile(workload, 2, workload->at[1], "exchanged");
	expect_tile(workload, 3, workload->at[0], "exchanged, the input");
}

/* A tile stands for the one that was input and output. */
static void run_in_place(struct workload *workload)
{
	const uint64_t prepared = prepare_method(&workload->fixture, "fft", between(workload, 2, 2));
	struct call *run = prepared_call(prepared);

	put(run, "tiles", STEPS(run->bump, stands_for(run->bump, workload->tiles[2], workload->tiles[3])));
	memcpy(workload->at[3], workload->at[0], BYTES);
	call_run(run, workload->fixture.memory, "run_prepared");
	call_free(run);
	expect_tile(workload, 3, workload->at[1], "another tile in place");
}

static void same_bytes(void **state)
{
	struct workload workload;

	(void)state;
	workload_open(&workload);
	plain_calls(&workload);
	run_exchanged(&workload);
	run_in_place(&workload);
	fixture_close(&workload.fixture);
}

/* Allocates `batch` rows of 256 numbers of c128. */
static uint64_t rows_of(struct fixture *fixture, uint64_t batch)
{
	struct call *call = call_new();
	struct value shape = value_array();
	uint64_t tile;

	assert_int_equal(value_push(call->bump, &shape, value_uint(batch)), 0);
	assert_int_equal(value_push(call->bump, &shape, value_uint(256)), 0);
	put(call, "dtype", value_string("c128"));
	put(call, "shape", shape);
	tile = value_get(call_run(call, fixture->memory, "tile"), "tile")->u;
	call_free(call);
	return tile;
}

/* Returns the bytes of work memory that `batch` transforms of 256 in ozaki_hq reserve, with one thread. */
static uint64_t product_work(uint64_t batch)
{
	struct session_owner limits = {.reserve = reserve};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 16 << 20, &limits);
	struct call *call = call_new();

	put(call, "in", value_uint(rows_of(&fixture, batch)));
	put(call, "out", value_uint(rows_of(&fixture, batch)));
	put(call, "precision", value_string("ozaki_hq"));
	asked = 0;
	call_run(call, fixture.memory, "fft");
	call_free(call);
	fixture_close(&fixture);
	return asked;
}

/* Products share memory by groups of rows: the 2 MiB of one thread have room for more than one group, where the
 * memory of a single transform is that of a group. */
static void groups_at_once(void **state)
{
	const uint64_t one = product_work(1), many = product_work(512);

	(void)state;
	printf("# ozaki_hq of 256: %llu bytes of work memory for one transform, %llu for 512\n",
	       (unsigned long long)one, (unsigned long long)many);
	if (one > 0 && many <= one)
		fail_msg("expected more work memory for 512 transforms than for 1, got %llu and %llu bytes",
			 (unsigned long long)many, (unsigned long long)one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes), cmocka_unit_test(groups_at_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
