# SPDX-License-Identifier: Apache-2.0
"""Transforms that are prepared for arrays of one kind and run many times."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional, Sequence, Union

import numpy as np

from .. import _core
from .._suggest import nearest, run
from ._helpers import read_norm, read_type

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from .._core import Session

_SHORT = 4096  # elements, as LOCK_ELEMENTS of src/transform.c

# The names of transforms: their places are the kinds of src/transform.c.
_NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct",
          "dst", "idst"]


def _working_type(transform, dtype):
    """The dtype that the engine is given, as src/transform.c has it."""
    if transform in ("rfft", "ihfft") and dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    narrow = dtype.kind in "fc" and dtype.itemsize <= 4 * (1 + (dtype.kind
                                                                == "c"))
    least = np.complex64 if transform in ("irfft", "hfft") else np.float32
    return np.result_type(dtype if narrow else np.result_type(
        dtype, np.float64), least)


class Plan:
    """A transform that the engine has prepared, with memory for its input and
    its output: made by `plan`.

    Attributes
    ----------
    input, output : ndarray
        Memory of the engine. A run reads one and writes the other.
    run : callable
        ``run()`` transforms `input` to `output` and returns nothing.
    """

    __slots__ = ("input", "output", "run", "_said")

    input: NDArray[Any]
    output: NDArray[Any]

    def __init__(self, transform: str, x: NDArray[Any], params: dict[str, Any],
                 session: Optional[Session]) -> None:
        session = session or _core.default_session()
        kind = _core.transform_kind(_NAMES.index(transform))
        params = {**params, **dict.fromkeys(kind[1:], True)}
        tile = _core.Tile(x.shape, _working_type(transform, x.dtype),
                          session=session)
        tile.array[...] = x
        params["in"] = tile
        made = run(session, kind[0], params, True)
        call = _core.Call(session, kind[0], {**params, "out": made._tile()})
        self.input, self.output = tile.array, made._tile().array
        call._is_short = max(self.input.size, self.output.size) <= _SHORT
        self.run = call._run
        self._said = f"{transform} of {self.input.dtype} {x.shape}"

    def __repr__(self):
        return f"<trnsci.fft.Plan: {self._said}>"

    def __call__(self, x: Optional[ArrayLike] = None) -> NDArray[Any]:
        """Copy `x` to the input, if it is given, run and return the output,
        which the next run writes again."""
        if x is not None:
            self.input[...] = x
        self.run()
        return self.output


def plan(transform: str, x: ArrayLike,
         n: Union[None, int, Sequence[int]] = None,
         axis: Union[int, Sequence[int]] = -1,
         norm: Optional[Literal["backward", "ortho", "forward"]] = None, *,
         session: Optional[Session] = None, **params: Any) -> Plan:
    """Prepare a transform for arrays of one shape and dtype.

    Of few points most of a call's time is Python's: a planned run of 16 points
    takes a sixth of `fft`'s.

    Parameters
    ----------
    transform : str
        'fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft', 'dct', 'idct', 'dst'
        or 'idst'.
    x : array_like
        Its shape and dtype are the input's, and its numbers the first ones.
    n : int or sequence of ints, optional
        Lengths along the axes; the input is padded with zeros, or trimmed.
    axis : int or sequence of ints, optional
        Axes of the transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        As in `fft`.
    session : Session, optional
        Whose engine computes; default: the module's. The shortest runs are
        those of ``trnsci.Session("embedded:")``.
    **params
        Other parameters: `type` and `orthogonalize` of cosine and sine
        transforms, `precision`, `target_error`.

    Returns
    -------
    Plan
        Called with an array, or with none to transform what its `input` has.

    Examples
    --------
    >>> import trnsci
    >>> p = trnsci.fft.plan("fft", [1.0, 2.0, 1.0, 0.0])
    >>> p()
    array([4.+0.j, 0.-2.j, 0.+0.j, 0.+2.j])
    >>> p([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if transform not in _NAMES:
        raise ValueError(f"transform: got {transform!r}, allowed are "
                         + ", ".join(_NAMES) + nearest(transform, _NAMES))
    axes = [axis] if np.ndim(axis) == 0 else list(axis)
    lengths = n if n is None or np.ndim(n) else [n]
    params = {**params, "axes": axes, "length": lengths,
              "norm": read_norm(norm)}
    if transform[-3:] in ("dct", "dst"):
        params["type"] = read_type(params.get("type", 2))
        ends = params.get("orthogonalize")
        params["orthogonalize"] = "yes" if ends or (
            ends is None and norm == "ortho") else "no"
    return Plan(transform, np.asarray(x), params, session)
