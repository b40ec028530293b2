/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* The service's config file and folder; either may be missing. */
#define SERVICE_FILE   "-/etc/trnscid.conf"
#define SERVICE_FOLDER "-/etc/trnscid.conf.d"

static const struct {
	const char *name;
	enum options_action action;
} actions[] = {
	{"--help", OPTIONS_HELP},
	{"--version", OPTIONS_VERSION},
	{"--check-config", OPTIONS_CHECK},
	{"--repair-state", OPTIONS_REPAIR},
	{"--restored-state", OPTIONS_RESTORE},
};

void options_print_help(void)
{
	puts("usage: trnscid [--config PATH]... [--SETTING VALUE]...\n"
	     "       trnscid --check-config [--config PATH]... [--SETTING VALUE]...\n"
	     "       trnscid --repair-state | --restored-state [--state-dir PATH]\n"
	     "       trnscid --help | --version\n\n"
	     "Random numbers and Fourier transforms for every process on the host, see trnscid(8).\n"
	     "A config file holds the same settings, one a line: SETTING = VALUE, see trnscid.conf(5). PATH is such a file,\n"
	     "or a folder of files *.conf; -PATH may be missing. The command line overrides the files. SIGHUP reads them\n"
	     "again. Bytes may end in K, M, G or T. TRNSCI_CPU names the highest kernels allowed.\n");
	settings_print(stdout);
}

/* Returns the value of the option at argv[*at]: of "--name=VALUE", or the next argument; NULL if there is none. */
static const char *option_value(char **argv, int *at, char name[64])
{
	const char *equals = strchr(argv[*at], '=');

	snprintf(name, 64, "%.*s", (int)(equals ? equals - argv[*at] - 2 : 63), argv[*at] + 2);
	return equals ? equals + 1 : argv[*at + 1] ? argv[++*at] : NULL;
}

static bool read_action(const char *argument, enum options_action *ret_action)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(argument, actions[i].name) == 0) {
			*ret_action = actions[i].action;
			return true;
		}
	return false;
}

static int fail_unknown(const char *name, struct error *err)
{
	struct suggestion suggestion = suggestion_of(name);

	settings_suggest(&suggestion);
	suggestion_try(&suggestion, "config");
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		suggestion_try(&suggestion, actions[i].name + 2);
	error_set(err, ERROR_UNKNOWN_PARAMETER, "%.60s: no such setting or option%s, allowed: see trnscid --help", name,
		  suggestion_text(&suggestion));
	return OPTIONS_USAGE;
}

/* Reads the config files in the first pass and all other options in the second, so that the command line overrides the
 * files. Returns as options_read. */
static int read_pass(char **argv, bool config_pass, struct settings *settings, enum options_action *ret_action,
		     bool *ret_configured, struct error *err)
{
	for (int at = 1; argv[at]; at++) {
		char name[64];

		if (read_action(argv[at], ret_action)) {
			if (*ret_action == OPTIONS_HELP || *ret_action == OPTIONS_VERSION)
				return 0;
			continue;
		}
		if (strncmp(argv[at], "--", 2) != 0 || !argv[at][2]) {
			error_set(err, ERROR_UNKNOWN_PARAMETER, "%.60s: no such option, allowed: see --help", argv[at]);
			return OPTIONS_USAGE;
		}
		const char *value = option_value(argv, &at, name);
		bool config = strcmp(name, "config") == 0;
		if (!config && !settings_find(name))
			return fail_unknown(name, err);
		if (!value) {
			error_set(err, ERROR_MISSING_PARAMETER, "%s: value missing", name);
			return OPTIONS_USAGE;
		}
		*ret_configured |= config;
		if (config && config_pass && settings_load_path(settings, value, err) < 0)
			return EX_CONFIG;
		if (!config && !config_pass && settings_set(settings, name, value, err) < 0)
			return OPTIONS_USAGE;
	}
	return 0;
}

int options_read(char **argv, struct settings *ret_settings, enum options_action *ret_action, struct error *err)
{
	bool configured = false;
	int status;

	settings_default(ret_settings);
	*ret_action = OPTIONS_SERVE;
	status = read_pass(argv, true, ret_settings, ret_action, &configured, err);
	if (status == 0 && *ret_action == OPTIONS_CHECK && !configured &&
	    (settings_load_path(ret_settings, SERVICE_FILE, err) < 0 ||
	     settings_load_path(ret_settings, SERVICE_FOLDER, err) < 0))
		status = EX_CONFIG;
	if (status == 0)
		status = read_pass(argv, false, ret_settings, ret_action, &configured, err);
	return status;
}
