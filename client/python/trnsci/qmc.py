# SPDX-License-Identifier: Apache-2.0
"""Quasi-random points by trnsciD's engine, for everything that takes a
``scipy.stats.qmc.QMCEngine``.

`Sobol`, `Halton`, `LatinHypercube` and `Lattice` are subclasses of scipy's
QMCEngine, so that ``scipy.integrate.qmc_quad``, ``scipy.stats.qmc``'s own
distributions and what else asks for an engine take them. scipy is needed.

Points that are not scrambled are those of scipy, Sobol's byte for byte and
Halton's to the last bit or two. Scrambled points are others: they are a
function of the seed alone, the same on every machine and from a daemon.

Examples
--------
>>> import numpy as np, trnsci.qmc
>>> points = trnsci.qmc.Sobol(2, seed=1).random(1024)
>>> bool(abs(np.prod(points, axis=1).mean() - 0.25) < 1e-3)
True
>>> from scipy.stats.qmc import MultivariateNormalQMC
>>> engine = trnsci.qmc.Halton(2, seed=1)
>>> MultivariateNormalQMC([0, 0], engine=engine).random(3).shape
(3, 2)
"""
from __future__ import annotations

import inspect
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats.qmc import QMCEngine

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from ._core import Session

__all__ = ["Halton", "LatinHypercube", "Lattice", "Sobol"]


def __dir__() -> list[str]:
    return sorted(__all__)


# Later releases of scipy call the seed rng.
_SEED = "rng" if "rng" in inspect.signature(QMCEngine.__init__).parameters \
    else "seed"


def _is_seed(seed):
    return isinstance(seed, (int, np.integer)) and \
        not isinstance(seed, bool) and 0 <= seed < 2**64


def _count(n):
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n: got {n}, allowed are 0 and up")
    return n


class _Engine(QMCEngine):
    """What the engines share: places in a sequence, and seeds."""

    _operation = ""
    _scrambles = "owen"
    MAXDIM = 0

    def __init__(self, d: int, *, scramble: bool = True,
                 optimization: str | None = None, seed: Any = None,
                 rng: Any = None, session: Session | None = None) -> None:
        seed = rng if seed is None else seed
        self._init_quad = {"d": d, "scramble": True,
                           "optimization": optimization, "session": session}
        # scipy's rng takes no RandomState, which has no seeds to spawn from.
        old = isinstance(seed, np.random.RandomState)
        super().__init__(d=d, optimization=optimization,
                         **{"seed" if old else _SEED: seed})
        if d > self.MAXDIM:
            raise ValueError("Maximum supported dimensionality is "
                             f"{self.MAXDIM}.")
        self.scramble = bool(scramble)
        self.session = session
        # Of a Generator it takes one number, as scipy takes its scrambling.
        self.seed = int(seed) if _is_seed(seed) else int(
            self.rng.integers(0, 2**64, dtype=np.uint64)
            if hasattr(self.rng, "integers") else
            self.rng.randint(0, 2**63, dtype=np.int64))

    def _points(self, n, **more):
        n = _count(n)
        if n == 0 or self.d == 0:
            return np.empty((n, self.d))
        params = {"n": n, "d": int(self.d), "dtype": "f64", "seed": self.seed,
                  "scramble": self._scrambles if self.scramble else "none",
                  **more}
        call = _core.Call(self.session, self._operation, params, True)
        call._run()
        return call._tile().array

    def _random(self, n=1, *, workers=1):
        return self._points(n, offset=self.num_generated)

    def fast_forward(self, n: int) -> Any:
        """Skip points, at no cost.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        engine
            This one.
        """
        self.num_generated += _count(n)
        return self


class Sobol(_Engine):
    """Sobol points, with Owen's scrambling.

    Parameters
    ----------
    d : int
        Dimensions, at most 1111.
    scramble : bool, optional
        Owen's nested flips of digits; scipy's are linear ones and a shift.
    bits : int, optional
        There are 2**bits points, at most 2**53; default: 53, scipy's is 30.
    optimization, seed : optional
        As scipy's. An int of 64 bits is the engine's own seed.
    session : trnsci.Session, optional
        What computes; default: `trnsci.default_session()`.

    Examples
    --------
    >>> import trnsci.qmc
    >>> trnsci.qmc.Sobol(2, scramble=False).random(4)
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    _operation = "sobol"
    MAXDIM = 1111

    def __init__(self, d: int, *, scramble: bool = True,
                 bits: int | None = None, seed: Any = None,
                 optimization: str | None = None, rng: Any = None,
                 session: Session | None = None) -> None:
        super().__init__(d, scramble=scramble, optimization=optimization,
                         seed=seed, rng=rng, session=session)
        self._init_quad["bits"] = bits
        self.bits = 53 if bits is None else operator.index(bits)
        if self.bits > 64:
            raise ValueError("Maximum supported 'bits' is 64")
        self.maxn = 2**min(self.bits, 53)

    def _random(self, n=1, *, workers=1):
        n = _count(n)
        total = self.num_generated + n
        if total > self.maxn:
            raise ValueError(
                f"At most 2**{self.bits}={self.maxn} distinct points can be "
                f"generated. {self.num_generated} points have been previously "
                f"generated, then: n={self.num_generated}+{n}={total}. "
                + ("Consider increasing `bits`." if self.bits < 53 else ""))
        if self.num_generated == 0 and n & (n - 1):
            warnings.warn("The balance properties of Sobol' points require"
                          " n to be a power of 2.", stacklevel=3)
        return super()._random(n)

    def random_base2(self, m: int) -> NDArray[np.float64]:
        """Draw 2**m points, so that with those before they are balanced.

        Parameters
        ----------
        m : int
            Logarithm of how many.

        Returns
        -------
        ndarray
            Of shape (2**m, d).
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a "
                f"power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, the function "
                "'Sobol.random()' can be used.")
        return self.random(n)


class Halton(_Engine):
    """Halton points, with Owen's scrambling.

    Parameters
    ----------
    d : int
        Dimensions, at most 1000.
    scramble : bool, optional
        Each digit is permuted by those before it; scipy's permutations
        depend on its place alone.
    optimization, seed : optional
        As scipy's. An int of 64 bits is the engine's own seed.
    session : trnsci.Session, optional
        What computes; default: `trnsci.default_session()`.

    Examples
    --------
    >>> import trnsci.qmc
    >>> trnsci.qmc.Halton(2, scramble=False).random(3)
    array([[0.        , 0.        ],
           [0.5       , 0.33333333],
           [0.25      , 0.66666667]])
    """

    _operation = "halton"
    MAXDIM = 1000


class Lattice(_Engine):
    """Points of an embedded rank-1 lattice in base 2, shifted at random.

    Any 2**m of them from the beginning are a lattice. scipy has none.

    Parameters
    ----------
    d : int
        Dimensions, at most 1024.
    scramble : bool, optional
        A random shift, modulo 1.
    optimization, seed : optional
        As of the other engines. An int of 64 bits is the engine's own seed.
    session : trnsci.Session, optional
        What computes; default: `trnsci.default_session()`.

    Examples
    --------
    >>> import trnsci.qmc
    >>> trnsci.qmc.Lattice(2, scramble=False).random(4)
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.25, 0.25],
           [0.75, 0.75]])
    """

    _operation = "lattice"
    _scrambles = "shift"
    MAXDIM = 1024


class LatinHypercube(_Engine):
    """Latin hypercubes: each call of ``random(n)`` is a design of n points.

    Parameters
    ----------
    d : int
        Dimensions, at most 4096.
    scramble : bool, optional
        Points lie anywhere in their cells; False: in the middle.
    strength : {1}, optional
        Designs of strength 2 are scipy's alone.
    optimization, seed : optional
        As scipy's. An int of 64 bits is the engine's own seed. Design k, from
        0, is the engine's of stream k.
    session : trnsci.Session, optional
        What computes; default: `trnsci.default_session()`.

    Examples
    --------
    >>> import numpy as np, trnsci.qmc
    >>> points = trnsci.qmc.LatinHypercube(2, seed=1).random(5)
    >>> np.sort(np.floor(points * 5), axis=0)[:, 1]
    array([0., 1., 2., 3., 4.])
    """

    _operation = "lhs"
    _scrambles = "jitter"
    MAXDIM = 4096

    def __init__(self, d: int, *, scramble: bool = True, strength: int = 1,
                 optimization: str | None = None, seed: Any = None,
                 rng: Any = None, session: Session | None = None) -> None:
        if strength != 1:
            raise ValueError(f"{strength!r} is not a valid strength. It must "
                             "be one of {1}")
        super().__init__(d, scramble=scramble, optimization=optimization,
                         seed=seed, rng=rng, session=session)
        self._init_quad["strength"] = strength
        self._designs = 0

    def _random(self, n=1, *, workers=1):
        made = self._points(n, stream=self._designs)
        self._designs += 1
        return made

    def fast_forward(self, n: int) -> Any:
        """Skip one design, as scipy's does by drawing it.

        Parameters
        ----------
        n : int
            Its points.

        Returns
        -------
        engine
            This one.
        """
        self._designs += 1
        return super().fast_forward(n)

    def reset(self) -> Any:
        """Return to the first design.

        Returns
        -------
        engine
            This one.
        """
        self._designs = 0
        return super().reset()
