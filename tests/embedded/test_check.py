"""`model check` of the offline reader: what it says of its language model, and how long that took."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from needs import real_weights
from readagent.embedded import check as checking
from readagent.embedded.check import Part, check, small_question
from readagent.embedded.weights import State

pytestmark = pytest.mark.anyio


async def spoken(monkeypatch: pytest.MonkeyPatch, home: Path, state: State, speak: checking.Speak) -> Part:
    monkeypatch.setattr(checking, "verify", lambda home: {"minilm": "absent", "smollm2": state})
    return (await check(home, speak))[-1]


async def ready(place: Path) -> str:
    return "Tomas Brandt."


async def never(place: Path) -> str:
    await asyncio.get_running_loop().create_future()
    return ""


async def test_it_says_that_answers_are_quotes_where_the_language_model_cannot_run(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = await spoken(monkeypatch, own_home, "absent", ready)
    assert (part.name, part.works) == ("language model", False)
    assert part.told == "cannot run without its weights; until then answers are quotes alone"
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, name != "xllamacpp", "not installed"))
    part = await spoken(monkeypatch, own_home, "ready", ready)
    assert part.told == "cannot run without xllamacpp; until then answers are quotes alone"


async def test_it_tells_the_answer_and_the_seconds(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await spoken(monkeypatch, own_home, "ready", ready)
    assert part.works
    assert part.told == "answers: Tomas Brandt."
    assert part.seconds is not None
    assert part.seconds >= 0


async def test_an_engine_that_never_answers_is_not_waited_for(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_PATIENCE", 0.0)
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await spoken(monkeypatch, own_home, "ready", never)
    assert not part.works
    assert part.told.startswith("no answer within")
    assert part.hint


@pytest.mark.weights
async def test_the_real_language_model_answers_the_small_question() -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    assert "Tomas Brandt" in await small_question(real_weights("smollm2"))


async def test_a_file_that_is_no_model_is_told_in_one_line(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def speak(place: Path) -> str:
        (tmp_path / "model.gguf").write_bytes(b"GGUF")
        return await small_question(tmp_path)

    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await spoken(monkeypatch, own_home, "ready", speak)
    assert not part.works
    assert "\n" not in part.told
    assert str(tmp_path) in part.told
    assert part.hint
