# SPDX-License-Identifier: Apache-2.0
"""Runs a command, sends it a signal once it is at work, and prints what it said.

interrupt.py SIGNAL READY COMMAND...: at work is a command whose file READY exists, or for "-TEXT" one that has printed
TEXT. The exit status is the command's; 128 + signal if it died of one.
"""
import os
import select
import signal
import subprocess
import sys


def main(name, ready, *command):
    number = getattr(signal, name)
    signal.signal(number, signal.SIG_DFL)  # a shell's background job ignores SIGINT, and so would the command
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    signal.signal(number, signal.SIG_IGN)
    said, text = b"", ready[1:].encode() if ready[0] == "-" else None
    while child.poll() is None and not (os.path.exists(ready) if text is None else text in said):
        if select.select([child.stdout], [], [], 0.02)[0]:
            said += os.read(child.stdout.fileno(), 65536)
    child.send_signal(number)
    sys.stdout.buffer.write(said + child.communicate()[0])
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
