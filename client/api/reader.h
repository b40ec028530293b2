/* SPDX-License-Identifier: Apache-2.0 */
/* What readers of rings and of broadcasts have in common: they wait for samples in a producer's memory, and outlast its daemon. */
#ifndef TRNSCI_CLIENT_API_READER_H
#define TRNSCI_CLIENT_API_READER_H

#include <trnsci/trnsci.h>

#include "call/call.h"
#include "session/ring_link.h"

/* What a ring and a broadcast each do in their own way. The reader is of this process, and not NULL. */
struct reader_kind {
	const char *name;   /* begins the texts of errors */
	bool awaits_owner;  /* what it reads is made by another session, and may come later */
	/* Attaches by the call, which is not sent yet, and frees it; a reader that has memory goes on behind what it has taken. */
	int (*attach)(const struct trnsci_reader *reader, struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
	/* Returns whether a reader whose memory is in that state, and gets no more samples, may be attached again. */
	bool (*is_lost)(uint32_t state);
	/* Moves `before` and `next` to the place in the new memory where the reader goes on. An error: it is of something else. */
	int (*resume)(struct trnsci_reader *reader, const struct ring_link *link, struct error *err);
	/* Reads `produced`, and moves the reader past what is lost. */
	int (*look)(struct trnsci_reader *reader, struct error *err);
	/* Takes n samples, and waits for them. *span, which is zero before, states also on an error what was taken. */
	int (*take)(struct trnsci_reader *reader, char *out, uint64_t n, int64_t deadline, struct trnsci_reader_span *span,
		    struct error *err);
	/* Waits until n samples are there that can be lent. NULL: none ever can. */
	int (*await)(struct trnsci_reader *reader, uint64_t n, int64_t deadline, struct error *err);
	/* Moves the reader. NULL: samples come in their order. */
	void (*seek)(struct trnsci_reader *reader, uint64_t sample);
};

struct trnsci_reader {
	const int *alive; /* fork_flag.h */
	const struct reader_kind *kind;
	/* Samples, as the memory counts them; `before` of the reader's own numbers lie before its sample 0, modulo 2^64. */
	uint64_t produced; /* as last read, and checked */
	uint64_t next;     /* to take */
	uint64_t before;
	uint64_t borrowed; /* of a ring */
	uint64_t missed;   /* of a broadcast: from here to `next` they were missed, and not yet reported */
	struct ring_link link;
	struct trnsci_session *session;
	uint64_t skipped; /* of a ring: samples of a named stream that were reserved for it and lost with a daemon */
	/* To attach again: */
	struct trnsci_call *recipe; /* a call of the same parameters, never run; NULL: the reader ends with its engine */
	int64_t given_up_ns;        /* until when a loss is waited for; 0: nothing is lost, or the session is not back */
	uint64_t times;             /* that it was */
};

/* Makes a reader and attaches it by the call, which it frees. */
int reader_attach(const struct reader_kind *kind, struct trnsci_call *call, struct trnsci_reader **ret_reader, struct error *err);

static inline uint64_t reader_available(const struct trnsci_reader *reader)
{
	return reader->produced > reader->next ? reader->produced - reader->next : 0;
}

/* Returns the number of the next sample to take. */
static inline uint64_t reader_number(const struct trnsci_reader *reader)
{
	return reader->before + reader->next;
}

static inline const char *reader_samples(const struct trnsci_reader *reader)
{
	return reader->link.samples + (reader->next & (reader->link.capacity - 1)) * reader->link.sample_bytes;
}

/* Describes the next n samples, of which none was missed. */
static inline struct trnsci_reader_span reader_span(const struct trnsci_reader *reader, uint64_t n)
{
	struct trnsci_reader_span span = {.missed = reader_number(reader), .first = reader_number(reader), .count = n};

	ring_link_place(&reader->link, reader->next, &span.offset, &span.run);
	return span;
}

/* Gives n samples back to the producer, which waits for that when the memory is full. */
void reader_give_back(struct trnsci_reader *reader, uint64_t n);

/* Returns whether samples of two memories are of one stream. */
bool reader_is_same_stream(const struct ring_link *a, const struct ring_link *b);

/* Waits until n samples are available, and attaches the reader again where it was lost. Returns READER_TIME_OVER without an error
 * text at the deadline. */
enum { READER_TIME_OVER = 1 };
int reader_wait(struct trnsci_reader *reader, uint64_t n, int64_t deadline, struct error *err);

#endif
