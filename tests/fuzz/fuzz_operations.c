/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of every method of the table, whose parameters lie at the ends of what they may be: 0, 1, the limits of their rows,
 * one beyond, the ends of integers and floats, shapes with sizes of 0; inline arrays, tiles, programs, prepared calls, rings
 * and broadcasts. Bytes alone seldom make such a request. Whatever is asked, the service goes on and gives back what it took.
 *
 * Input: each byte is the next choice; past its end all choices are 0. */
#include "service.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/operations/operations.h"
#include "proto/codec.h"

enum { REQUESTS_MOST = 12, TURNS = 12, INLINE_MOST = 4096, DEPTH_MOST = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct choices {
	const uint8_t *at;
	size_t left;
	struct bump *bump; /* of the request that is made */
};

static unsigned choose(struct choices *c, unsigned n)
{
	if (c->left == 0)
		return 0;
	c->left--;
	return *c->at++ % n;
}

/* ---- values ---- */

static uint64_t choose_natural(struct choices *c)
{
	static const uint64_t ends[] = {
		0,	 1,	    2,	      3,	 8,	   16,	       17,	   63,		 64,		  65,
		512,	 513,	    4096,     65535,	 65536,	   1 << 19,    (1 << 30),  (1 << 30) + 1, UINT32_MAX,	  UINT64_C(1) << 32,
		UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 60, UINT64_C(1) << 62, INT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX - 1,	 UINT64_MAX,
	};

	/* Most are small, or few requests would be right. */
	return choose(c, 4) ? ends[choose(c, 10)] : ends[choose(c, sizeof ends / sizeof *ends)];
}

/* An end of the row's range, the one beside it, or any natural number. */
static struct value choose_integer(struct choices *c, const struct param *param)
{
	const double bound = choose(c, 2) ? param->max : param->min;
	const int64_t end = fabs(bound) < 0x1p62 ? (int64_t)bound : 0;

	switch (choose(c, 8)) {
	case 0:
		return value_int(end + (int64_t)choose(c, 3) - 1);
	case 1:
		return value_int(-(int64_t)choose(c, 10));
	case 2:
		return value_real((double)choose_natural(c));
	case 3:
		return value_int(end);
	default:
		return value_uint(choose_natural(c));
	}
}

static struct value choose_float(struct choices *c, const struct param *param)
{
	const double ends[] = {1, 0.5, 0, 2, -1, 10, 100, -0.0, DBL_MIN, 0x1p-1074, 1e-300, DBL_MAX, 1e300, 0x1p53, 0x1p63, 1e15,
			       param->min, param->max, nextafter(param->min, -INFINITY), nextafter(param->max, INFINITY),
			       nextafter(param->min, INFINITY), nextafter(param->max, -INFINITY), INFINITY, -INFINITY, NAN};

	return value_real(ends[choose(c, 2) ? choose(c, 6) : choose(c, sizeof ends / sizeof *ends)]);
}

static struct value choose_text(struct choices *c, const char *choices)
{
	unsigned count = 1, which;

	for (const char *at = choices; (at = strchr(at, '|')); at++)
		count++;
	for (which = choose(c, count); which > 0; which--)
		choices = strchr(choices, '|') + 1;
	return (struct value){.kind = VALUE_STRING, .bytes = {choices, strcspn(choices, "|")}};
}

/* A list of sizes or axes; one in sixteen has none, nine or its product beyond 2^64. */
static struct value choose_list(struct choices *c, const struct param *param, bool sizes)
{
	static const unsigned counts[] = {1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 1, 2, 8, 9, 0};
	const unsigned n = counts[choose(c, sizeof counts / sizeof *counts)];
	struct value list = value_array();

	if (choose(c, 8) == 1)
		return choose_integer(c, param);
	for (unsigned i = 0; i < n; i++)
		must(value_push(c->bump, &list, sizes ? choose_integer(c, param) : value_int((int64_t)choose(c, 6) - 3)) == 0);
	return list;
}

static const char *const dtypes[] = {"f32", "f64", "c64", "c128", "i64", "i8", "i32", "u32", "u64", "f16", "bf16", "x"};

/* {dtype, shape, data}: as many bytes as the shape has, where these are few. */
static struct value choose_array(struct choices *c)
{
	static const unsigned sizes[] = {0, 1, 2, 3, 8, 16, 17, 64, 5, 4};
	static char bytes[INLINE_MOST + 1];
	const char *dtype = dtypes[choose(c, 3) ? choose(c, 4) : choose(c, sizeof dtypes / sizeof *dtypes)];
	const enum dtype known = dtype_parse(dtype, strlen(dtype));
	struct value map = value_map(), shape = value_array();
	uint64_t n = known ? dtype_size(known) : 1, size;

	for (unsigned i = 0, ndim = choose(c, 3) + 1; i < ndim; i++) {
		size = choose(c, 8) ? sizes[choose(c, sizeof sizes / sizeof *sizes)] : choose_natural(c);
		must(value_push(c->bump, &shape, value_uint(size)) == 0);
		n = size && n > INLINE_MOST / size ? INLINE_MOST : n * size;
	}
	bytes[0] = (char)choose(c, 4);
	must(value_put(c->bump, &map, "dtype", value_string(dtype)) == 0 && value_put(c->bump, &map, "shape", shape) == 0 &&
	     value_put(c->bump, &map, "data", value_bytes(bytes, (size_t)n + (choose(c, 32) == 1))) == 0);
	return map;
}

/* Handles count from 1. */
static struct value choose_handle(struct choices *c)
{
	return value_uint(choose(c, 6));
}

static struct value choose_numbers(struct choices *c)
{
	static const double numbers[] = {1, 0.5, 0, 2, 0.25, 1e-300, 1e300, -1};
	struct value list = value_array();

	for (unsigned i = 0, n = choose(c, 6); i < n; i++)
		must(value_push(c->bump, &list, value_real(numbers[choose(c, sizeof numbers / sizeof *numbers)])) == 0);
	return list;
}

static struct value choose_params(struct choices *c, const struct operation *operation, unsigned depth);

static const struct operation *choose_operation(struct choices *c, enum method_class least, enum method_class most)
{
	size_t count;
	const struct operation *all = operations(&count);
	const struct operation *found;

	/* Two bytes reach all rows. */
	do
		found = &all[(choose(c, 256) + choose(c, 2) * 64) % count];
	while (c->left > 0 && (found->class < least || found->class > most));
	return found;
}

/* {op: a distribution, its parameters} */
static struct value choose_distribution(struct choices *c, unsigned depth)
{
	const struct operation *operation = choose_operation(c, METHOD_DRAW, METHOD_DRAW);
	struct value map = choose_params(c, operation, depth + 1);

	must(value_put(c->bump, &map, "op", value_string(operation->name)) == 0);
	return map;
}

static struct value choose_steps(struct choices *c, unsigned depth)
{
	static const char *const names[] = {"x", "y", "z"};
	struct value steps = value_array();

	for (unsigned i = 0, n = choose(c, 4); i < n; i++) {
		const struct operation *operation = choose_operation(c, METHOD_DRAW, METHOD_SIGNAL);
		struct value map = choose_params(c, operation, depth + 1);

		must(value_put(c->bump, &map, "op", value_string(operation->name)) == 0);
		must(value_put(c->bump, &map, "as", value_string(names[i % 3])) == 0);
		must(value_push(c->bump, &steps, map) == 0);
	}
	return steps;
}

static struct value choose_any(struct choices *c, const char *name, unsigned depth)
{
	if (depth >= DEPTH_MOST)
		return choose_numbers(c);
	if (strcmp(name, "steps") == 0)
		return choose_steps(c, depth);
	if (strcmp(name, "noise") == 0 || strcmp(name, "draw") == 0)
		return choose_distribution(c, depth);
	if (strcmp(name, "results") == 0) {
		struct value list = value_array();

		must(value_push(c->bump, &list, value_string("x")) == 0);
		return list;
	}
	return choose_numbers(c);
}

static struct value choose_value(struct choices *c, const struct operation *operation, size_t p, unsigned depth)
{
	const struct param *param = &operation->params[p];
	struct value map;

	if (operation_takes_array(operation, p) && choose(c, 3) == 1)
		return choose_array(c);
	switch (param->type) {
	case PARAM_U64:
	case PARAM_INT:
		return choose_integer(c, param);
	case PARAM_F64:
		return choose_float(c, param);
	case PARAM_BOOL:
		return value_bool(choose(c, 2));
	case PARAM_CHOICE:
		return choose_text(c, param->choices);
	case PARAM_SHAPE:
	case PARAM_AXES:
		return choose_list(c, param, param->type == PARAM_SHAPE);
	case PARAM_TEXT:
		return value_string(choose(c, 2) ? "a" : "");
	case PARAM_ANY:
		return choose_any(c, param->name, depth);
	case PARAM_TILE:
		break;
	}
	if (strcmp(param->name, "out") == 0 && choose(c, 2)) {
		map = value_map();
		must(value_put(c->bump, &map, "new", value_bool(true)) == 0);
		return map;
	}
	if (depth > 0 && choose(c, 3) == 1)
		return value_string(choose(c, 2) ? "x" : "y");
	return strcmp(param->name, "out") == 0 || choose(c, 4) == 1 ? choose_handle(c) : choose_array(c);
}

/* What must be there, and some of the rest. */
static struct value choose_params(struct choices *c, const struct operation *operation, unsigned depth)
{
	struct value map = value_map();

	for (size_t p = 0; p < operation->n_params; p++) {
		const struct param *param = &operation->params[p];
		const bool counts = strcmp(param->name, "n") == 0 || strcmp(param->name, "shape") == 0;

		if (param->fallback ? choose(c, counts ? 2 : 6) == 0 || c->left == 0 : choose(c, 64) == 1)
			continue;
		if (param->fallback && !counts && choose(c, 2))
			continue;
		must(value_put(c->bump, &map, param->name,
			       strcmp(param->name, "prepared") == 0 ? choose_handle(c) : choose_value(c, operation, p, depth)) == 0);
	}
	return map;
}

/* ---- requests ---- */

static void send_request(struct choices *c, int fd, uint32_t msgid, const char *method, const struct value *params)
{
	struct codec_buffer buffer = {0};

	must(codec_request(&buffer, msgid, method, params) == 0);
	(void)!send(fd, buffer.at, buffer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
	codec_buffer_free(&buffer);
	for (unsigned i = 0, n = TURNS + choose(c, 4) * TURNS; i < n; i++)
		loop_once(EVLOOP_NONBLOCK);
	read_all(fd);
}

/* Makes the operation a prepared call and runs it, twice. */
static void run_prepared(struct choices *c, int fd, uint32_t msgid, const struct operation *operation, struct value params)
{
	const struct operation *runs = operation_find("run_prepared", strlen("run_prepared"));
	struct value prepare = value_map();

	must(value_put(c->bump, &prepare, "method", value_string(operation->name)) == 0 &&
	     value_put(c->bump, &prepare, "params", params) == 0);
	send_request(c, fd, msgid, "prepare", &prepare);
	for (unsigned i = 0; i < 2; i++) {
		struct value run = choose_params(c, runs, 0);

		must(value_put(c->bump, &run, "prepared", value_uint(choose(c, 3) + 1)) == 0);
		send_request(c, fd, msgid + 1 + i, "run_prepared", &run);
	}
}

/* disconnect would end this client's own session. */
static bool is_left_out(const struct operation *operation)
{
	return strcmp(operation->name, "disconnect") == 0;
}

static void ask(struct choices *c, int fd, uint32_t msgid)
{
	const struct operation *operation = choose(c, 4) ? choose_operation(c, METHOD_PROGRAM, METHOD_SIGNAL)
							 : choose_operation(c, METHOD_SESSION, METHOD_STREAM);
	struct value params;

	c->bump = bump_new();
	must(c->bump != NULL);
	params = choose_params(c, operation, 0);
	if (is_left_out(operation))
		;
	else if (operation->class >= METHOD_DRAW && choose(c, 4) == 1)
		run_prepared(c, fd, msgid, operation, params);
	else
		send_request(c, fd, msgid, operation->name, &params);
	bump_free(c->bump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = {.at = data, .left = size};
	const int fd = service_connect();

	for (unsigned i = 0; i < REQUESTS_MOST && (i == 0 || c.left > 0); i++)
		ask(&c, fd, 4 * i);
	close(fd);
	wait_for_end();
	return 0;
}
