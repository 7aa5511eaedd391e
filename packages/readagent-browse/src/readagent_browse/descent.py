"""Go down the memory tree of a very long page: the model chooses sections until their parts are shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from readagent.core.form import Choice
from readagent.core.model import Ask, number_ranges
from readagent.core.session import Session
from readagent.core.words import count_words, lead
from readagent.retrieval.bm25 import Bm25
from readagent_browse.extract import label_with_id, plain_text
from readagent_browse.goal import Goal
from readagent_browse.ids import check_ids
from readagent_browse.matching import best_matches
from readagent_browse.memory import PageMemory, Record
from readagent_browse.page_view import view_room
from readagent_browse.templates import templates

_MOST_SECTIONS = 2  # chosen at a time
_FOUND = 5  # parts that share most with the instruction: they are shown in any case
_NAMED = 3  # of these, parts that have an element whose name stands in the instruction
_MATCHES = 3  # elements that such a part names because they share words with the instruction
_SHORT_WORDS = 12  # of a section that was not chosen


async def go_down(memory: PageMemory, goal: Goal, session: Session) -> PageMemory:
    """Return the memory with the parts of the sections that the model chooses; the same one if it has no sections.

    Parts that share words with the instruction stand there too, wherever they are. Other sections are shown short.
    """
    if not memory.sections or session.plan.look_up == "none" or session.plan.max_pages == 0:
        return memory
    found = _found(memory, goal)
    memory = replace(memory, records=tuple(_with_matches(record, memory, found, goal) for record in memory.records))
    offered = memory.sections
    while offered:
        chosen = await _choose(memory, offered, found, goal, session)
        memory = _opened(memory, chosen, found, session)
        inside = {id(part) for record in chosen for part in record.parts}
        offered = [record for record in memory.sections if id(record) in inside]
    return memory


def _found(memory: PageMemory, goal: Goal) -> list[int]:
    """Return the snippets that share most with the instruction, the best first.

    Those with an element whose rare name stands in the instruction come before all others.
    """
    scores = Bm25(plain_text(snippet.html) for snippet in memory.snippets).scores(goal.instruction)
    ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    named = sorted(_named_in(goal.instruction.casefold(), memory), key=lambda index: (-scores[index], index))
    best = dict.fromkeys((*named[:_NAMED], *(index for index in ranked[:_FOUND] if scores[index] > 0)))
    return list(best)[:_FOUND]


def _named_in(instruction: str, memory: PageMemory) -> set[int]:
    having: dict[str, set[int]] = {}
    for snippet in memory.snippets:
        for element in snippet.elements:
            having.setdefault(element.label.casefold(), set()).add(snippet.index)
    rare = (where for name, where in having.items() if len(where) <= _NAMED and len(name) > 2 and name in instruction)
    return {index for where in rare for index in where}


def _with_matches(record: Record, memory: PageMemory, found: Collection[int], goal: Goal) -> Record:
    """Return a record in which the parts that were found name the elements that share most with the instruction."""
    if record.parts:
        if not any(index in record.indexes for index in found):
            return record
        return replace(record, parts=tuple(_with_matches(part, memory, found, goal) for part in record.parts))
    elements = best_matches(memory.snippets[record.index].elements, goal, _MATCHES) if record.index in found else []
    named = [label_with_id(element) for element in elements if label_with_id(element) not in record.content]
    if not named:
        return record
    content = f"{', '.join(named)}. {record.content}"
    ids = tuple(dict.fromkeys((*(element.id for element in elements), *record.ids)))
    return replace(record, content=content, words=count_words(content), ids=ids)


async def _choose(
    memory: PageMemory, offered: Sequence[Record], found: Sequence[int], goal: Goal, session: Session
) -> list[Record]:
    """Return the sections that the model wants to look into, or the one with the best found part if it names none."""
    if len(offered) == 1:
        return list(offered)
    wanted = set(map(id, offered))
    by_number = {str(number): one for number, one in enumerate(memory.sections) if id(one) in wanted}
    most, numbers = min(_MOST_SECTIONS, len(offered)), number_ranges(map(int, by_number))
    choice = Choice(tuple(by_number), most=most, label="Sections")
    page, shown = memory.prompt(), goal.render(session)
    prompt = templates().fill("look_into", form=choice, page=page, goal=shown, most=most, offered=numbers)
    best = next((index for index in found if any(index in record.indexes for record in offered)), offered[0].index)
    ask = Ask("look_up", prompt, choice)
    chosen = await session.decide(
        ask,
        lambda: tuple(number for number, record in by_number.items() if best in record.indexes),
        about="parts",
        name="section {}".format,
    )
    return [by_number[number] for number in chosen]


def _opened(memory: PageMemory, chosen: Sequence[Record], found: Collection[int], session: Session) -> PageMemory:
    """Return the memory with as many of these sections replaced by what is in them as fit, at least the first."""
    room = view_room(memory.head, session)
    for sections in (chosen, chosen[:1]):
        for words in (_SHORT_WORDS, 3):
            records = tuple(_replaced(memory, sections, found, words))
            view = replace(memory, records=records)
            if room is None or session.window.count(view.render()) <= room:
                return view
    return replace(memory, records=chosen[0].parts)


def _replaced(memory: PageMemory, chosen: Sequence[Record], found: Collection[int], words: int) -> Iterator[Record]:
    shown = {one.index for one in memory.shown}
    for record in memory.records:
        if not record.parts:
            yield record
        elif any(record is one for one in chosen):
            yield from record.parts
        else:
            yield _shortened(memory, record, words)
            yield from (leaf for leaf in record.leaves() if leaf.index in found and leaf.index not in shown)


def _shortened(memory: PageMemory, record: Record, words: int) -> Record:
    """Return a section with the first words of its entry, and the ids that are still in it."""
    if record.words <= words:
        return record
    known = [element.id for index in record.indexes for element in memory.snippets[index].elements]
    content, ids = check_ids(f"{lead(record.content, words)} …", known)
    return replace(record, content=content, words=count_words(content), ids=ids)
