/* SPDX-License-Identifier: Apache-2.0 */
/* The array of a reply, from the socket into its call's memory. */
#include "array_input.h"

#include <string.h>

#include "call/table.h"
#include "reply_read.h"

enum { ARRAY_BYTES = 4 << 10 }; /* smaller arrays are copied sooner than looked for */

/* Returns where the next bytes of the array go; NULL if nobody waits for them any more. */
static char *find_destination(const struct array_input *array, struct trnsci_session *session)
{
	const struct trnsci_call *call = call_table_find(session, array->msgid);

	return call && call->data_to && call->data_bytes == array->size ? (char *)call->data_to + array->got : NULL;
}

/* Moves bytes of the array that the input has at `at` to where they belong. */
static void move_from_input(struct array_input *array, struct trnsci_session *session, struct input *input, size_t at)
{
	const size_t left = array->size - array->got, came = input->size - at, size = came < left ? came : left;
	char *const to = find_destination(array, session);

	if (to)
		memcpy(to, input->at + at, size);
	array->got += size;
	memmove(input->at + at, input->at + at + size, came - size);
	input->size -= size;
}

bool array_input_begin(struct array_input *array, struct trnsci_session *session, struct input *input, size_t at)
{
	struct reply_array found;

	if (session->n_arrays == 0 || array->size > 0 || !reply_find_array(input->at + at, input->size - at, &found) ||
	    found.size < ARRAY_BYTES)
		return false;
	*array = (struct array_input){.msgid = found.msgid, .size = found.size};
	if (!find_destination(array, session)) {
		array->size = 0;
		return false;
	}
	reply_empty_array(input->at + at, &found);
	move_from_input(array, session, input, at + found.at);
	return true;
}

ssize_t array_input_receive(struct array_input *array, struct trnsci_session *session, struct input *input, int socket,
			    struct fdpass *fds)
{
	char *const to = find_destination(array, session);
	const size_t before = input->size;
	ssize_t got;

	if (!to) {
		got = input_receive(input, socket, fds);
		if (got > 0)
			move_from_input(array, session, input, before);
		return got;
	}
	got = input_receive_to(to, array->size - array->got, socket, fds);
	array->got += got > 0 ? (size_t)got : 0;
	return got;
}

void array_input_end(struct array_input *array, const struct trnsci_call *call, struct value *reply)
{
	struct value *data = reply ? (struct value *)value_get(reply, "data") : NULL;

	if (array->size == 0 || array->msgid != call->msgid)
		return;
	if (data && call->data_to)
		*data = value_bytes(call->data_to, array->size);
	*array = (struct array_input){.size = 0};
}
