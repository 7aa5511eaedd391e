"""Documents and cards that the tests of shelves share."""

from __future__ import annotations

from dataclasses import replace

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.shelf.ask import Member
from readagent.core.shelf.shelf_answer import Card
from readagent.core.words import count_words
from sessions import make_session, prose, read_and_fit, run

WHO = Question("Who pays the rent of the mill?")


def card(number: int, text: str = "", title: str = "") -> Card:
    text = text or f"A letter about matter {number}, " + "and much else besides that fills a line of the card " * 4
    return Card(f"id{number}", title or f"Letter {number}", "letter", text, count_words(text))


def member(title: str, *pages: str, code: str = "") -> Member:
    """Return a document with these pages; the gist of each is the title and its number."""
    text = "".join(f"{page}\n\n" for page in pages)
    document = replace(Document.from_text(text, title=title), code=code)
    at, made = 0, []
    for number, page in enumerate(pages):
        made.append(Page(number, at, at + len(page) + 2, count_words(page)))
        at += len(page) + 2
    gists = tuple(Gist(f"{title} {number}", 2) for number in range(len(pages)))
    memory = GistMemory(document, tuple(made), gists, Plan())
    return Member(Card(document.id, title, "", f"All about {title}.", 3), memory)


MILL = member("The mill", "The mill stands by the brook.", "Anna pays the rent of the mill in May.")
FARM = member("The farm", "The farm lies on the hill.", "Bert owns the farm and pays nobody.", "It has a well.")
INN = member("The inn", "The inn is old.", "It has nine rooms.")


def long_members(count: int) -> list[Member]:
    made = []
    for number in range(count):
        document = replace(prose(60), title=f"Words {number}")
        document = replace(document, text=document.text.replace("W0", f"Start{number}"))
        memory = run(read_and_fit(Document.from_text(document.text, title=document.title), make_session()))
        made.append(Member(Card(memory.document.id, document.title, "", "Words.", 1), memory))
    return made
