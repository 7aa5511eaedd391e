"""A library with two tales that the tests of the adapters read, and the questions they ask."""

from __future__ import annotations

from readagent import Document, GistMemory, Plan, ReadAgent, Shelf

GOODS = ("honey", "salt")
PLAN = Plan(page_words=60, min_page_words=20)
WHO = "To whom was the honey sold?"
SOLD = "In the end the honey was sold to the widow of honeyville."


def tale(goods: str) -> Document:
    filler = " ".join(f"The {goods} seller walked on to market number {number}." for number in range(20))
    text = f"The tale of {goods}\n\nIn the end the {goods} was sold to the widow of {goods}ville.\n\n{filler}\n"
    return Document.from_text(text, title=f"Of {goods}", source=f"/tales/{goods}.txt")


def honey(agent: ReadAgent) -> GistMemory:
    return agent.read(tale("honey"))


def shelf(agent: ReadAgent) -> Shelf:
    made = Shelf(agent, "goods")
    for goods in GOODS:
        made.add(tale(goods))
    return made
