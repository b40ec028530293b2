/* SPDX-License-Identifier: Apache-2.0 */
/* A group: a communicator of the library's own, this rank's session, and how ranks agree on an error.
 *
 * A collective function must be called by every rank of the group, also by one that has failed before: it passes its error as
 * `result`. A rank that returned instead would leave the others waiting for ever. */
#ifndef TRNSCI_MPI_GROUP_H
#define TRNSCI_MPI_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include <trnsci/trnsci-mpi.h>

struct trnsci_mpi {
	MPI_Comm comm; /* errors of MPI are returned */
	int rank, size;
	int ranks_embedded; /* how many of the ranks have an embedded engine */
	unsigned threads; /* of an embedded engine; 0: a daemon's */
	bool embedded;    /* this rank's session */
	bool cpu_differs; /* ranks have instruction sets whose transforms have different bytes */
	char cpu[24];     /* instruction set of this rank's engine, as `stats` names it */
	struct trnsci_session *session; /* owned */
};

/* Writes "NAME: text" into err, which may be NULL, and returns -code. */
int group_fail(struct trnsci_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The error of an MPI function: 0 for MPI_SUCCESS. */
int group_mpi(struct trnsci_error *err, int result, const char *function);
/* Collective. Every rank gives its own result and error; all get those of the lowest rank that failed. That error names the
 * rank: it must not be agreed on once more. */
int group_agree(struct trnsci_mpi *mpi, int result, struct trnsci_error *err);
/* Adds bytes to a hash, which begins with GROUP_HASH. */
#define GROUP_HASH 14695981039346656037u
uint64_t group_hash(const void *bytes, size_t size, uint64_t hash);
/* Collective. Fails where the bytes differ from those of rank 0; `what` names them. Includes group_agree of result. */
int group_agree_same(struct trnsci_mpi *mpi, int result, const void *bytes, size_t size, const char *what,
		     struct trnsci_error *err);

#endif
