/* SPDX-License-Identifier: Apache-2.0 */
/* Moves an array from one placement to another.
 *
 * Each pair of ranks has one message for each piece. Pieces cut what a rank holds along one axis, so that one is on its way
 * while the next is computed. All receives are posted at the beginning.
 *
 *     exchange_plan       once: which boxes go to whom, in the same order on both sides
 *     exchange_attach     once: addresses in the two memories, which are the caller's and must outlive the exchange
 *     exchange_begin      each run: posts all receives
 *     exchange_send       each run: for every piece, in order, when its parts are filled
 *     exchange_end        each run: waits; then the receiving memory is complete, and the sending memory is free again */
#ifndef TRNSCI_MPI_EXCHANGE_H
#define TRNSCI_MPI_EXCHANGE_H

#include "placement.h"

enum { EXCHANGE_PIECES = 8, NO_CUT = TRNSCI_MAX_DIMS };

struct exchange_message {
	char *at;
	size_t bytes;
};

struct exchange_list {
	struct part *parts; /* by piece, and by peer inside a piece */
	size_t n, room;
	struct exchange_message *messages; /* of piece k and peer p: messages[k size + p] */
	size_t first[EXCHANGE_PIECES + 1]; /* part at which a piece begins */
	size_t bytes;	    /* of all messages but those to oneself, which are not sent */
};

struct exchange {
	struct trnsci_mpi *mpi;
	size_t size; /* bytes of an element */
	size_t message_bytes; /* most of one MPI message, whose count is an int; a longer message is cut */
	int pieces;           /* 1 to EXCHANGE_PIECES */
	struct exchange_list sends, receives;
	MPI_Request *requests; /* owned */
	size_t n_requests, room; /* begun in this run, and allocated */
	double wait_s; /* seconds spent in MPI since exchange_begin */
};

/* Plans an exchange; `cut` is the axis of pieces, or NO_CUT. -ERROR_NO_MEMORY leaves nothing behind. */
int exchange_plan(struct exchange *x, struct trnsci_mpi *mpi, const struct placement *from, const struct placement *to,
		  size_t size, size_t cut, int pieces, size_t message_bytes, struct trnsci_error *err);
void exchange_clear(struct exchange *x);
/* Bytes of the memory that receives, what the rank keeps included. */
size_t exchange_receive_bytes(const struct exchange *x);
/* Gives the parts their addresses. */
void exchange_attach(struct exchange *x, char *send_memory, char *receive_memory);
/* The box of a piece of what the rank holds. */
struct box exchange_piece(const struct placement *from, int rank, size_t cut, int pieces, int piece);
int exchange_begin(struct exchange *x, struct trnsci_error *err);
/* Sends a piece whose parts have been filled. */
int exchange_send(struct exchange *x, int piece, struct trnsci_error *err);
int exchange_end(struct exchange *x, struct trnsci_error *err);

#endif
