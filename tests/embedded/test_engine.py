"""A GGUF model on this computer: it answers as any server does, decides legally, scores, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from embedded.files import make_gguf
from embedded.small import real_weights
from readagent.cli import run
from readagent.connection import connect
from readagent.core.choice import Choice
from readagent.core.model import Ask, Reply
from readagent.embedded.engine import Engine, EngineEndpoint
from readagent.embedded.scoring import likelihood
from readagent.errors import ContextOverflowError, LoadError, ReadAgentError, UnauthorizedError, UsageError
from readagent.library import Library
from readagent.models.cache import ask_key
from readagent.models.endpoint import Endpoint
from readagent.settings import load_settings

pytestmark = pytest.mark.anyio

STORY = """The key to the boathouse hangs behind the stove, said Ann, and she went out into the rain.

Bertram waited until her lamp had gone down the hill. Then he took the key and the old map and a loaf of bread.

At the boathouse the door stood open already. Somebody had been there before him, and the boat was gone."""


@pytest.fixture
def weights() -> Path:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    return real_weights("smollm2") / "model.gguf"


@pytest.fixture
async def engine(weights: Path) -> AsyncIterator[Engine]:
    async with Engine(weights, window=2048) as engine:
        yield engine


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


@pytest.mark.slow
async def test_the_beginning_that_prompts_share_is_read_once(engine: Engine) -> None:
    endpoint = await engine.endpoint()
    choice = Choice(("yes", "no"))
    first = await endpoint.complete(Ask("merge", f"{STORY}\n\nIs it raining?", choice))
    again = await endpoint.complete(Ask("merge", f"{STORY}\n\nIs the boat there?", choice))
    assert first.usage.cached_tokens < 40 < 70 < again.usage.cached_tokens
    await endpoint.aclose()


async def test_only_who_has_the_key_may_ask(engine: Engine) -> None:
    base_url = await engine.start()
    assert base_url.startswith("http://127.0.0.1:")
    for key in (None, "wrong"):
        stranger = Endpoint(base_url, "model", key=key)
        with pytest.raises(UnauthorizedError):
            await stranger.complete(Ask("respond", "Let me in."))
        await stranger.aclose()


@pytest.mark.slow
async def test_every_decision_is_legal(engine: Engine) -> None:
    endpoint = await engine.endpoint()
    numbers = tuple(str(n) for n in range(3, 31))
    choices = (
        Choice(numbers, cues=("break point",)),
        Choice(numbers, 0, 3, cues=("page",)),
        Choice(numbers, 2, 4, cues=("page",)),
        Choice(("yes", "no", "not sure")),
        Choice((*numbers, "STOP")),
        Choice(("A", "B"), texts=("the boat", "the map")),
    )
    for choice in choices:
        for prompt in ("Say <think>hm</think> and a poem.", f"{STORY}\n\nReply with 99 or with nothing."):
            reply = await endpoint.complete(Ask("look_up", prompt, choice))
            named = json.loads(reply.text)["answer"]
            named = [named] if choice.single else named
            assert choice.least <= len(named) <= choice.most
            assert set(named) <= set(choice.values)
            assert set(choice.parse(reply.text) or ()) == set(named)
    assert endpoint.facts.constrain == "schema"
    await endpoint.aclose()


@pytest.mark.slow
async def test_an_engine_that_ends_does_not_disturb_another(weights: Path) -> None:
    async with Engine(weights, window=1024) as stays:
        endpoint = await stays.endpoint()
        began = asyncio.Event()
        story = asyncio.create_task(endpoint.complete(Ask("respond", "Name three seas.", listen=lambda _: began.set())))
        async with Engine(weights, window=1024) as goes:
            await goes.start()
            await began.wait()
        assert (await story).text
        await endpoint.aclose()


@pytest.mark.slow
async def test_each_of_two_requests_has_the_whole_window(weights: Path) -> None:
    words = " ".join(str(n) for n in range(60))
    async with Engine(weights, window=512, parallel=2) as engine:
        endpoint = await engine.endpoint()
        choice = Choice(("yes", "no"))
        asks = [Ask("merge", f"{i} {words * 2} Is this long?", choice) for i in range(2)]
        replies = await asyncio.gather(*map(endpoint.complete, asks))
        assert all(300 < reply.usage.prompt_tokens < 512 for reply in replies)
        with pytest.raises(ContextOverflowError) as caught:
            await endpoint.complete(Ask("merge", words * 4, choice))
        assert caught.value.window == 512
        await endpoint.aclose()


async def test_a_second_run_pays_nothing_although_the_port_is_another(weights: Path, tmp_path: Path) -> None:
    settings = load_settings({"model": str(weights), "window": 1024})
    known, new = (Ask("merge", f"Is {what} wet?", Choice(("yes", "no"))) for what in ("water", "sand"))
    addresses, names = set(), set()
    for asks, paid in ([known], [True]), ([known, new], [False, True]):
        with Library(tmp_path / "library.db") as library:
            connection = await connect(settings, library)
            assert isinstance(connection.endpoint, EngineEndpoint)
            assert [(await connection.model.complete(ask)).paid for ask in asks] == paid
            addresses.add(connection.endpoint.base_url)
            names.add(connection.model.name)
            await connection.aclose()
    assert len(addresses) == 2
    assert len(names) == 1
    assert "127.0.0.1" not in names.pop()


async def test_where_every_reply_is_known_nothing_is_loaded(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    settings = load_settings({"model": str(make_gguf(tmp_path / "hollow.gguf"))})
    ask = Ask("merge", "Is water wet?", Choice(("yes", "no")))
    with Library(tmp_path / "library.db") as library:
        connection = await connect(settings, library)
        library.put(ask_key(connection.model.name, ask), connection.model.name, ask, Reply("yes"))
        assert (await connection.model.complete(ask)).text == "yes"
        with pytest.raises(LoadError, match="cannot be run"):
            await connection.model.complete(Ask("merge", "Is sand wet?"))
        await connection.aclose()


async def test_closing_breaks_off_what_is_under_way_and_leaves_no_thread(weights: Path) -> None:
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


async def test_whoever_gives_up_waiting_does_not_keep_others_from_it(weights: Path) -> None:
    async with Engine(weights, window=1024) as engine:
        hasty = asyncio.create_task(engine.start())
        await asyncio.sleep(0)
        hasty.cancel()
        assert await engine.start() == await engine.start()


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


def test_a_process_that_ends_in_the_middle_of_a_reply_ends_well_and_in_silence(weights: Path) -> None:
    line = [sys.executable, "-c", _PROGRAM, str(weights), "ended"]
    ended = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "busy\n", "")


@pytest.mark.parametrize("until", ["loading", "killed"])
def test_a_process_that_is_killed_takes_the_model_with_it(weights: Path, until: str) -> None:
    line = [sys.executable, "-c", _PROGRAM, str(weights), until]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() in ("loading\n", "busy\n")
        begun = psutil.Process(process.pid).children()
        assert len(begun) == 1
        process.kill()
    assert not psutil.wait_procs(begun, timeout=60)[1]


async def test_weights_that_llama_cpp_cannot_load_get_one_clear_line(
    weights: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.gguf"
    with weights.open("rb") as file:
        cut.write_bytes(file.read(20_000_000))
    for file_name in (cut, make_gguf(tmp_path / "hollow.gguf")):
        engine = Engine(file_name)
        for _ in range(2):
            with pytest.raises(LoadError, match="cannot be run") as caught:
                await engine.start()
            assert "download it once more" in caught.value.hint
    assert capfd.readouterr() == ("", "")


async def test_too_little_memory_is_told_before_anything_is_loaded(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readagent.embedded.engine.available_memory", lambda: 200_000_000)
    with pytest.raises(UsageError, match=r"needs 0\.\d GB of memory, and 0\.2 GB are free"):
        await Engine(weights).start()


async def test_a_missing_package_is_told_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(UsageError, match="needs xllamacpp, which is not installed") as caught:
        await Engine(make_gguf(tmp_path / "tiny.gguf")).start()
    assert "readagent[local]" in caught.value.hint
    assert "--base-url" in caught.value.hint


async def test_a_package_that_does_not_work_here_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('GLIBC_2.99 not found')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"cannot be used on this computer: GLIBC_2\.99 not found") as caught:
        await Engine(make_gguf(tmp_path / "tiny.gguf")).start()
    assert "--base-url" in caught.value.hint


async def test_a_model_that_breaks_down_is_started_again(weights: Path) -> None:
    connection = await connect(load_settings({"model": str(weights), "window": 1024}), None)
    for asked in ("Is water wet?", "Is sand wet?"):
        reply = await connection.model.complete(Ask("merge", asked, Choice(("yes", "no"))))
        assert reply.paid
        for process in psutil.Process().children():
            process.kill()
    await connection.aclose()


def test_a_bad_file_on_the_command_line_gets_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    (tmp_path / "text.gguf").write_text(STORY)
    for name, told in (("none.gguf", "there is no file"), ("text.gguf", "is not a GGUF file")):
        assert run(["read", str(tmp_path / "story.txt"), "--model", str(tmp_path / name)]) == 1
        error = capsys.readouterr().err.splitlines()
        assert error[0].startswith("error: ")
        assert told in error[0]
        assert error[1].startswith("hint: ")
        assert len(error) == 2


async def test_the_likelier_continuation_scores_higher(engine: Engine) -> None:
    for prompt, likely, odd in (
        ("The capital of France is", " Paris.", " a spoon."),
        ("She opened the door and went", " inside.", " potato."),
        ("One, two, three, four,", " five, six", " green, hat"),
    ):
        right, wrong = await likelihood(engine, prompt, [likely, odd])
        assert wrong < right < 0
    talk = await likelihood(engine, "What is the capital of France?", ["Paris", "Wednesday"], chat=True)
    assert talk[0] > talk[1]


async def test_scores_are_the_models_own_probabilities(engine: Engine) -> None:
    prompt = "The capital of France is"
    tokens = (await engine.post("//tokenize", {"content": prompt}))["tokens"]
    asked = {"prompt": tokens, "n_predict": 1, "n_probs": 8, "temperature": 0.0}
    told = (await engine.post("//completion", asked))["completion_probabilities"][0]["top_logprobs"]
    scores = await likelihood(engine, prompt, [one["token"] for one in told])
    assert scores == pytest.approx([one["logprob"] for one in told], abs=0.01)
    assert 0.5 < sum(map(math.exp, scores)) <= 1.001


async def test_the_score_of_several_tokens_is_their_mean(engine: Engine) -> None:
    both = (await likelihood(engine, "Once upon a", [" time there"]))[0]
    first = (await likelihood(engine, "Once upon a", [" time"]))[0]
    second = (await likelihood(engine, "Once upon a time", [" there"]))[0]
    assert both == pytest.approx((first + second) / 2, abs=0.05)


async def test_scoring_can_be_cancelled_and_done_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await likelihood(engine, STORY, [" The end."])
    under_way = asyncio.Event()
    post = engine.post

    async def watched(path: str, value: Any) -> Any:
        if path == "//completion":
            asyncio.get_running_loop().call_soon(under_way.set)
        return await post(path, value)

    with monkeypatch.context() as patched:
        patched.setattr(engine, "post", watched)
        task = asyncio.create_task(likelihood(engine, STORY, [" And so it was told ever after."]))
        await under_way.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await likelihood(engine, STORY, [" The end."]) == pytest.approx(before, abs=0.05)


async def test_nothing_has_no_likelihood(engine: Engine) -> None:
    with pytest.raises(UsageError, match="empty"):
        await likelihood(engine, "Once", [""])
    assert await likelihood(engine, "Once", []) == []


@pytest.mark.slow
def test_a_story_is_read_and_asked_about_on_the_command_line(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "readagent", *arguments, "--model", str(weights), "--window", "2048"]
        return subprocess.run(line, cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False)

    read = command("read", "story.txt", "--page-words", "40", "--json")
    assert (read.returncode, read.stderr) == (0, "")
    asked = command("ask", "story.txt", "Where does the key hang?", "--no-quotes", "--json")
    assert (asked.returncode, asked.stderr) == (0, "")
    answer = json.loads(asked.stdout)
    assert answer["answer"]
    assert not {"paginate", "look_up"} & {fallback["step"] for fallback in answer["fallbacks"]}
    again = command("ask", "story.txt", "Where does the key hang?", "--no-quotes", "--json")
    assert json.loads(again.stdout)["answer"] == answer["answer"]
