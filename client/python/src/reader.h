/* SPDX-License-Identifier: Apache-2.0 */
/* What the objects of rings and of broadcasts have in common. */
#ifndef TRNSCI_PYTHON_READER_H
#define TRNSCI_PYTHON_READER_H

#include "extension.h"

struct reader_object {
	PyObject_HEAD
	struct session_object *session;
	struct trnsci_reader *reader; /* NULL: detached */
	const char *name; /* "ring" or "broadcast" */
	struct trnsci_reader_info info;
	PyThread_type_lock lock;
	uint64_t lent;	 /* samples of a ring that are lent now */
	struct trnsci_reader_span place; /* of them */
	uint64_t loan;	 /* the number of that loan */
	bool return_due; /* nothing shows them any more */
	size_t samples;	 /* Samples objects alive */
	bool detaching;	 /* detach was called while there were some: the last one detaches */
	unsigned fork_count;
};

/* Begins to attach a reader of a session, whose use goes on until the object is freed. 0, or -1 with an exception. */
int reader_begin(struct reader_object *self, const char *name, struct session_object *session, struct use *ret_use);
/* Ends it with the outcome of the library's function. */
int reader_begun(struct reader_object *self, int r, const struct trnsci_error *err);

/* Locks the reader for one thread. Returns 0, or -1 with an exception. */
int reader_lock(struct reader_object *self);
void reader_unlock(struct reader_object *self);
/* Takes the first n of the samples that are lent. With the lock. */
void reader_give_back(struct reader_object *self, uint64_t n);
/* Detaches at once, without the lock. */
void reader_end(struct reader_object *self);
/* Raises the error of a call, unless the time is over: then 0. */
int reader_answer(struct reader_object *self, int r, const struct trnsci_error *err);

/* numpy's number of the type of samples. */
int reader_numpy_type(enum trnsci_dtype dtype);

/* Methods and properties of both types. */
PyObject *reader_take(PyObject *self, PyObject *args);
PyObject *reader_describe(PyObject *self, PyObject *unused);
PyObject *reader_detach(PyObject *self, PyObject *unused);
extern PyGetSetDef reader_getset[];
void reader_dealloc(PyObject *self);

#endif
