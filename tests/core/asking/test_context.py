"""The context for the next turn: within its budget, with the newest pages in full and gists before them."""

from __future__ import annotations

from readagent.core.asking.context import context
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.pages.growing import extend
from readagent.core.reading import read
from readagent.core.words import count_words
from sessions import SMALL, make_session, prose, run

MEMORY = run(read(prose(80), make_session()))
LIVE = extend(MEMORY, MEMORY.document.appended("Ann: the newest turn.\n\nBo: the very last one."))


def test_the_newest_pages_are_in_full_and_older_ones_as_gists() -> None:
    shown = context(LIVE, 700, count_words)
    assert shown.endswith("Bo: the very last one.")
    assert shown.startswith("<Page 0>\n")
    assert [f"<Page {page.number}>" in shown for page in LIVE.pages] == [True] * len(LIVE.pages)
    assert LIVE.page_text(3).strip() not in shown
    assert LIVE.page_text(len(LIVE.pages) - 2).strip() in shown


def test_only_the_end_of_a_long_page_is_shown() -> None:
    turns = Document.from_text("\n\n".join(f"Ann: turn {n} " + "word " * 20 for n in range(9)))
    memory = extend(GistMemory(Document("", ()), (), (), SMALL), turns)
    shown = context(memory, 60, count_words)
    assert shown.startswith("<Page 0>\n… Ann: turn 7 ")
    assert context(memory, 8, count_words).endswith("word word")
    one_word = extend(GistMemory(Document("", ()), (), (), SMALL), Document.from_text("這是一個沒有空格的句子" * 9))
    assert 0 < count_words(context(one_word, 20, count_words)) <= 20
