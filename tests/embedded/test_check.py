"""`model check` of the offline reader: what it reports about its parts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from embedded.small import make_weights
from needs import real_weights
from readagent.embedded import check as checking
from readagent.embedded.check import Part, check
from readagent.embedded.weights import folder

pytestmark = pytest.mark.anyio


async def parts(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Part]:
    monkeypatch.setattr(checking, "verify", lambda home: {"minilm": "ready"})
    return {part.name: part for part in await check(home)}


async def test_without_weights_nothing_is_loaded(own_home: Path) -> None:
    found = {part.name: part for part in await check(own_home)}
    assert not found["minilm weights"].works
    assert "readagent model pull" in found["minilm weights"].hint
    assert "reader" not in found


async def test_weights_that_cannot_be_loaded_are_reported_in_one_line(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_weights(folder(own_home, "minilm"))
    (folder(own_home, "minilm") / "model.safetensors").write_bytes(b"no tensors")
    found = await parts(own_home, monkeypatch)
    assert not found["reader"].works
    assert "are damaged" in found["reader"].detail
    assert "readagent model pull" in found["reader"].hint


async def test_a_reader_that_finds_another_answer_does_not_work(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_weights(folder(own_home, "minilm"))  # random ones
    monkeypatch.setattr(checking, "_ANSWER", "nobody")
    found = await parts(own_home, monkeypatch)
    assert not found["reader"].works
    assert found["reader"].detail.startswith("answers: ")
    assert found["reader"].hint


@pytest.mark.weights
async def test_the_real_reader_finds_the_answer(own_home: Path) -> None:
    (own_home / "models").mkdir()
    (own_home / "models" / "minilm").symlink_to(real_weights("minilm"))
    found = {part.name: part for part in await check(own_home)}
    assert all(part.works for part in found.values())
    assert found["reader"].detail == "answers: Tomas Brandt"
    assert found["reader"].seconds is not None
