/* SPDX-License-Identifier: Apache-2.0 */
/* Noise into a transform: both arrays are tiles that the engine makes, of the dtype and shape that each result has.
 * They are read where they were made.
 *
 *   cc noise_spectrum.c $(pkg-config --cflags --libs trnsci) -o noise_spectrum */
#include <stdio.h>

#include <trnsci/trnsci.h>

int main(int argc, char **argv)
{
	struct trnsci_source source = trnsci_source_seed(11);
	struct trnsci_param draw[] = {trnsci_param_u64("n", 1000000), trnsci_param_end()};
	struct trnsci_session *session;
	struct trnsci_tile *noise = NULL, *power = NULL;
	struct trnsci_tile_info info;
	struct trnsci_error err;
	double sum = 0;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0 ||
	    trnsci_draw_tile(session, "normal", draw, &source, &noise, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	struct trnsci_param welch[] = {trnsci_param_tile("in", noise), trnsci_param_u64("nperseg", 512), trnsci_param_end()};

	if (trnsci_apply_tile(session, "welch", welch, &power, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	trnsci_tile_describe(power, &info);
	for (uint64_t k = 1; k + 1 < info.count; k++)
		sum += ((const float *)trnsci_tile_data(power))[k];
	printf("power of white noise, %u bins: %.3f, expected 2\n", (unsigned)info.count,
	       sum / (double)(info.count - 2));
	trnsci_tile_free(noise);
	trnsci_tile_free(power);
	trnsci_close(session);
	return 0;
}
