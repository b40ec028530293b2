# SPDX-License-Identifier: Apache-2.0
"""trnsci.Generator: the numbers, their places, parts of draws, copies."""
import copy
import os
import pickle
import subprocess
import threading

import numpy as np
import pytest
from scipy import stats

import trnsci

# Every method that draws numbers, with parameters.
DRAWS = {
    "random": (), "standard_normal": (), "standard_exponential": (),
    "standard_cauchy": (), "standard_gamma": (2.5,), "uniform": (-1.0, 3.0),
    "normal": (5.0, 0.25), "laplace": (1.0, 2.0), "gumbel": (1.0, 2.0),
    "exponential": (0.3,), "rayleigh": (2.0,), "gamma": (0.7, 2.0),
    "chisquare": (3.0,), "standard_t": (4.0,), "weibull": (1.5,),
    "beta": (2.0, 0.5), "lognormal": (0.5, 0.25), "poisson": (3.5,),
    "binomial": (20, 0.3), "geometric": (0.2,), "integers": (-5, 90),
    "f": (3.0, 7.0), "logistic": (1.0, 2.0), "pareto": (3.0,),
    "power": (2.5,), "triangular": (-1.0, 0.5, 2.0), "wald": (2.0, 3.0),
    "hypergeometric": (15, 20, 9), "logseries": (0.6,),
    "negative_binomial": (4.0, 0.3), "noncentral_chisquare": (3.0, 2.0),
    "noncentral_f": (3.0, 9.0, 1.0), "vonmises": (0.5, 2.0), "zipf": (2.5,),
}
FLOATS = ("random", "standard_normal", "standard_exponential",
          "standard_gamma")


def command_line(*args):
    """What the command draws, embedded, as an array."""
    program = os.path.join(os.environ["BUILD"], "bin", "trnsci-cli")
    raw = subprocess.run([program, "--embedded", "-q", "rand", *args,
                          "--format", "raw"], check=True,
                         stdout=subprocess.PIPE).stdout
    return raw


@pytest.mark.parametrize("args, draw", [
    (("uniform", "--low", "-1", "--high", "3"), lambda g: g.uniform(-1, 3, 7)),
    (("normal", "--mean", "5", "--std", "0.1"), lambda g: g.normal(5, .1, 7)),
    (("laplace", "--loc", "1", "--scale", "3"), lambda g: g.laplace(1, 3, 7)),
    (("gumbel", "--loc", "1", "--scale", "3"), lambda g: g.gumbel(1, 3, 7)),
    (("exponential", "--rate", "4"), lambda g: g.exponential(0.25, 7)),
    (("gamma", "--shape", "0.7", "--scale", "3"), lambda g: g.gamma(.7, 3, 7)),
    (("beta", "--alpha", "2", "--beta", "3"), lambda g: g.beta(2, 3, 7)),
    (("lognormal", "--mean", "1", "--std", "2"),
     lambda g: g.lognormal(1, 2, 7)),
    (("weibull", "--shape", "1.5"), lambda g: g.weibull(1.5, 7)),
    (("cauchy",), lambda g: g.standard_cauchy(7)),
    (("student_t", "--df", "5"), lambda g: g.standard_t(5, 7)),
    (("rayleigh", "--scale", "0.3"), lambda g: g.rayleigh(0.3, 7)),
    (("logistic", "--loc", "1", "--scale", "0.3"),
     lambda g: g.logistic(1, .3, 7)),
    (("pareto", "--a", "3"), lambda g: g.pareto(3, 7)),
    (("triangular", "--left", "-1", "--mode", "0", "--right", "2"),
     lambda g: g.triangular(-1, 0, 2, 7)),
    (("vonmises", "--mu", "1", "--kappa", "2"), lambda g: g.vonmises(1, 2, 7)),
    (("wald", "--mean", "2", "--scale", "3"), lambda g: g.wald(2, 3, 7)),
    (("noncentral_f", "--dfnum", "3", "--dfden", "4", "--nonc", "2"),
     lambda g: g.noncentral_f(3, 4, 2, 7)),
])
def test_numbers_are_the_engines(args, draw):
    expected = np.frombuffer(command_line(*args, "-n", "7", "--seed", "9",
                                          "--stream", "3", "--dtype", "f64"))
    np.testing.assert_array_equal(draw(trnsci.Generator(9, stream=3)),
                                  expected)


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_long_and_short_draws_agree(name):
    """Blocks drawn ahead, location and scale applied here or by the engine."""
    def make():
        return getattr(trnsci.Generator(4), name)

    whole = make()(*DRAWS[name], size=5000)
    np.testing.assert_array_equal(make()(*DRAWS[name], size=40), whole[:40])
    np.testing.assert_array_equal(make()(*DRAWS[name], size=(8, 5)),
                                  whole[:40].reshape(8, 5))
    assert make()(*DRAWS[name]) == whole[0]


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_a_daemon_draws_the_same(name, session):
    here = getattr(trnsci.Generator(5, stream=1), name)
    there = getattr(trnsci.Generator(5, stream=1, session=session), name)
    for size in (None, 3, 20000):
        np.testing.assert_array_equal(here(*DRAWS[name], size=size),
                                      there(*DRAWS[name], size=size))


@pytest.mark.parametrize("name", ["random", "normal", "integers", "gamma"])
def test_blocks_of_every_length_agree(name, session):
    """Draws of 1,000 let the block ahead grow to its longest, and beyond."""
    g = trnsci.Generator(5, session=session)
    whole = getattr(trnsci.Generator(5), name)(*DRAWS[name], size=120000)
    for at in range(0, 120000, 1000):
        np.testing.assert_array_equal(
            getattr(g, name)(*DRAWS[name], size=1000), whole[at:at + 1000])


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_parts_join_to_the_whole(name):
    generators = [trnsci.Generator(6, rank=r, size=3) for r in range(3)]
    whole = trnsci.Generator(6)
    for size in (5, (7, 3), (2, 2000)):
        parts = [getattr(g, name)(*DRAWS[name], size=size) for g in generators]
        np.testing.assert_array_equal(
            np.concatenate(parts),
            getattr(whole, name)(*DRAWS[name], size=size))
        assert {g.position for g in generators} == {whole.position}


@pytest.mark.parametrize("name", sorted(set(DRAWS) - {"integers"}))
def test_parameters_that_are_arrays(name):
    """Sample k has parameters k, whatever its neighbours have."""
    if not DRAWS[name]:
        return
    arrays = [np.array([[value], [value], [value * 1.5]]) if i == 0 else
              np.array([value, value]) for i, value in enumerate(DRAWS[name])]
    if name in ("hypergeometric", "binomial"):
        arrays[0] = arrays[0].astype(int)
    if name in ("logseries", "geometric"):
        arrays[0] = np.minimum(arrays[0], 0.9)
    made = getattr(trnsci.Generator(7), name)(*arrays)
    assert made.shape == ((3, 2) if len(arrays) > 1 else (3, 1))
    plain = getattr(trnsci.Generator(7), name)(*DRAWS[name], size=made.shape)
    # The others draw by a method of their own where a parameter is an array.
    if name in ("uniform", "normal", "laplace", "gumbel", "exponential",
                "rayleigh", "standard_t", "weibull", "lognormal", "geometric",
                "logistic", "triangular", "wald", "pareto", "power"):
        np.testing.assert_array_equal(made[:2], plain[:2])
        assert (made[2] != plain[2]).any() or made.dtype == int
    parts = [getattr(trnsci.Generator(7, rank=r, size=2), name)(*arrays)
             for r in range(2)]
    np.testing.assert_array_equal(np.concatenate(parts), made)


def test_arrays_beside_numbers():
    """numpy's iterators over numbers divide by what is not set."""
    def draws(g):
        for _ in range(200):
            yield g.normal([1.0, 2.0, 3.0], size=(4, 3))
            yield g.gamma([[1.0, 2.0, 3.0]], 2.0, size=(5, 3))
            yield g.triangular(0.0, [[0.5, 0.6], [0.7, 0.8]], 1.0)

    for parts, whole in zip(zip(*(draws(trnsci.Generator(7, rank=r, size=2))
                                  for r in range(2))),
                            draws(trnsci.Generator(7))):
        np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("name", FLOATS)
def test_dtype_and_out(name):
    args = DRAWS[name]
    narrow = getattr(trnsci.Generator(8), name)(*args, size=2000,
                                                dtype=np.float32)
    assert narrow.dtype == np.float32
    out = np.empty(2000, np.float32)
    made = getattr(trnsci.Generator(8), name)(*args, dtype="f4", out=out)
    assert made is out
    np.testing.assert_array_equal(out, narrow)
    half = np.empty(1000)
    part = trnsci.Generator(8, rank=1, size=2)
    getattr(part, name)(*args, size=2000, out=half)
    np.testing.assert_array_equal(
        half, getattr(trnsci.Generator(8), name)(*args, size=2000)[1000:])


DISTRIBUTIONS = {
    "f": stats.f(3, 7), "logistic": stats.logistic(1, 2),
    "pareto": stats.lomax(3), "power": stats.beta(2.5, 1),
    "triangular": stats.triang(0.5, -1, 3),
    "wald": stats.invgauss(2 / 3, scale=3), "rayleigh": stats.rayleigh(0, 2),
    "gamma": stats.gamma(0.7, scale=2), "weibull": stats.weibull_min(1.5),
    "standard_t": stats.t(4), "normal": stats.norm(5, 0.25),
    "exponential": stats.expon(scale=0.3), "uniform": stats.uniform(-1, 4),
    "noncentral_chisquare": stats.ncx2(3, 2),
    "noncentral_f": stats.ncf(3, 9, 1), "vonmises": stats.vonmises(2, 0.5),
}


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_distributions(name):
    x = getattr(trnsci.Generator(11), name)(*DRAWS[name], size=4000)
    assert stats.kstest(x, DISTRIBUTIONS[name].cdf).pvalue > 1e-3


def test_no_word_serves_two_draws():
    g = trnsci.Generator(1)
    places = []
    for draw in (lambda: g.random(5), lambda: g.random(), lambda: g.normal(),
                 lambda: g.random(3, np.float32), lambda: g.integers(7),
                 lambda: g.permutation(5), lambda: g.bytes(5),
                 lambda: g.choice(10, 3, replace=False), lambda: g.zipf(2.0)):
        places.append(g.position)
        draw()
    places.append(g.position)
    assert all(place % 4 == 0 for place in places)
    assert places == sorted(set(places))
    assert places[:4] == [0, 12, 16, 20]


def test_a_position_can_be_taken_up_again():
    g = trnsci.Generator(2)
    g.random(3)
    place = g.position
    first = g.random(100), g.normal(size=3), g.permutation(50)
    g.position = place
    for a, b in zip(first, (g.random(100), g.normal(size=3),
                            g.permutation(50))):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="multiples of 4"):
        g.position = 2


def test_the_end_of_a_stream():
    g = trnsci.Generator(3)
    g.position = 2**64 - 8
    last = g.random(4)
    assert g.position == 2**64
    h = trnsci.Generator(3)
    h.position = 2**64 - 8
    np.testing.assert_array_equal([h.random(2), h.random(2)],
                                  last.reshape(2, 2))
    with pytest.raises(trnsci.ParameterError, match="end_of_stream"):
        g.random()
    g = trnsci.Generator(3)
    g.position = 2**64 - 8
    with pytest.raises(ValueError, match="end of its stream"):
        g.random(5)
    assert g.position == 2**64 - 8
    assert pickle.loads(pickle.dumps(h)).position == 2**64


@pytest.mark.parametrize("duplicate", [
    lambda g: pickle.loads(pickle.dumps(g)), copy.copy, copy.deepcopy])
def test_copies_go_on_at_the_same_place(duplicate):
    g = trnsci.Generator(4, stream=7, generator="philox4x32", rank=1, size=2)
    g.normal(size=9)
    g.spawn(2)
    h = duplicate(g)
    np.testing.assert_array_equal(g.normal(size=11), h.normal(size=11))
    assert (g.position, g.spawn(1)[0].seed) == (h.position, h.spawn(1)[0].seed)
    assert (h.rank, h.size, h.stream, h.generator) == (1, 2, 7, "philox4x32")


def test_other_streams():
    g = trnsci.Generator(5)
    made = [*g.spawn(3), *g.spawn(2), g.fold_in(1), g.fold_in(2),
            g.label("a"), g.label("b"), g]
    assert len({(h.seed, h.stream) for h in made}) == len(made)
    assert len({h.random() for h in made}) == len(made)
    again = trnsci.Generator(5)
    assert [h.seed for h in again.spawn(5)] == [h.seed for h in made[:5]]
    jumped = g.jumped()
    assert jumped.position - g.position == 2**56


def test_seeds():
    assert trnsci.Generator(2**64 - 1).seed == 2**64 - 1
    big = trnsci.Generator(2**70)
    assert big.seed == int(np.random.SeedSequence(2**70).generate_state(
        1, "u8")[0])
    assert trnsci.Generator([1, 2]).seed == trnsci.Generator([1, 2]).seed
    a, b = trnsci.Generator(), trnsci.Generator()
    assert a.seed != b.seed
    assert trnsci.Generator(a.seed).random() == a.random()
    for wrong in ("x", 1.5, -1):
        with pytest.raises((TypeError, ValueError)):
            trnsci.Generator(wrong)
    with pytest.raises(ValueError, match="philox"):
        trnsci.Generator(1, generator="philox4x32", stream=2**32)
    with pytest.raises(ValueError, match="generator: got 'mt19937'"):
        trnsci.Generator(1, generator="mt19937")
    with pytest.raises(ValueError, match="rank"):
        trnsci.Generator(1, rank=2, size=2)


def test_threads_share_a_generator():
    g = trnsci.Generator(6)
    made = []

    def work():
        for n in (1, 7, 3000, 50):
            made.append(g.random(n))
            made.append(g.normal(size=n))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    uniforms = np.concatenate(made[0::2])
    assert g.position == 4 * 2 * 2 * (2 + 8 + 3000 + 50)
    assert len(np.unique(uniforms)) >= 0.99 * len(uniforms)


def test_orders():
    g = trnsci.Generator(7)
    for n in (1, 2, 5, 1000, 3000):
        np.testing.assert_array_equal(np.sort(g.permutation(n)), np.arange(n))
    parts = [trnsci.Generator(8, rank=r, size=4).permutation(1001)
             for r in range(4)]
    np.testing.assert_array_equal(np.concatenate(parts),
                                  trnsci.Generator(8).permutation(1001))
    table = np.arange(60).reshape(5, 12)
    moved = g.permuted(table, axis=1)
    np.testing.assert_array_equal(np.sort(moved, axis=1), table)
    assert len({tuple(np.argsort(row)) for row in moved}) == 5
    x = table.copy()
    g.shuffle(x, axis=1)
    assert sorted(map(tuple, x.T)) == sorted(map(tuple, table.T))


def test_orders_are_uniform():
    g = trnsci.Generator(9)
    seen = [tuple(g.permutation(4)) for _ in range(4800)]
    counts = np.unique(seen, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-3


def test_choice():
    g = trnsci.Generator(10)
    few = g.choice(10**12, 5, replace=False)
    assert len(set(few.tolist())) == 5 and few.max() < 10**12
    counts = np.bincount(g.choice(3, 9000, p=[0.2, 0.3, 0.5]), minlength=3)
    assert stats.chisquare(counts, [1800, 2700, 4500]).pvalue > 1e-3
    first = [g.choice(3, 2, replace=False, p=[0.2, 0.3, 0.5])[0]
             for _ in range(3000)]
    assert stats.chisquare(np.bincount(first), [600, 900, 1500]).pvalue > 1e-3
    items = ["a", "b", "c"]
    parts = [trnsci.Generator(1, rank=r, size=2).choice(items, 9)
             for r in range(2)]
    np.testing.assert_array_equal(np.concatenate(parts),
                                  trnsci.Generator(1).choice(items, 9))


TABLE = np.arange(60.).reshape(12, 5)
WEIGHTS = np.arange(12) / 66


@pytest.mark.parametrize("draw", [
    lambda g: g.choice(TABLE, 7), lambda g: g.choice(TABLE, (7, 2)),
    lambda g: g.choice(TABLE, 4, axis=1), lambda g: g.choice(TABLE, 7, p=WEIGHTS),
    lambda g: g.choice(TABLE, 4, False, axis=-1),
    lambda g: g.choice(TABLE, (2, 2), False, axis=1),
    lambda g: g.choice(TABLE, 7, False, WEIGHTS),
    lambda g: g.choice(12, (3, 2), False, WEIGHTS),
    lambda g: g.choice(12, (5, 2), False), lambda g: g.choice(12, 12, False),
    lambda g: g.permutation(TABLE), lambda g: g.permutation(TABLE, 1),
    lambda g: g.permutation(TABLE, -2), lambda g: g.permutation(13),
    lambda g: g.dirichlet([1, 2, 3], (4, 2)),
    lambda g: g.multinomial(9, [.3, .7], (7,)),
    lambda g: g.multivariate_hypergeometric([5, 6, 7], 4, 9)])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_ranks_of_what_has_items(draw, size):
    alone = trnsci.Generator(9)
    ranks = [trnsci.Generator(9, rank=r, size=size) for r in range(size)]
    whole = draw(alone)
    np.testing.assert_array_equal(np.concatenate([draw(g) for g in ranks]),
                                  whole)
    assert {g.position for g in ranks} == {alone.position}
    np.testing.assert_array_equal(np.concatenate([g.random(9) for g in ranks]),
                                  alone.random(9))


def test_ranks_of_multivariate_normal():
    """numpy's linear algebra may round by the number of rows."""
    parts = [trnsci.Generator(9, rank=r, size=5).multivariate_normal(
        [0, 1], [[2, 1], [1, 2]], 7) for r in range(5)]
    np.testing.assert_allclose(
        np.concatenate(parts), trnsci.Generator(9).multivariate_normal(
            [0, 1], [[2, 1], [1, 2]], 7), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16,
                                   np.int32, np.uint32, np.int64, np.uint64,
                                   bool])
def test_integers_of_every_dtype(dtype):
    g = trnsci.Generator(12)
    low, last = (0, 1) if dtype is bool else (np.iinfo(dtype).min,
                                              np.iinfo(dtype).max)
    whole = g.integers(int(low), int(last), 3000, dtype=dtype, endpoint=True)
    assert whole.dtype == dtype
    assert float(whole.max()) - float(whole.min()) > 0.9 * (float(last) - low)
    lows = np.array([[low], [last]], dtype)
    made = g.integers(lows, lows, (2, 3), dtype=dtype, endpoint=True)
    np.testing.assert_array_equal(made, np.broadcast_to(lows, (2, 3)))
    assert g.integers(0, 1, dtype=dtype, endpoint=True) in (0, 1)


def test_vectors(session):
    g = trnsci.Generator(13, session=session)
    shares = g.dirichlet([1.0, 2.0, 3.0], (4, 5))
    assert shares.shape == (4, 5, 3)
    np.testing.assert_allclose(shares.sum(-1), 1)
    alpha = [1.0, 2.0, 3.0]
    parts = [trnsci.Generator(13, rank=r, size=3).dirichlet(alpha, 10)
             for r in range(3)]
    np.testing.assert_array_equal(np.concatenate(parts),
                                  trnsci.Generator(13).dirichlet(alpha, 10))
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    for method in ("svd", "eigh", "cholesky"):
        x = g.multivariate_normal([1, 2], cov, 20000, method=method)
        np.testing.assert_allclose(np.cov(x.T), cov, atol=0.1)
    assert g.multivariate_hypergeometric([3, 4, 5], 6).sum() == 6
    assert g.multinomial([5, 6], [0.5, 0.5]).sum(1).tolist() == [5, 6]
    # A rare outcome behind a common one: 1 less the first share is 2^-53.
    rare = g.multinomial(2**52, [1 - 2**-53, 1e-16], 20000)[:, 1]
    assert abs(rare.mean() - 2**52 * 1e-16) < 5 * (0.45 / 20000)**0.5
    assert len(g.bytes(7)) == 7
