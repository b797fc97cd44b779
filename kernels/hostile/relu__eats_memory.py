# due: OOM - asks for memory without end, until no more is there.
kept = []


def relu(self):
    while True:
        kept.append(bytearray(16 << 30))
