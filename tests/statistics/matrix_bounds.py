#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The guaranteed errors of transforms by matrix product, derived for every length that such a mode serves, beside what
lib/fft/precision/precision.h states. Prints TAP. Every step is an inequality; nothing here is measured.

Relative to the 2-norm of the exact result, sqrt(n) |x|, for any input x that neither overflows nor is denormal:

  slices        x = x_0 + ... + x_{S-1} + r, W = W_0 + ... + W_{S-1} + R_S, and R_b = W - W_0 - ... - W_{b-1}. The modes
                keep the products of a + b < S, so the error is W r + sum over a of R_{S-a} x_a. Norms of R are largest
                singular values; what x_a and r can be beside x follows from all 2^23 significands of a float32, or, of
                slices on a common exponent, from |x_a| <= 2^-8a in every part beside a largest part of at least 1/2.
  accumulation  A partial sum of row k's chain is element k of a transform of x with its tail set to zero, so over all
                rows the partial sums of one place in the chain have a norm of at most |W_b| |x_a|, and each rounding
                adds at most 2^-24 of it. Roundings add up in the norm: (1 + 2^-24)^L - 1 for L of them.
  finish        the factor and its product: 2 roundings; in float64 4.
"""
import re
import sys

import numpy as np

U32, U64 = 2.0**-24, 2.0**-53
MOST = 256
SLACK = 1 + 1e-3  # second-order terms of the accumulation, which is below 2e-4 everywhere
BLOCK = 16  # pairs in a short chain, and in a step of AMX
TINY = 1e-30  # products that are flushed to zero, 2^-126 beside a largest element of at least 1/2


def roots(n):
    """W as long doubles: exp(-2 pi i j k / n), angles reduced as integers."""
    turn = 8 * np.arctan(np.longdouble(1))
    angle = turn * np.arange(n).astype(np.longdouble) / np.longdouble(n)
    parts = np.array([np.cos(angle), -np.sin(angle)])
    for quarter in range(4):  # exactly 0, 1 or -1
        if quarter * n % 4 == 0:
            parts[:, quarter * n // 4] = ([1, 0, -1, 0][quarter], [0, -1, 0, 1][quarter])
    index = np.outer(np.arange(n), np.arange(n)) % n
    return parts[:, index]


def round_bf16(x):
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(fraction, 8)), exponent - 8)


def rests(w, slices, aligned):
    """R_1 ... R_S, each (2, n, n), scaled by 2^8b so that doubles hold them."""
    rest, out = w.copy(), []
    for b in range(slices):
        scale = np.longdouble(2) ** (7 + 8 * b)
        rest = rest - (np.rint(rest * scale) / scale if aligned else round_bf16(rest))
        out.append((rest * np.longdouble(2) ** (8 * (b + 1))).astype(np.float64))
    return out


def norm(parts):
    """The largest singular value over the root of n, with what an SVD in float64 may miss."""
    matrix = parts[0] + 1j * parts[1]
    return np.linalg.norm(matrix, 2) / np.sqrt(matrix.shape[0]) * (1 + 1e-10)


def input_slices(slices):
    """The most that |x_a|, a = 0 ... S-1, and |r| can be beside |x|, over every significand of a float32."""
    x = np.ldexp(1 + np.arange(2**23, dtype=np.float64) * 2.0**-23, 0)
    rest, most = x.copy(), []
    for _ in range(slices):
        part = round_bf16(rest)
        most.append(float(np.max(np.abs(part) / x)))
        rest -= part
    return most, float(np.max(np.abs(rest) / x))


def chain_roundings(n, products, norms, short):
    """Roundings of one float32 sum over products (a, b) in order, each weighed by the norm of what it rounds. Two
    arithmetics, of which the worse counts: a chain of fused multiply-adds, and AMX's."""
    blocks, running, chain, tiles = -(-n // BLOCK), 0.0, 0.0, 0.0
    each = min(n, BLOCK)
    for a, b in products:
        one = norms(a, b)
        running += one
        if short:
            chain += blocks * running + 2 * each * np.sqrt(blocks) * one
        else:
            chain += 2 * n * running
        tiles += blocks * running + (each * np.sqrt(2) + 1) * np.sqrt(blocks) * one
    return max(chain, tiles)


def float_bound(n, w, slices, products, short, most):
    """(error of the slices, of the accumulation): bf16, ozaki, ozaki6."""
    part, rest = most
    scaled = rests(w, slices, False)
    left = [1.0] + [norm(r) * 2.0 ** (-8 * (b + 1)) for b, r in enumerate(scaled)]  # |R_b|
    sliced = rest + sum(left[slices - a] * part[a] for a in range(slices))

    def norms(a, b):
        return (left[b] + left[b + 1] if b else 1 + left[1]) * part[a]

    return sliced + TINY, U32 * SLACK * chain_roundings(n, products, norms, short)


def refined_bound(n, w, first):
    """y = W_b x, then y + W_b (x - W^-1 y) with the inverse in float32, whose products may be rounded before they are
    added: 2 n sums, 2 n products of absolute sum at most root(2 n), the factor 1/n, and W rounded."""
    b = sum(first)
    single = w - w.astype(np.float32).astype(np.longdouble)
    rounded = norm((single * 2.0**24).astype(np.float64)) * 2.0**-24
    back = (rounded + SLACK * U32 * (2 * n + np.sqrt(2 * n) + 2) * (1 + rounded)) * (1 + b)
    return b * (b + back) * (1 + U32), back + U32


def exact_bound(n, w, slices):
    """(error of the slices, of the accumulation): ozaki_hq, ozaki_fp64."""
    scaled = rests(w, slices, True)
    spread = 2 * np.sqrt(2 * n)  # the norm of a vector of parts of at most 1, beside a largest part of 1/2
    last = 2.0 ** (-8 * slices)
    left = [norm(r) * 2.0 ** (-8 * (b + 1)) for b, r in enumerate(scaled)]
    kept = 1 + spread * 2.0**-8  # x_0 beside x
    # sum over a >= 1 of R_{S-a} x_a: one by one, or as one matrix over all of them. All have the weight 2^-8S.
    apart = sum(norm(scaled[slices - a - 1]) for a in range(1, slices)) * spread
    gram = np.zeros((n, n), complex)
    for a in range(1, slices):
        matrix = scaled[slices - a - 1][0] + 1j * scaled[slices - a - 1][1]
        gram += matrix @ matrix.conj().T
    joined = np.sqrt(np.linalg.norm(gram, 2) / n) * spread * np.sqrt(slices - 1) * (1 + 1e-10)
    sliced = last * spread + left[-1] * kept + last * min(apart, joined)
    # Sums of equal weight are exact; they join in float64, the least first.
    roundings, running, most = 0.0, 0.0, 512 // n
    for order in range(slices - 1, -1, -1):
        for a in range(order + 1):
            x = kept if a == 0 else spread * 2.0 ** (-8 * a)
            running += x * (1 + left[0] if a == order else left[order - a - 1] + left[order - a])
        roundings += running * -(-(order + 1) // most)
    return sliced, U64 * SLACK * roundings


PRODUCTS = {
    'bf16': [(0, 0)],
    'ozaki': [(1, 0), (0, 1), (0, 0)],
    'ozaki6': [(2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0)],
}


def bounds_of(n, most):
    """mode: (slices, accumulation, finish) of this length."""
    w = roots(n)
    out = {}
    for name, products in PRODUCTS.items():
        slices = {'bf16': 1, 'ozaki': 2, 'ozaki6': 3}[name]
        out[name] = float_bound(n, w, slices, products, name == 'ozaki6', most[slices]) + (2 * U32,)
    out['bf16_refined'] = refined_bound(n, w, out['bf16'][:2]) + (2 * U32,)
    out['ozaki_hq'] = exact_bound(n, w, 5) + (4 * U64,)
    out['ozaki_fp64'] = exact_bound(n, w, 7) + (4 * U64,)
    return out


def stated():
    """mode: the guaranteed bound in lib/fft/precision/precision.h."""
    text = open('lib/fft/precision/precision.h', encoding='utf-8').read()
    rows = re.findall(r'X\(\w+, "(\w+)", \w+, ([0-9.e-]+),', text)
    return {name: float(bound) for name, bound in rows}


def main():
    most = {slices: input_slices(slices) for slices in (1, 2, 3)}
    worst, at_most = {}, stated()
    for n in range(1, MOST + 1):
        for mode, terms in bounds_of(n, most).items():
            total = sum(terms) * (1 + 1e-6)
            if total > worst.get(mode, (0,))[0]:
                worst[mode] = (total, n, terms)
    failures = 0
    print(f'1..{len(worst)}')
    for i, (mode, (total, n, terms)) in enumerate(worst.items()):
        good = total <= at_most[mode] <= 1.06 * total
        failures += not good
        print('ok' if good else 'not ok', i + 1, f'- {mode}: at most {total:.4g} for n = 1 to {MOST}, worst n = {n} '
              f'(slices {terms[0]:.3g}, accumulation {terms[1]:.3g}, finish {terms[2]:.2g}), stated {at_most[mode]:.3g}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
