# SPDX-License-Identifier: Apache-2.0
"""Named streams: kept by a daemon, shared by all its clients."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._calls import Call, Span, draw_params

if TYPE_CHECKING:
    import builtins
    from numpy.typing import DTypeLike, NDArray
    from ._core import Session


class Stream:
    """A named stream of a daemon, whose numbers are issued once.

    All clients of the daemon draw from one position, which outlasts them and
    the daemon. Embedded sessions have none.

    Parameters
    ----------
    name : str
        Its name. The stream must exist when it is used; `create` makes it.
    session : Session, optional
        Default: `default_session()`.

    Attributes
    ----------
    name : str
        Its name.
    last : Span or None
        Where the last draw by this object lay: a draw of the same generator,
        seed, stream and offset gives the same numbers again.
    """

    def __init__(self, name: str, *, session: Session | None = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: got {name!r}, allowed is a str")
        self.name = name
        self.session = _core.default_session() if session is None else session
        self.last: Span | None = None

    def __repr__(self):
        return f"trnsci.Stream({self.name!r})"

    def _call(self, method, **params):
        return Call(self.session, method, {"name": self.name, **params},
                    "reply").result()

    @classmethod
    def create(cls, name: str, *, seed: int | None = None,
               stream: int | None = None, generator: str | None = None,
               mode: str | None = None, group: int | None = None,
               noise: str | dict[str, Any] | None = None,
               session: Session | None = None) -> Stream:
        """Create a named stream; it is durable when this returns.

        Parameters
        ----------
        name : str
            1 to 64 of ``A-Z a-z 0-9 _ . : / -``.
        seed : int, optional
            Default: the random seed of the daemon's state.
        stream : int, optional
            Which of the seed's streams; default: the next that no name had.
        generator : str, optional
            Name of the generator of its words.
        mode : str, optional
            Permissions as of a file, in octal: 4 may show, 2 may draw;
            default: '0640'.
        group : int, optional
            Its group; default: the client's first.
        noise : str or dict, optional
            The stream is one signal of this coloured noise: its color, or
            parameters of the engine's 'colored', such as ``{"exponent": 1.5,
            "dtype": "f64"}``. ``draw("colored", n)`` gives the next n samples
            of the signal, other draws are refused, and positions count
            samples. Default: a stream of words, for any draw.
        session : Session, optional
            Default: `default_session()`.

        Returns
        -------
        Stream
            The stream.
        """
        made = cls(name, session=session)
        if isinstance(noise, str):
            noise = {"color": noise}
        if noise is not None:
            noise = {**noise, "op": "colored"}
        made._call("stream_create", seed=seed, stream=stream,
                   generator=generator, mode=mode, group=group, noise=noise)
        return made

    @staticmethod
    def list(session: Session | None = None) -> builtins.list[dict[str, Any]]:
        """Return what `show` gives of every stream that the client may show.

        Parameters
        ----------
        session : Session, optional
            Default: `default_session()`.

        Returns
        -------
        list of dict
            In the order of their names.
        """
        session = _core.default_session() if session is None else session
        found, after = [], None
        while True:
            reply = Call(session, "stream_list", {"after": after},
                         "reply").result()
            found += reply["streams"]
            after = reply["after"]
            if after is None:
                return found

    def draw(self, distribution: str, shape: int | Sequence[int], /,
             dtype: DTypeLike = None, **params: Any) -> NDArray[Any]:
        """Draw the stream's next numbers.

        Parameters
        ----------
        distribution : str
            The engine's name of a distribution: 'uniform', 'normal' ...
        shape : int or sequence of ints
            Shape of the result.
        dtype : str or dtype, optional
            Default: the distribution's own.
        **params
            Parameters of the distribution, as numbers or arrays.

        Returns
        -------
        ndarray
            The samples; `last` states where they lie.
        """
        params, shape = draw_params(distribution, shape, dtype, params)
        draw = {**params, "op": distribution, "out": ...}
        call = Call(self.session, "stream_draw",
                    {"name": self.name, "draw": draw}, "draw", shape)
        samples = call.result()
        self.last = call.span
        return samples

    def show(self) -> dict[str, Any]:
        """Return a dict of what the stream is and where it stands.

        Returns
        -------
        dict
            With `position`, `generator`, `seed`, `stream`, `uid`, `mode` ...
        """
        return self._call("stream_show")

    @property
    def position(self) -> int | None:
        """Word, or sample of a signal, at which the next draw begins; None:
        the stream has ended."""
        return self.show()["position"]

    def advance(self, words: int | None = None, *,
                to: int | None = None) -> None:
        """Skip words, or go on to a position: after a snapshot of the machine
        was restored, for example.

        Parameters
        ----------
        words : int, optional
            How many; rounded up to a multiple of 4. Samples of a signal.
        to : int, optional
            The position, instead of words; not before the present one.
        """
        if (words is None) == (to is None):
            raise TypeError("advance() takes words or to")
        self._call("stream_advance", by=words, to=to)

    def delete(self) -> None:
        """Delete the stream. Its numbers are never given to another one."""
        self._call("stream_delete")


__all__ = ["Span", "Stream"]
