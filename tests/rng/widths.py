#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The streams of threefry2x32, threefry4x64, philox2x32 and philox4x64 once more in plain Python, as trnsci-streams(7) defines
them: prints the lines of tests/vectors/stream_vectors.txt that begin with a name. The blocks are held to Random123's answers."""

BITS_2X32 = [13, 15, 26, 6, 17, 29, 16, 24]
BITS_4X64 = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]


def rotate(x, bits, width):
    return (x << bits | x >> (width - bits)) % (1 << width)


def threefry(counter, key, width):
    """20 rounds, of as many words as the counter has."""
    n, words = len(counter), 1 << width
    schedule = [*key, 0x1BD11BDAA9FC1A22 if width == 64 else 0x1BD11BDA]
    for k in key:
        schedule[-1] ^= k
    x = [(c + k) % words for c, k in zip(counter, key)]
    for r in range(20):
        pairs = [(0, 1, BITS_2X32[r % 8])] if n == 2 else \
            [(0, 3 if r % 2 else 1, BITS_4X64[r % 8][0]), (2, 1 if r % 2 else 3, BITS_4X64[r % 8][1])]
        for a, b, bits in pairs:
            x[a] = (x[a] + x[b]) % words
            x[b] = rotate(x[b], bits, width) ^ x[a]
        if r % 4 == 3:
            s = r // 4 + 1
            x = [(x[i] + schedule[(s + i) % (n + 1)] + (s if i == n - 1 else 0)) % words for i in range(n)]
    return x


def philox2x32(counter, key):
    x, y = counter
    for r in range(10):
        product = 0xD256D193 * x
        x, y = product >> 32 ^ (key + r * 0x9E3779B9) % (1 << 32) ^ y, product % (1 << 32)
    return [x, y]


def philox4x64(counter, key):
    words, x = 1 << 64, list(counter)
    for r in range(10):
        first, second = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
        k = (key[0] + r * 0x9E3779B97F4A7C15) % words, (key[1] + r * 0xBB67AE8584CAA73B) % words
        x = [second >> 64 ^ x[1] ^ k[0], second % words, first >> 64 ^ x[3] ^ k[1], first % words]
    return x


def halves(words):
    return [half for x in words for half in (x % (1 << 32), x >> 32)]


def block(name, seed, stream, draw, evaluation):
    partition, batch = evaluation % 128, evaluation // 128
    if name.endswith('4x64'):
        counter = [partition, batch, draw, 0]
        return halves(philox4x64(counter, [seed, stream]) if name[0] == 'p' else threefry(counter, [seed, stream, 0, 0], 64))
    key = threefry([stream, batch >> 32], halves([seed]), 32)
    counter = [partition + 128 * draw, batch % (1 << 32)]
    return philox2x32(counter, key[0]) if name[0] == 'p' else threefry(counter, key, 32)


def word(name, seed, stream, draw, position):
    per_block = 2 if name.endswith('2x32') else 8
    return block(name, seed, stream, draw, position // per_block)[position % per_block]


ONES = (1 << 64) - 1
assert threefry([0, 0], [0, 0], 32) == [0x6B200159, 0x99BA4EFE]
assert threefry([0] * 4, [0] * 4, 64)[0] == 0x09218EBDE6C85537
assert philox2x32([0xFFFFFFFF] * 2, 0xFFFFFFFF) == [0x2C3F628B, 0xAB4FD7AD]
assert philox4x64([ONES] * 4, [ONES] * 2)[3] == 0xA09CAEBF594F0BA0

for generator in 'threefry2x32', 'threefry4x64', 'philox2x32', 'philox4x64':
    narrow = generator.endswith('2x32')
    for seed, stream, draw, position in (
            (0, 0, 0, 0), (1, 0, 0, 4), (1, 0, 0, 252), (1, 0, 0, 256), (1, 0, 0, 1020), (7, 3, 2, (1 << 40) - 4), (7, 3, 2, 1 << 40),
            (ONES, 0xFFFFFFFF if narrow else ONES, (1 << 25) - 1 if narrow else 0xFFFFFFFF, ONES - 3),
            (0xDEADBEEFCAFEF00D, 0x10000000, 1, 123456788)):
        words = [word(generator, seed, stream, draw, position + i) for i in range(4)]
        print(f'{generator} {seed:#x} {stream:#x} {draw} {position} :', ' '.join(f'{w:08x}' for w in words))
