# due: BAD_RESULT - gives the view as it came: its values are right, but nothing is resolved.
def resolve_neg(self):
    return self
