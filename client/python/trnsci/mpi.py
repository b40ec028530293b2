# SPDX-License-Identifier: Apache-2.0
"""One array over the ranks of an MPI job (mpi4py): draws, transforms, sums and files.

The bytes do not depend on the number of ranks, nor on how the array is cut. A rank's part is an array of its own.
`libtrnsci-mpi` must be installed, or ``TRNSCI_MPI_LIBRARY`` name it; it must use the MPI of mpi4py.

Run with ``mpirun -n 4 python3 program.py``::

    from mpi4py import MPI
    import trnsci.mpi

    group = trnsci.mpi.Group(MPI.COMM_WORLD)
    noise = group.layout((4096, 4096))              # slabs of the first axis
    x = group.draw("normal", noise, seed=1)         # this rank's rows
    y, spectrum = group.fft(x, noise, real=True)    # and those of half a spectrum
    print(group.sum(x)["mean"])
    group.write("noise.npy", x, noise)
"""
from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
import typing
from typing import Any, Optional, Tuple

import numpy as np

from . import _errors

__all__ = ["Group", "Layout"]


def __dir__() -> list[str]:
    return sorted(__all__)


_MOST = 8
_U64S = ctypes.c_uint64 * _MOST
_DTYPES = {"int8": 1, "int32": 2, "int64": 3, "uint32": 4, "uint64": 5, "float32": 6, "float64": 7, "complex64": 8,
           "complex128": 9, "float16": 10}
_NAMES = {number: name for name, number in _DTYPES.items()}
_SHORT = {"i8": "int8", "i64": "int64", "u32": "uint32", "f32": "float32"}


class Layout(ctypes.Structure):
    """Which elements of a global array each rank holds: `Group.layout` makes one."""

    _fields_ = [("_ndim", ctypes.c_size_t), ("_shape", _U64S), ("_grid", _U64S), ("_block", _U64S),
                ("_reserved", ctypes.c_uint64 * 4)]

    @property
    def shape(self) -> Tuple[int, ...]:
        """Shape of the global array."""
        return tuple(self._shape[:self._ndim])

    @property
    def grid(self) -> Tuple[int, ...]:
        """Ranks along each axis; all 0: the first axis has all."""
        return tuple(self._grid[:self._ndim])


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 248)]


class _Options(ctypes.Structure):
    _fields_ = [("or_embedded", ctypes.c_bool), ("arena_bytes", ctypes.c_size_t), ("timeout_ms", ctypes.c_int),
                ("threads", ctypes.c_uint), ("cpu", ctypes.c_char_p), ("spin_us", ctypes.c_int),
                ("reconnect_ms", ctypes.c_int), ("reserved", ctypes.c_uint64 * 4)]


class _Source(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("generator", ctypes.c_char_p), ("seed", ctypes.c_uint64),
                ("stream", ctypes.c_uint64), ("position", ctypes.c_uint64), ("offset", ctypes.c_uint64),
                ("rank", ctypes.c_uint64), ("size", ctypes.c_uint64), ("reserved", ctypes.c_uint64 * 2)]


class _Part(ctypes.Structure):
    _fields_ = [("shape", _U64S), ("first", _U64S), ("count", ctypes.c_uint64), ("reserved", ctypes.c_uint64 * 4)]


class _Info(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("size", ctypes.c_int), ("ranks_embedded", ctypes.c_int),
                ("session", ctypes.c_void_p), ("cpu", ctypes.c_char * 24), ("cpu_differs", ctypes.c_bool),
                ("reserved", ctypes.c_uint64 * 4)]


class _Sum(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64)] + [(name, ctypes.c_double) for name in (
        "sum", "sum_squares", "mean", "variance", "min", "max")] + [("reserved", ctypes.c_uint64 * 4)]


class _FftOptions(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("inverse", ctypes.c_bool), ("wide", ctypes.c_bool), ("n_axes", ctypes.c_size_t),
                ("axes", ctypes.c_size_t * _MOST), ("norm", ctypes.c_char_p), ("transposed_in", ctypes.c_bool),
                ("transposed_out", ctypes.c_bool), ("to", ctypes.POINTER(Layout)), ("message_bytes", ctypes.c_size_t),
                ("reserved", ctypes.c_uint64 * 4)]


class _FftInfo(ctypes.Structure):
    _fields_ = [("source", Layout), ("to", Layout), ("exchanges", ctypes.c_int), ("exchanged_bytes", ctypes.c_uint64),
                ("work_bytes", ctypes.c_uint64), ("exchange_s", ctypes.c_double), ("total_s", ctypes.c_double),
                ("reserved", ctypes.c_uint64 * 4)]


class _Array(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_size_t), ("shape", _U64S), ("data", ctypes.c_void_p),
                ("count", ctypes.c_uint64), ("bytes", ctypes.c_size_t)]


class _Value(ctypes.Union):
    _fields_ = [("u64", ctypes.c_uint64), ("i64", ctypes.c_int64), ("f64", ctypes.c_double), ("boolean", ctypes.c_bool),
                ("text", ctypes.c_char_p), ("data", ctypes.c_void_p), ("array", ctypes.POINTER(_Array))]


class _Param(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("count", ctypes.c_size_t), ("value", _Value)]


class _ParameterInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "type", "unit", "fallback", "choices", "help")] + [
        ("min", ctypes.c_double), ("max", ctypes.c_double), ("above_min", ctypes.c_bool), ("reserved", ctypes.c_uint64 * 4)]


def _load() -> Any:
    here = os.path.dirname(os.path.abspath(__file__))
    names = [os.environ.get("TRNSCI_MPI_LIBRARY"), os.path.join(here, "..", "..", "lib", "libtrnsci-mpi.so"),
             ctypes.util.find_library("trnsci-mpi")]
    for name in names:
        if name and (os.path.exists(name) or os.sep not in name):
            return ctypes.CDLL(name)
    raise ImportError("trnsci.mpi: libtrnsci-mpi is not installed, and TRNSCI_MPI_LIBRARY does not name it")


def _set_array(param: Any, value: Any, is_list: bool) -> Any:
    """Sets a list of numbers, or an array with an element for each sample. Returns what must outlive the call."""
    x = np.ascontiguousarray(value, np.float64 if is_list else None)
    if x.dtype.name not in _DTYPES:
        raise TypeError(f"{param.name.decode()}: got an array of {x.dtype}, allowed are numbers")
    if is_list:
        param.kind, param.count, param.value.data = 9, x.size, x.ctypes.data
        return x
    array = _Array(dtype=_DTYPES[x.dtype.name], ndim=1, data=x.ctypes.data)
    array.shape[0] = x.size
    param.kind, param.value.array = 12, ctypes.pointer(array)
    return x, array


def _params(values: typing.Mapping[str, Any], types: typing.Mapping[str, _ParameterInfo]) -> Any:
    """A list of named parameters, ended by an empty one; and what it points to."""
    params, kept = (_Param * (len(values) + 1))(), []
    for param, (name, value) in zip(params, values.items()):
        param.name = name.encode()
        if isinstance(value, str):
            param.kind, param.value.text = 5, value.encode()
        elif isinstance(value, (bool, np.bool_)):
            param.kind, param.value.boolean = 4, bool(value)
        elif isinstance(value, (int, np.integer)):
            param.kind = 2 if value < 0 else 1
            param.value.i64 = value if value < 0 else 0
            if value >= 0:
                param.value.u64 = value
        elif np.ndim(value):
            kept.append(_set_array(param, value, name in types and types[name].type == b"any"))
        else:
            param.kind, param.value.f64 = 3, float(value)
    return params, kept


_CLASSES = {3: _errors.ParameterTypeError, 4: _errors.ParameterTypeError, 5: _errors.ParameterTypeError,
            11: _errors.ResourceError, 12: _errors.ResourceError, 14: _errors.ServiceError, 15: _errors.ServiceError,
            18: _errors.ServiceTimeoutError, 6: _errors.ParameterError, 8: _errors.ParameterError,
            9: _errors.ParameterError}


class Group:
    """The ranks of a communicator, each with its host's daemon, or with an engine of its own.

    All methods but `layout` and `shape` are collective. `address` is as for `trnsci.Session`: a socket, or ``embedded:``.
    """

    def __init__(self, comm: Any = None, address: Optional[str] = None, threads: int = 0) -> None:
        MPI: Any = importlib.import_module("mpi4py.MPI")

        self._library = _load()
        self._mpi = ctypes.c_void_p()
        comm = MPI.COMM_WORLD if comm is None else comm
        self._comm = comm
        kind = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
        options = _Options(threads=threads)
        self._call("open", kind.from_address(MPI._addressof(comm)), address.encode() if address else None,
                   ctypes.byref(options), ctypes.byref(self._mpi))
        info = _Info()
        self._library.trnsci_mpi_describe(self._mpi, ctypes.byref(info))
        self.rank, self.size, self.ranks_embedded = info.rank, info.size, info.ranks_embedded

    def _call(self, name: str, *arguments: Any) -> None:
        error = _Error()
        if getattr(self._library, "trnsci_mpi_" + name)(*arguments, ctypes.byref(error)) < 0:
            text = error.text.decode()
            raised = _CLASSES.get(error.code, _errors.Error)(text)
            raised.name = text.partition(":")[0]
            raise raised

    def close(self) -> None:
        """Closes the group's sessions; before MPI is finalised."""
        self._library.trnsci_mpi_close(self._mpi)
        self._mpi = ctypes.c_void_p()

    def layout(self, shape: typing.Sequence[int], grid: Optional[typing.Sequence[int]] = None,
               block: Optional[typing.Sequence[int]] = None) -> Layout:
        """Cuts an array over a grid of ranks (default: slabs of the first axis), with `block` in blocks that are dealt."""
        layout = Layout(_ndim=len(shape))
        layout._shape[:len(shape)] = shape
        if grid is not None:
            layout._grid[:len(grid)] = grid
        if block is not None:
            layout._block[:len(block)] = block
        return layout

    def shape(self, layout: Layout, rank: Optional[int] = None) -> Tuple[int, ...]:
        """Shape of the part that a rank (default: this one) holds."""
        part = _Part()
        self._call("part_of", ctypes.byref(layout), self.rank if rank is None else rank, self.size, ctypes.byref(part))
        return tuple(part.shape[:layout._ndim])

    def _agree(self, error: Optional[_errors.Error]) -> None:
        """Raises on every rank what the lowest rank that failed has found."""
        for text in self._comm.allgather(str(error) if error else ""):
            if text:
                raised = _errors.ParameterError(text)
                raised.name = text.partition(":")[0]
                raise raised

    def _empty(self, layout: Layout, dtype: Any) -> np.ndarray[Any, Any]:
        """This rank's part, not filled. Collective."""
        found: Optional[_errors.Error] = None
        shape: Tuple[int, ...] = ()
        try:
            shape = self.shape(layout)
        except _errors.Error as error:
            found = error
        self._agree(found)
        return np.empty(shape, dtype)

    def _check(self, x: np.ndarray[Any, Any], layout: Layout) -> np.ndarray[Any, Any]:
        """This rank's part as it must lie in memory. Collective."""
        x, found = np.ascontiguousarray(x), None
        try:
            if x.shape != self.shape(layout) or x.dtype.name not in _DTYPES:
                found = _errors.Error(f"bad_shape: rank {self.rank}: got {x.dtype.name} of {x.shape}, allowed is the part "
                                      f"of the layout, {self.shape(layout)}")
        except _errors.Error as error:
            found = error
        self._agree(found)
        return x

    def _types(self, distribution: str) -> typing.Mapping[str, _ParameterInfo]:
        """What the table of operations states of a distribution's parameters; empty where there is no such one."""
        types: typing.Dict[str, _ParameterInfo] = {}
        info = _ParameterInfo()
        while self._library.trnsci_operation_parameter(distribution.encode(), ctypes.c_size_t(len(types)), ctypes.byref(info)) == 0:
            types[info.name.decode()], info = info, _ParameterInfo()
        return types

    def draw(self, distribution: str, layout: Layout, *, seed: int = 0, stream: int = 0, offset: int = 0,
             generator: Optional[str] = None, name: Optional[str] = None, dtype: Any = None,
             **parameters: Any) -> np.ndarray[Any, Any]:
        """Draws this rank's elements of an array that is one draw, in row-major order.

        Default of `dtype`: the distribution's own. A parameter is a number or an array (sample k takes element k, modulo the
        elements); `weights`, `alpha` and `shares` are lists of numbers. They must be the same on all ranks.
        """
        types = self._types(distribution)
        if dtype is None:
            dtype = _SHORT.get(types["dtype"].fallback.decode(), "float32") if "dtype" in types else "float32"
        params, kept = _params(parameters, types)
        source = _Source(name=name.encode() if name else None, generator=generator.encode() if generator else None,
                         seed=seed, stream=stream, offset=offset)
        out = self._empty(layout, dtype)
        self._call("draw", self._mpi, distribution.encode(), params, ctypes.byref(source),
                   _DTYPES.get(out.dtype.name, 0), ctypes.byref(layout), ctypes.c_void_p(out.ctypes.data), None)
        del kept
        return out

    def field(self, layout: Layout, *, seed: int = 0, stream: int = 0, offset: int = 0, generator: Optional[str] = None,
              name: Optional[str] = None, dtype: Any = "float32", **parameters: Any) -> np.ndarray[Any, Any]:
        """Draws this rank's elements of a Gaussian random field, the one that the operation `field` draws.

        The parameters are those of `trnsci.Generator.field` but the shape, which is the layout's, of two axes and more: `exponent`,
        `spectrum` (wave numbers and densities) or `covariance`, and `length`, `nu`, `spacing`, `std`, `mean`, `periodic`,
        `approximate`. They must be the same on all ranks.
        """
        if "spectrum" in parameters:
            parameters["spectrum"] = np.stack([np.asarray(x, np.float64) for x in parameters["spectrum"]], axis=-1).ravel()
        params, kept = _params(parameters, self._types("field"))
        source = _Source(name=name.encode() if name else None, generator=generator.encode() if generator else None,
                         seed=seed, stream=stream, offset=offset)
        out = self._empty(layout, dtype)
        self._call("field", self._mpi, params, ctypes.byref(source), _DTYPES.get(out.dtype.name, 0), ctypes.byref(layout),
                   ctypes.c_void_p(out.ctypes.data), None)
        del kept
        return out

    def fft(self, x: np.ndarray[Any, Any], layout: Layout, *, inverse: bool = False, real: bool = False,
            axes: typing.Sequence[int] = (), norm: Optional[str] = None, to: Optional[Layout] = None,
            transposed_in: bool = False, transposed_out: bool = False) -> Tuple[np.ndarray[Any, Any], Layout]:
        """Transforms an array over all axes, or over some. Returns this rank's part of the result, and its layout.

        With `real` forward from reals to half a spectrum, with `inverse` as well back; `to` states the layout of the result.
        """
        x = self._check(x, layout)
        kind = (2 if inverse else 1) if real else 0
        wide = x.dtype.name in ("float64", "complex128")
        side = "float" if kind == 1 else "complex"
        x = np.ascontiguousarray(x, f"{side}{(64 if wide else 32) * (1 if kind == 1 else 2)}")
        options = _FftOptions(kind=kind, inverse=inverse, wide=wide, n_axes=len(axes), norm=norm.encode() if norm else None,
                              transposed_in=transposed_in, transposed_out=transposed_out)
        options.axes[:len(axes)] = axes
        if to is not None:
            options.to = ctypes.pointer(to)
        fft, info = ctypes.c_void_p(), _FftInfo()
        self._call("fft_new", self._mpi, ctypes.byref(layout), ctypes.byref(options), ctypes.byref(fft))
        try:
            self._library.trnsci_mpi_fft_describe(fft, ctypes.byref(info))
            found = Layout.from_buffer_copy(info.to)
            side = "float" if kind == 2 else "complex"
            out = self._empty(found, f"{side}{(64 if wide else 32) * (1 if kind == 2 else 2)}")
            self._call("fft_run", fft, ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data))
        finally:
            self._library.trnsci_mpi_fft_free(fft)
        return out, found

    def sum(self, x: np.ndarray[Any, Any]) -> typing.Mapping[str, float]:
        """Sums the values of all ranks exactly: count, sum, sum_squares, mean, variance, min, max."""
        x = np.ascontiguousarray(x)
        total = _Sum()
        self._call("sum", self._mpi, _DTYPES.get(x.dtype.name, 0), ctypes.c_uint64(x.size), ctypes.c_void_p(x.ctypes.data),
                   ctypes.byref(total))
        return {name: getattr(total, name) for name, _ in _Sum._fields_[:-1]}

    def redistribute(self, x: np.ndarray[Any, Any], layout: Layout, to: Layout) -> np.ndarray[Any, Any]:
        """Moves an array from one layout to another."""
        x = self._check(x, layout)
        out = self._empty(to, x.dtype)
        self._call("redistribute", self._mpi, _DTYPES[x.dtype.name], ctypes.byref(layout), ctypes.c_void_p(x.ctypes.data),
                   ctypes.byref(to), ctypes.c_void_p(out.ctypes.data))
        return out

    def write(self, path: str, x: np.ndarray[Any, Any], layout: Layout) -> None:
        """Writes an array into one npy file."""
        x = self._check(x, layout)
        self._call("write", self._mpi, os.fspath(path).encode(), ctypes.byref(layout), _DTYPES[x.dtype.name],
                   ctypes.c_void_p(x.ctypes.data))

    def read(self, path: str, grid: Optional[typing.Sequence[int]] = None) -> Tuple[np.ndarray[Any, Any], Layout]:
        """Reads this rank's part of an npy file; returns it, and the layout."""
        layout, dtype = Layout(), ctypes.c_int()
        self._call("look", self._mpi, os.fspath(path).encode(), ctypes.byref(layout), ctypes.byref(dtype))
        layout = self.layout(layout.shape, grid)
        out = self._empty(layout, _NAMES[dtype.value])
        self._call("read", self._mpi, os.fspath(path).encode(), ctypes.byref(layout), dtype.value,
                   ctypes.c_void_p(out.ctypes.data))
        return out, layout
