/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol_example.h"

#include <inttypes.h>
#include <string.h>

#include "codec.h"
#include "examples.h"

enum { MSGID = 7 };

static FILE *out;

/* ------- values as text ------- */

static void show(const struct value *value);

static void show_many(const struct value *value)
{
	bool map = value->kind == VALUE_MAP;
	size_t count = map ? value->map.count : value->array.count;

	fputc(map ? '{' : '[', out);
	for (size_t i = 0; i < count; i++) {
		if (map)
			fprintf(out, "\"%.*s\": ", (int)value->map.at[i].name_size, value->map.at[i].name);
		show(map ? &value->map.at[i].value : &value->array.at[i]);
		if (i + 1 < count)
			fputs(", ", out);
	}
	fputc(map ? '}' : ']', out);
}

static void show(const struct value *value)
{
	switch (value->kind) {
	case VALUE_NIL:
		fputs("nil", out);
		break;
	case VALUE_BOOL:
		fputs(value->boolean ? "true" : "false", out);
		break;
	case VALUE_UINT:
		fprintf(out, "%" PRIu64, value->u);
		break;
	case VALUE_INT:
		fprintf(out, "%" PRId64, value->i);
		break;
	case VALUE_REAL:
		fprintf(out, "%.6g", value->real);
		break;
	case VALUE_STRING:
		fprintf(out, "\"%.*s\"", (int)value->bytes.size, value->bytes.at);
		break;
	case VALUE_BYTES:
		fprintf(out, "(%zu bytes)", value->bytes.size);
		break;
	default:
		show_many(value);
	}
}

static void show_bytes(const struct codec_buffer *buffer)
{
	enum { A_LINE = 40 };

	for (size_t i = 0; i < buffer->size; i++)
		fprintf(out, "%02x%s", (unsigned char)buffer->at[i],
			i + 1 == buffer->size || i % A_LINE == A_LINE - 1 ? "\n" : " ");
}

/* ------- examples ------- */

/* The engine's reply; NULL where the example's is too long to show, or changes. Lives until *ret_request is freed. */
static const struct value *find_reply(const struct operation *operation, const struct value *params, struct value *made,
				      struct request **ret_request)
{
	if (!strcmp(operation->name, "describe") || !strcmp(operation->name, "stats"))
		return NULL;
	if (operation->class == METHOD_SESSION) {
		*made = example_session_reply(operation->name);
		return made;
	}
	example_run(operation->name, params, ret_request);
	return request_result(*ret_request);
}

bool protocol_has_own_bytes(const char *method)
{
	static const char *const methods[] = {"fft",      "dct",       "dst",   "gemm", "stft", "istft",
					      "convolve", "correlate", "welch", "csd"};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i], method) == 0)
			return true;
	return false;
}

static void write_request(const struct operation *operation, const struct value *params, bool bytes)
{
	struct codec_buffer buffer = {0};

	fprintf(out, "[0, %d, \"%s\", [", MSGID, operation->name);
	if (params->map.count)
		show(params);
	fputs("]]\n", out);
	assert_int_equal(codec_request(&buffer, MSGID, operation->name, params), 0);
	if (bytes)
		show_bytes(&buffer);
	codec_buffer_free(&buffer);
}

static void write_reply(const struct value *result, bool bytes)
{
	struct codec_buffer buffer = {0};

	fprintf(out, "[1, %d, nil, ", MSGID);
	show(result);
	fputs("]\n", out);
	assert_int_equal(codec_response(&buffer, MSGID, NULL, result), 0);
	if (bytes)
		show_bytes(&buffer);
	codec_buffer_free(&buffer);
}

/* Whether the reply has members that draws and transforms do not share. */
static bool has_own_members(const struct value *reply)
{
	static const char *const common[] = {"n", "dtype", "shape", "data", "tile", "generator", "seed", "stream", "offset",
					     "position", "next", "stream_format", "precision", "bound"};

	for (size_t i = 0; i < reply->map.count; i++) {
		size_t k = 0;

		while (k < sizeof common / sizeof *common && strcmp(common[k], reply->map.at[i].name) != 0)
			k++;
		if (k == sizeof common / sizeof *common)
			return true;
	}
	return false;
}

void protocol_example(const struct operation *operation, bool bytes, FILE *to)
{
	const struct value *result;
	struct request *request = NULL;
	struct value params, made;

	out = to;
	if (!example_params(operation->name, &params))
		fail_msg("%s has no example: add one to tests/proto/examples.c", operation->name);
	result = find_reply(operation, &params, &made, &request);
	if (bytes || operation->class < METHOD_DRAW || has_own_members(result)) {
		write_request(operation, &params, bytes);
		if (result)
			write_reply(result, bytes);
	}
	request_free(request);
}
