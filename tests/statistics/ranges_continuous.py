# SPDX-License-Identifier: Apache-2.0
"""Exact probabilities of the continuous distributions over the whole range of their parameters.

    python3 tests/statistics/ranges_continuous.py tests/vectors/ranges_continuous.txt

Takes half a minute. Distribution functions are closed forms, series and continued fractions of 60 digits, so neither their factors
nor their logarithms leave a range. Where a parameter is large, the first terms of an expansion stand for them: Temme's of the
incomplete gamma function, Wilson and Hilferty's cube root, a normal distribution. Their error is below 1e-6, samples show 1e-3."""
import functools
import itertools
import struct

import mpmath as mp

from ranges import emit, emit_vectors, refuse, write

mpf = mp.mpf
INF = mpf("inf")
PROBABILITIES = (1e-3, 0.02, 0.2, 0.5, 0.8, 0.98, 0.999)
FLT_MAX = 3.4e38
GRID = (5e-324, 1e-310, 1e-300, 1e-154, 1e-30, 1e-8, 1e-3, 0.01, 0.1, 0.9, 1.0, 3.0, 1e3, 1e8, 1e15, 1e30, 1e154, 1e300, 1.7e308)
COARSE = (5e-324, 1e-300, 1e-8, 1e-3, 0.3, 2.0, 1e8, 1e300, 1.7e308)
SCALES = (5e-324, 1e-300, 1.0, 1e30, 1e300, 1.7e308)


# ---- special functions ----


def normal(z):
    """P(Z <= z)."""
    if abs(z) > mpf(10) ** 20:
        return mpf(1) if z > 0 else mpf(0)
    return mp.erfc(-z / mp.sqrt(2)) / 2


def mills(b):
    """(1 - normal(b)) / density(b), b > 0."""
    if b > 1e6:
        return (1 - 1 / b**2 + 3 / b**4) / b
    return mp.erfc(b / mp.sqrt(2)) / 2 / (mp.exp(-b * b / 2) / mp.sqrt(2 * mp.pi))


def exponential_below(e):
    """1 - exp(-e)."""
    return mpf(0) if e <= 0 else mpf(1) if e > 1e6 else -mp.expm1(-e)


def gamma_below(a, x):
    """P of a gamma of shape a, scale 1."""
    if x <= 0:
        return mpf(0)
    if x == INF or x > 1e9 * max(1, a):
        return mpf(1)
    if a > 2e4:
        excess = (x - a) / a
        eta = excess * (1 - excess / 3) if abs(excess) < 1e-9 else mp.sign(excess) * mp.sqrt(2 * (excess - mp.log1p(excess)))
        z = eta * mp.sqrt(a)
        first = -mpf(1) / 3 if abs(excess) < 1e-9 else 1 / excess - 1 / eta
        return normal(z) if abs(z) > 100 else normal(z) - mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi * a) * first
    if x > 60 + 20 * a:
        return mpf(1)
    term = total = 1 / mp.gamma(a + 1)
    for k in itertools.count(1):
        term *= x / (a + k)
        total += term
        if term < total * mpf(10) ** -30:
            return min(mpf(1), mp.exp(a * mp.log(x) - x) * total)


def beta_fraction(a, b, x, y):
    """The continued fraction of the incomplete beta function, x <= (a + 1) / (a + b + 2)."""
    log_x = mp.log(x) if x < 0.5 else mp.log1p(-y)
    log_y = mp.log(y) if y < 0.5 else mp.log1p(-x)
    c, d = mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in itertools.count(1):
        for term in (
            m * (b - m) * x / ((a - 1 + 2 * m) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 1 + 2 * m)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            h *= d * c
        if abs(d * c - 1) < mpf(10) ** -25:
            break
    logs = a * log_x + b * log_y
    if max(a, b) > 1e3:
        return h * mp.exp(logs + mp.loggamma(a + b) - mp.loggamma(a + 1) - mp.loggamma(b))
    return h * mp.exp(logs) * mp.gamma(a + b) / mp.gamma(a + 1) / mp.gamma(b)


def beta_below(a, b, x, y):
    """P of a beta; y = 1 - x."""
    if x <= 0 or y <= 0:
        return mpf(0) if x <= 0 else mpf(1)
    if min(a, b) > 1e6:
        ratio, s, t = x / a * b / y, 1 / (9 * a), 1 / (9 * b)
        root = mp.cbrt(ratio) - 1 if abs(ratio - 1) > mpf(10) ** -25 else (ratio - 1) / 3
        return normal((root - root * t - t + s) / mp.sqrt(t * (1 + root) ** 2 + s))
    if b > 1e6 * max(a, 1):
        return gamma_below(a, (-mp.log1p(-x) if x < 0.5 else -mp.log(y)) * (b + (a - 1) / 2))
    if a > 1e6 * max(b, 1):
        return 1 - beta_below(b, a, y, x)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_fraction(b, a, y, x)
    return beta_fraction(a, b, x, y)


def poisson_weights(mean):
    """Pairs of a count up to 200 and its probability, of all that samples show; mean <= 30."""
    weight, pairs = mp.exp(-mean), []
    for j in range(200):
        if weight > 1e-7:
            pairs.append((j, weight))
        weight *= mean / (j + 1)
    return pairs


# ---- distribution functions of x, finite; parameters are mpf ----


def located(below):
    def located_below(x, loc, scale):
        return (mpf(1) if x >= loc else mpf(0)) if scale == 0 else below((x - loc) / scale)

    return located_below


def laplace(z):
    return mp.exp(max(z, mpf(-1000))) / 2 if z < 0 else 1 - mp.exp(-min(z, mpf(1000))) / 2


def gumbel(z):
    return mp.exp(-mp.exp(min(-z, mpf(50))))


def cauchy(z):
    return mp.atan2(1, -z) / mp.pi


def logistic(z):
    return 1 / (1 + mp.exp(min(max(-z, mpf(-1000)), mpf(1000))))


def lognormal(x, mean, std):
    if x <= 0:
        return mpf(0)
    return located(normal)(mp.log(x), mean, std)


def power_of_exponential(log, shape):
    """P(E <= exp(log shape)) of an exponential E."""
    return exponential_below(mp.exp(min(log * shape, mpf(50))))


def weibull(x, shape, scale):
    if x <= 0 or scale == 0:
        return mpf(1) if scale == 0 and x >= 0 else mpf(0)
    return power_of_exponential(mp.log(x / scale), shape)


def gamma(x, shape, scale):
    return (mpf(1) if x >= 0 else mpf(0)) if scale == 0 else gamma_below(shape, x / scale)


def chi_squared(x, df):
    return gamma_below(df / 2, x / 2)


def rayleigh(x, scale):
    if scale == 0 or x <= 0:
        return mpf(1) if scale == 0 and x >= 0 else mpf(0)
    return exponential_below((x / scale) ** 2 / 2)


def pareto(x, a):
    return mpf(0) if x <= 0 else exponential_below(a * mp.log1p(x))


def power(x, a):
    if x <= 0 or x >= 1:
        return mpf(0) if x <= 0 else mpf(1)
    return mp.exp(max(a * mp.log(x), mpf(-1000)))


def beta(x, a, b):
    return beta_below(a, b, x, 1 - x)


def f(x, dfnum, dfden):
    if x <= 0:
        return mpf(0)
    r = dfnum / dfden * x
    return beta_below(dfnum / 2, dfden / 2, r / (1 + r), 1 / (1 + r))


def student_t(x, df):
    if x == 0 or df > 1e12:
        return normal(x)
    r = x * x / df
    tail = beta_below(df / 2, mpf(1) / 2, 1 / (1 + r), r / (1 + r)) / 2
    return 1 - tail if x > 0 else tail


def noncentral_chisquare(x, df, nonc):
    if x <= 0:
        return mpf(0)
    if nonc > 60 or df > 1e10:
        # Sankaran's power of a normal distribution.
        h = 1 - 2 * (df + nonc) * (df + 3 * nonc) / (3 * (df + 2 * nonc) ** 2)
        p, m = (df + 2 * nonc) / (df + nonc) ** 2, (h - 1) * (1 - 3 * h)
        mean = 1 + h * p * (h - 1 - (2 - h) * m * p / 2)
        return normal(((x / (df + nonc)) ** h - mean) / (h * mp.sqrt(2 * p) * (1 + m * p / 2)))
    return sum(w * gamma_below(df / 2 + j, x / 2) for j, w in poisson_weights(nonc / 2))


def noncentral_f(x, dfnum, dfden, nonc):
    if x <= 0:
        return mpf(0)
    if nonc > 1e12:
        # The numerator is its mean, next to the denominator.
        return 1 - gamma_below(dfden / 2, (dfnum + nonc) / dfnum * dfden / x / 2)
    r = dfnum / dfden * x
    return sum(w * beta_below(dfnum / 2 + j, dfden / 2, r / (1 + r), 1 / (1 + r)) for j, w in poisson_weights(nonc / 2))


def wald(x, mean, scale):
    if x <= 0:
        return mpf(0)
    if scale / mean > mpf(10) ** 20:
        return normal((x - mean) / mean * mp.sqrt(scale / mean))
    root = mp.sqrt(scale / x)
    a, b = root * (x / mean - 1), root * (x / mean + 1)
    # exp(2 scale / mean) density(b) = density(a)
    return normal(a) + (mp.exp(-a * a / 2) / mp.sqrt(2 * mp.pi) * mills(b) if abs(a) < 1e4 else 0)


def triangular(x, left, mode, right):
    if x <= left or x >= right:
        return mpf(0) if x <= left else mpf(1)
    if x < mode:
        return (x - left) ** 2 / (right - left) / (mode - left)
    return 1 - (right - x) ** 2 / (right - left) / (right - mode)


def uniform(x, low, high):
    return min(max((x - low) / (high - low), mpf(0)), mpf(1))


def tails_log_ratio(a, b):
    """ln(Q(a) / Q(b)) for 30 <= a <= b."""
    series = lambda v: (lambda i: i * (-1 + i * (mpf(5) / 2 - i * mpf(37) / 3)))(1 / (v * v))
    return (b - a) * (b + a) / 2 + mp.log(b / a) + series(a) - series(b)


def truncated_normal(x, mean, std, low, high):
    if std == 0:
        return mpf(1) if x >= mean else mpf(0)
    z = (x - mean) / std
    if z <= low or z >= high:
        return mpf(0) if z <= low else mpf(1)
    if high <= -30:
        return 1 - truncated_normal(-x, -mean, std, -high, -low)
    if low >= 30:
        whole = mpf(-1) if high == INF else mp.expm1(-tails_log_ratio(low, high))
        return mp.expm1(-tails_log_ratio(low, z)) / whole
    if max(abs(low), abs(high)) < 1e-100:
        return (z - low) / (high - low)
    if low > 0:
        return 1 - truncated_normal(-x, -mean, std, -high, -low)
    return (normal(z) - normal(low)) / (normal(high) - normal(low))


@functools.lru_cache(maxsize=None)
def bessel_ratios(kappa):
    """I_j(kappa) / I_0(kappa) for j = 1, 2, ... as long as they matter."""
    ratios = []
    with mp.workdps(20):
        zero = mp.besseli(0, kappa)
        while not ratios or ratios[-1] > 1e-9:
            ratios.append(mp.besseli(len(ratios) + 1, kappa) / zero)
    return ratios


def vonmises_centred(y, kappa):
    """P of an angle y in [-pi, pi] around a mode of 0."""
    if kappa > 500:
        # The sine of half the angle is normal, to 1 / (8 kappa).
        return normal(2 * mp.sin(y / 2) * mp.sqrt(kappa))
    with mp.workdps(20):
        total = sum(r * mp.sin(j * y) / j for j, r in enumerate(bessel_ratios(kappa), 1))
        return mpf(1) / 2 + y / (2 * mp.pi) + total / mp.pi


def vonmises(x, mu, kappa):
    if abs(x) >= mp.pi:
        return mpf(0) if x < 0 else mpf(1)
    turn = 2 * mp.pi
    to_centre = lambda v: v - turn * mp.floor(v / turn + mpf(1) / 2)
    below = lambda v: mp.floor((v - mu) / turn + mpf(1) / 2) + vonmises_centred(to_centre(v - mu), kappa)
    return below(x) - below(-mp.pi)


# ---- quantiles and lines ----


def order_of(x):
    """Doubles as integers in their order."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def double_of(order):
    bits = order if order >= 0 else -order | 1 << 63
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


LEAST, MOST = order_of(-1.7976931348623157e308), order_of(1.7976931348623157e308)


def quantile(below, p, low):
    """Returns a double whose P is near p, as its place in the order of doubles; not below the place low."""
    high = MOST
    while high - low > 1:
        middle = (low + high) // 2
        at = below(middle)
        if abs(at - p) < 0.2 * min(p, 1 - p):
            return middle
        low, high = (middle, high) if at < p else (low, middle)
    return high


def walk(name, function, parameters, dtype=None, least=None):
    """Emits a line; least: what no sample may be below. A distribution of a few ulp is bounded from outside."""
    values = [INF * (1 if v > 0 else -1) if mp.isinf(v) else mpf(v) for v in parameters.values()]
    below = functools.lru_cache(maxsize=None)(lambda place: function(mpf(double_of(place)), *values))
    places = [LEAST if least is None else order_of(least)]
    for p in PROBABILITIES:
        places.append(quantile(below, p, places[0]))
    places = places[1:]
    if places[-1] - places[0] < 4000 and abs(double_of(places[0])) > 1e-300:
        places = [max(places[0] - 64, LEAST), min(places[-1] + 64, MOST)]
    pairs = [(double_of(place), below(place)) for place in sorted(set(places))]
    if least is not None:
        pairs = [(least, 0)] + pairs
    emit(name, parameters, pairs, dtype)


def narrowest(*values):
    """f64 where f32 refuses a location or a scale."""
    return "f64" if max(abs(v) for v in values) > FLT_MAX else None


BELOW_0 = -5e-324

for each in [2.2250738585072014e-308, 1e-300, 1e-30, 1e-9, 0.3, 1.0, 1e9, 1e30, 1e300, 1.7e308]:
    walk("exponential", lambda x, rate: exponential_below(rate * x), {"rate": each}, None, BELOW_0)
refuse("exponential", {"rate": 2e-308}, "rate", "2.22507386e-308")
for low, high in [(0, 5e-324), (0, 1e-310), (1e-310, 2e-310), (-1e-310, 1e-310), (1e-300, 1.001e-300), (-8e307, 8e307), (1, 1 + 2**-51), (-1, 1e308)]:
    walk("uniform", uniform, {"low": low, "high": high}, "f64")
for low, high in [(0, 1e-44), (-1, 1e38), (1, 1.0000005), (-1e38, 1e38)]:
    walk("uniform", uniform, {"low": low, "high": high}, "f32")
for name, function in (("laplace", laplace), ("gumbel", gumbel), ("cauchy", cauchy), ("logistic", logistic), ("normal", normal)):
    place = "mean" if name == "normal" else "loc"
    width = "std" if name == "normal" else "scale"
    for loc, scale in [(0, s) for s in (5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300, 1.7e308)] + [
        (1, 1e-8), (1, 0), (-1e300, 1e300), (1.7e308, 1.7e308), (1.7e308, 1e300), (1e-300, 5e-324), (1e16, 3.0)]:
        dtype = narrowest(loc, scale)
        # 16-bit floats do not hold these.
        for each in ("f32", "f64") if name == "normal" and scale != 1 and not dtype else (dtype,):
            walk(name, located(function), {place: loc, width: scale}, each)
    refuse(name, {place: 0, width: -1.0}, width, "-1")
for mean, std in [(-1e6, 1e6), (1e6, 1e6), (0, 1e6), (-745, 1), (-700, 1e-3), (709, 1.0), (0, 0.1), (0, 1.0), (0, 10.0), (50.1, 1e-7), (-80.3, 1e-6), (700.1, 1e-12), (1e6, 1e-8), (0.7, 0)]:
    walk("lognormal", lognormal, {"mean": mean, "std": std}, None, BELOW_0)
for each in GRID:
    walk("student_t", student_t, {"df": each})
    walk("chi_squared", chi_squared, {"df": each}, None, BELOW_0)
    walk("pareto", pareto, {"a": each}, None, BELOW_0)
    walk("power", power, {"a": each}, None, BELOW_0)
    walk("rayleigh", rayleigh, {"scale": each}, narrowest(each), BELOW_0)
for shape in GRID:
    for scale in SCALES:
        walk("gamma", gamma, {"shape": shape, "scale": scale}, narrowest(scale), BELOW_0)
        walk("weibull", weibull, {"shape": shape, "scale": scale}, narrowest(scale), BELOW_0)
for name in ("gamma", "weibull"):
    for shape in (5e-324, 1e-3, 3.0, 1.7e308):
        walk(name, gamma, {"shape": shape, "scale": 0}, None, BELOW_0)
    refuse(name, {"shape": 0.0, "scale": 1}, "shape", "above 0")
for a, b in itertools.product(COARSE, COARSE):
    walk("beta", beta, {"alpha": a, "beta": b}, None, BELOW_0)
    walk("f", f, {"dfnum": a, "dfden": b}, None, BELOW_0)
    walk("wald", wald, {"mean": a, "scale": b}, None, BELOW_0)
for a, b in [(1e-308, 3e-308), (1.0, 1e308), (0.5, 1e308), (1e308, 0.01), (1e-3, 1e-3), (2.0, 3.0)]:
    walk("beta", beta, {"alpha": a, "beta": b}, None, BELOW_0)
for a, b in [(0.2, 1e300), (2.0, 5e-324), (1e-8, 1e300), (1e-3, 1e-3), (5.0, 7.0), (1e300, 0.02)]:
    walk("f", f, {"dfnum": a, "dfden": b}, None, BELOW_0)
for a, b in [(1e180, 1.0), (1.0, 1e-300), (1e149, 1.0), (1e151, 1.0), (1.0, 1.0), (1e3, 1e-3)]:
    walk("wald", wald, {"mean": a, "scale": b}, None, BELOW_0)
for df, nonc in itertools.product((5e-324, 1e-8, 0.01, 0.9, 1.0, 1 + 2**-52, 1.5, 3.0, 1e8, 1.7e308), (0, 5e-324, 0.1, 30.0, 1e8, 1e15)):
    walk("noncentral_chisquare", noncentral_chisquare, {"df": df, "nonc": nonc}, None, BELOW_0)
refuse("noncentral_chisquare", {"df": 2.0, "nonc": 2e15}, "nonc", "1e+15")
for dfnum, dfden in itertools.product((5e-324, 1e-8, 0.9, 3.0, 1e300), (5e-324, 1e-8, 0.9, 3.0)):
    for nonc in (0, 1e-300, 0.1, 30.0, 1e15):
        walk("noncentral_f", noncentral_f, {"dfnum": dfnum, "dfden": dfden, "nonc": nonc}, None, BELOW_0)
refuse("noncentral_f", {"dfnum": 2.0, "dfden": 2.0, "nonc": 2e15}, "nonc", "1e+15")
for width in [1e-310, 2.3e-308, 1e-300, 1e-200, 1e-160, 1e-30, 1.0, 1e30, 4e154, 1e200, 1e300, 1.7e308]:
    for left, mode, right in [(0, 0, width), (0, width / 2, width), (0, width, width), (-width / 2, width / 8, width / 2)]:
        walk("triangular", triangular, {"left": left, "mode": mode, "right": right}, narrowest(width))
for left, mode, right in [(-1, 0, 1e300), (-1e300, 0, 1), (-1, -1 + 1e-10, 1e300), (0, 1e-300, 1), (0, 1 - 2**-53, 1), (1e16, 1e16 + 2e6, 1e16 + 1e7)]:
    walk("triangular", triangular, {"left": left, "mode": mode, "right": right}, "f64" if right > FLT_MAX or left < -FLT_MAX else None)
for mu in [0, 1, -3, 1e3, 1030.5, -1e5, 1e16, 1e22, 1e300, -1.7e308, 6381956970095103 * 2.0**797]:
    with mp.workdps(400):
        reduced = mpf(mu) - 2 * mp.pi * mp.floor(mpf(mu) / (2 * mp.pi) + mpf(1) / 2)
    for kappa in [0, 5e-324, 1e-8, 0.1, 3.0, 1e3, 1e8, 1e15]:
        around = lambda x, mu, kappa, mode=+reduced: vonmises(x, mode, kappa)
        walk("vonmises", around, {"mu": mu, "kappa": kappa}, narrowest(mu))
refuse("vonmises", {"mu": 0, "kappa": 2e15}, "kappa", "1e+15")
infinity = float("inf")
BOUNDS = [(-2.0, 2.0), (-infinity, infinity), (30.0, 31.0), (30.0, infinity), (-infinity, -30.0), (29.9, infinity), (1e10, infinity),
          (1e10, 1e10 + 1), (1e150, infinity), (1e300, 1.7e308), (0.0, 1e-300), (0.0, 5e-324), (1e-300, 2e-300), (-1e-300, 1e-300),
          (1.0, 1 + 2**-50), (30.0, 30 + 2**-40), (-infinity, 37.5), (5.0, 40.0), (8.0, 9.0), (-1e300, 1e300), (20.0, 20.001),
          (25.0, 25 + 1e-6), (37.0, 38.0), (-38.5, -29.0), (0.0, 1e-3), (0.0, 9.7e-4)]
for mean, std in ((0, 1), (0, 1e-310), (1e308, 1e300), (0, 1.7e308)):
    for low, high in BOUNDS:
        parameters = {"mean": mean, "std": std, "low": low, "high": high}
        walk("truncated_normal", truncated_normal, parameters, narrowest(mean, std))
walk("truncated_normal", truncated_normal, {"mean": 1, "std": 0, "low": -2.0, "high": 2.0})


def dirichlet(alpha, xs=(1e-300, 1e-30, 1e-3, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999)):
    """A component of alpha a has a beta distribution of a and the rest."""
    components = {}
    for c, a in enumerate(alpha):
        rest = sum(mpf(other) for i, other in enumerate(alpha) if i != c)
        components[c] = [(x, beta_below(mpf(a), rest, mpf(x), 1 - mpf(x))) for x in xs]
    emit_vectors("dirichlet", {"alpha": list(alpha)}, components)


for alpha in [(1e-308, 3e-308), (5e-324, 5e-324), (5e-324, 1e-300, 1e-300), (1e-310, 2e-310, 1e-310), (1e-300, 1.0), (1e-3, 2e-3, 5e-3),
              (0.5, 0.3, 2.0), (1.0, 1e8), (0.01, 1e300), (1e300, 1.7e308), (1.7e308, 1.0, 1e-3)]:
    dirichlet(alpha)


def sphere(dimensions):
    """The square of a component has a beta distribution of 1/2 and (n - 1) / 2."""
    pairs = []
    for x in (-0.9, -0.5, -0.1, -0.01, 0.001, 0.1, 0.3, 0.7, 0.99):
        size = mpf(x) ** 2
        tail = (1 - beta_below(mpf(1) / 2, mpf(dimensions - 1) / 2, size, 1 - size)) / 2
        pairs.append((x, tail if x < 0 else 1 - tail))
    emit_vectors("sphere", {"dimensions": dimensions}, {0: pairs, dimensions - 1: pairs})


for each in (2, 3, 4, 100, 1024):
    sphere(each)
write("ranges_continuous.py")
