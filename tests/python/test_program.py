# SPDX-License-Identifier: Apache-2.0
"""Programs from expressions: what the same steps give one by one."""
import threading

import numpy as np
import pytest

import trnsci
from trnsci.program import Program

A = np.random.default_rng(1).normal(size=(4, 256)).astype(np.float32)
B = np.random.default_rng(2).normal(size=(4, 256)).astype(np.float32)


def test_noise_and_a_transform(session):
    p = Program(seed=1, session=session)
    x = p.input((4, 256))
    f = p.compile(p.fft(x + 0.1 * p.normal()))
    for seed in 1, 7, 1, 1, 1, 2, 3:  # prepared from the fourth run on
        noise = session.draw("normal", (4, 256), seed=seed).result()
        np.testing.assert_allclose(f(A, seed=seed),
                                   np.fft.fft(A + np.float32(0.1) * noise),
                                   atol=2e-4)
    np.testing.assert_array_equal(f(A), f(A, seed=1))
    later = session.draw("normal", (4, 256), seed=1, offset=16).result()
    np.testing.assert_allclose(f(A * 0, offset=16),
                               np.fft.fft(np.float32(0.1) * later), atol=2e-4)


def test_every_operator(session):
    p = Program(session=session)
    x, y = p.input((4, 256)), p.input((4, 256), "float32")
    expressions = {
        "add": (x + y, A + B), "subtract": (x - y, A - B),
        "multiply": (x * y, A * B), "divide": (x / y, A / B),
        "abs": (abs(x), abs(A)), "square": (x**2, A**2),
        "sqrt": (abs(x)**0.5, abs(A)**0.5), "minus": (-x, -A),
        "plus": (+(x * 1), A), "numbers": (2 * x + 1 - 0.5, 2 * A + 0.5),
        "from a number": (3 - x, 3 - A), "by a number": (x / 4, A / 4),
        "array on the left": (A + x, A + A), "array": (x * B, A * B),
        "array taken from": (B - x, B - A), "list": (x * [2.0], A * 2),
        "last dimension": (x + B, A + B), "row": (x * B[0], A * B[0]),
        "numpy's number": (np.float32(2) * x, 2 * A),
        "noise minus": ((p.uniform(low=1, high=1.000001) - x), 1 - A),
        "matrix product": (x @ B.T, A @ B.T),
    }
    for name, (expression, wanted) in expressions.items():
        got = p.compile(expression)(A, B)
        np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=1e-4,
                                   err_msg=name)


def test_operations_are_methods(session):
    p = Program(seed=5, session=session)
    x = p.input((4, 256))
    power = p.welch(x, nperseg=64, fs=10.0)
    points = p.sobol(8, d=3)
    gamma = p.gamma((3, 5), "f64", shape=2.5)
    lone = p.normal(6)
    total = p.sum(abs(p.fft(x, real=True)), axes=[1])
    f = p.compile(power, points, gamma, lone, total, power)
    got = f(A)
    np.testing.assert_allclose(got[0], trnsci.signal.welch(
        A, 10.0, nperseg=64)[1], rtol=1e-5)
    assert got[5] is got[0]
    assert got[1].shape == (8, 3) and got[2].shape == (3, 5)
    np.testing.assert_array_equal(
        got[2], session.draw("gamma", (3, 5), "f64", seed=5,
                             shape=2.5).result())
    assert got[3].shape == (6,)
    np.testing.assert_allclose(got[4], abs(np.fft.rfft(A)).sum(1), rtol=1e-5)


def test_steps_that_nothing_needs_are_left_out(session):
    p = Program(seed=1, session=session)
    p.normal(10**9)
    y = p.normal(5)
    f = p.compile(y)
    assert repr(f) == "<trnsci.program.Compiled: 1 steps, 0 inputs, 1 outputs>"
    np.testing.assert_array_equal(f(), session.draw("normal", 5,
                                                    seed=1).result())


def test_tiles_are_used_where_they_lie(session):
    p = Program(session=session)
    x = p.input((4, 256))
    f = p.compile(2 * x)
    given, out = (trnsci.Tile((4, 256), session=session) for _ in range(2))
    given.array[:] = A
    for _ in range(6):
        assert f(given, out=out).ctypes.data == out.array.ctypes.data
        np.testing.assert_array_equal(out.array, 2 * A)
        np.testing.assert_array_equal(f(B), 2 * B)
    large = Program(session=session)
    z = large.input(300000, "f64")
    g = large.compile(z + 1.0)
    first, second = g(np.zeros(300000)), g(np.ones(300000))
    assert first[-1] == 1 and second[-1] == 2


def test_many_inputs(session):
    p = Program(session=session)
    inputs = [p.input(3) for _ in range(9)]
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    f = p.compile(total)
    for _ in range(5):
        np.testing.assert_array_equal(f(*np.eye(9, 3)), [1, 1, 1])
    with pytest.raises(ValueError, match="6"):
        f(*np.eye(9, 3), out=trnsci.Tile(3, session=session))


def test_threads_call_one_program(session):
    p = Program(session=session)
    f = p.compile(p.input(1000) * 2)
    wrong = []

    def work(number):
        for _ in range(20):
            if not (f(np.full(1000, number)) == 2 * number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_wrong_programs(session):
    p, other = Program(session=session), Program(session=session)
    x = p.input((4, 256))
    for make, error in (
            (lambda: p.nothing, AttributeError),
            (lambda: p.run(), AttributeError),
            (lambda: p.fft(other.input(3)), ValueError),
            (lambda: p.fft("x"), TypeError),
            (lambda: p.fft(x, x), TypeError),
            (lambda: p.add(x, a=x), TypeError),
            (lambda: p.normal(1, 2, 3), TypeError),
            (lambda: p.normal("x"), TypeError),
            (lambda: p.normal(3, "f99"), TypeError),
            (lambda: p.normal() + p.normal(), TypeError),
            (lambda: p.normal() + 1, TypeError),
            (lambda: p.normal() * x, TypeError),
            (lambda: x + "a", TypeError), (lambda: x * 1j, TypeError),
            (lambda: x**3, TypeError), (lambda: x + None, TypeError),
            (lambda: 1 / x, TypeError),
            (lambda: p.compile(), ValueError),
            (lambda: p.compile(x), ValueError),
            (lambda: p.compile(p.normal()), TypeError),
            (lambda: p.compile(other.normal(3)), TypeError),
            (lambda: p.input((1,) * 9), ValueError),
            (lambda: p.compile(p.normal(3, std=-1))(A), ValueError),
            (lambda: p.compile(p.fft(x, norm="x"))(A), ValueError),
            (lambda: p.compile(p.fft(x, other=1))(A), TypeError),
            (lambda: p.compile(x + np.ones(7))(A), ValueError)):
        with pytest.raises(error):
            make()
    f = p.compile(x * 2)
    for args, options, error in (
            ((), {}, TypeError), ((A, A), {}, TypeError),
            ((A[:, :3],), {}, ValueError), (("x",), {}, (TypeError,
                                                         ValueError)),
            ((A * 1j,), {}, TypeError), ((A,), {"seed": -1}, ValueError),
            ((A,), {"out": (1, 2)}, ValueError), ((A,), {"out": 5},
                                                  TypeError),
            ((trnsci.Tile(3, session=session),), {}, ValueError),
            ((A,), {"out": trnsci.Tile(3, session=session)},
             (ValueError, trnsci.Error))):
        with pytest.raises(error):
            f(*args, **options)
    np.testing.assert_array_equal(f(A), 2 * A)
