/* SPDX-License-Identifier: Apache-2.0 */
/* Where one MessagePack value ends, found without allocating and before any unpacker sees it.
 *
 * Each byte is looked at once, however slowly it comes. Counts are held against what the limits leave, so a header
 * that promises four billion elements is refused at its fifth byte. */
#ifndef TRNSCI_PROTO_FRAME_H
#define TRNSCI_PROTO_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { FRAME_MAX_DEPTH = 24 };

struct frame_limits {
	size_t bytes;    /* of one frame [32 MiB] */
	size_t elements; /* arrays' elements, maps' keys and values, all levels together [65536] */
	unsigned depth;  /* of nesting [FRAME_MAX_DEPTH, which is also the most allowed] */
};

struct frame_scan {
	struct frame_limits limits;
	size_t at;           /* bytes understood so far */
	size_t elements;     /* elements promised so far */
	unsigned depth;      /* open containers */
	uint64_t open[FRAME_MAX_DEPTH + 1]; /* values each of them still awaits */
	const char *wrong;   /* after an error: what was wrong, what is allowed */
};

/* Zero limits stand for the defaults in brackets. */
void frame_scan_init(struct frame_scan *scan, const struct frame_limits *limits);

/* bytes: everything received of the current frame (and perhaps more), from its first byte, size bytes in all. 1: the
 * frame is complete, *ret_size its length; call frame_scan_init before the next. 0: more bytes are needed.
 * -ERROR_BAD_FRAME: scan->wrong says why; the connection cannot go on. */
int frame_scan_more(struct frame_scan *scan, const void *bytes, size_t size, size_t *ret_size);

#endif
