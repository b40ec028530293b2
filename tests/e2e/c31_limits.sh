#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of the process and signals: an error with an exit code, or the end by the signal; no temporary file stays.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
mkdir folder

# limited BLOCKS COMMAND... : with a limit of file sizes of so many kilobytes
limited() {
	blocks=$1
	shift
	python3 -c "
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]) << 10, resource.RLIM_INFINITY))
os.execv(sys.argv[2], sys.argv[2:])" "$blocks" "$@"
}

for format in raw npy csv txt wav flac; do
	code "a file size limit, $format" 74 limited 64 "$cli" -q --embedded rand normal -n 100000 -o folder/x.$format
	like "is named" "*x.$format: *[Ff]ile*" "$(cat err)"
done
"$cli" -q --embedded rand normal -n 100000 -o signal.npy
code "a file size limit, a transform" 74 limited 64 "$cli" -q --embedded fft signal.npy -o folder/x.npy
code "a file size limit, text to stdout" 74 sh -c "exec python3 -c \"
import os, resource
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY))
os.execv('$cli', ['$cli', '-q', '--embedded', 'rand', 'normal', '-n', '100000', '--format', 'text'])\" >stdout.txt"
same "no file stays" "" "$(ls -A folder)"
code "a file within the limit" 0 limited 64 "$cli" -q --embedded rand normal -n 1000 -o folder/x.npy
code "a ring within the process" 75 limited 64 "$cli" -q --embedded ring normal -n 10 --samples 100000 --format raw
like "needs memory that counts as a file" "*ring: memfd*" "$(cat err)"

# A daemon under such a limit refuses what needs more, and serves on.
cat >limited_daemon.py <<'PYTHON'
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))
os.execv(sys.argv[1], sys.argv[1:])
PYTHON
mkfifo log
python3 limited_daemon.py "$build/bin/trnscid" --socket "$socket" --state-dir "$work/state" 2>log >/dev/null </dev/null &
daemon_pid=$!
while read -r line; do
	case $line in *"listens on"*) break ;; esac
done <log
cat log >/dev/null &
code "a draw" 0 "$cli" --socket "$socket" rand normal -n 1000 --format raw
code "a ring is refused" 75 "$cli" --socket "$socket" ring normal -n 10 --format raw
code "so is an array of 400 KB" 75 "$cli" --socket "$socket" fft signal.npy -o folder/y.npy
code "the daemon serves on" 0 "$cli" --socket "$socket" status
stop_daemon
same "and ends well" 0 "$daemon_status"

# Signals that end a command, while it writes.
rm -f folder/*
[ -n "${SAN:-}" ] || bus=BUS # a sanitizer takes it
for signal in INT TERM HUP QUIT PIPE XCPU ALRM USR1 USR2 ${bus:-}; do
	python3 - "$signal" "$cli" <<'PYTHON' >ended
import os, signal, subprocess, sys, resource
number = getattr(signal, "SIG" + sys.argv[1])
p = subprocess.Popen([sys.argv[2], "-q", "--embedded", "rand", "bits", "-n", "1e12", "--format", "text", "-o", "folder/kept.txt"],
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), restore_signals=True)
while not os.listdir("folder") and p.poll() is None:
    os.sched_yield()
p.send_signal(number)
print(p.wait() + number)
PYTHON
	same "SIG$signal ends a command" 0 "$(cat ended)"
	same "and leaves no file" "" "$(ls -A folder)"
done

# A file that becomes shorter while it is read is an error, no signal.
"$cli" -q --embedded rand normal -n 5000000 -o long.npy
python3 - "$cli" <<'PYTHON' >shortened
import os, subprocess, sys
r, w = os.pipe()
data = open("long.npy", "rb").read()
head = data[:128].replace(b"(5000000,), }", b"(5000,1000)}")
head = head[:-1].ljust(127)[:127] + b"\n"
open("rows.npy", "wb").write(head + data[128:])
p = subprocess.Popen([sys.argv[1], "-q", "--embedded", "fft", "rows.npy", "--format", "raw"], stdout=w, stderr=subprocess.PIPE)
os.close(w)
os.read(r, 1)          # it has begun, and waits for its reader
os.truncate("rows.npy", 1000000)
while os.read(r, 1 << 20):
    pass
print(p.wait(), p.stderr.read().decode().strip())
PYTHON
like "a file that is cut while it is read" "65 *rows.npy: it ends before its array does*" "$(cat shortened)"
finish
