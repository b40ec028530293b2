/* SPDX-License-Identifier: Apache-2.0 */
/* A request's bytes, to know requests that differ from it only in their msgid, seed, stream and offset.
 *
 * Programs that draw again and again send such requests. To compare them with the pattern takes less time than to decode them;
 * what stands in the places of the numbers is read on the way. */
#ifndef TRNSCI_PROTO_REQUEST_PATTERN_H
#define TRNSCI_PROTO_REQUEST_PATTERN_H

#include "codec.h"
#include "run_prepared.h"

enum { REQUEST_PATTERN_BYTES = 224, REQUEST_PATTERN_NUMBERS = 3 };

struct request_pattern {
	uint16_t size;      /* of `bytes`; 0: matches nothing */
	uint16_t n_numbers;
	struct {
		uint16_t at;     /* in `bytes`: the number stands before that byte */
		uint16_t member; /* RUN_PREPARED_SEED ... */
	} numbers[REQUEST_PATTERN_NUMBERS];
	uint8_t bytes[REQUEST_PATTERN_BYTES]; /* from the method on, without the numbers */
};

/* Makes the pattern of a request from its frame and what codec_decode has made of it. Returns false if it is too long or not
 * written in the usual way; then *ret_pattern matches nothing. */
bool request_pattern_make(const void *frame, size_t size, const struct message *message, struct request_pattern *ret_pattern);

/* Compares the request at the beginning of these bytes, which are not trusted, with a pattern. Returns the size of its message and
 * sets user (its msgid), given and the given numbers of *ret_run; or returns 0: it is another, or not whole. */
size_t request_pattern_match(const struct request_pattern *pattern, const void *bytes, size_t size, struct run_prepared *ret_run);

#endif
