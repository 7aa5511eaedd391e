"""What somebody new sees on a terminal of 60 columns: `readagent` alone, `setup` and `chat`, as golden files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from cli.console import Console
from cli.terminal import Terminal
from cli.test_golden_screens import ONE_AT_A_TIME, stable
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow

NOWHERE = "http://127.0.0.1:9/v1"
READY = """
import readagent.finding, readagent.embedded.check as embedded
async def check(home): return [embedded.Part("reader", True, "", seconds=0.2)]
readagent.finding.steps_to_reader, embedded.check = lambda home: "", check
"""


def computer(**servers: str) -> str:
    """Return code for a computer on which no other server with a short name can be reached."""
    return f"""
from dataclasses import replace
from readagent.models.providers import PROVIDERS
for name, one in PROVIDERS.items():
    PROVIDERS[name] = replace(one, base_url={servers!r}.get(name, {NOWHERE!r}))
"""


@pytest.fixture(autouse=True)
def empty_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a short name, no settings and no keyring."""
    monkeypatch.setenv("READAGENT_HOME", "home")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture
def ollama() -> Iterator[str]:
    with LoopbackServer(models=("gemma3:4b", "qwen3:8b")).in_thread() as server:
        yield server.base_url


def screen(*arguments: object, before: str) -> list[str]:
    """Return what a command leaves on the screen."""
    with Terminal(60, *arguments, before=before) as terminal:
        assert terminal.end()[0] == 0
        return stable(terminal)


def test_the_program_alone(ollama: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen(before=computer()) == snapshot(name="no settings")
    assert screen(before=computer(ollama=ollama)) == snapshot(name="a server on this computer")
    assert screen(before=computer() + READY) == snapshot(name="the offline reader is installed")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    elsewhere = "import readagent.models.server_info as info\ninfo.is_loopback = lambda url: False"
    assert screen(before=computer(anthropic=ollama) + elsewhere) == snapshot(name="a key")
    monkeypatch.setenv("READAGENT_MODEL", "ollama/gemma3:4b")
    assert screen(before=computer(ollama=ollama)) == snapshot(name="a model is set")
    assert screen(before=computer()) == snapshot(name="its server does not answer")


def test_setup_with_a_server_on_this_computer(ollama: str, snapshot: SnapshotAssertion) -> None:
    with Terminal(60, "setup", before=computer(ollama=ollama)) as terminal:
        for line in ("nowhere", ""):
            terminal.prompt("[ollama]: ")
            terminal.type(f"{line}\r")
        terminal.until("2. Model [gemma3:4b]: ")
        terminal.type("qwen3:8b\r")
        assert terminal.end()[0] == 0
        assert stable(terminal) == snapshot


def test_a_conversation(console: Console, server: LoopbackServer, snapshot: SnapshotAssertion) -> None:
    console.done("read", "meeting.txt")
    with Terminal(60, "chat", "meeting.txt", *ONE_AT_A_TIME) as terminal:
        for line in ("Who speaks first?", "/quote 1", "/up-to 200%", "/cost", "exit"):
            terminal.prompt()
            terminal.type(f"{line}\r")
        assert terminal.end()[0] == 0
        assert stable(terminal) == snapshot(name="asked")
    with Terminal(60, "chat", "meeting.txt", "--resume", "--claim", *ONE_AT_A_TIME) as terminal:
        for line in ("The steamer was lost.", "exit"):
            terminal.prompt()
            terminal.type(f"{line}\r")
        assert terminal.end()[0] == 0
        assert stable(terminal) == snapshot(name="resumed")
