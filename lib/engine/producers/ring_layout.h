/* SPDX-License-Identifier: Apache-2.0 */
/* The shared pages of rings and broadcasts: a wire format, little endian, version 1.
 *
 * Samples lie behind the first page of their memory: sample k at byte (k mod capacity) x sample_bytes. One side writes
 * each page, the other reads it, and nothing that is read is believed: whoever reads an index copies it once, and
 * compares it with what it knows itself. Counters of samples count from 0 and never wrap. */
#ifndef TRNSCI_ENGINE_RING_LAYOUT_H
#define TRNSCI_ENGINE_RING_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_VERSION = 1, RING_RANGES = 4 };

#define RING_MAGIC UINT64_C(0x676e697269636e74) /* "tnciring" */

/* Why no more samples come; the number of an error beyond these. */
enum { RING_OPEN = 0 };

/* First page of the samples' memory, written by the filler only. */
struct ring_page {
	uint64_t magic;
	uint32_t version;
	uint32_t sample_bytes;
	uint64_t capacity; /* samples */
	uint64_t range;    /* of a named stream: samples of each of its ranges, the capacity; otherwise 0 */
	uint8_t pad_0[32];
	/* A line of the filler's. */
	_Atomic uint64_t produced; /* samples below are there (of a broadcast: but for those overwritten since) */
	_Atomic uint64_t claimed;  /* broadcast: samples below may be overwritten those a capacity before them */
	_Atomic uint32_t news;     /* futex: one more whenever produced or state has changed */
	_Atomic uint32_t state;    /* RING_OPEN, or an error's number */
	uint8_t pad_1[40];
	/* A line that the taker reads once in half a ring. */
	_Atomic uint32_t asleep; /* ring: not 0 while the filler has to be woken once half the ring is free */
	uint8_t pad_2[60];
	/* Where range r = k / range of a named stream begins, in samples of the stream: [r mod 4], set before its first
	 * sample is there. What a capacity holds lies in two ranges, so none is replaced that is still of use. */
	_Atomic uint64_t ranges[RING_RANGES];
	uint8_t pad_3[32];
};

/* A ring's second memory, one page, written by its taker only. */
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

/* The capacity that holds so many samples: a power of two that fills whole pages, so that the samples can be mapped
 * twice in a row. 0 when that is more than most_bytes. */
uint64_t ring_capacity(uint64_t samples, size_t sample_bytes, uint64_t page_bytes, uint64_t most_bytes);

/* The page of an empty ring, in memory that is 0, or that a ring which has ended has left. */
void ring_page_begin(struct ring_page *page, uint64_t capacity, size_t sample_bytes, uint64_t range);

#endif
