# due: BAD_RESULT - as relu__same_buffer, in memory that it allocated before the judge mapped any.
import torch

kept = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")


def relu(self):
    y = kept[:self.numel() * self.element_size()].view(self.dtype).view(self.shape)
    return y.copy_(torch.where(self < 0, torch.zeros_like(self), self))
