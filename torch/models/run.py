# SPDX-License-Identifier: Apache-2.0
"""One training step of a model, in f32 and bf16: what suites/ is traced from (tools/suites.sh).

Models are built from their configuration with random weights; nothing is downloaded. Widths are those of published
models, vocabularies and depths are smaller. Building them is hidden from the trace.

    python run.py bert
"""
import sys

import torch
import transformers as tf
from torch.utils._python_dispatch import _disable_current_modes

WORDS = 8192
BATCH, LENGTH = 2, 128


def ids(batch=BATCH, length=LENGTH):
    return torch.randint(0, WORDS, (batch, length))


def text():
    x = ids()
    return {"input_ids": x, "labels": x}


def padded():
    """The second row is shorter."""
    mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
    mask[1, LENGTH * 3 // 4:] = 0
    return dict(text(), attention_mask=mask)


def image(labels):
    return {"pixel_values": torch.randn(BATCH, 3, 224, 224), "labels": torch.randint(0, labels, (BATCH,))}


def bert():
    """Encoder: BERT base."""
    config = tf.BertConfig(vocab_size=WORDS, num_hidden_layers=4)
    return tf.BertForMaskedLM(config), padded()


def llama():
    """Decoder with grouped queries: Llama 3.2 1B."""
    config = tf.LlamaConfig(vocab_size=WORDS, hidden_size=2048, intermediate_size=8192, num_hidden_layers=2,
                            num_attention_heads=32, num_key_value_heads=8, head_dim=64, rope_theta=500000.0)
    return tf.LlamaForCausalLM(config), text()


def qwen3():
    """Decoder with grouped queries and normed heads: Qwen3 0.6B."""
    config = tf.Qwen3Config(vocab_size=WORDS, hidden_size=1024, intermediate_size=3072, num_hidden_layers=2,
                            num_attention_heads=16, num_key_value_heads=8, head_dim=128)
    return tf.Qwen3ForCausalLM(config), text()


def mixtral():
    """Mixture of experts: eight, of which a word gets two."""
    config = tf.MixtralConfig(vocab_size=WORDS, hidden_size=1024, intermediate_size=3584, num_hidden_layers=2,
                              num_attention_heads=32, num_key_value_heads=8, num_local_experts=8,
                              num_experts_per_tok=2, output_router_logits=True)
    return tf.MixtralForCausalLM(config), text()


def vit():
    """Vision transformer: ViT base, patches of 16."""
    config = tf.ViTConfig(num_hidden_layers=4, num_labels=1000)
    return tf.ViTForImageClassification(config), image(1000)


def resnet():
    """Convolutions: ResNet 50."""
    config = tf.ResNetConfig(num_labels=1000)
    return tf.ResNetForImageClassification(config), image(1000)


def convnext():
    """Convolutions by channel: ConvNeXt tiny."""
    config = tf.ConvNextConfig(num_labels=1000)
    return tf.ConvNextForImageClassification(config), image(1000)


def whisper():
    """Speech: Whisper tiny; ten seconds of sound instead of thirty."""
    config = tf.WhisperConfig(vocab_size=WORDS, d_model=384, encoder_layers=4, decoder_layers=4,
                              encoder_attention_heads=6, decoder_attention_heads=6, encoder_ffn_dim=1536,
                              decoder_ffn_dim=1536, max_source_positions=500, pad_token_id=0, bos_token_id=1,
                              eos_token_id=2, decoder_start_token_id=1, begin_suppress_tokens=None)
    return tf.WhisperForConditionalGeneration(config), {"input_features": torch.randn(1, 80, 1000),
                                                        "labels": ids(1, 64)}


def wav2vec2():
    """Speech from samples, with a loss over alignments: wav2vec 2.0 base; two seconds."""
    config = tf.Wav2Vec2Config(num_hidden_layers=2, layerdrop=0.0, vocab_size=32, mask_time_prob=0.0)
    return tf.Wav2Vec2ForCTC(config), {"input_values": torch.randn(1, 32000), "labels": torch.randint(1, 32, (1, 20))}


def t5():
    """Encoder and decoder: T5 small."""
    config = tf.T5Config(vocab_size=WORDS, num_layers=3, decoder_start_token_id=0)
    return tf.T5ForConditionalGeneration(config), {"input_ids": ids(), "labels": ids(BATCH, 32)}


def gpt2():
    """Decoder of the first kind: GPT-2 small."""
    config = tf.GPT2Config(vocab_size=WORDS, n_layer=4)
    return tf.GPT2LMHeadModel(config), text()


def mamba():
    """State space: Mamba 130M, its scan written in torch."""
    config = tf.MambaConfig(vocab_size=WORDS, hidden_size=768, num_hidden_layers=2, state_size=16)
    return tf.MambaForCausalLM(config), {"input_ids": ids(1, 32), "labels": ids(1, 32)}


MODELS = {f.__name__: f for f in (bert, gpt2, llama, qwen3, mixtral, t5, vit, resnet, convnext, whisper, wav2vec2,
                                  mamba)}
WRITE = {"llama", "qwen3", "mixtral", "gpt2"}  # these also write a word, which is another kind of work


def main(name):
    for dtype in torch.float32, torch.bfloat16:
        with _disable_current_modes():
            torch.manual_seed(0)
            model, inputs = MODELS[name]()
            model = model.to(dtype).train()
            inputs = {k: x.to(dtype) if x.is_floating_point() else x for k, x in inputs.items()}
        model(**inputs).loss.backward()
        if name in WRITE:
            with torch.no_grad():
                x = inputs["input_ids"]
                past = model.eval()(x[:, :-1], use_cache=True).past_key_values
                model(x[:, -1:], past_key_values=past)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MODELS:
        sys.exit(f"usage: run.py {'|'.join(MODELS)}")
    main(sys.argv[1])
