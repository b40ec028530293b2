# SPDX-License-Identifier: Apache-2.0
"""Traces of matrices, estimated."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _core
from ._suggest import run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from ._core import Session, Tile


class Trace(NamedTuple):
    """An estimate of a trace and its standard error (NaN where it comes of one
    product only)."""

    estimate: float
    standard_error: float


def trace(a: ArrayLike | Tile, probes: int = 64, *, method: str = "hutchinson",
          distribution: str = "rademacher", seed: int = 0, stream: int = 0,
          generator: str | None = None,
          session: Session | None = None) -> Trace:
    """Estimate a matrix's trace from products with random probes.

    It is never the sum of the diagonal, which ``numpy.trace`` gives exactly:
    it shows what estimates are worth where a matrix is known by its products
    only.

    Parameters
    ----------
    a : array_like or Tile
        Square matrix of real numbers; float32 is computed as such, others in
        float64.
    probes : int, optional
        Products with the matrix.
    method : {'hutchinson', 'hutchpp'}, optional
        The mean of x' A x; or exact where the matrix is largest, and that
        mean on the rest.
    distribution : {'rademacher', 'normal'}, optional
        Distribution of the probes' components.
    seed, stream : int, optional
        The probes' stream.
    generator : str, optional
        Name of the generator of its words.
    session : Session, optional
        Default: `default_session()`.

    Returns
    -------
    Trace
        The estimate and its standard error.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> trnsci.trace(np.diag([1.0, 2.0, 3.0]))
    Trace(estimate=6.0, standard_error=0.0)
    """
    if not isinstance(a, _core.Tile):
        a = np.asarray(a)
        if a.dtype.kind not in "biuf" or a.dtype.itemsize > 8:
            raise TypeError(f"a: got {a.dtype}, allowed are real numbers")
        narrow = a.dtype in (np.float16, np.float32)
        a = np.ascontiguousarray(a, np.float32 if narrow else np.float64)
    reply = run(session, "trace", {
        "in": a, "probes": probes, "method": method, "seed": seed,
        "distribution": distribution, "stream": stream,
        "generator": generator})._reply()
    error = reply["standard_error"]
    return Trace(reply["estimate"], float("nan") if error is None else error)
