"""The operations of a GraphQL text, so that a question can show a mutation that stands behind a long query."""

from __future__ import annotations

import re

_TOKENS = re.compile(
    r'(?P<text>"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*")|(?P<comment>\#[^\r\n]*)|(?P<open>[{(\[])|(?P<close>[})\]])'
    r"|(?P<start>\b(?:query|mutation|subscription|fragment)\b)",
    re.DOTALL,
)


def graphql_operations(text: str) -> list[str]:
    """Return the operations and fragments of a GraphQL text without comments; none if it is another text."""
    parts: list[str] = [""]
    depth = done = 0
    for token in _TOKENS.finditer(text):
        parts[-1] += text[done : token.start()]
        done = token.end()
        if token["comment"]:
            continue
        if depth == 0 and (token["start"] or (token[0] == "{" and parts[-1].rstrip().endswith("}"))):
            parts.append("")
        depth += 1 if token["open"] else -1 if token["close"] and depth else 0
        parts[-1] += token[0]
    parts[-1] += text[done:]
    found = [part for one in parts if (part := one.strip())]
    return found if found and all("{" in part for part in found) else []
