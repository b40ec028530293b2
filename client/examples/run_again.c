/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is run again and again with another seed: its parameters stay, a run states only what changes, and the
 * engine keeps what it has validated and compiled.
 *
 *   cc run_again.c $(pkg-config --cflags --libs trnsci) -o run_again */
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { N = 512, RUNS = 5 };

int main(int argc, char **argv)
{
	const uint64_t n = N;
	struct trnsci_session *session;
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	struct trnsci_error err;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0 ||
	    trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (trnsci_call_new(session, "normal", &call) < 0)
		return 1;
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		const struct trnsci_param changes[] = {trnsci_param_u64("seed", seed), trnsci_param_end()};

		if (trnsci_run(call, changes) < 0) {
			fprintf(stderr, "%s\n", trnsci_call_error(call)->text);
			return 1;
		}
		printf("seed %u: %g\n", (unsigned)seed, ((const float *)trnsci_tile_data(tile))[0]);
	}
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	trnsci_close(session);
	return 0;
}
