# due: TIMEOUT - never comes to an end while it is loaded.
import threading

threading.Event().wait()


def relu(self):
    return self
