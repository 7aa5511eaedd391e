"""`readagent browse` with a real browser and a scripted model server, for people and with --json."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browse.live.scripted_visitor import Act, ScriptedVisitor
from browse.live.site import site
from cli.console import LIMIT, Console, running
from cli.terminal import Terminal
from readagent.testing.loopback import LoopbackServer

PAGES = {
    "/": "<title>Shop</title><a href=/lamps>Lamps</a><form method=post action=/order><input type=password name=pw "
    "placeholder=Password><button>Order now</button></form>",
    "/lamps": "<title>Lamps</title><a href=/>Home</a>",
}


@contextmanager
def scripted_server(monkeypatch: pytest.MonkeyPatch, acts: list[Act]) -> Iterator[ScriptedVisitor]:
    """Start a model server that follows a script, and name it in the environment."""
    model = ScriptedVisitor(acts)

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        model.prompts.append(prompt)
        return model.answer(prompt)

    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        yield model


@pytest.mark.browser
def test_each_step_is_printed_and_traced(console: Console, monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    with site(PAGES) as here, scripted_server(monkeypatch, ["Lamps"]):
        result = console.done("browse", here.url, "Show me the lamps")
    lines = result.out.splitlines()
    assert lines[0] == '1. click "Lamps" [1]'
    assert "Shop: " in lines[1]
    assert "<a id=1 href=/lamps>Lamps</a>" in lines[2]
    assert lines[3] == "2. nothing left to do"
    (folder,) = (own_home / "visits").iterdir()
    assert lines[-1] == f"trace: {folder}"
    assert (folder / "step-02.png").exists()
    kept = [own_home, *own_home.rglob("*")]
    assert len(kept) > 5
    assert [str(path) for path in kept if path.stat().st_mode & 0o077] == [], "nobody else can read them"


@pytest.mark.release
@pytest.mark.browser
def test_an_answer_is_printed_with_its_quotes(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"/": "<title>Lamps</title><p>The brass lamp costs two coins.</p>"}
    said = 'Action: done It costs two coins.\nQuote: "The brass lamp costs two coins."'
    with site(pages) as here, scripted_server(monkeypatch, [said]):
        lines = console.done("browse", here.url, "What does the brass lamp cost?").out.splitlines()
        record = console.done("browse", here.url, "What does the brass lamp cost?", "--json").json
    at = lines.index("It costs two coins.")
    assert lines[at + 1] == f'  "The brass lamp costs two coins." ({here.url}/)'
    assert lines[at + 2].startswith("checked")
    assert record["answer"]["text"] == "It costs two coins."
    assert record["answer"]["quotes"] == [
        {"text": "The brass lamp costs two coins.", "url": f"{here.url}/", "exact": True, "by_us": False}
    ]


@pytest.mark.browser
def test_without_a_terminal_an_order_is_not_sent_unless_the_host_is_trusted(
    console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "tulips & roses")
    acts: list[Act] = [("Password", "{PW}"), "Order now"]
    order = ["Order with {PW}", "--secret", "PW=SHOP_PASSWORD", "--json"]
    with site(PAGES) as here:
        with scripted_server(monkeypatch, list(acts)) as model:
            result = console("browse", here.url, *order, "--trace", tmp_path / "one")
            assert result.code == 1
            assert result.json["ended"] == "unconfirmed"
            assert here.sent == []
            assert result.err.splitlines() == [
                f"error: not done: send POST to {here.url}/order (there is nobody to ask)",
                "hint: run it in a terminal to be asked, or trust the host with --yes HOST (with http:// and port as above)",
            ]
        with scripted_server(monkeypatch, [*acts]) as model:
            result = console.done(
                "browse",
                here.url,
                *order,
                "--yes",
                f"127.0.0.1:{here.port}",
                "--trace",
                tmp_path / "two",
                "--window",
                "9000",
            )
            assert here.sent == ["/order pw=tulips+%26+roses"]
    assert result.json["ended"] == "done"
    assert result.json["steps"][0]["action"] == {"element": "2", "operation": "type", "value": "{PW}"}
    assert result.json["words_read"] > 0
    assert not [text for text in (result.out, *model.prompts) if "tulips" in text]
    for file in tmp_path.rglob("*.jsonl"):
        assert "tulips" not in file.read_text("utf-8")


@pytest.mark.browser
@pytest.mark.parametrize(("reply", "sent"), [("y", ["/order pw="]), ("n", [])])
def test_a_person_at_a_terminal_is_asked_to_confirm(
    monkeypatch: pytest.MonkeyPatch, reply: str, sent: list[str]
) -> None:
    with site(PAGES) as here, scripted_server(monkeypatch, ["Order now"]):
        with Terminal(100, "browse", here.url, "Order") as terminal:
            terminal.type("y\n" * 3)  # before anything was asked
            shown = terminal.until("Allow it? [y/N]:")
            terminal.type(f"{reply}\n")
            code, _ = terminal.end()
        assert here.sent == sent
    assert f"send POST to {here.url}/order: pw=" in shown
    assert code == (0 if sent else 1)


@pytest.mark.browser
def test_a_signal_keeps_the_trace_and_ends_the_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import psutil

    started = threading.Event()
    children: list[psutil.Process] = []

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        assert started.wait(LIMIT)
        if "nothing yet" in prompt:
            return "Action: click [1]"
        children.extend(psutil.Process(child.pid).children(recursive=True))
        child.send_signal(signal.SIGINT)
        return "Action: click [1]"

    with site(PAGES) as here, LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        with running("browse", here.url, "Show me the lamps", "--trace", tmp_path / "t", "--max-steps", 3) as child:
            started.set()
            out, err = child.communicate(timeout=LIMIT)
    assert child.returncode == 128 + signal.SIGINT, err
    assert out.startswith('1. click "Lamps" [1]')
    assert (
        err.splitlines()[-1]
        == f"stopped; the trace so far is in {tmp_path / 't'}; the same command starts from the beginning"
    )
    lines = [json.loads(line) for line in (tmp_path / "t" / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["began", "step", "ended"]
    assert children
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def test_usage_errors(console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "not the address of a web page" in console.fails("browse", "ftp://shop.example", "Look")
    assert "is not of the form NAME=ENVVAR" in console.fails("browse", "shop.example", "Look", "--secret", "PW")
    assert "the instruction is empty" in console.fails("browse", "shop.example", " ")
    monkeypatch.setenv("READAGENT_BROWSER", str(tmp_path / "no-browser"))
    assert "READAGENT_BROWSER is" in console.fails("browse", "localhost:1", "Look")
    monkeypatch.delenv("READAGENT_BROWSER")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Chromium was not found" in console.fails("browse", "localhost:1", "Look")
