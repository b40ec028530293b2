# SPDX-License-Identifier: Apache-2.0
"""Rings: random numbers that are drawn ahead."""
import numpy as np

from . import _core
from ._calls import distribution_params, milliseconds, source_of
from ._errors import ServiceTimeoutError
from ._suggest import suggesting

STEP_MS = 100  # a wait is cut into steps, so that signals are handled


def numpy_dtype(name):
    """numpy's dtype of the engine's; bf16 is shown as 16-bit words."""
    if name == "bf16":
        return np.dtype(np.uint16)
    if name in ("int8", "float16"):
        return np.dtype(name)
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def steps(timeout_ms):
    """Time limits of steps that together make one."""
    if timeout_ms < 0:
        while True:
            yield STEP_MS
    while timeout_ms > STEP_MS:
        yield STEP_MS
        timeout_ms -= STEP_MS
    yield timeout_ms


def expired(what):
    """The error of a time limit."""
    error = ServiceTimeoutError(f"timeout: {what}: no samples within the time "
                                "limit")
    error.name = "timeout"
    return error


def check_batch(batch):
    """Samples that an iteration gives at a time."""
    if batch < 1:
        raise ValueError(f"batch: got {batch}, allowed are 1 and up")
    return batch


class Reader:
    """What a ring and a reader of a broadcast share."""

    def _learn(self):
        about = self._describe()
        self._dtype = numpy_dtype(about["dtype"])
        self._item = () if about["components"] == 1 else \
            (about["components"],)

    def __repr__(self):
        kind = f"trnsci.{type(self).__name__} {self._name!r}"
        if self.closed:
            return f"<{kind}, closed>"
        about = self._describe()
        return (f"<{kind} {self._dtype}, {about['taken']} of "
                f"{about['produced']} samples taken>")

    def close(self):
        """End it. Samples that a ring has drawn ahead are lost."""
        self._detach()

    def __iter__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


class Ring(Reader, _core.Ring):
    """Random numbers of one distribution that the engine draws ahead, into
    memory that both see.

    Iterating gives arrays of `batch` samples, without end. Samples come in
    the order of their stream, and are those of a draw there. As a context
    manager the ring is closed at the end. Several threads may use it; each
    sample goes to one of them.

    Parameters
    ----------
    distribution : str
        The engine's name of a distribution: 'uniform', 'normal' ...
    dtype : str or dtype, optional
        Default: the distribution's own.
    batch : int, optional
        Samples that an iteration gives at a time.
    capacity : int, optional
        Samples that the ring holds at least; default: 65,536.
    seed : int, optional
        Seed of the stream; default: 0.
    stream : int, str or Stream, optional
        Which of the seed's streams, or a named one; default: 0.
    generator : str, optional
        Name of the generator of the stream's words.
    offset : int, optional
        Samples of the stream that are skipped.
    session : Session, optional
        Default: `default_session()`.
    **params
        Parameters of the distribution.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> with trnsci.Ring("normal", batch=1000, seed=1, std=2.0) as ring:
    ...     for x in ring:
    ...         break
    >>> x.shape, x.dtype
    ((1000,), dtype('float32'))
    """

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, distribution, /, dtype=None, *, batch=1024, capacity=0,
                 seed=None, stream=None, generator=None, offset=None,
                 session=None, **params):
        self.batch = check_batch(batch)
        params = distribution_params(distribution, dtype, params)
        source = source_of(seed, stream, generator, offset)
        with suggesting([(distribution, {**source, **params})]):
            super().__init__(session, distribution, params, source, capacity)
        self._name = distribution
        self._learn()

    def take(self, n=None, *, out=None, timeout=None):
        """Copy the next samples.

        Parameters
        ----------
        n : int, optional
            How many; default: the ring's batch, or what `out` has room for.
        out : ndarray, optional
            Contiguous array of the ring's dtype that takes them.
        timeout : float, optional
            Seconds to wait at most.

        Returns
        -------
        ndarray
            n samples; fewer at the end of the stream, or where the time limit
            expired after some were there. With none there it raises.
        """
        if n is None:
            n = self.batch if out is None else len(out)
        if out is None:
            if n < 0:
                raise ValueError(f"n: got {n}, allowed are 0 and up")
            out = np.empty((n,) + self._item, self._dtype)
        taken = 0
        for step in steps(milliseconds(timeout)):
            try:
                taken += self._take(out, taken, n - taken, step)[2]
            except Exception:
                if taken == 0:
                    raise
                break
            if taken == n:
                return out[:n]
        if taken == 0:
            raise expired("ring")
        return out[:taken]

    def borrow(self, n=None, *, timeout=None):
        """Lend the next samples where they lie, without a copy.

        Parameters
        ----------
        n : int, optional
            How many, at most half of the ring; default: its batch.
        timeout : float, optional
            Seconds to wait at most.

        Returns
        -------
        Samples
            A context manager; its `array`, DLPack and buffer are read-only.
            The samples are taken when they are given back, at the end of the
            ``with`` block. Before that nothing else can be taken.

        Examples
        --------
        >>> import trnsci
        >>> ring = trnsci.Ring("uniform", seed=1)
        >>> with ring.borrow(1000) as samples:
        ...     mean = samples.array.mean()
        """
        n = self.batch if n is None else n
        if n < 0:
            raise ValueError(f"n: got {n}, allowed are 0 and up")
        for step in steps(milliseconds(timeout)):
            samples = self._borrow(n, step)
            if samples is not None:
                return samples
        raise expired("ring")

    def place(self, *, timeout=None):
        """Return where the next sample lies in its stream.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most until it is there.

        Returns
        -------
        offset : int
            A draw of the same distribution at this offset gives it.
        run : int
            How many samples from it on follow one another there.
        """
        for step in steps(milliseconds(timeout)):
            found = self._place(step)
            if found is not None:
                return found
        raise expired("ring")

    def describe(self):
        """Return a dict of what the ring is: its capacity, samples taken and
        produced, generator, seed and stream, how often it outlasted a daemon
        (restarts), and what of a named stream was skipped then."""
        return self._describe()

    def __next__(self):
        if self.closed:
            raise StopIteration
        return self.take(self.batch)
