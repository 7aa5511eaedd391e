"""Which models of a server write text: not those for embeddings, ranking, speech or pictures."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from readagent.errors import ReadAgentError
from readagent.models.http import HttpClient
from readagent.models.server_info import is_ollama, list_models, shown_by_ollama

_OTHER = re.compile(
    r"embed|re-?rank|minilm|paraphrase|colbert|whisper|moderation|diffusion|dall-e|gpt-image"
    r"|(?:^|[/_.-])(?:bge|gte|e5|clip|siglip|tts|flux)(?:$|[/_:.-])",
    re.I,
)
_ASKED = 16  # models that Ollama is asked about; a list of models names fewer


async def writing_models(client: HttpClient, key: str | None = None, key_name: str = "") -> list[str]:
    """Return the models that a server lists and that write text, by what it says about them or by their names.

    Raises a ModelError if the server cannot be asked.
    """
    listed = await list_models(client, key, key_name)
    names = [name for name, entry in listed.items() if _may_write(name, entry)]
    if not is_ollama(client, listed):
        return names
    first = await asyncio.gather(*(_writes(client, name) for name in names[:_ASKED]))
    return [name for name, writes in zip(names, first, strict=False) if writes] + names[_ASKED:]


def _may_write(name: str, entry: dict[str, Any]) -> bool:
    return entry.get("type") not in ("embeddings", "embedding", "rerank") and not _OTHER.search(name)


async def _writes(client: HttpClient, name: str) -> bool:
    """Return whether Ollama says that a model completes text; older versions say nothing about it."""
    try:
        told = (await shown_by_ollama(client, name)).get("capabilities")
    except ReadAgentError:
        return True
    return not isinstance(told, list) or "completion" in told
