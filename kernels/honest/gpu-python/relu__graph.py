# due: PASS
"""Replays a recording, and returns a copy of what it left."""
import torch

graphs = {}


def relu(self):
    if not self.numel():
        return torch.empty_like(self)
    key = self.shape, self.stride(), self.dtype
    if key not in graphs:
        x = torch.empty_like(self)
        torch.clamp(x, min=0)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = torch.clamp(x * 1, min=0)
        graphs[key] = graph, x, y
    graph, x, y = graphs[key]
    x.copy_(self)
    graph.replay()
    return y.clone()
