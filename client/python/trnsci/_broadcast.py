# SPDX-License-Identifier: Apache-2.0
"""Broadcasts: random numbers that are drawn once, and read by many."""
import collections

import numpy as np

from . import _core
from ._calls import distribution_params, milliseconds, source_of
from ._ring import Reader, check_batch, expired, steps
from ._suggest import suggesting

Seen = collections.namedtuple("Seen", "missed first count offset")
Seen.__doc__ = """What a reader of a broadcast got: samples `first` to `first`
+ `count`, of which `first` lies at `offset` in the stream; it missed those
from `missed` to `first`."""


class Publisher:
    """A broadcast of this session's own, from `Broadcast.create`. It ends with
    the session, with `close`, and as a context manager at the end."""

    def __init__(self, name, session):
        self.name = name
        self.session = session

    def __repr__(self):
        return f"trnsci.Publisher({self.name!r})"

    def publish(self, n):
        """Publish the next samples, of a broadcast without a rate.

        Parameters
        ----------
        n : int
            How many, at most the capacity. Readers see them when this
            returns.

        Returns
        -------
        int
            All samples so far.
        """
        return _core.publish_broadcast(self.session, self.name, n)

    def close(self):
        """End the broadcast; readers still get what they have not missed."""
        _core.close_broadcast(self.session, self.name)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


class Broadcast(Reader, _core.Broadcast):
    """A reader of a broadcast, from sample 0 on.

    Iterating gives arrays of `batch` samples until the broadcast ends. A
    reader that is too slow misses samples, and learns which: `last`, and
    `missed` in all. As a context manager the reader is closed at the end.
    Only daemons have broadcasts.

    Parameters
    ----------
    name : str
        The broadcast's name.
    batch : int, optional
        Samples that an iteration gives at a time; fewer before a gap and at
        the end.
    session : Session, optional
        Default: `default_session()`.

    Attributes
    ----------
    last : Seen or None
        What the last array was.
    missed : int
        Samples that were missed so far.
    """

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, name, *, batch=1024, session=None):
        self.batch = check_batch(batch)
        super().__init__(session, name)
        self.name = self._name = name
        self.last = None
        self.missed = 0
        self._ahead = None  # samples behind a gap, which come next
        self._learn()

    @staticmethod
    def create(name, distribution, /, dtype=None, *, rate=0.0, capacity=0,
               mode=0o600, seed=None, stream=None, generator=None,
               offset=None, session=None, **params):
        """Make a broadcast of the session's own.

        Parameters
        ----------
        name : str
            Its name, 1 to 64 printable ASCII letters.
        distribution : str
            The engine's name of a distribution: 'uniform', 'normal' ...
        dtype : str or dtype, optional
            Default: the distribution's own.
        rate : float, optional
            Samples in a second; 0: `Publisher.publish` publishes them.
        capacity : int, optional
            Samples that readers may lag behind; default: 65,536.
        mode : int, optional
            Who may read it, as permissions of a file.
        seed, stream, generator, offset : optional
            Where samples come from, as of a `Ring`.
        session : Session, optional
            Default: `default_session()`.
        **params
            Parameters of the distribution.

        Returns
        -------
        Publisher
            What ends it.
        """
        params = distribution_params(distribution, dtype, params)
        session = _core.default_session() if session is None else session
        source = source_of(seed, stream, generator, offset)
        with suggesting([(distribution, {**source, **params})]):
            _core.create_broadcast(session, name, distribution, params, source,
                                   capacity, rate, mode)
        return Publisher(name, session)

    def take(self, n=None, *, timeout=None):
        """Copy the next samples.

        Parameters
        ----------
        n : int, optional
            How many; default: the reader's batch.
        timeout : float, optional
            Seconds to wait at most.

        Returns
        -------
        ndarray
            n samples; fewer before a gap, at the end of the broadcast, or
            where the time limit expired after some were there. With none
            there it raises.
        """
        n = self.batch if n is None else n
        if n < 0:
            raise ValueError(f"n: got {n}, allowed are 0 and up")
        out = np.empty((n,) + self._item, self._dtype)
        taken = self._begin(out, n)
        if taken == n:
            return out
        for step in steps(milliseconds(timeout)):
            try:
                more = Seen(*self._take(out, taken, n - taken, step))
            except Exception:
                if taken == 0:
                    raise
                break
            if not self._join(out, taken, more):
                break
            taken += more.count
            if taken == n:
                break
        if taken == 0:
            raise expired("broadcast")
        return out[:taken]

    def _begin(self, out, n):
        """Give what came behind a gap first."""
        if self._ahead is None:
            self.last = None
            return 0
        samples, seen = self._ahead
        count = min(n, len(samples))
        out[:count] = samples[:count]
        self._count(Seen(seen.missed, seen.first, count, seen.offset))
        rest = Seen(seen.first + count, seen.first + count,
                    seen.count - count, seen.offset + count)
        self._ahead = (samples[count:], rest) if rest.count else None
        return count

    def _count(self, seen):
        self.last = seen
        self.missed += seen.first - seen.missed

    def _join(self, out, taken, more):
        """Whether what came continues what is there; otherwise it is kept."""
        if more.count == 0:
            return True
        if self.last is None:
            self._count(more)
            return True
        last = self.last
        if more.missed == more.first == last.first + last.count and \
                more.offset == last.offset + last.count:
            self.last = last._replace(count=last.count + more.count)
            return True
        self._ahead = out[taken:taken + more.count].copy(), more
        return False

    def seek(self, sample=None):
        """Move the reader. What lies in between does not count as missed.

        Parameters
        ----------
        sample : int, optional
            The next sample; default: after the last one published.
        """
        self._seek(sample)
        self._ahead = None

    def describe(self):
        """Return a dict of what the broadcast is: its capacity, samples
        produced, generator, seed and stream."""
        return self._describe()

    def __next__(self):
        if self.closed:
            raise StopIteration
        try:
            return self.take(self.batch)
        except Exception as error:
            if getattr(error, "name", "") in ("closed", "end_of_stream"):
                raise StopIteration from None
            raise
