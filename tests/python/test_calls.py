# SPDX-License-Identifier: Apache-2.0
"""Calls: waited for and awaited in asyncio's loops, many at once, cancelled."""
import asyncio
import functools
import gc
import math
import sys
import threading

import numpy as np
import pytest

import trnsci
from trnsci import program
from test_session import in_child


@pytest.fixture
def many_switches():
    """Threads take turns after nearly every step of the interpreter."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_threads(targets, seconds=30):
    """Run a function in each thread. One that hangs is a failure."""
    errors = []

    def run(target):
        try:
            target()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(target,), daemon=True)
               for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    assert not errors, errors


class Turn:
    """Lets the loop turn once."""

    def __await__(self):
        yield


def test_draws_are_those_of_generators(session):
    call = session.draw("normal", 1001, "f64", seed=3, mean=1.0, std=2.0)
    np.testing.assert_array_equal(
        call.result(), trnsci.Generator(3).normal(1.0, 2.0, 1001))
    assert call.done() and call.result() is call.result()
    assert call.span == ("threefry4x32", 3, 0, 0, 0, 2004)
    later = session.draw("uniform", (2, 3), "float32", seed=3, offset=8)
    np.testing.assert_array_equal(
        later.result().ravel(), trnsci.Generator(3).random(
            14, np.float32)[8:])
    for alpha in [1.0, 2.0], np.array([1.0, 2.0]):
        x = session.draw("dirichlet", (3, 4), alpha=alpha).result()
        assert x.shape == (3, 4, 2)
    assert session.draw("gamma", (2, 3), shape=2.5).result().shape == (2, 3)


def test_parameters_may_be_arrays_and_tiles(session):
    scales = np.array([1.0, 100.0])
    tile = trnsci.Tile(2, "f64", session=session)
    tile.array[:] = scales
    plain = session.draw("normal", 6, "f64", seed=1).result()
    for given in scales, tile:
        drawn = session.draw("normal", 6, "f64", seed=1, std=given).result()
        np.testing.assert_allclose(drawn, plain * np.tile(scales, 3))


def test_operations_by_name(session):
    x = np.random.default_rng(1).normal(size=(4, 64))
    got = session.apply("fft", **{"in": x, "real": True}).result()
    np.testing.assert_allclose(got, np.fft.rfft(x), atol=1e-12)
    tile = trnsci.Tile((4, 64), "f64", session=session)
    tile.array[:] = x
    for given in tile, tile.array:
        got = session.apply("sum", **{"in": given, "axes": [0]}).result()
        np.testing.assert_allclose(got, x.sum(0))
    assert session.call("version").result()["stream_format"] == 1
    half = session.draw("normal", 5, "bf16").result()
    assert isinstance(half, trnsci.Tile) and half.dtype == "bf16"


def test_awaiting(session):
    async def main():
        one = await session.draw("normal", 5, seed=1)
        calls = [session.draw("normal", 50000, seed=i) for i in range(60)]
        many = await asyncio.gather(*calls)
        assert not session._loops
        return one, many

    one, many = asyncio.run(main())
    np.testing.assert_array_equal(one, session.draw("normal", 5,
                                                    seed=1).result())
    for i in 0, 33, 59:
        np.testing.assert_array_equal(
            many[i], session.draw("normal", 50000, seed=i).result())


def test_a_loop_turns_during_long_draws(session):
    async def main():
        turns = 0
        call = session.draw("normal", 4_000_000, "f64", seed=1)
        task = asyncio.ensure_future(call)
        while not task.done():
            turns += 1
            await Turn()
        return turns, (await task).shape

    turns, shape = asyncio.run(main())
    assert turns > 1 and shape == (4_000_000,)


def test_cancelling(session):
    async def main():
        task = asyncio.ensure_future(
            session.draw("normal", 8_000_000, "f64", seed=1))
        await Turn()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not session._loops
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(
                session.draw("normal", 8_000_000, "f64"), 0)
        return await session.draw("uniform", 3, seed=2)

    assert asyncio.run(main()).shape == (3,)
    call = session.draw("normal", 8_000_000, "f64", seed=1)
    call.cancel()
    try:
        assert call.result().shape == (8_000_000,)  # it was done before
    except trnsci.Error as error:
        assert error.name == "cancelled"


def test_calls_that_nobody_wants(session):
    gc.collect()
    before = sys.getrefcount(session)
    for _ in range(20):
        session.draw("normal", 100000, seed=1)
    gc.collect()
    assert sys.getrefcount(session) == before
    assert session.draw("normal", 3).result(5).shape == (3,)


def test_errors_arrive(session):
    async def main():
        for call in (lambda: session.draw("normal", 5, std=-1.0),
                     lambda: session.draw("nothing", 5),
                     lambda: session.draw("normal", 5, other=1)):
            with pytest.raises(trnsci.Error) as caught:
                await call()
            assert caught.value.name in ("out_of_range", "unknown_method",
                                         "unknown_parameter")
        assert (await session.draw("normal", 2)).shape == (2,)

    asyncio.run(main())
    for shape in 1.5, "a", -1, (2, -1), None, 2**63:
        with pytest.raises((TypeError, ValueError, trnsci.Error)):
            session.draw("normal", shape).result()
    for wrong in ({"dtype": "f99"}, {"dtype": "u2"}, {"seed": 1.5},
                  {"seed": -1}, {"stream": 2**64}, {"offset": "x"},
                  {"generator": 5}, {"std": object()}, {"std": {1: 2}},
                  {"std": [[1]]}, {"std": ["a"]}, {"std": "x\0"},
                  {"std": np.ones(2, "O")}, {"std": np.ones((1,) * 9)},
                  {"std": -2**70}, {"std": {"a": {"b": [object()]}}}):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            session.draw("normal", 3, **wrong).result()
    with pytest.raises(TypeError):
        session.draw(5, 1)
    assert session.draw("normal", (2, 0)).result().shape == (2, 0)
    deep = {}
    for _ in range(100000):
        deep = {"a": deep}
    with pytest.raises((RecursionError, trnsci.Error)):
        session.draw("normal", 1, std=deep).result()
    with pytest.raises(ValueError, match="timeout"):
        session.draw("normal", 3).result(-1)


def test_a_time_limit_leaves_the_call_on_its_way(session):
    call = session.draw("normal", 4_000_000, "f64", seed=1)
    try:
        call.result(0)
    except trnsci.ServiceTimeoutError:
        pass
    assert call.result().shape == (4_000_000,)


def test_several_loops_share_a_session(session):
    """Each thread has a loop; whichever sees an answer wakes the right one."""
    found = {}

    async def main(number):
        calls = [session.draw("normal", 20000, seed=100 * number + i)
                 for i in range(20)]
        return [x[-1] for x in await asyncio.gather(*calls)]

    def run(number):
        found[number] = asyncio.run(main(number))

    run_threads([functools.partial(run, i) for i in range(6)])
    assert not session._loops
    for number in range(6):
        for i in 0, 19:
            wanted = session.draw("normal", 20000, seed=100 * number + i)
            assert found[number][i] == wanted.result()[-1]


def test_loops_that_begin_and_end_while_others_wait(session, many_switches):
    """Every loop begins to watch the session, and stops, while others take
    answers."""
    async def main():
        for i in range(40):
            await asyncio.gather(*[session.draw("normal", 50_000 * (i % 5 + 1))
                                   for _ in range(i % 3 + 1)])

    for _ in range(10):
        run_threads([lambda: asyncio.run(main())] * 6)
        assert not session._loops


def test_many_wait_for_one_call(session, many_switches):
    """Tasks of several loops await a call, and threads wait for it."""
    async def main(call):
        async def one():
            return await call
        return [x.shape for x in await asyncio.gather(*[one() for _ in range(3)])]

    def wait(call, seen):
        try:
            seen.append(call.result().shape)
        except RuntimeError as error:  # another thread waits now
            assert str(error) == "the call is in use by another thread"

    for _ in range(40):
        call = session.draw("normal", 300_000)
        seen = []
        loop = functools.partial(
            lambda call: seen.extend(asyncio.run(main(call))), call)
        run_threads([loop, functools.partial(wait, call, seen), loop,
                     functools.partial(wait, call, seen)])
        assert seen.count((300_000,)) == len(seen) >= 7
        assert not session._loops


def test_a_loop_that_is_closed_while_a_call_is_awaited(session):
    """Its coroutine is ended afterwards, and other loops go on."""
    loop = asyncio.new_event_loop()
    call = session.draw("normal", 8_000_000, "f64")

    async def one():
        await call

    coroutine = one()
    loop.run_until_complete(start(loop, coroutine))
    loop.close()
    assert asyncio.run(both(call)) == (8_000_000,)
    del coroutine
    gc.collect()
    assert set(session._loops) <= {loop}


async def start(loop, coroutine):
    loop.create_task(coroutine)
    await Turn()
    await Turn()


async def both(call):
    return (await call).shape


def test_threads_wait_for_one_call(session):
    call = session.draw("normal", 3_000_000, seed=1)
    seen = []

    def wait():
        try:
            seen.append(call.result().shape)
        except RuntimeError as error:  # another thread waits now
            seen.append(str(error))

    run_threads([wait] * 4)
    assert (3_000_000,) in seen
    assert set(seen) <= {(3_000_000,), "the call is in use by another thread"}


def test_calls_of_a_child(session):
    call = session.draw("normal", 5)
    call.result()
    assert in_child(lambda: call._reply()).startswith("ServiceError: closed")
    assert in_child(lambda: call.done()) == "True"
    assert in_child(lambda: call.cancel()) == "None"


def test_closed_sessions_refuse(daemon):
    for address in "embedded:", daemon.socket:
        session = trnsci.Session(address)
        call = session.draw("normal", 5)
        awaited = session.draw("normal", 4_000_000)
        session.close()
        assert call.result().shape == (5,)
        assert asyncio.run(both(awaited)) == (4_000_000,)
        del awaited
        with pytest.raises(trnsci.ServiceError):
            session.draw("normal", 5)


def test_made_once(session):
    call = session.draw("normal", 5)
    with pytest.raises(TypeError):
        trnsci._core.Call.__init__(call, session, "ping")
    with pytest.raises(TypeError):
        trnsci._core.Ring.__init__(trnsci.Ring("normal"), None, "normal", {},
                                   {}, 0)


# ---- Traces ----

def test_traces(session):
    g = np.random.default_rng(1)
    a = g.normal(size=(200, 200))
    a = a @ a.T
    for method in "hutchinson", "hutchpp":
        for dtype in np.float64, np.float32:
            found = trnsci.trace(a.astype(dtype), 90, method=method, seed=1,
                                 session=session)
            assert abs(found.estimate - a.trace()) < 6 * found.standard_error
    tile = trnsci.Tile((200, 200), "f64", session=session)
    tile.array[:] = a
    assert trnsci.trace(tile, session=session) == trnsci.trace(
        a, session=session)
    assert trnsci.trace(np.eye(3, dtype=int)) == (3.0, 0.0)
    assert np.isnan(trnsci.trace([[2.0]], 1).standard_error)
    for wrong, error in (((np.ones((2, 3)),), ValueError),
                         ((np.ones(3),), ValueError), (("a",), TypeError),
                         ((np.eye(2) * 1j,), TypeError),
                         ((np.eye(2), 0), ValueError),
                         ((np.eye(2), "x"), TypeError)):
        with pytest.raises(error):
            trnsci.trace(*wrong)


def test_vectors_have_numpys_shape(session):
    """Also those of one component, and none of them."""
    numpys = np.random.default_rng(1)
    for n in 0, 4, (2, 3):
        for alpha in [2.0], [2.0, 1.0], [1.0] * 7:
            for given in alpha, tuple(alpha), np.array(alpha):
                x = session.draw("dirichlet", n, alpha=given).result()
                assert x.shape == numpys.dirichlet(alpha, n).shape
                assert x.shape == trnsci.Generator(1).dirichlet(alpha, n).shape
                np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-6)
        for shares in [1.0], [0.25, 0.75]:
            x = session.draw("multinomial", n, trials=9, shares=shares)
            assert x.result().shape == numpys.multinomial(9, shares, n).shape
            assert (x.result().sum(-1) == 9).all()
        for d in 1, 2, 3, 5:
            x = session.draw("sphere", n, dimensions=d).result()
            assert x.shape == ((n,) if isinstance(n, int) else n) + (d,)
            np.testing.assert_allclose((x ** 2).sum(-1), 1, rtol=1e-5)
    assert session.draw("sphere", 2).result().shape == (2, 3)
    for wrong in {}, {"alpha": 5}, {"alpha": "x"}:
        with pytest.raises((TypeError, ValueError, trnsci.Error)):
            session.draw("dirichlet", 3, **wrong).result()


def test_the_reach_of_normals(session):
    """Sample 1039533611 of this stream lies at -6.27. By 24 bits none can lie
    beyond sqrt(2 ln 2^25) = 5.887."""
    place = {"seed": 3, "offset": 1039533600}
    wide = session.draw("normal", 32, "f4", method="boxmuller64",
                        **place).result()
    assert wide.dtype == np.float32 and wide[11] == np.float32(-6.2707129)
    narrow = session.draw("normal", 10**6, "f4", method="boxmuller",
                          **place).result()
    assert np.abs(narrow).max() < 5.887
    np.testing.assert_array_equal(
        narrow[:32], session.draw("normal", 32, "f4", **place).result())
    with trnsci.Ring("normal", "f4", method="boxmuller64", session=session,
                     **place) as ring:
        np.testing.assert_array_equal(ring.take(32), wide)
    p = program.Program(session=session)
    run = p.compile(p.normal(32, "f4", method="boxmuller64"))
    np.testing.assert_array_equal(run(**place), wide)
    assert 10**10 * math.erfc(5.88 / 2 ** 0.5) == pytest.approx(41, abs=0.5)
