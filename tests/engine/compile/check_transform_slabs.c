/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along several axes in one request, which run slab by slab where these fit the caches, have the bytes of a request
 * for each axis. */
#include "engine/harness.h"

struct workload {
	const char *method, *dtype;
	uint64_t shape[4];
	int64_t axes[3]; /* in the order in which they are transformed; -1 ends them */
};

/* By panels; by columns as vectors, also with one pass; beyond 16 MiB; a last axis of 1; three axes in a slab; no last axis; a
 * length that does not fill lines; parts of complex numbers; a single slab; from 32 MiB on stored around the caches. */
static const struct workload workloads[] = {
	{"fft", "c128", {1, 9, 128, 128}, {3, 2, -1}},	  {"fft", "c128", {1, 16, 64, 96}, {3, 2, 1}},
	{"fft", "c64", {1, 24, 8, 1000}, {3, 2, -1}},	  {"fft", "c64", {3, 96, 128, 64}, {3, 2, -1}},
	{"fft", "c64", {4, 24, 640, 1}, {3, 2, 1}},	  {"fft", "c64", {6, 16, 24, 32}, {3, 2, 1}},
	{"fft", "c64", {5, 48, 32, 8}, {2, 1, -1}},	  {"fft", "c128", {1, 9, 100, 33}, {3, 2, -1}},
	{"dct", "c64", {1, 9, 64, 96}, {3, 2, -1}},	  {"dct", "f64", {1, 9, 96, 64}, {2, 3, -1}},
	{"fft", "c64", {1, 2, 16, 16}, {3, 2, 1}},	  {"fft", "c128", {1, 132, 128, 128}, {3, 2, -1}},
};

static void run(struct fixture *fixture, const struct workload *w, const int64_t *axes, size_t n_axes, uint64_t in, uint64_t out)
{
	struct call *call = call_new();
	struct value list = value_array();

	for (size_t i = n_axes; i-- > 0;) /* the last of the list is the first to be transformed */
		assert_int_equal(value_push(call->bump, &list, value_int(axes[i])), 0);
	put(call, "in", value_uint(in));
	put(call, "out", value_uint(out));
	put(call, "axes", list);
	call_run(call, fixture->memory, w->method);
	call_free(call);
}

static uint64_t shaped_tile(struct fixture *fixture, const struct workload *w, char **ret_at)
{
	struct call *call = call_new();
	struct value shape = value_array();
	const struct value *reply;
	uint64_t handle;

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(value_push(call->bump, &shape, value_uint(w->shape[i])), 0);
	put(call, "dtype", value_string(w->dtype));
	put(call, "shape", shape);
	reply = call_run(call, fixture->memory, "tile");
	handle = value_get(reply, "tile")->u;
	*ret_at = (char *)fixture->mapping + value_get(reply, "offset")->u;
	call_free(call);
	return handle;
}

static void fill(const struct workload *w, char *at, size_t bytes)
{
	const bool wide = strcmp(w->dtype, "c128") == 0 || strcmp(w->dtype, "f64") == 0;

	for (size_t i = 0; i < bytes / (wide ? 8 : 4); i++) {
		const double x = (double)(i * 7919 % 1000003) / 1000003 - 0.5;
		const float narrow = (float)x;

		memcpy(at + i * (wide ? 8 : 4), wide ? (const void *)&x : (const void *)&narrow, wide ? 8 : 4);
	}
}

static void compare(struct fixture *fixture, const struct workload *w)
{
	size_t n_axes = 0, bytes = dtype_size(dtype_parse(w->dtype, strlen(w->dtype)));
	char *in, *out, *want;
	const uint64_t tiles[] = {shaped_tile(fixture, w, &in), shaped_tile(fixture, w, &out), shaped_tile(fixture, w, &want)};

	for (unsigned i = 0; i < 4; i++)
		bytes *= w->shape[i];
	while (n_axes < 3 && w->axes[n_axes] >= 0)
		n_axes++;
	fill(w, in, bytes);
	for (size_t i = 0; i < n_axes; i++)
		run(fixture, w, &w->axes[i], 1, i ? tiles[2] : tiles[0], tiles[2]);
	run(fixture, w, w->axes, n_axes, tiles[0], tiles[1]);
	if (memcmp(out, want, bytes) != 0)
		fail_msg("%s %s, workload %td: expected the bytes of one axis after the other", w->method, w->dtype,
			 w - workloads);
	run(fixture, w, w->axes, n_axes, tiles[0], tiles[0]);
	if (memcmp(in, want, bytes) != 0)
		fail_msg("%s %s, workload %td: expected the same bytes in place", w->method, w->dtype, w - workloads);
	for (size_t i = 0; i < 3; i++)
		tile_drop(fixture, tiles[i]);
}

static void check_bytes(void **state)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (unsigned threads = 1; threads <= 2; threads++) {
			struct session_owner limits = {0};
			struct fixture fixture;

			if (levels[i].features & ~cpu_detect()) {
				printf("# not on this CPU: %s\n", levels[i].name);
				continue;
			}
			fixture = fixture_open_with(threads, levels[i].features, 112 << 20, &limits);
			for (size_t k = 0; k < sizeof workloads / sizeof *workloads; k++)
				compare(&fixture, &workloads[k]);
			fixture_close(&fixture);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_bytes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
