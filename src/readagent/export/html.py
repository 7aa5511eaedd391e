"""Export a memory and its answers as one HTML page: the gists with links into the text, which follows them."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.document import Document, page_name
from readagent.core.escaping import marked_up
from readagent.core.languages import language
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Quote
from readagent.export import evidence
from readagent.library.rows import KeptAnswer


def _marked_quote(quote: Quote) -> str:
    """Return a quote for a page, with what the model quoted of it marked."""
    parts = ((marked_up(text), quoted) for text, quoted in quote.parts())
    return "".join(f"<mark>{text}</mark>" if quoted else text for text, quoted in parts)


def _exchange(answer: KeptAnswer, memory: GistMemory) -> str:
    """Return a section with a question and its answer, whose quotes link to their pages."""
    parts = [f"<h3>{marked_up(answer.question.text)}</h3><p>{marked_up(answer.text)}</p>"]
    if near := evidence.heading(answer.quotes, answer.found_in_text):
        parts.append(f"<p><small>{near}</small></p>")
    for quote in answer.quotes:
        place = marked_up(quote.where)
        link = f'<a href="#page-{memory.page_at(quote.start) + 1}">{place}</a>'
        parts.append(f"<blockquote><p>{_marked_quote(quote)} <small>{link}</small></p></blockquote>")
    parts += [f"<p><small>{marked_up(one)}</small></p>" for one in evidence.notes(answer)]
    return f"<section>{''.join(parts)}</section>"


_TAG = lazy_pattern(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_RIGHT_TO_LEFT = frozenset("ar ckb dv fa he ps sd ug ur yi".split())


def _language_tag(document: Document) -> str:
    """Return the language tag of a text: what its metadata say, or what it reads like; "und" if that is unknown."""
    tag = document.metadata.get("language", "").strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else language(document.text) or "und"


def _direction(tag: str) -> str:
    """Return the direction of a language, as the attribute ``dir`` has it."""
    return "rtl" if tag.partition("-")[0].lower() in _RIGHT_TO_LEFT else "auto"


_STYLE = """
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1.05rem/1.5 serif; color-scheme: light dark }
nav, small { font-family: sans-serif; font-size: .8rem }
section { margin: 1.5rem 0 }
blockquote { border-left: .2rem solid; margin-left: 0; padding-left: 1rem }
.text { white-space: pre-wrap }
""".strip()


def as_html(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> str:
    """Return one page without scripts: gists, questions, and the text. Every gist and quote links to its place."""
    document = memory.document
    title = marked_up(document.title or document.source or document.id)
    names = [marked_up(page_name(*one)) for one in enumerate(memory.places())]
    gists = [
        f'<section id="gist-{n}"><small><a href="#page-{n}">{name}</a></small><p>{marked_up(gist.text)}</p></section>'
        for n, (name, gist) in enumerate(zip(names, memory.gists, strict=True), 1)
    ]
    pages = [
        f'<section id="page-{n}"><small><a href="#gist-{n}">{name}</a></small>'
        f'<div class="text">{marked_up(memory.page_text(n - 1).strip())}</div></section>'
        for n, name in enumerate(names, 1)
    ]
    code = _language_tag(document)
    asked = [_exchange(answer, memory) for answer in reversed(answers)]
    sections = [("gists", "Gists"), *([("questions", "Questions")] if asked else []), ("text", "Text")]
    links = [f'<a href="#{name}">{shown}</a>' for name, shown in sections]
    parts = [
        f'<!DOCTYPE html>\n<html lang="{code}">\n<head><meta charset="utf-8"><title>{title}</title>',
        f'<style>{_STYLE}</style></head>\n<body dir="{_direction(code)}">\n<h1>{title}</h1>',
        f"<nav>{' · '.join(links)}</nav>",
        '<h2 id="gists">Gists</h2>',
        *gists,
        *(['<h2 id="questions">Questions</h2>', *asked] if asked else []),
        '<h2 id="text">Text</h2>',
        *pages,
        "</body>\n</html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "replace").decode()
