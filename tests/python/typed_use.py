# SPDX-License-Identifier: Apache-2.0
"""Checked by mypy --strict, not run: how typed programs use the package."""
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trnsci


def draw(session: trnsci.Session) -> float:
    assert trnsci.default_rng(1).seed == 1
    rng = trnsci.Generator(1, rank=0, size=2, session=session)
    one: float = rng.normal() + rng.random() + rng.standard_cauchy()
    many: NDArray[np.float64] = rng.gamma([1.0, 2.0], size=(3, 2))
    counts: NDArray[np.int64] = rng.poisson(3.0, 10)
    count: int = rng.poisson(3.0)
    index: np.int64 = rng.integers(0, 10)
    indices: NDArray[np.int64] = rng.integers([3, 4], size=(3, 2))
    small: NDArray[np.uint8] = rng.integers(0, 10, 5, np.uint8)
    one_small: np.uint8 = rng.integers(10, dtype=np.uint8)
    plain: int = rng.integers(0, 10, dtype=int)
    count += int(index) + int(indices[0]) + int(small[0] + one_small) + plain
    rng.shuffle(counts)
    child: trnsci.Generator = rng.spawn(2)[0]
    words = np.random.Generator(trnsci.BitGenerator(child.seed))
    return one + float(many.sum()) + count + words.random()


def transform(x: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    spectrum = trnsci.fft.rfft(x, norm="ortho", precision="kahan", workers=2)
    with trnsci.fft.set_workers(2):
        return trnsci.fft.irfft(spectrum * 2, len(x))


def signals(x: NDArray[np.float64]) -> NDArray[Any]:
    f, t, z = trnsci.signal.stft(x, fs=10.0, window=("tukey", 0.25))
    window: NDArray[np.float64] = trnsci.signal.windows.hann(len(z))
    window *= trnsci.signal.get_window(("kaiser", 2.0), len(z))
    points = trnsci.qmc.Sobol(2, seed=1).random_base2(4)
    return trnsci.signal.convolve(window * z[0], points[:, 0], mode="same")


async def calls(session: trnsci.Session) -> float:
    x: NDArray[np.float32] = await session.draw("normal", (2, 3), seed=1)
    estimate: float = trnsci.trace(np.eye(3), session=session).estimate
    with trnsci.Ring("normal", batch=10, session=session) as ring:
        for part in ring:
            estimate += float(part.sum())
        with ring.borrow(3) as samples:
            estimate += float(samples.array.sum())
    stream = trnsci.Stream.create("name", session=session)
    names = [str(about["name"]) for about in trnsci.Stream.list()]
    with trnsci.Broadcast("b") as reader:
        seen = reader.last
    offset: int = stream.last.offset if stream.last else 0
    return estimate + offset + float(x.sum()) + float(stream.draw("normal", 3).sum()) \
        + len(names) + (seen.first if seen else 0)


def program(x: NDArray[np.float32]) -> NDArray[np.complex64]:
    p = trnsci.program.Program(seed=1)
    run = p.compile(p.fft(p.input((4, 256)) * 2 + 0.1 * p.normal()))
    result: NDArray[np.complex64] = run(x, seed=3)
    return result
