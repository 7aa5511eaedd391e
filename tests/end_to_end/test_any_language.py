"""Readers that reason in any language around the lines that are asked for: a reading and an answer, no fallback.

The program knows none of these languages: it reads what stands after the labels. Reasons name pages that are not meant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import LookUp, Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.testing.scripted import ScriptedModel

pytestmark = pytest.mark.anyio

FIRST = "The ferry to the island of Nordholm leaves at noon, and its captain waits for nobody who is late for it. "
LAST = "Marta sold the old mill to her neighbour, because the river had changed its bed and the wheel stood still. "
TEXT = "\n\n".join(f"{FIRST * 2}It carried {number} crates of pears. {LAST * 2}" for number in range(101, 107))
QUOTE = LAST.strip()
PLAN = Plan(page_words=100, min_page_words=40, max_pages=2, mode="paper", quotes=True)


@dataclass(frozen=True)
class Voice:
    """What a reader says around the lines: that page 3 and option B are not it, and that it cannot know yet; an answer."""

    before: str
    after: str
    answer: str


VOICES = {
    "German": Voice("Seite 3 handelt von etwas anderem, und B kann ich nicht bestätigen.", "Seite 4 brauche ich nicht.",
                    "Weil der Fluss sein Bett verlegt hatte."),
    "Arabic": Voice("الصفحة 3 تتحدث عن شيء آخر، ولا أستطيع تأكيد B.", "لا أحتاج إلى الصفحة 4.", "لأن النهر غيّر مجراه."),
    "Chinese": Voice("第3页讲的是别的事，我无法确认B。", "不需要第4页。", "因为河流改道了。"),
}  # fmt: skip
OPTIONS = ["The wheel was stolen", "The ferry was late", "The river had moved", "The pears were sold"]


def reader(voice: Voice) -> ScriptedModel:
    """Reply to each step with reasons before and after the lines that are asked for."""

    def reply(ask: Ask) -> str:
        if ask.step == "gist":
            passage = ask.material.passages[0].split()
            return f"{voice.before}\n\n**Gist:** {' '.join(passage[:30])}"
        if ask.step == "check":
            return f"{voice.before}\n\n1: yes [1]\n\n{voice.after}"
        if ask.choice is None:
            return f'{voice.before}\n\nAnswer: {voice.answer}\n\nPage 0: "{QUOTE}"'
        if ask.choice.texts:
            said = "Answer: C"
        elif "STOP" in ask.choice.values:
            said = "Page: 0" if "0" in ask.choice.values else "STOP"
        elif ask.choice.values == ("true", "false"):
            said = "Answer: true"
        elif ask.step == "look_up":
            said = "Pages: 0, 1"
        else:
            said = f"**{ask.choice.label}:** <{ask.choice.values[-1]}>"
        return f"{voice.before}\n\n{said}\n\n{voice.after}"

    return ScriptedModel(lambda ask: Reply(reply(ask)))


@pytest.mark.parametrize(
    ("language", "look_up"), [(name, ("parallel", "sequential")[at % 2]) for at, name in enumerate(VOICES)]
)
async def test_a_text_is_read_and_a_question_answered_in_any_language(language: str, look_up: LookUp) -> None:
    voice = VOICES[language]
    session = Session(reader(voice), Prompts.load(), PLAN)
    memory = await read(Document.from_text(TEXT), session)
    assert len(memory.pages) > 4
    assert not session.trace.fallbacks
    asking = replace(session, plan=replace(PLAN, look_up=look_up))
    answer = await ask(memory, Question("Why did Marta sell the mill?"), asking)
    assert answer.text == voice.answer
    assert answer.pages == ((0, 1) if look_up == "parallel" else (0,))
    assert answer.quotes[0].page == 0
    assert QUOTE in answer.quotes[0].text
    chosen = await ask(memory, Question.choice("Why did Marta sell the mill?", OPTIONS), asking)
    assert chosen.choice == "C"
    claim = await ask(memory, Question.claim("Marta sold the mill."), asking)
    assert claim.choice == "true"
    assert not asking.trace.fallbacks
    assert not answer.trace.fallbacks
