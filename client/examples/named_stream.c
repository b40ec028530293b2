/* SPDX-License-Identifier: Apache-2.0 */
/* A named stream: every process of the host draws from it, and no number is given out twice. Only a daemon has them.
 *
 *   cc named_stream.c $(pkg-config --cflags --libs trnsci) -o named_stream
 *   ./named_stream SOCKET NAME */
#include <stdio.h>

#include <trnsci/trnsci.h>

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "example";
	struct trnsci_source source = trnsci_source_named(name);
	struct trnsci_session *session;
	struct trnsci_span span;
	struct trnsci_error err;
	double dice[5];
	int r = trnsci_open(argc > 1 ? argv[1] : NULL, NULL, &session, &err);

	if (r == 0)
		r = trnsci_stream_create(session, name, NULL, NULL, &err);
	if (r == 0 || r == -TRNSCI_EXISTS)
		r = trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F64, 5, dice, &span, &err);
	if (r < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	/* With these numbers anybody can draw the same again. */
	printf("%g, from sample %llu of %s, seed %llu, stream %llu\n", dice[0], (unsigned long long)span.offset,
	       span.generator, (unsigned long long)span.seed, (unsigned long long)span.stream);
	trnsci_close(session);
	return 0;
}
