# SPDX-License-Identifier: Apache-2.0
"""trnsci.qmc: scipy takes its engines, and what they give."""
import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

qmc = pytest.importorskip("scipy.stats.qmc")

import trnsci
import trnsci.qmc as ours

ENGINES = [ours.Sobol, ours.Halton, ours.LatinHypercube, ours.Lattice]
SEQUENCES = [ours.Sobol, ours.Halton, ours.Lattice]


@pytest.mark.parametrize("engine", ENGINES)
def test_scipy_integrates_with_it(engine):
    try:
        from scipy.integrate import qmc_quad
        axis = 0
    except ImportError:  # in 1.10 it is not public, and points are rows
        from scipy.integrate._quadrature import _qmc_quad as qmc_quad
        axis = -1
    # The integral of x y z over [0, 1] x [0, 2] x [0, 3].
    found = qmc_quad(lambda x: np.prod(x, axis=axis), [0, 0, 0], [1, 2, 3],
                     n_points=1024, n_estimates=6,
                     qrng=engine(3, seed=np.random.default_rng(5)))
    # The mean of 6,144 independent points has a standard error of 0.067. A
    # Latin hypercube helps little with a product.
    bound = 0.067 if engine is ours.LatinHypercube else 0.02
    assert 0 < found.standard_error < bound
    assert abs(found.integral - 4.5) < 3 * bound


@pytest.mark.parametrize("engine", ENGINES)
def test_scipy_takes_it(engine):
    made = qmc.MultivariateNormalQMC([0, 1], engine=engine(2, seed=1),
                                     inv_transform=True)
    assert abs(made.random(1024).mean(0) - [0, 1]).max() < 0.01
    made = qmc.MultinomialQMC([0.2, 0.8], 1024, engine=engine(1, seed=1))
    assert abs(made.random(1)[0] - [204.8, 819.2]).max() < 2
    assert isinstance(engine(2), qmc.QMCEngine)
    integers = engine(2, seed=1).integers([5, 5], u_bounds=[8, 9], n=64)
    assert integers.min() == 5 and integers.max() == 8
    assert engine(2, seed=1, optimization="random-cd").random(16).shape == (
        16, 2)


def test_an_optimiser_takes_points():
    from scipy.optimize import differential_evolution, rosen
    points = ours.Sobol(3, seed=1).random(32) * 4 - 2
    found = differential_evolution(rosen, [(-2, 2)] * 3, init=points, seed=1,
                                   maxiter=300)
    np.testing.assert_allclose(found.x, 1, atol=1e-3)


def test_plain_points_are_scipys():
    for d in 1, 3, 50, 1111:
        np.testing.assert_array_equal(
            ours.Sobol(d, scramble=False).random(64),
            qmc.Sobol(d, scramble=False).random(64))
    for d in 1, 3, 50:
        np.testing.assert_allclose(
            ours.Halton(d, scramble=False).random(60),
            qmc.Halton(d, scramble=False).random(60), rtol=1e-14)


@pytest.mark.parametrize("engine", SEQUENCES)
@pytest.mark.parametrize("scramble", [True, False])
def test_sequences_continue(engine, scramble):
    whole = engine(5, scramble=scramble, seed=7).random(64)
    parts = engine(5, scramble=scramble, seed=7)
    found = [parts.random(n) for n in (16, 0, 16, 1, 31)]
    np.testing.assert_array_equal(np.concatenate(found), whole)
    assert parts.num_generated == 64
    again = parts.reset()
    np.testing.assert_array_equal(again.fast_forward(32).random(32),
                                  whole[32:])
    assert whole.min() >= 0 and whole.max() < 1


def test_designs_are_latin():
    for scramble in True, False:
        engine = ours.LatinHypercube(4, scramble=scramble, seed=3)
        first, second = engine.random(50), engine.random(50)
        for points in first, second:
            cells = np.sort(np.floor(points * 50), axis=0)
            np.testing.assert_array_equal(cells, np.arange(50)[:, None]
                                          * np.ones(4))
        assert not np.array_equal(first, second)
        np.testing.assert_array_equal(engine.reset().random(50), first)
        np.testing.assert_array_equal(
            engine.reset().fast_forward(50).random(50), second)


@pytest.mark.parametrize("engine", ENGINES)
def test_seeds(engine):
    def first(seed):
        return engine(3, seed=seed).random(8)

    np.testing.assert_array_equal(first(5), first(5))
    assert not np.array_equal(first(5), first(6))
    assert not np.array_equal(first(None), first(None))
    g = np.random.default_rng
    np.testing.assert_array_equal(first(g(1)), first(g(1)))
    assert first(np.random.RandomState(1)).shape == (8, 3)
    shared = g(1)
    assert not np.array_equal(first(shared), first(shared))
    made = engine(3, seed=2**64 - 1)
    made.random(8)
    for copied in copy.deepcopy(made), pickle.loads(pickle.dumps(made)):
        np.testing.assert_array_equal(copied.random(8),
                                      copy.copy(made).random(8))


@pytest.mark.parametrize("engine", ENGINES)
def test_both_kinds_of_sessions_agree(engine, daemon):
    remote = trnsci.Session(daemon.socket)
    for n in 8, 16384:
        np.testing.assert_array_equal(
            engine(7, seed=1, session=remote).random(n),
            engine(7, seed=1).random(n))


def test_the_seed_is_the_engines(tmp_path):
    """The command line gives the same points."""
    cli = os.path.join(os.environ["BUILD"], "bin", "trnsci-cli")
    subprocess.run([cli, "qmc", "sobol", "--embedded", "-n", "16", "-d", "2",
                    "--scramble", "owen", "--seed", "11", "-o",
                    tmp_path / "points.npy"], check=True)
    np.testing.assert_array_equal(ours.Sobol(2, seed=11).random(16),
                                  np.load(tmp_path / "points.npy"))


def test_errors():
    for engine in ENGINES:
        with pytest.raises(ValueError, match="non-negative"):
            engine(-1)
        with pytest.raises(ValueError, match="dimensionality"):
            engine(engine.MAXDIM + 1)
        with pytest.raises(ValueError):
            engine(2, seed=1).random(-4)
        with pytest.raises(TypeError):
            engine(2, seed=1, session=3).random(4)
        with pytest.raises((TypeError, ValueError)):
            engine(2, seed="x")
        assert engine(0, seed=1).random(4).shape == (4, 0)
        assert engine(3, seed=1).random(0).shape == (0, 3)
    with pytest.raises(ValueError, match="strength"):
        ours.LatinHypercube(2, strength=2)
    with pytest.raises(ValueError, match="bits"):
        ours.Sobol(2, bits=65)
    with pytest.raises(ValueError, match="distinct points"):
        ours.Sobol(2, bits=4).random(32)
    with pytest.raises(ValueError, match="balance"):
        ours.Sobol(2).fast_forward(3).random_base2(2)
    with pytest.warns(UserWarning, match="balance"):
        ours.Sobol(2).random(3)


def test_the_module_is_loaded_when_it_is_used():
    """So that the package needs no scipy."""
    code = ("import sys, trnsci; assert 'scipy' not in sys.modules; "
            "assert trnsci.qmc.Sobol(2).random(4).shape == (4, 2)")
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="nothing"):
        trnsci.nothing
