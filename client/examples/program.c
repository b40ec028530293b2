/* SPDX-License-Identifier: Apache-2.0 */
/* A program of three steps in one request: a tone, noise added to it, its spectrum. What lies between stays with the
 * engine.
 *
 *   cc program.c $(pkg-config --cflags --libs trnsci) -lm -o program */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <trnsci/trnsci.h>

enum { N = 4096, TONE = 300 };

static void write_program(struct trnsci_call *program, const struct trnsci_tile *tone)
{
	struct trnsci_param noise[] = {trnsci_param_u64("n", N), trnsci_param_text("as", "noise"), trnsci_param_end()};
	struct trnsci_param add[] = {trnsci_param_tile("a", tone), trnsci_param_text("b", "noise"),
				     trnsci_param_text("as", "noisy"), trnsci_param_end()};
	struct trnsci_param fft[] = {trnsci_param_text("in", "noisy"), trnsci_param_bool("real", true),
				     trnsci_param_text("as", "spectrum"), trnsci_param_end()};

	trnsci_set(trnsci_call_args(program), trnsci_param_u64("seed", 2026));
	trnsci_set_params(trnsci_program_step(program, "normal"), noise);
	trnsci_set_params(trnsci_program_step(program, "add"), add);
	trnsci_set_params(trnsci_program_step(program, "fft"), fft);
	trnsci_program_result(program, "spectrum");
}

static void print_peak(const float *spectrum)
{
	size_t peak = 0;

	for (size_t k = 0; k <= N / 2; k++)
		if (hypotf(spectrum[2 * k], spectrum[2 * k + 1]) > hypotf(spectrum[2 * peak], spectrum[2 * peak + 1]))
			peak = k;
	printf("the peak is at %u of %d, a tone at %d was put in\n", (unsigned)peak, N, TONE);
}

int main(int argc, char **argv)
{
	const uint64_t n = N;
	struct trnsci_session *session;
	struct trnsci_tile *tone;
	struct trnsci_call *program;
	struct trnsci_array result;
	struct trnsci_error err;
	float spectrum[N + 2];

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0 ||
	    trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tone, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < N; i++)
		((float *)trnsci_tile_data(tone))[i] = cosf(2 * 3.14159265f * (float)(i * TONE % N) / N);
	if (trnsci_call_new(session, "run", &program) < 0)
		return 1;
	write_program(program, tone);
	if (trnsci_run(program, NULL) < 0 ||
	    trnsci_value_to_array(trnsci_value_get(trnsci_value_get(trnsci_call_reply(program), "results"), "spectrum"), &result) <
		    0 ||
	    result.bytes != sizeof spectrum) {
		fprintf(stderr, "%s\n", trnsci_call_error(program)->text);
		return 1;
	}
	memcpy(spectrum, result.data, sizeof spectrum); /* a reply's data has any alignment */
	print_peak(spectrum);
	trnsci_call_free(program);
	trnsci_tile_free(tone);
	trnsci_close(session);
	return 0;
}
