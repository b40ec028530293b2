/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of parameters. */
#include "args.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/bump.h"
#include "base/dtype.h"
#include "session/tile.h"

enum { WASTE_LEAST = 4096 /* bytes: as many as a block has that is added */ };

/* ---- the tree's values ---- */

static bool is_container(const struct value *value)
{
	return value->kind == VALUE_MAP || value->kind == VALUE_ARRAY;
}

static size_t count_values(const struct value *container)
{
	return container->kind == VALUE_MAP ? container->map.count : container->array.count;
}

static struct value *value_at(const struct value *container, size_t i)
{
	return container->kind == VALUE_MAP ? &container->map.at[i].value : &container->array.at[i];
}

static size_t index_of(const struct value *container, const struct value *value)
{
	if (container->kind == VALUE_ARRAY)
		return (size_t)(value - container->array.at);
	return (size_t)((const char *)value - (const char *)&container->map.at->value) / sizeof *container->map.at;
}

/* Returns the container of args; NULL if another value has replaced it. */
static struct value *find_container(const struct trnsci_args *args)
{
	struct value *in = args->parent ? find_container(args->parent) : &args->state->map;

	if (args->parent && in)
		in = args->index < count_values(in) ? value_at(in, args->index) : NULL;
	return in && is_container(in) ? in : NULL;
}

size_t args_bytes(const struct value *value)
{
	size_t bytes = value->kind == VALUE_STRING || value->kind == VALUE_BYTES ? value->bytes.size : 0;

	for (size_t i = 0; is_container(value) && i < count_values(value); i++)
		bytes += args_bytes(value_at(value, i)) + (value->kind == VALUE_MAP ? value->map.at[i].name_size : 0);
	return bytes;
}

bool args_mention(const struct value *value, const char *name)
{
	if (value_get(value, name))
		return true;
	for (size_t i = 0; is_container(value) && i < count_values(value); i++)
		if (args_mention(value_at(value, i), name))
			return true;
	return false;
}

/* Returns the bytes of the bump that are a value's own: texts have an end, and all is aligned. */
static size_t own_bytes(const struct value *value)
{
	if (value->kind == VALUE_STRING || value->kind == VALUE_BYTES)
		return value->bytes.size + alignof(max_align_t);
	if (value->kind == VALUE_MAP)
		return value->map.room * sizeof *value->map.at;
	return value->kind == VALUE_ARRAY ? value->array.room * sizeof *value->array.at : 0;
}

/* Gives back what a value holds, and returns the bytes that it leaves in the bump. */
static size_t drop_value(struct args_state *state, struct value *value)
{
	size_t waste = own_bytes(value);

	if (value->kind == VALUE_TILE) {
		state->n_foreign -= value->tile.of && value->tile.of->session != state->session;
		tile_unref(value->tile.of);
	}
	for (size_t i = 0; is_container(value) && i < count_values(value); i++)
		waste += drop_value(state, value_at(value, i));
	*value = value_nil();
	return waste;
}

/* Copies a tree of which much was replaced, so that a call whose parameters are set again and again stays small. Without memory
 * for it the tree stays where it is. */
static void compact(struct args_state *state)
{
	struct bump *bump = bump_new_small();
	struct value copy;

	if (bump && value_copy(bump, &state->map, &copy) == 0) {
		bump_free(state->bump);
		state->bump = bump;
		state->map = copy;
		state->waste = 0;
		state->waste_most = bump_bytes(bump) / 2;
	} else {
		bump_free(bump);
		state->waste_most *= 2;
	}
}

/* ---- containers ---- */

/* Returns the container at the index of args, also where it has replaced another one; NULL marks the tree as failed. They are
 * listed from the last to the first: most are appended. */
static struct trnsci_args *take_child(struct trnsci_args *args, size_t index)
{
	struct trnsci_args **at = &args->first, *child;

	while (*at && (*at)->index > index)
		at = &(*at)->next;
	if (*at && (*at)->index == index)
		return *at;
	child = malloc(sizeof *child);
	if (!child) {
		args->state->failed = true;
		return NULL;
	}
	*child = (struct trnsci_args){args->state, args, index, NULL, *at};
	return *at = child;
}

static void free_children(struct trnsci_args *args)
{
	for (struct trnsci_args *child = args->first, *next; child; child = next) {
		next = child->next;
		free_children(child);
		free(child);
	}
}

int args_init(struct args_state *state, struct trnsci_session *session)
{
	state->session = session;
	state->root.state = state;
	state->map = value_map();
	state->waste_most = WASTE_LEAST;
	state->bump = bump_new_small();
	return state->bump ? 0 : -ERROR_NO_MEMORY;
}

void args_free(struct args_state *state)
{
	drop_value(state, &state->map);
	bump_free(state->bump);
	free_children(&state->root);
}

/* ---- setting ---- */

/* Marks the parameter, or without a name the container, as one whose value is missing. */
static void set_missing(struct trnsci_args *args, const char *name)
{
	const struct value *in = !name && args->parent ? find_container(args->parent) : NULL;

	if (in && in->kind == VALUE_MAP)
		name = in->map.at[args->index].name;
	if (!args->state->missing[0])
		snprintf(args->state->missing, sizeof args->state->missing, "%s", name ? name : "name of a parameter");
}

/* Empties a value that is replaced. Returns where it is, since the tree may have been copied. */
static struct value *replace(struct trnsci_args *args, const char *name, struct value *value)
{
	struct args_state *state = args->state;

	state->waste += drop_value(state, value);
	if (state->waste <= state->waste_most || state->borrows)
		return value;
	compact(state);
	return (struct value *)value_get(find_container(args), name);
}

/* Returns where a value is to be stored, which holds nil; an earlier value of that name is dropped. If there is no place, returns
 * NULL and marks the tree as failed, or as one where the name is missing. */
static struct value *place(struct trnsci_args *args, const char *name)
{
	struct value *in = args ? find_container(args) : NULL;
	struct value *at = name ? (struct value *)value_get(in, name) : NULL;

	if (!args)
		return NULL;
	args->state->version++;
	if (at)
		return replace(args, name, at);
	if (in && in->kind == VALUE_MAP && !name) {
		set_missing(args, NULL);
		return NULL;
	}
	if (!in || (in->kind == VALUE_ARRAY && name) ||
	    (name ? value_put(args->state->bump, in, name, value_nil()) : value_push(args->state->bump, in, value_nil()))) {
		args->state->failed = true;
		return NULL;
	}
	return value_at(in, count_values(in) - 1);
}

/* Stores a value that could not be made as nil. */
static void fail_value(struct trnsci_args *args, struct value *value)
{
	*value = value_nil();
	args->state->failed = true;
}

/* keeps: a container of that kind stays as it is. */
static struct trnsci_args *set_container(struct trnsci_args *args, const char *name, struct value empty, bool keeps)
{
	struct value *at = keeps && args ? (struct value *)value_get(find_container(args), name) : NULL;

	if (!at || at->kind != empty.kind) {
		at = place(args, name);
		if (!at)
			return NULL;
		*at = empty;
	}
	return take_child(args, index_of(find_container(args), at));
}

struct trnsci_args *trnsci_set_map(struct trnsci_args *args, const char *name)
{
	return set_container(args, name, value_map(), false);
}

struct trnsci_args *trnsci_set_list(struct trnsci_args *args, const char *name)
{
	return set_container(args, name, value_array(), false);
}

struct trnsci_args *args_list(struct trnsci_args *args, const char *name)
{
	return set_container(args, name, value_array(), true);
}

struct trnsci_args *args_map(struct trnsci_args *args, const char *name)
{
	return set_container(args, name, value_map(), true);
}

/* ---- values of parameters ---- */

static bool is_missing(const struct trnsci_param *param)
{
	const struct trnsci_array *array = param->value.array;

	if (param->kind == TRNSCI_PARAM_ARRAY)
		return !array || (!array->data && array_bytes(array));
	return param->kind >= TRNSCI_PARAM_TEXT && param->kind <= TRNSCI_PARAM_F64S && !param->value.data &&
	       (param->count || param->kind == TRNSCI_PARAM_TEXT);
}

/* The functions below return false if there is no memory. */

static bool copy_bytes(struct bump *bump, enum value_kind kind, const void *bytes, size_t size, struct value *ret)
{
	*ret = (struct value){.kind = kind, .bytes = {bump_copy(bump, size ? bytes : "", size), size}};
	return ret->bytes.at;
}

static bool copy_integers(struct bump *bump, const struct trnsci_param *param, struct value *ret)
{
	const uint64_t *u64 = param->value.data;
	const int64_t *i64 = param->value.data;
	struct value *at = bump_alloc(bump, param->count * sizeof *at);

	for (size_t i = 0; at && i < param->count; i++)
		at[i] = param->kind == TRNSCI_PARAM_U64S ? value_uint(u64[i]) : value_int(i64[i]);
	*ret = (struct value){.kind = VALUE_ARRAY, .array = {at, param->count, param->count}};
	return at;
}

static bool make_map(struct bump *bump, const char *name, struct value value, struct value *ret)
{
	*ret = value_map();
	return value_add(bump, ret, name, value) == 0;
}

/* content: of the member of that name. */
static bool make_array(struct bump *bump, const struct trnsci_array *array, const char *name, struct value content,
		       struct value *ret)
{
	struct value shape = value_array();
	bool failed = array->ndim > TRNSCI_MAX_DIMS;

	for (size_t i = 0; i < array->ndim && !failed; i++)
		failed = value_push(bump, &shape, value_uint(array->shape[i]));
	return !failed && make_map(bump, "dtype", value_string(dtype_name((enum dtype)array->dtype)), ret) &&
	       value_add(bump, ret, "shape", shape) == 0 && value_add(bump, ret, name, content) == 0;
}

static bool copy_array(struct bump *bump, const struct trnsci_array *array, struct value *ret)
{
	struct value data;

	return copy_bytes(bump, VALUE_BYTES, array->data, array_bytes(array), &data) && make_array(bump, array, "data", data, ret);
}

/* Handles begin at 1: the engine answers the 0 of a NULL or freed tile with bad_tile. */
static struct value make_tile(struct args_state *state, const struct trnsci_tile *tile)
{
	state->n_foreign += tile && tile->session != state->session;
	return (struct value){.kind = VALUE_TILE, .tile = {0, tile_ref(tile)}};
}

/* f64 lists become bytes: a list of values would take nine bytes and a value for each. */
static bool make_value(struct args_state *state, const struct trnsci_param *param, struct value *ret)
{
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
		*ret = value_uint(param->value.u64);
		return true;
	case TRNSCI_PARAM_I64:
		*ret = value_int(param->value.i64);
		return true;
	case TRNSCI_PARAM_F64:
		*ret = value_real(param->value.f64);
		return true;
	case TRNSCI_PARAM_BOOL:
		*ret = value_bool(param->value.boolean);
		return true;
	case TRNSCI_PARAM_TEXT:
		return copy_bytes(state->bump, VALUE_STRING, param->value.text, strlen(param->value.text), ret);
	case TRNSCI_PARAM_BYTES:
		return copy_bytes(state->bump, VALUE_BYTES, param->value.data, param->count, ret);
	case TRNSCI_PARAM_F64S:
		return copy_bytes(state->bump, VALUE_BYTES, param->value.data, param->count * sizeof(double), ret);
	case TRNSCI_PARAM_U64S:
	case TRNSCI_PARAM_I64S:
		return copy_integers(state->bump, param, ret);
	case TRNSCI_PARAM_TILE:
		*ret = make_tile(state, param->value.tile);
		return true;
	case TRNSCI_PARAM_TILE_ELEMENTS:
		return make_map(state->bump, "tile", value_nil(), ret) && (ret->map.at->value = make_tile(state, param->value.tile), true);
	case TRNSCI_PARAM_NEW_TILE:
		state->new_tile = true;
		return make_map(state->bump, "new", value_bool(true), ret);
	case TRNSCI_PARAM_ARRAY:
		return copy_array(state->bump, param->value.array, ret);
	default:
		return false;
	}
}

static void set_param(struct trnsci_args *args, const struct trnsci_param *param)
{
	struct value *at;

	if (param->kind == TRNSCI_PARAM_MAP) {
		trnsci_set_params(trnsci_set_map(args, param->name), param->value.params);
		return;
	}
	at = place(args, param->name);
	if (at && is_missing(param))
		set_missing(args, param->name);
	else if (at && !make_value(args->state, param, at))
		fail_value(args, at);
}

void trnsci_set_params(struct trnsci_args *args, const struct trnsci_param *params)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++)
		set_param(args, params);
}

void args_set_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array)
{
	static _Alignas(64) char nothing[64];
	const size_t bytes = array_bytes(array);
	struct value *at = place(args, name);

	if (!at)
		return;
	args->state->borrows = true;
	if (!make_array(args->state->bump, array, "data", value_bytes(bytes ? array->data : nothing, bytes), at))
		fail_value(args, at);
}

void args_set_stated_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array, unsigned number)
{
	struct value *at = place(args, name);

	if (at && !make_array(args->state->bump, array, "memory", value_uint(number), at))
		fail_value(args, at);
}

/* ---- tiles ---- */

struct visitor {
	const struct call_changes *changes;
	bool (*visit)(void *arg, const struct args_tile *at);
	void *arg;
};

struct trnsci_tile *args_swapped(const struct call_changes *changes, struct trnsci_tile *tile)
{
	for (size_t i = 0; changes && i < changes->n_tiles; i++)
		if (changes->tiles[i].from == tile)
			return changes->tiles[i].to;
	return tile;
}

/* Visits the value and all below it; `in` has their step, and the name of the parameter that the value is in. Recurses as deep as
 * the caller nested; the daemon refuses more than 24 levels. */
static bool visit_tiles(const struct visitor *visitor, struct value *value, const char *name, const struct args_tile *in)
{
	const bool steps = value->kind == VALUE_ARRAY && name && strcmp(name, "steps") == 0;
	struct args_tile at = *in;

	/* A tile whose elements are a parameter is in a map, under a name of no interest. */
	if (name && !(value->kind == VALUE_TILE && strcmp(name, "tile") == 0 && *in->name))
		at.name = name;
	if (value->kind == VALUE_TILE && value->tile.of) {
		at.output = strcmp(at.name, "out") == 0;
		at.tile = args_swapped(visitor->changes, value->tile.of);
		at.value = value;
		return visitor->visit(visitor->arg, &at);
	}
	for (size_t i = 0; is_container(value) && i < count_values(value); i++) {
		if (steps) {
			at.step_number = i;
			at.step = value_at(value, i);
			at.name = "";
		}
		if (visit_tiles(visitor, value_at(value, i), value->kind == VALUE_MAP ? value->map.at[i].name : NULL, &at))
			return true;
	}
	return false;
}

bool args_visit_tiles(const struct args_state *state, const struct call_changes *changes,
		      bool (*visit)(void *arg, const struct args_tile *at), void *arg)
{
	return visit_tiles(&(struct visitor){changes, visit, arg}, (struct value *)&state->map, NULL,
			   &(struct args_tile){.name = "", .step = &state->map});
}

static bool set_handle(void *arg, const struct args_tile *at)
{
	(void)arg;
	at->value->tile.handle = tile_handle(at->tile);
	return false;
}

void args_set_handles(struct args_state *state, const struct call_changes *changes)
{
	args_visit_tiles(state, changes, set_handle, NULL);
}

static bool take_tile(void *arg, const struct args_tile *at)
{
	struct args_state *state = arg;

	state->n_foreign += at->tile->session != state->session;
	tile_ref(at->tile);
	return false;
}

void args_copy(struct args_state *to, const struct args_state *from)
{
	to->version++;
	if (value_copy(to->bump, &from->map, &to->map) == 0)
		args_visit_tiles(to, NULL, take_tile, to);
	else
		to->failed = true;
}
