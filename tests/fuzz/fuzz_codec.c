/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's bytes as the daemon reads them: the scan, then the decoder; what was read is written and read
 * again, and must be written alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "codec.h"
#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode(const struct message *message, struct codec_buffer *buffer)
{
	char method[64] = "";

	memcpy(method, message->method ? message->method : "", size_min(message->method_size, sizeof method - 1));
	if (message->type == MESSAGE_RESPONSE)
		codec_response(buffer, message->msgid, &message->error, &message->result);
	else if (message->type == MESSAGE_REQUEST)
		codec_request(buffer, message->msgid, method, &message->params);
	else
		codec_notification(buffer, method, &message->params);
}

static void there_and_back(const struct message *message)
{
	struct codec_buffer first = {0}, second = {0};
	struct bump *bump = bump_new();
	struct message again;

	encode(message, &first);
	if (codec_decode(first.at, first.size, bump, &again, NULL) < 0)
		abort();
	encode(&again, &second);
	if (first.size != second.size || memcmp(first.at, second.at, first.size) != 0)
		abort();
	codec_buffer_free(&first);
	codec_buffer_free(&second);
	bump_free(bump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_limits limits = {.bytes = 1 << 16};
	struct frame_scan scan;
	size_t length;

	for (;;) {
		frame_scan_init(&scan, &limits);
		if (frame_scan_more(&scan, data, size, &length) <= 0)
			return 0;
		struct bump *bump = bump_new();
		struct message message;
		struct error err;
		int r = codec_decode(data, length, bump, &message, &err);

		if (r == 0)
			there_and_back(&message);
		bump_free(bump);
		if (r < 0 && r != -ERROR_WRONG_TYPE)
			return 0;
		data += length;
		size -= length;
	}
}
