"""A scripted model for the recorded tasks: it knows what comes after what, but sees the prompts alone.

It names only ids that it finds there. Its gists tell the search field, the list, the icon and things with a place.
"""

from __future__ import annotations

import json
import re

from readagent.core.model import Ask


def clerk(ask: Ask) -> str:
    return answer(ask.prompt)


def answer(prompt: str, constraint: object = None) -> str:
    """The reply to a prompt, as a server would give it."""
    if "Summarise it in" in prompt:
        return _gist(prompt)
    thing, stage = _goal(prompt)
    if "Which parts do you have to see" in prompt:
        found = [record for record in _records(prompt) if _named(record["content"], thing, stage)]
        return f"Parts: {', '.join(str(record['index']) for record in found[:1]) or 'none'}"
    if "Which of these elements" in prompt:
        return _letter(prompt, thing, stage)
    found = _shown(prompt, thing, stage) or next(
        (name for record in _records(prompt) if (name := _named(record["content"], thing, stage))), ""
    )
    act = ("type [{}] {}", "select [{}] Cheapest first")[stage] if stage < 2 else "click [{}]"
    return f"Action: {act.format(found, thing)}" if found else "I cannot see it."


def _goal(prompt: str) -> tuple[str, int]:
    thing = re.search(r"Search for the (.*?), show the cheapest", prompt)
    done = re.search(r"<done>\n(.*?)\n</done>", prompt, re.S)
    assert thing
    assert done
    return thing[1], 0 if done[1] == "nothing yet" else len(done[1].splitlines())


def _gist(prompt: str) -> str:
    named = [f"{name} [{one}]" for one, name in re.findall(r"<a id=(\d+)>([^<]* of [^<]*)</a>", prompt)]
    named += [f"search field [{one}]" for one in re.findall(r"<input id=(\d+)", prompt)]
    named += [f"sort list [{one}]" for one in re.findall(r"<select id=(\d+)", prompt)]
    named += [f"icon [{one}]" for one in re.findall(r"<svg id=(\d+)", prompt)]
    return f"Gist: Goods: {', '.join(named)}" if named else "Gist: Other goods and buttons to put them by."


def _records(prompt: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in prompt.splitlines() if line.startswith('{"index"')]


def _named(content: str, thing: str, stage: int) -> str:
    """The id of what is wanted in a gist."""
    name = ("search field", "sort list", thing, "icon")[min(stage, 3)]
    found = re.search(rf"{re.escape(name)} \[(\d+)\]", content) or re.search(_TAGS[min(stage, 3)](thing), content)
    return found[1] if found else ""


def _shown(prompt: str, thing: str, stage: int) -> str:
    """The id of what is wanted in the page."""
    found = re.search(_TAGS[min(stage, 3)](thing), prompt)
    return found[1] if found else ""


_TAGS = (
    lambda _: r"<input id=(\d+)",
    lambda _: r"<select id=(\d+)",
    lambda thing: rf"<a id=(\d+)[^<>]*>{re.escape(thing)}</a>",
    lambda _: r"<svg id=(\d+)",
)


def _letter(prompt: str, thing: str, stage: int) -> str:
    name = ("input \\[", "select \\[", rf'a \[\d+\] "{re.escape(thing)}"', "svg \\[")[min(stage, 3)]
    found = re.search(rf"\(([A-F])\) {name}", prompt)
    return f"Answer: ({found[1] if found else 'A'})"
