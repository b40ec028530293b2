/* SPDX-License-Identifier: Apache-2.0 */
/* A program of three steps, sent without waiting: a tone, noise added to it, its spectrum. The arrays stay where they
 * are; the event loop is one poll.
 *
 *   cc fft_noise.c $(pkg-config --cflags --libs trnsci) -lm -o fft_noise */
#include <math.h>
#include <poll.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { N = 4096, TONE = 300 };

static struct trnsci_call *write_program(struct trnsci_session *session, const struct trnsci_tile *tone,
					 const struct trnsci_tile *spectrum)
{
	struct trnsci_call *program = NULL;
	struct trnsci_args *step;

	if (trnsci_call_new(session, "run", &program) < 0)
		return NULL;
	trnsci_set_u64(trnsci_args(program), "seed", 2026);
	step = trnsci_step(program, "normal");
	trnsci_set_u64(step, "n", N);
	trnsci_set_text(step, "as", "noise");
	step = trnsci_step(program, "add");
	trnsci_set_tile(step, "a", tone);
	trnsci_set_text(step, "b", "noise");
	trnsci_set_text(step, "as", "noisy");
	step = trnsci_step(program, "fft");
	trnsci_set_text(step, "in", "noisy");
	trnsci_set_bool(step, "real", true);
	trnsci_set_tile(step, "out", spectrum);
	return program;
}

/* Any event loop will do: the descriptor is readable when trnsci_next has something. */
static int wait_for(struct trnsci_session *session, struct trnsci_call *program)
{
	struct pollfd poll_fd = {.fd = trnsci_fd(session), .events = POLLIN};
	struct trnsci_call *answered;

	if (trnsci_submit(program, NULL, NULL, NULL) < 0)
		return -1;
	while (trnsci_next(session, 0, &answered) < 0)
		if (poll(&poll_fd, 1, 10000) <= 0)
			return -1;
	return trnsci_call_error(answered)->code ? -1 : 0;
}

static void print_peak(const float *spectrum)
{
	size_t peak = 0;

	for (size_t k = 0; k <= N / 2; k++)
		if (hypotf(spectrum[2 * k], spectrum[2 * k + 1]) > hypotf(spectrum[2 * peak], spectrum[2 * peak + 1]))
			peak = k;
	printf("the peak is at %zu of %d, a tone at %d was put in\n", peak, N, TONE);
}

int main(int argc, char **argv)
{
	const uint64_t n = N, n_half = N / 2 + 1;
	struct trnsci_session *session;
	struct trnsci_tile *tone = NULL, *spectrum = NULL;
	struct trnsci_call *program = NULL;
	struct trnsci_error err;
	int status = 1;

	if (trnsci_open(argc > 1 ? argv[1] : NULL, NULL, &session, &err) < 0 &&
	    trnsci_open("embedded:", NULL, &session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &tone, &err) < 0 ||
	    trnsci_tile_new(session, 0, TRNSCI_C64, 1, &n_half, &spectrum, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		goto out;
	}
	for (size_t i = 0; i < N; i++)
		((float *)trnsci_tile_data(tone))[i] = cosf(2 * 3.14159265f * (float)(i * TONE % N) / N);
	program = write_program(session, tone, spectrum);
	if (wait_for(session, program) < 0) {
		fprintf(stderr, "%s\n", program ? trnsci_call_error(program)->text : "no memory");
		goto out;
	}
	print_peak(trnsci_tile_data(spectrum));
	status = 0;
out:
	trnsci_call_free(program);
	trnsci_tile_free(tone);
	trnsci_tile_free(spectrum);
	trnsci_close(session);
	return status;
}
