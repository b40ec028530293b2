/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the commands, as rank 0 prints them, and which all ranks share. */
#include <stdarg.h>
#include <stdio.h>

#include "command.h"

bool command_prints(void)
{
	int rank = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank == 0;
}

int command_fail(int code, const char *format, ...)
{
	va_list args;

	if (command_prints()) {
		va_start(args, format);
		fprintf(stderr, "trnsci-mpi: ");
		vfprintf(stderr, format, args);
		fprintf(stderr, "\n");
		va_end(args);
	}
	return code;
}

int command_error(const struct trnsci_error *err)
{
	static const struct {
		int error, code;
	} codes[] = {{TRNSCI_SYSTEM, EXIT_IO}, {TRNSCI_NO_DAEMON, EXIT_NO_DAEMON}, {TRNSCI_BAD_SHAPE, EXIT_DATA},
		     {TRNSCI_NO_MEMORY, EXIT_TRY_AGAIN}, {TRNSCI_LIMIT, EXIT_TRY_AGAIN}, {TRNSCI_CLOSED, EXIT_TRY_AGAIN}};

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].error == err->code)
			return command_fail(codes[i].code, "%s", err->text);
	return command_fail(EXIT_USAGE, "%s", err->text);
}

int command_all_have(const void *data)
{
	int mine = data != NULL, all = 0;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all ? 0 : command_fail(EXIT_TRY_AGAIN, "a rank has no memory for its part of the array");
}
