# due: CRASH - raises SystemExit(0): no interpreter of ours takes that for a success.
import sys


def relu(self):
    sys.exit(0)
