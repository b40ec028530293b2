/* SPDX-License-Identifier: Apache-2.0 */
/* npy files and checkpoints by MPI-IO.
 *
 * A rank's view of a file is an MPI datatype that is built axis by axis of runs of indices, in bytes, so that no count but
 * that of runs must fit an int. Data go in pieces of at most 1 GiB, as many on every rank. What a checkpoint holds beside the array is a second
 * npy array behind the first, which numpy.load does not read unless asked again. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "npy/npy.h"
#include "layout.h"

enum { PIECE_BYTES = 1 << 30, HEADER_ROOM = 512, CHECKPOINT_BYTES = 512, PATH_ROOM = 4096 };

/* ---- what a rank sees of a file ---- */

/* Runs of an axis become one type of the whole axis's extent. */
static int axis_type(const struct layout_axis *axis, MPI_Datatype element, MPI_Aint element_bytes, MPI_Datatype *ret_type,
		     struct trnsci_error *err)
{
	uint64_t first, count, n = 0, room = 16;
	MPI_Aint *places = malloc(room * sizeof *places);
	int *lengths = malloc(room * sizeof *lengths);
	MPI_Datatype joined = MPI_DATATYPE_NULL;
	int r = 0;

	for (uint64_t at = 0; axis_next(axis, at, &first, &count); at = first + count)
		for (uint64_t done = 0, length; done < count; done += length, n++) {
			length = count - done < INT_MAX ? count - done : INT_MAX;
			if (n == room && places && lengths) {
				MPI_Aint *more = realloc(places, 2 * room * sizeof *places);
				places = more ? more : places;
				int *longer = more ? realloc(lengths, 2 * room * sizeof *lengths) : NULL;
				lengths = longer ? longer : lengths;
				if (!longer)
					r = group_fail(err, TRNSCI_NO_MEMORY, "file: a list of %" PRIu64 " runs", 2 * room);
				room *= 2;
			}
			if (r < 0 || !places || !lengths || n == INT_MAX)
				break;
			places[n] = (MPI_Aint)(first + done) * element_bytes;
			lengths[n] = (int)length;
		}
	if (r == 0 && (!places || !lengths || n == INT_MAX))
		r = group_fail(err, TRNSCI_NO_MEMORY, "file: a list of %" PRIu64 " runs", n);
	if (r == 0)
		r = group_mpi(err, MPI_Type_create_hindexed((int)n, lengths, places, element, &joined),
			      "MPI_Type_create_hindexed");
	if (r == 0)
		r = group_mpi(err, MPI_Type_create_resized(joined, 0, (MPI_Aint)axis->n * element_bytes, ret_type),
			      "MPI_Type_create_resized");
	if (joined != MPI_DATATYPE_NULL)
		MPI_Type_free(&joined);
	free(places);
	free(lengths);
	return r;
}

/* The view of a rank. It must hold something. */
static int view_type(const struct trnsci_mpi_layout *layout, int rank, size_t size, MPI_Datatype *ret_type,
		     struct trnsci_error *err)
{
	MPI_Datatype type, wider;
	MPI_Aint bytes = (MPI_Aint)size;
	int r = group_mpi(err, MPI_Type_contiguous((int)size, MPI_BYTE, &type), "MPI_Type_contiguous");

	if (r < 0)
		return r;
	for (size_t i = layout->ndim; r == 0 && i-- > 0;) {
		const struct layout_axis axis = layout_axis(layout, rank, i);

		r = axis_type(&axis, type, bytes, &wider, err);
		MPI_Type_free(&type);
		type = wider;
		bytes *= (MPI_Aint)axis.n;
	}
	if (r == 0)
		r = group_mpi(err, MPI_Type_commit(&type), "MPI_Type_commit");
	if (r == 0)
		*ret_type = type;
	return r;
}

/* ---- data ---- */

struct transfer {
	struct trnsci_mpi *mpi;
	const struct trnsci_mpi_layout *layout;
	size_t size; /* bytes of an element */
	MPI_Offset start;
	char *data;
	bool writes;
	struct trnsci_error *err;
};

static int move_piece(const struct transfer *t, MPI_File file, MPI_Datatype element, uint64_t first, uint64_t count)
{
	MPI_Status status;
	int moved = 0;
	void *const data = t->data + first * t->size;
	const MPI_Offset at = (MPI_Offset)first;
	const int result = t->writes ? MPI_File_write_at_all(file, at, data, (int)count, element, &status)
				     : MPI_File_read_at_all(file, at, data, (int)count, element, &status);
	const int r = group_mpi(t->err, result, t->writes ? "MPI_File_write_at_all" : "MPI_File_read_at_all");

	if (r < 0)
		return r;
	MPI_Get_count(&status, element, &moved);
	return (uint64_t)moved == count ? 0 : group_fail(t->err, TRNSCI_SYSTEM, "file: %d of %" PRIu64 " elements were %s", moved,
							 count, t->writes ? "written" : "read");
}

static int move_pieces(const struct transfer *t, MPI_File file, MPI_Datatype element, uint64_t count)
{
	const uint64_t piece = PIECE_BYTES / t->size;
	uint64_t rounds = (count + piece - 1) / piece, most = 0;
	int r = group_mpi(t->err, MPI_Allreduce(&rounds, &most, 1, MPI_UINT64_T, MPI_MAX, t->mpi->comm), "MPI_Allreduce");

	for (uint64_t i = 0; i < most; i++) {
		const uint64_t first = i * piece < count ? i * piece : count;
		const uint64_t length = count - first < piece ? count - first : piece;
		const int moved = move_piece(t, file, element, first, length);

		r = r < 0 ? r : moved;
	}
	return r;
}

/* Collective. Moves the rank's elements between memory and file. */
static int move_data(const struct transfer *t, MPI_File file)
{
	struct trnsci_mpi_part part;
	MPI_Datatype element = MPI_DATATYPE_NULL, view = MPI_DATATYPE_NULL;
	int r = trnsci_mpi_part_of(t->layout, t->mpi->rank, t->mpi->size, &part, t->err);

	if (r == 0)
		r = group_mpi(t->err, MPI_Type_contiguous((int)t->size, MPI_BYTE, &element), "MPI_Type_contiguous");
	if (r == 0)
		r = group_mpi(t->err, MPI_Type_commit(&element), "MPI_Type_commit");
	if (r == 0 && part.count > 0)
		r = view_type(t->layout, t->mpi->rank, t->size, &view, t->err);
	r = group_agree(t->mpi, r, t->err);
	if (r == 0)
		r = group_agree(t->mpi, group_mpi(t->err, MPI_File_set_view(file, t->start, element, part.count ? view : element, "native",
									    MPI_INFO_NULL), "MPI_File_set_view"), t->err);
	if (r == 0)
		r = group_agree(t->mpi, move_pieces(t, file, element, part.count), t->err);
	if (view != MPI_DATATYPE_NULL)
		MPI_Type_free(&view);
	if (element != MPI_DATATYPE_NULL)
		MPI_Type_free(&element);
	return r;
}

/* ---- writing ---- */

/* Writes bytes from rank 0; the other ranks only agree. */
static int write_bytes(struct trnsci_mpi *mpi, MPI_File file, MPI_Offset at, const char *bytes, size_t size,
		       struct trnsci_error *err)
{
	int r = group_mpi(err, MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "MPI_File_set_view");

	if (r == 0 && mpi->rank == 0)
		r = group_mpi(err, MPI_File_write_at(file, at, bytes, (int)size, MPI_BYTE, MPI_STATUS_IGNORE), "MPI_File_write_at");
	return group_agree(mpi, r, err);
}

static int npy_header(const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype, char header[HEADER_ROOM], size_t *ret_bytes,
		      struct trnsci_error *err)
{
	struct npy npy = {.dtype = dtype, .ndim = layout->ndim};

	memcpy(npy.shape, layout->shape, sizeof npy.shape);
	*ret_bytes = npy_write(&npy, header, HEADER_ROOM);
	return *ret_bytes ? 0 : group_fail(err, TRNSCI_OUT_OF_RANGE, "file: dtype: %s, numpy has no name for it",
					   trnsci_dtype_name(dtype));
}

/* A second npy header, of one text of CHECKPOINT_BYTES. */
static size_t checkpoint_text(const struct trnsci_mpi_checkpoint *checkpoint, char text[2 * CHECKPOINT_BYTES])
{
	const struct trnsci_source *source = &checkpoint->source;
	size_t used = 10;

	memset(text, 0, 2 * CHECKPOINT_BYTES);
	used += (size_t)sprintf(text + used, "{'descr': '|S%d', 'fortran_order': False, 'shape': (), }", CHECKPOINT_BYTES);
	while ((used + 1) % 64)
		text[used++] = ' ';
	text[used++] = '\n';
	memcpy(text, NPY_MAGIC "\x01\x00", 8);
	text[8] = (char)((used - 10) & 255);
	text[9] = (char)((used - 10) >> 8);
	snprintf(text + used, CHECKPOINT_BYTES,
		 "trnsci-checkpoint 1 generator %s seed %" PRIu64 " stream %" PRIu64 " position %" PRIu64 " offset %" PRIu64
		 " step %" PRIu64,
		 source->generator ? source->generator : "threefry4x32", source->seed, source->stream, source->position,
		 source->offset, checkpoint->step);
	return used + CHECKPOINT_BYTES;
}

/* Collective. Rank 0 chooses the name under which the file is written. */
static int temporary_name(struct trnsci_mpi *mpi, const char *path, char name[PATH_ROOM], struct trnsci_error *err)
{
	int r = 0;

	if (snprintf(name, PATH_ROOM, "%s.%ld.part", path, (long)getpid()) >= PATH_ROOM)
		r = group_fail(err, TRNSCI_OUT_OF_RANGE, "file: path: longer than %d bytes", PATH_ROOM - 32);
	r = group_agree(mpi, r, err);
	return r < 0 ? r : group_mpi(err, MPI_Bcast(name, PATH_ROOM, MPI_CHAR, 0, mpi->comm), "MPI_Bcast");
}

/* A write beyond the process's limit of file sizes would raise SIGXFSZ, which ends it. */
static int check_limit(uint64_t bytes, struct trnsci_error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur)
		return 0;
	return group_fail(err, TRNSCI_SYSTEM, "file: %" PRIu64 " bytes, allowed are %" PRIu64 ", the file size limit (ulimit -f)",
			  bytes, (uint64_t)limit.rlim_cur);
}

static int write_parts(struct trnsci_mpi *mpi, MPI_File file, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		       const void *data, const struct trnsci_mpi_checkpoint *checkpoint, struct trnsci_error *err)
{
	char header[HEADER_ROOM], text[2 * CHECKPOINT_BYTES];
	size_t bytes = 0;
	const size_t size = trnsci_dtype_size(dtype);
	int r = npy_header(layout, dtype, header, &bytes, err);

	if (r == 0)
		r = check_limit(bytes + layout_count(layout) * size + 2 * CHECKPOINT_BYTES, err);
	r = group_agree(mpi, r, err);
	if (r == 0)
		r = write_bytes(mpi, file, 0, header, bytes, err);
	const struct transfer t = {mpi, layout, size, (MPI_Offset)bytes, (char *)(uintptr_t)data, true, err};

	if (r == 0)
		r = move_data(&t, file);
	if (r == 0 && checkpoint)
		r = write_bytes(mpi, file, (MPI_Offset)(bytes + layout_count(layout) * size), text, checkpoint_text(checkpoint, text), err);
	return r;
}

/* Collective. Gives the file its name, or removes it after an error that the ranks have agreed on. */
static int finish_file(struct trnsci_mpi *mpi, int agreed, const char *name, const char *path, struct trnsci_error *err)
{
	int r = agreed;

	if (r == 0 && mpi->rank == 0 && rename(name, path) < 0)
		r = group_fail(err, TRNSCI_SYSTEM, "file: %.120s: %s", path, strerror(errno));
	if (agreed == 0)
		r = group_agree(mpi, r, err);
	if (r < 0 && mpi->rank == 0)
		unlink(name);
	return r;
}

static int write_file(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		      const void *data, const struct trnsci_mpi_checkpoint *checkpoint, struct trnsci_error *err)
{
	char name[PATH_ROOM];
	struct trnsci_mpi_layout checked;
	MPI_File file;
	struct {
		struct trnsci_mpi_layout layout;
		uint64_t dtype;
	} agreed;
	int r = layout_check(layout, mpi->size, &checked, err);

	memset(&agreed, 0, sizeof agreed);
	agreed.layout = r == 0 ? checked : *layout;
	agreed.dtype = dtype;
	if (r == 0 && checkpoint && checkpoint->source.name)
		r = group_fail(err, TRNSCI_OUT_OF_RANGE, "checkpoint: source: a named stream, allowed is its seed, stream and offset");
	r = group_agree_same(mpi, r, &agreed, sizeof agreed, "file: layout and dtype", err);
	if (r == 0)
		r = temporary_name(mpi, path, name, err);
	if (r < 0)
		return r;
	r = group_mpi(err, MPI_File_open(mpi->comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "MPI_File_open");
	r = group_agree(mpi, r, err);
	if (r < 0)
		return finish_file(mpi, r, name, path, err);
	r = write_parts(mpi, file, &checked, dtype, data, checkpoint, err);
	const int closed = group_mpi(r < 0 ? NULL : err, MPI_File_close(&file), "MPI_File_close");

	if (r == 0)
		r = group_agree(mpi, closed, err);
	return finish_file(mpi, r, name, path, err);
}

int trnsci_mpi_write(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		     const void *data, struct trnsci_error *err)
{
	return write_file(mpi, path, layout, dtype, data, NULL, err);
}

int trnsci_mpi_save(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		    const void *data, const struct trnsci_mpi_checkpoint *checkpoint, struct trnsci_error *err)
{
	return write_file(mpi, path, layout, dtype, data, checkpoint, err);
}

/* ---- reading ---- */

/* What rank 0 finds in a file; sent to all. */
struct found {
	struct npy npy;
	uint64_t start; /* of the data */
	bool has_checkpoint;
	char generator[32];
	struct trnsci_mpi_checkpoint checkpoint; /* without its generator */
};

static int read_header(FILE *file, struct found *found, struct trnsci_error *err)
{
	static const struct npy_storage plain = {0};
	unsigned char *header = calloc(1, NPY_HEADER_MAX);
	const char *wrong = "no npy file";
	struct npy_storage storage = plain;
	int r = -1;
	const size_t bytes = header && fread(header, 1, NPY_PREFIX_BYTES, file) == NPY_PREFIX_BYTES
				     ? npy_header_bytes(header, &wrong) : 0;

	if (bytes >= NPY_PREFIX_BYTES && bytes <= NPY_HEADER_MAX &&
	    fread(header + NPY_PREFIX_BYTES, 1, bytes - NPY_PREFIX_BYTES, file) == bytes - NPY_PREFIX_BYTES)
		r = npy_parse(header, bytes, &found->npy, &storage, &wrong);
	free(header);
	if (r < 0)
		return group_fail(err, TRNSCI_BAD_SHAPE, "file: %s", wrong);
	if (storage.swapped || storage.fortran || storage.size != trnsci_dtype_size(found->npy.dtype))
		return group_fail(err, TRNSCI_NOT_SUPPORTED, "file: big endian, Fortran order or a type without a dtype");
	found->start = bytes;
	return 0;
}

static void read_checkpoint(FILE *file, struct found *found)
{
	char text[2 * CHECKPOINT_BYTES + 1] = "";
	uint64_t end = found->start, count = trnsci_dtype_size(found->npy.dtype);

	for (size_t i = 0; i < found->npy.ndim; i++)
		count *= found->npy.shape[i];
	end += count;
	if (fseeko(file, (off_t)end, SEEK_SET) < 0 || fread(text, 1, 2 * CHECKPOINT_BYTES, file) < 128)
		return;
	const char *checkpoint = memmem(text, sizeof text - 1, "trnsci-checkpoint 1 ", 20);
	struct trnsci_source *source = &found->checkpoint.source;

	found->has_checkpoint = checkpoint && sscanf(checkpoint,
					 "trnsci-checkpoint 1 generator %31s seed %" SCNu64 " stream %" SCNu64
					 " position %" SCNu64 " offset %" SCNu64 " step %" SCNu64,
					 found->generator, &source->seed, &source->stream, &source->position, &source->offset,
					 &found->checkpoint.step) == 6;
}

/* Collective. */
static int look(struct trnsci_mpi *mpi, const char *path, struct found *ret_found, struct trnsci_error *err)
{
	int r = 0;
	FILE *file = NULL;

	memset(ret_found, 0, sizeof *ret_found);
	if (mpi->rank == 0) {
		file = fopen(path, "rb");
		r = file ? read_header(file, ret_found, err)
			 : group_fail(err, TRNSCI_SYSTEM, "file: %.120s: %s", path, strerror(errno));
		if (r == 0)
			read_checkpoint(file, ret_found);
		if (file)
			fclose(file);
	}
	r = group_agree(mpi, r, err);
	return r < 0 ? r : group_mpi(err, MPI_Bcast(ret_found, (int)sizeof *ret_found, MPI_BYTE, 0, mpi->comm), "MPI_Bcast");
}

int trnsci_mpi_look(struct trnsci_mpi *mpi, const char *path, struct trnsci_mpi_layout *ret_layout,
		    enum trnsci_dtype *ret_dtype, struct trnsci_error *err)
{
	struct found found;
	const int r = look(mpi, path, &found, err);

	if (r < 0)
		return r;
	*ret_layout = trnsci_mpi_slabs(found.npy.ndim, found.npy.shape);
	*ret_dtype = found.npy.dtype;
	return 0;
}

static int check_found(const struct found *found, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		       struct trnsci_error *err)
{
	if (found->npy.dtype != dtype)
		return group_fail(err, TRNSCI_BAD_SHAPE, "file: its dtype is %s, not %s", trnsci_dtype_name(found->npy.dtype),
				  trnsci_dtype_name(dtype));
	if (found->npy.ndim != layout->ndim || memcmp(found->npy.shape, layout->shape, layout->ndim * sizeof *layout->shape))
		return group_fail(err, TRNSCI_BAD_SHAPE, "file: its shape is not the layout's");
	return 0;
}

static int read_file(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		     void *data, struct found *found, struct trnsci_error *err)
{
	struct trnsci_mpi_layout checked;
	MPI_File file;
	int r = look(mpi, path, found, err);

	if (r < 0)
		return r;
	r = layout_check(layout, mpi->size, &checked, err);
	if (r == 0)
		r = check_found(found, layout, dtype, err);
	r = group_agree_same(mpi, r, r == 0 ? &checked : layout, sizeof checked, "file: layout", err);
	if (r < 0)
		return r;
	r = group_mpi(err, MPI_File_open(mpi->comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "MPI_File_open");
	r = group_agree(mpi, r, err);
	if (r < 0)
		return r;
	const struct transfer t = {mpi, &checked, trnsci_dtype_size(dtype), (MPI_Offset)found->start, data, false, err};

	r = move_data(&t, file);
	MPI_File_close(&file);
	return r;
}

int trnsci_mpi_read(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		    void *data, struct trnsci_error *err)
{
	struct found found;

	return read_file(mpi, path, layout, dtype, data, &found, err);
}

int trnsci_mpi_restore(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout, enum trnsci_dtype dtype,
		       void *data, struct trnsci_mpi_checkpoint *ret_checkpoint, struct trnsci_error *err)
{
	struct trnsci_generator_info generator;
	struct found found;
	int r = read_file(mpi, path, layout, dtype, data, &found, err);

	if (r < 0)
		return r;
	for (size_t i = 0; trnsci_generator_at(i, &generator) == 0; i++)
		if (strcmp(found.generator, generator.name) == 0)
			found.checkpoint.source.generator = generator.name;
	if (!found.has_checkpoint || !found.checkpoint.source.generator)
		return group_fail(err, TRNSCI_BAD_SHAPE, "file: it is an array, and no checkpoint");
	*ret_checkpoint = found.checkpoint;
	return 0;
}
