# SPDX-License-Identifier: Apache-2.0
"""trnsci.BitGenerator behind numpy's Generator and RandomState."""
import os
import pickle

import numpy as np
import pytest
from scipy import stats

import trnsci


def words(n, **options):
    """The stream's words two at a time, the low half first."""
    g = trnsci.Generator(1, **options)
    return np.frombuffer(g.bytes(8 * n), np.uint64)


@pytest.mark.parametrize("options", [
    {}, {"stream": 5}, {"generator": "philox4x32", "stream": 3},
    {"generator": "ars4x32_7", "stream": 2**40},
    {"generator": "threefry4x32_trn", "stream": 2**40},
    {"generator": "threefry2x32", "stream": 3},
    {"generator": "philox2x32", "stream": 3},
    {"generator": "threefry4x64", "stream": 2**40},
    {"generator": "philox4x64", "stream": 2**40}])
def test_words(options):
    bits = trnsci.BitGenerator(1, **options)
    np.testing.assert_array_equal(bits.random_raw(3000),
                                  words(3000, **options))


def test_halves_are_buffered():
    bits = trnsci.BitGenerator(1)
    g = np.random.Generator(bits)
    halves = np.frombuffer(trnsci.Generator(1).bytes(40), np.uint32)
    drawn = [int(g.integers(0, 2**32, dtype=np.uint32)) for _ in range(3)]
    assert drawn == halves[:3].tolist()
    assert bits.state["has_uint32"] == 1
    assert bits.state["uinteger"] == halves[3]
    assert bits.random_raw() == words(3)[2]
    assert int(g.integers(0, 2**32, dtype=np.uint32)) == halves[3]


def test_who_takes_it():
    for g in (np.random.Generator(trnsci.BitGenerator(1)),
              np.random.default_rng(trnsci.BitGenerator(1)),
              np.random.RandomState(trnsci.BitGenerator(1))):
        assert g.random_sample(3).shape == (3,) if hasattr(
            g, "random_sample") else g.random(3).shape == (3,)
    np.testing.assert_array_equal(
        np.random.Generator(trnsci.BitGenerator(1)).random(1000),
        trnsci.Generator(1).random(1000))
    state = np.random.RandomState(trnsci.BitGenerator(2))
    assert stats.kstest(state.standard_normal(4000), "norm").pvalue > 1e-3
    assert stats.norm.rvs(size=3, random_state=state).shape == (3,)
    assert isinstance(trnsci.BitGenerator(1), np.random.BitGenerator)


def test_a_generator_hands_over_its_place():
    g = trnsci.Generator(3)
    g.normal(size=10)
    np.testing.assert_array_equal(
        np.random.Generator(g.bit_generator).random(20), g.random(20))


def test_state_and_copies():
    bits = trnsci.BitGenerator(4, stream=2)
    g = np.random.Generator(bits)
    g.random(1500)
    g.integers(0, 2**32, dtype=np.uint32)
    state = bits.state
    expected = g.normal(size=2000)
    bits.state = state
    np.testing.assert_array_equal(g.normal(size=2000), expected)
    bits.state = state
    other = pickle.loads(pickle.dumps(bits))
    assert other.state == state
    np.testing.assert_array_equal(
        np.random.Generator(other).normal(size=2000), expected)
    with pytest.raises(ValueError):
        bits.state = np.random.PCG64(1).state
    with pytest.raises(TypeError):
        bits.state = 3


def test_state_of_another_stream():
    """The numpy generator copied where the words are; they must stay there."""
    bits = trnsci.BitGenerator(4)
    g = np.random.Generator(bits)
    g.random(3)
    bits.state = trnsci.BitGenerator(5, stream=9).state
    np.testing.assert_array_equal(g.random(10),
                                  trnsci.Generator(5, stream=9).random(10))


def test_places():
    bits = trnsci.BitGenerator(5)
    first = bits.random_raw(10)
    assert bits.advance(-10) is bits
    np.testing.assert_array_equal(bits.random_raw(10), first)
    assert bits.jumped(2).state["state"]["position"] == 10 + (2 << 55)
    a, b = bits.spawn(2)
    c, = bits.spawn(1)
    assert len({a.seed, b.seed, c.seed, bits.seed}) == 4
    end = trnsci.BitGenerator(5)
    end.advance(2**63 - 1)
    end.random_raw()
    assert end.random_raw() == first[0]


def test_pickled_generators():
    """numpy before 1.25 looks the bit generator up by its name."""
    g = np.random.Generator(trnsci.BitGenerator(6))
    if np.lib.NumpyVersion(np.__version__) < "1.25.0":
        with pytest.raises(ValueError):
            pickle.loads(pickle.dumps(g))
    else:
        assert pickle.loads(pickle.dumps(g)).random() == g.random()


def test_a_forked_child_goes_on():
    bits = trnsci.BitGenerator(7)
    bits.random_raw(5)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, bits.random_raw(3000).tobytes()[-8:])
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 8) == bits.random_raw(3000).tobytes()[-8:]
    assert os.waitpid(child, 0)[1] == 0
    os.close(reader)
