/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that a space keeps: sent, checked and compiled once; a run brings its seed, stream and position, and keeps its
 * program until it is answered. */
#ifndef TRNSCI_ENGINE_KEPT_H
#define TRNSCI_ENGINE_KEPT_H

#include "engine/compile.h"

/* args: of program_new. A program with a mistake is refused as `run` would. -ERROR_LIMIT names `programs`, or what the
 * space's owner says of the memory. Handles are never reused in a space. */
int kept_create(struct space *space, const struct args *args, uint32_t *ret_handle, struct error *err);
/* -ERROR_BAD_TILE: no such program. */
int kept_free(struct space *space, uint64_t handle, struct error *err);
void kept_free_all(struct space *space);

/* Compiles the program_run that is bound. */
int kept_compile(struct compiler *compiler);

#endif
