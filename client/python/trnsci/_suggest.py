# SPDX-License-Identifier: Apache-2.0
"""What errors about unknown names add: the name that may be meant."""
import contextlib

from . import _core
from ._errors import ParameterError, ParameterTypeError


def nearest(given, allowed):
    """" (did you mean 'normal'?)", or "" where no name is near."""
    import difflib
    near = difflib.get_close_matches(str(given), allowed, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _wrong(error, asked):
    """The unknown names in what was asked, each with what is allowed."""
    for operation, params in asked:
        allowed = _core.names(operation)
        if error.name == "unknown_method" and not allowed:
            yield operation, _core.names()
        elif error.name == "unknown_parameter" and allowed:
            yield from ((name, allowed) for name in params
                        if name not in allowed)


@contextlib.contextmanager
def suggesting(asked):
    """Add the nearest name to the engine's errors about unknown ones. `asked`:
    pairs of an operation and the names of its parameters."""
    try:
        yield
    except (ParameterError, ParameterTypeError) as error:
        added = [nearest(*each) for each in _wrong(error, asked)]
        if any(added):
            error.args = (error.args[0] + next(filter(None, added)),)
        raise
