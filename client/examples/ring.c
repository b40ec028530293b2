/* SPDX-License-Identifier: Apache-2.0 */
/* A noise ring: the engine draws ahead into shared memory, and taking samples is a copy.
 *
 *   cc ring.c $(pkg-config --cflags --libs trnsci) -o ring */
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { BLOCK = 64, BLOCKS = 1000 };

int main(int argc, char **argv)
{
	struct trnsci_source source = trnsci_source_seed(7);
	struct trnsci_session *session;
	struct trnsci_reader *ring;
	struct trnsci_error err;
	float block[BLOCK];
	double sum = 0;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0 ||
	    trnsci_ring_attach(session, "normal", NULL, &source, 0, &ring, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (int i = 0; i < BLOCKS; i++) {
		if (trnsci_reader_take(ring, block, BLOCK, -1, NULL, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		for (int k = 0; k < BLOCK; k++)
			sum += block[k];
	}
	printf("mean of %d normals: %.4f\n", BLOCK * BLOCKS, sum / (BLOCK * BLOCKS));
	trnsci_reader_detach(ring);
	trnsci_close(session);
	return 0;
}
