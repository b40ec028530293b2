/* SPDX-License-Identifier: Apache-2.0 */
/* The array of a reply that is received straight into the memory where its call wants it.
 *
 * No buffer has its bytes: they are removed from the input where they came with others, and the array's header there says 0
 * bytes. So the input has a whole message at the end, which is handled as any other. All functions are called with the
 * session's lock. */
#ifndef TRNSCI_CLIENT_REMOTE_ARRAY_INPUT_H
#define TRNSCI_CLIENT_REMOTE_ARRAY_INPUT_H

#include "call/call.h"
#include "input.h"

/* Start with zero. */
struct array_input {
	uint32_t msgid; /* of the reply */
	size_t size;    /* bytes of the array; 0: there is none */
	size_t got;     /* of them: have come */
};

/* Looks whether a reply that begins at input->at + at has an array that its call waits for; if so, moves there what has come of it.
 * There is no other yet. Returns whether it has. */
bool array_input_begin(struct array_input *array, struct trnsci_session *session, struct input *input, size_t at);

/* Returns whether bytes of the array are still to come. Until then the input has nothing behind its header. */
static inline bool array_input_is_pending(const struct array_input *array)
{
	return array->got < array->size;
}

/* Receives what has come of a pending array. A call that was given up has no memory for it: then it is dropped. Returns as
 * input_receive. */
ssize_t array_input_receive(struct array_input *array, struct trnsci_session *session, struct input *input, int socket,
			    struct fdpass *fds);

/* Sets the array of a call's reply (NULL: there is none), if that is the one whose array was received. */
void array_input_end(struct array_input *array, const struct trnsci_call *call, struct value *reply);

#endif
