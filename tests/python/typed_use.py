# SPDX-License-Identifier: Apache-2.0
"""Checked by mypy --strict, not run: how typed programs use the package."""
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trnsci


def draw(session: trnsci.Session) -> float:
    rng = trnsci.Generator(1, rank=0, size=2, session=session)
    one: float = rng.normal() + rng.random() + rng.standard_cauchy()
    many: NDArray[np.float64] = rng.gamma([1.0, 2.0], size=(3, 2))
    counts: NDArray[np.int64] = rng.poisson(3.0, 10)
    count: int = rng.poisson(3.0)
    rng.shuffle(counts)
    child: trnsci.Generator = rng.spawn(2)[0]
    words = np.random.Generator(trnsci.BitGenerator(child.seed))
    return one + float(many.sum()) + count + words.random()


def transform(x: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    spectrum = trnsci.fft.rfft(x, norm="ortho", precision="kahan", workers=2)
    with trnsci.fft.set_workers(2):
        return trnsci.fft.irfft(spectrum * 2, len(x))
