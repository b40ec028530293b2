/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges between placements. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

struct box exchange_piece(const struct placement *from, int rank, size_t cut, int pieces, int piece)
{
	struct box boxes[MAX_BOXES], box = box_whole(0, NULL);

	for (size_t i = 0; i < TRNSCI_MAX_DIMS; i++)
		box.high[i] = UINT64_MAX;
	if (cut == NO_CUT || placement_boxes(from, rank, boxes) != 1)
		return box;
	const uint64_t low = boxes[0].low[cut], length = boxes[0].high[cut] - low;
	uint64_t begin, end;

	trnsci_rank_part(length, (uint64_t)piece, (uint64_t)pieces, &begin, &end);
	box.low[cut] = low + begin;
	box.high[cut] = low + end;
	return box;
}

static int add_part(void *arg, const struct box *box)
{
	struct exchange_list *list = arg;

	if (list->n == list->room) {
		const size_t room = list->room ? 2 * list->room : 16;
		struct part *parts = realloc(list->parts, room * sizeof *parts);

		if (!parts)
			return -TRNSCI_NO_MEMORY;
		list->parts = parts;
		list->room = room;
	}
	list->parts[list->n++].box = *box;
	return 0;
}

static int list_messages(struct exchange *x, bool sends, const struct placement *from, const struct placement *to, size_t cut)
{
	struct exchange_list *list = sends ? &x->sends : &x->receives;
	const int rank = x->mpi->rank, size = x->mpi->size;

	list->messages = calloc((size_t)x->pieces * (size_t)size, sizeof *list->messages);
	if (!list->messages)
		return -TRNSCI_NO_MEMORY;
	for (int k = 0; k < x->pieces; k++) {
		list->first[k] = list->n;
		for (int peer = 0; peer < size; peer++) {
			const int a = sends ? rank : peer, b = sends ? peer : rank;
			const struct box limit = exchange_piece(from, a, cut, x->pieces, k);
			const size_t first = list->n;
			const int r = placement_common(from, a, to, b, &limit, add_part, list);
			size_t bytes = 0;

			if (r < 0)
				return r;
			for (size_t i = first; i < list->n; i++)
				bytes += box_count(&list->parts[i].box) * x->size;
			list->messages[(size_t)k * (size_t)size + (size_t)peer].bytes = bytes;
			list->bytes += peer == rank ? 0 : bytes;
		}
	}
	list->first[x->pieces] = list->n;
	return 0;
}

/* MPI messages of one message, whose bytes are an int. */
static size_t count_requests(const struct exchange *x, const struct exchange_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < (size_t)x->pieces * (size_t)x->mpi->size; i++)
		n += (list->messages[i].bytes + x->message_bytes - 1) / x->message_bytes;
	return n;
}

int exchange_plan(struct exchange *x, struct trnsci_mpi *mpi, const struct placement *from, const struct placement *to,
		  size_t size, size_t cut, int pieces, size_t message_bytes, struct trnsci_error *err)
{
	*x = (struct exchange){.mpi = mpi, .size = size, .message_bytes = message_bytes, .pieces = pieces};
	int r = list_messages(x, true, from, to, cut);

	if (r == 0)
		r = list_messages(x, false, from, to, cut);
	if (r == 0) {
		x->room = count_requests(x, &x->sends) + count_requests(x, &x->receives);
		x->requests = calloc(x->room + 1, sizeof *x->requests);
	}
	if (r == 0 && x->requests)
		return 0;
	exchange_clear(x);
	return group_fail(err, TRNSCI_NO_MEMORY, "the list of an exchange");
}

void exchange_clear(struct exchange *x)
{
	free(x->sends.parts);
	free(x->sends.messages);
	free(x->receives.parts);
	free(x->receives.messages);
	free(x->requests);
	*x = (struct exchange){0};
}

size_t exchange_receive_bytes(const struct exchange *x)
{
	size_t bytes = 0;

	for (size_t i = 0; i < (size_t)x->pieces * (size_t)x->mpi->size; i++)
		bytes += x->receives.messages[i].bytes;
	return bytes;
}

/* Gives a message's parts their addresses, one behind the other. Returns the part behind the last. */
static size_t place_parts(const struct exchange *x, struct exchange_list *list, struct exchange_message *message, size_t i, char *at)
{
	message->at = at;
	for (size_t left = message->bytes; left > 0; i++) {
		struct part *const part = &list->parts[i];
		const size_t bytes = box_count(&part->box) * x->size;

		part->at = at;
		part_pack(part, x->size);
		at += bytes;
		left -= bytes;
	}
	return i;
}

/* What a rank sends to itself lies where it receives it. */
void exchange_attach(struct exchange *x, char *send_memory, char *receive_memory)
{
	const size_t size = (size_t)x->mpi->size, rank = (size_t)x->mpi->rank;
	size_t s = 0, r = 0;

	for (size_t i = 0; i < (size_t)x->pieces * size; i++) {
		struct exchange_message *const sent = &x->sends.messages[i], *const received = &x->receives.messages[i];

		r = place_parts(x, &x->receives, received, r, receive_memory);
		s = place_parts(x, &x->sends, sent, s, i % size == rank ? receive_memory : send_memory);
		receive_memory += received->bytes;
		send_memory += i % size == rank ? 0 : sent->bytes;
	}
}

/* Begins the MPI messages of one message. The tag is the piece; MPI keeps messages of one tag between two ranks in order. */
static int post(struct exchange *x, bool send, int piece, int peer, struct trnsci_error *err)
{
	const struct exchange_list *list = send ? &x->sends : &x->receives;
	const struct exchange_message *message = &list->messages[(size_t)piece * (size_t)x->mpi->size + (size_t)peer];
	const size_t bytes = message->bytes;
	char *const at = message->at;
	int r = 0;

	for (size_t done = 0, length; r == 0 && done < bytes; done += length) {
		MPI_Request *const request = &x->requests[x->n_requests++];

		length = bytes - done < x->message_bytes ? bytes - done : x->message_bytes;
		r = send ? group_mpi(err, MPI_Isend(at + done, (int)length, MPI_BYTE, peer, piece, x->mpi->comm, request), "MPI_Isend")
			 : group_mpi(err, MPI_Irecv(at + done, (int)length, MPI_BYTE, peer, piece, x->mpi->comm, request), "MPI_Irecv");
	}
	return r;
}

/* Goes on after a failure: exchange_end waits for what was begun. */
int exchange_begin(struct exchange *x, struct trnsci_error *err)
{
	const int size = x->mpi->size, rank = x->mpi->rank;
	const double start = MPI_Wtime();
	int r = 0;

	x->n_requests = 0;
	for (int k = 0; k < x->pieces; k++)
		for (int i = 1; i < size; i++) {
			const int peer = (rank + size - i) % size;
			const int posted = post(x, false, k, peer, err);

			r = r < 0 ? r : posted;
		}
	x->wait_s = MPI_Wtime() - start;
	return r;
}

/* Each rank begins with the rank behind it, so that not all send to the same one at once. */
int exchange_send(struct exchange *x, int piece, struct trnsci_error *err)
{
	const int size = x->mpi->size, rank = x->mpi->rank;
	const double start = MPI_Wtime();
	int r = 0, all_done;

	for (int i = 1; i < size; i++) {
		const int peer = (rank + i) % size;
		const int posted = post(x, true, piece, peer, err);

		r = r < 0 ? r : posted;
	}
	/* Lets MPI move what has arrived meanwhile. */
	if (x->pieces > 1)
		MPI_Testall((int)x->n_requests, x->requests, &all_done, MPI_STATUSES_IGNORE);
	x->wait_s += MPI_Wtime() - start;
	return r;
}

int exchange_end(struct exchange *x, struct trnsci_error *err)
{
	const double start = MPI_Wtime();
	const int r = group_mpi(err, MPI_Waitall((int)x->n_requests, x->requests, MPI_STATUSES_IGNORE), "MPI_Waitall");

	x->wait_s += MPI_Wtime() - start;
	return r;
}
