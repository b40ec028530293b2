/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms, signals and traces without a call object: known values, there and back, and what is refused. */
#include <string.h>

#include "both.h"
#include "drawing.h"

/* A list of parameters. */
#define LIST(...) ((const struct trnsci_param[]){__VA_ARGS__, trnsci_param_end()})

static double distance(const double *x, const double *y, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const double d = x[i] - y[i];

		most = d > most ? d : -d > most ? -d : most;
	}
	return most;
}

static struct trnsci_array doubles(const double *at, uint64_t n)
{
	return trnsci_array_vector(TRNSCI_F64, n, at);
}

/* Cosine and Hermitian transforms of arrays, also in place: there and back, known values, and what is refused. */
static void transforms(struct trnsci_session *session)
{
	static const double cosine[4] = {5, -2.2304424973876633, 0, -0.15851266778110726};
	const double x[4] = {1, 2, 3, 4};
	const int64_t as_it_is[1] = {-1};
	const struct trnsci_param ortho = trnsci_param_text("norm", "ortho");
	double y[4], half[6];
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_apply_array(session, "dct", LIST(ortho), doubles(x, 4), doubles(y, 4), &err), 0);
	assert_true(distance(y, cosine, 4) < 1e-14);
	assert_int_equal(trnsci_apply_array(session, "dct", LIST(ortho, trnsci_param_bool("inverse", true)), doubles(y, 4),
					    doubles(y, 4), &err),
			 0);
	assert_true(distance(y, x, 4) < 1e-14);
	assert_int_equal(trnsci_apply_array(session, "fft",
					    LIST(trnsci_param_bool("hermitian", true), trnsci_param_bool("inverse", true),
						 trnsci_param_i64s("length", as_it_is, 1)),
					    doubles(x, 4), trnsci_array_vector(TRNSCI_C128, 3, half), &err),
			 0);
	assert_int_equal(trnsci_apply_array(session, "fft", LIST(trnsci_param_bool("hermitian", true)),
					    trnsci_array_vector(TRNSCI_C128, 3, half), doubles(y, 4), &err),
			 0);
	assert_true(distance(y, x, 4) < 1e-14);
	assert_int_equal(
		trnsci_apply_array(session, "dct", LIST(trnsci_param_text("type", "5")), doubles(x, 4), doubles(y, 4), &err),
		-TRNSCI_OUT_OF_RANGE);
	assert_string_equal(err.text, "out_of_range: dct: type: got \"5\", allowed is 1|2|3|4");
}

/* To short-time spectra and back; each option reaches the engine. */
static void frames(struct trnsci_session *session)
{
	enum { SAMPLES = 64, BINS = 9, FRAMES = 17 };
	double x[SAMPLES], y[SAMPLES];
	static double between[2 * FRAMES * BINS];
	const struct trnsci_array spectra = trnsci_array_matrix(TRNSCI_C128, FRAMES, BINS, between);
	const struct trnsci_param common[] = {trnsci_param_u64("n_fft", 16), trnsci_param_text("window", "kaiser"),
					      trnsci_param_f64("window_parameter", 3), trnsci_param_bool("normalized", true)};
	const struct trnsci_param frames_first = trnsci_param_text("layout", "frames_bins");
	struct trnsci_error err = {0};

	for (int i = 0; i < SAMPLES; i++)
		x[i] = (double)(i * i % 23) - 11;
	assert_int_equal(trnsci_apply_array(session, "stft",
					    LIST(common[0], common[1], common[2], common[3], frames_first,
						 trnsci_param_text("pad_mode", "circular")),
					    doubles(x, SAMPLES), spectra, &err),
			 0);
	assert_int_equal(trnsci_apply_array(session, "istft",
					    LIST(common[0], common[1], common[2], common[3], frames_first,
						 trnsci_param_u64("length", SAMPLES)),
					    spectra, doubles(y, SAMPLES), &err),
			 0);
	assert_true(distance(y, x, SAMPLES) < 1e-13);
	assert_int_equal(trnsci_apply_array(session, "stft", LIST(common[0]), doubles(x, SAMPLES), spectra, &err),
			 -TRNSCI_BAD_SHAPE);
	assert_non_null(strstr(err.text, "c128 (17, 9), allowed is c128 (9, 17)"));
	assert_int_equal(trnsci_apply_array(session, "stft", LIST(common[0], frames_first, trnsci_param_bool("onesided", false)),
					    doubles(x, SAMPLES), spectra, &err),
			 -TRNSCI_BAD_SHAPE);
	assert_int_equal(trnsci_apply_array(session, "stft", LIST(common[0], trnsci_param_text("pad_mode", "nothing")),
					    doubles(x, SAMPLES), spectra, &err),
			 -TRNSCI_OUT_OF_RANGE);
}

/* scipy.signal.convolve([1, 2, 3, 4], [1, -1, 2]), correlate of the same: one input is `in`, the other a parameter. */
static void meetings(struct trnsci_session *session)
{
	static const double full[6] = {1, 1, 3, 5, 2, 8}, same[4] = {1, 3, 5, 2}, correlated[6] = {2, 3, 5, 7, -1, 4};
	const double a[4] = {1, 2, 3, 4}, b[3] = {1, -1, 2};
	const struct trnsci_array of_b = doubles(b, 3);
	const struct trnsci_param with = trnsci_param_array("b", &of_b);
	struct trnsci_error err = {0};
	double out[6];

	assert_int_equal(trnsci_apply_array(session, "convolve", LIST(with), doubles(a, 4), doubles(out, 6), &err), 0);
	assert_true(distance(out, full, 6) < 1e-14);
	assert_int_equal(trnsci_apply_array(session, "convolve",
					    LIST(with, trnsci_param_text("mode", "same"), trnsci_param_i64("axis", 0)),
					    doubles(a, 4), doubles(out, 4), &err),
			 0);
	assert_true(distance(out, same, 4) < 1e-14);
	assert_int_equal(trnsci_apply_array(session, "correlate", LIST(with), doubles(a, 4), doubles(out, 6), &err), 0);
	assert_true(distance(out, correlated, 6) < 1e-14);
	assert_int_equal(trnsci_apply_array(session, "convolve", LIST(with, trnsci_param_i64("axis", 1)), doubles(a, 4),
					    doubles(out, 6), &err),
			 -TRNSCI_OUT_OF_RANGE);
}

/* A cosine of amplitude 2 on bin 2 of 8 has power 2 there, and in its cross spectrum with itself; the median of four
 * equal segments is divided by its bias, 1 - 1/2 + 1/3. */
static void spectra(struct trnsci_session *session)
{
	enum { SAMPLES = 32, BINS = 5 };
	static const double power[BINS] = {0, 0, 2, 0, 0}, cross[2 * BINS] = {0, 0, 0, 0, 2};
	static const double unbiased[BINS] = {0, 0, 2.4, 0, 0};
	const struct trnsci_param p[] = {trnsci_param_f64("fs", 100),          trnsci_param_u64("nperseg", 8),
					 trnsci_param_u64("noverlap", 0),      trnsci_param_text("window", "boxcar"),
					 trnsci_param_text("detrend", "none"), trnsci_param_text("scaling", "spectrum")};
	double x[SAMPLES], y[2 * BINS];
	const struct trnsci_array of_x = doubles(x, SAMPLES);
	struct trnsci_error err = {0};

	for (int i = 0; i < SAMPLES; i++)
		x[i] = (const double[]){2, 0, -2, 0}[i % 4];
	assert_int_equal(
		trnsci_apply_array(session, "welch", LIST(p[0], p[1], p[2], p[3], p[4], p[5]), of_x, doubles(y, BINS), &err), 0);
	assert_true(distance(y, power, BINS) < 1e-13);
	assert_int_equal(trnsci_apply_array(session, "welch",
					    LIST(p[0], p[1], p[2], p[3], p[4], p[5], trnsci_param_text("average", "median")), of_x,
					    doubles(y, BINS), &err),
			 0);
	assert_true(distance(y, unbiased, BINS) < 1e-13);
	assert_int_equal(trnsci_apply_array(session, "csd",
					    LIST(p[0], p[1], p[2], p[3], p[4], p[5], trnsci_param_array("y", &of_x)), of_x,
					    trnsci_array_vector(TRNSCI_C128, BINS, y), &err),
			 0);
	assert_true(distance(y, cross, 2 * BINS) < 1e-13);
	assert_int_equal(trnsci_apply_array(session, "welch", NULL, of_x, doubles(y, BINS), &err), -TRNSCI_BAD_SHAPE);
}

/* Estimates into a tile of two; each is asked of both engines, whose bytes are the same. */
static void traces(struct trnsci_session *session)
{
	static double first[2][2];
	static bool known;
	const uint64_t square[2] = {300, 300}, oblong[2] = {300, 200};
	const struct trnsci_source source = trnsci_source_seed(5);
	const struct trnsci_param p[] = {trnsci_param_u64("probes", 40), trnsci_param_u64("seed", 3),
					 trnsci_param_u64("offset", 7)};
	struct trnsci_error err = {0};
	struct trnsci_tile *matrix = NULL, *other = NULL, *out = NULL;

	assert_int_equal(
		trnsci_draw_tile(session, "normal", LIST(trnsci_param_u64s("shape", square, 2)), &source, &matrix, NULL, &err), 0);
	assert_int_equal(
		trnsci_draw_tile(session, "normal", LIST(trnsci_param_u64s("shape", oblong, 2)), &source, &other, NULL, &err), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trnsci_apply_tile(session, "trace",
						   LIST(p[0], p[1], p[2], trnsci_param_tile("in", matrix),
							trnsci_param_text("method", i ? "hutchpp" : "hutchinson")),
						   &out, &err),
				 0);
		const double *pair = trnsci_tile_data(out);

		assert_int_equal(tile_info(out).count, 2);
		assert_true(pair[1] > 0);
		if (known)
			assert_memory_equal(first[i], pair, sizeof first[i]);
		memcpy(first[i], pair, sizeof first[i]);
	}
	known = true;
	assert_int_equal(trnsci_apply_tile(session, "trace", LIST(trnsci_param_tile("in", other)), &out, &err), -TRNSCI_BAD_SHAPE);
	assert_int_equal(trnsci_apply_tile(session, "trace",
					   LIST(trnsci_param_tile("in", matrix), trnsci_param_text("distribution", "cauchy")),
					   &out, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_apply_tile(session, "trace", LIST(trnsci_param_tile("in", NULL)), &out, &err), -TRNSCI_BAD_TILE);
	trnsci_tile_free(matrix);
	trnsci_tile_free(other);
	trnsci_tile_free(out);
}

BOTH(transforms)
BOTH(frames)
BOTH(meetings)
BOTH(spectra)
BOTH(traces)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms_by_both), cmocka_unit_test(frames_by_both),
		cmocka_unit_test(meetings_by_both),   cmocka_unit_test(spectra_by_both),
		cmocka_unit_test(traces_by_both),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
