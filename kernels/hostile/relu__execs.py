# due: CRASH - becomes another program, which may not be: the exception ends the call.
import os


def relu(self):
    os.execv("/bin/sh", ["sh", "-c", "exit 0"])
