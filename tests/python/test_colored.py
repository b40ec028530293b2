# SPDX-License-Identifier: Apache-2.0
"""Coloured noise: its spectrum and variance against what was asked for, by
numpy's transforms and scipy's chi-squared distribution, and how a Generator
draws it."""
import numpy as np
import pytest
import scipy.signal
import scipy.stats

import trnsci

COLORS = {"white": 0, "pink": 1, "brown": 2, "blue": -1, "violet": -2}
LENGTH = 4096
SEGMENT = 8192
# Of each of some 1,000 tests of this file, so that one fails by chance in
# 10,000 runs.
SIGNIFICANCE = 1e-7


@pytest.fixture(scope="module")
def session():
    with trnsci.Session("embedded:") as opened:
        yield opened


def draw(session, n, dtype="f8", **params):
    return session.draw("colored", n, dtype, seed=2024, **params).result()


def octaves(x):
    """Mean periodogram of segments half a segment of noise apart, so that they
    are independent, in each octave from 10 to 0.45 * SEGMENT: [(frequencies,
    sums of densities, degrees of freedom)]. The Hann window's leak is that of
    the 4 bins beside it, so every third bin counts; of a slope of 1/f^4 it
    is below 1 % from bin 40 on."""
    hop = SEGMENT + LENGTH
    rows = x[:len(x) // hop * hop].reshape(-1, hop)[:, :SEGMENT]
    window = scipy.signal.get_window("hann", SEGMENT)
    spectra = np.abs(np.fft.rfft(rows.astype(float) * window)) ** 2
    density = 2 * spectra.sum(0) / (window ** 2).sum()
    low = 40
    while low < 0.45 * SEGMENT:
        high = min(2 * low, int(0.45 * SEGMENT))
        bins = np.arange(low, high, 3)
        yield bins / SEGMENT, density[bins], 2 * len(rows)
        low *= 2


def expect_spectrum(x, density):
    """`density` gives the one-sided density. The filter's own error, of at
    most 0.2 dB, widens the interval."""
    for f, sums, freedom in octaves(x):
        total = (sums / density(f)).sum()
        degrees = freedom * len(f)
        low, high = scipy.stats.chi2.ppf(
            [SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2], degrees) / degrees
        got = total / (len(f) * freedom / 2)
        assert low * 10 ** -0.02 < got < high * 10 ** 0.02, (f[0], got)


def shape_of(exponent):
    """The density of variance 1, from the response of the ideal filter with
    the window's smoothing at its low end: that is where a steep spectrum has
    its variance."""
    n = 1 << 17
    f = np.arange(n // 2 + 1) / n
    h = np.fft.irfft(np.maximum(f, 1 / LENGTH) ** (-exponent / 2), n)
    taps = np.roll(h, LENGTH // 2)[:LENGTH]
    taps *= scipy.signal.get_window("hann", LENGTH)
    return lambda f: 2 * f ** -float(exponent) / (taps ** 2).sum()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("offset", [0, 2**32 + 17, 2**60 + 1])
@pytest.mark.parametrize("exponent", [0, 1, 2, -1, -2, 4, -4, 0.5])
def test_spectrum(session, exponent, offset, dtype):
    x = draw(session, 60 * (SEGMENT + LENGTH), dtype, exponent=exponent,
             length=LENGTH, offset=offset)
    expect_spectrum(x, shape_of(exponent))


@pytest.mark.parametrize("color", COLORS)
def test_colors_are_exponents(session, color):
    assert np.array_equal(draw(session, 5000, color=color),
                          draw(session, 5000, exponent=COLORS[color]))


def test_density_of_a_table(session):
    """Absolute, in units of the table: a hum and a floor."""
    f = np.array([20.0, 1000, 4000, 8000])
    p = np.array([1e-4, 1e-4, 1e-7, 3e-7])
    x = draw(session, 60 * (SEGMENT + LENGTH), fs=16000.0,
             psd=np.stack([f, p], 1).ravel())

    def density(at):
        return 16000 * np.exp(np.interp(np.log(at * 16000), np.log(f),
                                        np.log(p)))

    expect_spectrum(x, density)


def test_band_and_density(session):
    x = draw(session, 2_000_000, fs=48000.0, color="white", density=2e-5,
             band=np.array([1000.0, 5000]))
    assert abs(x.var() / (2e-5 * 4000) - 1) < 0.01
    f, p = scipy.signal.welch(x, 48000, nperseg=16384, detrend=False)
    assert p[(f < 900) | (f > 5100)].max() < 1e-9
    inside = p[(f > 1100) & (f < 4900)]
    assert abs(inside.mean() / 2e-5 - 1) < 0.02


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("color", COLORS)
def test_variance(session, color, dtype):
    """The variance of the sample variance is 2/n sum of r[k]^2 / r[0]^2, that
    of the autocorrelation of the density."""
    n = 1 << 21
    x = draw(session, n, dtype, color=color, std=3.0).astype(float)
    f = np.fft.rfftfreq(1 << 16)
    r = np.fft.irfft(np.maximum(f, 1 / LENGTH) ** -float(COLORS[color]))
    sigma = np.sqrt(2 / n * (r ** 2).sum() / r[0] ** 2)
    bound = scipy.stats.norm.isf(SIGNIFICANCE / 2) * sigma
    assert abs(np.mean(x ** 2) / 9 - 1) < bound


def test_convolution(session):
    """Taps as given: scipy's convolution of the same normal numbers."""
    taps = np.random.default_rng(5).normal(size=777)
    x = draw(session, 10_000, taps=taps, offset=99)
    w = session.draw("normal", 10_776, "f8", seed=2024, offset=99).result()
    assert np.allclose(x, scipy.signal.convolve(w, taps, "valid"), rtol=0,
                       atol=1e-12)


def test_parts_of_a_daemon(daemon, session):
    """The bytes of one signal, whoever draws which part."""
    with trnsci.Session(daemon.socket) as remote:
        whole = draw(session, 30_011, "f4", offset=2**32 - 7)
        cuts = [0, 1, 4097, 20_000, 30_011]
        parts = [draw(remote if i % 2 else session, end - begin, "f4",
                      offset=2**32 - 7 + begin)
                 for i, (begin, end) in enumerate(zip(cuts, cuts[1:]))]
    assert np.array_equal(np.concatenate(parts), whole)


def test_generator(session):
    rng = trnsci.Generator(3, session=session)
    first = rng.colored((5, 7), color="brown")
    assert first.shape == (5, 7) and first.dtype == np.float64
    assert rng.position == (35 + 4095) * 2
    second = rng.colored(1000, color="brown", dtype=np.float32)
    again = session.draw("colored", 1000, "f4", seed=3, exponent=2,
                         position=8260).result()
    assert np.array_equal(second, again)
    assert isinstance(rng.colored(), float)
    before = rng.position
    assert rng.colored(0).shape == (0,) and rng.position == before
    with pytest.raises(ValueError, match="color"):
        rng.colored(10, color="purple")
    with pytest.raises(ValueError, match="exponent"):
        rng.colored(10, exponent=5)
    with pytest.raises(ValueError, match="psd"):
        rng.colored(10, psd=([2.0, 1.0], [1.0, 1.0]))
    assert rng.position == before


def test_ranks(session):
    whole = trnsci.Generator(4, session=session).colored((11, 3))
    parts = [trnsci.Generator(4, rank=r, size=4, session=session)
             for r in range(4)]
    drawn = [part.colored((11, 3)) for part in parts]
    assert np.array_equal(np.concatenate(drawn), whole)
    assert len({part.position for part in parts}) == 1


@pytest.mark.parametrize("where", ["embedded", "daemon"])
@pytest.mark.parametrize("dtype, length, offset", [
    ("f4", 4096, 0), ("f8", 4096, 12345), ("f4", 50_000, 7),
    ("f4", 20, 2**40 + 1)])
def test_rings_go_on(session, daemon, where, dtype, length, offset):
    """What is taken, whatever its sizes, joins to one signal."""
    params = dict(seed=9, offset=offset, length=length, exponent=1.5)
    whole = session.draw("colored", 200_000, dtype, **params).result()
    owner = session if where == "embedded" else trnsci.Session(daemon.socket)
    with trnsci.Ring("colored", dtype, session=owner, **params) as ring:
        taken = [ring.take(n) for n in (1, 7, 65_536, 34_456, 100_000)]
    assert np.array_equal(np.concatenate(taken), whole)


def test_a_ring_ends_with_its_stream(session):
    """The last samples of a stream are no samples of it: they would need
    normal numbers behind its end."""
    last = 2**64 - 4095 - 1000
    whole = session.draw("colored", 1000, "f4", seed=1, offset=last).result()
    with trnsci.Ring("colored", "f4", session=session, seed=1,
                     offset=last) as ring:
        assert np.array_equal(ring.take(1000), whole)
        with pytest.raises(trnsci.Error) as caught:
            ring.take(1)
    assert caught.value.name == "end_of_stream"
    with pytest.raises(trnsci.Error) as caught:
        trnsci.Ring("colored", "f4", session=session, offset=2**64 - 4095)
    assert caught.value.name == "end_of_stream"


def test_broadcasts_go_on(session, daemon):
    remote = trnsci.Session(daemon.socket)
    whole = session.draw("colored", 60_000, "f4", seed=4, color="brown",
                         offset=5).result()
    with trnsci.Broadcast.create("hum", "colored", "f4", seed=4, offset=5,
                                 color="brown", capacity=65536,
                                 session=remote) as publisher:
        reader = trnsci.Broadcast("hum", session=remote)
        taken = []
        for n in 1, 4095, 20_000, 35_904:
            publisher.publish(n)
            taken.append(reader.take(n))
    assert np.array_equal(np.concatenate(taken), whole)
