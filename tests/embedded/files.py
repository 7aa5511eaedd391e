"""Create GGUF files for tests: a header with any content, and no real weights."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

TALKER: dict[str, Any] = {
    "general.architecture": "llama", "general.name": "Tiny", "llama.context_length": 4096, "llama.block_count": 4,
    "llama.embedding_length": 64, "llama.attention.head_count": 8, "llama.attention.head_count_kv": 2,
    "llama.rope.freq_base": 10000.0, "tokenizer.ggml.tokens": ["a", "b", "", "日本"],
    "tokenizer.ggml.scores": [0.5] * 5000, "tokenizer.ggml.add_bos_token": True,
    "tokenizer.chat_template": "{{ messages }}",
}  # fmt: skip


def make_gguf(path: Path, metadata: dict[str, Any] = TALKER, *, weights: bytes = bytes(1000), version: int = 3) -> Path:
    """Write a file with this metadata and any weights."""
    entries = b"".join(_string(name) + _typed(value) for name, value in metadata.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(metadata)) + entries + weights)
    return path


def _typed(value: Any) -> bytes:
    if isinstance(value, list):
        kind = 8 if value and isinstance(value[0], str) else 6 if value and isinstance(value[0], float) else 4
        items = [_string(item) if kind == 8 else struct.pack("<f" if kind == 6 else "<I", item) for item in value]
        return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(items)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    return struct.pack("<Id", 12, value) if isinstance(value, float) else struct.pack("<IQ", 10, value)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
