# SPDX-License-Identifier: Apache-2.0
"""usage: c32_time_limits.py SOCKET none|flip|terminal|escapes COMMAND...

Runs COMMAND, in which @ stands for a socket that leads to SOCKET. With flip and terminal a bit of the length of the last
reply's first text is another, so that the reply never ends. With escapes each QQQ in a reply is an escape sequence of a terminal. Exits as the command does; with terminal once the command,
whose standard error is a terminal there, has shown how long it waits: with 0."""
import os
import pty
import re
import socket
import subprocess
import sys
import tempfile
import threading

target, mode, command = sys.argv[1], sys.argv[2], sys.argv[3:]
SPOILT = (b"\xa3run", b"\xa5stats", b"\xadstream_create")


def flipped(reply):
    """A map of text keys follows [1, msgid, nil: its first key becomes a text of 2^20 bytes."""
    at = reply.index(b"\xc0") + 1
    while reply[at] & 0xE0 != 0xA0:
        at += 1
    return reply[:at] + b"\xdb\x00\x10\x00\x00" + reply[at + 1:]


def pump(client, server):
    """Requests, and the replies to them; those of SPOILT are changed."""
    spoilt = threading.Event()

    def requests():
        while data := client.recv(65536):
            if mode in ("flip", "terminal") and any(name in data for name in SPOILT):
                spoilt.set()
            server.sendall(data)
        server.shutdown(socket.SHUT_WR)

    threading.Thread(target=requests, daemon=True).start()
    while data := server.recv(65536):
        data = flipped(data) if spoilt.is_set() else data
        client.sendall(data.replace(b"QQQ", b"\x1b[m") if mode == "escapes" else data)


def serve(listener):
    while True:
        client = listener.accept()[0]
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
        threading.Thread(target=pump, args=(client, server), daemon=True).start()


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    command = [path if word == "@" else word for word in command]
    if mode != "terminal":
        sys.exit(subprocess.call(command))
    ours, theirs = pty.openpty()
    child = subprocess.Popen(command, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while not re.search(rb"\r2 s", shown):
            shown += os.read(ours, 4096)
    except OSError:
        print(f"it ended with {child.wait()}: {shown!r}", file=sys.stderr)
        sys.exit(1)
    child.kill()
    child.wait()
