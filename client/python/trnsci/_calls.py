# SPDX-License-Identifier: Apache-2.0
"""Calls: requests that are on their way, to be awaited or waited for."""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Generator, NamedTuple, Optional

import numpy as np

from . import _core
from ._errors import Error
from ._suggest import suggesting

if TYPE_CHECKING:
    from ._core import Session


class Span(NamedTuple):
    """Where a draw lay: `generator`, `seed` and `stream`, the first sample as
    `offset` and its first word as `position`, and the word `next` at which
    another draw may begin (None: the stream has ended)."""

    generator: str
    seed: int
    stream: int
    offset: int
    position: int
    next: Optional[int]


def milliseconds(timeout):
    """A time limit in seconds, None for none, as milliseconds or -1."""
    if timeout is None:
        return -1
    if not timeout >= 0:
        raise ValueError(f"timeout: got {timeout}, allowed are seconds or "
                         "None")
    return min(int(timeout * 1000 + 0.999), 2**31 - 1)


# ---- Calls in asyncio's loops ----
#
# Threads share a session, and each may have a loop. All loops watch the same
# descriptor, and whichever sees an answer wakes the loops that await it.
# Nothing here holds a lock, since the garbage collector may end a coroutine
# anywhere. A loop's entry in session._loops is changed by that loop alone, and
# a call's list of waiters by single steps of the interpreter.

def _watch(session, loop, future):
    """Watch the session in the loop while the future is open."""
    loops = session._loops
    if loop not in loops:
        fd = session._fd()
        loop.add_reader(fd, _collect, session)
        loops[loop] = fd, set()
    loops[loop][1].add(future)


def _unwatch(session, loop, future):
    """Stop watching with the last future. A forked child has no loops of its
    parent, and a loop that was closed watches nothing."""
    fd, futures = session._loops.get(loop, (None, set()))
    futures.discard(future)
    if fd is not None and not futures:
        del session._loops[loop]
        if not loop.is_closed():
            loop.remove_reader(fd)


def _collect(session):
    """Take the calls that are answered, some of which other loops await."""
    while True:
        call = session._next()
        if call is None:
            return
        call._wake()


def _finish(future):
    if not future.done():
        future.set_result(None)


class Call(_core.Call):
    """A request that was sent. It is awaited in a loop of asyncio, or
    `result` waits for it.

    A call that nobody refers to any more is cancelled.

    Examples
    --------
    >>> import trnsci
    >>> session = trnsci.Session("embedded:")
    >>> call = session.draw("normal", 3, seed=1)
    >>> call.result().shape
    (3,)
    """

    __slots__ = ("_asked", "_shape", "_kind", "_value", "_waiters")

    def __init__(self, session: Session, method: str, params: dict[str, Any],
                 kind: str, shape: tuple[int, ...] | None = None) -> None:
        super().__init__(session, method, params, False, (),
                         kind == "draw" and method != "stream_draw")
        self._asked = [(method, params)]
        if isinstance(params.get("draw"), dict):
            draw = dict(params["draw"])
            self._asked.append((draw.pop("op"), draw))
        self._kind = kind
        self._shape = shape  # None: as the engine has it
        self._value = None
        self._waiters = []  # (loop, future) of those that await it
        with suggesting(self._asked):
            self._submit()

    def __repr__(self):
        state = "done" if self.done() else "in flight"
        return f"<trnsci.Call {self._asked[-1][0]}, {state}>"

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the answer and return what the call gives.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most; then ServiceTimeoutError is raised and
            the call stays on its way. Ctrl-C cancels the call.

        Returns
        -------
        ndarray, Tile or dict
            An array over the result's memory; a Tile where numpy has no such
            dtype (bf16); the reply, of a method that computes no array.
        """
        if self._value is None:
            self._await(milliseconds(timeout))
            self._value = self._read()
        return self._value

    def _await(self, timeout_ms):
        """Wait, and cancel the call where a signal's handler raises. An answer
        that is taken here comes to no loop, so the loops are woken."""
        try:
            with suggesting(self._asked):
                self._wait(timeout_ms)
        except (Error, RuntimeError):  # RuntimeError: another thread waits
            raise
        except BaseException:
            self.cancel()
            raise
        finally:
            if self.done():
                self._wake()

    def _read(self):
        if self._kind == "reply":
            return self._reply()
        tile = self._tile()
        if tile.dtype == "bf16":
            return tile
        array = tile.array
        if self._shape is None:
            return array
        return array.reshape(self._shape)

    @property
    def span(self) -> Span:
        """Where the draw lay, a `Span`. The call must be answered."""
        self.result()
        reply = self._reply()
        return Span(*(reply[name] for name in Span._fields))

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            yield from self._in_loop().__await__()
        return self.result(0)

    async def _in_loop(self):
        import asyncio  # half of the package's time to load, and few need it
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        waiter = loop, future
        _watch(self.session, loop, future)
        self._waiters.append(waiter)
        try:
            # Whoever took the answer before has not seen this waiter.
            if not (self._popped or self.done()):
                await future
        except asyncio.CancelledError:
            self.cancel()
            raise
        finally:
            self._waiters.remove(waiter)
            _unwatch(self.session, loop, future)

    def _wake(self):
        """Wake the loops that await the call, from any thread."""
        for loop, future in tuple(self._waiters):
            import asyncio
            if loop is asyncio._get_running_loop():
                _finish(future)
            else:
                try:
                    loop.call_soon_threadsafe(_finish, future)
                except RuntimeError:  # it was closed
                    pass


def source_of(seed, stream, generator, offset=None):
    """Where samples come from, as a dict; `stream` may be a named one."""
    name = getattr(stream, "name", stream if isinstance(stream, str) else None)
    if name is not None:
        if seed is not None or generator is not None or offset is not None:
            raise TypeError("a named stream has its own seed, generator and "
                            "place")
        return {"name": name}
    return {"seed": seed or 0, "stream": stream or 0, "generator": generator,
            "offset": offset}


# Distributions whose samples are vectors. The engine gives vectors of one
# component as numbers.
_VECTORS = {"dirichlet": "alpha", "multinomial": "shares", "sphere": None}

# Parameters that are one list, not an array of which sample k has element k.
_LISTS = {"categorical": ("weights",), "dirichlet": ("alpha",),
          "multinomial": ("shares",), "colored": ("psd", "taps", "band")}


def distribution_params(distribution, dtype, params):
    """Parameters of a distribution, as the engine takes them."""
    if not isinstance(distribution, str):
        raise TypeError(f"distribution: got {distribution!r}, allowed is the "
                        "name of one")
    for name in _LISTS.get(distribution, ()):
        if isinstance(params.get(name), np.ndarray):
            params = {**params, name: params[name].tolist()}
    return {**params, "dtype": None if dtype is None
            else _core.dtype_name(dtype)}


def draw_params(distribution, shape, dtype, params):
    """Parameters of a draw, and the shape of its result. The engine is given
    the number of samples, since some distributions have another `shape`."""
    params = distribution_params(distribution, dtype, params)
    try:
        shape = (operator.index(shape),)
    except TypeError:
        shape = tuple(operator.index(n) for n in shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"shape: got {shape}, allowed are sizes of 0 and up")
    n = math.prod(shape)
    if distribution in _VECTORS:
        shape += (_components(distribution, params),)
    return {**params, "n": n}, shape


def _components(distribution, params):
    """Components of a vector; -1: what is wrong, the engine says."""
    if distribution == "sphere":
        return params.get("dimensions", 3)
    given = params.get(_VECTORS[distribution])
    return len(given) if hasattr(given, "__len__") else -1
