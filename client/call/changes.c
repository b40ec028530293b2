/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of one run, by the names of parameters. */
#include "changes.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "session/tile.h"

/* The handle of a tile that was freed: no tile has it, so the engine refuses it. */
#define NO_TILE UINT32_MAX

struct reading {
	struct call_changes *changes;
	const char *method;
	const struct args_state *args;
	const struct trnsci_param *list;
	struct error *err;
};

static int refuse(const struct reading *reading, const struct trnsci_param *param, enum error_code code, const char *why)
{
	return error_set(reading->err, code, "%s: changes: %s: %s", reading->method, param->name ? param->name : "name of a parameter", why);
}

/* ---- numbers ---- */

static const struct number {
	const char *name;
	unsigned bit;
	size_t at; /* in struct prepared_changes */
} numbers[] = {
	{"seed", PREPARED_SEED, offsetof(struct prepared_changes, seed)},
	{"stream", PREPARED_STREAM, offsetof(struct prepared_changes, stream)},
	{"offset", PREPARED_OFFSET, offsetof(struct prepared_changes, offset)},
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static uint64_t *number_at(const struct prepared_changes *run, const struct number *number)
{
	return (uint64_t *)((char *)run + number->at);
}

/* Returns NULL if there is none of that name. */
static const struct number *find_number(const char *name)
{
	const struct number *number = numbers;

	while (number < numbers + N_NUMBERS && (*number->name != *name || strcmp(number->name, name) != 0))
		number++;
	return number < numbers + N_NUMBERS ? number : NULL;
}

static int read_number(const struct reading *reading, const struct trnsci_param *param, const struct number *number)
{
	if (param->kind != TRNSCI_PARAM_U64 && (param->kind != TRNSCI_PARAM_I64 || param->value.i64 < 0))
		return refuse(reading, param, param->kind == TRNSCI_PARAM_I64 ? ERROR_OUT_OF_RANGE : ERROR_WRONG_TYPE,
			      "no unsigned integer, allowed are 0 to 2^64 - 1");
	*number_at(&reading->changes->run, number) = param->value.u64;
	reading->changes->run.given |= number->bit;
	return 0;
}

/* ---- tiles by name ---- */

/* A search for the tile that a parameter has as its value: `name`, in a program of the step of that number. */
struct naming {
	const char *name;
	size_t step;
	bool program;
	struct trnsci_tile *found;
	size_t place; /* of the tile among those that the call names */
	const struct trnsci_tile *before[ARGS_SWAPS];
};

/* Counts the tiles on the way to the one that is searched, each once. */
static bool find_name(void *arg, const struct args_tile *at)
{
	struct naming *naming = arg;
	size_t i = 0;

	while (i < naming->place && naming->before[i] != at->tile)
		i++;
	if (strcmp(at->name, naming->name) == 0 && (!naming->program || at->step_number == naming->step)) {
		naming->found = at->tile;
		naming->place = i;
		return true;
	}
	if (i == naming->place && i < ARGS_SWAPS)
		naming->before[naming->place++] = at->tile;
	return false;
}

/* Finds the tile of "out", in a program of "2.out". */
static struct naming find_tile(const struct reading *reading, const char *name)
{
	struct naming naming = {.name = name, .program = strcmp(reading->method, "run") == 0};
	char *end;

	if (naming.program) {
		naming.step = strtoul(name, &end, 10);
		if (*name < '0' || *name > '9' || *end != '.')
			return naming;
		naming.name = end + 1;
	}
	args_visit_tiles(reading->args, NULL, find_name, &naming);
	return naming;
}

static int check_shape(const struct reading *reading, const struct trnsci_param *param, const struct trnsci_tile *from)
{
	const struct trnsci_tile *to = param->value.tile;
	char shape[80], allowed[80];

	if (to->dtype == from->dtype && to->ndim == from->ndim && memcmp(to->shape, from->shape, to->ndim * sizeof *to->shape) == 0)
		return 0;
	tile_write_shape(to, shape, sizeof shape);
	tile_write_shape(from, allowed, sizeof allowed);
	return error_set(reading->err, ERROR_BAD_SHAPE, "%s: changes: %s: got a tile %s, allowed is %s", reading->method, param->name,
			 shape, allowed);
}

static int read_tile(const struct reading *reading, const struct trnsci_param *param, const struct naming *naming)
{
	struct call_changes *changes = reading->changes;
	size_t i = 0;
	int r;

	if (param->kind != TRNSCI_PARAM_TILE && param->kind != TRNSCI_PARAM_TILE_ELEMENTS)
		return refuse(reading, param, ERROR_WRONG_TYPE, "no tile, allowed is a tile");
	if (!param->value.tile)
		return refuse(reading, param, ERROR_BAD_TILE, "missing, allowed is a tile");
	if (param->value.tile->session != reading->args->session)
		return refuse(reading, param, ERROR_BAD_TILE, "the tile is of another session, allowed are those of this one");
	r = check_shape(reading, param, naming->found);
	while (i < changes->n_tiles && changes->tiles[i].from != naming->found)
		i++;
	if (r < 0 || (i < changes->n_tiles && changes->tiles[i].to == param->value.tile))
		return r;
	if (i < changes->n_tiles)
		return refuse(reading, param, ERROR_BAD_TILE, "its tile has another in its place already, allowed is one");
	if (i == ARGS_SWAPS)
		return refuse(reading, param, ERROR_OUT_OF_RANGE, "more than 6 tiles, allowed are 6");
	changes->tiles[i].from = naming->found;
	changes->tiles[i].to = tile_ref(param->value.tile);
	changes->tiles[i].place = naming->place;
	changes->n_tiles++;
	return 0;
}

/* ---- the list ---- */

static int read_change(const struct reading *reading, const struct trnsci_param *list, const struct trnsci_param *param)
{
	const struct number *number;
	struct naming naming;

	if (!param->name)
		return refuse(reading, param, ERROR_MISSING_PARAMETER, "missing");
	for (; list < param; list++)
		if (strcmp(list->name, param->name) == 0)
			return refuse(reading, param, ERROR_OUT_OF_RANGE, "given twice, allowed is once");
	number = find_number(param->name);
	if (number)
		return read_number(reading, param, number);
	naming = find_tile(reading, param->name);
	if (!naming.found)
		return refuse(reading, param, ERROR_UNKNOWN_PARAMETER,
			      "not one that a run can change, allowed are seed, stream, offset, and tiles: by the parameter, in a "
			      "program STEP.PARAMETER");
	return read_tile(reading, param, &naming);
}

/* Returns whether a tile would stand for two: the engine has planned which operations work in place, and which do not. */
static bool is_used_twice(void *arg, const struct args_tile *at)
{
	struct reading *reading = arg;
	const struct call_changes *changes = reading->changes;

	for (size_t i = 0; i < changes->n_tiles; i++)
		if (changes->tiles[i].from != at->value->tile.of && changes->tiles[i].to == at->tile) {
			while (reading->list->value.tile != at->tile)
				reading->list++;
			return refuse(reading, reading->list, ERROR_BAD_TILE, "the tile would stand for two, allowed is for one");
		}
	return false;
}

void changes_drop(struct call_changes *changes)
{
	for (size_t i = 0; i < changes->n_tiles; i++)
		tile_unref(changes->tiles[i].to);
	changes->run.given = 0;
	changes->run.n_tiles = changes->n_tiles = 0;
}

int changes_set(struct call_changes *changes, const struct trnsci_param *list, const char *method, const struct args_state *args,
		struct error *err)
{
	struct reading reading = {changes, method, args, list, err};
	int r = 0;

	changes_drop(changes);
	for (const struct trnsci_param *param = list; param && param->kind != TRNSCI_PARAM_END && r == 0; param++)
		r = read_change(&reading, list, param);
	if (r == 0 && changes->n_tiles && args_visit_tiles(args, changes, is_used_twice, &reading))
		r = -ERROR_BAD_TILE;
	if (r < 0)
		changes_drop(changes);
	return r;
}

/* ---- what is sent ---- */

void changes_find_handles(struct call_changes *changes)
{
	struct prepared_changes *run = &changes->run;

	memset(changes->handles, 0, sizeof changes->handles);
	run->tiles = changes->handles;
	run->n_tiles = 0;
	for (size_t i = 0; i < changes->n_tiles; i++) {
		const size_t place = changes->tiles[i].place;
		const uint64_t handle = tile_handle(changes->tiles[i].to);

		changes->handles[place] = handle ? (uint32_t)handle : NO_TILE;
		run->n_tiles = place < run->n_tiles ? run->n_tiles : place + 1;
	}
}

bool changes_state(const struct call_changes *changes, const char *name)
{
	const struct number *number = find_number(name);

	return number && changes->run.given & number->bit;
}

int changes_put_numbers(const struct call_changes *changes, struct bump *bump, struct value *params)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (changes->run.given & numbers[i].bit &&
		    value_add(bump, params, numbers[i].name, value_uint(*number_at(&changes->run, &numbers[i]))))
			return -ERROR_NO_MEMORY;
	return 0;
}

int changes_put_tiles(struct call_changes *changes, struct bump *bump, struct value *params)
{
	const struct prepared_changes *run = changes_for_engine(changes);
	struct value tiles = value_array();

	for (size_t i = 0; i < run->n_tiles; i++)
		if (value_push(bump, &tiles, run->tiles[i] ? value_uint(run->tiles[i]) : value_nil()))
			return -ERROR_NO_MEMORY;
	return run->n_tiles ? value_add(bump, params, "tiles", tiles) : 0;
}
