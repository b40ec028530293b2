/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a million normals into a tile and prints their mean and deviation.
 *
 *   cc draw_normal.c $(pkg-config --cflags --libs trnsci) -lm -o draw_normal
 *   ./draw_normal [ADDRESS]      a daemon's socket, or embedded: (where no daemon answers) */
#include <math.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

int main(int argc, char **argv)
{
	const uint64_t n = 1000000;
	const struct trnsci_draw draw = {.law = "normal", .seed = 1, .numbers = {{"mean", 10}, {"std", 2}}};
	struct trnsci_session *session;
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err;

	if (trnsci_open(argc > 1 ? argv[1] : NULL, NULL, &session, &err) < 0 &&
	    trnsci_open("embedded:", NULL, &session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &tile, &err) < 0 ||
	    trnsci_draw(session, &draw, 0, tile, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		trnsci_tile_free(tile);
		trnsci_close(session);
		return 1;
	}
	const float *samples = trnsci_tile_data(tile);
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < n; i++) {
		sum += (double)samples[i];
		squares += (double)samples[i] * (double)samples[i];
	}
	double mean = sum / (double)n;

	printf("%s: mean %.4f, deviation %.4f\n", trnsci_address(session), mean,
	       sqrt(squares / (double)n - mean * mean));
	trnsci_tile_free(tile);
	trnsci_close(session);
	return 0;
}
