/* SPDX-License-Identifier: Apache-2.0 */
/* Binding parameters by the table of operations.
 *
 * Defaults are text in the table. They are bound once for all operations; a request starts from a copy of its row's
 * defaults and overwrites what it gives, so binding costs nothing for parameters that it does not give. */
#include "engine/operations/bind.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an error says is allowed, where the type is wrong. */
static const char *const type_texts[] = {
	[PARAM_U64] = "an integer >= 0, or decimal or 0x text of one",
	[PARAM_INT] = "an integer from -2^63 to 2^64, or decimal text of one",
	[PARAM_F64] = "a number",
	[PARAM_BOOL] = "true or false",
	[PARAM_CHOICE] = "text",
	[PARAM_SHAPE] = "a size, or an array of 1 to 8 sizes",
	[PARAM_AXES] = "an axis, or an array of 1 to 8 axes",
	[PARAM_TILE] = "a tile's handle",
	[PARAM_TEXT] = "text",
	[PARAM_ANY] = "any value",
};

const char *bind_kind_text(enum value_kind kind)
{
	static const char *const texts[] = {
		[VALUE_NIL] = "nil",        [VALUE_BOOL] = "a boolean", [VALUE_UINT] = "an integer",
		[VALUE_INT] = "an integer", [VALUE_REAL] = "a real",    [VALUE_STRING] = "text",
		[VALUE_BYTES] = "bytes",    [VALUE_ARRAY] = "an array", [VALUE_MAP] = "a map",
		[VALUE_TILE] = "an integer",
	};

	return texts[kind];
}

const char *bind_text(const char *bytes, size_t size, char text[BIND_TEXT])
{
	size_t n = size < BIND_TEXT - 4 ? size : BIND_TEXT - 4;

	for (size_t i = 0; i < n; i++)
		text[i] = bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '?';
	strcpy(text + n, n < size ? "..." : "");
	return text;
}

int bind_error(const struct args *args, unsigned param, struct error *err, enum error_code code, const char *format,
	       ...)
{
	char rest[sizeof err->text];
	va_list list;

	va_start(list, format);
	vsnprintf(rest, sizeof rest, format, list);
	va_end(list);
	return error_set(err, code, "%s: %s: %s", args->context, args->operation->params[param].name, rest);
}

/* Reports a map for a distribution's parameter that is one number for all samples, and names those that may be arrays. */
static int not_an_array(const struct args *args, unsigned p, struct error *err)
{
	const struct operation *operation = args->operation;
	char names[64] = "";
	int at = 0;

	for (size_t i = DRAW_COMMON; i < operation->n_params && at < (int)sizeof names; i++)
		if (operation_takes_array(operation, i))
			at += snprintf(names + at, sizeof names - (size_t)at, "%s%s", at ? ", " : "", operation->params[i].name);
	return bind_error(args, p, err, ERROR_WRONG_TYPE, "got a map, allowed is %s; %s%s may be an array with an element for each sample",
			  type_texts[operation->params[p].type], at ? "only " : "no parameter of ", at ? names : operation->name);
}

/* Returns whether a parameter's numbers are integers. */
static bool is_integer(enum param_type type)
{
	return type == PARAM_U64 || type == PARAM_INT || type == PARAM_SHAPE || type == PARAM_AXES || type == PARAM_TILE;
}

/* States the type that was given and the one that is allowed, with the choices where there are some. */
static int wrong_type(const struct args *args, unsigned p, const struct value *value, struct error *err)
{
	const struct param *param = &args->operation->params[p];

	if (value->kind == VALUE_REAL && is_integer(param->type))
		return bind_error(args, p, err, ERROR_WRONG_TYPE,
				  "got %.17g, allowed is a whole number, as a float below 2^53 in magnitude", value->real);
	if (value->kind == VALUE_MAP && args->operation->class == METHOD_DRAW && p >= DRAW_COMMON)
		return not_an_array(args, p, err);
	return bind_error(args, p, err, ERROR_WRONG_TYPE, "got %s, allowed is %s%s%s", bind_kind_text(value->kind),
			  type_texts[param->type], param->choices ? ": " : "", param->choices ? param->choices : "");
}

/* Checks x against the row's bounds, by the conventions of struct param. Integers come as doubles, so a bound above
 * 2^53 is only as sharp as their rounding. */
static bool within(const struct param *param, double x)
{
	if (param->min == 0 && param->max == 0)
		return true;
	if (x < param->min || (param->above_min && x == param->min))
		return false;
	return param->max == 0 ? param->min > 0 : x <= param->max;
}

/* States the range in words, by the same conventions as `within`. Numbers beyond 2^53 would be rounded in the text,
 * so 2^64 stands as "and up". */
static int out_of_range(const struct args *args, unsigned p, const char *got, struct error *err)
{
	const struct param *param = &args->operation->params[p];
	const char *above = param->above_min ? "above " : "";

	if (param->min == 0 && param->max == 0)
		return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got %s, allowed is %s", got,
				  param->type == PARAM_F64 ? "any finite number" : "0 to 18446744073709551615");
	if (isinf(param->max))
		return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got %s, allowed is any number, inf and -inf too",
				  got);
	if (param->max == 0 || param->max >= 0x1p64)
		return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got %s, allowed is %s%.15g and up", got, above,
				  param->min);
	return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got %s, allowed is %s%.15g to %.15g", got, above,
			  param->min, param->max);
}

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_STRING || value->kind == VALUE_BYTES;
}

/* A negative integer has the right type and the wrong range, which the error says. */
static int bind_u64(const struct args *args, unsigned p, const struct value *value, uint64_t *ret, struct error *err)
{
	const bool is_number = value->kind == VALUE_INT || value->kind == VALUE_REAL;
	char got[32];
	uint64_t u;
	int64_t i;

	if (!value_to_u64(value, &u)) {
		if (!is_number || !value_to_i64(value, &i))
			return wrong_type(args, p, value, err);
		snprintf(got, sizeof got, "%" PRId64, i);
		return out_of_range(args, p, got, err);
	}
	if (!within(&args->operation->params[p], (double)u)) {
		snprintf(got, sizeof got, "%" PRIu64, u);
		return out_of_range(args, p, got, err);
	}
	*ret = u;
	return 0;
}

static int bind_i64(const struct args *args, unsigned p, const struct value *value, int64_t *ret, struct error *err)
{
	char got[32];
	int64_t i;

	if (!value_to_i64(value, &i))
		return wrong_type(args, p, value, err);
	if (!within(&args->operation->params[p], (double)i)) {
		snprintf(got, sizeof got, "%" PRId64, i);
		return out_of_range(args, p, got, err);
	}
	*ret = i;
	return 0;
}

/* JSON has no infinity: text serves where one is allowed. */
static bool read_f64(const struct param *param, const struct value *value, double *ret)
{
	if (isinf(param->max) && (value_is_text(value, "inf") || value_is_text(value, "-inf"))) {
		*ret = value->bytes.at[0] == '-' ? -(double)INFINITY : (double)INFINITY;
		return true;
	}
	return value_to_f64(value, ret);
}

/* NaN is never allowed; infinity where the row's maximum is infinite. */
static int bind_f64(const struct args *args, unsigned p, const struct value *value, double *ret, struct error *err)
{
	const struct param *param = &args->operation->params[p];
	char got[32];
	double x;

	if (!read_f64(param, value, &x))
		return wrong_type(args, p, value, err);
	if (isnan(x) || (isinf(x) && !isinf(param->max)) || !within(param, x)) {
		snprintf(got, sizeof got, "%.17g", x);
		return out_of_range(args, p, got, err);
	}
	*ret = x;
	return 0;
}

/* Dtypes go by their short and long names alike. */
static bool choice_is(const char *choice, size_t size, const struct value *value)
{
	enum dtype dtype = dtype_parse(choice, size);

	if (value->bytes.size == size && memcmp(value->bytes.at, choice, size) == 0)
		return true;
	return dtype != DTYPE_NONE && dtype_parse(value->bytes.at, value->bytes.size) == dtype;
}

/* The result is the index of the choice in the row's text "a|b|c"; enums of the kernels have the same order. */
static int bind_choice(const struct args *args, unsigned p, const struct value *value, unsigned *ret, struct error *err)
{
	const struct param *param = &args->operation->params[p];
	char got[BIND_TEXT];
	unsigned which = 0;

	if (!is_text(value))
		return wrong_type(args, p, value, err);
	for (const char *at = param->choices; at; which++) {
		const char *bar = strchr(at, '|');

		if (choice_is(at, bar ? (size_t)(bar - at) : strlen(at), value)) {
			*ret = which;
			return 0;
		}
		at = bar ? bar + 1 : NULL;
	}
	return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got \"%s\", allowed is %s",
			  bind_text(value->bytes.at, value->bytes.size, got), param->choices);
}

/* Binds one number, or an array of 1 to 8 numbers: of a shape as u64, of axes as i64. */
static int bind_list(const struct args *args, unsigned p, const struct value *value, struct arg *ret, struct error *err)
{
	const bool shape = args->operation->params[p].type == PARAM_SHAPE;
	const struct value *at = value->kind == VALUE_ARRAY ? value->array.at : value;
	const size_t count = value->kind == VALUE_ARRAY ? value->array.count : 1;
	int64_t as_it_is;
	int error = 0;

	if (count < 1 || count > SHAPE_MAX_DIMS)
		return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "got %zu elements, allowed are 1 to %d", count,
				  SHAPE_MAX_DIMS);
	for (unsigned i = 0; i < count && !error; i++)
		if (shape && args->operation->params[p].min == -1 && value_to_i64(&at[i], &as_it_is) && as_it_is == -1)
			ret->shape.at[i] = BIND_AS_IT_IS;
		else
			error = shape ? bind_u64(args, p, &at[i], &ret->shape.at[i], err)
				      : bind_i64(args, p, &at[i], &ret->axes.at[i], err);
	if (error)
		return error;
	if (shape)
		ret->shape.count = (unsigned)count;
	else
		ret->axes.count = (unsigned)count;
	return 0;
}

/* Checks the kind of a tile's value; the compiler looks the tile up. Handles are allowed anywhere, names in programs,
 * and maps as inputs of operations ({dtype, shape, data}) and as `out` ({new: true}). */
static int bind_tile(const struct args *args, unsigned p, const struct value *value, struct error *err)
{
	const struct param *param = &args->operation->params[p];
	const bool output = strcmp(param->name, "out") == 0;
	const bool input = !output && args->operation->class != METHOD_SERVICE;
	uint64_t handle;

	if (value->kind == VALUE_REAL && !value_to_natural(value, &handle))
		return wrong_type(args, p, value, err);
	if (value_to_natural(value, &handle) || (value->kind == VALUE_STRING && input && args->in_program) ||
	    (value->kind == VALUE_MAP && (input || output)))
		return 0;
	return bind_error(args, p, err, ERROR_WRONG_TYPE, "got %s, allowed is a tile's handle%s%s", bind_kind_text(value->kind),
			  input && args->in_program ? ", the name of an earlier step" : "",
			  input    ? " or a map {dtype, shape, data}"
			  : output ? " or the map {new: true}"
				   : "");
}

int bind_distribution(const struct args *args, unsigned p, const struct value *map, bool is_required,
		      const struct operation **ret_distribution, struct error *err)
{
	const struct value *op = map->kind == VALUE_MAP ? value_get(map, "op") : NULL;
	const struct operation *distribution;
	char got[BIND_TEXT];

	if (map->kind != VALUE_MAP)
		return bind_error(args, p, err, ERROR_WRONG_TYPE,
				  "got %s, allowed is a map {op: a distribution, its parameters ...}",
				  bind_kind_text(map->kind));
	if (!op && is_required)
		return bind_error(args, p, err, ERROR_MISSING_PARAMETER,
				  "op is missing: give the name of a distribution");
	if (op && !is_text(op))
		return bind_error(args, p, err, ERROR_WRONG_TYPE,
				  "op: got %s, allowed is the name of a distribution", bind_kind_text(op->kind));
	distribution = op ? operation_find(op->bytes.at, op->bytes.size) : operation_find("normal", strlen("normal"));
	if (!distribution || distribution->class != METHOD_DRAW)
		return bind_error(args, p, err, ERROR_UNKNOWN_METHOD,
				  "op \"%s\" is not a distribution, allowed are the draws",
				  bind_text(op->bytes.at, op->bytes.size, got));
	*ret_distribution = distribution;
	return 0;
}

/* Binds one value to its parameter. A map where a number is expected is an array of parameters, which
 * compile_parameter_arrays reads. */
static int bind_one(const struct args *args, unsigned p, const struct value *value, struct arg *ret, struct error *err)
{
	ret->value = value;
	ret->is_array = value->kind == VALUE_MAP && operation_takes_array(args->operation, p);
	if (ret->is_array)
		return 0;
	switch (args->operation->params[p].type) {
	case PARAM_U64:
		return bind_u64(args, p, value, &ret->u64, err);
	case PARAM_INT:
		return value_to_int128(value, &ret->whole) ? 0 : wrong_type(args, p, value, err);
	case PARAM_F64:
		return bind_f64(args, p, value, &ret->f64, err);
	case PARAM_BOOL:
		if (value->kind != VALUE_BOOL)
			return wrong_type(args, p, value, err);
		ret->boolean = value->boolean;
		return 0;
	case PARAM_CHOICE:
		return bind_choice(args, p, value, &ret->choice, err);
	case PARAM_SHAPE:
	case PARAM_AXES:
		return bind_list(args, p, value, ret, err);
	case PARAM_TILE:
		return bind_tile(args, p, value, err);
	case PARAM_TEXT:
		return is_text(value) ? 0 : wrong_type(args, p, value, err);
	case PARAM_ANY:
		return 0;
	}
	return 0;
}

/* The table's default, which is text, as the value that a request might have carried. */
static struct value fallback_value(const struct param *param)
{
	switch (param->type) {
	case PARAM_F64:
		return value_real(strtod(param->fallback, NULL));
	case PARAM_INT:
	case PARAM_AXES:
		return value_int(strtoll(param->fallback, NULL, 10));
	case PARAM_BOOL:
		return value_bool(strcmp(param->fallback, "true") == 0);
	default:
		return value_string(param->fallback);
	}
}

/* Reports an unknown parameter with its new name, or with the names that are allowed, as many as fit an error's text. */
static int unknown(const struct args *args, const struct value_member *member, struct error *err)
{
	static const char old_layout[] = "key_layout";
	char got[BIND_TEXT], names[200];
	int at = 0;

	if (member->name_size == sizeof old_layout - 1 && memcmp(member->name, old_layout, sizeof old_layout - 1) == 0)
		return error_set(err, ERROR_UNKNOWN_PARAMETER, "%s: key_layout: no such parameter, its name is layout", args->context);
	names[0] = '\0';
	for (size_t i = 0; i < args->operation->n_params && at < (int)sizeof names; i++)
		at += snprintf(names + at, sizeof names - (size_t)at, "%s%s", i ? ", " : "",
			       args->operation->params[i].name);
	return error_set(err, ERROR_UNKNOWN_PARAMETER, "%s: %s: no such parameter, allowed are %s", args->context,
			 bind_text(member->name, member->name_size, got), names);
}

/* Returns whether a member belongs to the step of a program rather than to its operation. */
static bool is_step_word(const struct args *args, const struct value_member *member)
{
	static const char stream_name[] = "stream_name";

	if (args->names_stream && member->name_size == sizeof stream_name - 1)
		return memcmp(member->name, stream_name, sizeof stream_name - 1) == 0;
	return args->in_program && member->name_size == 2 &&
	       (memcmp(member->name, "op", 2) == 0 || memcmp(member->name, "as", 2) == 0);
}

/* Binds each member of the map. One that is there twice is an error: nobody knows which of the two was meant. */
static int bind_given(struct args *args, const struct value *map, struct error *err)
{
	for (size_t i = 0; i < map->map.count; i++) {
		const struct value_member *member = &map->map.at[i];
		const struct param *param = operation_param(args->operation, member->name, member->name_size);
		unsigned p;
		int error;

		if (is_step_word(args, member))
			continue;
		if (!param)
			return unknown(args, member, err);
		p = (unsigned)(param - args->operation->params);
		if (args->at[p].given)
			return bind_error(args, p, err, ERROR_OUT_OF_RANGE, "given twice, allowed is once");
		error = bind_one(args, p, &member->value, &args->at[p], err);
		if (error)
			return error;
		args->at[p].given = true;
	}
	return 0;
}

/* The bound defaults of one operation. */
struct defaults {
	struct arg at[PARAMS_MAX];
	int timeout; /* which of them is timeout_ms; -1: none */
};

static struct {
	pthread_once_t once;
	struct defaults *rows; /* by the operation's number; never freed, never changed; NULL: there was no memory */
} defaults = {.once = PTHREAD_ONCE_INIT};

/* Binds the defaults of all operations once, so that a request copies them and parses no text. A default that its own
 * row refuses is a mistake in the table. */
static void read_defaults(void)
{
	size_t count;
	const struct operation *all = operations(&count);
	struct defaults *rows = calloc(count, sizeof *rows);

	for (size_t i = 0; rows && i < count; i++) {
		const struct args args = {.operation = &all[i], .context = all[i].name};
		const struct param *timeout = operation_param(&all[i], "timeout_ms", strlen("timeout_ms"));

		rows[i].timeout = timeout ? (int)(timeout - all[i].params) : -1;
		assert(all[i].n_params <= PARAMS_MAX);
		for (unsigned p = 0; p < all[i].n_params; p++) {
			const struct param *param = &all[i].params[p];

			if (param->fallback && *param->fallback) {
				const struct value value = fallback_value(param);
				const int error = bind_one(&args, p, &value, &rows[i].at[p], NULL);

				assert(!error);
				(void)error;
				rows[i].at[p].value = NULL;
			}
		}
	}
	defaults.rows = rows;
}

int bind_args(struct args *args, const struct value *map, struct error *err)
{
	const size_t n = args->operation->n_params;
	size_t count;
	int error;

	pthread_once(&defaults.once, read_defaults);
	if (!defaults.rows)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for its defaults", args->context);
	memcpy(args->at, defaults.rows[args->operation - operations(&count)].at, n * sizeof *args->at);
	error = bind_given(args, map, err);
	for (unsigned p = 0; p < n && !error; p++)
		if (!args->at[p].given && !args->operation->params[p].fallback)
			return bind_error(args, p, err, ERROR_MISSING_PARAMETER, "missing: give %s",
					  type_texts[args->operation->params[p].type]);
	return error;
}

uint64_t bind_timeout_ms(const struct args *args)
{
	size_t count;
	const int timeout = defaults.rows[args->operation - operations(&count)].timeout;

	return timeout < 0 ? 0 : args->at[timeout].u64;
}

struct value bind_choice_text(const struct param *param, unsigned choice)
{
	const char *at = param->choices;

	for (; choice > 0; choice--)
		at = strchr(at, '|') + 1;
	return (struct value){.kind = VALUE_STRING, .bytes = {at, strcspn(at, "|")}};
}

/* A default is one of the row's choices, too, so only a parameter without any can be left out. */
enum dtype bind_dtype(const struct args *args, unsigned p)
{
	const struct param *param = &args->operation->params[p];
	struct value text;

	if (!args->at[p].given && !*param->fallback)
		return DTYPE_NONE;
	text = bind_choice_text(param, args->at[p].choice);
	return dtype_parse(text.bytes.at, text.bytes.size);
}
