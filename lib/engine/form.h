/* SPDX-License-Identifier: Apache-2.0 */
/* Forms: a program compiled but for what each run brings, its positions, its results' memory and its tiles.
 *
 * A form is never written once it is made, so any number of runs take it at once; but for its constants: what neither
 * draws nor tiles have a part in (windows, the spectra of a kernel that came with the program) is computed by the first
 * run, which leaves it to those that begin after its end. Plans are taken anew by each run: a form that held them would
 * keep them from being dropped. */
#ifndef TRNSCI_ENGINE_FORM_H
#define TRNSCI_ENGINE_FORM_H

#include "engine/compile.h"

struct form;

/* Compiles the program that run states; what is wrong is told as `run` would. The form lies in zone, which is nobody
 * else's, and ends before it by form_end. *ret_bytes: what it holds, its constants included. */
int form_make(struct space *space, const struct args *run, struct zone *zone, struct form **ret_form,
	      uint64_t *ret_bytes, struct error *err);
void form_end(struct form *form); /* accepts NULL */

/* What is large in it is made by pieces, before its first run and while its request lives: as making_go_on. */
int form_go_on(struct form *form, struct error *err);
bool form_is_made(const struct form *form);
uint64_t form_work_bytes(const struct form *form); /* that their making takes meanwhile */

/* A tile that a run uses instead of another. */
struct form_swap {
	uint64_t from, to;
};

/* What stands for each tile of the program in a run, in zone: each for one, and none for two, since what is written in
 * place is laid out apart. The first pair of a tile counts. context begins an error's text. -ERROR_BAD_TILE */
int form_swap(const struct form *form, struct zone *zone, const struct form_swap *swaps, size_t n_swaps,
	      const char *context, uint64_t **ret_to, struct error *err);

/* A run of it, in program's own zone: with its tiles, which are there and of the shapes it was compiled for, its own
 * results, and the reply, but not placed. to: form_swap's, or NULL. -ERROR_BAD_TILE, -ERROR_BAD_SHAPE, -ERROR_NO_MEMORY; program_end is then to
 * be called, too. */
int form_bind(struct form *form, struct program *program, const uint64_t *to, struct value *reply, struct error *err);

/* A run has come to its end, and nothing of it failed. Any thread. */
void form_learn(struct form *form, struct program *program);

#endif
