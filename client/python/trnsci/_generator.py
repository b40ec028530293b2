# SPDX-License-Identifier: Apache-2.0
"""The drop-in for numpy.random.Generator."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._bit_generator import BitGenerator
from ._choices import Choices
from ._colored import Colored
from ._derived import Derived
from ._fields import Fields
from ._seeds import seed_of

if TYPE_CHECKING:
    import numpy as np


class Generator(Derived, Choices, Colored, Fields, _core.Generator):
    """Random numbers from one stream, with numpy.random.Generator's methods.

    Methods, their arguments, defaults and kinds of errors are numpy's. The
    numbers are the engine's: sample k of a draw is a function of generator,
    seed, stream, k and the parameters alone, with the same bytes on every
    machine, from a daemon and inside the process.

    Every call is one draw. It begins at `position`, a multiple of 4 words of
    the stream, and takes whole groups of 4 words; a sample of 64 bits takes
    two words. So no word serves two draws, and ten calls of ``random()`` are
    ten draws, whose numbers are not those of ``random(10)``.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        Seed of the stream. Integers below 2**64 are used as they are; None
        takes entropy of the system, which `seed` shows, and takes new entropy
        in a forked child.
    stream : int, optional
        Which of the seed's streams.
    generator : str, optional
        Name of the generator of the stream's words.
    rank, size : int, optional
        This generator gets part `rank` of `size` of every draw, divided along
        its first axis: the parts joined in the order of ranks are the draw
        that one generator makes. Single numbers are not divided, every rank
        gets the same; nor is what `shuffle` and `permuted` change in place.
    session : Session, optional
        What draws; default: `default_session()`, opened by the first draw.

    Notes
    -----
    Where a parameter of beta, binomial, gamma, standard_gamma, chisquare,
    poisson, or of what is made of these, is an array, the engine has a method
    of its own: the samples are not those that equal numbers give.

    multivariate_hypergeometric, and multinomial of arrays, are numpy's own
    algorithms over the stream's words; multivariate_normal uses numpy's linear
    algebra. Their last bits may differ between machines; all others are the
    same everywhere.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> trnsci.Generator(1).normal(10, 2, size=3).round(3)
    array([14.552,  9.051, 14.044])
    >>> whole = trnsci.Generator(1).random(10)
    >>> parts = [trnsci.Generator(1, rank=r, size=3).random(10)
    ...          for r in range(3)]
    >>> bool((np.concatenate(parts) == whole).all())
    True
    """

    # The name that numpy's own code and tests read.
    _poisson_lam_max = 2**63 - 1 - 10 * (2**63 - 1)**0.5

    def __init__(self,
                 seed: int | Sequence[int] | np.random.SeedSequence | None = None,
                 *, stream: int = 0, generator: str = "threefry4x32",
                 rank: int = 0, size: int = 1,
                 session: _core.Session | None = None) -> None:
        super().__init__(seed_of(seed), stream=stream, generator=generator,
                         rank=rank, size=size, session=session)

    def __repr__(self):
        return (f"trnsci.Generator({self.seed}, stream={self.stream}, "
                f"generator={self.generator!r}) at {self.position}")

    @property
    def bit_generator(self) -> BitGenerator:
        """A `BitGenerator` of the same stream, which begins at `position`."""
        made = BitGenerator(self.seed, stream=self.stream,
                            generator=self.generator)
        made.advance(self.position // 2)
        return made

    # ---- Other places and other streams ----

    def _like(self, seed, stream):
        return type(self)(seed, stream=stream, generator=self.generator,
                          rank=self.rank, size=self.size,
                          session=self._own_session)

    def jumped(self, jumps: int = 1) -> Generator:
        """Return a copy, `jumps` times 2**56 words ahead in the stream.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).jumped(2).position == 2 * 2**56
        True
        """
        other = self._like(self.seed, self.stream)
        other._children = self._children
        other.position = self.position + (jumps << 56)
        return other

    def spawn(self, n_children: int) -> list[Generator]:
        """Return `n_children` generators of streams derived from this one.

        Later calls go on with other children.

        Examples
        --------
        >>> import trnsci
        >>> a, b = trnsci.Generator(1).spawn(2)
        >>> (a.seed, a.stream) != (b.seed, b.stream)
        True
        """
        if n_children < 0:
            raise ValueError("n_children: must be non-negative")
        first = self._children
        self._children = first + n_children
        return [self._derive(b"s", first + i) for i in range(n_children)]

    def fold_in(self, number: int) -> Generator:
        """Return the generator of the stream that `number` derives.

        Examples
        --------
        >>> import trnsci
        >>> rng = trnsci.Generator(1)
        >>> rng.fold_in(7).seed == rng.fold_in(7).seed
        True
        """
        return self._derive(b"f", number)

    def label(self, label: str | bytes) -> Generator:
        """Return the generator of the stream that a name (str or bytes)
        derives.

        Examples
        --------
        >>> import trnsci
        >>> rng = trnsci.Generator(1)
        >>> rng.label("noise").seed == rng.label(b"noise").seed
        True
        """
        if isinstance(label, str):
            label = label.encode()
        return self._derive(b"l", label)

    def _derive(self, kind, what):
        return self._like(*_core.derive(kind, self.generator, self.seed,
                                        self.stream, what))

    # ---- Copies ----

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"stream": self.stream, "generator": self.generator,
                   "rank": self.rank, "size": self.size,
                   "session": self._own_session}
        return _rebuild, (type(self), self.seed, options, self.position,
                          self._children)

    def __copy__(self) -> Generator:
        return self._twin()

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        return self._twin()

    def _twin(self):
        other = self._like(self.seed, self.stream)
        other.position = self.position
        other._children = self._children
        return other


def default_rng(seed: int | Sequence[int] | np.random.SeedSequence | Generator
                | None = None) -> Generator:
    """Return a `Generator` of a seed; a Generator as it is.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence or Generator, optional
        As `Generator` takes it; None takes entropy of the system.

    Returns
    -------
    Generator

    Examples
    --------
    >>> import trnsci
    >>> rng = trnsci.default_rng(1)
    >>> rng.integers(1, 7, size=5)
    array([1, 6, 1, 6, 3])
    >>> trnsci.default_rng(rng) is rng
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def _rebuild(cls, seed, options, position, children):
    made = cls(seed, **options)
    made.position = position
    made._children = children
    return made
