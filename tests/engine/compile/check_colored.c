/* SPDX-License-Identifier: Apache-2.0 */
/* Coloured noise in requests: against direct sums of the same normals in wider arithmetic, in parts, in every variant of the
 * kernels, in programs, prepared; what the reply says; and the errors, which come before anything is drawn. */
#include "colored/colored_design.h"

#include <math.h>

#include "engine/harness.h"

/* What several tests draw. */
struct signal {
	double exponent;
	uint64_t length;
	const char *dtype;
};

static struct call *noise_call(const struct signal *noise, uint64_t offset, uint64_t n)
{
	struct call *call = call_new();

	put(call, "n", value_uint(n));
	put(call, "seed", value_uint(7));
	put(call, "stream", value_uint(3));
	put(call, "offset", value_uint(offset));
	put(call, "dtype", value_string(noise->dtype));
	put(call, "exponent", value_real(noise->exponent));
	put(call, "length", value_uint(noise->length));
	return call;
}

/* Returns a copy of the samples of a call that has run, and frees it. */
static void *take(struct call *call, const struct value *reply, size_t *ret_size)
{
	const struct value *data = value_get(reply, "data");
	void *copy = malloc(data->bytes.size + 1);

	assert_non_null(copy);
	memcpy(copy, data->bytes.at, data->bytes.size);
	*ret_size = data->bytes.size;
	call_free(call);
	return copy;
}

static void *draw(struct fixture *fixture, const struct signal *noise, uint64_t offset, uint64_t n)
{
	struct call *call = noise_call(noise, offset, n);
	size_t size;

	return take(call, call_run(call, fixture->memory, "colored"), &size);
}

static double number(const char *dtype, const void *samples, size_t i)
{
	return strcmp(dtype, "f64") == 0 ? ((const double *)samples)[i] : (double)((const float *)samples)[i];
}

/* Returns the taps, which check_colored_design.c compares with sums. The caller frees them. */
static double *taps_of(const struct signal *noise)
{
	const struct colored_design design = {.kind = COLORED_BY_EXPONENT,
					      .fs = 1,
					      .high = 0.5,
					      .exponent = noise->exponent,
					      .flat_below = 1 / (double)noise->length,
					      .length = noise->length,
					      .std = 1,
					      .least_std = 1e-28,
					      .most_std = 1e28};
	struct colored_builder builder;
	struct colored_filter filter;
	double *taps = malloc(noise->length * sizeof *taps);

	assert_non_null(taps);
	assert_int_equal(colored_builder_begin(&design, true, &builder, &filter), 0);
	while (colored_builder_step(&builder) > 0)
		;
	for (uint64_t j = 0; j < noise->length; j++)
		taps[j] = builder.taps[j] * builder.gain;
	colored_builder_free(&builder);
	colored_filter_free(&filter);
	return taps;
}

/* Compares samples of a draw, at its ends and between, with sums over the draw normal. */
static void expect_convolution(struct fixture *fixture, const struct signal *noise, const double *taps, uint64_t offset)
{
	enum { N = 30011, EVERY = 997 };
	const double bound = strcmp(noise->dtype, "f64") == 0 ? 2e-14 : 4e-6;
	void *samples = draw(fixture, noise, offset, N);
	struct call *call = call_new();
	const struct value *reply;
	const void *normals;

	put(call, "n", value_uint(N + noise->length - 1));
	put(call, "seed", value_uint(7));
	put(call, "stream", value_uint(3));
	put(call, "offset", value_uint(offset));
	put(call, "dtype", value_string(noise->dtype));
	reply = call_run(call, fixture->memory, "normal");
	normals = value_get(reply, "data")->bytes.at;
	for (size_t k = 0; k < N; k += k + 2 < N && k + EVERY >= N ? 1 : EVERY) {
		const double got = number(noise->dtype, samples, k);
		long double sum = 0;

		for (uint64_t j = 0; j < noise->length; j++)
			sum += (long double)taps[j] * (long double)number(noise->dtype, normals, k + noise->length - 1 - j);
		if (!(fabsl(sum - got) <= bound))
			fail_msg("%s, exponent %g, %zu taps, offset %zu, sample %zu: expected %.17Lg, got %.17g", noise->dtype, noise->exponent,
				 (size_t)noise->length, (size_t)offset, k, sum, got);
	}
	call_free(call);
	free(samples);
}

/* Short and long blocks, float32 in both arithmetics, in every variant of the kernels. */
static void is_the_convolution_of_the_normals(void **state)
{
	static const struct signal noises[] = {{1, 4096, "f32"},   {1, 4096, "f64"},   {4, 4096, "f32"}, {-2, 17, "f32"},
					      {0, 16, "f64"},     {2, 12000, "f64"},  {2, 40000, "f32"}, {-1, 100001, "f64"}};
	static const uint64_t offsets[] = {0, (UINT64_C(1) << 32) - 5, (UINT64_C(1) << 60) + 3};
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	for (size_t level = 0; level < n_levels; level++) {
		if (levels[level].features & ~cpu_detect()) {
			printf("# %s: not run, this CPU lacks it\n", levels[level].name);
			continue;
		}
		struct fixture fixture = fixture_open_with(1, cpu_level_usable(&levels[level]), 1 << 20, NULL);

		for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
			double *taps = taps_of(&noises[i]);

			expect_convolution(&fixture, &noises[i], taps, offsets[(i + level) % 3]);
			free(taps);
		}
		fixture_close(&fixture);
	}
}

/* The parts of ranks joined, at an odd offset, on one thread and on two. */
static void parts_make_the_whole(void **state)
{
	static const struct signal noises[] = {{1, 4096, "f32"}, {3.5, 1000, "f32"}, {2, 4096, "f64"}, {1, 20000, "f32"}};
	static const uint64_t sizes[] = {1, 2, 3, 7, 128}, offsets[] = {0, (UINT64_C(1) << 32) - 12345, (UINT64_C(1) << 60) - 1};
	enum { N = 50021 };
	struct fixture one = fixture_open(1), two = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
		for (size_t o = 0; o < 3; o++) {
			char *whole = draw(&one, &noises[i], offsets[o], N);

			for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
				size_t at = 0;

				for (uint64_t rank = 0; rank < sizes[s]; rank++) {
					struct call *call = noise_call(&noises[i], offsets[o], N);
					size_t size;
					char *part;

					put(call, "rank", value_uint(rank));
					put(call, "size", value_uint(sizes[s]));
					part = take(call, call_run(call, (rank % 2 ? &one : &two)->memory, "colored"), &size);
					if (memcmp(part, whole + at, size) != 0)
						fail_msg("%s, exponent %g: rank %zu of %zu has other bytes than the whole", noises[i].dtype,
							 noises[i].exponent, (size_t)rank, (size_t)sizes[s]);
					at += size;
					free(part);
				}
				assert_int_equal(at, N * (strcmp(noises[i].dtype, "f64") ? sizeof(float) : sizeof(double)));
			}
			free(whole);
		}
	fixture_close(&one);
	fixture_close(&two);
}

/* The last samples of a stream, whose blocks reach behind its end, and no more. */
static void ends_with_its_stream(void **state)
{
	static const struct signal noise = {1, 4096, "f64"};
	enum { N = 20000 };
	const uint64_t last = (UINT64_C(1) << 63) - 4095 - N;
	struct fixture fixture = fixture_open(1);
	double *taps = taps_of(&noise);
	struct call *call;

	(void)state;
	expect_convolution(&fixture, &noise, taps, (UINT64_C(1) << 63) - 4095 - 30011);
	free(draw(&fixture, &noise, last, N));
	call = noise_call(&noise, last + 1, N);
	call_fails(call, fixture.memory, "colored", ERROR_END_OF_STREAM, "end_of_stream: colored: offset: 24095 samples from sample");
	free(taps);
	fixture_close(&fixture);
}

static uint64_t uint_of(const struct value *map, const char *name)
{
	uint64_t u = 0;

	assert_non_null(value_get(map, name));
	assert_true(value_to_u64(value_get(map, name), &u));
	return u;
}

static double real_of(const struct value *map, const char *name)
{
	double x = -1;

	assert_non_null(value_get(map, name));
	assert_true(value_to_f64(value_get(map, name), &x));
	return x;
}

static void the_reply_states_filter_and_words(void **state)
{
	static const struct signal pink = {1, 4096, "f32"}, wide = {2, 999, "f64"};
	struct fixture fixture = fixture_open(1);
	struct call *call = noise_call(&pink, 0, 1001);
	const struct value *reply = call_run(call, fixture.memory, "colored");

	(void)state;
	assert_int_equal(uint_of(reply, "length"), 4096);
	assert_true(fabs(real_of(reply, "flat_below") - 1.0 / 4096) < 1e-12 && fabs(real_of(reply, "std") - 1) < 1e-12);
	assert_true(real_of(reply, "deviation") > 0.001 && real_of(reply, "deviation") < 0.02);
	assert_int_equal(uint_of(reply, "next"), (1001 + 4095 + 3) / 4 * 4);
	call_free(call);
	call = noise_call(&wide, 6, 1000); /* two words a sample, so words 12 to 12 + 2 * 1998 */
	put(call, "fs", value_real(48000));
	put(call, "std", value_real(2.5));
	reply = call_run(call, fixture.memory, "colored");
	assert_true(fabs(real_of(reply, "flat_below") - 48000.0 / 999) < 1e-9 && fabs(real_of(reply, "std") - 2.5) < 1e-12);
	assert_int_equal(uint_of(reply, "position"), 12);
	assert_int_equal(uint_of(reply, "next"), 4008);
	call_free(call);
	call = call_new(); /* as many taps as flat_below needs */
	put(call, "n", value_uint(1));
	put(call, "flat_below", value_real(1.0 / 20000));
	reply = call_run(call, fixture.memory, "colored");
	assert_int_equal(uint_of(reply, "length"), 32768);
	call_free(call);
	fixture_close(&fixture);
}

/* {op, ...} of a program's step. */
static struct value noise_step(struct bump *bump, const char *as)
{
	struct value map = value_map();

	assert_int_equal(value_put(bump, &map, "op", value_string("colored")), 0);
	assert_int_equal(value_put(bump, &map, "color", value_string("brown")), 0);
	assert_int_equal(value_put(bump, &map, "n", value_uint(501)), 0);
	assert_int_equal(value_put(bump, &map, "as", value_string(as)), 0);
	return map;
}

/* The second draw of a program begins behind the words of the first, which its last samples need. */
static void draws_of_a_program_share_no_word(void **state)
{
	static const struct signal brown = {2, 4096, "f32"};
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();
	struct value steps = value_array(), names = value_array();
	const struct value *reply;
	float *first = draw(&fixture, &brown, 0, 501), *second = draw(&fixture, &brown, (501 + 4095 + 3) / 4 * 4, 501);

	(void)state;
	assert_int_equal(value_push(call->bump, &steps, noise_step(call->bump, "a")), 0);
	assert_int_equal(value_push(call->bump, &steps, noise_step(call->bump, "b")), 0);
	assert_int_equal(value_push(call->bump, &names, value_string("a")), 0);
	assert_int_equal(value_push(call->bump, &names, value_string("b")), 0);
	put(call, "steps", steps);
	put(call, "results", names);
	put(call, "seed", value_uint(7));
	put(call, "stream", value_uint(3));
	reply = value_get(call_run(call, fixture.memory, "run"), "results");
	assert_memory_equal(value_get(value_get(reply, "a"), "data")->bytes.at, first, 501 * sizeof *first);
	assert_memory_equal(value_get(value_get(reply, "b"), "data")->bytes.at, second, 501 * sizeof *second);
	call_free(call);
	free(first);
	free(second);
	fixture_close(&fixture);
}

/* noise_add takes it as any noise, of reals. The filter is described beside the noise's position. */
static void is_added_to_signals(void **state)
{
	static const struct signal brown = {2, 4096, "f32"};
	static const float x[300] = {1, 2, 3};
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new();
	struct value noise = value_map();
	float *samples = draw(&fixture, &brown, 0, 300);
	const float *sum;
	const struct value *reply;

	(void)state;
	assert_int_equal(value_put(call->bump, &noise, "op", value_string("colored")), 0);
	assert_int_equal(value_put(call->bump, &noise, "exponent", value_int(2)), 0);
	assert_int_equal(value_put(call->bump, &noise, "seed", value_uint(7)), 0);
	assert_int_equal(value_put(call->bump, &noise, "stream", value_uint(3)), 0);
	put(call, "in", array_of(call->bump, "f32", 300, x, sizeof x));
	put(call, "sigma", value_real(0.5));
	put(call, "noise", noise);
	reply = call_run(call, fixture.memory, "noise_add");
	sum = (const float *)(const void *)value_get(reply, "data")->bytes.at;
	for (size_t i = 0; i < 300; i++)
		assert_true(sum[i] == fmaf(0.5f, samples[i], x[i]));
	assert_int_equal(uint_of(value_get(reply, "noise"), "length"), 4096);
	assert_true(fabs(real_of(value_get(reply, "noise"), "std") - 1) < 1e-12);
	assert_int_equal(uint_of(value_get(reply, "noise"), "next"), (300 + 4095 + 3) / 4 * 4);
	call_free(call);
	call = call_new();
	noise = value_map();
	assert_int_equal(value_put(call->bump, &noise, "op", value_string("colored")), 0);
	put(call, "in", array_of(call->bump, "c64", 100, x, 800));
	put(call, "sigma", value_real(0.5));
	put(call, "noise", noise);
	call_fails(call, fixture.memory, "noise_add", ERROR_BAD_SHAPE, "bad_shape: noise_add: in: its dtype is c64");
	free(samples);
	fixture_close(&fixture);
}

/* The filter of a prepared call is designed once; each run draws from its own place. */
static void a_prepared_call_keeps_its_filter(void **state)
{
	static const struct signal pink = {1, 4096, "f32"};
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new(), *params = noise_call(&pink, 0, 20000);
	uint64_t prepared;

	(void)state;
	put(call, "method", value_string("colored"));
	put(call, "params", params->params);
	prepared = uint_of(call_run(call, fixture.memory, "prepare"), "prepared");
	call_free(call);
	bump_free(params->bump);
	free(params);
	for (uint64_t run = 0; run < 5; run++) {
		float *samples = draw(&fixture, &pink, 777 * run, 20000);
		const struct value *reply;

		call = call_new();
		put(call, "prepared", value_uint(prepared));
		put(call, "offset", value_uint(777 * run));
		reply = call_run(call, fixture.memory, "run_prepared");
		assert_memory_equal(value_get(reply, "data")->bytes.at, samples, 20000 * sizeof *samples);
		assert_true(fabs(real_of(reply, "std") - 1) < 1e-12 && real_of(reply, "deviation") < 0.02);
		call_free(call);
		free(samples);
	}
	fixture_close(&fixture);
}

/* Puts "name=number,number ..." into a call: a list where there is a comma. */
static void put_text(struct call *call, char *text)
{
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		char *numbers = strchr(word, '=') + 1, *end;
		struct value list = value_array();
		const bool is_list = strchr(numbers, ',');

		numbers[-1] = '\0';
		for (char *at = numbers; is_list && *at; at = end + (*end == ','))
			assert_int_equal(value_push(call->bump, &list, value_real(strtod(at, &end))), 0);
		if (is_list)
			put(call, word, list);
		else if (strtod(numbers, &end), *end)
			put(call, word, value_string(numbers));
		else
			put(call, word, value_real(strtod(numbers, &end)));
	}
}

static void errors_come_before_numbers(void **state)
{
	static const struct {
		const char *params, *begins;
		int code;
	} cases[] = {
		{"exponent=4.5", "colored: exponent: got 4.5", ERROR_OUT_OF_RANGE},
		{"exponent=1 color=pink", "colored: exponent: given beside another", ERROR_OUT_OF_RANGE},
		{"taps=1,2 psd=0,1", "colored: taps: given beside another", ERROR_OUT_OF_RANGE},
		{"psd=0.2,1,0.1,1", "colored: psd: frequency 1 is 0.1", ERROR_OUT_OF_RANGE},
		{"psd=0.2,1,0.2,1", "colored: psd: frequency 1 is 0.2", ERROR_OUT_OF_RANGE},
		{"psd=-0.1,1", "colored: psd: frequency 0 is -0.1", ERROR_OUT_OF_RANGE},
		{"psd=0.1,-1", "colored: psd: density 0 is -1", ERROR_OUT_OF_RANGE},
		{"psd=0.1,nan", "colored: psd: density 0 is ", ERROR_OUT_OF_RANGE},
		{"psd=nan,1", "colored: psd: frequency 0 is ", ERROR_OUT_OF_RANGE},
		{"psd=0.1,inf", "colored: psd: density 0 is inf", ERROR_OUT_OF_RANGE},
		{"psd=0.1,1,0.2", "colored: psd: got 3 numbers", ERROR_OUT_OF_RANGE},
		{"psd=0.1,0,0.2,0", "colored: psd: all densities are 0", ERROR_OUT_OF_RANGE},
		{"psd=0.1,1,0.2,0,0.5,0 band=0.3,0.5", "colored: psd: the density is 0 in all of the band", ERROR_OUT_OF_RANGE},
		{"psd=0.1,1e290", "colored: psd: the noise's std is", ERROR_OUT_OF_RANGE},
		{"psd=0.1,1 flat_below=0.1", "colored: flat_below: given beside psd", ERROR_OUT_OF_RANGE},
		{"taps=0,0,0", "colored: taps: all taps are 0", ERROR_OUT_OF_RANGE},
		{"taps=1,nan", "colored: taps: tap 1 is ", ERROR_OUT_OF_RANGE},
		{"taps=1,2 length=100", "colored: length: given beside taps", ERROR_OUT_OF_RANGE},
		{"taps=1,2 band=0,0.1", "colored: band: given beside taps", ERROR_OUT_OF_RANGE},
		{"taps=1e200,1", "colored: taps: the noise's std is", ERROR_OUT_OF_RANGE},
		{"taps=5", "colored: taps: allowed: an array", ERROR_WRONG_TYPE},
		{"band=0.3,0.2", "colored: band: allowed are two frequencies", ERROR_OUT_OF_RANGE},
		{"band=0.3,0.3", "colored: band: allowed are two frequencies", ERROR_OUT_OF_RANGE},
		{"band=0.3,0.6", "colored: band: allowed are two frequencies", ERROR_OUT_OF_RANGE},
		{"band=0.1,0.2,0.3", "colored: band: got 3 numbers", ERROR_OUT_OF_RANGE},
		{"flat_below=1e-9", "colored: flat_below: got 1e-09", ERROR_OUT_OF_RANGE},
		{"flat_below=0.001 length=64", "colored: flat_below: got 0.001, allowed for 64 taps", ERROR_OUT_OF_RANGE},
		{"flat_below=0", "colored: flat_below: got 0", ERROR_OUT_OF_RANGE},
		{"length=4", "colored: length: got 4", ERROR_OUT_OF_RANGE},
		{"length=2000000", "colored: length: got 2000000", ERROR_OUT_OF_RANGE},
		{"fs=0", "colored: fs: got 0", ERROR_OUT_OF_RANGE},
		{"fs=nan", "colored: fs: ", ERROR_OUT_OF_RANGE},
		{"std=1e30", "colored: std: the noise's std is 1e+30", ERROR_OUT_OF_RANGE},
		{"std=1 density=1", "colored: std: given beside density", ERROR_OUT_OF_RANGE},
		{"density=1e300 fs=1e100", "colored: density: the noise's std", ERROR_OUT_OF_RANGE},
		{"color=purple", "colored: color: got \"purple\"", ERROR_OUT_OF_RANGE},
		{"dtype=bf16", "colored: dtype: got \"bf16\"", ERROR_OUT_OF_RANGE},
	};
	struct fixture fixture = fixture_open(1);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct call *call = call_new();
		char text[100], begins[100];

		snprintf(text, sizeof text, "n=10 %s", cases[i].params);
		snprintf(begins, sizeof begins, "%s: %s", error_name(cases[i].code), cases[i].begins);
		put_text(call, text);
		call_fails(call, fixture.memory, "colored", cases[i].code, begins);
	}
	fixture_close(&fixture);
}

/* Numbers at the ends of what is allowed give finite samples of the std that the reply states. */
static void extremes_are_finite(void **state)
{
	static const char *const cases[] = {"std=1e28",
					    "std=1e-28",
					    "std=1e280 dtype=f64",
					    "std=1e-280 dtype=f64",
					    "exponent=4 length=16",
					    "exponent=-4 flat_below=1e-6",
					    "exponent=4 flat_below=1e-6",
					    "exponent=2 band=0.2,0.2004",
					    "fs=1e100 density=1e-100",
					    "taps=1e-20,1e-20",
					    "taps=1e-250,1e-300 dtype=f64",
					    "psd=0,1e-300,1e300,1e-300 std=1",
					    "psd=1e-300,1,0.1,1e-300,0.2,1e300 std=1"};
	enum { N = 5000 };
	struct fixture fixture = fixture_open(1);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct call *call = call_new();
		const struct value *reply;
		const char *dtype = strstr(cases[i], "f64") ? "f64" : "f32";
		char text[100];
		double std;

		snprintf(text, sizeof text, "n=5000 %s", cases[i]);
		put_text(call, text);
		reply = call_run(call, fixture.memory, "colored");
		std = real_of(reply, "std");
		for (size_t k = 0; k < N; k++) {
			const double x = number(dtype, value_get(reply, "data")->bytes.at, k);

			if (!(fabs(x) < 7 * std) || x == 0)
				fail_msg("%s: sample %zu is %g, allowed is up to 7 times the std, %g", cases[i], k, x, std);
		}
		call_free(call);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_convolution_of_the_normals), cmocka_unit_test(parts_make_the_whole),
		cmocka_unit_test(ends_with_its_stream),              cmocka_unit_test(the_reply_states_filter_and_words),
		cmocka_unit_test(draws_of_a_program_share_no_word),  cmocka_unit_test(is_added_to_signals),
		cmocka_unit_test(a_prepared_call_keeps_its_filter),  cmocka_unit_test(errors_come_before_numbers),
		cmocka_unit_test(extremes_are_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
