#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Prints the polynomials of lib/math/elementary_log.h and elementary_turn.h (needs python3-mpmath). Remez' exchange on a grid, weighted for
# relative error; coefficients are rounded to the format one by one from the lowest, the rest being fitted again.
import sys
from mpmath import mp, mpf, matrix, lu_solve, log, sin, cos, pi, sqrt, fabs, floor, frexp, ldexp, nstr

mp.prec = 200


def rounded(x, bits):
    """x to the nearest number of that many significant bits."""
    if x == 0:
        return x
    m, e = frexp(x)
    return ldexp(floor(ldexp(m, bits) + mpf(1) / 2), e - bits)


def remez(target, weight, low, high, powers):
    """Coefficients of the best approximation sum c_k x^k (k in powers), and its weighted error."""
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * i / 600) for i in range(601)]
    grid = [x for x in grid if fabs(x) > mpf(2) ** -70]
    f, w = [target(x) for x in grid], [weight(x) for x in grid]
    n = len(powers) + 1
    at = [round(i * (len(grid) - 1) / (n - 1)) for i in range(n)]
    for _ in range(40):
        a, b = matrix(n, n), matrix(n, 1)
        for row, i in enumerate(at):
            for column, k in enumerate(powers):
                a[row, column] = grid[i] ** k * w[i]
            a[row, n - 1] = (-1) ** row
            b[row] = f[i] * w[i]
        c = lu_solve(a, b)
        error = [w[i] * (f[i] - sum(c[j] * x ** k for j, k in enumerate(powers))) for i, x in enumerate(grid)]
        worst = max(fabs(e) for e in error)
        if worst < fabs(c[n - 1]) * mpf('1.0001'):
            break
        # The largest error of each run of one sign; then the best n neighbours of these.
        peaks = []
        for i, e in enumerate(error):
            if peaks and (e > 0) == (error[peaks[-1]] > 0):
                if fabs(e) > fabs(error[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > n:
            peaks.pop(0 if fabs(error[peaks[0]]) < fabs(error[peaks[-1]]) else -1)
        if len(peaks) < n:
            break
        at = peaks
    return [c[j] for j in range(n - 1)], worst


def fit(name, target, weight, low, high, degree, bits, halved=False):
    """halved: prints x^2 times half the polynomial in 2 x, which has the same fractions."""
    c, _ = remez(target, weight, low, high, list(range(degree + 1)))
    fixed = [rounded(x, bits) for x in c]
    if low >= 0:  # x^k .. x^degree have a best approximation of their own where they keep their sign
        fixed = []
        for k in range(degree + 1):
            rest = lambda x: target(x) - sum(c * x ** j for j, c in enumerate(fixed))
            fixed.append(rounded(remez(rest, weight, low, high, list(range(k, degree + 1)))[0][0], bits))
    grid = [low + (high - low) * i / mpf(4001) for i in range(1, 4000)]
    worst = max(fabs(weight(x) * (target(x) - sum(c * x ** j for j, c in enumerate(fixed))))
                for x in grid)
    print(f'/* {name}: degree {degree}, error 2^{nstr(log(worst, 2), 4)} */')
    print(', '.join(float(c * 2 ** (k + 1) if halved else c).hex() + ('f' if bits == 24 else '') for k, c in enumerate(fixed)))


def log_tail(x):
    """-2 ln(1 - x/2) = x + x^2 log_tail(x). In float64 halved: -ln(1 - x)."""
    return (-2 * log(1 - x / 2) - x) / x ** 2


def main():
    third = mpf(2) / 3
    for bits, degrees in ((24, (8, 3, 3)), (53, (20, 6, 6))):
        if len(sys.argv) > 1:
            degrees = [int(d) for d in sys.argv[1].split(',')]
        hi = rounded(pi / 2, bits)
        print(f'/* {bits} bits: ln 2 = {float(rounded(log(2), bits)).hex()} + '
              f'{float(log(2) - rounded(log(2), bits)).hex()}, pi / 2 = {float(hi).hex()} */')
        fit('log', log_tail, lambda x: x ** 2 / fabs(2 * log(1 - x / 2)), -third, third, degrees[0], bits, bits == 53)
        fit('sin', lambda t: sin(pi / 2 * sqrt(t)) / sqrt(t) - hi, lambda t: sqrt(t) / sin(pi / 2 * sqrt(t)),
            mpf(2) ** -60, mpf(1) / 4, degrees[1], bits)
        fit('cos', lambda t: (cos(pi / 2 * sqrt(t)) - 1) / t, lambda t: t / cos(pi / 2 * sqrt(t)),
            mpf(2) ** -60, mpf(1) / 4, degrees[2], bits)


if __name__ == '__main__':
    main()
