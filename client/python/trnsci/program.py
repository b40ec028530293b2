# SPDX-License-Identifier: Apache-2.0
"""Programs: steps that are recorded from expressions, compiled once and run
again and again, with what lies between them in the engine.

A `Program` has every operation of the engine as a method; what these give are
`Expression` s, on which ``+ - * / @ ** abs()`` are operations, too. `compile`
makes a function of the expressions that are wanted.

Examples
--------
>>> import numpy as np, trnsci
>>> p = trnsci.program.Program(seed=1)
>>> x = p.input((4, 256), "f32")
>>> y = p.fft(x + 0.1 * p.normal())
>>> f = p.compile(y)
>>> f(np.ones((4, 256))).shape
(4, 256)
>>> f(np.zeros((4, 256)), seed=2).dtype
dtype('complex64')
"""
from __future__ import annotations

import numbers
import operator
import threading
from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

import numpy as np

from . import _core
from ._calls import distribution_params, source_of
from ._ring import numpy_dtype
from ._suggest import nearest, suggesting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike
    from ._core import Session, Tile
    from ._streams import Stream
    _Value = Union[Expression, ArrayLike]

__all__ = ["Compiled", "Expression", "Noise", "Program"]


def __dir__() -> list[str]:
    return sorted(__all__)


_TILES_MOST = 6  # of a run, that replace those of the call
_FRESH_BYTES = 1 << 20  # from so many on results have tiles of their own
_REALS = {"c64": "f32", "c128": "f64"}


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool) or \
        isinstance(value, np.ndarray) and value.ndim == 0 and \
        value.dtype.kind in "iuf"


class _Operand:
    """What expressions and noises share."""

    __array_ufunc__ = None  # so that an array on the left asks us
    __slots__ = ()

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __neg__(self) -> Any:
        return self * -1.0

    def __pos__(self) -> Any:
        return self


class Noise(_Operand):
    """A distribution without a shape, such as ``p.normal()``: it takes the
    shape of the expression that it is added to. A number may multiply it."""

    __slots__ = ("program", "distribution", "params", "factor")

    def __init__(self, program: Program, distribution: str,
                 params: dict[str, Any], factor: float = 1.0) -> None:
        self.program = program
        self.distribution = distribution
        self.params = params
        self.factor = factor

    def __repr__(self):
        return f"<noise {self.distribution} times {self.factor:g}>"

    def __mul__(self, number: float) -> Noise:
        if not _is_number(number):
            return NotImplemented
        return Noise(self.program, self.distribution, self.params,
                     self.factor * float(number))

    def __truediv__(self, number: float) -> Noise:
        return self * (1 / number) if _is_number(number) else NotImplemented

    def __add__(self, other: Expression) -> Expression:
        return NotImplemented if isinstance(other, Noise) or \
            not isinstance(other, Expression) else other + self

    def __sub__(self, other: Expression) -> Expression:
        return (-other) + self if isinstance(other, Expression) \
            else NotImplemented


class Expression(_Operand):
    """The result of a step, or an input.

    Attributes
    ----------
    program : Program
        Whose it is.
    shape : tuple of ints or None
        Its shape, where it is known before the program runs.
    dtype : str or None
        The engine's name of its element type, likewise.
    """

    __slots__ = ("program", "shape", "dtype", "_step", "_inputs", "_tile")

    def __init__(self, program: Program, shape: tuple[int, ...] | None,
                 dtype: str | None,
                 step: tuple[str, dict[str, Any]] | None = None,
                 inputs: Sequence[Expression] = (),
                 tile: Tile | None = None) -> None:
        self.program = program
        self.shape = shape
        self.dtype = dtype
        self._step = step
        self._inputs = inputs
        self._tile = tile

    def __repr__(self):
        what = "input" if self._step is None else self._step[0]
        return f"<{what} {self.dtype or '?'} {self.shape or '?'}>"

    def _like(self, operation, dtype=None, **params):
        return self.program._record(operation, params, self.shape,
                                    dtype or self.dtype)

    def _with(self, operation, other, first="a", second="b"):
        other = self.program._operand(other, self.dtype)
        if other is None:
            return NotImplemented
        return self._like(operation, **{first: self, second: other})

    def __add__(self, other: _Value | Noise) -> Expression:
        if isinstance(other, Noise):
            noise = {"op": other.distribution, **other.params}
            return self._like("noise_add", **{
                "in": self, "sigma": other.factor, "noise": noise})
        if _is_number(other):
            return self._like("scale", **{"in": self, "plus": float(other)})
        return self._with("add", other)

    def __sub__(self, other: _Value | Noise) -> Expression:
        if isinstance(other, Noise) or _is_number(other):
            return self + -other
        return self._with("subtract", other)

    def __rsub__(self, other: float) -> Expression:
        if _is_number(other):
            return self._like("scale", **{"in": self, "by": -1.0,
                                          "plus": float(other)})
        return -self + other

    def __mul__(self, other: _Value) -> Expression:
        if _is_number(other):
            return self._like("scale", **{"in": self, "by": float(other)})
        return self._with("multiply", other)

    def __truediv__(self, other: _Value) -> Expression:
        if _is_number(other):
            return self._like("scale", **{"in": self, "by": 1 / float(other)})
        return self._with("divide", other)

    def __matmul__(self, other: _Value) -> Expression:
        other = self.program._operand(other, self.dtype)
        if other is None:
            return NotImplemented
        return self.program._record("gemm", {"a": self, "b": other}, None,
                                    None)

    def __pow__(self, power: float) -> Expression:
        names = {2: "square", 0.5: "sqrt"}
        if not _is_number(power) or power not in names:
            return NotImplemented
        return self._like(names[power], **{"in": self})

    def __abs__(self) -> Expression:
        return self._like("abs", dtype=_REALS.get(self.dtype, self.dtype),
                          **{"in": self})


class Program:
    """A recorder of steps.

    Every operation of the engine is a method: ``p.fft(x, norm="ortho")``,
    ``p.add(x, y)``, ``p.welch(x, fs=100.0)``; inputs come first, in the order
    of the operation's. A distribution is drawn with a shape as the first
    argument, ``p.uniform((3, 4), "f64", low=-1)``, or without: then it is a
    `Noise`, which takes the shape of what it is added to.

    Parameters
    ----------
    seed : int, optional
        Seed of draws that state none; default: 0. A run may state another.
    stream : int, str or Stream, optional
        Which of the seed's streams, or a named one, of which each run takes
        its own numbers.
    generator : str, optional
        Name of the generator of the stream's words.
    session : Session, optional
        Default: `default_session()`.
    """

    def __init__(self, *, seed: int | None = None,
                 stream: int | str | Stream | None = None,
                 generator: str | None = None,
                 session: Session | None = None) -> None:
        self.session = _core.default_session() if session is None else session
        self._source = source_of(seed, stream, generator)
        self._steps = []
        call = _core.Call(self.session, "describe")
        call._run()
        self._methods = {method["name"]: method
                         for method in call._reply()["methods"]}

    def __repr__(self):
        inputs = sum(each._step is None for each in self._steps)
        return (f"<trnsci.program.Program: {len(self._steps) - inputs} steps, "
                f"{inputs} inputs>")

    def input(self, shape: int | Sequence[int],
              dtype: DTypeLike = "f32") -> Expression:
        """Declare an input.

        Parameters
        ----------
        shape : int or tuple of ints
            Its shape.
        dtype : str or dtype, optional
            Its element type.

        Returns
        -------
        Expression
            The input. What compiled functions take is in the order in which
            inputs were declared.
        """
        tile = _core.Tile(shape, dtype, session=self.session)
        made = Expression(self, tile.shape, tile.dtype, tile=tile)
        self._steps.append(made)
        return made

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._methods:
            raise AttributeError(f"the engine has no operation {name!r}"
                                 + nearest(name, self._methods))

        def record(*args, **params):
            return self._apply(name, args, params)

        record.__name__ = name
        record.__doc__ = self._methods[name].get("help")
        return record

    def _parameters(self, operation):
        method = self._methods[operation]
        return {each["name"]: each["type"] for each in method["params"]}

    def _apply(self, operation, args, params):
        """A step from a method's arguments."""
        types = self._parameters(operation)
        inputs = [name for name, kind in types.items()
                  if kind == "tile" and name != "out"]
        if not inputs:
            return self._draw(operation, types, args, params)
        if len(args) > len(inputs):
            raise TypeError(f"{operation}() takes the inputs "
                            f"{', '.join(inputs)}; {len(args)} were given")
        for name, value in zip(inputs, args):
            if name in params:
                raise TypeError(f"{operation}() got two values of {name}")
            params[name] = value
        for name in inputs:
            if name in params:
                given = self._operand(params[name], None)
                if given is None:
                    raise TypeError(
                        f"{operation}: {name}: got {params[name]!r}, allowed "
                        "are expressions of this program and arrays")
                params[name] = given
        return self._record(operation, params, None, None)

    def _draw(self, operation, types, args, params):
        if "n" not in types:
            raise AttributeError(f"{operation} is no operation of a program")
        if len(args) > 2:
            raise TypeError(f"{operation}() takes a shape and a dtype")
        if "d" in types:  # points: their number, and their dimensions
            if args:
                params["n"] = operator.index(args[0])
            return self._record(operation, params, None, None)
        if not args:
            params.pop("dtype", None)
            params = distribution_params(operation, None, params)
            params.pop("dtype")
            return Noise(self, operation, params)
        dtype = args[1] if len(args) == 2 else params.pop("dtype", None)
        params = distribution_params(operation, dtype, params)
        name = "dims" if types.get("shape") == "f64" else "shape"
        try:
            shape = (operator.index(args[0]),)
        except TypeError:
            shape = tuple(operator.index(n) for n in args[0])
        params[name] = list(shape)
        return self._record(operation, params, shape, params["dtype"])

    def _operand(self, value, dtype):
        """An expression of this program, or an array; None: neither."""
        if isinstance(value, Expression):
            if value.program is not self:
                raise ValueError("an expression of another program")
            return value
        if isinstance(value, (np.ndarray, list, tuple)):
            value = np.asarray(value)
            if value.dtype.kind not in "biufc":
                return None
            if dtype is None or value.dtype.kind == "c":
                return np.ascontiguousarray(value)
            wanted = "f32" if dtype == "bf16" else _REALS.get(dtype, dtype)
            return np.ascontiguousarray(value, numpy_dtype(wanted))
        return None

    def _record(self, operation, params, shape, dtype):
        inputs = [value for value in params.values()
                  if isinstance(value, Expression)]
        made = Expression(self, shape, dtype, (operation, params), inputs)
        self._steps.append(made)
        return made

    def compile(self, *outputs: Expression) -> Compiled:
        """Make a function that runs the steps that some expressions need.

        Parameters
        ----------
        *outputs : Expression
            What the function gives: an array, or a tuple of several.

        Returns
        -------
        Compiled
            The function of the program's inputs.
        """
        if not outputs:
            raise ValueError("compile: no outputs, allowed are 1 and more")
        for output in outputs:
            if not isinstance(output, Expression) or output.program is not \
                    self:
                raise TypeError(f"compile: got {output!r}, allowed are "
                                "expressions of this program")
            if output._step is None:
                raise ValueError("compile: an input is no output")
        return Compiled(self, outputs)


class Compiled:
    """A function that runs a program: made by `Program.compile`.

    The engine validates and compiles the steps once and keeps them prepared.
    Threads may call it; their runs follow one another.
    """

    def __init__(self, program: Program,
                 outputs: Sequence[Expression]) -> None:
        self.session = program.session
        self._lock = threading.Lock()
        self._outputs = list(dict.fromkeys(map(id, outputs)))
        self._order = [self._outputs.index(id(output)) for output in outputs]
        needed, todo = set(), list(outputs)
        while todo:
            each = todo.pop()
            if id(each) not in needed:
                needed.add(id(each))
                todo += each._inputs
        self._inputs = [each for each in program._steps if each._step is None]
        self._steps = [each for each in program._steps
                       if each._step is not None and id(each) in needed]
        self._params = dict(program._source)
        if "name" in self._params:
            self._params = {"stream_name": self._params.pop("name")}
        self._params.pop("offset", None)
        self._call = None
        self._tiles = None  # of the outputs

    def __repr__(self):
        return (f"<trnsci.program.Compiled: {len(self._steps)} steps, "
                f"{len(self._inputs)} inputs, {len(self._outputs)} outputs>")

    def _make(self, tiles):
        """A call whose outputs are these tiles; None: new ones. Also what
        a run can give another tile for, by the name of the parameter."""
        names = {id(each): f"s{i}" for i, each in enumerate(self._steps)}
        steps, places = [], {}
        for at, each in enumerate(self._steps):
            operation, given = each._step
            params = {}
            for name, value in given.items():
                if isinstance(value, Expression):
                    if value._tile is not None and \
                            value not in places.values():
                        places[f"{at}.{name}"] = value
                    value = names[id(value)] if value._tile is None \
                        else value._tile
                params[name] = value
            params["as"] = names[id(each)]
            if id(each) in self._outputs:
                number = self._outputs.index(id(each))
                params["out"] = ... if tiles is None else tiles[number]
                places[f"{at}.out"] = number
            steps.append((operation, params, False))
        return _core.Call(self.session, "run", self._params, False,
                          steps), places

    def _first_tiles(self):
        """Learn the outputs from a run."""
        call, _ = self._make(None)
        with suggesting([each._step for each in self._steps]
                        + [("run", self._params)]):
            call._run()
        made = [None] * len(self._outputs)
        for number, each in enumerate(self._steps):
            if id(each) in self._outputs:
                made[self._outputs.index(id(each))] = call._tile(number)
        return made

    def _prepare(self):
        for each in self._inputs:
            each._tile.array[...] = 0
        named = "stream_name" in self._params
        if named:  # the numbers of a named stream are not spent on this
            name = self._params.pop("stream_name")
        try:
            self._tiles = self._first_tiles()
        finally:
            if named:
                self._params["stream_name"] = name
        self._call, self._places = self._make(self._tiles)

    def _take_inputs(self, args):
        """Copy arrays to the program's tiles; tiles are used as they are."""
        if len(args) != len(self._inputs):
            raise TypeError(f"the program has {len(self._inputs)} inputs, "
                            f"{len(args)} were given")
        given = {}
        for each, value in zip(self._inputs, args):
            if isinstance(value, _core.Tile):
                if (value.shape, value.dtype) != (each.shape, each.dtype):
                    raise ValueError(f"a tile {value.dtype} {value.shape}, "
                                     f"allowed is {each.dtype} {each.shape}")
                given[id(each)] = value
            else:
                np.copyto(each._tile.array, np.asarray(value),
                          casting="same_kind")
        return given

    def __call__(self, *args: ArrayLike | Tile, seed: int | None = None,
                 stream: int | None = None, offset: int | None = None,
                 out: Tile | Sequence[Tile] | None = None) -> Any:
        """Run the program.

        Parameters
        ----------
        *args : array_like or Tile
            The inputs. Tiles of the session are read where they lie.
        seed, stream : int, optional
            Of this run, instead of the program's.
        offset : int, optional
            Word of the stream at which the run begins; default: 0.
        out : Tile or tuple of Tile, optional
            Where results are written, one for each output.

        Returns
        -------
        ndarray or tuple of ndarray
            One for each output.
        """
        with self._lock:
            if self._call is None:
                self._prepare()
            given = self._take_inputs(args)
            tiles = self._result_tiles(out)
            others = {name: tiles[place] if isinstance(place, int)
                      else given.get(id(place))
                      for name, place in self._places.items()}
            if len(others) > _TILES_MOST and any(
                    tile is not None for tile in others.values()):
                raise ValueError("a program of more than 6 inputs and outputs "
                                 "takes arrays only")
            self._call._run(seed, stream, offset, others)
            return self._results(tiles)

    def _result_tiles(self, out):
        """Tiles in the place of the program's own; None: those, which are
        copied."""
        count = len(self._outputs)
        if out is not None:
            out = (out,) if isinstance(out, _core.Tile) else tuple(out)
            if len(out) != count:
                raise ValueError(f"out: {len(out)} tiles, allowed are {count}")
            return list(out)
        if len(self._places) > _TILES_MOST:
            return [None] * count
        return [_core.Tile(tile.shape, tile.dtype, session=self.session)
                if tile.nbytes >= _FRESH_BYTES else None
                for tile in self._tiles]

    def _results(self, tiles):
        made = [own.array.copy() if tile is None else tile.array
                for own, tile in zip(self._tiles, tiles)]
        made = [made[number] for number in self._order]
        return made[0] if len(made) == 1 else tuple(made)
