"""Export a memory and its answers as Markdown, with front matter for programs such as Obsidian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.document import page_name
from readagent.core.escaping import in_markdown, visible
from readagent.core.memory import GistMemory
from readagent.core.question import Question, Quote, find_extract
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.export import evidence
from readagent.library.pack import to_json
from readagent.library.rows import KeptAnswer, KeptShelfAnswer

_MADE_FROM = {
    "verbatim": "the page itself, which is short",
    "user": "written by you",
    "lead": "the first sentences: the model returned nothing usable",
}


def as_markdown(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> str:
    """Return the gists under the places of their pages, then the questions in the order in which they were asked."""
    document, full = memory.document, memory.full_words
    parts = [
        _front_matter(memory),
        f"# {_line(document.title or document.source or document.id)}",
        f"{full:,} words in {len(memory.pages)} {'page' if len(memory.pages) == 1 else 'pages'}; "
        f"the gists have {memory.words():,} words, {memory.compression:.0%} fewer."
        + (f" Read by {_line(memory.model)}." if memory.model else "")
        + (f" Read for this task: {_line(memory.plan.task)}" if memory.plan.task else ""),
    ]
    places = memory.places()
    for page, gist, place in zip(memory.pages, memory.gists, places, strict=True):
        where = f" ({_line(place)})" if place else ""
        made = f" *({_MADE_FROM[gist.origin]})*" if gist.origin in _MADE_FROM else ""
        parts += [f"## Page {page.number + 1}{where}{made}", in_markdown(gist.text)]
    if answers:
        parts.append("## Questions")
    for answer in reversed(answers):
        parts += _exchange(answer, memory.whole.places())
    return "\n\n".join(parts).encode("utf-8", "replace").decode() + "\n"


def _front_matter(memory: GistMemory) -> str:
    """Return what is known of the document as YAML between dashes. Every text is in double quotes, as in JSON."""
    document = memory.document
    about = {name: document.metadata.get(name, "") for name in ("author", "date", "language")}
    texts = {"title": document.title, **about, "source": document.source, "task": memory.plan.task}
    lines = [
        f"{name}: {to_json(visible(' '.join(text.split()))).decode('utf-8', 'replace')}"
        for name, text in texts.items()
        if text
    ]
    return "\n".join(
        ["---", *lines, f"words: {memory.full_words}", f"pages: {len(memory.pages)}", "tags: [readagent]", "---"]
    )


def _asked(question: Question, answer: str, level: str) -> list[str]:
    """Return a question with its options, and the answer."""
    options = zip(question.letters, question.options, strict=True) if question.options else ()
    listed = "\n".join(f"- ({letter}) {_line(option)}" for letter, option in options)
    return [f"{level} {_line(question.text)}", *filter(None, [listed]), in_markdown(answer)]


def _evidence(answer: KeptAnswer | ShelfAnswer, quotes: Sequence[Quote], quoted: Sequence[str]) -> list[str]:
    """Return the quotes of an answer, which are ``quoted`` so, and what is said of them and of its statements."""
    near = evidence.heading(quotes, answer.found_in_text)
    lines = [*([f"*{near}*"] if near else []), *quoted, *(f"*{remark}*" for remark in evidence.remarks(answer))]
    if open_ones := evidence.not_supported(answer):
        lines[-1] += "".join(f"\n- {_line(one)}" for one in open_ones)
    return lines


def _exchange(answer: KeptAnswer, places: Sequence[str]) -> list[str]:
    quoted = []
    for number, quote in enumerate(answer.quotes):
        extract = find_extract(answer.text, quote.text) if number == 0 and answer.found_in_text else None
        quoted.append(_quoted(quote, quote.where, extract))
    lines = [*_asked(answer.question, answer.text, "###"), *_evidence(answer, answer.quotes, quoted)]
    if answer.pages:
        opened = "; ".join(page_name(page, places[page] if page < len(places) else "") for page in answer.pages)
        lines.append(f"*Opened: {_line(opened)}.*")
    if answer.other_pages:
        lines.append("*Asked when the text was divided into other pages.*")
    return lines


def _quoted(quote: Quote, place: str, extract: tuple[int, int] | None = None) -> str:
    return f"> {_quote_line(quote, extract)}\n>\n> — {_line(place)}"


def _quote_line(quote: Quote, extract: tuple[int, int] | None) -> str:
    """Return a quote on one line, with what the model quoted of it in bold, or the answer if it is a part of it."""
    if extract is not None and extract != (0, len(quote.text)):
        quote = replace(quote, marked=(extract,))
    if quote.marked in ((), ((0, len(quote.text)),)):
        return _line(quote.text)
    line = ""
    for text, bold in quote.parts():
        space = [" " * text[:1].isspace(), " " * text[-1:].isspace()]
        line += f"{space[0]}**{_line(text)}**{space[1]}" if bold else f"{space[0]}{_line(text)}{space[1]}"
    return line.strip()


def _line(text: str) -> str:
    """Return a text on one line, without markup."""
    return in_markdown(" ".join(text.split()))


def as_shelf_markdown(name: str, answers: Sequence[KeptShelfAnswer]) -> str:
    """Return the questions to a shelf in the order in which they were asked, with answers, lines and quotes."""
    parts = [f"# {_line(name)}"]
    for kept in reversed(answers):
        parts += _shelf_exchange(kept)
    return "\n\n".join(parts).encode("utf-8", "replace").decode() + "\n"


def _shelf_exchange(kept: KeptShelfAnswer) -> list[str]:
    answer = kept.answer
    lines = _asked(answer.question, answer.text, "##")
    if answer.lines:
        said = (
            f"- **{_line(one.title)}**: {_line(one.text) if one.text else '*does not say*'}"
            + (f" *({_line(one.problem)})*" if one.problem else "")
            for one in answer.lines
        )
        lines.append("\n".join(said))
    quoted = [_quoted(one.quote, f"{one.title}, {one.quote.where}") for one in answer.quotes]
    lines += _evidence(answer, [one.quote for one in answer.quotes], quoted)
    if answer.documents:
        lines.append(f"*Documents: {_line('; '.join(card.title for card in answer.documents))}.*")
    if answer.unread:
        lines.append(f"*Asked: {answer.not_asked}.*")
    return lines
