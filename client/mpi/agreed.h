/* SPDX-License-Identifier: Apache-2.0 */
/* What a draw or a field is: the same on all ranks. */
#ifndef TRNSCI_MPI_AGREED_H
#define TRNSCI_MPI_AGREED_H

#include "layout.h"

/* Collective. Fails where this is not the same on all ranks: the distribution (NULL: none), its parameters (NULL: none) but for addresses,
 * the source, the dtype and the layout; `what` names them. Includes group_agree of result. */
int agree_draw(struct trnsci_mpi *mpi, int result, const char *distribution, const struct trnsci_param *params,
	       const struct trnsci_source *source, enum trnsci_dtype dtype, const struct trnsci_mpi_layout *layout, const char *what,
	       struct trnsci_error *err);

#endif
