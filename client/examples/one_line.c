/* SPDX-License-Identifier: Apache-2.0 */
/* Samples into an array, and their spectrum into another: one line each.
 *
 *   cc one_line.c $(pkg-config --cflags --libs trnsci) -o one_line
 *   ./one_line [ADDRESS]      a daemon's socket, or embedded: (default: the host's daemon, else embedded) */
#include <stdio.h>
#include <string.h>

#include <trnsci/trnsci.h>

enum { N = 1000, BINS = N / 2 + 1 };

static float x[N];        /* samples */
static float y[2 * BINS]; /* their spectrum: real, imaginary */

int main(int argc, char **argv)
{
	struct trnsci_options options;
	struct trnsci_session *session;
	struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_param normal[] = {trnsci_param_f64("mean", 10), trnsci_param_f64("std", 2), trnsci_param_end()};
	struct trnsci_param real[] = {trnsci_param_bool("real", true), trnsci_param_end()};
	struct trnsci_error err;

	memset(&options, 0, sizeof options);
	options.or_embedded = true;
	if (trnsci_open(argc > 1 ? argv[1] : NULL, &options, &session, &err) < 0 ||
	    trnsci_draw_array(session, "normal", normal, &source, TRNSCI_F32, N, x, NULL, &err) < 0 ||
	    trnsci_apply_array(session, "fft", real, trnsci_array_vector(TRNSCI_F32, N, x),
			       trnsci_array_vector(TRNSCI_C64, BINS, y), &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%g %g %g ...: mean %g\n", x[0], x[1], x[2], y[0] / N);
	trnsci_close(session);
	return 0;
}
