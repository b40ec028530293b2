/* SPDX-License-Identifier: Apache-2.0 */
/* The shared pages of rings and broadcasts: a wire format, little endian, version 1.
 *
 * Samples follow the first page of their memory: sample k lies at byte (k mod capacity) x sample_bytes. One side writes
 * each page and the other reads it without trust: a reader copies an index once and checks the copy against its own
 * state. Counters of samples start at 0 and never wrap. */
#ifndef TRNSCI_ENGINE_RING_LAYOUT_H
#define TRNSCI_ENGINE_RING_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_VERSION = 1, RING_RANGES = 4 };

#define RING_MAGIC UINT64_C(0x676e697269636e74) /* "tnciring" */

/* The page's state: RING_OPEN, or the number of the error that ended it. */
enum { RING_OPEN = 0 };

/* First page of the samples' memory, written by the producer only. */
struct ring_page {
	uint64_t magic;
	uint32_t version;
	uint32_t sample_bytes;
	uint64_t capacity; /* samples */
	uint64_t range;    /* of a named stream: samples of each reservation, the capacity; otherwise 0 */
	uint8_t pad_0[32];
	/* A cache line that the producer writes often. */
	_Atomic uint64_t produced; /* samples below it are published; a broadcast may have overwritten some since */
	_Atomic uint64_t claimed;  /* broadcast: samples below claimed - capacity may be overwritten */
	_Atomic uint32_t news;     /* futex: incremented when produced or state changes */
	_Atomic uint32_t state;    /* RING_OPEN, or an error's number */
	uint8_t pad_1[40];
	/* A cache line that the consumer reads once per half ring. */
	_Atomic uint32_t asleep; /* ring: not 0 while the producer waits to be woken when half the ring is free */
	uint8_t pad_2[60];
	/* [r mod 4]: where reservation r = k / range of a named stream begins, in samples of the stream; set before its
	 * first sample is published. A capacity spans at most two reservations, so a needed entry is never replaced. */
	_Atomic uint64_t ranges[RING_RANGES];
	uint8_t pad_3[32];
};

/* A ring's second memory, one page, written by its consumer only. */
struct ring_index {
	_Atomic uint64_t taken; /* samples below may be overwritten */
	uint8_t pad[56];
};

static_assert(sizeof(_Atomic uint64_t) == 8 && sizeof(_Atomic uint32_t) == 4, "atomics have no lock beside them");
static_assert(offsetof(struct ring_page, version) == 8 && offsetof(struct ring_page, sample_bytes) == 12, "layout");
static_assert(offsetof(struct ring_page, capacity) == 16 && offsetof(struct ring_page, produced) == 64, "layout");
static_assert(offsetof(struct ring_page, claimed) == 72 && offsetof(struct ring_page, news) == 80, "layout");
static_assert(offsetof(struct ring_page, state) == 84 && offsetof(struct ring_page, asleep) == 128, "layout");
static_assert(offsetof(struct ring_page, range) == 24 && offsetof(struct ring_page, ranges) == 192, "layout");
static_assert(sizeof(struct ring_page) == 256 && sizeof(struct ring_index) == 64, "layout");

/* Returns the smallest capacity for that many samples: a power of two that fills whole pages, so that the samples can
 * be mapped twice in a row. Returns 0 if it exceeds most_bytes. */
uint64_t ring_capacity(uint64_t samples, size_t sample_bytes, uint64_t page_bytes, uint64_t most_bytes);

/* Sets the page of an empty ring, in zeroed memory or in that of a ring that has ended. */
void ring_page_begin(struct ring_page *page, uint64_t capacity, size_t sample_bytes, uint64_t range);

#endif
