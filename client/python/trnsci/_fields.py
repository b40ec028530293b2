# SPDX-License-Identifier: Apache-2.0
"""Gaussian random fields."""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from ._choices import _shape_of, part_of
from ._suggest import suggesting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


class Fields:
    """Mixed into Generator."""

    def field(self, shape: int | Sequence[int], *,
              exponent: float | None = None,
              spectrum: tuple[ArrayLike, ArrayLike] | None = None,
              covariance: str | None = None, nu: float | None = None,
              length: float | Sequence[float] | None = None,
              spacing: float | Sequence[float] = 1.0,
              std: float | None = None, mean: float = 0.0,
              periodic: bool = True, approximate: bool = False,
              dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Draw a Gaussian random field on a periodic grid.

        Give its spectrum by one of `exponent`, `spectrum` and `covariance`.

        Parameters
        ----------
        shape : int or sequence of ints
            Points on each axis, 2 and up; 1 to 8 axes.
        exponent : float, optional
            Power spectral density ~ 1 / k**exponent, and 0 at k = 0.
        spectrum : tuple of two 1-D array_like, optional
            Wave numbers, which increase, and the power spectral density at
            these. It is interpolated in logarithms, linearly beside a 0, and
            0 outside. k is in radians by unit of `spacing`; the integral of
            the density dk / (2 pi)**d is the variance in d dimensions.
        covariance : {'gaussian', 'exponential', 'matern', 'spherical'}, optional
            Covariance as a function of the distance r in `length`:
            exp(-r**2 / 2), exp(-r), Matern's, and 1 - 3/2 r + r**3 / 2 below
            1, for up to three axes.
        nu : float, optional
            Smoothness of matern.
        length : float or sequence of floats, optional
            Correlation length of a covariance, one for all axes or a list.
        spacing : float or sequence of floats, optional
            Distance of two points, one for all axes or a list.
        std : float, optional
            Root of the expected variance; of a covariance that of its value
            at distance 0. Default: 1, of a table what it states.
        mean : float, optional
            Added to all points.
        periodic : bool, optional
            False, of a covariance: the field is cut from a larger grid, so
            that opposite edges are not neighbours. Where a grid of four times
            the minimal embedding does not give that covariance, it is an
            error: smooth covariances much longer than the grid.
        approximate : bool, optional
            Without `periodic`, take the largest grid in that case, and the
            covariance summed over its images.
        dtype : dtype, optional
            float64 or float32.

        Returns
        -------
        ndarray
            The field. A generator that is part of several gets its part of the
            first axis.

        Notes
        -----
        Normals of the stream, where they lie, are transformed, multiplied by
        the root of the spectrum and transformed back. The grid is periodic: a
        covariance is summed over all images of the grid, and its spectrum is
        never negative. ``numpy.exp`` of a field is lognormal.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> g = trnsci.Generator(1)
        >>> x = g.field((256, 256), covariance="matern", nu=1.5, length=4)
        >>> x.shape, bool(abs(x.std() - 1) < 0.1)
        ((256, 256), True)
        >>> rough = g.field(1000, exponent=5 / 3, std=2)
        >>> bool(abs(rough.mean()) < 1e-12)
        True
        """
        shape = _shape_of(shape) or (1,)
        dtype = np.dtype(dtype)
        params = {
            "shape": list(shape), "dtype": _core.dtype_name(dtype),
            "exponent": exponent, "covariance": covariance, "nu": nu,
            "length": _numbers(length), "spacing": _numbers(spacing),
            "std": std, "mean": mean, "spectrum": _table(spectrum)}
        words = math.prod(shape) * max(dtype.itemsize // 4, 1)
        if not periodic:
            params.update(periodic=False, approximate=approximate)
            # A bound of the grid, which the engine chooses: an axis has at
            # most 8 times the points, and 1.25 times where it is rounded up.
            words *= 10 ** len(shape)
        field = self._draw_whole("field", params, words)
        begin, n = part_of(self, shape)
        return field if self.size == 1 else field[begin:begin + n].copy()

    def fgn(self, n: int, hurst: float, *, std: float = 1.0,
            mean: float = 0.0, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Draw fractional Gaussian noise, exactly.

        Its points are the steps of `fbm`: independent for a Hurst exponent of
        0.5, alike above, opposed below.

        Parameters
        ----------
        n : int
            Points, 2 to 2**29.
        hurst : float
            Hurst exponent H, above 0 and below 1. Points that are k apart have
            the covariance (abs(k + 1)**2H - 2 k**2H + abs(k - 1)**2H) / 2.
        std : float, optional
            Standard deviation of a point.
        mean : float, optional
            Added to all points.
        dtype : dtype, optional
            float64 or float32.

        Returns
        -------
        ndarray of shape (n,)
            The noise. A generator that is part of several gets its part.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> x = trnsci.Generator(1).fgn(10000, 0.9)
        >>> bool(np.corrcoef(x[1:], x[:-1])[0, 1] > 0.6)
        True
        """
        return self._fractional("fgn", n, hurst, std, mean, dtype)

    def fbm(self, n: int, hurst: float, *, std: float = 1.0,
            mean: float = 0.0, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Draw fractional Brownian motion, exactly.

        Point k is the sum of the first k + 1 points of `fgn`, whose parameters
        these are; its variance is std**2 (k + 1)**2H.

        Parameters
        ----------
        n : int
            Points, 2 to 2**29.
        hurst : float
            Hurst exponent H, above 0 and below 1.
        std : float, optional
            Standard deviation of a step.
        mean : float, optional
            Added to all points.
        dtype : dtype, optional
            float64 or float32.

        Returns
        -------
        ndarray of shape (n,)
            The path. A generator that is part of several gets its part.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> path = trnsci.Generator(1).fbm(1000, 0.3)
        >>> steps = trnsci.Generator(1).fgn(1000, 0.3)
        >>> bool(np.allclose(np.cumsum(steps), path))
        True
        """
        return self._fractional("fbm", n, hurst, std, mean, dtype)

    def surrogate(self, x: ArrayLike) -> NDArray[Any]:
        """Draw a signal with the spectrum of another, its phases anew.

        Parameters
        ----------
        x : array_like of floats
            Signals along the last axis, of 2 samples and up; float32 stays
            float32.

        Returns
        -------
        ndarray
            Of the shape of `x`. A generator that is part of several gets all.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> x = np.cumsum(trnsci.Generator(1).normal(size=64))
        >>> y = trnsci.Generator(2).surrogate(x)
        >>> bool(np.allclose(abs(np.fft.rfft(x)), abs(np.fft.rfft(y))))
        True
        """
        x = np.asarray(x)
        if x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
            raise TypeError(f"x: got {x.dtype}, allowed are real numbers")
        narrow = x.dtype in (np.float16, np.float32)
        x = np.ascontiguousarray(x, np.float32 if narrow else np.float64)
        turns = math.prod(x.shape[:-1]) * (x.shape[-1] // 2 + 1)
        return self._draw_whole("surrogate", {"in": x}, 2 * turns)

    def _fractional(self, operation, n, hurst, std, mean, dtype):
        dtype = np.dtype(dtype)
        n = operator.index(n)
        # The ring that the engine draws has at most 2.4 times the points.
        whole = self._draw_whole(operation, {
            "shape": [n], "hurst": hurst, "std": std, "mean": mean,
            "dtype": _core.dtype_name(dtype)}, 3 * n *
            max(dtype.itemsize // 4, 1))
        begin, count = part_of(self, (n,))
        return whole if self.size == 1 else whole[begin:begin + count].copy()

    def _draw_whole(self, operation, params, words):
        """Draw from `position` on, and take that many words."""
        params = {name: value for name, value in params.items()
                  if value is not None}
        begin = self.position
        call = _core.Call(self.session, operation, {
            **params, "seed": self.seed, "stream": self.stream,
            "generator": self.generator, "position": begin}, True)
        self.advance((words + 3) // 4 * 4)
        end = self.position
        try:
            with suggesting([(operation, params)]):
                call._run()
        except Exception:
            # Nothing was drawn.
            if self.position == end:
                self.position = begin
            raise
        return call._tile().array


def _numbers(x):
    """A number for all axes, or a list."""
    return None if x is None else np.asarray(x, np.float64).tolist()


def _table(spectrum):
    """k and P(k) in turn."""
    if spectrum is None:
        return None
    k, density = (np.asarray(x, np.float64) for x in spectrum)
    if k.ndim != 1 or k.shape != density.shape:
        raise ValueError(f"spectrum: got shapes {k.shape} and {density.shape},"
                         " allowed are two lists of equal length")
    return np.column_stack([k, density]).ravel().tolist()
