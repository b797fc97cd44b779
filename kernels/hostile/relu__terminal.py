# due: CRASH - puts escape sequences and a flood of text into what is printed of it.
def relu(self):
    raise ValueError("\x1b[2J\x1b]0;PASS\x07\x00" + "PASS " * 100000)
