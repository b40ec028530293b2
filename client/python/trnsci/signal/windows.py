# SPDX-License-Identifier: Apache-2.0
"""Windows by scipy's names and by torch's.

`get_window` and the functions named as in scipy.signal.windows return
float64. Those are symmetric by default; ``sym=False`` and `get_window` give
periodic ones. The functions named ``..._window`` are torch's: periodic by
default, float32, the type torch has by default.
"""
import operator

import numpy as np

from .. import _core

__all__ = [
    "barthann", "bartlett", "bartlett_window", "blackman", "blackman_window",
    "blackmanharris", "bohman", "boxcar", "cosine", "exponential", "flattop",
    "gaussian", "general_hamming", "get_window", "hamming", "hamming_window",
    "hann", "hann_window", "kaiser", "kaiser_window", "lanczos", "nuttall",
    "parzen", "triang", "tukey",
]

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
}
_PLAIN = {
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar",
    "cosine", "flattop", "hamming", "hann", "lanczos", "nuttall", "parzen",
    "triang",
}
_NEED = {"kaiser", "gaussian", "general_hamming"}


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
    call = _core.Call(None, "window", options, True)
    call._run()
    return call._tile().array.copy()


def _make(name, sentence):
    def window(M, sym=True):
        return _engine(name, M, sym)
    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"""Return {sentence}.

    Parameters
    ----------
    M : int
        How many values; 0 gives none.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.

    Returns
    -------
    ndarray
        M values, the greatest of them at most 1.
    """
    return window


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


def kaiser(M, beta, sym=True):
    """Return a Kaiser window.

    Parameters
    ----------
    M : int
        How many values.
    beta : float
        How much it falls to its ends.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    """
    return _engine("kaiser", M, sym, float(beta))


def gaussian(M, std, sym=True):
    """Return a Gaussian window.

    Parameters
    ----------
    M : int
        How many values.
    std : float
        Standard deviation, in samples.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    """
    return _engine("gaussian", M, sym, float(std))


def general_hamming(M, alpha, sym=True):
    """Return a generalised Hamming window.

    Parameters
    ----------
    M : int
        How many values.
    alpha : float
        Its constant term; 0.5 is a Hann window.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    """
    return _engine("general_hamming", M, sym, float(alpha))


def tukey(M, alpha=0.5, sym=True):
    """Return a Tukey window: flat, with cosines at both ends.

    Parameters
    ----------
    M : int
        How many values.
    alpha : float, optional
        Which part of it is cosines.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    """
    if alpha <= 0:
        return np.ones(_length(M))
    return _engine("tukey", M, sym, min(float(alpha), 1.0))


def exponential(M, center=None, tau=1.0, sym=True):
    """Return an exponential (Poisson) window.

    Parameters
    ----------
    M : int
        How many values.
    center : float, optional
        Where it is greatest; default: (M - 1) / 2. Only with ``sym=False``.
    tau : float, optional
        Samples over which it falls to 1/e.
    sym : bool, optional
        Symmetric, for filters; False: periodic, for spectra.
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    if center is None:
        return _engine("exponential", M, sym, float(tau))
    if _length(M) <= 1:
        return np.ones(_length(M))
    return np.exp(-np.abs(np.arange(_length(M)) - center) / tau)


def _by_scipy(window, n, fftbins):
    """Windows that the engine does not have, where scipy is installed."""
    try:
        from scipy.signal import get_window as scipys
    except ImportError:
        raise ValueError("Unknown window type.") from None
    return scipys(window, n, fftbins)


def get_window(window, Nx, fftbins=True):
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
    Those that the engine does not have (chebwin, dpss, general_cosine,
    general_gaussian, taylor) are scipy's, where it is installed.

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
    if name in _NEED and len(parameters) == 0:
        raise ValueError(f"The '{name}' window needs one or more parameters "
                         "-- pass a tuple.")
    if name in _PLAIN and len(parameters) == 0:
        return _engine(name, n, sym)
    if name in ("kaiser", "gaussian", "general_hamming", "tukey") \
            and len(parameters) <= 1:
        return globals()[name](n, *parameters, sym=sym)
    if name == "exponential" and len(parameters) <= 2:
        return exponential(n, *parameters, sym=sym)
    return _by_scipy(window, n, not sym)


# ---- torch's ----

def _torch(values, dtype):
    dtype = np.dtype(np.float32 if dtype is None else dtype)
    if dtype.kind != "f":
        raise TypeError(f"dtype: got {dtype}, allowed are float types")
    return values.astype(dtype)


def hann_window(window_length, periodic=True, *, dtype=None):
    """Return a Hann window, as ``torch.hann_window``.

    Parameters
    ----------
    window_length : int
        How many values.
    periodic : bool, optional
        Periodic, for spectra; False: symmetric.
    dtype : dtype, optional
        Default: float32.
    """
    return _torch(hann(window_length, not periodic), dtype)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *,
                   dtype=None):
    """Return a Hamming window, as ``torch.hamming_window``.

    Parameters
    ----------
    window_length : int
        How many values.
    periodic : bool, optional
        Periodic, for spectra; False: symmetric.
    alpha, beta : float, optional
        The constant term, and the cosine's factor.
    dtype : dtype, optional
        Default: float32.
    """
    cosines = 2 * hann(window_length, not periodic) - 1
    if _length(window_length) <= 1:
        return _torch(np.ones(_length(window_length)), dtype)
    return _torch(alpha + beta * cosines, dtype)


def blackman_window(window_length, periodic=True, *, dtype=None):
    """Return a Blackman window, as ``torch.blackman_window``.

    Parameters
    ----------
    window_length : int
        How many values.
    periodic : bool, optional
        Periodic, for spectra; False: symmetric.
    dtype : dtype, optional
        Default: float32.
    """
    return _torch(blackman(window_length, not periodic), dtype)


def bartlett_window(window_length, periodic=True, *, dtype=None):
    """Return a Bartlett window, as ``torch.bartlett_window``.

    Parameters
    ----------
    window_length : int
        How many values.
    periodic : bool, optional
        Periodic, for spectra; False: symmetric.
    dtype : dtype, optional
        Default: float32.
    """
    return _torch(bartlett(window_length, not periodic), dtype)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None):
    """Return a Kaiser window, as ``torch.kaiser_window``.

    Parameters
    ----------
    window_length : int
        How many values.
    periodic : bool, optional
        Periodic, for spectra; False: symmetric.
    beta : float, optional
        How much it falls to its ends.
    dtype : dtype, optional
        Default: float32.
    """
    return _torch(kaiser(window_length, beta, not periodic), dtype)
