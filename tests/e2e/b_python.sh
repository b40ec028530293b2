#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python3-msgpack over a raw socket: a client that decodes text strictly and knows nothing of us.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
/usr/bin/python3 -c 'import msgpack' 2>/dev/null || { echo "1..0 # SKIP python3-msgpack is not installed"; exit 0; }
work=$(mktemp -d)
. tests/harness/daemon.sh
trap 'stop_daemon; rm -rf "$work"' EXIT
start_daemon

SOCKET=$socket timeout 60 /usr/bin/python3 - <<'PYTHON'
import array, mmap, msgpack, os, socket, struct, sys

peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ['SOCKET'])
unpacker = msgpack.Unpacker(raw=False, strict_map_key=True)
count = failed = 0

def check(name, expected, got):
    global count, failed
    count += 1
    print(('ok' if expected == got else 'not ok'), count, '-', name)
    if expected != got:
        failed = 1
        print('# expected', expected, 'got', got)

def receive():
    while True:
        for message in unpacker:
            return message
        unpacker.feed(peer.recv(1 << 16))

def call(msgid, method, *params):
    peer.sendall(msgpack.packb([0, msgid, method, list(params)]))
    kind, answered, error, result = receive()
    assert (kind, answered) == (1, msgid), (kind, answered)
    return error, result

check('version', 'trnsciD', call(1, 'version')[1]['name'])
error, result = call(2, 'bits', {'n': 4, 'seed': 0})
check('an inline draw', (0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8), struct.unpack('<4I', result['data']))
check('a seed of 64 bits comes back whole', 2**64 - 1, call(3, 'bits', {'n': 1, 'seed': 2**64 - 1})[1]['seed'])
check('or as text', str(2**64 - 1), call(4, 'bits', {'n': 1, 'seed': hex(2**64 - 1), 'u64': 'str'})[1]['seed'])
error, _ = call(5, b'\xff\xfe', {})
check('an error that repeats no invalid text', (1, True), (error[0], error[1].startswith('unknown_method: ')))
check('every method is described', True, {'version', 'run', 'fft', 'stats', 'arena'} <= {m['name'] for m in call(6, 'describe')[1]['methods']})

# An arena: one fd, and the results where they were made.
peer.sendall(msgpack.packb([0, 7, 'arena', [{'bytes': 1 << 20}]]))
data, fds, _, _ = socket.recv_fds(peer, 1 << 16, 4)
unpacker.feed(data)
memory = mmap.mmap(fds[0], receive()[3]['bytes'])
check('one fd', 1, len(fds))
tile = call(8, 'tile', {'dtype': 'f32', 'shape': [1000]})[1]
call(9, 'uniform', {'out': tile['tile'], 'seed': 3})
inline = call(10, 'uniform', {'n': 1000, 'seed': 3})[1]['data']
check('a tile holds what the reply would', inline, memory[tile['offset']:tile['offset'] + 4000])

# Prepared calls: what changes stands in the run, as integers, as text, or not at all.
prepared = call(11, 'prepare', {'method': 'uniform', 'params': {'out': tile['tile'], 'seed': 3}})[1]
check('a prepared call names one tile', 1, prepared['tiles'])
handle = prepared['prepared']
call(12, 'run_prepared', {'prepared': handle, 'offset': 1000})
there = call(13, 'uniform', {'n': 1000, 'seed': 3, 'offset': 1000})[1]['data']
check('a run draws where it states', there, memory[tile['offset']:tile['offset'] + 4000])
check('a tile that is not there', 1, call(14, 'run_prepared', {'prepared': handle, 'tiles': [999]})[0][0])
other = call(15, 'tile', {'dtype': 'f32', 'shape': [1000]})[1]
call(16, 'run_prepared', {'prepared': handle, 'seed': '0x3', 'tiles': [other['tile']]})
check('and into the tile that it states', inline, memory[other['offset']:other['offset'] + 4000])
check('released once', ({'released': 1}, 1), (call(17, 'release', {'prepared': handle})[1], call(18, 'release', {'prepared': handle})[0][0]))
check('parameters that are left out', None, call(19, 'prepare', {'method': 'run', 'params': {'steps': []}})[0])

# Pipelined requests, answered in any order.
for msgid in range(100, 200):
    peer.sendall(msgpack.packb([0, msgid, 'ping', [{'payload': msgid}]]))
check('a hundred at once', {i: i for i in range(100, 200)}, {m[1]: m[3]['payload'] for m in (receive() for _ in range(100))})
print('1..%d' % count)
sys.exit(failed)
PYTHON
