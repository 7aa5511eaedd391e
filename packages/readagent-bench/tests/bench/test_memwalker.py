"""MemWalker: a tree of summaries, walked down and back, with retries, and searches that fail."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bench.studies import WHO, Bench
from readagent.core.model import Ask
from readagent_bench.methods.memwalker import FAN_OUT, SEGMENT_WORDS, TRIES, _build
from sessions import prose, sensible

pytestmark = pytest.mark.anyio

BOOK = prose(600)  # 9,000 words: 12 or 13 segments, two levels above them


def walker(steps: list[str]) -> Callable[[Ask], str]:
    """Takes these steps, one after the other."""

    def answer(ask: Ask) -> str:
        if ask.step == "gist":
            return (
                "Summary: It speaks of "
                + " ".join(word for word in ask.material.passages[0].split() if word[-1].isdigit())[:20]
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
