/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as png or svg files, by gnuplot. */
#ifndef TRNSCI_CLI_PLOT_GNUPLOT_H
#define TRNSCI_CLI_PLOT_GNUPLOT_H

#include "picture.h"

/* Writes the picture to a file whose name ends in .png or .svg. An exit code. */
int gnuplot_write(const struct picture *picture, const char *name);

#endif
