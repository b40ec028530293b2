# SPDX-License-Identifier: Apache-2.0
"""What holds for every draw and every transform, by hypothesis."""
import os

import numpy as np
import pytest

import trnsci

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
settings = hypothesis.settings(
    max_examples=1000 if os.environ.get("TRNSCI_FULL") else 40, deadline=None,
    derandomize=True, database=None)

DRAWS = [lambda g, n: g.random(n), lambda g, n: g.random(n, np.float32),
         lambda g, n: g.normal(1, 2, n), lambda g, n: g.poisson(3, n),
         lambda g, n: g.gamma(np.linspace(0.5, 2, n) if n else 1.0, size=n),
         lambda g, n: g.integers(0, 9, n, dtype=np.int8),
         lambda g, n: g.dirichlet([1, 2], n), lambda g, n: g.permutation(n),
         lambda g, n: g.choice(n + 1, n, replace=False),
         lambda g, n: g.integers(np.arange(n), 2**40)]
draws = st.lists(st.tuples(st.sampled_from(range(len(DRAWS))),
                           st.integers(0, 300)), max_size=6)


@settings
@hypothesis.given(draws, st.integers(1, 5), st.integers(0, 2**64 - 1))
def test_parts_join_in_every_sequence(sequence, size, seed):
    whole = trnsci.Generator(seed)
    parts = [trnsci.Generator(seed, rank=r, size=size) for r in range(size)]
    for which, n in sequence:
        place = whole.position
        made = DRAWS[which](whole, n)
        np.testing.assert_array_equal(
            np.concatenate([DRAWS[which](g, n) for g in parts]), made)
        assert whole.position % 4 == 0 and whole.position >= place
        assert all(g.position == whole.position for g in parts)


@settings
@hypothesis.given(draws, st.integers(0, 2**62))
def test_a_draw_depends_on_its_place_alone(sequence, place):
    """Whatever was drawn ahead before."""
    g = trnsci.Generator(3)
    g.position = place // 4 * 4
    for which, n in sequence:
        fresh = trnsci.Generator(3)
        fresh.position = g.position
        np.testing.assert_array_equal(DRAWS[which](g, n),
                                      DRAWS[which](fresh, n))


@settings
@hypothesis.given(st.lists(st.integers(1, 9), min_size=1, max_size=5),
                  st.data())
def test_inverses(shape, data):
    x = trnsci.Generator(1).normal(size=shape)
    axes = data.draw(st.lists(st.sampled_from(range(len(shape))), min_size=1,
                              unique=True))
    norm = data.draw(st.sampled_from([None, "ortho", "forward"]))
    fft = trnsci.fft
    lengths = [shape[axis] for axis in axes]
    close = dict(rtol=0, atol=1e-13 * np.abs(x).max() * x.size)
    there = fft.fftn(x, axes=axes, norm=norm)
    np.testing.assert_allclose(fft.ifftn(there, axes=axes, norm=norm), x,
                               **close)
    half = fft.rfftn(x, axes=axes, norm=norm)
    np.testing.assert_allclose(
        fft.irfftn(half, lengths, axes=axes, norm=norm), x, **close)
    kind = data.draw(st.sampled_from([2, 3, 4]))
    there = fft.dstn(x, kind, axes=axes, norm=norm)
    np.testing.assert_allclose(fft.idstn(there, kind, axes=axes, norm=norm), x,
                               **close)
