"""Export questions and gists as decks of cards for Anki."""

from __future__ import annotations

import hashlib
import io
import itertools
import sqlite3
import zipfile
from collections.abc import Sequence
from html import escape
from typing import Any

from readagent.advice import install_command
from readagent.core.document import page_name
from readagent.core.escaping import visible
from readagent.core.memory import GistMemory
from readagent.errors import UsageError
from readagent.library import evidence
from readagent.library.rows import KeptAnswer

_CARD = {"name": "Card 1", "qfmt": "{{Front}}", "afmt": '{{FrontSide}}<hr id="answer">{{Back}}'}


def as_anki(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> bytes:
    """Return an Anki package: a deck of the questions, and one of the gists. Importing it again updates its cards.

    Raise UsageError if genanki, of the extra ``anki``, is not installed.
    """
    try:
        import genanki
    except ImportError:
        raise UsageError("exporting to Anki needs genanki", hint=f"install it: {install_command('anki')}") from None
    document = memory.document
    title = document.title or document.source or document.id
    kind = genanki.Model(
        _number("readagent"), "ReadAgent", fields=[{"name": "Front"}, {"name": "Back"}], templates=[_CARD]
    )
    asked = {answer.question: answer for answer in reversed(answers)}  # the newest answer to each question
    decks = {
        "Questions": [(question.shown(), _back(answer)) for question, answer in asked.items()],
        "Gists": [
            (f"{title}: {page_name(*one)}", _html(gist.text))
            for one, gist in zip(enumerate(memory.places()), memory.gists, strict=True)
        ],
    }
    made = []
    for name, cards in decks.items():
        deck = genanki.Deck(_number(f"{document.id} {name}"), f"{visible(title)}::{name}")
        for number, (front, back) in enumerate(cards):
            guid = genanki.guid_for(document.id, name, front if name == "Questions" else number)
            deck.add_note(genanki.Note(kind, [_html(front), back], guid=guid))
        made.append(deck)
    return _packed(genanki.Package(made), max((answer.made.timestamp() for answer in answers), default=0.0))


def _packed(package: Any, timestamp: float) -> bytes:
    """Return the package as a file. genanki's own method would leave a copy in the folder for temporary files."""
    database = sqlite3.connect(":memory:")
    try:
        package.write_to_db(database.cursor(), timestamp, itertools.count(int(timestamp * 1000) + 1))
        database.commit()
        data = database.serialize()
    finally:
        database.close()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("collection.anki2", data)
        packed.writestr("media", "{}")
    return file.getvalue()


def _back(answer: KeptAnswer) -> str:
    near = evidence.heading(answer.quotes, answer.found_in_text)
    quotes = (
        f"<blockquote>{_html(quote.text)} <i>({_html(page_name(quote.page, quote.place))})</i></blockquote>"
        for quote in answer.quotes
    )
    notes = (f"<p><i>{_html(one)}</i></p>" for one in evidence.notes(answer))
    return "".join([_html(answer.text), f"<p><i>{near}</i></p>" if near else "", *quotes, *notes])


def _html(text: str) -> str:
    return escape(visible(text)).encode("utf-8", "replace").decode().replace("\n", "<br>")


def _number(text: str) -> int:
    """Return a number for a text that is always the same, as Anki tells decks apart by numbers."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4]) >> 1 | 1 << 30
