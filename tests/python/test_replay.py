# SPDX-License-Identifier: Apache-2.0
"""trnsci.replay: published numbers of other frameworks in their own words;
NumPy's beside the installed one. tests/vectors/layouts.txt has the sources of
those that the engine draws alone."""
import numpy as np
import pytest

from trnsci import replay
from trnsci.replay import curand, jax, tensorflow, torch_cuda


# ---- JAX: tests/random_test.py; docs.jax.dev, "Pseudorandom numbers" ----

@pytest.mark.parametrize("seed, x64, expected", [
    (0, False, [0, 0]), (3, False, [0, 3]), (-1, True, [2**32 - 1] * 2),
    (-1, False, [0, 2**32 - 1]), (2**31 + 99, False, [0, 2147483747]),
    (-2**31 - 100, True, [4294967295, 2147483548]),
    (-2**31 - 100, False, [0, 2147483548])])
def test_jax_key(seed, x64, expected):
    assert jax.PRNGKey(seed, enable_x64=x64).tolist() == expected


def test_jax_original():
    key = jax.key(0)
    assert jax.split(key, 4, partitionable=False).tolist() == [
        [2285895361, 1501764800], [1518642379, 4090693311],
        [433833334, 4221794875], [839183663, 3740430601]]
    assert jax.fold_in(key, 4).tolist() == [2285895361, 433833334]
    bits = {dtype: jax.bits(jax.key(1701), (3,), dtype, partitionable=False)
            for dtype in ("u1", "u2", "u4", "u8")}
    assert bits["u1"].tolist() == [216, 115, 43]
    assert bits["u2"].tolist() == [41682, 1300, 55017]
    assert bits["u4"].tolist() == [56197195, 4200222568, 961309823]
    assert bits["u8"].tolist() == [3982329540505020460, 16822122385914693683,
                                   7882654074788531506]
    seed = jax.key(942802475)
    assert jax.bits(seed, (5,), "u1", partitionable=False).tolist() == [
        10, 158, 82, 54, 158]
    assert jax.bits(seed, (5,), "u2", partitionable=False).tolist() == [
        6738, 38161, 50695, 57337, 61600]


def test_jax_partitionable():
    key = jax.key(42)
    drawn = []
    for _ in range(3):
        key, subkey = jax.split(key)
        drawn.append(jax.normal(subkey))
    np.testing.assert_allclose(drawn, [0.6057640314102173,
                                       -0.21089035272598267,
                                       -0.3948981463909149], rtol=2e-7)
    keys = jax.split(jax.key(42), 3)
    np.testing.assert_allclose(
        [jax.normal(k) for k in keys],
        np.float32([0.07592554, 0.60576403, 0.4323065]), rtol=2e-7)
    # test_threefry_split_fold_in_symmetry
    for i, k in enumerate(jax.split(jax.key(72), 3)):
        assert np.array_equal(jax.fold_in(jax.key(72), i), k)


@pytest.mark.parametrize("partitionable", [False, True])
def test_jax_permutation(partitionable):
    key = jax.key(9)
    x = jax.permutation(key, np.arange(100, 5100), partitionable=partitionable)
    y = jax.permutation(key, 5000, partitionable=partitionable)
    assert np.array_equal(x, y + 100)
    assert np.array_equal(np.sort(y), np.arange(5000))
    # Two rounds of sorting, since 5000^3 is above 2^32.
    order = np.arange(5000)
    for _ in range(2):
        key, subkey = jax.split(key, partitionable=partitionable)
        words = jax.bits(subkey, 5000, partitionable=partitionable)
        order = order[np.argsort(words, kind="stable")]
    assert np.array_equal(y, order)


def test_jax_refuses():
    with pytest.raises(TypeError, match="key: got"):
        jax.normal(7)
    with pytest.raises(ValueError, match="dtype: got int8, allowed are"):
        jax.bits(jax.key(0), (3,), np.int8)


# ---- PyTorch: TensorRT-LLM's tests of redrafter, storch's BasicExample ----

def test_torch_cuda():
    torch_cuda.manual_seed(0)
    np.testing.assert_allclose(
        torch_cuda.rand(3, 3), [[0.3990, 0.5167, 0.0249],
                                [0.9401, 0.9459, 0.7967],
                                [0.4150, 0.8203, 0.2290]], atol=6e-5)
    np.testing.assert_allclose(
        torch_cuda.rand((3, 3)), [[0.9722, 0.7910, 0.4690],
                                  [0.3300, 0.3345, 0.3783],
                                  [0.7640, 0.6405, 0.1103]], atol=6e-5)
    with pytest.raises(TypeError, match="device: missing"):
        torch_cuda.randn(100000)
    generator = torch_cuda.Generator("a100").manual_seed(0)
    few = torch_cuda.randn(8, generator=generator)
    assert generator.offset == 4
    generator.manual_seed(0)
    many = torch_cuda.randn(221184 * 4 + 1, generator=generator)
    assert generator.offset == 8 and np.array_equal(few, many[:8])


def test_torch_randint():
    generator = torch_cuda.Generator(blocks=1).manual_seed(5)
    x = torch_cuda.randint(-3, 4, (2, 500), generator=generator)
    assert x.dtype == np.int64 and x.min() == -3 and x.max() == 3
    # Element t + 256 j of one block is word j of subsequence t.
    state = curand.curand_init(5, 17, 0)
    words = curand.curand(state, 3)
    assert x.ravel()[[17, 17 + 256, 17 + 512]].tolist() == \
        (words % 7 - 3.0).tolist()


# ---- TensorFlow: tensorflow.org/guide/random_numbers ----

def test_tensorflow():
    x = tensorflow.stateless_normal(shape=[2, 3], seed=[1, 2])
    np.testing.assert_allclose(x, [[0.5441101, 0.20738031, 0.07356433],
                                   [0.04643455, -1.30159, -0.95385665]],
                               rtol=3e-7)
    ints = tensorflow.stateless_uniform([10], (2, 3), None, None, np.int64)
    assert np.array_equal(
        tensorflow.stateless_uniform([10], (2, 3), 0, 1000, np.int64),
        (ints.view(np.uint64) % np.uint64(1000)).astype(np.int64))
    assert tensorflow.stateless_uniform([1], [-1, 0]) == \
        tensorflow.stateless_uniform([1], [2**64 - 1, 0])


def test_xla_pairs():
    """Normals are pairs along the first axis of an even length."""
    u = tensorflow.stateless_uniform([4, 3], [1, 2], jit_compile=True)
    z = tensorflow.stateless_normal([4, 3], [1, 2], jit_compile=True)
    r = np.sqrt(-2 * np.log(u[::2].astype(float)))
    angle = 2 * np.pi * u[1::2].astype(float)
    np.testing.assert_allclose(z[::2], r * np.sin(angle), atol=1e-6)
    np.testing.assert_allclose(z[1::2], r * np.cos(angle), atol=1e-6)


# ---- cuRAND ----

def test_curand_state():
    state = curand.curand_init(7, 3, 1)
    pairs = curand.curand_normal(curand.curand_init(7, 3, 1), 6)
    parts = [curand.curand_normal(state, n) for n in (1, 2, 0, 3)]
    assert np.array_equal(np.concatenate(parts), pairs)
    assert state.offset == 7
    assert len(curand.curand_normal_double(state, 3)) == 3
    assert state.offset == 15


# ---- NumPy, beside the installed one ----

SEEDS = [0, 1, 0xdeadbeaf, 2**40 + 3, 2**80 + 5, [1, 2, 3]]


def both(seed):
    bits = np.random.Philox(seed)
    return replay.numpy.Philox(seed), bits, np.random.Generator(bits)


@pytest.mark.parametrize("seed", SEEDS)
def test_numpy(seed):
    ours, bits, theirs = both(seed)
    legacy = np.random.RandomState(bits)
    pairs = [
        lambda: (ours.random_raw(3), bits.random_raw(3)),
        lambda: (ours.random(2), theirs.random(2)),
        lambda: (ours.random(3, np.float32), theirs.random(3, np.float32)),
        lambda: (ours.random_raw((2, 1)), bits.random_raw((2, 1))),
        lambda: (ours.integers(-5, 1000, 5), theirs.integers(-5, 1000, 5)),
        lambda: (ours.integers(0, 3 * 10**9, 3, np.uint32),
                 theirs.integers(0, 3 * 10**9, 3, np.uint32)),
        lambda: (ours.random(), theirs.random()),
        lambda: (ours.integers(-2**31, 2**31, 7, np.int32),
                 theirs.integers(-2**31, 2**31, 7, np.int32)),
        lambda: (ours.integers(0, 3 * 2**61, 50),
                 theirs.integers(0, 3 * 2**61, 50)),
        lambda: (ours.integers(6, size=3, endpoint=True),
                 theirs.integers(6, size=3, endpoint=True)),
        lambda: (ours.integers(0, 700, 9, masked=True),
                 legacy.randint(0, 700, 9)),
        lambda: (ours.integers(0, 2**62 + 5, 9, masked=True),
                 legacy.randint(0, 2**62 + 5, 9)),
    ]
    for _ in range(4):
        for number, pair in enumerate(pairs):
            got, expected = pair()
            assert np.array_equal(got, expected), (number, got, expected)


def test_numpy_key():
    ours = replay.numpy.Philox(key=5 + 2**70, counter=77)
    assert np.array_equal(
        ours.random_raw(9),
        np.random.Philox(key=5 + 2**70, counter=77).random_raw(9))
    with pytest.raises(ValueError, match="counter: got"):
        replay.numpy.Philox(1, counter=2**61)
    with pytest.raises(ValueError, match="both or neither"):
        replay.numpy.Philox()


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("seed", [0, 12345, 2**50 + 1])
def test_numpy_normals(seed, dtype):
    """Exact but for the tails beyond 3.65, where the logarithm is another."""
    import trnsci
    expected = np.random.Generator(np.random.Philox(seed)).standard_normal(
        1000000, dtype)
    session = trnsci.default_session()
    got = session.draw("normal", 1000000, dtype, seed=seed,
                       layout="numpy").result()
    tail = abs(expected) > 3.654152
    assert np.array_equal(got[~tail], expected[~tail]) and tail.sum() > 100
    assert (abs(got - expected) <= 2 * np.spacing(abs(expected))).all()
    moved = session.draw("normal", 500, dtype, seed=seed, layout="numpy",
                         offset=999500, mean=2.0, std=0.5).result()
    assert np.array_equal(moved, np.dtype(dtype).type(2) +
                          np.dtype(dtype).type(0.5) * got[999500:])


@pytest.mark.parametrize("seed", [0, 12345, 2**50 + 1])
@pytest.mark.parametrize("dtype, low, high", [
    ("i8", 0, 3 * 2**61), ("i8", -7, 2**31), ("i4", 0, 2**31 - 1),
    ("u4", 0, 2**32), ("u8", 5, 6), ("i8", -2**63, 2**63)])
def test_numpy_engine(seed, dtype, low, high):
    """The engine's own integers, made in order, and parts of them."""
    import trnsci
    expected = np.random.Generator(np.random.Philox(seed)).integers(
        low, high, 5000, dtype)
    got = [trnsci.default_session().draw(
        "randint", n, dtype, seed=seed, layout="numpy", low=low, high=high,
        offset=offset).result() for n, offset in ((5000, 0), (600, 4400))]
    assert np.array_equal(got[0], expected)
    assert np.array_equal(got[1], expected[4400:])
