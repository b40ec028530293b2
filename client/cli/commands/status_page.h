/* SPDX-License-Identifier: Apache-2.0 */
/* status --html */
#ifndef TRNSCI_CLI_COMMANDS_STATUS_PAGE_H
#define TRNSCI_CLI_COMMANDS_STATUS_PAGE_H

#include "cli.h"

/* Asks a daemon for its figures, draws a sample, and writes the page to a file ("-": stdout). An exit code. */
int status_write_page(struct trnsci_session *session, const char *file);

#endif
