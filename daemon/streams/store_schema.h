/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of streams.db, word by word as SQLite keeps them. Numbers of 64 bits are decimal text. */
#ifndef TRNSCI_DAEMON_STORE_SCHEMA_H
#define TRNSCI_DAEMON_STORE_SCHEMA_H

/* Up to version 2 it had no `noise`. SQLite adds a column to the text as it stands here. */
#define STORE_STREAM_TABLE(noise) \
	"CREATE TABLE stream(name TEXT NOT NULL PRIMARY KEY, generator TEXT NOT NULL, seed TEXT NOT NULL, " \
	"stream TEXT NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL, mode INTEGER NOT NULL, " \
	"created_s INTEGER NOT NULL, issued INTEGER NOT NULL, reserved INTEGER NOT NULL, skips INTEGER NOT NULL, " \
	"skipped INTEGER NOT NULL, skipped_from INTEGER NOT NULL, skipped_until INTEGER NOT NULL, hash TEXT NOT NULL" noise ") " \
	"STRICT, WITHOUT ROWID"

/* The tables, in the order in which they are made and sqlite_schema keeps them. */
static const char *const store_schema[] = {
	"CREATE TABLE seed(generator TEXT NOT NULL, seed TEXT NOT NULL, next TEXT NOT NULL, uid INTEGER NOT NULL, "
	"hash TEXT NOT NULL, PRIMARY KEY(generator, seed)) STRICT, WITHOUT ROWID",
	"CREATE INDEX seed_uid ON seed(uid)",
	STORE_STREAM_TABLE(", noise BLOB"),
	"CREATE TABLE taken(generator TEXT NOT NULL, seed TEXT NOT NULL, stream TEXT NOT NULL, uid INTEGER NOT NULL, "
	"hash TEXT NOT NULL, PRIMARY KEY(generator, seed, stream)) STRICT, WITHOUT ROWID",
	"CREATE INDEX taken_uid ON taken(uid)",
	"CREATE TABLE state(id INTEGER PRIMARY KEY, sum TEXT NOT NULL, repairs INTEGER NOT NULL, identity TEXT NOT NULL, "
	"seed TEXT NOT NULL, commits INTEGER NOT NULL, marked INTEGER NOT NULL) STRICT",
};

enum { STORE_TABLES = sizeof store_schema / sizeof *store_schema, STORE_TABLE_STREAM = 2 };

static const char store_stream_2[] = STORE_STREAM_TABLE("");

/* Version 1 began with this one, and had no `state`. */
static const char store_schema_1[] =
	"CREATE TABLE meta(id INTEGER PRIMARY KEY, sum TEXT NOT NULL, repairs INTEGER NOT NULL) STRICT";

#endif
