/* SPDX-License-Identifier: Apache-2.0 */
/* Reading spans. */
#include "span.h"

#include "call.h"
#include "reply.h"

static int read_number(const struct trnsci_value *reply, const char *method, const char *name, uint64_t *ret,
		       struct error *err)
{
	if (trnsci_value_to_u64(trnsci_value_get(reply, name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no number %s", method, name);
	return 0;
}

/* The reply's `next` is nil at the end of the stream, word 2^64, or where no call of a layout follows; such a call may end at any word.
 */
static int read_next(const struct trnsci_value *reply, const char *method, struct trnsci_span *span, struct error *err)
{
	const struct trnsci_value *next = trnsci_value_get(reply, "next");
	const unsigned multiple = trnsci_value_get(reply, "layout") ? 1 : 4;
	int r = 0;

	span->next = TRNSCI_END_OF_WORDS;
	span->ended = next && trnsci_value_kind(next) == TRNSCI_NIL;
	if (!span->ended)
		r = read_number(reply, method, "next", &span->next, err);
	if (r == 0 && !span->ended && (span->next < span->position || span->next % multiple))
		r = error_set(err, ERROR_BAD_REPLY, "%s: next: %llu is no place after the draw", method,
			      (unsigned long long)span->next);
	return r;
}

int span_read(const struct trnsci_value *reply, const char *method, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_span span = {.next = 0};
	int r = 0;

	if (!reply_copy_text(reply, "generator", span.generator, sizeof span.generator))
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no generator", method);
	if ((r = read_number(reply, method, "seed", &span.seed, err)) < 0 ||
	    (r = read_number(reply, method, "stream", &span.stream, err)) < 0 ||
	    (r = read_number(reply, method, "offset", &span.offset, err)) < 0 ||
	    (r = read_number(reply, method, "position", &span.position, err)) < 0 ||
	    (r = read_next(reply, method, &span, err)) < 0)
		return r;
	*ret_span = span;
	return 0;
}

int trnsci_call_span(const struct trnsci_call *call, struct trnsci_span *ret_span)
{
	return call ? span_read(trnsci_call_reply(call), call->method, ret_span, NULL) : -TRNSCI_BAD_REPLY;
}
