"""A running `readagent proxy` in front of a scripted model with a small window, and conversations for it."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from readagent.core.model import Model
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import TokenEstimate
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.library import Library
from readagent.proxy.chat import ChatRequest
from readagent.proxy.compress import Compressed, compress
from readagent.proxy.known_gists import KnownGists
from readagent.proxy.proxy import Proxy, ProxyOptions
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest, tokens
from readagent.testing.scripted import Skimmer
from readagent.web.serving import address_of, listening_socket, proxy_server

WINDOW = 8192
CHAT = "/v1/chat/completions"
COUNT = TokenEstimate().count
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
_PROMPTS = Prompts.load()
_WORDS = (
    "anchor bell candle door engine ferry garden harbour island journal kettle ladder mirror net orchard painted mended "
    "carried followed forgot promised weighed before while although because village rain father lamps nobody week"
).split()


class RunningProxy:
    """A proxy on a thread of its own."""

    def __init__(self, home: Path, base_url: str, *, settings: Any = None, **options: Any) -> None:
        loaded = load_settings({"model": "skimmer", "base_url": base_url, "patience": 0.0, **(settings or {})})
        self.library = Library(home / "library.db")
        self.proxy = Proxy(loaded, self.library, ProxyOptions(**options))
        self._listener = listening_socket("127.0.0.1", 0)
        self.address = address_of(self._listener, "127.0.0.1").rstrip("/")
        self.base_url = f"{self.address}/v1"
        self._server = proxy_server(self.proxy)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), daemon=True)
        self._thread.start()
        self.http = httpx2.Client(base_url=self.address, timeout=60, verify=False)
        until(lambda: self._server.started)
        self._sent = 0

    def chat(self, messages: Sequence[Any], *, key: str = "", headers: Any = None, **more: Any) -> httpx2.Response:
        """Send a chat."""
        body = {"model": "skimmer", "messages": messages, **more}
        sent = {**({"authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
        self._sent += 1
        return self.http.post(CHAT, json=body, headers=sent)

    def settle(self) -> None:
        """Wait until the gists are written that the chats so far have caused."""
        until(lambda: len(self.proxy.last) >= self._sent and not self.proxy.writes)

    def stop(self) -> None:
        """Stop it; a second time, nothing happens."""
        if self._server.should_exit:
            return
        self.http.close()
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()
        self.library.close()


@contextmanager
def proxied(home: Path, settings: Any = None, **server: Any) -> Iterator[tuple[LoopbackServer, RunningProxy]]:
    """Run a proxy in front of a scripted server, by default with a small window."""
    with LoopbackServer(**{"window": WINDOW, **server}).in_thread() as model:
        proxy = RunningProxy(home, model.base_url, settings=settings)
        try:
            yield model, proxy
        finally:
            proxy.stop()


def until(true: Any) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def prose(words: int, seed: int = 0) -> str:
    """Return paragraphs of sentences."""
    dice = random.Random(seed)
    paragraphs, count = [], 0
    while count < words:
        some = [" ".join(dice.choices(_WORDS, k=dice.randint(6, 16))).capitalize() + "." for _ in range(5)]
        paragraphs.append(" ".join(some))
        count += sum(len(one.split()) for one in some)
    return "\n\n".join(paragraphs)


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def talk(turns: int, facts: dict[int, str] | None = None, words: int = 60) -> list[dict[str, Any]]:
    """Return a conversation that ends with the answer of the assistant; ``facts`` are said at some of its turns."""
    messages = []
    for turn in range(turns):
        fact = (facts or {}).get(turn, "")
        messages += [said("user", f"{prose(words // 2, turn)} {fact}".strip())]
        messages += [said("assistant", prose(words // 2, 10_000 + turn))]
    return messages


def is_own(request: ReceivedRequest) -> bool:
    """Whether a request is one of the proxy's own: for a gist, or for a look-up."""
    return request.prompt.startswith(("Shorten the passage", "Below is "))


def answers(model: LoopbackServer) -> list[ReceivedRequest]:
    """Return the requests for answers."""
    return [one for one in model.requests if not is_own(one)]


def own_calls(model: LoopbackServer) -> list[ReceivedRequest]:
    return [one for one in model.requests if is_own(one)]


def prompt_tokens(request: ReceivedRequest) -> int:
    """Return the tokens of a request as the server counts them, with its tools."""
    return tokens(request.prompt) + tokens(request.tools)


def common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def compressed(messages: Sequence[Any], window: int, model: Model | None = None, **body: Any) -> Compressed:
    """Return a request that was made to fit, by a scripted model in this process."""
    chat = ChatRequest({"model": "m", "messages": messages, **body}, tuple(messages))
    session = Session(model or Skimmer(), _PROMPTS, window=Window(window), trace=Trace(keep_text=False))
    return asyncio.run(compress(chat, session, KnownGists()))
