"""A recorded run can be replayed, and the file contains no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.core.form import Choice
from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage
from readagent.errors import ServerFaultError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.testing import LoopbackServer, Recorder, Replay, ScriptedModel
from readagent.testing.scripted import ScriptedReply

pytestmark = pytest.mark.anyio


async def test_recorded_replies_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script: list[ScriptedReply] = [
        Reply("gïst \ud83d", "length", Usage(3, 4, 1, None)),
        ServerFaultError("x"),
        "yes",
        "no",
    ]
    recorder = Recorder(ScriptedModel(script, name="some model"), path)
    merge = Ask("merge", "two\npassages", Choice(("yes", "no")))
    first = await recorder.complete(Ask("gist", "a passage"))
    with pytest.raises(ServerFaultError):
        await recorder.complete(merge)
    for _ in range(2):
        await recorder.complete(merge)
    replay = Replay(path)
    assert replay.name == "some model"
    again = await replay.complete(Ask("gist", "a passage"))
    assert (again.text, again.finish, again.usage, again.paid) == ("gïst ?", first.finish, first.usage, False)
    assert [(await replay.complete(merge)).text for _ in range(3)] == ["yes", "no", "no"]
    with pytest.raises(UsageError, match="no reply to this look_up"):
        await replay.complete(Ask("look_up", "never asked"))


async def test_the_file_contains_no_key(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    async with LoopbackServer(key="sk-secret") as server:
        endpoint = Endpoint(server.base_url, "skimmer", key="sk-secret")
        await Recorder(endpoint, path).complete(Ask("gist", "A passage. Of two sentences."))
        await endpoint.aclose()
    assert b"A passage" in path.read_bytes()
    assert b"secret" not in path.read_bytes()
