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
					      "convolve", "correlate", "welch", "csd", "colored"};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i], method) == 0)
			return true;
	return false;
}

static void write_request(const struct operation *operation, const struct value *params)
{
	struct codec_buffer buffer = {0};

	fprintf(out, "[0, %d, \"%s\", [", MSGID, operation->name);
	if (params->map.count)
		show(params);
	fputs("]]\n", out);
	assert_int_equal(codec_request(&buffer, MSGID, operation->name, params), 0);
	show_bytes(&buffer);
	codec_buffer_free(&buffer);
}

static void write_reply(const struct value *result)
{
	struct codec_buffer buffer = {0};

	fprintf(out, "[1, %d, nil, ", MSGID);
	show(result);
	fputs("]\n", out);
	assert_int_equal(codec_response(&buffer, MSGID, NULL, result), 0);
	show_bytes(&buffer);
	codec_buffer_free(&buffer);
}

static void find_params(const struct operation *operation, struct value *ret_params)
{
	if (!example_params(operation->name, ret_params))
		fail_msg("%s has no example: add one to tests/proto/examples.c", operation->name);
}

void protocol_example(const struct operation *operation, FILE *to)
{
	const struct value *result;
	struct request *request = NULL;
	struct value params, made;

	out = to;
	find_params(operation, &params);
	result = find_reply(operation, &params, &made, &request);
	write_request(operation, &params);
	if (result)
		write_reply(result);
	request_free(request);
}

void protocol_reply(const struct operation *operation, FILE *to)
{
	const struct value *result;
	struct request *request = NULL;
	struct value params, made;

	out = to;
	find_params(operation, &params);
	result = find_reply(operation, &params, &made, &request);
	if (result) {
		fputc('`', out);
		show(result);
		fputc('`', out);
	} else {
		fprintf(out, "*The reply of %s*", operation->name);
	}
	request_free(request);
}
