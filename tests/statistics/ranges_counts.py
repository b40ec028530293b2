# SPDX-License-Identifier: Apache-2.0
"""Exact probabilities of the distributions of integers over the whole range of their parameters.

    python3 tests/statistics/ranges_counts.py tests/vectors/ranges_counts.txt

Distributions of at most a million likely values are summed by the ratios of their probabilities, from the mode outwards;
wider ones are normal but for Edgeworth's terms of the third and fourth moment, whose error is below 1e-6 there, or have a
closed form in mpmath's functions."""
import math

import mpmath as mp
import numpy as np

from ranges import emit, emit_vectors, refuse, write

mpf = mp.mpf
LEAST = 5e-324          # of float64
BELOW_1 = 1 - 2**-53
QUANTILES = (1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.99, 0.999, 0.9999)
SIGMAS = (-4, -3, -2, -1, -0.5, -0.1, 0, 0.1, 0.5, 1, 2, 3, 4)


def by_ratio(ratio, mode, low, high, reach):
    """Pairs of a distribution on low .. high with P(k + 1) / P(k) = ratio(k), of which all lies within reach of the mode."""
    first, last = max(low, mode - reach), min(high, mode + reach)
    up = np.cumprod(ratio(np.arange(mode, last, dtype=np.float64)))
    down = np.cumprod(1 / ratio(np.arange(mode - 1, first - 1, -1, dtype=np.float64)))
    p = np.concatenate([down[::-1], [1.0], up])
    below, above = np.cumsum(p), np.cumsum(p[::-1])[::-1]
    total = below[-1]
    at = set(range(min(4, len(p)))) | {len(p) - 1}
    for q in QUANTILES:
        at.add(min(int(np.searchsorted(below, q * total)), len(p) - 1))
        at.add(max(min(int(np.searchsorted(below, q * total)) - 1, len(p) - 1), 0))
    pairs = []
    if first > low:
        pairs.append((first - 1, 0))
    else:
        pairs.append((low - 1, 0))
    for i in sorted(at):
        # The complement keeps its digits where it is the smaller one.
        rest = mpf(float(above[i + 1])) if i + 1 < len(p) else mpf(0)
        head = mpf(float(below[i])) / mpf(total)
        value = 1 - rest / mpf(total) if head > 0.5 else head
        pairs.append((first + i, 1 if first + i >= high else value))
    if pairs[-1][0] < high and pairs[-1][1] != 1:
        pairs[-1] = (pairs[-1][0], mpf(1) - mpf(10) ** -20)
    return pairs


def edgeworth(mean, variance, skew, kurtosis, low, high):
    """Pairs of a wide distribution of integers."""
    mean, sigma = mpf(mean), mp.sqrt(mpf(variance))
    pairs = []
    for s in SIGMAS:
        k = int(mp.floor(mean + s * sigma))
        k = int(float(k))  # exact as float64
        if not low <= k <= high:
            continue
        z = (k + mpf(1) / 2 - mean) / sigma
        density = mp.npdf(z)
        p = mp.ncdf(z) - density * (skew / 6 * (z**2 - 1) + kurtosis / 24 * (z**3 - 3 * z)
                                    + skew**2 / 72 * (z**5 - 10 * z**3 + 15 * z))
        if 0 < p < 1:
            pairs.append((k, p))
    return pairs


WIDE = 20000  # standard deviations from here on are wide


def poisson(lam):
    lam = mpf(lam)
    sigma = mp.sqrt(lam)
    if lam == 0:
        return [(-1, 0), (0, 1)]
    if sigma > WIDE:
        return edgeworth(lam, lam, 1 / sigma, 1 / lam, 0, 2**62)
    m = float(lam)
    return by_ratio(lambda k: m / (k + 1), int(lam), 0, 2**62, int(40 * sigma + 60))


def binomial(n, p, q=None):
    """q: 1 - p, where p itself is a share."""
    p = mpf(p)
    q = 1 - p if q is None else mpf(q)
    variance = n * p * q
    if p == 0 or q == 0 or n == 0:
        return [((n if q == 0 else 0) - 1, 0), (n if q == 0 else 0, 1)]
    sigma = mp.sqrt(variance)
    if sigma > WIDE:
        return edgeworth(n * p, variance, (q - p) / sigma, (1 - 6 * p * q) / variance, 0, n)
    mode = min(int((n + 1) * p), n)
    odds = float(p / q)
    if odds == 0 or n * p < mpf(10) ** -26:
        return [(-1, 0), (0, 1)]
    if n * q < mpf(10) ** -26:
        return [(n - 1, 0), (n, 1)]
    return by_ratio(lambda k: np.maximum((float(n) - k) / (k + 1) * odds, 1e-300), mode, 0, n, int(40 * sigma + 60)) if n < 2**50 or mode < n / 2 \
        else [(n - k - 1, 1 - f) for k, f in reversed(binomial(n, q, p))]


def negative_binomial(r, p):
    r, p = mpf(r), mpf(p)
    q = 1 - p
    if q == 0:
        return [(-1, 0), (0, 1)]
    mean, variance = r * q / p, r * q / p**2
    sigma = mp.sqrt(variance)
    if mean < mpf(10) ** -26:
        return [(-1, 0), (0, 1)]
    if r > 1000 and sigma > WIDE:
        return edgeworth(mean, variance, (1 + q) / mp.sqrt(r * q), 6 / r + p**2 / (r * q), 0, 2**63 - 1)
    if sigma <= WIDE and q / p < 1e5:
        rr, qq = float(r), float(q)
        mode = int((r - 1) * q / p) if r > 1 else 0
        return by_ratio(lambda k: (k + rr) / (k + 1) * qq, mode, 0, 2**62, int(60 * sigma + 60 / p + 60))
    # A gamma number times (1 - p) / p, but for terms of the square of p: I_p(r, k + 1) = P(r, -(k + 1 + (r - 1) / 2) ln q).
    pairs = [(-1, 0)]
    if r < mpf("0.05"):
        zero = mp.exp(r * mp.log(p))
        pairs.append((0, zero))
        ks = [10**e for e in range(3, 19)]
    else:
        ks = []
    for s in QUANTILES:
        # The quantile, by bisection of the regularised gamma function.
        low, high = mpf(-5000), mp.log(mean + 60 * sigma + 1000)
        for _ in range(60):
            middle = (low + high) / 2
            if mp.gammainc(r, 0, -mp.exp(middle) * mp.log1p(-p), regularized=True) < s:
                low = middle
            else:
                high = middle
        ks.append(int(float(mp.floor(mp.exp(low)))))
    for k in sorted(set(ks)):
        if 1000 < k < mean + 60 * sigma:
            x = -(k + 1 + (r - 1) / 2) * mp.log1p(-p)
            pairs.append((k, mp.gammainc(r, 0, x, regularized=True) if x < 50 else 1 - mp.gammainc(r, x, regularized=True)))
    return [(k, f) for k, f in pairs if f < 1]


def geometric(p):
    p = mpf(p)
    if p == 1:
        return [(0, 0), (1, 1)]
    log_q = mp.log1p(-p)
    pairs = [(0, 0)]
    ks = {1, 2, 3}
    for s in QUANTILES:
        ks.add(int(float(mp.ceil(mp.log1p(-mpf(s)) / log_q))))
    for k in sorted(ks):
        if k < 2**63:
            pairs.append((k, -mp.expm1(k * log_q)))
    return pairs


def zipf(a):
    """Conditional on what int64 holds."""
    a = mpf(a)
    if a > 90:
        return [(0, 0), (1, 1)]
    def below(x):
        """sum of k^-a up to x, Euler and Maclaurin from 50 on."""
        head = mp.fsum(mpf(k) ** -a for k in range(1, min(x, 50) + 1))
        if x <= 50:
            return head
        lo, hi = mpf(50), mpf(x)
        def anti(t):
            integral = mp.expm1((1 - a) * mp.log(t)) / (1 - a)
            return integral + t**-a / 2 - a * t ** (-a - 1) / 12 + a * (a + 1) * (a + 2) * t ** (-a - 3) / 720
        return head + anti(hi) - anti(lo)
    total = below(2**63 - 1)
    ks = {1, 2, 3, 4, 5, 10, 30, 100} | {10**e for e in range(3, 19)} | {2**e for e in (40, 50, 53, 60, 61, 62)} | {9 * 10**18}
    pairs = [(0, 0)]
    for k in sorted(ks):
        p = below(k) / total
        pairs.append((k, p))
        if 1 - p < mpf(10) ** -9:
            break
    return pairs


def logseries(p):
    p = mpf(p)
    if p == 0:
        return [(0, 0), (1, 1)]
    scale = -mp.log1p(-p)
    lam = -mp.log(p)

    def above(x):
        """sum of p^k / k above x: short sums, and Euler and Maclaurin's midpoint rule from 2000 on."""
        if x < 2000:
            return scale - mp.fsum(p**k / k for k in range(1, x + 1))
        t = x + mpf(1) / 2
        f = mp.exp(-lam * t) / t
        derivative = -f * (lam + 1 / t)
        return mp.e1(lam * t) - derivative / -24

    ks = {1, 2, 3, 5, 10, 30, 100, 1000} | {10**e for e in range(4, 19)}
    pairs = [(0, 0)]
    for k in sorted(ks):
        rest = above(k) / scale
        pairs.append((k, 1 - rest))
        if rest < mpf(10) ** -12:
            break
    return pairs


def hypergeometric(good, bad, n):
    everything = good + bad
    low, high = max(0, n - bad), min(n, good)
    if low == high:
        return [(low - 1, 0), (low, 1)]
    mean = mpf(n) * good / everything
    variance = mean * bad / everything * (everything - n) / (everything - 1)
    sigma = mp.sqrt(variance)
    if sigma > WIDE:
        # The fourth moment's term is below 1e-8.
        skew = mpf(everything - 2 * good) * (everything - 2 * n) / (sigma * (everything - 2)) / everything
        return edgeworth(mean, variance, skew, 0, low, high)
    if mpf(min(good, bad)) * min(n, everything - n) / everything < mpf(10) ** -26:
        return [(low - 1, 0), (low, 1)]
    mode = min(max((n + 1) * (good + 1) // (everything + 2), low), high)
    reach = int(40 * sigma + 60)
    first = max(low, mode - reach)
    # Whole numbers: bad - n + k is small where its terms are large.
    ratios = [float(mpf(good - k) * (n - k) / (mpf(k + 1) * (bad - n + k + 1))) for k in range(first, min(high, mode + reach))]
    at = np.array(ratios + [0.0])
    shifted = by_ratio(lambda k: at[np.asarray(k, dtype=np.int64)], mode - first, 0, min(high, mode + reach) - first, 2 * reach)
    pairs = [(k + first, f) for k, f in shifted]
    if min(high, mode + reach) < high and pairs[-1][1] == 1:
        pairs[-1] = (pairs[-1][0], 1 - mpf(10) ** -20)
    return pairs


def uniform_integers(low, count):
    """Samples are compared as float64."""
    last = low + count - 1
    if max(abs(low), abs(last)) > 2**53 and count < 2**40:
        return [(float(low) * (1 - 2**-40), 0) if low > 0 else (float(last) * (1 - 2**-40), 1)]
    pairs = [(low - 1, 0)] if low > -2**53 else []
    for q in QUANTILES:
        x = int(float(low + int(count * q)))
        if low <= x < last:
            pairs.append((x, mpf(x - low + 1) / count))
    return pairs + ([(last, 1)] if last < 2**53 else [])


def emit_poisson():
    means = [0, LEAST, 1e-300, 1e-17, 1e-9, 1e-3, 0.1, 1, 3, 9.999, 10, 10.001, 12, 15, 30, 100, 1000]
    means += [10.0**e for e in range(4, 16)] + [3e4, 4.4e4, 45000, 9.99999999999999e14]
    for lam in means:
        emit("poisson", {"lam": lam}, poisson(lam))
    refuse("poisson", {"lam": 1.0000000000000002e15}, "lam", "1e+15")
    refuse("poisson", {"lam": -LEAST}, "lam", "0")


def emit_binomial():
    ps = [0.0, LEAST, 1e-300, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.03, 0.1, 0.3, 0.4999999999, 0.5, 0.7, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12,
          1 - 2**-52, BELOW_1, 1.0]
    for n in [0, 1, 2, 5, 20, 40, 100, 1000, 10**5, 10**6, 10**9, 10**12, 10**15, 2**52 - 1, 2**52]:
        for p in ps:
            emit("binomial", {"trials": n, "p": p}, binomial(n, p))
    for n, p in [(20, 0.4999), (21, 0.5), (2**52, 10 / 2**52), (2**52, 9.99 / 2**52), (2**52, 4.5e-9), (10**15, 2e-14), (10**6, 1e-5), (2**52, 1 - 1e-15)]:
        emit("binomial", {"trials": n, "p": p}, binomial(n, p))
    refuse("binomial", {"trials": 2**52 + 1, "p": 0.5}, "trials", "4503599627370496")
    refuse("binomial", {"trials": 5, "p": 1 + 2**-52}, "p", "1")
    refuse("binomial", {"trials": 5, "p": -LEAST}, "p", "0")


def emit_geometric():
    for p in [1, BELOW_1, 1 - 1e-9, 0.999, 0.9, 0.5, 0.1, 0.01] + [10.0**-e for e in range(3, 18)] + [7e-18, 2.0**-57]:
        emit("geometric", {"p": p}, geometric(p))
    for p in [2.0**-57 * (1 - 2**-53), 5e-324, 0]:
        refuse("geometric", {"p": p}, "p", "6.9388939e-18 to 1")


def emit_bernoulli():
    for p in [0.0, LEAST, 1e-300, 2.0**-64, 1e-12, 1e-6, 2.0**-24, 1e-4, 0.001, 2.0**-5, 0.3, 0.5, 0.9, 0.9999, 1 - 1e-6, BELOW_1, 1.0]:
        emit("bernoulli", {"p": p}, [(-1, 0), (0, 1 - mpf(p)), (1, 1)])
    refuse("bernoulli", {"p": 1 + 2**-52}, "p", "1")
    refuse("bernoulli", {"p": -LEAST}, "p", "0")


def emit_randint():
    for dtype, least, most in (("i32", -2**31, 2**31), ("u32", 0, 2**32), ("i64", -2**63, 2**63), ("u64", 0, 2**64)):
        for low, high in [(0, 1), (0, 2), (0, 3), (5, 105), (0, 2**31 - 1), (0, 2**30 + 1), (0, most // 2 + 1), (least, most - 1), (least, most),
                          (most - 3, most), (least, least + 3), (0, most // 3 * 2)]:
            emit("randint", {"low": low, "high": high if high < 2**64 else 0}, uniform_integers(low, high - low), dtype)
    refuse("randint", {"low": 3, "high": 3}, "low", "3")
    refuse("randint", {"low": 0, "high": 2**31 + 1}, "high", "2147483648", "i32")


def emit_lists():
    def categorical(weights):
        total = mp.fsum(mpf(w) for w in weights)
        at, pairs = mpf(0), [(-1, 0)]
        for i, w in enumerate(weights):
            at += mpf(w)
            pairs.append((i, at / total))
        return pairs
    for weights in [[1], [0, 1], [1, 1], [1, 2, 3, 4], [1e-300, 1], [1, 1e-300], [1, 1e-15, 3], [1e308, 1e308, 1e308], [1.7976931348623157e308] * 7,
                    [1e-308, 3e-308], [3e-308] * 5, [1e308, 1e-308, 1e308], [0, 0, 5, 0], [1e-4] * 3 + [1], [0.3, 0.6, 0.9, 1.2, 1.5],
                    [2.3e-308, LEAST, 2.3e-308], [LEAST, 3 * LEAST], [1e-310, 3e-310, 1e-312], [LEAST]]:
        emit("categorical", {"weights": weights}, categorical(weights))
    refuse("categorical", {"weights": [0, 0]}, "weights", "at least one above 0")
    refuse("categorical", {"weights": [1, -LEAST]}, "weights", "0")
    refuse("categorical", {"weights": [1, "inf"]}, "weights", "1.79769313e+308")
    refuse("categorical", {"weights": [1, "nan"]}, "weights", "1.79769313e+308")

    def multinomial(trials, shares):
        total = mp.fsum(mpf(s) for s in shares)
        emit_vectors("multinomial", {"trials": trials, "shares": shares},
                     {c: binomial(trials, mpf(s) / total, mp.fsum(mpf(x) for i, x in enumerate(shares) if i != c) / total)
                      for c, s in enumerate(shares)})
    for trials in [0, 1, 10, 1000, 10**9, 2**52]:
        for shares in [[1], [1, 1], [1, 2e-15], [2e-15, 1], [1, 2e-15, 3e-15], [1e-15, 1, 1e-15, 2e-15], [1, 1e-8, 1e-16], [0, 1, 0, 3], [0.2, 0.3, 0.5],
                       [1e-300, 1, 3], [1, 3, 1e-300], [1e300, 1e284, 1e285], [1e-300, 2e-300], [1, 1e-5, 1e-10, 1e-15, 5],
                       [3e-308, 3e-323], [1.7e305, 1.7e305, 1e290], [0, 0, 1e-14, 7, 0], [LEAST, 3 * LEAST], [1e-310, 3e-310, 1e-312], [1.7e305] * 5,
                       [1e-9] * 6 + [1] + [1e-9] * 3]:
            multinomial(trials, shares)
    refuse("multinomial", {"trials": 2**52 + 1, "shares": [1, 1]}, "trials", "4503599627370496")
    refuse("multinomial", {"trials": 5, "shares": [0, 0]}, "shares", "at least one above 0")
    refuse("multinomial", {"trials": 5, "shares": [1, 1.8e305]}, "shares", "1.7555597e+305")
    refuse("multinomial", {"trials": 5, "shares": [1] * 1025}, "shares", "1 to 1024")

    for items in [1, 2, 3, 16, 1000, 1024, 65536]:
        emit("permutation", {"items": items}, uniform_integers(0, items))
    for items in [2**20, 2**40, 2**62]:
        emit("permutation", {"items": items}, uniform_integers(0, items))
    emit("rademacher", {}, [(-2, 0), (-1, mpf(1) / 2), (0, mpf(1) / 2), (1, 1)])
    emit("bits", {}, uniform_integers(0, 2**32), "u32")
    emit("bits", {}, uniform_integers(0, 2**64), "u64")


def emit_series():
    for a in [1 + 2**-52, 1 + 1e-12, 1 + 1e-8, 1.00001, 1.001, 1.005, 1.01, 1.0159, 1.016, 1.017, 1.02, 1.03, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 30, 60, 61, 100, 1e10,
              1e300, 1.7976931348623157e308]:
        emit("zipf", {"a": a}, zipf(a))
    refuse("zipf", {"a": 1}, "a", "above 1")
    for p in [0.0, LEAST, 1e-300, 1e-17, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 1 - 1e-5, 1 - 1e-8, 1 - 1e-11, 1 - 1e-14, 1 - 2**-52, BELOW_1]:
        emit("logseries", {"p": p}, logseries(p))
    refuse("logseries", {"p": 1}, "p", "1")


def emit_negative_binomial():
    rs = [LEAST, 1e-300, 1e-9, 1e-3, 0.01, 0.1, 0.3, 1, 2.5, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12, 1e15]
    ps = [1.0, BELOW_1, 1 - 1e-9, 0.999, 0.9, 0.5, 0.1, 0.01, 1e-3, 2e-4, 1e-6, 1e-9, 1e-12, 1e-15, 2.0**-52, 1e-17]
    for r in rs:
        # Samples are below 2^63 but for 2^-64: a gamma number of shape r is below r + 9.6 sqrt(r) + 46 then.
        most = mpf(2**63 - 2**36) / (r + mpf("9.6") * mp.sqrt(r) + 46)
        least = float(1 / (1 + most))
        for p in ps + [least * (1 + 2**-50)]:
            if p > least:
                emit("negative_binomial", {"successes": r, "p": p}, negative_binomial(r, p))
        for p in [least * (1 - 2**-50), least / 2, LEAST]:
            refuse("negative_binomial", {"successes": r, "p": p}, "p", f"allowed with successes = {r:.9g} is {least:.9g} to 1")
    refuse("negative_binomial", {"successes": 5e-324, "p": 0}, "p", "above 0")
    refuse("negative_binomial", {"successes": 1e15 + 0.125, "p": 0.5}, "successes", "1e+15")
    refuse("negative_binomial", {"successes": 0, "p": 0.5}, "successes", "above 0")


def emit_hypergeometric():
    cases = [(0, 0, 0), (0, 5, 3), (5, 0, 3), (5, 5, 0), (5, 5, 10), (1, 1, 1), (10, 10, 9), (10, 10, 10), (1, 100, 50), (1, 100, 10), (100, 1, 50), (2, 1000, 500),
             (3, 50, 12), (11, 11, 11), (12, 1000, 500), (20, 20, 20), (15, 10**6, 5 * 10**5), (30, 70, 40), (100, 100, 100), (1000, 10, 500), (1000, 1000, 10),
             (1000, 1000, 1000), (40, 10**9, 10**8), (10**5, 10**5, 30), (10**6, 10**9, 10**4), (10**6, 10**9, 10**5), (10**9, 10**9, 10**9), (10**12, 10**12, 10**6),
             (10**15, 10**15, 10**15), (10**15, 10**15, 5), (10**15, 10**15, 40), (10**15, 1, 10**15), (1, 10**15, 10), (1, 10**15, 5 * 10**14), (7, 10**15, 10**15),
             (10**15, 10**15, 2 * 10**15), (10**15, 10**15, 2 * 10**15 - 20), (10**15, 40, 10**15), (50, 10**15, 10**15 - 7), (10**15, 10**3, 10**12), (10**8, 10**15, 10**8),
             (10**15, 10**7, 10**9), (2, 10**15, 10**15), (10**15, 3, 20), (100, 10**6, 10**5), (1000, 10**6, 9000), (1000, 10**6, 11000), (1000, 10**6, 15000),
             (20, 10**9, 10**8), (12, 1000, 200), (100, 10**6, 10**4), (10**6, 10**15, 10**9), (30, 30, 10), (1000, 10**6, 2600), (1000, 10**6, 2400),
             (10, 10, 11), (9, 1000, 500), (10, 1000, 500), (11, 1000, 900), (6, 6, 6), (40, 60, 30)]
    for good, bad, n in cases:
        emit("hypergeometric", {"ngood": good, "nbad": bad, "nsample": n}, hypergeometric(good, bad, n))
    refuse("hypergeometric", {"ngood": 10**15 + 1, "nbad": 1, "nsample": 1}, "ngood", "1000000000000000")
    refuse("hypergeometric", {"ngood": 5, "nbad": 5, "nsample": 11}, "nsample", "10")


for each in (emit_poisson, emit_binomial, emit_geometric, emit_bernoulli, emit_randint, emit_lists, emit_series, emit_negative_binomial, emit_hypergeometric):
    each()
write("ranges_counts.py")
