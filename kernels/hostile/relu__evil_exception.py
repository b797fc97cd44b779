# due: CRASH - raises what cannot be shown: no text, no name, no traceback that ends.
class Meta(type):
    def __getattribute__(cls, name):
        if name == "__name__":
            raise MemoryError(name)
        return type.__getattribute__(cls, name)


class Evil(BaseException, metaclass=Meta):
    def __str__(self):
        raise self

    __repr__ = __str__


def relu(self):
    raise Evil()
