#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands that the table of operations makes: against exact arithmetic of numbers that floats hold, over pieces and with inputs
# that are used again; and large files take little memory.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
start_daemon --state-dir "$work/state"

# 700,000 eighths: three pieces.
cat >arrays.py <<'PYTHON'
import array, struct, sys

def write(name, shape, values, code="f"):
    header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }" % ({"f": "f4", "d": "f8"}[code], ", ".join(str(n) for n in shape) + "," * (len(shape) == 1))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array(code, values).tobytes())

n, rows, columns = 700000, 1400, 500
x = [(k * 7919 % 4096 - 2048) / 8 for k in range(n)]
y = [(k * 104729 % 4096 - 2048) / 8 for k in range(n)]
row, one = x[:columns], [0.25]
write("x.npy", [n], x)
write("y.npy", [n], y)
write("m.npy", [rows, columns], x)
write("w.npy", [rows, columns], y)
write("row.npy", [columns], row)
write("one.npy", [1], one)
write("odd.npy", [3], x[:3])
cut = range(rows)
for name, shape, values in [
        ("add x.npy y.npy", [n], [a + b for a, b in zip(x, y)]),
        ("subtract m.npy row.npy", [rows, columns], [a - row[k % columns] for k, a in enumerate(x)]),
        ("multiply m.npy one.npy", [rows, columns], [a / 4 for a in x]),
        ("multiply x.npy one.npy", [n], [a / 4 for a in x]),
        ("divide x.npy one.npy", [n], [a * 4 for a in x]),
        ("scale x.npy --by 2 --plus 1", [n], [2 * a + 1 for a in x]),
        ("abs m.npy", [rows, columns], [abs(a) for a in x]),
        ("square x.npy", [n], [a * a for a in x]),
        ("clip x.npy --low=-100 --high 3.5", [n], [min(max(a, -100), 3.5) for a in x]),
        ("where x.npy x.npy y.npy --above 1", [n], [a if a > 1 else b for a, b in zip(x, y)]),
        ("where m.npy m.npy row.npy --above 1", [rows, columns], [a if a > 1 else row[k % columns] for k, a in enumerate(x)]),
        ("sum m.npy --axes 1", [rows], [sum(x[i * columns:(i + 1) * columns]) for i in cut]),
        ("sum m.npy --axes 0", [columns], [sum(x[j::columns]) for j in range(columns)]),
        ("sum m.npy", [1], [sum(x)]),
        ("mean m.npy --axes=-1", [rows], [sum(x[i * columns:(i + 1) * columns]) / columns for i in cut]),
        ("max w.npy --axes=-1", [rows], [max(y[i * columns:(i + 1) * columns]) for i in cut]),
        ("fftshift m.npy --axes 1", [rows, columns], [x[i * columns + (j - columns // 2) % columns] for i in cut for j in range(columns)])]:
    write(name.replace(" ", "_") + ".npy", shape, values)
    print(name)
PYTHON
python3 arrays.py >commands
while read -r command; do
	# shellcheck disable=SC2086
	code "$command" 0 "$cli" -q --embedded $command -o embedded.npy
	same "$command: exact" "$(sum <"$(echo "$command" | tr ' ' _).npy")" "$(sum <embedded.npy)"
	# shellcheck disable=SC2086
	"$cli" -q --socket "$socket" $command -o daemon.npy
	same "$command: by the daemon" "$(sum <embedded.npy)" "$(sum <daemon.npy)"
done <commands

code "one input of two" 2 "$cli" --embedded add x.npy
like "says how many" "*add: 1 inputs, allowed two files*" "$(cat err)"
code "three inputs" 2 "$cli" --embedded where x.npy x.npy
code "shapes that do not go together" 65 "$cli" --embedded add m.npy x.npy -o wrong.npy
like "says which, of the whole file" "*b: it is f32 (700000)*f32 (1400, 500)*" "$(cat err)"
code "an axis that there is not" 2 "$cli" --embedded sum m.npy --axes 2
like "says which there are" "*--axes: '2', allowed*-2 to 1*" "$(cat err)"
code "pairs of an odd number" 65 "$cli" --embedded box_muller odd.npy -o wrong.npy
same "and nothing is written" "" "$(find . -name 'wrong*')"
code "help" 0 "$cli" clip --help
like "has the parameters" "*clip IN*parameters of clip:*--low F64*--high F64*" "$(cat out)"
same "every operation on elements and every reduction is a command" "" "$(
	"$cli" describe --json | awk '/^  "operations"/ {on = 1} on && /^      "name":/ {name = $2}
		on && /^      "category": "elementwise"/ {print name}' | tr -d '",' | grep -v noise_add | while read -r name; do
		"$cli" "$name" --help >/dev/null 2>&1 || echo "$name"
	done)"

# 256 MiB in, and as much out.
cat >peak.py <<'PYTHON'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(code, "little" if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 120 << 10 else "much")
PYTHON
n=$((64 << 20))
"$cli" -q --embedded rand normal -n $n --seed 1 -f raw >large.raw
for shape in "$n" "4096,$((n / 4096))" "8,$((n / 24)),3"; do
	python3 - "$shape" "large$(echo "$shape" | tr -dc , | wc -c).npy" <<'PYTHON'
import struct, sys
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % sys.argv[1]
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(sys.argv[2], "wb") as file, open("large.raw", "rb") as raw:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    while True:
        piece = raw.read(1 << 20)
        if not piece:
            break
        file.write(piece)
PYTHON
done
for command in "scale large0.npy --by 2" "add large1.npy large1.npy" "noise large1.npy --snr 3" "fft large1.npy --real" "dct large1.npy" \
	"fftshift large1.npy --axes 1" "sum large1.npy --axes=-1" "convolve large1.npy row.npy" "welch large0.npy" "welch large2.npy --axis 1" \
	"csd large0.npy large0.npy" "stft large0.npy --n-fft 512 --hop-length 512 --layout frames_bins"; do
	# shellcheck disable=SC2086
	same "$command: a large file in little memory" "0 little" "$(python3 peak.py "$cli" -q --embedded --threads 2 $command -o large_out.npy)"
	rm -f large_out.npy
done
finish
