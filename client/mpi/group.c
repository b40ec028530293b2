/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing groups; errors that all ranks share. */
#include "group.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int group_fail(struct trnsci_error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return -code;
	err->code = code;
	const int used = snprintf(err->text, sizeof err->text, "%s: ", trnsci_error_name(code));

	va_start(args, format);
	vsnprintf(err->text + used, sizeof err->text - (size_t)used, format, args);
	va_end(args);
	return -code;
}

int group_mpi(struct trnsci_error *err, int result, const char *function)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	if (result == MPI_SUCCESS)
		return 0;
	MPI_Error_string(result, text, &length);
	return group_fail(err, TRNSCI_SYSTEM, "%s: %.150s", function, text);
}

/* "NAME: text" becomes "NAME: rank R: text". */
static void name_rank(struct trnsci_error *err, int code, int rank)
{
	const char *name = trnsci_error_name(code);
	char text[sizeof err->text];
	const size_t length = strlen(name);

	memcpy(text, err->text, sizeof text);
	const char *rest = strncmp(text, name, length) == 0 && text[length] == ':' ? text + length + 2 : text;

	err->code = code;
	snprintf(err->text, sizeof err->text, "%s: rank %d: %.200s", name, rank, rest);
}

int group_agree(struct trnsci_mpi *mpi, int result, struct trnsci_error *err)
{
	struct trnsci_error unused = {0, ""}, *const shared = err ? err : &unused;
	int mine = result < 0 ? mpi->rank : INT_MAX, first;
	int r = group_mpi(shared, MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, mpi->comm), "MPI_Allreduce");

	if (r < 0)
		return r;
	if (first == INT_MAX) {
		shared->code = 0;
		shared->text[0] = '\0';
		return 0;
	}
	if (first == mpi->rank) {
		if (shared->code != -result)
			shared->text[0] = '\0';
		name_rank(shared, -result, mpi->rank);
	}
	r = group_mpi(shared, MPI_Bcast(shared, (int)sizeof *shared, MPI_BYTE, first, mpi->comm), "MPI_Bcast");
	return r < 0 ? r : -shared->code;
}

/* FNV-1a of 64 bits: an accident is found, which is all that this is for. */
uint64_t group_hash(const void *bytes, size_t size, uint64_t hash)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
	return hash;
}

int group_agree_same(struct trnsci_mpi *mpi, int result, const void *bytes, size_t size, const char *what,
		     struct trnsci_error *err)
{
	const uint64_t hash = group_hash(bytes, size, GROUP_HASH);
	uint64_t of_first = hash;
	const int r = group_mpi(err, MPI_Bcast(&of_first, 1, MPI_UINT64_T, 0, mpi->comm), "MPI_Bcast");

	if (r < 0)
		return r;
	if (result == 0 && hash != of_first)
		result = group_fail(err, TRNSCI_OUT_OF_RANGE, "%s: not the same as on rank 0", what);
	return group_agree(mpi, result, err);
}

/* ---- instruction sets ---- */

/* Transforms have the same bytes on all instruction sets but x86-64 without AVX2 (PROTOCOL.md, Same bytes). */
enum { NARROW_CLASS, WIDE_CLASS };

static int class_of(const char *cpu)
{
#ifdef __x86_64__
	return strcmp(cpu, "scalar") == 0 ? NARROW_CLASS : WIDE_CLASS;
#else
	(void)cpu;
	return WIDE_CLASS;
#endif
}

static int read_cpu(struct trnsci_mpi *mpi, struct trnsci_error *err)
{
	struct trnsci_call *call = NULL;
	size_t size = 0;
	int r = trnsci_call_new(mpi->session, "stats", &call);

	if (r < 0)
		return group_fail(err, -r, "stats");
	r = trnsci_run(call, NULL);
	if (r < 0 && err)
		*err = *trnsci_call_error(call);
	const char *cpu =
		r < 0 ? NULL
		      : trnsci_value_to_bytes(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "engine"), "cpu"), &size);

	if (r == 0)
		snprintf(mpi->cpu, sizeof mpi->cpu, "%.*s", (int)size, cpu ? cpu : "");
	trnsci_call_free(call);
	return r;
}

/* ---- sessions ---- */

static int open_session(struct trnsci_mpi *mpi, const char *address, const struct trnsci_options *options,
			struct trnsci_error *err)
{
	struct trnsci_session_info info;
	const int r = trnsci_open(address, options, &mpi->session, err);

	if (r < 0)
		return r;
	trnsci_session_describe(mpi->session, &info);
	mpi->embedded = info.embedded;
	mpi->threads = info.embedded ? options->threads : 0;
	return read_cpu(mpi, err);
}

/* The host's CPUs divided among its ranks. */
static unsigned count_threads(MPI_Comm comm, int rank)
{
	MPI_Comm host;
	int ranks = 1;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) == MPI_SUCCESS) {
		MPI_Comm_size(host, &ranks);
		MPI_Comm_free(&host);
	}
	return cpus > ranks ? (unsigned)(cpus / ranks > 128 ? 128 : cpus / ranks) : 1;
}

/* Where one rank's engine has plain kernels only, embedded ones are opened again with these. */
static int agree_cpu(struct trnsci_mpi *mpi, struct trnsci_options *options, struct trnsci_error *err)
{
	int class = class_of(mpi->cpu), least, both[2], most[2], r = 0;

	MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, mpi->comm);
	if (mpi->embedded && class != least) {
		trnsci_close(mpi->session);
		mpi->session = NULL;
		options->cpu = "scalar";
		r = open_session(mpi, "embedded:", options, err);
	}
	r = group_agree(mpi, r, err);
	if (r < 0)
		return r;
	both[0] = class_of(mpi->cpu);
	both[1] = -both[0];
	r = group_mpi(err, MPI_Allreduce(both, most, 2, MPI_INT, MPI_MAX, mpi->comm), "MPI_Allreduce");
	mpi->cpu_differs = most[0] != -most[1];
	return r;
}

static int check_comm(MPI_Comm comm, struct trnsci_error *err)
{
	int initialised = 0, finalised = 0, between = 0;

	MPI_Initialized(&initialised);
	MPI_Finalized(&finalised);
	if (!initialised || finalised)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "comm: MPI is not initialised, allowed is after MPI_Init");
	if (comm == MPI_COMM_NULL)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "comm: MPI_COMM_NULL, allowed is an intracommunicator");
	MPI_Comm_test_inter(comm, &between);
	if (between)
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "comm: an intercommunicator, allowed is an intracommunicator");
	return 0;
}

int trnsci_mpi_open(MPI_Comm comm, const char *address, const struct trnsci_options *options, struct trnsci_mpi **ret_mpi,
		    struct trnsci_error *err)
{
	struct trnsci_options own = options ? *options : (struct trnsci_options){0};
	struct trnsci_mpi mpi = {.comm = MPI_COMM_NULL};
	struct trnsci_mpi *kept = malloc(sizeof *kept);
	int r = check_comm(comm, err);

	if (r < 0)
		goto out;
	r = group_mpi(err, MPI_Comm_dup(comm, &mpi.comm), "MPI_Comm_dup");
	if (r < 0)
		goto out;
	MPI_Comm_set_errhandler(mpi.comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(mpi.comm, &mpi.rank);
	MPI_Comm_size(mpi.comm, &mpi.size);
	own.or_embedded = true;
	const unsigned threads = count_threads(mpi.comm, mpi.rank);

	if (own.threads == 0)
		own.threads = threads;
	r = kept ? open_session(&mpi, address, &own, err) : group_fail(err, TRNSCI_NO_MEMORY, "a group");
	r = group_agree(&mpi, r, err);
	if (r == 0)
		r = agree_cpu(&mpi, &own, err);
	const int embedded = mpi.embedded;

	if (r == 0)
		r = group_mpi(err, MPI_Allreduce(&embedded, &mpi.ranks_embedded, 1, MPI_INT, MPI_SUM, mpi.comm),
			      "MPI_Allreduce");
out:
	if (r < 0) {
		trnsci_close(mpi.session);
		if (mpi.comm != MPI_COMM_NULL)
			MPI_Comm_free(&mpi.comm);
		free(kept);
		return r;
	}
	*kept = mpi;
	*ret_mpi = kept;
	return 0;
}

void trnsci_mpi_close(struct trnsci_mpi *mpi)
{
	if (!mpi)
		return;
	trnsci_close(mpi->session);
	MPI_Comm_free(&mpi->comm);
	free(mpi);
}

void trnsci_mpi_describe(const struct trnsci_mpi *mpi, struct trnsci_mpi_info *ret_info)
{
	*ret_info = (struct trnsci_mpi_info){.rank = mpi->rank,
					     .size = mpi->size,
					     .ranks_embedded = mpi->ranks_embedded,
					     .session = mpi->session,
					     .cpu_differs = mpi->cpu_differs};
	memcpy(ret_info->cpu, mpi->cpu, sizeof mpi->cpu);
}
