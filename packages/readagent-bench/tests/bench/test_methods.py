"""Every method over a scripted model: what the answering prompt holds, which pages, and how many words that is."""

from __future__ import annotations

import re

import pytest

from bench.studies import PICK, WHO, Bench
from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.question import Question
from readagent.core.tokens import estimate_tokens
from readagent.errors import UsageError
from readagent_bench.methods import METHODS, method
from sessions import prose, sensible

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

DOCUMENT = prose(40)  # 600 words, w0 to w599


def memory_shown(prompt: str) -> str:
    found = re.search(r"<memory>\n(.*)\n</memory>", prompt, re.S)
    assert found is not None
    return found[1]


async def test_bm25_shows_the_pages_with_the_words_asked_for_raw_and_in_order() -> None:
    bench = Bench()
    question = Question("What of w400, w401, w402 and of w20?")
    outcome = await bench.answer("bm25:2", DOCUMENT, question)
    assert outcome.preparation is not None
    memory = outcome.preparation.memory
    assert memory is not None
    assert outcome.pages is not None
    first, second = outcome.pages
    assert first < second
    assert "w20 " in memory.page_text(first)
    assert "w401" in memory.page_text(second)
    shown = memory_shown(bench.asked("respond")[0])
    pages = [memory.page_text(number).strip() for number in (first, second)]
    assert shown == f"<Page 0>\n{pages[0]}\n\n<Page 1>\n[...]\n\n{pages[1]}\n\n[...]", "gaps are marked"


async def test_retrieval_does_not_pay_for_gists() -> None:
    bench = Bench()
    read = await bench.answer("readagent-p:1", DOCUMENT, WHO)
    found = await bench.answer("bm25:1", DOCUMENT, WHO)
    assert read.preparation is not None
    assert found.preparation is not None
    assert {call.step for call in read.preparation.trace.calls} == {"paginate", "gist"}
    assert not found.preparation.trace.calls
    assert not found.preparation.gists


async def test_neural_finds_by_page_or_by_gist_and_shows_the_raw_page() -> None:
    """Gists keep the first words of a page, so a word at its end is found by the page's vector alone."""
    bench = Bench()
    memory, _ = await bench.context.memory(DOCUMENT)
    last = memory.pages[3]
    asked = Question(" ".join(memory.page_text(3).split()[-6:]))
    by_page = await bench.answer("neural:1", DOCUMENT, asked)
    by_gist = await bench.answer("neural-gist:1", DOCUMENT, Question(memory.gists[5].text))
    assert by_page.pages == (3,)
    assert by_page.context_words == last.words
    assert by_gist.pages == (5,)
    assert by_gist.context_words == memory.pages[5].words
    assert by_gist.preparation is not None
    assert by_gist.preparation.gists  # they had to be made


async def test_gistmem_and_a_nearest_page() -> None:
    bench = Bench()
    gists = await bench.answer("gistmem", DOCUMENT, WHO)
    memory, _ = await bench.context.memory(DOCUMENT)
    assert gists.pages is None
    assert memory_shown(bench.asked("respond")[0]) == memory.render()
    opened = await bench.answer("gistmem+neural:1", DOCUMENT, Question(memory.page_text(2)))
    assert opened.pages == (2,)
    assert memory_shown(bench.asked("respond")[1]) == memory.render({2})
    assert not bench.asked("look_up")


async def test_readagent_looks_up_as_many_pages_as_its_number_says() -> None:
    def greedy(ask: Ask) -> str:
        if ask.step == "look_up" and ask.choice is not None and "STOP" in ask.choice.values:
            return f"Page: {ask.choice.values[0]}"
        if ask.step == "look_up" and ask.choice is not None:
            return f"Pages: {', '.join(['4', '1', '2', '0'][: ask.choice.most])}"
        return sensible(ask)

    bench = Bench(greedy)
    assert (await bench.answer("readagent-p:1", DOCUMENT, WHO)).pages == (4,)
    assert (await bench.answer("readagent-p:1-3", DOCUMENT, WHO)).pages == (4, 1, 2)
    assert (await bench.answer("readagent-s:2", DOCUMENT, WHO)).pages == (0, 1)


async def test_conditional_gists_are_written_for_each_question() -> None:
    bench = Bench()
    first = await bench.answer("conditional-p:1", DOCUMENT, WHO)
    second = await bench.answer("conditional-p:1", DOCUMENT, PICK)
    assert first.preparation is not None
    assert first.preparation.for_question
    assert first.preparation is not second.preparation
    made_for = [WHO.text in prompt for prompt in bench.asked("gist")]
    assert made_for.count(True) == made_for.count(False) > 0


async def test_dos_rag_takes_the_nearest_chunks_up_to_its_budget_in_the_order_of_the_text() -> None:
    bench = Bench()
    sentences = [f"Line {i} is about {' '.join([f'thing{i}'] * 60)}." for i in range(40)]
    document = Document.from_text(" ".join(sentences))
    outcome = await bench.answer("dos-rag:900", document, Question("What of thing30, thing3 and thing31?"))
    shown = memory_shown(bench.asked("respond")[0]).partition("\n")[2]
    numbers = [int(number) for number in re.findall(r"Line (\d+)", shown)]
    assert {3, 30, 31} <= set(numbers)
    assert numbers == sorted(numbers)
    assert estimate_tokens(re.sub(r"\[\.\.\.\]|<Page \d+>", "", shown)) <= 900
    assert shown.count("[...]") == 1 + shown.count("<Page") + 1, "before, between and after the excerpts"
    assert outcome.pages is None
    tiny = await bench.answer("dos-rag:1", document, Question("What of thing3?"))
    assert tiny.context_words > 0  # the nearest chunk, however small the budget


async def test_a_method_without_its_embedder_says_what_to_do() -> None:
    bench = Bench()
    bench.context.embedder = None
    with pytest.raises(UsageError, match="needs an embedder"):
        await bench.answer("neural:1", DOCUMENT, WHO)
    assert [name for name, entry in METHODS.items() if entry.embeds] == [
        "gistmem+neural", "neural", "neural-gist", "dos-rag",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["bm26:3", "full:2"])
def test_invalid_names_are_errors(name: str) -> None:
    with pytest.raises(UsageError):
        method(name)
