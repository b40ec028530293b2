# SPDX-License-Identifier: Apache-2.0
"""Tiles: their memory without a copy, by numpy, DLPack and buffers, and how
long it lives."""
import gc
import struct
import sys
import weakref

import numpy as np
import pytest

import trnsci
from test_session import in_child

DTYPES = ["int8", "i32", "i64", "u32", "u64", "float16", "f32", "f64", "c64", "c128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_show_one_memory(session, dtype):
    tile = trnsci.Tile((3, 4), dtype, session=session)
    kind = {"i": "i", "u": "u", "f": "f", "c": "c"}[dtype[0]]
    assert tile.array.dtype.kind == kind
    assert tile.nbytes == tile.array.nbytes == 12 * tile.array.itemsize
    assert (tile.shape, tile.dtype, tile.session) == ((3, 4), dtype, session)
    views = [tile.array, np.asarray(tile), np.array(tile, copy=False)]
    views.append(np.from_dlpack(tile))
    tile.array[:] = np.arange(12).reshape(3, 4)
    for view in views:
        assert view.dtype == tile.array.dtype
        np.testing.assert_array_equal(view, np.arange(12).reshape(3, 4))
        tile.array[1, 2] = 100
        assert view[1, 2] == 100
        tile.array[1, 2] = 6
    assert tile.__array__(np.complex128).dtype == np.complex128


def test_views_keep_the_memory(session):
    gc.collect()
    for make in (lambda tile: tile.array, np.asarray, np.from_dlpack,
                 memoryview, lambda tile: np.asarray(memoryview(tile))[2:],
                 lambda tile: tile.__dlpack__()):
        tile = trnsci.Tile(100000, "f64", session=session)
        tile.array[:] = 3
        view = make(tile)
        del tile
        before = sys.getrefcount(session)
        others = [trnsci.Tile(100000, "f64", session=session)
                  for _ in range(3)]
        for other in others:
            other.array[:] = 5
        if isinstance(view, (np.ndarray, memoryview)):
            assert view[7] == 3
        del view, others, other
        assert sys.getrefcount(session) == before - 1


def test_a_closed_session_waits_for_tiles(daemon):
    for address in daemon.socket, "embedded:":
        session = trnsci.Session(address)
        tile = trnsci.Tile(5, session=session)
        view = np.asarray(tile)
        session.close()
        with pytest.raises(trnsci.ServiceError):
            trnsci.Tile(5, session=session)
        view[:] = 2
        del tile
        assert view.sum() == 10


def test_buffers_have_formats(session):
    formats = dict(zip(DTYPES, "b i q I Q e f d Zf Zd".split()))
    for dtype, wanted in formats.items():
        view = memoryview(trnsci.Tile((2, 3), dtype, session=session))
        assert (view.format, view.shape, view.readonly) == (wanted, (2, 3),
                                                            False)
        assert view.nbytes == 6 * view.itemsize and view.c_contiguous
    words = memoryview(trnsci.Tile(4, "bf16", session=session))
    assert (words.format, words.itemsize) == ("H", 2)
    struct.pack_into("4H", words, 0, 1, 2, 3, 4)
    assert words.tolist() == [1, 2, 3, 4]


def test_dlpack_arguments(session):
    tile = trnsci.Tile(3, session=session)
    assert tile.__dlpack_device__() == (1, 0)
    capsules = {None: "dltensor", (0, 8): "dltensor",
                (1, 0): "dltensor_versioned", (2, 5): "dltensor_versioned"}
    for version, name in capsules.items():
        for copy in None, False, True:
            capsule = tile.__dlpack__(max_version=version, copy=copy,
                                      dl_device=(1, 0), stream=None)
            assert f'"{name}"' in repr(capsule)
    for wrong, error in (({"stream": 1}, BufferError),
                         ({"dl_device": (2, 0)}, BufferError),
                         ({"dl_device": 3}, TypeError),
                         ({"max_version": 1}, TypeError),
                         ({"max_version": (1,)}, TypeError),
                         ({"other": 1}, TypeError)):
        with pytest.raises(error):
            tile.__dlpack__(**wrong)
    before = sys.getrefcount(tile)
    for _ in range(50):
        tile.__dlpack__()
        tile.__dlpack__(max_version=(1, 0))
        tile.__dlpack__(copy=True)
    gc.collect()
    assert sys.getrefcount(tile) == before


class Copying:
    """An exporter that asks the tile for a copy."""

    def __init__(self, tile):
        self.tile = tile

    def __dlpack_device__(self):
        return self.tile.__dlpack_device__()

    def __dlpack__(self, **kwargs):
        return self.tile.__dlpack__(copy=True, **kwargs)


def test_dlpack_copies(session):
    tile = trnsci.Tile((2, 5), "f64", session=session)
    tile.array[:] = 1
    copy = np.from_dlpack(Copying(tile))
    tile.array[:] = 2
    assert copy.sum() == 10


def test_torch_without_a_copy(session):
    torch = pytest.importorskip("torch")
    tile = trnsci.Tile((2, 5), "f32", session=session)
    tensor = torch.from_dlpack(tile)
    tensor[:] = 4
    assert tile.array.sum() == 40
    assert tensor.data_ptr() == tile.array.ctypes.data
    del tile
    gc.collect()
    assert float(tensor.sum()) == 40
    half = torch.from_dlpack(trnsci.Tile(7, "bf16", session=session))
    assert half.dtype == torch.bfloat16 and half.shape == (7,)


def test_wrong_tiles(session):
    for shape, dtype, error in (((), "f32", ValueError), (-1, "f32", ValueError),
                                ((1,) * 9, "f32", ValueError),
                                (3, "f99", TypeError), (3, "O", TypeError),
                                (3, ">f4", TypeError), ("a", "f32", TypeError),
                                (3, "u2", TypeError), (2**60, "f64", Exception),
                                (1.5, "f32", TypeError)):
        with pytest.raises(error):
            trnsci.Tile(shape, dtype, session=session)
    with pytest.raises(TypeError, match="session"):
        trnsci.Tile(3, session=5)
    with pytest.raises(TypeError, match="bfloat16"):
        trnsci.Tile(3, "bf16", session=session).array


def test_tiles_in_a_child_are_read_only(session):
    tile = trnsci.Tile(10, "f64", session=session)
    tile.array[:] = 1
    view = tile.array

    def look():
        assert memoryview(tile).readonly
        return bool(tile.array.flags.writeable), float(view.sum())

    assert in_child(look) in ("(False, 10.0)", "(False, 0.0)")
    assert view.sum() == 10


def test_no_cycle_keeps_a_session():
    class Marked:
        pass

    session = trnsci.Session("embedded:")
    marked = Marked()
    session._loops.update(loop=session, marked=marked)
    gone = weakref.ref(marked)
    del session, marked
    gc.collect()
    assert gone() is None
