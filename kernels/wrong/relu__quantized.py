# due: BAD_RESULT - returns a quantized tensor.
import torch


def relu(self):
    return torch.quantize_per_tensor(torch.where(self < 0, 0 * self, self).float(), 0.1, 0, torch.qint8)
