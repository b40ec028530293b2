/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, and the config files that it names. */
#ifndef TRNSCI_DAEMON_OPTIONS_H
#define TRNSCI_DAEMON_OPTIONS_H

#include "base/error.h"
#include "settings.h"

enum options_action {
	OPTIONS_SERVE,
	OPTIONS_CHECK,   /* --check-config */
	OPTIONS_REPAIR,  /* --repair-state */
	OPTIONS_RESTORE, /* --restored-state */
	OPTIONS_HELP,
	OPTIONS_VERSION,
};

enum { OPTIONS_USAGE = 2 }; /* an exit status, beside those of sysexits.h */

/* Reads the settings' defaults, then the config files in the order in which they are named, then all other options. With
 * --check-config and no --config it reads the service's own files. Returns 0; or an exit status with err set: OPTIONS_USAGE,
 * or EX_CONFIG for a config file. */
int options_read(char **argv, struct settings *ret_settings, enum options_action *ret_action, struct error *err);

void options_print_help(void);

#endif
