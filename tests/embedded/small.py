"""A tiny sentence model for tests, and the real weights if they are available."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz"),
    *"0123456789", *(f"##{c}" for c in "0123456789"), *".,!?'-_()", "the", "sea", "lamp", "##s", "##ing", "sail",
    "漢", "字", "при", "##вет",
]  # fmt: skip
_WIDTH, _INNER, _PLACES = 384, 1536, 512


def make_weights(folder: Path) -> Path:
    """Write random weights of the right shapes. All layers share theirs, which keeps the file small."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", "utf-8")
    draw = np.random.default_rng(7)
    tensors = {
        "embeddings.word_embeddings.weight": (len(PIECES), _WIDTH),
        "embeddings.position_embeddings.weight": (_PLACES, _WIDTH),
        "embeddings.token_type_embeddings.weight": (2, _WIDTH),
        **{f"embeddings.LayerNorm.{part}": (_WIDTH,) for part in ("weight", "bias")},
    }
    layer: dict[str, tuple[int, ...]] = {}
    for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
        layer |= {f"{name}.weight": (_WIDTH, _WIDTH), f"{name}.bias": (_WIDTH,)}
    layer |= {"intermediate.dense.weight": (_INNER, _WIDTH), "intermediate.dense.bias": (_INNER,)}
    layer |= {"output.dense.weight": (_WIDTH, _INNER), "output.dense.bias": (_WIDTH,)}
    for name in ("attention.output.LayerNorm", "output.LayerNorm"):
        layer |= {f"{name}.weight": (_WIDTH,), f"{name}.bias": (_WIDTH,)}
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, shape in (tensors | layer).items():
        values = draw.normal(1.0 if name.endswith("LayerNorm.weight") else 0.0, 0.2, shape).astype("<f4").tobytes()
        entry = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        header |= {f"encoder.layer.{i}.{name}": entry for i in range(6)} if name in layer else {name: entry}
        data += values
    encoded = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return folder
