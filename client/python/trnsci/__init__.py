# SPDX-License-Identifier: Apache-2.0
"""Random numbers and Fourier transforms by trnsciD.

`Generator` has the methods of `numpy.random.Generator`, `BitGenerator` is a
bit generator for numpy's own, `trnsci.fft` has the functions of `scipy.fft`,
`trnsci.signal` those of `scipy.signal`, and `trnsci.qmc` has engines for
`scipy.stats.qmc`. `trnsci.replay` has the numbers of other frameworks. All of
them use the daemon ``trnscid`` where one answers, and an engine inside this
process elsewhere, with the same bytes.

Examples
--------
>>> import trnsci
>>> rng = trnsci.Generator(1)
>>> rng.integers(1, 7, size=5)
array([1, 6, 1, 6, 3])
"""
import importlib as _importlib
import typing as _typing

from ._bit_generator import BitGenerator
from ._broadcast import Broadcast, Publisher, Seen
from ._calls import Call, Span
from ._core import Session, Tile, default_session, version as __version__
from ._errors import (Error, ParameterError, ParameterTypeError, ResourceError,
                      ServiceError, ServiceTimeoutError)
from ._generator import Generator, default_rng
from ._ring import Ring
from ._streams import Stream
from ._trace import Trace, trace

if _typing.TYPE_CHECKING:
    from . import fft, mpi, program, qmc, replay, signal

__all__ = [
    "BitGenerator", "Broadcast", "Call", "Generator", "Publisher", "Ring",
    "Seen", "Session", "Span", "Stream", "Tile", "Trace", "default_rng",
    "default_session", "fft", "mpi", "program", "replay", "signal", "trace",
    "Error", "ParameterError", "ParameterTypeError", "ResourceError",
    "ServiceError", "ServiceTimeoutError",
]

_MODULES = ("fft", "mpi", "program", "qmc", "replay", "signal")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


def __getattr__(name: str) -> _typing.Any:
    """Load a module when it is used: qmc needs scipy, and all take time."""
    if name in _MODULES:
        return _importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
