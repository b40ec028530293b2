/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of rings and broadcasts: nothing in them is trusted before it is checked. */
#include "ring_reply.h"

#include <unistd.h>

#include "base/checked.h"
#include "base/dtype.h"
#include "call/reply.h"

/* The largest ring that can be mapped twice, in bytes. */
#define DATA_BYTES_MOST ((uint64_t)1 << 40)

static bool is_power_of_two(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

static int read_dtype(const struct trnsci_call *call, struct ring_link *link)
{
	size_t size = 0;
	const char *name = trnsci_value_to_bytes(trnsci_value_get(trnsci_call_reply(call), "dtype"), &size);

	if (!name)
		return -ERROR_BAD_REPLY;
	link->dtype = (enum trnsci_dtype)dtype_parse(name, size);
	return link->dtype ? 0 : -ERROR_BAD_REPLY;
}

/* Reads which stream the samples are of. A reply with a range is of a named stream; another states the place of sample
 * 0. */
static int read_stream(const struct trnsci_call *call, struct ring_link *link, struct error *err)
{
	int r;

	if (!reply_copy_text(trnsci_call_reply(call), "generator", link->generator, sizeof link->generator))
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply names no generator", call->method);
	if ((r = call_reply_u64(call, "seed", &link->seed, err)) < 0 ||
	    (r = call_reply_u64(call, "stream", &link->stream, err)) < 0)
		return r;
	if (trnsci_value_get(trnsci_call_reply(call), "range")) {
		r = call_reply_u64(call, "range", &link->range, err);
		if (r == 0 && (link->range < link->capacity || !is_power_of_two(link->range)))
			r = error_set(err, ERROR_BAD_REPLY, "%s: ranges of %llu samples", call->method,
				      (unsigned long long)link->range);
		return r;
	}
	if ((r = call_reply_u64(call, "offset", &link->offset, err)) < 0)
		return r;
	return call_reply_u64(call, "position", &link->position, err);
}

int ring_reply_read(const struct trnsci_call *call, struct ring_link *link, uint64_t *ret_data_offset,
		    uint64_t *ret_bytes, struct error *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t sample_bytes = 0, data = 0, offset = 0, bytes = 0, element;
	int r;

	if ((r = call_reply_u64(call, "capacity", &link->capacity, err)) < 0 ||
	    (r = call_reply_u64(call, "sample_bytes", &sample_bytes, err)) < 0 ||
	    (r = call_reply_u64(call, "components", &link->components, err)) < 0 ||
	    (r = call_reply_u64(call, "data_offset", &offset, err)) < 0 ||
	    (r = call_reply_u64(call, "bytes", &bytes, err)) < 0)
		return r;
	if (read_dtype(call, link) < 0 ||
	    mul_overflows(link->components, dtype_size((enum dtype)link->dtype), &element) || sample_bytes == 0 ||
	    element != sample_bytes || link->capacity < 2 || (link->capacity & (link->capacity - 1)) != 0 ||
	    mul_overflows(link->capacity, sample_bytes, &data) || data > DATA_BYTES_MOST || data % page != 0 ||
	    offset < sizeof(struct ring_page) || offset % page != 0 || bytes != offset + data)
		return error_set(err, ERROR_BAD_REPLY, "%s: the sizes in the reply do not fit together", call->method);
	r = read_stream(call, link, err);
	if (r < 0)
		return r;
	link->sample_bytes = (size_t)sample_bytes;
	*ret_data_offset = offset;
	*ret_bytes = bytes;
	return 0;
}
