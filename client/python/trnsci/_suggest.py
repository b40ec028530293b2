# SPDX-License-Identifier: Apache-2.0
"""What errors about unknown names add: the name that may be meant."""
from . import _core
from ._errors import ParameterError, ParameterTypeError


def nearest(given, allowed):
    """" (did you mean 'normal'?)", or "" where no name is near."""
    import difflib
    near = difflib.get_close_matches(str(given), allowed, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def unknown_generator(name):
    """The text of an error about a generator's name."""
    names = _core.choices("bits", "generator").split("|")
    return (f"generator: got {name!r}, allowed are " + ", ".join(names)
            + nearest(name, names))


def _wrong(error, asked):
    """The wrong names in what was asked, each with what is allowed."""
    for operation, params in asked:
        allowed = _core.names(operation)
        if error.name == "unknown_method" and not allowed:
            yield operation, _core.names()
        elif error.name == "unknown_parameter" and allowed:
            yield from ((name, allowed) for name in params
                        if name not in allowed)
        elif error.name == "out_of_range":
            for name, value in params.items():
                if isinstance(value, str):
                    names = (_core.choices(operation, name) or value).split("|")
                    if value not in names:
                        yield value, names


class suggesting:
    """Adds the nearest name to the engine's errors about unknown ones, in a
    with block. `asked`: pairs of an operation and its parameters."""

    __slots__ = ("_asked",)

    def __init__(self, asked):
        self._asked = asked

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (ParameterError, ParameterTypeError)):
            added = [nearest(*each) for each in _wrong(error, self._asked)]
            if any(added):
                error.args = (error.args[0] + next(filter(None, added)),)


def run(session, operation, params, out=False):
    """A call of an operation that has run; `out`: it makes a tile."""
    call = _core.Call(session, operation, params, out)
    with suggesting([(operation, params)]):
        call._run()
    return call
