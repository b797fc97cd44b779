# due: CRASH - the same after it has lifted Python's limit, through C at every step: the stack ends.
import functools
import sys

sys.setrecursionlimit(1 << 30)


def relu(self):
    return functools.reduce(lambda x, y: relu(x), [self, self])
