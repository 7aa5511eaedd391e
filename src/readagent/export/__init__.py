"""Export: a memory and its answers as JSON for programs, and as Markdown and HTML for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from readagent.core.memory import GistMemory
from readagent.export.html import as_html
from readagent.export.markdown import as_markdown
from readagent.library.rows import KeptAnswer
from readagent.records.export import as_json


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the endings of its files, the usual one first, and its media type."""

    suffixes: tuple[str, ...]
    media_type: str
    make: Callable[[GistMemory, Sequence[KeptAnswer]], str | bytes]

    def write(self, memory: GistMemory, answers: Sequence[KeptAnswer]) -> bytes:
        """Return a file with the memory and its answers."""
        made = self.make(memory, answers)
        return made if isinstance(made, bytes) else made.encode()


FORMATS: Mapping[str, Format] = {
    "json": Format((".json",), "application/json", as_json),
    "markdown": Format((".md", ".markdown"), "text/markdown; charset=utf-8", as_markdown),
    "html": Format((".html", ".htm"), "text/html; charset=utf-8", as_html),
}
