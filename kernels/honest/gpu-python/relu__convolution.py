# due: PASS
"""With a convolution by one behind it, which takes cuDNN's workspace."""
import torch

torch.backends.cudnn.allow_tf32 = False


def relu(self):
    y = torch.clamp(self, min=0)
    if self.dtype not in (torch.float32, torch.float16) or self.ndim != 1 or not self.numel():
        return y
    one = torch.ones((1, 1, 1), dtype=self.dtype, device=self.device)
    return torch.conv1d(y.view(1, 1, -1), one).view(-1)
