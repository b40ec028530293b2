/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of PROTOCOL.md. */
#include "examples.h"

#include <semaphore.h>
#include <string.h>

#include "engine/operations/operations.h"

static struct bump *bump;
static struct engine_session *memory;

void examples_begin(struct bump *in, struct engine_session *of)
{
	bump = in;
	memory = of;
}

static struct value map(const char *name, ...)
{
	struct value made = value_map();
	va_list args;

	va_start(args, name);
	for (; name; name = va_arg(args, const char *))
		assert_int_equal(value_put(bump, &made, name, va_arg(args, struct value)), 0);
	va_end(args);
	return made;
}

static struct value list(size_t count, ...)
{
	struct value made = value_array();
	va_list args;

	va_start(args, count);
	while (count--)
		assert_int_equal(value_push(bump, &made, va_arg(args, struct value)), 0);
	va_end(args);
	return made;
}

static struct value floats(size_t count, const float *at)
{
	return map("dtype", value_string("f32"), "shape", list(1, value_uint(count)), "data",
		   value_bytes(at, count * sizeof *at), NULL);
}

/* ------- requests ------- */

static bool example_of_service(const char *method, struct value *ret)
{
	if (!strcmp(method, "version") || !strcmp(method, "describe") || !strcmp(method, "stats") || !strcmp(method, "clients") ||
	    !strcmp(method, "slow"))
		*ret = value_map();
	else if (!strcmp(method, "ping"))
		*ret = map("payload", value_string("hello"), NULL);
	else if (!strcmp(method, "arena"))
		*ret = map("bytes", value_uint(EXAMPLES_ARENA), NULL);
	else if (!strcmp(method, "tile"))
		*ret = map("dtype", value_string("f32"), "shape", list(2, value_uint(16), value_uint(64)), NULL);
	else if (!strcmp(method, "free"))
		*ret = map("tile", value_uint(1), NULL);
	else if (!strcmp(method, "arena_free"))
		*ret = map("arena", value_uint(1), NULL);
	else if (!strcmp(method, "queue"))
		*ret = map("entries", value_uint(256), NULL);
	else if (!strcmp(method, "cancel"))
		*ret = map("msgid", value_uint(5), NULL);
	else if (!strcmp(method, "disconnect"))
		*ret = map("id", value_uint(3), NULL);
	else if (!strcmp(method, "derive"))
		*ret = map("seed", value_uint(1), "label", value_string("noise of channel 3"), NULL);
	else
		return false;
	return true;
}

/* Rings and broadcasts. */
static bool example_of_noise(const char *method, struct value *ret)
{
	if (!strcmp(method, "ring_attach"))
		*ret = map("noise", map("op", value_string("normal"), "seed", value_uint(1), NULL), "samples",
			   value_uint(65536), NULL);
	else if (!strcmp(method, "ring_detach"))
		*ret = map("ring", value_uint(1), NULL);
	else if (!strcmp(method, "broadcast_create"))
		*ret = map("name", value_string("dither"), "noise", map("op", value_string("uniform"), NULL), "mode",
			   value_string("0644"), NULL);
	else if (!strcmp(method, "broadcast_publish"))
		*ret = map("name", value_string("dither"), "n", value_uint(4096), NULL);
	else if (!strcmp(method, "broadcast_attach") || !strcmp(method, "broadcast_close"))
		*ret = map("name", value_string("dither"), NULL);
	else if (!strcmp(method, "broadcast_list"))
		*ret = value_map();
	else
		return false;
	return true;
}

static bool example_of_stream(const char *method, struct value *ret)
{
	if (!strcmp(method, "stream_create"))
		*ret = map("name", value_string("noise"), "seed", value_uint(1), NULL);
	else if (!strcmp(method, "stream_draw"))
		*ret = map("name", value_string("noise"), "draw",
			   map("op", value_string("normal"), "n", value_uint(3), "std", value_real(2), NULL), NULL);
	else if (!strcmp(method, "stream_advance"))
		*ret = map("name", value_string("noise"), "by", value_uint(1 << 20), NULL);
	else if (!strcmp(method, "stream_list"))
		*ret = value_map();
	else if (!strcmp(method, "stream_show") || !strcmp(method, "stream_delete"))
		*ret = map("name", value_string("noise"), NULL);
	else
		return false;
	return true;
}

/* Whether the name stands in the list, each name of which ends in a blank. */
static bool is_one_of(const char *name, const char *list)
{
	const size_t size = strlen(name);

	for (; *list; list += strcspn(list, " ") + 1)
		if (strncmp(list, name, size) == 0 && list[size] == ' ')
			return true;
	return false;
}

/* Where the example of any distribution, below, would not do. */
static bool example_of_distribution(const char *method, struct value *ret)
{
	if (!strcmp(method, "uniform"))
		*ret = map("n", value_uint(4), "seed", value_uint(1), "low", value_int(-1), NULL);
	else if (!strcmp(method, "normal"))
		*ret = map("n", value_uint(3), "seed", value_uint(1), "stream", value_string("0xffffffffffffffff"),
			   "u64", value_string("str"), NULL);
	else
		return false;
	return true;
}

static bool example_of_array(const char *method, struct value *ret)
{
	static const float halves[2] = {0.5f, 0.25f}, ramp[4] = {1, 2, 3, 4};

	if (!strcmp(method, "box_muller"))
		*ret = map("in", floats(2, halves), NULL);
	else if (!strcmp(method, "scale"))
		*ret = map("in", floats(2, halves), "by", value_real(4), "plus", value_real(1), NULL);
	else if (!strcmp(method, "conj") || !strcmp(method, "real") || !strcmp(method, "imag"))
		*ret = map("in",
			   map("dtype", value_string("c64"), "shape", list(1, value_uint(2)), "data",
			       value_bytes(ramp, sizeof ramp), NULL),
			   NULL);
	else if (is_one_of(method, "abs square sqrt log exp sum mean max norm "))
		*ret = map("in", floats(4, ramp), NULL);
	else if (!strcmp(method, "clip"))
		*ret = map("in", floats(4, ramp), "low", value_real(1), "high", value_real(2), NULL);
	else if (!strcmp(method, "where"))
		*ret = map("condition", floats(2, halves), "a", floats(2, halves), "b", floats(1, ramp), NULL);
	else if (is_one_of(method, "subtract multiply divide "))
		*ret = map("a", floats(2, halves), "b", floats(1, halves), NULL);
	else if (!strcmp(method, "add"))
		*ret = map("a", floats(2, halves), "b", floats(2, halves), NULL);
	else if (!strcmp(method, "noise_add"))
		*ret = map("in", floats(2, halves), "sigma", value_real(0.5), "noise",
			   map("op", value_string("laplace"), "seed", value_uint(1), NULL), NULL);
	else if (!strcmp(method, "fft") || !strcmp(method, "dct") || !strcmp(method, "dst") ||
		 !strcmp(method, "fftshift"))
		*ret = map("in", floats(4, ramp), NULL);
	else if (!strcmp(method, "gemm"))
		*ret = map("a", floats(2, halves), "b", floats(2, halves), "op_a", value_string("transpose"), "op_b",
			   value_string("transpose"), NULL);
	else if (!strcmp(method, "trace"))
		*ret = map("in",
			   map("dtype", value_string("f32"), "shape", list(2, value_uint(2), value_uint(2)), "data",
			       value_bytes(ramp, sizeof ramp), NULL),
			   "probes", value_uint(8), "seed", value_uint(1), NULL);
	else if (!strcmp(method, "surrogate"))
		*ret = map("in", floats(2, halves), "seed", value_uint(1), NULL);
	else if (!strcmp(method, "fgn") || !strcmp(method, "fbm"))
		*ret = map("shape", value_uint(2), "hurst", value_real(0.75), "seed", value_uint(1), NULL);
	else if (!strcmp(method, "field"))
		*ret = map("shape", list(2, value_uint(2), value_uint(4)), "exponent", value_real(2), "seed", value_uint(1), NULL);
	else
		return false;
	return true;
}

static bool example_of_signal(const char *method, struct value *ret)
{
	static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const float spectra[] = {8, 0, 8, 0, 8, 0, 4, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0};

	if (!strcmp(method, "window"))
		*ret = map("n", value_uint(4), "window", value_string("hann"), "dtype", value_string("f32"), NULL);
	else if (!strcmp(method, "stft"))
		*ret = map("in", floats(8, x), "n_fft", value_uint(4), "hop_length", value_uint(4), "window",
			   value_string("hann"), NULL);
	else if (!strcmp(method, "convolve") || !strcmp(method, "correlate"))
		*ret = map("a", floats(8, x), "b", floats(2, x), "mode", value_string("same"), NULL);
	else if (!strcmp(method, "welch"))
		*ret = map("in", floats(8, x), "nperseg", value_uint(4), NULL);
	else if (!strcmp(method, "csd"))
		*ret = map("in", floats(8, x), "y", floats(8, x), "nperseg", value_uint(4), NULL);
	else if (!strcmp(method, "istft"))
		*ret = map("in",
			   map("dtype", value_string("c64"), "shape", list(2, value_uint(3), value_uint(3)), "data",
			       value_bytes(spectra, sizeof spectra), NULL),
			   "n_fft", value_uint(4), "hop_length", value_uint(2), "window", value_string("hann"), NULL);
	else
		return false;
	return true;
}

/* Four samples, and of the distribution's parameters those that have no default; two points in two dimensions. */
static bool example_of_draw(const char *method, struct value *ret)
{
	const struct operation *operation = operation_find(method, strlen(method));

	if (operation->class == METHOD_POINTS) {
		*ret = map("n", value_uint(2), "d", value_uint(2), NULL);
		return true;
	}
	if (operation->class != METHOD_DRAW)
		return false;
	*ret = map("n", value_uint(4), "seed", value_uint(1), NULL);
	for (size_t i = 0; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];
		struct value value = param->type == PARAM_F64   ? value_real(2.5)
				     : param->type == PARAM_ANY ? list(3, value_uint(1), value_uint(2), value_uint(5))
								: value_uint(10);

		if (!param->fallback)
			assert_int_equal(value_put(bump, ret, param->name, value), 0);
	}
	return true;
}

static void on_done(struct request *request, void *arg)
{
	(void)request;
	sem_post(arg);
}

void example_run(const char *method, const struct value *params, struct request **ret_request)
{
	sem_t done;

	sem_init(&done, 0, 0);
	assert_int_equal(request_start(memory, &(struct request_call){.method = method, .method_size = strlen(method), .params = params},
				        bump_new(), on_done, &done, ret_request),
			 0);
	sem_wait(&done);
	if (request_error(*ret_request))
		fail_msg("%s: %s", method, request_error(*ret_request)->text);
}

static struct value example_program(void)
{
	return map("steps",
		   list(3, map("op", value_string("uniform"), "n", value_uint(2), "as", value_string("u"), NULL),
			map("op", value_string("box_muller"), "in", value_string("u"), "as", value_string("z"), NULL),
			map("op", value_string("scale"), "in", value_string("z"), "by", value_real(0.1), "as",
			    value_string("noise"), NULL)),
		   "results", list(1, value_string("noise")), "seed", value_uint(1), NULL);
}

static struct value example_prepare(void)
{
	return map("method", value_string("run"), "params", example_program(), NULL);
}

/* By now the example of release has ended the first. */
static uint64_t another_prepared(void)
{
	const struct value params = example_prepare();
	struct request *request;
	uint64_t handle;

	example_run("prepare", &params, &request);
	handle = value_get(request_result(request), "prepared")->u;
	request_free(request);
	return handle;
}

static bool example_of_program(const char *method, struct value *ret)
{
	if (!strcmp(method, "run"))
		*ret = example_program();
	else if (!strcmp(method, "prepare"))
		*ret = example_prepare();
	else if (!strcmp(method, "release"))
		*ret = map("prepared", value_uint(1), NULL);
	else if (!strcmp(method, "run_prepared"))
		*ret = map("prepared", value_uint(another_prepared()), "offset", value_uint(4), NULL);
	else
		return false;
	return true;
}

bool example_params(const char *method, struct value *ret_params)
{
	return example_of_service(method, ret_params) || example_of_noise(method, ret_params) ||
	       example_of_stream(method, ret_params) || example_of_array(method, ret_params) ||
	       example_of_program(method, ret_params) || example_of_signal(method, ret_params) ||
	       example_of_distribution(method, ret_params) || example_of_draw(method, ret_params);
}

/* ------- replies ------- */

/* What a daemon says of a stream that has drawn 3 normals. */
static struct value stream_reply(bool fresh)
{
	return map("name", value_string("noise"), "generator", value_string("threefry4x32"), "seed", value_uint(1),
		   "stream", value_uint(1), "position", value_uint(fresh ? 0 : 4), "reserved",
		   value_uint(fresh ? 65536 : 65532), "skips", value_uint(0), "skipped", value_uint(0), "uid",
		   value_uint(1000), "gid", value_uint(1000), "mode", value_string("0640"), "created",
		   value_uint(1764500000), "stream_format", value_uint(1), NULL);
}

static int serve(void *arg, const struct args *args, struct deferred_reply *deferred)
{
	const char *name = args->operation->name;

	(void)arg;
	if (!strcmp(name, "stream_list"))
		*deferred->reply = map("streams", list(1, stream_reply(false)), "after", value_nil(), NULL);
	else
		*deferred->reply = stream_reply(!strcmp(name, "stream_create"));
	if (!strcmp(name, "stream_advance"))
		assert_int_equal(value_put(bump, deferred->reply, "position", value_uint((1 << 20) + 4)), 0);
	return 0;
}

static int reserve(void *arg, const char *name, size_t name_size, const char *context, struct deferred_reply *deferred)
{
	(void)arg;
	(void)name;
	(void)name_size;
	(void)context;
	deferred->stream = (struct stream){GENERATOR_THREEFRY4X32, 1, 1};
	return 0;
}

const struct deferred_reply_ops example_served = {serve, reserve, NULL, NULL};

struct value example_session_reply(const char *method)
{
	if (!strcmp(method, "arena"))
		return map("arena", value_uint(1), "bytes", value_uint(EXAMPLES_ARENA), "page", value_uint(4096), NULL);
	if (!strcmp(method, "arena_free"))
		return map("freed", value_uint(1), NULL);
	if (!strcmp(method, "queue"))
		return map("entries", value_uint(256), "bytes", value_uint(36864), "submissions_offset", value_uint(4096),
			   "completions_offset", value_uint(4096 + 256 * 64), NULL);
	if (!strcmp(method, "ring_attach"))
		return map("ring", value_uint(1), "capacity", value_uint(65536), "sample_bytes", value_uint(4), "bytes",
			   value_uint(4096 + 65536 * 4), "data_offset", value_uint(4096), "index_bytes",
			   value_uint(4096), "dtype", value_string("f32"), "components", value_uint(1), "generator",
			   value_string("threefry4x32"), "seed", value_uint(1), "stream", value_uint(0), "offset",
			   value_uint(0), "position", value_uint(0), "stream_format", value_uint(1), NULL);
	if (!strcmp(method, "broadcast_create"))
		return map("capacity", value_uint(65536), NULL);
	if (!strcmp(method, "broadcast_publish") || !strcmp(method, "broadcast_close"))
		return map("produced", value_uint(4096), NULL);
	if (!strcmp(method, "broadcast_list"))
		return map("broadcasts", list(0), NULL);
	if (!strcmp(method, "broadcast_attach"))
		return map("capacity", value_uint(65536), "sample_bytes", value_uint(4), "bytes",
			   value_uint(4096 + 65536 * 4), "data_offset", value_uint(4096), "dtype",
			   value_string("f32"), "components", value_uint(1), "generator",
			   value_string("threefry4x32"), "seed", value_uint(0), "stream", value_uint(0), "offset",
			   value_uint(0), "position", value_uint(0), "stream_format", value_uint(1), NULL);
	if (!strcmp(method, "clients"))
		return map("clients", list(0), NULL);
	if (!strcmp(method, "slow"))
		return map("slow", list(0), "slow_us", value_uint(100000), NULL);
	if (!strcmp(method, "disconnect"))
		return map("disconnected", value_uint(3), NULL);
	if (!strcmp(method, "ring_detach"))
		return map("detached", value_uint(1), NULL);
	return map("cancelled", value_bool(true), NULL);
}
