"""A shelf of long documents in small windows: is the right page of the right document opened?

Two shelves: War and Peace, Don Quixote and twelve meetings as one text, whose memories are trees; and the four longest
meetings, whose gists fit the larger window one by one but not together. Texts and the scripted reader are those of
`small_window`. Each question is asked of the whole shelf, with and without hints, and of its own document alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median

from common import Value, arguments, book, dataset, manifest, print_figures, write_results
from small_window import HELD_OUT, Read, Text, document_of, figure_name, meetings, read_in, right_page
from window_questions import Asked, passages_of, questions_of
from window_reader import rarity_of

from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.shelf.ask import Member, ask_several
from readagent.core.shelf.shelf_answer import Card
from readagent.core.trace import Trace

WINDOWS = (8_000,)
QUESTIONS = 12  # for each text
MEETINGS = 4


@dataclass(frozen=True, slots=True)
class Shelf:
    """A shelf of texts, and what its reader knows about their words."""

    name: str
    texts: tuple[Text, ...]
    rarity: dict[str, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one question: whether its page was opened, the calls, and the tokens of each kind of prompt."""

    right: bool
    calls: int
    choosing: int
    answering: int


async def outcome_of(asked: Asked, of: int, members: Sequence[Member], session: Session) -> Outcome:
    """Ask a question about one of these documents, and see whether the page with its sentence was opened."""
    session = replace(session, trace=Trace())
    answer = await ask_several(members, Question(asked.text), session)
    wanted = members[of].card.document, right_page(members[of].whole, asked)
    count, calls = session.window.count, session.trace.calls
    return Outcome(
        wanted in {(page.document, page.page) for page in answer.pages},
        len(calls),
        next((count(call.prompt) for call in calls if call.step == "look_up"), 0),
        max((count(call.prompt) for call in calls if call.step == "respond"), default=0),
    )


async def row_of(shelf: Shelf, window: int) -> dict[str, Value]:
    """One shelf in one window."""
    made = [await read_in(text, shelf.rarity, window) for text in shelf.texts]
    members = [_member(text, one) for text, one in zip(shelf.texts, made, strict=True)]
    session = replace(made[0].session, plan=replace(made[0].session.plan, look_up="parallel", hints=None))
    plain = replace(session, plan=replace(session.plan, hints=False))
    asked = [(one, number) for number, text in enumerate(shelf.texts) for one in text.questions]
    alone = [await outcome_of(one, 0, [members[number]], session) for one, number in asked]
    hinted = [await outcome_of(one, number, members, session) for one, number in asked]
    unhinted = [await outcome_of(one, number, members, plain) for one, number in asked]
    room = session.window.prompt or 1
    return {
        "shelf": shelf.name,
        "window": window,
        "documents": len(members),
        "pages": sum(len(member.whole.pages) for member in members),
        "parts": sum(len(member.memory.pages) for member in members if member.memory.finer is not None),
        "questions": len(asked),
        "right page, document alone %": _percent(alone),
        "right page, whole shelf %": _percent(hinted),
        "right page, whole shelf without hints %": _percent(unhinted),
        "calls a question, median": median(one.calls for one in hinted),
        "calls a question, most": max(one.calls for one in hinted),
        "first prompt, % of its room": round(100 * fmean(one.choosing for one in hinted) / room, 1),
        "answering prompt, % of its room": round(100 * fmean(one.answering for one in hinted) / room, 1),
    }


def _member(text: Text, made: Read) -> Member:
    return Member(Card(text.document.id, text.name, "", f"All of {text.name}.", 3), made.memory)


def _percent(outcomes: Sequence[Outcome]) -> float:
    return round(100 * fmean(one.right for one in outcomes), 1)


def shelves_of(data: Path | None, *, quick: bool) -> list[Shelf]:
    """Return the shelves; for a quick run, or without the data, the halves of one text, which may be generated."""
    if quick or dataset(data, "books/don-quixote.md") is None:
        text = book("war-and-peace", 24_000, data, otherwise=24_000)[0]
        middle = text.index("\n\n", len(text) // 2)
        halves = [
            ("first half", document_of(text[:middle], "first")),
            ("second half", document_of(text[middle:], "second")),
        ]
        return [_shelf("2 halves", [_text(name, document, 4) for name, document in halves])]
    made = [(name, document_of(*book(name, None, data, otherwise=0))) for name in ("war-and-peace", "don-quixote")]
    if (joined := meetings(data)) is not None:
        made.append(("12 meetings", joined))
    shelves = [_shelf(f"{len(made)} long texts", [_text(name, document, QUESTIONS) for name, document in made])]
    if single := _longest_meetings(data):
        shelves.append(_shelf(f"{len(single)} meetings", single))
    return shelves


def _text(name: str, document: Document, questions: int) -> Text:
    return Text(name, document, tuple(questions_of(document.text, questions, HELD_OUT)))


def _shelf(name: str, texts: Sequence[Text]) -> Shelf:
    passages = [passage for text in texts for passage in passages_of(text.document.text)]
    return Shelf(name, tuple(texts), rarity_of(passages))


def _longest_meetings(data: Path | None) -> list[Text]:
    """Return the longest meetings of QMSum's validation set, each a text of its own."""
    file = dataset(data, "qmsum/val.jsonl")
    lines = file.read_text("utf-8").splitlines() if file is not None else []
    said = [
        "\n\n".join(f"{turn['speaker']}: {turn['content'].strip()}" for turn in json.loads(line)["meeting_transcripts"])
        for line in lines
    ]
    made = []
    for number, text in enumerate(sorted(said, key=lambda one: -len(one.split()))[:MEETINGS], 1):
        made.append(_text(f"Meeting {number}", document_of(text, f"meeting-{number}"), QUESTIONS))
    return made


def main() -> None:
    options = arguments(__doc__)
    rows = list[dict[str, Value]]()
    for shelf in shelves_of(options.data, quick=options.quick):
        for window in (4_000,) if options.quick else WINDOWS:
            rows.append(asyncio.run(row_of(shelf, window)))
            print(rows[-1], flush=True)
    if not options.quick:
        about = manifest(
            questions=f"{QUESTIONS} for each text",
            reader="scripted, in the same process; see window_reader.py",
        )
        title = "A shelf of long documents in small windows"
        write_results("shelf_window", title, {"Is the right page opened?": rows}, about)
    print_figures({_figure_name(row, key): row[key] for row in rows for key in list(row)[2:]})


def _figure_name(row: dict[str, Value], key: str) -> str:
    """Return the name of a figure: `shelf_of_4_meetings_window_8000_pages`."""
    return f"shelf_of_{row['shelf']}_{figure_name(row, key)}".replace(" ", "_")


if __name__ == "__main__":
    main()
