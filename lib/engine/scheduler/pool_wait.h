/* SPDX-License-Identifier: Apache-2.0 */
/* How a pool's thread waits for work. */
#ifndef TRNSCI_ENGINE_POOL_WAIT_H
#define TRNSCI_ENGINE_POOL_WAIT_H

struct thread;

/* Waits until there may be work, by looking for it for a while and then by sleeping; joins callers meanwhile. The
 * pool's lock is held before and after. */
void pool_wait(struct thread *thread);

/* Ends a wait, of one or more calls of pool_wait, in which the thread got a job: the next one may look as long. */
void pool_end_wait(struct thread *thread);

#endif
