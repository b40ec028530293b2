# SPDX-License-Identifier: Apache-2.0
"""What sessions do by calls: every operation of the engine by its name, and
waiting for answers in asyncio's loops."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from ._calls import Call
    from ._streams import Stream


class SessionMethods:
    """The base of Session."""

    __slots__ = ()

    def __repr__(self):
        return "<trnsci.Session, closed>" if self.closed else \
            f"<trnsci.Session {self.address!r}>"

    def draw(self, distribution: str, shape: int | Sequence[int], /,
             dtype: DTypeLike = None, *, seed: int | None = None,
             stream: int | str | Stream | None = None,
             generator: str | None = None, offset: int | None = None,
             **params: Any) -> Call:
        """Send a draw. Its `Call` is awaited, or its ``result()`` waits.

        Parameters
        ----------
        distribution : str
            The engine's name of a distribution: 'uniform', 'normal' ...
        shape : int or sequence of ints
            Shape of the result; a vector distribution adds its components.
        dtype : str or dtype, optional
            Default: the distribution's own.
        seed : int, optional
            Seed of the stream; default: 0.
        stream : int, str or Stream, optional
            Which of the seed's streams, or a named one; default: 0.
        generator : str, optional
            Name of the generator of the stream's words.
        offset : int, optional
            Samples of the stream that are skipped.
        **params
            Parameters of the distribution, as numbers, arrays or tiles. Of
            'normal' also ``method='boxmuller64'``: float32 numbers then reach
            9.4 standard deviations instead of 5.88, and take 1.7 times as
            long.

        Returns
        -------
        Call
            It gives an array over memory that the session's engine wrote.

        Examples
        --------
        >>> import asyncio, trnsci
        >>> async def main():
        ...     session = trnsci.Session("embedded:")
        ...     calls = [session.draw("normal", 1000, seed=i, std=2.0)
        ...              for i in range(3)]
        ...     return [len(x) for x in await asyncio.gather(*calls)]
        >>> asyncio.run(main())
        [1000, 1000, 1000]
        """
        from ._calls import Call, draw_params, source_of
        params, shape = draw_params(distribution, shape, dtype, params)
        source = source_of(seed, stream, generator, offset)
        if "name" in source:
            draw = {**params, "op": distribution, "out": ...}
            return Call(self, "stream_draw",
                        {"name": source["name"], "draw": draw}, "draw",
                        shape)
        return Call(self, distribution, {**params, **source, "out": ...},
                    "draw", shape)

    def apply(self, operation: str, /, **params: Any) -> Call:
        """Send an operation that computes an array. Its `Call` is awaited, or
        its ``result()`` waits.

        Parameters
        ----------
        operation : str
            The engine's name of an operation: 'fft', 'stft', 'gemm' ...
        **params
            Its parameters and inputs; arrays are copied, tiles are read where
            they lie. ``in`` is a keyword of Python: give ``**{"in": x}``.

        Returns
        -------
        Call
            It gives an array over memory that the session's engine wrote.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> session = trnsci.Session("embedded:")
        >>> call = session.apply("gemm", a=np.eye(2), b=np.ones((2, 1)))
        >>> call.result().real.tolist()
        [[1.0], [1.0]]
        """
        from ._calls import Call
        return Call(self, operation, {**params, "out": ...}, "array")

    def call(self, method: str, /, **params: Any) -> Call:
        """Send a method that replies with other things than an array.

        Parameters
        ----------
        method : str
            A method of the protocol: 'stats', 'version', 'describe' ...
        **params
            Its parameters.

        Returns
        -------
        Call
            It gives the reply, a dict.

        Examples
        --------
        >>> import trnsci
        >>> session = trnsci.Session("embedded:")
        >>> session.call("derive", seed=1, label="noise").result()["stream"] > 0
        True
        """
        from ._calls import Call
        return Call(self, method, params, "reply")
