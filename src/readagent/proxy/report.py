"""What the proxy tells about a request: in headers, beside the usage, in the log, and in a list of the last ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from readagent.core.session import Session
from readagent.core.trace import Usage
from readagent.models.prices import Price
from readagent.models.wire import encode

_DATA = b"data:"
_MAX_REASON = 300  # characters in a header
_MAX_NAME = 100  # characters of a model's name in the log


@dataclass(slots=True)
class Report:
    """What became of one request. Tokens are those of the prompt, estimated; ``calls`` are our own.

    ``saved_usd`` is what the original prompt would have cost at the model's price, less what was sent and our own
    calls; less than 0 where reading cost more, None where the price is unknown or the request was passed on as it is.
    ``reason`` says why a request that seems too long was passed on as it is, or not all pages have gists;
    ``pages_without_gist`` counts those that have none. ``caller`` is a name, not a key. ``gone`` is whether the client
    went away before it was answered, and ``failed`` whether the proxy itself has answered, with an error. ``hide``
    removes keys from words of the server.
    """

    path: str
    model: str = ""
    caller: str = ""
    compressed: bool = False
    original_tokens: int = 0
    sent_tokens: int = 0
    pages: int = 0
    pages_opened: int = 0
    pages_without_gist: int = 0
    calls: int = 0
    call_tokens: int = 0
    call_usd: float = 0.0
    saved_usd: float | None = None
    seconds: float = 0.0
    status: int = 0
    reason: str = ""
    time: str = ""
    gone: bool = False
    failed: bool = False
    hide: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def because(self, reason: str) -> None:
        """Set the reason, which may have words of the server, without keys."""
        self.reason = self.hide(reason)

    def note_calls(self, session: Session, price: Price | None) -> None:
        """Add what the calls of a session that were paid for have cost."""
        paid = [call for call in session.trace.calls if call.paid]
        self.call_tokens += sum(call.usage.prompt_tokens + call.usage.reply_tokens for call in paid)
        self.call_usd += sum(price.cost(call.usage) for call in paid) if price is not None else 0.0

    def note_saved(self, price: Price | None) -> None:
        """Work out what was saved, if the price is known."""
        if price is not None:
            spared = price.cost(Usage(self.original_tokens)) - price.cost(Usage(self.sent_tokens))
            self.saved_usd = round(spared - self.call_usd, 6)

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers of the response, without tokens if they were not counted."""
        values = {
            "compressed": "yes" if self.compressed else "no",
            **(
                {"original-tokens": self.original_tokens, "sent-tokens": self.sent_tokens}
                if self.original_tokens
                else {}
            ),
            "pages": self.pages,
            "pages-opened": self.pages_opened,
            **({"pages-without-gist": self.pages_without_gist} if self.pages_without_gist else {}),
            "calls": self.calls,
        }
        if self.reason:
            said = " ".join(self.reason.split())[:_MAX_REASON]
            values["reason"] = said.encode("ascii", "replace").decode()
        if self.saved_usd is not None:
            values["saved-usd"] = f"{self.saved_usd:.6f}"
        return [(f"x-readagent-{name}", str(value)) for name, value in values.items()]

    def usage(self) -> dict[str, Any]:
        """Return what stands beside the usage in the response."""
        names = ("compressed", "original_tokens", "sent_tokens", "pages", "pages_opened", "pages_without_gist",
                 "calls", "call_tokens", "saved_usd")  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def line(self) -> str:
        """Return a line for the log."""
        model = " ".join(self.model.split())[:_MAX_NAME]  # the caller's words, on one line
        what = f"{self.status or '-'} {self.path} {model}".rstrip()
        tokens = f"{self.original_tokens:,} tokens" if self.original_tokens else "tokens not counted"
        if self.compressed and not self.failed:
            missing = f", {self.pages_without_gist} without a gist" if self.pages_without_gist else ""
            made = f"sent {self.sent_tokens:,}, {self.pages} pages{missing}, opened {self.pages_opened}"
        else:
            made = "failed" if self.failed else "passed on" if self.status else "not answered"
        why = f" ({self.reason})" if self.reason else ""
        gone = ", the client went away" if self.gone else ""
        calls = f", calls {self.calls}" if self.calls or self.compressed else ""
        saved = f", saved ${self.saved_usd:.4f}" if self.saved_usd else ""
        return f"{what}: {tokens}, {made}{why}{gone}{calls}{saved}, {self.seconds:.1f} s, caller {self.caller}"


def with_usage(body: bytes, report: Report) -> bytes:
    """Return the body of a response with what we tell beside the usage; unchanged if it is no JSON object."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    return encode({**value, "readagent": report.usage()}) if isinstance(value, dict) else body


class UsageLines:
    """Passes the lines of an event stream on as they are, but for the one with the usage, which gets what we tell."""

    def __init__(self, report: Report) -> None:
        self._report, self._kept = report, b""

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be passed on."""
        *lines, self._kept = (self._kept + chunk).split(b"\n")
        return b"".join(self._line(line) + b"\n" for line in lines)

    def end(self) -> bytes:
        """Return what is left."""
        return self._line(self._kept)

    def _line(self, line: bytes) -> bytes:
        if not line.startswith(_DATA) or b'"usage"' not in line:
            return line
        try:
            value = json.loads(line.removeprefix(_DATA))
        except ValueError:
            return line
        whole = value.get("response", value) if isinstance(value, dict) else None
        if not isinstance(whole, dict) or not isinstance(whole.get("usage"), dict):
            return line
        whole["readagent"] = self._report.usage()
        return b"data: " + encode(value) + (b"\r" if line.endswith(b"\r") else b"")
