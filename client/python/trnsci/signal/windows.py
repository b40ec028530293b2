# SPDX-License-Identifier: Apache-2.0
"""Windows by scipy's names and by torch's.

`get_window` and the functions named as in scipy.signal.windows return
float64. Those are symmetric by default; ``sym=False`` and `get_window` give
periodic ones. The functions named ``..._window`` are torch's: periodic by
default, float32, the type torch has by default.
"""
from __future__ import annotations

import functools
import inspect
import warnings
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import numpy as np

from .._suggest import nearest, run

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    _Floats = NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = [
    "barthann", "bartlett", "bartlett_window", "blackman", "blackman_window",
    "blackmanharris", "bohman", "boxcar", "chebwin", "cosine", "dpss",
    "exponential", "flattop", "gaussian", "general_cosine",
    "general_gaussian", "general_hamming", "get_window", "hamming",
    "hamming_window", "hann", "hann_window", "kaiser",
    "kaiser_bessel_derived", "kaiser_window", "lanczos", "nuttall", "parzen",
    "taylor", "triang", "tukey",
]


def __dir__() -> list[str]:
    return sorted(__all__)


# scipy's other names of windows, and those that take parameters with how many
# of them are needed and allowed.
_NAMES = {
    "bart": "bartlett", "brt": "bartlett", "black": "blackman",
    "blk": "blackman", "blackharr": "blackmanharris",
    "bkh": "blackmanharris", "bman": "bohman", "bmn": "bohman",
    "box": "boxcar", "ones": "boxcar", "rect": "boxcar",
    "rectangular": "boxcar", "brthan": "barthann", "bth": "barthann",
    "halfcosine": "cosine", "poisson": "exponential", "flat": "flattop",
    "flt": "flattop", "gauss": "gaussian", "gss": "gaussian",
    "general hamming": "general_hamming", "hamm": "hamming",
    "ham": "hamming", "han": "hann", "ksr": "kaiser", "sinc": "lanczos",
    "nutl": "nuttall", "nut": "nuttall", "parz": "parzen", "par": "parzen",
    "triangle": "triang", "tri": "triang", "tuk": "tukey",
    "cheb": "chebwin", "general cosine": "general_cosine",
    "general gaussian": "general_gaussian", "general gauss":
    "general_gaussian", "general_gauss": "general_gaussian",
    "ggs": "general_gaussian", "taylorwin": "taylor",
    "kaiser bessel derived": "kaiser_bessel_derived",
    "kbd": "kaiser_bessel_derived",
}
_PLAIN = {
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar",
    "cosine", "flattop", "hamming", "hann", "lanczos", "nuttall", "parzen",
    "triang",
}
# How many parameters a window needs and takes.
_PARAMETERS = {
    "kaiser": (1, 1), "gaussian": (1, 1), "general_hamming": (1, 1),
    "tukey": (0, 1), "exponential": (0, 2), "chebwin": (1, 1), "dpss": (1, 3),
    "general_cosine": (1, 1), "general_gaussian": (2, 2), "taylor": (0, 3),
    "kaiser_bessel_derived": (1, 1),
}


def _length(n):
    """scipy's check of a length."""
    if int(n) != n or n < 0:
        raise ValueError("Window length M must be a non-negative integer")
    return int(n)


def _engine(name, n, sym, parameter=None):
    n = _length(n)
    if n <= 1:
        return np.ones(n)
    options = {"n": n, "window": name, "symmetric": bool(sym),
               "dtype": "f64", "window_parameter": parameter}
    return run(None, "window", options, True)._tile().array.copy()


# What every window's document says before its own parameters, and after them.
_ENDS = {
    "M": ("M : int\n    How many values; 0 gives none.\n", """sym : bool, optional
    Symmetric, for filters; False: periodic, for spectra.

Returns
-------
ndarray
    M values.
"""),
    "window_length": ("""window_length : int
    How many values.
periodic : bool, optional
    Periodic, for spectra; False: symmetric.
""", "dtype : dtype, optional\n    Default: float32.\n"),
}


def _described(window: _Function) -> _Function:
    """Complete the document of a window: its own has the parameters that the
    others have not."""
    first, last = _ENDS[window.__code__.co_varnames[0]]
    does, _, own = inspect.cleandoc(window.__doc__ or "").partition("\n\n")
    own += "\n" if own else ""
    window.__doc__ = (f"{does}\n\nParameters\n----------\n"
                      f"{first}{own}{last}")
    return window


def _make(name: str, sentence: str) -> Callable[..., _Floats]:
    def window(M: int, sym: bool = True) -> _Floats:
        return _engine(name, M, sym)
    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"Return {sentence}."
    return _described(window)


barthann = _make("barthann", "a modified Bartlett-Hann window")
bartlett = _make("bartlett", "a Bartlett window: a triangle that ends at 0")
blackman = _make("blackman", "a Blackman window")
blackmanharris = _make("blackmanharris",
                       "a Blackman-Harris window of four terms")
bohman = _make("bohman", "a Bohman window")
boxcar = _make("boxcar", "a window of ones")
cosine = _make("cosine", "a window that is half a period of a cosine")
flattop = _make("flattop", "a flat top window")
hamming = _make("hamming", "a Hamming window")
hann = _make("hann", "a Hann window")
lanczos = _make("lanczos", "a Lanczos window: the main lobe of a sinc")
nuttall = _make("nuttall", "a Blackman-Harris window as Nuttall chose it")
parzen = _make("parzen", "a Parzen window")
triang = _make("triang", "a triangular window that does not end at 0")


@_described
def kaiser(M: int, beta: float, sym: bool = True) -> _Floats:
    """Return a Kaiser window.

    beta : float
        How much it falls to its ends.
    """
    return _engine("kaiser", M, sym, float(beta))


@_described
def gaussian(M: int, std: float, sym: bool = True) -> _Floats:
    """Return a Gaussian window.

    std : float
        Standard deviation, in samples.
    """
    return _engine("gaussian", M, sym, float(std))


@_described
def general_hamming(M: int, alpha: float, sym: bool = True) -> _Floats:
    """Return a generalised Hamming window.

    alpha : float
        Its constant term; 0.5 is a Hann window.
    """
    return _engine("general_hamming", M, sym, float(alpha))


@_described
def tukey(M: int, alpha: float = 0.5, sym: bool = True) -> _Floats:
    """Return a Tukey window: flat, with cosines at both ends.

    alpha : float, optional
        Which part of it is cosines.
    """
    if alpha <= 0:
        return np.ones(_length(M))
    return _engine("tukey", M, sym, min(float(alpha), 1.0))


@_described
def exponential(M: int, center: float | None = None, tau: float = 1.0,
                sym: bool = True) -> _Floats:
    """Return an exponential (Poisson) window.

    center : float, optional
        Where it is greatest; default: (M - 1) / 2. Only with ``sym=False``.
    tau : float, optional
        Samples over which it falls to 1/e.
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    if center is None:
        return _engine("exponential", M, sym, float(tau))
    if _length(M) <= 1:
        return np.ones(_length(M))
    return np.exp(-np.abs(np.arange(_length(M)) - center) / tau)


def _computed(values):
    """Make a window of the function values(M), which gives a symmetric one."""
    @functools.wraps(values)
    def window(M, *parameters, sym=True):
        M = _length(M)
        if M <= 1:
            return np.ones(M)
        return values(M, *parameters) if sym else values(M + 1, *parameters)[:-1]
    return window


@_computed
def _chebwin(M, at):
    k = np.arange(M)
    x = np.cosh(np.arccosh(10 ** (abs(at) / 20)) / (M - 1)) * np.cos(
        np.pi * k / M)
    # The Chebyshev polynomial of degree M - 1 samples the transform.
    outside = np.cosh((M - 1) * np.arccosh(np.maximum(np.abs(x), 1)))
    inside = np.cos((M - 1) * np.arccos(np.clip(x, -1, 1)))
    sign = np.where(x < 0, (-1.0) ** (M - 1), 1.0)
    spectrum = np.where(np.abs(x) > 1, sign * outside, inside)
    w = np.fft.fft(spectrum * np.exp(1j * np.pi * k * (M - 1) / M)).real
    w = (w + w[::-1]) / 2
    return w / w.max()


@_described
def chebwin(M: int, at: float, sym: bool = True) -> _Floats:
    """Return a Dolph-Chebyshev window.

    at : float
        Attenuation of its side lobes in dB.
    """
    if abs(at) < 45:
        warnings.warn("This window is not suitable for spectral analysis for "
                      "attenuation values lower than about 45dB because the "
                      "equivalent noise bandwidth of a Chebyshev window does "
                      "not grow monotonically with increasing sidelobe "
                      "attenuation when the attenuation is smaller than about "
                      "45 dB.", stacklevel=2)
    return _chebwin(M, at, sym=sym)


@_computed
def _taylor(M, nbar, sll, norm):
    a = np.arccosh(10 ** (sll / 20)) / np.pi
    stretch = nbar ** 2 / (a ** 2 + (nbar - 0.5) ** 2)
    m = np.arange(1, nbar)
    squares = m[:, None] ** 2
    zeros = 1 - squares / (stretch * (a ** 2 + (m - 0.5) ** 2))
    ratios = 1 - squares / m ** 2.0
    np.fill_diagonal(ratios, 1)
    weights = (-1.0) ** (m + 1) * zeros.prod(1) / (2 * ratios.prod(1))

    def at(n):
        phases = 2 * np.pi * np.outer(m, n - M / 2 + 0.5) / M
        return 1 + 2 * weights @ np.cos(phases)

    w = at(np.arange(M))
    return w / at(np.array([(M - 1) / 2])) if norm else w


@_described
def taylor(M: int, nbar: int = 4, sll: float = 30, norm: bool = True,
           sym: bool = True) -> _Floats:
    """Return a Taylor window.

    nbar : int, optional
        Side lobes of nearly one level beside the main lobe.
    sll : float, optional
        Attenuation of these in dB.
    norm : bool, optional
        Whether its middle is 1, also between two values.
    """
    return _taylor(M, nbar, sll, norm, sym=sym)


@_computed
def _general_cosine(M, a):
    angles = np.linspace(-np.pi, np.pi, M)
    return sum(term * np.cos(k * angles) for k, term in enumerate(a))


@_described
def general_cosine(M: int, a: Any, sym: bool = True) -> _Floats:
    """Return a sum of cosines.

    a : array_like
        Factors of the cosines of 0, 1, 2 ... periods about the middle.
    """
    return _general_cosine(M, a, sym=sym)


@_computed
def _general_gaussian(M, p, sig):
    return np.exp(-0.5 * np.abs((np.arange(M) - (M - 1) / 2) / sig) ** (2 * p))


@_described
def general_gaussian(M: int, p: float, sig: float,
                     sym: bool = True) -> _Floats:
    """Return a generalised Gaussian window.

    p : float
        Its shape: 1 is a Gaussian window, 0.5 a Laplace distribution.
    sig : float
        Its width, in samples.
    """
    return _general_gaussian(M, p, sig, sym=sym)


def kaiser_bessel_derived(M: int, beta: float, *, sym: bool = True) -> _Floats:
    """Return a Kaiser-Bessel derived window.

    Parameters
    ----------
    M : int
        How many values, an even number.
    beta : float
        Parameter of the Kaiser window that it is made of.
    sym : bool, optional
        True: there is no periodic one.
    """
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for "
                         "symmetric shapes")
    M = _length(M)
    if M == 0:
        return np.ones(0)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for "
                         "even number of points")
    sums = np.cumsum(kaiser(M // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


def dpss(M: int, NW: float, Kmax: int | None = None, sym: bool = True,
         norm: int | str | None = None, return_ratios: bool = False) -> Any:
    """Return discrete prolate spheroidal sequences, which scipy computes.

    Parameters
    ----------
    M : int
        How many values.
    NW : float
        Half the bandwidth, as a multiple of 1 / M.
    Kmax : int, optional
        How many sequences; default: one, without an axis of its own.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    norm : {2, 'approximate', 'subsample'}, optional
        How they are scaled.
    return_ratios : bool, optional
        Whether their concentrations are returned, too.
    """
    from scipy.signal.windows import dpss as scipys
    return scipys(M, NW, Kmax, sym, norm, return_ratios)


def get_window(window: str | float | tuple[Any, ...], Nx: int,
               fftbins: bool = True) -> _Floats:
    """Return a window by its name.

    Parameters
    ----------
    window : str, float or tuple
        A name of scipy's: 'hann'; a tuple of a name and its parameters:
        ('tukey', 0.25); a number: the beta of a Kaiser window.
    Nx : int
        How many values.
    fftbins : bool, optional
        Periodic, for spectra; False: symmetric, for filters.

    Returns
    -------
    ndarray
        Nx values of float64.

    Notes
    -----
    `dpss` needs scipy.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.signal.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    sym = not fftbins
    try:
        return kaiser(Nx, float(window), sym)
    except (TypeError, ValueError) as error:
        if not isinstance(window, (str, tuple)):
            raise ValueError("The window type {} is not supported".format(
                type(window))) from error
    name, parameters = window, ()
    if isinstance(window, tuple):
        if len(window) == 0 or not isinstance(window[0], str):
            raise ValueError("Unknown window type.")
        name, parameters = window[0], window[1:]
    return _named(window, name, parameters, Nx, sym)


def _named(window, name, parameters, n, sym):
    name = _NAMES.get(name, name)
    if name in _PLAIN and len(parameters) == 0:
        return _engine(name, n, sym)
    if name not in _PARAMETERS and name not in _PLAIN:
        raise ValueError("Unknown window type." + nearest(
            name, [*_PLAIN, *_PARAMETERS]))
    least, most = _PARAMETERS.get(name, (0, 0))
    if least > 0 and len(parameters) == 0:
        raise ValueError(f"The '{name}' window needs one or more parameters "
                         "-- pass a tuple.")
    if not least <= len(parameters) <= most:
        raise TypeError(f"window: '{name}' with {len(parameters)} parameters, "
                        f"allowed are {least} to {most}")
    if name == "dpss":  # its third parameter is sym
        return dpss(n, *parameters[:2], sym=sym)
    return globals()[name](n, *parameters, sym=sym)


# ---- torch's ----

def _torch(values, dtype):
    dtype = np.dtype(np.float32 if dtype is None else dtype)
    if dtype.kind != "f":
        raise TypeError(f"dtype: got {dtype}, allowed are float types")
    return values.astype(dtype)


@_described
def hann_window(window_length: int, periodic: bool = True, *,
                dtype: DTypeLike = None) -> NDArray[Any]:
    """Return a Hann window, as ``torch.hann_window``."""
    return _torch(hann(window_length, not periodic), dtype)


@_described
def hamming_window(window_length: int, periodic: bool = True,
                   alpha: float = 0.54, beta: float = 0.46, *,
                   dtype: DTypeLike = None) -> NDArray[Any]:
    """Return a Hamming window, as ``torch.hamming_window``.

    alpha, beta : float, optional
        The constant term, and the cosine's factor.
    """
    cosines = 2 * hann(window_length, not periodic) - 1
    if _length(window_length) <= 1:
        return _torch(np.ones(_length(window_length)), dtype)
    return _torch(alpha + beta * cosines, dtype)


@_described
def blackman_window(window_length: int, periodic: bool = True, *,
                    dtype: DTypeLike = None) -> NDArray[Any]:
    """Return a Blackman window, as ``torch.blackman_window``."""
    return _torch(blackman(window_length, not periodic), dtype)


@_described
def bartlett_window(window_length: int, periodic: bool = True, *,
                    dtype: DTypeLike = None) -> NDArray[Any]:
    """Return a Bartlett window, as ``torch.bartlett_window``."""
    return _torch(bartlett(window_length, not periodic), dtype)


@_described
def kaiser_window(window_length: int, periodic: bool = True,
                  beta: float = 12.0, *,
                  dtype: DTypeLike = None) -> NDArray[Any]:
    """Return a Kaiser window, as ``torch.kaiser_window``.

    beta : float, optional
        How much it falls to its ends.
    """
    return _torch(kaiser(window_length, beta, not periodic), dtype)
