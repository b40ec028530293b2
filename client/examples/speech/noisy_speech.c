/* SPDX-License-Identifier: Apache-2.0 */
/* Adds noise at a stated signal-to-noise ratio to a recording and transforms it, in one program of resident tiles.
 *
 * Usage: noisy_speech [-a ADDRESS] [-r SNR_DB] [-s SEED] [-o SPECTRA.dat] RECORDING.wav
 * The daemon draws the noise, scales it, adds it and transforms the sum; this process only writes the recording into
 * a tile and reads the spectra where they were made. What comes back is checked against sums done here. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "spectrum_plot.h"
#include "recording.h"

enum { PROBED_BINS = 16 };

struct settings {
	const char *address, *recording, *spectra;
	double snr_db;
	uint64_t seed;
};

struct tiles {
	struct trnsci_tile *clean, *noisy, *clean_spectrum, *noisy_spectrum, *back;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double energy(const float *x, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)x[i] * x[i];
	return sum;
}

static double difference_energy(const float *a, const float *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
	return sum;
}

static int make_tiles(struct trnsci_session *session, uint64_t n, struct tiles *tiles, struct trnsci_error *err)
{
	int rc = trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tiles->clean, err);

	if (rc == 0)
		rc = trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tiles->noisy, err);
	if (rc == 0)
		rc = trnsci_tile_new(session, TRNSCI_C64, 1, &n, &tiles->clean_spectrum, err);
	if (rc == 0)
		rc = trnsci_tile_new(session, TRNSCI_C64, 1, &n, &tiles->noisy_spectrum, err);
	if (rc == 0)
		rc = trnsci_tile_new(session, TRNSCI_C64, 1, &n, &tiles->back, err);
	return rc;
}

static void free_tiles(struct tiles *tiles)
{
	trnsci_tile_free(tiles->clean);
	trnsci_tile_free(tiles->noisy);
	trnsci_tile_free(tiles->clean_spectrum);
	trnsci_tile_free(tiles->noisy_spectrum);
	trnsci_tile_free(tiles->back);
}

static void add_fft(struct trnsci_call *program, const struct trnsci_tile *in, const struct trnsci_tile *out,
		    bool inverse)
{
	struct trnsci_args *step = trnsci_program_step(program, "fft");

	trnsci_set(step, trnsci_param_tile("in", in));
	trnsci_set(step, trnsci_param_bool("inverse", inverse));
	trnsci_set(step, trnsci_param_tile("out", out));
}

/* normal -> scale -> add -> fft, and the two transforms that it is checked by. */
static void write_program(struct trnsci_call *program, const struct tiles *tiles, uint64_t n, double sigma,
			  uint64_t seed)
{
	struct trnsci_args *step;

	trnsci_set(trnsci_call_args(program), trnsci_param_u64("seed", seed));
	step = trnsci_program_step(program, "normal");
	trnsci_set(step, trnsci_param_u64("n", n));
	trnsci_set(step, trnsci_param_text("as", "noise"));
	step = trnsci_program_step(program, "scale");
	trnsci_set(step, trnsci_param_text("in", "noise"));
	trnsci_set(step, trnsci_param_f64("by", sigma));
	trnsci_set(step, trnsci_param_text("as", "quiet_noise"));
	step = trnsci_program_step(program, "add");
	trnsci_set(step, trnsci_param_tile("a", tiles->clean));
	trnsci_set(step, trnsci_param_text("b", "quiet_noise"));
	trnsci_set(step, trnsci_param_tile("out", tiles->noisy));
	add_fft(program, tiles->noisy, tiles->noisy_spectrum, false);
	add_fft(program, tiles->clean, tiles->clean_spectrum, false);
	add_fft(program, tiles->noisy_spectrum, tiles->back, true);
}

static bool check(const char *what, double got, double limit, const char *unit)
{
	bool passed = got <= limit;

	printf("  %-66s %9.2e%s (limit %.0e) %s\n", what, got, unit, limit, passed ? "ok" : "WRONG");
	return passed;
}

/* The largest error of some bins against sums in double, relative to the spectrum's rms. */
static double direct_error(const float *x, const float *spectrum, size_t n)
{
	double rms = sqrt(energy(spectrum, 2 * n) / (double)n), worst = 0;

	for (size_t p = 0; p < PROBED_BINS; p++) {
		size_t k = (p * n) / (2 * PROBED_BINS) + 17 * p;
		double re = 0, im = 0;

		for (size_t j = 0; j < n; j++) {
			double turn = (double)(j * k % n) / (double)n;

			re += x[j] * cos(2 * M_PI * turn);
			im -= x[j] * sin(2 * M_PI * turn);
		}
		worst = fmax(worst, hypot(re - spectrum[2 * k], im - spectrum[2 * k + 1]) / rms);
	}
	return worst;
}

static double back_error(const float *signal, const float *back, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((double)back[2 * i] - signal[i]) * ((double)back[2 * i] - signal[i]) +
		       (double)back[2 * i + 1] * back[2 * i + 1];
	return sqrt(sum / energy(signal, n));
}

static bool check_results(const struct tiles *tiles, size_t n, double snr_db)
{
	const float *clean = trnsci_tile_data(tiles->clean), *noisy = trnsci_tile_data(tiles->noisy);
	const float *clean_spectrum = trnsci_tile_data(tiles->clean_spectrum);
	const float *noisy_spectrum = trnsci_tile_data(tiles->noisy_spectrum);
	double in_time = 10 * log10(energy(clean, n) / difference_energy(noisy, clean, n));
	double in_spectrum = 10 * log10(energy(clean_spectrum, 2 * n) /
					difference_energy(noisy_spectrum, clean_spectrum, 2 * n));
	double parseval = energy(noisy_spectrum, 2 * n) / ((double)n * energy(noisy, n)) - 1;
	bool passed = true;

	printf("  SNR: %.2f dB asked for; %.2f dB by the samples, %.2f dB by the two spectra\n", snr_db, in_time,
	       in_spectrum);
	passed &= check("SNR of the samples against the one asked for", fabs(in_time - snr_db), 0.2, " dB");
	passed &= check("spectra: sum less original holds the same noise", fabs(in_spectrum - in_time),
			1e-3, " dB");
	passed &= check("bins against direct sums in double precision", direct_error(noisy, noisy_spectrum, n), 3e-6,
			"   ");
	passed &= check("energy of spectrum and signal (Parseval)", fabs(parseval), 1e-6, "   ");
	passed &= check("inverse transform gives the signal back",
			back_error(noisy, trnsci_tile_data(tiles->back), n), 1e-6, "   ");
	return passed;
}

static int write_spectra(const char *path, const struct tiles *tiles, size_t n, double rate_hz)
{
	enum { POINTS = 400 };
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	fputs("# Hz  recording_dB  with_noise_dB\n", file);
	for (unsigned c = 0; c < POINTS; c++)
		fprintf(file, "%.2f %.3f %.3f\n", spectrum_column_hz(rate_hz, c, POINTS),
			spectrum_level_db(trnsci_tile_data(tiles->clean_spectrum), n, rate_hz, c, POINTS),
			spectrum_level_db(trnsci_tile_data(tiles->noisy_spectrum), n, rate_hz, c, POINTS));
	return fclose(file);
}

static int report_failure(const char *what, const struct trnsci_error *err)
{
	fprintf(stderr, "noisy_speech: %s: %s\n", what, err->text);
	return 1;
}

/* Runs the program twice: the first run makes the plans and touches the memory. */
static int run_timed(struct trnsci_call *program, double ret_ms[2])
{
	for (int run = 0; run < 2; run++) {
		double start = now_ms();
		int rc = trnsci_run(program, NULL);

		if (rc < 0)
			return rc;
		ret_ms[run] = now_ms() - start;
	}
	return 0;
}

static int add_noise(struct trnsci_session *session, const struct settings *settings, const struct recording *recording)
{
	struct trnsci_error err = {0};
	struct tiles tiles = {0};
	struct trnsci_call *program = NULL;
	double ms[2], rms = sqrt(energy(recording->samples, recording->count) / (double)recording->count);
	int rc = make_tiles(session, recording->count, &tiles, &err);
	bool passed = false;

	if (rc < 0) {
		report_failure("no tiles", &err);
		goto out;
	}
	memcpy(trnsci_tile_data(tiles.clean), recording->samples, recording->count * sizeof(float));
	rc = trnsci_call_new(session, "run", &program);
	if (rc < 0)
		goto out;
	write_program(program, &tiles, recording->count, rms * pow(10, -settings->snr_db / 20), settings->seed);
	rc = run_timed(program, ms);
	if (rc < 0) {
		report_failure("the program", trnsci_call_error(program));
		goto out;
	}
	printf("  normal, scale, add and three transforms of %zu samples: %.2f ms, again %.2f ms\n", recording->count, ms[0],
	       ms[1]);
	passed = check_results(&tiles, recording->count, settings->snr_db);
	puts("\n  Power by frequency: █ the recording, ░ what the noise adds");
	spectrum_plot(stdout, trnsci_tile_data(tiles.clean_spectrum), trnsci_tile_data(tiles.noisy_spectrum),
		      recording->count, recording->rate_hz);
	if (settings->spectra && write_spectra(settings->spectra, &tiles, recording->count, recording->rate_hz) != 0)
		fprintf(stderr, "noisy_speech: %s cannot be written\n", settings->spectra);
out:
	trnsci_call_free(program);
	free_tiles(&tiles);
	return rc == 0 && passed ? 0 : 1;
}

static int parse(int argc, char **argv, struct settings *settings)
{
	int option;

	while ((option = getopt(argc, argv, "a:r:s:o:")) != -1) {
		switch (option) {
		case 'a':
			settings->address = optarg;
			break;
		case 'r':
			settings->snr_db = strtod(optarg, NULL);
			break;
		case 's':
			settings->seed = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			settings->spectra = optarg;
			break;
		default:
			return -1;
		}
	}
	if (optind + 1 != argc)
		return -1;
	settings->recording = argv[optind];
	return 0;
}

int main(int argc, char **argv)
{
	struct settings settings = {.snr_db = 10, .seed = 1};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	struct recording recording = {0};
	const char *why;
	int rc;

	if (parse(argc, argv, &settings) < 0) {
		fputs("usage: noisy_speech [-a ADDRESS] [-r SNR_DB] [-s SEED] [-o SPECTRA.dat] RECORDING.wav\n", stderr);
		return 2;
	}
	if (recording_read(settings.recording, &recording, &why) < 0) {
		fprintf(stderr, "noisy_speech: %s: %s\n", settings.recording, why);
		return 65;
	}
	printf("  %s: %zu samples at %u Hz, %.2f s\n", settings.recording, recording.count, recording.rate_hz,
	       (double)recording.count / recording.rate_hz);
	rc = trnsci_open(settings.address, NULL, &session, &err) < 0 ? report_failure("no session", &err)
								     : add_noise(session, &settings, &recording);
	trnsci_close(session);
	free(recording.samples);
	return rc;
}
