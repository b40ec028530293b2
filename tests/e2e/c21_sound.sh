#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sound: how samples are rounded, clipped, dithered and amplified; files of wav and flac as other programs read them; files of
# unknown length, as pipes get them.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

run() {
	"$cli" --embedded "$@"
}

# Files and expectations by Python, from the formats' descriptions.
cat >sound.py <<'PYTHON'
import random, struct

random.seed(3)
RATE = 8000
WIDE = [random.randrange(-2**23, 2**23) for _ in range(2000)] + [2**23 - 1, -2**23, 0, 1, -1]  # of 24 bits
FLOATS = 0xfffe

def pcm(bits, samples=WIDE):
    cut = [x >> (24 - bits) if bits <= 24 else x << (bits - 24) for x in samples]
    if bits == 8:
        return bytes(x + 128 for x in cut)
    return b"".join(struct.pack("<i", x)[:bits // 8] for x in cut)

def value(bits):
    return [(x >> (24 - bits)) / 2.0**(bits - 1) if bits <= 24 else x / 2.0**23 for x in WIDE]

def chunk(name, data, size=None):
    return name + struct.pack("<I", len(data) if size is None else size) + data + b"\0" * (len(data) & 1)

def wav(data, bits=16, tag=1, channels=1, size=None, whole=None, more=b"", before=b"", after=b""):
    frame = channels * bits // 8
    body = b"WAVE" + chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, RATE, RATE * frame, frame, bits) + more) + before
    body += chunk(b"data", data, size) + after
    return b"RIFF" + struct.pack("<I", len(body) if whole is None else whole) + body

def rf64(data, size):
    return (b"RF64" + b"\xff" * 4 + b"WAVE" + chunk(b"ds64", struct.pack("<QQQI", size, size, 0, 0)) +
            wav(data, size=0xffffffff)[12:])

def au(size):
    return b".snd" + struct.pack(">IIIII", 24, size, 3, RATE, 1) + b"".join(struct.pack(">h", x >> 8) for x in WIDE)

def w64(size):
    name = lambda text: text + bytes.fromhex("f3acd3118cd100c04f8edb8a")
    fmt = struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16)
    body = name(b"wave") + name(b"fmt ") + struct.pack("<Q", 40) + fmt + name(b"data") + struct.pack("<q", size) + pcm(16)
    return bytes.fromhex("726966662e91cf11a5d628db04c10000") + struct.pack("<q", size) + body

def rifx():
    return (b"RIFX" + struct.pack(">I", 0) + b"WAVEfmt " + struct.pack(">IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16) +
            b"data" + struct.pack(">I", 0) + b"".join(struct.pack(">h", x >> 8) for x in WIDE))

TEXT = chunk(b"LIST", b"INFOIART\x04\0\0\0name")
GUID = bytes.fromhex("0100000000001000800000aa00389b71")
d = pcm(16)
FILES = {
    "plain": (16, wav(d)),
    "zero": (16, wav(d, size=0, whole=0)),
    "ffmpeg": (16, wav(d, size=0xffffffff, whole=0xffffffff)),
    "sox": (16, wav(d, size=0x7ffff000, whole=0x7ffff024)),
    "arecord": (16, wav(d, size=0x80000000, whole=0x80000024)),
    "listed": (16, wav(d, size=0, before=TEXT)),
    "followed": (16, wav(d, after=TEXT)),
    "bits8": (8, wav(pcm(8), 8)),
    "bits24": (24, wav(pcm(24), 24)),
    "zero24": (24, wav(pcm(24), 24, size=0)),
    "bits32": (32, wav(pcm(32), 32)),
    "float": (16, wav(struct.pack("<%df" % len(WIDE), *value(16)), 32, 3)),
    "float64": (24, wav(struct.pack("<%dd" % len(WIDE), *value(24)), 64, 3, more=b"\0\0")),
    "zerofloat": (16, wav(struct.pack("<%df" % len(WIDE), *value(16)), 32, 3, size=0)),
    "extensible": (16, wav(d, tag=FLOATS, more=struct.pack("<HHI", 22, 16, 4) + GUID)),
    "zeroextensible": (16, wav(d, tag=FLOATS, size=0, more=struct.pack("<HHI", 22, 16, 4) + GUID)),
    "rifx": (16, rifx()),
    "rf64": (16, rf64(d, len(d))),
    "rf64zero": (16, rf64(d, 0)),
    "rf64ones": (16, rf64(d, 2**64 - 1)),
    "w64": (16, w64(-1)),
    "w64zero": (16, w64(0)),
    "w64head": (16, w64(24)),
    "au": (16, au(0xffffffff)),
    "auzero": (16, au(0)),
}
if __name__ == "__main__":
    for name, (bits, data) in FILES.items():
        open(name + ".snd", "wb").write(data)
        open(name + ".want", "wb").write(struct.pack("<%dd" % len(WIDE), *value(bits)))
    for bits in (8, 16, 24):
        open("mono%d.wav" % bits, "wb").write(wav(pcm(bits), bits))
        open("stereo%d.wav" % bits, "wb").write(wav(pcm(bits, WIDE[:2000]), bits, channels=2))
    open("cut.wav", "wb").write(wav(d)[:-1000])
    open("empty.wav", "wb").write(wav(b"", size=0, after=TEXT))
    open("one.raw", "wb").write(struct.pack("<f", 1))
    open("wide.raw", "wb").write(struct.pack("<%dh" % len(WIDE), *[x >> 8 for x in WIDE]))
    # Halves of a unit, and what lies just beside them.
    ties = [i + 0.5 + e for i in list(range(-40, 40)) + [32766, -32769] for e in (-2**-10, 0, 2**-10)] + [32767.0, -32768.0]
    open("ties.raw", "wb").write(struct.pack("<%dd" % len(ties), *[x / 32768 for x in ties]))
    open("ties.want", "wb").write(struct.pack("<%dh" % len(ties), *[max(-32768, min(32767, round(x))) for x in ties]))
    far = [2.0, -2.0, 1.0, -1.0, 0.5, float("inf"), float("-inf"), float("nan")]
    open("far.raw", "wb").write(struct.pack("<8f", *far))
PYTHON
python3 sound.py

# ---- reading ----

# Prints a file's samples as float64, of which fftshift has swapped the halves.
cat >swap.py <<'PYTHON'
import struct, sys
data = sys.stdin.buffer.read()
size = 4 if b"'<f4'" in data[:128] else 8
n = (len(data) - 128) // size
x = struct.unpack_from("<%d%s" % (n, "f" if size == 4 else "d"), data, 128)
x = x[n // 2:] + x[:n // 2]
sys.stdout.buffer.write(struct.pack("<%dd" % n, *x))
PYTHON
decoded() {
	"$cli" -q --embedded fftshift "$1" --format npy | python3 swap.py
}
for want in *.want; do
	name=${want%.want}
	[ "$name" = ties ] && continue # integers
	same "the samples of $name" "$(sum <"$want")" "$(decoded "$name.snd" | sum)"
	# shellcheck disable=SC2002 # a pipe it has to be
	same "$name from a pipe" "$("$cli" -q --embedded fft "$name.snd" --format raw | sum)" \
		"$(cat "$name.snd" | "$cli" -q --embedded fft - --format raw | sum)"
done

for type in w64 aiff caf; do
	sox -t wav plain.snd "x.$type"
	same "the samples of $type" "$(sum <plain.want)" "$(decoded "x.$type" | sum)"
done
flac -s --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 --sample-rate=8000 -c - <wide.raw >pipe.flac 2>/dev/null
same "flac from a pipe states no length" "00 00 00 00" "$(tail -c +23 pipe.flac | head -c 4 | od -An -tx1 | sed 's/^ //')"
same "and is read to its end" "$(sum <plain.want)" "$(decoded pipe.flac | sum)"
same "a wav that is cut short is read as far as it goes" 1505 "$(($(decoded cut.wav | wc -c) / 8))"
code "a wav without samples, with a chunk behind" 65 run fft empty.wav

# ---- rounding ----

for kind in mono8 mono16 mono24 stereo8 stereo16 stereo24; do
	"$cli" -q --embedded fftshift $kind.wav --axes 0 -o once.wav
	"$cli" -q --embedded fftshift once.wav --axes 0 --inverse -o twice.wav
	same "an operation and its inverse give the file again, $kind" "$(sum <$kind.wav)" "$(sum <twice.wav)"
done
"$cli" -q --embedded convolve mono16.wav one.raw --dtype f32 -o same.wav
same "so does a convolution with a unit impulse" "$(sum <mono16.wav)" "$(sum <same.wav)"
cat >shift.py <<'PYTHON'
# Prints the samples of a wav file whose halves fftshift has swapped, as raw bytes again in their place.
import sys
size, head = int(sys.argv[2]), int(sys.argv[3])
data = open(sys.argv[1], "rb").read()[head:]
n = len(data) // size
cut = (n // 2) * size
sys.stdout.buffer.write(data[cut:n * size] + data[:cut])
PYTHON
"$cli" -q --embedded fftshift ties.raw --dtype f64 --encoding pcm16 -o ties.wav
same "to the nearest, ties to even" "$(sum <ties.want)" "$(python3 shift.py ties.wav 2 44 | sum)"
"$cli" -q --embedded fftshift ties.raw --dtype f64 --encoding pcm16 -o ties.flac
flac -s -d -f --force-raw-format --endian=little --sign=signed -o ties.bin ties.flac
same "in flac as well" "$(sum <ties.want)" "$(python3 shift.py ties.bin 2 0 | sum)"

# ---- dither ----

"$cli" -q --embedded fftshift ties.raw --dtype f64 --encoding pcm16 --dither -o dither.wav
"$cli" -q --embedded rand uniform -n 1000 --seed 0 --stream 0x646974686572 --dtype f64 --format raw >uniform.raw
python3 - <<'PYTHON' >dither.want
import array, sys
x = array.array("d", open("ties.raw", "rb").read())
u = array.array("d", open("uniform.raw", "rb").read())
n = len(x)
x = list(x[n - n // 2:]) + list(x[:n - n // 2])
sys.stdout.buffer.write(array.array("h", [max(-32768, min(32767, round(v * 32768 + u[2 * k] - u[2 * k + 1])))
                                         for k, v in enumerate(x)]).tobytes())
PYTHON
same "dither takes two uniform numbers of the documented stream for each sample" "$(sum <dither.want)" "$(tail -c +45 dither.wav | sum)"

# ---- clipping, gain, full scale ----

code "samples beyond full scale" 0 run fftshift far.raw --dtype f32 --encoding pcm16 -o far.wav
like "are reported with their share" "*far.wav: 4 of 8 samples (50 %) are clipped*--gain, --normalize, --encoding float*" "$(cat err)"
like "and those that are no numbers" "*1 of 8 samples are NaN and written as 0*" "$(cat err)"
same "and clipped" "32767 -32768 32767 -32768 16384 32767 -32768 0" \
	"$(python3 shift.py far.wav 2 44 | od -An -v -td2 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
code "-q" 0 run -q fftshift far.raw --dtype f32 --encoding pcm16 -o far.wav
same "says nothing" "" "$(cat err)"
code "full scale itself" 0 run window --n 512 --window hann --encoding pcm16 -o x.wav
same "is not beyond it" "" "$(cat err)"
code "no sample beyond full scale" 0 run fftshift mono16.wav -o x.wav
same "is no remark" "" "$(cat err)"
code "floats are not clipped" 0 run fftshift far.raw --dtype f32 -o x.wav
same "and there is no remark" "" "$(cat err)"

# Of 0 and 1 as bits, halves of full scale: amplified by 20 log10(1.5) dB they are 24576.
python3 -c "
import struct, sys
sys.stdout.buffer.write(struct.pack('<4f', .5, -.5, .25, 0))" >half.raw
shown() {
	python3 shift.py "$1" 2 44 | od -An -v -td2 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}
"$cli" -q --embedded fftshift half.raw --dtype f32 --encoding pcm16 --gain 3.5218251811136247 -o x.wav
same "--gain" "24576 -24576 12288 0" "$(shown x.wav)"
"$cli" -q --embedded fftshift half.raw --dtype f32 --encoding pcm16 --normalize -o x.wav
same "--normalize" "32767 -32767 16384 0" "$(shown x.wav)"
"$cli" -q --embedded fftshift half.raw --dtype f32 --encoding pcm16 --normalize --gain -6.020599913279624 -o x.wav
same "--normalize, then --gain" "16384 -16384 8192 0" "$(shown x.wav)"

"$cli" -q --embedded rand uniform -n 20000 --low -0.5 --high 0.5 --encoding pcm16 -o speech.wav
run noise speech.wav --snr -20 -o noisy.wav 2>err
python3 - <<'PYTHON' >want
import array, math
read = lambda name: array.array("h", open(name, "rb").read()[44:])
s, y = read("speech.wav"), read("noisy.wav")
clipped = sum(v in (-32768, 32767) for v in y)
ratio = 10 * math.log10(sum(v * v for v in s) / sum((a - b)**2 for a, b in zip(y, s)))
print("%d of 20000 samples (%.3g %%)" % (clipped, clipped / 200))
print("the ratio reached is %.1f dB, asked for was -20" % ratio)
PYTHON
like "noise states the share that it clips" "*$(head -1 want)*" "$(head -1 err)"
same "and the ratio that it reaches" "trnsci-cli: noise: $(tail -1 want)" "$(tail -1 err)"
for how in "--gain -40" "--normalize" "--encoding float"; do
	# shellcheck disable=SC2086
	run noise speech.wav --snr -20 $how -o x.wav 2>err
	same "noise $how clips nothing" "" "$(cat err)"
done

# ---- files as others read them ----

"$cli" -q --embedded rand normal -n 1001 --std 0.1 -o f.wav
same "float wav: fmt of 18 bytes with an extension of 0 bytes, then fact" "18 3 0 1001 fact" "$(python3 -c "
import struct
b = open('f.wav', 'rb').read()
print(struct.unpack_from('<I', b, 16)[0], struct.unpack_from('<H', b, 20)[0], struct.unpack_from('<H', b, 36)[0],
      struct.unpack_from('<I', b, 46)[0], b[38:42].decode())")"
same "the size of the file" "$(($(wc -c <f.wav) - 8))" "$(python3 -c "
import struct
print(struct.unpack_from('<I', open('f.wav', 'rb').read(), 4)[0])")"
"$cli" -q --embedded rand normal -n 1001 --std 0.1 -o f.raw
sox f.wav -t f32 read.raw 2>err
same "sox reads it, to 24 bits, without a warning" "True " "$(python3 -c "
import array
read = lambda name: array.array('f', open(name, 'rb').read())
a, b = read('f.raw'), read('read.raw')
print(len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 2**-24)") $(cat err)"
"$cli" -q --embedded rand uniform -n 1001 --high 0.5 --encoding pcm24 --fs 44100 -o p.wav
same "Python's wave reads pcm24" "(1, 3, 44100, 1001)" "$(python3 -W ignore -c "
import wave
print(wave.open('p.wav').getparams()[:4])")"
sox p.wav -t s32 - >heard.raw 2>err
same "sox reads it as it is, without a warning" "" "$(cat err)"
for bits in 8 16 24; do
	for kind in mono stereo; do
		"$cli" -q --embedded fftshift $kind$bits.wav --axes 0 -o once.flac
		code "flac itself tests $kind of $bits bits" 0 flac -s -t once.flac
		"$cli" -q --embedded fftshift once.flac --axes 0 --inverse -o twice.wav
		same "through flac and back, $kind of $bits bits" "$(sum <$kind$bits.wav)" "$(sum <twice.wav)"
	done
done
"$cli" -q --embedded fftshift mono24.wav --format flac >pipe.flac
"$cli" -q --embedded fftshift mono24.wav -o file.flac
same "flac to a pipe is the same file" "$(sum <file.flac)" "$(sum <pipe.flac)"
"$cli" -q --embedded fftshift stereo16.wav --format wav >pipe.wav
"$cli" -q --embedded fftshift stereo16.wav -o file.wav
same "wav to a pipe is the same file" "$(sum <file.wav)" "$(sum <pipe.wav)"
same "beyond 4 GiB, a file is RF64 with sizes of 64 bits" "RF64 WAVE ds64 28 4800000086 4800000000 1200000000 0 18 3" "$(
	"$cli" -q --embedded rand uniform -n 1200000000 --format wav 2>/dev/null | head -c 100 | python3 -c "
import struct, sys
b = sys.stdin.buffer.read()
print(b[:4].decode(), b[8:12].decode(), b[12:16].decode(), *struct.unpack_from('<IQQQI', b, 16), *struct.unpack_from('<IH', b, 52))")"
same "an odd number of bytes is padded" 0 "$(($(wc -c <mono8.wav) % 2))"
"$cli" -q --embedded rand exponential -n 100 --rate 2 --fs 8000 -o e.wav
same "--fs is the rate of sound where --rate is the distribution's" 8000 "$(soxi -r e.wav)"
"$cli" -q --embedded rand normal -n 100 --fs 8000 -o e.flac
same "--fs of flac, which has 24 bits of floats" "8000 24" "$(soxi -r e.flac) $(soxi -b e.flac)"
"$cli" -q --embedded convolve mono16.wav one.raw --dtype f32 --fs 11025 -o e.wav
same "--fs comes before the rate of the input" 11025 "$(soxi -r e.wav)"

# ---- errors ----

code "an unknown encoding" 2 run rand normal -n 5 --encoding pcm12 -o x.wav
like "lists those that there are" "*--encoding: 'pcm12', allowed pcm16, pcm24, float*" "$(cat err)"
code "flac has no floats" 2 run rand normal -n 5 --encoding float -o x.flac
code "no sound" 2 run rand normal -n 5 --gain 3 -o x.npy
like "has no gain" "*--gain*allowed with wav and flac*" "$(cat err)"
code "dither of floats" 2 run rand normal -n 5 --dither -o x.wav
like "has nothing to do" "*--dither: samples of x.wav are floats*" "$(cat err)"
code "a gain that is none" 2 run rand normal -n 5 --gain x -o x.wav
code "flac of nine channels" 2 run qmc halton -n 9 -d 5 -o x.flac
code "sound without end" 2 run ring normal -o x.wav
code "a rate that is none" 2 run rand normal -n 5 --fs 0.5 -o x.wav
finish
