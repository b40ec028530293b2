/* SPDX-License-Identifier: Apache-2.0 */
/* What a command reports, as JSON. */
#include "report.h"

#include <stdio.h>

void report_add_text(struct json_object *map, const char *name, const char *text)
{
	json_object_object_add(map, name, json_object_new_string(text));
}

void report_add_u64(struct json_object *map, const char *name, uint64_t number)
{
	json_object_object_add(map, name, json_object_new_uint64(number));
}

static struct json_object *of_scalar(const struct trnsci_value *value)
{
	size_t size = 0;
	const char *text = trnsci_value_to_bytes(value, &size);
	uint64_t u = 0;
	int64_t i = 0;
	double real = 0;
	bool yes = false;

	switch (trnsci_value_kind(value)) {
	case TRNSCI_BOOL:
		trnsci_value_to_bool(value, &yes);
		return json_object_new_boolean(yes);
	case TRNSCI_UINT:
		trnsci_value_to_u64(value, &u);
		return json_object_new_uint64(u);
	case TRNSCI_INT:
		trnsci_value_to_i64(value, &i);
		return json_object_new_int64(i);
	case TRNSCI_REAL:
		trnsci_value_to_f64(value, &real);
		return json_object_new_double(real);
	default:
		return text ? json_object_new_string_len(text, (int)size) : NULL;
	}
}

/* Recursion is bounded by the depth that the wire allows. */
struct json_object *report_of_value(const struct trnsci_value *value)
{
	const bool is_map = trnsci_value_kind(value) == TRNSCI_MAP;

	if (!is_map && trnsci_value_kind(value) != TRNSCI_LIST)
		return of_scalar(value);
	struct json_object *report = is_map ? json_object_new_object() : json_object_new_array();

	for (size_t i = 0; i < trnsci_value_count(value); i++) {
		struct json_object *member = report_of_value(trnsci_value_at(value, i));
		char name[128];
		size_t size = 0;

		if (!is_map) {
			json_object_array_add(report, member);
			continue;
		}
		const char *at = trnsci_value_name_at(value, i, &size);

		snprintf(name, sizeof name, "%.*s", (int)size, at);
		json_object_object_add(report, name, member);
	}
	return report;
}

static void print_at(struct json_object *report, int depth, int open);

static void print_members(struct json_object *report, int depth, int open)
{
	const char *before = "";

	if (json_object_is_type(report, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(report); i++, before = ",") {
			printf("%s\n%*s", before, 2 * depth + 2, "");
			print_at(json_object_array_get_idx(report, i), depth + 1, open);
		}
		return;
	}
	json_object_object_foreach(report, name, member)
	{
		struct json_object *quoted = json_object_new_string(name);

		printf("%s\n%*s%s: ", before, 2 * depth + 2, "",
		       json_object_to_json_string_ext(quoted, JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(quoted);
		print_at(member, depth + 1, open);
		before = ",";
	}
}

static void print_at(struct json_object *report, int depth, int open)
{
	const bool is_map = json_object_is_type(report, json_type_object);
	const bool is_list = json_object_is_type(report, json_type_array);

	if ((!is_map && !is_list) || depth > open) {
		printf("%s", json_object_to_json_string_ext(report, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
		return;
	}
	putchar(is_map ? '{' : '[');
	print_members(report, depth, open);
	printf("\n%*s%c", 2 * depth, "", is_map ? '}' : ']');
}

int report_print(struct json_object *report)
{
	return report_print_open(report, 2);
}

int report_print_open(struct json_object *report, int open)
{
	print_at(report, 0, open);
	putchar('\n');
	json_object_put(report);
	return EXIT_OK;
}
