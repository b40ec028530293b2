/* SPDX-License-Identifier: Apache-2.0 */
/* An operation over arrays from files, piece by piece: a piece is as many items as fit tiles of a few megabytes.
 *
 * An item is what the operation transforms at once: the last axes of the first input. The axes before only count items, so any
 * number of items makes a piece. An item's bytes do not depend on its place in a batch. The engine gives a piece of the
 * result its shape and dtype.
 *
 * An item that is larger than a piece may slide: it is cut along an axis into stretches that overlap. */
#ifndef TRNSCI_CLI_COMMANDS_PIECES_H
#define TRNSCI_CLI_COMMANDS_PIECES_H

#include "cli.h"
#include "files/input.h"
#include "files/output.h"
#include "options/options.h"

enum { PIECES_INPUTS = 3 };

/* Writes a result as lines of text. input: the first one. An exit code. */
typedef int write_text_fn(struct output *output, const struct options *options, const struct input *input,
			  const struct trnsci_tile_info *result, const void *data);

/* A stretch of an item, [begin, end) along the axis that slides, and what of its result is kept. */
struct cut {
	uint64_t begin, end;
	uint64_t skip, keep; /* along the result's own axis: elements to leave out, then to write; 0: nothing yet */
	bool last;
};

/* How an item slides. Axes count from the end: 1 is the last one. */
struct slide {
	size_t axis;         /* of the inputs, which have one shape */
	uint64_t length;     /* of that axis */
	size_t out_axis;     /* of the result; 0: the last stretch gives all of it */
	uint64_t out_length; /* of that axis, of the item's whole result */
	void *arg;
	/* Sets the next stretch, which begins at most where the one before ended, and its parameters. before: the result of the
	 * stretch before, NULL at the first of an item. */
	void (*next)(void *arg, struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut);
};

struct pieces {
	/* The operation and its parameters. */
	const struct options *options;
	int (*set_parameters)(void *arg, struct trnsci_args *args); /* before the first piece; an exit code */
	void (*move)(void *arg, struct trnsci_args *args, uint64_t item); /* before a piece that begins there; NULL: nothing changes */
	void *arg;

	/* The inputs. */
	struct input inputs[PIECES_INPUTS];
	const char *names[PIECES_INPUTS]; /* of the parameters that the inputs are */
	size_t n_inputs;
	size_t trailing;     /* axes of the first input that make an item; all of them: one item */
	/* Returns whether an item can slide in stretches of about `room` elements of the first input, and how. NULL: it cannot. */
	bool (*slide)(void *arg, uint64_t room, struct slide *ret);
	uint64_t most_count; /* elements of an item or of its result, where that is known to be larger; 0: as the input */
	const char *unit;    /* items, for the line of progress */

	/* The result. */
	void (*report)(const struct trnsci_value *reply); /* with -v, of the first piece; NULL: nothing to say */
	/* Looks at a piece before it is written: the first input and the result. NULL: nothing to look at. */
	void (*look)(void *arg, const struct output *output, const struct trnsci_tile *in, const struct trnsci_tile *out);
	write_text_fn *write_text; /* of a result that is one piece; NULL: as any array */
};

/* Runs the operation over all pieces, and writes the result. An exit code. */
int pieces_run(struct pieces *pieces, const struct cli *cli);

#endif
