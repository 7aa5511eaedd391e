"""Run the steps of a case as a user does: commands, Python, and requests to the servers that a command starts.

Everything runs in this process and for real, down to the network. httpx2 asks the Player instead of a server; uvicorn and
the MCP server get the requests of the case instead of listening.
"""

from __future__ import annotations

import ast
import asyncio
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import mcp
import uvicorn
from mcp.server import MCPServer

from outcomes.player import ADDRESS, Player
from readagent.cli import main
from readagent.mcp.server import ReadAgentServer

HERE = Path(__file__).parent
TOKEN = "a-token"
_SMALL_PAGES = "--page-words 120 --min-page-words 40"
_WIDTH = 150
_DROPPED = {"paid", "words_read", "shared_words", "seconds", "estimate"}  # beside whatever counts tokens
_VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?"), "<time>"),
    (re.compile(r"\d[\d,.]*[kKM]?(?= (?:prompt |reply )?tokens\b)"), "N"),
    (re.compile(r"(?<=waiting )\d+(?= s)|(?<=again for )\d+(?= s)"), "N"),
    (re.compile(r"[\d,]+ words read, N tokens in, [\d,]+ out"), "N words read, N tokens in, N out"),
    (re.compile(r"\d+\.\d s(?=, caller)"), "N s"),
    (
        re.compile(r"sent [\d,]+, \d+ pages(?:, \d+ without a gist)?, opened \d+, calls \d+"),
        "sent N, N pages, opened N, calls N",
    ),
    (re.compile(rf"(?<=readagent ){re.escape(version('readagent'))}"), "<version>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"^\d+/\d+ documents · .*\n?", re.M), ""),  # progress, if it takes long enough
    (re.compile(r"(note: [^(\n]*no usable [^(\n]*) \(.*\)(; used instead)"), r"\1\2"),  # why a parser was not content
)
_LABEL = re.compile(r"\d+|STOP")
_ID = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9]*[a-f])(?:[0-9a-f]{8}|[0-9a-f]{12,64})\b")


class Runner:
    """Runs steps one after the other, with one player, in one folder."""

    def __init__(self, folder: Path, home: Path, script: Mapping[str, Any]) -> None:
        self.player = Player(script)
        self.counted = not script.get("uncounted")
        self.total = 0  # calls of all steps
        self._names = {"P": _SMALL_PAGES}
        self._space: dict[str, Any] = {"folder": folder}
        self._folder, self._home, self._ids = folder, home, dict[str, str]()

    def run(self, line: str, more: Sequence[str]) -> list[str]:
        """Run one step, and return the lines of what it printed, did and returned."""
        self.player.calls = 0
        kind, _, rest = line.partition(" ")
        rest, _, picked = rest.partition(" | ") if kind == "$" else (rest, "", "")
        fed = "".join(f"{one[2:]}\n" for one in more if one.startswith("< "))
        requests = [one[2:] for one in more if one.startswith("> ")]
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with self._everything(out, err, fed, requests):
            if kind == "$":
                code = _command(self._filled(rest))
            elif kind == "$$":
                code = self._process(self._filled(rest), out, err)
            else:
                code = self._python("\n".join([rest, *(one[4:] for one in more if one.startswith("... "))]))
        texts = [one.buffer.getvalue().decode() for one in (out, err)]  # type: ignore[attr-defined]
        self.total += self.player.calls
        lines = [*self._shown(texts[0], picked.split()), *(f"! {one}" for one in self._clean(texts[1]).splitlines())]
        lines += [f"= exit {code}"] if code else []
        if not self.counted:  # what had to be done otherwise depends on the window too
            lines = [line for line in lines if not line.startswith("! note: ")]
        if self.player.calls and self.counted and kind != "$$":
            lines.append(f"& {self.player.calls} call{'s' if self.player.calls > 1 else ''}")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n").split("\n") if lines else []

    @contextmanager
    def _everything(self, out: Any, err: Any, fed: str, requests: Sequence[str]) -> Iterator[None]:
        def interrupt(number: int, frame: object) -> None:
            self.player.interrupted.set()
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, interrupt)
        with ExitStack() as stack:
            stack.callback(signal.signal, signal.SIGINT, before)
            for replaced in (
                redirect_stdout(out),
                redirect_stderr(err),
                patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(fed.encode()))),
                patch.object(
                    httpx2.AsyncHTTPTransport, "handle_async_request", lambda one, sent: self.player.handle(sent)
                ),
                patch.object(
                    uvicorn.Server, "serve", lambda server, sockets=None: self._http(server.config.app, requests)
                ),
                patch.object(ReadAgentServer, "run_from", lambda server, opening: self._mcp(server, requests)),
            ):
                stack.enter_context(replaced)  # type: ignore[arg-type]
            yield
            out.flush()
            err.flush()

    def _filled(self, text: str) -> list[str]:
        return shlex.split(self._named(text))[1:]

    def _named(self, text: str) -> str:
        return re.sub(r"\$(\w+)", lambda name: self._names.get(name[1], name[0]), text)

    def _python(self, code: str) -> int:
        import readagent

        space = self._space
        space.update(
            {name: getattr(readagent, name) for name in readagent.__all__}, readagent=readagent, show=self._show
        )
        made = eval(compile(code, "<case>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), space)
        if made is not None:
            asyncio.run(made)
        return 0

    def _show(self, value: Any) -> None:
        print(self._laid_out(value))

    def _laid_out(self, value: Any) -> str:
        value = json.loads(self._without_paths(json.dumps(value)))  # lines break alike wherever the folder is
        return "\n".join(_pretty(_reduced(value)))

    def _process(self, arguments: list[str], out: Any, err: Any) -> int:
        """Run a command in a process of its own, which the player may kill."""
        code = (
            "import sys, json; from unittest.mock import patch; import httpx2; from outcomes.player import Player; "
            "from readagent.cli import main; player = Player(json.loads(sys.argv.pop(1)));"
            "httpx2.AsyncHTTPTransport.handle_async_request = lambda one, sent: player.handle(sent); main()"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), *filter(None, sys.path)])}
        done = subprocess.run(
            [sys.executable, "-c", code, json.dumps(self.player.script), *arguments],
            capture_output=True, text=True, env=environment, check=False, timeout=60,
        )  # fmt: skip
        out.write(done.stdout)
        err.write(done.stderr)
        return done.returncode

    async def _http(self, app: Any, requests: Sequence[str]) -> None:
        """Send requests to a server that was about to listen: `METHOD /path {json}`, then perhaps `as name`."""
        transport = httpx2.ASGITransport(app)
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            for request in requests:
                method, path, *body = self._named(request).split(" ", 2)
                text, _, name = body[0].rpartition("} as ") if body and "} as " in body[0] else (*body, "", "", "")[:3]
                text += "}" if name and text else ""
                for file in re.findall(r'"@(\S+)"', text):
                    text = text.replace(f'"@{file}"', json.dumps((self._folder / file).read_text("utf-8")))
                sent = json.loads(text) if text else None
                extra = sent.pop("headers", {}) if isinstance(sent, dict) else {}
                if method == "DONE":  # follow a job to its end
                    await client.get(f"{path}/events")
                    method = "GET"
                if method == "EVENTS":  # follow a job to its end, and show its server-sent events
                    events = await client.get(f"{path}/events")
                    print("\n".join([f"> {request}", str(events.status_code), *_events(events.text)]))
                    continue
                answer = await client.request(method, path, json=sent, headers=extra)
                print(f"> {request}\n{answer.status_code}")
                kind = answer.headers.get("content-type", "").partition(";")[0]
                if name and answer.is_success:
                    self._names[name] = str(answer.json()["id"])
                    if name == "job":  # how far it is by now is a matter of chance
                        continue
                if kind == "application/json":
                    self._show(answer.json())
                else:
                    print(answer.text)

    async def _mcp(self, server: MCPServer[Any], requests: Sequence[str]) -> None:
        """Call tools of an MCP server that was about to listen: `tool {json}`, then perhaps `as name`."""
        async with mcp.Client(server) as client:
            for request in requests:
                tool, _, rest = self._named(request).partition(" ")
                text, _, name = rest.partition(" as ")
                print(f"> {request}")
                if tool == "tools":
                    print("\n".join(sorted(one.name for one in (await client.list_tools()).tools)))
                    continue
                done = await client.call_tool(tool, json.loads(text or "{}"))
                if done.is_error:
                    print(f"error: {getattr(done.content[0], 'text', '')}")
                else:
                    self._names |= {name: (done.structured_content or {}).get("document", "")} if name else {}
                    self._show(done.structured_content)

    # --- what is compared ---

    def _shown(self, text: str, picked: Sequence[str]) -> list[str]:
        """Return what was printed as lines; JSON is laid out, without what is dropped, or only with what is picked."""
        try:
            values = [json.loads(text)] if text.strip()[:1] in ("{", "[") else []
        except ValueError:
            lines = text.splitlines()
            values = (
                [json.loads(line) for line in lines]
                if all(line[:1] == "{" and line[-1:] == "}" for line in lines)
                else []
            )
        if picked[1:2] == ["as"]:  # keep a field for later steps
            self._names[picked[2]] = values[0][0][picked[0]]
            return []
        if picked:
            values = [{name: value[name] for name in picked} for value in values]
        text = "\n".join(map(self._laid_out, values)) if values else text
        return self._clean(text).splitlines()

    def _without_paths(self, text: str) -> str:
        for path, name in (
            (self._folder, "<folder>"),
            (self._home, "<home>"),
            (Path(ADDRESS.partition("//")[2]), "SERVER"),
        ):
            text = text.replace(str(path), name)
        return text

    def _clean(self, text: str) -> str:
        text = self._without_paths(text)
        for pattern, name in _VOLATILE:
            text = pattern.sub(name, text)
        return _ID.sub(lambda found: self._ids.setdefault(found[0][:8], f"<id{len(self._ids) + 1}>"), text)


def _command(arguments: list[str]) -> int:
    try:
        with patch.object(sys, "argv", ["readagent", *arguments]):
            main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _reduced(value: Any) -> Any:
    """Return a JSON value without what is dropped; calls are counted over all steps."""
    if isinstance(value, dict):
        kept = {name: _reduced(one) for name, one in value.items() if name not in _DROPPED and "tokens" not in name}
        if isinstance(value.get("calls"), dict):
            kept["calls"] = sum(value["calls"].values())
        if "taken" in kept:  # a fallback: why a parser was not content, and in which step
            kept = {name: one for name, one in kept.items() if name not in ("reason", "step")}
            if _LABEL.fullmatch(str(kept["taken"])):  # where a pause was placed, say
                del kept["taken"]
        if "pages_without_gist" in kept:  # what the endpoint did to make a request fit
            kept = {name: kept[name] for name in ("compressed", "pages_without_gist")}
        if "question" in kept:  # of what was shown for a question
            kept.pop("compression", None)
        return kept
    return [_reduced(one) for one in value] if isinstance(value, list) else value


def _events(stream: str) -> Iterator[str]:
    """Yield the kinds of server-sent events in their order, and the text that they bring; how many come is chance."""
    events = [(kind, json.loads(data)) for kind, data in re.findall(r"^event: (\w+)\ndata: (.*)$", stream, re.M)]
    yield " ".join(dict.fromkeys(kind for kind, _ in events if kind not in ("state", "progress")))
    yield from filter(None, ["".join(data["delta"] for kind, data in events if kind == "text")])


def _pretty(value: Any, indent: str = "", last: str = "") -> Iterator[str]:
    """Yield JSON in few lines: what fits one stands on one."""
    whole = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(indent + whole) <= _WIDTH or not isinstance(value, dict | list) or not value:
        yield f"{indent}{whole}{last}"
        return
    items = sorted(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    yield indent + ("{" if isinstance(value, dict) else "[")
    short = ""  # short items share a line
    for place, (name, one) in enumerate(items):
        comma = "," if place + 1 < len(items) else ""
        key = f"{json.dumps(name)}: " if isinstance(value, dict) else ""
        text = f"{key}{json.dumps(one, ensure_ascii=False, sort_keys=True)}{comma}"
        if short and (len(text) >= 60 or len(indent + short + text) >= _WIDTH):
            yield f"{indent}{short}"
            short = ""
        if len(text) < 60:
            short += f" {text}"
            continue
        first, *rest = _pretty(one, f"{indent} ", comma)
        yield f"{indent} {key}{first.strip()}"
        yield from rest
    if short:
        yield f"{indent}{short}"
    yield indent + ("}" if isinstance(value, dict) else "]") + last
