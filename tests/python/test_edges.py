# SPDX-License-Identifier: Apache-2.0
"""Parameters at the ends of their ranges: the values and the refusals are those
of numpy.random.Generator."""
import itertools
import math
import os
import re

import numpy as np
import pytest

import trnsci

INF, NAN = math.inf, math.nan
PLAIN = [0.0, -0.0, 0.5, 1.0, 2.0, -1.0]
ENDS = [INF, -INF, NAN]
EXTREME = [5e-324, 1.7976931348623157e308]
ONE = """exponential rayleigh chisquare standard_t weibull poisson pareto power
zipf logseries geometric standard_gamma""".split()
TWO = """uniform normal laplace gumbel logistic gamma beta lognormal vonmises
wald f noncentral_chisquare negative_binomial binomial""".split()
THREE = "triangular noncentral_f hypergeometric".split()
CASES = [(name, count) for count, names in enumerate((ONE, TWO, THREE), 1)
         for name in names]
SAMPLES = 40


def call(generator, name, params, way):
    method = getattr(generator, name)
    if way == "number":
        return np.array([method(*params)] * 2)
    if way == "size":
        return method(*params, size=SAMPLES)
    return method(*[np.full(SAMPLES, p) for p in params])


def kind(generator, name, params, way):
    """The class of the error, the value of all samples, or 'samples'."""
    try:
        with np.errstate(all="ignore"):
            x = call(generator, name, params, way).astype(float)
    except (ValueError, TypeError, OverflowError) as error:
        return type(error)
    if np.isnan(x).all():
        return NAN
    return x[0] if (x == x[0]).all() else "samples"


def are_alike(ours, numpys):
    if isinstance(numpys, type):
        return isinstance(ours, type) and issubclass(ours, numpys)
    if isinstance(ours, float) and isinstance(numpys, float):
        return bool(np.isclose(ours, numpys, rtol=1e-15, equal_nan=True))
    return ours == numpys


def better(name, params):
    """Where numpy's algorithm has no answer and the distribution has one."""
    if name == "standard_t":  # a normal distribution; numpy: NaN
        return "samples" if params[0] == INF else None
    if name == "triangular" and params[0] == -INF and params[1] == params[2]:
        return -INF if math.isfinite(params[2]) else None  # numpy: NaN
    if name == "noncentral_chisquare" and 0 < params[0] <= 1:
        return INF if params[1] == INF else None  # numpy: as if it were 0
    if name == "noncentral_f" and 0 < params[0] <= 1 and params[2] == INF:
        return INF if 0 < params[1] < INF else None
    return None


@pytest.mark.parametrize("name, count", CASES)
def test_ends_are_numpys(name, count):
    """Every combination, as numbers, with a size, and as arrays."""
    for params in itertools.product(PLAIN + ENDS, repeat=count):
        if name == "zipf" and params[0] > 1e7:
            continue  # numpy draws for ever
        for way in "size", "number", "arrays":
            ours = kind(trnsci.Generator(1), name, params, way)
            numpys = kind(np.random.default_rng(1), name, params, way)
            wanted = better(name, params)
            if way == "number" and "samples" in (
                    kind(np.random.default_rng(1), name, params, "size"),
                    wanted):
                assert isinstance(ours, type) == isinstance(numpys, type)
                continue
            if wanted is not None:
                numpys = wanted
            assert are_alike(ours, numpys), (name, params, way, ours, numpys)


@pytest.mark.parametrize("name, count", CASES)
def test_extreme_numbers_are_refused_as_by_numpy(name, count):
    """Or by a limit that the README lists."""
    limited = {method for method, _, _ in limits()} | {"geometric"}
    for params in itertools.product([0.0, 1.0, 0.5] + EXTREME, repeat=count):
        if name == "zipf" and params[0] > 1e7 or name == "beta" and max(
                params) < 0.1:
            continue
        ours = kind(trnsci.Generator(1), name, params, "size")
        numpys = kind(np.random.default_rng(1), name, params, "size")
        if isinstance(ours, type) and issubclass(ours, trnsci.ParameterError):
            assert name in limited or isinstance(numpys, type), params
        else:
            assert isinstance(ours, type) == isinstance(numpys, type), params


def test_an_end_among_other_elements():
    """Arrays have the ends at their places, and other samples stay."""
    for name, params, places in (
            ("lognormal", ([0.0, INF, -INF, 1.0], 1.0), {1: INF, 2: 0.0}),
            ("beta", (2.0, [3.0, INF, 4.0, 1.0]), {1: 0.0}),
            ("negative_binomial", ([3.0, 1e300, 4.0, INF], [.5, 1, .5, 1]),
             {1: 0, 3: 0}),
            ("vonmises", (0.5, [1.0, INF, 2.0, 0.0]), {1: 0.5})):
        got = getattr(trnsci.Generator(3), name)(*params)
        plain = getattr(trnsci.Generator(3), name)(*[
            np.where(np.isfinite(p) & (np.abs(p) < 1e9), p, 1.0)
            for p in params])
        for i in range(4):
            assert got[i] == places.get(i, plain[i]), (name, i)


def test_signs_of_an_infinite_deviation():
    """exp(inf z): infinity above the median, 0 below."""
    z = trnsci.Generator(5).normal(size=2000)
    for way in "size", "array":
        g = trnsci.Generator(5)
        x = (g.lognormal(1.5, INF, 2000) if way == "size"
             else g.lognormal(np.full(2000, 1.5), INF))
        np.testing.assert_array_equal(x, np.where(z > 0, INF, 0.0))


def test_angles_of_an_infinite_concentration():
    """mpmath: 1e16 mod 2 pi, and 5 - 2 pi."""
    assert trnsci.Generator(1).vonmises(math.pi, INF) == math.pi
    assert trnsci.Generator(1).vonmises(5.0, INF) == pytest.approx(
        5 - 2 * math.pi, rel=1e-14)
    assert trnsci.Generator(1).vonmises(1e16, INF) == pytest.approx(
        2.2474252491623666, rel=1e-15)


def test_an_edge_takes_its_words():
    for name, params in (("beta", (2, INF)), ("lognormal", (INF, 1)),
                         ("dirichlet", ([INF, 1, 1],)),
                         ("negative_binomial", (INF, 1))):
        g, h = trnsci.Generator(1), trnsci.Generator(1)
        getattr(g, name)(*params, size=10)
        getattr(h, name)(*[np.where(np.isfinite(p), p, 1).tolist()
                           for p in params], size=10)
        assert g.position == h.position > 0


@pytest.mark.parametrize("alpha", [
    [INF, 1.0], [INF, INF], [NAN, 1.0], [1.0, INF, 5e-324], [0.0, INF],
    [-INF, 1.0], [-1.0, 2.0]])
def test_dirichlet(alpha):
    def drawn(generator):
        try:
            with np.errstate(all="ignore"):
                return generator.dirichlet(alpha, 3)
        except ValueError as error:
            return str(error)

    np.testing.assert_array_equal(drawn(trnsci.Generator(1)),
                                  drawn(np.random.default_rng(1)))


WHOLE = """
binomial({}, .5)
hypergeometric({}, 3, 2)
hypergeometric(3, {}, 2)
hypergeometric(3, 3, {})
multinomial({}, [.5, .5])
permutation({})
""".split("\n")[1:-1]


@pytest.mark.parametrize("text", WHOLE)
@pytest.mark.parametrize("number", [
    "0", "-1", "-0.0", "-0.9", "1.9", "2**64", "10**30", "1e300", "np.inf",
    "np.nan", "'3'", "None", "[1.5]", "[2]", "np.float32(2)"])
def test_counts_are_numpys(text, number):
    if text.startswith(("multinomial", "permutation")) and number in (
            "'3'", "None", "[1.5]", "[2]"):
        return
    expression = f"g.{text.format(number)}"

    def outcome(g):
        try:
            return np.asarray(eval(expression, {"g": g, "np": np}))
        except (ValueError, TypeError, OverflowError) as error:
            return type(error)

    ours = outcome(trnsci.Generator(1))
    numpys = outcome(np.random.default_rng(1))
    if isinstance(numpys, type) or isinstance(ours, type):
        assert are_alike(ours, numpys), (expression, ours, numpys)
    else:
        assert ours.shape == numpys.shape and ours.sum() >= 0


def limits():
    """The README's list: (method, parameter, largest value)."""
    tree = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    with open(os.path.join(tree, "client", "python", "README.md")) as readme:
        rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ([^|]+) \|", readme.read(),
                          re.M)
    return [(method, parameter, float(eval(value.replace("^", "**"))))
            for method, parameter, value in rows]


OTHERS = {"binomial": {"p": 0.5}, "multinomial": {"pvals": [0.5, 0.5]},
          "negative_binomial": {"p": 0.9},
          "vonmises": {"mu": 0.0}, "noncentral_chisquare": {"df": 2.0},
          "noncentral_f": {"dfnum": 2.0, "dfden": 3.0}}


def test_geometric_has_the_least_p_of_the_readme():
    g = trnsci.Generator(1)
    assert g.geometric(2.0**-57) > 0
    with pytest.raises(trnsci.ParameterError, match="geometric: p"):
        g.geometric(2.0**-57 * (1 - 2**-50))


@pytest.mark.parametrize("method, parameter, most", limits())
def test_limits_are_those_of_the_readme(method, parameter, most):
    g = trnsci.Generator(1)
    draw = getattr(g, method)
    whole = parameter in ("n",) and method != "negative_binomial"
    given = int(most) if whole else most
    assert np.isfinite(draw(**{parameter: given},
                            **OTHERS.get(method, {}))).all() or \
        method == "lognormal"
    beyond = given + 1 if whole else most * (1 + 1e-9)
    with pytest.raises(trnsci.ParameterError, match="out_of_range"):
        draw(**{parameter: beyond}, **OTHERS.get(method, {}))
