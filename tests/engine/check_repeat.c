/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated draws: every run gives what request_start gives for the same parameters, or nothing where that is an error. */
#include "engine/harness.h"

#include "engine/params.h"
#include "engine/repeat.h"

static void same_tree(const struct value *a, const struct value *b, const char *what)
{
	if (a->kind != b->kind)
		fail_msg("%s: kind %d, expected %d", what, a->kind, b->kind);
	switch (a->kind) {
	case VALUE_MAP:
		assert_int_equal(a->map.count, b->map.count);
		for (size_t i = 0; i < a->map.count; i++) {
			assert_int_equal(a->map.at[i].name_size, b->map.at[i].name_size);
			assert_memory_equal(a->map.at[i].name, b->map.at[i].name, a->map.at[i].name_size);
			same_tree(&a->map.at[i].value, &b->map.at[i].value, a->map.at[i].name);
		}
		return;
	case VALUE_ARRAY:
		assert_int_equal(a->array.count, b->array.count);
		for (size_t i = 0; i < a->array.count; i++)
			same_tree(&a->array.at[i], &b->array.at[i], what);
		return;
	case VALUE_STRING:
	case VALUE_BYTES:
		assert_int_equal(a->bytes.size, b->bytes.size);
		if (memcmp(a->bytes.at, b->bytes.at, a->bytes.size) != 0)
			fail_msg("%s: other bytes", what);
		return;
	case VALUE_UINT:
		if (a->u != b->u)
			fail_msg("%s: got %llu, expected %llu", what, (unsigned long long)a->u, (unsigned long long)b->u);
		return;
	default:
		return;
	}
}

/* What a row cannot do without. */
static void put_required(struct call *call, const struct operation *operation)
{
	for (size_t i = DRAW_COMMON; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (param->fallback)
			continue;
		if (param->type == PARAM_F64)
			put(call, param->name, value_real(0.5));
		else
			put(call, param->name, value_uint(7));
	}
}

static struct call *new_call(const struct operation *operation, uint64_t n, uint64_t tile, const uint64_t *values)
{
	struct call *call = call_new();

	put_required(call, operation);
	if (tile)
		put(call, "out", value_uint(tile));
	else
		put(call, "n", value_uint(n));
	for (int i = 0; i < REPEAT_FIELDS; i++)
		put(call, repeat_names[i], value_uint(values[i]));
	return call;
}

static struct repeat *make(struct bed *bed, const struct operation *operation, uint64_t n, uint64_t tile)
{
	static const uint64_t values[REPEAT_FIELDS] = {1, 2, 3};
	struct call *call = new_call(operation, n, tile, values);
	struct repeat *repeat = NULL;
	const int error = repeat_make(bed->space, operation, &call->params, &repeat);

	assert_true(error == 0 || error == -ERROR_NOT_SUPPORTED);
	assert_int_equal(error == 0, repeat != NULL);
	zone_free(call->zone);
	pthread_mutex_destroy(&call->lock);
	pthread_cond_destroy(&call->answered);
	free(call);
	return repeat;
}

/* Whether there was a reply. */
static bool compare(struct bed *bed, struct repeat *repeat, const struct operation *operation, uint64_t n, uint64_t tile,
		    const uint64_t *values)
{
	struct call *call = new_call(operation, n, tile, values);
	const size_t bytes = 2048; /* of the tile */
	char *kept = malloc(bytes);
	const struct value *reply;

	call_start(call, bed->space, operation->name);
	call_wait(call);
	memcpy(kept, bed->memory, bytes);
	memset(bed->memory, 0, bytes);
	reply = repeat_run(repeat, values);
	if ((reply == NULL) != (request_error(call->request) != NULL))
		fail_msg("%s: a reply %d, an error %d", operation->name, reply != NULL,
			 request_error(call->request) != NULL);
	if (reply)
		same_tree(reply, request_result(call->request), operation->name);
	if (reply && tile && memcmp(kept, bed->memory, bytes) != 0)
		fail_msg("%s: other bytes in the tile", operation->name);
	free(kept);
	call_free(call);
	return reply != NULL;
}

static const uint64_t offsets[] = {0, 1, 3, 127, 128, 512, 65535, 65536, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
				   (1ull << 62) - 100, UINT64_MAX - 600, UINT64_MAX - 3, UINT64_MAX};

/* Every law that can be repeated, at every level, to the end of the stream and beyond it. */
static void every_law(void **state)
{
	size_t n_levels, n_operations;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct operation *all = operations(&n_operations);

	(void)state;
	for (size_t level = 0; level < n_levels; level++) {
		struct bed bed = bed_open_with(2, levels[level].features & cpu_detect(), 1 << 20, NULL);
		unsigned laws = 0, errors = 0;

		for (size_t i = 0; i < n_operations; i++) {
			struct repeat *repeat = all[i].class == METHOD_DRAW ? make(&bed, &all[i], 37, 0) : NULL;

			laws += repeat != NULL;
			for (size_t k = 0; repeat && k < sizeof offsets / sizeof *offsets; k++)
				errors += !compare(&bed, repeat, &all[i], 37, 0,
						   (const uint64_t[]){offsets[k], offsets[k] * 3, k % 2});
			repeat_free(repeat);
		}
		printf("# %s: %u laws, %u errors\n", levels[level].name, laws, errors);
		assert_true(laws >= 10 && errors >= laws);
		bed_close(&bed);
	}
}

static uint64_t new_tile(struct bed *bed, int64_t n)
{
	struct call *call = call_new();
	uint64_t handle;

	put(call, "dtype", value_string("f32"));
	put(call, "shape", LIST(call, n));
	call_start(call, bed->space, "tile");
	call_wait(call);
	assert_null(request_error(call->request));
	handle = value_get(request_result(call->request), "tile")->u;
	call_free(call);
	return handle;
}

static void free_tile(struct bed *bed, uint64_t handle)
{
	struct call *call = call_new();

	put(call, "tile", value_uint(handle));
	call_start(call, bed->space, "free");
	call_wait(call);
	assert_null(request_error(call->request));
	call_free(call);
}

/* A repeat does not keep its tile, and another one in its place is not its own. */
static void tiles(void **state)
{
	static const uint64_t values[REPEAT_FIELDS] = {5, 6, 7};
	const struct operation *operation = operation_find("normal", 6);
	struct bed bed = bed_open(2);
	const uint64_t tile = new_tile(&bed, 512);
	struct repeat *repeat = make(&bed, operation, 0, tile);
	uint64_t other;

	(void)state;
	assert_non_null(repeat);
	assert_true(compare(&bed, repeat, operation, 0, tile, values));
	free_tile(&bed, tile);
	other = new_tile(&bed, 100);
	assert_int_not_equal(other, tile);
	memset(bed.memory, 0x5A, 4096);
	assert_null(repeat_run(repeat, values));
	for (int i = 0; i < 4096; i++)
		assert_int_equal(((char *)bed.memory)[i], 0x5A);
	repeat_free(repeat);
	bed_close(&bed);
}

static uint64_t reserved;
static bool refuses;

static int reserve(void *arg, uint64_t bytes, struct error *err)
{
	(void)arg;
	if (refuses)
		return error_set(err, ERROR_LIMIT, "no more");
	reserved += bytes;
	return 0;
}

static void unreserve(void *arg, uint64_t bytes)
{
	(void)arg;
	reserved -= bytes;
}

/* The owner is asked each time, and gets all back. */
static void reservations(void **state)
{
	static const uint64_t values[REPEAT_FIELDS] = {5, 6, 7};
	struct space_limits limits = {.reserve = reserve, .unreserve = unreserve};
	struct bed bed = bed_open_with(1, cpu_detect(), 1 << 20, &limits);
	struct repeat *repeat = make(&bed, operation_find("uniform", 7), 512, 0);

	(void)state;
	assert_non_null(repeat);
	for (int i = 0; i < 4; i++) {
		refuses = i % 2;
		assert_int_equal(repeat_run(repeat, values) != NULL, !refuses);
		assert_int_equal(reserved, 0);
	}
	repeat_free(repeat);
	bed_close(&bed);
}

/* What is too large, timed, written as text or wrong is for request_start. */
static void refused(void **state)
{
	static const struct {
		const char *name, *text;
		uint64_t u;
	} cases[] = {{"n", NULL, 5000}, {"timeout_ms", NULL, 10}, {"u64", "str", 0}, {"low", "x", 0}, {"none", NULL, 1}};
	const struct operation *operation = operation_find("uniform", 7);
	struct bed bed = bed_open(1);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct zone *zone = zone_new();
		struct value params = value_map();
		struct repeat *repeat = NULL;

		assert_int_equal(value_put(zone, &params, "n", value_uint(8)), 0);
		assert_int_equal(repeat_make(bed.space, operation, &params, &repeat), 0);
		repeat_free(repeat);
		repeat = NULL;
		assert_int_equal(value_put(zone, &params, cases[i].name,
					   cases[i].text ? value_string(cases[i].text) : value_uint(cases[i].u)),
				 0);
		assert_int_equal(repeat_make(bed.space, operation, &params, &repeat), -ERROR_NOT_SUPPORTED);
		assert_null(repeat);
		zone_free(zone);
	}
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_law),
		cmocka_unit_test(tiles),
		cmocka_unit_test(reservations),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
