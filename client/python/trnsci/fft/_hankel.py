# SPDX-License-Identifier: Apache-2.0
"""The fast Hankel transform over the engine's real transforms.

Sources: J. D. Talman, J. Comp. Phys. 29 (1978) 35; A. J. S. Hamilton, MNRAS
312 (2000) 257. The logarithm of the gamma function is scipy's.
"""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from ._transforms import irfft, rfft

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def fht(a: ArrayLike, dln: float, mu: float, offset: float = 0.0,
        bias: float = 0.0) -> NDArray[np.float64]:
    """Fast Hankel transform of a sequence with logarithmic spacing.

    Parameters
    ----------
    a : array_like
        Real, of which the last axis is transformed.
    dln : float
        Spacing of the logarithm of the input's points.
    mu : float
        Order of the Bessel function.
    offset : float, optional
        Offset of the logarithm of the output's points.
    bias : float, optional
        Power of the points by which the input is divided first.

    Returns
    -------
    ndarray
        Real, of the shape of `a`.
    """
    a = np.asarray(a)
    n = a.shape[-1]
    places = np.arange(n) - (n - 1) / 2
    if bias != 0:
        a = a * np.exp(-bias * places * dln)
    made = _apply(a, _coefficients(n, dln, mu, offset, bias), False)
    if bias != 0:
        made = made * np.exp(-bias * (places * dln + offset))
    return made


def ifht(A: ArrayLike, dln: float, mu: float, offset: float = 0.0,
         bias: float = 0.0) -> NDArray[np.float64]:
    """Inverse of `fht`, with the same parameters."""
    A = np.asarray(A)
    n = A.shape[-1]
    places = np.arange(n) - (n - 1) / 2
    if bias != 0:
        A = A * np.exp(bias * (places * dln + offset))
    made = _apply(A, _coefficients(n, dln, mu, offset, bias), True)
    if bias != 0:
        made = made / np.exp(-bias * places * dln)
    return made


def fhtoffset(dln: float, mu: float, initial: float = 0.0,
              bias: float = 0.0) -> float:
    """Return the offset nearest to `initial` at which `fht` rings least."""
    from scipy.special import loggamma

    y = math.pi / (2 * dln)
    plus = loggamma((mu + 1 + bias) / 2 + 1j * y)
    minus = loggamma((mu + 1 - bias) / 2 + 1j * y)
    turns = (math.log(2) - initial) / dln + (plus.imag + minus.imag) / math.pi
    return initial + (turns - np.round(turns)) * dln


def _coefficients(n, dln, mu, offset, bias):
    """Factors of the spectrum: 2**x G((mu + 1 + x) / 2) / G((mu + 1 - x) / 2)
    at x = bias + 2 i y, turned by the offset."""
    from scipy.special import loggamma, poch

    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = np.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    above, below = loggamma(plus + 1j * y), loggamma(minus + 1j * y)
    log2 = math.log(2)
    u = np.exp(above.real - below.real + log2 * bias
               + 1j * (above.imag + below.imag + 2 * y * (log2 - offset)))
    u.imag[-1] = 0
    if not np.isfinite(u[0]):
        # Where gamma has poles the quotient may still be finite.
        u[0] = 2**bias * poch(minus, plus - minus)
    return u


def _apply(a, u, inverse):
    n = a.shape[-1]
    if np.isinf(u[0]) and not inverse:
        warnings.warn("singular transform; consider changing the bias",
                      stacklevel=3)
        u = np.concatenate([[0], u[1:]])
    elif u[0] == 0 and inverse:
        warnings.warn("singular inverse transform; consider changing the bias",
                      stacklevel=3)
        u = np.concatenate([[np.inf], u[1:]])
    spectrum = rfft(a, axis=-1)
    spectrum = spectrum / u.conj() if inverse else spectrum * u
    return irfft(spectrum, n, axis=-1)[..., ::-1]
