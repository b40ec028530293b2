# SPDX-License-Identifier: Apache-2.0
# on_terminal.py WAIT KEYS COMMAND... : runs COMMAND on a terminal of 100 by 30, types KEYS once WAIT has been shown, and prints
# its exit code and the texts that it showed, without the terminal's control sequences.
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

wait, keys, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
    os.execv(command[0], command)
shown = b""
typed = False
while select.select([terminal], [], [], 30)[0]:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if not typed and wait.encode() in shown:
        os.write(terminal, keys.encode())
        typed = True
text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()=>].?", b" ", shown)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode(errors="replace"))
