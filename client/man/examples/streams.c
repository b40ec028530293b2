/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of rings, broadcasts and named streams, as names.c has it. streams [ADDRESS]; embedded: rings only. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

static void ring(struct trnsci_session *session)
{
	/* example: trnsci_ring_attach trnsci_reader_take trnsci_reader_detach trnsci_reader_describe trnsci_reader_info */
	const struct trnsci_source source = trnsci_source_seed(7);
	struct trnsci_reader *reader;
	struct trnsci_reader_info info;
	struct trnsci_error error;
	float block[64];

	if (trnsci_ring_attach(session, "normal", NULL, &source, 0, &reader,
			       &error))
		errx(1, "%s", error.text);
	for (int i = 0; i < 1000; i++)
		if (trnsci_reader_take(reader, block, 64, -1, NULL, &error))
			errx(1, "%s", error.text);
	if (trnsci_reader_describe(reader, &info))
		errx(1, "the session is closed");
	printf("%" PRIu64 " samples taken\n",
	       info.taken); /* prints 64000 samples taken */
	trnsci_reader_detach(reader);
	/* end */
}

static void borrow(struct trnsci_session *session)
{
	/* example: trnsci_reader_borrow trnsci_reader_release trnsci_reader_span */
	struct trnsci_reader *reader;
	struct trnsci_reader_span span;
	struct trnsci_error error;
	const void *samples;
	float largest = 0;

	if (trnsci_ring_attach(session, "normal", NULL, NULL, 0, &reader,
			       &error) ||
	    trnsci_reader_borrow(reader, 1000, -1, &samples, &span, &error))
		errx(1, "%s", error.text);
	for (uint64_t i = 0; i < span.count;
	     i++) /* where they lie, without a copy */
		if (((const float *)samples)[i] > largest)
			largest = ((const float *)samples)[i];
	if (trnsci_reader_release(reader, span.count, &error))
		errx(1, "%s", error.text);
	/* end */
	if (span.count != 1000 || largest < 2 || largest > 6)
		errx(1, "%" PRIu64 " samples, the largest %g", span.count,
		     largest);
	trnsci_reader_detach(reader);
}

static void broadcast(struct trnsci_session *session)
{
	/* example: trnsci_broadcast_create trnsci_broadcast_publish trnsci_broadcast_close trnsci_broadcast_options */
	const struct trnsci_broadcast_options options = {
		.samples = 65536, .mode = 0660}; /* the group may read it */
	const struct trnsci_source source = trnsci_source_seed(7);
	struct trnsci_error error;
	uint64_t produced;

	if (trnsci_broadcast_create(session, "hiss", "normal", NULL, &source,
				    &options, &error) ||
	    trnsci_broadcast_publish(session, "hiss", 10000, &produced, &error))
		errx(1, "%s", error.text);
	printf("%" PRIu64 " samples published\n",
	       produced); /* prints 10000 samples published */
	/* end */
}

static void read_broadcast(struct trnsci_session *session)
{
	/* example: trnsci_broadcast_attach trnsci_reader_seek */
	struct trnsci_reader_span span;
	struct trnsci_reader *reader;
	struct trnsci_error error;
	float x[100];

	if (trnsci_broadcast_attach(session, "hiss", &reader, &error) ||
	    trnsci_reader_seek(
		    reader, 5000,
		    &error) || /* UINT64_MAX: only what is published from here on */
	    trnsci_reader_take(reader, x, 100, 1000, &span, &error))
		errx(1, "%s", error.text);
	printf("samples %" PRIu64 " to %" PRIu64 "\n", span.first,
	       span.first + span.count - 1); /* prints samples 5000 to 5099 */
	trnsci_reader_detach(reader);
	/* end */
}

static void close_broadcast(struct trnsci_session *session)
{
	/* example: trnsci_broadcast_close */
	struct trnsci_error error;

	if (trnsci_broadcast_close(session, "hiss", &error))
		errx(1, "%s", error.text);
	/* end */
}

static void create(struct trnsci_session *session)
{
	/* example: trnsci_stream_create trnsci_stream_options trnsci_stream_show trnsci_stream_info trnsci_source_named */
	const struct trnsci_stream_options options = {.generator = "philox4x32",
						      .mode = "0600"};
	const struct trnsci_source source = trnsci_source_named("lab/noise");
	struct trnsci_stream_info info;
	struct trnsci_error error;
	float x[1000];

	if (trnsci_stream_create(session, "lab/noise", &options, NULL,
				 &error) ||
	    trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32,
			      1000, x, NULL, &error) ||
	    trnsci_stream_show(session, "lab/noise", &info, &error))
		errx(1, "%s", error.text);
	printf("%s: the next draw begins at word %" PRIu64 "\n", info.name,
	       info.position); /* prints lab/noise: the next draw begins at word 1000 */
	/* end */
}

/* example: trnsci_stream_list */
static int print_name(void *arg, const struct trnsci_stream_info *info)
{
	(void)arg;
	printf("%s\n", info->name); /* prints lab/noise */
	return 0; /* go on */
}
/* end */

static void list(struct trnsci_session *session)
{
	/* example: trnsci_stream_list */
	struct trnsci_error error;

	if (trnsci_stream_list(session, print_name, NULL, &error))
		errx(1, "%s", error.text);
	/* end */
}

static void end(struct trnsci_session *session)
{
	/* example: trnsci_stream_advance trnsci_stream_delete */
	struct trnsci_stream_info info;
	struct trnsci_error error;

	if (trnsci_stream_advance(session, "lab/noise", 1000000, 0, &info,
				  &error)) /* skip a million words */
		errx(1, "%s", error.text);
	printf("at word %" PRIu64 "\n",
	       info.position); /* prints at word 1001000 */
	if (trnsci_stream_delete(session, "lab/noise", NULL, &error))
		errx(1, "%s", error.text);
	/* end */
}

int main(int argc, char **argv)
{
	struct trnsci_session *session;
	struct trnsci_error error;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session,
			&error))
		errx(1, "%s", error.text);
	ring(session);
	borrow(session);
	if (argc > 1) {
		broadcast(session);
		read_broadcast(session);
		close_broadcast(session);
		create(session);
		list(session);
		end(session);
	}
	trnsci_close(session);
	return 0;
}
