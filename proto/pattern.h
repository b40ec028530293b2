/* SPDX-License-Identifier: Apache-2.0 */
/* A request's bytes but for its msgid and some integers, so that one which is sent again and again is known without being
 * read. Of those integers the width is part of the pattern. */
#ifndef TRNSCI_PROTO_PATTERN_H
#define TRNSCI_PROTO_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_BYTES = 160, PATTERN_FIELDS = 3 };

/* An unsigned integer: its type byte, and how many bytes there are with it; 0: the request does not have it. */
struct pattern_field {
	uint8_t at, size;
};

struct pattern {
	size_t size;
	uint8_t bytes[PATTERN_BYTES];
	uint8_t mask[PATTERN_BYTES]; /* bits that must be equal */
	struct pattern_field msgid, fields[PATTERN_FIELDS];
};

/* Of a frame that codec_decode has taken for a request. fields: the members of params called names. false: it is longer
 * than PATTERN_BYTES, or has a value that is no number, short text or short list of those. */
bool pattern_make(const void *frame, size_t size, const char *const names[PATTERN_FIELDS], struct pattern *ret_pattern);

/* Whether bytes, of which there may be more, begin with such a request, which is then a whole frame. values: those of the
 * fields that the pattern has; the others stay as they were. */
bool pattern_match(const struct pattern *pattern, const void *bytes, size_t size, uint32_t *ret_msgid,
		   uint64_t ret_values[PATTERN_FIELDS]);

#endif
