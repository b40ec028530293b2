# SPDX-License-Identifier: Apache-2.0
"""A bit generator for numpy.random.Generator and RandomState."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np

from . import _core
from ._seeds import seed_of

if TYPE_CHECKING:
    _Seed = Union[None, int, Sequence[int], np.random.SeedSequence]

_PAIRS = 2**63


class BitGenerator(np.random.BitGenerator):
    """The words of a stream of the engine, as a bit generator of numpy.

    `next_uint64` takes words 2k and 2k + 1 of the stream, the low half first;
    `next_uint32` takes the halves of such a pair one after the other. So
    `numpy.random.Generator(BitGenerator(1)).random(n)` has the numbers of
    `trnsci.Generator(1).random(n)`; numpy's other methods have algorithms of
    their own.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed of the stream; None takes entropy of the system, and `seed` shows
        it.
    stream : int, optional
        Which of the seed's streams.
    generator : str, optional
        Name of the generator of the stream's words.

    Notes
    -----
    It can be pickled at its exact place. numpy 1.24 cannot pickle a
    `numpy.random.Generator` around it, because that looks the bit generator up
    by name; numpy 1.25 and later can.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> rng = np.random.Generator(trnsci.BitGenerator(1))
    >>> bool((rng.random(3) == trnsci.Generator(1).random(3)).all())
    True
    """

    def __repr__(self):
        return (f"trnsci.BitGenerator({self.seed}, stream={self.stream}, "
                f"generator={self.generator!r})")

    def __init__(self, seed: _Seed = None, *, stream: int = 0,
                 generator: str = "threefry4x32") -> None:
        sequence = seed if hasattr(seed, "generate_state") else None
        number = seed_of(seed)
        if number is None:
            number = seed_of(np.random.SeedSequence())
        super().__init__(number if sequence is None else sequence)
        self._words = _core.Words(generator, number, stream)
        self._words.attach(self.capsule)
        self._source = (generator, number, stream)

    @property
    def seed(self) -> int:
        """Seed of the stream."""
        return self._source[1]

    @property
    def stream(self) -> int:
        """Which of the seed's streams."""
        return self._source[2]

    @property
    def generator(self) -> str:
        """Name of the generator of the stream's words."""
        return self._source[0]

    @property
    def state(self) -> Mapping[str, Any]:
        """dict: the source and the place in it, in pairs of words."""
        position, has_uint32, uinteger = self._words.get()
        generator, seed, stream = self._source
        return {"bit_generator": "trnsci.BitGenerator",
                "state": {"generator": generator, "seed": seed,
                          "stream": stream, "position": position},
                "has_uint32": has_uint32, "uinteger": uinteger}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != "trnsci.BitGenerator":
            raise ValueError("state must be for a trnsci.BitGenerator RNG")
        inner = value["state"]
        source = inner["generator"], inner["seed"], inner["stream"]
        # Generators have copied where the words are: the object stays.
        self._words.__init__(*source)
        self._words.set(inner["position"], bool(value["has_uint32"]),
                        value["uinteger"])
        self._source = source

    def advance(self, delta: int) -> BitGenerator:
        """Skip `delta` pairs of words, back where it is negative.

        Returns
        -------
        self : BitGenerator
        """
        position = self._words.get()[0]
        self._words.set((position + delta) % _PAIRS, False, 0)
        return self

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """Return another one, `jumps` times 2**55 pairs of words ahead."""
        other = self._copy()
        other.advance(jumps << 55)
        return other

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """Return `n_children` of streams derived from this one's seed."""
        first = getattr(self, "_spawned", 0)
        self._spawned = first + n_children
        return [self._derived(first + i) for i in range(n_children)]

    def _derived(self, index):
        generator, seed, stream = self._source
        seed, stream = _core.derive(b"s", generator, seed, stream, index)
        return type(self)(seed, stream=stream, generator=generator)

    def _copy(self):
        other = type(self)(self.seed, stream=self.stream,
                           generator=self.generator)
        other.state = self.state
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.state,
                          getattr(self, "_spawned", 0))

    def __getstate__(self):
        return self.state

    def __setstate__(self, state):
        self.state = state


def _rebuild(cls, state, spawned):
    inner = state["state"]
    made = cls(inner["seed"], stream=inner["stream"],
               generator=inner["generator"])
    made.state = state
    made._spawned = spawned
    return made
