/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that a space keeps: sent, checked and compiled once; a run brings its seed, stream and position, and keeps its
 * program until it is answered. */
#ifndef TRNSCI_ENGINE_KEPT_H
#define TRNSCI_ENGINE_KEPT_H

#include "engine/compile.h"

struct kept;

/* args: of program_new. A program with a mistake is refused as `run` would. -ERROR_LIMIT names `programs`, or what the
 * space's owner says of the memory. What it gives is yours, until it is kept or dropped. */
int kept_begin(struct space *space, const struct args *args, struct kept **ret_kept, struct error *err);
/* Makes what is large in it, by pieces, while the request lives: as making_go_on. */
int kept_go_on(struct kept *kept, struct error *err);
bool kept_is_made(const struct kept *kept);
uint64_t kept_work_bytes(const struct kept *kept); /* that this takes meanwhile */
/* Once it is made, gives it to the space. Handles are never reused in a space. -ERROR_CLOSED, -ERROR_LIMIT */
int kept_keep(struct space *space, struct kept *kept, uint32_t *ret_handle, struct error *err);
void kept_drop(struct kept *kept); /* accepts NULL */

/* -ERROR_BAD_TILE: no such program. */
int kept_free(struct space *space, uint64_t handle, struct error *err);
void kept_free_all(struct space *space);

/* Compiles the program_run that is bound. */
int kept_compile(struct compiler *compiler);

#endif
