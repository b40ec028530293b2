/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of arrays of one long axis. */
#ifndef TRNSCI_MPI_SIX_STEP_H
#define TRNSCI_MPI_SIX_STEP_H

#include "planned.h"

/* Plans a transform of one axis; options were checked. */
int six_step_plan(struct trnsci_mpi_fft *fft, const struct trnsci_mpi_layout *from, const struct trnsci_mpi_fft_options *options,
	      struct trnsci_error *err);
/* Collective, after six_step_plan has succeeded on every rank: what must be computed once. */
int six_step_prepare(struct trnsci_mpi_fft *fft, struct trnsci_error *err);
int six_step_run(struct trnsci_mpi_fft *fft, const void *in, void *out, struct trnsci_error *err);
void six_step_clear(struct trnsci_mpi_fft *fft);
/* Adds what the second route of a chirp takes, and copies. */
void six_step_describe(const struct trnsci_mpi_fft *fft, void (*add)(const struct route *route, struct trnsci_mpi_fft_info *info),
		   struct trnsci_mpi_fft_info *info);

#endif
