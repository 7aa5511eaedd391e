"""The trained reader in numpy: it computes what the network that was trained computes, and finds answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from embedded.small import make_weights
from needs import real_weights
from readagent.embedded.networks import ADAPTER
from readagent.embedded.reader import Reader

BRIDGE = "The bridge over the river was built in 1911 by Tomas Brandt."
CAR = (
    "Gatsby said that Daisy was driving the car when it struck Myrtle Wilson, but that of course he would say he was. "
    "The yellow car did not stop."
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_weights(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def random_reader(small: Path) -> Reader:
    return Reader(small, ADAPTER)


@pytest.fixture(scope="module")
def real() -> Reader:
    return Reader(real_weights("minilm"), ADAPTER)


@pytest.mark.slow
def test_an_answer_does_not_depend_on_the_other_passages(random_reader: Reader) -> None:
    numbers = " ".join(map(str, range(400)))  # more than one window
    passages = ["the sea", numbers, "", "a lamp.", f"the lamps, the sea {numbers[:300]}", "漢字 привет"]
    together = random_reader.find("the lamp?", passages)
    for passage, one in zip(passages, together, strict=True):
        (alone,) = random_reader.find("the lamp?", [passage])
        assert alone.answered == pytest.approx(one.answered, abs=1e-3)
        assert alone.likely == pytest.approx(one.likely, rel=0.02, abs=1e-6)  # spans of equal worth may change places
        assert 0 <= one.start <= one.end <= len(passage)


def test_an_answer_consists_of_whole_words(random_reader: Reader) -> None:
    for found in random_reader.find("sea?", ["abcdef ghijkl mnopqr", "x" * 300]):
        assert found.end == found.start or found.end in (6, 13, 20, 300)


@pytest.mark.slow
def test_an_option_is_judged_by_every_passage(random_reader: Reader) -> None:
    table = random_reader.judge("who " * 60, ["the sea", "a lamp " * 60], ["the sea", "sailing " * 400, ""])
    assert table.shape == (2, 3)
    assert np.isfinite(table).all()


@pytest.mark.weights
def test_it_finds_answers_and_knows_where_there_is_none(real: Reader) -> None:
    built, capital = (
        real.find("Who built the bridge?", [BRIDGE])[0],
        real.find("What is the capital of France?", [BRIDGE])[0],
    )
    assert BRIDGE[built.start : built.end] == "Tomas Brandt"
    (driver,) = real.find("Who was driving the car that killed Myrtle?", [CAR])
    assert CAR[driver.start : driver.end] == "Daisy"
    assert min(built.answered, driver.answered) > 2
    assert capital.answered < -2


@pytest.mark.weights
def test_it_computes_what_the_trained_network_computes(real: Reader) -> None:
    """The numbers are those of ``training/network.py`` for the adapter in the package."""
    asked = (("Who built the bridge?", BRIDGE), ("Who was driving the car that killed Myrtle?", CAR))
    found = [real.find(question, [passage])[0].answered for question, passage in asked]
    assert found == pytest.approx([4.972925, 6.306837], abs=1e-3)
    right = [real.judge(question, [""], [passage])[0, 0] for question, passage in asked]
    assert right == pytest.approx([-5.521680, -3.846069], abs=1e-3)
