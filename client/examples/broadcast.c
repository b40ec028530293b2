/* SPDX-License-Identifier: Apache-2.0 */
/* A broadcast: samples that are drawn once, for any number of readers. Only with a daemon. Here one process is both.
 *
 *   cc broadcast.c $(pkg-config --cflags --libs trnsci) -o broadcast
 *   ./broadcast SOCKET */
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { N = 1000 };

static int fail(const struct trnsci_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 1;
}

int main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : NULL, *name = "example";
	struct trnsci_source source = trnsci_source_seed(3);
	struct trnsci_session *owner, *other;
	struct trnsci_reader *reader;
	struct trnsci_reader_span span;
	struct trnsci_error err;
	static float samples[N];

	if (trnsci_open(address, NULL, &owner, &err) < 0 || trnsci_open(address, NULL, &other, &err) < 0)
		return fail(&err);
	if (trnsci_broadcast_create(owner, name, "uniform", NULL, &source, NULL, &err) < 0 ||
	    trnsci_broadcast_attach(other, name, &reader, &err) < 0)
		return fail(&err);
	if (trnsci_broadcast_publish(owner, name, N, NULL, &err) < 0 ||
	    trnsci_reader_take(reader, samples, N, 10000, &span, &err) < 0)
		return fail(&err);
	printf("%u samples from the first on, %u missed: %g ...\n", (unsigned)span.count,
	       (unsigned)(span.first - span.missed), samples[0]);
	trnsci_reader_detach(reader);
	trnsci_close(other);
	trnsci_close(owner);
	return 0;
}
