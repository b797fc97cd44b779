# due: LOAD - needs a module that is not there.
import no_such_module


def relu(self):
    return no_such_module.relu(self)
