# SPDX-License-Identifier: Apache-2.0
"""What ranges_counts.py and ranges_continuous.py share: the lines that tests/distributions/check_ranges.c reads.

    DISTRIBUTION [DTYPE] NAME=VALUE ... : x P(X <= x) x P(X <= x) ...
    DISTRIBUTION [DTYPE] NAME=VALUE ... : @c x P ... @d x P ...      components of vectors
    DISTRIBUTION [DTYPE] NAME=VALUE ... : ! PARAMETER TEXT           refused by an error of the parameter with the text

Without a dtype a line is of all that the distribution has. The script writes the file that it is given."""
import sys

import mpmath as mp

mp.mp.dps = 60
lines = []


def number(value):
    """Returns the shortest text that strtod reads as the same number."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ",".join(number(x) for x in value)
    return str(value) if isinstance(value, int) else repr(float(value))


def head(name, parameters, dtype):
    words = [name] + ([dtype] if dtype else []) + [f"{k}={number(v)}" for k, v in parameters.items()]
    return " ".join(words)


def pair(x, p):
    """P is written so that only what is 0 or 1 to 1e-25 becomes 0 or 1."""
    p = mp.mpf(p)
    text = "0" if p < mp.mpf(10) ** -25 else "1" if 1 - p < mp.mpf(10) ** -25 else mp.nstr(p, 12)
    if text == "1.0":
        text = "0.9999999999999999"
    return f"{number(x)} {text}"


def emit(name, parameters, pairs, dtype=None):
    lines.append(f"{head(name, parameters, dtype)} : " + " ".join(pair(x, p) for x, p in pairs))


def emit_vectors(name, parameters, components, dtype=None):
    """components: {number: pairs}."""
    text = " ".join(f"@{c} " + " ".join(pair(x, p) for x, p in pairs) for c, pairs in components.items())
    lines.append(f"{head(name, parameters, dtype)} : {text}")


def refuse(name, parameters, parameter, text, dtype=None):
    lines.append(f"{head(name, parameters, dtype)} : ! {parameter} {text}")


def write(script):
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(f"# Exact probabilities, by tests/statistics/{script}; see tests/statistics/ranges.py for the format.\n")
        file.write("\n".join(lines) + "\n")
