# SPDX-License-Identifier: Apache-2.0
"""Names of scipy.signal that trnsci.signal does not have: scipy's own, with
trnsci.fft as the backend of their transforms."""
import functools
import importlib
import inspect

from .. import fft as _fft
from .._suggest import nearest

# Classes whose methods transform.
_TRANSFORMING = ("CZT", "ZoomFFT")


def _by_backend(function):
    """The function, with trnsci.fft for what it transforms."""
    set_backend = importlib.import_module("scipy.fft").set_backend

    @functools.wraps(function)
    def run(*args, **kwargs):
        with set_backend(_fft):
            return function(*args, **kwargs)

    return run


def _class_by_backend(theirs):
    methods = {name: _by_backend(method)
               for name, method in inspect.getmembers(theirs,
                                                      inspect.isfunction)
               if not name.startswith("_") or name == "__call__"}
    return type(theirs.__name__, (theirs,),
                {"__doc__": theirs.__doc__, **methods})


@functools.lru_cache(maxsize=None)
def _wrapped(name, theirs):
    if name in _TRANSFORMING:
        return _class_by_backend(theirs)
    return _by_backend(theirs) if inspect.isfunction(theirs) else theirs


def lookup(name, here):
    """scipy.signal's function, class or module of that name."""
    if name.startswith("_"):
        raise AttributeError(f"module 'trnsci.signal' has no attribute {name!r}")
    try:
        scipy = importlib.import_module("scipy.signal")
    except ImportError:
        raise AttributeError(
            f"trnsci.signal: {name}: scipy, which may have it, is not "
            f"installed{nearest(name, here)}; without it there are "
            + ", ".join(here)) from None
    try:
        theirs = getattr(scipy, name)
    except AttributeError:
        if name == "ShortTimeFFT":
            version = importlib.import_module("scipy").__version__
            raise AttributeError("trnsci.signal: ShortTimeFFT needs scipy "
                                 f"1.12 or later, installed is {version}"
                                 ) from None
        raise AttributeError(f"neither trnsci.signal nor scipy.signal has "
                             f"{name!r}{nearest(name, dir(scipy) + here)}"
                             ) from None
    if name == "ShortTimeFFT":  # of scipy 1.12 and later
        from ._short_time import ShortTimeFFT
        return ShortTimeFFT
    return _wrapped(name, theirs)
