#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop of JAX that is fed by a ring: the engine draws ahead while
the model learns.

A line is fitted to noisy points. Needs jax.
"""
import numpy as np

import trnsci

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise SystemExit("train_jax.py: jax is not installed")

BATCH, STEPS = 256, 200


def loss(line, x, y):
    return jnp.mean((line[0] * x + line[1] - y)**2)


def batches(ring, place):
    """Points (x, 3 x - 2 + noise). Arrays of JAX cannot be written, so it is
    given copies of what the ring lends."""
    while True:
        with ring.borrow(BATCH) as samples:
            noise = jnp.array(samples.array)
        x = jnp.asarray(np.asarray(next(place)))
        yield x, 3 * x - 2 + noise


if __name__ == "__main__":
    step = jax.jit(jax.value_and_grad(loss))
    line = jnp.zeros(2)
    with trnsci.Ring("normal", "f32", seed=1, std=0.1) as ring, \
            trnsci.Ring("uniform", "f32", seed=2, batch=BATCH, low=-1.0,
                        high=1.0) as place:
        for number, (x, y) in zip(range(STEPS), batches(ring, place)):
            value, gradient = step(line, x, y)
            line = line - 0.2 * gradient
    print(f"line {line[0]:.2f} x {line[1]:+.2f}, loss {value:.4f}")
