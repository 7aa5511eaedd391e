"""Export a memory and its answers: JSON in a stable format for programs, Markdown for people.

The JSON is an object: ``readagent`` (the version of the format, 2), ``document`` (``id``, ``title``, ``source``,
``words``, ``metadata``), ``model``, ``prompts``, ``plan``, ``compression``, ``pages`` (``number``, ``start``, ``end``,
``words``, ``text``, ``gist``, ``gist_words``, ``gist_origin``), ``fallbacks``, and ``answers``, newest first. New
fields may be added. The version changes when a field is renamed or removed, or changes its meaning. Version 1, of
readagent 0.1, had ``gist_source`` for ``gist_origin``, ``in_text`` for ``found_in_text``, ``ours`` for ``by_us``, and
``max_words`` and ``min_words`` in ``plan`` for ``page_words`` and ``min_page_words``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from readagent.core.controls import visible
from readagent.core.memory import GistMemory
from readagent.core.question import Quote, find_extract
from readagent.library.pack import to_json
from readagent.library.rows import KeptAnswer

_INLINE = re.compile(r"([\\\[\]`*_])")  # of links, images, code and emphasis
_BLOCK = re.compile(
    r"^([ \t]*)(#|>|~~~|=+[ \t]*$|[-+](?=\s|$)|-+[ \t]*$|\|)", re.M
)  # headings, lists, quotations, tables
_NUMBERED = re.compile(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.M)
_MADE_FROM = {
    "verbatim": "the page itself, which is short",
    "user": "written by you",
    "lead": "the first sentences: the model returned nothing usable",
}


def as_json(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> bytes:
    """Return the memory, the text of its pages and its answers as JSON in the documented format."""
    document = memory.document
    value = {
        "readagent": 2,
        "document": {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "words": memory.full_words,
            "metadata": document.facts,
        },
        "model": memory.model,
        "prompts": memory.prompts,
        "plan": memory.plan,
        "compression": memory.compression,
        "pages": _pages(memory),
        "fallbacks": memory.trace.fallbacks,
        "answers": [_answer(answer) for answer in answers],
    }
    return _valid_utf8(to_json(value, indent=2) + b"\n")


def _valid_utf8(data: bytes) -> bytes:
    """Replace lone surrogates, which other JSON parsers reject."""
    return data.decode("utf-8", "surrogatepass").encode("utf-8", "replace")


def _pages(memory: GistMemory) -> list[dict[str, Any]]:
    return [
        {
            "number": page.number,
            "start": page.start,
            "end": page.end,
            "words": page.words,
            "text": memory.page_text(page.number),
            "gist": gist.text,
            "gist_words": gist.words,
            "gist_origin": gist.origin,
        }
        for page, gist in zip(memory.pages, memory.gists, strict=True)
    ]


def _answer(answer: KeptAnswer) -> dict[str, Any]:
    return {
        "kind": answer.question.kind,
        "question": answer.question.text,
        "options": answer.question.options,
        "answer": answer.text,
        "choice": answer.choice,
        "pages": answer.pages,
        "quotes": answer.quotes,
        "false_quotes": answer.false_quotes,
        "statements": answer.statements,
        "checked_by": answer.support.checked_by,
        "verified": answer.verified,
        "found_in_text": answer.found_in_text,
        "up_to": answer.up_to,
        "compression": answer.compression,
        "model": answer.model,
        "thread": answer.thread,
        "made": answer.made.isoformat(),
    }


def as_markdown(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> str:
    """Return the gists under their page numbers, then the questions in the order in which they were asked."""
    document, full = memory.document, memory.full_words
    parts = [
        f"# {_line(document.title or document.source or document.id)}",
        f"{full:,} words in {len(memory.pages)} {'page' if len(memory.pages) == 1 else 'pages'}; "
        f"the gists have {memory.words():,} words, {memory.compression:.0%} fewer."
        + (f" Read by {_line(memory.model)}." if memory.model else "")
        + (f" Read for this task: {_line(memory.plan.task)}" if memory.plan.task else ""),
    ]
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        made = f" *({_MADE_FROM[gist.origin]})*" if gist.origin in _MADE_FROM else ""
        parts += [f"## Page {page.number}{made}", _plain(gist.text)]
    if answers:
        parts.append("## Questions")
    for answer in reversed(answers):
        parts += _exchange(answer)
    return "\n\n".join(parts).encode("utf-8", "replace").decode() + "\n"


def _exchange(answer: KeptAnswer) -> list[str]:
    question = answer.question
    lines = [f"### {_line(question.text)}"]
    if question.options:
        options = zip(question.letters, question.options, strict=True)
        lines.append("\n".join(f"- ({letter}) {_line(option)}" for letter, option in options))
    lines.append(_plain(answer.text))
    if answer.quotes and not answer.found_in_text:
        lines.append("*Nearest passages:*")
    for number, quote in enumerate(answer.quotes):
        text = _with_bold(quote.text, answer.text) if number == 0 and answer.found_in_text else _line(quote.text)
        lines.append(f"> {text}\n>\n> — page {quote.page}{_place(quote)}")
    if answer.false_quotes:
        dropped = f"{answer.false_quotes} quote{'s' if answer.false_quotes > 1 else ''}"
        lines.append(f"*Unverified: dropped {dropped} not found in the text.*")
    if answer.statements:
        lines.append(_supported(answer))
    if answer.pages:
        numbers = ", ".join(str(page) for page in answer.pages)
        lines.append(f"*Opened: page{'s' if len(answer.pages) > 1 else ''} {numbers}.*")
    return lines


def _supported(answer: KeptAnswer) -> str:
    """Return how many statements are supported, and a list of those that are not."""
    open_ones = [one for one in answer.statements if one.state != "supported"]
    count, all_of_them = len(answer.statements) - len(open_ones), len(answer.statements)
    how = {"rules": ", by rules only", "vectors": ", by rules and vectors only"}.get(answer.support.checked_by, "")
    head = f"*Checked{how}: {count} of {all_of_them} statement{'s' if all_of_them > 1 else ''} supported.*"
    return "\n".join([head, *(f"- {one.state}: {_line(one.text)}" for one in open_ones)])


def _with_bold(quote: str, answer: str) -> str:
    """Return a quote on one line, with the answer in bold if it is a verbatim part of it."""
    found = find_extract(answer, quote)
    if found is None or found == (0, len(quote)):
        return _line(quote)
    before, inside, after = quote[: found[0]], quote[found[0] : found[1]], quote[found[1] :]
    parts = [_line(before), f"**{_line(inside)}**", _line(after)]
    spaces = [" " * before[-1:].isspace(), " " * after[:1].isspace()]
    return f"{parts[0]}{spaces[0]}{parts[1]}{spaces[1]}{parts[2]}"


def _place(quote: Quote) -> str:
    return f", {_line(quote.place)}" if quote.place else ""


def _plain(text: str) -> str:
    """Return a text as it reads in Markdown: nothing in it is a tag, an image, a link, a heading or a block of code.

    Control characters, which a terminal that shows the file would obey, are replaced by their pictures.
    """
    text = _INLINE.sub(r"\\\1", visible(text.strip()).replace("&", "&amp;").replace("<", "&lt;"))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", text))


def _line(text: str) -> str:
    """Return the same on one line."""
    return _plain(" ".join(text.split()))
