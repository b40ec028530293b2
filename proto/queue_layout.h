/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a queue: a wire format, little endian, version 1.
 *
 * A page of words, then a ring of submissions (struct run_prepared) and a ring of completions, both of `entries` entries of
 * 64 bytes, a power of two. Entry number i lies at index i mod entries; numbers count up and wrap at 2^32. Each word is
 * written by one side. The other side copies it once, checks the copy against its own numbers, and uses the copy.
 *
 * Who sleeps where, and who wakes whom. Each side stores its own word, then has a full barrier (#), then looks at the other's
 * word: of two that do so at once at least one sees the other's store, so nobody sleeps over news.
 *
 *     client, the thread that receives                         daemon, the loop
 *
 *     entry, submitted + n (release)                           daemon_sleeps: odd
 *     #  only if another thread waits; else before a sleep     #
 *     daemon_sleeps odd?  ---- kick, by the socket ----------> epoll_wait, unless there is more in `submitted`
 *                                                              daemon_sleeps: even; runs what was submitted
 *
 *     client_sleeps: a number, and how it wants to be woken    completions, completed + n (release)
 *     #                                                        #
 *     nothing in `completed`: it sleeps                        client_sleeps differs from that of the last wake?
 *       FUTEX: futex at `completed` <------------------------- futex wake
 *       NOTIFY: poll(socket, eventfd) <----------------------- queue_wake, by the socket; so do all other messages
 *       |  ^
 *       |  +-- a thread that sends by the socket, or ends the session: futex wake at `completed`, or the eventfd
 *       v
 *     the other threads of the session: each at a futex of its own (client/session/wait.c), woken when its call has ended, or
 *     when it is to receive
 *
 * In the daemon, lanes end jobs and post them: the first of a list wakes epoll_wait by an eventfd (net/loop.c); the thread that
 * sends many replies has a futex of its own (net/sender.c). Before a side sleeps it looks, and yields (base/wait.h). */
#ifndef TRNSCI_PROTO_QUEUE_LAYOUT_H
#define TRNSCI_PROTO_QUEUE_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "run_prepared.h"

enum { QUEUE_VERSION = 1, QUEUE_PAGE_BYTES = 4096, QUEUE_ENTRY_BYTES = 64, QUEUE_ENTRIES_LEAST = 16, QUEUE_ENTRIES_MOST = 4096 };

#define QUEUE_MAGIC UINT64_C(0x65757571636e7274) /* "trncquue" */

/* How a client that sleeps wants to be woken: the two low bits of client_sleeps. */
enum { QUEUE_AWAKE = 0, QUEUE_WAKE_FUTEX = 1, QUEUE_WAKE_NOTIFY = 2, QUEUE_WAKE_MASK = 3, QUEUE_SLEEP_STEP = 4 };

struct queue_page {
	uint64_t magic;
	uint32_t version;
	uint32_t entries;
	uint8_t pad_0[48];
	/* Cache lines that the client writes. */
	_Atomic uint32_t submitted; /* submissions below are written */
	uint8_t pad_1[60];
	_Atomic uint32_t consumed;      /* completions below are read */
	_Atomic uint32_t client_sleeps; /* 0: awake; else a number that differs for each sleep, and QUEUE_WAKE_FUTEX or _NOTIFY */
	uint8_t pad_2[56];
	/* Cache lines that the daemon writes. */
	_Atomic uint32_t completed; /* completions below are written; the word of the futex */
	uint8_t pad_3[60];
	_Atomic uint32_t taken;         /* submissions below may be overwritten */
	_Atomic uint32_t daemon_sleeps; /* odd: asleep, a `kick` is wanted; counts up with each change */
	/* 1: a client that waits had better yield the CPU than sleep; 0: sleep. Only the daemon sees the crowd. Measured on two CPUs
	 * beside other programs: without this word 8 clients have 0.71 of the draws of 4096 normals (medians of 11). */
	_Atomic uint32_t yields;
	uint8_t pad_4[52];
};

/* The bits that say which members of a completion are set. */
enum {
	QUEUE_SEED = RUN_PREPARED_SEED,
	QUEUE_STREAM = RUN_PREPARED_STREAM,
	QUEUE_OFFSET = RUN_PREPARED_OFFSET,
	QUEUE_POSITION = 8,
	QUEUE_NEXT = 16, /* not set at the end of the stream */
};

/* The end of a run: what the reply to run_prepared would state beside names, shapes and tiles. */
struct queue_completion {
	uint64_t user;  /* of the submission */
	uint32_t error; /* 0: done; else an error's number, and the notification queue_error has its text */
	uint32_t given; /* QUEUE_SEED ... */
	uint64_t seed, stream, offset, position, next;
	uint64_t reserved; /* 0 */
};

static_assert(sizeof(struct run_prepared) == QUEUE_ENTRY_BYTES && offsetof(struct run_prepared, given) == 4, "layout");
static_assert(offsetof(struct run_prepared, seed) == 8 && offsetof(struct run_prepared, stream) == 16, "layout");
static_assert(offsetof(struct run_prepared, offset) == 24 && offsetof(struct run_prepared, tiles) == 32, "layout");
static_assert(offsetof(struct run_prepared, user) == 56, "layout");
static_assert(sizeof(struct queue_completion) == QUEUE_ENTRY_BYTES && offsetof(struct queue_completion, error) == 8, "layout");
static_assert(offsetof(struct queue_completion, given) == 12 && offsetof(struct queue_completion, seed) == 16, "layout");
static_assert(offsetof(struct queue_completion, stream) == 24 && offsetof(struct queue_completion, offset) == 32, "layout");
static_assert(offsetof(struct queue_completion, position) == 40 && offsetof(struct queue_completion, next) == 48, "layout");
static_assert(offsetof(struct queue_page, version) == 8 && offsetof(struct queue_page, entries) == 12, "layout");
static_assert(offsetof(struct queue_page, submitted) == 64 && offsetof(struct queue_page, consumed) == 128, "layout");
static_assert(offsetof(struct queue_page, client_sleeps) == 132 && offsetof(struct queue_page, completed) == 192, "layout");
static_assert(offsetof(struct queue_page, taken) == 256 && offsetof(struct queue_page, daemon_sleeps) == 260, "layout");
static_assert(offsetof(struct queue_page, yields) == 264, "layout");
static_assert(sizeof(struct queue_page) == 320 && sizeof(struct queue_page) <= QUEUE_PAGE_BYTES, "layout");
static_assert(sizeof(_Atomic uint32_t) == 4 && sizeof(_Atomic uint64_t) == 8, "atomics have no lock beside them");

static inline size_t queue_bytes(uint32_t entries)
{
	return QUEUE_PAGE_BYTES + 2 * (size_t)entries * QUEUE_ENTRY_BYTES;
}

/* The entries of number `at`; `entries` is the reader's own copy of their count. */
static inline void *queue_submission(void *base, uint32_t entries, uint32_t at)
{
	return (char *)base + QUEUE_PAGE_BYTES + (size_t)(at & (entries - 1)) * QUEUE_ENTRY_BYTES;
}

static inline void *queue_completion(void *base, uint32_t entries, uint32_t at)
{
	return (char *)queue_submission(base, entries, at) + (size_t)entries * QUEUE_ENTRY_BYTES;
}

/* Copies an entry that the other side can write meanwhile: each word is read once. The copy may be torn, so it is checked
 * before it is used. */
static inline void queue_copy_entry(void *ret_entry, const void *entry)
{
	const _Atomic uint64_t *from = entry;
	uint64_t *to = ret_entry;

#pragma GCC unroll 8 /* which compilers do not by themselves for atomics; each entry is copied by both sides */
	for (size_t i = 0; i < QUEUE_ENTRY_BYTES / sizeof *to; i++)
		to[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
}

#endif
