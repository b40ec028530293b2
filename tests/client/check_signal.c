/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms, signals and traces without a call object: known values, there and back, and what is refused. */
#include <string.h>

#include "client/both.h"

/* Cosine transforms and Hermitian ones without a call object: there and back, known values, and what is refused. */
static void transforms(struct trnsci_session *session)
{
	static const double cosine[4] = {5, -2.2304424973876633, 0, -0.15851266778110726};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, 4), *y = new_tile(session, 0, TRNSCI_F64, 4);
	struct trnsci_tile *half = new_tile(session, 0, TRNSCI_C128, 3);
	const int64_t lengths[1] = {-1};
	struct trnsci_dct dct = {.norm = "ortho"};
	struct trnsci_fft fft = {.hermitian = true, .inverse = true, .lengths = lengths};
	struct trnsci_error err = {0};
	double *in = trnsci_tile_data(x), *out = trnsci_tile_data(y);

	for (int i = 0; i < 4; i++)
		in[i] = i + 1;
	assert_int_equal(trnsci_dct(session, &dct, x, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - cosine[i] < 1e-14 && cosine[i] - out[i] < 1e-14);
	dct.inverse = true;
	assert_int_equal(trnsci_dct(session, &dct, y, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - in[i] < 1e-14 && in[i] - out[i] < 1e-14);
	assert_int_equal(trnsci_fft(session, &fft, x, half, &err), 0);
	fft.inverse = false;
	assert_int_equal(trnsci_fft(session, &fft, half, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - in[i] < 1e-14 && in[i] - out[i] < 1e-14);
	dct.type = 5;
	assert_int_equal(trnsci_dct(session, &dct, x, y, &err), -TRNSCI_OUT_OF_RANGE);
	assert_string_equal(err.text, "out_of_range: dct: type: 5, allowed are 1 to 4, and 0 for 2");
	fft.length = 4;
	assert_int_equal(trnsci_fft(session, &fft, half, y, &err), -TRNSCI_OUT_OF_RANGE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(half);
}

static double distance(const struct trnsci_tile *x, const double *y, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const double d = ((const double *)trnsci_tile_data(x))[i] - y[i];

		most = d > most ? d : -d > most ? -d : most;
	}
	return most;
}

/* To short-time spectra and back; each option reaches the engine. */
static void frames(struct trnsci_session *session)
{
	enum { SAMPLES = 64, BINS = 9, FRAMES = 17 };
	const uint64_t shape[2] = {FRAMES, BINS};
	const double beta = 3;
	struct trnsci_stft stft = {.n_fft = 16, .window = "kaiser", .window_parameter = &beta, .normalized = true,
				   .frames_first = true, .pad_mode = "circular", .length = SAMPLES};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, SAMPLES), *y = new_tile(session, 0, TRNSCI_F64, SAMPLES);
	struct trnsci_tile *between;
	struct trnsci_error err = {0};
	double *in = trnsci_tile_data(x);

	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_C128, 2, shape, &between, &err), 0);
	for (int i = 0; i < SAMPLES; i++)
		in[i] = (double)(i * i % 23) - 11;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), 0);
	assert_int_equal(trnsci_istft(session, &stft, between, y, &err), 0);
	assert_true(distance(y, in, SAMPLES) < 1e-13);
	stft.frames_first = false;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_BAD_SHAPE);
	stft.frames_first = true;
	stft.onesided = TRNSCI_OFF;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_BAD_SHAPE);
	stft.onesided = 3;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_OUT_OF_RANGE);
	assert_string_equal(err.text, "out_of_range: stft: onesided: 3, allowed is 0 to 2");
	stft.onesided = TRNSCI_DEFAULT;
	stft.pad_mode = "nothing";
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_stft(session, &stft, x, NULL, &err), -TRNSCI_BAD_TILE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(between);
}

/* scipy.signal.convolve([1, 2, 3, 4], [1, -1, 2]), correlate of the same. */
static void meetings(struct trnsci_session *session)
{
	static const double full[6] = {1, 1, 3, 5, 2, 8}, same[4] = {1, 3, 5, 2}, correlated[6] = {2, 3, 5, 7, -1, 4};
	struct trnsci_tile *a = new_tile(session, 0, TRNSCI_F64, 4), *b = new_tile(session, 0, TRNSCI_F64, 3);
	struct trnsci_tile *six = new_tile(session, 0, TRNSCI_F64, 6), *four = new_tile(session, 0, TRNSCI_F64, 4);
	struct trnsci_error err = {0};

	memcpy(trnsci_tile_data(a), (const double[]){1, 2, 3, 4}, 32);
	memcpy(trnsci_tile_data(b), (const double[]){1, -1, 2}, 24);
	assert_int_equal(trnsci_convolve(session, NULL, -1, a, b, six, &err), 0);
	assert_true(distance(six, full, 6) < 1e-14);
	assert_int_equal(trnsci_convolve(session, "same", 0, a, b, four, &err), 0);
	assert_true(distance(four, same, 4) < 1e-14);
	assert_int_equal(trnsci_correlate(session, "full", -1, a, b, six, &err), 0);
	assert_true(distance(six, correlated, 6) < 1e-14);
	assert_int_equal(trnsci_convolve(session, NULL, 1, a, b, six, &err), -TRNSCI_OUT_OF_RANGE);
	trnsci_tile_free(a);
	trnsci_tile_free(b);
	trnsci_tile_free(six);
	trnsci_tile_free(four);
}

/* A cosine of amplitude 2 on bin 2 of 8 has power 2 there, and in its cross spectrum with itself; the median of four
 * equal segments is divided by its bias, 1 - 1/2 + 1/3. */
static void spectra(struct trnsci_session *session)
{
	enum { SAMPLES = 32, BINS = 5 };
	static const double power[BINS] = {0, 0, 2, 0, 0}, cross[2 * BINS] = {0, 0, 0, 0, 2};
	static const double unbiased[BINS] = {0, 0, 2.4, 0, 0};
	const uint64_t noverlap = 0;
	const int64_t axis = 0;
	struct trnsci_welch welch = {.fs = 100, .nperseg = 8, .noverlap = &noverlap, .window = "boxcar",
				     .detrend = "none", .scaling = "spectrum", .average = "mean", .axis = &axis};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, SAMPLES), *y = new_tile(session, 0, TRNSCI_F64, BINS);
	struct trnsci_tile *z = new_tile(session, 0, TRNSCI_C128, BINS);
	struct trnsci_error err = {0};

	for (int i = 0; i < SAMPLES; i++)
		((double *)trnsci_tile_data(x))[i] = (const double[]){2, 0, -2, 0}[i % 4];
	assert_int_equal(trnsci_welch(session, &welch, x, NULL, y, &err), 0);
	assert_true(distance(y, power, BINS) < 1e-13);
	welch.average = "median";
	assert_int_equal(trnsci_welch(session, &welch, x, NULL, y, &err), 0);
	assert_true(distance(y, unbiased, BINS) < 1e-13);
	welch.average = NULL;
	assert_int_equal(trnsci_welch(session, &welch, x, x, z, &err), 0);
	assert_true(distance(z, cross, 2 * BINS) < 1e-13);
	assert_int_equal(trnsci_welch(session, NULL, x, NULL, y, &err), -TRNSCI_BAD_SHAPE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(z);
}

/* Estimates without a call object; each is asked of both engines, whose bytes are the same. */
static void traces(struct trnsci_session *session)
{
	static double first[2][2];
	static bool known;
	const uint64_t shape[2] = {300, 300}, oblong[2] = {300, 200};
	const struct trnsci_draw entries = {.law = "normal", .seed = 5};
	struct trnsci_trace how = {.probes = 40, .seed = 3, .offset = 7};
	struct trnsci_error err = {0};
	struct trnsci_tile *square = NULL, *other = NULL;
	double estimate[2], error[2] = {0, 0};

	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_F32, 2, shape, &square, &err), 0);
	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_F32, 2, oblong, &other, &err), 0);
	assert_int_equal(trnsci_draw(session, &entries, 0, square, NULL, &err), 0);
	for (int i = 0; i < 2; i++) {
		how.method = i ? "hutchpp" : NULL;
		assert_int_equal(trnsci_trace(session, &how, square, &estimate[i], &error[i], &err), 0);
		assert_true(error[i] > 0);
	}
	if (known) {
		assert_memory_equal(first[0], estimate, sizeof estimate);
		assert_memory_equal(first[1], error, sizeof error);
	}
	memcpy(first[0], estimate, sizeof estimate);
	memcpy(first[1], error, sizeof error);
	known = true;
	assert_int_equal(trnsci_trace(session, NULL, other, estimate, error, &err), -TRNSCI_BAD_SHAPE);
	assert_true(estimate[0] == first[0][0] && error[0] == first[1][0]);
	how.law = "cauchy";
	assert_int_equal(trnsci_trace(session, &how, square, estimate, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	how = (struct trnsci_trace){.probes = 1};
	assert_int_equal(trnsci_trace(session, &how, square, estimate, error, &err), 0);
	assert_true(error[0] != error[0]);
	how.reserved[1] = 1;
	assert_int_equal(trnsci_trace(session, &how, square, estimate, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_trace(session, NULL, NULL, estimate, NULL, &err), -TRNSCI_BAD_TILE);
	assert_int_equal(trnsci_trace(session, NULL, square, NULL, NULL, &err), -TRNSCI_MISSING_PARAMETER);
	trnsci_tile_free(square);
	trnsci_tile_free(other);
}

BOTH(transforms)
BOTH(frames)
BOTH(meetings)
BOTH(spectra)
BOTH(traces)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms_by_both),
		cmocka_unit_test(frames_by_both),
		cmocka_unit_test(meetings_by_both),
		cmocka_unit_test(spectra_by_both),
		cmocka_unit_test(traces_by_both),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
