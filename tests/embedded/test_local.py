"""The offline reader as users see it: extracts and options, and what it says without its weights."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from embedded.small import make_weights
from needs import real_weights
from readagent.cli import offline, run
from readagent.embedded import check as checking
from readagent.embedded.check import Part, check
from readagent.embedded.local import local_model
from readagent.embedded.weights import folder
from readagent.errors import UsageError
from readagent.library import Library
from readagent.settings import load_settings

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
    monkeypatch.setattr("readagent.embedded.weights.find_spec", lambda name: None if name == "numpy" else known(name))
    with pytest.raises(UsageError, match="numpy") as error:
        local_model(home, Library.in_memory())
    assert "[local]" in error.value.hint


@pytest.mark.weights
def test_a_free_question_is_answered_by_an_extract(home: Path, ferry: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", ferry, "--page-words", "40", "--min-page-words", "10"]) == 0
    capsys.readouterr()
    assert run(["ask", ferry, "Who built the ferry?"]) == 0
    assert "%" not in capsys.readouterr().out
    assert run(["ask", ferry, "Who built the ferry?", "--json"]) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out.splitlines()[-1])
    assert answer["answer"] == "Tomas Brandt"
    start, end = answer["extract"]
    assert TEXT[start:end] == "Tomas Brandt"
    assert answer["certainty"] > 0.5
    assert answer["offline_reader"] is True
    assert answer["quotes"][0]["page"] == 0
    assert answer["fallbacks"] == []


@pytest.mark.weights
def test_options_are_judged_with_a_certainty_and_claims_need_a_model(
    home: Path, ferry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", ferry, "Who built the ferry?", "-c", "a hotel", "-c", "Tomas Brandt", "--json"]) == 0
    choice = json.loads(capsys.readouterr().out)
    assert choice["choice"] in ("A", "B")
    assert 0 < choice["certainty"] <= 1
    assert choice["fallbacks"] == []
    assert run(["ask", ferry, "The cable broke in the flood of 1934.", "--claim"]) != 0
    assert "judging a claim needs a model" in capsys.readouterr().err


@pytest.mark.parametrize(("room", "offered"), [(2 << 30, False), (16 << 30, True)])
def test_a_model_for_this_computer_is_offered_once_and_only_where_there_is_memory(
    own_home: Path, room: int, offered: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(offline, "available_memory", lambda: room)
    with Library(own_home) as library:
        offline.report_local(load_settings({}), library)
        said = capsys.readouterr().err
        offline.report_local(load_settings({}), library)
    assert ("For answers in words: readagent model pull qwen (1,117 MB)" in said) == offered
    assert len(said) <= 2 * 80
    assert capsys.readouterr().err == ""


@pytest.mark.weights
def test_what_the_text_does_not_say_is_not_found(home: Path, ferry: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", ferry, "What was the name of the hotel's owner's cat?", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["answer"] in ("Not found.", "No short answer.")
    assert not answer["found_in_text"]
    assert answer["certainty"] is answer["extract"] is None
    assert answer["quotes"]


async def parts(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Part]:
    monkeypatch.setattr(checking, "verify", lambda home: {"minilm": "ready"})
    return {part.name: part for part in await check(home)}


@pytest.mark.anyio
async def test_without_weights_nothing_is_loaded(own_home: Path) -> None:
    found = {part.name: part for part in await check(own_home)}
    assert not found["minilm weights"].works
    assert "readagent model pull" in found["minilm weights"].hint
    assert "reader" not in found


@pytest.mark.anyio
async def test_weights_that_cannot_be_loaded_are_reported_in_one_line(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_weights(folder(own_home, "minilm"))
    (folder(own_home, "minilm") / "model.safetensors").write_bytes(b"no tensors")
    found = await parts(own_home, monkeypatch)
    assert not found["reader"].works
    assert "are damaged" in found["reader"].detail
    assert "readagent model pull" in found["reader"].hint


@pytest.mark.anyio
async def test_a_reader_that_finds_another_answer_does_not_work(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_weights(folder(own_home, "minilm"))  # random ones
    monkeypatch.setattr(checking, "_ANSWER", "nobody")
    found = await parts(own_home, monkeypatch)
    assert not found["reader"].works
    assert found["reader"].detail.startswith("answers: ")
    assert found["reader"].hint


@pytest.mark.anyio
@pytest.mark.weights
async def test_the_real_reader_finds_the_answer(home: Path) -> None:
    found = {part.name: part for part in await check(home)}
    assert all(part.works for part in found.values())
    assert found["reader"].detail == "answers: Tomas Brandt"
    assert found["reader"].seconds is not None
