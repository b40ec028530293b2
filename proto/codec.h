/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack-RPC messages to value trees and back. The only place that knows msgpack. */
#ifndef TRNSCI_PROTO_CODEC_H
#define TRNSCI_PROTO_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"

enum message_type { MESSAGE_REQUEST = 0, MESSAGE_RESPONSE = 1, MESSAGE_NOTIFICATION = 2 };

struct message {
	enum message_type type;
	uint32_t msgid;     /* requests and responses */
	const char *method; /* requests and notifications; method_size bytes */
	size_t method_size;
	struct value params; /* requests and notifications: always a map, empty for [] */
	struct error error;  /* responses: code 0 when there was none */
	struct value result; /* responses without error */
};

/* Decodes one whole frame that frame_scan has accepted. The tree is made in bump; its strings and bytes are borrowed from
 * frame, which must live as long as bump. err may be NULL. Returns 0 or:
 * -ERROR_BAD_FRAME   not a message: the connection cannot go on;
 * -ERROR_WRONG_TYPE  a request whose params are not an array of at most one map: ret_message has its type and msgid, so
 *                    that it can be answered;
 * -ERROR_NO_MEMORY. */
int codec_decode(const void *frame, size_t size, struct bump *bump, struct message *ret_message, struct error *err);

/* Bytes being written: grows as needed; zero-initialise, free with codec_buffer_free. */
struct codec_buffer {
	char *at;
	size_t size, room;
};

void codec_buffer_free(struct codec_buffer *buffer);

/* Append one message each. -ERROR_NO_MEMORY leaves the buffer as it was. params and result may be NULL (an empty map,
 * nil). A response with error (code not 0) carries [kind, text]. */
int codec_request(struct codec_buffer *buffer, uint32_t msgid, const char *method, const struct value *params);
int codec_response(struct codec_buffer *buffer, uint32_t msgid, const struct error *error, const struct value *result);

/* Bytes of a message that stay where they are: they belong between the buffer's first `at` bytes and the rest. */
struct codec_gap {
	size_t at;
	const char *bytes;
	size_t size;
};

enum { CODEC_GAP_BYTES = 32 << 10, CODEC_GAPS_MAX = 64 };

/* As codec_response, but BYTES of CODEC_GAP_BYTES or more are not copied: they are listed in *ret_count gaps, in order.
 * The result must live until they are sent. */
int codec_response_gaps(struct codec_buffer *buffer, uint32_t msgid, const struct error *error,
			const struct value *result, struct codec_gap ret_gaps[CODEC_GAPS_MAX], size_t *ret_count);

int codec_notification(struct codec_buffer *buffer, const char *method, const struct value *params);

#endif
