"""Write the GGUF file of the demo model as a folder that vLLM, SGLang and transformers load.

    python3 export_hf.py pebble-q8_0.gguf OUT

Needs the packages gguf and safetensors, which come with those engines. The 8-bit weights are stored as 32-bit floats.
"""
import json
import pathlib
import sys

from gguf import GGUFReader
from gguf.quants import dequantize
from safetensors.numpy import save_file

TOKEN_NORMAL, TOKEN_CONTROL = 1, 3
# How the tokenizer family "qwen2" splits a text before byte pairs are merged.
QWEN2_SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
               r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LAYER_PARTS = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def weight_name(name):
    if name == "token_embd.weight":
        return "model.embed_tokens.weight"
    if name == "output_norm.weight":
        return "model.norm.weight"
    _, layer, part, _ = name.split(".")
    return f"model.layers.{layer}.{LAYER_PARTS[part]}.weight"


def model_config(of):
    arch = lambda key: of(f"qwen3.{key}")
    return {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "dtype": "bfloat16",
        "vocab_size": arch("vocab_size"), "hidden_size": arch("embedding_length"),
        "intermediate_size": arch("feed_forward_length"), "num_hidden_layers": arch("block_count"),
        "num_attention_heads": arch("attention.head_count"), "num_key_value_heads": arch("attention.head_count_kv"),
        "head_dim": arch("attention.key_length"), "max_position_embeddings": arch("context_length"),
        "rms_norm_eps": arch("attention.layer_norm_rms_epsilon"), "rope_theta": arch("rope.freq_base"),
        "tie_word_embeddings": True, "attention_bias": False, "hidden_act": "silu",
        "bos_token_id": of("tokenizer.ggml.padding_token_id"), "eos_token_id": of("tokenizer.ggml.eos_token_id"),
    }


def added_tokens(of):
    kinds = of("tokenizer.ggml.token_type")
    return [{"id": number, "content": token, "special": kinds[number] == TOKEN_CONTROL, "single_word": False,
             "lstrip": False, "rstrip": False, "normalized": False}
            for number, token in enumerate(of("tokenizer.ggml.tokens")) if kinds[number] != TOKEN_NORMAL]


def tokenizer_file(of):
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": QWEN2_SPLIT}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": {"type": "NFC"},
        "added_tokens": added_tokens(of), "decoder": byte_level, "post_processor": byte_level,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
                  "vocab": {token: number for number, token in enumerate(of("tokenizer.ggml.tokens"))},
                  "merges": of("tokenizer.ggml.merges")},
    }


def tokenizer_config(of):
    added, tokens = added_tokens(of), of("tokenizer.ggml.tokens")
    return {
        "tokenizer_class": "Qwen2Tokenizer", "model_max_length": of("qwen3.context_length"),
        "bos_token": None, "unk_token": None, "eos_token": tokens[of("tokenizer.ggml.eos_token_id")],
        "pad_token": tokens[of("tokenizer.ggml.padding_token_id")],
        "add_bos_token": False, "add_prefix_space": False, "clean_up_tokenization_spaces": False,
        "chat_template": of("tokenizer.chat_template"),
        "additional_special_tokens": [token["content"] for token in added if token["special"]],
        "added_tokens_decoder": {str(token.pop("id")): token for token in added_tokens(of)},
    }


def generation_config(of):
    end, padding = of("tokenizer.ggml.eos_token_id"), of("tokenizer.ggml.padding_token_id")
    # Greedy, as the project starts llama-server: the model keeps to calls and JSON only so.
    return {"bos_token_id": padding, "pad_token_id": padding, "eos_token_id": [end, padding], "temperature": 0.0}


def main(source, out):
    reader, folder = GGUFReader(source), pathlib.Path(out)
    of = lambda key: reader.fields[key].contents()
    folder.mkdir(parents=True, exist_ok=True)
    files = {"config": model_config, "tokenizer": tokenizer_file, "tokenizer_config": tokenizer_config,
             "generation_config": generation_config}
    for name, make in files.items():
        (folder / f"{name}.json").write_text(json.dumps(make(of), ensure_ascii=False, indent=1), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(of("tokenizer.chat_template"), encoding="utf-8")
    weights = {weight_name(tensor.name): dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main(*sys.argv[1:])
