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
	/* Sets the next stretch, which begins at most where the one before ended, and its parameters. before: the result of the
	 * stretch before, NULL at the first of an item. */
	void (*next)(struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut);
};

struct pieces;

/* The axes that make an item, where no parameter `axis` or `axes` states them. */
enum item { ITEM_BY_AXES, ITEM_ELEMENT, ITEM_LAST_AXIS, ITEM_LAST_TWO };

/* What an operation is, beside its row in the table of operations: along which axes long input may be cut, and what the
 * command does with its options and its result. Functions may be NULL. */
struct rules {
	enum item item;
	/* Returns whether an item can slide in stretches of about `room` elements, and how. */
	bool (*slide)(const struct pieces *pieces, uint64_t room, struct slide *ret);

	const char *optional, *optional_file; /* an input that may be missing: the parameter, and the option that has its file */
	int (*read_row)(const struct options *options, uint64_t *ret); /* elements of a row of raw input; an exit code */
	int (*prepare)(struct pieces *pieces); /* the inputs are open; an exit code */
	int (*set)(struct pieces *pieces, struct trnsci_args *args); /* behind the options' parameters; an exit code */
	void (*move)(uint64_t item);           /* before a piece that begins there */

	void (*report)(const struct trnsci_value *reply); /* with -v, of the first piece */
	void (*print)(const struct cli *cli, const struct trnsci_value *reply); /* the reply is the result: no array is written */
	/* Looks at a piece before it is written: the first input and the result. */
	void (*look)(const struct output *output, const struct trnsci_tile *in, const struct trnsci_tile *out);
	/* Writes a result that is one piece as lines of text; an exit code. */
	int (*write_text)(struct output *output, const struct pieces *pieces, const struct trnsci_tile_info *result, const void *data);
	void (*end)(const struct options *options); /* all is written */
};

struct pieces {
	const struct options *options;
	const struct rules *rules;
	struct input inputs[PIECES_INPUTS];
	const char *names[PIECES_INPUTS]; /* of the parameters that the inputs are */
	size_t n_inputs;
	int64_t axes[TRNSCI_MAX_DIMS]; /* that are transformed, negative: counted from the end, they mean the same in a piece */
	size_t n_axes;       /* 0: no parameter states them */
	size_t trailing;     /* axes of the first input that make an item; all of them: one item */
	uint64_t most_count; /* elements of an item or of its result, where that is known to be larger; 0: as the input */
};

/* Whether the result is written as lines that the rules' write_text makes. */
bool pieces_write_text(const struct pieces *pieces);

/* Runs the operation over all pieces, and writes the result. An exit code. */
int pieces_run(struct pieces *pieces, struct cli *cli);

#endif
