/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as the daemon reads them. */
#ifndef TRNSCI_TESTS_PROTO_SCANNED_H
#define TRNSCI_TESTS_PROTO_SCANNED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec.h"
#include "frame.h"

/* What the daemon does with bytes: the scan first, then the decoder. Reads the bytes from their own allocation, so
 * that a sanitizer sees one read too many. */
static inline int decode(const void *bytes, size_t size, struct bump *bump, struct message *ret, struct error *err)
{
	struct frame_scan scan;
	size_t length;
	char *frame = bump_copy(bump, bytes, size);

	frame_scan_init(&scan, NULL);
	int r = frame_scan_more(&scan, frame, size, &length);
	if (r <= 0)
		return r < 0 ? r : -ERROR_TIMEOUT;
	return codec_decode(frame, length, bump, ret, err);
}

#endif
