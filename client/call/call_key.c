/* SPDX-License-Identifier: Apache-2.0 */
/* Writing keys of cached calls. */
#include "call_key.h"

#include <string.h>

void call_key_add(struct call_key *key, uint64_t word)
{
	if (key->n < KEY_WORDS)
		key->words[key->n] = word;
	key->n++;
}

/* Adds bytes and their size, so that no two keys have the same words. */
static void add_bytes(struct call_key *key, const void *bytes, size_t size)
{
	const size_t words = size / 8 + 1;

	if (words > KEY_WORDS || key->n > KEY_WORDS - words) {
		key->n = KEY_WORDS + 1;
		return;
	}
	key->words[key->n + words - 1] = 0;
	memcpy(&key->words[key->n], bytes, size);
	((unsigned char *)&key->words[key->n])[8 * words - 1] = (unsigned char)(size % 8 + 1);
	key->n += words;
}

static void add_text(struct call_key *key, const char *text)
{
	call_key_add(key, text != NULL);
	add_bytes(key, text ? text : "", text ? strlen(text) : 0);
}

/* A tile that comes again is the same one in every run. */
static void add_tile(struct call_key *key, const struct trnsci_tile *tile)
{
	size_t i = 0;

	while (i < key->n_tiles && key->tiles[i] != tile)
		i++;
	if (!tile || i == ARGS_SWAPS) {
		key->n = KEY_WORDS + 1;
		return;
	}
	key->tiles[i] = tile;
	key->n_tiles += i == key->n_tiles;
	call_key_add(key, i << 32 | tile->dtype);
	add_bytes(key, tile->shape, tile->ndim * sizeof *tile->shape);
}

/* Such a call is refused when it is made. */
static bool is_missing(const struct trnsci_param *param)
{
	const bool points = param->kind >= TRNSCI_PARAM_TEXT && param->kind <= TRNSCI_PARAM_F64S;

	return points && !param->value.data && (param->count || param->kind == TRNSCI_PARAM_TEXT);
}

static void add_value(struct call_key *key, const struct trnsci_param *param)
{
	if (is_missing(param)) {
		key->n = KEY_WORDS + 1;
		return;
	}
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
	case TRNSCI_PARAM_I64:
	case TRNSCI_PARAM_F64:
		call_key_add(key, param->value.u64);
		break;
	case TRNSCI_PARAM_BOOL:
		call_key_add(key, param->value.boolean);
		break;
	case TRNSCI_PARAM_TEXT:
		add_text(key, param->value.text);
		break;
	case TRNSCI_PARAM_BYTES:
		add_bytes(key, param->value.data, param->count);
		break;
	case TRNSCI_PARAM_U64S:
	case TRNSCI_PARAM_I64S:
	case TRNSCI_PARAM_F64S:
		add_bytes(key, param->value.data, param->count <= KEY_WORDS ? 8 * param->count : 8 * KEY_WORDS);
		break;
	case TRNSCI_PARAM_TILE:
	case TRNSCI_PARAM_TILE_ELEMENTS:
		add_tile(key, param->value.tile);
		break;
	default:
		key->n = KEY_WORDS + 1;
	}
}

static void add_params(struct call_key *key, const struct trnsci_param *params)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++) {
		call_key_add(key, (uint64_t)params->kind << 32 | (uint32_t)params->count);
		add_text(key, params->name);
		add_value(key, params);
	}
	call_key_add(key, TRNSCI_PARAM_END);
}

static void add_array(struct call_key *key, const struct trnsci_array *array)
{
	if (!array) {
		call_key_add(key, 0);
		return;
	}
	call_key_add(key, (uint64_t)array->dtype << 32 | array->ndim);
	for (size_t i = 0; i < array->ndim && i < TRNSCI_MAX_DIMS; i++)
		call_key_add(key, array->shape[i]);
}

/* Whether there is a position is part of the key: the call is compiled with it or without. */
static void add_source(struct call_key *key, const struct trnsci_source *source)
{
	call_key_add(key, source != NULL);
	if (!source)
		return;
	call_key_add(key, source->position > 0);
	call_key_add(key, source->rank);
	call_key_add(key, source->size);
	add_text(key, source->generator);
}

void call_key_make(struct call_key *key, const struct cached_request *request)
{
	key->n = key->n_tiles = 0;
	add_text(key, request->method);
	add_source(key, request->source);
	call_key_add(key, request->n);
	add_array(key, request->in);
	add_array(key, request->out);
	call_key_add(key, request->in && request->out && request->in->data == request->out->data);
	if (request->tile)
		add_tile(key, request->tile);
	add_params(key, request->params);
}
