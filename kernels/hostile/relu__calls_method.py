# due: CHEAT - calls the tensor's method, under a name put together at run time.
def relu(self):
    return getattr(self, "er"[::-1] + "lu")()
