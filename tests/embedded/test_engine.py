"""Running a GGUF model: it answers like any server, makes legal decisions, and leaves no process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from embedded.files import make_gguf
from needs import real_weights
from readagent.cli import run
from readagent.connection import Connection
from readagent.core.form import Choice
from readagent.core.model import Ask, Reply
from readagent.embedded.engine import Engine, EngineEndpoint
from readagent.errors import LoadError, ReadAgentError, UnauthorizedError, UsageError
from readagent.library import Library
from readagent.models.cache import ask_key
from readagent.models.endpoint import Endpoint
from readagent.settings import load_settings

pytestmark = pytest.mark.anyio

LINES = """The key to the boathouse hangs behind the stove.

Ann went out into the rain.

Bertram waited until her lamp was gone.

Then he took the key and the map.

At the boathouse the door stood open.

The boat was gone."""


@pytest.fixture
def weights() -> Path:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    return real_weights("smollm2") / "model.gguf"


@pytest.fixture
async def engine(weights: Path) -> AsyncIterator[Engine]:
    async with Engine(weights, window=2048) as engine:
        yield engine


@pytest.mark.weights
async def test_it_answers_and_streams_like_any_server(engine: Engine) -> None:
    endpoint = await engine.endpoint()
    heard: list[str] = []
    asked = "The key to the boathouse hangs behind the stove. Where is the key? Answer shortly."
    reply = await endpoint.complete(Ask("respond", asked, listen=heard.append))
    assert "stove" in reply.text
    assert "".join(heard) == reply.text
    assert len(heard) > 1
    assert reply.usage.cost == 0
    assert await endpoint.window() == engine.window == 2048
    assert await endpoint.lists_model()
    await endpoint.aclose()


@pytest.mark.weights
async def test_requests_without_the_key_are_rejected(engine: Engine) -> None:
    base_url = await engine.start()
    assert base_url.startswith("http://127.0.0.1:")
    for key in (None, "wrong"):
        other = Endpoint(base_url, "model", key=key)
        with pytest.raises(UnauthorizedError):
            await other.complete(Ask("respond", "Let me in."))
        await other.aclose()


@pytest.mark.weights
async def test_a_second_run_uses_the_cache_although_the_port_differs(weights: Path, tmp_path: Path) -> None:
    settings = load_settings({"model": str(weights), "window": 1024})
    known, new = (Ask("merge", f"Is {what} wet?", Choice(("yes", "no"))) for what in ("water", "sand"))
    addresses, names = set(), set()
    for asks, paid in ([known], [True]), ([known, new], [False, True]):
        with Library(tmp_path / "library.db") as library:
            connection = Connection(settings, library)
            model = await connection.model()
            assert isinstance(connection._endpoint, EngineEndpoint)
            assert [(await model.complete(ask)).paid for ask in asks] == paid
            addresses.add(connection._endpoint.base_url)
            names.add(model.name)
            await connection.aclose()
    assert len(addresses) == 2
    assert len(names) == 1
    assert "127.0.0.1" not in names.pop()


async def test_nothing_is_loaded_if_every_reply_is_cached(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    settings = load_settings({"model": str(make_gguf(tmp_path / "hollow.gguf"))})
    ask = Ask("merge", "Is water wet?", Choice(("yes", "no")))
    with Library(tmp_path / "library.db") as library:
        connection = Connection(settings, library)
        model = await connection.model()
        library.put(ask_key(model.name, ask), model.name, ask, Reply("yes"))
        assert (await model.complete(ask)).text == "yes"
        with pytest.raises(LoadError, match="could not run"):
            await model.complete(Ask("merge", "Is sand wet?"))
        await connection.aclose()


@pytest.mark.weights
async def test_closing_aborts_open_requests_and_leaves_no_thread(weights: Path) -> None:
    before = set(threading.enumerate())
    engine = Engine(weights, window=1024)
    endpoint = await engine.endpoint()
    began = asyncio.Event()
    story = asyncio.create_task(endpoint.complete(Ask("respond", "Tell a long story.", listen=lambda _: began.set())))
    await began.wait()
    await engine.aclose()
    with pytest.raises(ReadAgentError):
        await story
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()
    assert (await endpoint.complete(Ask("merge", "Is water wet?", Choice(("yes", "no"))))).text, "it starts again"
    await engine.aclose()


_PROGRAM = """
import asyncio, sys
import psutil
from readagent.core.model import Ask
from readagent.embedded.engine import Engine

async def main(path, until):
    engine = Engine(path, window=1024)
    loading = asyncio.create_task(engine.start())
    while until == "loading" and not psutil.Process().children():
        await asyncio.sleep(0.001)
    if until == "loading":
        print("loading", flush=True)
        await asyncio.sleep(600)
    endpoint = await engine.endpoint()
    began = asyncio.Event()
    story = asyncio.create_task(endpoint.complete(Ask("respond", "Tell a long story.", listen=lambda _: began.set())))
    await began.wait()
    print("busy", flush=True)
    if until == "killed":
        await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("until", ["loading", "killed"])
@pytest.mark.weights
def test_killing_the_process_ends_the_model_too(weights: Path, until: str) -> None:
    line = [sys.executable, "-c", _PROGRAM, str(weights), until]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() in ("loading\n", "busy\n")
        begun = psutil.Process(process.pid).children()
        assert len(begun) == 1
        process.kill()
    assert not psutil.wait_procs(begun, timeout=60)[1]


@pytest.mark.weights
async def test_weights_that_cannot_be_loaded_give_one_clear_error(
    weights: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.gguf"
    with weights.open("rb") as file:
        cut.write_bytes(file.read(20_000_000))
    for file_name in (cut, make_gguf(tmp_path / "hollow.gguf")):
        engine = Engine(file_name)
        for _ in range(2):
            with pytest.raises(LoadError, match="could not run") as caught:
                await engine.start()
            assert "download it again" in caught.value.hint
    assert capfd.readouterr() == ("", "")


async def test_a_missing_package_gives_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(UsageError, match="needs xllamacpp, which is not installed") as caught:
        await Engine(make_gguf(tmp_path / "tiny.gguf")).start()
    assert "[local]" in caught.value.hint
    assert "`base_url`" in caught.value.hint


@pytest.mark.weights
async def test_a_model_that_crashed_is_started_again(weights: Path) -> None:
    connection = Connection(load_settings({"model": str(weights), "window": 1024}), Library.in_memory())
    model = await connection.model()
    others = psutil.Process().children()  # such as a server that other tests share
    for asked in ("Is water wet?", "Is sand wet?"):
        reply = await model.complete(Ask("merge", asked, Choice(("yes", "no"))))
        assert reply.paid
        begun = [process for process in psutil.Process().children() if process not in others]
        assert begun
        for process in begun:
            process.kill()
    await connection.aclose()


def test_a_bad_file_on_the_command_line_gives_one_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "story.txt").write_text(LINES)
    (tmp_path / "text.gguf").write_text(LINES)
    for name, message in (("none.gguf", "no such file"), ("text.gguf", "is not a GGUF file")):
        assert run(["read", str(tmp_path / "story.txt"), "--model", str(tmp_path / name)]) == 1
        error = capsys.readouterr().err.splitlines()
        assert error[0].startswith("error: ")
        assert message in error[0]
        assert error[1].startswith("hint: ")
        assert len(error) == 2


@pytest.mark.weights
@pytest.mark.release
def test_a_story_is_read_and_asked_about_on_the_command_line(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(LINES)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "readagent", *arguments, "--model", str(weights), "--window", "2048"]
        return subprocess.run(line, cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False)

    read = command("read", "story.txt", "--page-words", "25", "--min-page-words", "8", "--json")
    assert read.returncode == 0
    assert all(line.startswith("reading ") for line in read.stderr.splitlines())  # progress, if the machine is slow
    told = json.loads(read.stdout)
    assert (told["calls"].keys(), told["fallbacks"]) == ({"paginate"}, [])  # pages so short are their own gists
    # a model so small keeps a form only where the server constrains its reply, as for a choice
    question = ("ask", "story.txt", "Where is the key?", "--choice", "In the boat", "--choice", "Behind the stove")
    asked = command(*question, "--no-quotes", "--json")
    assert (asked.returncode, asked.stderr) == (0, "")
    answer = json.loads(asked.stdout)
    assert answer["answer"]
    assert answer["fallbacks"] == []
    again = command(*question, "--no-quotes", "--json")
    assert json.loads(again.stdout)["answer"] == answer["answer"]
