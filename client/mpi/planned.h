/* SPDX-License-Identifier: Apache-2.0 */
/* A planned transform. */
#ifndef TRNSCI_MPI_PLANNED_H
#define TRNSCI_MPI_PLANNED_H

#include "route.h"

struct six_step;

struct trnsci_mpi_fft {
	struct trnsci_mpi *mpi;
	struct route route;
	struct six_step *six_step; /* of one axis */
	struct trnsci_mpi_layout from, to;
	char norm[16];
	bool turned; /* input and output have their axes in different orders */
	double total_s;
};

#endif
