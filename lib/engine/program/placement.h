/* SPDX-License-Identifier: Apache-2.0 */
/* Adds placements while a program is compiled, and seeks before each run. */
#ifndef TRNSCI_ENGINE_PLACEMENT_H
#define TRNSCI_ENGINE_PLACEMENT_H

#include "engine/program/run.h"

/* Adds a draw's placement, in the program's bump allocator. name: the named stream that it draws from, or NULL. Returns
 * 0 with its index, or -ERROR_NO_MEMORY. */
int placement_add(struct program *program, const struct placement *placement, const struct value *name, int *ret_index);

/* Puts the members that placement_seek will fill in into map. -ERROR_NO_MEMORY */
int placement_put(struct program *program, int index, struct value *map);

/* Returns whether a named stream must reserve words first. */
bool placement_waits(const struct run *run);

/* "run: steps[3] normal"; returns text. */
enum { PLACEMENT_CONTEXT = 160 };
const char *placement_context(const struct placement *placement, char text[PLACEMENT_CONTEXT]);

/* Finds the position of every placement, and writes it to the run's positions and its reply. The reservations of all named
 * streams must be there. Returns 0, -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM or -ERROR_NO_MEMORY. */
int placement_seek(struct run *run, struct error *err);

/* What is the same in every run of a single draw that states its stream and where it begins there. */
struct placement_fixed {
	enum generator generator;
	uint64_t most_stream; /* of the generator */
	uint64_t start;  /* the sample at the word that it states */
	uint64_t n;      /* samples of the whole draw */
	uint64_t begin;  /* the first of them that is produced */
	unsigned words, components; /* of a sample */
};

/* Returns false where a run is no such draw: placement_seek does it. */
bool placement_fix(const struct run *run, struct placement_fixed *ret);

/* Sets the only position of such a run, which placement_seek has set before. Returns false if there is no such stream, or if
 * it ends before the draw does. */
bool placement_seek_fixed(const struct placement_fixed *fixed, uint64_t seed, uint64_t stream, uint64_t offset,
			  struct position *position, struct draw_position *ret_position);

#endif
