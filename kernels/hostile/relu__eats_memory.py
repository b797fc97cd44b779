# due: OOM - asks for memory without end, until no more is there.
import mmap

kept = []


def relu(self):
    try:
        while True:
            kept.append(mmap.mmap(-1, 16 << 30))
    except OSError:
        raise MemoryError
