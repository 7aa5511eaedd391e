"""Export the answers from a shelf as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.markup import in_markdown
from readagent.core.places import page_name
from readagent.core.shelf.records import Citation
from readagent.library import evidence
from readagent.library.rows import KeptShelfAnswer


def as_shelf_markdown(name: str, answers: Sequence[KeptShelfAnswer]) -> str:
    """Return the questions to a shelf in the order in which they were asked, with answers, lines and quotes."""
    parts = [f"# {_line(name)}"]
    for kept in reversed(answers):
        parts += _exchange(kept)
    return "\n\n".join(parts).encode("utf-8", "replace").decode() + "\n"


def _exchange(kept: KeptShelfAnswer) -> list[str]:
    answer, question = kept.answer, kept.answer.question
    lines = [f"## {_line(question.text)}"]
    if question.options:
        options = zip(question.letters, question.options, strict=True)
        lines.append("\n".join(f"- ({letter}) {_line(option)}" for letter, option in options))
    lines.append(in_markdown(answer.text))
    if answer.lines:
        said = (
            f"- **{_line(one.title)}**: {_line(one.text) if one.text else '*does not say*'}"
            + (f" *({_line(one.problem)})*" if one.problem else "")
            for one in answer.lines
        )
        lines.append("\n".join(said))
    if near := evidence.heading([one.quote for one in answer.quotes], answer.found_in_text):
        lines.append(f"*{near}*")
    lines += [_quoted(one) for one in answer.quotes]
    lines += [f"*{remark}*" for remark in evidence.remarks(answer)]
    if open_ones := evidence.not_supported(answer):
        lines[-1] += "".join(f"\n- {_line(one)}" for one in open_ones)
    if answer.documents:
        lines.append(f"*Documents: {_line('; '.join(card.title for card in answer.documents))}.*")
    return lines


def _quoted(cited: Citation) -> str:
    place = page_name(cited.quote.page, cited.quote.place)
    return f"> {_line(cited.quote.text)}\n>\n> — {_line(cited.title)}, {_line(place)}"


def _line(text: str) -> str:
    return in_markdown(" ".join(text.split()))
