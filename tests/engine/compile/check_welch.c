/* SPDX-License-Identifier: Apache-2.0 */
/* Power and cross spectra as requests, against the definition summed in long double; selection by rank; errors. */
#include "signals.h"

#include "fft/signals/select.h"

struct options {
	const char *dtype;
	size_t length, nperseg, noverlap, nfft;
	unsigned detrend; /* none, constant, linear */
	bool two_sided, spectrum, median, crosses, apart; /* apart: no average */
};

static bool is_complex(const struct options *o)
{
	return o->dtype[0] == 'c';
}

static const char *text_of(const struct options *o)
{
	static char text[200];

	snprintf(text, sizeof text,
		 "%s length %zu nperseg %zu noverlap %zu nfft %zu detrend %u two_sided %d spectrum %d "
		 "median %d crosses %d apart %d",
		 o->dtype, o->length, o->nperseg, o->noverlap, o->nfft, o->detrend, o->two_sided, o->spectrum,
		 o->median, o->crosses, o->apart);
	return text;
}

static long double hann(const struct options *o, size_t i)
{
	const double w =
		o->nperseg == 1 ? 1 : (double)(0.5L - 0.5L * cosl(2 * PI_L * (long double)i / (long double)o->nperseg));

	return o->dtype[1] == '3' || strcmp(o->dtype, "c64") == 0 ? (long double)(float)w : (long double)w;
}

/* The spectrum of one segment, freed of its trend and windowed. */
static void segment(const struct options *o, const wide_t *x, wide_t *out)
{
	const size_t n = o->nperseg;
	const long double middle = ((long double)n - 1) / 2;
	const wide_t *roots = roots_of_unity(o->nfft);
	wide_t mean = 0, slope = 0;
	long double squares = 0;

	for (size_t i = 0; i < n; i++) {
		mean += x[i] / (long double)n;
		slope += x[i] * ((long double)i - middle);
		squares += ((long double)i - middle) * ((long double)i - middle);
	}
	slope = o->detrend == 2 && n > 1 ? slope / squares : 0;
	mean = o->detrend ? mean : 0;
	memset(out, 0, o->nfft * sizeof *out);
	for (size_t i = 0; i < n; i++) {
		const wide_t windowed = (x[i] - mean - slope * ((long double)i - middle)) * hann(o, i);

		for (size_t k = 0; k < o->nfft; k++)
			out[k] += windowed * conjl(roots[i * k % o->nfft]);
	}
}

static int by_value(const void *a, const void *b)
{
	const long double x = *(const long double *)a, y = *(const long double *)b;

	return x < y ? -1 : x > y;
}

static long double average(const struct options *o, long double *values, size_t n)
{
	long double sum = 0, bias = 1;

	if (!o->median) {
		for (size_t i = 0; i < n; i++)
			sum += values[i] / (long double)n;
		return sum;
	}
	qsort(values, n, sizeof *values, by_value);
	for (size_t i = 2; i + 1 <= n; i += 2)
		bias += 1 / (long double)(i + 1) - 1 / (long double)i;
	return (values[(n - 1) / 2] + values[n / 2]) / 2 / bias;
}

static wide_t *reference(const struct options *o, const wide_t *x, const wide_t *y, double fs, size_t *ret_n)
{
	const size_t hop = o->nperseg - o->noverlap, count = (o->length - o->nperseg) / hop + 1;
	const size_t bins = o->two_sided || is_complex(o) ? o->nfft : o->nfft / 2 + 1;
	wide_t *a = calloc(count * o->nfft, sizeof *a), *b = calloc(count * o->nfft, sizeof *b);
	wide_t *out = calloc(o->apart ? count * bins : bins, sizeof *out);
	long double sum = 0, squares = 0, *values = calloc(count, sizeof *values);

	assert_non_null(out);
	for (size_t i = 0; i < o->nperseg; i++) {
		sum += hann(o, i);
		squares += hann(o, i) * hann(o, i);
	}
	for (size_t s = 0; s < count; s++) {
		segment(o, x + s * hop, a + s * o->nfft);
		segment(o, y + s * hop, b + s * o->nfft);
	}
	for (size_t k = 0; k < bins; k++) {
		const bool twice = bins != o->nfft || (o->nfft == 1 && !o->two_sided && !is_complex(o));
		const long double scale = (o->spectrum ? 1 / (sum * sum) : 1 / (fs * squares)) *
					  (twice && k > 0 && 2 * k != o->nfft ? 2 : 1);

		for (unsigned part = 0; part < 2; part++) {
			for (size_t s = 0; s < count; s++) {
				const wide_t z = conjl(a[s * o->nfft + k]) * b[s * o->nfft + k];

				values[s] = part ? cimagl(z) : creall(z);
			}
			for (size_t s = 0; s < count && o->apart; s++)
				out[s * bins + k] += (part ? I : 1) * values[s] * scale;
			if (!o->apart)
				out[k] += (part ? I : 1) * average(o, values, count) * scale;
		}
	}
	free(a);
	free(b);
	free(values);
	*ret_n = o->apart ? count * bins : bins;
	return out;
}

static struct call *welch_call(const struct options *o, const struct sample *x, const struct sample *y)
{
	static const char *const detrends[] = {"none", "constant", "linear"};
	struct call *call = call_new();

	put_sample(call, "in", x, 0, NULL);
	if (o->crosses)
		put_sample(call, "y", y, 0, NULL);
	put(call, "fs", value_real(250));
	put(call, "nperseg", value_uint(o->nperseg));
	put(call, "noverlap", value_uint(o->noverlap));
	put(call, "nfft", value_uint(o->nfft));
	put(call, "detrend", value_string(detrends[o->detrend]));
	if (o->two_sided)
		put(call, "onesided", value_bool(false));
	if (o->spectrum)
		put(call, "scaling", value_string("spectrum"));
	if (o->median)
		put(call, "average", value_string("median"));
	if (o->apart)
		put(call, "average", value_string("none"));
	return call;
}

static void hold_one(struct fixture *fixture, const struct options *o)
{
	struct sample x = sample_new(o->dtype, o->length), y = sample_new(o->dtype, o->length);
	struct call *call = welch_call(o, &x, &y);
	const bool wide = strcmp(o->dtype, "f64") == 0 || strcmp(o->dtype, "c128") == 0;
	size_t n;
	wide_t *expected = reference(o, x.wide, o->crosses ? y.wide : x.wide, 250, &n);

	hold(call_run(call, fixture->memory, o->crosses ? "csd" : "welch"), expected, n, wide ? 1e-13 : 3e-6,
	     text_of(o));
	free(expected);
	call_free(call);
	sample_free(&x);
	sample_free(&y);
}

static void test_spectra(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned bits = 0; bits < 384; bits++) {
		struct options o = {
			.dtype = dtypes[bits & 3],
			.nperseg = (size_t[]){16, 9, 30, 2}[bits / 128 + (bits & 4 && bits / 128 == 2)],
			.detrend = bits % 3,
			.spectrum = bits & 8,
			.median = bits & 16,
			.apart = !(bits & 16) && bits % 3 == 1,
			.crosses = bits & 32,
			.two_sided = bits & 64 && !(bits & 2),
		};

		o.nfft = o.nperseg + (bits % 5 ? 0 : 7);
		o.noverlap = bits & 4 ? o.nperseg / 2 : o.nperseg / 3;
		o.length = o.nperseg + bits % 7 * o.nperseg;
		/* Two real numbers without their line are nothing but rounding. */
		if (o.nperseg == 2)
			o.detrend = 0;
		hold_one(&fixture, &o);
	}
	hold_one(&fixture,
		 &(struct options){
			 .dtype = "f64", .length = 40000, .nperseg = 16, .noverlap = 8, .nfft = 16, .detrend = 1});
	hold_one(&fixture,
		 &(struct options){
			 .dtype = "f64", .length = 40000, .nperseg = 16, .noverlap = 8, .nfft = 16, .median = true});
	hold_one(&fixture, &(struct options){.dtype = "f32", .length = 9000, .nperseg = 2100, .noverlap = 2000, .nfft = 2100, .apart = true});
	fixture_close(&fixture);
}

/* Segments too long for scratch: a sinusoid on a bin has its power there, whatever line it stands on. */
static void test_long(void **state)
{
	enum { N = 1 << 18, BIN = 5000 };
	struct fixture fixture = fixture_open_with(2, cpu_detect(), 256 << 20, NULL);
	struct sample x = sample_new("f64", 2 * N);
	struct call *call = call_new();
	const double *power;

	(void)state;
	for (size_t i = 0; i < x.n; i++)
		((double *)x.data)[i] = 3 * sin(2 * M_PI * (double)(i * BIN % N) / N) + 100 + 1e-3 * (double)i;
	put_sample(call, "in", &x, 0, NULL);
	put(call, "nperseg", value_uint(N));
	put(call, "detrend", value_string("linear"));
	put(call, "scaling", value_string("spectrum"));
	power = (const void *)value_get(call_run(call, fixture.memory, "welch"), "data")->bytes.at;
	if (!(fabs(power[BIN] - 4.5) < 1e-6))
		fail_msg("power %.12g of a sinusoid of amplitude 3, expected 4.5", power[BIN]);
	for (size_t k = 0; k <= N / 2; k++)
		if (!(fabs(power[k]) < 1e-6) && (k < BIN - 1 || k > BIN + 1))
			fail_msg("power %.3g in bin %zu, expected none", power[k], k);
	call_free(call);
	sample_free(&x);
	fixture_close(&fixture);
}

/* Along the middle axis of three; as many threads as there may be; a window given. */
static void test_axis_and_threads(void **state)
{
	enum { OUTER = 2, N = 5000, INNER = 3, SEGMENT = 128, BINS = SEGMENT / 2 + 1 };
	static const unsigned threads[] = {1, 2, 7, 128};
	struct sample x = sample_new("f32", OUTER * N * INNER), row = sample_new("f32", N),
		      w = sample_new("f32", SEGMENT);
	float first[OUTER * BINS * INNER];

	(void)state;
	for (size_t i = 0; i < N; i++)
		((float *)row.data)[i] = ((float *)x.data)[(N + i) * INNER + 2];
	for (size_t t = 0; t < 4; t++) {
		struct fixture fixture = fixture_open(threads[t]);
		struct call *all = call_new(), *one = call_new();
		const float *got, *alone;

		put_sample(all, "in", &x, 3, (int64_t[]){OUTER, N, INNER});
		put_sample(all, "window_values", &w, 0, NULL);
		put(all, "axis", value_int(1));
		put_sample(one, "in", &row, 0, NULL);
		put_sample(one, "window_values", &w, 0, NULL);
		got = (const void *)value_get(call_run(all, fixture.memory, "welch"), "data")->bytes.at;
		alone = (const void *)value_get(call_run(one, fixture.memory, "welch"), "data")->bytes.at;
		for (size_t k = 0; k < BINS; k++)
			assert_memory_equal(&got[(BINS + k) * INNER + 2], &alone[k], sizeof(float));
		if (t == 0)
			memcpy(first, got, sizeof first);
		assert_memory_equal(got, first, sizeof first);
		call_free(all);
		call_free(one);
		fixture_close(&fixture);
	}
	sample_free(&x);
	sample_free(&row);
	sample_free(&w);
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void test_selection(void **state)
{
	enum { N = 999 };
	double values[N];
	uint64_t keys[N], spare[N];

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		for (size_t i = 0; i < N; i++) {
			values[i] = round % 4 == 0 ? 1.5 : ldexp(random_number(), (int)(i % (1 + 50 * round)) - 300);
			values[i] = i == 5 && round == 3 ? -INFINITY : round % 3 == 0 ? fabs(values[i]) : values[i];
			keys[i] = select_key(values[i]);
		}
		qsort(values, N, sizeof *values, by_number);
		for (size_t rank = 0; rank < N; rank += 37)
			assert_true(select_value(keys, spare, N, rank) == values[rank]);
	}
	assert_true(select_key(-NAN) > select_key(INFINITY));
}

static void test_errors(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct sample x = sample_new("f32", 40000), z = sample_new("c64", 64);
	struct call *call;

	(void)state;
	call = call_new();
	put_sample(call, "in", &x, 0, NULL);
	put(call, "noverlap", value_uint(256));
	call_fails(call, fixture.memory, "welch", ERROR_OUT_OF_RANGE,
		   "out_of_range: welch: noverlap: got 256, allowed are fewer than the segment's 256");
	call = call_new();
	put_sample(call, "in", &x, 0, NULL);
	put(call, "nfft", value_uint(255));
	call_fails(call, fixture.memory, "welch", ERROR_OUT_OF_RANGE,
		   "out_of_range: welch: nfft: got 255, allowed is the segment's 256 and up");
	call = call_new();
	put_sample(call, "in", &x, 0, NULL);
	put(call, "nperseg", value_uint(2));
	put(call, "average", value_string("median"));
	call_fails(call, fixture.memory, "welch", ERROR_LIMIT,
		   "limit: welch: average: the median of 39999 segments, allowed are 16384");
	call = call_new();
	put_sample(call, "in", &z, 0, NULL);
	put(call, "onesided", value_bool(true));
	call_fails(call, fixture.memory, "welch", ERROR_OUT_OF_RANGE, "out_of_range: welch: onesided: ");
	call = call_new();
	put_sample(call, "in", &z, 0, NULL);
	put_sample(call, "y", &x, 0, NULL);
	call_fails(call, fixture.memory, "csd", ERROR_BAD_SHAPE,
		   "bad_shape: csd: y: it is f32 (40000), allowed is the shape of in");
	sample_free(&x);
	sample_free(&z);
	fixture_close(&fixture);
}

/* ---- piece by piece ---- */

/* Signals of two rows beside the axis. Returns the call for samples [begin, end). */
static struct call *piece_call(const struct options *o, const struct sample *x, const struct sample *y, size_t begin, size_t end)
{
	const size_t element = 2 * dtype_size(x->dtype);
	const int64_t shape[] = {(int64_t)(end - begin), 2};
	const struct sample *const from[] = {x, y};
	struct call *call = welch_call(o, x, y);

	for (unsigned i = 0; i <= o->crosses; i++) {
		struct sample piece = {.dtype = x->dtype, .n = 2 * (end - begin), .bytes = (end - begin) * element,
				       .data = (char *)from[i]->data + begin * element};

		put_sample(call, i ? "y" : "in", &piece, 2, shape);
	}
	put(call, "axis", value_int(0));
	return call;
}

static uint64_t reply_segments(const struct value *reply)
{
	return value_get(reply, "segments")->u;
}

/* Averages the signals in pieces that have `cuts` segments in turn (0 ends the list), and compares with the whole. */
static void hold_pieces(struct fixture *fixture, const struct options *o, const struct sample *x, const struct sample *y,
			const size_t *cuts)
{
	const char *operation = o->crosses ? "csd" : "welch";
	const size_t hop = o->nperseg - o->noverlap, count = (o->length - o->nperseg) / hop + 1;
	struct call *whole = piece_call(o, x, y, 0, o->length), *call = NULL;
	const struct value *reply = NULL, *data = value_get(call_run(whole, fixture->memory, operation), "data");
	struct sample sums = {.dtype = o->crosses ? DTYPE_C128 : DTYPE_F64};
	size_t done = 0;

	for (size_t i = 0; done < count; i = cuts[i + 1] ? i + 1 : 0) {
		const bool last = done + cuts[i] >= count;
		struct call *before = call;

		call = piece_call(o, x, y, done * hop, last ? o->length : (done + cuts[i] - 1) * hop + o->nperseg);
		if (done > 0) {
			put_sample(call, "sums", &sums, 3, (int64_t[]){2, 8, (int64_t)(sums.n / 16)});
			put(call, "segments", value_uint(done));
		}
		if (!last)
			put(call, "average", value_string("sums"));
		reply = call_run(call, fixture->memory, operation);
		done = last ? count : done + cuts[i];
		assert_int_equal(reply_segments(reply), done);
		if (before)
			call_free(before);
		if (last)
			break;
		sums.data = (char *)(uintptr_t)value_get(reply, "data")->bytes.at;
		sums.bytes = value_get(reply, "data")->bytes.size;
		sums.n = sums.bytes / dtype_size(sums.dtype);
	}
	assert_int_equal(value_get(reply, "data")->bytes.size, data->bytes.size);
	if (memcmp(value_get(reply, "data")->bytes.at, data->bytes.at, data->bytes.size) != 0)
		fail_msg("%s in pieces of %zu, %zu ... segments has other bytes than the whole", text_of(o), cuts[0], cuts[1]);
	call_free(call);
	call_free(whole);
}

/* Parts have 64 segments at 16 samples, 54 at 600, 2 at 16384, 1 at 40000; 64 parts make a sum, and 64 of these another. */
static void test_pieces(void **state)
{
	static const struct {
		size_t n, segments;
		size_t cuts[3][4];
	} cases[] = {
		{16, 300, {{1, 2, 3, 0}, {64, 0}, {63, 130, 1, 0}}},
		{16, 9000, {{4096, 0}, {4095, 2, 700, 0}, {8192, 5, 0}}},
		{600, 4000, {{54 * 64, 0}, {54, 1000, 7, 0}, {3455, 3, 0}}},
		{2, 300000, {{64 * 4096, 0}, {100000, 0}, {64 * 4096 - 1, 1, 1, 0}}},
		{16384, 140, {{1, 0}, {127, 2, 3, 0}, {128, 1, 0}}},
		{40000, 70, {{1, 0}, {64, 5, 0}, {63, 0}}},
	};
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct session_owner limits = {.inline_bytes = 128 << 20};
	struct fixture fixture = fixture_open_with(2, cpu_detect(), 256 << 20, &limits);

	(void)state;
	for (unsigned bits = 0; bits < 8; bits++)
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			struct options o = {.dtype = dtypes[bits & 3], .nperseg = cases[i].n, .crosses = bits & 4, .detrend = bits % 3,
					    .spectrum = bits & 1, .two_sided = bits == 0};

			if (cases[i].n > 100 ? bits != i : cases[i].segments > 100000 && bits != 0 && bits != 5)
				continue;
			o.noverlap = cases[i].n > 1000 ? cases[i].n - 64 : o.nperseg / 2;
			o.nfft = o.nperseg + (bits == 3);
			o.length = o.nperseg + (cases[i].segments - 1) * (o.nperseg - o.noverlap) + o.nperseg / 3;

			struct sample x = sample_new(o.dtype, 2 * o.length), y = sample_new(o.dtype, 2 * o.length);

			for (size_t k = 0; k < 3; k++)
				hold_pieces(&fixture, &o, &x, &y, cases[i].cuts[k]);
			sample_free(&x);
			sample_free(&y);
		}
	fixture_close(&fixture);
}

static void test_errors_of_pieces(void **state)
{
	static double zeros[8 * 129];
	struct fixture fixture = fixture_open(1);
	struct sample x = sample_new("f32", 1000);
	const struct {
		const char *average;
		int64_t levels;
		uint64_t segments;
		enum error_code code;
		const char *text;
	} cases[] = {
		{"sums", 8, 0, ERROR_MISSING_PARAMETER, "missing_parameter: welch: segments: missing: give how many are in sums"},
		{"mean", 0, 5, ERROR_MISSING_PARAMETER, "missing_parameter: welch: sums: missing: give the sums of the segments before"},
		{"median", 8, 5, ERROR_OUT_OF_RANGE, "out_of_range: welch: sums: given for the median, allowed is none"},
		{"none", 8, 5, ERROR_OUT_OF_RANGE, "out_of_range: welch: sums: given with average = none, allowed is none"},
		{"mean", 7, 5, ERROR_BAD_SHAPE, "bad_shape: welch: sums: it is f64 (1, 7, 129), allowed is f64 (1, 8, 129)"},
		{"mean", 8, UINT64_C(1) << 42, ERROR_OUT_OF_RANGE,
		 "out_of_range: welch: segments: 4398046511104 and 6 in this call, allowed together are 2^42"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample sums = {.dtype = DTYPE_F64, .n = (size_t)cases[i].levels * 129, .data = zeros};
		struct call *call = call_new();

		sums.bytes = sums.n * sizeof(double);
		put_sample(call, "in", &x, 0, NULL);
		put(call, "average", value_string(cases[i].average));
		if (sums.n)
			put_sample(call, "sums", &sums, 3, (int64_t[]){1, cases[i].levels, 129});
		if (cases[i].segments)
			put(call, "segments", value_uint(cases[i].segments));
		call_fails(call, fixture.memory, "welch", cases[i].code, cases[i].text);
	}
	/* A piece shorter than a segment is no signal that its segment is cut to. */
	struct call *call = call_new();

	put_sample(call, "in", &x, 0, NULL);
	put(call, "nperseg", value_uint(1001));
	put(call, "average", value_string("sums"));
	call_fails(call, fixture.memory, "welch", ERROR_BAD_SHAPE,
		   "bad_shape: welch: nperseg: 1001 elements, allowed are at most the signal's 1000 samples");
	sample_free(&x);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_errors_of_pieces),
		cmocka_unit_test(test_spectra),          cmocka_unit_test(test_long),
		cmocka_unit_test(test_axis_and_threads), cmocka_unit_test(test_selection),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
