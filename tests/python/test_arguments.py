# SPDX-License-Identifier: Apache-2.0
"""Arguments at random: whatever they are, a call works or raises one of the
exceptions that it should, and the process lives."""
import os
import random
import warnings

import numpy as np
import pytest

import trnsci
from trnsci import _core

EXPECTED = (TypeError, ValueError, OverflowError, RecursionError, BufferError,
            MemoryError, trnsci.Error)
# They wait for others, or end what other tests use.
LEFT_OUT = {"arena", "arena_free", "tile", "free", "ring_attach", "cancel",
            "disconnect", "queue", "ring_detach"}
CALLS = 40000 if os.environ.get("TRNSCI_FULL") else 6000


class Guess:
    """Makes arguments, and calls with them."""

    def __init__(self, session, seed):
        self.session, self.random = session, random.Random(seed)
        methods = session.call("describe").result()["methods"]
        self.methods = sorted({m["name"] for m in methods} - LEFT_OUT)
        self.names = sorted({p["name"] for m in methods for p in m["params"]})
        self.tile = trnsci.Tile(8, "f32", session=session)

    def pick(self, *choices):
        return self.random.choice(choices)

    def array(self):
        shape = self.pick((8,), (3, 4), (0,), (2, 2, 4), (), (5, 129))
        return np.ones(shape, self.pick("f4", "f8", "c8", "c16", "i8", "i1",
                                        "u4", "f2", "i2", "g", "?", "U3"))

    def value(self, depth=0):
        if depth < 3 and self.random.random() < 0.2:
            return self.pick([self.value(depth + 1) for _ in range(
                self.random.randrange(3))], self.params(depth + 1))
        return self.pick(None, 0, 1, -1, 3, 2**63, -2**63, 2**64 - 1, 2**70,
                         0.5, float("nan"), float("inf"), "x", "hann", "",
                         b"ab", "a\0b", self.array(), self.tile, ..., True,
                         np.float32(3), np.int8(3), object(), 1j)

    def params(self, depth=0):
        return {self.pick(*self.names): self.value(depth)
                for _ in range(self.random.randrange(4))}

    def shape(self):
        return self.pick(3, (3, 4), (8,), (), 0, -1, "a", (5, 129), 2**40,
                         (1,) * 9)

    def dtype(self):
        return self.pick("f4", "f8", "c64", "bf16", "u4", "x", 5)

    def source(self):
        return self.pick({}, {"seed": self.value()}, {"name": self.value()},
                         {"offset": self.value(), "generator": "x"}, 5)

    # ---- What is called ----

    def operate(self):
        _core.operate(self.pick(self.session, None, 5),
                      self.pick(*self.methods), self.pick("in", "a", "x"),
                      self.pick(self.array(), "x", None), self.params(),
                      self.shape(), self.dtype())

    def fill(self):
        _core.fill(self.session, self.pick(*self.methods), self.params(),
                   self.source(), self.shape(), self.dtype(),
                   self.pick(True, False))

    def run(self):
        call = _core.Call(self.session, self.pick(*self.methods),
                          {**self.params(), "n": 5}, self.pick(True, False))
        call._run(*self.pick((), (1,), (1, 2, 3), ("x",),
                             (1, 1, 1, (self.tile,)), (1, 1, 1, (5,)),
                             (None, None, None, (self.tile,) * 7)))
        call._reply()
        call._tile(self.pick(-1, 0, 7))

    def steps(self):
        steps = [(self.pick(*self.methods),
                  {**self.params(), "as": f"s{i}",
                   "in": self.pick("s0", self.array(), self.tile)},
                  self.pick(True, False)) for i in range(3)]
        call = _core.Call(self.session, "run", {}, False,
                          self.pick(steps, 5, [5], [("a",)], [(1, 2, 3)]))
        call._submit()
        call._wait()
        call._tile(self.pick(-1, 0, 1, 2, 3))

    def ring(self):
        ring = _core.Ring(self.session, self.pick(*self.methods),
                          self.params(), self.source(), self.pick(0, 9, 2**40))
        lent = ring._borrow(self.pick(0, 1, 5, 10**6), 0)
        ring._take(np.empty(5, "f4"), self.pick(-1, 0, 3),
                   self.pick(-1, 0, 3, 6), 0)
        if lent is not None:
            view = lent.array
            lent.release(self.pick(0, 1, 9))
            ring._detach()
            view.sum()

    def make_tile(self):
        trnsci.Tile(self.shape(), self.dtype(),
                    session=self.pick(self.session, None, 3))

    def dlpack(self):
        self.tile.__dlpack__(**{self.pick(
            "copy", "max_version", "dl_device", "stream"): self.pick(
                self.value(), (1, 0), (0, 1), (1,), ("a", "b"))})

    def draw(self):
        call = self.session.draw(self.pick(*self.methods),
                                 self.pick(5, (2, 3), 0), **self.params())
        if self.pick(True, False):
            call.result(20)


@pytest.mark.parametrize("seed", [1, 2])
def test_arguments_at_random(session, seed):
    guess = Guess(session, seed)
    worked = refused = 0
    kinds = (guess.operate, guess.fill, guess.run, guess.steps, guess.ring,
             guess.make_tile, guess.dlpack, guess.draw)
    for _ in range(CALLS // 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                guess.pick(*kinds)()
                worked += 1
            except EXPECTED:
                refused += 1
    assert worked > 20 and refused > 100, (worked, refused)
    assert session.draw("normal", 3).result().shape == (3,)
