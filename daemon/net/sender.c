/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of parcels: the loop fills slots in turn, the thread sends them in that order. */
#include "sender.h"

#include <linux/futex.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"
#include "fdpass.h"

enum { SLOTS = 128 }; /* a power of two */

enum parcel_state {
	PARCEL_FREE,
	PARCEL_GIVEN,
	PARCEL_SENDING,
	PARCEL_DONE,
	PARCEL_TAKEN, /* back before it was sent: free when the thread has passed it */
};

struct sender_parcel {
	alignas(64) _Atomic uint32_t state;
	int socket;
	const void *bytes;
	size_t size;
	ssize_t sent;
};

struct sender {
	pthread_t thread;
	alignas(64) _Atomic uint32_t given; /* parcels so far */
	alignas(64) _Atomic uint32_t asleep; /* 1: the thread sleeps or is about to; the word of its futex */
	atomic_bool ending;
	uint32_t passed; /* the thread's own: parcels sent or found taken */
	struct sender_parcel slots[SLOTS];
};

static void send_parcel(struct sender_parcel *parcel)
{
	uint32_t expected = PARCEL_GIVEN;

	if (!atomic_compare_exchange_strong(&parcel->state, &expected, PARCEL_SENDING)) {
		atomic_store_explicit(&parcel->state, PARCEL_FREE, memory_order_release);
		return;
	}
	parcel->sent = fdpass_send(parcel->socket, parcel->bytes, parcel->size, NULL);
	atomic_store_explicit(&parcel->state, PARCEL_DONE, memory_order_release);
}

/* The thread stores `asleep` and then looks at `given`; the loop stores `given` and then looks at `asleep`. At least
 * one of the two sees the other's store. */
static void sleep_until_given(struct sender *sender)
{
	atomic_store(&sender->asleep, 1);
	if (atomic_load(&sender->given) == sender->passed && !atomic_load(&sender->ending))
		syscall(SYS_futex, &sender->asleep, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	atomic_store(&sender->asleep, 0);
}

static void *run_sender(void *arg)
{
	struct sender *sender = arg;

	for (;;) {
		if (atomic_load_explicit(&sender->given, memory_order_acquire) != sender->passed)
			send_parcel(&sender->slots[sender->passed++ % SLOTS]);
		else if (atomic_load(&sender->ending))
			return NULL;
		else
			sleep_until_given(sender);
	}
}

static void wake_sender(struct sender *sender)
{
	if (atomic_exchange(&sender->asleep, 0))
		syscall(SYS_futex, &sender->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int sender_create(struct sender **ret_sender)
{
	struct sender *sender = aligned_alloc(alignof(struct sender), sizeof *sender);
	int r;

	if (!sender)
		return -ERROR_NO_MEMORY;
	*sender = (struct sender){.given = 0};
	r = thread_start("trnscid-send", run_sender, sender, &sender->thread);
	if (r < 0) {
		free(sender);
		return r;
	}
	*ret_sender = sender;
	return 0;
}

void sender_free(struct sender *sender)
{
	if (!sender)
		return;
	atomic_store(&sender->ending, true);
	wake_sender(sender);
	pthread_join(sender->thread, NULL);
	free(sender);
}

struct sender_parcel *sender_give(struct sender *sender, int socket, const void *bytes, size_t size)
{
	const uint32_t given = atomic_load_explicit(&sender->given, memory_order_relaxed);
	struct sender_parcel *parcel = &sender->slots[given % SLOTS];

	if (atomic_load_explicit(&parcel->state, memory_order_acquire) != PARCEL_FREE)
		return NULL;
	parcel->socket = socket;
	parcel->bytes = bytes;
	parcel->size = size;
	parcel->sent = 0;
	atomic_store_explicit(&parcel->state, PARCEL_GIVEN, memory_order_relaxed);
	atomic_store(&sender->given, given + 1);
	if (atomic_load(&sender->asleep))
		wake_sender(sender);
	return parcel;
}

bool sender_is_done(const struct sender_parcel *parcel)
{
	return atomic_load_explicit(&parcel->state, memory_order_acquire) == PARCEL_DONE;
}

bool sender_take(struct sender_parcel *parcel, ssize_t *ret_sent)
{
	uint32_t state = PARCEL_GIVEN;

	if (atomic_compare_exchange_strong_explicit(&parcel->state, &state, PARCEL_TAKEN, memory_order_acquire,
						    memory_order_acquire)) {
		*ret_sent = 0;
		return true;
	}
	if (state != PARCEL_DONE)
		return false;
	*ret_sent = parcel->sent;
	atomic_store_explicit(&parcel->state, PARCEL_FREE, memory_order_relaxed);
	return true;
}
