"""Cards: a short description of a document, made from its gists, to decide whether to read it for a question."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import PurePath

from readagent.core.document import Document
from readagent.core.events import GistDone, without
from readagent.core.gists.check import Check
from readagent.core.gists.shorten import gist_page, judge_gist, language_of_gist
from readagent.core.memory import GistMemory, Origin, Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session
from readagent.core.shelf.records import Card
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.core.words import count_words, lead, truncate

CARD_WORDS = 60
_LABEL = lazy_pattern(r"^\W{0,6}(?:(?:here|this|below)\b[^\n:]{0,40}\s)?card\b[^\n:]{0,30}:[*_\s]*", re.I)
_TITLE_WORDS, _TITLE_CHARACTERS, _KIND_CHARACTERS = 16, 120, 40


async def card_of(memory: GistMemory, session: Session, *, kind: str = "") -> Card:
    """Return the card of a document that was read. Gists no longer than a card are used unchanged."""
    text = " ".join(gist.text.strip() for gist in memory.gists)
    origin: Origin = "verbatim"
    if count_words(text) > CARD_WORDS:
        text, origin = await _card_text(memory, text, replace(session, emit=without(session.emit, GistDone)))
    document = memory.document
    kind = " ".join(kind.split()) or kind_of(document)
    return Card(
        document.id, title_of(document), kind[:_KIND_CHARACTERS], text, count_words(text), origin, gists_key(memory)
    )


def gists_key(memory: GistMemory) -> str:
    """Return a hash of all gists of a memory."""
    everything = "\0".join(gist.text for gist in memory.gists)
    return hashlib.sha256(everything.encode("utf-8", "surrogatepass")).hexdigest()[:16]


async def _card_text(memory: GistMemory, gists: str, session: Session) -> tuple[str, Origin]:
    """Return the text of a card, made from all gists, or from a shorter form if these do not fit the window."""
    passage, problem = gists, "the gists of the document could not be made to fit the window"
    if not _fits(passage, session):
        around = session.window.count(_prompt(session, ""))
        limit = max(CARD_WORDS, ((session.window.prompt or 0) - around) // 3)
        passage = (await gist_page(session, Page(0, 0, len(gists), count_words(gists)), gists, limit=limit)).text
    if _fits(passage, session):
        ask = Ask("gist", _prompt(session, passage), material=Material(passages=(passage,), words=CARD_WORDS))
        words, check = count_words(passage), Check(session.plan.instructions)

        def judge(reply: Reply) -> tuple[str, str]:
            return judge_gist(reply, words, CARD_WORDS, lambda text: check.problem(text, passage))

        text, problem = await session.judged(ask, judge)
        if not problem:
            return " ".join(_LABEL.sub("", text, count=1).split()), "model"
    session.fell_back(Fallback("card", problem, "the opening of the first gist"))
    return lead(" ".join(memory.gists[0].text.split()), CARD_WORDS), "lead"


def _prompt(session: Session, passage: str) -> str:
    language = language_of_gist(session.plan, passage, named=False)
    return session.prompts.fill("card", passage=escape_tags(passage), words=CARD_WORDS, language=language)


def _fits(passage: str, session: Session) -> bool:
    return session.window.fits(_prompt(session, passage))


def title_of(document: Document) -> str:
    """Return a name for a document that fits on a line: its title, its file name or its id."""
    return fitted_title(document.title or PurePath(document.source).name) or document.id


def fitted_title(title: str) -> str:
    """Return a title on one line, without the end of a long one."""
    return truncate(" ".join(title.split()), _TITLE_WORDS)[:_TITLE_CHARACTERS].rstrip()


def kind_of(document: Document) -> str:
    """Return what kind of text a document is; empty if unknown."""
    return " ".join(document.kind.split()) or (f"{document.code} code" if document.code else "")
