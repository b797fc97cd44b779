# due: PASS
"""Sequence by sequence: its blocks are brought together, then plain attention in f32."""
import torch


def paged_attention_v1(out, query, key_cache, value_cache, num_kv_heads, scale, block_tables, seq_lens, block_size,
                       max_seq_len, alibi_slopes, kv_cache_dtype, k_scale, v_scale, *blocksparse, **more):
    heads, width = query.shape[1:]
    for s, n in enumerate(seq_lens.tolist()):
        if n == 0:
            out[s] = 0
            continue
        blocks = block_tables[s, :-(-n // block_size)].long()
        keys = key_cache[blocks].permute(1, 0, 3, 2, 4).reshape(num_kv_heads, -1, width)[:, :n].float()
        values = value_cache[blocks].permute(1, 0, 3, 2).reshape(num_kv_heads, -1, width)[:, :n].float()
        keys, values = (x.repeat_interleave(heads // num_kv_heads, 0) for x in (keys, values))
        weights = scale * (keys @ query[s].float().unsqueeze(-1)).squeeze(-1)
        if alibi_slopes is not None:
            weights = weights + alibi_slopes[:, None] * torch.arange(1 - n, 1)
        out[s] = (torch.softmax(weights, -1).unsqueeze(1) @ values).squeeze(1).to(out.dtype)
