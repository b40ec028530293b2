/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms as long as memory allows, at default settings, embedded and by a daemon; and what a daemon answers to one
 * that needs more work memory than its user's share.
 *
 * Each transforms a sinusoid on one bin and an impulse of the same energy, whose spectrum is known in closed form in
 * every bin. A cut of the cases; all of them with TRNSCI_FULL=1. */
#include <math.h>

#include "both.h"
#include "harness/sanitized.h"

enum kind { COMPLEX, REAL, DCT };

struct length {
	enum kind kind;
	enum trnsci_dtype dtype; /* of the input */
	uint64_t n;
	bool embedded, daemon; /* by which it is run without TRNSCI_FULL */
};

static const struct length lengths[] = {
	{COMPLEX, TRNSCI_C64, 1 << 25, true, false},	{COMPLEX, TRNSCI_C128, 1 << 24, false, true},
	{REAL, TRNSCI_F32, 1 << 24, true, false},	{REAL, TRNSCI_F64, 1 << 24, false, false},
	{DCT, TRNSCI_F32, 1 << 24, false, true},	{DCT, TRNSCI_F64, 1 << 24, false, false},
	{COMPLEX, TRNSCI_C64, 4194301, true, false},	{COMPLEX, TRNSCI_C64, 9999991, false, false},
	{COMPLEX, TRNSCI_C64, 15485863, false, false},	{COMPLEX, TRNSCI_C128, 4194301, false, false},
	{COMPLEX, TRNSCI_C64, 10000000, false, false},	{REAL, TRNSCI_F32, 15485863, false, false},
};

static bool is_full(void)
{
	const char *full = getenv("TRNSCI_FULL");

	return full && *full && strcmp(full, "0") != 0;
}

/* ---- exp(2 pi i m / order) for all m, as products of two short tables ---- */

enum { FINE = 4096 };

struct trig_table {
	uint64_t order;
	double (*coarse)[2], fine[FINE][2];
};

static struct trig_table *trig_table_new(uint64_t order)
{
	struct trig_table *table = malloc(sizeof *table);
	const uint64_t count = order / FINE + 1;
	const double step = 2 * acos(-1) / (double)order;

	assert_non_null(table);
	table->order = order;
	table->coarse = malloc(count * sizeof *table->coarse);
	assert_non_null(table->coarse);
	for (uint64_t i = 0; i < count; i++)
		sincos(step * (double)(i * FINE), &table->coarse[i][1], &table->coarse[i][0]);
	for (int i = 0; i < FINE; i++)
		sincos(step * i, &table->fine[i][1], &table->fine[i][0]);
	return table;
}

static void trig_table_free(struct trig_table *table)
{
	free(table->coarse);
	free(table);
}

static void trig_table_at(const struct trig_table *table, uint64_t m, double ret[2])
{
	const double *a = table->coarse[m % table->order / FINE], *b = table->fine[m % table->order % FINE];

	ret[0] = a[0] * b[0] - a[1] * b[1];
	ret[1] = a[0] * b[1] + a[1] * b[0];
}

/* ---- one case ---- */

static bool is_wide(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_F64 || dtype == TRNSCI_C128;
}

static bool is_complex(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_C64 || dtype == TRNSCI_C128;
}

static enum trnsci_dtype result_dtype(const struct length *length)
{
	if (length->kind == DCT)
		return length->dtype;
	return is_wide(length->dtype) ? TRNSCI_C128 : TRNSCI_C64;
}

static uint64_t bin_of(const struct length *length)
{
	return length->n / 7 + 1;
}

static uint64_t spike_of(const struct length *length)
{
	return length->n / 3;
}

static double amplitude_of(const struct length *length)
{
	return sqrt((double)length->n);
}

/* Order of the roots: a cosine transform has angles of pi / 2n. */
static uint64_t order_of(const struct length *length)
{
	return length->kind == DCT ? 4 * length->n : length->n;
}

static void put(enum trnsci_dtype dtype, void *at, uint64_t i, const double value[2])
{
	const unsigned parts = is_complex(dtype) ? 2 : 1;

	for (unsigned part = 0; part < parts; part++)
		if (is_wide(dtype))
			((double *)at)[parts * i + part] = value[part];
		else
			((float *)at)[parts * i + part] = (float)value[part];
}

static void get(enum trnsci_dtype dtype, const void *at, uint64_t i, double ret[2])
{
	const unsigned parts = is_complex(dtype) ? 2 : 1;

	ret[1] = 0;
	for (unsigned part = 0; part < parts; part++)
		ret[part] = is_wide(dtype) ? ((const double *)at)[parts * i + part]
					   : (double)((const float *)at)[parts * i + part];
}

static void fill(const struct length *length, const struct trig_table *table, void *in)
{
	double value[2];

	for (uint64_t j = 0; j < length->n; j++) {
		trig_table_at(table, (length->kind == DCT ? 2 * j + 1 : j) * bin_of(length), value);
		value[0] += j == spike_of(length) ? amplitude_of(length) : 0;
		put(length->dtype, in, j, value);
	}
}

/* Bin k of the exact result. */
static void expected_at(const struct length *length, const struct trig_table *table, uint64_t k, double ret[2])
{
	const double n = (double)length->n, amplitude = amplitude_of(length);

	trig_table_at(table, (length->kind == DCT ? 2 * spike_of(length) + 1 : spike_of(length)) * k, ret);
	ret[0] *= length->kind == DCT ? 2 * amplitude : amplitude;
	ret[1] *= length->kind == DCT ? 0 : -amplitude;
	if (k == bin_of(length))
		ret[0] += length->kind == REAL ? n / 2 : n;
}

/* Relative L2, over all bins. */
static double error_of(const struct length *length, const struct trig_table *table, const void *out, uint64_t bins)
{
	const enum trnsci_dtype dtype = result_dtype(length);
	double wrong = 0, all = 0, want[2], got[2];

	for (uint64_t k = 0; k < bins; k++) {
		expected_at(length, table, k, want);
		get(dtype, out, k, got);
		wrong += (got[0] - want[0]) * (got[0] - want[0]) + (got[1] - want[1]) * (got[1] - want[1]);
		all += want[0] * want[0] + want[1] * want[1];
	}
	return sqrt(wrong / all);
}

static struct trnsci_session *open_arena(const char *address, size_t arena_bytes)
{
	return open_with(address, &(struct trnsci_options){.arena_bytes = arena_bytes});
}

static struct trnsci_call *call_between(struct trnsci_session *session, enum kind kind, struct trnsci_tile *in,
					struct trnsci_tile *out)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, kind == DCT ? "dct" : "fft", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", in));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	if (kind == REAL)
		trnsci_set(trnsci_call_args(call), trnsci_param_bool("real", true));
	return call;
}

static void check_length(const char *address, const struct length *length)
{
	const uint64_t bins = length->kind == REAL ? length->n / 2 + 1 : length->n;
	const size_t bytes = (size_t)length->n * trnsci_dtype_size(length->dtype) +
			     (size_t)bins * trnsci_dtype_size(result_dtype(length)) + 8192;
	struct trnsci_session *session = open_arena(address, strcmp(address, "embedded:") == 0 ? 0 : bytes);
	struct trnsci_tile *in = new_tile(session, length->dtype, length->n);
	struct trnsci_tile *out = new_tile(session, result_dtype(length), bins);
	struct trnsci_call *call = call_between(session, length->kind, in, out);
	struct trig_table *table = trig_table_new(order_of(length));
	const double bound = is_wide(length->dtype) ? 1e-14 : 1e-6;

	fill(length, table, trnsci_tile_data(in));
	assert_runs(call);
	const double error = error_of(length, table, trnsci_tile_data(out), bins);

	printf("# %s of %llu %s, %s: error %.2g\n", length->kind == DCT ? "dct" : "fft", (unsigned long long)length->n,
	       trnsci_dtype_name(length->dtype), *address == '/' ? "daemon" : address, error);
	if (!(error <= bound))
		fail_msg("expected a relative error of at most %g, got %g", bound, error);
	trig_table_free(table);
	trnsci_call_free(call);
	trnsci_tile_free(in);
	trnsci_tile_free(out);
	trnsci_close(session);
}

/* Under a sanitizer, which takes minutes for the whole lengths, an eighth of them: they are cut in the same way. An
 * eighth of 4194301 is a prime, too. */
static void check_lengths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct length length = lengths[i];

		length.n /= SANITIZED ? 8 : 1;
		if (length.embedded || is_full())
			check_length("embedded:", &length);
		if (length.daemon || is_full())
			check_length(trnscid.socket, &length);
	}
}

/* ---- a plan of 390 MiB, for a prime ---- */

static uint64_t plans_made(struct trnsci_session *session)
{
	struct trnsci_call *call;
	uint64_t made = 0;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_runs(call);
	assert_int_equal(
		trnsci_value_to_u64(
			trnsci_value_get(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "engine"), "plans"), "misses"),
			&made),
		0);
	trnsci_call_free(call);
	return made;
}

/* Making it takes longer than many transforms: the embedded engine keeps it. */
static void check_plan_is_kept(void **state)
{
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct trnsci_tile *tile;

	(void)state;
	if (!is_full())
		skip();
	session = open_arena("embedded:", 0);
	tile = new_tile(session, TRNSCI_C64, 15485863);
	memset(trnsci_tile_data(tile), 0, 8 * 15485863);
	call = call_between(session, COMPLEX, tile, tile);
	assert_runs(call);
	assert_int_equal(plans_made(session), 1);
	assert_runs(call);
	assert_int_equal(plans_made(session), 1);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* ---- in place, where the output cannot hold numbers between phases ---- */

static void check_in_place_at(const char *address)
{
	const uint64_t n = 1 << 21;
	const size_t bytes = (size_t)n * 8;
	struct trnsci_session *session = open_arena(address, 3 * bytes + 4 * 4096);
	struct trnsci_tile *in = new_tile(session, TRNSCI_C64, n), *same = new_tile(session, TRNSCI_C64, n);
	struct trnsci_tile *out = new_tile(session, TRNSCI_C64, n);
	struct trnsci_call *there = call_between(session, COMPLEX, in, out);
	struct trnsci_call *here = call_between(session, COMPLEX, same, same);
	float *from = trnsci_tile_data(in);

	for (uint64_t i = 0; i < 2 * n; i++)
		from[i] = (float)(i * 2654435761u % 1000003) - 5e5F;
	memcpy(trnsci_tile_data(same), from, bytes);
	assert_runs(there);
	assert_runs(here);
	if (memcmp(trnsci_tile_data(same), trnsci_tile_data(out), bytes) != 0)
		fail_msg("expected the same bytes in place and out of place, n = %llu", (unsigned long long)n);
	for (uint64_t i = 0; i < 2 * n; i++)
		if (from[i] != (float)(i * 2654435761u % 1000003) - 5e5F)
			fail_msg("expected the input unchanged, number %llu is not", (unsigned long long)i);
	trnsci_call_free(there);
	trnsci_call_free(here);
	trnsci_tile_free(in);
	trnsci_tile_free(same);
	trnsci_tile_free(out);
	trnsci_close(session);
}

static void check_in_place(void **state)
{
	(void)state;
	check_in_place_at("embedded:");
	check_in_place_at(trnscid.socket);
}

/* ---- more than there is ---- */

/* In place, 2^25 complex128 take 512 MiB of tile and two buffers as large, with 32 KiB of room between the rows of each; nothing of
 * it is touched. */
static void check_share(void **state)
{
	const size_t arena_bytes = ((size_t)512 << 20) + 4096;
	struct trnsci_session *session;
	struct daemon small;
	struct trnsci_tile *tile, *little;
	struct trnsci_call *call;

	(void)state;
	daemon_start(&small, ARGUMENTS("--threads=1", "--work-total-bytes=1G", "--arena-total-bytes=2G"));
	session = open_arena(small.socket, arena_bytes + 65536);
	tile = new_tile(session, TRNSCI_C128, 1 << 25);
	little = new_tile(session, TRNSCI_C128, 1000);
	call = call_between(session, COMPLEX, tile, tile);
	const int r = trnsci_run(call, NULL);
	const char *text = r < 0 ? trnsci_call_error(call)->text : "";

	if (r != -TRNSCI_LIMIT || !strstr(text, "work_total_bytes: 1073807360 work bytes more") ||
	    !strstr(text, "allowed: 536870912, half of the setting work_total_bytes = 1073741824"))
		fail_msg("expected limit, work_total_bytes and the 1073807360 bytes needed, got %d: %s", r, text);
	trnsci_call_free(call);
	call = call_between(session, COMPLEX, little, little);
	assert_runs(call);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	trnsci_tile_free(little);
	trnsci_close(session);
	daemon_stop(&small);
}

/* An error of the memory that the machine lacks; nothing has touched it. */
static bool is_of_memory(int r)
{
	return r == -TRNSCI_NO_MEMORY || r == -TRNSCI_LIMIT;
}

/* Returns the answer to a transform in place. Where no tile can be had, that error. */
static int transform_untouched(struct trnsci_session *session, enum trnsci_dtype dtype, uint64_t n,
			       struct trnsci_error *err)
{
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	int r = trnsci_tile_new(session, dtype, 1, &n, &tile, err);

	if (r < 0)
		return r;
	call = call_between(session, COMPLEX, tile, tile);
	r = trnsci_run(call, NULL);
	if (r < 0)
		*err = *trnsci_call_error(call);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	return r;
}

/* Embedded: 2^30 is refused for its memory only, 2^30 + 1 as a length. In place, 2^30 complex128 take 48 GiB. */
static void check_longest(void **state)
{
	const uint64_t n = UINT64_C(1) << 30;
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct trnsci_session *session = open_arena("embedded:", 0);
	struct trnsci_error err = {0};
	int r;

	(void)state;
	if (memory < n * 40) {
		r = transform_untouched(session, TRNSCI_C128, n, &err);
		if (!is_of_memory(r))
			fail_msg("expected no_memory or limit of 2^30, got %d: %s", r, err.text);
	} else {
		printf("# not tried: a transform that this machine's memory may hold\n");
	}
	r = transform_untouched(session, TRNSCI_C64, n + 1, &err);
	if (!(r == -TRNSCI_OUT_OF_RANGE && strstr(err.text, "allowed is 1 to 1073741824")) &&
	    !(is_of_memory(r) && memory < n * 9))
		fail_msg("expected out_of_range of 2^30 + 1, got %d: %s", r, err.text);
	trnsci_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_lengths), cmocka_unit_test(check_plan_is_kept),
					   cmocka_unit_test(check_in_place),
					   cmocka_unit_test(check_share), cmocka_unit_test(check_longest)};

	return cmocka_run_group_tests(tests, start, stop);
}
