# SPDX-License-Identifier: Apache-2.0
"""Gaussian random fields against numpy: point by point by its transforms and the closed forms of covariances, and by statistics."""
import itertools
import math

import numpy as np
import pytest
from scipy import special

import trnsci
from trnsci import _core

MODELS = {
    "gaussian": ({"covariance": "gaussian"}, lambda r: np.exp(-r**2 / 2)),
    "exponential": ({"covariance": "exponential"}, lambda r: np.exp(-r)),
    "spherical": ({"covariance": "spherical"}, lambda r: np.where(r < 1, 1 - 1.5 * r + r**3 / 2, 0)),
    "matern 0.3": ({"covariance": "matern", "nu": 0.3}, lambda r: matern(0.3, r)),
    "matern 1.5": ({"covariance": "matern", "nu": 1.5}, lambda r: matern(1.5, r)),
    "matern 4.2": ({"covariance": "matern", "nu": 4.2}, lambda r: matern(4.2, r)),
}


def matern(nu, r):
    s = np.sqrt(2 * nu) * np.maximum(r, 1e-12)
    value = 2**(1 - nu) / special.gamma(nu) * s**nu * special.kv(nu, s)
    return np.where(r == 0, 1.0, value)


def image_sum(covariance, shape, spacing, length, reach):
    """The covariance of all points with point 0, summed over the images of the grid."""
    total = np.zeros(shape)
    for image in itertools.product(range(-reach, reach + 1), repeat=len(shape)):
        axes = [(np.arange(n) + m * n) * d / scale
                for n, m, d, scale in zip(shape, image, spacing, length)]
        total += covariance(np.sqrt(sum(x**2 for x in np.ix_(*axes))))
    return total


def weighted(white, spectrum):
    """White noise with that spectrum, by numpy's transforms."""
    axes = tuple(range(white.ndim))
    half = np.sqrt(spectrum[..., :white.shape[-1] // 2 + 1])
    return np.fft.irfftn(half * np.fft.rfftn(white, axes=axes), white.shape, axes=axes)


def wave_numbers(shape, spacing):
    axes = [2 * np.pi * np.fft.fftfreq(n, d) for n, d in zip(shape, spacing)]
    return np.sqrt(sum(k**2 for k in np.ix_(*axes)))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shape, spacing, length", [
    ((48,), (0.5,), (2.0,)), ((15, 22), (1.0, 2.0), (1.5, 4.0)), ((6, 9, 10), (1, 1, 1), (1.2, 0.4, 2.0))])
def test_covariances_point_by_point(model, shape, spacing, length):
    params, covariance = MODELS[model]
    circulant = image_sum(covariance, shape, spacing, length, {1: 60, 2: 12, 3: 6}[len(shape)])
    eigenvalues = np.fft.fftn(circulant).real
    white = trnsci.Generator(5).normal(size=shape)
    expected = 3 * weighted(white, np.maximum(eigenvalues, 0)) - 1
    given = dict(params, length=list(length), spacing=list(spacing), std=3, mean=-1)
    # Eigenvalues of numpy's transform have an error of 1e-16 of the largest; roots of the least ones lose half of the digits.
    np.testing.assert_allclose(trnsci.Generator(5).field(shape, **given), expected, atol=2e-6)
    np.testing.assert_allclose(trnsci.Generator(5).field(shape, dtype="f4", **given),
                               3 * weighted(trnsci.Generator(5).standard_normal(shape, "f4"), np.maximum(eigenvalues, 0)) - 1,
                               atol=1e-4)


@pytest.mark.parametrize("exponent", [0, 1, 5 / 3, 4, -2])
@pytest.mark.parametrize("shape, spacing", [((99,), (1,)), ((16, 21), (0.5, 3)), ((8, 6, 10), (1, 1, 2)), ((4, 3, 5, 2), (1, 1, 1, 1))])
def test_exponents_point_by_point(exponent, shape, spacing):
    k = wave_numbers(shape, spacing)
    density = np.where(k == 0, 0, np.where(k == 0, 1, k) ** -float(exponent))
    density *= 4 / density.mean()
    white = trnsci.Generator(6).normal(size=shape)
    np.testing.assert_allclose(trnsci.Generator(6).field(shape, exponent=exponent, spacing=list(spacing), std=2),
                               weighted(white, density), atol=1e-11)


def test_tables_point_by_point():
    table = np.array([0.0, 0.4, 1.0, 2.0, 2.5]), np.array([3.0, 5.0, 0.5, 0.25, 0.0])
    shape, spacing = (40, 30), (1.0, 0.7)
    k = wave_numbers(shape, spacing)
    inner = np.exp(np.interp(np.log(np.maximum(k, 1e-9)), np.log(table[0][1:4]), np.log(table[1][1:4])))
    density = np.where(k < 0.4, 3 + 5 * k, np.where(k <= 2, inner, np.maximum(0.25 - (k - 2) / 2, 0)))
    white = trnsci.Generator(7).normal(size=shape)
    for std in None, 0.5:
        spectrum = density / 0.7 if std is None else density * std**2 / density.mean()
        np.testing.assert_allclose(trnsci.Generator(7).field(shape, spectrum=table, spacing=[1, 0.7], std=std),
                                   weighted(white, spectrum), atol=1e-11)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("model", MODELS)
def test_covariances_of_samples(model, dtype):
    """Products of points ten lags apart, along axes and diagonals. Independent fields, so the mean of their means is normal: with 5
    standard errors of 50 means (Student's t), 100 numbers are all within in 999 of 1,000 runs; the seed is fixed."""
    params, covariance = MODELS[model]
    shape, length, fields = (20, 24, 22), 1.5, 50
    lags = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0), (0, 3, 0), (1, 1, 0), (0, -1, 1), (1, -1, 1), (2, 2, -2)]
    g = trnsci.Generator(8)
    means = []
    for _ in range(fields):
        x = g.field(shape, length=length, dtype=dtype, **params).astype("f8")
        means.append([(x * np.roll(x, lag, (0, 1, 2))).mean() for lag in lags])
    means = np.array(means)
    expected = [image_sum(covariance, shape, (1, 1, 1), (length,) * 3, 1)[lag] for lag in lags]
    errors = means.std(axis=0, ddof=1) / math.sqrt(fields)
    assert (np.abs(means.mean(axis=0) - expected) < 5 * errors).all()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("model", MODELS)
def test_opposite_edges_are_apart(model, dtype):
    """Without images a covariance is the plain one from edge to edge: at ten lags within 5 standard errors of 200 means."""
    params, covariance = MODELS[model]
    n, length, g = 40, 3.0, trnsci.Generator(10)
    x = np.array([g.field(n, length=length, periodic=False, dtype=dtype, **params).astype("f8") for _ in range(200)])
    for lag in 0, 1, 2, 3, 5, 8, 13, 21, 30, 39:
        means = (x[:, :n - lag] * x[:, lag:]).mean(axis=1)
        assert abs(means.mean() - covariance(np.float64(lag / length))) < 5 * means.std(ddof=1) / math.sqrt(200)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("given", [{"exponent": 3}, {"covariance": "matern", "nu": 1.5, "length": 25},
                                   {"spectrum": ([0.0, 0.1, 3.0], [5.0, 5.0, 0.1])}])
def test_isotropy(given, dtype):
    """Waves of the same length along both axes and on four diagonals, of unequal spacings: numpy's periodograms, whose means over 400
    fields are gamma distributed, agree within 5 standard errors of a ratio, 5 sqrt(2 / 400) = 0.354 in logarithms."""
    shape, spacing, fields, g = (48, 64), (4.0, 3.0), 400, trnsci.Generator(18)
    waves = [(5, 0), (0, 5), (3, 4), (4, 3), (-3, 4), (-4, 3)]
    sums = np.zeros(len(waves))
    for _ in range(fields):
        half = np.fft.rfft2(g.field(shape, spacing=spacing, dtype=dtype, **given).astype("f8"))
        sums += [abs(half[wave])**2 for wave in waves]
    logs = np.log(sums)
    assert logs.max() - logs.min() < 5 * math.sqrt(2 / fields)


def embedded(shape, **params):
    """A field that is not periodic, and the reply."""
    with trnsci.Session("embedded:") as session:
        call = _core.Call(session, "field", {"shape": list(shape), "periodic": False, "seed": 12, **params}, True)
        call._run()
        return call._tile().array.copy(), call._reply()


ROUGH = [({"covariance": "exponential"}, lambda r: np.exp(-r)),
         *(({"covariance": "matern", "nu": nu}, lambda r, nu=nu: matern(nu, r)) for nu in (0.15, 0.3, 0.45))]


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("params, covariance", ROUGH)
@pytest.mark.parametrize("shape, length", [((30,), (7,)), ((30,), (500,)), ((25, 18), (8, 3)), ((10, 8, 9), (4, 4, 2))])
def test_truncated_point_by_point(shape, length, params, covariance, dtype):
    """The circulant of the covariance of the nearest image, by numpy: at least twice the points, and no eigenvalue below 0."""
    field, reply = embedded(shape, dtype=dtype, length=list(length), std=3, mean=1, **params)
    grid = reply["embedding"]
    assert all(2 * (n - 1) <= m <= 9 * (n - 1) for n, m in zip(shape, grid))
    assert reply["image_error"] == 0 and reply["dropped"] == 0
    axes = [np.minimum(np.arange(m), m - np.arange(m)) / scale for m, scale in zip(grid, length)]
    eigenvalues = np.fft.fftn(covariance(np.sqrt(sum(x**2 for x in np.ix_(*axes))))).real
    assert eigenvalues.min() > -1e-13 * eigenvalues.max()
    white = trnsci.Generator(12).standard_normal(grid, {"f32": "f4", "f64": "f8"}[dtype])
    expected = (3 * weighted(white, np.maximum(eigenvalues, 0)) + 1)[tuple(map(slice, shape))]
    np.testing.assert_allclose(field, expected, atol=2e-4 if dtype == "f32" else 2e-6)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_rough_embeddings_are_nowhere_negative(ndim, nu):
    """The rule that chooses a grid below the largest is one of asymptotic kinks: nothing is dropped, whatever length and shape."""
    for n, share, flat in itertools.product({1: (8, 300), 2: (8, 60), 3: (8, 16)}[ndim], (0.04, 0.15, 0.35), (1, 4)):
        length = [n * share] + [n * share / flat] * (ndim - 1)
        for dtype in "f32", "f64":
            _, reply = embedded([n] * ndim, dtype=dtype, covariance="matern", nu=nu, length=length)
            if max(reply["embedding"]) < 7 * n:
                assert reply["dropped"] == 0


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_long_correlations_from_edge_to_edge(dtype):
    """An exponential covariance four times as long as the signal: at ten lags within 5 standard errors of 400 means."""
    n, length, g = 30, 120.0, trnsci.Generator(14)
    x = np.array([g.field(n, covariance="exponential", length=length, periodic=False, dtype=dtype).astype("f8") for _ in range(400)])
    for lag in 0, 1, 2, 3, 5, 8, 13, 19, 24, 29:
        means = (x[:, :n - lag] * x[:, lag:]).mean(axis=1)
        assert abs(means.mean() - math.exp(-lag / length)) < 5 * means.std(ddof=1) / math.sqrt(400)


def test_embeddings_that_fail():
    """A smooth covariance that reaches around the largest grid has negative eigenvalues: an error, and an approximation."""
    g = trnsci.Generator(15)
    with pytest.raises(ValueError, match="length: with a grid of 4 times the minimal embedding the spectrum has .* or approximate"):
        g.field(40, covariance="gaussian", length=100, periodic=False)
    assert g.position == 0
    assert g.field(40, covariance="gaussian", length=100, periodic=False, approximate=True).shape == (40,)
    # Eigenvalues down to 1e-6 of the largest are dropped in float32, and the reply states their share of the variance.
    field, reply = embedded((100, 100), dtype="f32", covariance="matern", nu=0.3, length=100)
    assert 0 < reply["dropped"] < 1e-4 and np.isfinite(field).all()
    with pytest.raises(ValueError, match="approximate"):
        embedded((100, 100), dtype="f64", covariance="matern", nu=0.3, length=100)


def test_spherical_edges():
    """The spherical covariance ends, so its embedding is exact: at ten lags within 5 standard errors of 200 means, in two dimensions."""
    g, length = trnsci.Generator(13), 12.0
    x = np.array([g.field((20, 24), covariance="spherical", length=length, periodic=False) for _ in range(200)])
    for lag in (0, 0), (1, 0), (0, 1), (2, 2), (0, 5), (7, 0), (6, 6), (11, 0), (0, 13), (19, 23):
        means = (x[:, :20 - lag[0], :24 - lag[1]] * x[:, lag[0]:, lag[1]:]).mean(axis=(1, 2))
        r = min(math.hypot(*lag) / length, 1)
        assert abs(means.mean() - (1 - 1.5 * r + r**3 / 2)) < 5 * means.std(ddof=1) / math.sqrt(200)
    with pytest.raises(ValueError, match="spherical with 4 axes"):
        g.field((4, 4, 4, 4), covariance="spherical", length=1)
    with pytest.raises(ValueError, match="length: axis 1"):
        g.field((40, 4), covariance="spherical", length=20)


def gamma(hurst, k):
    k = np.asarray(k, np.longdouble)
    return (np.abs(k + 1)**(2 * hurst) - 2 * np.abs(k)**(2 * hurst) + np.abs(k - 1)**(2 * hurst)) / 2


@pytest.mark.parametrize("hurst", [1e-6, 0.1, 0.3, 0.5, 0.7, 0.95, 0.99])
@pytest.mark.parametrize("n", [2, 7, 30, 20000])
def test_fractional_noise_point_by_point(hurst, n):
    """Davies and Harte's ring by numpy: 2 m points, m the next product of 2, 3 and 5."""
    m = next(i for i in range(n, 2 * n + 1) if 30**20 % i == 0)
    ring = gamma(hurst, np.minimum(np.arange(2 * m), 2 * m - np.arange(2 * m))).astype("f8")
    white = trnsci.Generator(11).normal(size=2 * m)
    spectrum = np.fft.fft(ring).real
    assert spectrum.min() > -1e-12 * spectrum.max()
    expected = 2 * weighted(white, np.maximum(spectrum, 0))[:n]
    got = trnsci.Generator(11).fgn(n, hurst, std=2)
    # Of the least eigenvalues only the error of the transforms is left, some 1e-16 of the largest, and its root.
    assert np.abs(got - expected).max() < 1e-5
    assert np.sqrt(((got - expected)**2).mean()) < 2e-7
    path = trnsci.Generator(11).fbm(n, hurst, std=2, mean=5)
    np.testing.assert_allclose(path, np.cumsum(got) + 5, atol=1e-9 * n)
    np.testing.assert_allclose(trnsci.Generator(11).fgn(n, hurst, std=2, dtype="f4"),
                               2 * weighted(trnsci.Generator(11).standard_normal(2 * m, "f4"), np.maximum(spectrum, 0))[:n],
                               atol=2e-4 * math.sqrt(n))


@pytest.mark.parametrize("hurst", [0.1, 0.3, 0.7, 0.95])
def test_fractional_noise_by_statistics(hurst):
    """The autocovariance at ten lags, within 5 standard errors of the means of 400 paths; the variance of the motion, whose relative
    standard error over 400 paths is sqrt(2 / 400), and its slope in logarithms."""
    n, paths, g = 256, 400, trnsci.Generator(12)
    x = np.array([g.fgn(n, hurst) for _ in range(paths)])
    for lag in 0, 1, 2, 3, 5, 8, 13, 30, 80, 200:
        means = (x[:, :n - lag] * x[:, lag:]).mean(axis=1)
        assert abs(means.mean() - float(gamma(hurst, lag))) < 5 * means.std(ddof=1) / math.sqrt(paths)
    places = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256])
    variance = (np.array([g.fbm(n, hurst) for _ in range(paths)])[:, places - 1]**2).mean(axis=0)
    assert (np.abs(variance / places**(2 * hurst) - 1) < 5 * math.sqrt(2 / paths)).all()
    assert abs(np.polyfit(np.log(places), np.log(variance), 1)[0] - 2 * hurst) < 0.1


@pytest.mark.parametrize("hurst", [0, 1, -0.5, float("nan")])
def test_fractional_bad_input(hurst):
    for name in "fgn", "fbm":
        with pytest.raises(ValueError, match="hurst"):
            getattr(trnsci.Generator(1), name)(8, hurst)
        with pytest.raises(ValueError, match="shape"):
            getattr(trnsci.Generator(1), name)(1, 0.5)
        with pytest.raises(ValueError, match="std"):
            getattr(trnsci.Generator(1), name)(8, 0.5, std=1e38, dtype="f4")


@pytest.mark.parametrize("n", [2, 3, 50, 1001, 30000])
@pytest.mark.parametrize("dtype, error", [("f4", 1e-5), ("f8", 1e-12)])
def test_surrogates_point_by_point(n, dtype, error):
    """Each frequency is turned by its uniform, but 0 and the highest one of an even length."""
    x = trnsci.Generator(16).normal(3, size=(4, n)).astype(dtype)
    half = np.fft.rfft(x.astype("f8"))
    turns = trnsci.Generator(17).random(half.shape)
    turns[:, 0] = 0
    if n % 2 == 0:
        turns[:, -1] = 0
    g = trnsci.Generator(17)
    y = g.surrogate(x)
    assert y.dtype == dtype and g.position == (2 * half.size + 3) // 4 * 4
    np.testing.assert_allclose(y, np.fft.irfft(half * np.exp(2j * np.pi * turns), n), atol=error * math.sqrt(n))
    with pytest.raises((TypeError, ValueError), match="x|in"):
        g.surrogate(np.ones((3, 1)))
    with pytest.raises(TypeError, match="x"):
        g.surrogate(np.ones(8, complex))


def test_a_daemon_draws_the_same(session):
    for given in ({"exponent": 2}, {"covariance": "matern", "nu": 0.8, "length": 3, "dtype": "f4"},
                  {"covariance": "spherical", "length": 6, "periodic": False},
                  {"covariance": "exponential", "length": 12, "periodic": False}):
        expected = trnsci.Generator(14).field((50, 70), **given)
        assert (trnsci.Generator(14, session=session).field((50, 70), **given) == expected).all()
    for name in "fgn", "fbm":
        expected = getattr(trnsci.Generator(15), name)(9000, 0.8)
        assert (getattr(trnsci.Generator(15, session=session), name)(9000, 0.8) == expected).all()


def test_words_and_parts():
    """A field takes whole groups of words, as other draws; parts of it are cut from the whole; a refused one takes none."""
    g = trnsci.Generator(9)
    g.field((3, 5), exponent=1)
    assert g.position == 32
    g.field((3, 5), exponent=1, dtype="f4")
    assert g.position == 48
    with pytest.raises(TypeError, match="length"):
        g.field(16, covariance="gaussian")
    assert g.position == 48
    whole = trnsci.Generator(9).field((7, 4), exponent=2)
    for size in 1, 2, 3, 7:
        parts = [trnsci.Generator(9, rank=r, size=size).field((7, 4), exponent=2) for r in range(size)]
        assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("given, text", [
    ({"exponent": float("nan")}, "exponent"), ({"exponent": 1, "nu": 1}, "nu"), ({}, "spectrum is missing"),
    ({"spectrum": ([1, 1], [1, 1])}, "spectrum: pair 1: k"), ({"spectrum": ([1, 2], [1, -1])}, "spectrum: pair 1: P"),
    ({"spectrum": ([1, 2], [1])}, "two lists"), ({"exponent": 1, "dtype": "i4"}, "dtype"),
    ({"covariance": "matern", "length": 1}, "nu"), ({"covariance": "gaussian", "length": [1, 2, 3]}, "length"),
    ({"exponent": 1, "std": 1e300, "dtype": "f4"}, "std"), ({"covariance": "cubic", "length": 1}, "covariance")])
def test_bad_input(given, text):
    with pytest.raises((ValueError, TypeError), match=text):
        trnsci.Generator(1).field((8, 8), **given)
    with pytest.raises(ValueError, match="shape"):
        trnsci.Generator(1).field((8, 1), exponent=1)
