"""Measures of answers and of what they took, against examples worked out by hand."""

from __future__ import annotations

from random import Random

import pytest

from bench.studies import Bench, prediction
from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent_bench.metrics import compression, correct, pairs, rouge
from readagent_bench.records import spent
from readagent_bench.score import scores_of
from readagent_bench.statistics import difference, estimate, interval

pytestmark = pytest.mark.anyio

TEXT = "\n\n".join(" ".join(f"{letter}{i}" for i in range(20)) + "." for letter in "abcdef")  # six times 20 words


def shorten_to_ten(ask: Ask) -> str:
    if ask.step == "paginate":
        assert ask.choice is not None
        return f"Break point: <{ask.choice.values[-1]}>"
    if ask.step == "gist":
        return " ".join(ask.material.passages[0].split()[:10])
    return "Pages: 1" if ask.step == "look_up" else "c3"


async def test_cr_and_words_read_by_hand() -> None:
    """120 words in 2 pages of 60, each with a gist of 10. One page looked up: 10 + 60 words are shown of 120."""
    bench = Bench(shorten_to_ten, Plan(page_words=60, min_page_words=40))
    document = Document.from_text(TEXT)
    for_gists = bench.context.with_own_trace()
    outcome = await _answer(bench, "readagent-p:1", document)
    memory = outcome.preparation.memory
    assert [page.words for page in memory.pages] == [60, 60]
    assert [gist.words for gist in memory.gists] == [10, 10]
    assert outcome.pages == (1,)
    assert outcome.context_words == 70
    record = prediction(context_words=outcome.context_words, full_words=document.words)
    assert compression(record) == pytest.approx(100 * (1 - 70 / 120))
    gists_alone = await _answer(bench, "gistmem", document)
    assert gists_alone.context_words == 20
    asked = [ask.prompt for ask in bench.model.asks]
    reading = spent(outcome.preparation.trace)
    assert reading["calls"] == 4  # two pauses, two gists
    assert reading["words"] == sum(count_words(prompt) for prompt in asked[:4])
    assert for_gists.trace.calls == []


async def _answer(bench: Bench, name: str, document: Document):  # type: ignore[no-untyped-def]
    return await bench.answer(name, document, Question("Where is c3?"))


def test_cr_is_the_mean_of_rates_not_the_rate_of_means() -> None:
    short = prediction(example="a", context_words=50, full_words=100)
    long = prediction(example="b", context_words=100, full_words=1000)
    found = estimate(scores_of([short, long], {})["cr"])
    assert found is not None
    assert found.mean == pytest.approx((50 + 90) / 2)  # the rate of the means would be 86.4


def test_a_failure_counts_as_wrong_and_has_no_compression() -> None:
    good = prediction(example="a", kind="choice", gold="A", choice="A", context_words=50)
    failed = prediction(example="b", kind="choice", gold="A", error="ServerFaultError: gone", context_words=0)
    scores = scores_of([good, failed], {})
    accuracy, cr = estimate(scores["accuracy"]), estimate(scores["cr"])
    assert accuracy is not None
    assert cr is not None
    assert (accuracy.mean, accuracy.count) == (0.5, 2)
    assert (cr.mean, cr.count) == (50, 1)


def test_pages_that_matter() -> None:
    """Pages 1 and 4 are relevant. A failed question opened none; without opened pages there is no precision."""
    records = [
        prediction(example="a", pages=(0, 1), relevant=(1, 4)),
        prediction(example="b", pages=(), relevant=(2,)),
        prediction(example="c", error="ModelError: no", relevant=(), context_words=0),
    ]
    scores = {name: values[0, "d"] for name, values in scores_of(records, {}).items() if name.startswith("page")}
    assert scores["page_hit"] == {"a": 1, "b": 0, "c": 0}
    assert scores["page_recall"] == {"a": 0.5, "b": 0, "c": 0}
    assert scores["page_precision"] == {"a": 0.5, "c": 0}


def test_both_claims_of_a_pair_must_be_right() -> None:
    claims = [
        prediction(example="1", pair="x", gold="true", choice="true"),
        prediction(example="2", pair="x", gold="false", choice="true"),
        prediction(example="3", pair="y", gold="true", choice="true"),
        prediction(example="4", pair="y", gold="false", choice="false"),
    ]
    assert pairs(claims) == {(0, "d", "x"): 0, (0, "d", "y"): 1}
    assert [correct(claim) for claim in claims] == [1, 0, 1, 1]


def test_rouge_by_hand() -> None:
    """the cat sat on the mat / the cat is on the mat: 5 of 6 words, 3 of 5 pairs, the sequence the cat on the mat."""
    found = rouge(prediction(text="the cat is on the mat", references=("the cat sat on the mat",)))
    assert found == pytest.approx({"rouge1": 5 / 6, "rouge2": 3 / 5, "rougeL": 5 / 6})
    best = rouge(prediction(text="the cat is on the mat", references=("a dog", "the cat sat on the mat")))
    assert best == found
    assert rouge(prediction(text="", references=("a dog",))) == {"rouge1": 0, "rouge2": 0, "rougeL": 0}


def test_a_mean_is_over_questions_and_a_deviation_over_runs() -> None:
    scores = {
        (0, "a"): {"1": 1.0, "2": 0.0}, (0, "b"): {"3": 1.0}, (1, "a"): {"1": 1.0, "2": 1.0}, (1, "b"): {"3": 1.0},
    }  # fmt: skip
    found = estimate(scores)
    assert found is not None
    assert found.mean == pytest.approx((2 / 3 + 1) / 2)
    assert found.deviation == pytest.approx((1 - 2 / 3) / 2**0.5)  # of two values: their distance over the root of 2
    assert found.count == 6


@pytest.mark.parametrize("count", [8, 10, 30])
def test_an_interval_covers_the_truth_about_nineteen_times_in_twenty(count: int) -> None:
    """Documents differ: each has its own rate, drawn about 0.6, and its own number of questions."""
    dice, covered, times = Random(5), 0, 1000
    for _ in range(times):
        rates = [dice.uniform(0.3, 0.9) for _ in range(count)]
        documents = [[float(dice.random() < rate) for _ in range(dice.randint(4, 12))] for rate in rates]
        low, high = interval(documents) or (1.0, 0.0)
        covered += low <= 0.6 <= high
    assert 0.93 < covered / times < 0.97


def test_a_difference_is_taken_question_by_question() -> None:
    first = {(0, "a"): {"1": 1.0, "2": 1.0, "3": 0.0}, (0, "b"): {"4": 1.0}, (0, "c"): {"9": 1.0}}
    second = {(0, "a"): {"2": 0.0, "3": 0.0, "7": 1.0}, (0, "b"): {"4": 1.0}}
    found = difference(first, second)
    assert found is not None
    assert found.count == 3  # 2 and 3 of a, 4 of b: what only one has tells nothing
    assert found.mean == pytest.approx(1 / 3)
    assert difference(first, {(0, "z"): {"1": 1.0}}) is None
