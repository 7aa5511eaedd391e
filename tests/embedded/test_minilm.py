"""The trained reader and sentence vectors in numpy: they compute what their networks compute."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

import numpy as np

from embedded.small import PIECES, make_weights
from needs import real_weights
from readagent.embedded.minilm import MiniLM, WordPiece
from readagent.embedded.networks import ADAPTER, MiniLMEmbedder
from readagent.embedded.reader import Reader
from readagent.errors import ModelError

MIXED = ["sea", "the lamps", "", "sailing " * 20, "a", "x" * 500, "the sea. " * 90, "漢字", "привет", "Ünïcödé", "?!"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_weights(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def words(folder: Path) -> WordPiece:
    return WordPiece(folder / "vocab.txt")


@pytest.fixture(scope="module")
def model(folder: Path) -> MiniLM:
    return MiniLM(folder)


@pytest.fixture(scope="module")
def real() -> MiniLM:
    return MiniLM(real_weights("minilm"))


def pieces(words: WordPiece, text: str, most: int = 256) -> list[str]:
    return [PIECES[number] for number in words.encode(text, most)][1:-1]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("The SEA", ["the", "sea"]),
        ("lamps", ["lamp", "##s"]),
        ("thé séa", ["the", "sea"]),
        ("sea,lamp!", ["sea", ",", "lamp", "!"]),
        ("漢字", ["漢", "字"]),
        ("seaω lamp", ["[UNK]", "lamp"]),
        ("  \t\n sea \u3000 lamp\u2028", ["sea", "lamp"]),
    ],
)
def test_words_are_split_into_the_longest_pieces(words: WordPiece, text: str, cut: list[str]) -> None:
    assert pieces(words, text) == cut


def test_a_long_text_is_truncated_and_still_ends_with_a_separator(words: WordPiece) -> None:
    assert pieces(words, "sea " * 1000, most=10) == ["sea"] * 8
    numbers = words.encode("lamps " * 1000, 10)
    assert len(numbers) == 10
    assert (PIECES[numbers[0]], PIECES[numbers[-1]]) == ("[CLS]", "[SEP]")


def test_one_vector_a_text_of_length_one(model: MiniLM) -> None:
    rows = model.embed(MIXED)
    assert rows.shape == (len(MIXED), 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(MIXED)), abs=1e-5)
    assert model.embed([]).shape == (0, 384)


def test_vectors_do_not_depend_on_the_number_of_cores(model: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    for threads in (1, 3):
        monkeypatch.setattr("readagent.embedded.encoder._THREADS", threads)
        rows.append(model.embed(MIXED))
    assert np.array_equal(rows[0], rows[1])


@pytest.mark.slow
def test_a_batch_of_mixed_lengths_is_the_same_as_one_by_one(model: MiniLM) -> None:
    together = model.embed(MIXED)
    for text, row in zip(MIXED, together, strict=True):
        assert np.abs(model.embed([text])[0] - row).max() < 1e-4
    short = MIXED[:3] * 40  # several batches of them
    assert np.abs(model.embed(short) - np.tile(together[:3], (40, 1))).max() < 1e-4


# Against the real weights


@pytest.mark.weights
def test_real_similarities_match_the_published_ones(real: MiniLM) -> None:
    rows = real.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    assert (rows @ rows.T).ravel() == pytest.approx([1, 0.6660, 0.1046, 0.6660, 1, 0.1411, 0.1046, 0.1411, 1], abs=1e-3)


# As an embedder


@pytest.mark.anyio
@pytest.mark.parametrize("spoil", ["cut", "vocabulary"])
async def test_damaged_weights_are_reported_in_one_line(folder: Path, tmp_path: Path, spoil: str) -> None:
    data = (folder / "model.safetensors").read_bytes()
    vocabulary = (folder / "vocab.txt").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(data[: len(data) // 2] if spoil == "cut" else data)
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe" if spoil == "vocabulary" else vocabulary)
    with pytest.raises(ModelError, match="damaged") as caught:
        await MiniLMEmbedder(tmp_path).embed(["sea"])
    assert "readagent model pull" in caught.value.hint


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
def real_reader() -> Reader:
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
def test_it_finds_answers_and_knows_where_there_is_none(real_reader: Reader) -> None:
    asked = ("Who built the bridge?", "What is the capital of France?")
    built, capital = (real_reader.find(question, [BRIDGE])[0] for question in asked)
    assert BRIDGE[built.start : built.end] == "Tomas Brandt"
    (driver,) = real_reader.find("Who was driving the car that killed Myrtle?", [CAR])
    assert CAR[driver.start : driver.end] == "Daisy"
    assert min(built.answered, driver.answered) > 2
    assert capital.answered < -2


@pytest.mark.weights
def test_it_computes_what_the_trained_network_computes(real_reader: Reader) -> None:
    """The numbers are those of ``training/network.py`` for the adapter in the package."""
    asked = (("Who built the bridge?", BRIDGE), ("Who was driving the car that killed Myrtle?", CAR))
    found = [real_reader.find(question, [passage])[0].answered for question, passage in asked]
    assert found == pytest.approx([4.972925, 6.306837], abs=1e-3)
    right = [real_reader.judge(question, [""], [passage])[0, 0] for question, passage in asked]
    assert right == pytest.approx([-5.521680, -3.846069], abs=1e-3)
