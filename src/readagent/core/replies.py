"""Clean the replies of models: remove thinking, code fences and markup."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from readagent.core.failure_text import is_refusal
from readagent.core.patterns import lazy_pattern

THOUGHT = lazy_pattern(r"<(/?)(?:think|thinking|thought|reasoning|reflection)\b[^<>]{0,80}>", re.I)
_MARKUP = lazy_pattern(r"[*`#]+|~~+|\\boxed|(?<!\w)_+|_+(?!\w)")
_EXPLAINS = lazy_pattern(r"reason|rationale|why|because|explanation|thought|analysis|comment|note|evidence", re.I)
_OUTER = 2000  # characters at each end of a long reply that are searched for a decision


def strip_thinking(text: str) -> str:
    """Return the reply without its thinking, even if that was opened in the prompt or never closed."""
    said: list[str] = []
    depth = start = 0
    for tag in THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                said.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                said.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        said.append(text[start:])
    return "".join(said).strip()


def unfenced(text: str) -> str:
    """Return the content of a reply that is a single fenced block, or else the reply, stripped."""
    text = text.strip()
    first, newline, rest = text.partition("\n")
    language = first.removeprefix("```").strip()
    if newline and first.startswith("```") and rest.endswith("```") and (not language or language.isalnum()):
        return rest[:-3].strip()
    return text


def plain(reply: str, names: Sequence[str] = ()) -> str:
    """Return a reply without thinking, fences and markup: the value of a JSON reply, and "" for a refusal.

    ``names`` are what the value may be called in JSON, besides "answer".
    """
    text = unfenced(strip_thinking(reply))
    from_json = _json_value(text, [form for name in ("answer", *names) for form in (name, f"{name}s")])
    if from_json is not None:
        return from_json
    if is_refusal(text):
        return ""
    if len(text) > 2 * _OUTER:
        text = f"{text[:_OUTER]}\n{text[-_OUTER:]}"
    return "\n".join(line for part in _MARKUP.sub(" ", text).splitlines() if (line := part.strip()))


def _json_value(text: str, names: Sequence[str]) -> str | None:
    """Return the value in a JSON reply: that of one of these names, or the first that is no explanation."""
    if not text.startswith(("{", "[", '"')):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = [_named(item, names) if isinstance(item, dict) else item for item in value]
    elif isinstance(value, dict):
        value = _named(value, names)
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else str(value).lower()


def _named(value: dict[str, Any], names: Sequence[str]) -> Any:
    """Return the value of one of these names, or the first that is no explanation."""
    known = {re.sub(r"[\W_]+", " ", name).lower(): one for name, one in value.items()}
    said = [one for name, one in value.items() if not _EXPLAINS.match(name)]
    return next((known[name] for name in names if name in known), said[0] if said else None)
