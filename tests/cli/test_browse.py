"""`readagent browse` as a person and as a program uses it, with a real browser and a scripted server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console, command
from readagent.testing.loopback import LoopbackServer
from webnav.live.puppet import Act, Puppet
from webnav.live.site import site

PAGES = {
    "/": "<title>Shop</title><a href=/lamps>Lamps</a><form method=post action=/order><input type=password name=pw "
    "placeholder=Password><button>Order now</button></form>",
    "/lamps": "<title>Lamps</title><a href=/>Home</a>",
}


@contextmanager
def puppet(monkeypatch: pytest.MonkeyPatch, acts: list[Act]) -> Iterator[Puppet]:
    """A server that acts by a script, named in the environment."""
    one = Puppet(acts)

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        one.prompts.append(prompt)
        return one.answer(prompt)

    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        yield one


@pytest.mark.browser
def test_each_step_is_shown_and_the_trace_is_kept(
    console: Console, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    with site(PAGES) as here, puppet(monkeypatch, ["Lamps"]):
        heard = console.done("browse", here.url, "Show me the lamps")
    lines = heard.out.splitlines()
    assert lines[0] == '1. click "Lamps" [1]'
    assert "Shop: " in lines[1]
    assert "<a id=1 href=/lamps>Lamps</a>" in lines[2]
    assert lines[3] == "2. nothing is left to be done"
    (folder,) = (own_home / "visits").iterdir()
    assert lines[-1] == f"trace: {folder}"
    assert (folder / "step-02.png").exists()


@pytest.mark.browser
def test_without_a_person_it_stops_before_an_order_and_with_yes_it_goes_on(
    console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "tulips & roses")
    acts: list[Act] = [("Password", "{PW}"), "Order now"]
    order = ["Order with {PW}", "--secret", "PW=SHOP_PASSWORD", "--json"]
    with site(PAGES) as here:
        with puppet(monkeypatch, list(acts)) as model:
            heard = console("browse", here.url, *order, "--trace", tmp_path / "one")
            assert heard.code == 1
            assert heard.json["ended"] == "unconfirmed"
            assert here.sent == []
            assert heard.err.splitlines() == [
                'error: not done: click "Order now" [3]: it may buy or pay something, and nobody agreed to it',
                "hint: run it in a terminal to be asked, or with --yes to agree to everything",
            ]
        with puppet(monkeypatch, [*acts]) as model:
            heard = console.done("browse", here.url, *order, "--yes", "--trace", tmp_path / "two", "--window", "9000")
            assert here.sent == ["/order pw=tulips+%26+roses"]
    assert heard.json["ended"] == "done"
    assert heard.json["steps"][0]["action"] == {"element": "2", "operation": "type", "value": "{PW}"}
    assert heard.json["words_read"] > 0
    assert not [text for text in (heard.out, *model.prompts) if "tulips" in text]
    for file in tmp_path.rglob("*.jsonl"):
        assert "tulips" not in file.read_text("utf-8")


@pytest.mark.browser
@pytest.mark.parametrize(("said", "sent"), [("y", ["/order pw="]), ("n", [])])
def test_a_person_at_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, said: str, sent: list[str]) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with site(PAGES) as here, puppet(monkeypatch, ["Order now"]):
        child = subprocess.Popen(
            command("browse", here.url, "Order"),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.write(ours, f"{said}\n".encode())
        _, err = child.communicate(timeout=60)
        assert here.sent == sent
    os.close(ours)
    os.close(theirs)
    assert 'click "Order now" [3]: it may buy or pay something. Do it? [y/N]:' in err
    assert child.returncode == (0 if sent else 1)


@pytest.mark.browser
def test_ctrl_c_leaves_the_trace_and_no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import psutil

    known = threading.Event()
    children: list[psutil.Process] = []

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        assert known.wait(60)
        if "nothing yet" in prompt:
            return "Element: 1"
        children.extend(psutil.Process(child.pid).children(recursive=True))
        child.send_signal(signal.SIGINT)
        return "Element: 1"

    with site(PAGES) as here, LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        arguments = command("browse", here.url, "Show me the lamps", "--trace", tmp_path / "t", "--max-steps", 3)
        child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
        known.set()
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert out.startswith('1. click "Lamps" [1]')
    assert err.strip() == "stopped; what was done is kept, run the same command again to go on"
    lines = [json.loads(line) for line in (tmp_path / "t" / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["began", "step", "ended"]
    assert children
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def test_wrong_usage_is_one_clear_line(console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "not the address of a web page" in console.fails("browse", "ftp://shop.example", "Look")
    assert "does not name a secret" in console.fails("browse", "shop.example", "Look", "--secret", "PW")
    assert "the instruction is empty" in console.fails("browse", "shop.example", " ")
    monkeypatch.setenv("READAGENT_BROWSER", str(tmp_path / "no-browser"))
    assert "READAGENT_BROWSER is" in console.fails("browse", "localhost:1", "Look")
    monkeypatch.delenv("READAGENT_BROWSER")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no Chromium here" in console.fails("browse", "localhost:1", "Look")
