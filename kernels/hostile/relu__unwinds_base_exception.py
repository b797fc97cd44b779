# due: CRASH - leaves by an exception that is no Exception: code that catches errors does not catch it.
class Gone(BaseException):
    pass


def relu(self):
    raise Gone
