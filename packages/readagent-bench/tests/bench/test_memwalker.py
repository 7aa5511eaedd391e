"""MemWalker: a tree of summaries, walked down and back, with retries, and searches that fail."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bench.studies import WHO, Bench
from readagent.core.model import Ask, Reply
from readagent_bench.methods.memwalker import FAN_OUT, MOST_STEPS, SEGMENT_WORDS, TRIES, _build
from sessions import prose, sensible

pytestmark = pytest.mark.anyio

BOOK = prose(600)  # 9,000 words: 12 or 13 segments, two levels above them


def walker(steps: list[str]) -> Callable[[Ask], str]:
    """Takes these steps, one after the other."""

    def answer(ask: Ask) -> str:
        if ask.step == "gist":
            return (
                "It speaks of " + " ".join(word for word in ask.material.passages[0].split() if word[-1].isdigit())[:20]
            )
        return steps.pop(0) if ask.step == "walk" else sensible(ask)

    return answer


async def test_the_tree_has_segments_of_750_words_and_8_below_a_node() -> None:
    bench = Bench(walker([]))
    tree = await _build(BOOK, bench.context)

    def leaves(node) -> list[str]:  # type: ignore[no-untyped-def]
        assert len(node.children) <= FAN_OUT == 8
        return [leaf for child in node.children for leaf in leaves(child)] if node.children else [node.text]

    texts = leaves(tree.root)
    assert len(texts) > FAN_OUT
    assert " ".join(" ".join(texts).split()) == " ".join(BOOK.text.split())
    assert all(len(text.split()) <= SEGMENT_WORDS == 750 for text in texts)
    assert len({len(child.children) for child in tree.root.children}) <= 2  # as equal as can be


async def test_it_walks_to_a_segment_and_answers_from_it_and_the_summaries_on_the_way() -> None:
    bench = Bench(walker(["Part 1", "Part 2", "ANSWER"]))
    outcome = await bench.answer("memwalker", BOOK, WHO)
    assert outcome.text == "Because."
    (prompt,) = bench.asked("respond")
    segment = re.findall(r"<passage>\n(.*?)\n</passage>", bench.asked("walk")[-1], re.S)[0]
    assert segment in prompt
    assert prompt.count("It speaks of") == 2  # the root's summary, and the part's
    assert outcome.preparation is not None
    assert {call.step for call in outcome.preparation.trace.calls} == {"gist"}
    assert [call.step for call in bench.context.trace.calls] == ["walk", "walk", "walk", "respond"]


async def test_going_back_closes_what_was_left() -> None:
    bench = Bench(walker(["Part 0", "Part 0", "BACK", "Part 0", "ANSWER"]))
    await bench.answer("memwalker", BOOK, WHO)
    walks = bench.asked("walk")
    first, second = (re.findall(r"Part \d+: (.*)", walks[i]) for i in (1, 3))
    assert second == first[1:]  # the part that was left is not offered again
    assert "BACK" not in [values for ask in bench.model.asks[:14] if ask.choice for values in ask.choice.values]


async def test_an_unreadable_step_is_asked_for_three_times_and_then_the_search_fails() -> None:
    bench = Bench(walker(["hm", "well", "Part 1", "so", "so", "so"]))
    outcome = await bench.answer("memwalker", BOOK, WHO)
    assert (outcome.text, outcome.choice, outcome.context_words) == ("", None, 0)
    assert outcome.notes == ("search failed",)
    walks = bench.asked("walk")
    assert len(walks) == 2 * TRIES
    assert len(set(walks)) == 2 * TRIES  # each try is worded anew, or the cache would answer it
    assert [one.reason for one in bench.context.trace.fallbacks] == ["3 replies named no part"]
    assert not bench.asked("respond")


async def test_a_search_that_only_goes_back_ends() -> None:
    steps = iter(int, 1)  # zeros without end

    def undecided(ask: Ask) -> str:
        if ask.step != "walk":
            return walker([])(ask)
        assert ask.choice is not None
        return "BACK" if "BACK" in ask.choice.values and "ANSWER" in ask.choice.values else f"Part {next(steps)}"

    bench = Bench(undecided)
    outcome = await bench.answer("memwalker", BOOK, WHO)
    assert outcome.notes == ("search failed",)
    assert len(bench.asked("walk")) <= MOST_STEPS


async def test_an_unusable_summary_is_replaced_and_recorded() -> None:
    bench = Bench(lambda ask: Reply("", finish="refused") if ask.step == "gist" else "x")
    tree = await _build(prose(60), bench.context.with_own_trace())
    assert tree.root.summary.startswith("W0 w1")
    assert {one.reason for one in tree.trace.fallbacks} == {"the model refused"}


async def test_a_short_text_is_one_segment() -> None:
    bench = Bench(walker(["ANSWER"]))
    assert (await bench.answer("memwalker", prose(10), WHO)).context_words == 150
    lost = Bench(walker(["BACK"]))
    assert (await lost.answer("memwalker", prose(10), WHO)).notes == ("search failed",)
