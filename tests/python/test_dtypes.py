# SPDX-License-Identifier: Apache-2.0
"""A dtype means what it means to numpy, wherever one is taken; the engine's
names are those that numpy has not."""
import asyncio

import numpy as np
import pytest

import trnsci
from trnsci import program

NUMPY = ["i1", "i4", "i8", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "<f4",
         "=f8", "int8", "int64", "uint64", "float16", "half", "float32",
         "complex64", "d", "e", np.float32, np.dtype("f2"), float, np.int8]
ENGINE = {"i32": "i4", "i64": "i8", "u32": "u4", "u64": "u8", "f32": "f4",
          "f64": "f8", "c64": "c8", "c128": "c16"}
BOTH = [(x, np.dtype(x)) for x in NUMPY] + [
    (x, np.dtype(y)) for x, y in ENGINE.items()]
REFUSED = ["f16", "u1", "i2", "bool", "S3", "O", ">f4", "g", "G", "i8,f4", "x",
           "bf32", 5, "", "f32\0"]


def drawable(dtype):
    """A distribution that has samples of the dtype."""
    if dtype.kind == "f":
        return "normal", {}
    if dtype.kind == "c":
        return None
    high = min(100, np.iinfo(dtype).max)
    return "randint", {"low": 0, "high": high}


def takers(session):
    """Each place where a dtype is taken, as a function that gives the dtype
    which came out."""
    def ring(dtype, name, params):
        with trnsci.Ring(name, dtype, session=session, batch=4,
                         **params) as made:
            return next(made).dtype

    def noise(dtype, name, params):
        p = program.Program(seed=1, session=session)
        return p.compile(getattr(p, name)(3, dtype, **params))().dtype

    def awaited(dtype, name, params):
        async def main():
            return await session.draw(name, 3, dtype, **params)
        return asyncio.run(main()).dtype

    return {
        "draw": lambda d, n, p: session.draw(n, 3, d, **p).result().dtype,
        "await": awaited, "ring": ring, "program": noise,
        "parameter": lambda d, n, p: session.apply(
            n, n=3, dtype=d, **p).result().dtype}


@pytest.mark.parametrize("given, wanted", BOTH)
def test_tiles(session, given, wanted):
    tile = trnsci.Tile(3, given, session=session)
    assert tile.array.dtype == wanted
    again = trnsci.Tile(3, tile.dtype, session=session)
    assert again.array.dtype == wanted and again.dtype == tile.dtype
    assert program.Program(session=session).input(3, given).dtype == tile.dtype


@pytest.mark.parametrize("given, wanted", BOTH)
def test_draws(session, given, wanted):
    drawn = drawable(wanted)
    for name, take in takers(session).items():
        if drawn is not None:
            try:
                assert take(given, *drawn) == wanted, name
            except trnsci.Error as error:  # the distribution has no such one
                assert wanted in (np.dtype("i1"), np.dtype("u4"),
                                  np.dtype("u8"), np.dtype("f2")), name
                assert "dtype" in str(error)


def test_the_engine_has_each_dtype_that_is_named(session):
    """One is drawn at least, so that the test above is no test of errors."""
    for dtype in "f2", "f4", "f8", "half":
        assert session.draw("normal", 3, dtype).result().dtype == dtype
    for dtype in "i4", "i8", "int64":
        assert session.draw("randint", 3, dtype, low=0,
                            high=9).result().dtype == dtype
    for dtype in "u4", "u8":
        assert session.draw("bits", 3, dtype).result().dtype == dtype
    big = session.draw("poisson", 100, "i8", lam=1e9).result()
    assert big.dtype == np.int64 and big.min() > 9e8
    assert session.draw("normal", 3, "bf16").result().dtype == "bf16"
    assert session.draw("normal", 3, "bfloat16").result().dtype == "bf16"


@pytest.mark.parametrize("given", REFUSED)
def test_refused(session, given):
    with pytest.raises((TypeError, ValueError)):
        trnsci.Tile(3, given, session=session)
    for take in takers(session).values():
        with pytest.raises((TypeError, ValueError)):
            take(given, "normal", {})


@pytest.mark.parametrize("given, wanted", [
    ("f4", "f4"), ("f8", "f8"), ("<f4", "f4"), (np.float32, "f4"), ("d", "f8")])
def test_generators(given, wanted):
    g = trnsci.Generator(1)
    for method in g.random, g.standard_normal, g.standard_exponential:
        assert method(3, dtype=given).dtype == wanted
    assert g.standard_gamma(1.0, 3, given).dtype == wanted
    for refused in "i8", "f2", ">f4", "c8":
        with pytest.raises(TypeError):
            g.random(3, dtype=refused)
    assert g.integers(5, size=3, dtype="i8").dtype == np.int64
    assert g.integers(5, size=3, dtype="i1").dtype == np.int8


def test_broadcasts(daemon):
    session = trnsci.Session(daemon.socket)
    for given, wanted in ("f2", "f2"), ("f4", "f4"), ("f32", "f4"), ("d", "f8"):
        with trnsci.Broadcast.create(f"dtype.{given}", "normal", given,
                                     session=session) as owner:
            with trnsci.Broadcast(f"dtype.{given}", session=session) as made:
                owner.publish(4)
                assert made.take(4).dtype == wanted
    with pytest.raises(TypeError):
        trnsci.Broadcast.create("dtype", "normal", "f16", session=session)
