# SPDX-License-Identifier: Apache-2.0
"""Draws of vectors that are no pass of the engine."""
from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Literal, Optional, Sequence, Union

import numpy as np

from ._bit_generator import BitGenerator
from ._choices import part_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    _Size = Optional[Union[int, Sequence[int]]]
    _Floats = NDArray[np.float64]
    _Ints = NDArray[np.int64]

# Components of a sample that the engine draws.
_COMPONENTS = 1024


class Derived:
    """Mixed into Generator."""

    def multinomial(self, n: ArrayLike, pvals: ArrayLike,
                    size: _Size = None) -> _Ints:
        """Draw counts of the outcomes of `n` trials.

        Parameters
        ----------
        n : int or array_like of ints
            How many trials.
        pvals : array_like of floats
            Probability of each outcome, along the last axis; the last one is
            what the others leave of 1, unless both differ by rounding alone.
        size : int or tuple of ints, optional
            Shape of the result, without the axis of outcomes.

        Notes
        -----
        The engine draws where `n` is a number and `pvals` one list; otherwise
        numpy's algorithm does, over the stream's words.

        Examples
        --------
        >>> import trnsci
        >>> int(trnsci.Generator(1).multinomial(20, [0.2, 0.3, 0.5]).sum())
        20
        """
        if np.ndim(n) == 0 and np.ndim(pvals) == 1 and _is_valid(n, pvals):
            shares = np.array(pvals, np.float64)
            rest = max(1.0 - shares[:-1].sum(), 0.0)
            # What is given has digits that the difference has lost.
            if abs(shares[-1] - rest) > 2.0**-52 * shares.size:
                shares[-1] = rest
            return self._multinomial(operator.index(int(n)), shares, size)
        if size is None and np.ndim(n) == 0 and np.ndim(pvals) == 1:
            return self._by_numpy("multinomial", n, pvals, self.size)[0]
        return self._by_numpy("multinomial", n, pvals, size)

    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike,
                            size: _Size = None,
                            check_valid: Literal['warn', 'raise', 'ignore'] = "warn",
                            tol: float = 1e-8, *,
                            method: Literal['svd', 'eigh', 'cholesky'] = "svd"
                           ) -> _Floats:
        """Draw vectors from a multivariate normal distribution.

        Parameters
        ----------
        mean : 1-D array_like of n floats
            Mean of the distribution.
        cov : 2-D array_like, n by n
            Covariance, symmetric and positive semidefinite.
        size : int or tuple of ints, optional
            How many vectors; the result has one dimension of n more.
        check_valid : {'warn', 'raise', 'ignore'}, optional
            What is done when `cov` is not positive semidefinite.
        tol : float, optional
            Tolerance of that check.
        method : {'svd', 'eigh', 'cholesky'}, optional
            How `cov` is factored, by numpy.linalg.

        Examples
        --------
        >>> import trnsci
        >>> cov = [[2.0, 1.0], [1.0, 3.0]]
        >>> trnsci.Generator(1).multivariate_normal([0, 0], cov, 5).shape
        (5, 2)
        """
        if method not in {"eigh", "svd", "cholesky"}:
            raise ValueError("method must be one of {'eigh', 'svd', "
                             "'cholesky'}")
        mean, cov = np.array(mean), np.array(cov)
        if np.issubdtype(mean.dtype, np.complexfloating) or \
                np.issubdtype(cov.dtype, np.complexfloating):
            raise TypeError("mean and cov must not be complex")
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        factor = _factor(cov.astype(np.double), method, check_valid, tol)
        shape = () if size is None else tuple(np.atleast_1d(size))
        source = self if shape else self._undivided()
        samples = source.standard_normal(shape + mean.shape)
        self.position = source.position
        return mean + samples @ factor.T

    def _by_numpy(self, name, *args, **kwargs):
        """Call a method of numpy's Generator over the words from `position`
        on. A part of a draw is cut from the whole."""
        own = self.__dict__.get("_numpy")
        if own is None or own[0].seed != self.seed:
            bits = BitGenerator(self.seed, stream=self.stream,
                                generator=self.generator)
            own = self._numpy = bits, np.random.Generator(bits)
        bits, generator = own
        begin = self.position
        bits._words.set(begin // 2, False, 0)
        samples = getattr(generator, name)(*args, **kwargs)
        self.advance(2 * bits._words.get()[0] - begin)
        if self.size == 1 or np.ndim(samples) == 0:
            return samples
        begin, rows = part_of(self, samples.shape)
        return samples[begin:begin + rows]

    def multivariate_hypergeometric(self, colors: ArrayLike, nsample: int,
                                    size: _Size = None,
                                    method: Literal['marginals', 'count'] = "marginals") -> _Ints:
        """Draw counts of the colours of items taken without replacement, by
        numpy's algorithms.

        Parameters
        ----------
        colors : 1-D array_like of ints
            Items of each colour.
        nsample : int
            How many are taken.
        size : int or tuple of ints, optional
            Shape of the result, without the axis of colours.
        method : {'marginals', 'count'}, optional
            Which of numpy's algorithms.
        """
        if size is None:
            return self._by_numpy("multivariate_hypergeometric", colors,
                                  nsample, self.size, method)[0]
        return self._by_numpy("multivariate_hypergeometric", colors, nsample,
                              size, method)


def _is_valid(n, pvals):
    """Whether the engine draws it; what is refused, numpy words."""
    p = np.asarray(pvals, np.float64)
    return (0 <= n < 2**63 and 0 < p.size <= _COMPONENTS and np.all(p >= 0)
            and np.all(p <= 1) and p[:-1].sum() <= 1.0 + 1e-12)


def _factor(cov, method, check_valid, tol):
    """A matrix whose product with its transpose is `cov`."""
    if method == "svd":
        u, s, vh = np.linalg.svd(cov)
    elif method == "eigh":
        s, u = np.linalg.eigh(cov)
    else:
        factor = np.linalg.cholesky(cov)
    if check_valid not in ("warn", "raise", "ignore"):
        if check_valid != "ignore":
            raise ValueError("check_valid must equal 'warn', 'raise', or "
                             "'ignore'")
    if check_valid != "ignore" and method != "cholesky":
        if method == "svd":
            valid = np.allclose(np.dot(vh.T * s, vh), cov, rtol=tol, atol=tol)
        else:
            valid = not np.any(s < -tol)
        if not valid and check_valid == "warn":
            warnings.warn("covariance is not symmetric positive-semidefinite.",
                          RuntimeWarning, stacklevel=3)
        elif not valid:
            raise ValueError("covariance is not symmetric "
                             "positive-semidefinite.")
    if method == "cholesky":
        return factor
    return u * np.sqrt(np.abs(s))
