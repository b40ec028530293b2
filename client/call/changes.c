/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of one run, by the names of parameters. */
#include "changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "engine/operations/operations.h"
#include "session/session.h"
#include "session/tile.h"

/* The handle of a tile that was freed: no tile has it, so the engine refuses it. */
#define NO_TILE UINT32_MAX

enum { NAMES_BYTES = 140 /* of the names that an error lists */ };

struct reading {
	struct call_changes *changes;
	const char *method;
	const struct args_state *args;
	struct error *err;
};

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

/* Returns whether the method has it; one that is not known here may. */
static bool is_allowed(const struct reading *reading, const struct number *number)
{
	const char *method = reading->method;

	if (!(reading->changes->allowed & number->bit)) {
		const struct operation *operation = operation_find(method, strlen(method));

		if (!operation || operation_param(operation, number->name, strlen(number->name)))
			reading->changes->allowed |= number->bit;
	}
	return reading->changes->allowed & number->bit;
}

/* Returns the number of that name, if the method has it; NULL: none. */
static const struct number *find_number(const struct reading *reading, const char *name)
{
	const struct number *number = numbers;

	while (number < numbers + N_NUMBERS && (*number->name != *name || strcmp(number->name, name) != 0))
		number++;
	return number < numbers + N_NUMBERS && is_allowed(reading, number) ? number : NULL;
}

static bool to_u64(const struct trnsci_param *param, uint64_t *ret)
{
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
		*ret = param->value.u64;
		return true;
	case TRNSCI_PARAM_I64:
		*ret = param->value.u64;
		return param->value.i64 >= 0;
	case TRNSCI_PARAM_F64:
		return value_to_u64(&(struct value){.kind = VALUE_REAL, .real = param->value.f64}, ret);
	case TRNSCI_PARAM_TEXT:
		return param->value.text && value_to_u64(&(struct value){.kind = VALUE_STRING, .bytes = {param->value.text, strlen(param->value.text)}}, ret);
	default:
		return false;
	}
}

static int read_number(const struct reading *reading, const struct trnsci_param *param, const struct number *number)
{
	struct prepared_changes *run = &reading->changes->run;

	if (!to_u64(param, number_at(run, number)))
		return error_set(reading->err, param->kind == TRNSCI_PARAM_I64 ? ERROR_OUT_OF_RANGE : ERROR_WRONG_TYPE,
				 "%s: changes: %s: no integer of 64 bits, allowed are 0 to 2^64 - 1", reading->method, param->name);
	run->given |= number->bit;
	return 0;
}

/* ---- tiles by name ---- */

/* Returns the value that a path of names and indices leads to, or NULL. */
static const struct value *follow_path(const struct value *value, const char *path)
{
	while (value && *path) {
		const size_t size = strcspn(path, ".");
		const struct value *in = value;
		uint64_t index;

		value = NULL;
		if (in->kind == VALUE_ARRAY && value_to_u64(&(struct value){.kind = VALUE_STRING, .bytes = {path, size}}, &index))
			value = index < in->array.count ? &in->array.at[index] : NULL;
		for (size_t i = 0; in->kind == VALUE_MAP && i < in->map.count && !value; i++)
			if (in->map.at[i].name_size == size && memcmp(in->map.at[i].name, path, size) == 0)
				value = &in->map.at[i].value;
		path += size + (path[size] == '.');
	}
	return value;
}

/* Returns where names of parameters begin: in a program at its steps. */
static const struct value *find_parameters(const struct reading *reading)
{
	return strcmp(reading->method, "run") == 0 ? value_get(&reading->args->map, "steps") : &reading->args->map;
}

/* Returns the tile that is the value of the parameter, or whose elements are; NULL: none. */
static struct trnsci_tile *find_tile(const struct reading *reading, const char *name)
{
	const struct value *value = follow_path(find_parameters(reading), name);
	const struct value *elements = value ? value_get(value, "tile") : NULL;

	value = elements ? elements : value;
	return value && value->kind == VALUE_TILE ? value->tile.of : NULL;
}

/* Adds a name, or the last time "...", where there is no room for it. */
static void add_name(char names[NAMES_BYTES], const char *name)
{
	const size_t used = strlen(names);
	const bool fits = used + strlen(name) + sizeof ", , ..." <= NAMES_BYTES;

	if (used == 0 || names[used - 1] != '.')
		snprintf(names + used, NAMES_BYTES - used, "%s%s", used ? ", " : "", fits ? name : "...");
}

/* Lists the names that find_tile knows. */
static void list_tiles(const struct value *value, const char *path, char names[NAMES_BYTES])
{
	char inner[NAMES_BYTES];

	if (value->kind == VALUE_TILE)
		add_name(names, path);
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->map.count; i++) {
		const char *name = value->map.at[i].name;
		const bool elements = *path && strcmp(name, "tile") == 0;

		snprintf(inner, sizeof inner, "%s%s%s", path, *path && !elements ? "." : "", elements ? "" : name);
		list_tiles(&value->map.at[i].value, inner, names);
	}
	for (size_t i = 0; value->kind == VALUE_ARRAY && i < value->array.count; i++) {
		snprintf(inner, sizeof inner, "%s%s%zu", path, *path ? "." : "", i);
		list_tiles(&value->array.at[i], inner, names);
	}
}

static int refuse_name(const struct reading *reading, const char *name)
{
	const struct value *parameters = find_parameters(reading);
	char names[NAMES_BYTES] = "";

	for (size_t i = 0; i < N_NUMBERS; i++)
		if (is_allowed(reading, &numbers[i]))
			add_name(names, numbers[i].name);
	if (parameters)
		list_tiles(parameters, "", names);
	return error_set(reading->err, ERROR_UNKNOWN_PARAMETER, "%s: changes: %.40s: not one that a run can change, allowed are %s",
			 reading->method, name, *names ? names : "none");
}

static int check_tile(const struct reading *reading, const char *name, const struct trnsci_tile *from, const struct trnsci_tile *to)
{
	char shape[80], allowed[80];

	if (!to)
		return error_set(reading->err, ERROR_BAD_TILE, "%s: changes: %s: missing, allowed is a tile", reading->method, name);
	if (to->session != reading->args->session)
		return error_set(reading->err, ERROR_BAD_TILE,
				 "%s: changes: %s: the tile is of another session, allowed are those of this one",
				 reading->method, name);
	if (to->dtype == from->dtype && to->ndim == from->ndim && memcmp(to->shape, from->shape, to->ndim * sizeof *to->shape) == 0)
		return 0;
	tile_write_shape(to, shape, sizeof shape);
	tile_write_shape(from, allowed, sizeof allowed);
	return error_set(reading->err, ERROR_BAD_SHAPE, "%s: changes: %s: got a tile %s, allowed is %s", reading->method, name, shape,
			 allowed);
}

/* The first tiles that a call names, each once. */
struct collection {
	const struct trnsci_tile *wanted;
	const struct trnsci_tile *at[ARGS_SWAPS];
	size_t count;
};

static bool collect_tile(void *arg, const struct args_tile *at)
{
	struct collection *tiles = arg;

	for (size_t i = 0; i < tiles->count; i++)
		if (tiles->at[i] == at->tile)
			return false;
	if (at->tile == tiles->wanted || tiles->count == ARGS_SWAPS)
		return true;
	tiles->at[tiles->count++] = at->tile;
	return false;
}

static int read_tile(const struct reading *reading, const struct trnsci_param *param, struct trnsci_tile *from)
{
	struct call_changes *changes = reading->changes;
	struct collection named = {.wanted = from};
	int r;

	if (param->kind != TRNSCI_PARAM_TILE && param->kind != TRNSCI_PARAM_TILE_ELEMENTS)
		return error_set(reading->err, ERROR_WRONG_TYPE, "%s: changes: %s: no tile, allowed is a tile", reading->method,
				 param->name);
	r = check_tile(reading, param->name, from, param->value.tile);
	if (r < 0)
		return r;
	for (size_t i = 0; i < changes->n_tiles; i++)
		if (changes->tiles[i].from == from)
			return changes->tiles[i].to == param->value.tile
				       ? 0
				       : error_set(reading->err, ERROR_BAD_TILE,
						   "%s: changes: %s: its tile has another in its place already, allowed is one",
						   reading->method, param->name);
	if (changes->n_tiles == ARGS_SWAPS)
		return error_set(reading->err, ERROR_OUT_OF_RANGE, "%s: changes: %s: more than %d tiles, allowed are %d", reading->method,
				 param->name, ARGS_SWAPS, ARGS_SWAPS);
	args_visit_tiles(reading->args, NULL, collect_tile, &named);
	changes->tiles[changes->n_tiles].from = from;
	changes->tiles[changes->n_tiles].to = tile_ref(param->value.tile);
	changes->tiles[changes->n_tiles++].place = named.count;
	return 0;
}

/* ---- the list ---- */

static int read_change(const struct reading *reading, const struct trnsci_param *list, const struct trnsci_param *param)
{
	const struct number *number;
	struct trnsci_tile *tile;

	if (!param->name)
		return error_set(reading->err, ERROR_MISSING_PARAMETER, "%s: changes: name of a parameter: missing", reading->method);
	for (; list < param; list++)
		if (strcmp(list->name, param->name) == 0)
			return error_set(reading->err, ERROR_OUT_OF_RANGE, "%s: changes: %s: given twice, allowed is once",
					 reading->method, param->name);
	number = find_number(reading, param->name);
	if (number)
		return read_number(reading, param, number);
	tile = find_tile(reading, param->name);
	return tile ? read_tile(reading, param, tile) : refuse_name(reading, param->name);
}

struct search {
	const struct call_changes *changes;
	const struct trnsci_tile *found;
};

/* A tile must not stand for two: the engine has planned which operations work in place, and which do not. */
static bool is_used_twice(void *arg, const struct args_tile *at)
{
	struct search *search = arg;
	const struct call_changes *changes = search->changes;

	for (size_t i = 0; i < changes->n_tiles && !search->found; i++)
		if (changes->tiles[i].from != at->value->tile.of && changes->tiles[i].to == at->tile)
			search->found = at->tile;
	return search->found;
}

static int check_places(const struct reading *reading, const struct trnsci_param *list)
{
	struct search search = {.changes = reading->changes};

	if (reading->changes->n_tiles == 0 || !args_visit_tiles(reading->args, reading->changes, is_used_twice, &search))
		return 0;
	while (list->value.tile != search.found)
		list++;
	return error_set(reading->err, ERROR_BAD_TILE, "%s: changes: %s: the tile would stand for two, allowed is for one",
			 reading->method, list->name);
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
	const struct reading reading = {changes, method, args, err};
	int r = 0;

	changes_drop(changes);
	for (const struct trnsci_param *param = list; param && param->kind != TRNSCI_PARAM_END && r == 0; param++)
		r = read_change(&reading, list, param);
	if (r == 0)
		r = check_places(&reading, list);
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
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (changes->run.given & numbers[i].bit && strcmp(name, numbers[i].name) == 0)
			return true;
	return false;
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
