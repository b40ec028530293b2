/* SPDX-License-Identifier: Apache-2.0 */
/* Streams in requests: every generator by name, the limits of its ids, the 24-bit key layout, derived streams. */
#include "engine/harness.h"

#include "rng/derive.h"
#include "rng/stream.h"

enum { N = 1000 };

static struct call *bits_call(const char *generator, uint64_t seed, uint64_t stream)
{
	struct call *call = call_new();

	put(call, "n", value_uint(N));
	put(call, "generator", value_string(generator));
	put(call, "seed", value_uint(seed));
	put(call, "stream", value_uint(stream));
	return call;
}

static void assert_words(const struct value *data, const struct stream *stream)
{
	const unsigned char *at = (const unsigned char *)data->bytes.at;

	assert_int_equal(data->bytes.size, N * sizeof(uint32_t));
	for (uint64_t i = 0; i < N; i++) {
		uint32_t word;

		memcpy(&word, at + i * sizeof word, sizeof word);
		if (word != stream_word(stream, i, 0))
			fail_msg("%s word %llu: expected %08x, got %08x", generator_row(stream->generator)->name,
				 (unsigned long long)i, stream_word(stream, i, 0), word);
	}
}

static void every_generator(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct generator_row *row = generator_row((enum generator)g);
		const struct stream stream = {(enum generator)g, 0x123456789ABCDEF0, row->most_stream};
		struct call *call = bits_call(row->name, stream.seed, stream.stream);
		const struct value *reply = call_run(call, fixture.memory, "bits");

		assert_true(value_is_text(value_get(reply, "generator"), row->name));
		assert_null(value_get(reply, "layout"));
		assert_words(value_get(reply, "data"), &stream);
		call_free(call);
	}
	fixture_close(&fixture);
}

static void ids_past_the_limit(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *derive = call_new();

	(void)state;
	call_fails(bits_call("philox4x32", 1, UINT64_C(1) << 32), fixture.memory, "bits", ERROR_OUT_OF_RANGE,
		   "out_of_range: bits: stream: got 4294967296, allowed for philox4x32 is 0 to 4294967295");
	put(derive, "generator", value_string("philox4x32_7"));
	put(derive, "stream", value_uint(UINT64_MAX));
	put(derive, "fold_in", value_uint(1));
	call_fails(derive, fixture.memory, "derive", ERROR_OUT_OF_RANGE, "out_of_range: derive: stream: got");
	fixture_close(&fixture);
}

/* 24 bits of the seed go to each half of the key. */
static void takes_trn24(struct fixture *fixture, enum generator generator)
{
	const uint64_t seed = 0xABCDEF123456;
	const struct stream same = {generator, 0x00ABCDEF00123456, 0};
	struct call *call = bits_call(generator_row(generator)->name, seed, 0);
	const struct value *reply;

	put(call, "layout", value_string("trn24"));
	reply = call_run(call, fixture->memory, "bits");
	assert_words(value_get(reply, "data"), &same);
	assert_int_equal(value_get(reply, "seed")->u, seed);
	assert_true(value_is_text(value_get(reply, "layout"), "trn24"));
	call_free(call);
}

/* trnrand 0.7.1's word 0 of seed 42. */
static void replays_trnrand(struct fixture *fixture)
{
	static const unsigned char first[4] = {0xa4, 0xf5, 0x63, 0xfc}; /* 4234409380, low byte first */
	struct call *call = bits_call("threefry4x32_trn", 42, 0);
	const struct value *data;

	put(call, "layout", value_string("trn24"));
	data = value_get(call_run(call, fixture->memory, "bits"), "data");
	assert_memory_equal(data->bytes.at, first, sizeof first);
	call_free(call);
}

static void trn24(void **state)
{
	const uint64_t seed = 0xABCDEF123456;
	struct fixture fixture = fixture_open(1);
	struct call *other;

	(void)state;
	takes_trn24(&fixture, GENERATOR_THREEFRY4X32);
	takes_trn24(&fixture, GENERATOR_THREEFRY4X32_TRN);
	replays_trnrand(&fixture);
	other = bits_call("threefry4x32", seed, 1);
	put(other, "layout", value_string("trn24"));
	call_fails(other, fixture.memory, "bits", ERROR_OUT_OF_RANGE,
		   "out_of_range: bits: layout: got trn24 with stream 1");
	other = bits_call("philox4x32", seed, 0);
	put(other, "layout", value_string("trn24"));
	call_fails(other, fixture.memory, "bits", ERROR_OUT_OF_RANGE,
		   "out_of_range: bits: layout: got trn24 with generator philox4x32");
	/* What Trainium's kernels drew is replayed by threefry4x32_trn; the layout is allowed with Random123's Threefry of as
	 * many rounds, too, which draws other numbers. They have twenty rounds: there is nothing to replay with thirteen. */
	other = bits_call("threefry4x32", seed, 0);
	put(other, "key_layout", value_string("trn24"));
	call_fails(other, fixture.memory, "bits", ERROR_UNKNOWN_PARAMETER,
		   "unknown_parameter: bits: key_layout: no such parameter, its name is layout");
	other = bits_call("threefry4x32_13", seed, 0);
	put(other, "layout", value_string("trn24"));
	call_fails(other, fixture.memory, "bits", ERROR_OUT_OF_RANGE,
		   "out_of_range: bits: layout: got trn24 with generator threefry4x32_13, allowed with "
		   "threefry4x32 and threefry4x32_trn");
	other = bits_call("ars4x32_7", seed, 0);
	put(other, "layout", value_string("trn24"));
	call_fails(other, fixture.memory, "bits", ERROR_OUT_OF_RANGE,
		   "out_of_range: bits: layout: got trn24 with generator ars4x32_7, allowed with threefry4x32 and "
		   "threefry4x32_trn");
	fixture_close(&fixture);
}

/* A program's own generator and layout hold for steps that name none. */
static void in_programs(void **state)
{
	const struct stream same = {GENERATOR_THREEFRY4X32, 0x00ABCDEF00123456, 0};
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new();
	struct value step = value_map(), steps = value_array(), results = value_array();
	const struct value *reply;

	(void)state;
	value_put(call->bump, &step, "op", value_string("bits"));
	value_put(call->bump, &step, "as", value_string("w"));
	value_put(call->bump, &step, "n", value_uint(N));
	value_push(call->bump, &steps, step);
	value_push(call->bump, &results, value_string("w"));
	put(call, "steps", steps);
	put(call, "results", results);
	put(call, "seed", value_uint(0xABCDEF123456));
	put(call, "layout", value_string("trn24"));
	reply = call_run(call, fixture.memory, "run");
	assert_words(value_get(value_get(value_get(reply, "results"), "w"), "data"), &same);
	call_free(call);
	fixture_close(&fixture);
}

static void derived(void **state)
{
	const struct stream parent = {GENERATOR_PHILOX4X32, 42, 7};
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new(), *split = call_new(), *none = call_new();
	struct stream expected, child;
	const struct value *reply, *list;

	(void)state;
	put(call, "generator", value_string("philox4x32"));
	put(call, "seed", value_uint(42));
	put(call, "stream", value_uint(7));
	put(call, "label", value_string("weights"));
	put(call, "fold_in", value_uint(3));
	reply = call_run(call, fixture.memory, "derive");
	derive_label(&parent, "weights", 7, &expected);
	derive_fold_in(&expected, 3, &expected);
	assert_true(value_get(reply, "seed")->u == expected.seed);
	assert_true(value_get(reply, "stream")->u == expected.stream);
	call_free(call);
	put(split, "seed", value_uint(1));
	put(split, "split", value_uint(3));
	put(split, "u64", value_string("str"));
	list = value_get(call_run(split, fixture.memory, "derive"), "streams");
	assert_int_equal(list->array.count, 3);
	derive_split(&(struct stream){GENERATOR_THREEFRY4X32, 1, 0}, 2, &child);
	uint64_t seed;
	assert_true(value_to_u64(value_get(&list->array.at[2], "seed"), &seed));
	assert_true(seed == child.seed);
	call_free(split);
	call_fails(none, fixture.memory, "derive", ERROR_MISSING_PARAMETER,
		   "missing_parameter: derive: label: missing");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_generator), cmocka_unit_test(ids_past_the_limit),
		cmocka_unit_test(trn24),           cmocka_unit_test(in_programs),
		cmocka_unit_test(derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
