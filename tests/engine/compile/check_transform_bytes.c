/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of all kinds give one sequence of bytes for each CPU level: from any cold start, for 1, 2, 7 and 128
 * threads, alone and anywhere in a batch, whatever else runs; and the plans of many lengths stay within their bound. */
#include "engine/harness.h"

#include <malloc.h>

struct kind {
	const char *method, *dtype;
	const char *flag[2]; /* parameters that are true */
	const char *name, *choice;
};

static const struct kind kinds[] = {
	{"fft", "c64", {NULL}, NULL, NULL},
	{"fft", "c128", {"inverse"}, "norm", "ortho"},
	{"fft", "f32", {"real"}, NULL, NULL},
	{"fft", "c128", {"real", "inverse"}, NULL, NULL},
	{"fft", "c64", {"hermitian"}, NULL, NULL},
	{"fft", "f64", {"hermitian", "inverse"}, NULL, NULL},
	{"fft", "c64", {NULL}, "precision", "kahan"},
	{"fft", "c64", {NULL}, "precision", "ozaki6"},
	{"fft", "c128", {NULL}, "precision", "fast"},
	{"fft", "f64", {"real"}, "precision", "fast"},
	{"dct", "f32", {NULL}, "type", "1"},
	{"dct", "f64", {NULL}, "type", "2"},
	{"dct", "c64", {"inverse"}, "type", "2"},
	{"dst", "f32", {NULL}, "type", "4"},
	{"dst", "f64", {NULL}, "type", "3"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Of the transformed axis: short, odd, prime, in panels too large for scratch, and cut by passes. */
static const size_t lengths[] = {6, 64, 101, 243, 256, 1000, 1365, 4096, 32768, 65536};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths, MOST = 1 << 18 };

static double input[2 * MOST];

static void make_input(void)
{
	uint64_t state = 20261121;

	for (size_t i = 0; i < 2 * MOST; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		input[i] = (double)(int64_t)state / 0x1p63;
	}
}

/* Where element i of transform b lies, of transforms of n that lie `columns` side by side. */
static size_t place(size_t n, size_t columns, size_t b, size_t i)
{
	return (b / columns * n + i) * columns + b % columns;
}

/* Transforms [first, first + batch) of n elements along the middle axis of (batch / columns, n, columns); the reply. */
static const struct value *run(struct fixture *fixture, const struct kind *kind, size_t n, size_t first, size_t batch,
			       size_t columns, struct call **ret_call)
{
	struct call *call = call_new();
	const enum dtype dtype = dtype_parse(kind->dtype, strlen(kind->dtype));
	const size_t reals = dtype_is_complex(dtype) ? 2 : 1, size = dtype_size(dtype) / reals;
	char *bytes = bump_alloc(call->bump, n * batch * dtype_size(dtype));
	struct value in, shape = value_array();

	assert_non_null(bytes);
	for (size_t b = 0; b < batch; b++)
		for (size_t i = 0; i < n * reals; i++) {
			const double value = input[((first + b) * n * reals + i) % (2 * MOST)];
			const float single = (float)value;
			const size_t at = place(n, columns, b, i / reals) * reals + i % reals;

			memcpy(bytes + at * size, size == 4 ? (const void *)&single : (const void *)&value, size);
		}
	in = array_of(call->bump, kind->dtype, n * batch, bytes, n * batch * dtype_size(dtype));
	value_push(call->bump, &shape, value_uint(batch / columns));
	value_push(call->bump, &shape, value_uint(n));
	value_push(call->bump, &shape, value_uint(columns));
	value_put(call->bump, &in, "shape", shape);
	put(call, "in", in);
	put(call, "axes", value_int(1));
	for (unsigned i = 0; i < 2 && kind->flag[i]; i++)
		put(call, kind->flag[i], value_bool(true));
	if (kind->name)
		put(call, kind->name, value_string(kind->choice));
	*ret_call = call;
	return call_run(call, fixture->memory, kind->method);
}

static bool is_full(void)
{
	const char *full = getenv("TRNSCI_FULL");

	return full && *full && strcmp(full, "0") != 0;
}

/* The long ones of a few kinds only, unless all is asked for. */
static bool is_skipped(size_t kind, size_t n)
{
	return n > 2000 && kind % 7 != 2 && kind > 0 && !is_full();
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)at)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static struct fixture fixture_small(unsigned threads, uint32_t features)
{
	struct session_owner limits = {.inline_bytes = 64 << 20};

	return fixture_open_with(threads, features, 0, &limits);
}

/* Of every kind and length, in batches and by columns. backwards: another order of requests, so of plans. */
static uint64_t hash_all(unsigned threads, uint32_t features, bool backwards)
{
	enum { ALL = N_KINDS * N_LENGTHS * 2 };
	struct fixture fixture = fixture_small(threads, features);
	uint64_t sum = 0;

	for (size_t i = 0; i < ALL; i++) {
		const size_t which = backwards ? ALL - 1 - i : i, n = lengths[which / 2 / N_KINDS];
		const size_t batch = n > 10000 ? 2 : n > 200 ? 5 : 19;
		const struct value *data;
		struct call *call;

		if (is_skipped(which / 2 % N_KINDS, n))
			continue;
		data = value_get(run(&fixture, &kinds[which / 2 % N_KINDS], n, 0, batch, which % 2 ? batch : 1, &call),
				 "data");
		sum += mix(UINT64_C(0xcbf29ce484222325) + which, data->bytes.at, data->bytes.size);
		call_free(call);
	}
	fixture_close(&fixture);
	return sum;
}

/* Runs check for every level of this CPU's transform kernels. */
static void each_level(void (*check)(const char *name, uint32_t features))
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);

	for (size_t i = 0; i < count; i++)
		if (levels[i].features & ~cpu_detect())
			printf("# not on this CPU: %s\n", levels[i].name);
		else
			check(levels[i].name, levels[i].features);
}

static void check_level(const char *name, uint32_t features)
{
	static const unsigned threads[] = {2, 7, 128};
	const uint64_t one = hash_all(1, features, false);
	const unsigned starts = is_full() ? 20 : 3;

	for (unsigned i = 0; i < starts; i++) {
		const uint64_t got = hash_all(threads[i % 3], features, i % 2);

		if (got != one)
			fail_msg("%s: cold start %u with %u threads%s: expected the hash %016llx of 1 thread, got %016llx",
				 name, i, threads[i % 3], i % 2 ? ", requests backwards" : "", (unsigned long long)one,
				 (unsigned long long)got);
	}
	printf("# %s: 1 + %u cold starts, 1, 2, 7 and 128 threads: %016llx\n", name, starts, (unsigned long long)one);
}

static void test_cold_starts(void **state)
{
	(void)state;
	each_level(check_level);
}

/* A transform alone, and as the third of others: rows, a few columns, more than a vector of them, and a few of each of
 * several slabs. */
static void check_place(struct fixture *fixture, const char *name, const struct kind *kind, size_t n)
{
	static const size_t places[][2] = {{5, 1}, {5, 5}, {21, 21}, {15, 3}};
	struct call *one, *many;
	const struct value *alone = run(fixture, kind, n, 2, 1, 1, &one), *data = value_get(alone, "data");
	const struct value *dtype = value_get(alone, "dtype");
	const size_t size = dtype_size(dtype_parse(dtype->bytes.at, dtype->bytes.size)), count = data->bytes.size / size;

	for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
		const size_t batch = places[p][0], columns = places[p][1];
		const char *got;

		if (n * batch > MOST && !is_full())
			continue;
		got = value_get(run(fixture, kind, n, 0, batch, columns, &many), "data")->bytes.at;
		for (size_t j = 0; j < count; j++)
			if (memcmp(data->bytes.at + j * size, got + place(count, columns, 2, j) * size, size) != 0)
				fail_msg("%s: %s of %s, kind %zu, n = %zu: element %zu among %zu, %zu side by side, "
					 "differs from that of the transform alone",
					 name, kind->method, kind->dtype, (size_t)(kind - kinds), n, j, batch, columns);
		call_free(many);
	}
	call_free(one);
}

static void check_places(const char *name, uint32_t features)
{
	struct fixture fixture = fixture_small(2, features);

	for (size_t i = 0; i < N_KINDS * N_LENGTHS; i++)
		if (!is_skipped(i % N_KINDS, lengths[i / N_KINDS]))
			check_place(&fixture, name, &kinds[i % N_KINDS], lengths[i / N_KINDS]);
	fixture_close(&fixture);
}

static void test_places(void **state)
{
	(void)state;
	each_level(check_places);
}

/* ---- plans of many lengths ---- */

static uint64_t plan_figure(struct fixture *fixture, const char *name)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t figure;

	assert_int_equal(engine_stats(fixture->engine, bump, &map), 0);
	figure = value_get(value_get(&map, "plans"), name)->u;
	bump_free(bump);
	return figure;
}

/* As many different lengths as asked for (TRNSCI_PLANS=100000 takes minutes), of one element padded: the cache holds no more than its bound says, and the
 * process no more than the cache. */
static void test_plan_bound(void **state)
{
	enum { BOUND = 2 << 20, SLACK = 6 << 20 };
	const char *plans = getenv("TRNSCI_PLANS");
	const size_t count = plans ? strtoul(plans, NULL, 10) : is_full() ? 20000 : 1000;
	struct engine_settings settings = {.threads = 2, .features = cpu_detect(), .plan_cache_bytes = BOUND};
	struct fixture fixture = {0};
	struct error err = {0};
	uint64_t most = 0;
	size_t before, after;

	(void)state;
	assert_int_equal(engine_create(&settings, &fixture.engine, &err), 0);
	assert_int_equal(engine_session_create(fixture.engine, NULL, &fixture.memory), 0);
	before = mallinfo2().uordblks;
	for (size_t i = 0; i < count; i++) {
		static const float one = 1;
		struct call *call = call_new();

		put(call, "in", array_of(call->bump, "f32", 1, &one, sizeof one));
		put(call, "length", value_uint(1 + i));
		put(call, "real", value_bool(i % 2));
		call_run(call, fixture.memory, "fft");
		call_free(call);
		if (i % 64 == 0 && plan_figure(&fixture, "bytes") > most)
			most = plan_figure(&fixture, "bytes");
	}
	after = mallinfo2().uordblks;
	printf("# %zu lengths: plans of at most %llu bytes (bound %d), %llu of them at the end; heap grew by %zu\n",
	       count, (unsigned long long)most, BOUND, (unsigned long long)plan_figure(&fixture, "count"),
	       after - before);
	assert_true(most <= BOUND);
	assert_true(plan_figure(&fixture, "misses") == count);
	assert_true(plan_figure(&fixture, "count") < count);
	assert_true(after < before + BOUND + SLACK);
	fixture_close(&fixture);
}

/* A plan that alone exceeds the bound is dropped after its use, and the others stay. */
static void test_plan_beyond_bound(void **state)
{
	enum { BOUND = 1 << 20, SMALL = 10, LARGE = 100003 };
	struct engine_settings settings = {.threads = 2, .features = cpu_detect(), .plan_cache_bytes = BOUND};
	struct fixture fixture = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(engine_create(&settings, &fixture.engine, &err), 0);
	assert_int_equal(engine_session_create(fixture.engine, NULL, &fixture.memory), 0);
	for (uint64_t i = 0; i < 2 * SMALL + 1; i++) {
		static const float one = 1;
		struct call *call = call_new();

		put(call, "in", array_of(call->bump, "f32", 1, &one, sizeof one));
		put(call, "length", value_uint(i == SMALL ? LARGE : 64 + i % (SMALL + 1)));
		call_run(call, fixture.memory, "fft");
		call_free(call);
	}
	assert_int_equal(plan_figure(&fixture, "misses"), SMALL + 1);
	assert_int_equal(plan_figure(&fixture, "hits"), SMALL);
	assert_int_equal(plan_figure(&fixture, "count"), SMALL);
	fixture_close(&fixture);
}

/* ---- more than the caches hold ---- */

/* A batch that is stored around the caches has the bytes of its parts, which are not. */
static void check_far(const char *name, uint32_t features)
{
	enum { BYTES = 7 << 20, PART = 24 };
	static const size_t far_lengths[] = {256, 512, 1024};
	struct fixture fixture = fixture_small(2, features);

	for (size_t k = 0; k < sizeof far_lengths / sizeof *far_lengths; k++) {
		const size_t n = far_lengths[k], batch = BYTES / (n * 8), bytes = PART * n * 8;
		struct call *call, *part;
		const struct value *all = value_get(run(&fixture, &kinds[0], n, 0, batch, 1, &call), "data");

		for (size_t first = 0; first + PART <= batch; first += (batch - PART) / 3) {
			const struct value *some = value_get(run(&fixture, &kinds[0], n, first, PART, 1, &part), "data");

			if (memcmp(all->bytes.at + first * n * 8, some->bytes.at, bytes) != 0)
				fail_msg("%s: n %zu: transforms from %zu on differ from those of a small batch", name, n, first);
			call_free(part);
		}
		call_free(call);
	}
	fixture_close(&fixture);
}

/* The transforms of columns have the bytes of those of rows. */
static void compare_columns(struct fixture *fixture, const struct kind *kind, size_t n, size_t count, const char *name)
{
	const size_t size = dtype_size(dtype_parse(kind->dtype, strlen(kind->dtype)));
	struct call *rows, *columns;
	const char *want = value_get(run(fixture, kind, n, 0, count, 1, &rows), "data")->bytes.at;
	const char *got = value_get(run(fixture, kind, n, 0, count, count, &columns), "data")->bytes.at;

	for (size_t i = 0; i < n * count; i++)
		if (memcmp(want + i * size, got + place(n, count, i / n, i % n) * size, size) != 0)
			fail_msg("%s: n %zu: element %zu of column %zu differs from that of a row", name, n, i % n, i / n);
	call_free(rows);
	call_free(columns);
}

/* Columns whose elements are far apart are transformed in copies, the last of them fewer. */
static void check_far_columns(const char *name, uint32_t features)
{
	static const size_t far_lengths[] = {64, 96, 128};
	struct fixture fixture = fixture_small(2, features);

	for (size_t k = 0; k < sizeof far_lengths / sizeof *far_lengths; k++)
		compare_columns(&fixture, &kinds[0], far_lengths[k], 2110, name);
	fixture_close(&fixture);
}

/* Complex float64 by panels, from 32 MiB on stored around the caches where a row is whole lines of memory. */
static void check_streamed_columns(const char *name, uint32_t features)
{
	struct fixture fixture = fixture_small(2, features);

	compare_columns(&fixture, &kinds[1], 2048, 1028, name);
	compare_columns(&fixture, &kinds[1], 2048, 1027, name);
	fixture_close(&fixture);
}

static void test_far(void **state)
{
	(void)state;
	each_level(check_far);
	each_level(check_far_columns);
	each_level(check_streamed_columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_cold_starts),
		cmocka_unit_test(test_plan_bound),
		cmocka_unit_test(test_plan_beyond_bound),
	};

	make_input();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
