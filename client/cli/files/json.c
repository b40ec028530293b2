/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as the wire's maps. An integer keeps all its 64 bits; one beyond them is an error, where json-c would take the
 * nearest. */
#include "files/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/input.h"

enum { DEPTH = 24, FILE_BYTES = 64 << 20 };

/* Whether the digits at text, size of them, are an integer beyond 64 bits. */
static bool too_large(const char *text, size_t size)
{
	static const char most[] = "18446744073709551615";

	while (size > 1 && *text == '0') {
		text++;
		size--;
	}
	if (text[size] == '.' || text[size] == 'e' || text[size] == 'E')
		return false;
	return size > sizeof most - 1 || (size == sizeof most - 1 && memcmp(text, most, size) > 0);
}

/* The first integer outside strings that is beyond 64 bits; NULL when there is none. */
static const char *find_too_large(const char *text)
{
	bool quoted = false;

	for (const char *at = text; *at; at++) {
		if (quoted && *at == '\\' && at[1]) {
			at++;
		} else if (*at == '"') {
			quoted = !quoted;
		} else if (!quoted && *at >= '0' && *at <= '9') {
			size_t size = strspn(at, "0123456789");
			bool fraction = at > text && strchr(".eE+", at[-1]);

			if (!fraction && too_large(at, size))
				return at;
			at += size - 1;
		}
	}
	return NULL;
}

/* Counted from 1, as editors do. */
static unsigned line_of(const char *text, size_t at)
{
	unsigned line = 1;

	for (size_t i = 0; i < at && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

/* Large integers are looked for in the text: releases of json-c before 0.17 saturate them, later ones say that a number is
 * expected. */
static int parse(const char *name, const char *text, size_t size, struct json_object **ret_root)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
	const char *large = find_too_large(text);

	if (!tokener)
		return complain(EXIT_TRY_AGAIN, "%s: no memory", name);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	struct json_object *root = json_tokener_parse_ex(tokener, text, (int)size + 1);
	enum json_tokener_error error = json_tokener_get_error(tokener);
	const size_t end = json_tokener_get_parse_end(tokener);

	json_tokener_free(tokener);
	if (error == json_tokener_success && !large) {
		*ret_root = root;
		return EXIT_OK;
	}
	json_object_put(root);
	if (large && (error == json_tokener_success || (error == json_tokener_error_parse_number && text + end >= large)))
		return complain(EXIT_DATA, "%s: line %u: an integer beyond 64 bits", name,
				line_of(text, (size_t)(large - text)));
	return complain(EXIT_DATA, "%s: line %u: %s", name, line_of(text, end), json_tokener_error_desc(error));
}

/* Programs are small; 64 MiB bounds what a mistaken name can read. */
int json_load(const char *name, struct json_object **ret_root)
{
	const bool from_stdin = strcmp(name, "-") == 0;
	const int fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	unsigned char *text = NULL;
	size_t size = 0;
	int code;

	if (fd < 0)
		return complain(EXIT_DATA, "%s: %s", name, strerror(errno));
	name = from_stdin ? "stdin" : name;
	errno = 0;
	if (!read_to_end(fd, FILE_BYTES, &text, &size))
		code = complain(EXIT_DATA, errno ? "%s: it cannot be read as text" : "%s: larger than memory or %d bytes", name, FILE_BYTES);
	else if (memchr(text, '\0', size))
		code = complain(EXIT_DATA, "%s: it cannot be read as text", name);
	else {
		text[size] = '\0';
		code = parse(name, (const char *)text, size, ret_root);
	}
	free(text);
	if (!from_stdin)
		close(fd);
	return code;
}

/* An integer >= 0 as u64, one below as i64. */
static void set_integer(struct trnsci_args *args, const char *name, struct json_object *value)
{
	int64_t i = json_object_get_int64(value);

	if (i < 0)
		trnsci_set(args, trnsci_param_i64(name, i));
	else
		trnsci_set(args, trnsci_param_u64(name, json_object_get_uint64(value)));
}

static int set_list(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *value)
{
	struct trnsci_args *list = trnsci_set_list(args, name);
	int code = EXIT_OK;

	for (size_t i = 0; i < json_object_array_length(value) && code == EXIT_OK; i++)
		code = json_set(reader, list, NULL, json_object_array_get_idx(value, i));
	return code;
}

static int set_map(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *value)
{
	bool taken = false;
	int code = reader->take(reader, args, name, value, &taken);

	if (code != EXIT_OK || taken)
		return code;
	struct trnsci_args *map = trnsci_set_map(args, name);

	json_object_object_foreach(value, key, member)
	{
		code = json_set(reader, map, key, member);
		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}

int json_set(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		trnsci_set(args, trnsci_param_bool(name, json_object_get_boolean(value)));
		return EXIT_OK;
	case json_type_int:
		set_integer(args, name, value);
		return EXIT_OK;
	case json_type_double:
		trnsci_set(args, trnsci_param_f64(name, json_object_get_double(value)));
		return EXIT_OK;
	case json_type_string:
		trnsci_set(args, trnsci_param_text(name, json_object_get_string(value)));
		return EXIT_OK;
	case json_type_array:
		return set_list(reader, args, name, value);
	case json_type_object:
		return set_map(reader, args, name, value);
	case json_type_null:
		break;
	}
	return complain(EXIT_DATA, "%s: %s: null, allowed to be left out", reader->file, name ? name : "element");
}
