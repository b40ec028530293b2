/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of parameters. */
#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/dtype.h"
#include "session/tile.h"

enum {
	NEAR_BYTES = 16, /* names and texts up to this size are stored in the node */
	CHUNK_NODES = 8, /* a chunk of so many nodes still fits malloc's cache of small blocks */
};

struct trnsci_args {
	struct args_state *state;
	char *name;                       /* in a map */
	struct value value;               /* of a container only the kind is used, of a tile nothing */
	struct trnsci_tile *tile;         /* the value is its handle when the call is sent; one reference */
	bool foreign;                     /* the tile is of another session, where its handle means another tile */
	void *owned;                      /* the value's bytes: near_bytes or allocated; NULL: borrowed, or none */
	struct trnsci_args *next;         /* the next sibling, or the next unused node */
	struct trnsci_args *first, *last; /* children */
	char near_name[NEAR_BYTES], near_bytes[NEAR_BYTES];
};

/* Nodes are allocated in chunks, so that a call needs few allocations. */
struct args_chunk {
	struct args_chunk *next;
	struct trnsci_args nodes[CHUNK_NODES];
};

static struct trnsci_args *take_node(struct args_state *state)
{
	struct trnsci_args *node = state->unused;

	if (node) {
		state->unused = node->next;
		return node;
	}
	if (!state->chunk || state->n_taken == CHUNK_NODES) {
		struct args_chunk *chunk = malloc(sizeof *chunk);

		if (!chunk)
			return NULL;
		chunk->next = state->chunk;
		state->chunk = chunk;
		state->n_taken = 0;
	}
	return &state->chunk->nodes[state->n_taken++];
}

static struct trnsci_args *new_node(struct args_state *state)
{
	struct trnsci_args *node = take_node(state);

	if (!node)
		return NULL;
	node->state = state;
	node->name = NULL;
	node->value = value_map();
	node->tile = NULL;
	node->foreign = false;
	node->owned = NULL;
	node->next = node->first = node->last = NULL;
	return node;
}

static void drop_value(struct trnsci_args *node)
{
	if (node->owned != node->near_bytes)
		free(node->owned);
	node->owned = NULL;
	tile_unref(node->tile);
	node->tile = NULL;
	node->state->n_foreign -= node->foreign;
	node->foreign = false;
}

/* Returns a node and all below it to the unused nodes. */
static void free_node(struct trnsci_args *node)
{
	for (struct trnsci_args *child = node->first, *next; child; child = next) {
		next = child->next;
		free_node(child);
	}
	drop_value(node);
	if (node->name != node->near_name)
		free(node->name);
	node->next = node->state->unused;
	node->state->unused = node;
}

/* Empties a node, which keeps its place and name. */
static void clear_node(struct trnsci_args *node)
{
	for (struct trnsci_args *child = node->first, *next; child; child = next) {
		next = child->next;
		free_node(child);
	}
	node->first = node->last = NULL;
	drop_value(node);
}

struct trnsci_args *args_new(struct args_state *state, const struct trnsci_session *session)
{
	state->session = session;
	return new_node(state);
}

void args_free(struct trnsci_args *args)
{
	if (!args)
		return;
	struct args_state *state = args->state;

	free_node(args);
	state->unused = NULL;
	while (state->chunk) {
		struct args_chunk *next = state->chunk->next;

		free(state->chunk);
		state->chunk = next;
	}
}

static bool is_container(const struct trnsci_args *args)
{
	return args->value.kind == VALUE_MAP || args->value.kind == VALUE_ARRAY;
}

bool args_mention(const struct trnsci_args *args, const char *name)
{
	for (const struct trnsci_args *at = args->first; at; at = at->next)
		if ((at->name && strcmp(at->name, name) == 0) || args_mention(at, name))
			return true;
	return false;
}

bool args_is_empty(const struct trnsci_args *args)
{
	return !args->first;
}

size_t args_bytes(const struct trnsci_args *args)
{
	size_t bytes = (args->name ? strlen(args->name) : 0) + (args->owned ? args->value.bytes.size : 0);

	for (const struct trnsci_args *at = args->first; at; at = at->next)
		bytes += args_bytes(at);
	return bytes;
}

struct trnsci_tile *args_swapped(const struct args_swaps *swaps, struct trnsci_tile *tile)
{
	for (size_t i = 0; swaps && i < swaps->count; i++)
		if (swaps->from[i] == tile && swaps->to[i])
			return swaps->to[i];
	return tile;
}

/* Recurses as deep as the caller nested; the daemon refuses more than 24 levels. */
int args_build(const struct trnsci_args *args, const struct args_swaps *swaps, struct bump *bump,
	       struct value *ret_value)
{
	struct value value = args->tile ? value_uint(tile_handle(args_swapped(swaps, args->tile))) : args->value;

	for (const struct trnsci_args *child = is_container(args) ? args->first : NULL; child; child = child->next) {
		struct value inner;
		int r = args_build(child, swaps, bump, &inner);

		if (r == 0)
			r = value.kind == VALUE_MAP ? value_put(bump, &value, child->name, inner)
						    : value_push(bump, &value, inner);
		if (r < 0)
			return r;
	}
	*ret_value = value;
	return 0;
}

/* A linear search: a call has few parameters. */
static struct trnsci_args *find_child(struct trnsci_args *args, const char *name)
{
	for (struct trnsci_args *child = args->first; child; child = child->next)
		if (strcmp(child->name, name) == 0)
			return child;
	return NULL;
}

struct value args_text(const struct trnsci_args *args, const char *name)
{
	const struct trnsci_args *child = find_child((struct trnsci_args *)args, name);

	return child && child->value.kind == VALUE_STRING ? child->value : value_string("");
}

/* Returns a copy of the bytes, in `near` if they fit; NULL if there is no memory. */
static void *copy_near(char near[NEAR_BYTES], const void *bytes, size_t size)
{
	void *copy = size <= NEAR_BYTES ? near : malloc(size);

	if (copy && size)
		memcpy(copy, bytes, size);
	return copy;
}

static struct trnsci_args *append_child(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = new_node(args->state);

	if (!child)
		return NULL;
	if (name && !(child->name = copy_near(child->near_name, name, strlen(name) + 1))) {
		free_node(child);
		return NULL;
	}
	*(args->last ? &args->last->next : &args->first) = child;
	args->last = child;
	return child;
}

void args_set_missing(struct trnsci_args *args, const char *name)
{
	if (!args || args->state->missing[0])
		return;
	name = name ? name : args->name ? args->name : "name of a parameter";
	snprintf(args->state->missing, sizeof args->state->missing, "%s", name);
}

/* Returns the node for a value; an earlier value of that name is emptied. If there can be none, returns NULL and marks
 * the tree as failed, or as one where the name is missing. */
static struct trnsci_args *place_child(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = NULL;

	if (!args)
		return NULL;
	args->state->version++;
	if (is_container(args) && (args->value.kind == VALUE_MAP) == (name != NULL)) {
		child = name ? find_child(args, name) : NULL;
		if (child)
			clear_node(child);
		else
			child = append_child(args, name);
	}
	if (!child && !name && args->value.kind == VALUE_MAP)
		args_set_missing(args, NULL);
	else if (!child)
		args->state->failed = true;
	return child;
}

static void set_value(struct trnsci_args *args, const char *name, struct value value)
{
	struct trnsci_args *child = place_child(args, name);

	if (child)
		child->value = value;
}

/* Sets a copy of the bytes; kind is VALUE_STRING or VALUE_BYTES. */
static void set_copy(struct trnsci_args *args, const char *name, enum value_kind kind, const void *bytes, size_t size)
{
	struct trnsci_args *child = place_child(args, name);

	if (!child)
		return;
	if (!bytes && size) {
		child->value = value_nil();
		args_set_missing(args, name);
		return;
	}
	child->owned = copy_near(child->near_bytes, bytes, size);
	if (!child->owned) {
		child->value = value_nil();
		args->state->failed = true;
		return;
	}
	child->value = (struct value){.kind = kind, .bytes = {child->owned, size}};
}

struct trnsci_args *args_list(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = args ? find_child(args, name) : NULL;

	return child && child->value.kind == VALUE_ARRAY ? child : trnsci_set_list(args, name);
}

struct trnsci_args *args_map(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = args ? find_child(args, name) : NULL;

	return child && child->value.kind == VALUE_MAP ? child : trnsci_set_map(args, name);
}

void args_copy(struct trnsci_args *to, const struct trnsci_args *from)
{
	for (const struct trnsci_args *child = from->first; child; child = child->next)
		if (child->tile)
			args_set_tile(to, child->name, child->tile);
		else if (child->value.kind == VALUE_MAP)
			args_copy(trnsci_set_map(to, child->name), child);
		else if (child->value.kind == VALUE_ARRAY)
			args_copy(trnsci_set_list(to, child->name), child);
		else if (child->value.kind == VALUE_STRING || child->value.kind == VALUE_BYTES)
			set_copy(to, child->name, child->value.kind, child->value.bytes.at, child->value.bytes.size);
		else
			set_value(to, child->name, child->value);
}

void args_set_u64(struct trnsci_args *args, const char *name, uint64_t value)
{
	set_value(args, name, value_uint(value));
}

void args_set_i64(struct trnsci_args *args, const char *name, int64_t value)
{
	set_value(args, name, value_int(value));
}

void args_set_f64(struct trnsci_args *args, const char *name, double value)
{
	set_value(args, name, value_real(value));
}

void args_set_bool(struct trnsci_args *args, const char *name, bool value)
{
	set_value(args, name, value_bool(value));
}

void args_set_text(struct trnsci_args *args, const char *name, const char *text)
{
	set_copy(args, name, VALUE_STRING, text, text ? strlen(text) : 1);
}

void args_set_bytes(struct trnsci_args *args, const char *name, const void *bytes, size_t size)
{
	set_copy(args, name, VALUE_BYTES, bytes, size);
}

static void set_shape(struct trnsci_args *args, const char *name, size_t ndim, const uint64_t *shape)
{
	struct trnsci_args *list = trnsci_set_list(args, name);

	for (size_t i = 0; i < ndim; i++)
		args_set_u64(list, NULL, shape[i]);
}

void args_fail(struct trnsci_args *args)
{
	if (args)
		args->state->failed = true;
}

/* Handles begin at 1: the engine answers the 0 of a NULL or freed tile with bad_tile. */
void args_set_tile(struct trnsci_args *args, const char *name, const struct trnsci_tile *tile)
{
	struct trnsci_args *child = place_child(args, name);

	if (!child)
		return;
	child->value = value_uint(0);
	child->tile = tile_ref(tile);
	child->foreign = tile && tile->session != args->state->session;
	args->state->n_foreign += child->foreign;
}

/* ---- tiles and arrays ---- */

struct visitor {
	const struct args_swaps *swaps;
	bool (*visit)(void *arg, const struct args_tile *at);
	void *arg;
};

static bool is_named(const struct trnsci_args *args, const char *name)
{
	return args->name && strcmp(args->name, name) == 0;
}

/* Visits args and all below it; `in` has their step, and the name of the parameter that args is in. Recurses as deep as
 * the caller nested, as args_build does. */
static bool visit_tiles(const struct visitor *visitor, const struct trnsci_args *args, const struct args_tile *in)
{
	const bool steps = args->value.kind == VALUE_ARRAY && is_named(args, "steps");
	struct args_tile at = *in;

	/* A tile whose elements are a parameter is in a map, under a name of no interest. */
	if (args->name && !(args->tile && is_named(args, "tile") && *in->name))
		at.name = args->name;
	at.output = strcmp(at.name, "out") == 0;
	at.tile = args_swapped(visitor->swaps, args->tile);
	if (args->tile && visitor->visit(visitor->arg, &at))
		return true;
	for (const struct trnsci_args *child = args->first; child; child = child->next) {
		if (steps) {
			at.step_number += at.step != in->step;
			at.step = child;
			at.name = "";
		}
		if (visit_tiles(visitor, child, &at))
			return true;
	}
	return false;
}

bool args_visit_tiles(const struct trnsci_args *args, const struct args_swaps *swaps,
		      bool (*visit)(void *arg, const struct args_tile *at), void *arg)
{
	return visit_tiles(&(struct visitor){swaps, visit, arg}, args, &(struct args_tile){.name = "", .step = args});
}

static struct trnsci_args *set_array_map(struct trnsci_args *args, const char *name, const struct trnsci_array *array)
{
	struct trnsci_args *map = array->ndim <= TRNSCI_MAX_DIMS ? trnsci_set_map(args, name) : NULL;

	if (!map) {
		args_fail(args);
		return NULL;
	}
	args_set_text(map, "dtype", dtype_name((enum dtype)array->dtype));
	set_shape(map, "shape", array->ndim, array->shape);
	return map;
}

void args_set_array(struct trnsci_args *args, const char *name, const struct trnsci_array *array)
{
	if (!array || (!array->data && array_bytes(array)))
		args_set_missing(args, name);
	else
		args_set_bytes(set_array_map(args, name, array), "data", array->data, array_bytes(array));
}

void args_set_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array)
{
	static _Alignas(64) char nothing[64];
	const size_t bytes = array_bytes(array);

	set_value(set_array_map(args, name, array), "data", value_bytes(bytes ? array->data : nothing, bytes));
}

void args_set_stated_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array, unsigned number)
{
	args_set_u64(set_array_map(args, name, array), "memory", number);
}

void args_set_new_tile(struct trnsci_args *args, const char *name)
{
	if (args)
		args->state->new_tile = true;
	args_set_bool(trnsci_set_map(args, name), "new", true);
}

struct trnsci_args *trnsci_set_map(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = place_child(args, name);

	if (child)
		child->value = value_map();
	return child;
}

struct trnsci_args *trnsci_set_list(struct trnsci_args *args, const char *name)
{
	struct trnsci_args *child = place_child(args, name);

	if (child)
		child->value = value_array();
	return child;
}
