/* SPDX-License-Identifier: Apache-2.0 */
/* Sending to a daemon. */
#include "output.h"

#include <errno.h>
#include <sched.h>

#include "fdpass.h"

enum { KEEP_BYTES = 1 << 20 /* larger buffers are freed once they are empty */ };

static void empty(struct codec_buffer *buffer)
{
	buffer->size = 0;
	if (buffer->room > KEEP_BYTES)
		codec_buffer_free(buffer);
}

void output_settle(struct output *output)
{
	while (atomic_load_explicit(&output->inside, memory_order_acquire))
		sched_yield();
	if (!output->unsettled)
		return;
	output->unsettled = false;
	output->blocked = output->result == -EAGAIN;
	if (output->result < 0) {
		output->error = output->blocked ? 0 : (int)output->result;
		return;
	}
	output->left += (size_t)output->result;
	output->sent += (uint64_t)output->result;
	if (output->left == output->leaving.size) {
		empty(&output->leaving);
		output->left = 0;
	}
}

/* Returns whether there are bytes to send. */
static bool take_waiting(struct output *output)
{
	const struct codec_buffer taken = output->waiting;

	if (output->leaving.size == 0) {
		output->waiting = output->leaving;
		output->leaving = taken;
	}
	return output->leaving.size > 0;
}

/* One system call. Another thread may have counted its result meanwhile, and replaced the connection. */
static void send_once(struct output *output, int socket, pthread_mutex_t *lock)
{
	const char *at = output->leaving.at + output->left;
	const size_t size = output->leaving.size - output->left;

	output->unsettled = true;
	atomic_store_explicit(&output->inside, true, memory_order_relaxed);
	if (lock)
		pthread_mutex_unlock(lock);
	output->result = fdpass_send(socket, at, size, NULL);
	atomic_store_explicit(&output->inside, false, memory_order_release);
	if (lock)
		pthread_mutex_lock(lock);
	output_settle(output);
}

void output_send(struct output *output, int socket, pthread_mutex_t *lock)
{
	if (output->sending)
		return;
	output->sending = true;
	output->blocked = false;
	while (output->error == 0 && !output->blocked && take_waiting(output))
		send_once(output, socket, lock);
	output->sending = false;
}

void output_drop(struct output *output)
{
	empty(&output->waiting);
	empty(&output->leaving);
	output->left = 0;
}

void output_restart(struct output *output)
{
	output_drop(output);
	output->sent = 0;
	output->blocked = false;
	output->error = 0;
}

void output_stop(struct output *output)
{
	output_settle(output);
	output_drop(output);
	output->error = -EPIPE;
}

void output_free(struct output *output)
{
	codec_buffer_free(&output->waiting);
	codec_buffer_free(&output->leaving);
}
