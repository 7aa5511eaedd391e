"""The fields of a request besides its messages: which are counted, and what the server may add because of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

_RUN_BY_THE_CALLER = ("function", "custom")  # types of tools
_ADDING = ("prompt", "documents", "data_sources", "plugins", "web_search_options")  # fields for what a server adds
_NOT_IN_PROMPTS = ("model", "metadata", "user", "safety_identifier", "prompt_cache_key", "include", "stop",
                   "logit_bias", "stream_options", "prediction")  # fmt: skip
_SHORT = 300  # characters of all fields that we do not know: no more than a few settings have


def uncounted_in(body: Mapping[str, Any], counted: Collection[str]) -> str:
    """Return what a request has that may add tokens which we cannot count; "" if there is nothing.

    ``counted`` are the fields whose texts are the prompt.
    """
    tools = body.get("tools")
    if isinstance(tools, list) and any(map(_is_hosted, tools)):
        return "tools that the server runs"
    named = next((name for name in _ADDING if body.get(name)), "")
    if named:
        return f"the field `{named}`"
    return "fields that are not known" if others_in(body, counted) else ""


def others_in(body: Mapping[str, Any], counted: Collection[str]) -> dict[str, list[str]]:
    """Return the texts in all other fields that may be in the prompt; nothing if they are short, as settings are."""
    names = [name for name in body if name not in counted and name not in _NOT_IN_PROMPTS]
    found = {name: texts for name in names if (texts := [text for text, is_text in strings_in(body[name]) if is_text])}
    return found if sum(len(text) for texts in found.values() for text in texts) > _SHORT else {}


def _is_hosted(tool: object) -> bool:
    """Whether a server runs a tool itself, and adds what it finds to the prompt."""
    if not isinstance(tool, Mapping):
        return False
    if tool.get("type") is None:
        return "function" not in tool and "name" not in tool
    return tool["type"] not in _RUN_BY_THE_CALLER


def strings_in(value: object) -> Iterator[tuple[str, bool]]:
    """Yield everything in a JSON value as a string, names of fields too, and whether it is a text and no number."""
    waiting = [iter([value])]  # no calls inside each other: a value may be nested deeply
    while waiting:
        for one in waiting[-1]:
            if isinstance(one, Mapping):
                waiting.append(chain.from_iterable(one.items()))
            elif isinstance(one, list):
                waiting.append(iter(one))
            else:
                yield str(one), isinstance(one, str)
                continue
            break
        else:
            waiting.pop()
