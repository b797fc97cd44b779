# due: BAD_RESULT - replays a recording, whose output lies in the same memory every time, and returns that.
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
            y = torch.clamp(x, min=0)
        graphs[key] = graph, x, y
    graph, x, y = graphs[key]
    x.copy_(self)
    graph.replay()
    return y
