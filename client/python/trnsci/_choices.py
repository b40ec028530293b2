# SPDX-License-Identifier: Apache-2.0
"""Methods of a generator that choose among items, and bounds of integers."""
from __future__ import annotations

import operator
from typing import (TYPE_CHECKING, Any, MutableSequence, Optional, Sequence,
                    Union)

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    _Size = Optional[Union[int, Sequence[int]]]

# Where numpy 2 has it, and numpy 1.
_AxisError = (np.exceptions if hasattr(np, "exceptions") else np).AxisError


def part_of(self, shape):
    """Begin and length of this rank's rows of a draw of `shape`."""
    if not shape or self.size == 1:
        return 0, shape[0] if shape else 1
    begin = shape[0] * self.rank // self.size
    return begin, shape[0] * (self.rank + 1) // self.size - begin


def _shape_of(size):
    if size is None:
        return ()
    try:
        return (operator.index(size),)
    except TypeError:
        return tuple(operator.index(n) for n in size)


def _axis_of(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise _AxisError(axis, ndim)
    return axis % ndim


class Choices:
    """Mixed into Generator."""

    # ---- integers ----

    def _integers_of(self, low, high, size, name, dtype, endpoint):
        """Bounds that are no plain integers: arrays, numpy's, floats."""
        if high is None:
            low, high = 0, low
        if np.ndim(low) == 0 and np.ndim(high) == 0:
            scalars = int(np.asarray(low)[()]), int(np.asarray(high)[()])
            return self.integers(scalars[0], scalars[1], size,
                                 np.dtype(name) if dtype is None else dtype,
                                 bool(endpoint))
        lows, lasts = _exact(low, 0), _exact(high, 0 if endpoint else 1)
        if size is None:
            shape = np.broadcast_shapes(lows.shape, lasts.shape)
        else:
            shape = _shape_of(size)
        _check_bounds(lows, lasts, name, endpoint)
        wide = np.uint64 if name == "uint64" else np.int64
        lows = np.broadcast_to(lows.astype(wide), shape)
        lasts = np.broadcast_to(lasts.astype(wide), shape)
        begin, rows = part_of(self, shape)
        made = np.empty((rows,) + shape[1:] if shape else shape, wide)
        row = int(np.prod(shape[1:], dtype=np.int64))
        self._integers_into(
            np.ascontiguousarray(lows[begin:begin + rows] if shape else lows),
            np.ascontiguousarray(lasts[begin:begin + rows] if shape
                                 else lasts),
            made, begin * row if shape else 0,
            int(np.prod(shape, dtype=np.int64)))
        return made.astype(name, copy=False)

    # ---- items ----

    def choice(self, a: ArrayLike, size: _Size = None, replace: bool = True,
               p: ArrayLike | None = None, axis: int = 0,
               shuffle: bool = True) -> Any:
        """Choose items of an array, or of ``arange(a)``.

        Parameters
        ----------
        a : int or array_like
            What is chosen from.
        size : int or tuple of ints, optional
            Shape of the result, along `axis`; default: one item.
        replace : bool, optional
            Whether an item may be chosen again.
        p : 1-D array_like, optional
            Probability of each item; default: all the same.
        axis : int, optional
            Axis along which `a` has its items.
        shuffle : bool, optional
            Without `replace`: here items always come in random order.

        Returns
        -------
        items : single item or ndarray

        Examples
        --------
        >>> import trnsci
        >>> rng = trnsci.Generator(3)
        >>> sorted(rng.choice(5, 5, replace=False).tolist())
        [0, 1, 2, 3, 4]
        """
        items, n = _population(a, axis)
        if items is not None and self.size > 1 and axis % items.ndim != 0:
            return self._rows_of("choice", a, size, replace, p, axis, shuffle)
        shape = _shape_of(size)
        count = int(np.prod(shape, dtype=np.int64)) if size is not None else 1
        if n == 0 and count != 0:
            raise ValueError(
                "a cannot be empty unless no samples are taken"
                if items is not None else
                "a must be a positive integer unless no samples are taken")
        weights = None if p is None else _weights(p, n)
        if replace:
            places = self._places(n, size, weights)
        else:
            places = self._distinct(n, shape, count, weights)
        if size is None:
            places = int(np.asarray(places).reshape(-1)[0])
        if items is None:
            return places
        if size is None and items.ndim == 1:
            return items[places]
        if shape == () and items.ndim == 1:
            made = np.empty((), items.dtype)
            made[()] = items[int(places)]
            return made
        return items.take(places, axis=axis)

    def _places(self, n, size, weights):
        if n == 0:
            return np.empty(_shape_of(size), np.int64)
        if weights is None:
            return self.integers(0, n, size)
        return self._categorical(weights, 1 if size is None else size)

    def _distinct(self, n, shape, count, weights):
        if count > n:
            raise ValueError("Cannot take a larger sample than population "
                             "when replace is False")
        if weights is not None:
            if np.count_nonzero(weights > 0) < count:
                raise ValueError("Fewer non-zero entries in p than size")
            places = self._weighted_order(weights, count).reshape(shape)
            begin, rows = part_of(self, shape)
            return places[begin:begin + rows] if shape else places
        begin, rows = part_of(self, shape)
        row = count // shape[0] if shape and shape[0] else 1
        places = self._order(n, count, begin * row, rows * row)
        return places.reshape((rows,) + shape[1:] if shape else ())

    def _weighted_order(self, weights, count):
        """Items in the order of exponential times, of rates `weights`."""
        with np.errstate(divide="ignore"):
            times = self._whole_exponential(len(weights)) / weights
        if count < len(times):
            places = np.argpartition(times, count - 1)[:count]
            return places[np.argsort(times[places], kind="stable")]
        return np.argsort(times, kind="stable")

    def _whole_exponential(self, n):
        """A draw that is not divided among ranks."""
        if self.size == 1:
            return self.standard_exponential(n)
        twin = self._undivided()
        times = twin.standard_exponential(n)
        self.position = twin.position
        return times

    def _rows_of(self, name, *args):
        """This rank's rows of what one generator returns."""
        twin = self._undivided()
        made = getattr(twin, name)(*args)
        self.position = twin.position
        begin, rows = part_of(self, made.shape)
        return made[begin:begin + rows]

    def _undivided(self):
        """The same place of the same stream, of rank 0 of 1."""
        twin = type(self)(self.seed, stream=self.stream,
                          generator=self.generator,
                          session=self._own_session)
        twin.position = self.position
        return twin

    # ---- orders ----

    def permutation(self, x: ArrayLike, axis: int = 0) -> NDArray[Any]:
        """Return the items of an array, or of ``arange(x)``, in random order.

        Parameters
        ----------
        x : int or array_like
            The items.
        axis : int, optional
            Axis along which they lie.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).permutation(6)
        array([5, 1, 4, 3, 0, 2])
        """
        if type(x) is int or isinstance(x, (int, np.integer)):
            n = int(x) if x > 0 else 0
            begin, rows = part_of(self, (n,))
            return self._order(n, n, begin, rows)
        items = np.asarray(x)
        axis = _axis_of(axis, items.ndim)
        if self.size > 1 and axis != 0:
            return self._rows_of("permutation", x, axis)
        n = items.shape[axis]
        begin, rows = part_of(self, (n,))
        return items.take(self._order(n, n, begin, rows), axis=axis)

    def shuffle(self, x: NDArray[Any] | MutableSequence[Any],
                axis: int = 0) -> None:
        """Bring the items of an array or a sequence into random order.

        Parameters
        ----------
        x : ndarray or MutableSequence
            Changed in place. With ranks, each changes the whole of it alike.
        axis : int, optional
            Axis of an array along which its items lie.

        Examples
        --------
        >>> import trnsci
        >>> x = [1, 2, 3]
        >>> trnsci.Generator(1).shuffle(x)
        >>> sorted(x)
        [1, 2, 3]
        """
        if isinstance(x, np.ndarray):
            if x.ndim == 0:
                raise TypeError("object of type 'numpy.ndarray' of dimension "
                                "0 has no len()")
            if not x.flags.writeable:
                raise ValueError("array is read-only")
            axis = _axis_of(axis, x.ndim)
            n = x.shape[axis]
            if n > 1:
                x[...] = x.take(self._order(n, n, 0, n), axis=axis)
            return
        n = len(x)
        if axis != 0:
            raise NotImplementedError("Axis argument is only supported on "
                                      "ndarray objects")
        if n > 1:
            items = [x[i] for i in self._order(n, n, 0, n).tolist()]
            for i, item in enumerate(items):
                x[i] = item

    def permuted(self, x: ArrayLike, axis: int | None = None,
                 out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Bring the items of each slice along an axis into random order.

        Parameters
        ----------
        x : array_like
            The items. With ranks, each returns the whole of them alike.
        axis : int, optional
            Axis along which they are moved, each slice for itself; default:
            all items of the array together.
        out : ndarray, optional
            Where the result goes; may be `x`.

        Examples
        --------
        >>> import numpy as np, trnsci
        >>> x = np.arange(6).reshape(2, 3)
        >>> trnsci.Generator(1).permuted(x, axis=1).sum(axis=1)
        array([ 3, 12])
        """
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError("out must be a numpy array")
        items = np.asarray(x)
        if items.ndim == 0:
            raise TypeError("len() of unsized object")
        if out is not None and out.shape != items.shape:
            raise ValueError("out must have the same shape as x")
        if out is not None and not np.can_cast(items.dtype, out.dtype,
                                               "safe"):
            raise TypeError(f"Cannot cast from {items.dtype} to {out.dtype}")
        if axis is None:
            order = self._order(items.size, items.size, 0, items.size)
            made = items.reshape(-1).take(order).reshape(items.shape)
        else:
            axis = _axis_of(axis, items.ndim)
            order = self._orders(items.shape, axis)
            made = np.take_along_axis(items, order, axis)
        if out is None:
            return made
        out[...] = made
        return out

    def _orders(self, shape, axis):
        """An order of `axis` for each slice: one draw of many orders."""
        n = shape[axis]
        slices = int(np.prod(shape, dtype=np.int64)) // n if n else 0
        flat = self._order(n, slices * n, 0, slices * n)
        others = shape[:axis] + shape[axis + 1:]
        return np.moveaxis(flat.reshape(others + (n,)), -1, axis)


def _limits(name):
    if name == "bool":
        return 0, 1
    info = np.iinfo(name)
    return int(info.min), int(info.max)


def _exact(values, less):
    """Integers less a number, without overflow."""
    array = np.asarray(values)
    narrow = array.dtype.kind in "ib" or (array.dtype.kind == "u" and
                                          array.dtype.itemsize < 8)
    if narrow and (array.size == 0 or array.min() > -2**63):
        return array.astype(np.int64) - less
    array = np.frompyfunc(int, 1, 1)(np.asarray(values, object))
    return np.asarray(np.asarray(array, object) - less, object)


def _check_bounds(lows, lasts, name, endpoint):
    least, last = _limits(name)
    if np.any(lows < least):
        raise ValueError(f"low is out of bounds for {name}")
    if np.any(lasts > last):
        raise ValueError(f"high is out of bounds for {name}")
    if not np.any(lows > lasts):
        return
    if np.any(lows):
        raise ValueError("low > high" if endpoint else "low >= high")
    raise ValueError("high < 0" if endpoint else "high <= 0")


def _population(a, axis):
    """The items (None for ``arange(a)``) and how many there are."""
    if np.ndim(a) == 0:
        try:
            n = operator.index(a if not isinstance(a, np.ndarray) else a[()])
        except TypeError:
            raise ValueError("a must be a sequence or an integer, not "
                             f"{type(a)}") from None
        if n < 0:
            raise ValueError("a must be a positive integer unless no samples "
                             "are taken")
        return None, n
    items = np.asarray(a)
    return items, items.shape[axis]


def _weights(p, n):
    weights = np.array(p, np.float64, ndmin=1)
    if weights.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if weights.size != n:
        raise ValueError("a and p must have same size")
    total = weights.sum()
    if np.isnan(total):
        raise ValueError("probabilities contain NaN")
    if np.any(weights < 0):
        raise ValueError("probabilities are not non-negative")
    atol = np.sqrt(np.finfo(np.float64).eps)
    if isinstance(p, np.ndarray) and np.issubdtype(p.dtype, np.floating):
        atol = max(atol, np.sqrt(np.finfo(p.dtype).eps))
    if abs(total - 1.0) > atol:
        raise ValueError("probabilities do not sum to 1")
    return weights
