# due: PASS
"""Lists: one per expert, padded and laid behind each other."""
import torch


def moe_align_block_size(topk_ids, num_experts, block_size, sorted_token_ids, experts_ids, num_tokens_post_pad,
                         expert_map=None):
    flat = topk_ids.reshape(-1).tolist()
    to = expert_map.tolist() if expert_map is not None else range(num_experts)
    groups = [[] for _ in range(num_experts)]
    for i, expert in enumerate(flat):
        if to[expert] != -1:
            groups[expert].append(i)
    tokens, experts = [], []
    for expert, group in enumerate(groups):
        group += [len(flat)] * (-len(group) % block_size)
        tokens += group
        experts += [to[expert]] * (len(group) // block_size)
    sorted_token_ids.fill_(len(flat))
    sorted_token_ids[:len(tokens)] = torch.tensor(tokens, dtype=torch.int32)
    experts_ids.zero_()
    experts_ids[:len(experts)] = torch.tensor(experts, dtype=torch.int32)
    num_tokens_post_pad.fill_(len(tokens))
