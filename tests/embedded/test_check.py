"""`model check` of the offline reader: what it reports about the language model."""

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


async def language_model(monkeypatch: pytest.MonkeyPatch, home: Path, state: State, ask: checking.AskModel) -> Part:
    monkeypatch.setattr(checking, "verify", lambda home: {"minilm": "absent", "smollm2": state})
    return (await check(home, ask))[-1]


async def ready(place: Path) -> str:
    return "Tomas Brandt."


async def never(place: Path) -> str:
    await asyncio.get_running_loop().create_future()
    return ""


async def test_answers_are_quotes_only_if_the_language_model_cannot_run(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = await language_model(monkeypatch, own_home, "absent", ready)
    assert (part.name, part.works) == ("language model", False)
    assert part.detail == "cannot run without its weights; answers are quotes only"
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, name != "xllamacpp", "not installed"))
    part = await language_model(monkeypatch, own_home, "ready", ready)
    assert part.detail == "cannot run without xllamacpp; answers are quotes only"


async def test_the_report_has_the_answer_and_the_seconds(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await language_model(monkeypatch, own_home, "ready", ready)
    assert part.works
    assert part.detail == "answers: Tomas Brandt."
    assert part.seconds is not None
    assert part.seconds >= 0


async def test_an_engine_that_never_answers_times_out(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_TIMEOUT", 0.0)
    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await language_model(monkeypatch, own_home, "ready", never)
    assert not part.works
    assert part.detail.startswith("no answer within")
    assert part.hint


@pytest.mark.weights
async def test_the_real_language_model_answers_the_question() -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    assert "Tomas Brandt" in await small_question(real_weights("smollm2"))


async def test_a_file_that_is_no_model_is_reported_in_one_line(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(place: Path) -> str:
        (tmp_path / "model.gguf").write_bytes(b"GGUF")
        return await small_question(tmp_path)

    monkeypatch.setattr(checking, "_package", lambda name: Part(name, True, "1.0"))
    part = await language_model(monkeypatch, own_home, "ready", ask)
    assert not part.works
    assert "\n" not in part.detail
    assert str(tmp_path) in part.detail
    assert part.hint
