"""The offline reader as users see it: with all of its weights, with some, with none."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from needs import real_weights
from readagent.cli import run
from readagent.embedded.local import local_model
from readagent.errors import UsageError
from readagent.library import Library

TEXT = """The Ferry at Orr

The ferry at Orr was built in 1911 by Tomas Brandt, who had never seen the sea. It carried forty people and six carts.

His daughter Ilse kept the accounts in a green book, and the green book says that the ferry never once made a profit.

In the flood of 1934 the cable broke. Ilse rowed out alone and brought back all eleven passengers, two at a time.

The bridge came in 1962, and the ferry was sold to a hotel, which keeps geraniums in it.
"""


@pytest.fixture
def home(own_home: Path) -> Path:
    (own_home / "models").mkdir()
    (own_home / "models" / "minilm").symlink_to(real_weights("minilm"))
    return own_home


@pytest.fixture
def ferry(tmp_path: Path) -> str:
    path = tmp_path / "ferry.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


def test_without_weights_the_error_names_their_size_and_the_command(own_home: Path) -> None:
    with pytest.raises(UsageError, match="weights of the offline reader are not installed") as error:
        local_model(own_home, Library.in_memory())
    assert "readagent model pull" in error.value.hint
    assert "91 MB" in error.value.hint


@pytest.mark.weights
def test_without_the_extra_the_error_says_how_to_install_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr("readagent.embedded.local.find_spec", lambda name: None if name == "numpy" else known(name))
    with pytest.raises(UsageError, match="numpy") as error:
        local_model(home, Library.in_memory())
    assert "with the extra local" in error.value.hint


@pytest.mark.weights
def test_pauses_by_likelihood_need_the_language_model(home: Path, ferry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="need the language model smollm2") as error:
        local_model(home, Library.in_memory(), by_likelihood=True)
    assert "readagent model check" in error.value.hint
    monkeypatch.setenv("READAGENT_PAUSES_BY", "likelihood")
    assert run(["read", ferry]) == 1


def test_an_unknown_way_to_pause_is_rejected_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("READAGENT_PAUSES_BY", "magic")
    assert run(["list"]) == 1
    assert "must be meaning or likelihood, not 'magic'" in capsys.readouterr().err


@pytest.mark.weights
def test_without_the_language_model_it_answers_in_quotes(
    home: Path, ferry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["read", ferry, "--page-words", "40", "--min-page-words", "10"]) == 0
    assert run(["ask", ferry, "Who built the ferry?", "--json"]) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out.splitlines()[-1])
    assert "Tomas Brandt" in answer["answer"]
    assert answer["quotes"][0]["page"] == 0
    assert answer["verified"]
    assert answer["fallbacks"] == []
    assert "small offline reader" in shown.err


@pytest.mark.weights
def test_reading_and_asking_again_costs_nothing(home: Path, ferry: str, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run(["read", ferry, "--json", "--page-words", "40", "--min-page-words", "10"]) == 0
        assert run(["ask", ferry, "What happened in 1934?", "--json"]) == 0
    *_, read_again, asked_again = map(json.loads, capsys.readouterr().out.splitlines())
    assert read_again["calls"] == {}
    assert asked_again["paid"]["prompt_tokens"] == 0
    assert "cable broke" in asked_again["answer"]


@pytest.mark.weights
def test_reading_with_pauses_by_likelihood(
    home: Path, ferry: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    (home / "models" / "smollm2").symlink_to(real_weights("smollm2"))
    monkeypatch.setenv("READAGENT_PAUSES_BY", "likelihood")
    assert run(["read", ferry, "--page-words", "40", "--min-page-words", "10", "--json"]) == 0
    read = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert read["pages"] >= 2
    assert read["fallbacks"] == []


@pytest.mark.weights
def test_with_the_language_model_it_writes_answers_and_scores_options(
    home: Path, ferry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    (home / "models" / "smollm2").symlink_to(real_weights("smollm2"))
    assert run(["ask", ferry, "What colour was the book of accounts?", "--json"]) == 0
    assert run(["ask", ferry, "Who built the ferry?", "-o", "a hotel", "-o", "Tomas Brandt", "--json"]) == 0
    free, choice = map(json.loads, capsys.readouterr().out.splitlines())
    assert "green" in " ".join([free["answer"], *(quote["text"] for quote in free["quotes"])]).lower()
    assert free["verified"]
    assert choice["choice"] in ("A", "B")
    assert free["fallbacks"] == choice["fallbacks"] == []
